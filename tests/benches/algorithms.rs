//! Reductions, scans, sorting and random numbers against the bandwidth of a copy on the same device. One JSON object a
//! line.
//!
//! `cargo bench -p netcl-tests --bench algorithms -- [--device SELECTOR] [--log2 26]`. Medians; nothing here is a test.
//! `first_ms` is the first call's time: that of building where neither netcl nor the driver has kept programs
//! (`NETCL_CACHE_DIR=off`; PoCL: an empty `POCL_CACHE_DIR`); later lines find what earlier ones built. `of_copy` compares the bytes that an algorithm must move (a reduction reads each element once, a scan reads and
//! writes once, random numbers are written once) with those that a copy moves (each read and written).
#![allow(missing_docs, reason = "a program")]

use netcl::algorithms::{self, Operator, Order, Random, Scan};
use netcl::prelude::*;
use netcl_tests::option;
use std::time::Instant;

const REPETITIONS: usize = 9;

/// Seconds: of the first call, in which programs are built, and the median of others; what is computed is dropped when the
/// device is done.
fn times<T>(device: &Device, mut work: impl FnMut() -> netcl::Result<T>) -> netcl::Result<[f64; 2]> {
    let mut first = 0.0;
    let mut times = Vec::with_capacity(REPETITIONS);
    for round in 0..=REPETITIONS {
        let start = Instant::now();
        let result = work()?;
        device.finish()?;
        let time = start.elapsed().as_secs_f64();
        if round > 0 {
            times.push(time)
        } else {
            first = time
        }
        drop(result);
    }
    times.sort_by(f64::total_cmp);
    Ok([first, times[REPETITIONS / 2]])
}

fn main() -> netcl::Result<()> {
    let device = option("--device").map_or_else(Device::auto, |selector| Device::select(&selector))?;
    let log2: u32 = option("--log2").and_then(|text| text.parse().ok()).unwrap_or(26);
    let n = 1usize << log2;
    println!(r#"{{"device":"{device}","elements":{n}}}"#);

    // Not drawn on the device, whose kernels are first called below.
    let values: Vec<f32> =
        (0..n as u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 8) as f32 * 2f32.powi(-24)).collect();
    let x = Tensor::from_slice(&device, &values, &[n])?;
    let draw = Random::new(&device, 1, 0);
    // Between two buffers of one device, without a kernel.
    let copy = {
        let (from, to) = (device.buffer_pool().allocate(4 * n)?, device.buffer_pool().allocate(4 * n)?);
        from.zero()?;
        times(&device, || from.copy_into(&to))?[1]
    };
    let copied = 8.0 * n as f64 / copy;
    println!(r#"{{"what":"copy","gb_per_s":{:.1}}}"#, copied / 1e9);
    let report = |what: &str, bytes: f64, [first, time]: [f64; 2]| {
        let (rate, ratio, elements) = (bytes * n as f64 / time, bytes * n as f64 / time / copied, n as f64 / time);
        println!(
            r#"{{"what":"{what}","gb_per_s":{:.1},"of_copy":{ratio:.2},"g_per_s":{:.2},"first_ms":{:.1}}}"#,
            rate / 1e9,
            elements / 1e9,
            first * 1e3
        );
    };
    report("reduce f32", 4.0, times(&device, || algorithms::reduce(Operator::Sum, &x))?);
    report("dot f32", 8.0, times(&device, || algorithms::map_reduce("v0 * v1", Operator::Sum, &[&x, &x]))?);
    report("scan f32", 8.0, times(&device, || algorithms::scan(Operator::Sum, Scan::Inclusive, &x))?);
    report("map f32", 8.0, times(&device, || algorithms::map("v0 * 2 + 1", &[&x]))?);
    report("uniform f32", 4.0, times(&device, || draw.uniform(&[n]))?);
    report("normal f32", 4.0, times(&device, || draw.normal(&[n]))?);
    let keys = draw.integers_u32(&[n], 0..=u32::MAX)?;
    // Eight passes on GPUs, each of which reads the keys twice and writes them once.
    report("sort u32", 96.0, times(&device, || algorithms::sort(&keys, Order::Ascending))?);
    report("argsort u32", 160.0, times(&device, || algorithms::argsort(&keys, Order::Ascending))?);
    report("sort f32", 96.0, times(&device, || algorithms::sort(&x, Order::Ascending))?);
    let mask = algorithms::matching("v0 > 0.5", &[&x])?;
    // The mask and the places are read and the places written; half of the elements are picked.
    report("compact f32", 16.0, times(&device, || algorithms::compact(&x, &mask))?);
    report("positions", 12.0, times(&device, || algorithms::positions(&mask))?);
    report("histogram f32", 4.0, times(&device, || algorithms::histogram(&x, 256, 0.0, 1.0))?);
    report("integers u32", 4.0, times(&device, || draw.integers_u32(&[n], 0..=99))?);
    report("bernoulli", 1.0, times(&device, || draw.bernoulli(&[n], 0.5))?);
    report("sort by key f32", 188.0, times(&device, || algorithms::sort_by_key(&keys, &x, Order::Ascending))?);
    Ok(())
}
