//! `Embedding`: a learned row for each number.

use super::checks::unchecked;
use super::{Config, ConfigKey, Context, Init, Layer, TensorSpec};
use crate::dim::Dim;
use crate::dtype::DType;
use crate::graph::NodeId;
use crate::span::{Diagnostic, Result};

pub(super) static EMBEDDING: Layer = Layer {
    name: "Embedding",
    doc: "`y[i..] = weight[x[i..]]` for numbers `x [i..]` (u32 or i32), `-> [i.., features]`. A number outside \
          `0..entries` gives zeros and no gradient. Weight `[entries, features]` starts normal with standard deviation 1.",
    config: &[ConfigKey::size("entries", "how many rows there are"), ConfigKey::size("features", "size of a row")],
    check: unchecked,
    tensors,
    inputs: 1,
    forward,
};

fn tensors(config: &Config) -> Vec<TensorSpec<Dim>> {
    let shape = [config.size("entries"), config.size("features")];
    vec![TensorSpec::parameter("weight", &shape, Init::Normal { std: 1.0 })]
}

fn forward(context: &mut Context<'_>, inputs: &[NodeId]) -> Result<NodeId> {
    let x = inputs[0];
    let dtype = context.builder.dtype(x);
    if !matches!(dtype, DType::U32 | DType::I32) {
        return Err(Diagnostic::new(format!("`{}` expects u32 or i32 numbers, found {dtype}", context.name))
            .hint(format!(
                "an argument of numbers is of such a type, `&Tensor<u32, {}>`; others are converted, `.cast(DType::U32)`",
                context.builder.shape(x).0.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
            )));
    }
    let rank = context.builder.shape(x).rank();
    let y = context.builder.gather(context.tensors[0], x)?;
    context.origin(y, rank, "features");
    Ok(y)
}
