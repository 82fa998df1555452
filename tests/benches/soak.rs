//! Minutes of random allocations, transfers, launches, waits and training from eight threads; ends with an error if a byte
//! was wrong, memory was not given back, the process grew or a program was built again. One JSON object.
//!
//! `cargo bench -p netcl-tests --bench soak -- [--device SELECTOR] [--minutes 10] [--threads 8] [--seed 1]
//! [--out-of-order] [--only NAME]..`, the names as in what is printed.
#![allow(missing_docs, reason = "a program")]

use netcl::QueueOrder;
use netcl::prelude::*;
use netcl_tests::{option, soak};
use std::process::ExitCode;
use std::time::Duration;

fn main() -> netcl::Result<ExitCode> {
    let arguments: Vec<String> = std::env::args().collect();
    let number = |name: &str, unset: f64| option(name).map_or(unset, |text| text.parse().expect("a number"));
    let device = Device::select(option("--device").as_deref().unwrap_or("opencl:0"))?;
    let unordered = arguments.iter().any(|argument| argument == "--out-of-order");
    let device = if unordered { device.with_queue(QueueOrder::OutOfOrder)? } else { device };
    let time = Duration::from_secs_f64(60.0 * number("--minutes", 10.0));
    let named = arguments.windows(2).filter(|pair| pair[0] == "--only");
    let only: Vec<&str> = named.map(|pair| pair[1].as_str()).collect();
    let (threads, seed) = (number("--threads", 8.0) as u64, number("--seed", 1.0) as u64);
    let report = soak::run(&device, threads, time, seed, &only)?;
    let problems = report.problems();
    problems.iter().for_each(|problem| eprintln!("{problem}"));
    let each: Vec<String> = report.each.iter().map(|(name, count)| format!("\"{name}\":{count}")).collect();
    println!(
        r#"{{"device":"{device}","seconds":{},"operations":{},"each":{{{}}},"checked_gb":{:.2},"wrong_bytes":{},"device_bytes_left":{},"pinned_bytes_left":{},"resident_mib":[{},{}],"bare_mib":[{},{}],"pooled_mib":[{},{}],"late_programs":{},"pool":"{}"}}"#,
        time.as_secs(),
        report.operations,
        each.join(","),
        report.checked as f64 / 1e9,
        report.wrong,
        report.device_bytes_left,
        report.pinned_bytes_left,
        report.resident[0] >> 20,
        report.resident[1] >> 20,
        report.resident_bare[0] >> 20,
        report.resident_bare[1] >> 20,
        report.pooled[0] >> 20,
        report.pooled[1] >> 20,
        report.late_programs,
        device.memory_stats(),
    );
    Ok(if problems.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
