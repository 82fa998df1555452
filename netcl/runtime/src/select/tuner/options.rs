//! How tuning is asked for, and how far it is.

use super::report::{Candidate, fastest};
use netcl_kernels::variant::{KernelConfig, Task};
use std::fmt;
use std::time::Duration;

/// How long and how far to look.
#[derive(Clone, Copy)]
pub struct TuneOptions<'a> {
    /// How long a task may take. The compiler's own choice is measured in any case; building a candidate or a run that
    /// is under way is not interrupted.
    pub budget: Duration,
    /// How many candidates to try at most.
    pub candidates: usize,
    /// What to try next to the compiler's own choice and what was the fastest nearby; what is not among
    /// [`crate::select::KernelSelector::candidates`] is passed over.
    pub also: &'a [KernelConfig],
    /// Whether to measure tasks again of whose bucket there is a measurement on this device, and to try again what was left
    /// out there: what is right now is left out no longer.
    pub again: bool,
    /// Called after each candidate. It may compute and tune on the device; what takes long counts towards the budget.
    pub progress: Option<&'a (dyn Fn(&Progress<'_>) + 'a)>,
}

impl Default for TuneOptions<'_> {
    /// 10 seconds, 48 candidates, and nothing twice.
    fn default() -> Self {
        TuneOptions { budget: Duration::from_secs(10), candidates: 48, also: &[], again: false, progress: None }
    }
}

impl fmt::Debug for TuneOptions<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let TuneOptions { budget, candidates, also, again, .. } = self;
        f.debug_struct("TuneOptions")
            .field("budget", budget)
            .field("candidates", candidates)
            .field("also", also)
            .field("again", again)
            .finish_non_exhaustive()
    }
}

impl TuneOptions<'_> {
    /// For measuring in the middle of a run: 2 seconds, 12 candidates.
    pub fn quick() -> Self {
        TuneOptions { budget: Duration::from_secs(2), candidates: 12, ..TuneOptions::default() }
    }

    pub(super) fn tell(&self, task: &Task<u64>, (number, tasks): (usize, usize), of: usize, candidates: &[Candidate]) {
        if let (Some(progress), Some(latest)) = (self.progress, candidates.last()) {
            let best = fastest(candidates).map(|position| &candidates[position]);
            progress(&Progress { task, number, tasks, tried: candidates.len(), of, latest, best });
        }
    }
}

/// How far tuning is.
#[derive(Debug)]
#[non_exhaustive]
pub struct Progress<'a> {
    /// The task.
    pub task: &'a Task<u64>,
    /// How many tasks came before it.
    pub number: usize,
    /// How many tasks there are.
    pub tasks: usize,
    /// How many candidates of the task were tried.
    pub tried: usize,
    /// How many will be at most; the budget may end earlier.
    pub of: usize,
    /// The one that was tried last.
    pub latest: &'a Candidate,
    /// The fastest right one so far.
    pub best: Option<&'a Candidate>,
}
