//! Profiles: what is recorded of launches, copies and the program's own spans, and the traces that are written of it.

use netcl::profile::{self, Profile, Span, SpanKind};
use netcl::{DType, Device, Tensor, Vendor};
use netcl_fixtures::devices;
use netcl_fixtures::processes::{again, again_within, text};
use std::path::{Path, PathBuf};
use std::process::Output;

/// The selectors of what there is; the null device, too.
fn selectors() -> Vec<String> {
    devices::selectors().into_iter().chain(["null".to_owned()]).collect()
}

/// A copy there, two kernels, a copy back, all under one name.
fn work(device: &Device) {
    let _span = profile::span("the work");
    let x = Tensor::from_slice(device, &[1.0f32; 1000], &[1000]).unwrap();
    let y = x.add(&x).eval().unwrap().relu();
    y.to_vec::<f32>().unwrap();
}

fn of(profile: &Profile, kind: SpanKind) -> Vec<&Span> {
    profile.spans().iter().filter(|span| span.kind == kind).collect()
}

/// What failed is the program's to know; the profiler has only waited.
fn stopping_takes_no_failure_away(device: &Device) {
    let x = Tensor::from_slice(device, &[1.0f32], &[1]).unwrap();
    profile::start().unwrap();
    let gate = netcl::UserEvent::new();
    device.wait_for(&gate.event()).unwrap();
    let y = x.add(&x);
    gate.fail("no data");
    profile::stop().unwrap();
    let error = device.finish().unwrap_err();
    assert!(matches!(&error, netcl::Error::Event { reason } if reason == "no data"), "{device}: {error}");
    device.finish().unwrap();
    drop(y);
}

#[test]
fn launches_copies_and_spans_are_recorded_between_start_and_stop() {
    let output = again(module_path!(), "program_that_records").output().unwrap();
    assert!(output.status.success(), "{}", text(&output));
}

/// A process of its own, because it has one recorder, and because devices that were opened before note no times.
#[test]
#[ignore = "run by the one above, in a process of its own"]
fn program_that_records() {
    // While it records devices are opened whose queues note times.
    profile::start().unwrap();
    let devices: Vec<Device> = selectors().iter().map(|selector| Device::select(selector).unwrap()).collect();
    for (selector, device) in selectors().into_iter().zip(devices) {
        profile::start().unwrap();
        work(&device);
        let recorded = profile::stop().unwrap();
        work(&device);
        assert!(!profile::is_on());
        assert_eq!((recorded.lost(), recorded.untimed()), (0, 0), "{selector}");

        let [launches, copies, calls, program] =
            [SpanKind::Kernel, SpanKind::Copy, SpanKind::Call, SpanKind::Program].map(|kind| of(&recorded, kind));
        assert_eq!((launches.len(), calls.len(), program.len()), (2, 2, 1), "{selector}: {recorded:#?}");
        let whole = program[0];
        assert_eq!((&*whole.name, &*whole.track.group), ("the work", "program"));
        for span in launches.iter().chain(&copies).chain(&calls) {
            assert!(span.started <= span.ended, "{selector}: {span:?}");
            assert!(
                span.queued <= span.submitted && span.submitted.is_none_or(|time| time <= span.started),
                "{span:?}"
            );
        }
        for call in calls {
            assert_eq!(call.track, whole.track, "{selector}");
            assert!(whole.started <= call.started && call.ended <= whole.ended, "{selector}: {call:?} in {whole:?}");
        }
        for launch in launches {
            assert!(launch.track.group.starts_with(&selector), "{selector}: {launch:?}");
            assert!(launch.kernel.is_some() && !launch.name.is_empty(), "{selector}: {launch:?}");
            assert_eq!(launch.work_items.is_empty(), selector == "host", "{selector}: {launch:?}");
        }
        if selector != "null" {
            let moved: Vec<_> = copies.iter().map(|copy| (&*copy.name, copy.bytes)).collect();
            assert_eq!(moved, [("copy to the device", Some(4000)), ("copy from the device", Some(4000))], "{selector}");
        }

        let totals = recorded.totals();
        assert_eq!(totals.iter().map(|total| total.count).sum::<u64>(), recorded.spans().len() as u64);
        let path = std::env::temp_dir().join(format!("netcl-profile-{}.json", std::process::id()));
        recorded.write_chrome_trace(&path).unwrap();
        let events = events(&path);
        std::fs::remove_file(&path).unwrap();
        assert_eq!(events.iter().filter(|event| event["ph"] == "X").count(), recorded.spans().len(), "{selector}");
        assert!(recorded.write_chrome_trace("/no/such/folder/trace.json").is_err());
    }
    devices::with_driver().iter().for_each(stopping_takes_no_failure_away);
    assert_eq!(profile::stop().unwrap().spans(), [], "nothing is recorded after it was stopped");
}

