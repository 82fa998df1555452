//! Devices and their memory as the tests use them.

use crate::device::backend::Backend;
use crate::device::memory::{AllocateError, Memory};
use crate::error::Result;
use crate::event::Event;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// An open device.
#[derive(Clone)]
pub(in crate::opencl) struct Device(Arc<dyn Backend>);

impl Device {
    pub(in crate::opencl) fn of(backend: Arc<dyn Backend>) -> Device {
        Device(backend)
    }

    pub(in crate::opencl) fn backend(&self) -> &dyn Backend {
        &*self.0
    }

    pub(super) fn allocate(&self, bytes: usize) -> Result<Buffer, AllocateError> {
        Ok(Buffer { device: self.clone(), memory: self.0.allocate(bytes)? })
    }
}

impl Deref for Device {
    type Target = dyn Backend;

    fn deref(&self) -> &Self::Target {
        &*self.0
    }
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.profile().selector)
    }
}

/// Memory of a device.
pub(super) struct Buffer {
    pub(super) device: Device,
    memory: Arc<dyn Memory>,
}

impl Buffer {
    pub(super) fn memory(&self) -> &dyn Memory {
        &*self.memory
    }

    pub(super) fn part(&self, offset: usize, bytes: usize) -> Result<Buffer> {
        Ok(Buffer { device: self.device.clone(), memory: self.device.part(self.memory(), offset, bytes)? })
    }

    pub(super) fn write(&self, data: &[u8]) -> Result<()> {
        self.device.write(self.memory(), data)
    }

    /// Beside the device's queue: the memory was never used.
    pub(super) fn upload(&self, data: &[u8]) -> Result<Option<Event>> {
        self.device.upload(self.memory(), data, 0)
    }

    pub(super) fn read(&self, into: &mut [u8]) -> Result<()> {
        self.device.read(self.memory(), into)
    }

    pub(super) fn zero(&self, bytes: usize) -> Result<()> {
        self.device.zero(self.memory(), bytes)
    }

    pub(super) fn copy_to(&self, to: &Buffer, bytes: usize) -> Result<()> {
        self.device.copy(self.memory(), to.memory(), bytes)
    }
}
