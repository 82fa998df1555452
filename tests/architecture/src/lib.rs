//! Who imports whom in a crate of the workspace, file by file: a name that a `mod.rs` only re-exports belongs to the file that
//! defines it. Tests of this package hold that imports go one way, and that names of types stay telling.

mod circles;
mod declarations;
mod modules;
mod references;
#[cfg(test)]
mod tests;

use modules::{Module, Modules};
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

pub use circles::circles;

/// The files of a crate, each with those whose items it names. Tests (`#[cfg(test)]`) are left out.
#[derive(Debug)]
pub struct Imports(BTreeMap<PathBuf, BTreeSet<PathBuf>>);

impl Imports {
    /// Of the crate whose sources are in `folder`, with `lib.rs` or `main.rs`; paths are relative to the folder.
    ///
    /// # Errors
    ///
    /// If a file cannot be read or is no Rust.
    pub fn of(folder: &Path) -> io::Result<Imports> {
        let modules = Modules::of(folder)?;
        let mut imports: BTreeMap<PathBuf, BTreeSet<PathBuf>> = BTreeMap::new();
        for module in modules.all() {
            let all = imports.entry(module.file.clone()).or_default();
            for path in references::of(&module.items) {
                all.extend(modules.definition(module, &path).filter(|file| *file != module.file));
            }
        }
        Ok(Imports(imports))
    }

    /// Each file with those that it imports.
    pub fn files(&self) -> &BTreeMap<PathBuf, BTreeSet<PathBuf>> {
        &self.0
    }
}

/// Every type that a crate declares, with the file that does; paths are relative to the folder of its sources. Tests are left
/// out.
///
/// # Errors
///
/// If a file cannot be read or is no Rust.
pub fn types(folder: &Path) -> io::Result<Vec<(String, PathBuf)>> {
    let modules = Modules::of(folder)?;
    let of =
        |module: &Module| declarations::of(&module.items).into_iter().map(|name| (name, module.file.clone())).collect();
    Ok(modules.all().flat_map::<Vec<_>, _>(of).collect())
}
