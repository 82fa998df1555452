//! Tensors: a shape, an element type, and memory on a device.

mod arguments;
mod concat;
mod create;
mod display;
mod evaluation;
mod explain;
mod host;
mod methods;
mod mistake;
mod operand;
mod operators;
mod ops;
mod pending;
mod run;
mod split;
pub(crate) mod stand_in;
pub(crate) mod traced;
mod value;
pub(crate) mod vector;

pub use arguments::{AsInteger, AsIntegers, AsNumber, AsOperand, AsTensors};
pub use host::{HostData, ToHost};
pub(crate) use mistake::Mistake;
pub use netcl_hal::element::Element;
pub use operand::Operand;
pub(crate) use operand::shown;
pub(crate) use run::{carry_out, carry_out_all, carry_out_with_changes, is_eager};
pub(crate) use value::{Computed, Held, PendingValue, TensorValue, compute_all};

use crate::autograd::cut;
use crate::autograd::record::{CutKind, History};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::memory::BufferHandle;
use crate::recording;
use netcl_hal::host::plain;
use netcl_kernels::dim::MOST_AXES;
use netcl_kernels::dtype::DType;
use std::panic::Location;
use std::sync::Arc;

/// Bytes of a constant tensor that are written at once; a multiple of every alignment and element size.
const FILL: usize = 8 << 20;

/// A tensor: row-major, on one device, of a type and shape known at run time. Cheap to clone; clones share memory, and
/// nothing but an optimizer or [`crate::Model::set_tensor`] changes what is in it.
///
/// Operations give tensors, also where they cannot be computed: what is wrong, with the operation, what it was given and the
/// caller's line, is the value of the result and of all that is computed from it. Whatever needs the value returns it
/// (`to_vec`, `item`, `backward`, an annotated function that it is an argument of), and [`Tensor::check`] asks.
///
/// ```
/// use netcl::{Device, Tensor};
/// let device = Device::host();
/// let x = Tensor::from_slice(&device, &[1.0f32, 2.0, 3.0, 4.0], &[2, 2])?;
/// let y = 2.0 * x.matmul(&x).relu() + 1.0;
/// assert_eq!(y.to_vec::<f32>()?, [15.0, 21.0, 31.0, 45.0]);
/// let wrong = x.reshape(&[3]).exp().sum(&[0]);
/// let error = wrong.item::<f32>().unwrap_err().to_string();
/// assert!(error.contains("`reshape` of f32 [2, 2], [3] at "), "{error}");
/// # Ok::<(), netcl::Error>(())
/// ```
#[derive(Clone)]
pub struct Tensor {
    value: TensorValue,
    shape: Arc<[usize]>,
    dtype: DType,
    device: Device,
    /// What it has to do with gradients.
    history: Option<History>,
}

impl Tensor {
    /// A tensor of `shape` with these elements in row-major order.
    ///
    /// ```
    /// use netcl::{Device, Tensor};
    /// let x = Tensor::from_slice(&Device::host(), &[1.0f32, 2.0, 3.0, 4.0], &[2, 2])?;
    /// assert_eq!(x.to_vec::<f32>()?, [1.0, 2.0, 3.0, 4.0]);
    /// # Ok::<(), netcl::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Shape`] if `shape` has another number of elements; [`Error::OutOfMemory`] if the device has no memory
    /// left; [those of every device](crate::Error#errors-of-every-device).
    #[doc(alias = "from_host")]
    pub fn from_slice<T: Element>(device: &Device, elements: &[T], shape: &[usize]) -> Result<Tensor> {
        let wanted = element_count("Tensor::from_slice", shape)?;
        if wanted != elements.len() {
            return Err(Error::Shape {
                operation: "Tensor::from_slice",
                message: format!("the shape {shape:?} has {wanted} elements, {} were given", elements.len()),
            });
        }
        Tensor::from_bytes(device, plain::bytes_of(elements), shape, T::DTYPE)
    }

    /// A tensor of `shape`, every element `value`.
    ///
    /// # Errors
    ///
    /// [`Error::Shape`] if no memory could be that large; [`Error::OutOfMemory`] if the device has no memory left;
    /// [those of every device](crate::Error#errors-of-every-device).
    pub fn full<T: Element>(device: &Device, value: T, shape: &[usize]) -> Result<Tensor> {
        let tensor = Tensor::uninitialised("Tensor::full", device, shape, T::DTYPE)?;
        if plain::bytes_of(&[value]).iter().all(|byte| *byte == 0) {
            tensor.region()?.zero()?;
            return Ok(tensor);
        }
        let bytes = tensor.byte_count();
        let image = vector::repeated(device, value, bytes.min(FILL) / size_of::<T>())?;
        if bytes <= FILL {
            tensor.region()?.write(&image)?;
            return Ok(tensor);
        }
        for offset in (0..bytes).step_by(FILL) {
            let length = FILL.min(bytes - offset);
            tensor.region()?.part(offset, length)?.write(&image[..length])?;
        }
        Ok(tensor)
    }

