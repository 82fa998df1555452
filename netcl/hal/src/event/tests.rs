use super::*;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::{Context, Poll, Wake};

/// A driver's event whose driver never calls back, or refuses to.
#[derive(Default)]
struct Silent {
    is_done: AtomicBool,
    refusals: AtomicUsize,
    watches: AtomicUsize,
}

struct Shown(Arc<Silent>);

impl BackendEvent for Shown {
    fn status(&self) -> Result<EventStatus> {
        Ok(if self.0.is_done.load(Ordering::Relaxed) { EventStatus::Complete } else { EventStatus::Running })
    }

    fn wait(&self) -> Result<()> {
        assert!(self.0.is_done.load(Ordering::Relaxed), "this would wait for ever");
        Ok(())
    }

    fn watch(&self, _: Box<dyn FnOnce(Result<()>) + Send>) -> Result<()> {
        self.0.watches.fetch_add(1, Ordering::Relaxed);
        match self.0.refusals.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)) {
            Ok(_) => Err(Error::Event { reason: "refused".to_owned() }),
            Err(_) => Ok(()),
        }
    }

    fn times(&self) -> Option<EventTimes> {
        None
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}

fn silent() -> (Event, Arc<Silent>) {
    let source = Arc::new(Silent::default());
    (Event::of(Box::new(Shown(source.clone()))), source)
}

/// A waker of its own, with a count of calls.
fn waker() -> (Waker, Arc<Counted>) {
    let counted = Arc::new(Counted::default());
    (Waker::from(counted.clone()), counted)
}

#[derive(Default)]
struct Counted(AtomicUsize);

impl Wake for Counted {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

fn poll(event: &mut Event, waker: &Waker) -> Poll<Result<()>> {
    Pin::new(event).poll(&mut Context::from_waker(waker))
}

#[test]
fn what_is_done_is_done_though_the_driver_has_not_called_back() {
    let (event, source) = silent();
    assert!(!event.wait_timeout(Duration::ZERO).unwrap());
    let waiting = std::thread::spawn({
        let event = event.clone();
        move || event.wait_timeout(Duration::from_millis(100))
    });
    source.is_done.store(true, Ordering::Relaxed);
    assert!(waiting.join().unwrap().unwrap(), "the driver is asked before and at the limit");
    assert!(event.wait_timeout(Duration::ZERO).unwrap());
}

#[test]
fn a_watch_that_was_refused_is_tried_again() {
    let (mut event, source) = silent();
    source.refusals.store(2, Ordering::Relaxed);
    assert!(event.wait_timeout(Duration::from_millis(1)).is_err());
    assert!(matches!(poll(&mut event, &waker().0), Poll::Ready(Err(_))));
    assert!(!event.wait_timeout(Duration::from_millis(1)).unwrap());
    assert!(!event.wait_timeout(Duration::from_millis(1)).unwrap());
    assert_eq!(source.watches.load(Ordering::Relaxed), 3, "two were refused, one holds");
}

/// Another thread's callback relied on the watch, and nobody will try it again for that.
#[test]
fn a_watch_that_is_refused_tells_those_who_relied_on_it() {
    let (event, source) = silent();
    let told = Arc::new(AtomicUsize::new(0));
    let counted = told.clone();
    // As if this thread's watch were on its way to the driver while the other's callback comes.
    event.lock().watched = true;
    event.on_complete(move |outcome| {
        assert!(matches!(outcome, Err(Error::Event { .. })));
        counted.fetch_add(1, Ordering::Relaxed);
    });
    event.lock().watched = false;
    source.refusals.store(1, Ordering::Relaxed);
    assert!(event.wait_timeout(Duration::from_millis(1)).is_err());
    assert_eq!(told.load(Ordering::Relaxed), 1);
    // The event is as it was.
    assert_eq!(event.status(), EventStatus::Running);
    source.is_done.store(true, Ordering::Relaxed);
    event.wait().unwrap();
}

#[test]
fn a_wait_of_netcls_own_tells_nothing() {
    #[derive(Default)]
    struct Failing {
        told: Arc<AtomicUsize>,
    }
    impl BackendEvent for Failing {
        fn status(&self) -> Result<EventStatus> {
            Ok(EventStatus::Failed)
        }
        fn wait(&self) -> Result<()> {
            Err(Error::Event { reason: "on purpose".to_owned() })
        }
        fn watch(&self, _: Box<dyn FnOnce(Result<()>) + Send>) -> Result<()> {
            Ok(())
        }
        fn times(&self) -> Option<EventTimes> {
            None
        }
        fn told(&self) {
            self.told.fetch_add(1, Ordering::Relaxed);
        }
        fn as_any(&self) -> &dyn std::any::Any {
            self
        }
    }
    let told = Arc::new(AtomicUsize::new(0));
    let event = Event::of(Box::new(Failing { told: told.clone() }));
    event.wait_untold();
    assert_eq!(told.load(Ordering::Relaxed), 0);
    assert!(event.wait().is_err());
    assert_eq!(told.load(Ordering::Relaxed), 1);
}

/// Its driver never calls back, so that the wait itself must look.
#[test]
fn an_interrupt_ends_a_wait_and_nothing_else() {
    let (event, source) = silent();
    let interrupt = Interrupt::new();
    std::thread::scope(|scope| {
        let waits = scope.spawn(|| event.wait_or(&interrupt));
        interrupt.interrupt();
        assert!(matches!(waits.join().unwrap(), Err(Error::Interrupted)));
        assert!(matches!(event.wait_or(&interrupt), Err(Error::Interrupted)), "it stays raised");
        interrupt.reset();
        assert!(!interrupt.is_interrupted());
        let waits = scope.spawn(|| event.wait_or(&interrupt));
        source.is_done.store(true, Ordering::Relaxed);
        waits.join().unwrap().unwrap();
    });
    interrupt.interrupt();
    event.wait_or(&interrupt).unwrap();
}

#[test]
fn a_handle_keeps_one_waker() {
    let mut first = Event::pending();
    let mut second = first.clone();
    let wakers: Vec<_> = (0..10).map(|_| waker()).collect();
    for (waker, _) in &wakers {
        assert!(poll(&mut first, waker).is_pending() && poll(&mut first, waker).is_pending());
        assert!(poll(&mut second, waker).is_pending());
    }
    assert_eq!(first.lock().wakers.len(), 2);
    let mut third = first.clone();
    assert!(poll(&mut third, &wakers[0].0).is_pending());
    drop(third);
    assert_eq!(first.lock().wakers.len(), 2, "it left with its handle");
    first.settle(Ok(()));
    let woken: Vec<usize> = wakers.iter().map(|(_, counted)| counted.0.load(Ordering::Relaxed)).collect();
    assert_eq!(woken, [0, 0, 0, 0, 0, 0, 0, 0, 0, 2], "the last of each handle");
    assert!(matches!(poll(&mut second, &wakers[0].0), Poll::Ready(Ok(()))));
}

/// Panics when it is dropped.
struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        panic!("a panic's payload panics, as the test wants");
    }
}

