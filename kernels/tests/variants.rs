//! Variants: what may be chosen compiles, is what is chosen, and is written down.

use netcl_kernels::autodiff::{Arguments, append_gradients};
use netcl_kernels::compile::{Options, compile, compile_with};
use netcl_kernels::dim::{Bindings, Dim, Shape, Symbol};
use netcl_kernels::dtype::DType;
use netcl_kernels::graph::build::Builder;
use netcl_kernels::graph::{ConvGeometry, ConvKind, Graph, InputKind, OutputKind, ReduceOp};
use netcl_kernels::plan::{Plan, Target};
use netcl_kernels::template::{Axis, Choice, Limits};
use netcl_kernels::variant::{
    self, Always, BatchNorm, Conv2dTask, Defaults, Elementwise, KernelConfig, PART, Product, Reduction, SPLIT_K,
    Select, Task, Variant, candidates, default_config, legal, typical,
};
use std::cell::RefCell;
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
    for (images, channels, pixels) in [(4, 3, 25), (64, 32, 3136)] {
        tasks.push(Task::BatchNorm(BatchNorm { images, channels, pixels, dtype: DType::F32 }));
    }
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
fn every_variant_is_a_candidate_of_some_task_on_both_kinds_of_device() {
    for target in TARGETS {
        let all = tasks().into_iter().flat_map(|task| candidates(&task, target, &typical(target)));
        let variants: BTreeSet<Variant> = all.map(|config| config.variant).collect();
        assert_eq!(variants, Variant::ALL.into_iter().collect(), "{}", target.name());
    }
}

#[test]
fn small_devices_have_candidates_too() {
    // Loops have work-groups of one size on GPUs, which nearly every GPU has; products and convolutions adapt.
    let small = |work_group| Limits { local_bytes: 1 << 10, work_group, units: 1, lanes: 1, between_bytes: 1 << 20 };
    for (target, work_group) in [(Target::Cpu, 1), (Target::Gpu, 256), (Target::Gpu, 255), (Target::Gpu, 1)] {
        let limits = small(work_group);
        for task in tasks() {
            let first = default_config(&task, target, &limits);
            let found = legal(&first, &task, target, &limits);
            let all = candidates(&task, target, &limits);
            if matches!(task, Task::Product(_) | Task::Conv2d(_)) || target == Target::Cpu || work_group == 256 {
                assert_eq!(found, Ok(()), "{first} for {task}");
                assert_eq!(all.first(), Some(&first));
            } else {
                let reason = found.unwrap_err();
                assert!(reason.contains(&format!("256 work-items, the device takes {work_group}")), "{reason}");
                assert_eq!(all, []);
            }
            for config in all.iter().filter(|_| target == Target::Gpu && work_group < 256) {
                assert!(!rewritten(config), "a loop is part of {config}");
            }
        }
    }
}

