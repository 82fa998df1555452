//! Matrix products and the three convolutions, each written as its defining sum.

use super::movement::for_each_coordinate;
use super::tensor::{HostTensor, TensorData};
use crate::graph::ConvGeometry;

/// `[batch.., m, k] x [batch.., k, n]`.
pub(super) fn matmul(a: &HostTensor, b: &HostTensor) -> TensorData {
    let (sa, sb) = (a.shape(), b.shape());
    let (batch, rows) = sa.split_at(sa.len() - 2);
    let (m, k, n) = (rows[0], rows[1], sb[sb.len() - 1]);
    let (x, y) = (a.floats(), b.floats());
    let mut result = Vec::with_capacity(batch.iter().product::<usize>() * m * n);
    for matrix in 0..batch.iter().product::<usize>() {
        for row in 0..m {
            let left = &x[(matrix * m + row) * k..][..k];
            for column in 0..n {
                let right = (0..k).map(|i| y[(matrix * k + i) * n + column]);
                result.push(left.iter().zip(right).map(|(x, y)| x * y).sum());
            }
        }
    }
    TensorData::Float(result)
}

/// Calls `visit` with the row-major positions `(input, weight, output)` of every product that a convolution sums.
fn for_each_product(
    input: &[usize],
    weight: &[usize],
    output: &[usize],
    geometry: &ConvGeometry,
    mut visit: impl FnMut(usize, usize, usize),
) {
    let group = output[1] / geometry.groups as usize;
    let row = |axis: usize, out: usize, tap: usize| {
        let position =
            out as i128 * i128::from(geometry.stride[axis]) + tap as i128 * i128::from(geometry.dilation[axis]);
        let position = position - i128::from(geometry.padding[axis]);
        usize::try_from(position).ok().filter(|position| *position < input[2 + axis])
    };
    let mut out = 0;
    for_each_coordinate(output, |o| {
        let mut tap = o[1] * weight[1..].iter().product::<usize>();
        for_each_coordinate(&weight[1..], |w| {
            let channel = o[1] / group * weight[1] + w[0];
            if let (Some(h), Some(v)) = (row(0, o[2], w[1]), row(1, o[3], w[2])) {
                visit(((o[0] * input[1] + channel) * input[2] + h) * input[3] + v, tap, out);
            }
            tap += 1;
        });
        out += 1;
    });
}

/// `input [n, c, h, w]`, `weight [o, c/groups, kh, kw]`; `shape` is the output's.
pub(super) fn conv2d(input: &HostTensor, weight: &HostTensor, shape: &[usize], geometry: &ConvGeometry) -> TensorData {
    let mut result = vec![0.0; shape.iter().product()];
    let (x, w) = (input.floats(), weight.floats());
    for_each_product(input.shape(), weight.shape(), shape, geometry, |i, k, o| result[o] += x[i] * w[k]);
    TensorData::Float(result)
}

/// The adjoint in the input; `shape` is the input's.
pub(super) fn conv2d_input_grad(
    grad: &HostTensor,
    weight: &HostTensor,
    shape: &[usize],
    geometry: &ConvGeometry,
) -> TensorData {
    let mut result = vec![0.0; shape.iter().product()];
    let (g, w) = (grad.floats(), weight.floats());
    for_each_product(shape, weight.shape(), grad.shape(), geometry, |i, k, o| result[i] += g[o] * w[k]);
    TensorData::Float(result)
}

/// The adjoint in the weight; `shape` is the weight's.
pub(super) fn conv2d_weight_grad(
    input: &HostTensor,
    grad: &HostTensor,
    shape: &[usize],
    geometry: &ConvGeometry,
) -> TensorData {
    let mut result = vec![0.0; shape.iter().product()];
    let (x, g) = (input.floats(), grad.floats());
    for_each_product(input.shape(), shape, grad.shape(), geometry, |i, k, o| result[k] += x[i] * g[o]);
    TensorData::Float(result)
}