    /// A tensor of `shape` and `dtype`, every element 0 (or false).
    ///
    /// # Errors
    ///
    /// [`Error::Shape`] if no memory could be that large; [`Error::OutOfMemory`] if the device has no memory left;
    /// [those of every device](crate::Error#errors-of-every-device).
    #[doc(alias = "from_shape")]
    pub fn zeros(device: &Device, shape: &[usize], dtype: DType) -> Result<Tensor> {
        let tensor = Tensor::uninitialised("Tensor::zeros", device, shape, dtype)?;
        tensor.region()?.zero()?;
        Ok(tensor)
    }

    /// A tensor of shape `[]`.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`] if the device has no memory left; [those of every
    /// device](crate::Error#errors-of-every-device).
    pub fn scalar<T: Element>(device: &Device, value: T) -> Result<Tensor> {
        Tensor::from_slice(device, &[value], &[])
    }

    /// A tensor whose bytes are these.
    pub(crate) fn from_bytes(device: &Device, bytes: &[u8], shape: &[usize], dtype: DType) -> Result<Tensor> {
        debug_assert_eq!(byte_count("Tensor", shape, dtype)?, bytes.len());
        let region = device.allocate_for_upload(bytes.len().max(1))?;
        region.write_first(bytes)?;
        Ok(Tensor::from_region(region, shape.into(), dtype, device.clone()))
    }

    /// A tensor whose elements are whatever the memory holds: for results that are about to be written.
    pub(crate) fn uninitialised(
        operation: &'static str,
        device: &Device,
        shape: &[usize],
        dtype: DType,
    ) -> Result<Tensor> {
        let bytes = byte_count(operation, shape, dtype)?;
        let region = device.allocate(bytes.max(1))?;
        Ok(Tensor::from_region(region, shape.into(), dtype, device.clone()))
    }

    /// A view of memory.
    pub(crate) fn from_region(region: BufferHandle, shape: Arc<[usize]>, dtype: DType, device: Device) -> Tensor {
        Tensor { value: TensorValue::Memory(region), shape, dtype, device, history: None }
    }

    /// What gives that mistake where its value is needed.
    pub(crate) fn of_mistake(shape: &[usize], dtype: DType, device: &Device, mistake: Mistake) -> Tensor {
        let value = TensorValue::Mistake(Arc::new(mistake));
        Tensor { value, shape: shape.into(), dtype, device: device.clone(), history: None }
    }

    /// The tensor, unless it is known that it cannot be computed: then what went wrong first on the way to it. Nothing is computed
    /// for that; [`Tensor::eval`] does.
    ///
    /// ```
    /// use netcl::{Device, Tensor};
    /// let x = Tensor::from_slice(&Device::host(), &[1.0f32, 2.0], &[2])?;
    /// let y = x.exp().check()?;
    /// assert_eq!(y.shape(), [2]);
    /// assert!(y.matmul(&y).reshape(&[3, 3]).check().is_err());
    /// # Ok::<(), netcl::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Operation`], which says the operation, what it was given, and from where it was called.
    pub fn check(&self) -> Result<Tensor> {
        self.checked().map(|()| self.clone())
    }

    /// The tensor, computed: operations are noted when they are called, and computed together when a value is needed. Does not
    /// wait for the device.
    ///
    /// ```
    /// use netcl::{Device, Tensor};
    /// let device = Device::host();
    /// let x = Tensor::from_slice(&device, &[1.0f32, 2.0], &[2])?;
    /// let before = device.launches();
    /// let y = x.mul(&x).add(&x).relu();
    /// assert_eq!(device.launches(), before);
    /// y.eval()?;
    /// assert_eq!(device.launches(), before + 1);
    /// # Ok::<(), netcl::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Operation`], as [`Tensor::check`]; its cause may be that there is no memory left, or that the driver failed.
    pub fn eval(&self) -> Result<Tensor> {
        self.region().map(|_| self.clone())
    }

    /// Fails if it is known already that it cannot be computed.
    pub(crate) fn checked(&self) -> Result<()> {
        self.value.mistake().map_or(Ok(()), |mistake| Err(mistake.error()))
    }

