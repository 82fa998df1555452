//! The autotuner: every candidate must be right before it is timed.

mod contest;
mod report;
mod search;

use super::records::{Record, now};
use super::selector::KernelSelector;
use super::trial::DeviceBench;
use crate::error::Result;
use netcl_kernels::variant::{KernelConfig, Task, starts};
pub use report::{Candidate, Outcome, Tuning};
use search::Search;
use std::fmt;
use std::time::Duration;

/// How many of the configurations that were the fastest nearby are tried first.
const NEARBY: usize = 3;

/// How long and how far to look.
#[derive(Clone, Copy)]
pub struct TuneOptions<'a> {
    /// How long a task may take. The compiler's own choice is measured in any case; building a candidate or a run that
    /// is under way is not interrupted.
    pub budget: Duration,
    /// How many candidates to try at most.
    pub candidates: usize,
    /// What to try next to the compiler's own choice and what was the fastest nearby; what is not among
    /// [`KernelSelector::candidates`] is passed over.
    pub also: &'a [KernelConfig],
    /// Whether to measure tasks again of whose bucket there is a measurement on this device, and to try again what was left
    /// out there: what is right now is left out no longer.
    pub again: bool,
    /// Called after each candidate.
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

    fn tell(&self, task: &Task<u64>, (number, tasks): (usize, usize), of: usize, candidates: &[Candidate]) {
        if let (Some(progress), Some(latest)) = (self.progress, candidates.last()) {
            let best = report::fastest(candidates).map(|position| &candidates[position]);
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

/// Measures the candidates of `task`, one of several, on the selector's device, and keeps the result.
pub(super) fn tune(
    selector: &KernelSelector,
    task: &Task<u64>,
    options: &TuneOptions<'_>,
    place: (usize, usize),
) -> Result<Tuning> {
    crate::device::process::check()?;
    let state = selector.state();
    if !options.again
        && let Some(record) = selector.record(task)
    {
        return Ok(Tuning::known(task, record));
    }
    let kept = || state.known().own.record(task).cloned();
    let before = kept();
    let all = if options.again { selector.possible(task) } else { selector.candidates(task) };
    if all.is_empty() {
        return Ok(Tuning::nothing(task));
    }
    let _turn = state.turn();
    // Whoever had the turn may have measured this very task.
    if !options.again
        && let Some(record) = kept().filter(|record| Some(record) != before.as_ref())
    {
        return Ok(Tuning::known(task, record));
    }
    let nearby = selector.nearby(task).into_iter().take(NEARBY);
    let starts = starts(task, selector.target(), &selector.limits());
    let hints: Vec<KernelConfig> = options.also.iter().cloned().chain(nearby).chain(starts).collect();
    let mut bench = DeviceBench::new(state, selector.device(), task)?;
    let of = options.candidates.min(all.len());
    let tell = |candidates: &[Candidate]| options.tell(task, place, of, candidates);
    let outcomes = contest::hold(&mut Search::new(all, &hints), &mut bench, options, &tell);
    for Candidate { config, outcome } in &outcomes.candidates {
        match outcome {
            Outcome::Wrong(why) => selector.reject(task, config, &format!("its numbers are wrong: {why}")),
            Outcome::Failed(why) => selector.reject(task, config, why),
            Outcome::Timed(_) | Outcome::Hopeless(_) => selector.acquit(task, config),
            Outcome::Unmeasured(_) => {}
        }
    }
    let tuning = Tuning::of(task, outcomes.candidates, outcomes.best);
    if let Some(record) = &tuning.record {
        tracing::debug!(task = %task, config = %record.config, time = ?record.time(), "tuned");
        let record = record.clone();
        state.learn(move |content| content.add(record.clone()));
    }
    Ok(tuning)
}

/// The record of a measurement that is just done.
fn record(task: &Task<u64>, candidates: &[Candidate], best: usize) -> Option<Record> {
    let nanoseconds = |outcome: &Outcome| u64::try_from(outcome.time()?.as_nanos()).ok();
    let measured = candidates.iter().filter(|candidate| candidate.outcome.time().is_some()).count();
    Some(Record {
        task: task.clone(),
        config: candidates[best].config.clone(),
        nanoseconds: nanoseconds(&candidates[best].outcome)?,
        default_nanoseconds: nanoseconds(&candidates[0].outcome),
        candidates: u32::try_from(measured).unwrap_or(u32::MAX),
        measured: now(),
    })
}
