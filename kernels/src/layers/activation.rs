//! Activations as layers: what a type parameter of a model stands for, `act: A`. Elsewhere they are operations: `x.gelu()`.

use super::checks::unchecked;
use super::{ConfigKey, Context, Layer};
use crate::graph::NodeId;
use crate::ops::Value;
use crate::ops::{self, Operation};
use crate::span::Result;

/// A layer without tensors that is the operation `$operation`, with the numbers of its keys behind the tensor.
macro_rules! layer {
    ($name:literal, $operation:literal, $doc:literal $(, $key:expr)*) => {
        Layer {
            name: $name,
            doc: $doc,
            config: &[$($key),*],
            check: unchecked,
            tensors: |_| Vec::new(),
            inputs: 1,
            forward: |context, inputs| applied(context, inputs[0], ops::find($operation)),
        }
    };
}

pub(super) static RELU: Layer = layer!("Relu", "relu", "`max(x, 0)`, as the operation.");
pub(super) static LEAKY_RELU: Layer = layer!(
    "LeakyRelu",
    "leaky_relu",
    "`x` above zero, `slope * x` below, as the operation.",
    ConfigKey::number("slope", 0.01, "what `x` is multiplied by below zero")
);
pub(super) static GELU: Layer = layer!("Gelu", "gelu", "`x * Phi(x)`, exact, as the operation.");
pub(super) static SILU: Layer = layer!("Silu", "silu", "`x * sigmoid(x)`, as the operation.");
pub(super) static SIGMOID: Layer = layer!("Sigmoid", "sigmoid", "`1 / (1 + e^-x)`, as the operation.");
pub(super) static TANH: Layer = layer!("Tanh", "tanh", "Hyperbolic tangent, as the operation.");

pub(super) static IDENTITY: Layer = Layer {
    name: "Identity",
    doc: "`x` as it is: for a type parameter where no layer is wanted.",
    config: &[],
    check: unchecked,
    tensors: |_| Vec::new(),
    inputs: 1,
    forward: |_, inputs| Ok(inputs[0]),
};

fn applied(context: &mut Context<'_>, x: NodeId, operation: Option<&Operation>) -> Result<NodeId> {
    let Some(operation) = operation else { return Ok(x) };
    let keys = context.config.keys.iter().map(|key| Value::Number(context.config.number(key.name)));
    let args: Vec<Value> = std::iter::once(Value::Tensor(x)).chain(keys).collect();
    ops::call(context.builder, operation, &args)
}
