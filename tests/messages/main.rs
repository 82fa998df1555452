//! What the macros say about mistakes: each file under `ui` fails to compile with exactly the text beside it.
//!
//! `TRYBUILD=overwrite cargo test -p netcl-ui-tests` rewrites the texts; read the difference before committing.

use libtest_mimic::{Arguments, Completion, Trial};
use std::process::Command;

/// rustc's own words around netcl's change between versions; the texts are those of this one. `.ci/run` reads it here.
const RUSTC: &str = "1.95";

fn main() {
    let messages = Trial::ignorable_test("messages", || {
        let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
        let version = Command::new(rustc).arg("--version").output().map_err(|error| error.to_string())?;
        let version = String::from_utf8_lossy(&version.stdout).trim().to_owned();
        if !version.starts_with(&format!("rustc {RUSTC}.")) {
            // Nothing to compare with: a difference would be rustc's, not netcl's.
            let instead = format!("rustup run {RUSTC} cargo test -p netcl-ui-tests");
            let reason = format!("the texts are those of rustc {RUSTC}, this is {version}; try `{instead}`");
            return Ok(Completion::ignored_with(reason));
        }
        trybuild::TestCases::new().compile_fail("ui/*/*.rs");
        Ok(Completion::Completed)
    });
    // `trybuild=NAME` is trybuild's own: the cases whose path has the name.
    let arguments = Arguments::from_iter(std::env::args().filter(|argument| !argument.starts_with("trybuild=")));
    libtest_mimic::run(&arguments, vec![messages]).exit();
}
