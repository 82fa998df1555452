//! What only this side of the driver can see.

use super::context::new_queue;
use super::health::{Health, Told};
use super::pending::Pending;
use super::shared::OpenCl;
use super::*;
use crate::device::DeviceKind;
use crate::device::backend::Backend;
use crate::device::kernels::KernelCompiler;
use crate::device::kernels::KernelSource;
use crate::device::memory::AllocateError;
use crate::device::profile::DeviceProfile;
use crate::device::queue::QueueOrder;
use crate::device::quirks::{Avoid, Quirk};
use crate::device::vendor::Vendor;
use crate::error::{Error, Result};
use crate::program::disk;
use opencl3::command_queue::{CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, CL_QUEUE_PROFILING_ENABLE};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use netcl_fixtures::devices::{selectors_with_driver, selectors_with_work_under_way};

mod copies;
pub(super) mod device;
mod late;

use device::{Buffer, Device};

/// Every OpenCL device.
pub(super) fn with_driver() -> Vec<Device> {
    open(selectors_with_driver())
}

/// Those that hold commands back.
fn with_work_under_way() -> Vec<Device> {
    open(selectors_with_work_under_way())
}

/// Each is opened once.
fn open(selectors: Vec<String>) -> Vec<Device> {
    static OPENED: LazyLock<Vec<Device>> = LazyLock::new(|| {
        let found = super::discover::devices().devices;
        found.iter().map(|adapter| Device::of(adapter.open().expect("a device that opens"))).collect()
    });
    let wanted = |device: &&Device| selectors.contains(&device.profile().selector);
    OPENED.iter().filter(wanted).cloned().collect()
}

/// The same device with its own queue and another profile.
fn with_profile(device: &Device, change: impl Fn(&mut DeviceProfile)) -> OpenCl {
    OpenCl::of(device.backend()).unwrap().with_profile(change).unwrap()
}

#[test]
fn fills_in_pieces_cover_all_and_nothing_more() {
    static SMALL: Quirk =
        Quirk { vendor: Vendor::Other, from: &[], until: None, avoid: Avoid::FillsAbove(1000), reason: "test" };
    for device in with_driver() {
        let device = with_profile(&device, |profile| profile.quirks = vec![&SMALL]);
        let memory = device.allocate(8192).unwrap();
        for bytes in [1, 16, 991, 992, 993, 2000, 4096, 8191] {
            device.write(&*memory, &[7; 8192]).unwrap();
            device.zero(&*memory, bytes).unwrap();
            let mut found = [1; 8192];
            device.read(&*memory, &mut found).unwrap();
            assert!(found[..bytes].iter().all(|&byte| byte == 0), "{bytes}");
            assert!(found[bytes..].iter().all(|&byte| byte == 7), "{bytes}");
        }
    }
}

#[test]
fn queues_are_profiled_on_demand() {
    for device in with_driver() {
        let shared = &OpenCl::of(device.backend()).unwrap().shared;
        for wanted in [false, true] {
            let queue =
                new_queue(&shared.context, &shared.device, &shared.profile, wanted, QueueOrder::InOrder).unwrap();
            assert_eq!(queue.properties().unwrap() & CL_QUEUE_PROFILING_ENABLE != 0, wanted);
        }
    }
}

#[test]
fn capabilities_that_were_recorded_are_those_that_are_tried() {
    for device in with_driver() {
        let shared = &OpenCl::of(device.backend()).unwrap().shared;
        let tried = probe::again(&shared.profile, &shared.context, &shared.queue.queue);
        assert_eq!(tried.complete(&shared.profile), shared.profile, "whatever the profile came from");
    }
}

#[test]
fn a_probe_that_cannot_build_says_no() {
    // A processor's driver takes no PTX, whatever the profile says.
    for device in with_driver().into_iter().filter(|device| device.profile().kind == DeviceKind::Cpu) {
        let device = with_profile(&device, |profile| profile.vendor = Vendor::Nvidia);
        let shared = &device.shared;
        let tried = probe::again(&shared.profile, &shared.context, &shared.queue.queue).complete(&shared.profile);
        assert_eq!(tried.ptx, None);
        assert!(tried.local_memory.usable >= tried.local_memory.reported);
    }
}

