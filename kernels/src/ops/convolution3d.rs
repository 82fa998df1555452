//! Convolution over volumes `[n, c, d, h, w]`: of each depth an image, whose channels are those of all depths under the window.

use super::args::Args;
use super::convolution::{CONVOLVED, conv2d, count};
use super::{Operation, Value};
use crate::dim::{Dim, Shape};
use crate::graph::build::{Builder, window_count};
use crate::graph::{AxisIndex, ConvGeometry, NodeId, Window};
use crate::span::{Diagnostic, Result};

const OP: &str = "conv3d";

pub(super) const OPERATIONS: &[Operation] = &[Operation {
    name: OP,
    doc: "cross-correlation of `x [n, c, d, h, w]` with `weight [o, c/groups, kd, kh, kw]`; stride, padding and dilation are one \
          integer or `[depth, height, width]`; `-> [n, o, od, oh, ow]`, sizes as in `conv2d`",
    args: CONVOLVED,
    build: |b, a| {
        let (stride, padding, dilation) =
            (triple("stride", a, 2)?, triple("padding", a, 3)?, triple("dilation", a, 4)?);
        let groups = count(OP, "groups", &a.size(5)?)?;
        let image = |of: [u64; 3]| [of[1], of[2]];
        let geometry =
            ConvGeometry { stride: image(stride), padding: image(padding), dilation: image(dilation), groups };
        // The depth is the first axis of windows of its own.
        let depth =
            ConvGeometry { stride: [stride[0], 1], padding: [padding[0], 0], dilation: [dilation[0], 1], groups: 1 };
        conv3d(b, [a.tensor(0)?, a.tensor(1)?], &depth, geometry)
    },
}];

/// One integer for all axes, or `[depth, height, width]`.
fn triple(name: &str, a: &[Value], position: usize) -> Result<[u64; 3]> {
    match a.sizes(position)?.as_slice() {
        [all] => Ok([count(OP, name, all)?; 3]),
        [d, h, w] => Ok([count(OP, name, d)?, count(OP, name, h)?, count(OP, name, w)?]),
        sizes => Err(Diagnostic::new(format!(
            "`{OP}` expects one integer or [depth, height, width] as `{name}`, found a list of {}",
            sizes.len()
        ))),
    }
}

fn conv3d(b: &mut Builder, [x, weight]: [NodeId; 2], depth: &ConvGeometry, geometry: ConvGeometry) -> Result<NodeId> {
    let (volume, kernel) = (b.shape(x).clone(), b.shape(weight).clone());
    let ([n, c, d, h, w], [o, part, kd, kh, kw]) = (&volume.0[..], &kernel.0[..]) else {
        return Err(Diagnostic::new(format!(
            "`{OP}` expects a volume [n, c, d, h, w] and a weight [o, c/groups, kd, kh, kw], found {volume} and {kernel}"
        )));
    };
    let Some(taps) = kd.as_constant().and_then(|taps| u64::try_from(taps).ok()) else {
        return Err(
            Diagnostic::new(format!("`{OP}` expects a weight of constant sizes, found {kernel}")).needs_number(kd)
        );
    };
    let note = b.origin_note(x, 2);
    let depths =
        window_count(d, taps, 0, depth).map_err(|message| Diagnostic::new(format!("`{OP}`: {message}{note}")))?;
    b.require_window(Window::new(d, taps, 0, depth));
    let signed = |value: u64| i64::try_from(value).unwrap_or(i64::MAX);
    // [n, od, c, kd, h, w]: beyond the ends there are zeros.
    let windows = Shape([n, &depths, c, kd, h, w].map(Dim::clone).to_vec());
    let place = AxisIndex {
        terms: vec![(1, signed(depth.stride[0])), (3, signed(depth.dilation[0]))],
        offset: Dim::constant(-signed(depth.padding[0])),
        divisor: 1,
    };
    let index = vec![AxisIndex::axis(0), AxisIndex::axis(2), place, AxisIndex::axis(4), AxisIndex::axis(5)];
    let windows = b.view(x, windows, index)?;
    let (images, channels) = (n.clone() * depths.clone(), c.clone() * kd.clone());
    let images = b.reshape(windows, Shape(vec![images, channels, h.clone(), w.clone()]))?;
    let flat = Shape(vec![o.clone(), part.clone() * kd.clone(), kh.clone(), kw.clone()]);
    let weight = b.reshape(weight, flat)?;
    let y = conv2d(b, OP, [images, weight], None, geometry)?;
    let sizes = b.shape(y).clone();
    let y = b.reshape(y, Shape(vec![n.clone(), depths, o.clone(), sizes[2].clone(), sizes[3].clone()]))?;
    b.permute(y, &[0, 2, 1, 3, 4])
}
