//! Random allocations, transfers and launches from several threads, every byte checked: for minutes as a bench, for
//! seconds as a test.

#[path = "../../../netcl/tests/common/block_on.rs"]
mod block_on;

use block_on::block_on;
use netcl::raw::{Grid, KernelSpec, RawKernel};
use netcl::{BufferPool, DType, Device, Error, QueueOrder, Result, Tensor, ToHost, UserEvent, algorithms, profile};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Tensors that a thread holds at most.
const HELD: usize = 24;
/// Elements of the largest.
const LARGEST: u64 = 1 << 19;
/// Bytes that a pool of the workers' own keeps: far fewer than they free.
const SMALL_CAP: usize = 1 << 20;
/// Elements of the seldom tensors that are larger than what may be on its way to a device at once (64 MiB).
const HUGE: usize = 18 << 20;
/// What a process may grow by in bytes, but for what its pools keep and its allocator has free: stacks of the threads, what
/// drivers keep.
const GROWTH: u64 = 96 << 20;
/// What [`algorithms::map`] computes.
const MAPPED: &str = "v0 * 3 + 1";
/// Elements of the tensor that all workers change.
const SHARED: usize = 3000;

/// What happened.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Operations that were started.
    pub operations: u64,
    /// Bytes that were compared with what they must be.
    pub checked: u64,
    /// Bytes that were wrong.
    pub wrong: u64,
    /// Where they were found.
    pub mistakes: Vec<String>,
    /// Bytes of device memory in use at the end, beyond those at the beginning.
    pub device_bytes_left: i64,
    /// The same of page-locked memory.
    pub pinned_bytes_left: i64,
    /// The process's memory in bytes after a quarter of the time, and at the end; 0 where the system does not tell.
    pub resident: [u64; 2],
    /// The same before the first and after the last operation, when the pools have given back what is idle, and the C library
    /// what is free. What is left is in use or lost.
    pub resident_bare: [u64; 2],
    /// Bytes that pools of the device, of the host and of page-locked memory hold, at the same times as `resident`.
    pub pooled: [u64; 2],
    /// Programs that were built or loaded after the first of each kind.
    pub late_programs: u64,
}

impl Report {
    /// What is wrong, in words; nothing if all is well.
    pub fn problems(&self) -> Vec<String> {
        let mut problems = self.mistakes.clone();
        let mut check = |is_bad: bool, text: String| problems.extend(is_bad.then_some(text));
        check(self.wrong > 0, format!("{} bytes were wrong", self.wrong));
        let left = (self.device_bytes_left, self.pinned_bytes_left);
        check(
            left != (0, 0),
            format!("{} bytes of the device and {} page-locked ones are still in use", left.0, left.1),
        );
        check(self.late_programs > 0, format!("{} programs were built or loaded again", self.late_programs));
        let [before, after] = self.resident_bare;
        let growth = after.saturating_sub(before);
        check(growth >= GROWTH, format!("the process grew by {} MiB that nothing keeps for reuse", growth >> 20));
        problems
    }
}

/// A small, fast generator (Marsaglia: "Xorshift RNGs", 2003).
struct Draw(u64);

impl Draw {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, end: u64) -> u64 {
        (self.next() >> 11) % end
    }

    /// Every order of magnitude is as likely.
    fn size(&mut self) -> usize {
        let most = 1 << self.below(u64::from(LARGEST.ilog2()) + 1);
        (1 + self.below(most)) as usize
    }
}

/// A tensor and what is in it.
#[derive(Clone)]
struct Known {
    tensor: Tensor,
    values: Vec<u32>,
    /// How it was made.
    made: &'static str,
}

/// What all workers share.
struct Common {
    host: Device,
    mix: Option<RawKernel>,
    /// Keeps little.
    small: BufferPool,
    /// All of one value: how much was added to it.
    shared: Tensor,
    added: AtomicU32,
    /// Held by who does what only one thread should do at a time.
    alone: Mutex<()>,
    totals: Totals,
}

struct Worker<'a> {
    common: &'a Common,
    device: &'a Device,
    draw: Draw,
    held: Vec<Known>,
    pending: Vec<(ToHost<u32>, Vec<u32>, &'static str)>,
    totals: &'a Totals,
}

