//! `netcl`: what people ask of netcl from a shell. A file per command; `docs/command-line.md` shows them.
#![forbid(unsafe_code)]

mod bench;
mod cache;
mod devices;
mod failure;
mod kernels;
mod log;
mod output;
mod select;
mod tasks;
mod trace;
mod tune;

use clap::{Parser, Subcommand};
use output::Output;
use std::process::ExitCode;

/// Devices, generated kernels, caches, tuning, benchmarks and traces of netcl
#[derive(Parser, Debug)]
#[command(name = "netcl", version, after_help = EXIT_CODES)]
struct Cli {
    /// Print JSON on standard output, errors too
    #[arg(long, global = true)]
    json: bool,
    #[command(subcommand)]
    command: Command,
}

const EXIT_CODES: &str = "Exit codes: 0 done; 1 not done, as the message on standard error says; 2 the command line is not \
                          understood. `trace` ends with the code of the program that it ran.";

#[derive(Subcommand, Debug)]
enum Command {
    /// What devices there are and what they can do
    Devices(devices::DevicesArgs),
    /// What is kept on disk between runs: built programs, what was found out about devices, and measurements of kernels
    Cache(cache::CacheArgs),
    /// Generated code: of a built binary's models and kernels, or of a template
    Kernels(kernels::KernelsArgs),
    /// How fast a device copies, computes and launches
    Bench(bench::BenchArgs),
    /// Measure which kernels are the fastest, and keep it for every later run
    Tune(tune::TuneArgs),
    /// Run a program and write what its devices did as a Chrome trace
    Trace(trace::TraceArgs),
}

fn main() -> ExitCode {
    let Cli { json, command } = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return not_understood(&error),
    };
    let output = Output::new(json);
    let checked = log::install().and_then(|()| Ok(netcl::check_environment()?));
    let done = checked.and_then(|()| match command {
        Command::Devices(args) => devices::run(&args, &output),
        Command::Cache(args) => cache::run(&args, &output),
        Command::Kernels(args) => kernels::run(&args, &output),
        Command::Bench(args) => bench::run(&args, &output),
        Command::Tune(args) => tune::run(&args, &output),
        Command::Trace(args) => trace::run(&args, &output),
    });
    match done {
        Ok(code) => code,
        Err(failure) => {
            output.failure(&failure);
            ExitCode::FAILURE
        }
    }
}

/// Help and versions, too, come as such errors; they are for people.
fn not_understood(error: &clap::Error) -> ExitCode {
    // There is nobody left to tell if printing fails.
    let _ = error.print();
    // What follows `--` is another program's.
    let json = std::env::args_os().take_while(|argument| argument != "--").any(|argument| argument == "--json");
    if json && error.use_stderr() {
        let text = error.render().to_string();
        let text = text.strip_prefix("error: ").unwrap_or(&text).trim_end();
        let _ = Output::new(true).value(&serde_json::json!({ "error": text }));
    }
    u8::try_from(error.exit_code()).map_or(ExitCode::FAILURE, ExitCode::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a shell makes of a line whose words have no quotes.
    fn words(line: &str) -> impl Iterator<Item = &str> {
        line.split(" #").next().unwrap_or_default().split_whitespace()
    }

    #[test]
    fn every_line_of_the_page_is_understood() {
        let page = include_str!("../../docs/command-line.md");
        let shell = page.split("```sh\n").skip(1).filter_map(|rest| rest.split("```").next());
        let lines: Vec<&str> = shell.flat_map(str::lines).filter(|line| line.starts_with("netcl ")).collect();
        assert!(lines.len() >= 15, "{lines:?}");
        for line in lines {
            let wrong = match Cli::try_parse_from(words(line)) {
                // `--help` and `--version` are answered in place of a command.
                Err(error) if error.use_stderr() => Some(error),
                _ => None,
            };
            assert!(wrong.is_none(), "{line}: {}", wrong.map(|error| error.to_string()).unwrap_or_default());
        }
    }
}
