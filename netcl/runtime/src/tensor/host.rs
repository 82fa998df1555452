//! Tensors from and to host memory, without waiting and without copies where the device allows it.

use super::{Element, Tensor, element_count, too_large, vector};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::event::{Event, Interrupt};
use crate::memory::{BufferHandle, PinnedBuffer, not_elements};
use netcl_hal::device::memory::HostMemory;
use netcl_hal::host::plain::{self, Elements};
use netcl_hal::memory as hal;
use netcl_hal::process;
use netcl_kernels::dtype::DType;
use std::fmt;
use std::future::Future;
use std::marker::PhantomData;
use std::ops::Deref;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

impl Device {
    /// Device memory that *is* the vector's, on devices that share the host's memory
    /// ([`crate::DeviceProfile::is_integrated`]). Elsewhere, and where the vector does not start at a multiple of
    /// [`crate::DeviceProfile::buffer_alignment`] bytes (the allocator decides), its elements are copied; memory from
    /// [`Device::create_pinned_buffer`] always fits. The vector is freed with the last handle.
    ///
    /// ```
    /// use netcl::{DType, Device, Tensor};
    ///
    /// let device = Device::auto()?;
    /// let buffer = device.create_zero_copy_buffer(vec![1.0f32, 2.0, 3.0])?;
    /// let x = Tensor::from_buffer(&device, buffer, &[3], DType::F32)?;
    /// assert_eq!(x.to_vec::<f32>()?, [1.0, 2.0, 3.0]);
    /// # Ok::<(), netcl::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`crate::Error::OutOfMemory`] if the elements are copied and there is no memory for them; [those of every
    /// device](crate::Error#errors-of-every-device).
    pub fn create_zero_copy_buffer<T: Element>(&self, elements: Vec<T>) -> Result<BufferHandle> {
        process::check()?;
        let bytes = size_of_val(elements.as_slice());
        match self.backend().lend(Box::new(Elements(elements))) {
            Ok(memory) => Ok(self.buffer_pool().adopt(memory, bytes)),
            Err(owner) => {
                let buffer = self.allocate_for_upload(bytes.max(1))?;
                buffer.write_first(owner.bytes())?;
                Ok(buffer)
            }
        }
    }
}

impl Tensor {
    /// A tensor whose memory is `buffer`'s start.
    ///
    /// # Errors
    ///
    /// [`Error::Shape`] if the buffer is too small; [`Error::DeviceMismatch`] if it is another device's.
    #[doc(alias("array", "buffer", "pool_handle"))]
    pub fn from_buffer(device: &Device, buffer: BufferHandle, shape: &[usize], dtype: DType) -> Result<Tensor> {
        let operation = "Tensor::from_buffer";
        let bytes = byte_count(operation, shape, dtype)?;
        if !Arc::ptr_eq(buffer.backend(), &device.shared_backend()) {
            return Err(Error::DeviceMismatch {
                operation: operation.to_owned(),
                what: "the buffer".to_owned(),
                expected: device.to_string(),
                found: buffer.backend().profile().name.clone(),
            });
        }
        if bytes > buffer.bytes() {
            let message = format!("{dtype} of shape {shape:?} has {bytes} bytes, the buffer has {}", buffer.bytes());
            return Err(Error::Shape { operation, message });
        }
        Ok(Tensor::from_region(buffer, shape.into(), dtype, device.clone()))
    }

