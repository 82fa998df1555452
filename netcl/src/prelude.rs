//! What most programs use: `use netcl::prelude::*;`.

pub use crate::data::DataLoader;
pub use crate::optim::{Adam, AdamW, Optimizer, Sgd};
pub use crate::{DType, Device, Element, Error, Gradients, Model, Result, Seed, Tensor};
