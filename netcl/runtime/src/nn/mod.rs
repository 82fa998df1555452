//! Layers at run time, by the same declarations as in `#[netcl::model]`, and models put together of them.
//!
//! What layers compute in training is recorded: [`crate::Tensor::backward`] has the gradients of a loss.

mod layer;
mod network;

pub use layer::Layer;
pub use netcl_kernels::layers::{ConfigValue, Mode};
pub use network::{Layers, Network};
