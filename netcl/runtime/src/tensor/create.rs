//! Tensors of numbers that follow a rule. Random ones are [`crate::algorithms::Random`]'s.

use crate::device::Device;
use crate::error::{Error, Result};
use crate::tensor::{Element, Tensor, element_count, vector};
use half::{bf16, f16};
use netcl_kernels::dtype::DType;

/// `$result`, in which `$convert` makes elements of that type of numbers.
macro_rules! by_type {
    ($dtype:expr, $convert:ident => $result:expr) => {
        by_type!($dtype, $convert => $result, {
            Bool: |value| value != 0.0,
            U8: |value| value as u8,
            I32: |value| value as i32,
            U32: |value| value as u32,
            I64: |value| value as i64,
            F16: |value| f16::from_f64(value),
            BF16: |value| bf16::from_f64(value),
            F32: |value| value as f32,
            F64: |value| value,
        })
    };
    ($dtype:expr, $convert:ident => $result:expr, {$($type:ident: |$value:ident| $element:expr,)*}) => {
        match $dtype {
            $(DType::$type => {
                let $convert = |$value: f64| $element;
                $result
            })*
        }
    };
}

impl Tensor {
    /// The elements that an iterator gives, on one axis.
    ///
    /// ```
    /// use netcl::{Device, Tensor};
    /// let squares = Tensor::from_iter(&Device::host(), (0..4).map(|x| (x * x) as f32))?;
    /// assert_eq!(squares.to_vec::<f32>()?, [0.0, 1.0, 4.0, 9.0]);
    /// # Ok::<(), netcl::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of [`Tensor::from_slice`].
    pub fn from_iter<T: Element>(device: &Device, elements: impl IntoIterator<Item = T>) -> Result<Tensor> {
        let elements = vector::gather(device, elements.into_iter())?;
        Tensor::from_slice(device, &elements, &[elements.len()])
    }

    /// A tensor of `shape` and `dtype`, every element 1 (or true).
    ///
    /// # Errors
    ///
    /// Those of [`Tensor::full`].
    pub fn ones(device: &Device, shape: &[usize], dtype: DType) -> Result<Tensor> {
        by_type!(dtype, convert => Tensor::full(device, convert(1.0), shape))
    }

    /// A tensor of this one's shape, type and device, every element 0 (or false).
    ///
    /// # Errors
    ///
    /// Those of [`Tensor::zeros`].
    pub fn zeros_like(&self) -> Result<Tensor> {
        Tensor::zeros(self.device(), self.shape(), self.dtype())
    }

    /// A tensor of this one's shape, type and device, every element 1 (or true).
    ///
    /// # Errors
    ///
    /// Those of [`Tensor::full`].
    pub fn ones_like(&self) -> Result<Tensor> {
        Tensor::ones(self.device(), self.shape(), self.dtype())
    }

    /// The numbers `0, 1, .. count - 1` as `dtype`, of shape `[count]`. Those that a type does not hold are rounded (floats) or
    /// refused.
    ///
    /// # Errors
    ///
    /// [`Error::Shape`] if the type is one of truth values, or of integers and holds fewer numbers; those of [`Tensor::from_slice`].
    pub fn arange(device: &Device, count: usize, dtype: DType) -> Result<Tensor> {
        let last = i64::try_from(count).unwrap_or(i64::MAX) - 1;
        if dtype == DType::Bool || !dtype.is_float() && last > 0 && !dtype.holds(last) {
            return Err(refused("Tensor::arange", format!("{dtype} does not hold the numbers up to {last}")));
        }
        numbers(device, dtype, &[count], (0..count).map(|position| position as f64))
    }

    /// `count` numbers from `start` to `end`, both among them, at equal distances, as a type of floats; of shape `[count]`.
    ///
    /// # Errors
    ///
    /// [`Error::Shape`] if the type is none of floats; those of [`Tensor::from_slice`].
    pub fn linspace(device: &Device, start: f64, end: f64, count: usize, dtype: DType) -> Result<Tensor> {
        if !dtype.is_float() {
            return Err(refused("Tensor::linspace", format!("it makes floats, found {dtype}")));
        }
        let steps = count.saturating_sub(1).max(1) as f64;
        // Half of a distance is a number where the distance is not.
        let (step, halves) = match end - start {
            whole if whole.is_finite() => (whole / steps, 1.0),
            _ => ((end / 2.0 - start / 2.0) / steps, 2.0),
        };
        // From the nearer end, so that the last is `end` itself.
        let number = |position: usize| match 2 * position < count {
            true => start + halves * (step * position as f64),
            false => end - halves * (step * (count - 1 - position) as f64),
        };
        numbers(device, dtype, &[count], (0..count).map(|position| if count == 1 { start } else { number(position) }))
    }

    /// The matrix `[size, size]` with ones on the main diagonal and zeros elsewhere.
    ///
    /// # Errors
    ///
    /// Those of [`Tensor::from_slice`].
    pub fn eye(device: &Device, size: usize, dtype: DType) -> Result<Tensor> {
        let elements = element_count("Tensor::eye", &[size, size])?;
        let one = |position: usize| if position.is_multiple_of(size + 1) { 1.0 } else { 0.0 };
        numbers(device, dtype, &[size, size], (0..elements).map(one))
    }
}

fn refused(operation: &'static str, message: String) -> Error {
    Error::Shape { operation, message }
}

fn numbers(device: &Device, dtype: DType, shape: &[usize], values: impl Iterator<Item = f64>) -> Result<Tensor> {
    let count = element_count("Tensor::from_slice", shape)?;
    by_type!(dtype, convert => {
        Tensor::from_slice(device, &vector::collect(device, count, values.map(convert))?, shape)
    })
}
