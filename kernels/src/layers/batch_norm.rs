//! `BatchNorm`: normalisation of each channel over the batch (Ioffe, Szegedy 2015).

use super::checks::positive_epsilon;
use super::norm::{normalised, weight_and_bias};
use super::{Config, ConfigKey, Context, Layer, Mode, TensorSpec};
use crate::dim::Dim;
use crate::dtype::DType;
use crate::graph::build::Builder;
use crate::graph::{Batch, BinaryOp, NodeId};
use crate::ops::{Moments, along};
use crate::span::{Diagnostic, Result};

pub(super) static BATCH_NORM: Layer = Layer {
    name: "BatchNorm",
    doc: "`(x - mean) / sqrt(variance + epsilon) * weight + bias` for each channel (axis 1) of `x [n, features]` or \
          `[n, features, h, w]`. In training mean and variance (population) are the batch's, and the running ones \
          become `(1 - momentum) * running + momentum * batch`, the batch's variance there being that of a sample, \
          for which a channel must have more than one element; in inference the running ones are used. Weight starts at 1, bias at 0, running mean at 0, running variance at 1.",
    config: &[
        ConfigKey::size("features", "channels"),
        ConfigKey::number("epsilon", 1e-5, "added to the variance"),
        ConfigKey::number("momentum", 0.1, "weight of the batch in the running statistics, 0 to 1"),
        ConfigKey::bool("affine", true, "whether weight and bias are learned"),
    ],
    check,
    tensors,
    inputs: 1,
    forward,
};

fn check(config: &Config) -> Result<()> {
    positive_epsilon("BatchNorm", config)?;
    let momentum = config.number("momentum");
    if !(0.0..=1.0).contains(&momentum) {
        return Err(Diagnostic::new(format!("`momentum` of `BatchNorm` must be within 0 and 1, found {momentum}")));
    }
    Ok(())
}

fn tensors(config: &Config) -> Vec<TensorSpec<Dim>> {
    let features = [config.size("features")];
    let mut tensors =
        vec![TensorSpec::state("running_mean", &features, 0.0), TensorSpec::state("running_var", &features, 1.0)];
    tensors.extend(weight_and_bias(config));
    tensors
}

fn forward(context: &mut Context<'_>, inputs: &[NodeId]) -> Result<NodeId> {
    let x = inputs[0];
    let own = context.float(x)?;
    let dtype = own.compute();
    context.rank(x, |rank| rank == 2 || rank == 4, "[n, features] or [n, features, h, w]")?;
    context.expect(x, 1, "features", "channels")?;
    let x = context.computed(x)?;
    let shape = context.builder.shape(x).clone();
    let channel = |b: &mut Builder, statistic: NodeId| along(b, statistic, &shape, &[1]);
    let (centred, variance) = match context.mode {
        Mode::Inference => {
            let (mean, variance) = (context.tensor(0, dtype)?, context.tensor(1, dtype)?);
            let mean = channel(context.builder, mean)?;
            (context.builder.binary(BinaryOp::Sub, x, mean)?, variance)
        }
        Mode::Training => {
            let axes: Vec<usize> = (0..shape.rank()).filter(|&axis| axis != 1).collect();
            let batch = Batch { layer: context.name.to_owned(), shape: shape.clone() };
            let count = batch.count();
            context.builder.require_batch(batch)?;
            let moments = Moments::of(context.builder, x, &axes)?;
            let mean = context.builder.binary(BinaryOp::Add, moments.mean, moments.residual)?;
            update(context, mean, moments.variance, &count)?;
            (moments.centred(context.builder, x, &channel)?, moments.variance)
        }
    };
    let b = &mut *context.builder;
    let mut y = normalised(b, centred, variance, context.config.number("epsilon"), &channel)?;
    if context.config.bool("affine") {
        let (weight, bias) = (context.tensor(2, dtype)?, context.tensor(3, dtype)?);
        let b = &mut *context.builder;
        let (weight, bias) = (channel(b, weight)?, channel(b, bias)?);
        let scaled = b.binary(BinaryOp::Mul, y, weight)?;
        y = b.binary(BinaryOp::Add, scaled, bias)?;
    }
    let y = context.builder.cast(y, own)?;
    context.origin(y, 1, "features");
    Ok(y)
}

/// The new running statistics. The running variance takes the sample's variance, `n / (n - 1)` times the population's.
fn update(context: &mut Context<'_>, mean: NodeId, variance: NodeId, count: &Dim) -> Result<()> {
    let momentum = context.config.number("momentum");
    let state = context.builder.dtype(context.tensors[0]);
    let b = &mut *context.builder;
    let mean = b.cast(mean, state)?;
    let variance = b.cast(variance, state)?;
    let sample = match count.as_constant() {
        Some(count) => {
            let ratio = b.constant(count as f64 / (count as f64 - 1.0), state);
            b.binary(BinaryOp::Mul, variance, ratio)?
        }
        None => {
            let one = b.constant(1.0, state);
            let count = b.dim(count, state)?;
            let fewer = b.binary(BinaryOp::Sub, count, one)?;
            let total = b.binary(BinaryOp::Mul, variance, count)?;
            b.binary(BinaryOp::Div, total, fewer)?
        }
    };
    for (position, batch) in [(0, mean), (1, sample)] {
        let new = blend(context.builder, context.tensors[position], batch, momentum, state)?;
        // Statistics are no way for gradients.
        let new = context.builder.detach(new);
        context.updates.push((position, new));
    }
    Ok(())
}

/// `(1 - momentum) * running + momentum * batch`.
fn blend(b: &mut Builder, running: NodeId, batch: NodeId, momentum: f64, dtype: DType) -> Result<NodeId> {
    let (keep, take) = (b.constant(1.0 - momentum, dtype), b.constant(momentum, dtype));
    let kept = b.binary(BinaryOp::Mul, running, keep)?;
    let taken = b.binary(BinaryOp::Mul, batch, take)?;
    b.binary(BinaryOp::Add, kept, taken)
}