/// What a driver says while it builds, it says on some platforms to the user's terminal as well.
#[test]
fn probes_are_built_without_a_warning() {
    for device in with_driver() {
        let shared = &OpenCl::of(device.backend()).unwrap().shared;
        let logs = probe::logs(&shared.profile, &shared.context);
        assert!(!logs.is_empty(), "{device}");
        logs.iter().for_each(|log| assert!(!log.to_lowercase().contains("warning"), "{device}: {log}"));
    }
}

/// The first work-group says nothing to the second: the probe finds that out and ends.
#[test]
fn groups_that_wait_in_vain_give_up() {
    for device in with_driver() {
        let shared = &OpenCl::of(device.backend()).unwrap().shared;
        let tried = |macros: &str| {
            let options = format!("-cl-std=CL1.2 {macros}");
            probe::progress(&shared.profile, &shared.context, &shared.queue.queue, &options)
        };
        assert!(!tried("-DSILENT=1 -DPOLLS=1000u"), "{device}");
        // Those of a processor that have begun go on, in whatever order its threads do.
        assert!(shared.profile.kind != DeviceKind::Cpu || tried("-DPOLLS=0xffffffffu"), "{device}");
    }
}

/// A command that waits for an event which fails, fails, too.
#[test]
fn a_command_that_fails_later_is_told_by_the_next_wait_and_once() {
    use opencl3::error_codes::CL_OUT_OF_RESOURCES;
    use opencl3::event::{create_user_event, set_user_event_status};
    for device in with_work_under_way() {
        // The user event's failure stays in this queue.
        let own = with_profile(&device, |profile| profile.unified_memory = false);
        let device = Device::of(Arc::new(own));
        let shared = OpenCl::of(device.backend()).unwrap().shared.clone();
        let memory = device.allocate(1 << 20).unwrap();
        for reads in [false, true] {
            let failing = Pending::new(create_user_event(shared.context.get().get()).unwrap());
            shared.upload_after(memory.memory(), &[1; 1 << 20], &failing).unwrap();
            set_user_event_status(failing.get(), CL_OUT_OF_RESOURCES).unwrap();
            let told = if reads { device.finish().and_then(|()| memory.read(&mut [0; 4])) } else { device.finish() };
            let error = told.unwrap_err().to_string();
            assert!(error.contains("copying to the device, earlier, failed with CL_"), "{error}");
            device.finish().unwrap();
            memory.write(&[7; 4]).unwrap();
            let mut found = [0; 4];
            memory.read(&mut found).unwrap();
            assert_eq!(found, [7; 4], "{device} goes on");
        }
    }
}

#[test]
fn markers_do_not_pile_up() {
    for device in with_driver() {
        let shared = &OpenCl::of(device.backend()).unwrap().shared;
        let data = vec![0u8; 1 << 20];
        let memory = device.backend().allocate(data.len()).unwrap();
        for _ in 0..50 {
            shared.mark().unwrap();
            device.backend().write(&*memory, &data[..4]).unwrap();
            // What was waited for otherwise, nobody asks the markers for.
            device.backend().read(&*memory, &mut [0; 4]).unwrap();
        }
        assert!(shared.progress.markers() <= 2, "{device}");
    }
}

#[test]
fn a_lost_device_is_not_out_of_memory() {
    for device in with_driver() {
        let lost = with_profile(&device, |_| {});
        lost.shared.health.note("computing", 0, opencl3::error_codes::CL_DEVICE_NOT_AVAILABLE, &Told::default());
        let error = lost.allocate(usize::MAX / 4).unwrap_err();
        assert!(matches!(error, AllocateError::Other(Error::Lost { .. })), "{error:?}");
    }
}

