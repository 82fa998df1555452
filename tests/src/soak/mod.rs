//! Random allocations, transfers, launches, waits and training from several threads, every byte checked: for minutes as a
//! bench, for seconds as a test.

mod computing;
mod moving;
mod report;
mod resident;
mod trainer;
mod training;
mod transfers;
mod waiting;
mod worker;

pub use report::Report;

use netcl::{Device, Result, profile};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use worker::{Common, SHARED, Worker, WorkerAction};

/// Each as likely as the others.
const OPERATIONS: &[(&str, WorkerAction)] = &[
    ("page-locked memory", transfers::from_pinned),
    ("vector as memory", transfers::from_vector),
    ("read", transfers::read),
    ("read later", transfers::read_later),
    ("read in place", transfers::read_in_place),
    ("parts of buffers", transfers::parts_of_buffers),
    ("too much", transfers::too_much),
    ("huge", transfers::huge),
    ("sum", computing::sum),
    ("map", computing::map),
    ("reduce", computing::reduce),
    ("scan", computing::scan),
    ("sort", computing::sort),
    ("compact", computing::compact),
    ("count", computing::count),
    ("random", computing::random),
    ("record", computing::record),
    ("record algorithms", computing::record_algorithms),
    ("change own", computing::change_own),
    ("change shared", computing::change_shared),
    ("gate", waiting::gate),
    ("limit", waiting::limit),
    ("interrupt", waiting::interrupt),
    ("cancel", waiting::cancel),
    ("callback", waiting::callback),
    ("alone", waiting::alone),
    ("host", moving::host),
    ("parts", moving::parts),
    ("checkpoint", training::checkpoint),
];

/// Works on the device from that many threads for that long, with the operations of these names; without any, with all.
///
/// # Errors
///
/// The first error of any thread.
///
/// # Panics
///
/// If no operation has one of the names.
pub fn run(device: &Device, threads: u64, time: Duration, seed: u64, only: &[&str]) -> Result<Report> {
    let is_chosen = |(name, _): &&(&str, WorkerAction)| only.is_empty() || only.contains(name);
    let chosen: Vec<(&str, WorkerAction)> = OPERATIONS.iter().filter(is_chosen).copied().collect();
    assert!(!chosen.is_empty(), "no operation is called {only:?}");
    let common = Common::new(device, chosen)?;
    // Some programs are for a single element, others for more, or for what one work-group of a GPU does not scan alone.
    for _ in 0..2 {
        Worker::new(&common, device, seed, 0).prepare(&[1, 2, 5000, 20_000])?;
    }
    drop(profile::stop()?);
    device.finish()?;
    common.take_performed();
    let used = || {
        let pinned = device.pinned_pool().stats().in_use;
        (device.memory_stats().in_use as i64, pinned as i64)
    };
    // Of one thread: more calls at once keep more.
    let before = used();
    let programs = || {
        let stats = device.program_stats();
        stats.built + stats.loaded
    };
    let (prepared, bare_before) = (programs(), bare(&common, device));
    let start = Instant::now();
    let mut early = (0, 0);
    std::thread::scope(|scope| {
        let workers: Vec<_> = (1..=threads)
            .map(|number| {
                let mut worker = Worker::new(&common, device, seed, number);
                scope.spawn(move || worker.run(start + time))
            })
            .collect();
        std::thread::sleep(time / 4);
        early = (resident::bytes(), pooled(&common, device));
        workers.into_iter().try_for_each(|worker| match worker.join() {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        })
    })?;
    let added = common.added.load(Ordering::Relaxed);
    common.totals.compare("changed by every thread", &common.shared.to_vec::<u32>()?, &[added; SHARED]);
    drop(profile::stop()?);
    device.finish()?;
    let after = used();
    let (late, late_pooled) = (resident::bytes(), pooled(&common, device));
    let each = common.take_performed();
    Ok(Report {
        threads,
        operations: each.iter().map(|(_, count)| count).sum(),
        each,
        checked: common.totals.checked.load(Ordering::Relaxed),
        wrong: common.totals.wrong.load(Ordering::Relaxed),
        mistakes: common.totals.take_mistakes(),
        device_bytes_left: after.0 - before.0,
        pinned_bytes_left: after.1 - before.1,
        resident: [early.0, late],
        resident_bare: [bare_before, bare(&common, device)],
        pooled: [early.1, late_pooled],
        late_programs: programs() - prepared,
    })
}

/// Bytes that all pools hold.
fn pooled(common: &Common, device: &Device) -> u64 {
    let devices = [device, &common.host].into_iter().chain(&common.parts);
    let stats = devices.flat_map(|device| [device.memory_stats(), device.pinned_pool().stats()]);
    stats.chain([common.small.stats()]).map(|stats| (stats.idle + stats.in_use) as u64).sum()
}

/// What the process has when the pools and the C library have given back what they can.
fn bare(common: &Common, device: &Device) -> u64 {
    for device in [device, &common.host].into_iter().chain(&common.parts) {
        device.buffer_pool().release_idle();
        device.pinned_pool().release_idle();
    }
    common.small.release_idle();
    resident::trim();
    resident::bytes()
}