#[derive(Default)]
struct Totals {
    operations: AtomicU64,
    checked: AtomicU64,
    wrong: AtomicU64,
    mistakes: Mutex<Vec<String>>,
}

impl Totals {
    fn mistake(&self, text: String) {
        self.mistakes.lock().unwrap_or_else(PoisonError::into_inner).push(text);
    }

    /// `what` tells how the elements were read.
    fn compare(&self, what: &str, found: &[u32], wanted: &[u32]) {
        let differ = |(found, wanted): &(&u32, &u32)| found != wanted;
        let wrong = found.iter().zip(wanted).filter(differ).count() + found.len().abs_diff(wanted.len());
        if wrong > 0 {
            let first = found.iter().zip(wanted).position(|pair| differ(&pair)).unwrap_or(0);
            let (is, was) = (found.get(first).copied(), wanted.get(first).copied());
            let text = format!("{what}: {wrong} of {} from {first} on: {is:?}, not {was:?}", wanted.len());
            self.mistake(text);
        }
        self.checked.fetch_add(4 * wanted.len() as u64, Ordering::Relaxed);
        self.wrong.fetch_add(4 * wrong as u64, Ordering::Relaxed);
    }
}

impl Worker<'_> {
    fn values(&mut self, count: usize) -> Vec<u32> {
        let first = self.draw.next() as u32;
        (0..count as u32).map(|i| first.wrapping_add(i.wrapping_mul(2_654_435_761))).collect()
    }

    fn hold(&mut self, made: &'static str, tensor: Tensor, values: Vec<u32>) {
        if self.held.len() == HELD {
            let gone = self.draw.below(HELD as u64) as usize;
            self.held.swap_remove(gone);
        }
        self.held.push(Known { tensor, values, made });
    }

    fn any(&mut self) -> Option<Known> {
        let count = self.held.len() as u64;
        let known = &self.held[(count > 0).then(|| self.draw.below(count) as usize)?];
        Some(known.clone())
    }

    /// One operation.
    fn step(&mut self) -> Result<()> {
        let operation = self.draw.below(18);
        let Some(Known { tensor: x, values, made }) = (if operation < 2 { None } else { self.any() }) else {
            let count = self.draw.size();
            let values = self.values(count);
            let made = if operation == 0 { "from page-locked memory" } else { "from a slice" };
            let tensor = if operation == 0 {
                let mut pinned = self.device.pinned_pool().allocate(4 * count)?;
                pinned.as_mut_slice::<u32>()?.copy_from_slice(&values);
                Tensor::from_pinned(self.device, pinned, &[count], netcl::DType::U32)?
            } else {
                Tensor::from_slice(self.device, &values, &[count])?
            };
            self.hold(made, tensor, values);
            return Ok(());
        };
        match operation {
            2 | 3 => self.totals.compare(made, &x.to_vec::<u32>()?, &values),
            4 => self.pending.push((x.to_host_async::<u32>()?, values, made)),
            5 => {
                for (copy, wanted, made) in std::mem::take(&mut self.pending) {
                    self.totals.compare(made, &copy.wait()?, &wanted);
                }
            }
            6 => {
                let doubled = values.iter().map(|value| value.wrapping_add(*value)).collect();
                self.hold("a sum", x.add(&x)?, doubled);
            }
            7 => {
                let mapped = values.iter().map(|value| value.wrapping_mul(3).wrapping_add(1)).collect();
                self.hold("mapped", algorithms::map(MAPPED, &[&x])?, mapped);
            }
            8 => {
                let sum = values.iter().fold(0u32, |sum, value| sum.wrapping_add(*value));
                let found = algorithms::reduce(algorithms::Operator::Sum, &x)?.item::<u32>()?;
                self.totals.compare("reduced", &[found], &[sum]);
            }
            9 => {
                let moved = x.to_device(&self.common.host)?;
                self.totals.compare(made, &moved.to_vec::<u32>()?, &values);
                self.hold("from another device", moved.to_device(self.device)?, values);
            }
            10 => {
                let (mut recording, (once, twice)) = self.device.record(|| {
                    let once = x.add(&x)?;
                    let twice = once.add(&x)?;
                    Ok((once, twice))
                })?;
                (0..3).try_for_each(|_| recording.replay())?;
                drop(once);
                self.hold("replayed", twice, values.iter().map(|value| value.wrapping_mul(3)).collect());
            }
            11 => {
                // In place, in memory that nobody else has.
                let own = Tensor::from_slice(self.device, &values, &[values.len()])?;
                if self.common.add(&own, 7)? {
                    self.hold("changed in place", own, values.iter().map(|value| value.wrapping_add(7)).collect());
                }
            }
            12 => {
                // In place, in memory that every thread has.
                let by = self.draw.next() as u32;
                if self.common.add(&self.common.shared, by)? {
                    self.common.added.fetch_add(by, Ordering::Relaxed);
                }
            }
            13 => {
                // Behind an event of the program's, and looked at by a task.
                let gate = UserEvent::new();
                self.device.wait_for(&gate.event())?;
                gate.complete();
                let copy = x.to_host_async::<u32>()?;
                block_on(self.device.record_event()?)?;
                self.totals.compare(made, &block_on(copy)?, &values);
            }
            14 => {
                // The last handle goes in a thread of the driver's.
                let own = Tensor::from_slice(self.device, &values, &[values.len()])?;
                let doubled: Vec<u32> = values.iter().map(|value| value.wrapping_add(*value)).collect();
                let sum = own.add(&own)?;
                self.device.record_event()?.on_complete(move |_| drop(own));
                self.hold("of what a callback dropped", sum, doubled);
            }
            15 => {
                // More than the device has, whatever its driver promises, and more than there can be. What a driver calls its
                // largest allocation says less: some give more.
                let beyond = usize::try_from(self.device.profile().memory.saturating_mul(2)).unwrap_or(usize::MAX);
                for bytes in [beyond, usize::MAX].into_iter().filter(|&bytes| bytes > 0) {
                    if !matches!(self.device.buffer_pool().allocate(bytes), Err(Error::OutOfMemory { .. })) {
                        self.totals.mistake(format!("{bytes} bytes were allocated"));
                    }
                }
            }
            16 => self.seldom(&x, &values)?,
            _ => {
                let buffer = self.common.small.allocate(4 * values.len())?;
                let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_ne_bytes()).collect();
                buffer.write(&bytes)?;
                let tensor = Tensor::from_buffer(self.device, buffer, &[values.len()], DType::U32)?;
                self.hold("of a small pool", tensor, values);
            }
        }
        Ok(())
    }

    /// What takes long, or is one for the whole process.
    fn seldom(&mut self, x: &Tensor, values: &[u32]) -> Result<()> {
        let common = self.common;
        let Ok(_alone) = common.alone.try_lock() else { return Ok(()) };
        match self.draw.below(24) {
            0 => {
                let values = self.values(HUGE);
                let tensor = Tensor::from_slice(self.device, &values, &[HUGE])?;
                self.totals.compare("larger than what may be on its way", &tensor.to_vec::<u32>()?, &values);
            }
            1..4 => {
                let order = if self.draw.below(2) == 0 { QueueOrder::InOrder } else { QueueOrder::OutOfOrder };
                let Ok(queue) = self.device.with_queue(order) else { return Ok(()) };
                let moved = x.to_device(&queue)?;
                let doubled: Vec<u32> = values.iter().map(|value| value.wrapping_add(*value)).collect();
                let sum = moved.add(&moved)?;
                drop((moved, queue));
                self.totals.compare("in a queue of its own", &sum.to_vec::<u32>()?, &doubled);
            }
            4..8 => profile::start()?,
            8..12 => drop(profile::stop()?),
            _ => {}
        }
        Ok(())
    }

    fn run(&mut self, end: Instant) -> Result<()> {
        while Instant::now() < end {
            self.step()?;
            self.totals.operations.fetch_add(1, Ordering::Relaxed);
            if self.pending.len() > 8 {
                let (copy, wanted, made) = self.pending.remove(0);
                self.totals.compare(made, &copy.wait()?, &wanted);
            }
        }
        for known in self.held.drain(..) {
            self.totals.compare(known.made, &known.tensor.to_vec::<u32>()?, &known.values);
        }
        for (copy, wanted, made) in self.pending.drain(..) {
            self.totals.compare(made, &copy.wait()?, &wanted);
        }
        Ok(())
    }
}

