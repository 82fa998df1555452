//! Events as futures.

use super::Event;
use crate::error::Result;
use crate::process;
use std::future::Future;
use std::pin::Pin;
use std::sync::PoisonError;
use std::task::{Context, Poll, Waker};

impl Future for Event {
    type Output = Result<()>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        process::check()?;
        if self.is_complete() {
            return Poll::Ready(self.wait());
        }
        if let Poll::Ready(outcome) = self.take_seat(context.waker()) {
            return Poll::Ready(self.tell(outcome));
        }
        self.watch()?;
        let outcome = self.lock().outcome.clone();
        outcome.map_or(Poll::Pending, |outcome| Poll::Ready(self.tell(outcome)))
    }
}

impl Event {
    /// Keeps the waker in place of the one that this handle was polled with before, or gives the outcome.
    fn take_seat(&mut self, waker: &Waker) -> Poll<Result<()>> {
        // Executors' code runs without the lock.
        let mut new = None;
        loop {
            let mut state = self.core.state.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(outcome) = state.outcome.clone() {
                return Poll::Ready(outcome);
            }
            if state.wakers.get(&self.seat).is_some_and(|own| own.will_wake(waker)) {
                return Poll::Pending;
            }
            let Some(new) = new.take() else {
                drop(state);
                new = Some(waker.clone());
                continue;
            };
            if self.seat == 0 {
                state.seats += 1;
                self.seat = state.seats;
            }
            let old = state.wakers.insert(self.seat, new);
            drop(state);
            drop(old);
            return Poll::Pending;
        }
    }
}
