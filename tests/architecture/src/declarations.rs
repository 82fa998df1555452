//! The types that modules declare.

use crate::modules::{attributes, is_test};
use syn::visit::{self, Visit};
use syn::{ImplItem, Item};

/// The name of every struct, enum, union, trait and alias among these items and in the bodies of their functions, without
/// tests. The types that a trait or an `impl` associates are named by the trait.
pub(crate) fn of(items: &[Item]) -> Vec<String> {
    let mut declarations = Declarations(Vec::new());
    items.iter().for_each(|item| declarations.visit_item(item));
    declarations.0
}

struct Declarations(Vec<String>);

impl<'ast> Visit<'ast> for Declarations {
    fn visit_item(&mut self, item: &'ast Item) {
        if is_test(attributes(item)) {
            return;
        }
        let name = match item {
            Item::Enum(item) => Some(&item.ident),
            Item::Struct(item) => Some(&item.ident),
            Item::Trait(item) => Some(&item.ident),
            Item::Type(item) => Some(&item.ident),
            Item::Union(item) => Some(&item.ident),
            _ => None,
        };
        self.0.extend(name.map(ToString::to_string));
        visit::visit_item(self, item);
    }

    fn visit_impl_item(&mut self, item: &'ast ImplItem) {
        if !matches!(item, ImplItem::Fn(item) if is_test(&item.attrs)) {
            visit::visit_impl_item(self, item);
        }
    }
}
