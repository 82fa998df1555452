//! Host memory that devices copy from and to at full speed, because the system cannot move it (page-locked memory), as programs
//! hold it.

use crate::error::{Error, Result};
use netcl_hal::element::Element;
use netcl_hal::host::plain;
use netcl_hal::memory as hal;
use netcl_hal::memory::PoolStats;
use netcl_kernels::dtype::DType;
use std::fmt;
use std::ops::{Deref, DerefMut};

/// Page-locked host memory of one device, kept for reuse by size as in a [`crate::BufferPool`]; at most 256 MiB are
/// kept. [`crate::Device::pinned_pool`] gives it. Cheap to clone; clones are the same pool.
///
/// ```
/// use netcl::{DType, Device, Tensor};
///
/// let device = Device::auto()?;
/// let mut buffer = device.pinned_pool().allocate(4 * 1000)?;
/// for (i, value) in buffer.as_mut_slice::<f32>()?.iter_mut().enumerate() {
///     *value = i as f32;
/// }
/// let x = Tensor::from_pinned(&device, buffer, &[1000], DType::F32)?;
/// assert_eq!(x.to_vec::<f32>()?[999], 999.0);
/// # Ok::<(), netcl::Error>(())
/// ```
#[derive(Clone)]
pub struct PinnedBufferPool(hal::PinnedBufferPool);

impl PinnedBufferPool {
    /// A backend's.
    pub(crate) fn of(pool: &hal::PinnedBufferPool) -> PinnedBufferPool {
        PinnedBufferPool(pool.clone())
    }

    /// A buffer of `bytes` bytes with any content (of buffers that had it before). It comes back to the pool when it is
    /// dropped.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`] if the system gives no more such memory, also after what is idle was given back; [those
    /// of every device](crate::Error#errors-of-every-device).
    pub fn allocate(&self, bytes: usize) -> Result<PinnedBuffer> {
        Ok(PinnedBuffer(self.0.allocate(bytes)?))
    }

    /// A buffer that no pool keeps.
    pub(crate) fn allocate_direct(&self, bytes: usize) -> Result<PinnedBuffer> {
        Ok(PinnedBuffer(self.0.allocate_direct(bytes)?))
    }

    /// Gives idle memory back to the system; returns how many bytes that were.
    pub fn release_idle(&self) -> usize {
        self.0.release_idle()
    }

    /// What it holds and how well it serves; in a forked child, what it held at the fork, or nothing if a thread was using
    /// the pool then.
    pub fn stats(&self) -> PoolStats {
        self.0.stats()
    }
}

impl fmt::Debug for PinnedBufferPool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Page-locked host memory: bytes to write into and read from. On the host and null devices it is ordinary memory.
pub struct PinnedBuffer(pub(crate) hal::PinnedBuffer);

impl PinnedBuffer {
    /// Its bytes as elements.
    ///
    /// # Errors
    ///
    /// [`Error::Shape`] if it has no whole number of such elements; [`Error::DType`] for `bool`, which is not any byte.
    pub fn as_slice<T: Element>(&self) -> Result<&[T]> {
        plain::elements(&self.0).ok_or_else(|| not_elements::<T>("PinnedBuffer::as_slice", self.0.len()))
    }

    /// Its bytes as elements, to be written.
    ///
    /// # Errors
    ///
    /// As [`PinnedBuffer::as_slice`].
    pub fn as_mut_slice<T: Element>(&mut self) -> Result<&mut [T]> {
        let bytes = self.0.len();
        plain::elements_mut(&mut self.0).ok_or_else(|| not_elements::<T>("PinnedBuffer::as_mut_slice", bytes))
    }
}

pub(crate) fn not_elements<T: Element>(operation: &'static str, bytes: usize) -> Error {
    if T::DTYPE == DType::Bool {
        return Error::DType { operation, expected: DType::U8, found: T::DTYPE };
    }
    let message = format!("{bytes} bytes are no whole number of {} elements", T::DTYPE.name());
    Error::Shape { operation, message }
}

impl Deref for PinnedBuffer {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

impl DerefMut for PinnedBuffer {
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.0
    }
}

impl fmt::Debug for PinnedBuffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::Device;

    #[test]
    fn bytes_are_elements_where_they_fit() {
        let pool = Device::host().pinned_pool().clone();
        let buffer = pool.allocate(10).unwrap();
        assert!(matches!(buffer.as_slice::<f32>().unwrap_err(), Error::Shape { .. }));
        assert!(matches!(buffer.as_slice::<bool>().unwrap_err(), Error::DType { .. }));
        assert_eq!(buffer.as_slice::<u8>().unwrap(), [0; 10]);
    }
}
