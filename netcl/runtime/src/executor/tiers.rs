//! Tiered compilation: where a driver takes long to optimize, a plan's kernels are built without optimizations first, and with
//! them once that pays.

use crate::device::Device;
use crate::error::Result;
use netcl_hal::device::backend::Program;
use netcl_kernels::dim::{Bindings, Dim};
use netcl_kernels::plan::{Plan, Work};
use std::collections::BTreeSet;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// What a plan's kernels are built for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tier {
    /// To be there soon: without the driver's optimizations.
    First,
    /// To be fast.
    Last,
}

/// How much a plan computes in its first tier for each of its kernels before that is optimized: operations and bytes. With PoCL 3.1
/// on two cores, optimizing a kernel takes 0.2 s, and 0.25 ns are lost for each of these without it: a quarter of what is then lost
/// as in building, so that a process in which the kernels run on has lost little, and one that ends soon has saved most.
const WORK_OF_KERNEL: u64 = 1 << 27;

/// The built kernels of one plan.
pub(super) struct Tiers {
    first: OnceLock<Box<dyn Program>>,
    last: OnceLock<Box<dyn Program>>,
    /// What the first tier has computed.
    done: AtomicU64,
    /// Up to how much it may.
    most: u64,
    /// Whether the last cannot be built where the first could.
    failed: AtomicBool,
}

/// Which tier's kernels those of a plan are, once its sizes are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bound {
    /// The first, of which each call computes so much.
    First(u64),
    Last,
}

/// How a tier's kernels are built.
pub(super) type Build<'a> = &'a dyn Fn(Tier) -> Result<Box<dyn Program>>;

impl Tiers {
    pub(super) fn new(plan: &Plan) -> Tiers {
        let entries = plan.steps.iter().filter_map(|step| match &step.work {
            Work::Kernel { entry, .. } => Some(entry.as_str()),
            _ => None,
        });
        let most = WORK_OF_KERNEL.saturating_mul(entries.collect::<BTreeSet<_>>().len() as u64);
        let (first, last) = (OnceLock::new(), OnceLock::new());
        Tiers { first, last, done: AtomicU64::new(0), most, failed: AtomicBool::new(false) }
    }

    /// The kernels of that tier, built unless they are there.
    pub(super) fn program(&self, tier: Tier, build: Build<'_>) -> Result<&dyn Program> {
        let place = match tier {
            Tier::First => &self.first,
            Tier::Last => &self.last,
        };
        if let Some(program) = place.get() {
            return Ok(&**program);
        }
        let program = build(tier)?;
        // Another thread may have been first.
        Ok(&**place.get_or_init(|| program))
    }

    /// The kernels for calls that compute so much: those of the first tier until that has computed what optimizing is worth.
    /// `at_once` says whether it never is: it is asked where nothing is built yet.
    pub(super) fn for_calls(
        &self,
        work: u64,
        at_once: impl FnOnce() -> bool,
        build: Build<'_>,
    ) -> Result<(&dyn Program, Bound)> {
        let has_first = self.first.get().is_some();
        if self.is_outgrown(work) || !has_first && !self.has_failed() && at_once() {
            match self.program(Tier::Last, build) {
                Ok(program) => return Ok((program, Bound::Last)),
                Err(error) if has_first => {
                    if !self.failed.swap(true, Ordering::Relaxed) {
                        tracing::warn!(%error, "kernels cannot be built with optimizations; they stay without");
                    }
                }
                Err(error) => return Err(error),
            }
        }
        Ok((self.program(Tier::First, build)?, Bound::First(work)))
    }

    /// Whether calls that compute so much are to have the last tier's kernels.
    pub(super) fn is_outgrown(&self, work: u64) -> bool {
        let pays = || self.done.load(Ordering::Relaxed).saturating_add(work) > self.most;
        self.last.get().is_some() || (!self.has_failed() && pays())
    }

    /// The first tier has computed so much more.
    pub(super) fn count(&self, work: u64) {
        // Never back to the start: it stays below twice the most by far.
        self.done.fetch_add(work.min(self.most), Ordering::Relaxed);
    }

    fn has_failed(&self) -> bool {
        self.failed.load(Ordering::Relaxed)
    }
}

/// What a call with these sizes computes: operations, and bytes read and written. Where it cannot be said before, much.
pub(super) fn work(plan: &Plan, bindings: Bindings<'_>) -> u64 {
    let value = |dim: &Dim| dim.evaluate(bindings).map_or(u64::MAX, |value| value.max(0) as u64);
    let of_step = |(position, step): (usize, &netcl_kernels::plan::Step)| {
        let [read, written] = &step.bytes;
        let flops = step.flops.as_ref().map_or(u64::MAX, value);
        let once = flops.saturating_add(value(read)).saturating_add(value(written));
        once.saturating_mul(value(&plan.times(position)))
    };
    plan.steps.iter().enumerate().map(of_step).fold(0, u64::saturating_add)
}

/// The tiers that are to be tried where a kernel is tested.
pub(crate) fn tiers(device: &Device) -> &'static [Tier] {
    use netcl_hal::device::quirks::Avoid;
    match device.profile().avoids(Avoid::OptimizingAtOnce) {
        true => &[Tier::First, Tier::Last],
        false => &[Tier::Last],
    }
}
