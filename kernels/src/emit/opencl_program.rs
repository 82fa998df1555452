//! What a program of OpenCL C has besides its kernels: noted while these are written, and each thing once.

use crate::identifier::Namer;
use crate::kir::{Function, Kernel};
use std::collections::BTreeSet;
use std::sync::Arc;

/// What the kernels that are written so far need.
#[derive(Default)]
pub(super) struct Program {
    /// Names at program scope.
    pub(super) globals: Arc<Namer>,
    /// `#pragma OPENCL EXTENSION`s.
    pub(super) extensions: BTreeSet<String>,
    /// Definitions of helper functions, those that others need first.
    pub(super) helpers: Vec<String>,
    /// Names of the helper functions that are there.
    pub(super) known_helpers: BTreeSet<String>,
    functions: Vec<NamedFunction>,
    /// Definitions of the users' functions, those that others call first.
    pub(super) definitions: Vec<String>,
}

/// A user's function: with the ones before it, which it may call; its name; whether somebody defines it.
struct NamedFunction {
    meaning: Vec<Function>,
    name: String,
    taken: bool,
}

impl Program {
    pub(super) fn extension(&mut self, name: &str) {
        self.extensions.insert(name.to_string());
    }

    /// Finds or makes the names of a kernel's functions, before any name inside it is given.
    pub(super) fn name_functions(&mut self, kernel: &Kernel) {
        for position in 0..kernel.functions.len() {
            // A function's meaning depends on the earlier ones, which it may call.
            let meaning = &kernel.functions[..=position];
            if self.functions.iter().all(|known| known.meaning != meaning) {
                let name = Arc::make_mut(&mut self.globals).name(&kernel.functions[position].name);
                self.functions.push(NamedFunction { meaning: meaning.to_vec(), name, taken: false });
            }
        }
    }

    /// The name of the function at `position`, which is one for all kernels that have the same function, and whether the
    /// caller is the first one to want it: then it is to add the definition.
    pub(super) fn called(&mut self, kernel: &Kernel, position: usize) -> (String, bool) {
        let meaning = &kernel.functions[..=position];
        match self.functions.iter_mut().find(|known| known.meaning == meaning) {
            Some(known) => (known.name.clone(), !std::mem::replace(&mut known.taken, true)),
            None => (kernel.functions[position].name.clone(), false),
        }
    }
}
