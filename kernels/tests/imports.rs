//! Imports inside the compiler go one way: every module names its own layer or an earlier one, and no file names one beside
//! it that names it back.

use std::collections::BTreeMap;
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

/// The modules that a file names by `super::`: `a` and `b` in `use super::{a::A, b};`.
fn named_beside(text: &str) -> Vec<String> {
    let mut all = Vec::new();
    for rest in code(text).split("super::").skip(1) {
        let Some(group) = rest.strip_prefix('{') else {
            all.push(name(rest));
            continue;
        };
        let (mut depth, mut first) = (0, true);
        for (position, sign) in group.char_indices() {
            match sign {
                '}' if depth == 0 => break,
                '{' => depth += 1,
                '}' => depth -= 1,
                ',' => first |= depth == 0,
                _ if first && !sign.is_whitespace() => {
                    all.push(name(&group[position..]));
                    first = false;
                }
                _ => {}
            }
        }
    }
    all
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
fn no_file_names_one_beside_it_that_names_it_back() {
    let mut all = Vec::new();
    files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut all);
    let mut left = BTreeMap::new();
    // A folder's `mod.rs` is what its files share, and may name and be named by all of them.
    for path in all.iter().filter(|path| !path.ends_with("mod.rs")) {
        let beside = named_beside(&std::fs::read_to_string(path).expect("a source"));
        let beside = beside.iter().map(|name| path.with_file_name(format!("{name}.rs")));
        left.insert(path, beside.filter(|other| other != path && all.contains(other)).collect::<Vec<_>>());
    }
    assert!(left.values().flatten().count() > 100, "few imports were found");
    // Whoever names nobody that is left goes, and whom nobody left names, until those are left that make up circles.
    loop {
        let names: Vec<PathBuf> = left.keys().map(|path| path.to_path_buf()).collect();
        let named: Vec<PathBuf> = left.values().flatten().cloned().collect();
        left.retain(|path, beside| named.contains(path) && beside.iter().any(|other| names.contains(other)));
        if left.len() == names.len() {
            break;
        }
    }
    assert!(left.is_empty(), "these files name each other in circles:\n{left:#?}");
}

#[test]
fn comments_and_tests_import_what_they_like() {
    let text = "use crate::dim::Dim; // crate::compile\nfn f(_: crate::kir::Kernel) {}\n#[cfg(test)]\nmod tests {\n    use crate::plan::Plan;\n}\n";
    assert_eq!(named(text), ["dim", "kir"]);
    assert!(layer("dim") < layer("kir") && layer("kir") < layer("plan"));
    let text = "use super::{\n    a::{A, B},\n    c,\n};\nfn f(_: super::d::D) {}\n";
    assert_eq!(named_beside(text), ["a", "c", "d"]);
}
