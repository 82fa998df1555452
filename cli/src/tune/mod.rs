//! `netcl tune`: which kernel is the fastest, measured and kept for every later run.

mod args;
mod wanted;

pub(crate) use args::TuneArgs;

use crate::failure::{Failure, Result};
use crate::output::{Output, duration};
use netcl::select::{Candidate, Outcome, Progress, Record, Task, TuneOptions, Tuning};
use netcl::{Device, DeviceKind};
use serde_json::{Value, json};
use std::process::ExitCode;
use std::time::Duration;

pub(crate) fn run(args: &TuneArgs, output: &Output) -> Result<ExitCode> {
    let device = args.select.open()?;
    if device.profile().kind == DeviceKind::Null {
        return Err(Failure::Other("the null device computes nothing, so there is nothing to measure".to_owned()));
    }
    let tasks = wanted::all(args, &device)?;
    // The host has one way for each task, whatever functions compute.
    if tasks.is_empty() && device.profile().kind != DeviceKind::Host {
        return Err(Failure::Other("these functions compute nothing that there is a choice for".to_owned()));
    }
    let kept = device.selector().path().is_some();
    if !kept && device.profile().kind != DeviceKind::Host {
        Output::note(
            "note: there is no cache folder (NETCL_CACHE_DIR is off, or there is no home folder): what is found holds for \
             no later run",
        );
    }
    if !device.selector().uses_measurements() {
        Output::note("note: NETCL_AUTOTUNE is off: what is found is kept, and not used while it is");
    }
    let tunings = measure(args, &device, &tasks, output)?;
    let unkept = device.selector().check_kept().err();
    if output.is_json() {
        let kept = kept && unkept.is_none();
        let device = json!({ "selector": device.profile().selector, "name": device.profile().name });
        let tasks: Vec<Value> = tunings.iter().map(value).collect();
        output.value(&json!({ "device": device, "kept": kept, "tasks": tasks }))?;
    } else {
        let mut sections: Vec<String> = tunings.iter().map(|tuning| section(tuning, output)).collect();
        if tasks.is_empty() {
            sections.push("there is nothing to choose on this device; `--device` names another\n".to_owned());
        }
        output.text(&format!("{device}\n\n{}", sections.join("\n")))?;
    }
    Ok(ended(&tunings, unkept))
}

/// Whether something was found, or known before, for every task that there is a choice for, and later runs will know it.
fn ended(tunings: &[Tuning], unkept: Option<netcl::Error>) -> ExitCode {
    let without = tunings.iter().filter(|tuning| nothing_was_right(tuning));
    let without = without.map(|tuning| format!("no candidate was right for `{}`", tuning.task));
    let unkept = unkept.map(|error| format!("{error}; set NETCL_CACHE_DIR to a folder that can be written"));
    without.chain(unkept).fold(ExitCode::SUCCESS, |_, problem| {
        Output::note(&format!("error: {problem}"));
        ExitCode::FAILURE
    })
}

fn nothing_was_right(tuning: &Tuning) -> bool {
    tuning.record.is_none() && !tuning.candidates.is_empty()
}

fn measure(args: &TuneArgs, device: &Device, tasks: &[Task<u64>], output: &Output) -> Result<Vec<Tuning>> {
    const WHOLE: u64 = 1000;
    let bar = output.fraction(WHOLE * tasks.len() as u64);
    let mut tunings = Vec::with_capacity(tasks.len());
    for (number, task) in tasks.iter().enumerate() {
        let tell = |progress: &Progress<'_>| {
            let part = WHOLE * progress.tried as u64 / progress.of.max(1) as u64;
            bar.set_position(WHOLE * number as u64 + part);
            let best = progress.best.map_or_else(String::new, |best| format!(", best so far {}", best.config));
            bar.set_message(format!("{task}: {} of {}{best}", progress.tried, progress.of));
        };
        let options = TuneOptions {
            budget: Duration::from_secs_f64(args.seconds),
            candidates: args.candidates.get(),
            again: args.again,
            progress: Some(&tell),
            ..TuneOptions::default()
        };
        tunings.push(device.tune(task, &options)?);
    }
    Ok(tunings)
}

