//! What is expected of the workspace's crates, and of the analysis itself.

use crate::{Imports, circles, types};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// The crates of the workspace.
const CRATES: &[&str] = &[
    "kernels",
    "netcl-macros",
    "netcl/hal",
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

/// In how many places of the workspace a type of one name may be declared.
const MOST_DECLARATIONS: usize = 2;
/// Each crate calls its results so, as the standard library's modules do.
const IN_EVERY_CRATE: &str = "Result";

/// A name that many types have says of none what it is.
#[test]
fn no_name_is_that_of_many_types() {
    let mut declared: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
    for name in CRATES {
        let sources = Path::new(name).join("src");
        for (name, file) in types(&workspace().join(&sources)).unwrap() {
            declared.entry(name).or_default().push(sources.join(file));
        }
    }
    // What is looked through is all of it.
    for (name, file) in [("Device", "netcl/runtime/src/device/mod.rs"), ("Kernel", "kernels/src/kir/mod.rs")] {
        assert!(declared[name].contains(&PathBuf::from(file)), "{name}: {:?}", declared[name]);
    }
    let results = declared.remove(IN_EVERY_CRATE).unwrap_or_default();
    assert!(results.len() <= CRATES.len(), "{results:?}");
    let mut wrong = String::new();
    for (name, files) in declared.iter().filter(|(_, files)| files.len() > MOST_DECLARATIONS) {
        let _ = writeln!(wrong, "`{name}` is declared {} times:", files.len());
        files.iter().for_each(|file| _ = writeln!(wrong, "  {}", file.display()));
    }
    assert!(wrong.is_empty(), "name each type for what it is:\n{wrong}");
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

/// Every Rust file in a folder, by its path there.
fn sources(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut all = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(inner) = folders.pop() {
        for entry in std::fs::read_dir(&inner).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = std::fs::read_to_string(&path).unwrap();
                all.push((path.strip_prefix(folder).unwrap().to_owned(), text));
            }
        }
    }
    all
}

/// The hardware abstraction layer is below the run time.
#[test]
fn the_hal_knows_no_run_time() {
    let hal = workspace().join("netcl/hal");
    let manifest = std::fs::read_to_string(hal.join("Cargo.toml")).unwrap();
    // The examples in its documentation are what users write.
    let (dependencies, _) = manifest.split_once("[dev-dependencies]").unwrap();
    let named: Vec<&str> = dependencies.lines().filter_map(|line| line.split(['.', ' ', '=']).next()).collect();
    assert!(named.contains(&"netcl-kernels"), "{named:?}");
    for above in ["netcl", "netcl-runtime", "netcl-macros"] {
        assert!(!named.contains(&above), "netcl-hal depends on {above}");
    }
    for (file, text) in sources(&hal.join("src")) {
        assert!(!text.contains("netcl_runtime::"), "{} names the run time", file.display());
    }
}

/// `unsafe` stands in the hardware abstraction layer, and where OpenCL C is launched that nobody checks.
#[test]
fn unsafe_code_is_in_one_crate() {
    for name in ["kernels", "netcl-macros", "netcl", "cli"] {
        let sources = workspace().join(name).join("src");
        let root = ["lib.rs", "main.rs"].into_iter().find(|root| sources.join(root).is_file()).unwrap();
        let text = std::fs::read_to_string(sources.join(root)).unwrap();
        assert!(text.contains("\n#![forbid(unsafe_code)]\n"), "{name} does not forbid it");
    }
    let mut exceptions: Vec<PathBuf> = Vec::new();
    for (file, text) in sources(&workspace().join("netcl/runtime/src")) {
        if file == Path::new("lib.rs") {
            assert!(text.contains("\n#![deny(unsafe_code)]\n"), "netcl/runtime does not deny it");
        } else if text.contains("unsafe_code") {
            exceptions.push(file);
        }
    }
    exceptions.sort();
    assert_eq!(exceptions, ["launch.rs", "raw/launch.rs"].map(PathBuf::from));
}

#[test]
fn types_are_found_where_they_are_declared() {
    let mut declared = types(Path::new(env!("CARGO_MANIFEST_DIR")).join("example").as_path()).unwrap();
    declared.sort();
    let circle = "shapes/circle.rs";
    let expected = [("Circle", circle), ("Next", circle), ("Square", "shapes/square.rs")];
    assert_eq!(declared, expected.map(|(name, file)| (name.to_owned(), PathBuf::from(file))));
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
