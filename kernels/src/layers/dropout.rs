//! `Dropout`: random zeros while training (Srivastava et al. 2014).

use super::{Config, ConfigKey, Context, Layer, Mode};
use crate::dtype::DType;
use crate::graph::{BinaryOp, CompareOp, NodeId};
use crate::span::{Diagnostic, Result};

pub(super) static DROPOUT: Layer = Layer {
    name: "Dropout",
    doc: "While training each element is 0 with probability `rate`, else `x / (1 - rate)`, so that the mean stays; in \
          inference `x`. The numbers are Philox's at the element's position with the step's seed: the same on every \
          device.",
    config: &[ConfigKey::number("rate", 0.5, "probability of a zero, from 0 to below 1")],
    check,
    tensors: |_| Vec::new(),
    inputs: 1,
    forward,
};

fn check(config: &Config) -> Result<()> {
    let rate = config.number("rate");
    if (0.0..1.0).contains(&rate) {
        return Ok(());
    }
    let problem = Diagnostic::new(format!("`rate` of `Dropout` must be at least 0 and below 1, found {rate:?}"));
    // What is meant by 20 is a percentage.
    Err(match rate {
        2.0..100.0 => problem.hint(format!("it is a probability, no percentage: write `rate = {:?}`", rate / 100.0)),
        _ => problem.hint("it is the probability of a zero: write `rate = 0.5`"),
    })
}

fn forward(context: &mut Context<'_>, inputs: &[NodeId]) -> Result<NodeId> {
    let x = inputs[0];
    let dtype = context.float(x)?;
    let rate = context.config.number("rate");
    if context.mode == Mode::Inference || rate == 0.0 {
        return Ok(x);
    }
    let b = &mut *context.builder;
    let shape = b.shape(x).clone();
    let draw = b.random(context.seed, &shape)?;
    let threshold = b.constant(rate, DType::F32);
    let kept = b.compare(CompareOp::Ge, draw, threshold)?;
    let scale = b.constant(1.0 / (1.0 - rate), dtype);
    let scaled = b.binary(BinaryOp::Mul, x, scale)?;
    let zero = b.constant(0.0, dtype);
    b.select(kept, scaled, zero)
}
