//! Plans for people: launches, bytes moved, memory by batch size.

use super::{Plan, memory};
use crate::dim::{Dim, Symbol};
use std::fmt::Write;

/// The sizes that memory is reported for: every symbol takes each.
const SIZES: [u64; 4] = [1, 32, 256, 2048];
/// Alignment of buffers in the arena, as the executor has it.
const ALIGNMENT: u64 = 256;

/// The launches of one call in order, what each reads and writes (every buffer counted once), and the arena's size.
pub fn report(plan: &Plan) -> String {
    let mut text = String::new();
    let launches = plan.launches();
    let plural = if launches == 1 { "" } else { "es" };
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{} on {}: {launches} launch{plural}", plan.name, plan.target.name());
    for (position, step) in plan.steps.iter().enumerate() {
        let [reads, writes] = &step.bytes;
        let _ = writeln!(text, "  {:>3}. {}", position + 1, step.label);
        let _ = writeln!(text, "       reads {reads} B, writes {writes} B, {} flop", step.flops);
    }
    let total = |side: usize| plan.steps.iter().fold(Dim::default(), |sum, step| sum + step.bytes[side].clone());
    let _ = writeln!(text, "  in all reads {} B, writes {} B", total(0), total(1));
    let names: Vec<&str> = plan.symbols.iter().map(Symbol::name).collect();
    for size in if plan.symbols.is_empty() { &SIZES[..1] } else { &SIZES[..] } {
        let bindings: Vec<(Symbol, u64)> = plan.symbols.iter().map(|symbol| (symbol.clone(), *size)).collect();
        if let Ok(layout) = memory::layout(plan, &bindings, ALIGNMENT) {
            let at = if names.is_empty() { String::new() } else { format!(" with {} = {size}", names.join(" = ")) };
            let _ = writeln!(text, "  arena{at}: {} B", layout.arena);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use crate::compile::compile;
    use crate::dim::{Dim, Shape};
    use crate::dtype::DType;
    use crate::graph::build::Builder;
    use crate::graph::{InputKind, OutputKind, UnaryOp};
    use crate::plan::Target;

    #[test]
    fn names_launches_and_bytes() {
        let mut builder = Builder::new("exp");
        let shape = Shape(vec![Dim::symbol("N")]);
        let x = builder.input(InputKind::Argument(0), "x", shape, DType::F32);
        let y = builder.unary(UnaryOp::Exp, x).expect("a float tensor");
        builder.output(OutputKind::Result(0), y);
        let plan = compile(&builder.finish(), Target::Gpu).expect("a plan");
        let text = super::report(&plan);
        assert!(text.starts_with("exp on gpu: 1 launch\n"), "{text}");
        assert!(text.contains("reads N*4 B, writes N*4 B"), "{text}");
        assert!(text.contains("arena with N = 32: 0 B"), "{text}");
    }
}
