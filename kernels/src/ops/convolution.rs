//! Two-dimensional convolution and pooling over `[n, c, h, w]`, as PyTorch defines them.

use super::args::{Args, X, along, arg, float, tensor_arg};
use super::shape::inside;
use super::{ArgKind, ArgSpec, Operation, Value};
use crate::dim::{Dim, Shape};
use crate::graph::build::{Builder, window_count};
use crate::graph::{AxisIndex, BinaryOp, ConvGeometry, NodeId, Origin, ReduceOp, Window};
use crate::span::{Diagnostic, Result};

/// What a convolution takes, of windows of several axes.
pub(super) const CONVOLVED: &[ArgSpec] = &[
    X,
    tensor_arg("weight"),
    arg("stride", ArgKind::Sizes),
    arg("padding", ArgKind::Sizes),
    arg("dilation", ArgKind::Sizes),
    arg("groups", ArgKind::Size),
];

pub(super) const OPERATIONS: &[Operation] = &[
    Operation {
        name: "conv2d",
        doc: "cross-correlation of `x [n, c, h, w]` with `weight [o, c/groups, kh, kw]`; stride, padding and dilation \
              are one integer or `[height, width]`; `-> [n, o, oh, ow]`, \
              `oh = floor((h + 2 padding - dilation (kh - 1) - 1) / stride) + 1`",
        args: CONVOLVED,
        build: |b, a| {
            let geometry = ConvGeometry {
                stride: pair("conv2d", "stride", a, 2)?,
                padding: pair("conv2d", "padding", a, 3)?,
                dilation: pair("conv2d", "dilation", a, 4)?,
                groups: count("conv2d", "groups", &a.size(5)?)?,
            };
            conv2d(b, "conv2d", [a.tensor(0)?, a.tensor(1)?], None, geometry)
        },
    },
    Operation {
        name: "max_pool2d",
        doc: "the largest element of each window of `x [n, c, h, w]`; padding counts as -inf, NaN wins; \
              sizes as in `conv2d`",
        args: &[
            X,
            arg("kernel", ArgKind::Sizes),
            arg("stride", ArgKind::Sizes),
            arg("padding", ArgKind::Sizes),
            arg("dilation", ArgKind::Sizes),
        ],
        build: |b, a| {
            let kernel = pair("max_pool2d", "kernel", a, 1)?;
            let geometry = ConvGeometry {
                stride: pair("max_pool2d", "stride", a, 2)?,
                padding: pair("max_pool2d", "padding", a, 3)?,
                dilation: pair("max_pool2d", "dilation", a, 4)?,
                groups: 1,
            };
            max_pool2d(b, "max_pool2d", a.tensor(0)?, kernel, geometry)
        },
    },
    Operation {
        name: "avg_pool2d",
        doc: "the mean of each window of `x [n, c, h, w]`; padding counts as zeros; sizes as in `conv2d`",
        args: &[X, arg("kernel", ArgKind::Sizes), arg("stride", ArgKind::Sizes), arg("padding", ArgKind::Sizes)],
        build: |b, a| {
            let kernel = pair("avg_pool2d", "kernel", a, 1)?;
            let geometry = ConvGeometry {
                stride: pair("avg_pool2d", "stride", a, 2)?,
                padding: pair("avg_pool2d", "padding", a, 3)?,
                ..ConvGeometry::default()
            };
            avg_pool2d(b, "avg_pool2d", a.tensor(0)?, kernel, geometry)
        },
    },
];

pub(super) fn count(op: &str, name: &str, dim: &Dim) -> Result<u64> {
    match dim.as_constant() {
        Some(value) if (0..=i64::from(i32::MAX)).contains(&value) => Ok(value as u64),
        Some(value) if value > 0 => {
            let most = i32::MAX;
            Err(Diagnostic::new(format!(
                "`{op}` expects an integer constant of at most {most} as `{name}`, found {dim}"
            )))
        }
        _ => Err(Diagnostic::new(format!("`{op}` expects an integer constant of at least 0 as `{name}`, found {dim}"))
            .needs_number(dim)),
    }
}

/// One integer for both axes, or `[height, width]`.
pub(super) fn pair(op: &str, name: &str, a: &[Value], position: usize) -> Result<[u64; 2]> {
    match a.sizes(position)?.as_slice() {
        [both] => Ok([count(op, name, both)?; 2]),
        [height, width] => Ok([count(op, name, height)?, count(op, name, width)?]),
        sizes => Err(Diagnostic::new(format!(
            "`{op}` expects one integer or [height, width] as `{name}`, found a list of {}",
            sizes.len()
        ))),
    }
}

/// Cross-correlation with an optional bias `[o]`.
pub fn conv2d(
    b: &mut Builder,
    op: &str,
    [x, weight]: [NodeId; 2],
    bias: Option<NodeId>,
    geometry: ConvGeometry,
) -> Result<NodeId> {
    let kernel = b.shape(weight).0.iter().skip(2).map(Dim::as_constant).collect::<Option<Vec<_>>>();
    let y = b.conv2d(x, weight, geometry)?;
    if let Some([height, width]) = kernel.as_deref() {
        for (axis, kernel) in [height, width].into_iter().enumerate() {
            let window = Window::new(&b.shape(x)[2 + axis], *kernel as u64, axis, &geometry);
            b.require_window(window);
        }
        note_windows(b, op, (x, y), [*height as u64, *width as u64], &geometry);
    }
    with_bias(b, y, bias)
}