/// Whether loops are part of how a product or convolution is computed.
fn rewritten(config: &KernelConfig) -> bool {
    [Variant::Conv2dIm2col, Variant::Conv2dWinograd].contains(&config.variant) || config.values.get(SPLIT_K) > 1
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
    let x = b.input(InputKind::Argument(0), "x", Shape(vec![rows, 40.into()]), DType::F32);
    let w = b.input(InputKind::Argument(1), "w", Shape(vec![40.into(), 24.into()]), DType::F32);
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
        (KernelConfig::new(Variant::MatMulTiled, Choice::new(&[("TILE", 8), (SPLIT_K, 3)])), "SPLIT_K is one of"),
        (KernelConfig::new(Variant::MatMulTiled, Choice::new(&[("TILE", 8), (SPLIT_K, 16)])), "SPLIT_K divides the 40"),
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

/// Whether a variant without tunables of its own, or with its likely ones, may compute `task`.
fn reason(variant: Variant, task: &Task<u64>, target: Target) -> String {
    let config = match variant {
        Variant::ReductionParallel => KernelConfig::new(variant, Choice::new(&[(PART, 1024)])),
        Variant::Conv2dTiledLocal => {
            let values = [("TILE_Y", 8), ("TILE_X", 8), ("REG_M", 8), ("TILE_C", 4)];
            KernelConfig::new(variant, Choice::new(&values))
        }
        _ => KernelConfig::plain(variant),
    };
    legal(&config, task, target, &Limits { between_bytes: u64::MAX, ..typical(target) }).err().unwrap_or_default()
}

/// Parts of sums count like patches and tiles: kernels must be able to count them, and the device to hold them.
#[test]
fn what_lies_between_kernels_is_bounded() {
    let parts = |variant, values: &[(&'static str, u32)]| KernelConfig::new(variant, Choice::new(values));
    let naive = |parts_of| parts(parts_of, &[("LOCAL_M", 4), ("LOCAL_N", 16), (SPLIT_K, 128)]);
    let images = |kind| Task::Conv2d(Conv2dTask { images: 256, channels: 256, out_channels: 256, ..conv(kind) });
    let large = |kind| Conv2dTask { images: 1 << 8, channels: 256, size: [64, 64], out_channels: 256, ..conv(kind) };
    for (config, task, bytes, uncountable) in [
        (naive(Variant::MatMulNaive), Task::Product(product(1 << 10, 1 << 10, 1 << 10)), 1 << 29, false),
        (naive(Variant::MatMulNaive), Task::Product(product(1 << 12, 1 << 12, 1 << 10)), 1 << 33, true),
        (naive(Variant::Conv2dNaive), images(ConvKind::WeightGrad), 128 * 256 * 256 * 9 * 4, false),
        (naive(Variant::Conv2dNaive), images(ConvKind::Forward), 128 * 256 * 256 * 63 * 4, false),
        (naive(Variant::Conv2dNaive), Task::Conv2d(large(ConvKind::Forward)), 0, true),
        (naive(Variant::Conv2dNaive), Task::Conv2d(large(ConvKind::InputGrad)), 0, true),
        (KernelConfig::plain(Variant::Conv2dIm2col), images(ConvKind::Forward), 9 * 256 * 256 * 63 * 4, false),
        (
            KernelConfig::plain(Variant::Conv2dWinograd),
            images(ConvKind::Forward),
            16 * 4 * (2 * 256 * 256 * 20 + 256 * 256),
            false,
        ),
    ] {
        for target in TARGETS {
            let with = |between_bytes| legal(&config, &task, target, &Limits { between_bytes, ..typical(target) });
            let all = with(u64::MAX);
            assert_eq!(all.is_err(), uncountable, "{config} for {task}: {all:?}");
            if uncountable {
                assert!(all.unwrap_err().contains("elements, and kernels count"));
            } else {
                assert_eq!(with(bytes), Ok(()), "{config} for {task}");
                assert!(with(bytes - 1).unwrap_err().contains(&format!("write down {bytes} bytes")), "{config}");
            }
        }
    }
}

/// A GPU without local memory to use gets none, not in parts of what is rewritten either.
#[test]
fn without_local_memory_no_kernel_has_any() {
    let limits = Limits { local_bytes: 0, ..typical(Target::Gpu) };
    let rows = |rows, columns| Reduction { rows, columns, contiguous: true, op: ReduceOp::Sum, dtype: DType::F32 };
    let long = [Task::Reduction(rows(1, 1 << 20)), Task::Product(product(16, 16, 1 << 14))];
    for task in tasks().into_iter().chain(long) {
        let plan = compile_with(&variant::graph(&task), Target::Gpu, &Options { limits, select: &Defaults }).unwrap();
        assert!(plan.steps.iter().all(|step| step.local_bytes == 0), "{task}: {:?}", plan.decisions);
        let all = candidates(&task, Target::Gpu, &limits);
        assert!(!all.is_empty() && all.iter().all(|config| !config.variant.local_memory(Target::Gpu)), "{task}");
    }
    let cut = default_config(&Task::Reduction(rows(1, 1 << 20)), Target::Gpu, &limits);
    assert_eq!(cut.variant, Variant::ReductionParallel, "the parts are asked about");
}

/// Whoever chooses is asked about the parts of what is rewritten, and the plan says what they are.
#[test]
fn parts_are_tasks_like_others() {
    let task = Task::Reduction(Reduction {
        rows: 1,
        columns: 1 << 20,
        contiguous: true,
        op: ReduceOp::Sum,
        dtype: DType::F32,
    });
    struct Sequential(RefCell<Vec<Task<u64>>>);
    impl Select for Sequential {
        fn select(&self, task: &Task<Dim>) -> Option<KernelConfig> {
            let known = task.estimate();
            let long = matches!(&known, Task::Reduction(own) if own.columns > 1 << 16);
            self.0.borrow_mut().push(known);
            (!long).then(|| KernelConfig::plain(Variant::ReductionSequential))
        }
    }
    let asked = Sequential(RefCell::default());
    let plan = with(&variant::graph(&task), Target::Gpu, &asked);
    let decided: Vec<Variant> = plan.decisions.iter().map(|decision| decision.config.variant).collect();
    use Variant::{ReductionParallel, ReductionSequential};
    assert_eq!(decided, [ReductionParallel, ReductionSequential, ReductionSequential], "{:?}", plan.decisions);
    let tasks: Vec<Task<u64>> = plan.decisions.iter().map(|decision| decision.task.evaluate(&[]).unwrap()).collect();
    assert_eq!(asked.0.into_inner(), tasks);
}

#[test]
fn what_a_variant_cannot_do_is_said_with_the_reason() {
    use Variant::*;
    let kind = |kind| Task::Conv2d(conv(kind));
    let of = |change: fn(&mut Conv2dTask<u64>)| {
        let mut own = conv(ConvKind::Forward);
        change(&mut own);
        Task::Conv2d(own)
    };
    let rows = |columns, op, dtype| Task::Reduction(Reduction { rows: 2, columns, contiguous: true, op, dtype });
    for (variant, task, why) in [
        (Conv2dWinograd, kind(ConvKind::Forward), ""),
        (Conv2dWinograd, kind(ConvKind::InputGrad), ""),
        (Conv2dWinograd, kind(ConvKind::WeightGrad), "no 3x3 filter"),
        (Conv2dWinograd, of(|conv| conv.filter = [3, 2]), "not 3x2"),
        (Conv2dWinograd, of(|conv| conv.stride = [1, 2]), "stride 1"),
        (Conv2dWinograd, of(|conv| conv.groups = 2), "one group"),
        (Conv2dWinograd, of(|conv| conv.dtype = DType::F16), "f16 would round"),
        (Conv2dTiledLocal, kind(ConvKind::Forward), ""),
        (Conv2dTiledLocal, kind(ConvKind::InputGrad), "only the forward"),
        (Conv2dTiledLocal, of(|conv| (conv.size, conv.filter) = ([99, 99], [60, 60])), "bytes of local memory"),
        (Conv2dIm2col, kind(ConvKind::WeightGrad), ""),
        (Conv2dIm2col, of(|conv| conv.size = [0, 9]), "does not fit"),
        // Images of 2^29 elements: 9 patches of each, or 4 transformed pixels.
        (Conv2dIm2col, of(|conv| (conv.images, conv.size) = (1 << 13, [128, 128])), "write down 4831838208 elements"),
        (Conv2dIm2col, of(|conv| (conv.images, conv.size) = (1 << 11, [128, 128])), ""),
        (Conv2dWinograd, of(|conv| (conv.images, conv.size) = (1 << 13, [128, 128])), "write down 3221225472 elements"),
        (Conv2dWinograd, of(|conv| (conv.images, conv.size) = (1 << 12, [128, 128])), ""),
        (Conv2dWinograd, of(|conv| (conv.channels, conv.out_channels) = (1 << 14, 1 << 14)), "write down 4294967296"),
        (Conv2dIm2col, of(|conv| (conv.images, conv.size) = (1 << 40, [1 << 30, 9])), "write down"),
        (ReductionParallel, rows(5000, ReduceOp::Sum, DType::F32), ""),
        (ReductionParallel, rows(1000, ReduceOp::Sum, DType::F32), "no longer than a part"),
        (ReductionParallel, rows(5000, ReduceOp::ArgMin, DType::F32), "places"),
        (ReductionParallel, rows(5000, ReduceOp::Sum, DType::BF16), "bf16 would round"),
        (BatchNormNaive, rows(5000, ReduceOp::Sum, DType::F32), "does not compute"),
    ] {
        for target in TARGETS {
            let found = reason(variant, &task, target);
            assert!(found.contains(why) && found.is_empty() == why.is_empty(), "{variant} for {task}: {found}");
            assert!(reason(variant, &task, Target::Host).contains("host"));
        }
    }
}

/// A GPU is kept busy by parts of a sum where the result has few tiles; a CPU has enough to do.
#[test]
fn long_sums_are_cut_on_gpus_alone() {
    let parts = |task: &Task<u64>, target| default_config(task, target, &typical(target)).values.get(SPLIT_K);
    // The weight's gradient of a first layer: 32 filters of 9 taps over 64 images of 26 by 26 pixels.
    let images = Conv2dTask { images: 64, channels: 1, size: [28, 28], out_channels: 32, ..conv(ConvKind::WeightGrad) };
    for (task, cut) in [
        (Task::Conv2d(images.clone()), true),
        (Task::Conv2d(Conv2dTask { kind: ConvKind::Forward, ..images }), false),
        (Task::Product(product(64, 64, 4096)), true),
        (Task::Product(product(2048, 2048, 4096)), false),
        (Task::Product(product(64, 64, 512)), false),
        (Task::Product(Product { dtype: DType::F16, ..product(64, 64, 4096) }), true),
    ] {
        assert_eq!(parts(&task, Target::Gpu) > 1, cut, "{task}");
        assert_eq!(parts(&task, Target::Cpu), 0, "{task}");
    }
}

/// What is cut for one batch size is cut for all of them.
#[test]
fn sums_are_cut_by_the_rule_only_where_no_symbol_decides_how_many_results_there_are() {
    let parts = |graph: &Graph| {
        let plan = compile(graph, Target::Gpu).unwrap();
        let parts = plan.decisions[0].config.values.get(SPLIT_K);
        assert_eq!(plan.launches() > 1, parts > 1);
        parts
    };
    let matrix = |b: &mut Builder, position, rows: &Dim, columns: &Dim| {
        b.input(InputKind::Argument(position), "x", Shape(vec![rows.clone(), columns.clone()]), DType::F32)
    };
    for (rows, cut) in [(Dim::from(64), true), (Dim::symbol("N"), false)] {
        let mut b = Builder::new("linear");
        let (x, w) = (matrix(&mut b, 0, &rows, &4096.into()), matrix(&mut b, 1, &4096.into(), &64.into()));
        let y = b.matmul(x, w).unwrap();
        b.output(OutputKind::Result(0), y);
        assert_eq!(parts(&b.finish()) > 1, cut, "{rows}");
    }
    let geometry = ConvGeometry { stride: [1, 1], padding: [0, 0], dilation: [1, 1], groups: 1 };
    let images = |b: &mut Builder, position, images: &Dim, channels: usize, size: usize| {
        let shape = Shape([images.clone()].into_iter().chain([channels, size, size].map(Dim::from)).collect());
        b.input(InputKind::Argument(position), "x", shape, DType::F32)
    };
    for (batch, cut) in [(Dim::from(1), true), (Dim::symbol("N"), false)] {
        let mut b = Builder::new("forward");
        let x = images(&mut b, 0, &batch, 512, 3);
        let w = images(&mut b, 1, &4.into(), 512, 3);
        let y = b.conv2d(x, w, geometry).unwrap();
        b.output(OutputKind::Result(0), y);
        assert_eq!(parts(&b.finish()) > 1, cut, "{batch}");
    }
    // 32 filters of 9 taps, whatever the number of images; the convolution and its other gradient stay whole.
    let mut b = Builder::new("gradients");
    let n = Dim::symbol("N");
    let (x, w) = (images(&mut b, 0, &n, 1, 28), images(&mut b, 1, &32.into(), 1, 3));
    let y = b.conv2d(x, w, geometry).unwrap();
    let sum = b.reduce(ReduceOp::Sum, y, &[0, 1, 2, 3], false).unwrap();
    b.output(OutputKind::Result(0), sum);
    let graph = append_gradients(b.finish(), Arguments::Floats).unwrap();
    let decisions = compile(&graph, Target::Gpu).unwrap().decisions;
    let cut = |wanted: ConvKind| {
        let own = decisions.iter().find(|own| matches!(&own.task, Task::Conv2d(conv) if conv.kind == wanted));
        own.unwrap().config.values.get(SPLIT_K) > 1
    };
    assert_eq!([ConvKind::Forward, ConvKind::InputGrad, ConvKind::WeightGrad].map(cut), [false, false, true]);
}

#[test]
fn few_long_rows_are_reduced_in_two_launches_on_gpus() {
    let task = |rows, columns| {
        Task::Reduction(Reduction { rows, columns, contiguous: true, op: ReduceOp::Sum, dtype: DType::F32 })
    };
    let variant = |task: &Task<u64>, target| default_config(task, target, &typical(target)).variant;
    assert_eq!(variant(&task(1, 1 << 20), Target::Gpu), Variant::ReductionParallel);
    assert_eq!(variant(&task(1000, 1 << 20), Target::Gpu), Variant::ReductionWorkGroup);
    assert_eq!(variant(&task(1, 1000), Target::Gpu), Variant::ReductionWorkGroup);
    assert_eq!(variant(&task(1, 10), Target::Gpu), Variant::ReductionSequential);
    assert_eq!(variant(&task(1, 1 << 20), Target::Cpu), Variant::ReductionSequential);
    let plan = compile(&variant::graph(&task(3, 1 << 20)), Target::Gpu).unwrap();
    assert_eq!(plan.launches(), 2);
}

/// An answer for sizes at hand is judged by those, not by the likely ones.
#[test]
fn answers_are_legal_for_the_sizes_that_they_are_for() {
    struct For(Vec<(Symbol, u64)>, KernelConfig);
    impl Select for For {
        fn select(&self, task: &Task<Dim>) -> Option<KernelConfig> {
            Always(self.1.clone()).select(task)
        }

        fn sizes(&self) -> Bindings<'_> {
            &self.0
        }
    }
    let mut b = Builder::new("rows");
    // Nobody says what R is: that makes C no less known.
    let x = b.input(InputKind::Argument(0), "x", Shape(vec![Dim::symbol("R"), Dim::symbol("C")]), DType::F32);
    let y = b.reduce(ReduceOp::Sum, x, &[1], false).unwrap();
    b.output(OutputKind::Result(0), y);
    let graph = b.finish();
    let config = KernelConfig::new(Variant::ReductionParallel, Choice::new(&[(PART, 16384)]));
    let launches = |columns: u64| {
        let select = For(vec![(Symbol::new("C"), columns)], config.clone());
        with(&graph, Target::Gpu, &select).launches()
    };
    assert_eq!([1000, 100_000].map(launches), [1, 2]);
    assert_eq!(with(&graph, Target::Gpu, &Always(config.clone())).launches(), 1);
}

/// Sums of one kernel share a variant: one of half precision must not be cut because another one may be.
#[test]
fn half_precision_beside_full_is_not_summed_in_parts() {
    let mut b = Builder::new("beside");
    for (position, dtype) in [DType::F32, DType::F16].into_iter().enumerate() {
        let x = b.input(InputKind::Argument(position), &format!("x{position}"), Shape::of(&[100_000]), dtype);
        let sum = b.reduce(ReduceOp::Sum, x, &[0], false).unwrap();
        b.output(OutputKind::Result(position), sum);
    }
    let graph = b.finish();
    let in_parts = KernelConfig::new(Variant::ReductionParallel, Choice::new(&[(PART, 4096)]));
    for plan in [compile(&graph, Target::Gpu).unwrap(), with(&graph, Target::Gpu, &Always(in_parts))] {
        let half: Vec<_> = plan.buffers.iter().filter(|buffer| buffer.dtype == DType::F16).collect();
        assert_eq!(half.len(), 2, "the argument and the result, no parts: {half:?}");
        assert!(plan.decisions.iter().all(|decision| decision.config.variant != Variant::ReductionParallel));
    }
}

/// Of a matrix with one row, the long axis is cut, for the sizes that are known: the partial results are few.
#[test]
fn parts_are_planned_for_the_sizes_at_hand() {
    struct At(Vec<(Symbol, u64)>);
    impl Select for At {
        fn select(&self, task: &Task<Dim>) -> Option<KernelConfig> {
            Always(KernelConfig::new(Variant::ReductionParallel, Choice::new(&[(PART, 4096)]))).select(task)
        }

        fn sizes(&self) -> Bindings<'_> {
            &self.0
        }
    }
    for rows in [1, 3] {
        let mut b = Builder::new("rows");
        let x = b.input(InputKind::Argument(0), "x", Shape(vec![rows.into(), Dim::symbol("N")]), DType::F32);
        let y = b.reduce(ReduceOp::Sum, x, &[0, 1], false).unwrap();
        b.output(OutputKind::Result(0), y);
        let at = At(vec![(Symbol::new("N"), 100_000)]);
        let plan = with(&b.finish(), Target::Gpu, &at);
        assert_eq!(plan.launches(), 2);
        let partial = plan.buffers.iter().filter_map(|buffer| buffer.shape.elements().evaluate(&at.0));
        assert_eq!(partial.filter(|size| (2..100_000).contains(size)).collect::<Vec<_>>(), [25]);
    }
}

/// Parts of a sum of unknown length take turns, so that they cannot be read in vectors: what computes them instead stands in
/// the decisions.
#[test]
fn a_part_that_is_computed_in_another_way_is_noted() {
    let mut b = Builder::new("turns");
    let terms = Dim::symbol("S") * Dim::from(4);
    let x = b.input(InputKind::Argument(0), "x", Shape(vec![64.into(), terms.clone()]), DType::F32);
    let w = b.input(InputKind::Argument(1), "w", Shape(vec![terms, 64.into()]), DType::F32);
    let y = b.matmul(x, w).unwrap();
    b.output(OutputKind::Result(0), y);
    let graph = b.finish();
    let task = compile(&graph, Target::Gpu).unwrap().decisions[0].task.clone();
    let limits = typical(Target::Gpu);
    let staged = candidates(&task.estimate(), Target::Gpu, &limits)
        .into_iter()
        .find(|config| config.values.get("STAGE") == 4 && config.values.get(SPLIT_K) == 2)
        .unwrap();
    let plan = with(&graph, Target::Gpu, &Always(staged.clone()));
    assert_eq!(plan.decisions[0].config, staged);
    let [_, part, _] = &plan.decisions[..] else { panic!("{:?}", plan.decisions) };
    assert!(matches!(&part.task, Task::Product(part) if part.batch.is(2)), "{}", part.task);
    assert_eq!(legal(&part.config, &part.task.estimate(), Target::Gpu, &limits), Ok(()));
    // A part that is computed as was decided needs no words; the sum of the parts is a task of its own.
    let tiled = KernelConfig::new(Variant::MatMulTiled, Choice::new(&[("TILE", 16), (SPLIT_K, 2)]));
    assert_eq!(with(&graph, Target::Gpu, &Always(tiled)).decisions.len(), 2);
}

/// The statistics of large images: whatever is decided about them is what is done, and is said.
#[test]
fn large_batches_are_normalised_as_decided() {
    use Variant::*;
    let task = Task::BatchNorm(BatchNorm { images: 64, channels: 32, pixels: 3136, dtype: DType::F32 });
    let graph = variant::graph(&task);
    let variants = |plan: &Plan| plan.decisions.iter().map(|own| own.config.variant).collect::<Vec<_>>();
    let fused = Always(KernelConfig::plain(BatchNormFused));
    let naive = Always(KernelConfig::plain(BatchNormNaive));
    let plan = with(&graph, Target::Gpu, &fused);
    assert_eq!((variants(&plan), plan.launches()), (vec![BatchNormFused, ReductionWorkGroup], 1));
    for plan in [compile(&graph, Target::Gpu).unwrap(), with(&graph, Target::Gpu, &naive)] {
        assert_eq!(variants(&plan)[..2], [BatchNormNaive, ReductionParallel]);
        // Two for each of mean and variance, and the normalised values.
        assert_eq!(plan.launches(), 5);
    }
    // Also where somebody wants all reductions in parts.
    struct Parts;
    impl Select for Parts {
        fn select(&self, task: &Task<Dim>) -> Option<KernelConfig> {
            Some(match task {
                Task::BatchNorm(_) => KernelConfig::plain(BatchNormFused),
                _ => KernelConfig::new(ReductionParallel, Choice::new(&[(PART, 4096)])),
            })
        }
    }
    for (target, loops) in [(Target::Gpu, ReductionWorkGroup), (Target::Cpu, ReductionSequential)] {
        let plan = with(&graph, target, &Parts);
        assert_eq!((variants(&plan), plan.launches()), (vec![BatchNormFused, loops], 1));
    }
}
