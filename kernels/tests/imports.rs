//! Imports inside the compiler go one way: every module names its own layer or an earlier one.

use std::path::{Path, PathBuf};

/// The modules of the crate, whoever is imported before who imports. Those of one layer may know each other.
const LAYERS: &[&[&str]] = &[
    &["span", "dtype", "dim", "binding", "identifier", "philox", "sign", "sorted", "special", "target"],
    // Literal arithmetic is that of the graph's operators, and building a graph folds literals.
    &["graph", "fold"],
    &["autodiff"],
    &["ops"],
    &["layers"],
    &["index"],
    &["kir"],
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

/// The modules that a file names by `crate::`, outside comments and the tests at its end.
fn named(text: &str) -> Vec<String> {
    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or(text);
    let lines = code.lines().map(|line| line.split("//").next().unwrap_or(line));
    let mut named = Vec::new();
    for line in lines {
        for rest in line.split("crate::").skip(1) {
            named.push(rest.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect());
        }
    }
    named
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
