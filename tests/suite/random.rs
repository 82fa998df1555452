//! Differential fuzzing: random graphs, fused and compiled, against the reference interpreter.

use crate::graphs::Example;
use crate::{Case, Check};
use netcl_fixtures::random_graphs::{GeneratorOptions, random_graph};
use netcl_kernels::autodiff::{Arguments, append_gradients};

/// What a difference of equal values may leave, each computed elsewhere: some units in the last place of 4, which none is far beyond.
const ROUNDINGS: f64 = 16.0 * f32::EPSILON as f64;

/// How many graphs of each kind; `NETCL_FUZZ` asks for more.
fn count() -> u64 {
    std::env::var("NETCL_FUZZ").ok().and_then(|count| count.parse().ok()).unwrap_or(24)
}

pub(crate) fn all() -> Vec<Case> {
    let mut cases = Vec::new();
    for seed in 0..count() {
        let run: Check = Box::new(move |device| {
            let drawn = random_graph(seed, &GeneratorOptions::default());
            let example = Example { graph: drawn.graph, bindings: drawn.bindings, inputs: drawn.inputs };
            example.case(device, 1e-4, ROUNDINGS)
        });
        cases.push(Case { name: format!("random::graph {seed}"), run });
        let run: Check = Box::new(move |device| {
            let options = GeneratorOptions { smooth: true, scalar: true, ..GeneratorOptions::default() };
            let drawn = random_graph(seed, &options);
            let graph = append_gradients(drawn.graph, Arguments::Floats).map_err(|error| error.to_string())?;
            let example = Example { graph, bindings: drawn.bindings, inputs: drawn.inputs };
            example.case(device, 2e-4, ROUNDINGS)
        });
        cases.push(Case { name: format!("random::gradients {seed}"), run });
    }
    cases
}
