//! How many launches the plans of well-known models make.

#[path = "common/models.rs"]
mod models;

use netcl_kernels::autodiff::{Arguments, append_gradients};
use netcl_kernels::compile::compile;
use netcl_kernels::graph::Graph;
use netcl_kernels::plan::{Plan, Target};

fn plan(graph: &Graph, target: Target) -> Plan {
    compile(graph, target).unwrap_or_else(|error| panic!("{error}"))
}

fn list(plan: &Plan) -> String {
    plan.steps.iter().map(|step| format!("\n  {}", step.label)).collect()
}

/// `most` launches for the function, and for it with its gradients (the optimizer's one launch not among them).
fn check(name: &str, forward: &Graph, loss: Graph, most: [usize; 2]) {
    let step = append_gradients(loss, Arguments::None).unwrap();
    for target in [Target::Gpu, Target::Cpu] {
        for (what, graph, most) in [("forward", forward, most[0]), ("with gradients", &step, most[1])] {
            let plan = plan(graph, target);
            let count = plan.launches();
            assert!(count <= most, "{name} {what} on {}: {count} launches:{}", target.name(), list(&plan));
        }
    }
    // The host's products are calls of a library, with loops between them: no count, but they must compile.
    assert!(plan(&step, Target::Host).launches() > 0);
}

#[test]
fn mlp() {
    check("MLP", &models::mlp([64, 32, 10], false), models::mlp([64, 32, 10], true), [2, 8]);
}

#[test]
fn cnn() {
    check("CNN", &models::cnn(8, 1, false), models::cnn(8, 1, true), [5, 21]);
}

#[test]
fn transformer_block() {
    check("block", &models::transformer_block(false), models::transformer_block(true), [9, 30]);
}

/// Hooks that a template calls and nobody defines fall back to defaults, which name parameters that instances lack.
#[test]
fn large_products_store_through_their_epilogue() {
    for target in [Target::Gpu, Target::Cpu] {
        for graph in [models::mlp([256, 512, 128], true), models::cnn(28, 0, true)] {
            let plan = plan(&append_gradients(graph, Arguments::None).unwrap(), target);
            let source = plan.source.to_string();
            // Each instance defines its name; the template's own default stands behind `#ifndef`.
            let instances = source.matches("#ifndef KERNEL_NAME").count();
            let stores = source.matches("#define STORE_VECTOR(batch_").count();
            let scalar = source.matches("matmul_naive_store(").count() + source.matches("matmul_tiled_store(").count();
            assert!(instances > 3, "{instances} instances");
            assert!(
                stores + scalar >= instances,
                "{stores} vector stores in {instances} instances on {}",
                target.name()
            );
        }
    }
}
