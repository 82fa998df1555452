//! What a compiled function costs, as text: kernels, launches, bytes, arithmetic, memory by batch size.

use crate::error::{Error, Result};
use crate::executor::function::Function;
use crate::executor::geometry;
use crate::memory::ALIGNMENT;
use netcl_kernels::dim::{Bindings, Symbol};
use netcl_kernels::plan::memory::layout;
use netcl_kernels::plan::{Plan, Role, Target};
use std::fmt::Write as _;

/// What symbols other than the batch are taken to be.
const OTHERS: u64 = 128;

impl Function {
    /// Describes the plan for a kind of device: its steps, and for each batch size (the value of the first symbol) what
    /// one call computes, moves and needs.
    ///
    /// # Errors
    ///
    /// If there is no such plan, or a size is impossible.
    pub fn report(&self, target: Target, batches: &[u64]) -> Result<String> {
        plan(&*self.plan(target)?, batches)
    }
}

/// The report of one plan.
pub(crate) fn plan(plan: &Plan, batches: &[u64]) -> Result<String> {
    let mut text = String::new();
    let launches = plan.launches();
    let plural = if launches == 1 { "" } else { "es" };
    line(&mut text, format_args!("{} on {} devices: {launches} launch{plural}", plan.name, plan.target.name()));
    for (position, step) in plan.steps.iter().enumerate() {
        line(&mut text, format_args!("  {:>3}  {}", position + 1, step.label));
    }
    // Without symbols every call is the same.
    let batches = if plan.symbols.is_empty() { &[1][..] } else { batches };
    for &batch in batches {
        let values = plan.symbols.iter().enumerate().map(|(position, symbol)| {
            let value = if position == 0 { batch } else { OTHERS };
            (symbol.clone(), value)
        });
        let bindings: Vec<(Symbol, u64)> = values.collect();
        let cost = cost(plan, &bindings)?;
        line(
            &mut text,
            format_args!(
                "  {}: {} of arithmetic, {} read, {} written; memory: {} parameters and states, {} gradients, {} arguments \
                 and results, {} scratch",
                geometry::show(&bindings),
                amount(cost.flops, "flop"),
                amount(cost.read, "B"),
                amount(cost.written, "B"),
                amount(cost.model, "B"),
                amount(cost.gradients, "B"),
                amount(cost.interface, "B"),
                amount(cost.scratch, "B"),
            ),
        );
    }
    Ok(text)
}

#[derive(Default)]
struct Cost {
    flops: u64,
    read: u64,
    written: u64,
    model: u64,
    gradients: u64,
    interface: u64,
    scratch: u64,
}

fn cost(plan: &Plan, bindings: Bindings<'_>) -> Result<Cost> {
    let impossible = |problem: String| Error::Plan { function: plan.name.clone(), problem };
    let layout = layout(plan, bindings, ALIGNMENT as u64)
        .map_err(|error| impossible(format!("{error}, with {}", geometry::show(bindings))))?;
    let mut cost = Cost { scratch: layout.arena, ..Cost::default() };
    for step in &plan.steps {
        let value = |dim| geometry::value(&plan.name, &step.label, dim, bindings).map(|value| value.max(0) as u64);
        cost.flops = cost.flops.saturating_add(value(&step.flops)?);
        cost.read = cost.read.saturating_add(value(&step.bytes[0])?);
        cost.written = cost.written.saturating_add(value(&step.bytes[1])?);
    }
    for (buffer, size) in plan.buffers.iter().zip(&layout.sizes) {
        use netcl_kernels::graph::OutputKind;
        let sum = match &buffer.role {
            Role::Scratch | Role::Output(OutputKind::State(_)) => continue,
            Role::Parameter(_) | Role::State(_) => &mut cost.model,
            Role::Output(OutputKind::Gradient(_)) => &mut cost.gradients,
            Role::Argument(_) | Role::Output(OutputKind::Result(_) | OutputKind::ArgumentGradient(_)) => {
                &mut cost.interface
            }
        };
        *sum = sum.saturating_add(*size);
    }
    Ok(cost)
}

fn line(text: &mut String, arguments: std::fmt::Arguments<'_>) {
    // Writing to a string does not fail.
    let _ = writeln!(text, "{arguments}");
}

/// `1.25 MB`: three digits and a decimal prefix.
fn amount(value: u64, unit: &str) -> String {
    let prefixes = ["", "k", "M", "G", "T", "P", "E"];
    let mut scaled = value as f64;
    let mut prefix = 0;
    while scaled >= 999.5 && prefix + 1 < prefixes.len() {
        scaled /= 1000.0;
        prefix += 1;
    }
    let digits = match scaled {
        _ if prefix == 0 => 0,
        scaled if scaled < 9.995 => 2,
        scaled if scaled < 99.95 => 1,
        _ => 0,
    };
    format!("{scaled:.digits$} {}{unit}", prefixes[prefix])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_have_three_digits() {
        let cases = [
            (0, "0 B"),
            (999, "999 B"),
            (1000, "1.00 kB"),
            (12_345, "12.3 kB"),
            (999_499, "999 kB"),
            (999_999, "1.00 MB"),
            (u64::MAX, "18.4 EB"),
        ];
        for (value, text) in cases {
            assert_eq!(amount(value, "B"), text);
        }
    }
}
