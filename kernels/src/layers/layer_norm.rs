//! `LayerNorm`: normalisation over the last axis (Ba, Kiros, Hinton 2016).

use super::checks::positive_epsilon;
use super::norm::{normalised, weight_and_bias};
use super::{ConfigKey, Context, Layer};
use crate::graph::build::Builder;
use crate::graph::{BinaryOp, NodeId};
use crate::ops::{Moments, along};
use crate::span::Result;

pub(super) static LAYER_NORM: Layer = Layer {
    name: "LayerNorm",
    doc: "`(x - mean) / sqrt(variance + epsilon) * weight + bias` over the last axis of `x [.., features]`, the variance \
          being the population's. Weight starts at 1, bias at 0.",
    config: &[
        ConfigKey::size("features", "size of the last axis"),
        ConfigKey::number("epsilon", 1e-5, "added to the variance"),
        ConfigKey::bool("affine", true, "whether weight and bias are learned"),
    ],
    check: |config| positive_epsilon("LayerNorm", config),
    tensors: weight_and_bias,
    inputs: 1,
    forward,
};

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
    let moments = Moments::of(b, x, &[last])?;
    let over_rows = |b: &mut Builder, statistic: NodeId| b.spread(statistic, &shape, &[last]);
    let centred = moments.centred(b, x, &over_rows)?;
    let mut y = normalised(b, centred, moments.variance, context.config.number("epsilon"), &over_rows)?;
    if context.config.bool("affine") {
        let (weight, bias) = (context.tensor(0, dtype)?, context.tensor(1, dtype)?);
        let b = &mut *context.builder;
        let (weight, bias) = (along(b, weight, &shape, &[last])?, along(b, bias, &shape, &[last])?);
        let scaled = b.binary(BinaryOp::Mul, y, weight)?;
        y = b.binary(BinaryOp::Add, scaled, bias)?;
    }
    let y = context.builder.cast(y, own)?;
    context.origin(y, last, "features");
    Ok(y)
}