/// Attributes, macros and branches that are left out are the driver's business: it builds the source once more.
#[test]
fn what_a_driver_does_not_tell_of_a_binary_it_tells_of_the_source() {
    let text = format!(
        "#define KERNEL __kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
        typedef __global float* buffer;
        #if 0
        __kernel void hidden(int wrong) {{}}
        #endif
        KERNEL hidden(buffer x, __constant const uint4* y, __local half* tile, double4 by) {{ x[{}] = y[0].x; }}",
        std::process::id() % 7
    );
    for device in with_driver().into_iter().filter(|device| device.profile().fp64) {
        let opencl = with_profile(&device, |_| ());
        let options = "-cl-std=CL1.2 -cl-kernel-arg-info";
        let kernel = opencl.kernel(KernelSource::of("hidden", &text, options)).unwrap();
        let expected = kernel.parameters().unwrap().expect("a driver tells of what it has just built");
        let shown: Vec<String> = expected.iter().map(ToString::to_string).collect();
        // Some drivers tell the name of the type, some what it stands for.
        assert!(["__global buffer x", "__global float* x"].contains(&shown[0].as_str()), "{shown:?}");
        assert_eq!(shown[1..], ["__constant const uint4* y", "__local half* tile", "double4 by"]);
        let built = || opencl.program_stats().built;
        let before = built();
        single_kernels::SILENT.set(true);
        assert_eq!(kernel.parameters().unwrap().as_ref(), Some(&expected));
        let once = built();
        assert_eq!(
            opencl.kernel(KernelSource::of("hidden", &text, options)).unwrap().parameters().unwrap(),
            Some(expected)
        );
        single_kernels::SILENT.set(false);
        if disk::folder().is_some() {
            assert!(once <= before + 1 && built() == once, "kept beside the program");
        }
    }
}

#[test]
fn what_is_built_once_is_in_no_cache() {
    use crate::program::Key;
    for device in with_driver() {
        let shared = with_profile(&device, |_| {}).shared;
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_nanos();
        let text = format!("// {} {now}\n__kernel void once(__global int* x) {{ x[0] = 1; }}", std::process::id());
        let source = build::BuildInput { name: "once", text: &text, options: build::options(&shared.profile, true) };
        let key = Key::new(&shared.profile, source.options, source.text);
        let built = |build: build::Build| {
            build(&shared, &source).unwrap();
            (shared.counters.stats().built, disk::load(&key).is_some())
        };
        assert_eq!([built(build::once), built(build::once)], [(1, false), (2, false)], "{device}");
        let is_kept = disk::folder().is_some() && !build::keeps_programs(&shared.profile).unwrap();
        assert_eq!([built(build::program), built(build::program)], [(3, is_kept); 2], "{device}");
        disk::remove(&key);
    }
}

#[test]
fn a_lost_device_is_not_a_source_that_cannot_be_built() {
    for device in with_driver() {
        let lost = with_profile(&device, |_| {});
        let broken = |lost: &OpenCl| {
            lost.kernel(KernelSource::of("broken", "__kernel void broken() { nothing; }", "")).err().unwrap()
        };
        assert!(matches!(broken(&lost), Error::Build { .. }), "the source is what is wrong");
        lost.shared.health.note("computing", 0, opencl3::error_codes::CL_DEVICE_NOT_AVAILABLE, &Told::default());
        assert!(matches!(broken(&lost), Error::Lost { .. }));
    }
}

#[test]
fn refusals_are_what_they_are() {
    use opencl3::error_codes::{CL_DEVICE_NOT_AVAILABLE, CL_INVALID_CONTEXT, CL_MAP_FAILURE, CL_OUT_OF_RESOURCES};
    let health = Health::new("device", Arc::default());
    let refused = |code| memory::refused(&health, "allocating page-locked memory", code);
    for code in [CL_OUT_OF_RESOURCES, CL_MAP_FAILURE] {
        assert!(matches!(refused(code), AllocateError::OutOfMemory));
    }
    assert!(matches!(refused(CL_INVALID_CONTEXT), AllocateError::Other(Error::Driver { .. })));
    for code in [CL_DEVICE_NOT_AVAILABLE, CL_OUT_OF_RESOURCES] {
        assert!(matches!(refused(code), AllocateError::Other(Error::Lost { .. })), "also what comes after");
    }
}

/// The event of a copy that fails on a lost device says so, and so does everything after it.
#[test]
fn the_events_of_a_lost_device_say_so() {
    use opencl3::error_codes::CL_DEVICE_NOT_AVAILABLE;
    for device in with_driver() {
        let lost = with_profile(&device, |_| {});
        let event = lost.record().unwrap();
        lost.shared.health.note("computing", 0, CL_DEVICE_NOT_AVAILABLE, &Told::default());
        assert!(matches!(event.wait(), Err(Error::Lost { .. })));
        assert!(matches!(event.wait_timeout(Duration::from_secs(60)), Err(Error::Lost { .. })));
        assert!(matches!(lost.finish_timeout(Duration::MAX), Err(Error::Lost { .. })));
    }
}

