//! `ConvTranspose2d`: a learned convolution that makes images larger.

use super::checks::positive_pair;
use super::conv2d::{GROUPS, check_channels, each, renamed, weight_and_bias};
use super::tensors::fan_in;
use super::{Config, ConfigKey, ConfigKind, Context, Layer, TensorSpec};
use crate::dim::Dim;
use crate::graph::{ConvGeometry, NodeId};
use crate::ops;
use crate::span::Result;

pub(super) static CONV_TRANSPOSE2D: Layer = Layer {
    name: "ConvTranspose2d",
    doc: "Transposed convolution, the gradient of a `Conv2d` in its input, and a bias for each output channel: \
          `x [n, inputs, h, w] -> [n, outputs, oh, ow]`, \
          `oh = (h - 1) stride - 2 padding + dilation (kernel - 1) + output_padding + 1`. Weight \
          `[inputs, outputs / groups, kh, kw]`. Weight and bias start uniform within `1 / sqrt(outputs / groups * kh * kw)`.",
    config: &[
        ConfigKey::size("inputs", "channels of the input"),
        ConfigKey::size("outputs", "channels of the output"),
        ConfigKey::required("kernel", ConfigKind::Pair, "size of the kernel in elements"),
        ConfigKey::pair("stride", 1, "step between the kernel's places in the output, in elements"),
        ConfigKey::pair("padding", 0, "elements left out on either side of the output"),
        ConfigKey::pair(
            "output_padding",
            0,
            "elements added on one side of the output; below the stride or the dilation",
        ),
        ConfigKey::pair("dilation", 1, "step between kernel taps, in output elements"),
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
        positive_pair("ConvTranspose2d", config, key)?;
    }
    check_channels("ConvTranspose2d", config, config.pair("kernel"))
}

fn tensors(config: &Config) -> Vec<TensorSpec<Dim>> {
    let [height, width] = config.pair("kernel").map(|size| Dim::constant(size as i64));
    // `check` has seen that the channels are whole.
    let channels = each(config, "outputs").unwrap_or_default();
    let init = fan_in(channels.clone() * height.clone() * width.clone());
    weight_and_bias(config, &[config.size("inputs"), channels, height, width], init)
}

fn forward(context: &mut Context<'_>, inputs: &[NodeId]) -> Result<NodeId> {
    let x = inputs[0];
    let dtype = context.float(x)?;
    context.rank(x, |rank| rank == 4, "[n, inputs, h, w]")?;
    context.expect(x, 1, "inputs", "channels")?;
    let geometry = ConvGeometry {
        stride: context.config.pair("stride"),
        padding: context.config.pair("padding"),
        dilation: context.config.pair("dilation"),
        groups: context.config.count("groups"),
    };
    let more = context.config.pair("output_padding");
    let weight = context.tensor(0, dtype)?;
    let bias = if context.config.bool("bias") { Some(context.tensor(1, dtype)?) } else { None };
    let y = ops::transposed::conv_transpose2d(context.builder, "conv_transpose2d", [x, weight], more, geometry)
        .map_err(|error| renamed(error, "conv_transpose2d", context.name))?;
    let y = ops::convolution::with_bias(context.builder, y, bias)?;
    context.origin(y, 1, "outputs");
    Ok(y)
}
