//! Elements that differ.

use super::common;
use super::{Order, compact, sort};
use crate::error::Result;
use crate::tensor::Tensor;
use netcl_kernels::dtype::DType;

/// The different elements of `x` in order, the smallest first, as a tensor with one axis. `x` may be of any type; every NaN is
/// another element, as in PyTorch, and -0 and +0 are one. Waits for the device, since the result's shape depends on the elements.
///
/// ```
/// let x = netcl::Tensor::from_slice(&netcl::Device::auto()?, &[3i32, -1, 3, 4, -1], &[5])?;
/// assert_eq!(netcl::algorithms::unique(&x)?.to_vec::<i32>()?, [-1, 3, 4]);
/// # Ok::<(), netcl::Error>(())
/// ```
///
/// # Errors
///
/// Those of [`sort()`] and [`compact()`].
pub fn unique(x: &Tensor) -> Result<Tensor> {
    const NAME: &str = "algorithms::unique";
    common::sized_by_elements(NAME, x.device())?;
    let sorted = sort(&x.reshape(-1), Order::Ascending)?;
    let Some(rest) = sorted.elements().checked_sub(1).filter(|&rest| rest > 0) else {
        return Ok(sorted.computed_by(NAME, &[x]));
    };
    let keys = if sorted.dtype() == DType::Bool { sorted.cast(DType::U8) } else { sorted.clone() };
    let differs = keys.narrow(0, 1, rest).ne(keys.narrow(0, 0, rest));
    let first = Tensor::from_slice(x.device(), &[true], &[1])?;
    Ok(compact(&sorted, &first.concat(differs, 0).check()?)?.computed_by(NAME, &[x]))
}
