//! `RmsNorm`: scaling by the root mean square over the last axis (Zhang, Sennrich 2019).

use super::checks::positive_epsilon;
use super::norm::normalised;
use super::{Config, ConfigKey, Context, Init, Layer, TensorSpec};
use crate::dim::Dim;
use crate::graph::build::Builder;
use crate::graph::{BinaryOp, NodeId};
use crate::ops::along;
use crate::span::Result;

pub(super) static RMS_NORM: Layer = Layer {
    name: "RmsNorm",
    doc: "`x / sqrt(mean(x^2) + epsilon) * weight` over the last axis of `x [.., features]`. Weight starts at 1. The \
          default `epsilon` is the one language models use; PyTorch's is the element type's machine epsilon.",
    config: &[
        ConfigKey::size("features", "size of the last axis"),
        ConfigKey::number("epsilon", 1e-6, "added to the mean square"),
        ConfigKey::bool("affine", true, "whether a weight is learned"),
    ],
    check: |config| positive_epsilon("RmsNorm", config),
    tensors,
    inputs: 1,
    forward,
};

fn tensors(config: &Config) -> Vec<TensorSpec<Dim>> {
    if !config.bool("affine") {
        return Vec::new();
    }
    vec![TensorSpec::parameter("weight", &[config.size("features")], Init::Constant(1.0))]
}

fn forward(context: &mut Context<'_>, inputs: &[NodeId]) -> Result<NodeId> {
    let x = inputs[0];
    let own = context.float(x)?;
    let dtype = own.compute();
    context.rank(x, |rank| rank > 0, "[.., features]")?;
    let shape = context.builder.shape(x).clone();
    let last = shape.rank() - 1;
    context.expect(x, last, "features", "features")?;
    let x = context.computed(x)?;
    let b = &mut *context.builder;
    let squared = b.binary(BinaryOp::Mul, x, x)?;
    let mean = b.mean(squared, &[last], false)?;
    let over_rows = |b: &mut Builder, statistic: NodeId| b.spread(statistic, &shape, &[last]);
    let mut y = normalised(b, x, mean, context.config.number("epsilon"), &over_rows)?;
    if context.config.bool("affine") {
        let weight = context.tensor(0, dtype)?;
        let weight = along(context.builder, weight, &shape, &[last])?;
        y = context.builder.binary(BinaryOp::Mul, y, weight)?;
    }
    let y = context.builder.cast(y, own)?;
    context.origin(y, last, "features");
    Ok(y)
}
