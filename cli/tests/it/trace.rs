//! `netcl bench` is the program that is traced.

use super::{NETCL, command, printed, refused, scratch, text, texts};
use netcl_fixtures::devices::selectors;
use serde_json::Value;

#[test]
fn a_program_is_run_and_what_its_devices_did_is_written() {
    for device in selectors().iter().map(String::as_str).chain(["null"]) {
        let path = scratch(&format!("trace-{}", device.replace(':', "-")));
        let text = printed(&["trace", "--output", text(&path), NETCL, "bench", "--quick", "--device", device]);
        let events: Vec<Value> = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
        std::fs::remove_file(&path).unwrap();
        let of = |kind: &str| events.iter().filter(|event| event["cat"] == kind).count();
        assert!(of("kernel") >= 400 && of("call") >= 400, "{device}: {} kernels, {} calls", of("kernel"), of("call"));
        assert!(of("copy") > 0 || device == "null", "{device}");
        let named = |group: &str| {
            events.iter().any(|event| event["args"]["name"].as_str().is_some_and(|name| name.starts_with(group)))
        };
        assert!(named("program") && named(device), "{device}: tracks have names");
        assert!(text.contains("launch, host's share"), "{device}: the program's own output: {text}");
        assert!(text.contains("tanh("), "{device}: a table of the kernels: {text}");
    }
}

#[test]
fn as_json_only_the_totals_are_on_standard_output() {
    let path = scratch("trace-json");
    let output = command(&["--json", "trace", "-o", text(&path), NETCL, "bench", "--quick", "--device", "null"])
        .output()
        .unwrap();
    std::fs::remove_file(&path).unwrap();
    let (out, err) = texts(&output);
    let value: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((&value["status"], &value["missed"]), (&0.into(), &0.into()));
    assert!(value["totals"].as_array().unwrap().iter().any(|total| total["kind"] == "kernel"), "{value}");
    assert!(err.contains("launch, host's share"), "the program's output goes to standard error: {err}");
}

#[test]
fn the_exit_code_is_the_programs() {
    let path = scratch("trace-code");
    let output =
        command(&["trace", "-o", text(&path), NETCL, "devices", "--device", "nothing-like-it"]).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    // Looking for devices opens the host, so that there is a trace, of nothing.
    assert!(texts(&output).0.contains("0 events"), "{output:?}");
    std::fs::remove_file(&path).unwrap();
    // So is that of one that ends before it opens a device.
    let output = command(&["trace", "-o", text(&path), NETCL, "no-such-command"]).output().unwrap();
    let (out, err) = texts(&output);
    assert_eq!((output.status.code(), out.as_str()), (Some(2), ""), "{err}");
    assert!(err.contains("no-such-command") && err.contains("wrote no trace") && !path.exists(), "{err}");
}

#[cfg(unix)]
#[test]
fn a_signal_that_ends_the_program_is_told_as_shells_tell_it() {
    let path = scratch("trace-signal");
    let output = command(&["trace", "-o", text(&path), "sh", "-c", "kill -TERM $$"]).output().unwrap();
    assert_eq!(output.status.code(), Some(128 + 15), "{output:?}");
    assert!(!path.exists(), "it is no program of netcl");
    let script = format!("{NETCL} bench --quick --device null && kill -KILL $$");
    let output = command(&["trace", "-o", text(&path), "sh", "-c", &script]).output().unwrap();
    assert_eq!(output.status.code(), Some(128 + 9), "{output:?}");
    assert!(texts(&output).0.contains(" events in "), "what it did until then is there: {output:?}");
    std::fs::remove_file(&path).unwrap();
}

#[test]
fn a_program_that_writes_no_trace_is_an_error() {
    let path = scratch("trace-none");
    let output = command(&["trace", "-o", text(&path), NETCL, "--version"]).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(texts(&output).1.contains("wrote no trace"), "{output:?}");
    assert!(!path.exists(), "no empty trace is left");
    assert!(refused(&["trace", "-o", text(&path), "/no/such/program"], 1).contains("/no/such/program"));
    assert!(refused(&["trace", "-o", "/no/such/folder/trace.json", NETCL, "devices"], 1).contains("/no/such/folder"));
    for no_file in [std::env::temp_dir().to_str().unwrap(), "/dev/null"] {
        assert!(refused(&["trace", "-o", no_file, NETCL, "devices"], 1).contains("no file"), "{no_file}");
        assert!(std::path::Path::new(no_file).exists(), "{no_file} is left as it was");
    }
    assert!(refused(&["trace"], 2).contains("PROGRAM"));
}

#[test]
fn a_name_that_the_program_would_read_otherwise_is_refused_and_what_is_there_stays() {
    let folder = scratch("trace-names");
    std::fs::create_dir_all(&folder).unwrap();
    for (name, problem) in [("a%p.json", "`%p` stands for"), ("a.json ", "ends with a blank")] {
        let path = folder.join(name);
        std::fs::write(&path, "mine").unwrap();
        let error = refused(&["trace", "-o", text(&path), NETCL, "devices"], 1);
        assert!(error.contains(problem) && error.contains(name), "{error}");
        assert_eq!(std::fs::read(&path).unwrap(), b"mine");
    }
    // A blank in front of a name is a part of it.
    let output = command(&["trace", "-o", " a.json", NETCL, "devices"]).current_dir(&folder).output().unwrap();
    assert!(output.status.success() && folder.join(" a.json").exists(), "{output:?}");
    std::fs::remove_dir_all(&folder).unwrap();
}

#[cfg(unix)]
#[test]
fn programs_and_arguments_need_not_be_utf_8() {
    use std::os::unix::ffi::OsStrExt as _;
    let folder = scratch("trace-bytes");
    std::fs::create_dir_all(&folder).unwrap();
    let program = folder.join(std::ffi::OsStr::from_bytes(b"netcl-\xff"));
    std::os::unix::fs::symlink(NETCL, &program).unwrap();
    let path = folder.join("trace.json");
    let mut own = command(&["trace", "-o", text(&path)]);
    let output = own.arg(&program).arg("devices").output().unwrap();
    assert!(output.status.success() && path.exists(), "{output:?}");
    let mut own = command(&["trace", "-o", text(&path), NETCL, "devices", "--device"]);
    let output = own.arg(std::ffi::OsStr::from_bytes(b"\xff")).output().unwrap();
    assert!(texts(&output).1.contains("invalid UTF-8"), "that is the program's own answer: {output:?}");
    std::fs::remove_dir_all(&folder).unwrap();
}