#[test]
fn what_a_panic_carries_may_panic() {
    let (calls, gate) = (Arc::new(AtomicUsize::new(0)), UserEvent::new());
    let call = |event: &Event| {
        event.on_complete(|_| std::panic::panic_any(Bomb));
        let calls = calls.clone();
        event.on_complete(move |_| {
            calls.fetch_add(1, Ordering::Relaxed);
        });
    };
    let event = gate.event();
    call(&event);
    gate.complete();
    call(&event);
    assert_eq!(calls.load(Ordering::Relaxed), 2);
}

#[test]
fn a_callback_that_panics_keeps_no_other_from_being_called() {
    struct Panics;
    impl Wake for Panics {
        fn wake(self: Arc<Self>) {
            panic!("a waker panics, as the test wants");
        }
    }
    let calls = Arc::new(AtomicUsize::new(0));
    let gate = UserEvent::new();
    let mut event = gate.event();
    assert!(poll(&mut event, &Waker::from(Arc::new(Panics))).is_pending());
    for number in 0..4 {
        let calls = calls.clone();
        event.on_complete(move |_| {
            assert!(number % 2 == 1, "a callback panics, as the test wants");
            calls.fetch_add(1, Ordering::Relaxed);
        });
    }
    gate.complete();
    assert_eq!(calls.load(Ordering::Relaxed), 2);
    event.wait().unwrap();
    // At once, by the caller: as it would be on a slower device.
    event.on_complete(|_| panic!("a callback panics, as the test wants"));
    event.wait().unwrap();
}

#[test]
fn a_wait_with_an_end_does_not_wait_for_a_driver_that_tells_nothing() {
    struct Untold;
    impl BackendEvent for Untold {
        fn status(&self) -> Result<EventStatus> {
            Err(Error::Forked)
        }

        fn wait(&self) -> Result<()> {
            panic!("would not end")
        }

        fn watch(&self, _: Box<dyn FnOnce(Result<()>) + Send>) -> Result<()> {
            Ok(())
        }

        fn times(&self) -> Option<EventTimes> {
            None
        }

        fn as_any(&self) -> &dyn std::any::Any {
            self
        }
    }
    let event = Event::of(Box::new(Untold));
    assert!(event.wait_timeout(Duration::from_millis(5)).is_err());
    assert!(event.wait_or(&Interrupt::new()).is_err());
}
