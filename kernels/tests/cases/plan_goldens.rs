//! Goldens of whole functions: `tests/golden/plans/*.cl` holds what a plan's buffers and steps are, and its OpenCL C.
//!
//! `NETCL_BLESS=1 cargo test -p netcl-kernels --test cases golden` rewrites them. Templates' texts stand in the goldens as
//! `#include` lines; programs hold the texts themselves.

use crate::test;
use libtest_mimic::Trial;
use netcl_fixtures::plan_texts::{self, Golden};
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/plans")
}

fn file(golden: &Golden) -> PathBuf {
    folder().join(format!("{}.cl", golden.name()))
}

fn the_plan_is_as_before(golden: &Golden) {
    let (file, text) = (file(golden), plan_texts::print(&golden.plan()));
    if std::env::var_os("NETCL_BLESS").is_some() {
        std::fs::create_dir_all(folder()).expect("the goldens' folder");
        std::fs::write(&file, &text).expect("the golden is written");
    }
    let before = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(before == text, "{} has changed; look at it with NETCL_BLESS=1 and `git diff`", file.display());
}

fn every_file_is_a_plans() {
    let known: Vec<PathBuf> = plan_texts::goldens().iter().map(file).collect();
    for entry in std::fs::read_dir(folder()).expect("the goldens' folder") {
        let path = entry.expect("an entry").path();
        assert!(known.contains(&path), "{} is the golden of no plan", path.display());
    }
}

fn it_holds_the_whole_program(golden: &Golden) {
    let source = golden.plan().source.to_string();
    let folded = plan_texts::fold(&source);
    assert!(folded.contains("#include \""), "no template");
    assert_eq!(plan_texts::unfold(&folded), source);
}

pub(crate) fn trials() -> Vec<Trial> {
    let mut trials = vec![test("goldens::plans::every_file_is_a_plans", every_file_is_a_plans)];
    for golden in plan_texts::goldens() {
        let name = format!("goldens::plans::{}", golden.name());
        let again = golden.clone();
        trials.push(test(format!("{name}::it_holds_the_whole_program"), move || it_holds_the_whole_program(&again)));
        trials.push(test(format!("{name}::the_plan_is_as_before"), move || the_plan_is_as_before(&golden)));
    }
    trials
}
