//! What most programs use: `use netcl::prelude::*;`.

pub use crate::data::DataLoader;
pub use crate::device::Device;
pub use crate::error::{Error, Result};
pub use crate::model::{Gradients, Model, Seed};
pub use crate::optim::{Adam, AdamW, Optimizer, Sgd};
pub use crate::tensor::{Element, Tensor};
pub use netcl_kernels::dtype::DType;
