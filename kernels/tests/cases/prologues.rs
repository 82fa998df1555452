//! Each form of a prologue makes as many launches as the cost rule says.

use crate::test;
use libtest_mimic::Trial;
use netcl_fixtures::prologues::{FORMS, LOSSES, PARTS, PrologueCase};
use netcl_kernels::autodiff::{Arguments, append_gradients};
use netcl_kernels::compile::compile;
use netcl_kernels::graph::Graph;
use netcl_kernels::plan::{Plan, Target};

fn plan(graph: &Graph, target: Target) -> Plan {
    compile(graph, target).unwrap_or_else(|error| panic!("{error}"))
}

fn launches(graph: &Graph, form: &PrologueCase) {
    for (target, expected) in [Target::Gpu, Target::Cpu].into_iter().zip(form.launches) {
        let plan = plan(graph, target);
        let steps: String = plan.steps.iter().map(|step| format!("  {}\n", step.label)).collect();
        assert_eq!(plan.launches(), expected, "launches on {}:\n{steps}", target.name());
    }
}

/// The host's products are calls of a library, which reads memory.
fn the_host_stores_what_its_products_read(form: &PrologueCase) {
    assert!(plan(&(form.build)(), Target::Host).launches() >= 2);
}

pub(crate) fn trials() -> Vec<Trial> {
    let plain = FORMS
        .iter()
        .chain(PARTS)
        .map(|form| test(format!("prologues::{}::launches", form.name), || launches(&(form.build)(), form)));
    let losses = LOSSES.iter().map(|form| {
        let graph = || append_gradients((form.build)(), Arguments::Floats).unwrap();
        test(format!("prologues::{}::launches with gradients", form.name), move || launches(&graph(), form))
    });
    let host = FORMS
        .iter()
        .map(|form| test(format!("prologues::{}::host", form.name), || the_host_stores_what_its_products_read(form)));
    plain.chain(losses).chain(host).collect()
}