/// `y [n, o, ..]` with an optional bias `[o]`.
pub(crate) fn with_bias(b: &mut Builder, y: NodeId, bias: Option<NodeId>) -> Result<NodeId> {
    let Some(bias) = bias else { return Ok(y) };
    let shape = b.shape(y).clone();
    let bias = along(b, bias, &shape, &[1])?;
    b.binary(BinaryOp::Add, y, bias)
}

/// Notes where the sizes of the last two axes of `y` came from: windows over those of `x`.
pub(crate) fn note_windows(
    b: &mut Builder,
    name: &str,
    (x, y): (NodeId, NodeId),
    kernel: [u64; 2],
    geometry: &ConvGeometry,
) {
    for (axis, kernel) in kernel.into_iter().enumerate() {
        let (size, stride, padding) = (&b.shape(x)[2 + axis], geometry.stride[axis], geometry.padding[axis]);
        let placed = [("stride", stride, 1), ("padding", padding, 0), ("dilation", geometry.dilation[axis], 1)];
        let unusual = placed.into_iter().filter(|(_, value, usual)| value != usual);
        let origin = Origin::Windows {
            of: name.to_string(),
            window: kernel,
            over: size.clone(),
            placed: unusual.map(|(word, value, _)| (word, value)).collect(),
        };
        // Where nothing changes, the size is the input's.
        match size == &b.shape(y)[2 + axis] && b.origin(x, 2 + axis).is_some() {
            true => crate::ops::shape::keep_origin(b, x, y, 2 + axis),
            false => b.set_origin(y, 2 + axis, origin),
        }
    }
}

/// A view `[n, c, oh, ow, kh, kw]` of the windows of `x [n, c, h, w]`, and where it is inside `x`.
struct Windows {
    elements: NodeId,
    inside: Option<NodeId>,
}

fn windows(b: &mut Builder, op: &str, x: NodeId, kernel: [u64; 2], geometry: &ConvGeometry) -> Result<Windows> {
    float(b, op, x)?;
    let source = b.shape(x).clone();
    if source.rank() != 4 {
        return Err(Diagnostic::new(format!("`{op}` expects a tensor [n, c, h, w], found {source}")));
    }
    let mut shape = source.0[..2].to_vec();
    for axis in 0..2 {
        let reach = geometry.dilation[axis].saturating_mul(kernel[axis].saturating_sub(1)).saturating_add(1);
        if 2 * geometry.padding[axis] > reach {
            return Err(Diagnostic::new(format!(
                "`{op}` expects a padding of at most half the window, found {} for a window of {reach}",
                geometry.padding[axis]
            )));
        }
        let size = &source[2 + axis];
        let positions = window_count(size, kernel[axis], axis, geometry)
            .map_err(|message| Diagnostic::new(format!("`{op}`: {message}{}", b.origin_note(x, 2 + axis))))?;
        shape.push(positions);
        b.require_window(Window::new(size, kernel[axis], axis, geometry));
    }
    shape.extend(kernel.map(|size| Dim::constant(size as i64)));
    let mut index = vec![AxisIndex::axis(0), AxisIndex::axis(1)];
    index.extend((0..2).map(|axis| AxisIndex {
        terms: vec![(2 + axis, geometry.stride[axis] as i64), (4 + axis, geometry.dilation[axis] as i64)],
        offset: Dim::constant(-(geometry.padding[axis] as i64)),
        divisor: 1,
    }));
    let shape = Shape(shape);
    if geometry.stride == kernel && geometry.padding == [0, 0] && geometry.dilation == [1, 1] {
        return Ok(Windows { elements: tiles(b, x, &shape)?, inside: None });
    }
    let elements = b.view(x, shape.clone(), index.clone())?;
    let inside = if geometry.padding == [0, 0] { None } else { Some(inside(b, &source, &shape, index)?) };
    Ok(Windows { elements, inside })
}

/// Windows that touch and do not overlap, as another arrangement of the axes: each element of `x` lies in one window at
/// most, and the gradient finds it without a search.
fn tiles(b: &mut Builder, x: NodeId, windows: &Shape) -> Result<NodeId> {
    let [n, c, oh, ow, kh, kw] = windows.0.as_slice() else { unreachable!("windows have six axes") };
    let covered = Shape(vec![n.clone(), c.clone(), oh.clone() * kh.clone(), ow.clone() * kw.clone()]);
    let x = b.view(x, covered, (0..4).map(AxisIndex::axis).collect())?;
    let split = Shape([n, c, oh, kh, ow, kw].map(Dim::clone).to_vec());
    let x = b.reshape(x, split)?;
    b.permute(x, &[0, 1, 2, 4, 3, 5])
}

/// The largest element of each window. Padding must not win against negative elements: it counts as -inf.
pub fn max_pool2d(b: &mut Builder, op: &str, x: NodeId, kernel: [u64; 2], geometry: ConvGeometry) -> Result<NodeId> {
    let Windows { mut elements, inside } = windows(b, op, x, kernel, &geometry)?;
    if let Some(inside) = inside {
        let dtype = b.dtype(x);
        let lowest = b.constant(f64::NEG_INFINITY, dtype);
        elements = b.select(inside, elements, lowest)?;
    }
    let y = b.reduce(ReduceOp::Max, elements, &[4, 5], false)?;
    note_windows(b, op, (x, y), kernel, &geometry);
    Ok(y)
}

/// The mean of each window, padding counted as zeros (PyTorch's `count_include_pad`).
pub fn avg_pool2d(b: &mut Builder, op: &str, x: NodeId, kernel: [u64; 2], geometry: ConvGeometry) -> Result<NodeId> {
    let Windows { elements, .. } = windows(b, op, x, kernel, &geometry)?;
    let y = b.mean(elements, &[4, 5], false)?;
    note_windows(b, op, (x, y), kernel, &geometry);
    Ok(y)
}
