//! What all examples do alike with their command line and their output.

use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};

/// Name and program of each example.
const EXAMPLES: [(&str, &str); 12] = [
    ("custom_kernel", env!("CARGO_BIN_EXE_custom_kernel")),
    ("devices", env!("CARGO_BIN_EXE_devices")),
    ("digits", env!("CARGO_BIN_EXE_digits")),
    ("digits_cnn", env!("CARGO_BIN_EXE_digits_cnn")),
    ("programs", env!("CARGO_BIN_EXE_programs")),
    ("raw_kernel", env!("CARGO_BIN_EXE_raw_kernel")),
    ("sort", env!("CARGO_BIN_EXE_sort")),
    ("trace", env!("CARGO_BIN_EXE_trace")),
    ("transfers", env!("CARGO_BIN_EXE_transfers")),
    ("transformer_block", env!("CARGO_BIN_EXE_transformer_block")),
    ("tune", env!("CARGO_BIN_EXE_tune")),
    ("unet", env!("CARGO_BIN_EXE_unet")),
];

/// The text of the page's first paragraph.
fn page(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(name).with_extension("rs");
    let source = std::fs::read_to_string(path).unwrap();
    source.lines().map_while(|line| line.strip_prefix("//! ")).collect::<Vec<_>>().join(" ")
}

#[test]
fn no_example_is_left_out() {
    let files = std::fs::read_dir(env!("CARGO_MANIFEST_DIR")).unwrap();
    let sources = files.filter(|file| file.as_ref().unwrap().path().extension().is_some_and(|kind| kind == "rs"));
    assert_eq!(sources.count(), EXAMPLES.len());
}

#[test]
fn the_help_begins_with_what_the_example_does() {
    for (name, program) in EXAMPLES {
        let output = Command::new(program).arg("--help").output().unwrap();
        let help = String::from_utf8(output.stdout).unwrap();
        let first = help.lines().next().unwrap();
        assert!(first.len() > 20 && page(name).starts_with(first), "{name}: `{first}` is not how its page begins");
    }
}

/// Its zeros are no accuracy, and would fail what examples check of their results.
#[test]
fn a_device_that_computes_nothing_is_refused() {
    for (name, program) in EXAMPLES {
        let output = Command::new(program).args(["--device", "null"]).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(1) && said.contains("computes nothing"), "{name}: {said}");
    }
}

#[test]
fn a_reader_who_has_seen_enough_is_no_error() {
    for (name, program) in [EXAMPLES[1], EXAMPLES[6]] {
        let mut child = Command::new(program)
            .args(["--device", "host"])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // Nobody reads.
        drop(child.stdout.take());
        let mut said = String::new();
        child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        assert_eq!((child.wait().unwrap().code(), said.as_str()), (Some(0), ""), "{name}");
    }
}
