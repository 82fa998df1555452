//! What is known about devices of a kind before anything is measured: one table.

use crate::device::{Avoid, DeviceKind, DeviceProfile, KernelStrategy, Vendor};
use netcl_hal::config::{self, variants::VariantSwitches};
use netcl_kernels::dim::saturating_product;
use netcl_kernels::dtype::DType;
use netcl_kernels::plan::Target;
use netcl_kernels::template::{Limits, MatrixUnit};
use netcl_kernels::variant::{
    Conv2dTask, KernelConfig, Task, Variant, candidates, default_config, initial_config, legal, typical,
};

/// What the rules may go by.
#[derive(Clone, Debug)]
pub(super) struct Circumstances {
    pub(super) profile: DeviceProfile,
    pub(super) limits: Limits,
    pub(super) strategy: KernelStrategy,
    /// Which variants the user lets be picked.
    pub(super) variants: VariantSwitches,
}

impl Circumstances {
    pub(super) fn of(profile: &DeviceProfile) -> Circumstances {
        // A bad value of a variable is reported where a device is asked for.
        let config = config::get().ok();
        let strategy = config.and_then(|config| config.kernel_strategy).unwrap_or_else(|| profile.kernel_strategy());
        Circumstances {
            limits: limits(profile, strategy),
            strategy,
            variants: config.map(|config| config.variants).unwrap_or_default(),
            profile: profile.clone(),
        }
    }

    /// Whether a variant may be picked and measured. What a program asks for by name need only be legal.
    pub(super) fn allows(&self, variant: Variant) -> bool {
        self.variants.allow(variant) && !self.profile.avoids(Avoid::Variant(variant))
    }
}

/// Which part of its largest allocation a device gives to what lies between the kernels of one variant: what else a call
/// needs lies in the same arena.
const BETWEEN: u64 = 4;

/// What the device really has, where that is known, and may be used.
pub(super) fn limits(profile: &DeviceProfile, strategy: KernelStrategy) -> Limits {
    let typical = typical(profile.target);
    let [x, y, _] = profile.max_work_items.map(|items| items as u64);
    let most = match (profile.max_work_group as u64, x.min(y)) {
        (0, _) => typical.work_group.into(),
        (most, 0) => most,
        // Work-groups are long along one of the first two axes.
        (most, axis) => most.min(axis),
    };
    Limits {
        local_bytes: match (strategy, profile.local_memory.usable) {
            (KernelStrategy::Portable, _) => 0,
            (KernelStrategy::Optimized, 0) => typical.local_bytes,
            (KernelStrategy::Optimized, bytes) => bytes,
        },
        work_group: u32::try_from(most).unwrap_or(u32::MAX),
        units: profile.compute_units.max(1),
        // GPUs have their lanes in work-items, whatever vectors a driver likes.
        lanes: match (profile.target, profile.vector_lanes) {
            (Target::Gpu, _) | (_, 0) => typical.lanes,
            (Target::Cpu | Target::Host, lanes) => lanes,
        },
        between_bytes: match profile.max_allocation {
            0 => u64::MAX,
            bytes => bytes / BETWEEN,
        },
        matrix_unit: profile.ptx.map_or(MatrixUnit::NONE, |ptx| MatrixUnit {
            f16: ptx.mma_f16,
            bf16: ptx.mma_bf16,
            warpgroups: ptx.wgmma,
        }),
    }
}

/// One thing that is known.
struct Rule {
    /// What, and why.
    why: &'static str,
    applies: fn(&Task<u64>, &Circumstances) -> bool,
    /// What to take then.
    variant: Variant,
}

