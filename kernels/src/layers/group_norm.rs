//! `GroupNorm`: normalisation over groups of channels of each sample (Wu, He 2018); with a group for each channel `InstanceNorm`
//! (Ulyanov, Vedaldi, Lempitsky 2016).

use super::checks::{divides_features, part_of_features, positive_epsilon};
use super::norm::{normalised, weight_and_bias};
use super::{ConfigKey, Context, Layer};
use crate::dim::{Dim, Shape};
use crate::graph::build::Builder;
use crate::graph::{BinaryOp, NodeId};
use crate::ops::{Moments, along};
use crate::span::Result;

pub(super) static GROUP_NORM: Layer = Layer {
    name: "GroupNorm",
    doc: "`(x - mean) / sqrt(variance + epsilon) * weight + bias` for each sample and each group of `features / groups` channels (axis \
          1) of `x [n, features, ..]`, the variance being the population's. With `groups = features` it is PyTorch's `InstanceNorm`. \
          Weight starts at 1, bias at 0.",
    config: &[
        ConfigKey::size("features", "channels"),
        ConfigKey::fixed("groups", "groups of channels; divides `features`"),
        ConfigKey::number("epsilon", 1e-5, "added to the variance"),
        ConfigKey::bool("affine", true, "whether weight and bias are learned"),
    ],
    check: |config| {
        positive_epsilon("GroupNorm", config)?;
        divides_features("GroupNorm", "groups", "group", config)
    },
    tensors: weight_and_bias,
    inputs: 1,
    forward,
};

fn forward(context: &mut Context<'_>, inputs: &[NodeId]) -> Result<NodeId> {
    let x = inputs[0];
    let own = context.float(x)?;
    let dtype = own.compute();
    context.rank(x, |rank| rank >= 2, "[n, features, ..]")?;
    context.expect(x, 1, "features", "channels")?;
    let x = context.computed(x)?;
    let shape = context.builder.shape(x).clone();
    // `check` has seen that it is whole.
    let width = part_of_features(context.config, "groups").unwrap_or_default();
    let groups = Dim::constant(context.config.count("groups") as i64);
    let b = &mut *context.builder;
    // [n, groups, width, ..]
    let mut apart = vec![shape[0].clone(), groups, width];
    apart.extend_from_slice(&shape.0[2..]);
    let apart = Shape(apart);
    let axes: Vec<usize> = (2..apart.rank()).collect();
    let grouped = b.reshape(x, apart.clone())?;
    let moments = Moments::of(b, grouped, &axes)?;
    let over_groups = |b: &mut Builder, statistic: NodeId| b.spread(statistic, &apart, &axes);
    let centred = moments.centred(b, grouped, &over_groups)?;
    let y = normalised(b, centred, moments.variance, context.config.number("epsilon"), &over_groups)?;
    let mut y = b.reshape(y, shape.clone())?;
    if context.config.bool("affine") {
        let (weight, bias) = (context.tensor(0, dtype)?, context.tensor(1, dtype)?);
        let b = &mut *context.builder;
        let (weight, bias) = (along(b, weight, &shape, &[1])?, along(b, bias, &shape, &[1])?);
        let scaled = b.binary(BinaryOp::Mul, y, weight)?;
        y = b.binary(BinaryOp::Add, scaled, bias)?;
    }
    let y = context.builder.cast(y, own)?;
    context.origin(y, 1, "features");
    Ok(y)
}
