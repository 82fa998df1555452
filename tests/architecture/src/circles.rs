//! Files that import each other.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The strongly connected components of more than one file (Tarjan, "Depth-first search and linear graph algorithms", 1972), the
/// largest first.
pub fn circles(imports: &BTreeMap<PathBuf, BTreeSet<PathBuf>>) -> Vec<BTreeSet<PathBuf>> {
    let mut search = Search { imports, order: BTreeMap::new(), open: Vec::new(), found: Vec::new() };
    for file in imports.keys() {
        if !search.order.contains_key(file.as_path()) {
            search.visit(file);
        }
    }
    search.found.sort_by_key(|files| std::cmp::Reverse(files.len()));
    search.found
}

struct Search<'a> {
    imports: &'a BTreeMap<PathBuf, BTreeSet<PathBuf>>,
    /// When each file was visited first.
    order: BTreeMap<&'a Path, usize>,
    /// Visited and in no component yet.
    open: Vec<&'a Path>,
    found: Vec<BTreeSet<PathBuf>>,
}

impl<'a> Search<'a> {
    /// The earliest open file that `file` leads to.
    fn visit(&mut self, file: &'a Path) -> usize {
        let number = self.order.len();
        self.order.insert(file, number);
        self.open.push(file);
        let mut earliest = number;
        for import in self.imports.get(file).into_iter().flatten() {
            match self.order.get(import.as_path()) {
                None => earliest = earliest.min(self.visit(import)),
                Some(order) if self.open.contains(&import.as_path()) => earliest = earliest.min(*order),
                Some(_) => {}
            }
        }
        if earliest == number {
            let start = self.open.iter().rposition(|open| *open == file).expect("it was pushed");
            let files: BTreeSet<PathBuf> = self.open.drain(start..).map(Path::to_owned).collect();
            if files.len() > 1 {
                self.found.push(files);
            }
        }
        earliest
    }
}
