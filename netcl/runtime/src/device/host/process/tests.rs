#![allow(unsafe_code, reason = "forks")]

use super::try_lock;
use crate::error::Error;
use crate::event::{EventStatus, UserEvent};
use crate::raw::{Grid, KernelSpec};
use crate::{DType, Device, DeviceManager, Partition, QueueOrder, Tensor};
use std::ffi::c_int;
use std::sync::Mutex;
use std::time::{Duration, Instant};

// SAFETY: the signatures are those of POSIX.
unsafe extern "C" {
    fn fork() -> c_int;
    fn _exit(status: c_int) -> !;
    fn waitpid(pid: c_int, status: *mut c_int, options: c_int) -> c_int;
    fn kill(pid: c_int, signal: c_int) -> c_int;
}

/// Runs `child` in a forked child, and gives the exit status that the child ends with: that of `child`, without the
/// handlers of a normal end, unless `child` ends it itself.
pub(crate) fn in_fork(what: &str, child: impl FnOnce() -> c_int) -> c_int {
    // SAFETY: the child calls nothing but what is tested and `_exit`.
    let pid = unsafe { fork() };
    if pid == 0 {
        let status = std::panic::catch_unwind(std::panic::AssertUnwindSafe(child)).unwrap_or(99);
        // SAFETY: ends the child without the parent's exit handlers.
        unsafe { _exit(status) }
    }
    assert!(pid > 0);
    let limit = Instant::now() + Duration::from_secs(60);
    let mut status = -1;
    // SAFETY: `status` is a place for one; 1 is WNOHANG.
    while unsafe { waitpid(pid, &raw mut status, 1) } == 0 {
        if Instant::now() > limit {
            // SAFETY: the child is ours and still there; 9 is SIGKILL.
            unsafe { kill(pid, 9) };
            panic!("{what}: the child hangs");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(status & 0xff, 0, "{what}: the child was killed by a signal");
    status >> 8
}

fn selectors() -> Vec<String> {
    Device::all().into_iter().map(|profile| profile.selector).collect()
}

fn is_forked<T>(result: Result<T, Error>) -> bool {
    matches!(result, Err(Error::Forked))
}

/// The number of the first check that does not hold, from 1 on; 0 if all do.
fn first_wrong(checks: &[&dyn Fn() -> bool]) -> c_int {
    checks.iter().position(|check| !check()).map_or(0, |position| position as c_int + 1)
}

#[test]
fn a_forked_child_gets_an_error_and_no_hang() {
    for selector in selectors() {
        let device = Device::select(&selector).unwrap();
        let x = Tensor::from_slice(&device, &[1.0f32; 100], &[100]).unwrap();
        let y = x.add(&x).unwrap();
        let status = in_fork(&selector, || {
            first_wrong(&[
                &|| is_forked(Tensor::zeros(&device, &[4], DType::F32)),
                &|| is_forked(y.to_vec::<f32>()),
                &|| is_forked(y.to_host_async::<f32>()),
                &|| is_forked(y.add(&y)),
                // Of another shape: nothing is built for it yet.
                &|| is_forked(y.reshape(&[4, 25]).and_then(|y| y.sum(&[1]))),
                &|| is_forked(device.finish()),
                &|| is_forked(device.finish_timeout(Duration::ZERO)),
                &|| is_forked(device.record_event()),
                &|| is_forked(Device::select("cpu")),
                &|| is_forked(DeviceManager::global().find(|_| true)),
                &|| is_forked(DeviceManager::global().shared_context(std::slice::from_ref(&device))),
                &|| is_forked(device.with_queue(QueueOrder::InOrder)),
                &|| is_forked(device.partition(&Partition::Equally(1))),
                &|| Device::all().iter().any(|profile| profile.selector == selector),
                &|| DeviceManager::discover().profiles().len() == 1,
                &|| device.release_idle_memory() == 0,
            ])
        });
        assert_eq!(status, 0, "{selector}: the check that failed");
        assert_eq!(y.to_vec::<f32>().unwrap(), [2.0; 100], "{selector}: the parent goes on");
    }
}

#[test]
fn a_forked_child_builds_and_launches_nothing() {
    for selector in selectors() {
        let device = Device::select(&selector).unwrap();
        if device.backend().kernels().is_none() {
            continue;
        }
        let spec = |name: &str| {
            KernelSpec::from_source(name, &format!("__kernel void {name}(uint n) {{ if (n > 7) return; }}"))
        };
        let built = spec("of_the_parent").build(&device).unwrap();
        // SAFETY: it writes nothing.
        let launch = || unsafe { built.launch(&[3u32.into()], &Grid::from(1)) };
        // SAFETY: as above.
        let launch_over = || unsafe { built.launch_over(&[3u32.into()], 64) };
        launch().unwrap();
        let status = in_fork(&selector, || {
            first_wrong(&[
                &|| is_forked(spec("of_the_child").build(&device)),
                &|| is_forked(spec("of_the_parent").build(&device)),
                &|| is_forked(launch()),
                &|| is_forked(launch_over()),
            ])
        });
        assert_eq!(status, 0, "{selector}: the check that failed");
        launch().unwrap();
        device.finish().unwrap();
    }
}

#[test]
fn a_forked_child_asks_no_driver_about_events() {
    for selector in selectors() {
        let device = Device::select(&selector).unwrap();
        let gate = UserEvent::new();
        let (held_back, done) = match device.backend().kernels() {
            None => (gate.event(), device.record_event().unwrap()),
            Some(_) => {
                let done = device.record_event().unwrap();
                done.wait().unwrap();
                // Seen to be over, and not only over.
                let (sender, receiver) = std::sync::mpsc::channel();
                done.on_complete(move |_| sender.send(()).unwrap());
                receiver.recv_timeout(Duration::from_secs(60)).unwrap();
                device.wait_for(&gate.event()).unwrap();
                (device.record_event().unwrap(), done)
            }
        };
        let given = std::cell::Cell::new(Some(gate));
        let status = in_fork(&selector, || {
            first_wrong(&[
                &|| held_back.status() == EventStatus::Failed && done.status() == EventStatus::Complete,
                &|| held_back.is_complete() && held_back.times().is_none(),
                &|| format!("{held_back:?} {done:?}") == "Event(Failed) Event(Complete)",
                &|| is_forked(held_back.wait()) && is_forked(held_back.wait_timeout(Duration::MAX)),
                &|| {
                    let (sender, receiver) = std::sync::mpsc::channel();
                    held_back.on_complete(move |result| sender.send(is_forked(result)).unwrap());
                    receiver.try_recv() == Ok(true)
                },
                // Dropped without being completed, which would call the driver.
                &|| given.take().map(drop).is_some(),
            ])
        });
        assert_eq!(status, 0, "{selector}: the check that failed");
        given.take().unwrap().complete();
        held_back.wait().unwrap();
    }
}

#[test]
fn a_forked_child_ends_as_any_process() {
    for selector in selectors() {
        let device = Device::select(&selector).unwrap();
        let x = Tensor::from_slice(&device, &[1.0f32; 100], &[100]).unwrap();
        x.add(&x).unwrap().to_vec::<f32>().unwrap();
        // What the C library does at the end, destructors of drivers among it, is not skipped by the child itself.
        assert_eq!(in_fork(&selector, || std::process::exit(7)), 7, "{selector}");
    }
}

/// A thread of the parent's may have held any lock at the fork.
#[test]
fn a_forked_child_waits_for_no_lock_of_the_parents() {
    let (pool, pinned) = (Device::host().buffer_pool().clone(), Device::host().pinned_pool().clone());
    let device = Device::host();
    let held = (pool.hold(), pinned.hold());
    let status = in_fork("asking pools", || {
        first_wrong(&[
            &|| pool.stats() == Default::default() && device.memory_stats() == Default::default(),
            &|| pool.buckets().is_empty() && format!("{pool:?}").contains("0 idle"),
            &|| pinned.stats() == Default::default() && format!("{pinned:?}").contains("0 idle"),
            &|| crate::BufferPool::new(&device, 0).stats().idle == 0,
        ])
    });
    drop(held);
    assert_eq!(status, 0, "the check that failed");
}

#[test]
fn a_lock_under_which_a_thread_panicked_is_free() {
    let mutex = Mutex::new(3);
    let panics = std::panic::AssertUnwindSafe(|| {
        let _guard = mutex.lock().unwrap();
        panic!("on purpose")
    });
    assert!(std::panic::catch_unwind(panics).is_err() && mutex.is_poisoned());
    assert_eq!(try_lock(&mutex).map(|value| *value), Some(3));
    let _held = try_lock(&mutex);
    assert!(try_lock(&mutex).is_none());
}

/// In a process of its own, where no device is open.
#[test]
#[ignore = "run by the next, in a process of its own"]
fn child_forks_after_looking_for_devices() {
    let manager = DeviceManager::discover();
    let found = format!("{manager:?}");
    let status = in_fork("after discovery", || {
        let wrong = first_wrong(&[
            &|| is_forked(manager.auto()) && is_forked(manager.find(|_| true)),
            &|| is_forked(Device::select("opencl:0")),
            &|| manager.profiles().len() == found.matches(" = ").count(),
        ]);
        std::process::exit(wrong + 50)
    });
    assert_eq!(status, 50, "50 and the check that failed");
}

#[test]
fn a_fork_after_devices_were_looked_for_is_noticed() {
    let child = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "device::host::process::tests::child_forks_after_looking_for_devices"])
        .args(["--ignored", "--test-threads", "1"])
        // Nothing is known of any device from earlier.
        .env("NETCL_CACHE_DIR", "off")
        .output()
        .unwrap();
    assert!(child.status.success(), "{child:?}");
    assert!(String::from_utf8_lossy(&child.stdout).contains("1 passed"), "{child:?}");
}
