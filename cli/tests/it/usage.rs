use super::{command, printed, refused, texts};
use std::process::Stdio;

const COMMANDS: [&str; 6] = ["devices", "bench", "cache", "kernels", "tune", "trace"];

#[test]
fn the_help_names_every_command_and_each_has_an_example() {
    let help = printed(&["--help"]);
    assert!(help.contains("Exit codes"), "{help}");
    for name in COMMANDS {
        assert!(help.contains(&format!("\n  {name} ")), "{name}: {help}");
        let own = printed(&[name, "--help"]);
        assert!(own.contains("Example") && own.contains(&format!("netcl {name}")), "{own}");
        assert!(own.contains("--json"), "{own}");
    }
}

#[test]
fn every_command_is_documented() {
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/command-line.md")).unwrap();
    for name in COMMANDS {
        assert!(page.contains(&format!("\n## `netcl {name}`")), "{name}");
    }
}

#[test]
fn what_is_not_understood_says_so() {
    let error = refused(&["device"], 2);
    assert!(error.contains("`device`") || error.contains("'device'"), "{error}");
    assert!(error.contains("devices"), "the nearest name is suggested: {error}");
    assert!(refused(&["devices", "--frobnicate"], 2).contains("--frobnicate"));
}

/// Also where no device is asked for.
#[test]
fn a_bad_setting_is_an_error_of_every_command() {
    for args in
        [&["devices"][..], &["cache", "list"], &["kernels", "--template", "matmul_tiled"], &["devices", "--json"]]
    {
        for (name, value) in [("NETCL_DEVICE", "opencl:x"), ("NETCL_LOG", "loud")] {
            let output = command(args).env(name, value).output().unwrap();
            let (out, error) = texts(&output);
            assert!(
                output.status.code() == Some(1) && error.contains(name) && error.contains(value),
                "{args:?}: {error}"
            );
            assert_eq!(out.contains("\"error\""), args.contains(&"--json"), "{args:?}: {out}");
        }
    }
}

#[test]
fn a_reader_who_has_seen_enough_is_no_error() {
    for (args, code) in [
        (&["--help"][..], 0),
        (&["devices", "--verbose"], 0),
        (&["devices", "--json"], 0),
        (&["kernels", "--template", "matmul_tiled"], 0),
        (&["tune", "--device", "host", "--matmul", "8x8x8"], 0),
        (&["devices", "--device", "nothing-like-it"], 1),
        (&["nothing-like-it"], 2),
    ] {
        let mut child = command(args)
            // A note, and events, on standard error.
            .envs([("NETCL_AUTOTUNE", "off"), ("NETCL_LOG", "debug")])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // Nobody reads either.
        drop((child.stdout.take(), child.stderr.take()));
        assert_eq!(child.wait().unwrap().code(), Some(code), "netcl {args:?}");
    }
}

#[test]
fn help_is_for_people() {
    let help = printed(&["tune", "--help", "--json"]);
    assert!(help.contains("Usage:") && !help.contains("\"error\""), "{help}");
}
