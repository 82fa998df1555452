//! The names on the left of `docs/from-python.md` are found by rustdoc's search: each is that of something here, or an alias.

use std::fmt::Write;
use std::path::Path;

/// The names that the left side of a row has in code: what is called, what an attribute is, what an argument is called.
fn names(left: &str) -> Vec<String> {
    let mut names = Vec::new();
    for span in left.split('`').skip(1).step_by(2) {
        // Not a text, and not the variables that another page lists.
        if span.starts_with('"') || span.starts_with("NETCL_") {
            continue;
        }
        let (head, arguments) = span.split_once('(').unwrap_or((span, ""));
        names.extend(head.rsplit(['.', ' ']).next().map(str::to_owned));
        let named = arguments.split([',', '(', ')']).filter_map(|argument| argument.split_once('='));
        names.extend(named.map(|(name, _)| name.trim().to_owned()));
    }
    names
}

/// Whether the sources have something public of that name, or an alias.
fn is_known(name: &str, sources: &str) -> bool {
    let item = ["fn", "struct", "enum", "trait", "const", "mod", "static", "type"]
        .iter()
        .any(|kind| follows(sources, &format!("pub {kind} {name}"), &['(', '<', ' ', ';', ':']));
    let field = follows(sources, &format!("pub {name}"), &[':']);
    // Methods of `Tensor` come from one list, each behind its documentation.
    let method = sources.lines().any(|line| line.contains(&format!("\" {name}(")) && line.ends_with(");"));
    let quoted = format!("\"{name}\"");
    let alias = sources.split("#[doc(alias").skip(1).any(|rest| {
        let list = rest.split_once(")]").map_or("", |(list, _)| list);
        list.contains(&quoted)
    });
    item || field || method || alias
}

/// Whether `text` stands somewhere before one of these.
fn follows(sources: &str, text: &str, after: &[char]) -> bool {
    sources.match_indices(text).any(|(at, _)| sources[at + text.len()..].starts_with(after))
}

fn read(folder: &Path, all: &mut String) {
    for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            read(&path, all);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            all.push_str(&std::fs::read_to_string(&path).expect("a text"));
        }
    }
}

#[test]
fn every_name_of_the_page_is_found_here() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut sources = String::new();
    // What `netcl::select` has of kernels is the compiler's.
    for folder in ["src", "hal/src", "runtime/src", "../kernels/src/variant"].map(|folder| root.join(folder)) {
        read(&folder, &mut sources);
    }
    let page = std::fs::read_to_string(root.join("../docs/from-python.md")).expect("the page");
    let rows = page.lines().filter_map(|line| line.strip_prefix("| ")).skip(1);
    let (mut all, mut missing) = (0, String::new());
    for row in rows {
        let left = row.split(" | ").next().unwrap_or_default();
        for name in names(left) {
            all += 1;
            if !is_known(&name, &sources) {
                writeln!(missing, "{name}, of {left}").expect("a text");
            }
        }
    }
    assert!(all > 80, "only {all} names found");
    assert!(missing.is_empty(), "no item and no alias is called\n{missing}");
}

#[test]
fn names_are_those_in_code() {
    assert_eq!(names("`manager.default(selector)`"), ["default"]);
    assert_eq!(names("`.backend` (`\"cl\"` or `\"cpu\"`)"), ["backend"]);
    assert_eq!(names("`with device(\"gpu\")`, `get_active_device()`"), ["device", "get_active_device"]);
    assert_eq!(names("`from_host(…, async_copy=True)`"), ["from_host", "async_copy"]);
    assert_eq!(names("per-bucket caps, and `NETCL_…` variables"), [""; 0]);
    let sources =
        "#[doc(alias = \"other\")]\npub fn own(x: u32) {}\n/// not \"this\"\n    \"the sum\" sum(axes: integers);";
    assert_eq!(
        ["own", "other", "sum", "this", "ow"].map(|name| is_known(name, sources)),
        [true, true, true, false, false]
    );
}
