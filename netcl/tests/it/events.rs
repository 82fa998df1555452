//! Events: waited for, with limits, called back, awaited; and what ends a process that waits.

use netcl::prelude::*;
use netcl::raw::{Grid, KernelSpec};
use netcl::{DType, DeviceKind, Error, Event, EventStatus, Interrupt, QueueOrder, UserEvent, Vendor};
use netcl_fixtures::block_on::block_on;
use netcl_fixtures::devices::{all, bearing_several_queues, with_driver, with_work_under_way};
use netcl_fixtures::processes::again;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

/// Something that takes a while.
fn busy(device: &Device) -> Tensor {
    let count = if device.profile().vendor == Vendor::Oclgrind { 1_000 } else { 1_000_000 };
    let x = Tensor::full(device, 0.5f32, &[count]).unwrap();
    (0..4).fold(x, |x, _| x.apply("sin", &[]).apply("erf", &[]))
}

#[test]
fn events_are_waited_for_in_every_way() {
    for device in all() {
        let y = busy(&device);
        let done = device.record_event().unwrap();
        while !done.wait_timeout(Duration::from_millis(1)).unwrap() {}
        assert_eq!(done.status(), EventStatus::Complete);
        done.wait().unwrap();
        assert!(done.wait_timeout(Duration::ZERO).unwrap() && done.wait_timeout(Duration::MAX).unwrap());

        let z = busy(&device);
        device.record_event().unwrap().wait().unwrap();
        assert_eq!(y.to_vec::<f32>().unwrap(), z.to_vec::<f32>().unwrap());
        // Oclgrind tells the times of any queue.
        let tells = device.profile().vendor == Vendor::Oclgrind;
        assert!(tells || done.times().is_none(), "only with NETCL_PROFILE_EVENTS");
    }
}

#[test]
fn events_and_copies_are_futures() {
    for device in all() {
        let sums = block_on(async {
            let y = busy(&device);
            device.record_event()?.await?;
            let event = device.record_event()?;
            let twice = (event.clone(), event);
            twice.0.await?;
            twice.1.await?;
            let x = Tensor::from_slice(&device, &vec![1.0f32; 300_000], &[300, 1000])?;
            let values = x.to_host_async::<f32>()?.await?;
            assert_eq!(values, vec![1.0; 300_000]);
            drop(y);
            x.sum([1]).to_host_async::<f32>()?.await
        });
        assert_eq!(sums.unwrap(), [1000.0; 300], "{device}");
    }
}

#[test]
fn callbacks_are_called_once() {
    for device in all() {
        let (sender, receiver) = channel();
        let y = busy(&device);
        let event = device.record_event().unwrap();
        for number in 0..3 {
            let sender = sender.clone();
            event.on_complete(move |result| sender.send((number, result.is_ok())).unwrap());
        }
        event.wait().unwrap();
        let mut called: Vec<_> = (0..3).map(|_| receiver.recv_timeout(Duration::from_secs(60)).unwrap()).collect();
        called.sort_unstable();
        assert_eq!(called, [(0, true), (1, true), (2, true)]);
        let late = sender.clone();
        event.on_complete(move |result| late.send((3, result.is_ok())).unwrap());
        assert_eq!(receiver.recv_timeout(Duration::from_secs(60)).unwrap(), (3, true), "it is over already");
        drop((sender, y));
        assert!(receiver.recv().is_err(), "nobody holds a callback any more");
    }
}

#[test]
fn a_device_waits_for_the_program() {
    for device in with_work_under_way() {
        let x = Tensor::from_slice(&device, &[1.0f32; 100], &[100]).unwrap();
        x.add(&x).to_vec::<f32>().unwrap();
        let gate = UserEvent::new();
        device.wait_for(&gate.event()).unwrap();
        let y = x.add(&x);
        let values = y.to_host_async::<f32>().unwrap();
        let done = device.record_event().unwrap();
        assert!(!done.wait_timeout(Duration::from_millis(50)).unwrap(), "{device}: held back");
        assert_eq!(values.wait_timeout(Duration::from_millis(1)).unwrap(), None);
        gate.complete();
        done.wait().unwrap();
        assert_eq!(values.wait().unwrap(), [2.0; 100]);
    }
}

#[test]
fn a_device_waits_for_another() {
    let devices = all();
    for first in &devices {
        for second in &devices {
            let x = busy(first);
            second.wait_for(&first.record_event().unwrap()).unwrap();
            let y = Tensor::from_slice(second, &[3.0f32], &[1]).unwrap();
            let y = y.add(&y);
            second.finish().unwrap();
            assert!(first.record_event().unwrap().wait_timeout(Duration::from_secs(60)).unwrap());
            assert_eq!(y.item::<f32>().unwrap(), 6.0);
            drop(x);
        }
    }
}

