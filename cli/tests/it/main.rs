//! The built `netcl`, run as people run it: each command with and without `--json`, on the host, the null device and the
//! OpenCL devices, and what it says about bad input.

mod bench;
mod cache;
mod devices;
mod kernels;
mod trace;
mod tune;
mod usage;

use netcl_fixtures::settings;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const NETCL: &str = env!("CARGO_BIN_EXE_netcl");

/// A command line whose programs are cached in a folder of these tests', and that heeds no other setting.
fn command(args: &[&str]) -> Command {
    let mut command = Command::new(NETCL);
    settings::clear(&mut command).args(args).env("NETCL_CACHE_DIR", cache_dir());
    command
}

fn cache_dir() -> PathBuf {
    std::env::temp_dir().join("netcl-command-line-tests")
}

fn run(args: &[&str]) -> Output {
    command(args).output().expect("netcl runs")
}

/// What it prints if it succeeds.
fn printed(args: &[&str]) -> String {
    let output = run(args);
    let (out, err) = texts(&output);
    assert!(output.status.success(), "netcl {args:?}: {}\n{out}\n{err}", output.status);
    out
}

/// What it prints with `--json`.
fn json(args: &[&str]) -> Value {
    let text = printed(&[args, &["--json"]].concat());
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("netcl {args:?} --json: {error}\n{text}"))
}

/// What it says as it fails with that exit code: the same as JSON, if that is asked for.
fn refused(args: &[&str], code: i32) -> String {
    let output = run(args);
    let (out, err) = texts(&output);
    assert_eq!(output.status.code(), Some(code), "netcl {args:?}: {out}\n{err}");
    assert_eq!(out, "", "netcl {args:?}");
    let output = run(&[&["--json"], args].concat());
    assert_eq!(output.status.code(), Some(code), "netcl --json {args:?}");
    let value: Value = serde_json::from_str(&texts(&output).0).expect("an error as JSON");
    assert_eq!(format!("error: {}\n", value["error"].as_str().expect("a text")), err);
    err
}

fn texts(output: &Output) -> (String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr))
}

/// A path for one test's file, which is not there.
fn scratch(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("netcl-command-line-{name}-{}", std::process::id()));
    let _ = std::fs::remove_file(&path);
    path
}

fn text(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}
