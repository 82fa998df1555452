//! What most programs use: `use netcl::prelude::*;`.

#[doc(hidden)]
pub use crate::__private::UsesPrelude as _;
#[doc(hidden)]
pub use crate::Pullback as _;
pub use crate::data::DataLoader;
pub use crate::layers::*;
pub use crate::optim::{Adam, AdamW, Optimizer, ParameterGroup, Sgd};
pub use crate::{DType, Device, Element, Error, Gradients, Model, Module, Result, Seed, Tensor};
// `#[model]` is `#[netcl::model]`.
pub use netcl_macros::model;
