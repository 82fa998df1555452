//! What layers that normalise have in common.

use super::{Config, Init, TensorSpec};
use crate::dim::Dim;
use crate::graph::build::Builder;
use crate::graph::{BinaryOp, NodeId, UnaryOp};
use crate::span::Result;

/// `(x - mean) * rsqrt(variance + epsilon)`, all of one shape.
pub(super) fn normalised(
    b: &mut Builder,
    centred: NodeId,
    variance: NodeId,
    epsilon: f64,
    spread: &Spread<'_>,
) -> Result<NodeId> {
    let dtype = b.dtype(variance);
    let epsilon = b.constant(epsilon, dtype);
    let held = b.binary(BinaryOp::Add, variance, epsilon)?;
    // One root for each statistic, spread afterwards.
    let scale = b.unary(UnaryOp::Rsqrt, held)?;
    let scale = spread(b, scale)?;
    b.binary(BinaryOp::Mul, centred, scale)
}

/// Repeats a statistic to the shape of the tensor it belongs to.
type Spread<'a> = dyn Fn(&mut Builder, NodeId) -> Result<NodeId> + 'a;

/// The parameters of a norm over `features`, where it is `affine`.
pub(super) fn weight_and_bias(config: &Config) -> Vec<TensorSpec<Dim>> {
    let features = [config.size("features")];
    if !config.bool("affine") {
        return Vec::new();
    }
    vec![
        TensorSpec::parameter("weight", &features, Init::Constant(1.0)),
        TensorSpec::parameter("bias", &features, Init::Constant(0.0)),
    ]
}