    /// What went wrong on the way to it, as a tensor of which nothing else is kept.
    pub(crate) fn mistake(&self) -> Option<Tensor> {
        let mistake = self.value.mistake()?.clone();
        Some(Tensor { value: TensorValue::Mistake(mistake), ..self.clone().with_history(None) })
    }

    pub(crate) fn history(&self) -> Option<&History> {
        self.history.as_ref()
    }

    /// What `by` has computed of these, whose derivative is not recorded.
    pub(crate) fn computed_by(self, by: &str, inputs: &[&Tensor]) -> Tensor {
        let history = cut::unrecorded(inputs.iter().map(|input| input.history()), by, self.dtype);
        self.with_history(history)
    }

    /// The same elements with another history.
    pub(crate) fn with_history(self, history: Option<History>) -> Tensor {
        Tensor { history, ..self }
    }

    /// The tensor as it is now: itself, unless it is a view of a model's memory, which the next step changes; then a copy.
    pub(crate) fn as_it_is(&self) -> Result<Tensor> {
        self.checked()?;
        // What is pending gets memory of its own.
        let Some(region) = self.value.in_memory().filter(|region| region.changes()) else { return Ok(self.clone()) };
        let copy = Tensor::uninitialised("vjp", &self.device, &self.shape, self.dtype)?;
        region.copy_to(copy.region()?, self.byte_count())?;
        Ok(copy)
    }

    /// The tensor with memory that no other one has: its own, or that of a copy. What is recorded starts each time from what the
    /// tensor was.
    pub(crate) fn taken(self) -> Result<Tensor> {
        let own = self.region()?.is_sole() && self.value.is_sole() && !recording::is_active(self.device.backend());
        if own { Ok(self) } else { self.copy() }
    }

    /// Has its memory, if there is any yet, written what is still to be.
    pub(crate) fn settled(&self) -> Result<()> {
        self.value.in_memory().map_or(Ok(()), BufferHandle::settle)
    }

    /// Its memory. What is pending is computed.
    pub(crate) fn region(&self) -> Result<&BufferHandle> {
        self.value.region()
    }

    /// Its memory, without another handle of it if there was no clone.
    pub(crate) fn into_region(self) -> Result<BufferHandle> {
        match self.value {
            TensorValue::Memory(region) => Ok(region),
            // Its handle goes with it.
            value => value.region().cloned(),
        }
    }

    pub(crate) fn value(&self) -> &TensorValue {
        &self.value
    }

    /// Without its history.
    pub(crate) fn held(&self) -> Held {
        let Tensor { value, shape, dtype, device, history: _ } = self;
        Held { value: value.clone(), shape: shape.clone(), dtype: *dtype, device: device.clone() }
    }

    /// Without a history.
    pub(crate) fn from_held(held: Held) -> Tensor {
        let Held { value, shape, dtype, device } = held;
        Tensor { value, shape, dtype, device, history: None }
    }

    /// The size of each axis, outermost first. Of a tensor that could not be computed ([`Tensor::check`]), that of the first
    /// operand of what failed, so that a program which looks at sizes comes to where the mistake is told.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// As [`Tensor::shape`], to be kept.
    pub(crate) fn shared_shape(&self) -> &Arc<[usize]> {
        &self.shape
    }

    /// The element type; of a tensor that could not be computed, as [`Tensor::shape`].
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// Where it is.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// How many elements it has.
    pub fn elements(&self) -> usize {
        self.shape.iter().product()
    }

    pub(crate) fn byte_count(&self) -> usize {
        self.elements() * self.dtype.size()
    }

    /// The elements in row-major order. Waits for the device.
    ///
    /// # Errors
    ///
    /// [`Error::DType`] if the elements are not of type `T`; [`Error::OutOfMemory`] if the host has no memory for them;
    /// what has failed before, as [`Device::finish`] tells it; [those of every
    /// device](crate::Error#errors-of-every-device).
    #[doc(alias = "to_host")]
    pub fn to_vec<T: Element>(&self) -> Result<Vec<T>> {
        self.expect::<T>("to_vec")?;
        let mut elements = vector::zeros::<T>(&self.device, self.elements())?;
        match plain::bytes_of_mut(&mut elements) {
            Some(bytes) => self.region()?.read(bytes)?,
            None => elements = vector::of_bytes(&self.device, &self.to_bytes()?)?,
        }
        Ok(elements)
    }