    /// A tensor with the bytes of page-locked memory, which the device reads at full speed while the program goes on;
    /// on devices that share the host's memory it becomes the tensor's memory, and nothing is copied.
    ///
    /// # Errors
    ///
    /// [`Error::Shape`] if the memory has another size; [`Error::OutOfMemory`] if the device has no memory left; [those
    /// of every device](crate::Error#errors-of-every-device).
    #[doc(alias = "use_pinned")]
    pub fn from_pinned(device: &Device, memory: PinnedBuffer, shape: &[usize], dtype: DType) -> Result<Tensor> {
        let operation = "Tensor::from_pinned";
        let bytes = byte_count(operation, shape, dtype)?;
        if bytes != memory.len() {
            let message = format!("{dtype} of shape {shape:?} has {bytes} bytes, {} were given", memory.len());
            return Err(Error::Shape { operation, message });
        }
        netcl_hal::process::check()?;
        if !memory.0.belongs_to(device.backend().pinned_pool()) {
            // Another context's memory is ordinary memory here.
            return Tensor::from_bytes(device, &memory, shape, dtype);
        }
        let region = match memory.0.into_memory()? {
            Ok(memory) => device.buffer_pool().adopt(memory, bytes),
            Err(memory) => {
                let region = device.allocate_for_upload(bytes.max(1))?;
                region.write_first_pinned(memory)?;
                region
            }
        };
        Ok(Tensor::from_region(region, shape.into(), dtype, device.clone()))
    }

    /// The copies of this tensor's memory that run beside the device's own work and that nothing has waited for yet: the
    /// copy that made it, if it is large and nothing was computed with it so far.
    ///
    /// ```
    /// use netcl::{Device, Tensor};
    /// let x = Tensor::from_slice(&Device::auto()?, &vec![1.0f32; 1 << 20], &[1 << 20])?;
    /// for copy in x.pending_copies() {
    ///     copy.wait()?;
    /// }
    /// # Ok::<(), netcl::Error>(())
    /// ```
    #[doc(alias = "async_copy")]
    pub fn pending_copies(&self) -> Vec<Event> {
        self.value.in_memory().map(BufferHandle::elsewhere).unwrap_or_default().into_iter().map(Event).collect()
    }

    /// The elements in row-major order as they are now, once the device has them: this starts the copy and returns. The
    /// copy runs beside what the device is given afterwards. Where other handles of the memory are alive, as of parameters,
    /// of reshaped tensors and of clones, the device first makes a copy of its own, so that no other thread's work comes in
    /// between.
    ///
    /// ```
    /// use netcl::{Device, Tensor};
    ///
    /// let device = Device::auto()?;
    /// let x = Tensor::from_slice(&device, &[1.0f32, 2.0], &[2])?;
    /// let loss = x.sum(&[0]).to_host_async::<f32>()?;
    /// // ... the next step is started here ...
    /// assert_eq!(loss.wait()?, [3.0]);
    /// # Ok::<(), netcl::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::DType`] if the elements are not of type `T`; [`Error::OutOfMemory`] if there is no host memory; [those
    /// of every device](crate::Error#errors-of-every-device). What fails later is an error of the result.
    pub fn to_host_async<T: Element>(&self) -> Result<ToHost<T>> {
        self.expect::<T>("to_host_async")?;
        netcl_hal::process::check()?;
        let into = self.device.pinned_pool().allocate(self.byte_count())?;
        let region = self.region()?;
        // Clones reach it by the same handle.
        let _other = (!self.value.is_sole()).then(|| region.clone());
        let (event, bytes, from) = region.read_later(into.0)?;
        Ok(ToHost { event: Event(event), bytes, from, device: self.device.clone(), _elements: PhantomData })
    }

    /// The elements as host memory. Waits for the device. On devices that share the host's memory, nothing is copied if
    /// this was the last handle of the tensor's memory.
    ///
    /// ```
    /// use netcl::{Device, Tensor};
    ///
    /// let device = Device::auto()?;
    /// let x = Tensor::from_slice(&device, &[1.0f32, 2.0], &[2])?;
    /// let y = x.add(&x).into_host()?;
    /// assert_eq!(y.as_slice::<f32>()?, [2.0, 4.0]);
    /// # Ok::<(), netcl::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`] if a copy is needed and there is no host memory; what has failed before, as
    /// [`Device::finish`] tells it; [those of every device](crate::Error#errors-of-every-device).
    pub fn into_host(self) -> Result<HostData> {
        let (dtype, bytes) = (self.dtype, self.byte_count());
        self.region()?.settle()?;
        let device = self.device.clone();
        let region = self.into_region()?;
        if region.is_sole()
            && let Some(memory) = device.backend().map(region.region(), bytes, Box::new(region.clone()))?
        {
            device.backend().reported()?;
            return Ok(HostData { dtype, bytes: Bytes::Mapped(memory), _device: device });
        }
        let mut copy = device.pinned_pool().allocate(bytes)?;
        region.read(&mut copy)?;
        Ok(HostData { dtype, bytes: Bytes::Copied(copy), _device: device })
    }
}

