//! Kernels that differ in names alone are one, and a plan's text holds each template once.

use netcl_fixtures::models;
use netcl_kernels::autodiff::{Arguments, append_gradients};
use netcl_kernels::compile::compile;
use netcl_kernels::dim::Shape;
use netcl_kernels::dtype::DType;
use netcl_kernels::graph::build::Builder;
use netcl_kernels::graph::{BinaryOp, Graph, InputKind, OutputKind, ReduceOp, UnaryOp};
use netcl_kernels::kir::ParamKind;
use netcl_kernels::plan::{Arg, Plan, Target, Work};
use std::collections::{BTreeMap, BTreeSet};

fn transformer(layers: usize, target: Target) -> Plan {
    let step = append_gradients(models::deep_transformer(layers, 64), Arguments::None).expect("a loss");
    compile(&step, target).expect("a plan")
}

/// The names of the kernels that steps launch, each with the positions of those steps.
fn launched(plan: &Plan) -> BTreeMap<&str, Vec<usize>> {
    let mut launched: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (position, step) in plan.steps.iter().enumerate() {
        let name = match &step.work {
            Work::Kernel { entry, .. } => entry,
            Work::Loop { .. } => &plan.loop_kernel(step).expect("a kernel of the plan's").name,
            Work::MatMul { .. } | Work::Conv2d { .. } | Work::ScatterAdd { .. } => continue,
        };
        launched.entry(name).or_default().push(position);
    }
    launched
}

#[test]
fn equal_layers_have_their_kernels_once() {
    for target in Target::ALL {
        // The first layers are not like the others: they add up what comes before them where later ones load it.
        let [eight, twelve] = [8, 12].map(|layers| transformer(layers, target));
        assert!(twelve.launches() > 5 * eight.launches() / 4);
        let [few, more] = [&eight, &twelve].map(|plan| launched(plan).len());
        assert_eq!(few, more, "on {}", target.name());
        // Names have more digits, and a launch of all that is independent has more parts, long sums of batches among them.
        assert!(twelve.source.len() <= eight.source.len() * 6 / 5, "on {}", target.name());
    }
}

#[test]
fn steps_that_read_one_part_after_another_have_their_kernels_once() {
    for target in [Target::Cpu, Target::Gpu] {
        let plans = [8, 64].map(|steps| {
            let step = append_gradients(models::unrolled(steps), Arguments::None).expect("a loss");
            compile(&step, target).expect("a plan")
        });
        let [few, more] = [&plans[0], &plans[1]].map(|plan| (plan.launches(), launched(plan).len()));
        assert!(more.0 > 4 * few.0, "{few:?}, {more:?} launches and kernels on {}", target.name());
        assert_eq!(more.1, few.1, "on {}: {:#?}", target.name(), launched(&plans[1]));
    }
}

#[test]
fn pieces_of_an_unrolled_loop_have_their_kernels_once() {
    for target in [Target::Cpu, Target::Gpu] {
        for gradient in [false, true] {
            let plans = [128, 256].map(|rounds| compile(&bent(rounds, gradient), target).expect("a plan"));
            let [few, more] = [&plans[0], &plans[1]].map(|plan| (plan.launches(), launched(plan).len()));
            assert!(more.0 > 3 * few.0 / 2, "{few:?}, {more:?} launches and kernels on {}", target.name());
            assert!(more.1 <= 8 && more.1 <= few.1 + 1, "{few:?}, {more:?} kernels on {}", target.name());
        }
    }
}

/// So many rounds of `tanh` and an addition, and the gradient of their sum.
fn bent(rounds: usize, gradient: bool) -> Graph {
    let mut b = Builder::new("bent");
    let mut h = b.input(InputKind::Parameter, "h", Shape::of(&[64, 64]), DType::F32);
    for _ in 0..rounds {
        let shift = b.constant(0.001, DType::F32);
        let bent = b.unary(UnaryOp::Tanh, h).expect("a float");
        h = b.binary(BinaryOp::Add, bent, shift).expect("two floats");
    }
    if !gradient {
        b.output(OutputKind::Result(0), h);
        return b.finish();
    }
    let loss = b.reduce(ReduceOp::Sum, h, &[0, 1], false).expect("a sum");
    b.output(OutputKind::Result(0), loss);
    append_gradients(b.finish(), Arguments::None).expect("a loss")
}

#[test]
fn steps_pass_a_kernel_what_it_takes_each_on_its_own() {
    for target in Target::ALL {
        let plan = transformer(3, target);
        for (name, steps) in launched(&plan) {
            let kinds = |position: &usize| -> Vec<&str> {
                let kind = |arg: &Arg| match arg {
                    Arg::Buffer(_) => "buffer",
                    Arg::Dim(_) | Arg::DimAs(..) | Arg::Scalar(..) | Arg::Literal(_) => "number",
                };
                plan.steps[*position].args.iter().map(kind).collect()
            };
            let first = kinds(&steps[0]);
            assert!(steps.iter().all(|position| kinds(position) == first), "{name}");
            let args: BTreeSet<String> =
                steps.iter().map(|position| format!("{:?}", plan.steps[*position].args)).collect();
            assert_eq!(args.len(), steps.len(), "{name} computes nothing twice");
            if let Some(kernel) = plan.loop_kernel(&plan.steps[steps[0]]) {
                let buffers = kernel.params.iter().map(|param| match param.kind {
                    ParamKind::Buffer(..) => "buffer",
                    _ => "number",
                });
                assert!(buffers.eq(first), "{name}");
            }
        }
    }
}

#[test]
fn a_template_stands_once_in_what_is_embedded() {
    for target in [Target::Cpu, Target::Gpu] {
        let plan = transformer(1, target);
        let first_line = "#ifndef KERNEL_NAME\n";
        let [written, built] = [plan.to_json().expect("a plan is data"), plan.source.to_string()];
        let instances = built.matches(first_line).count();
        let kept = written.matches(&first_line.replace('\n', "\\n")).count();
        assert!(instances > 8 && kept <= 3, "{instances} instances, {kept} texts on {}", target.name());
        let read: Plan = Plan::from_json(&written).expect("a plan");
        assert_eq!(read.source.to_string(), built);
    }
}
