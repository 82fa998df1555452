//! What a compiled function costs, as text: kernels, launches, bytes, arithmetic, memory by batch size.

use crate::error::{Error, Result};
use crate::function::Function;
use crate::geometry;
use netcl_hal::memory::ALIGNMENT;
use netcl_kernels::dim::{Bindings, Dim, Symbol};
use netcl_kernels::plan::memory::layout;
use netcl_kernels::plan::{Plan, ROUNDS_OF_LAUNCH, Role, Target};
use std::fmt::Write as _;

/// What stands for arithmetic that nobody can count.
const UNKNOWN: &str = "-";

/// What symbols other than the batch are taken to be.
const OTHERS: u64 = 128;

impl Function {
    /// Describes the plan for a kind of device: its steps, and for each batch size (the value of the first symbol) what
    /// one call computes, moves and needs.
    ///
    /// # Errors
    ///
    /// If there is no such plan.
    pub fn report(&self, target: Target, batches: &[u64]) -> Result<String> {
        plan(&*self.plan(target)?, batches)
    }
}

/// Of plans that stand for several kinds of calls: the value of the batch that each is described for.
pub(crate) const BATCHES: [u64; 4] = [1, 32, 256, 2048];

/// The report of one plan.
pub(crate) fn plan(plan: &Plan, batches: &[u64]) -> Result<String> {
    let mut text = String::new();
    let launches = plan.launches();
    let plural = if launches == 1 { "" } else { "es" };
    line(&mut text, format_args!("{} on {}: {launches} launch{plural}", plan.name, plan.target.name()));
    for (position, step) in plan.steps.iter().enumerate() {
        let [reads, writes] = &step.bytes;
        line(&mut text, format_args!("  {:>3}. {}", position + 1, step.label));
        let flops = step.flops.as_ref().map_or_else(|| UNKNOWN.to_owned(), ToString::to_string);
        line(&mut text, format_args!("       reads {reads} B, writes {writes} B, {flops} flop"));
    }
    for repeat in &plan.repeats {
        let (steps, all) = (repeat.steps(), repeat.all());
        let step = |position: usize| position.to_string();
        let which = if repeat.count == 1 {
            step(all.start + 1)
        } else {
            format!("{} to {}", step(all.start + 1), step(steps.end))
        };
        let none = match repeat.otherwise {
            0 => String::new(),
            1 => format!(", or {} where there is no round", step(all.end)),
            _ => format!(", or {} to {} where there is no round", step(steps.end + 1), step(all.end)),
        };
        match &repeat.inside {
            None => line(&mut text, format_args!("  {which}: once for each of {} rounds{none}", repeat.length)),
            Some(rounds) => {
                line(&mut text, format_args!("  {which}: once for every {ROUNDS_OF_LAUNCH} of {rounds} rounds{none}"));
            }
        }
    }
    let total = |side: usize| {
        let steps = plan.steps.iter().enumerate();
        steps.fold(Dim::default(), |sum, (position, step)| sum + plan.times(position) * step.bytes[side].clone())
    };
    line(&mut text, format_args!("  in all reads {} B, writes {} B", total(0), total(1)));
    // Without symbols every call is the same.
    let batches = if plan.symbols.is_empty() { &[1][..] } else { batches };
    for &batch in batches {
        let values = plan.symbols.iter().enumerate().map(|(position, symbol)| {
            let value = if position == 0 { batch } else { OTHERS };
            (symbol.clone(), value)
        });
        let bindings: Vec<(Symbol, u64)> = values.collect();
        let at = if bindings.is_empty() { "always".to_owned() } else { format!("with {}", geometry::show(&bindings)) };
        let cost = match cost(plan, &bindings) {
            Ok(cost) => cost,
            // Not every size is possible: an image may be smaller than a window.
            Err(error) => {
                line(&mut text, format_args!("  {at}: {error}"));
                continue;
            }
        };
        line(
            &mut text,
            format_args!(
                "  {at}: {} of arithmetic, {} read, {} written; peak memory {}: {} parameters and states, {} gradients, \
                 {} arguments and results, {} scratch",
                cost.flops.map_or_else(|| format!("{UNKNOWN} flop"), |flops| amount(flops, "flop")),
                amount(cost.read, "B"),
                amount(cost.written, "B"),
                amount(cost.peak(), "B"),
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
    /// `None` where a step's are not known before it runs.
    flops: Option<u64>,
    read: u64,
    written: u64,
    model: u64,
    gradients: u64,
    interface: u64,
    scratch: u64,
}

impl Cost {
    /// While the call runs.
    fn peak(&self) -> u64 {
        [self.model, self.gradients, self.interface, self.scratch].into_iter().fold(0, u64::saturating_add)
    }
}

fn cost(plan: &Plan, bindings: Bindings<'_>) -> Result<Cost> {
    let impossible = |problem: String| Error::Plan { function: plan.name.clone(), problem };
    let layout = layout(plan, bindings, ALIGNMENT as u64)
        .map_err(|error| impossible(format!("{error}, with {}", geometry::show(bindings))))?;
    let mut cost = Cost { scratch: layout.arena, flops: Some(0), ..Cost::default() };
    for (position, step) in plan.steps.iter().enumerate() {
        let times = plan.times(position);
        let value =
            |dim: &Dim| geometry::value(&plan.name, &step.label, dim, bindings).map(|value| value.max(0) as u64);
        cost.flops = match (cost.flops, &step.flops) {
            (Some(sum), Some(flops)) => Some(sum.saturating_add(value(&(times.clone() * flops.clone()))?)),
            _ => None,
        };
        cost.read = cost.read.saturating_add(value(&(times.clone() * step.bytes[0].clone()))?);
        cost.written = cost.written.saturating_add(value(&(times * step.bytes[1].clone()))?);
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
    fn a_report_names_launches_bytes_and_memory() {
        use netcl_kernels::dim::Shape;
        use netcl_kernels::dtype::DType;
        use netcl_kernels::graph::build::Builder;
        use netcl_kernels::graph::{BinaryOp, InputKind, OutputKind};
        let mut builder = Builder::new("scaled");
        let shape = Shape(vec![Dim::symbol("N"), Dim::constant(250)]);
        let x = builder.input(InputKind::Argument(0), "x", shape, DType::F32);
        let w = builder.input(InputKind::Parameter, "w", Shape(vec![Dim::constant(250)]), DType::F32);
        let y = builder.binary(BinaryOp::Mul, x, w).expect("shapes that go together");
        builder.output(OutputKind::Result(0), y);
        let compiled = netcl_kernels::compile::compile(&builder.finish(), Target::Gpu).expect("a plan");
        let text = plan(&compiled, &[1, 100]).expect("a report");
        assert!(text.starts_with("scaled on gpu: 1 launch\n"), "{text}");
        assert!(text.contains("writes N*1000 B"), "{text}");
        assert!(text.contains("with N = 100: ") && text.contains("100 kB written; peak memory 201 kB"), "{text}");
        assert!(
            text.contains("1.00 kB parameters and states, 0 B gradients, 200 kB arguments and results, 0 B"),
            "{text}"
        );
    }

    #[test]
    fn arithmetic_that_nobody_counts_is_no_zero() {
        let n = Dim::symbol("N");
        let mut builder = netcl_kernels::graph::build::Builder::new("twice");
        let shape = netcl_kernels::dim::Shape(vec![n]);
        let x =
            builder.input(netcl_kernels::graph::InputKind::Argument(0), "x", shape, netcl_kernels::dtype::DType::F32);
        let y = builder.unary(netcl_kernels::graph::UnaryOp::Exp, x).expect("a float");
        builder.output(netcl_kernels::graph::OutputKind::Result(0), y);
        let mut compiled = netcl_kernels::compile::compile(&builder.finish(), Target::Gpu).expect("a plan");
        assert!(plan(&compiled, &[8]).expect("a report").contains("N = 8: 8 flop of"));
        compiled.steps[0].flops = None;
        let text = plan(&compiled, &[8]).expect("a report");
        assert!(text.contains("B, - flop\n") && text.contains("N = 8: - flop of arithmetic"), "{text}");
    }

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