impl Common {
    /// Adds to every element where it lies; says whether the device takes such kernels.
    fn add(&self, tensor: &Tensor, by: u32) -> Result<bool> {
        let Some(mix) = &self.mix else { return Ok(false) };
        let count = tensor.shape()[0];
        let arguments = [tensor.into(), by.into(), (count as u32).into()];
        // SAFETY: the kernel touches the elements that there are, each from one work-item.
        unsafe { mix.launch(&arguments, &Grid::rounded_up(count, 64))? };
        Ok(true)
    }
}

/// Has the C library give free memory back to the system, where it can.
fn trim() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        // SAFETY: the signature is that of the GNU C library.
        unsafe extern "C" {
            fn malloc_trim(pad: usize) -> std::ffi::c_int;
        }
        // SAFETY: may be called at any time from any thread.
        unsafe { malloc_trim(0) };
    }
}

/// Memory of the process that is not swapped out, in bytes; 0 where the system does not tell.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or_default();
    line.split_whitespace().next().and_then(|kilobytes| kilobytes.parse::<u64>().ok()).unwrap_or(0) << 10
}

/// Works on the device from that many threads for that long.
///
/// # Errors
///
/// The first error of any thread.
pub fn run(device: &Device, threads: u64, time: Duration, seed: u64) -> Result<Report> {
    let source = "__kernel void mix(__global uint* x, uint by, uint n) {
        uint i = get_global_id(0);
        if (i < n) x[i] += by;
    }";
    let common = Common {
        host: Device::host(),
        // The host takes no OpenCL C.
        mix: KernelSpec::from_source("mix", source).build(device).ok(),
        small: BufferPool::new(device, SMALL_CAP),
        shared: Tensor::zeros(device, &[SHARED], DType::U32)?,
        added: AtomicU32::new(0),
        alone: Mutex::default(),
        totals: Totals::default(),
    };
    // Every program: one for a single element, one for more.
    for count in [1, 2] {
        let x = Tensor::from_slice(device, &vec![1u32; count], &[count])?;
        x.add(&x)?;
        algorithms::map(MAPPED, &[&x])?;
        algorithms::reduce(algorithms::Operator::Sum, &x)?;
    }
    device.finish()?;
    let used = || {
        let pinned = device.pinned_pool().stats().in_use;
        (device.memory_stats().in_use as i64, pinned as i64)
    };
    let before = used();
    let programs = || {
        let stats = device.program_stats();
        stats.built + stats.loaded
    };
    let pooled = || {
        let stats = [
            device.memory_stats(),
            device.pinned_pool().stats(),
            common.small.stats(),
            common.host.memory_stats(),
            common.host.pinned_pool().stats(),
        ];
        stats.iter().map(|stats| (stats.idle + stats.in_use) as u64).sum::<u64>()
    };
    let bare = || {
        for pool in [device.buffer_pool(), &common.small, common.host.buffer_pool()] {
            pool.release_idle();
        }
        device.pinned_pool().release_idle();
        common.host.pinned_pool().release_idle();
        trim();
        resident()
    };
    let (prepared, bare_before) = (programs(), bare());
    let start = Instant::now();
    let mut early = (0, 0);
    std::thread::scope(|scope| {
        let workers: Vec<_> = (1..=threads)
            .map(|number| {
                let mut worker = Worker {
                    common: &common,
                    device,
                    draw: Draw(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ number),
                    held: Vec::new(),
                    pending: Vec::new(),
                    totals: &common.totals,
                };
                scope.spawn(move || worker.run(start + time))
            })
            .collect();
        std::thread::sleep(time / 4);
        early = (resident(), pooled());
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
    let (late, late_pooled) = (resident(), pooled());
    Ok(Report {
        operations: common.totals.operations.load(Ordering::Relaxed),
        checked: common.totals.checked.load(Ordering::Relaxed),
        wrong: common.totals.wrong.load(Ordering::Relaxed),
        mistakes: std::mem::take(&mut *common.totals.mistakes.lock().unwrap_or_else(PoisonError::into_inner)),
        device_bytes_left: after.0 - before.0,
        pinned_bytes_left: after.1 - before.1,
        resident: [early.0, late],
        resident_bare: [bare_before, bare()],
        pooled: [early.1, late_pooled],
        late_programs: programs() - prepared,
    })
}
