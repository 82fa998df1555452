//! Drivers that fail, and drivers that answer nonsense: errors or no harm, and no panic, crash, hang or wrong number.
//!
//! `proxy.rs` is a library between netcl and the OpenCL loader, which rustc compiles here; `work.rs` is what a child process
//! does through it. `NETCL_TEST_DRIVERS=all` has every call of every function fail, with several codes and for ever, which takes
//! minutes.

mod work;

use netcl_fixtures::processes::again;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock};
use std::time::{Duration, Instant};

/// Longer than anything that a child does. It says that the child hangs, and nothing about speed.
const PATIENCE: Duration = Duration::from_secs(90);

/// The functions that fail, the first call of each; those with a number also that call.
const FUNCTIONS: &[(&str, &[usize])] = &[
    ("clGetPlatformIDs", &[]),
    ("clGetPlatformInfo", &[2]),
    ("clGetDeviceIDs", &[2]),
    ("clGetDeviceInfo", &[7]),
    ("clCreateContext", &[]),
    ("clCreateCommandQueue", &[2]),
    ("clCreateBuffer", &[2, 7]),
    ("clCreateSubBuffer", &[3]),
    ("clSetMemObjectDestructorCallback", &[]),
    ("clCreateProgramWithSource", &[]),
    ("clCreateProgramWithBinary", &[3]),
    ("clBuildProgram", &[3]),
    ("clGetProgramInfo", &[]),
    ("clGetProgramBuildInfo", &[]),
    ("clCreateKernel", &[4]),
    ("clGetKernelInfo", &[3]),
    ("clGetKernelArgInfo", &[]),
    ("clGetKernelWorkGroupInfo", &[]),
    ("clSetKernelArg", &[9]),
    ("clEnqueueNDRangeKernel", &[5]),
    ("clEnqueueReadBuffer", &[3]),
    ("clEnqueueWriteBuffer", &[2, 5]),
    ("clEnqueueCopyBuffer", &[4]),
    ("clEnqueueFillBuffer", &[]),
    ("clEnqueueMapBuffer", &[2]),
    ("clEnqueueUnmapMemObject", &[2]),
    ("clEnqueueMarkerWithWaitList", &[2]),
    ("clEnqueueBarrierWithWaitList", &[2]),
    ("clFinish", &[2]),
    ("clFlush", &[5]),
    ("clWaitForEvents", &[2]),
    ("clGetEventInfo", &[9]),
    ("clSetEventCallback", &[]),
    ("clCreateUserEvent", &[]),
    ("clSetUserEventStatus", &[]),
    ("clRetainEvent", &[]),
    ("clReleaseEvent", &[9]),
    ("clReleaseMemObject", &[2]),
    ("clReleaseKernel", &[]),
    ("clReleaseProgram", &[]),
    ("clReleaseCommandQueue", &[]),
    ("clReleaseContext", &[]),
];

/// Those that fail for ever, from their second call on: what runs by then is to end as well.
const FOR_EVER: &[&str] = &[
    "clCreateBuffer",
    "clEnqueueNDRangeKernel",
    "clEnqueueWriteBuffer",
    "clFinish",
    "clFlush",
    "clWaitForEvents",
    "clGetEventInfo",
    "clReleaseEvent",
    "clReleaseMemObject",
    "clReleaseKernel",
];

/// The numbers of what `proxy.rs` answers.
const NONSENSE: &[u32] = &[
    1, 2, 3, 4, 5, 10, 11, 12, 13, 14, 15, 20, 21, 22, 23, 24, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43,
    44, 45, 46, 47, 50, 51, 52, 53, 60, 61, 70, 71, 80, 81, 90, 91, 95,
];

fn everything() -> bool {
    std::env::var("NETCL_TEST_DRIVERS").is_ok_and(|value| value == "all")
}

/// A folder that goes with the tests' process.
fn folder() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let folder = std::env::temp_dir().join(format!("netcl-drivers-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        folder
    })
}

/// The proxy as a library.
fn proxy() -> &'static Path {
    static PROXY: OnceLock<PathBuf> = OnceLock::new();
    PROXY.get_or_init(|| {
        let library = folder().join("libproxy.so");
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/drivers/proxy.rs");
        let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
        let mut compile = Command::new(rustc);
        compile.args(["--edition", "2024", "--crate-type", "cdylib", "-o"]).arg(&library).arg(source);
        let output = compile.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        library
    })
}

/// What a child has written, and how it ended: `None` where it had to be ended.
struct Ended {
    text: String,
    status: Option<std::process::ExitStatus>,
}

