//! Transposed convolution: the gradient of a convolution in its input, as an operation of its own.

use super::args::{self, Args, X, arg, float, tensor_arg};
use super::convolution::{count, pair};
use super::convolution1d::{line_geometry, rows};
use super::shape::{pad, squeeze};
use super::{ArgKind, Operation, Value};
use crate::dim::{Dim, Shape};
use crate::graph::build::Builder;
use crate::graph::{ConvGeometry, NodeId};
use crate::span::{Diagnostic, Result};

pub(super) const OPERATIONS: &[Operation] = &[
    Operation {
        name: "conv_transpose1d",
        doc: "`conv_transpose2d` of `x [n, c, l]` with `weight [c, o/groups, k]`: `-> [n, o, ol]`",
        args: &[
            X,
            tensor_arg("weight"),
            arg("stride", ArgKind::Size),
            arg("padding", ArgKind::Size),
            arg("output_padding", ArgKind::Size),
            arg("dilation", ArgKind::Size),
            arg("groups", ArgKind::Size),
        ],
        build: |b, a| {
            const OP: &str = "conv_transpose1d";
            let groups = count(OP, "groups", &a.size(6)?)?;
            let geometry = line_geometry(OP, a, [Some(2), Some(3), Some(5)], groups)?;
            let more = [0, count(OP, "output_padding", &a.size(4)?)?];
            let [x, weight] = rows(b, OP, [a.tensor(0)?, a.tensor(1)?])?;
            let y = conv_transpose2d(b, OP, [x, weight], more, geometry)?;
            squeeze(b, y, 2)
        },
    },
    Operation {
        name: "conv_transpose2d",
        doc: "what `conv2d` of the same weight has as its gradient: `x [n, c, h, w]`, `weight [c, o/groups, kh, kw]`; numbers are \
              one integer or `[height, width]`; `-> [n, o, oh, ow]`, \
              `oh = (h - 1) stride - 2 padding + dilation (kh - 1) + output_padding + 1`",
        args: &[
            X,
            tensor_arg("weight"),
            arg("stride", ArgKind::Sizes),
            arg("padding", ArgKind::Sizes),
            arg("output_padding", ArgKind::Sizes),
            arg("dilation", ArgKind::Sizes),
            arg("groups", ArgKind::Size),
        ],
        build: |b, a| {
            const OP: &str = "conv_transpose2d";
            let geometry = ConvGeometry {
                stride: pair(OP, "stride", a, 2)?,
                padding: pair(OP, "padding", a, 3)?,
                dilation: pair(OP, "dilation", a, 5)?,
                groups: count(OP, "groups", &a.size(6)?)?,
            };
            conv_transpose2d(b, OP, [a.tensor(0)?, a.tensor(1)?], pair(OP, "output_padding", a, 4)?, geometry)
        },
    },
];

/// See the table; `more` is the output's padding.
pub(crate) fn conv_transpose2d(
    b: &mut Builder,
    op: &str,
    [x, weight]: [NodeId; 2],
    more: [u64; 2],
    geometry: ConvGeometry,
) -> Result<NodeId> {
    let dtype = float(b, op, x)?;
    let (source, kernel) = (b.shape(x).clone(), b.shape(weight).clone());
    let sizes: Option<Vec<i64>> = kernel.0.iter().skip(1).map(Dim::as_constant).collect();
    let (4, 4, Some([outputs, height, width])) = (source.rank(), kernel.rank(), sizes.as_deref()) else {
        let problem = Diagnostic::new(format!(
            "`{op}` expects an image [n, c, h, w] and a weight [c, o/groups, kh, kw] of constant sizes, found {source} and {kernel}"
        ));
        let size = kernel.0.iter().skip(1).find(|size| size.as_constant().is_none());
        return Err(match size.filter(|_| source.rank() == 4 && kernel.rank() == 4) {
            Some(size) => problem.needs_number(size),
            None => problem,
        });
    };
    if b.dtype(weight) != dtype {
        let found = b.dtype(weight);
        return Err(Diagnostic::new(format!("`{op}` of {dtype} expects a weight of the same type, found {found}"))
            .hint(format!("convert it: `{}`", args::cast_to(dtype))));
    }
    let mut x = x;
    let signed = |value: u64| i64::try_from(value).unwrap_or(i64::MAX);
    let mut shape = vec![source[0].clone(), Dim::constant(outputs.saturating_mul(signed(geometry.groups)))];
    for (axis, kernel) in [height, width].into_iter().enumerate() {
        let (stride, dilation) = (geometry.stride[axis], geometry.dilation[axis]);
        if stride == 0 || dilation == 0 || *kernel < 1 {
            return Err(Diagnostic::new(format!(
                "`{op}` expects strides, dilations and kernels of at least 1, found 0"
            )));
        }
        if more[axis] >= stride.max(dilation) {
            return Err(Diagnostic::new(format!(
                "`{op}` expects an `output_padding` below the stride or the dilation, found {} with {stride} and {dilation}",
                more[axis]
            )));
        }
        let reach =
            signed(dilation).saturating_mul(kernel - 1) + signed(more[axis]) + 1 - 2 * signed(geometry.padding[axis]);
        let size = (source[2 + axis].clone() - Dim::constant(1)) * Dim::constant(signed(stride)) + Dim::constant(reach);
        if size.as_constant().is_some_and(|size| size < 1) {
            return Err(Diagnostic::new(format!(
                "`{op}` leaves nothing of axis {} of {source}: with a padding of {} its size is {size}",
                2 + axis,
                geometry.padding[axis]
            )));
        }
        shape.push(size);
        // As many zeros behind the image give the output as many more elements; only less than one step is what a convolution leaves
        // out.
        let steps = Dim::constant(signed(more[axis] / stride));
        x = pad(b, x, 2 + axis, [&Dim::constant(0), &steps], &Value::Number(0.0))?;
    }
    b.conv2d_input_grad(x, weight, &Shape(shape), geometry)
}
