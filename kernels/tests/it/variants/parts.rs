//! Variants of several kernels: when a task is cut into parts, and how the parts are chosen themselves.

use super::with;
use netcl_fixtures::tasks::{conv, product};
use netcl_kernels::autodiff::{Arguments, append_gradients};
use netcl_kernels::compile::compile;
use netcl_kernels::dim::{Bindings, Dim, Shape, Symbol};
use netcl_kernels::dtype::DType;
use netcl_kernels::graph::build::Builder;
use netcl_kernels::graph::text::parse;
use netcl_kernels::graph::{ConvGeometry, ConvKind, Graph, InputKind, OutputKind, ReduceOp};
use netcl_kernels::plan::{Plan, Target};
use netcl_kernels::template::Choice;
use netcl_kernels::variant::{
    self, Always, BatchNorm, Conv2dTask, KernelConfig, PART, Product, Reduction, SPLIT_K, Select, Task, Variant,
    candidates, default_config, legal, typical,
};
use std::cell::RefCell;

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

/// Sums of one kernel share a variant; what parts of one of half precision give is not rounded.
#[test]
fn half_precision_beside_full_is_summed_in_parts_of_full() {
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
        assert_eq!(plan.decisions[0].config.variant, Variant::ReductionParallel);
    }
}

/// Parts have about as many elements as asked for, for the sizes that are known: each row is in parts of its own.
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
    for (rows, parts) in [(1, 25), (3, 75)] {
        let mut b = Builder::new("rows");
        let x = b.input(InputKind::Argument(0), "x", Shape(vec![rows.into(), Dim::symbol("N")]), DType::F32);
        let y = b.reduce(ReduceOp::Sum, x, &[0, 1], false).unwrap();
        b.output(OutputKind::Result(0), y);
        let at = At(vec![(Symbol::new("N"), 100_000)]);
        let plan = with(&b.finish(), Target::Gpu, &at);
        assert_eq!(plan.launches(), 2);
        let partial = plan.buffers.iter().filter_map(|buffer| buffer.shape.elements().evaluate(&at.0));
        assert_eq!(partial.filter(|size| (2..100_000).contains(size)).collect::<Vec<_>>(), [parts]);
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

/// A row of one element that is read beside itself, as a token shift of one token does: not where the sum of the parts has it.
#[test]
fn what_lies_beside_a_single_row_is_outside_of_a_sum_in_parts() {
    let text = "graph shift\n%0 = input argument 0 : f32[1, 4096]\n%1 = input argument 1 : f32[4096, 64]\n\
                %2 = matmul %0, %1 : f32[1, 64]\n%3 = view %2 [$0 - 1, $1] : f32[1, 64]\n%4 = add %2, %3 : f32[1, 64]\n\
                output result 0 = %4\n";
    let graph = parse(text).unwrap();
    for target in Target::ALL {
        let plan = compile(&graph, target).unwrap();
        let cut = plan.decisions.iter().any(|decision| decision.config.values.get(SPLIT_K) > 1);
        assert_eq!(cut, target == Target::Gpu, "{:?}", plan.decisions);
    }
}

/// Which axis is reduced is no matter where one row is left, and its size is a number; a plan with a symbol keeps its axes.
#[test]
fn a_single_row_lies_in_one_piece() {
    for (rows, contiguous) in [(1, true), (2, false)] {
        let task = Reduction { rows, columns: 4096, contiguous: false, op: ReduceOp::Sum, dtype: DType::F32 };
        let task = Task::Reduction(task).canonical();
        assert!(matches!(&task, Task::Reduction(own) if own.contiguous == contiguous), "{task}");
        let plan = compile(&variant::graph(&task), Target::Gpu).unwrap();
        assert_eq!(plan.decisions[0].task.evaluate(&[]).unwrap(), task);
    }
    let text = "graph columns\n%0 = input argument 0 : f32[4096, N]\n%1 = reduce sum %0 over [0] : f32[N]\noutput result 0 = %1\n";
    let plan = compile(&parse(text).unwrap(), Target::Gpu).unwrap();
    let task = plan.decisions[0].task.evaluate(&[(Symbol::new("N"), 1)]).unwrap();
    assert!(matches!(&task, Task::Reduction(own) if own.rows == 1 && !own.contiguous), "{task}");
}
