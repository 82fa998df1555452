//! The gradient of every kernel in index form that tests and examples have, against central differences in `f64`.

use super::Crate;
use crate::dump::GRAPHS;
use netcl_kernels::autodiff::check::finite_difference_check;
use netcl_kernels::dim::Symbol;
use netcl_kernels::graph::interp::HostTensor;
use netcl_kernels::graph::{Graph, InputKind, Op};
use netcl_kernels::philox;
use std::collections::BTreeSet;
use syn::visit::{self, Visit};

/// What every symbol is: two would make many kernels too simple.
const SIZE: u64 = 3;

const SOURCES: [(&str, &str); 4] = [
    ("tests/tests/macros.rs", include_str!("../../../tests/tests/macros.rs")),
    ("tests/tests/branches.rs", include_str!("../../../tests/tests/branches.rs")),
    ("examples/custom_kernel.rs", include_str!("../../../examples/custom_kernel.rs")),
    ("README.md", include_str!("../../../README.md")),
];

/// Plays the annotated functions and the kernels of a file.
#[derive(Default)]
struct Kernels(Crate);

impl Visit<'_> for Kernels {
    fn visit_item_fn(&mut self, item: &syn::ItemFn) {
        if item.attrs.iter().any(|attr| attr.path().segments.last().is_some_and(|last| last.ident == "function")) {
            let mut item = item.clone();
            item.attrs.clear();
            self.0.function(quote::quote!(#item));
        }
        visit::visit_item_fn(self, item);
    }

    fn visit_item_macro(&mut self, item: &syn::ItemMacro) {
        if item.mac.path.segments.last().is_some_and(|last| last.ident == "kernel") {
            self.0.kernel(item.mac.tokens.clone());
        }
    }
}

/// The program of a file: all of it, or of a page the first block.
fn program(text: &str) -> &str {
    text.split_once("```rust\n").map_or(text, |(_, rest)| rest.split_once("```").map_or(rest, |(block, _)| block))
}

#[test]
fn kernels_agree_with_differences() {
    let mut checked = BTreeSet::new();
    for (file, text) in SOURCES {
        GRAPHS.take();
        let mut kernels = Kernels::default();
        kernels.visit_file(&syn::parse_file(program(text)).expect("a file that compiles"));
        kernels.0.sound();
        for (name, graph) in GRAPHS.take() {
            if name.ends_with(".vjp") || !differentiable(&graph) {
                continue;
            }
            let report = check(&graph);
            assert!(report.compared > 0 && report.error <= 1e-6, "{file}, {name}: {report}\n{graph}");
            checked.insert(name);
        }
    }
    for name in ["bias_leak", "softmax", "embed", "blur", "causal", "spread", "bias_relu", "distance", "all", "clipped"]
    {
        assert!(checked.contains(name), "{name} is not among {checked:?}");
    }
}

fn differentiable(graph: &Graph) -> bool {
    graph.outputs.iter().any(|(_, id)| graph[*id].dtype.is_float())
        && graph.iter().any(|(_, node)| matches!(node.op, Op::Input(_)) && node.dtype.is_float())
}

fn check(graph: &Graph) -> netcl_kernels::autodiff::check::Report {
    let mut symbols = BTreeSet::new();
    for (_, node) in graph.iter() {
        for dim in &node.shape.0 {
            dim.visit_symbols(&mut |symbol: &Symbol| {
                symbols.insert(symbol.clone());
            });
        }
    }
    let bindings: Vec<(Symbol, u64)> = symbols.into_iter().map(|symbol| (symbol, SIZE)).collect();
    let give = |kind: &InputKind, name: &str| {
        let (id, node) = graph.iter().find(|(_, node)| match &node.op {
            Op::Input(own) => own == kind && node.name == name,
            _ => false,
        })?;
        let shape = node.shape.evaluate(&bindings)?;
        let count: usize = shape.iter().product();
        let values: Vec<f64> = (0..count as u64)
            .map(|i| match node.dtype.is_float() {
                true => 2.0 * f64::from(philox::uniform(7, id.index() as u32, i)) - 1.0,
                false => (i % SIZE) as f64,
            })
            .collect();
        HostTensor::from_f64(node.dtype, &shape, &values).ok()
    };
    finite_difference_check(graph, &bindings, &give).expect("inputs that fit")
}
