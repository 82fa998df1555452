//! What is expected of the workspace's crates, and of the analysis itself.

use crate::{Imports, circles};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// The crates of the workspace.
const CRATES: &[&str] = &[
    "kernels",
    "netcl-macros",
    "netcl/runtime",
    "netcl",
    "cli",
    "examples",
    "tests",
    "tests/architecture",
    "tests/fixtures",
];

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// What keeps files in their circle: each with those of the circle that it imports.
fn show(imports: &Imports, circle: &BTreeSet<PathBuf>) -> String {
    let mut text = format!("a circle of {} files:\n", circle.len());
    for file in circle {
        let others = imports.files()[file].intersection(circle).map(|other| other.display().to_string());
        let _ = writeln!(text, "  {} imports {}", file.display(), others.collect::<Vec<_>>().join(", "));
    }
    text
}

#[test]
fn imports_go_one_way() {
    let mut wrong = String::new();
    for name in CRATES {
        let imports = Imports::of(&workspace().join(name).join("src")).unwrap();
        for circle in circles(imports.files()) {
            let _ = writeln!(wrong, "{name}: {}", show(&imports, &circle));
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// A crate that is added is tested, too.
#[test]
fn every_crate_is_listed() {
    let manifest = std::fs::read_to_string(workspace().join("Cargo.toml")).unwrap();
    let members = manifest.split_once("members = [").and_then(|(_, rest)| rest.split_once(']')).unwrap().0;
    let members: BTreeSet<&str> = members.split('"').skip(1).step_by(2).collect();
    // Without a `src`: one file and what it looks at.
    let listed: BTreeSet<&str> = CRATES.iter().copied().chain(["tests/messages"]).collect();
    assert_eq!(members, listed);
}

#[test]
fn names_are_followed_to_the_file_that_defines_them() {
    let imports = Imports::of(Path::new(env!("CARGO_MANIFEST_DIR")).join("example").as_path()).unwrap();
    let of = |file: &str| -> Vec<&str> {
        imports.files()[Path::new(file)].iter().filter_map(|file| file.to_str()).collect()
    };
    assert_eq!(of("lib.rs"), [""; 0]);
    assert_eq!(of("shapes/mod.rs"), [""; 0]);
    assert_eq!(of("shapes/circle.rs"), [""; 0]);
    assert_eq!(of("area.rs"), ["shapes/circle.rs", "shapes/square.rs"]);
    assert_eq!(of("shapes/square.rs"), ["area.rs"]);
    assert_eq!(of("user.rs"), ["shapes/square.rs"]);
    let expected = ["area.rs", "shapes/square.rs"].map(PathBuf::from);
    assert_eq!(circles(imports.files()), [BTreeSet::from(expected)]);
}
