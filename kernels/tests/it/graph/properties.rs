//! Properties of random graphs: the builder's simplifications change no value, graphs verify, print and parse, and
//! their gradients agree with differences.

use netcl_fixtures::random_graphs::{GeneratorOptions, RandomGraph, random_graph};
use netcl_kernels::autodiff::check::finite_difference_check;
use netcl_kernels::autodiff::{Arguments, append_gradients};
use netcl_kernels::dtype::DType;
use netcl_kernels::graph::interp::{HostTensor, Precision, evaluate};
use netcl_kernels::graph::text::parse;
use netcl_kernels::graph::verify::verify;
use netcl_kernels::graph::{Graph, OutputKind};

fn run(random: &RandomGraph, graph: &Graph, precision: Precision) -> Vec<(OutputKind, HostTensor)> {
    evaluate(graph, &random.bindings, &|kind, name| random.input(kind, name), precision)
        .unwrap_or_else(|error| panic!("{error}\n{graph}"))
}

fn assert_close(what: &str, graph: &Graph, a: &[(OutputKind, HostTensor)], b: &[(OutputKind, HostTensor)]) {
    assert_eq!(a.len(), b.len(), "{what}: {graph}");
    for ((kind, x), (other, y)) in a.iter().zip(b) {
        assert_eq!((kind, x.shape(), x.dtype()), (other, y.shape(), y.dtype()), "{what}: {graph}");
        for (position, (x, y)) in x.to_f64().into_iter().zip(y.to_f64()).enumerate() {
            let same = x == y || (x.is_nan() && y.is_nan()) || (x - y).abs() <= 1e-11 * x.abs().max(1.0);
            assert!(same, "{what}: {kind:?}[{position}] is {x}, not {y}\n{graph}");
        }
    }
}

#[test]
fn simplification_changes_no_value() {
    let (mut fewer, mut views) = (0, 0);
    for seed in 0..400 {
        // Of doubles: folding rounds to the type, and the interpreter's `f64` does not.
        let (jumps, steps) = (seed % 2 == 0, 6 + seed as usize % 14);
        let options = GeneratorOptions { jumps, steps, float: DType::F64, ..GeneratorOptions::default() };
        let simple = random_graph(seed, &options);
        let plain = random_graph(seed, &GeneratorOptions { simplify: false, ..options });
        let what = format!("seed {seed}");
        for precision in [Precision::F64, Precision::Typed] {
            let (a, b) = (run(&simple, &simple.graph, precision), run(&plain, &plain.graph, precision));
            if precision == Precision::F64 {
                assert_close(&what, &simple.graph, &a, &b);
            }
        }
        fewer += usize::from(simple.graph.nodes.len() < plain.graph.nodes.len());
        let count =
            |graph: &Graph| graph.nodes.iter().filter(|node| format!("{:?}", node.op).starts_with("View")).count();
        views += usize::from(count(&simple.graph) < count(&plain.graph));
    }
    // The property is about something: most graphs do get simpler.
    assert!(fewer > 200 && views > 100, "{fewer} graphs simplified, {views} of them in their views");
}

#[test]
fn graphs_verify_and_round_trip() {
    for seed in 0..200 {
        let random =
            random_graph(seed, &GeneratorOptions { jumps: true, scalar: seed % 3 == 0, ..GeneratorOptions::default() });
        let mut graph = match seed % 3 {
            0 => append_gradients(random.graph, Arguments::Floats).unwrap(),
            _ => random.graph,
        };
        // No part of the text.
        graph.limits.clear();
        verify(&graph).unwrap_or_else(|errors| panic!("seed {seed}: {errors:?}\n{graph}"));
        let text = graph.to_string();
        let parsed = parse(&text).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}"));
        assert_eq!(parsed, graph, "seed {seed}:\n{text}\n{parsed}");
    }
}

#[test]
fn the_same_seed_gives_the_same_graph() {
    for seed in [0, 1, u64::MAX] {
        let (a, b) =
            (random_graph(seed, &GeneratorOptions::default()), random_graph(seed, &GeneratorOptions::default()));
        assert_eq!((a.graph.to_string(), a.inputs), (b.graph.to_string(), b.inputs));
    }
    let texts: Vec<String> =
        (0..20).map(|seed| random_graph(seed, &GeneratorOptions::default()).graph.to_string()).collect();
    assert!((1..20).all(|i| !texts[..i].contains(&texts[i])));
}

#[test]
fn gradients_of_random_graphs() {
    let mut compared = 0;
    for seed in 0..60 {
        let random = random_graph(
            seed,
            &GeneratorOptions { smooth: true, scalar: true, steps: 8, ..GeneratorOptions::default() },
        );
        let report =
            finite_difference_check(&random.graph, &random.bindings, &|kind, name| random.input(kind, name)).unwrap();
        assert!(report.error <= 1e-6, "seed {seed}: {report}\n{}", random.graph);
        compared += report.compared;
    }
    assert!(compared > 1000, "{compared} derivatives");
}
