//! The names that items bring: where an item is refused, its names are known all the same, and nothing more is said of them.

use proc_macro2::{TokenStream, TokenTree};
use syn::{Block, Item, Stmt, UseTree};

/// The names of functions, values and types of values that the items in a block bring, in all of it.
pub(crate) fn declared(block: &Block) -> Vec<String> {
    let items = block.stmts.iter().map(|statement| match statement {
        Stmt::Item(item) => names(item),
        Stmt::Macro(call) if call.mac.path.segments.last().is_some_and(|last| last.ident == "kernel") => {
            functions(call.mac.tokens.clone())
        }
        _ => Vec::new(),
    });
    items.flatten().collect()
}

/// The names of the functions in the tokens of `kernel!`.
fn functions(tokens: TokenStream) -> Vec<String> {
    let mut tokens = tokens.into_iter();
    let mut names = Vec::new();
    while let Some(token) = tokens.next() {
        if let (true, Some(TokenTree::Ident(name))) = (token.to_string() == "fn", tokens.clone().next()) {
            names.push(super::name(&name));
        }
    }
    names
}

/// The names of functions, values and types of values that an item brings.
pub(crate) fn names(item: &Item) -> Vec<String> {
    match item {
        Item::Const(item) => vec![super::name(&item.ident)],
        Item::Static(item) => vec![super::name(&item.ident)],
        Item::Fn(item) => vec![super::name(&item.sig.ident)],
        Item::Struct(item) => vec![super::name(&item.ident)],
        Item::Enum(item) => vec![super::name(&item.ident)],
        Item::Use(item) => {
            let mut names = Vec::new();
            imported(&item.tree, &mut names);
            names
        }
        _ => Vec::new(),
    }
}

fn imported(tree: &UseTree, names: &mut Vec<String>) {
    match tree {
        UseTree::Path(path) => imported(&path.tree, names),
        UseTree::Name(name) => names.push(super::name(&name.ident)),
        UseTree::Rename(name) => names.push(super::name(&name.rename)),
        UseTree::Group(group) => group.items.iter().for_each(|tree| imported(tree, names)),
        UseTree::Glob(_) => {}
    }
}
