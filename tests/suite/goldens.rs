//! Every golden and every template, compiled by each driver: no error, no warning.

use crate::Case;
use libtest_mimic::{Completion, Failed};
use netcl::Device;
use netcl_fixtures::plan_texts;
use netcl_kernels::dtype::DType;
use netcl_kernels::template::{self, Axis, Limits, MatrixUnit, Problem};
use opencl3::context::Context;
use opencl3::device::{CL_DEVICE_TYPE_ALL, Device as ClDevice};
use opencl3::error_codes::CL_INVALID_BUILD_OPTIONS;
use opencl3::platform::get_platforms;
use opencl3::program::Program;
use std::path::{Path, PathBuf};

/// What netcl builds programs with, but for what a quirk of the driver adds.
const OPTIONS: &str = "-cl-std=CL1.2";
/// What a driver is asked to warn of, if it takes the option.
const WARNINGS: &str = "-Wall";

/// Lines of a log that speak of warnings and are none of ours: a part of the line, and why.
const HARMLESS: &[(&str, &str)] = &[
    (
        "is a kernel, so overriding noinline attribute",
        "NVIDIA's driver says so of every kernel that it finds worth inlining",
    ),
    (
        "' enabled changes the ABI",
        "PoCL's compiler says so of calls of built-in functions with vectors wider than the processor's; both sides of \
         such a call are compiled for the same processor",
    ),
];

pub(crate) fn all() -> Vec<Case> {
    let mut sources = vec![];
    for folder in ["golden", "golden/plans"] {
        for path in files(folder) {
            let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let text = std::fs::read_to_string(&path).expect("a golden");
            sources.push((format!("{folder}/{stem}"), plan_texts::unfold(&text)));
        }
    }
    sources.extend(templates());
    let mut cases = vec![Case { name: "goldens::a warning is seen".into(), run: Box::new(sees_warnings) }];
    cases.extend(sources.into_iter().map(|(name, source)| Case {
        name: format!("goldens::{name}"),
        run: Box::new(move |device| check(&source, device)),
    }));
    cases
}

fn files(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../kernels/tests").join(folder);
    let entries = std::fs::read_dir(folder).expect("the goldens' folder");
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "cl"))
        .collect();
    paths.sort();
    assert!(!paths.is_empty(), "goldens are missing");
    paths
}

/// Each template as it stands, and with the choices that begin problems of several kinds.
fn templates() -> Vec<(String, String)> {
    let limits = [
        Limits {
            local_bytes: 32 << 10,
            work_group: 256,
            units: 16,
            lanes: 1,
            between_bytes: 1 << 30,
            matrix_unit: MatrixUnit::NONE,
        },
        Limits {
            local_bytes: 32 << 10,
            work_group: 4096,
            units: 2,
            lanes: 8,
            between_bytes: 1 << 30,
            matrix_unit: MatrixUnit::NONE,
        },
    ];
    let problems = [
        Problem { aligned: true, ..Problem::new(128, 256, 784).contiguous(Axis::Outer, Axis::Outer) },
        Problem::new(7, 10, 33).contiguous(Axis::K, Axis::K),
        Problem { dtype: DType::F64, bytes: 8, ..Problem::new(64, 64, 64).contiguous(Axis::None, Axis::None) },
        // Without a type of its own in the text, which is of bf16 by itself.
        Problem {
            dtype: DType::BF16,
            aligned: true,
            ..Problem::new(128, 256, 784).contiguous(Axis::Outer, Axis::Outer)
        },
    ];
    let mut sources = Vec::new();
    for template in template::ALL {
        sources.push((format!("template {} as it stands", template.name), template.source("")));
        let mut seen = Vec::new();
        for problem in &problems {
            for limits in &limits {
                let mut choices = vec![(template.initial)(problem, limits)];
                if problem.aligned {
                    choices.extend(template.choices(problem, limits).last());
                }
                choices.retain(|choice| (template.legal)(choice, problem, limits).is_ok());
                for choice in choices {
                    // Convolutions say themselves how their operands lie.
                    let mut prelude = if template.convolution { String::new() } else { problem.defines() };
                    prelude.push_str(&choice.defines());
                    if problem.bytes == 8 {
                        prelude.push_str("#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n");
                        prelude.push_str("#define REAL double\n#define ACC double\n");
                    }
                    if !seen.contains(&prelude) {
                        seen.push(prelude);
                    }
                }
            }
        }
        for (number, prelude) in seen.into_iter().enumerate() {
            sources.push((format!("template {} choice {number}", template.name), template.source(&prelude)));
        }
    }
    sources
}

