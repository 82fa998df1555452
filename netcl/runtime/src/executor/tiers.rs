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
pub(super) type BuildTier<'a> = &'a dyn Fn(Tier) -> Result<Box<dyn Program>>;

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
    pub(super) fn program(&self, tier: Tier, build: BuildTier<'_>) -> Result<&dyn Program> {
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
        build: BuildTier<'_>,
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;
    use netcl_hal::device::backend::Backend;
    use netcl_hal::device::dispatch::ProgramSource;
    use netcl_hal::null::Null;
    use netcl_kernels::compile::compile;
    use netcl_kernels::dim::{Shape, Symbol};
    use netcl_kernels::dtype::DType;
    use netcl_kernels::graph::build::Builder;
    use netcl_kernels::graph::{BinaryOp, InputKind, OutputKind};
    use netcl_kernels::plan::Target;
    use std::cell::RefCell;

    /// Two vectors of `N` multiplied.
    fn plan() -> Plan {
        let mut b = Builder::new("product");
        let x = b.input(InputKind::Argument(0), "x", Shape(vec![Dim::symbol("N")]), DType::F32);
        let product = b.binary(BinaryOp::Mul, x, x).unwrap();
        b.output(OutputKind::Result(0), product);
        compile(&b.finish(), Target::Gpu).unwrap()
    }

    fn load(tier: Tier) -> Box<dyn Program> {
        let optimized = tier == Tier::Last;
        let source = ProgramSource { name: "product", text: "", optimized, loops: &[], native: &[] };
        Null::new(Target::Gpu, 1 << 20).load(&source).unwrap()
    }

    /// Tiers of that plan, and which are built while `calls` is done with them.
    fn built(calls: impl FnOnce(&Tiers, BuildTier<'_>)) -> Vec<Tier> {
        let built = RefCell::new(Vec::new());
        let build = |tier| {
            built.borrow_mut().push(tier);
            Ok(load(tier))
        };
        calls(&Tiers::new(&plan()), &build);
        built.into_inner()
    }

    #[test]
    fn kernels_are_optimized_once_they_have_computed_what_that_is_worth() {
        let work = WORK_OF_KERNEL / 4;
        let order = built(|tiers, build| {
            for call in 0..4 {
                assert!(!tiers.is_outgrown(work), "{call}");
                assert_eq!(tiers.for_calls(work, || false, build).unwrap().1, Bound::First(work));
                tiers.count(work);
            }
            assert!(tiers.is_outgrown(work));
            assert_eq!(tiers.for_calls(work, || false, build).unwrap().1, Bound::Last);
            assert_eq!(tiers.for_calls(1, || false, build).unwrap().1, Bound::Last, "for other sizes as well");
        });
        assert_eq!(order, [Tier::First, Tier::Last]);
    }

    #[test]
    fn large_calls_and_drivers_that_gain_nothing_have_optimized_kernels_at_once() {
        for (work, at_once) in [(WORK_OF_KERNEL + 1, false), (u64::MAX, false), (1, true)] {
            let order = built(|tiers, build| {
                assert_eq!(tiers.for_calls(work, || at_once, build).unwrap().1, Bound::Last);
            });
            assert_eq!(order, [Tier::Last], "{work}");
        }
    }

    #[test]
    fn what_was_prepared_takes_over_from_the_first_tier() {
        built(|tiers, build| {
            assert_eq!(tiers.for_calls(1, || false, build).unwrap().1, Bound::First(1));
            assert!(!tiers.is_outgrown(1));
            tiers.program(Tier::Last, build).unwrap();
            assert!(tiers.is_outgrown(1));
        });
    }

    #[test]
    fn the_first_tier_stays_where_the_last_cannot_be_built() {
        let tries = RefCell::new(0);
        let build = |tier| match tier {
            Tier::First => Ok(load(tier)),
            Tier::Last => {
                *tries.borrow_mut() += 1;
                let text = String::new;
                Err(Error::Build { device: text(), program: text(), log: "no".to_owned(), source_text: text() })
            }
        };
        let tiers = Tiers::new(&plan());
        tiers.for_calls(1, || false, &build).unwrap();
        tiers.count(WORK_OF_KERNEL);
        for _ in 0..3 {
            assert_eq!(tiers.for_calls(1, || false, &build).unwrap().1, Bound::First(1));
            assert!(!tiers.is_outgrown(1), "nothing is bound anew for it");
        }
        assert_eq!(*tries.borrow(), 1);
        assert!(Tiers::new(&plan()).for_calls(u64::MAX, || false, &build).is_err(), "there is no first to stay");
    }

    #[test]
    fn work_is_operations_and_bytes_and_unknown_work_is_much() {
        let mut plan = plan();
        let of = |plan: &Plan, n| work(plan, &[(Symbol::new("N"), n)]);
        assert_eq!(of(&plan, 1000), 1000 + 2 * 4000);
        assert!(of(&plan, 1 << 40) > of(&plan, 1 << 39));
        plan.steps[0].flops = None;
        assert_eq!(of(&plan, 1), u64::MAX);
    }
}
