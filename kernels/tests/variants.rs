//! Variants: what may be chosen compiles, is what is chosen, and is written down.

use netcl_kernels::compile::{Options, compile, compile_with};
use netcl_kernels::dim::{Dim, Symbol};
use netcl_kernels::dtype::DType;
use netcl_kernels::graph::build::Builder;
use netcl_kernels::graph::{Graph, InputKind, OutputKind, ReduceOp};
use netcl_kernels::plan::{ConvKind, Plan, Target};
use netcl_kernels::template::{Axis, Choice, Limits};
use netcl_kernels::variant::{
    self, Always, BatchNorm, Conv2dTask, Elementwise, KernelConfig, Product, Reduction, Select, Task, Variant,
    candidates, default_config, legal, typical,
};
use std::collections::BTreeSet;

const TARGETS: [Target; 2] = [Target::Cpu, Target::Gpu];

fn product(m: u64, n: u64, k: u64) -> Product<u64> {
    Product {
        m,
        n,
        k,
        batch: 1,
        a: Axis::K,
        b: Axis::Outer,
        aligned: k.is_multiple_of(4) && n.is_multiple_of(4),
        dtype: DType::F32,
    }
}

fn conv(kind: ConvKind) -> Conv2dTask<u64> {
    Conv2dTask {
        kind,
        images: 3,
        channels: 4,
        size: [9, 7],
        filter: [3, 3],
        out_channels: 6,
        stride: [1, 1],
        padding: [1, 1],
        dilation: [1, 1],
        groups: 1,
        dtype: DType::F32,
    }
}

/// Tasks of every family, awkward ones among them.
fn tasks() -> Vec<Task<u64>> {
    let mut tasks = Vec::new();
    for a in [Axis::K, Axis::Outer, Axis::None] {
        for b in [Axis::K, Axis::Outer, Axis::None] {
            tasks.push(Task::Product(Product { batch: 3, a, b, aligned: false, ..product(5, 20, 32) }));
        }
    }
    tasks.push(Task::Product(product(64, 64, 128)));
    tasks.push(Task::Product(product(1, 1, 1)));
    tasks.push(Task::Product(product(7, 3, 2000)));
    tasks.push(Task::Product(Product { dtype: DType::F16, ..product(64, 64, 32) }));
    tasks.push(Task::Product(Product { dtype: DType::F64, ..product(64, 64, 32) }));
    for kind in [ConvKind::Forward, ConvKind::InputGrad, ConvKind::WeightGrad] {
        tasks.push(Task::Conv2d(conv(kind)));
        tasks.push(Task::Conv2d(Conv2dTask { stride: [2, 1], dilation: [1, 2], groups: 2, ..conv(kind) }));
        tasks.push(Task::Conv2d(Conv2dTask { filter: [1, 1], padding: [0, 0], ..conv(kind) }));
    }
    for elements in [1, 5000] {
        tasks.push(Task::Elementwise(Elementwise { elements, reads: 2, dtype: DType::F32 }));
    }
    for (rows, columns) in [(1, 100_000), (300, 10), (7, 1000)] {
        for contiguous in [true, false] {
            for op in [ReduceOp::Sum, ReduceOp::Max, ReduceOp::ArgMax] {
                tasks.push(Task::Reduction(Reduction { rows, columns, contiguous, op, dtype: DType::F32 }));
            }
        }
    }
    tasks.push(Task::BatchNorm(BatchNorm { images: 4, channels: 3, pixels: 25, dtype: DType::F32 }));
    tasks
}

/// A few configurations of each variant: the first, and one for every value of every tunable.
fn some(task: &Task<u64>, target: Target) -> Vec<KernelConfig> {
    let mut seen = BTreeSet::new();
    let mut some = Vec::new();
    for config in candidates(task, target, &typical(target)) {
        let values = config.values.iter().map(|(name, value)| (config.variant, name.to_owned(), value));
        let new = values.filter(|value| seen.insert(value.clone())).count();
        if new > 0 || config.values.iter().next().is_none() {
            some.push(config);
        }
    }
    some
}

fn with(graph: &Graph, target: Target, select: &dyn Select) -> Plan {
    compile_with(graph, target, &Options { limits: typical(target), select }).unwrap()
}

#[test]
fn every_candidate_is_legal_compiles_and_is_what_was_decided() {
    for target in TARGETS {
        for task in tasks() {
            let graph = variant::graph(&task);
            if !matches!(task, Task::Product(_) | Task::Conv2d(_)) {
                continue;
            }
            for config in some(&task, target) {
                assert_eq!(legal(&config, &task, target, &typical(target)), Ok(()), "{config} for {task}");
                let plan = with(&graph, target, &Always(config.clone()));
                let first = &plan.decisions[0];
                assert_eq!(first.task.evaluate(&[]).unwrap(), task);
                assert_eq!(first.config, config, "{task} on {}", target.name());
            }
        }
    }
}

