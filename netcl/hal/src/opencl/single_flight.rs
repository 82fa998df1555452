//! A build that is under way, which others wait for instead of doing it again.
//!
//! By hand, and not `once_cell`: where its initialiser fails, each one that waits tries the same again; here all get the error.

use crate::error::{Error, Result};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

/// How a build ended.
enum Outcome<P> {
    Built(Arc<P>),
    Failed(Error),
    /// Whoever built it panicked.
    Abandoned,
}

/// A build that is under way.
pub(super) struct SingleFlight<P> {
    outcome: Mutex<Option<Outcome<P>>>,
    over: Condvar,
}

impl<P> SingleFlight<P> {
    pub(super) fn new() -> Arc<SingleFlight<P>> {
        Arc::new(SingleFlight { outcome: Mutex::new(None), over: Condvar::new() })
    }

    /// Waits for its end; `None` if there is no result and somebody else is to build.
    pub(super) fn wait(&self) -> Option<Result<Arc<P>>> {
        let outcome = self.outcome.lock().unwrap_or_else(PoisonError::into_inner);
        let outcome =
            self.over.wait_while(outcome, |outcome| outcome.is_none()).unwrap_or_else(PoisonError::into_inner);
        match outcome.as_ref()? {
            Outcome::Built(program) => Some(Ok(program.clone())),
            Outcome::Failed(error) => Some(Err(again(error))),
            Outcome::Abandoned => None,
        }
    }

    /// Tells everybody who waits.
    pub(super) fn end(&self, result: &Result<Arc<P>>) {
        self.settle(match result {
            Ok(program) => Outcome::Built(program.clone()),
            Err(error) => Outcome::Failed(again(error)),
        });
    }

    /// Sends everybody away who waits, if it has not ended.
    pub(super) fn abandon(&self) {
        self.settle(Outcome::Abandoned);
    }

    fn settle(&self, end: Outcome<P>) {
        let mut outcome = self.outcome.lock().unwrap_or_else(PoisonError::into_inner);
        outcome.get_or_insert(end);
        drop(outcome);
        self.over.notify_all();
    }
}

/// The same error for another thread. Those of builds have fields that can be copied.
fn again(error: &Error) -> Error {
    match error {
        Error::Build { device, program, log, source_text } => Error::Build {
            device: device.clone(),
            program: program.clone(),
            log: log.clone(),
            source_text: source_text.clone(),
        },
        Error::Lost { device, operation, code } => {
            Error::Lost { device: device.clone(), operation: operation.clone(), code: code.clone() }
        }
        Error::Driver { device, operation, code } => {
            Error::Driver { device: device.clone(), operation: operation.clone(), code: code.clone() }
        }
        Error::Unsupported { program, device, problem } => {
            Error::Unsupported { program: program.clone(), device: device.clone(), problem: problem.clone() }
        }
        Error::Forked => Error::Forked,
        other => Error::Program { program: "another thread's build".to_owned(), problem: other.to_string() },
    }
}
