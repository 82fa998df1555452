//! What is known about devices of a kind before anything is measured: one table.

use crate::config;
use crate::device::{Avoid, DeviceKind, DeviceProfile, KernelStrategy};
use netcl_kernels::plan::Target;
use netcl_kernels::template::Limits;
use netcl_kernels::variant::{KernelConfig, Task, Variant, candidates, typical};

/// What the rules may go by.
#[derive(Clone, Debug)]
pub(super) struct Circumstances {
    pub(super) profile: DeviceProfile,
    pub(super) limits: Limits,
    pub(super) strategy: KernelStrategy,
    pub(super) winograd: bool,
    pub(super) tiled_local: bool,
}

impl Circumstances {
    pub(super) fn of(profile: &DeviceProfile) -> Circumstances {
        // A bad value of a variable is reported where a device is asked for.
        let config = config::get().ok();
        let strategy = config.and_then(|config| config.kernel_strategy).unwrap_or_else(|| profile.kernel_strategy());
        Circumstances {
            limits: limits(profile),
            strategy,
            winograd: config.is_none_or(|config| config.conv_winograd),
            tiled_local: config.is_some_and(|config| config.conv_tiled_local),
            profile: profile.clone(),
        }
    }

    /// Whether a variant may be used at all.
    pub(super) fn allows(&self, variant: Variant) -> bool {
        let local = self.strategy == KernelStrategy::Portable && needs_local_memory(variant, self.profile.target);
        let tiled_local = variant == Variant::Conv2dTiledLocal && !self.tiled_local;
        !local && !tiled_local && !self.profile.avoids(Avoid::Variant(variant))
    }
}

/// What the device really has, where that is known.
pub(super) fn limits(profile: &DeviceProfile) -> Limits {
    let typical = typical(profile.target);
    let [x, y, _] = profile.max_work_items.map(|items| items as u64);
    let most = match (profile.max_work_group as u64, x.min(y)) {
        (0, _) => typical.work_group.into(),
        (most, 0) => most,
        // Work-groups are long along one of the first two axes.
        (most, axis) => most.min(axis),
    };
    Limits {
        local_bytes: match profile.local_memory.usable {
            0 => typical.local_bytes,
            bytes => bytes,
        },
        work_group: u32::try_from(most).unwrap_or(u32::MAX),
        units: profile.compute_units.max(1),
        lanes: typical.lanes,
    }
}

/// Whether the kernels of a variant keep tiles or partial results in local memory. On processors that is cached global
/// memory, and barriers split kernels into loops.
fn needs_local_memory(variant: Variant, target: Target) -> bool {
    match variant {
        Variant::MatMulTiled
        | Variant::MatMulRegisterTiled
        | Variant::Conv2dTiledLocal
        | Variant::ReductionWorkGroup => true,
        // Processors have a template of their own for it, without.
        Variant::Conv2dImplicitGemm => target == Target::Gpu,
        _ => false,
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
static RULES: &[Rule] = &[Rule {
    why: "Winograd's algorithm saves 5 of 9 multiplications of a 3×3 convolution, and GPUs have the bandwidth for its transforms",
    applies: |task, circumstances| circumstances.winograd && is_gpu(circumstances) && wants_winograd(task),
    variant: Variant::Conv2dWinograd,
}];

fn is_gpu(circumstances: &Circumstances) -> bool {
    circumstances.profile.kind == DeviceKind::Gpu && circumstances.strategy == KernelStrategy::Optimized
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
    RULES.iter().filter(|rule| (rule.applies)(task, circumstances)).find_map(|rule| {
        let all = candidates(task, circumstances.profile.target, &circumstances.limits);
        let config = all.into_iter().find(|config| config.variant == rule.variant)?;
        Some((config, rule.why))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::LocalMemory;
    use crate::select::testing::{conv, product};

    fn gpu() -> Circumstances {
        let profile = DeviceProfile {
            max_work_group: 1024,
            max_work_items: [1024; 3],
            local_memory: LocalMemory { reported: 48 << 10, usable: 48 << 10, dedicated: true },
            fp16: true,
            ..DeviceProfile::unknown("gpu", DeviceKind::Gpu, Target::Gpu)
        };
        let limits = limits(&profile);
        let strategy = KernelStrategy::Optimized;
        Circumstances { profile, limits, strategy, winograd: true, tiled_local: false }
    }

    #[test]
    fn portable_devices_get_nothing_that_needs_local_memory() {
        let portable = Circumstances { strategy: KernelStrategy::Portable, ..gpu() };
        for variant in Variant::ALL {
            let local = needs_local_memory(variant, Target::Gpu);
            assert!(!(portable.allows(variant) && local), "{variant}");
        }
        assert!(portable.allows(Variant::MatMulNaive) && gpu().allows(Variant::MatMulTiled));
        assert!(!needs_local_memory(Variant::Conv2dImplicitGemm, Target::Cpu));
    }

    #[test]
    fn convolutions_tiled_in_local_memory_are_asked_for() {
        assert!(!gpu().allows(Variant::Conv2dTiledLocal));
        assert!(Circumstances { tiled_local: true, ..gpu() }.allows(Variant::Conv2dTiledLocal));
    }

    #[test]
    fn winograd_is_for_many_channels_on_gpus() {
        let mut large = conv(32, 64, 28, 3);
        let Task::Conv2d(task) = &mut large else { unreachable!() };
        task.out_channels = 64;
        let applies = |task: &Task<u64>, circumstances: &Circumstances| (RULES[0].applies)(task, circumstances);
        assert!(applies(&large, &gpu()));
        assert!(!applies(&large, &Circumstances { winograd: false, ..gpu() }));
        assert!(!applies(&large, &Circumstances { strategy: KernelStrategy::Portable, ..gpu() }));
        assert!(!applies(&conv(32, 64, 28, 3), &gpu()), "8 channels out");
        assert!(!applies(&product(512, 512, 512), &gpu()));
    }

    #[test]
    fn limits_are_the_devices_own_where_known() {
        let profile = DeviceProfile {
            max_work_group: 64,
            max_work_items: [32, 64, 64],
            compute_units: 5,
            ..DeviceProfile::unknown("gpu", DeviceKind::Gpu, Target::Gpu)
        };
        let own = limits(&profile);
        assert_eq!((own.work_group, own.units, own.local_bytes), (32, 5, typical(Target::Gpu).local_bytes));
        assert_eq!(limits(&DeviceProfile::unknown("x", DeviceKind::Gpu, Target::Gpu)).work_group, 256);
    }
}
