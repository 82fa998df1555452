//! Layers: configuration, parameters, initialisation and the graph they build, declared once each, one file each.
//!
//! The macro and run-time `netcl::nn` use the same declarations, so a layer cannot differ between them. Formulas and
//! defaults are PyTorch's (2.x) unless a layer says otherwise.
//!
//! `config`, `tensors` and `context` are what a declaration is made of, `layer` the declaration itself; `configure` reads what
//! a user wrote for one.

mod activation;
mod attention;
mod avg_pool2d;
mod batch_norm;
mod checks;
mod config;
mod configure;
mod context;
mod conv1d;
mod conv2d;
mod conv_transpose2d;
mod dropout;
mod embedding;
mod flatten;
mod group_norm;
mod layer;
mod layer_norm;
mod linear;
mod max_pool2d;
mod nearest;
mod norm;
mod rms_norm;
mod tensors;
mod upsample;

pub use config::{Config, ConfigKey, ConfigKind, ConfigValue};
pub use context::{Context, Mode};
pub use layer::{Layer, forward};
pub use nearest::nearest;
pub use tensors::{FanRule, Init, TensorSpec};

static ALL: [&Layer; 22] = [
    &linear::LINEAR,
    &conv2d::CONV2D,
    &conv1d::CONV1D,
    &conv_transpose2d::CONV_TRANSPOSE2D,
    &max_pool2d::MAX_POOL2D,
    &avg_pool2d::AVG_POOL2D,
    &upsample::UPSAMPLE,
    &batch_norm::BATCH_NORM,
    &layer_norm::LAYER_NORM,
    &group_norm::GROUP_NORM,
    &rms_norm::RMS_NORM,
    &dropout::DROPOUT,
    &embedding::EMBEDDING,
    &flatten::FLATTEN,
    &attention::SELF_ATTENTION,
    &activation::RELU,
    &activation::LEAKY_RELU,
    &activation::GELU,
    &activation::SILU,
    &activation::SIGMOID,
    &activation::TANH,
    &activation::IDENTITY,
];

/// Every layer.
pub fn all() -> &'static [&'static Layer] {
    &ALL
}

/// The layer of that type name.
pub fn find(name: &str) -> Option<&'static Layer> {
    all().iter().copied().find(|layer| layer.name == name)
}
