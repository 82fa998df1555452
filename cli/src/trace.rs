//! `netcl trace`: a program run with its launches and copies recorded.

use crate::failure::{Failure, Result};
use crate::output::{Output, bytes, duration};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, ExitStatus};

const EXAMPLE: &str = "\
Example: netcl trace --output digits.json target/release/digits --epochs 1

The file is written while the program runs; one that is killed leaves a whole trace of what it did until then. Open it at \
https://ui.perfetto.dev or in chrome://tracing: each queue of a device and each thread is a track. NETCL_TRACE=FILE does \
the same without this command. Recording costs about a microsecond for each launch.";

/// The arguments of `trace`.
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLE)]
pub(crate) struct TraceArgs {
    /// Where the trace goes
    #[arg(long, short, value_name = "FILE", default_value = "netcl-trace.json")]
    output: PathBuf,
    /// How many names to list, those that took longest first
    #[arg(long, value_name = "COUNT", default_value_t = 20)]
    top: usize,
    /// The program and its arguments
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true, value_name = "PROGRAM")]
    program: Vec<OsString>,
}

pub(crate) fn run(args: &TraceArgs, output: &Output) -> Result<ExitCode> {
    let (program, arguments) = match args.program.split_first() {
        Some((program, arguments)) => (program, arguments),
        None => return Err(Failure::Other("name a program".to_owned())),
    };
    // The program may change its folder, and an old trace must not pass for its own.
    let path = std::path::absolute(&args.output).map_err(Failure::file(&args.output))?;
    if std::fs::metadata(&path).is_ok_and(|there| !there.is_file()) {
        let what = path.display();
        return Err(Failure::Other(format!(
            "{what} is no file: the trace is read when the program has ended; name a file"
        )));
    }
    check_name(&path)?;
    std::fs::write(&path, "").map_err(Failure::file(&path))?;
    let mut command = Command::new(program);
    command.args(arguments).env("NETCL_TRACE", &path);
    if output.is_json() {
        // Standard output is ours.
        command.stdout(std::io::stderr());
    }
    let without_trace = |failure| {
        let _ = std::fs::remove_file(&path);
        failure
    };
    let status = command.status().map_err(Failure::file(program)).map_err(without_trace)?;
    let Events { spans: events, missed } = match events(&path, program, status).map_err(without_trace) {
        Ok(events) => events,
        // Why is in its own words.
        Err(failure) if !status.success() => {
            output.failure(&failure);
            return Ok(code(status));
        }
        Err(failure) => return Err(failure),
    };
    let totals = totals(&events);
    if output.is_json() {
        let totals: Vec<Value> = totals.iter().map(Total::value).collect();
        output.value(&json!({
            "trace": path.display().to_string(),
            "status": status.code(),
            "events": events.len(),
            "missed": missed,
            "totals": totals,
        }))?;
    } else {
        let rows: Vec<Vec<String>> = totals.iter().take(args.top).map(Total::row).collect();
        let headings = ["kind", ">count", ">time", ">longest", ">bytes", "name"];
        let table = output.table(&headings, &rows);
        let missed = if missed == 0 { String::new() } else { format!("; {missed} were missed") };
        output.text(&format!("{table}{} events in {}{missed}\n", events.len(), path.display()))?;
    }
    Ok(code(status))
}

/// The program finds the name in `NETCL_TRACE`, where some characters are not themselves: what it wrote would lie elsewhere.
fn check_name(path: &Path) -> Result<()> {
    let text = path.to_string_lossy();
    let problem = if text.contains("%p") {
        "`%p` stands for a process's number in NETCL_TRACE, and the trace of one program is read here; leave it out, or set \
         NETCL_TRACE instead of using this command"
    } else if text.trim() != text {
        "a name that ends with a blank cannot be told to the program; choose another"
    } else {
        return Ok(());
    };
    Err(Failure::Other(format!("`--output {text}`: {problem}")))
}

