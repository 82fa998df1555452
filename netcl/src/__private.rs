//! What code made by netcl's macros calls. Not for people; changes without notice.

pub use crate::device::backend::NativeEntry;
pub use crate::device::host::exports as host;
pub use crate::executor::function::{Function, FunctionSource, PlanSource};
pub use crate::executor::scalar::Scalar;
pub use crate::model::{Gradients, Model, ModelCore, Schema, Seed};
pub use netcl_kernels as kernels;
pub use netcl_macros::__resume;

/// What `#[netcl::model]` implements so that one model can be a field of another.
pub trait Part: Sized {
    /// The generated struct of its gradients.
    type Gradients;

    /// The part of `core` whose paths start with `prefix` (empty, or with a trailing dot).
    fn attach(core: &ModelCore, prefix: &str) -> Self;

    /// The gradients of that part.
    fn gradients(all: &std::sync::Arc<Gradients>, prefix: &str) -> Self::Gradients;
}
