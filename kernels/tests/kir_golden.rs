//! Goldens: `tests/golden/*.kir`, kernels in text form, and beside each the OpenCL C that is emitted for it.
//!
//! `NETCL_BLESS=1 cargo test -p netcl-kernels --test kir_golden` rewrites the OpenCL C.

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

#[test]
fn emitted_opencl_c_is_as_before() {
    let bless = std::env::var_os("NETCL_BLESS").is_some();
    let mut different = Vec::new();
    for path in sources() {
        let name = path.display();
        let source = std::fs::read_to_string(&path).expect("a golden");
        let kernels = text::parse_all(&source).unwrap_or_else(|error| panic!("{name}: {error}"));
        let verified: Vec<_> = kernels
            .iter()
            .map(|kernel| {
                verify(kernel, &Capabilities::unlimited()).unwrap_or_else(|errors| panic!("{name}: {errors:#?}"))
            })
            .collect();
        let emitted = opencl::program(&verified, &opencl::Options::default());
        let golden = path.with_extension("cl");
        if bless {
            std::fs::write(&golden, &emitted).expect("the golden is written");
        } else if std::fs::read_to_string(&golden).unwrap_or_default() != emitted {
            different.push(format!("{}\n{emitted}", golden.display()));
        }
    }
    assert!(different.is_empty(), "differs (NETCL_BLESS=1 rewrites):\n{}", different.join("\n"));
}

/// `docs/ir.md` shows one of them.
#[test]
fn the_page_shows_the_golden_as_it_is() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |path: &str| std::fs::read_to_string(root.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
    let page = read("../docs/ir.md");
    for (language, golden) in [("text", "tests/golden/row_sum.kir"), ("c", "tests/golden/row_sum.cl")] {
        let listing = format!("```{language}\n{}```\n", read(golden));
        assert!(page.contains(&listing), "docs/ir.md does not show {golden} as it is");
    }
}

#[test]
fn the_text_form_round_trips() {
    for path in sources() {
        let source = std::fs::read_to_string(&path).expect("a golden");
        for kernel in text::parse_all(&source).expect("a kernel") {
            let printed = text::print(&kernel);
            let again = text::parse(&printed).unwrap_or_else(|error| panic!("{error}\n{printed}"));
            assert_eq!(again, kernel, "{printed}");
            assert_eq!(text::print(&again), printed);
        }
    }
}
