//! `Linear`: a learned affine map of the last axis.

use super::checks::unchecked;
use super::tensors::fan_in;
use super::{Config, ConfigKey, Context, Layer, TensorSpec};
use crate::dim::Dim;
use crate::graph::NodeId;
use crate::ops;
use crate::span::Result;

pub(super) static LINEAR: Layer = Layer {
    name: "Linear",
    doc: "`y = x . weight + bias` for `x [.., inputs]`, `-> [.., outputs]`. The weight is stored `[inputs, outputs]`, so \
          that the product is a plain row-major one (PyTorch stores its transpose). Weight and bias start uniform \
          within `1 / sqrt(inputs)`.",
    config: &[
        ConfigKey::size("inputs", "features of the input's last axis"),
        ConfigKey::size("outputs", "features of the output's last axis"),
        ConfigKey::bool("bias", true, "whether a bias is added"),
    ],
    check: unchecked,
    tensors,
    inputs: 1,
    forward,
};

fn tensors(config: &Config) -> Vec<TensorSpec<Dim>> {
    let (inputs, outputs) = (config.size("inputs"), config.size("outputs"));
    let mut tensors = vec![TensorSpec::parameter("weight", &[inputs.clone(), outputs.clone()], fan_in(inputs.clone()))];
    if config.bool("bias") {
        tensors.push(TensorSpec::parameter("bias", &[outputs], fan_in(inputs)));
    }
    tensors
}

fn forward(context: &mut Context<'_>, inputs: &[NodeId]) -> Result<NodeId> {
    let x = inputs[0];
    let dtype = context.float(x)?;
    context.rank(x, |rank| rank > 0, "[.., inputs]")?;
    let last = context.builder.shape(x).rank() - 1;
    context.expect(x, last, "inputs", "features")?;
    let weight = context.tensor(0, dtype)?;
    let bias = if context.config.bool("bias") { Some(context.tensor(1, dtype)?) } else { None };
    let y = ops::linear::linear(context.builder, x, weight, bias)?;
    context.origin(y, last, "outputs");
    Ok(y)
}
