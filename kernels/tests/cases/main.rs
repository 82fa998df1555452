//! Tables of the compiler's tests, a test for each case, so that a filter reaches an operation, a golden or a form:
//! `cargo test -p netcl-kernels --test cases gelu`. What is said of a whole table (no operation is without a case) is a test
//! beside them.

mod compare;
mod derivatives;
mod extremes;
mod gradients;
mod higher;
mod kir_goldens;
mod layers;
mod operations;
mod plan_goldens;
mod prologues;
mod variants;

use libtest_mimic::{Arguments, Trial};

/// A test that fails where `check` panics.
fn test(name: impl Into<String>, check: impl FnOnce() + Send + 'static) -> Trial {
    Trial::test(name, move || {
        check();
        Ok(())
    })
}

fn main() {
    let arguments = Arguments::from_args();
    let tables = [
        derivatives::trials(),
        extremes::trials(),
        gradients::trials(),
        higher::trials(),
        kir_goldens::trials(),
        layers::trials(),
        operations::trials(),
        plan_goldens::trials(),
        prologues::trials(),
        variants::trials(),
    ];
    libtest_mimic::run(&arguments, tables.into_iter().flatten().collect()).exit();
}
