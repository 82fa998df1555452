//! Convolution and pooling along one axis `[n, c, l]`, which are those of images of height 1.

use super::args::{Args, X, arg, tensor_arg};
use super::convolution::{avg_pool2d, conv2d, count, max_pool2d};
use super::shape::{squeeze, unsqueeze};
use super::{ArgKind, Operation, Value};
use crate::graph::build::Builder;
use crate::graph::{ConvGeometry, NodeId};
use crate::span::{Diagnostic, Result};

pub(super) const OPERATIONS: &[Operation] = &[
    Operation {
        name: "conv1d",
        doc: "cross-correlation of `x [n, c, l]` with `weight [o, c/groups, k]`: `-> [n, o, ol]`, sizes as in `conv2d`",
        args: &[
            X,
            tensor_arg("weight"),
            arg("stride", ArgKind::Size),
            arg("padding", ArgKind::Size),
            arg("dilation", ArgKind::Size),
            arg("groups", ArgKind::Size),
        ],
        build: |b, a| {
            let groups = count("conv1d", "groups", &a.size(5)?)?;
            let geometry = line_geometry("conv1d", a, [Some(2), Some(3), Some(4)], groups)?;
            conv1d(b, "conv1d", [a.tensor(0)?, a.tensor(1)?], geometry)
        },
    },
    Operation {
        name: "max_pool1d",
        doc: "the largest element of each window of `x [n, c, l]`; padding counts as -inf, NaN wins; sizes as in `conv2d`",
        args: &[
            X,
            arg("kernel", ArgKind::Size),
            arg("stride", ArgKind::Size),
            arg("padding", ArgKind::Size),
            arg("dilation", ArgKind::Size),
        ],
        build: |b, a| {
            let kernel = [1, count("max_pool1d", "kernel", &a.size(1)?)?];
            let geometry = line_geometry("max_pool1d", a, [Some(2), Some(3), Some(4)], 1)?;
            let [x] = rows(b, "max_pool1d", [a.tensor(0)?])?;
            let y = max_pool2d(b, "max_pool1d", x, kernel, geometry)?;
            squeeze(b, y, 2)
        },
    },
    Operation {
        name: "avg_pool1d",
        doc: "the mean of each window of `x [n, c, l]`; padding counts as zeros; sizes as in `conv2d`",
        args: &[X, arg("kernel", ArgKind::Size), arg("stride", ArgKind::Size), arg("padding", ArgKind::Size)],
        build: |b, a| {
            let kernel = [1, count("avg_pool1d", "kernel", &a.size(1)?)?];
            let geometry = line_geometry("avg_pool1d", a, [Some(2), Some(3), None], 1)?;
            let [x] = rows(b, "avg_pool1d", [a.tensor(0)?])?;
            let y = avg_pool2d(b, "avg_pool1d", x, kernel, geometry)?;
            squeeze(b, y, 2)
        },
    },
];

/// Cross-correlation of `x [n, c, l]` with `weight [o, c/groups, k]`: the geometry's second axis.
pub(crate) fn conv1d(b: &mut Builder, op: &str, [x, weight]: [NodeId; 2], geometry: ConvGeometry) -> Result<NodeId> {
    let [x, weight] = rows(b, op, [x, weight])?;
    let y = conv2d(b, op, [x, weight], None, geometry)?;
    squeeze(b, y, 2)
}

/// The geometry along one axis, from the arguments at these positions; what has none is as usual.
pub(super) fn line_geometry(
    op: &str,
    a: &[Value],
    [stride, padding, dilation]: [Option<usize>; 3],
    groups: u64,
) -> Result<ConvGeometry> {
    let number = |name, at: Option<usize>, usual| at.map_or(Ok(usual), |at| count(op, name, &a.size(at)?));
    Ok(ConvGeometry {
        stride: [1, number("stride", stride, 1)?],
        padding: [0, number("padding", padding, 0)?],
        dilation: [1, number("dilation", dilation, 1)?],
        groups,
    })
}

/// `[a, b, l]` as images `[a, b, 1, l]`.
pub(super) fn rows<const N: usize>(b: &mut Builder, op: &str, of: [NodeId; N]) -> Result<[NodeId; N]> {
    let mut images = of;
    for (image, axes) in images.iter_mut().zip(["a tensor [n, c, l]", "a weight [o, c, k]"]) {
        if b.shape(*image).rank() != 3 {
            return Err(Diagnostic::new(format!("`{op}` expects {axes}, found {}", b.shape(*image))));
        }
        *image = unsqueeze(b, *image, 2)?;
    }
    Ok(images)
}