/// The program's own code; 128 and the signal's number where a signal ended it, as shells say it.
fn code(status: ExitStatus) -> ExitCode {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return ExitCode::from(u8::try_from(128 + signal).unwrap_or(u8::MAX));
    }
    ExitCode::from(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1))
}

/// What is in a trace.
struct Events {
    spans: Vec<Value>,
    /// How many more there were.
    missed: u64,
}

fn events(path: &Path, program: &OsStr, status: ExitStatus) -> Result<Events> {
    let text = std::fs::read_to_string(path).map_err(Failure::file(path))?;
    let none = || {
        Failure::Other(format!(
            "`{}` wrote no trace ({status}): it is no program of netcl, opened no device, or could not write {}",
            program.display(),
            path.display()
        ))
    };
    if text.is_empty() {
        return Err(none());
    }
    // A program that was killed while it wrote leaves a line that is no event.
    let line = |line: &str| serde_json::from_str::<Value>(line.trim_end_matches(',')).ok();
    let (spans, others): (Vec<Value>, Vec<Value>) = text.lines().filter_map(line).partition(|event| event["ph"] == "X");
    Ok(Events { spans, missed: others.iter().filter_map(|event| event["args"]["count"].as_u64()).sum() })
}

/// All events of one name and kind.
struct Total {
    kind: String,
    name: String,
    count: u64,
    microseconds: f64,
    longest: f64,
    bytes: u64,
}

impl Total {
    fn row(&self) -> Vec<String> {
        let [time, longest] = [self.microseconds, self.longest].map(|microseconds| duration(microseconds / 1e6));
        let moved = if self.bytes == 0 { String::new() } else { bytes(self.bytes) };
        vec![self.kind.clone(), self.count.to_string(), time, longest, moved, self.name.clone()]
    }

    fn value(&self) -> Value {
        json!({
            "kind": self.kind,
            "name": self.name,
            "count": self.count,
            "microseconds": self.microseconds,
            "longest_microseconds": self.longest,
            "bytes": self.bytes,
        })
    }
}

/// By kind, and within it by time, the longest first.
fn totals(events: &[Value]) -> Vec<Total> {
    let mut totals: BTreeMap<(&str, &str), Total> = BTreeMap::new();
    for event in events {
        let (kind, name) = (event["cat"].as_str().unwrap_or(""), event["name"].as_str().unwrap_or(""));
        let new = || {
            let (kind, name) = (kind.to_owned(), name.to_owned());
            Total { kind, name, count: 0, microseconds: 0.0, longest: 0.0, bytes: 0 }
        };
        let total = totals.entry((kind, name)).or_insert_with(new);
        let time = event["dur"].as_f64().unwrap_or(0.0);
        total.count += 1;
        total.microseconds += time;
        total.longest = total.longest.max(time);
        total.bytes += event["args"]["bytes"].as_u64().unwrap_or(0);
    }
    let mut totals: Vec<Total> = totals.into_values().collect();
    // Calls and the program's own spans contain the others.
    let place = |total: &Total| ["kernel", "copy", "call", "program"].iter().position(|kind| *kind == total.kind);
    totals.sort_by(|a, b| place(a).cmp(&place(b)).then(b.microseconds.total_cmp(&a.microseconds)));
    totals
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn totals_are_by_kind_then_by_time() {
        let event = |kind: &str, name: &str, time: f64| json!({ "cat": kind, "name": name, "dur": time, "args": {} });
        let events = [
            event("call", "f", 100.0),
            event("kernel", "a", 1.0),
            event("kernel", "b", 5.0),
            event("kernel", "a", 3.0),
        ];
        let found: Vec<_> = totals(&events)
            .into_iter()
            .map(|total| (total.name, total.count, total.microseconds, total.longest))
            .collect();
        assert_eq!(found, [("b".into(), 1, 5.0, 5.0), ("a".into(), 2, 4.0, 3.0), ("f".into(), 1, 100.0, 100.0)]);
    }
}
