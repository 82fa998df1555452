//! What activations are stored in, in a part of a program.

use crate::tensor::Tensor;
use netcl_kernels::dtype::DType;
use netcl_kernels::precision::Precision;
use std::cell::Cell;

thread_local! {
    /// Of the innermost call of `autocast` that this thread is in.
    static PRECISION: Cell<Precision> = const { Cell::new(Precision::F32) };
}

/// While it lives, this thread computes in another precision.
struct Scope(Precision);

impl Drop for Scope {
    fn drop(&mut self) {
        PRECISION.with(|precision| precision.set(self.0));
    }
}

/// Does `work` with activations in that precision: operations and layers convert what they are given as
/// `#[precision(bf16)]` has them do it in annotated functions, and PyTorch's `autocast` in Python. Products, convolutions and attention
/// give halves, exponentials, sums, norms, softmax and losses `f32`, the others what they are given, of several types the widest.
///
/// ```
/// use netcl::nn::{Layer, Mode};
/// use netcl::{DType, Device, Precision, Seed, Tensor, autocast};
/// let device = Device::host();
/// let layer = Layer::new(&device, Seed(1), "Linear", &[("inputs", 2.into()), ("outputs", 3.into())])?;
/// let x = Tensor::from_slice(&device, &[1.0f32, 2.0], &[1, 2])?;
/// let (y, loss) = autocast(Precision::Bf16, || {
///     let y = layer.forward(&[&x], Mode::Training).relu();
///     let loss = y.square().mean_all();
///     (y, loss)
/// });
/// assert_eq!((y.dtype(), loss.dtype()), (DType::BF16, DType::F32));
/// let gradients = loss.backward()?.of(&layer)?;
/// assert_eq!(gradients.tensor("weight")?.dtype(), DType::F32);
/// # Ok::<(), netcl::Error>(())
/// ```
///
/// It is of this thread, and of what is called in `work`, whenever that is computed; [`Precision::F32`] in it switches it off again.
/// `backward` computes as what it goes through was computed, wherever it is called. Whole numbers, truth values and `f64` never
/// change, nor do parameters. Functions that annotations have compiled have the precision that they were compiled for.
pub fn autocast<R>(precision: Precision, work: impl FnOnce() -> R) -> R {
    let _scope = Scope(PRECISION.with(|own| own.replace(precision)));
    work()
}

/// The tensor as one of that type, where `precision` is what has made another of it.
#[track_caller]
pub(crate) fn of_type(tensor: &Tensor, dtype: DType, precision: Precision) -> Tensor {
    let is_other = tensor.dtype() != dtype && precision.converts(tensor.dtype()) && precision.converts(dtype);
    if is_other { tensor.cast(dtype) } else { tensor.clone() }
}

/// What this thread computes in.
pub(crate) fn current() -> Precision {
    PRECISION.try_with(Cell::get).unwrap_or_default()
}
