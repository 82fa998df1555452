//! Forked children, for which the parent's drivers and threads are not there.

use netcl::raw::{Grid, KernelSpec};
use netcl::{DType, Device, DeviceManager, Error, EventStatus, Partition, QueueOrder, Tensor, UserEvent};
use netcl_fixtures::forks::{first_wrong, in_fork};
use netcl_fixtures::processes;
use std::time::Duration;

fn selectors() -> Vec<String> {
    Device::all().into_iter().map(|profile| profile.selector).collect()
}

fn is_forked<T>(result: Result<T, Error>) -> bool {
    result.is_err_and(|error| matches!(error.cause(), Error::Forked))
}

#[test]
fn a_forked_child_gets_an_error_and_no_hang() {
    for selector in selectors() {
        let device = Device::select(&selector).unwrap();
        let x = Tensor::from_slice(&device, &[1.0f32; 100], &[100]).unwrap();
        let y = x.add(&x);
        let status = in_fork(&selector, || {
            first_wrong(&[
                &|| is_forked(Tensor::zeros(&device, &[4], DType::F32)),
                &|| is_forked(y.to_vec::<f32>()),
                &|| is_forked(y.to_host_async::<f32>()),
                &|| is_forked(y.add(&y).check()),
                // Of another shape: nothing is built for it yet.
                &|| is_forked(y.reshape([4, 25]).sum([1]).check()),
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
        if !selector.starts_with("opencl:") {
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
        let (held_back, done) = match selector.starts_with("opencl:") {
            false => (gate.event(), device.record_event().unwrap()),
            true => {
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
        x.add(&x).to_vec::<f32>().unwrap();
        // What the C library does at the end, destructors of drivers among it, is not skipped by the child itself.
        assert_eq!(in_fork(&selector, || std::process::exit(7)), 7, "{selector}");
    }
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
    let child = processes::again(module_path!(), "child_forks_after_looking_for_devices")
        .args(["--test-threads", "1"])
        // Nothing is known of any device from earlier.
        .env("NETCL_CACHE_DIR", "off")
        .output()
        .unwrap();
    assert!(child.status.success(), "{child:?}");
    assert!(String::from_utf8_lossy(&child.stdout).contains("1 passed"), "{child:?}");
}
