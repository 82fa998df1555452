//! Positions that change from call to call, as where `x.narrow(0, 32 * step, 32)` begins: plans that serve all of them take them by
//! value.

use crate::autograd::work::TensorWork;
use crate::device::Device;
use crate::error::Result;
use crate::executor::{Call, Loaded, Outputs, SizedPlan};
use netcl_hal::device::scalar::Scalar;
use netcl_kernels::dtype::DType;
use smallvec::SmallVec;
use std::ops::Deref;
use std::sync::Arc;

/// Of the positions in a list of works, in order, which are passed by value. Where the list ends, the others are not.
#[derive(Clone, Default)]
pub(crate) struct PassedPositions(Arc<[bool]>);

impl PassedPositions {
    pub(crate) fn new(passed: impl Iterator<Item = bool>) -> PassedPositions {
        PassedPositions(passed.collect())
    }

    /// Says of one work after the other its position, if that is passed by value.
    pub(super) fn of_works(&self) -> impl FnMut(&TensorWork) -> Option<u32> {
        let mut passed = self.0.iter();
        // Where none is left, nobody asks what a work is.
        move |work| {
            if passed.as_slice().is_empty() {
                return None;
            }
            work.position().filter(|_| passed.next() == Some(&true))
        }
    }
}

/// The plan of a list of works, for tensors whose types and shapes are always the same.
#[derive(Clone)]
pub(crate) struct WorkPlan {
    plan: SizedPlan,
    positions: PassedPositions,
}

impl WorkPlan {
    pub(crate) fn new(loaded: Arc<Loaded>, positions: PassedPositions) -> WorkPlan {
        WorkPlan { plan: SizedPlan::new(loaded), positions }
    }

    pub(crate) fn call(&self, device: &Device, call: &Call<'_>) -> Result<Outputs> {
        self.plan.call(device, call)
    }

    /// The numbers that it takes by value of those works, each with the element type of its first tensor.
    pub(crate) fn scalars<'w>(
        &self,
        works: impl Iterator<Item = (&'w TensorWork, Option<DType>)>,
    ) -> SmallVec<[Scalar; 8]> {
        let mut position = self.positions.of_works();
        // No work has both.
        works.flat_map(|(work, dtype)| position(work).map(Scalar::U32).into_iter().chain(work.scalars(dtype))).collect()
    }
}

impl Deref for WorkPlan {
    type Target = Loaded;

    fn deref(&self) -> &Loaded {
        &self.plan
    }
}
