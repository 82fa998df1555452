//! `netcl cache`: what is kept on disk between runs.

mod file;

use crate::failure::{Failure, Result};
use crate::output::{Output, bytes};
use file::File;
use netcl::cache;
use serde_json::{Value, json};
use std::process::ExitCode;
use std::time::Duration;

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
pub(crate) struct CacheArgs {
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
    /// Read every file and say which are damaged, or could have been written by other users; the exit code is 1 if any is, or if
    /// the folder itself is not used
    Verify,
    /// Remove them; the exit code is 1 if any stays
    Clear,
}

fn age(text: &str) -> Result<Duration, String> {
    const UNITS: [(char, u64); 4] = [('s', 1), ('m', 60), ('h', 3600), ('d', 86_400)];
    let unit = UNITS.iter().find(|(unit, _)| text.ends_with(*unit));
    let seconds = unit.and_then(|(_, seconds)| text[..text.len() - 1].parse::<u64>().ok()?.checked_mul(*seconds));
    seconds.map(Duration::from_secs).ok_or_else(|| "a number and s, m, h or d, such as 30d".to_owned())
}

pub(crate) fn run(args: &CacheArgs, output: &Output) -> Result<ExitCode> {
    let Some(folder) = cache_folder()? else {
        return Err(Failure::Other("there is no cache: NETCL_CACHE_DIR is off, or there is no home folder".to_owned()));
    };
    let files: Vec<File> = file::all()?.into_iter().filter(|file| args.covers(file)).collect();
    let place = folder.display().to_string();
    match args.action {
        Action::List => list(&files, &place, output),
        Action::Verify => verify(&files, &place, output),
        Action::Clear => clear(args, &files, &place, output),
    }
}

impl CacheArgs {
    fn covers(&self, file: &File) -> bool {
        self.device.as_ref().is_none_or(|part| file.is_of(part)) && self.older_than.is_none_or(|age| file.age() > age)
    }
}

/// Of programs and measurements.
fn cache_folder() -> Result<Option<std::path::PathBuf>> {
    Ok(cache::folder()?.and_then(|programs| programs.parent().map(std::path::Path::to_owned)))
}

fn total(files: &[File]) -> u64 {
    files.iter().map(File::bytes).sum()
}

fn list(files: &[File], place: &str, output: &Output) -> Result<ExitCode> {
    if output.is_json() {
        output.value(&Value::Array(files.iter().map(File::value).collect()))?;
        return Ok(ExitCode::SUCCESS);
    }
    let row = |file: &File| {
        let name = file.path().file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        vec![
            file.kind().to_owned(),
            bytes(file.bytes()),
            ago(file.age()),
            file.device().to_owned(),
            name,
            shortened(&file.holds().join(", ")),
        ]
    };
    let rows: Vec<Vec<String>> = files.iter().map(row).collect();
    let headings = ["kind", ">bytes", ">last use", "device", "file", "kernels or tasks"];
    let limit = bytes(cache::limit()?);
    let sum = format!("{} files, {} in {place}; programs may take {limit}\n", files.len(), bytes(total(files)));
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

fn verify(files: &[File], place: &str, output: &Output) -> Result<ExitCode> {
    let progress = output.progress(files.len() as u64);
    let mut damaged = Vec::new();
    for file in files {
        if let Some(problem) = file.damage() {
            damaged.push((file, problem));
        }
        progress.inc(1);
    }
    drop(progress);
    let refused = cache::check_folder().err().map(|problem| problem.to_string());
    if output.is_json() {
        let damaged = damaged.iter().map(|(file, problem)| {
            let mut value = file.value();
            value["problem"] = json!(problem);
            value
        });
        output.value(&json!({ "files": files.len(), "damaged": damaged.collect::<Vec<_>>(), "refused": refused }))?;
    } else {
        let lines = damaged.iter().map(|(file, problem)| format!("{}: {problem}\n", file.path().display()));
        let text = lines.collect::<String>();
        output.text(&format!("{text}{} files, {} damaged, in {place}\n", files.len(), damaged.len()))?;
    }
    refused.iter().for_each(|problem| Output::note(&format!("error: {problem}")));
    Ok(if damaged.is_empty() && refused.is_none() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn clear(args: &CacheArgs, files: &[File], place: &str, output: &Output) -> Result<ExitCode> {
    let progress = output.progress(files.len() as u64);
    let (mut count, mut freed, mut problems) = (0, 0, Vec::new());
    for file in files {
        match file.remove() {
            Ok(()) => (count, freed) = (count + 1, freed + file.bytes()),
            Err(problem) => problems.push(problem.to_string()),
        }
        progress.inc(1);
    }
    drop(progress);
    if args.device.is_none() && args.older_than.is_none() {
        // Also what killed processes left there.
        if let Err(problem) = cache::clear().map_err(|problem| problem.to_string())
            && !problems.contains(&problem)
        {
            problems.push(problem);
        }
    }
    if output.is_json() {
        output.value(&json!({ "files": count, "bytes": freed, "problems": problems }))?;
    } else {
        output.text(&format!("removed {count} files, {}, from {place}\n", bytes(freed)))?;
    }
    problems.iter().for_each(|problem| Output::note(&format!("error: {problem}")));
    Ok(if problems.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
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
