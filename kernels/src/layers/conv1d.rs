//! `Conv1d`: a learned cross-correlation along one axis.

use super::checks::positive_count;
use super::conv2d::{GROUPS, check_channels, each, renamed, weight_and_bias};
use super::tensors::fan_in;
use super::{Config, ConfigKey, Context, Layer, TensorSpec};
use crate::dim::Dim;
use crate::graph::{ConvGeometry, NodeId};
use crate::ops;
use crate::span::Result;

pub(super) static CONV1D: Layer = Layer {
    name: "Conv1d",
    doc: "Cross-correlation along one axis with learned kernels and a bias for each output channel: `x [n, inputs, l] -> \
          [n, outputs, ol]`, sizes as in `Conv2d`. Weight `[outputs, inputs / groups, kernel]`. Weight and bias start uniform \
          within `1 / sqrt(inputs / groups * kernel)`.",
    config: &[
        ConfigKey::size("inputs", "channels of the input"),
        ConfigKey::size("outputs", "channels of the output"),
        ConfigKey::fixed("kernel", "size of the kernel in elements"),
        ConfigKey::step("stride", 1, "step between output positions, in input elements"),
        ConfigKey::count("padding", 0, "zeros added at either end, in input elements"),
        ConfigKey::step("dilation", 1, "step between kernel taps, in input elements"),
        GROUPS,
        ConfigKey::bool("bias", true, "whether a bias is added"),
    ],
    check,
    tensors,
    inputs: 1,
    forward,
};

fn check(config: &Config) -> Result<()> {
    for key in ["kernel", "stride", "dilation"] {
        positive_count("Conv1d", config, key)?;
    }
    check_channels("Conv1d", config, [1, config.count("kernel")])
}

fn tensors(config: &Config) -> Vec<TensorSpec<Dim>> {
    let kernel = Dim::constant(config.count("kernel") as i64);
    // `check` has seen that the channels are whole.
    let channels = each(config, "inputs").unwrap_or_default();
    let init = fan_in(channels.clone() * kernel.clone());
    weight_and_bias(config, &[config.size("outputs"), channels, kernel], init)
}

fn forward(context: &mut Context<'_>, inputs: &[NodeId]) -> Result<NodeId> {
    let x = inputs[0];
    let dtype = context.float(x)?;
    context.rank(x, |rank| rank == 3, "[n, inputs, l]")?;
    context.expect(x, 1, "inputs", "channels")?;
    let [stride, padding, dilation, groups] =
        ["stride", "padding", "dilation", "groups"].map(|key| context.config.count(key));
    let geometry = ConvGeometry { stride: [1, stride], padding: [0, padding], dilation: [1, dilation], groups };
    let weight = context.tensor(0, dtype)?;
    let bias = if context.config.bool("bias") { Some(context.tensor(1, dtype)?) } else { None };
    let y = ops::convolution1d::conv1d(context.builder, "conv1d", [x, weight], geometry)
        .map_err(|error| renamed(error, "conv1d", context.name))?;
    let y = ops::convolution::with_bias(context.builder, y, bias)?;
    context.origin(y, 1, "outputs");
    Ok(y)
}
