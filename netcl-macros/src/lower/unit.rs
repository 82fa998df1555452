//! What is asked of the names of a model or kernel item.

use super::Sizes;
use super::sizes::symbol;
use crate::ast::{FunctionItem, Nested, Unit};
use crate::parse;
use std::collections::BTreeSet;
use std::rc::Rc;

impl Unit {
    /// The model's name, for messages.
    pub(crate) fn name(&self) -> String {
        self.model.as_ref().map(|model| parse::name(&model.name)).unwrap_or_default()
    }

    /// The model that a field is of: for its types, or whatever its parameters are.
    pub(crate) fn nested_in(&self, field: &Nested) -> Option<&Unit> {
        self.nested.get(&parse::text(&field.path)).or_else(|| self.nested.get(&parse::text(&field.ty)))
    }

    /// The function of that name in the block that stands for the model.
    pub(super) fn in_main(&self, name: &str) -> Option<(&Unit, &FunctionItem)> {
        let main = self.main.as_ref()?.as_deref()?;
        let function = main.functions.iter().find(|function| parse::name(&function.name) == name)?;
        Some((main, function))
    }

    /// Whether there may be such a function in what is wrong and has been reported.
    pub(super) fn is_wrong(&self, name: &str) -> bool {
        self.unfit.contains(name) || matches!(self.main, Some(None))
    }

    /// Whether there is a function of that name, or may be one.
    pub(super) fn has(&self, name: &str) -> bool {
        self.is_wrong(name) || self.function_names().iter().any(|known| known == name)
    }

    /// The names of all functions that can be called.
    pub(super) fn function_names(&self) -> Vec<String> {
        let main = self.main.as_ref().and_then(|main| main.as_deref());
        let functions = self.functions.iter().chain(main.into_iter().flat_map(|main| &main.functions));
        functions.map(|function| parse::name(&function.name)).chain(self.scalars.keys().cloned()).collect()
    }

    /// The model's sizes as this block calls them, from those of another block.
    pub(super) fn block_sizes(&self, other: &Sizes) -> Rc<Sizes> {
        Rc::new(self.model.as_ref().map(|model| other.in_block(model, &self.given)).unwrap_or_default())
    }

    /// The names that the block gives to the model's parameters.
    pub(crate) fn open_names(&self) -> BTreeSet<String> {
        self.given.iter().filter_map(symbol).collect()
    }

    /// The names of the model's sizes where its own functions are compiled.
    pub(crate) fn sizes(&self) -> Sizes {
        self.model.as_ref().map(|model| Sizes::of(model, &self.given)).unwrap_or_default()
    }
}