fn byte_count(operation: &'static str, shape: &[usize], dtype: DType) -> Result<usize> {
    element_count(operation, shape)?.checked_mul(dtype.size()).ok_or_else(|| too_large(operation, shape))
}

/// Elements on their way to the host: [`Tensor::to_host_async`]. A [`Future`] of the elements.
///
/// Dropping it does no harm; the copy goes on.
#[must_use = "the elements are its result"]
pub struct ToHost<T: Element> {
    event: Event,
    bytes: Arc<hal::PinnedBuffer>,
    /// What is copied from. It is not given away before the copy is done.
    from: BufferHandle,
    device: Device,
    _elements: PhantomData<fn() -> T>,
}

impl<T: Element> ToHost<T> {
    /// Of the copy.
    pub fn event(&self) -> &Event {
        &self.event
    }

    /// Waits for the elements.
    ///
    /// # Errors
    ///
    /// [`Error::Driver`] or [`Error::OutOfMemory`] if the copy, or something that the device was given before, failed;
    /// [`Error::Lost`] if the device is lost; [`Error::Forked`] in a forked child.
    pub fn wait(self) -> Result<Vec<T>> {
        self.event.wait()?;
        self.elements()
    }

    /// Waits for at most `limit`; `None` if they are not there yet.
    ///
    /// # Errors
    ///
    /// As [`ToHost::wait`].
    pub fn wait_timeout(&self, limit: Duration) -> Result<Option<Vec<T>>> {
        if self.event.wait_timeout(limit)? { self.elements().map(Some) } else { Ok(None) }
    }

    /// Waits for the elements until the interrupt is raised; then they can be waited for again.
    ///
    /// # Errors
    ///
    /// [`Error::Interrupted`]; those of [`ToHost::wait`].
    pub fn wait_or(&self, interrupt: &Interrupt) -> Result<Vec<T>> {
        self.event.wait_or(interrupt)?;
        self.elements()
    }

    /// Only after the event.
    fn elements(&self) -> Result<Vec<T>> {
        self.from.backend().reported()?;
        vector::of_bytes(&self.device, &self.bytes)
    }
}

impl<T: Element> Future for ToHost<T> {
    type Output = Result<Vec<T>>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<Vec<T>>> {
        ready!(Pin::new(&mut self.event).poll(context))?;
        Poll::Ready(self.elements())
    }
}

impl<T: Element> fmt::Debug for ToHost<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ToHost({} bytes, {:?})", self.bytes.len(), self.event.status())
    }
}

/// A tensor's elements in host memory: [`Tensor::into_host`]. Its bytes are those of the elements in row-major order.
pub struct HostData {
    dtype: DType,
    bytes: Bytes,
    _device: Device,
}

enum Bytes {
    Mapped(Box<dyn HostMemory>),
    Copied(PinnedBuffer),
}

impl HostData {
    /// The elements in row-major order.
    ///
    /// # Errors
    ///
    /// [`Error::DType`] if they are not of type `T`, and for `bool`, whose bytes are there all the same.
    pub fn as_slice<T: Element>(&self) -> Result<&[T]> {
        if self.dtype != T::DTYPE {
            return Err(Error::DType { operation: "HostData::as_slice", expected: T::DTYPE, found: self.dtype });
        }
        plain::elements(self).ok_or_else(|| not_elements::<T>("HostData::as_slice", self.len()))
    }

    /// Whether the device computes in this very memory, so that nothing was copied.
    pub fn is_zero_copy(&self) -> bool {
        matches!(self.bytes, Bytes::Mapped(_))
    }
}

impl Deref for HostData {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match &self.bytes {
            Bytes::Mapped(memory) => memory.bytes(),
            Bytes::Copied(memory) => memory,
        }
    }
}

impl fmt::Debug for HostData {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "HostData({}, {} bytes)", self.dtype, self.len())
    }
}
