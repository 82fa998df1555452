//! Imports inside the compiler go one way: every module names its own layer or an earlier one (that no files import each other,
//! in any crate, is `tests/architecture`). What the workspace imports from outside has a licence that `deny.toml` allows, and comes from the
//! registry.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The modules of the crate, whoever is imported before who imports. Those of one layer may know each other.
const LAYERS: &[&[&str]] = &[
    &[
        "span",
        "dtype",
        "dim",
        "binding",
        "identifier",
        "philox",
        "quotient",
        "equality",
        "sign",
        "trend",
        "target",
        "policy",
    ],
    &["text"],
    // What scalars do is that of the graph's operators, and building a graph folds literals. Kernels compute with these operators,
    // and a graph calls those that users have written.
    &["graph", "scalar", "fold", "kir"],
    &["numeric"],
    &["autodiff"],
    &["decompose", "precision"],
    &["ops"],
    &["layers"],
    &["index"],
    &["emit"],
    &["template"],
    &["variant"],
    &["plan"],
    &["fuse"],
    &["schedule"],
    &["rewrite"],
    &["compile"],
];

fn layer(module: &str) -> Option<usize> {
    LAYERS.iter().position(|layer| layer.contains(&module))
}

/// Every file below `folder`, but those of tests.
fn files(folder: &Path, all: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("the sources") {
        let path = entry.expect("an entry").path();
        let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        if path.is_dir() {
            files(&path, all);
        } else if path.extension().is_some_and(|extension| extension == "rs") && !stem.starts_with("tests") {
            all.push(path);
        }
    }
}

/// What of a file is neither a comment nor the tests at its end.
fn code(text: &str) -> String {
    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or(text);
    code.lines().map(|line| line.split("//").next().unwrap_or(line)).collect::<Vec<_>>().join("\n")
}

fn name(text: &str) -> String {
    text.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect()
}

/// The modules that a file names by `crate::`.
fn named(text: &str) -> Vec<String> {
    code(text).split("crate::").skip(1).map(name).collect()
}

#[test]
fn imports_go_one_way() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut all = Vec::new();
    files(&source, &mut all);
    assert!(all.len() > 100, "the sources are missing");
    let (mut wrong, mut seen) = (Vec::new(), 0);
    for path in all {
        let relative = path.strip_prefix(&source).expect("a source");
        let first = relative.components().next().expect("a name");
        let own = Path::new(first.as_os_str()).file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        if own == "lib" {
            continue;
        }
        let Some(own_layer) = layer(own) else {
            wrong.push(format!("{own} has no layer"));
            continue;
        };
        for module in named(&std::fs::read_to_string(&path).expect("a source")) {
            seen += 1;
            if layer(&module).is_none_or(|layer| layer > own_layer) {
                wrong.push(format!("{} names `{module}`", relative.display()));
            }
        }
    }
    assert!(seen > 300, "few imports were found: {seen}");
    assert!(wrong.is_empty(), "these import against the layers:\n{}", wrong.join("\n"));
}

#[test]
fn comments_and_tests_import_what_they_like() {
    let text = "use crate::dim::Dim; // crate::compile\nfn f(_: crate::kir::Kernel) {}\n#[cfg(test)]\nmod tests {\n    use crate::plan::Plan;\n}\n";
    assert_eq!(named(text), ["dim", "kir"]);
    assert!(layer("dim") < layer("kir") && layer("kir") < layer("plan"));
}

/// Whether one of the licences that an expression offers is allowed: `MIT OR (Apache-2.0 AND Zlib)`, or `MIT/Apache-2.0` as it
/// was written once.
fn is_allowed(expression: &str, allowed: &[String]) -> bool {
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ").replace(" WITH ", "+");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    fn any<'a>(words: &mut std::slice::Iter<'a, &'a str>, allowed: &[String]) -> bool {
        let (mut is_any, mut are_all) = (false, true);
        while let Some(word) = words.next() {
            match *word {
                "(" => are_all &= any(words, allowed),
                ")" => break,
                "OR" => (is_any, are_all) = (is_any || are_all, true),
                "AND" => {}
                name => are_all &= allowed.iter().any(|own| own == name),
            }
        }
        is_any || are_all
    }
    any(&mut words.iter(), allowed)
}

/// What stands between quotes after `start`, up to `end`.
fn quoted(text: &str, start: &str, end: char) -> Vec<String> {
    let list = text.split_once(start).and_then(|(_, rest)| rest.split_once(end)).expect("the list is there").0;
    list.split('"').skip(1).step_by(2).map(str::to_owned).collect()
}

/// `cargo deny` looks further, where it is installed.
#[test]
fn dependencies_are_allowed_and_exceptions_needed() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let deny = std::fs::read_to_string(root.join("deny.toml")).expect("deny.toml");
    let allowed = quoted(&deny, "\nallow = [", ']');
    for (expression, expected) in [
        ("MIT OR Apache-2.0", true),
        ("MIT/Apache-2.0", true),
        ("(MIT OR GPL-3.0) AND Unicode-3.0", true),
        ("MIT AND GPL-3.0", false),
        ("GPL-3.0 OR (LGPL-2.1 OR Zlib)", true),
        ("Apache-2.0 WITH LLVM-exception", false),
        ("", true),
    ] {
        assert_eq!(is_allowed(expression, &allowed), expected, "{expression}");
    }

    let rustc = Command::new("rustc").arg("-vV").output().expect("rustc");
    let host = String::from_utf8_lossy(&rustc.stdout).into_owned();
    let host = host.lines().find_map(|line| line.strip_prefix("host: ")).expect("a platform");
    // Of other platforms, not even the manifests need be here.
    let metadata = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--offline", "--locked", "--filter-platform", host])
        .current_dir(&root)
        .output()
        .expect("cargo");
    assert!(metadata.status.success(), "{}", String::from_utf8_lossy(&metadata.stderr));
    let metadata: serde_json::Value = serde_json::from_slice(&metadata.stdout).expect("JSON");
    let packages = metadata["packages"].as_array().expect("a list");
    let wrong: Vec<String> = packages
        .iter()
        // Packages of the workspace have no source.
        .filter_map(|package| Some((package, package["source"].as_str()?)))
        .filter(|(package, source)| {
            let licence = package["license"].as_str().unwrap_or("none");
            *source != "registry+https://github.com/rust-lang/crates.io-index" || !is_allowed(licence, &allowed)
        })
        .map(|(package, source)| format!("{} {} of {source}", package["name"], package["license"]))
        .collect();
    assert!(packages.len() > 50 && wrong.is_empty(), "{wrong:#?}");
    // An exception goes with what it is for: its reason begins with the package's name.
    let exceptions = quoted(&deny, "\nignore = [", ']');
    for reason in exceptions.iter().skip(1).step_by(2) {
        let name = reason.split(':').next().unwrap_or_default();
        assert!(
            packages.iter().any(|package| package["name"] == name),
            "nothing needs the exception for `{name}` any more"
        );
    }
}
