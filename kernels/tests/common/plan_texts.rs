//! Whole plans as text that a person reads: buffers, steps, and the program with `#include` in place of the templates'
//! texts.
#![allow(dead_code, reason = "shared by several test programs")]

use crate::models;
use netcl_kernels::autodiff::{Arguments, append_gradients};
use netcl_kernels::compile::compile;
use netcl_kernels::graph::Graph;
use netcl_kernels::plan::{self, Arg, Plan, Target, Work};
use netcl_kernels::template;
use std::fmt::Write as _;

/// The functions whose plans are goldens: name and graph.
pub(crate) fn functions() -> Vec<(&'static str, Graph)> {
    let step = |graph| append_gradients(graph, Arguments::None).expect("a function with gradients");
    vec![
        ("mlp_forward", models::mlp([64, 32, 10], false)),
        ("mlp_step", step(models::mlp([64, 32, 10], true))),
        ("words_step", step(models::bag_of_words(300))),
        ("cnn_step", step(models::cnn(8, 1, true))),
        ("block_forward", models::transformer_block(false)),
        ("image_forward", models::image()),
    ]
}

/// Each function's plan for each kind of OpenCL device, under the name of its golden.
pub(crate) fn plans() -> Vec<(String, Plan)> {
    let mut plans = Vec::new();
    for (name, graph) in functions() {
        for target in [Target::Cpu, Target::Gpu] {
            let plan = compile(&graph, target).unwrap_or_else(|error| panic!("{name}: {error}"));
            plans.push((format!("{name}_{}", target.name()), plan));
        }
    }
    plans
}

/// What stands in for a template's text, and what for the `#undef`s behind it.
fn stand_ins() -> Vec<(String, String)> {
    let mut pairs: Vec<(String, String)> = Vec::new();
    for template in template::ALL {
        let mut text = String::new();
        for source in template.sources {
            text.push_str(source);
        }
        pairs.push((text, format!("#include \"{}.cl\"\n", template.name)));
        pairs.push((template.undefs(), format!("#include \"undef_{}.h\"\n", template.name)));
    }
    // One template's text may hold another's.
    pairs.sort_by_key(|(text, _)| std::cmp::Reverse(text.len()));
    pairs
}

/// The program with the templates' own texts left out.
pub(crate) fn fold(source: &str) -> String {
    stand_ins().iter().fold(source.to_owned(), |source, (text, line)| source.replace(text, line))
}

/// The program again.
pub(crate) fn unfold(folded: &str) -> String {
    stand_ins().iter().fold(folded.to_owned(), |source, (text, line)| source.replace(line, text))
}

/// The golden: buffers and steps as a comment, then the program.
pub(crate) fn print(plan: &Plan) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let symbols: Vec<&str> = plan.symbols.iter().map(|symbol| symbol.name()).collect();
    let _ = writeln!(text, "// {} on {}, sizes {}", plan.name, plan.target.name(), symbols.join(", "));
    let _ = writeln!(text, "//\n// buffers");
    for (position, buffer) in plan.buffers.iter().enumerate() {
        let plan::Buffer { name, shape, dtype, role } = buffer;
        let _ = writeln!(text, "// {position:>4}  {name}: {dtype} {shape} ({role})");
    }
    let _ = writeln!(text, "//\n// steps");
    for (position, step) in plan.steps.iter().enumerate() {
        let Work::Kernel { entry, launch } = &step.work else { panic!("`{}` is no OpenCL kernel", step.label) };
        let args: Vec<String> = step
            .args
            .iter()
            .map(|arg| match arg {
                Arg::Buffer(id) => plan.buffer(*id).name.clone(),
                Arg::Dim(dim) => dim.to_string(),
                Arg::Scalar(position, dtype) => format!("scalar {position} ({dtype})"),
                Arg::Literal(literal) => format!("{literal:?}"),
            })
            .collect();
        let sizes =
            |dims: &[netcl_kernels::dim::Dim]| dims.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        let _ = writeln!(text, "// {position:>4}  {}", step.label);
        let _ = writeln!(text, "//       {entry}({})", args.join(", "));
        let local = if launch.local.is_empty() {
            String::new()
        } else {
            format!(" in groups of [{}]", launch.local.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "))
        };
        let _ = writeln!(text, "//       over [{}]{local}", sizes(&launch.global));
    }
    text.push('\n');
    text.push_str(&fold(&plan.source.to_string()));
    text
}