/// What an event has told is not told again by the next wait; what nobody was told is told by any wait, once.
#[test]
fn a_failure_is_told_by_its_event_or_by_the_next_wait() {
    use opencl3::error_codes::CL_OUT_OF_RESOURCES;
    use opencl3::event::{create_user_event, set_user_event_status};
    for device in with_work_under_way() {
        let device = Device::of(Arc::new(with_profile(&device, |profile| profile.unified_memory = false)));
        let shared = OpenCl::of(device.backend()).unwrap().shared.clone();
        let memory = device.allocate(1 << 20).unwrap();
        let fail = || {
            let failing = Pending::new(create_user_event(shared.context.get().get()).unwrap());
            let copy = shared.upload_after(memory.memory(), &[1; 1 << 20], &failing).unwrap();
            set_user_event_status(failing.get(), CL_OUT_OF_RESOURCES).unwrap();
            copy
        };
        let copy = fail();
        assert!(matches!(copy.wait(), Err(Error::Driver { .. })), "{device}");
        device.finish().unwrap();

        let waits: [&dyn Fn() -> Result<()>; 4] = [
            &|| device.finish(),
            &|| device.finish_timeout(Duration::from_secs(60)).map(drop),
            &|| device.record()?.wait(),
            &|| {
                let into = device.pinned_pool().allocate(4)?;
                device.download(memory.memory(), into, false).and_then(|(event, _)| event.wait())
            },
        ];
        for wait in waits {
            let copy = fail();
            while !copy.is_complete() {
                std::thread::yield_now();
            }
            let error = wait().unwrap_err().to_string();
            assert!(error.contains("copying to the device, earlier, failed with CL_"), "{error}");
            wait().unwrap();
        }
    }
}

/// The device's next work did not get what it was to wait for.
#[test]
fn a_barrier_that_fails_is_told() {
    use opencl3::error_codes::CL_OUT_OF_RESOURCES;
    use opencl3::event::{create_user_event, set_user_event_status};
    for device in with_driver() {
        let own = with_profile(&device, |_| {});
        let shared = own.shared.clone();
        let failing = Pending::new(create_user_event(shared.context.get().get()).unwrap());
        shared.hold_for(&shared.event(failing.clone(), "copying")).unwrap();
        set_user_event_status(failing.get(), CL_OUT_OF_RESOURCES).unwrap();
        assert!(own.finish().is_err(), "{device}");
        own.finish().unwrap();
    }
}

/// In a driver's callback nothing may wait for an event, not even for one that is over.
#[test]
fn drivers_are_not_waited_for_in_callbacks() {
    use crate::event::UserEvent;
    for device in with_work_under_way() {
        let device = Device::of(Arc::new(with_profile(&device, |profile| profile.unified_memory = false)));
        let shared = OpenCl::of(device.backend()).unwrap().shared.clone();
        let over = Pending::new(opencl3::event::create_user_event(shared.context.get().get()).unwrap());
        opencl3::event::set_user_event_status(over.get(), opencl3::event::CL_COMPLETE).unwrap();
        let (sender, receiver) = std::sync::mpsc::channel();
        let gate = UserEvent::new();
        device.wait_for(&gate.event()).unwrap();
        let memory = device.allocate(70 << 20).unwrap();
        let copy = memory.upload(&vec![3u8; 70 << 20]).unwrap();
        let event = device.record().unwrap();
        let asked = over.clone();
        event.on_complete(move |_| {
            // What is done when memory that is being copied to goes back to a pool.
            if let Some(copy) = copy {
                memory.device.wait_for(&copy).unwrap();
            }
            memory.device.mark().unwrap();
            drop(memory);
            sender.send(asked.outcome()).unwrap();
        });
        gate.complete();
        assert_eq!(receiver.recv_timeout(Duration::from_secs(60)).unwrap(), None, "{device}");
        assert_eq!(over.outcome(), Some(0));
        device.finish().unwrap();
        drop(shared);
    }
}

