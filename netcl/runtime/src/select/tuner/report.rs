//! What tuning a task has found.

use crate::select::records::{Record, now};
use netcl_kernels::variant::{KernelConfig, Task};
use std::fmt;
use std::time::Duration;

/// One configuration that was tried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// What.
    pub config: KernelConfig,
    /// What came out.
    pub outcome: Outcome,
}

/// What came out of trying a configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome {
    /// Right; the median time of one run.
    Timed(Duration),
    /// Right, and so much slower than others that it was timed only shortly; a rough time of one run.
    Hopeless(Duration),
    /// Its numbers are wrong; how.
    Wrong(String),
    /// It cannot be compiled, built or launched; why.
    Failed(String),
    /// It could not be tried for a reason that is not its own, such as a lack of memory.
    Unmeasured(String),
}

impl Outcome {
    /// The time of one run, if it is right.
    pub fn time(&self) -> Option<Duration> {
        match self {
            Outcome::Timed(time) | Outcome::Hopeless(time) => Some(*time),
            Outcome::Wrong(_) | Outcome::Failed(_) | Outcome::Unmeasured(_) => None,
        }
    }
}

/// The result of tuning a task. Its text form is a table of all candidates, fastest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tuning {
    /// What was tuned.
    pub task: Task<u64>,
    /// All that were tried, in that order; the first is the compiler's own choice. None if nothing was measured now.
    pub candidates: Vec<Candidate>,
    /// What is kept: the fastest right one. `None` if none was right, or the device gives no choice.
    pub record: Option<Record>,
}

impl Tuning {
    pub(super) fn known(task: &Task<u64>, record: Record) -> Tuning {
        Tuning { task: task.clone(), candidates: Vec::new(), record: Some(record) }
    }

    pub(super) fn nothing(task: &Task<u64>) -> Tuning {
        Tuning { task: task.clone(), candidates: Vec::new(), record: None }
    }

    pub(super) fn of(task: &Task<u64>, candidates: Vec<Candidate>, best: Option<usize>) -> Tuning {
        let record = best.and_then(|best| record(task, &candidates, best));
        Tuning { task: task.clone(), candidates, record }
    }

    /// How many times as fast as the compiler's own choice the fastest is; `None` if one of them was not measured.
    pub fn speedup(&self) -> Option<f64> {
        let record = self.record.as_ref()?;
        Some(record.default_nanoseconds? as f64 / record.nanoseconds.max(1) as f64)
    }
}

/// The position of the fastest right one.
pub(super) fn fastest(candidates: &[Candidate]) -> Option<usize> {
    let timed = candidates.iter().enumerate().filter_map(|(position, candidate)| match candidate.outcome {
        Outcome::Timed(time) => Some((time, position)),
        _ => None,
    });
    timed.min().map(|(_, position)| position)
}

impl fmt::Display for Tuning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.task)?;
        match (&self.record, self.speedup()) {
            (Some(record), Some(speedup)) => {
                write!(f, ": {} in {:.1?}, {speedup:.2}× the default's speed", record.config, record.time())?;
            }
            (Some(record), None) => write!(f, ": {} in {:.1?}", record.config, record.time())?,
            (None, _) => write!(f, ": nothing to choose")?,
        }
        let mut order: Vec<usize> = (0..self.candidates.len()).collect();
        order.sort_by_key(|&position| {
            let time = self.candidates[position].outcome.time();
            (time.is_none(), time.unwrap_or_default(), position)
        });
        for position in order {
            let Candidate { config, outcome } = &self.candidates[position];
            let note = if position == 0 { " (default)" } else { "" };
            match outcome {
                Outcome::Timed(time) => write!(f, "\n  {:>10}  {config}{note}", format!("{time:.1?}"))?,
                Outcome::Hopeless(time) => {
                    write!(f, "\n  {:>10}  {config}{note}, stopped early", format!("{time:.1?}"))?
                }
                Outcome::Wrong(why) => write!(f, "\n  {:>10}  {config}{note}: {}", "wrong", first_line(why))?,
                Outcome::Failed(why) => write!(f, "\n  {:>10}  {config}{note}: {}", "fails", first_line(why))?,
                Outcome::Unmeasured(why) => write!(f, "\n  {:>10}  {config}{note}: {}", "not tried", first_line(why))?,
            }
        }
        Ok(())
    }
}

/// Build logs are long.
fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::select::testing::{config, product};

    #[test]
    fn the_table_has_every_candidate_fastest_first() {
        let candidate =
            |tile: u32, outcome| Candidate { config: config(&format!("matmul_tiled TILE={tile}")), outcome };
        let tuning = Tuning::of(
            &product(64, 64, 64),
            vec![
                candidate(8, Outcome::Timed(Duration::from_micros(150))),
                candidate(64, Outcome::Failed("no memory\nand a log".into())),
                candidate(16, Outcome::Timed(Duration::from_micros(100))),
                candidate(32, Outcome::Hopeless(Duration::from_micros(900))),
            ],
            Some(2),
        );
        assert_eq!(tuning.speedup(), Some(1.5));
        assert_eq!(tuning.record.as_ref().map(|record| record.candidates), Some(3));
        assert_eq!(
            tuning.to_string(),
            "matmul f32 m=64 n=64 k=64 batch=1 a=k b=outer aligned: matmul_tiled TILE=16 in 100.0µs, 1.50× the default's \
             speed\n\
             \x20    100.0µs  matmul_tiled TILE=16\n\
             \x20    150.0µs  matmul_tiled TILE=8 (default)\n\
             \x20    900.0µs  matmul_tiled TILE=32, stopped early\n\
             \x20      fails  matmul_tiled TILE=64: no memory"
        );
        let nothing = Tuning::nothing(&product(1, 1, 1));
        assert!(nothing.to_string().ends_with("nothing to choose") && nothing.speedup().is_none());
    }
}