#[test]
fn a_gate_that_is_given_up_holds_nobody_for_ever() {
    // Other tests share the others, and would be told.
    for device in queues_of_their_own() {
        let x = Tensor::from_slice(&device, &[1.0f32; 100], &[100]).unwrap();
        let gate = UserEvent::new();
        device.wait_for(&gate.event()).unwrap();
        let y = x.add(&x);
        drop(gate);
        let error = y.to_vec::<f32>().unwrap_err();
        assert!(matches!(&error, Error::Event { reason } if reason.contains("dropped")), "{device}: {error}");
        assert_eq!(y.to_vec::<f32>().unwrap(), [2.0; 100], "{device} says so once");
    }
}

/// As [`with_work_under_way`], each with a queue of its own beside the others' work, and once more with one that is out of order.
fn queues_of_their_own() -> Vec<Device> {
    let orders = [QueueOrder::InOrder, QueueOrder::OutOfOrder];
    bearing_several_queues(with_work_under_way())
        .iter()
        .flat_map(|device| orders.map(|order| device.with_queue(order).ok()))
        .flatten()
        .collect()
}

#[test]
fn waiting_for_a_device_has_an_end() {
    assert!(Device::host().finish_timeout(Duration::ZERO).unwrap());
    for device in queues_of_their_own() {
        let x = Tensor::from_slice(&device, &vec![1.0f32; 1 << 18], &[1 << 18]).unwrap();
        assert!(device.finish_timeout(Duration::MAX).unwrap());
        let gate = UserEvent::new();
        device.wait_for(&gate.event()).unwrap();
        let y = x.add(&x);
        // Beside the device's own queue, and behind it.
        let values = y.to_host_async::<f32>().unwrap();
        assert!(!device.finish_timeout(Duration::ZERO).unwrap(), "{device}");
        assert!(!device.finish_timeout(Duration::from_millis(20)).unwrap(), "{device}");
        gate.complete();
        assert!(device.finish_timeout(Duration::from_secs(60)).unwrap(), "{device}");
        assert!(values.event().is_complete(), "the copy is done, too");
        assert_eq!(values.wait().unwrap()[0], 2.0);
    }
}

#[test]
fn a_device_may_be_dropped_before_what_it_waits_for() {
    for device in queues_of_their_own() {
        let gate = UserEvent::new();
        let x = Tensor::from_slice(&device, &vec![1.0f32; 1 << 18], &[1 << 18]).unwrap();
        device.wait_for(&gate.event()).unwrap();
        let values = x.add(&x).to_host_async::<f32>().unwrap();
        let (event, name) = (values.event().clone(), device.to_string());
        drop((x, values, device));
        assert!(!event.is_complete(), "{name}");
        gate.complete();
        assert!(event.wait_timeout(Duration::from_secs(60)).unwrap(), "{name}");
    }
}

#[test]
fn a_device_may_be_dropped_by_a_callback() {
    for device in queues_of_their_own() {
        let gate = UserEvent::new();
        device.wait_for(&gate.event()).unwrap();
        let x = Tensor::full(&device, 1.0f32, &[1 << 18]).unwrap();
        let (event, name) = (device.record_event().unwrap(), device.to_string());
        let (sender, receiver) = channel();
        event.on_complete(move |result| {
            drop((x, device));
            sender.send(result.is_ok()).unwrap();
        });
        gate.complete();
        assert_eq!(receiver.recv_timeout(Duration::from_secs(60)), Ok(true), "{name}");
    }
}

#[test]
fn user_events_tell_how_they_ended() {
    let calls = Arc::new(AtomicUsize::new(0));
    let count = |event: &Event| {
        let calls = calls.clone();
        event.on_complete(move |result| _ = calls.fetch_add(if result.is_ok() { 1 } else { 100 }, Ordering::Relaxed));
    };
    let (good, bad, lost) = (UserEvent::new(), UserEvent::new(), UserEvent::new());
    let events = [good.event(), bad.event(), lost.event()];
    events.iter().for_each(count);
    assert!(events.iter().all(|event| event.status() == EventStatus::Queued && !event.is_complete()));
    assert!(!events[0].wait_timeout(Duration::from_millis(1)).unwrap());
    let waiting = std::thread::spawn({
        let event = events[0].clone();
        move || block_on(event)
    });
    good.complete();
    waiting.join().unwrap().unwrap();
    bad.fail("no data");
    drop(lost);
    assert_eq!(calls.load(Ordering::Relaxed), 201);
    events[0].wait().unwrap();
    for (event, reason) in [(&events[1], "no data"), (&events[2], "dropped")] {
        assert_eq!(event.status(), EventStatus::Failed);
        for error in [event.wait().unwrap_err(), block_on(event.clone()).unwrap_err()] {
            assert!(matches!(&error, Error::Event { reason: found } if found.contains(reason)), "{error}");
        }
    }
}

