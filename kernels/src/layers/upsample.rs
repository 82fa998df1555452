//! `Upsample`: images a whole number of times as large.

use super::checks::positive_pair;
use super::conv2d::renamed;
use super::{Config, ConfigKey, ConfigKind, Context, Layer};
use crate::graph::NodeId;
use crate::ops::upsample::{note_scale, upsample_bilinear2d, upsample_nearest2d};
use crate::span::Result;

pub(super) static UPSAMPLE: Layer = Layer {
    name: "Upsample",
    doc: "Images that are larger: `x [n, c, h, w] -> [n, c, h * scale, w * scale]`. Each pixel becomes a block, or, where it is \
          `bilinear`, the block's pixels lie on straight lines between the centres of neighbours (PyTorch's \
          `align_corners=False`).",
    config: &[
        ConfigKey::required("scale", ConfigKind::Pair, "how many times as high and as wide"),
        ConfigKey::bool("bilinear", false, "whether pixels are interpolated, and not repeated"),
    ],
    check,
    tensors: |_| Vec::new(),
    inputs: 1,
    forward,
};

fn check(config: &Config) -> Result<()> {
    positive_pair("Upsample", config, "scale")
}

fn forward(context: &mut Context<'_>, inputs: &[NodeId]) -> Result<NodeId> {
    let x = inputs[0];
    context.float(x)?;
    context.rank(x, |rank| rank == 4, "[n, c, h, w]")?;
    let scale = context.config.pair("scale");
    let y = match context.config.bool("bilinear") {
        true => upsample_bilinear2d(context.builder, x, scale)
            .map_err(|error| renamed(error, "upsample_bilinear2d", context.name)),
        false => upsample_nearest2d(context.builder, x, scale)
            .map_err(|error| renamed(error, "upsample_nearest2d", context.name)),
    }?;
    note_scale(context.builder, context.name, (x, y), scale);
    Ok(y)
}