/// The driver's own handle of a device, by `opencl:P:D`.
fn handle(device: &Device) -> Result<ClDevice, Failed> {
    let selector = &device.profile().selector;
    let mut numbers = selector.split(':').skip(1).map(|number| number.parse::<usize>());
    let (Some(Ok(platform)), Some(Ok(position))) = (numbers.next(), numbers.next()) else {
        return Err(format!("`{selector}` names no OpenCL device").into());
    };
    let platforms = get_platforms().map_err(|error| error.to_string())?;
    let ids = platforms[platform].get_devices(CL_DEVICE_TYPE_ALL).map_err(|error| error.to_string())?;
    Ok(ClDevice::new(ids[position]))
}

/// The log of a build that must succeed.
fn build(source: &str, device: &ClDevice) -> Result<String, Failed> {
    let context = Context::from_device(device).map_err(|error| error.to_string())?;
    let attempt = |options: &str| {
        let mut program = Program::create_from_source(&context, source).map_err(|error| (error.0, String::new()))?;
        let built = program.build(&[device.id()], options);
        let log = program.get_build_log(device.id()).unwrap_or_default();
        built.map(|()| log.clone()).map_err(|error| (error.0, log))
    };
    let result = match attempt(&format!("{OPTIONS} {WARNINGS}")) {
        Err((CL_INVALID_BUILD_OPTIONS, _)) => attempt(OPTIONS),
        // NVIDIA's driver says so in the log alone.
        Err((_, log)) if log.contains(&format!("\"{WARNINGS}\"")) => attempt(OPTIONS),
        result => result,
    };
    result.map_err(|(code, log)| format!("error {code}:\n{log}\n{}", numbered(source)).into())
}

/// Lines of a log that warn.
fn warnings(log: &str) -> Vec<&str> {
    let harmless = |line: &str| HARMLESS.iter().any(|(part, _)| line.contains(part));
    log.lines().filter(|line| line.to_lowercase().contains("warning") && !harmless(line)).collect()
}

fn check(source: &str, device: &Device) -> Result<Completion, Failed> {
    let handle = handle(device)?;
    if let Some(reason) = lacks(source, device, &handle) {
        return Ok(Completion::ignored_with(reason));
    }
    let log = build(source, &handle)?;
    if warnings(&log).is_empty() {
        return Ok(Completion::Completed);
    }
    Err(format!("{log}\n{}", numbered(source)).into())
}

/// What the source needs and the device does not have.
fn lacks(source: &str, device: &Device, handle: &ClDevice) -> Option<&'static str> {
    let extensions = handle.extensions().unwrap_or_default();
    let has = |name: &str| extensions.split_whitespace().any(|known| known == name);
    let needs = |name: &str| source.contains(&format!("EXTENSION {name} "));
    if needs("cl_khr_fp64") && !device.profile().fp64 {
        return Some("the device has no fp64");
    }
    if needs("cl_khr_fp16") && !device.profile().fp16 {
        return Some("the device has no fp16");
    }
    if needs("cl_khr_int64_base_atomics") && !has("cl_khr_int64_base_atomics") {
        return Some("the device has no 64-bit atomics");
    }
    let sub_groups = has("cl_khr_subgroups") || handle.max_num_sub_groups().is_ok_and(|most| most > 0);
    (needs("cl_khr_subgroups") && !sub_groups).then_some("the device has no sub-groups")
}

/// The other cases can fail: this driver's log says when it warns.
fn sees_warnings(device: &Device) -> Result<Completion, Failed> {
    let source = "#warning seen\n__kernel void f(__global int* x) { x[0] = 1; }\n";
    let log = build(source, &handle(device)?)?;
    if warnings(&log).is_empty() {
        return Ok(Completion::ignored_with("the driver's log does not show warnings"));
    }
    Ok(Completion::Completed)
}

fn numbered(source: &str) -> String {
    source.lines().enumerate().map(|(position, line)| format!("{:>4} | {line}\n", position + 1)).collect()
}
