//! What code made by netcl's macros calls. Not for people; changes without notice.

pub use crate::device::backend::NativeEntry;
pub use crate::executor::function::{Function, FunctionSource, PlanSource};
pub use crate::executor::scalar::Scalar;
pub use crate::model::{Gradients, Model, ModelCore, Schema, Seed};
pub use netcl_kernels as kernels;
pub use netcl_macros::__resume;
