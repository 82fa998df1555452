//! Models: parameters and states in one buffer each, found by path.

pub(crate) mod core;
pub(crate) mod gradients;
mod init;
mod schema;

pub use core::ModelCore;
pub use gradients::Gradients;
pub use schema::Schema;

use crate::device::Device;
use crate::error::Result;
use crate::tensor::Tensor;

/// The seed of everything random in a model: its initial parameters, its dropout. Equal seeds give equal models on
/// every device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Seed(pub u64);

/// What `#[netcl::model]` implements: a struct whose tensors live in a [`ModelCore`].
pub trait Model {
    /// Every tensor the model has, in the order of its fields.
    fn schema() -> Schema
    where
        Self: Sized;

    /// Its memory.
    fn core(&self) -> &ModelCore;

    /// Its memory.
    fn core_mut(&mut self) -> &mut ModelCore;

    /// The device it is on.
    fn device(&self) -> Device {
        self.core().device()
    }

    /// Path and value of every parameter, in the order of the fields. The tensors are views: they change when an
    /// optimizer steps.
    fn parameters(&self) -> Vec<(String, Tensor)> {
        self.core().parameters()
    }

    /// Path and value of every state that is not trained (running statistics). The tensors are views.
    fn states(&self) -> Vec<(String, Tensor)> {
        self.core().states()
    }

    /// The parameter or state of that path, as a view.
    fn tensor(&self, path: &str) -> Result<Tensor> {
        self.core().tensor(path)
    }

    /// Overwrites the parameter or state of that path; shape and type must be its own.
    fn set_tensor(&mut self, path: &str, value: &Tensor) -> Result<()> {
        self.core().set_tensor(path, value)
    }

    /// Moves all tensors to another device. Everything that belongs to the model (its nested models too) moves along;
    /// views taken before keep the old memory.
    fn to_device(&mut self, device: &Device) -> Result<()> {
        self.core().to_device(device)
    }
}
