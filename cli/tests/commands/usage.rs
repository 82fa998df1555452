use super::{printed, refused};

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
