//! `SelfAttention`: multi-head self-attention (Vaswani et al. 2017).

use super::checks::{divides_features, part_of_features};
use super::tensors::fan_in;
use super::{Config, ConfigKey, Context, Layer, TensorSpec};
use crate::dim::{Dim, Shape};
use crate::graph::build::Builder;
use crate::graph::{AxisIndex, NodeId};
use crate::ops::attention::scaled_dot_product_attention;
use crate::ops::linear::linear;
use crate::span::Result;

pub(super) static SELF_ATTENTION: Layer = Layer {
    name: "SelfAttention",
    doc: "`x [.., t, features] -> [.., t, features]`: one product gives queries, keys and values of all heads, each head \
          attends by `softmax(q . k^T / sqrt(features / heads)) . v`, and a second product mixes the heads. If \
          `causal`, position `i` sees positions `0..=i`. `qkv_weight [features, 3 features]` holds the queries' \
          columns, then the keys', then the values', in each of them head after head. Weights and biases start \
          uniform within `1 / sqrt(features)`, as `Linear`.",
    config: &[
        ConfigKey::size("features", "size of the last axis"),
        ConfigKey::fixed("heads", "attention heads; divides `features`"),
        ConfigKey::bool("causal", false, "whether later positions are hidden"),
        ConfigKey::bool("bias", true, "whether both products add a bias"),
    ],
    check: |config| divides_features("SelfAttention", "heads", "head", config),
    tensors,
    inputs: 1,
    forward,
};

fn tensors(config: &Config) -> Vec<TensorSpec<Dim>> {
    let features = config.size("features");
    let init = || fan_in(features.clone());
    let three = features.clone() * Dim::constant(3);
    let mut tensors = vec![
        TensorSpec::parameter("qkv_weight", &[features.clone(), three.clone()], init()),
        TensorSpec::parameter("output_weight", &[features.clone(), features.clone()], init()),
    ];
    if config.bool("bias") {
        tensors.push(TensorSpec::parameter("qkv_bias", &[three], init()));
        tensors.push(TensorSpec::parameter("output_bias", std::slice::from_ref(&features), init()));
    }
    tensors
}

fn forward(context: &mut Context<'_>, inputs: &[NodeId]) -> Result<NodeId> {
    let x = inputs[0];
    let dtype = context.float(x)?;
    context.rank(x, |rank| rank >= 2, "[.., t, features]")?;
    let shape = context.builder.shape(x).clone();
    let last = shape.rank() - 1;
    context.expect(x, last, "features", "features")?;
    let (qkv_weight, output_weight) = (context.tensor(0, dtype)?, context.tensor(1, dtype)?);
    let (qkv_bias, output_bias) = if context.config.bool("bias") {
        (Some(context.tensor(2, dtype)?), Some(context.tensor(3, dtype)?))
    } else {
        (None, None)
    };
    // `check` has seen that it is whole.
    let width = part_of_features(context.config, "heads").unwrap_or_default();
    let heads = Dim::constant(context.config.count("heads") as i64);
    let causal = context.config.bool("causal");
    let b = &mut *context.builder;
    let all = linear(b, x, qkv_weight, qkv_bias)?;
    // [.., t, 3, heads, width]: the parts are views of it.
    let mut dims = shape.0[..last].to_vec();
    dims.extend([Dim::constant(3), heads, width]);
    let all = b.reshape(all, Shape(dims))?;
    let parts = [0, 1, 2].map(|part| head_view(b, all, part));
    let [q, k, v] = parts;
    let mixed = scaled_dot_product_attention(b, q?, k?, v?, causal)?;
    // [.., heads, t, width] back to [.., t, heads, width].
    let rank = b.shape(mixed).rank();
    let mut order: Vec<usize> = (0..rank).collect();
    order.swap(rank - 2, rank - 3);
    let joined = b.permute(mixed, &order)?;
    let joined = b.reshape(joined, shape)?;
    let y = linear(b, joined, output_weight, output_bias)?;
    crate::ops::shape::keep_origins(b, x, y, last);
    context.origin(y, last, "features");
    Ok(y)
}

/// Part `part` (0: queries, 1: keys, 2: values) of `[.., t, 3, heads, width]` as `[.., heads, t, width]`.
fn head_view(b: &mut Builder, all: NodeId, part: u64) -> Result<NodeId> {
    let source = b.shape(all).clone();
    let time = source.rank() - 4;
    let mut shape = source.0[..time].to_vec();
    shape.extend([source[time + 2].clone(), source[time].clone(), source[time + 3].clone()]);
    let mut index: Vec<AxisIndex> = (0..time).map(AxisIndex::axis).collect();
    index.extend([
        AxisIndex::axis(time + 1),
        AxisIndex::fixed(Dim::constant(part as i64)),
        AxisIndex::axis(time),
        AxisIndex::axis(time + 2),
    ]);
    b.view(all, Shape(shape), index)
}
