//! `GroupNorm`: normalisation over groups of channels of each sample (Wu, He 2018); with a group for each channel `InstanceNorm`
//! (Ulyanov, Vedaldi, Lempitsky 2016).

use super::checks::{divisor, positive_epsilon};
use super::norm::normalised;
use super::{Config, ConfigKey, Context, Init, Layer, TensorSpec};
use crate::dim::{Dim, Shape};
use crate::graph::build::Builder;
use crate::graph::{BinaryOp, NodeId};
use crate::ops::{Moments, along, spread};
use crate::span::{Diagnostic, Result};

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
    check,
    tensors,
    inputs: 1,
    forward,
};

fn check(config: &Config) -> Result<()> {
    positive_epsilon("GroupNorm", config)?;
    let (features, groups) = (config.size("features"), config.count("groups"));
    if width(config).is_some() {
        return Ok(());
    }
    let problem = Diagnostic::new(format!(
        "`groups` of `GroupNorm` must divide `features`, found `groups = {groups}` and `features = {features}`"
    ));
    Err(match features.as_constant().and_then(|features| u64::try_from(features).ok()) {
        Some(features) => problem.hint(format!("write `groups = {}`", divisor(groups, &[features]))),
        None => problem.hint(format!("write `features = {{ {groups} * WIDTH }}`, where `WIDTH` is that of a group")),
    })
}

/// Channels of one group: `features / groups`, where that can be seen to be whole.
fn width(config: &Config) -> Option<Dim> {
    config.size("features").exact_div(&Dim::constant(config.count("groups") as i64))
}

fn tensors(config: &Config) -> Vec<TensorSpec<Dim>> {
    let features = [config.size("features")];
    if !config.bool("affine") {
        return Vec::new();
    }
    vec![
        TensorSpec::parameter("weight", &features, Init::Constant(1.0)),
        TensorSpec::parameter("bias", &features, Init::Constant(0.0)),
    ]
}

fn forward(context: &mut Context<'_>, inputs: &[NodeId]) -> Result<NodeId> {
    let x = inputs[0];
    let own = context.float(x)?;
    let dtype = own.compute();
    context.rank(x, |rank| rank >= 2, "[n, features, ..]")?;
    context.expect(x, 1, "features", "channels")?;
    let x = context.computed(x)?;
    let shape = context.builder.shape(x).clone();
    // `check` has seen that it is whole.
    let width = width(context.config).unwrap_or_default();
    let groups = Dim::constant(context.config.count("groups") as i64);
    let b = &mut *context.builder;
    // [n, groups, width, ..]
    let mut apart = vec![shape[0].clone(), groups, width];
    apart.extend_from_slice(&shape.0[2..]);
    let apart = Shape(apart);
    let axes: Vec<usize> = (2..apart.rank()).collect();
    let grouped = b.reshape(x, apart.clone())?;
    let moments = Moments::of(b, grouped, &axes)?;
    let over_groups = |b: &mut Builder, statistic: NodeId| spread(b, statistic, &apart, &axes);
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