fn events(path: &Path) -> Vec<serde_json::Value> {
    let text = std::fs::read_to_string(path).unwrap();
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// What the tests below run in processes of their own; its environment says on which device and how it ends.
#[test]
#[ignore = "run by the others, in a process of its own"]
fn traced_program() {
    let selector = std::env::var_os("NETCL_TEST_TRACED").expect("the tests below say on which device");
    let device = Device::select(selector.to_str().unwrap()).unwrap();
    work(&device);
    if std::env::var_os("NETCL_TEST_KILLED").is_some() {
        std::process::abort();
    }
    let x = Tensor::zeros(&device, &[100], DType::F32).unwrap();
    // Not waited for: the end of the process is.
    x.gelu().eval().unwrap();
}

fn traced(selector: &str, trace: &str, killed: bool) -> (Output, PathBuf) {
    let path = std::env::temp_dir().join(format!("netcl-traced-{}-{killed}-{trace}", selector.replace(':', "-")));
    let _ = std::fs::remove_file(&path);
    let mut child = again(module_path!(), "traced_program");
    child.env("NETCL_TEST_TRACED", selector).env("NETCL_TRACE", &path);
    if killed {
        child.env("NETCL_TEST_KILLED", "1");
    }
    (child.output().unwrap(), path)
}

#[test]
fn a_trace_is_written_while_the_program_runs() {
    for selector in selectors() {
        let (output, path) = traced(&selector, "whole.json", false);
        assert!(output.status.success(), "{selector}: {output:?}");
        let events = events(&path);
        std::fs::remove_file(&path).unwrap();
        let kernels: Vec<_> = events.iter().filter(|event| event["cat"] == "kernel").collect();
        // Oclgrind is not to be called when the process ends: what nobody waited for it has not computed.
        let expected = if Device::select(&selector).unwrap().profile().vendor == Vendor::Oclgrind { 2 } else { 3 };
        assert_eq!(kernels.len(), expected, "{selector}: {events:#?}");
        assert!(kernels.iter().all(|event| event["dur"].as_f64().is_some_and(|time| time >= 0.0)), "{selector}");
        assert!(events.iter().any(|event| event["name"] == "the work" && event["cat"] == "program"), "{selector}");
        assert!(events.iter().any(|event| event["args"]["name"] == "program"), "{selector}: tracks have names");
    }
}

#[test]
fn the_trace_of_a_killed_program_can_be_read() {
    for selector in selectors() {
        let (output, path) = traced(&selector, "killed.json", true);
        assert!(!output.status.success(), "{selector}");
        let events = events(&path);
        std::fs::remove_file(&path).unwrap();
        // Devices were waited for by the copy back; the null device has nothing to wait for.
        let kernels = events.iter().filter(|event| event["cat"] == "kernel").count();
        assert!(kernels == 2 || selector == "null", "{selector}: {events:#?}");
    }
}

#[test]
fn without_its_trace_no_device_is_opened() {
    for (opens, is_told_by_an_error) in [("all", true), ("the host", false)] {
        let path = std::env::temp_dir().join("netcl-no-such-folder/trace.json");
        let child = again(module_path!(), "program_without_its_trace")
            .env("NETCL_TEST_UNTRACED", opens)
            .env("NETCL_TRACE", &path)
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&child.stderr);
        assert!(child.status.success(), "{text}");
        // What an error has told is not told again when the process ends.
        assert_eq!(text.contains("netcl: cannot create the trace"), !is_told_by_an_error, "{text}");
        assert_eq!(text.contains(path.to_str().unwrap()), !is_told_by_an_error, "{text}");
    }
}

/// What [`without_its_trace_no_device_is_opened`] runs.
#[test]
#[ignore = "run by the others, in a process of its own"]
fn program_without_its_trace() {
    let opens = std::env::var_os("NETCL_TEST_UNTRACED").expect("that test says what is opened");
    if opens == "all" {
        let manager = netcl::DeviceManager::global();
        let tries = [
            Device::auto().map(drop),
            Device::select("host").map(drop),
            Device::select("host").map(drop),
            manager.find(|profile| profile.selector == "host").map(drop),
            profile::start(),
        ];
        for done in tries {
            let error = done.unwrap_err();
            assert!(matches!(&error, netcl::Error::Io { path, .. } if path.ends_with("trace.json")), "{error}");
            assert!(error.to_string().contains("NETCL_TRACE"), "{error}");
        }
    }
    // This cannot fail, and works on.
    work(&Device::host());
    assert!(!profile::is_on(), "nothing is recorded for nobody");
}

/// What [`a_trace_that_fills_the_disk_ends`] runs.
#[test]
#[ignore = "run by the others, in a process of its own"]
fn program_with_a_full_disk() {
    let device = Device::host();
    assert!(profile::is_on());
    for _ in 0..10_000 {
        work(&device);
        if !profile::is_on() {
            return;
        }
    }
    panic!("it goes on recording for nobody");
}

/// A limit on the size of files fails midway, as a full disk does.
#[test]
#[cfg(unix)]
fn a_trace_that_fills_the_disk_ends() {
    let path = std::env::temp_dir().join(format!("netcl-traced-full-{}.json", std::process::id()));
    let child = again_within("trap '' XFSZ; ulimit -f 8", module_path!(), "program_with_a_full_disk")
        .env("NETCL_TRACE", &path)
        .output()
        .unwrap();
    let _ = std::fs::remove_file(&path);
    let text = String::from_utf8_lossy(&child.stderr);
    assert!(child.status.success(), "{text}");
    assert!(text.contains("netcl: ") && text.contains("which ends early") && text.contains("File too large"), "{text}");
}
