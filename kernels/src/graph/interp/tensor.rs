//! Values of the interpreter.

use crate::dtype::DType;
use crate::span::{Diagnostic, Result};

/// How floats are kept between nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// As `f64` throughout, whatever the node's type: for gradient checks.
    F64,
    /// Rounded to the node's type: for comparison with devices.
    Typed,
}

/// Elements in row-major order.
#[derive(Clone, Debug, PartialEq)]
pub enum TensorData {
    /// Of any float type.
    Float(Vec<f64>),
    /// Of any integer type, within its range.
    Int(Vec<i64>),
    /// Truth values.
    Bool(Vec<bool>),
}

impl TensorData {
    /// `count` zeros (or `false`) as `dtype` is kept.
    pub fn zeros(dtype: DType, count: usize) -> TensorData {
        if dtype.is_float() {
            TensorData::Float(vec![0.0; count])
        } else if dtype.is_integer() {
            TensorData::Int(vec![0; count])
        } else {
            TensorData::Bool(vec![false; count])
        }
    }

    /// The number of elements.
    pub fn len(&self) -> usize {
        match self {
            TensorData::Float(values) => values.len(),
            TensorData::Int(values) => values.len(),
            TensorData::Bool(values) => values.len(),
        }
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The elements at `positions`; zero (or `false`) where there is none.
    pub(super) fn pick(&self, positions: &[Option<usize>]) -> TensorData {
        fn pick<T: Copy + Default>(values: &[T], positions: &[Option<usize>]) -> Vec<T> {
            positions.iter().map(|position| position.map_or(T::default(), |position| values[position])).collect()
        }
        match self {
            TensorData::Float(values) => TensorData::Float(pick(values, positions)),
            TensorData::Int(values) => TensorData::Int(pick(values, positions)),
            TensorData::Bool(values) => TensorData::Bool(pick(values, positions)),
        }
    }
}

/// A tensor on the host: as many elements as its shape says, kept as its type is kept.
#[derive(Clone, Debug, PartialEq)]
pub struct HostTensor {
    shape: Vec<usize>,
    dtype: DType,
    data: TensorData,
}

impl HostTensor {
    /// A tensor of those elements. Integers wrap to their type.
    ///
    /// # Errors
    ///
    /// Their number is not that of the shape, or their kind not that of the type.
    pub fn new(dtype: DType, shape: Vec<usize>, data: TensorData) -> Result<HostTensor> {
        let elements = shape.iter().try_fold(1usize, |product, &size| product.checked_mul(size));
        let fits = match data {
            TensorData::Float(_) => dtype.is_float(),
            TensorData::Int(_) => dtype.is_integer(),
            TensorData::Bool(_) => dtype == DType::Bool,
        };
        if elements != Some(data.len()) || !fits {
            let kind = match data {
                TensorData::Float(_) => "float",
                TensorData::Int(_) => "integer",
                TensorData::Bool(_) => "bool",
            };
            return Err(Diagnostic::new(format!(
                "{} {kind} elements do not make a tensor {dtype}{shape:?}",
                data.len()
            )));
        }
        let data = match data {
            TensorData::Int(values) => TensorData::Int(values.into_iter().map(|value| dtype.wrap(value)).collect()),
            other => other,
        };
        Ok(HostTensor { shape, dtype, data })
    }

    /// A tensor of any type from numbers (integers truncate, `bool` is `value != 0`).
    ///
    /// # Errors
    ///
    /// Their number is not that of the shape.
    pub fn from_f64(dtype: DType, shape: &[usize], values: &[f64]) -> Result<HostTensor> {
        let data = if dtype.is_float() {
            TensorData::Float(values.to_vec())
        } else if dtype.is_integer() {
            TensorData::Int(values.iter().map(|value| *value as i64).collect())
        } else {
            TensorData::Bool(values.iter().map(|value| *value != 0.0).collect())
        };
        HostTensor::new(dtype, shape.to_vec(), data)
    }

    /// The sizes.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// The element type.
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// The elements.
    pub fn data(&self) -> &TensorData {
        &self.data
    }

    /// The elements as numbers (truth values as 0 and 1).
    pub fn to_f64(&self) -> Vec<f64> {
        match &self.data {
            TensorData::Float(values) => values.clone(),
            TensorData::Int(values) => values.iter().map(|value| *value as f64).collect(),
            TensorData::Bool(values) => values.iter().map(|value| f64::from(u8::from(*value))).collect(),
        }
    }

    /// The elements of a float tensor, to change them in place.
    pub fn floats_mut(&mut self) -> Option<&mut [f64]> {
        if let TensorData::Float(values) = &mut self.data { Some(values) } else { None }
    }

    pub(super) fn floats(&self) -> &[f64] {
        let TensorData::Float(values) = &self.data else { unreachable!("the verifier asks for floats here") };
        values
    }

    pub(super) fn ints(&self) -> &[i64] {
        let TensorData::Int(values) = &self.data else { unreachable!("the verifier asks for integers here") };
        values
    }

    pub(super) fn bools(&self) -> &[bool] {
        let TensorData::Bool(values) = &self.data else { unreachable!("the verifier asks for truth values here") };
        values
    }

    /// Floats rounded to the tensor's type, if `precision` says so.
    pub(super) fn rounded(mut self, precision: Precision) -> HostTensor {
        let round: fn(f64) -> f64 = match (precision, self.dtype) {
            (Precision::Typed, DType::F32) => |x| f64::from(x as f32),
            (Precision::Typed, DType::F16) => |x| half::f16::from_f32(x as f32).to_f64(),
            (Precision::Typed, DType::BF16) => |x| half::bf16::from_f32(x as f32).to_f64(),
            _ => return self,
        };
        if let TensorData::Float(values) = &mut self.data {
            values.iter_mut().for_each(|value| *value = round(*value));
        }
        self
    }
}