/// The first that applies and whose variant can do the task is taken.
static RULES: &[Rule] = &[
    Rule {
        why: "NETCL_CONV_TILED_LOCAL asks for tiles of the image in local memory where outputs are small",
        applies: |task, circumstances| is_gpu(circumstances) && is_small_convolution(task),
        variant: Variant::Conv2dTiledLocal,
    },
    Rule {
        why: "Winograd's algorithm saves 5 of 9 multiplications of a 3×3 convolution, and GPUs have the bandwidth for its transforms",
        applies: |task, circumstances| is_gpu(circumstances) && wants_winograd(task),
        variant: Variant::Conv2dWinograd,
    },
    Rule {
        why: "finding the pixels of a convolution takes longer than writing down its patches where there is much to multiply",
        applies: |task, circumstances| {
            is_gpu(circumstances) && matches!(task, Task::Conv2d(conv) if is_large_convolution(conv))
        },
        variant: Variant::Conv2dIm2col,
    },
    Rule {
        why: "NVIDIA's GPUs want vectors for long maps: on an H200 they are 1.09 times as fast at 2^22 elements, 1.11 times at 2^26",
        applies: |task, circumstances| {
            is_gpu(circumstances) && circumstances.profile.vendor == Vendor::Nvidia && is_long_map(task)
        },
        variant: Variant::ElementwiseVector,
    },
    Rule {
        why: "few long rows keep a GPU busy in parts only, and how long rows are that a symbol decides is not known before: \
              on an H200 a sum of 2^22 elements takes one work-group 1.6 ms",
        applies: |task, circumstances| is_gpu(circumstances) && is_few_long_rows(task, circumstances),
        variant: Variant::ReductionParallel,
    },
    Rule {
        why: "statistics of few channels are few long rows: on an H100 those of 64 channels of 65,536 pixels take 1.2 ms in one kernel",
        applies: |task, circumstances| {
            is_gpu(circumstances) && is_by_default(task, Variant::BatchNormNaive, circumstances)
        },
        variant: Variant::BatchNormNaive,
    },
    Rule {
        why: "large products want the tiles that are best for their size, and a symbol counted as 64 when the plan's were chosen: \
              on an H100 a product of 4096³ whose sizes are symbols is computed at 3.4 TFLOP/s otherwise",
        applies: |task, circumstances| {
            is_gpu(circumstances)
                && is_large_product(task)
                && is_by_default(task, Variant::MatMulRegisterTiled, circumstances)
        },
        variant: Variant::MatMulRegisterTiled,
    },
    Rule {
        why: "a matrix unit multiplies halves: on an H100 more than ten times as fast as multiply-adds do at 4096",
        applies: |task, circumstances| is_gpu(circumstances) && is_by_default(task, Variant::MatMulMma, circumstances),
        variant: Variant::MatMulMma,
    },
    Rule {
        why: "where warpgroups multiply, attention is fastest as one kernel, whose scores never lie in memory",
        applies: |task, circumstances| {
            let unit = circumstances.limits.matrix_unit;
            is_gpu(circumstances)
                && unit.warpgroups
                && matches!(task, Task::Attention(own) if unit.multiplies(own.dtype))
        },
        variant: Variant::AttentionFused,
    },
];

fn is_gpu(circumstances: &Circumstances) -> bool {
    circumstances.profile.kind == DeviceKind::Gpu && circumstances.strategy == KernelStrategy::Optimized
}

/// Whether a map is of so many elements that memory is all that it waits for.
fn is_long_map(task: &Task<u64>) -> bool {
    matches!(task, Task::Elementwise(map) if map.elements >= 1 << 22 && map.dtype == DType::F32)
}

/// Whether a product is of so many multiply-adds that building a kernel for it pays soon.
fn is_large_product(task: &Task<u64>) -> bool {
    matches!(task, Task::Product(own) if saturating_product([own.batch, own.m, own.n, own.k]) >= 1 << 28)
}

/// The same of a convolution or one of its gradients, each of whose groups is a product worth the name.
fn is_large_convolution(conv: &Conv2dTask<u64>) -> bool {
    conv.problem().is_some_and(|own| {
        saturating_product([own.batch, own.m, own.n, own.k]) >= 1 << 26 && own.m.min(own.n).min(own.k) >= 8
    })
}

/// Whether a reduction is one that the compiler's rule would cut, had it known the sizes.
fn is_few_long_rows(task: &Task<u64>, circumstances: &Circumstances) -> bool {
    is_by_default(task, Variant::ReductionParallel, circumstances)
}

/// Whether the compiler's rule would take the variant, had it known the sizes and the device.
fn is_by_default(task: &Task<u64>, variant: Variant, circumstances: &Circumstances) -> bool {
    let Circumstances { profile, limits, .. } = circumstances;
    variant.family() == task.family() && default_config(task, profile.target, limits).variant == variant
}

/// Whether a convolution of more than one tap has at most so many pixels for results that few tiles cover them.
fn is_small_convolution(task: &Task<u64>) -> bool {
    const MOST: u64 = 32;
    let Task::Conv2d(conv) = task else { return false };
    let small = conv.conv().0.out_size().is_some_and(|[height, width]| height <= MOST && width <= MOST);
    small && conv.filter != [1; 2]
}

