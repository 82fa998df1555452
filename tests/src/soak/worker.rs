//! A thread that works at random, and what all of them share.

use super::report::Totals;
use super::trainer::Trainer;
use netcl::raw::{Grid, KernelSpec, RawKernel};
use netcl::{BufferPool, DType, Device, Partition, Result, Tensor, ToHost};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Instant;

/// What a worker does with one of its tensors.
pub(super) type WorkerAction = fn(&mut Worker<'_>, TrackedTensor) -> Result<()>;

/// Tensors that a thread holds at most.
const HELD: usize = 24;
/// Elements of the largest.
const LARGEST: u64 = 1 << 19;
/// Bytes that a pool of the workers' own keeps: far fewer than they free.
const SMALL_CAP: usize = 1 << 20;
/// Bytes that such a pool keeps of each size.
const BUCKET_CAP: usize = 1 << 18;
/// Elements of the tensor that all workers change.
pub(super) const SHARED: usize = 3000;

/// A small, fast generator (Marsaglia: "Xorshift RNGs", 2003).
pub(super) struct Draw(u64);

impl Draw {
    pub(super) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub(super) fn below(&mut self, end: u64) -> u64 {
        (self.next() >> 11) % end
    }

    /// Every order of magnitude is as likely.
    pub(super) fn size(&mut self) -> usize {
        let most = 1 << self.below(u64::from(LARGEST.ilog2()) + 1);
        (1 + self.below(most)) as usize
    }
}

/// A tensor and what is in it.
#[derive(Clone)]
pub(super) struct TrackedTensor {
    pub(super) tensor: Tensor,
    pub(super) values: Vec<u32>,
    /// How it was made.
    pub(super) made: &'static str,
}

/// What all workers share.
pub(super) struct Common {
    pub(super) host: Device,
    /// Of the device, in a context of their own; none where it cannot be divided.
    pub(super) parts: Vec<Device>,
    mix: Option<RawKernel>,
    /// Keeps little.
    pub(super) small: BufferPool,
    /// All of one value: how much was added to it.
    pub(super) shared: Tensor,
    pub(super) added: AtomicU32,
    /// Held by who does what only one thread should do at a time.
    pub(super) alone: Mutex<()>,
    pub(super) totals: Totals,
    performed: Vec<AtomicU64>,
    /// What may be done, with its name.
    operations: Vec<(&'static str, WorkerAction)>,
}

impl Common {
    pub(super) fn new(device: &Device, operations: Vec<(&'static str, WorkerAction)>) -> Result<Common> {
        let source = "__kernel void mix(__global uint* x, uint by, uint n) {
            uint i = get_global_id(0);
            if (i < n) x[i] += by;
        }";
        let profile = device.profile();
        let divisible = profile.partitions.equally && profile.compute_units > 1;
        Ok(Common {
            host: Device::host(),
            parts: if divisible { device.partition(&Partition::Equally(1))? } else { Vec::new() },
            // The host takes no OpenCL C.
            mix: KernelSpec::from_source("mix", source).build(device).ok(),
            small: BufferPool::with_bucket_limit(device, SMALL_CAP, BUCKET_CAP),
            shared: Tensor::zeros(device, &[SHARED], DType::U32)?,
            added: AtomicU32::new(0),
            alone: Mutex::default(),
            totals: Totals::default(),
            performed: operations.iter().map(|_| AtomicU64::new(0)).collect(),
            operations,
        })
    }

    /// Adds to every element where it lies; says whether the device takes such kernels.
    pub(super) fn add(&self, tensor: &Tensor, by: u32) -> Result<bool> {
        let Some(mix) = &self.mix else { return Ok(false) };
        let count = tensor.shape()[0];
        let arguments = [tensor.into(), by.into(), (count as u32).into()];
        // SAFETY: the kernel touches the elements that there are, each from one work-item.
        unsafe { mix.launch(&arguments, &Grid::rounded_up(count, 64))? };
        Ok(true)
    }

    /// How often each operation was done since the last call.
    pub(super) fn take_performed(&self) -> Vec<(&'static str, u64)> {
        let each = self.operations.iter().zip(&self.performed);
        each.map(|((name, _), count)| (*name, count.swap(0, Ordering::Relaxed))).collect()
    }
}

pub(super) struct Worker<'a> {
    pub(super) common: &'a Common,
    pub(super) device: &'a Device,
    pub(super) draw: Draw,
    pub(super) totals: &'a Totals,
    /// No two have the same.
    pub(super) number: u64,
    pub(super) trainer: Option<Trainer>,
    held: Vec<TrackedTensor>,
    pub(super) pending: Vec<(ToHost<u32>, Vec<u32>, &'static str)>,
}

impl<'a> Worker<'a> {
    pub(super) fn new(common: &'a Common, device: &'a Device, seed: u64, number: u64) -> Worker<'a> {
        let draw = Draw(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ (number + 1));
        let (held, pending) = Default::default();
        Worker { common, device, draw, totals: &common.totals, number, trainer: None, held, pending }
    }

    pub(super) fn values(&mut self, count: usize) -> Vec<u32> {
        let first = self.draw.next() as u32;
        (0..count as u32).map(|i| first.wrapping_add(i.wrapping_mul(2_654_435_761))).collect()
    }

    pub(super) fn hold(&mut self, made: &'static str, tensor: Tensor, values: Vec<u32>) {
        if self.held.len() == HELD {
            let gone = self.draw.below(HELD as u64) as usize;
            self.held.swap_remove(gone);
        }
        self.held.push(TrackedTensor { tensor, values, made });
    }

    fn new_known(&mut self, count: usize) -> Result<TrackedTensor> {
        let values = self.values(count);
        let tensor = Tensor::from_slice(self.device, &values, &[count])?;
        Ok(TrackedTensor { tensor, values, made: "from a slice" })
    }

    /// Does each operation on tensors of these sizes: every program is built then.
    pub(super) fn prepare(&mut self, sizes: &[usize]) -> Result<()> {
        for &(_, operation) in &self.common.operations {
            for &size in sizes {
                let known = self.new_known(size)?;
                operation(self, known)?;
            }
        }
        self.end()
    }

    /// One operation.
    fn step(&mut self) -> Result<()> {
        let fresh = self.held.is_empty() || self.draw.below(16) == 0;
        if fresh {
            let count = self.draw.size();
            let TrackedTensor { tensor, values, made } = self.new_known(count)?;
            self.hold(made, tensor, values);
        }
        let any = self.draw.below(self.held.len() as u64) as usize;
        let known = self.held[any].clone();
        let operations = &self.common.operations;
        let position = self.draw.below(operations.len() as u64) as usize;
        let operation = operations[position].1;
        operation(self, known)?;
        self.common.performed[position].fetch_add(1, Ordering::Relaxed);
        if self.pending.len() > 8 {
            let (copy, wanted, made) = self.pending.remove(0);
            self.totals.compare(made, &copy.wait()?, &wanted);
        }
        Ok(())
    }

    /// Looks at everything that it has, and drops it.
    fn end(&mut self) -> Result<()> {
        for known in self.held.drain(..) {
            self.totals.compare(known.made, &known.tensor.to_vec::<u32>()?, &known.values);
        }
        self.trainer = None;
        self.copies_arrive()
    }

    /// Waits for the copies that are on their way.
    pub(super) fn copies_arrive(&mut self) -> Result<()> {
        for (copy, wanted, made) in self.pending.drain(..) {
            self.totals.compare(made, &copy.wait()?, &wanted);
        }
        Ok(())
    }

    pub(super) fn run(&mut self, end: Instant) -> Result<()> {
        while Instant::now() < end {
            self.step()?;
        }
        self.end()
    }
}
