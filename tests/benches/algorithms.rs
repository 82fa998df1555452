//! Reductions, scans, sorting and random numbers against the bandwidth of a copy on the same device. One JSON object a
//! line.
//!
//! `cargo bench -p netcl-tests --bench algorithms -- [--device SELECTOR] [--log2 26]`. Medians; nothing here is a test.
//! `of_copy` compares the bytes that an algorithm must move (a reduction reads each element once, a scan reads and
//! writes once, random numbers are written once) with those that a copy moves (each read and written).
#![allow(missing_docs, reason = "a program")]

use netcl::algorithms::{self, Operator, Order, Random, Scan};
use netcl::prelude::*;
use std::time::Instant;

const REPETITIONS: usize = 9;

/// Seconds, the median; what is computed is dropped when the device is done.
fn median<T>(device: &Device, mut work: impl FnMut() -> netcl::Result<T>) -> netcl::Result<f64> {
    let mut times = Vec::with_capacity(REPETITIONS);
    for round in 0..=REPETITIONS {
        let start = Instant::now();
        let result = work()?;
        device.finish()?;
        if round > 0 {
            times.push(start.elapsed().as_secs_f64());
        }
        drop(result);
    }
    times.sort_by(f64::total_cmp);
    Ok(times[REPETITIONS / 2])
}

fn main() -> netcl::Result<()> {
    let arguments: Vec<String> = std::env::args().collect();
    let after = |name: &str| {
        let at = arguments.iter().position(|argument| argument == name)?;
        arguments.get(at + 1).cloned()
    };
    let device = after("--device").map_or_else(Device::auto, |selector| Device::select(&selector))?;
    let log2: u32 = after("--log2").and_then(|text| text.parse().ok()).unwrap_or(26);
    let n = 1usize << log2;
    println!(r#"{{"device":"{device}","elements":{n}}}"#);

    let draw = Random::new(&device, 1, 0);
    let x = draw.uniform(&[n])?;
    // Between two buffers of one device, without a kernel.
    let copy = {
        let (from, to) = (device.buffer_pool().allocate(4 * n)?, device.buffer_pool().allocate(4 * n)?);
        from.zero()?;
        median(&device, || from.copy_into(&to))?
    };
    let copied = 8.0 * n as f64 / copy;
    println!(r#"{{"what":"copy","gb_per_s":{:.1}}}"#, copied / 1e9);
    let report = |what: &str, bytes: f64, time: f64| {
        let (rate, ratio, elements) = (bytes * n as f64 / time, bytes * n as f64 / time / copied, n as f64 / time);
        println!(
            r#"{{"what":"{what}","gb_per_s":{:.1},"of_copy":{ratio:.2},"g_per_s":{:.2}}}"#,
            rate / 1e9,
            elements / 1e9
        );
    };
    report("reduce f32", 4.0, median(&device, || algorithms::reduce(Operator::Sum, &x))?);
    report("dot f32", 8.0, median(&device, || algorithms::map_reduce("v0 * v1", Operator::Sum, &[&x, &x]))?);
    report("scan f32", 8.0, median(&device, || algorithms::scan(Operator::Sum, Scan::Inclusive, &x))?);
    report("map f32", 8.0, median(&device, || algorithms::map("v0 * 2 + 1", &[&x]))?);
    report("uniform f32", 4.0, median(&device, || draw.uniform(&[n]))?);
    report("normal f32", 4.0, median(&device, || draw.normal(&[n]))?);
    let keys = draw.integers_u32(&[n], 0..=u32::MAX)?;
    // Eight passes on GPUs, each of which reads the keys twice and writes them once.
    report("sort u32", 96.0, median(&device, || algorithms::sort(&keys, Order::Ascending))?);
    report("argsort u32", 160.0, median(&device, || algorithms::argsort(&keys, Order::Ascending))?);
    report("sort f32", 96.0, median(&device, || algorithms::sort(&x, Order::Ascending))?);
    Ok(())
}