#[test]
fn the_default_is_the_first_candidate() {
    for target in TARGETS {
        for task in tasks() {
            let limits = typical(target);
            let candidates = candidates(&task, target, &limits);
            assert_eq!(candidates[0], default_config(&task, target, &limits), "{task}");
            let distinct: BTreeSet<&KernelConfig> = candidates.iter().collect();
            assert_eq!(distinct.len(), candidates.len(), "{task}");
        }
    }
}

#[test]
fn every_product_is_a_candidate_of_some_task_on_both_kinds_of_device() {
    for target in TARGETS {
        let all = tasks().into_iter().flat_map(|task| candidates(&task, target, &typical(target)));
        let variants: BTreeSet<Variant> = all.map(|config| config.variant).collect();
        let products = Variant::ALL.into_iter().filter(|variant| variant.family() == variant::Family::Product);
        assert!(products.clone().all(|variant| variants.contains(&variant)), "{}: {variants:?}", target.name());
    }
}

#[test]
fn small_devices_have_candidates_too() {
    let limits = Limits { local_bytes: 1 << 10, work_group: 1, units: 1, lanes: 1 };
    for target in TARGETS {
        for task in tasks() {
            let first = default_config(&task, target, &limits);
            if task.family() == variant::Family::Product {
                assert_eq!(legal(&first, &task, target, &limits), Ok(()), "{first} for {task}");
            }
        }
    }
}

#[test]
fn tasks_have_distinct_keys() {
    let keys: BTreeSet<String> = tasks().iter().map(ToString::to_string).collect();
    let all: BTreeSet<Task<u64>> = tasks().into_iter().collect();
    assert_eq!(keys.len(), all.len());
    assert_eq!(Task::Product(product(64, 48, 32)).to_string(), "matmul f32 m=64 n=48 k=32 batch=1 a=k b=outer aligned");
}

/// `[N, 40] x [40, 24]`.
fn linear() -> Graph {
    let mut b = Builder::new("linear");
    let rows = Dim::symbol("N");
    let shape = |dims: Vec<Dim>| netcl_kernels::dim::Shape(dims);
    let x = b.input(InputKind::Argument(0), "x", shape(vec![rows, 40.into()]), DType::F32);
    let w = b.input(InputKind::Argument(1), "w", shape(vec![40.into(), 24.into()]), DType::F32);
    let y = b.matmul(x, w).unwrap();
    b.output(OutputKind::Result(0), y);
    b.finish()
}

#[test]
fn decisions_survive_their_serialized_form_and_are_for_the_plan_s_symbols() {
    for target in TARGETS {
        let plan = compile(&linear(), target).unwrap();
        let json = serde_json::to_string(&plan).unwrap();
        assert_eq!(serde_json::from_str::<Plan>(&json).unwrap(), plan);
        let task = &plan.decisions[0].task;
        let Task::Product(known) = task.evaluate(&[(Symbol::new("N"), 7)]).unwrap() else { panic!("{task}") };
        assert_eq!([known.m, known.n, known.k], [7, 24, 40]);
        assert!(task.evaluate(&[]).unwrap_err().message.contains("`N`"));
        assert_eq!(plan.decisions[0].config, default_config(&task.estimate(), target, &typical(target)));
    }
    assert_eq!(compile(&linear(), Target::Host).unwrap().decisions, []);
}

#[test]
fn what_is_not_legal_falls_back_to_the_rule() {
    struct Wrong(KernelConfig);
    impl Select for Wrong {
        fn select(&self, _: &Task<Dim>) -> Option<KernelConfig> {
            Some(self.0.clone())
        }
    }
    let task = Task::Product(product(64, 24, 40));
    for (wrong, why) in [
        (KernelConfig::plain(Variant::Conv2dNaive), "does not compute"),
        (KernelConfig::plain(Variant::MatMulTiled), "needs a value of TILE"),
        (KernelConfig::new(Variant::MatMulTiled, Choice::new(&[("TILE", 7)])), "TILE is one of"),
        (KernelConfig::new(Variant::MatMulTiled, Choice::new(&[("TILE", 8), ("SPEED", 9)])), "no tunable SPEED"),
    ] {
        for target in TARGETS {
            let reason = legal(&wrong, &task, target, &typical(target)).unwrap_err();
            assert!(reason.contains(why), "{wrong}: {reason}");
            assert_eq!(with(&linear(), target, &Wrong(wrong.clone())), compile(&linear(), target).unwrap());
        }
    }
}
