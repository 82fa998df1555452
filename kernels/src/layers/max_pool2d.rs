//! `MaxPool2d`: the largest element of each window.

use super::checks::positive_pair;
use super::conv2d::{misfit, renamed};
use super::{Config, ConfigKey, ConfigKind, Context, Layer};
use crate::graph::{ConvGeometry, NodeId};
use crate::ops;
use crate::span::{Diagnostic, Result};

pub(super) static MAX_POOL2D: Layer = Layer {
    name: "MaxPool2d",
    doc: "The largest element of each window: `x [n, c, h, w] -> [n, c, oh, ow]`, `oh = floor((h + 2 padding - \
          dilation (kernel - 1) - 1) / stride) + 1`. Padding counts as -inf, NaN wins, and the gradient goes to the \
          first of equal elements: to none of `x` if that is in the padding, where all that the window has of `x` is -inf.",
    config: &[
        ConfigKey::required("kernel", ConfigKind::Pair, "size of the window in elements"),
        ConfigKey::pair("stride", 0, "step between windows, in elements; 0: the window's size"),
        ConfigKey::pair("padding", 0, "elements added on either side, at most half a window"),
        ConfigKey::pair("dilation", 1, "step between a window's elements"),
    ],
    check,
    tensors: |_| Vec::new(),
    inputs: 1,
    forward,
};

fn check(config: &Config) -> Result<()> {
    positive_pair("MaxPool2d", config, "kernel")?;
    positive_pair("MaxPool2d", config, "dilation")?;
    check_padding("MaxPool2d", config, config.pair("dilation"))
}

/// An error if a window could lie in the padding alone.
pub(super) fn check_padding(layer: &str, config: &Config, dilation: [u64; 2]) -> Result<()> {
    let (kernel, padding) = (config.pair("kernel"), config.pair("padding"));
    let reach = [0, 1].map(|axis: usize| dilation[axis] * (kernel[axis] - 1) + 1);
    if let Some(axis) = (0..2).find(|axis| 2 * padding[*axis] > reach[*axis]) {
        let most = [0, 1].map(|axis: usize| padding[axis].min(reach[axis] / 2));
        let most = if most[0] == most[1] { most[0].to_string() } else { format!("({}, {})", most[0], most[1]) };
        return Err(Diagnostic::new(format!(
            "`padding` of `{layer}` must be at most half the window, found {} for a window of {}",
            padding[axis], reach[axis]
        ))
        .hint(format!("write `padding = {most}`")));
    }
    Ok(())
}

/// The stride of a pooling layer: the window's size where none was given.
pub(super) fn pool_stride(config: &Config) -> [u64; 2] {
    let (kernel, stride) = (config.pair("kernel"), config.pair("stride"));
    [0, 1].map(|axis| if stride[axis] == 0 { kernel[axis] } else { stride[axis] })
}

fn forward(context: &mut Context<'_>, inputs: &[NodeId]) -> Result<NodeId> {
    let x = inputs[0];
    context.float(x)?;
    context.rank(x, |rank| rank == 4, "[n, c, h, w]")?;
    let config = context.config;
    let geometry = ConvGeometry {
        stride: pool_stride(config),
        padding: config.pair("padding"),
        dilation: config.pair("dilation"),
        groups: 1,
    };
    let kernel = config.pair("kernel");
    let y = ops::convolution::max_pool2d(context.builder, "max_pool2d", x, kernel, geometry)
        .map_err(|error| misfit(renamed(error, "max_pool2d", context.name), config))?;
    ops::convolution::note_windows(context.builder, context.name, (x, y), kernel, &geometry);
    Ok(y)
}
