//! `netcl cache`: what is kept on disk between runs.

use crate::failure::{Failure, Result};
use crate::output::{Output, bytes};
use netcl::cache::{self, Entry, Health};
use serde_json::{Value, json};
use std::process::ExitCode;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

const EXAMPLES: &str = "\
Examples:
  netcl cache list --device nvidia
  netcl cache verify
  netcl cache clear --older-than 30d

Everything in the cache can be made again: what is missing or damaged is built when it is needed. The folder is that of \
NETCL_CACHE_DIR, its limit NETCL_CACHE_LIMIT_MB.";

/// The arguments of `cache`.
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// What to do with the files
    #[arg(value_enum)]
    action: Action,
    /// Only files of devices, platforms or drivers whose name contains this; case does not matter
    #[arg(long, value_name = "NAME")]
    device: Option<String>,
    /// Only files that were last used longer ago than this: 90s, 15m, 12h, 30d
    #[arg(long, value_name = "AGE", value_parser = age)]
    older_than: Option<Duration>,
}

#[derive(clap::ValueEnum, Clone, Copy, Debug)]
enum Action {
    /// A line for each file, the one used last first
    List,
    /// Read every file and say which are damaged; the exit code is 1 if any is
    Verify,
    /// Remove them
    Clear,
}

fn age(text: &str) -> Result<Duration, String> {
    const UNITS: [(char, u64); 4] = [('s', 1), ('m', 60), ('h', 3600), ('d', 86_400)];
    let unit = UNITS.iter().find(|(unit, _)| text.ends_with(*unit));
    let seconds = unit.and_then(|(_, seconds)| text[..text.len() - 1].parse::<u64>().ok()?.checked_mul(*seconds));
    seconds.map(Duration::from_secs).ok_or_else(|| "a number and s, m, h or d, such as 30d".to_owned())
}

pub(crate) fn run(args: &Args, output: &Output) -> Result<ExitCode> {
    let Some(folder) = cache::folder()? else {
        return Err(Failure::Other("there is no cache: NETCL_CACHE_DIR is off, or there is no home folder".to_owned()));
    };
    let entries: Vec<Entry> = cache::entries()?.into_iter().filter(|entry| args.covers(entry)).collect();
    let place = format!("{} (limit {})", folder.display(), bytes(cache::limit()?));
    match args.action {
        Action::List => list(&entries, &place, output),
        Action::Verify => verify(entries, &place, output),
        Action::Clear => clear(args, &entries, &place, output),
    }
}

impl Args {
    fn covers(&self, entry: &Entry) -> bool {
        let contains = |part: &str, text: &str| text.to_lowercase().contains(&part.to_lowercase());
        let named =
            |part: &String| [&entry.device, &entry.platform, &entry.driver].iter().any(|text| contains(part, text));
        self.device.as_ref().is_none_or(named) && self.older_than.is_none_or(|age| since(entry) > age)
    }
}

/// Since its last use.
fn since(entry: &Entry) -> Duration {
    SystemTime::now().duration_since(entry.last_use).unwrap_or_default()
}

fn total(entries: &[Entry]) -> u64 {
    entries.iter().map(|entry| entry.bytes).sum()
}

fn value(entry: &Entry) -> Value {
    json!({
        "path": entry.path.display().to_string(),
        "kind": entry.kind.name(),
        "netcl": entry.netcl,
        "platform": entry.platform,
        "device": entry.device,
        "driver": entry.driver,
        "kernels": entry.kernels,
        "bytes": entry.bytes,
        "last_use": entry.last_use.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs()),
    })
}

fn list(entries: &[Entry], place: &str, output: &Output) -> Result<ExitCode> {
    if output.is_json() {
        output.value(&Value::Array(entries.iter().map(value).collect()))?;
        return Ok(ExitCode::SUCCESS);
    }
    let row = |entry: &Entry| {
        let name = entry.path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        vec![
            entry.kind.to_string(),
            bytes(entry.bytes),
            ago(since(entry)),
            entry.device.clone(),
            name,
            shortened(&entry.kernels.join(" ")),
        ]
    };
    let rows: Vec<Vec<String>> = entries.iter().map(row).collect();
    let headings = ["kind", ">bytes", ">last use", "device", "file", "kernels"];
    let sum = format!("{} files, {} in {place}\n", entries.len(), bytes(total(entries)));
    output.text(&format!("{}{sum}", output.table(&headings, &rows)))?;
    Ok(ExitCode::SUCCESS)
}

/// `3 h`: in the largest unit of which there is one.
fn ago(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{} min", seconds / 60),
        3600..86_400 => format!("{} h", seconds / 3600),
        _ => format!("{} d", seconds / 86_400),
    }
}

fn shortened(text: &str) -> String {
    const MOST: usize = 60;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

fn verify(entries: Vec<Entry>, place: &str, output: &Output) -> Result<ExitCode> {
    let progress = output.progress(entries.len() as u64);
    let mut damaged = Vec::new();
    let count = entries.len();
    for entry in entries {
        if let Health::Damaged(problem) = entry.verify() {
            damaged.push((entry, problem));
        }
        progress.inc(1);
    }
    progress.finish_and_clear();
    if output.is_json() {
        let damaged = damaged.iter().map(|(entry, problem)| {
            let mut value = value(entry);
            value["problem"] = json!(problem);
            value
        });
        output.value(&json!({ "files": count, "damaged": damaged.collect::<Vec<_>>() }))?;
    } else {
        let lines = damaged.iter().map(|(entry, problem)| format!("{}: {problem}\n", entry.path.display()));
        let text = lines.collect::<String>();
        output.text(&format!("{text}{count} files, {} damaged, in {place}\n", damaged.len()))?;
    }
    Ok(if damaged.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn clear(args: &Args, entries: &[Entry], place: &str, output: &Output) -> Result<ExitCode> {
    let (files, freed) = if args.device.is_none() && args.older_than.is_none() {
        // Also what killed processes left there.
        let cleared = cache::clear()?;
        (cleared.files, cleared.bytes)
    } else {
        for entry in entries {
            entry.remove()?;
        }
        (entries.len(), total(entries))
    };
    if output.is_json() {
        output.value(&json!({ "files": files, "bytes": freed }))?;
    } else {
        output.text(&format!("removed {files} files, {}, from {place}\n", bytes(freed)))?;
    }
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_have_a_unit() {
        for (text, seconds) in [("0s", 0), ("90s", 90), ("15m", 900), ("12h", 43_200), ("30d", 2_592_000)] {
            assert_eq!(age(text), Ok(Duration::from_secs(seconds)), "{text}");
        }
        for text in ["", "30", "d", "-1d", "1.5h", "1w", "99999999999999999999d", "9999999999999999999d", "30 d", "é"]
        {
            assert!(age(text).is_err(), "{text}");
        }
        assert_eq!([59, 60, 7200, 200_000].map(|time| ago(Duration::from_secs(time))), ["59 s", "1 min", "2 h", "2 d"]);
    }
}
