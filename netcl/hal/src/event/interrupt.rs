//! Waits that end early.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How often a wait looks whether it is to end.
pub(super) const LOOK: Duration = Duration::from_millis(10);

/// Ends waits early: `Device::finish_or` and `Event::wait_or` give `Error::Interrupted` within some
/// ten milliseconds after [`Interrupt::interrupt`]. The device is not stopped: it goes on with what it was given, and can be
/// waited for again, or given more.
///
/// It is a flag: any thread may raise it, and a signal handler, too, since nothing is allocated, locked or woken. So it can be
/// a `static`; threads may also share one in an `Arc`. It stays raised until [`Interrupt::reset`].
///
/// ```
/// use netcl::{Device, Error, Interrupt, Tensor, UserEvent};
///
/// static STOP: Interrupt = Interrupt::new(); // a handler of SIGINT calls `STOP.interrupt()`
///
/// let device = Device::auto()?;
/// let x = Tensor::from_slice(&device, &[1.0f32, 2.0], &[2])?;
/// let y = x.add(&x);
/// device.finish_or(&STOP)?;
///
/// let never = UserEvent::new();
/// std::thread::spawn(|| STOP.interrupt());
/// assert!(matches!(never.event().wait_or(&STOP), Err(Error::Interrupted)));
/// STOP.reset();
/// assert_eq!(y.to_vec::<f32>()?, [2.0, 4.0]);
/// # Ok::<(), netcl::Error>(())
/// ```
///
/// What reads elements waits, too: a program that is to stay interruptible waits for the device with one of these first, then
/// reads. In `async` code none of this is needed: an `Event` is a future, and dropping it ends the wait.
#[derive(Debug, Default)]
pub struct Interrupt(AtomicBool);

impl Interrupt {
    /// One that is not raised.
    pub const fn new() -> Interrupt {
        Interrupt(AtomicBool::new(false))
    }

    /// Ends the waits that were given it, and those that will be. Safe in a signal handler.
    pub fn interrupt(&self) {
        self.0.store(true, Ordering::Release);
    }

    /// Whether it is raised.
    pub fn is_interrupted(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }

    /// Lets waits last again.
    pub fn reset(&self) {
        self.0.store(false, Ordering::Release);
    }
}
