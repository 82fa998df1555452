//! The names that items bring: where an item is refused, its names are known all the same, and nothing more is said of them.

use syn::{Block, Item, Stmt, UseTree};

/// The names of functions, values and types of values that the items in a block bring, in all of it.
pub(crate) fn declared(block: &Block) -> Vec<String> {
    let items = block.stmts.iter().filter_map(|statement| match statement {
        Stmt::Item(item) => Some(item),
        _ => None,
    });
    items.flat_map(names).collect()
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
