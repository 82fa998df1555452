//! Copies and fills of device memory, which a recording repeats.

use super::{Step, is_active, push};
use crate::error::{Error, Result};
use crate::memory::BufferHandle;
use netcl_hal::device::commands::CommandBuffer;
use std::sync::Arc;

impl BufferHandle {
    /// Copies all of it to the start of `to`, a buffer of the same device; does not wait for the device.
    ///
    /// # Errors
    ///
    /// [`Error::Shape`] if `to` is shorter; [`Error::DeviceMismatch`] if it is another device's; [`Error::OutOfMemory`]
    /// if the driver finds no memory for it now; [those of every device](crate::Error#errors-of-every-device).
    pub fn copy_into(&self, to: &BufferHandle) -> Result<()> {
        to.check("BufferHandle::copy_into", self.bytes())?;
        if !Arc::ptr_eq(self.backend(), to.backend()) {
            return Err(Error::DeviceMismatch {
                operation: "BufferHandle::copy_into".to_owned(),
                what: "the other buffer".to_owned(),
                expected: self.backend().profile().name.clone(),
                found: to.backend().profile().name.clone(),
            });
        }
        if self.id() == to.id() { Ok(()) } else { self.copy_to(to, self.bytes()) }
    }

    /// Copies the first `bytes` to the start of `to`, another buffer of the same device.
    pub(crate) fn copy_to(&self, to: &BufferHandle, bytes: usize) -> Result<()> {
        self.copy_unrecorded(to, bytes)?;
        if bytes > 0 && is_active(&**self.backend()) {
            push(Box::new(Copy { from: self.clone(), to: to.clone(), bytes }));
        }
        Ok(())
    }

    /// Sets all of it to zero.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`] if the driver finds no memory for it now; [those of every
    /// device](crate::Error#errors-of-every-device).
    pub fn zero(&self) -> Result<()> {
        self.zero_unrecorded()?;
        if is_active(&**self.backend()) {
            push(Box::new(Zero { memory: self.clone() }));
        }
        Ok(())
    }
}

/// A copy between two buffers.
struct Copy {
    from: BufferHandle,
    to: BufferHandle,
    bytes: usize,
}

/// Zeros from the start of a buffer.
struct Zero {
    memory: BufferHandle,
}

impl Step for Copy {
    fn repeat(&mut self) -> Result<()> {
        self.from.copy_to(&self.to, self.bytes)
    }

    fn launches(&self) -> u64 {
        0
    }

    fn encode(&self, into: &mut dyn CommandBuffer) -> Result<bool> {
        into.copy(self.from.region(), self.to.region(), self.bytes)?;
        Ok(true)
    }

    fn visit_memory(&self, visit: &mut dyn FnMut(&BufferHandle)) {
        visit(&self.from);
        visit(&self.to);
    }
}

impl Step for Zero {
    fn repeat(&mut self) -> Result<()> {
        self.memory.zero()
    }

    fn launches(&self) -> u64 {
        0
    }

    fn encode(&self, into: &mut dyn CommandBuffer) -> Result<bool> {
        into.zero(self.memory.region())?;
        Ok(true)
    }

    fn visit_memory(&self, visit: &mut dyn FnMut(&BufferHandle)) {
        visit(&self.memory);
    }
}