fn run(variable: &str, value: &str) -> Ended {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let written = folder().join(format!("child-{}", COUNT.fetch_add(1, Ordering::Relaxed)));
    let file = std::fs::File::create(&written).unwrap();
    let mut command = again(module_path!(), "child");
    command
        .args(["--test-threads", "1"])
        .env("OPENCL_DYLIB_PATH", proxy())
        .env("NETCL_CACHE_DIR", folder().join("cache"))
        .env("RUST_BACKTRACE", "0")
        .env(variable, value)
        .stdin(Stdio::null())
        .stdout(file.try_clone().unwrap())
        .stderr(file);
    let mut child = command.spawn().unwrap();
    let end = Instant::now() + PATIENCE;
    let status = loop {
        match child.try_wait().unwrap() {
            Some(status) => break Some(status),
            None if Instant::now() >= end => {
                child.kill().unwrap();
                child.wait().unwrap();
                break None;
            }
            None => std::thread::sleep(Duration::from_millis(5)),
        }
    };
    let mut bytes = Vec::new();
    std::fs::File::open(&written).unwrap().read_to_end(&mut bytes).unwrap();
    let _ = std::fs::remove_file(written);
    Ended { text: String::from_utf8_lossy(&bytes).into_owned(), status }
}

/// What is wrong with how it ended.
fn verdict(ended: &Ended) -> Option<String> {
    match ended.status {
        None => Some("hangs".to_owned()),
        Some(_) if ended.text.contains("panicked") => Some("panics".to_owned()),
        Some(status) if status.code() == Some(work::WRONG) => Some("computes wrong numbers".to_owned()),
        Some(status) if !status.success() => Some(format!("ends with {status}")),
        Some(_) => None,
    }
}

/// Runs all of these, two at a time; whether each has reached its fault, and every one that ended badly.
fn sweep(variable: &str, values: &[String]) -> (usize, Vec<String>) {
    let (next, reached, bad) = (AtomicUsize::new(0), AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(value) = values.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let ended = run(variable, value);
                    reached.fetch_add(usize::from(ended.text.contains("FAULT ")), Ordering::Relaxed);
                    if let Some(verdict) = verdict(&ended) {
                        let tail: Vec<&str> = ended.text.lines().rev().take(12).collect();
                        let tail = tail.into_iter().rev().collect::<Vec<_>>().join("\n    ");
                        bad.lock().unwrap().push(format!("{variable}={value} {verdict}:\n    {tail}"));
                    }
                }
            });
        }
    });
    (reached.into_inner(), bad.into_inner().unwrap())
}

/// Whether there is a driver to stand before; the kernels are built by the way, so that the children find them.
fn has_driver() -> bool {
    static HAS: OnceLock<bool> = OnceLock::new();
    *HAS.get_or_init(|| {
        let ended = run("NETCL_TEST_FAULT", "none:0:0:0");
        assert_eq!(verdict(&ended), None, "{}", ended.text);
        let found = !ended.text.contains("opening: error");
        assert!(!found || !ended.text.contains("error: "), "{}", ended.text);
        found
    })
}

#[test]
fn a_driver_that_fails_gives_errors() {
    if !has_driver() {
        return;
    }
    let mut faults = Vec::new();
    if everything() {
        for (function, _) in FUNCTIONS {
            for call in [1, 2, 7, 40] {
                for code in [-5, -4, -6, -36, -9999, 12345] {
                    faults.push(format!("{function}:{call}:{code}:1"));
                }
                faults.push(format!("{function}:{call}:-5:1000000000"));
            }
        }
    } else {
        let codes = [-5, -4, -6, -36, -9999, 12345];
        for (number, (function, calls)) in FUNCTIONS.iter().enumerate() {
            let calls = [1].into_iter().chain(calls.iter().copied());
            faults.extend(calls.map(|call| format!("{function}:{call}:{}:1", codes[(number + call) % 6])));
        }
        faults.extend(FOR_EVER.iter().map(|function| format!("{function}:2:-5:1000000000")));
    }
    let (reached, bad) = sweep("NETCL_TEST_FAULT", &faults);
    assert!(bad.is_empty(), "{} of {reached} faults:\n{}", bad.len(), bad.join("\n"));
    // Of all functions at several calls, many are not called as often.
    let least = if everything() { faults.len() / 2 } else { faults.len() * 2 / 3 };
    assert!(reached > least, "{reached} of {} faults were reached", faults.len());
    println!("{reached} of {} faults were reached", faults.len());
}

#[test]
fn a_driver_that_answers_nonsense_gives_errors() {
    if !has_driver() {
        return;
    }
    let modes: Vec<String> = NONSENSE.iter().map(u32::to_string).collect();
    let (_, bad) = sweep("NETCL_TEST_NONSENSE", &modes);
    assert!(bad.is_empty(), "{} of {}:\n{}", bad.len(), modes.len(), bad.join("\n"));
}

/// Not a test: what the others start as a process of its own.
#[test]
#[ignore = "run by the other tests"]
fn child() {
    std::process::exit(work::all());
}