    /// The only element, of a tensor that has one. Waits for the device.
    ///
    /// # Errors
    ///
    /// [`Error::DType`] if the element is not of type `T`; [`Error::Shape`] if there is not exactly one; what has
    /// failed before, as [`Device::finish`] tells it; [those of every device](crate::Error#errors-of-every-device).
    pub fn item<T: Element>(&self) -> Result<T> {
        self.expect::<T>("item")?;
        if self.elements() != 1 {
            return Err(Error::Shape {
                operation: "item",
                message: format!("expects a tensor with one element, found the shape {:?}; use `to_vec`", self.shape),
            });
        }
        let bytes = self.to_bytes()?;
        Ok(T::from_bytes(&bytes).next().unwrap_or(T::ZERO))
    }

    /// The elements' bytes. Waits for the device.
    pub(crate) fn to_bytes(&self) -> Result<Vec<u8>> {
        let region = self.region()?;
        let mut bytes = vector::zeros::<u8>(&self.device, self.byte_count())?;
        region.read(&mut bytes)?;
        Ok(bytes)
    }

    /// The same elements on another device; itself if it is there already. Between devices that share a context
    /// ([`Device::shares_context_with`]) they are copied without the host, and nothing is waited for.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`] if the other device, or the host on the way, has no memory left; what has failed before,
    /// as [`Device::finish`] tells it; [those of every device](crate::Error#errors-of-every-device).
    #[track_caller]
    pub fn to_device(&self, device: &Device) -> Result<Tensor> {
        let region = self.region()?;
        if &self.device == device {
            return Ok(self.clone());
        }
        // Gradients are computed on one device.
        let history =
            cut::passed([self.history()].into_iter(), ("to_device", CutKind::Unrecorded), Some(Location::caller()));
        if self.byte_count() > 0 && self.device.shares_context_with(device) {
            let copy = Tensor::uninitialised("to_device", device, &self.shape, self.dtype)?;
            if region.copy_across(copy.region()?, self.byte_count())? {
                return Ok(copy.with_history(history));
            }
        }
        Ok(Tensor::from_bytes(device, &self.to_bytes()?, &self.shape, self.dtype)?.with_history(history))
    }

    /// A copy with memory of its own, which no optimizer changes.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`] if the device has no memory left; [those of every
    /// device](crate::Error#errors-of-every-device).
    pub fn copy(&self) -> Result<Tensor> {
        let region = self.region()?;
        let copy = Tensor::uninitialised("copy", &self.device, &self.shape, self.dtype)?;
        region.copy_to(copy.region()?, self.byte_count())?;
        // The same value, with the same derivative.
        Ok(copy.with_history(self.history.clone()))
    }

    /// The same memory under another shape, of as many elements; `None` while there is none.
    fn shaped(&self, shape: &[usize]) -> Option<Tensor> {
        let value = match &self.value {
            TensorValue::Pending(_) => TensorValue::Memory(self.value.in_memory()?.clone()),
            value => value.clone(),
        };
        Some(Tensor { value, shape: shape.into(), history: None, ..self.clone() })
    }

    /// Fails unless it was computed and has elements of that type.
    fn expect<T: Element>(&self, operation: &'static str) -> Result<()> {
        self.checked()?;
        if self.dtype == T::DTYPE {
            return Ok(());
        }
        Err(Error::DType { operation, expected: T::DTYPE, found: self.dtype })
    }
}

/// How many elements a tensor of that shape has.
///
/// The sizes other than 0 make at most `i64::MAX` together, also where another one is 0: the arithmetic with sizes and
/// strides in all that follows cannot overflow then.
pub(crate) fn element_count(operation: &'static str, shape: &[usize]) -> Result<usize> {
    if shape.len() > MOST_AXES {
        let message = format!("a tensor has at most {MOST_AXES} axes, found {}", shape.len());
        return Err(Error::Shape { operation, message });
    }
    let sizes = shape.iter().filter(|dim| **dim != 0);
    let count = sizes.copied().try_fold(1usize, usize::checked_mul).filter(|count| i64::try_from(*count).is_ok());
    match count {
        Some(_) if shape.contains(&0) => Ok(0),
        Some(count) => Ok(count),
        None => Err(too_large(operation, shape)),
    }
}

/// How many bytes its elements have.
pub(crate) fn byte_count(operation: &'static str, shape: &[usize], dtype: DType) -> Result<usize> {
    let bytes = element_count(operation, shape)?.checked_mul(dtype.size());
    bytes.filter(|bytes| isize::try_from(*bytes).is_ok()).ok_or_else(|| too_large(operation, shape))
}

pub(crate) fn too_large(operation: &'static str, shape: &[usize]) -> Error {
    Error::Shape { operation, message: format!("the shape {shape:?} is larger than memory can be") }
}

#[cfg(test)]
mod tests;
