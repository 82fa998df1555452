//! Which configurations of a task are legal, which one is the default, and that a plan is of the one that was asked for.

use super::{TARGETS, with};
use netcl_fixtures::tasks::{attention_tasks, conv, product, tasks};
use netcl_kernels::compile::{CompileOptions, compile, compile_with};
use netcl_kernels::dim::{Dim, IndexWidth, Shape, Symbol};
use netcl_kernels::dtype::DType;
use netcl_kernels::graph::build::Builder;
use netcl_kernels::graph::{ConvKind, Graph, InputKind, OutputKind, ReduceOp};
use netcl_kernels::plan::{Plan, Target};
use netcl_kernels::template::{Choice, Limits, MatrixUnit};
use netcl_kernels::variant::{
    self, Conv2dTask, Defaults, Family, KernelConfig, PART, Reduction, SPLIT_K, Select, Task, Variant, candidates,
    default_config, legal, typical,
};
use std::collections::BTreeSet;

#[test]
fn every_variant_is_a_candidate_of_some_task() {
    for target in TARGETS {
        let tasks = tasks().into_iter().chain(attention_tasks());
        let all = tasks.flat_map(|task| candidates(&task, target, &typical(target)));
        let variants: BTreeSet<Variant> = all.map(|config| config.variant).collect();
        // Processors compute attention by its products and its softmax alone.
        let is_there = |variant: &Variant| target == Target::Gpu || variant.family() != Family::Attention;
        assert_eq!(variants, Variant::ALL.into_iter().filter(is_there).collect(), "{}", target.name());
    }
}

#[test]
fn products_of_halves_go_to_the_matrix_unit() {
    let unit = Limits { matrix_unit: MatrixUnit { f16: true, bf16: false, warpgroups: false }, ..typical(Target::Gpu) };
    let taken = |m, dtype, limits: &Limits| {
        let task = Task::Product(netcl_kernels::variant::Product { dtype, ..product(m, 1000, 777) });
        default_config(&task, Target::Gpu, limits).variant
    };
    assert_eq!(taken(1000, DType::F16, &unit), Variant::MatMulMma);
    assert_eq!(taken(1000, DType::BF16, &unit), Variant::MatMulRegisterTiled);
    assert_eq!(taken(1000, DType::F32, &unit), Variant::MatMulRegisterTiled);
    assert_eq!(taken(1000, DType::F16, &typical(Target::Gpu)), Variant::MatMulRegisterTiled);
    assert_eq!(taken(7, DType::F16, &unit), Variant::MatMulTiled);
}

#[test]
fn small_devices_have_candidates_too() {
    // Loops have work-groups of one size on GPUs, which nearly every GPU has; products and convolutions adapt.
    let small = |work_group| Limits {
        local_bytes: 1 << 10,
        work_group,
        units: 1,
        lanes: 1,
        between_bytes: 1 << 20,
        matrix_unit: MatrixUnit::NONE,
    };
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
        let json = plan.to_json().unwrap();
        assert_eq!(Plan::from_json(&json).unwrap(), plan);
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
        let plan = compile_with(
            &variant::graph(&task),
            Target::Gpu,
            &CompileOptions { limits, select: &Defaults, width: IndexWidth::Narrow },
        )
        .unwrap();
        assert!(plan.steps.iter().all(|step| step.local_bytes == 0), "{task}: {:?}", plan.decisions);
        let all = candidates(&task, Target::Gpu, &limits);
        assert!(!all.is_empty() && all.iter().all(|config| !config.variant.local_memory(Target::Gpu)), "{task}");
    }
    let cut = default_config(&Task::Reduction(rows(1, 1 << 20)), Target::Gpu, &limits);
    assert_eq!(cut.variant, Variant::ReductionParallel, "the parts are asked about");
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
        (ReductionParallel, rows(5000, ReduceOp::Sum, DType::BF16), ""),
        (BatchNormNaive, rows(5000, ReduceOp::Sum, DType::F32), "does not compute"),
    ] {
        for target in TARGETS {
            let found = reason(variant, &task, target);
            assert!(found.contains(why) && found.is_empty() == why.is_empty(), "{variant} for {task}: {found}");
            assert!(reason(variant, &task, Target::Host).contains("host"));
        }
    }
}