/// Whether there is so much to multiply that the transforms are worth their launches.
fn wants_winograd(task: &Task<u64>) -> bool {
    match task {
        Task::Conv2d(conv) => {
            let pixels = conv.images.saturating_mul(conv.size[0]).saturating_mul(conv.size[1]);
            conv.channels >= 64 && conv.out_channels >= 64 && pixels >= 1 << 12
        }
        _ => false,
    }
}

/// What the rules say: a configuration and why.
pub(super) fn pick(task: &Task<u64>, circumstances: &Circumstances) -> Option<(KernelConfig, &'static str)> {
    let rules = RULES.iter().filter(|rule| circumstances.allows(rule.variant));
    let (target, limits) = (circumstances.profile.target, &circumstances.limits);
    rules.filter(|rule| (rule.applies)(task, circumstances)).find_map(|rule| {
        let default = default_config(task, target, limits);
        let initial = match default.variant == rule.variant {
            true => default,
            false => initial_config(task, rule.variant, target, limits),
        };
        let config = match legal(&initial, task, target, limits) {
            Ok(()) => initial,
            Err(_) => candidates(task, target, limits).into_iter().find(|config| config.variant == rule.variant)?,
        };
        Some((config, rule.why))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::{LocalMemory, Quirk};
    use crate::select::testing::{conv, product};
    use netcl_kernels::graph::{AttentionKind, ConvKind, ReduceOp};
    use netcl_kernels::variant::{AttentionTask, Elementwise, Reduction};

    fn gpu() -> Circumstances {
        let profile = DeviceProfile::unknown("gpu", DeviceKind::Gpu, Target::Gpu).with(|profile| {
            profile.max_work_group = 1024;
            profile.max_work_items = [1024; 3];
            profile.local_memory = LocalMemory { reported: 48 << 10, usable: 48 << 10, dedicated: true };
            profile.fp16 = true;
            profile.compute_units = 64;
        });
        let strategy = KernelStrategy::Optimized;
        let limits = limits(&profile, strategy);
        Circumstances { profile, limits, strategy, variants: VariantSwitches::default() }
    }

    /// The same, where the user switches a variant.
    fn gpu_with(variant: Variant, on: bool) -> Circumstances {
        Circumstances { variants: VariantSwitches::default().with(variant, on), ..gpu() }
    }

    #[test]
    fn rules_that_are_asked_for_name_their_variable() {
        for rule in RULES {
            if let Some(variable) = config::variants::asked_for_by(rule.variant) {
                assert!(rule.why.contains(variable), "{}: {}", rule.variant.name(), rule.why);
            }
        }
    }

    #[test]
    fn products_of_halves_go_to_a_matrix_unit() {
        let halves = |dtype| match product(500, 400, 300) {
            Task::Product(own) => Task::Product(netcl_kernels::variant::Product { dtype, ..own }),
            other => other,
        };
        let with = gpu().profile.with(|profile| {
            profile.ptx = Some(crate::Ptx { mma_f16: true, mma_bf16: false, mma_tf32: false, wgmma: false });
        });
        let with = Circumstances { limits: limits(&with, KernelStrategy::Optimized), profile: with, ..gpu() };
        let taken =
            |dtype, circumstances: &Circumstances| pick(&halves(dtype), circumstances).map(|(own, _)| own.variant);
        assert_eq!(taken(DType::F16, &with), Some(Variant::MatMulMma));
        assert_eq!(taken(DType::BF16, &with), None);
        assert_eq!(taken(DType::F32, &with), None);
        assert_eq!(taken(DType::F16, &gpu()), None);
    }

    #[test]
    fn attention_is_one_kernel_where_warpgroups_multiply() {
        let attention = |dtype| {
            let kind = AttentionKind::Forward;
            let [queries, keys] = [500, 400];
            Task::Attention(AttentionTask {
                kind,
                batch: 3,
                queries,
                keys,
                width: 64,
                value_width: 64,
                causal: true,
                dtype,
            })
        };
        let unit = gpu().profile.with(|profile| {
            profile.ptx = Some(crate::Ptx { mma_f16: true, mma_bf16: false, mma_tf32: false, wgmma: true });
        });
        let unit = Circumstances { limits: limits(&unit, KernelStrategy::Optimized), profile: unit, ..gpu() };
        let taken =
            |dtype, circumstances: &Circumstances| pick(&attention(dtype), circumstances).map(|own| own.0.variant);
        assert_eq!(taken(DType::F16, &unit), Some(Variant::AttentionFused));
        assert_eq!(taken(DType::BF16, &unit), None);
        assert_eq!(taken(DType::F16, &gpu()), None);
    }

    #[test]
    fn portable_devices_get_no_local_memory() {
        let gpu = gpu();
        assert_eq!(limits(&gpu.profile, KernelStrategy::Portable).local_bytes, 0);
        assert_eq!(limits(&gpu.profile, KernelStrategy::Optimized).local_bytes, 48 << 10);
    }

    #[test]
    fn convolutions_tiled_in_local_memory_are_asked_for() {
        assert!(!gpu().allows(Variant::Conv2dTiledLocal));
        let asked = gpu_with(Variant::Conv2dTiledLocal, true);
        assert!(asked.allows(Variant::Conv2dTiledLocal));
        let picked =
            |task: &Task<u64>, circumstances: &Circumstances| pick(task, circumstances).map(|(config, _)| config);
        let small = conv(4, 16, 28, 3);
        let config = picked(&small, &asked).unwrap();
        assert_eq!(
            config.to_string(),
            "conv2d_tiled_local TILE_Y=8 TILE_X=16 REG_M=8 TILE_C=4",
            "as its template begins"
        );
        assert_eq!(picked(&small, &gpu()), None);
        for other in [conv(4, 16, 56, 3), conv(32, 16, 28, 1), product(64, 64, 64)] {
            assert_eq!(picked(&other, &asked), None, "{other}");
        }
        let Task::Conv2d(small) = small else { unreachable!() };
        let gradient = Task::Conv2d(Conv2dTask { kind: ConvKind::InputGrad, ..small });
        assert_eq!(picked(&gradient, &asked), None, "it computes the convolution alone");
        assert_eq!(picked(&gradient, &Circumstances { strategy: KernelStrategy::Portable, ..asked }), None);
    }

    #[test]
    fn winograd_is_for_many_channels_on_gpus() {
        let mut large = conv(32, 64, 28, 3);
        let Task::Conv2d(task) = &mut large else { unreachable!() };
        task.out_channels = 64;
        let rule = RULES.iter().find(|rule| rule.variant == Variant::Conv2dWinograd).unwrap();
        let applies = |task: &Task<u64>, circumstances: &Circumstances| (rule.applies)(task, circumstances);
        assert!(applies(&large, &gpu()));
        assert!(pick(&large, &gpu()).is_some() && gpu().allows(Variant::Conv2dWinograd));
        let without = gpu_with(Variant::Conv2dWinograd, false);
        let other = pick(&large, &without).map(|(config, _)| config.variant);
        assert_eq!(other, Some(Variant::Conv2dIm2col));
        assert!(!without.allows(Variant::Conv2dWinograd));
        assert!(!applies(&large, &Circumstances { strategy: KernelStrategy::Portable, ..gpu() }));
        assert!(!applies(&conv(32, 64, 28, 3), &gpu()), "8 channels out");
        assert!(!applies(&product(512, 512, 512), &gpu()));
    }

    #[test]
    fn large_convolutions_on_gpus_are_products_of_patches() {
        let picked = |conv: Conv2dTask<u64>, circumstances: &Circumstances| {
            pick(&Task::Conv2d(conv), circumstances).map(|(config, _)| config.variant)
        };
        let Task::Conv2d(large) = conv(32, 64, 28, 3) else { unreachable!() };
        let small = Conv2dTask { images: 4, ..large.clone() };
        assert_eq!(picked(small.clone(), &gpu()), None);
        for kind in [ConvKind::Forward, ConvKind::InputGrad, ConvKind::WeightGrad] {
            let own = Conv2dTask { kind, ..large.clone() };
            assert_eq!(picked(own.clone(), &gpu()), Some(Variant::Conv2dIm2col), "{kind:?}");
            let portable = Circumstances { strategy: KernelStrategy::Portable, ..gpu() };
            assert_eq!(picked(own, &portable), None, "{kind:?}");
        }
        let halves = Circumstances {
            limits: Limits { matrix_unit: MatrixUnit { f16: true, bf16: true, warpgroups: false }, ..gpu().limits },
            ..gpu()
        };
        let wide = Conv2dTask { channels: 64, out_channels: 64, dtype: DType::BF16, ..large.clone() };
        assert_eq!(picked(wide, &halves), Some(Variant::Conv2dIm2col), "Winograd would round");
        let each_alone = Conv2dTask { images: 1 << 16, out_channels: large.channels, groups: large.channels, ..large };
        assert_eq!(picked(each_alone, &gpu()), None, "there is nothing to multiply with");
    }

    #[test]
    fn each_rule_is_for_its_kind_of_device() {
        let map = |elements| Task::Elementwise(Elementwise { elements, reads: 2, dtype: DType::F32 });
        let of = |kind, vendor, target| {
            let profile = DeviceProfile::unknown("x", kind, target).with(|profile| profile.vendor = vendor);
            Circumstances { profile, limits: typical(target), ..gpu() }
        };
        let picked = |task: &Task<u64>, circumstances: &Circumstances| {
            pick(task, circumstances).map(|(config, _)| config.variant)
        };
        let nvidia = of(DeviceKind::Gpu, Vendor::Nvidia, Target::Gpu);
        let amd = of(DeviceKind::Gpu, Vendor::Amd, Target::Gpu);
        assert_eq!(picked(&map(1 << 22), &nvidia), Some(Variant::ElementwiseVector));
        assert_eq!(picked(&map(1 << 20), &nvidia), None, "not worth another program");
        assert_eq!(picked(&map(1 << 26), &amd), None, "nothing was measured there");
    }

    #[test]
    fn few_long_rows_are_cut_on_gpus() {
        let sum = |rows, columns| {
            Task::Reduction(Reduction { rows, columns, contiguous: true, op: ReduceOp::Sum, dtype: DType::F32 })
        };
        let picked = |task: &Task<u64>, circumstances: &Circumstances| {
            pick(task, circumstances).map(|(config, _)| config.to_string())
        };
        assert_eq!(picked(&sum(1, 1 << 22), &gpu()).as_deref(), Some("reduction_parallel PART=4096"));
        assert_eq!(picked(&sum(1 << 12, 1 << 22), &gpu()), None, "there are as many rows as keep it busy");
        assert_eq!(picked(&sum(1, 1 << 12), &gpu()), None, "one work-group is done as soon");
        let portable = Circumstances { strategy: KernelStrategy::Portable, ..gpu() };
        assert_eq!(picked(&sum(1, 1 << 22), &portable), None);
    }

    #[test]
    fn what_a_driver_fails_at_is_not_picked() {
        static FAILS: Quirk = Quirk {
            vendor: Vendor::Other,
            from: &[],
            until: None,
            avoid: Avoid::Variant(Variant::Conv2dIm2col),
            reason: "test",
        };
        let fails = Circumstances {
            profile: gpu().profile.with(|profile| {
                profile.quirks = vec![&FAILS];
            }),
            ..gpu()
        };
        assert!(gpu().allows(Variant::Conv2dIm2col) && !fails.allows(Variant::Conv2dIm2col));
        assert!(fails.allows(Variant::Conv2dImplicitGemm));
    }

    #[test]
    fn limits_are_the_devices_own_where_known() {
        let profile = DeviceProfile::unknown("gpu", DeviceKind::Gpu, Target::Gpu).with(|profile| {
            profile.max_work_group = 64;
            profile.max_work_items = [32, 64, 64];
            profile.compute_units = 5;
        });
        let own = limits(&profile, KernelStrategy::Optimized);
        assert_eq!((own.work_group, own.units, own.local_bytes), (32, 5, typical(Target::Gpu).local_bytes));
        assert_eq!(own.between_bytes, u64::MAX);
        let unknown = DeviceProfile::unknown("x", DeviceKind::Gpu, Target::Gpu).with(|profile| {
            profile.max_allocation = 1 << 30;
        });
        let own = limits(&unknown, KernelStrategy::Optimized);
        assert_eq!((own.work_group, own.between_bytes), (256, 1 << 28));
        let lanes = |target, vector_lanes| {
            let profile = DeviceProfile::unknown("x", DeviceKind::Cpu, target).with(|profile| {
                profile.vector_lanes = vector_lanes;
            });
            limits(&profile, KernelStrategy::Portable).lanes
        };
        assert_eq!([lanes(Target::Cpu, 8), lanes(Target::Cpu, 0), lanes(Target::Gpu, 4)], [8, 16, 1]);
    }
}
