//! What the macros say about mistakes: each file under `ui` fails to compile with exactly the text beside it.
//!
//! `TRYBUILD=overwrite cargo test -p netcl-tests --test ui` rewrites the texts; read the difference before committing.

use std::process::Command;

/// rustc's own words around netcl's change between versions; the texts are those of this one.
const RUSTC: &str = "rustc 1.95.";

/// With another rustc there is nothing to compare with. CI sets `NETCL_REQUIRE_UI`, so that the texts follow its rustc.
#[test]
fn messages() {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let version = Command::new(rustc).arg("--version").output().expect("cargo runs this test, so rustc is there");
    let version = String::from_utf8_lossy(&version.stdout).into_owned();
    if !version.starts_with(RUSTC) && std::env::var_os("NETCL_REQUIRE_UI").is_none() {
        eprintln!("skipped: the texts are those of {RUSTC}*, this is {}", version.trim());
        return;
    }
    let cases = trybuild::TestCases::new();
    cases.compile_fail("ui/*/*.rs");
}
