//! `AvgPool2d`: the mean of each window.

use super::checks::positive_pair;
use super::conv2d::{misfit, renamed};
use super::max_pool2d::{check_padding, pool_stride};
use super::{Config, ConfigKey, ConfigKind, Context, Layer};
use crate::graph::{ConvGeometry, NodeId};
use crate::ops;
use crate::span::Result;

pub(super) static AVG_POOL2D: Layer = Layer {
    name: "AvgPool2d",
    doc: "The mean of each window: `x [n, c, h, w] -> [n, c, oh, ow]`, `oh = floor((h + 2 padding - kernel) / stride) \
          + 1`. Padding counts as zeros, which are part of the mean (PyTorch's `count_include_pad`).",
    config: &[
        ConfigKey::required("kernel", ConfigKind::Pair, "size of the window in elements"),
        ConfigKey::pair("stride", 0, "step between windows, in elements; 0: the window's size"),
        ConfigKey::pair("padding", 0, "zeros added on either side, at most half a window"),
    ],
    check,
    tensors: |_| Vec::new(),
    inputs: 1,
    forward,
};

fn check(config: &Config) -> Result<()> {
    positive_pair("AvgPool2d", config, "kernel")?;
    check_padding("AvgPool2d", config, [1, 1])
}

fn forward(context: &mut Context<'_>, inputs: &[NodeId]) -> Result<NodeId> {
    let x = inputs[0];
    context.float(x)?;
    context.rank(x, |rank| rank == 4, "[n, c, h, w]")?;
    let config = context.config;
    let geometry =
        ConvGeometry { stride: pool_stride(config), padding: config.pair("padding"), ..ConvGeometry::default() };
    let kernel = config.pair("kernel");
    let y = ops::convolution::avg_pool2d(context.builder, "avg_pool2d", x, kernel, geometry)
        .map_err(|error| misfit(renamed(error, "avg_pool2d", context.name), config))?;
    ops::convolution::note_windows(context.builder, context.name, (x, y), kernel, &geometry);
    Ok(y)
}
