//! How many launches the plans of well-known models make.

use netcl_fixtures::models;
use netcl_kernels::autodiff::{Arguments, append_gradients};
use netcl_kernels::compile::compile;
use netcl_kernels::dim::{Dim, Symbol};
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

/// The gradient of an embedding is a sum over the updates of each row, and not over all updates for each row.
#[test]
fn the_gradient_of_an_embedding_costs_what_its_data_does() {
    let graph = append_gradients(models::bag_of_words(50_257), Arguments::None).unwrap();
    let texts = 400;
    for target in Target::ALL {
        let plan = plan(&graph, target);
        let bindings = [(Symbol::new("N"), texts)];
        let value = |dim: &Dim| dim.evaluate(&bindings).unwrap() as u64;
        let additions: u64 = plan.steps.iter().map(|step| value(step.flops.as_ref().unwrap())).sum();
        let bytes: u64 = plan.steps.iter().flat_map(|step| &step.bytes).map(value).sum();
        let data = (50_257 + texts * 12) * 16;
        assert!(additions < 8 * data, "{} operations on {}:{}", additions, target.name(), list(&plan));
        assert!(bytes < 8 * 4 * data, "{} bytes on {}:{}", bytes, target.name(), list(&plan));
        // The result is zeroed once and the rows are sorted by two digits, however many texts there are.
        let most = [("gpu", 6), ("cpu", 1), ("host", 1)];
        let most = most.iter().find(|(name, _)| *name == target.name()).unwrap().1;
        let own = plan.steps.iter().filter(|step| step.label.contains("scatter_add(")).count();
        assert_eq!(own, most, "{}:{}", target.name(), list(&plan));
    }
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