/// Runs one of the `child_` tests below in a process of its own.
fn child(name: &str, selector: &str) -> Child {
    command(name, selector).spawn().unwrap()
}

fn command(name: &str, selector: &str) -> Command {
    let mut command = again(module_path!(), name);
    command.env("NETCL_DEVICE", selector);
    command.stdout(Stdio::piped());
    command
}

/// Waits, but not for ever: then it is killed, and `None`.
fn ended(child: &mut Child) -> Option<std::process::ExitStatus> {
    let limit = Instant::now() + Duration::from_secs(120);
    while Instant::now() < limit {
        if let Some(status) = child.try_wait().unwrap() {
            return Some(status);
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    None
}

/// Far more work than the test has time for: a second's for the fastest GPUs.
fn endless(device: &Device) -> Tensor {
    let count = if device.profile().kind == DeviceKind::Gpu { 1 << 28 } else { 8_000_000 };
    let x = Tensor::full(device, 0.5f32, &[count]).unwrap();
    (0..2_000).fold(x, |x, _| x.apply("erf", &[]))
}

#[test]
#[ignore = "run by the others, in a process of its own"]
fn child_waits() {
    let device = Device::auto().unwrap();
    let held = endless(&device);
    println!("\nwaiting");
    device.finish().unwrap();
    drop(held);
    println!("\nfinished");
}

/// A kernel that never ends, and a thread that waits for it. Processes that run at once use names of their own: PoCL's
/// cache is not made for two that compile one kernel.
fn stuck(device: &Device, name: &str) -> std::thread::JoinHandle<()> {
    let source = format!("__kernel void {name}(volatile __global uint* x) {{ while (x[0] == 0) {{ }} }}");
    let kernel = KernelSpec::from_source(name, &source).build(device).unwrap();
    // Once with an end: drivers compile at the first launch, and PoCL's compiler does not bear the end of its process.
    let one = Tensor::from_slice(device, &[1u32], &[1]).unwrap();
    let x = Tensor::zeros(device, &[1], DType::U32).unwrap();
    for x in [&one, &x] {
        device.finish().unwrap();
        // SAFETY: it reads the only element. That it does not end is what is tested.
        unsafe { kernel.launch(&[x.into()], &Grid::from(1)) }.unwrap();
    }
    let device = device.clone();
    std::thread::spawn(move || drop((device.finish(), x)))
}

#[test]
#[ignore = "run by the others, in a process of its own"]
fn child_is_stuck() {
    let device = Device::auto().unwrap();
    let waiting = stuck(&device, "interrupted");
    println!("\nwaiting");
    waiting.join().unwrap();
}

/// As a program does that handles Ctrl-C itself.
#[test]
#[ignore = "run by the others, in a process of its own"]
fn child_exits_stuck() {
    let _waiting = stuck(&Device::auto().unwrap(), "left");
    std::process::exit(7);
}

#[test]
#[ignore = "run by the others, in a process of its own"]
fn child_exits() {
    let device = Device::auto().unwrap();
    let y = busy(&device);
    drop(y.to_host_async::<f32>().unwrap());
    device.record_event().unwrap().on_complete(|_| println!("\ncalled back"));
    // The device is a static's, so nothing is dropped: the process ends while the queue is full.
    std::process::exit(7);
}

/// Launches what was never compiled, and returns from `main` while the driver still compiles it.
#[test]
#[ignore = "run by the others, in a process of its own"]
fn child_ends_at_once() {
    let device = Device::auto().unwrap();
    let name = std::env::var("NETCL_TEST_KERNEL").unwrap();
    let sums: String = (0..12).map(|i| format!("y = sin(y * {i}.5f) + sqrt(fabs(y));\n")).collect();
    let source =
        format!("__kernel void {name}(__global float* x) {{ float y = x[get_global_id(0)]; {sums} x[0] = y; }}");
    let kernel = KernelSpec::from_source(&name, &source).build(&device).unwrap();
    let x = Tensor::zeros(&device, &[1], DType::F32).unwrap();
    // SAFETY: it stays inside its only element.
    unsafe { kernel.launch(&[(&x).into()], &Grid::from(1)) }.unwrap();
}

#[test]
#[cfg(unix)]
fn ctrl_c_ends_a_wait() {
    use std::io::{BufRead, BufReader};
    use std::os::unix::process::ExitStatusExt;
    for device in with_driver().iter().filter(|device| device.profile().kind != DeviceKind::Null) {
        if device.profile().vendor == Vendor::Oclgrind {
            eprintln!("Oclgrind computes while it is given work: there is no wait");
            continue;
        }
        for name in ["child_waits", "child_is_stuck"] {
            let mut child = child(name, &device.profile().selector);
            let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
            assert!(lines.any(|line| line == "waiting"), "the child waits");
            std::thread::sleep(Duration::from_millis(100));
            let interrupt = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
            assert!(interrupt.success());
            let status = ended(&mut child).expect("the signal ends the process");
            assert_eq!(status.signal(), Some(2), "{device}: {status}");
            assert!(!lines.any(|line| line == "finished"), "it was stopped while it waited");
        }
    }
}

/// As a program does that handles Ctrl-C itself.
#[test]
#[cfg(unix)]
#[allow(unsafe_code, reason = "signals")]
fn a_signal_handler_interrupts_waits() {
    use std::ffi::c_int;
    static STOP: Interrupt = Interrupt::new();
    extern "C" fn stop(_: c_int) {
        STOP.interrupt();
    }
    // SAFETY: the signatures are those of POSIX.
    unsafe extern "C" {
        fn signal(number: c_int, handler: extern "C" fn(c_int)) -> usize;
        fn raise(number: c_int) -> c_int;
    }
    const SIGINT: c_int = 2;
    // SAFETY: the handler lives as long as the process and only stores to an atomic, which a handler may do.
    assert_ne!(unsafe { signal(SIGINT, stop) }, usize::MAX);
    for device in queues_of_their_own() {
        let gate = UserEvent::new();
        device.wait_for(&gate.event()).unwrap();
        let x = busy(&device);
        let (event, values) = (device.record_event().unwrap(), x.sum([0]).to_host_async::<f32>().unwrap());
        let waits: [&(dyn Fn() -> netcl::Result<()> + Sync); 3] =
            [&|| device.finish_or(&STOP), &|| event.wait_or(&STOP), &|| values.wait_or(&STOP).map(drop)];
        for wait in waits {
            STOP.reset();
            let interrupted = std::thread::scope(|scope| {
                let waiting = scope.spawn(wait);
                // SAFETY: handled above, in this thread.
                assert_eq!(unsafe { raise(SIGINT) }, 0);
                waiting.join().unwrap()
            });
            assert!(matches!(interrupted, Err(Error::Interrupted)), "{device}: {interrupted:?}");
        }
        gate.complete();
        STOP.reset();
        device.finish_or(&STOP).unwrap();
        event.wait_or(&STOP).unwrap();
        assert!(values.wait_or(&STOP).unwrap()[0] > 0.0);
        STOP.interrupt();
        event.wait_or(&STOP).expect("there is nothing left to wait for");
    }
}

#[test]
fn a_process_ends_cleanly_while_devices_work() {
    for device in with_driver().iter().filter(|device| device.profile().kind != DeviceKind::Null) {
        let mut child = child("child_exits", &device.profile().selector);
        let status = ended(&mut child).expect("the process ends");
        assert_eq!(status.code(), Some(7), "{device}: {status}");
        if matches!(device.profile().vendor, Vendor::Pocl | Vendor::Intel) {
            // Elsewhere a kernel that never ends may stop the whole machine's device.
            let mut child = self::child("child_exits_stuck", &device.profile().selector);
            let status = ended(&mut child).expect("a stuck kernel does not keep the process");
            assert_eq!(status.code(), Some(7), "{device}: {status}");
        }
    }
}

#[test]
fn a_process_ends_cleanly_while_a_driver_compiles() {
    for device in with_driver() {
        for round in 0..3 {
            // What the device can do is known, so that the driver's compiler is first used after the device was opened: for
            // a source, then for binaries that netcl has kept and PoCL has not.
            let cache = std::env::temp_dir().join(format!("netcl-new-{}-{round}", std::process::id()));
            std::fs::create_dir_all(&cache).unwrap();
            let mut command = command("child_ends_at_once", &device.profile().selector);
            command.env("POCL_CACHE_DIR", &cache).env("NETCL_TEST_KERNEL", format!("new_{}", std::process::id()));
            let mut child = command.spawn().unwrap();
            let status = ended(&mut child).expect("the process ends");
            let _ = std::fs::remove_dir_all(&cache);
            assert_eq!(status.code(), Some(0), "{device}: {status}, round {round}");
        }
    }
}
