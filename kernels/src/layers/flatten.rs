//! `Flatten`: several axes as one.

use super::checks::unchecked;
use super::{ConfigKey, ConfigKind, ConfigValue, Context, Layer};
use crate::graph::{NodeId, Origin};
use crate::ops;
use crate::span::Result;

pub(super) static FLATTEN: Layer = Layer {
    name: "Flatten",
    doc: "The axes from `from` on as one: `x [n, c, h, w] -> [n, c * h * w]` for the default of 1.",
    config: &[ConfigKey {
        name: "from",
        kind: ConfigKind::Count,
        default: Some(ConfigValue::Size(1)),
        doc: "the first axis that is taken",
    }],
    check: unchecked,
    tensors: |_| Vec::new(),
    inputs: 1,
    forward,
};

fn forward(context: &mut Context<'_>, inputs: &[NodeId]) -> Result<NodeId> {
    let x = inputs[0];
    let from = context.config.count("from") as usize;
    context.rank(x, |rank| rank > from, &format!("with more than {from} axes"))?;
    let shape = context.builder.shape(x).to_string();
    let y = ops::shape::flatten(context.builder, x, from)?;
    let origin = Origin::Made { by: context.name.to_string(), how: format!("flattened from {shape}") };
    context.builder.set_origin(y, from, origin);
    Ok(y)
}
