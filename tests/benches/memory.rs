//! What memory costs: allocation and release from a pool (a hit), copies to the device, copies beside kernels. One JSON
//! object a line.
//!
//! `cargo bench -p netcl-tests --bench memory -- [--device SELECTOR]`. Medians; nothing here is a test. With
//! `NETCL_PROFILE_EVENTS=1`, when the device began and ended each part of an overlap is printed, too.
#![allow(missing_docs, reason = "a program")]

use netcl::DType;
use netcl::prelude::*;
use netcl_tests::option;
use std::time::Instant;

/// The median of some repetitions, in seconds.
fn median(repetitions: usize, mut work: impl FnMut() -> netcl::Result<()>) -> netcl::Result<f64> {
    work()?;
    let mut times = Vec::with_capacity(repetitions);
    for _ in 0..repetitions {
        let start = Instant::now();
        work()?;
        times.push(start.elapsed().as_secs_f64());
    }
    times.sort_by(f64::total_cmp);
    Ok(times[repetitions / 2])
}

fn pool_hits(device: &Device) -> netcl::Result<()> {
    let pool = device.buffer_pool();
    for bytes in [1 << 10, 1 << 20, 3 << 20] {
        const PAIRS: usize = 10_000;
        let time = median(51, || {
            for _ in 0..PAIRS {
                drop(std::hint::black_box(pool.allocate(bytes)?));
            }
            Ok(())
        })?;
        println!(r#"{{"what":"pool hit","bytes":{bytes},"ns":{:.1}}}"#, 1e9 * time / PAIRS as f64);
    }
    Ok(())
}

fn copies(device: &Device) -> netcl::Result<()> {
    for mebibytes in [1usize, 256] {
        let bytes = mebibytes << 20;
        let values = vec![1.0f32; bytes / 4];
        let pageable = median(9, || {
            let _x = Tensor::from_slice(device, &values, &[values.len()])?;
            device.finish()
        })?;
        let pinned = || -> netcl::Result<f64> {
            let memory = device.pinned_pool().allocate(bytes)?;
            let start = Instant::now();
            let _x = Tensor::from_pinned(device, memory, &[values.len()], DType::F32)?;
            device.finish()?;
            Ok(start.elapsed().as_secs_f64())
        };
        let mut times = (0..9).map(|_| pinned()).collect::<netcl::Result<Vec<f64>>>()?;
        times.sort_by(f64::total_cmp);
        let direct = times[4];
        for (what, time) in [("host to device", pageable), ("pinned host to device", direct)] {
            println!(r#"{{"what":"{what}","mib":{mebibytes},"gb_per_s":{:.1}}}"#, bytes as f64 / time / 1e9);
        }
    }
    Ok(())
}

/// Copies of new data beside kernels on old data, against one after the other: the copy started before the kernels, as
/// who loads data ahead does, and after them.
fn overlap(device: &Device) -> netcl::Result<()> {
    let count = 256 << 20 >> 2;
    let old = Tensor::full(device, 0.5f32, &[count])?;
    let upload = || -> netcl::Result<Tensor> {
        Tensor::from_pinned(device, device.pinned_pool().allocate(4 * count)?, &[count], DType::F32)
    };
    let kernel = || old.apply("erf", &[]).eval().map(drop);
    let copy_time = median(9, || upload().map(drop).and_then(|()| device.finish()))?;
    let kernel_time = median(9, || (0..8).try_for_each(|_| kernel()).and_then(|()| device.finish()))? / 8.0;
    let kernels = (copy_time / kernel_time).round().max(1.0) as usize;
    let compute = || (0..kernels).try_for_each(|_| kernel());
    let serial = median(9, || {
        compute()?;
        device.finish()?;
        upload().map(drop)?;
        device.finish()
    })?;
    let copy_first = median(9, || {
        let held = upload()?;
        compute()?;
        device.finish()?;
        drop(held);
        Ok(())
    })?;
    let kernels_first = median(9, || {
        compute()?;
        let held = upload()?;
        device.finish()?;
        drop(held);
        Ok(())
    })?;
    for (what, together) in [("before", copy_first), ("after", kernels_first)] {
        println!(r#"{{"what":"copy started {what} {kernels} kernels","serial_rate":{:.2}}}"#, serial / together);
    }
    Ok(())
}

/// When the device copied and when it computed, in microseconds of its clock after the first of these commands was queued:
/// where the two overlap, `copy` begins before `kernels` ends.
fn timeline(device: &Device) -> netcl::Result<()> {
    let count = 64 << 20 >> 2;
    let old = Tensor::full(device, 0.5f32, &[count])?;
    for round in 0..4 {
        device.finish()?;
        let host = Instant::now();
        let before = device.record_event()?;
        (0..8).try_for_each(|_| old.apply("erf", &[]).eval().map(drop))?;
        let after = device.record_event()?;
        let launched = host.elapsed();
        let memory = device.pinned_pool().allocate(4 * count)?;
        let allocated = host.elapsed();
        let new = Tensor::from_pinned(device, memory, &[count], DType::F32)?;
        let copies = new.pending_copies();
        let enqueued = host.elapsed();
        device.finish()?;
        let finished = host.elapsed();
        println!(
            r#"{{"what":"host, round {round}","launched_us":{},"pinned_us":{},"enqueued_us":{},"finished_us":{}}}"#,
            launched.as_micros(),
            allocated.as_micros(),
            enqueued.as_micros(),
            finished.as_micros()
        );
        let (Some(first), Some(last)) = (before.times(), after.times()) else {
            println!(r#"{{"what":"no times: set NETCL_PROFILE_EVENTS=1"}}"#);
            return Ok(());
        };
        let since = |time: u64| time.saturating_sub(first.queued) / 1000;
        println!(r#"{{"what":"kernels","began_us":{},"ended_us":{}}}"#, since(first.ended), since(last.ended));
        for times in copies.iter().filter_map(netcl::Event::times) {
            println!(
                r#"{{"what":"copy","queued_us":{},"submitted_us":{},"began_us":{},"ended_us":{}}}"#,
                since(times.queued),
                since(times.submitted),
                since(times.started),
                since(times.ended)
            );
        }
    }
    Ok(())
}

fn main() -> netcl::Result<()> {
    let device = option("--device").map_or_else(Device::auto, |selector| Device::select(&selector))?;
    println!(r#"{{"device":"{device}"}}"#);
    pool_hits(&device)?;
    copies(&device)?;
    overlap(&device)?;
    timeline(&device)
}