/// What came out for a task: a table of its candidates, the fastest first.
fn section(tuning: &Tuning, output: &Output) -> String {
    let mut text = output.heading(&tuning.task.to_string());
    text.push('\n');
    let Some(record) = &tuning.record else {
        let why = match nothing_was_right(tuning) {
            true => "no candidate was right",
            false => "there is nothing to choose on this device",
        };
        text.push_str(&format!("  {why}\n{}", table(tuning, output)));
        return text;
    };
    let speed =
        tuning.speedup().map_or_else(String::new, |speedup| format!(", {speedup:.2} times the default's speed"));
    let before = if tuning.candidates.is_empty() { " (measured before; --again measures anew)" } else { "" };
    text.push_str(&format!("  {} in {}{speed}{before}\n", record.config, duration(record.time().as_secs_f64())));
    text.push_str(&table(tuning, output));
    text
}

fn table(tuning: &Tuning, output: &Output) -> String {
    if tuning.candidates.is_empty() {
        return String::new();
    }
    let mut order: Vec<(usize, &Candidate)> = tuning.candidates.iter().enumerate().collect();
    order.sort_by_key(|(position, candidate)| {
        let time = candidate.outcome.time();
        (time.is_none(), time.unwrap_or_default(), *position)
    });
    let rows = order.into_iter().map(|(position, candidate)| {
        let (what, why) = told(&candidate.outcome);
        let time = candidate.outcome.time().map_or_else(|| what.to_owned(), |time| duration(time.as_secs_f64()));
        let mut notes = Vec::new();
        if picked(tuning.record.as_ref(), candidate) {
            notes.push("picked".to_owned());
        }
        // The first is the compiler's own choice.
        if position == 0 {
            notes.push("default".to_owned());
        }
        notes.extend(why);
        vec![time, candidate.config.to_string(), notes.join("; ")]
    });
    let table = output.table(&[">time", "candidate", "note"], &rows.collect::<Vec<_>>());
    table.lines().map(|line| format!("  {line}\n")).collect()
}

fn picked(record: Option<&Record>, candidate: &Candidate) -> bool {
    record.is_some_and(|record| record.config == candidate.config)
}

/// A word for an outcome, and the first line of what there is to say about it.
fn told(outcome: &Outcome) -> (&'static str, Option<String>) {
    let first = |text: &String| text.lines().next().map(str::to_owned);
    match outcome {
        Outcome::Timed(_) => ("timed", None),
        Outcome::Hopeless(_) => ("hopeless", Some("stopped early".to_owned())),
        Outcome::Wrong(why) => ("wrong", first(why)),
        Outcome::Failed(why) => ("failed", first(why)),
        Outcome::Unmeasured(why) => ("unmeasured", first(why)),
        _ => ("unknown", None),
    }
}

fn value(tuning: &Tuning) -> Value {
    let candidates = tuning.candidates.iter().enumerate().map(|(position, candidate)| {
        let (outcome, why) = told(&candidate.outcome);
        json!({
            "config": candidate.config.to_string(),
            "outcome": outcome,
            "nanoseconds": candidate.outcome.time().map(|time| time.as_nanos() as u64),
            "default": position == 0,
            "why": why,
        })
    });
    json!({
        "task": tuning.task.to_string(),
        "config": tuning.record.as_ref().map(|record| record.config.to_string()),
        "nanoseconds": tuning.record.as_ref().map(|record| record.nanoseconds),
        "speedup": tuning.speedup(),
        "candidates": candidates.collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tasks;
    use netcl::Target;

    #[test]
    fn that_nothing_was_right_is_a_failure() {
        let device = Device::null(Target::Gpu, 1 << 30);
        let task = tasks::product("--matmul", "64x64x64").unwrap();
        let right = device.tune(&task, &TuneOptions { candidates: 2, ..TuneOptions::default() }).unwrap();
        assert!(!nothing_was_right(&right) && ended(std::slice::from_ref(&right), None) == ExitCode::SUCCESS);
        let wrong = |candidate: &Candidate| Candidate {
            config: candidate.config.clone(),
            outcome: Outcome::Wrong("0.5 is not 1".to_owned()),
        };
        let wrong = Tuning { candidates: right.candidates.iter().map(wrong).collect(), record: None, task };
        assert!(section(&wrong, &Output::new(false)).contains("no candidate was right"));
        assert_eq!(ended(&[wrong, right], None), ExitCode::FAILURE, "though another task has a kernel");
    }
}
