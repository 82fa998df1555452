//! What a call brings and what it gives.

use crate::memory::BufferHandle;
use crate::model::gradient_buffer::GradientBuffer;
use crate::model::store::Store;
use crate::tensor::Tensor;
use netcl_hal::device::scalar::Scalar;

/// One call.
#[derive(Clone, Copy, Default)]
pub(crate) struct Call<'a> {
    /// The arguments by position.
    pub(crate) args: &'a [&'a Tensor],
    /// The model's memory, and where in it the function's paths start.
    pub(crate) model: Option<(&'a Store, &'a str)>,
    /// Every scalar the plan names, or all but the first if `seed` gives that.
    pub(crate) scalars: &'a [Scalar],
    /// Draws the random seed of this call, if the plan takes one as its first scalar: when nothing can be wrong with
    /// the call any more, so that one which fails leaves the stream of random numbers where it was.
    pub(crate) seed: Option<&'a dyn Fn() -> Scalar>,
    /// Where results go that are not to be new tensors, by result.
    pub(crate) into: &'a [BufferHandle],
    /// Where gradients in arguments go that are not to be new tensors, by argument.
    pub(crate) gradients_into: &'a [Option<BufferHandle>],
    /// Of results that are changed in place, the arguments whose memory they take, by result. No other handle reaches that.
    pub(crate) in_place: &'a [Option<usize>],
    /// Where gradients in parameters go.
    pub(crate) gradients: Option<&'a GradientBuffer>,
}

/// What a call gives.
#[derive(Debug, Default)]
pub(crate) struct Outputs {
    /// By position; empty if [`Call::into`] was given.
    pub(crate) results: Vec<Tensor>,
    /// By argument; `None` for arguments without a gradient.
    pub(crate) argument_gradients: Vec<Option<Tensor>>,
}
