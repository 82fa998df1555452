//! Goldens: `tests/golden/*.kir`, kernels in text form, and beside each the OpenCL C that is emitted for it.
//!
//! `NETCL_BLESS=1 cargo test -p netcl-kernels --test cases golden` rewrites the OpenCL C.

use crate::test;
use libtest_mimic::Trial;
use netcl_kernels::emit::opencl;
use netcl_kernels::kir::text;
use netcl_kernels::kir::verify::{Capabilities, verify};
use std::path::{Path, PathBuf};

fn sources() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("the goldens' folder")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "kir"))
        .collect();
    paths.sort();
    assert!(paths.len() >= 10, "goldens are missing");
    paths
}

fn emitted_opencl_c_is_as_before(path: &Path) {
    let source = std::fs::read_to_string(path).expect("a golden");
    let kernels = text::parse_all(&source).unwrap_or_else(|error| panic!("{error}"));
    let verified: Vec<_> = kernels
        .iter()
        .map(|kernel| verify(kernel, &Capabilities::unlimited()).unwrap_or_else(|errors| panic!("{errors:#?}")))
        .collect();
    let emitted = opencl::program(&verified, &opencl::Options::default());
    let golden = path.with_extension("cl");
    if std::env::var_os("NETCL_BLESS").is_some() {
        std::fs::write(&golden, &emitted).expect("the golden is written");
    }
    let before = std::fs::read_to_string(&golden).unwrap_or_default();
    assert!(before == emitted, "differs from {} (NETCL_BLESS=1 rewrites):\n{emitted}", golden.display());
}

/// `docs/ir.md` shows one of them.
fn the_page_shows_the_golden_as_it_is() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |path: &str| std::fs::read_to_string(root.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
    let page = read("../docs/ir.md");
    for (language, golden) in [("text", "tests/golden/row_sum.kir"), ("c", "tests/golden/row_sum.cl")] {
        let listing = format!("```{language}\n{}```\n", read(golden));
        assert!(page.contains(&listing), "docs/ir.md does not show {golden} as it is");
    }
}

fn the_text_form_round_trips(path: &Path) {
    let source = std::fs::read_to_string(path).expect("a golden");
    for kernel in text::parse_all(&source).expect("a kernel") {
        let printed = text::print(&kernel);
        let again = text::parse(&printed).unwrap_or_else(|error| panic!("{error}\n{printed}"));
        assert_eq!(again, kernel, "{printed}");
        assert_eq!(text::print(&again), printed);
    }
}

pub(crate) fn trials() -> Vec<Trial> {
    let mut trials = vec![test("goldens::the_page_shows_the_golden_as_it_is", the_page_shows_the_golden_as_it_is)];
    for path in sources() {
        let name = format!("goldens::{}", path.file_stem().unwrap_or_default().to_string_lossy());
        let again = path.clone();
        trials.push(test(format!("{name}::the_text_form_round_trips"), move || the_text_form_round_trips(&again)));
        trials
            .push(test(format!("{name}::emitted_opencl_c_is_as_before"), move || emitted_opencl_c_is_as_before(&path)));
    }
    trials
}
