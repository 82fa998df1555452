//! How long the compiler takes for deep models: seconds of each of its parts, by the number of layers.
//!
//! `cargo bench -p netcl-kernels --bench depth -- [--model transformer|mlp|cnn] [--features N] [--layers N]..`, one JSON
//! object a line: gradients, the plan for each kind of device, and what the macros write of the plans. Nothing here is a
//! test: those count the compiler's work instead.
#![allow(missing_docs, reason = "a program")]

use netcl_fixtures::models;
use netcl_kernels::autodiff::{Arguments, append_gradients};
use netcl_kernels::compile::compile;
use netcl_kernels::emit::rust::native;
use netcl_kernels::graph::Graph;
use netcl_kernels::kir::verify::{Capabilities, verify};
use netcl_kernels::plan::{Plan, Target};
use std::time::Instant;

/// What `work` gives, and its seconds.
fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let start = Instant::now();
    let result = work();
    (result, start.elapsed().as_secs_f64())
}

/// Bytes of what the macros embed of a plan: its JSON, and Rust for the host's loops.
fn written(plan: &Plan) -> usize {
    let json = plan.to_json().expect("a plan is data").len();
    let loops = plan.loops.iter().filter_map(|kernel| native(&verify(kernel, &Capabilities::unlimited()).ok()?));
    json + loops.map(|text| text.len()).sum::<usize>()
}

fn measure(model: &str, layers: usize, graph: Graph) {
    let (step, gradients) = timed(|| append_gradients(graph, Arguments::None).expect("a loss"));
    let mut line = format!(r#"{{"model":"{model}","layers":{layers},"nodes":{}"#, step.nodes.len());
    line.push_str(&format!(r#","gradients":{gradients:.3}"#));
    let (mut total, mut launches) = (gradients, 0);
    let mut embedded = (0, 0.0);
    for target in Target::ALL {
        let (plan, seconds) = timed(|| compile(&step, target).expect("a plan"));
        line.push_str(&format!(r#","{}":{seconds:.3}"#, target.name()));
        let (bytes, writing) = timed(|| written(&plan));
        embedded = (embedded.0 + bytes, embedded.1 + writing);
        total += seconds + writing;
        launches = launches.max(plan.launches());
    }
    let (bytes, writing) = embedded;
    println!(r#"{line},"written":{writing:.3},"bytes":{bytes},"launches":{launches},"all":{total:.3}}}"#);
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let given = |name: &str| -> Vec<&String> {
        arguments.windows(2).filter(|pair| pair[0] == name).map(|pair| &pair[1]).collect()
    };
    let number = |text: &&String| text.parse::<usize>().expect("a number");
    let features = given("--features").first().map_or(64, number) as u64;
    let layers: Vec<usize> = given("--layers").iter().map(number).collect();
    let layers = if layers.is_empty() { vec![1, 2, 4, 8, 16] } else { layers };
    let models = given("--model");
    for model in ["transformer", "mlp", "cnn"] {
        if !models.is_empty() && !models.iter().any(|wanted| *wanted == model) {
            continue;
        }
        for &layers in &layers {
            let graph = match model {
                "transformer" => models::deep_transformer(layers, features),
                "mlp" => models::deep_mlp(layers, features),
                _ => models::deep_cnn(layers),
            };
            measure(model, layers, graph);
        }
    }
}
