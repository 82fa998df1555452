//! Whose fault it is that a candidate could not be tried.

use super::run::{operand_tensors, run};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::executor::{Loaded, verified};
use crate::select::bench::Rejection;
use netcl_kernels::compile::compile;
use netcl_kernels::dtype::DType;
use netcl_kernels::variant::{self, Elementwise, Task};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// What a driver says of a launch that the kernel or its geometry makes impossible (OpenCL 5.10).
const LAUNCH_FAULTS: &[&str] = &["CL_INVALID_WORK_", "CL_INVALID_KERNEL", "CL_INVALID_GLOBAL_WORK_SIZE"];

/// Only what is certainly the kernel's own fault counts against it, because that is remembered, for all tasks of a class:
/// neither sizes that do not fit, nor a device that is lost, nor a driver that builds nothing at all say anything about it.
pub(super) fn of(device: &Device, error: Error) -> Rejection {
    let own = match &error {
        Error::Build { .. } => builds(device).inspect_err(|error| no_builds(device, error)).is_ok(),
        Error::Unsupported { .. } | Error::Kernel { .. } => true,
        Error::Driver { code, .. } => LAUNCH_FAULTS.iter().any(|fault| code.contains(fault)),
        _ => false,
    };
    if own { Rejection::Fails(error.to_string()) } else { Rejection::Unmeasured(error.to_string()) }
}

/// Whether the device refuses a launch for lack of something, registers perhaps, that it does not lack for a kernel with which
/// nothing can be wrong. Memory that others have may be free later: it says nothing for other processes.
pub(super) fn is_refusal(device: &Device, error: &Error) -> bool {
    matches!(error, Error::Driver { code, .. } if code.contains("CL_OUT_OF_RESOURCES")) && builds(device).is_ok()
}

fn no_builds(device: &Device, error: &Error) {
    let device = &device.profile().name;
    tracing::warn!(device, %error, "the driver builds no kernel at all; is the disk of its cache full?");
}

/// Whether the driver builds and runs a kernel with which nothing can be wrong, and which no cache has.
fn builds(device: &Device) -> Result<()> {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let task = Task::Elementwise(Elementwise { elements: 1, reads: 1, dtype: DType::F32 });
    let graph = variant::graph(&task);
    let mut plan = compile(&graph, device.profile().target).map_err(|diagnostic| Error::graph("task", diagnostic))?;
    // Drivers have caches of their own.
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    plan.source.push(format!("\n// {} {now} {count}\n", std::process::id()));
    let loaded = Loaded::fixed(device, verified(plan)?)?;
    loaded.build_once(device)?;
    run(&loaded, &operand_tensors(device, &task, &graph)?)?;
    device.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use netcl_kernels::plan::Target;

    #[test]
    fn sizes_and_a_driver_that_builds_nothing_say_nothing_about_a_kernel() {
        let device = Device::null(Target::Gpu, 1 << 20);
        let text = String::new;
        let build = || Error::Build { device: text(), program: text(), log: "no".into(), source_text: text() };
        let driver = |code: &str| Error::Driver { device: text(), operation: text(), code: code.into() };
        let plan = Error::Plan { function: text(), problem: "too large".into() };
        let sizes = Error::Sizes { function: text(), bindings: text(), problem: text() };
        for error in [plan, sizes, Error::Forked, driver("CL_OUT_OF_RESOURCES")] {
            assert!(matches!(of(&device, error), Rejection::Unmeasured(_)));
        }
        for error in [build(), driver("CL_INVALID_WORK_GROUP_SIZE")] {
            assert!(matches!(of(&device, error), Rejection::Fails(_)));
        }
        let starved = driver("CL_OUT_OF_RESOURCES");
        assert!(is_refusal(&device, &starved) && !is_refusal(&device, &build()));
        // Without memory for a single element nothing runs there.
        let full = Device::null(Target::Gpu, 0);
        assert!(matches!(of(&full, build()), Rejection::Unmeasured(_)));
        assert!(!is_refusal(&full, &starved));
    }
}
