//! The autotuner: every candidate must be right before it is timed.

mod contest;
mod options;
mod report;
mod search;

use super::selector::KernelSelector;
use super::trial::DeviceBench;
use crate::error::Result;
use netcl_kernels::variant::{KernelConfig, Task, starts};
pub use options::{Progress, TuneOptions};
pub use report::{Candidate, Outcome, Tuning};
use search::Search;
use std::cell::Cell;

/// How many of the configurations that were the fastest nearby are tried first.
const NEARBY: usize = 3;

/// Measures the candidates of `task`, one of several, on the selector's device, and keeps the result.
pub(super) fn tune(
    selector: &KernelSelector,
    task: &Task<u64>,
    options: &TuneOptions<'_>,
    place: (usize, usize),
) -> Result<Tuning> {
    netcl_hal::process::check()?;
    let task = &task.clone().canonical();
    // The compiler has a reduction for that, which is a task of its own.
    if matches!(task, Task::BatchNorm(own) if own.channels == 1) {
        return Ok(Tuning::nothing(task));
    }
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
    let turn = Cell::new(Some(state.turn()));
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
    let tell = |candidates: &[Candidate]| {
        if options.progress.is_some() {
            // The program may do anything when it is told, also compute and tune: that would wait for this turn.
            turn.set(None);
            options.tell(task, place, of, candidates);
            turn.set(Some(state.turn()));
        }
    };
    let outcomes = contest::hold(&mut Search::new(all, &hints), &mut bench, options, &tell);
    for Candidate { config, outcome } in &outcomes.candidates {
        match outcome {
            Outcome::Wrong(why) => selector.reject(task, config, &format!("its numbers are wrong: {why}")),
            Outcome::Failed(why) => selector.reject(task, config, why),
            Outcome::Timed(_) | Outcome::Hopeless(_) => selector.readmit(task, config),
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