/// What netcl waits for itself takes no failure away from the program.
#[test]
fn failures_are_left_to_the_programs_waits() {
    use opencl3::error_codes::CL_OUT_OF_RESOURCES;
    use opencl3::event::{create_user_event, set_user_event_status};
    for device in with_work_under_way() {
        let device = Device::of(Arc::new(with_profile(&device, |profile| profile.unified_memory = false)));
        let shared = OpenCl::of(device.backend()).unwrap().shared.clone();
        let memory = device.allocate(1 << 20).unwrap();
        let failing = Pending::new(create_user_event(shared.context.get().get()).unwrap());
        let copy = shared.upload_after(memory.memory(), &[1; 1 << 20], &failing).unwrap();
        set_user_event_status(failing.get(), CL_OUT_OF_RESOURCES).unwrap();
        copy.wait_untold();
        device.drain();
        let error = device.finish().unwrap_err().to_string();
        assert!(error.contains("copying to the device, earlier, failed with CL_"), "{error}");
        device.finish().unwrap();
    }
}

/// A thread of the parent's may have been looking at what is in flight.
#[test]
#[cfg(unix)]
fn a_forked_child_drops_a_device_whatever_the_parent_was_doing() {
    use netcl_fixtures::forks::in_fork;
    for device in with_driver() {
        let opencl = with_profile(&device, |_| {});
        let transfers = opencl.shared.transfers.clone();
        let held = transfers.hold();
        let mut opencl = Some(opencl);
        let status = in_fork("dropping a device", || {
            drop(opencl.take());
            0
        });
        drop(held);
        assert_eq!(status, 0, "{device}");
    }
}

/// Where queues cannot be released.
#[test]
fn queues_that_nobody_uses_are_used_again() {
    for device in with_driver().into_iter().filter(|device| device.profile().avoids(Avoid::ReleasedQueues)) {
        let own = with_profile(&device, |profile| profile.unified_memory = false);
        let kept = || own.shared.context.kept_queues();
        let data = vec![1u8; 1 << 20];
        let work = || {
            let device = Device::of(own.with_queue(QueueOrder::InOrder).unwrap().unwrap());
            let memory = device.allocate(data.len()).unwrap();
            if let Some(copied) = memory.upload(&data).unwrap() {
                device.wait_for(&copied).unwrap();
            }
            memory.read(&mut [0; 4]).unwrap();
        };
        work();
        let before = kept();
        for _ in 0..10 {
            work();
        }
        // A thread may still be closing one.
        assert!(before >= 2 && kept() <= before + 6, "{device}: {before} and {}", kept());
        let both = [(); 2].map(|()| own.with_queue(QueueOrder::InOrder).unwrap().unwrap());
        let raw = both.each_ref().map(|queue| OpenCl::of(&**queue).unwrap().shared.queue.queue.get());
        assert!(raw[0] != raw[1] && !raw.contains(&own.shared.queue.queue.get()), "each its own");
    }
}

/// Where nothing is known of devices that are made up here, nor kept of them.
#[test]
#[ignore = "run by the next, in a process of its own"]
fn probes_that_fail_for_a_while() {
    use opencl3::error_codes::{CL_BUILD_PROGRAM_FAILURE, CL_OUT_OF_RESOURCES};
    for device in with_driver() {
        let shared = &OpenCl::of(device.backend()).unwrap().shared;
        let mut profile = shared.profile.clone();
        let mut tried = |name: &str, code| {
            profile.name = format!("{name} {}", device.profile().selector);
            probe::FAILING.set(code);
            let tried = probe::capabilities(&profile, &shared.context, &shared.queue.queue);
            probe::FAILING.set(None);
            (tried.complete(&profile).fp64, probe::recorded(&profile).is_some())
        };
        assert_eq!(tried("failing", Some(CL_OUT_OF_RESOURCES)), (false, false), "{device}: for this process alone");
        assert_eq!(tried("failing", None), (device.profile().fp64, true), "{device}");
        assert_eq!(tried("failing", Some(CL_OUT_OF_RESOURCES)), (device.profile().fp64, true), "from then on");
        assert_eq!(tried("refusing", Some(CL_BUILD_PROGRAM_FAILURE)), (false, true), "{device} cannot");
    }
}

#[test]
fn a_probe_that_fails_for_a_while_says_nothing() {
    let folder = std::env::temp_dir().join(format!("netcl-probes-{}", std::process::id()));
    let child = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "opencl::tests::probes_that_fail_for_a_while", "--ignored", "--nocapture"])
        .env("NETCL_CACHE_DIR", &folder)
        .output()
        .unwrap();
    assert!(child.status.success(), "{child:?}");
    assert!(String::from_utf8_lossy(&child.stdout).contains("1 passed"), "{child:?}");
    let _ = std::fs::remove_dir_all(&folder);
}
