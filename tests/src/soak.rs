//! Random allocations, transfers and launches from several threads, every byte checked: for minutes as a bench, for
//! seconds as a test.

use netcl::raw::{Grid, KernelSpec, RawKernel};
use netcl::{Device, Result, Tensor, ToHost, algorithms};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Tensors that a thread holds at most.
const HELD: usize = 24;
/// Elements of the largest.
const LARGEST: u64 = 1 << 19;

/// What happened.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Operations that were started.
    pub operations: u64,
    /// Bytes that were compared with what they must be.
    pub checked: u64,
    /// Bytes that were wrong.
    pub wrong: u64,
    /// Bytes of device memory in use at the end, beyond those at the beginning.
    pub device_bytes_left: i64,
    /// The same of page-locked memory.
    pub pinned_bytes_left: i64,
    /// The process's memory in bytes after a quarter of the time, and at the end; 0 where the system does not tell.
    pub resident: [u64; 2],
    /// Programs that were built or loaded after a quarter of the time.
    pub late_programs: u64,
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
struct Known {
    tensor: Tensor,
    values: Vec<u32>,
}

struct Worker<'a> {
    device: &'a Device,
    host: Device,
    draw: Draw,
    held: Vec<Known>,
    pending: Vec<(ToHost<u32>, Vec<u32>)>,
    mix: Option<&'a RawKernel>,
    totals: &'a Totals,
}

#[derive(Default)]
struct Totals {
    operations: AtomicU64,
    checked: AtomicU64,
    wrong: AtomicU64,
}

impl Totals {
    fn compare(&self, found: &[u32], wanted: &[u32]) {
        let wrong = found.iter().zip(wanted).filter(|(found, wanted)| found != wanted).count();
        let wrong = wrong + found.len().abs_diff(wanted.len());
        self.checked.fetch_add(4 * wanted.len() as u64, Ordering::Relaxed);
        self.wrong.fetch_add(4 * wrong as u64, Ordering::Relaxed);
    }
}

impl Worker<'_> {
    fn values(&mut self, count: usize) -> Vec<u32> {
        let first = self.draw.next() as u32;
        (0..count as u32).map(|i| first.wrapping_add(i.wrapping_mul(2_654_435_761))).collect()
    }

    fn hold(&mut self, tensor: Tensor, values: Vec<u32>) {
        if self.held.len() == HELD {
            let gone = self.draw.below(HELD as u64) as usize;
            self.held.swap_remove(gone);
        }
        self.held.push(Known { tensor, values });
    }

    fn any(&mut self) -> Option<(Tensor, Vec<u32>)> {
        let count = self.held.len() as u64;
        let known = &self.held[(count > 0).then(|| self.draw.below(count) as usize)?];
        Some((known.tensor.clone(), known.values.clone()))
    }

    /// One operation.
    fn step(&mut self) -> Result<()> {
        let operation = self.draw.below(12);
        let Some((x, values)) = (if operation < 2 { None } else { self.any() }) else {
            let count = self.draw.size();
            let values = self.values(count);
            let tensor = if operation == 0 {
                let mut pinned = self.device.pinned_pool().allocate(4 * count)?;
                pinned.as_mut_slice::<u32>()?.copy_from_slice(&values);
                Tensor::from_pinned(self.device, pinned, &[count], netcl::DType::U32)?
            } else {
                Tensor::from_slice(self.device, &values, &[count])?
            };
            self.hold(tensor, values);
            return Ok(());
        };
        match operation {
            2 | 3 => self.totals.compare(&x.to_vec::<u32>()?, &values),
            4 => self.pending.push((x.to_host_async::<u32>()?, values)),
            5 => {
                for (copy, wanted) in std::mem::take(&mut self.pending) {
                    self.totals.compare(&copy.wait()?, &wanted);
                }
            }
            6 => {
                let doubled = values.iter().map(|value| value.wrapping_add(*value)).collect();
                self.hold(x.add(&x)?, doubled);
            }
            7 => {
                let mapped = values.iter().map(|value| value.wrapping_mul(3).wrapping_add(1)).collect();
                self.hold(algorithms::map("v0 * 3 + 1", &[&x])?, mapped);
            }
            8 => {
                let sum = values.iter().fold(0u32, |sum, value| sum.wrapping_add(*value));
                let found = algorithms::reduce(algorithms::Operator::Sum, &x)?.item::<u32>()?;
                self.totals.compare(&[found], &[sum]);
            }
            9 => {
                let moved = x.to_device(&self.host)?;
                self.totals.compare(&moved.to_vec::<u32>()?, &values);
                self.hold(moved.to_device(self.device)?, values);
            }
            10 => {
                let (mut recording, (once, twice)) = self.device.record(|| {
                    let once = x.add(&x)?;
                    let twice = once.add(&x)?;
                    Ok((once, twice))
                })?;
                (0..3).try_for_each(|_| recording.replay())?;
                drop(once);
                self.hold(twice, values.iter().map(|value| value.wrapping_mul(3)).collect());
            }
            _ => {
                // In place, in memory that nobody else has.
                let Some(mix) = self.mix else { return Ok(()) };
                let own = Tensor::from_slice(self.device, &values, &[values.len()])?;
                let arguments = [(&own).into(), 7u32.into(), (values.len() as u32).into()];
                // SAFETY: the kernel touches the elements that there are, each from one work-item.
                unsafe { mix.launch(&arguments, &Grid::rounded_up(values.len(), 64))? };
                self.hold(own, values.iter().map(|value| value ^ 7).collect());
            }
        }
        Ok(())
    }

    fn run(&mut self, end: Instant) -> Result<()> {
        while Instant::now() < end {
            self.step()?;
            self.totals.operations.fetch_add(1, Ordering::Relaxed);
            if self.pending.len() > 8 {
                let (copy, wanted) = self.pending.remove(0);
                self.totals.compare(&copy.wait()?, &wanted);
            }
        }
        for known in self.held.drain(..) {
            self.totals.compare(&known.tensor.to_vec::<u32>()?, &known.values);
        }
        for (copy, wanted) in self.pending.drain(..) {
            self.totals.compare(&copy.wait()?, &wanted);
        }
        Ok(())
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
        if (i < n) x[i] ^= by;
    }";
    // The host takes no OpenCL C.
    let mix = KernelSpec::from_source("mix", source).build(device).ok();
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
    let totals = Totals::default();
    let start = Instant::now();
    let mut early = (0, 0);
    std::thread::scope(|scope| {
        let workers: Vec<_> = (1..=threads)
            .map(|number| {
                let mut worker = Worker {
                    device,
                    host: Device::host(),
                    draw: Draw(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ number),
                    held: Vec::new(),
                    pending: Vec::new(),
                    mix: mix.as_ref(),
                    totals: &totals,
                };
                scope.spawn(move || worker.run(start + time))
            })
            .collect();
        std::thread::sleep(time / 4);
        early = (resident(), programs());
        workers.into_iter().try_for_each(|worker| match worker.join() {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        })
    })?;
    device.finish()?;
    let after = used();
    Ok(Report {
        operations: totals.operations.into_inner(),
        checked: totals.checked.into_inner(),
        wrong: totals.wrong.into_inner(),
        device_bytes_left: after.0 - before.0,
        pinned_bytes_left: after.1 - before.1,
        resident: [early.0, resident()],
        late_programs: programs() - early.1,
    })
}
