//! The device that a thread works on just now.

use crate::device::Device;
use crate::error::Result;
use std::cell::{Cell, RefCell};
use std::marker::PhantomData;

thread_local! {
    /// What is active on this thread, the latest last, each with its guard's number.
    static ACTIVE: RefCell<Vec<(u64, Device)>> = const { RefCell::new(Vec::new()) };
    static NEXT: Cell<u64> = const { Cell::new(0) };
}

/// Keeps a device active on this thread until it is dropped; see [`Device::activate`].
#[must_use = "the device is active only while this is alive: `let _active = device.activate();`"]
#[derive(Debug)]
pub struct ActiveDevice {
    number: u64,
    /// It belongs to its thread; and as no thread pool can move a future that holds it, it cannot leak into another
    /// task across an `.await`.
    _thread: PhantomData<*const ()>,
}

impl Device {
    /// Makes this the device that [`Device::active`] gives on this thread, until the guard is dropped; then it is the
    /// one that was before. Threads that are started meanwhile begin without.
    ///
    /// ```
    /// use netcl::prelude::*;
    ///
    /// /// Needs no device as an argument.
    /// fn ones(count: usize) -> Result<Tensor> {
    ///     Tensor::full(&Device::active()?, 1.0f32, &[count])
    /// }
    ///
    /// let _active = Device::host().activate();
    /// assert_eq!(ones(3)?.device(), &Device::host());
    /// # Ok::<(), Error>(())
    /// ```
    pub fn activate(&self) -> ActiveDevice {
        let number = NEXT.with(|next| next.replace(next.get() + 1));
        // At the end of a thread the list may be gone already; then nothing is active any more.
        let _ = ACTIVE.try_with(|active| active.borrow_mut().push((number, self.clone())));
        ActiveDevice { number, _thread: PhantomData }
    }

    /// The device that was last activated on this thread and still is; [`Device::auto`] where none is.
    ///
    /// # Errors
    ///
    /// Those of [`Device::auto`].
    #[doc(alias = "get_active_device")]
    pub fn active() -> Result<Device> {
        let active = ACTIVE.try_with(|active| active.borrow().last().map(|(_, device)| device.clone()));
        active.ok().flatten().map_or_else(Device::auto, Ok)
    }
}

impl Drop for ActiveDevice {
    fn drop(&mut self) {
        // By number, not by position: guards that are dropped out of order each end their own activation. At the end
        // of a thread the list may be gone already.
        let removed = ACTIVE.try_with(|active| {
            let mut active = active.borrow_mut();
            let position = active.iter().rposition(|(number, _)| *number == self.number)?;
            Some(active.remove(position))
        });
        // The device, should this be its last handle, is closed with the list free.
        drop(removed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use netcl_kernels::plan::Target;

    fn null() -> Device {
        Device::null(Target::Gpu, 0)
    }

    #[test]
    fn activations_nest_and_end() {
        let (outer, inner) = (null(), null());
        let before = Device::active().unwrap();
        {
            let _outer = outer.activate();
            assert_eq!(Device::active().unwrap(), outer);
            {
                let _inner = inner.activate();
                assert_eq!(Device::active().unwrap(), inner);
            }
            assert_eq!(Device::active().unwrap(), outer);
        }
        assert_eq!(Device::active().unwrap(), before);
    }

    #[test]
    fn guards_may_be_dropped_in_any_order() {
        let (first, second) = (null(), null());
        let (one, two) = (first.activate(), second.activate());
        drop(one);
        assert_eq!(Device::active().unwrap(), second);
        drop(two);
        assert_eq!(Device::active().unwrap(), Device::auto().unwrap());
    }

    #[test]
    fn a_panic_ends_the_activation() {
        let device = null();
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let _active = device.activate();
            panic!("on purpose");
        }));
        assert!(result.is_err());
        assert_ne!(Device::active().unwrap(), device);
    }

    #[test]
    fn other_threads_are_not_affected() {
        let device = null();
        let _active = device.activate();
        let elsewhere = std::thread::spawn(|| Device::active().unwrap()).join().unwrap();
        assert_ne!(elsewhere, device);
        assert_eq!(Device::active().unwrap(), device);
    }
}
