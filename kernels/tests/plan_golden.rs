//! Goldens of whole functions: `tests/golden/plans/*.cl` holds what a plan's buffers and steps are, and its OpenCL C.
//!
//! `NETCL_BLESS=1 cargo test -p netcl-kernels --test plan_golden` rewrites them. Templates' texts stand in the goldens as
//! `#include` lines; programs hold the texts themselves.

#[path = "common/models.rs"]
mod models;
#[path = "common/plan_texts.rs"]
mod plan_texts;

use std::path::Path;

#[test]
fn plans_are_as_before() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/plans");
    let bless = std::env::var_os("NETCL_BLESS").is_some();
    let (mut different, mut known) = (Vec::new(), Vec::new());
    for (name, plan) in plan_texts::plans() {
        let (golden, text) = (folder.join(format!("{name}.cl")), plan_texts::print(&plan));
        if bless {
            std::fs::create_dir_all(&folder).expect("the goldens' folder");
            std::fs::write(&golden, &text).expect("the golden is written");
        } else if std::fs::read_to_string(&golden).unwrap_or_default() != text {
            different.push(golden.display().to_string());
        }
        known.push(golden);
    }
    assert!(
        different.is_empty(),
        "these have changed; look at them with NETCL_BLESS=1 and `git diff`:\n{}",
        different.join("\n")
    );
    for entry in std::fs::read_dir(folder).expect("the goldens' folder") {
        let path = entry.expect("an entry").path();
        assert!(known.contains(&path), "{} is the golden of no plan", path.display());
    }
}

#[test]
fn a_golden_holds_the_whole_program() {
    for (name, plan) in plan_texts::plans() {
        let source = plan.source.to_string();
        let folded = plan_texts::fold(&source);
        assert!(folded.contains("#include \""), "{name} has no template");
        assert_eq!(plan_texts::unfold(&folded), source, "{name}");
    }
}
