//! What the macros say about mistakes: each file under `ui` fails to compile with exactly the text beside it.
//!
//! `TRYBUILD=overwrite cargo test -p netcl-tests --test ui` rewrites the texts; read the difference before committing.
//! The texts are those of the toolchain that `rust-toolchain` and CI name: rustc's own words around ours change.

#[test]
fn messages() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("ui/*/*.rs");
}
