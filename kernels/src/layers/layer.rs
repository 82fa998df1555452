//! What the declaration of a layer says.

use super::config::{Config, ConfigKey};
use super::context::Context;
use super::tensors::TensorSpec;
use crate::dim::Dim;
use crate::graph::NodeId;
use crate::precision::Precision;
use crate::span::{Diagnostic, Result};

/// The declaration of a layer.
pub struct Layer {
    /// Its type name (`Linear`).
    pub name: &'static str,
    /// What it computes, with shapes and the source of the formula.
    pub doc: &'static str,
    /// Its configuration keys.
    pub config: &'static [ConfigKey],
    /// Checks what single keys cannot show (`groups` divides `inputs`).
    pub check: fn(&Config) -> Result<()>,
    /// The tensors it owns.
    pub tensors: fn(&Config) -> Vec<TensorSpec<Dim>>,
    /// How many tensors `forward` takes.
    pub inputs: usize,
    /// Builds its graph.
    pub forward: fn(&mut Context<'_>, &[NodeId]) -> Result<NodeId>,
}

/// Builds `layer`'s graph: checks the number of inputs, names the result after the layer.
///
/// # Errors
///
/// Another number of inputs than the layer takes, or what its graph says of their shapes and types.
pub fn forward(layer: &Layer, context: &mut Context<'_>, inputs: &[NodeId]) -> Result<NodeId> {
    if inputs.len() != layer.inputs {
        return Err(Diagnostic::new(format!(
            "`{}` ({}) expects {} tensor{}, found {}",
            context.name,
            layer.name,
            layer.inputs,
            if layer.inputs == 1 { "" } else { "s" },
            inputs.len()
        )));
    }
    let mut inputs = inputs.to_vec();
    context.builder.autocast(layer.name, &mut inputs.iter_mut().collect::<Vec<_>>())?;
    let outer = context.builder.set_precision(Precision::F32);
    let result = (layer.forward)(context, &inputs);
    context.builder.set_precision(outer);
    let result = result?;
    if !inputs.contains(&result) {
        context.builder.name(result, context.name);
    }
    Ok(result)
}
