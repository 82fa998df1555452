//! What is expected of the workspace's crates, and of the analysis itself.

use crate::{Imports, circles};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// The crates, each with the sizes of the circles that are left in it. A circle that has become smaller is written down so;
/// none may grow.
const CRATES: &[(&str, &[usize])] =
    &[("kernels", &[]), ("netcl-macros", &[]), ("runtime", &[]), ("netcl", &[]), ("cli", &[]), ("tests", &[])];

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
    for (name, expected) in CRATES {
        let imports = Imports::of(&workspace().join(name).join("src")).unwrap();
        assert!(imports.files().values().any(|files| !files.is_empty()), "{name}: no import was found");
        let circles = circles(imports.files());
        let sizes: Vec<usize> = circles.iter().map(|files| files.len()).collect();
        if sizes != *expected {
            let shown: String = circles.iter().map(|circle| show(&imports, circle)).collect();
            let _ = writeln!(wrong, "{name}: circles of {sizes:?} files instead of {expected:?}\n{shown}");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
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
