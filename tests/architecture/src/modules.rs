//! The modules of a crate, and what their names mean.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use syn::{Attribute, Expr, ExprLit, Item, Lit, UseTree};

/// How many re-exports are followed in a row.
const MOST_ALIASES: usize = 32;

/// One module, whether it has a file of its own or not.
pub(crate) struct Module {
    /// Its names from the crate's root.
    path: Vec<String>,
    /// Where it stands, relative to the crate's sources.
    pub(crate) file: PathBuf,
    /// What is in it, without tests and without modules.
    pub(crate) items: Vec<Item>,
    names: BTreeMap<String, Name>,
    /// What it imports by `*`.
    globs: Vec<Vec<String>>,
}

/// What a name in a module means.
enum Name {
    /// A module in it.
    Module,
    /// An item that it defines.
    Item,
    /// What this path means there.
    Alias(Vec<String>),
}

/// All modules of a crate.
pub(crate) struct Modules(BTreeMap<Vec<String>, Module>);

impl Modules {
    pub(crate) fn of(folder: &Path) -> io::Result<Modules> {
        let root = ["lib.rs", "main.rs"].into_iter().find(|name| folder.join(name).is_file());
        let root = root.ok_or_else(|| invalid(format!("{} has neither lib.rs nor main.rs", folder.display())))?;
        let mut modules = Modules(BTreeMap::new());
        modules.read(folder, Path::new(root), Path::new(""), Vec::new())?;
        Ok(modules)
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = &Module> {
        self.0.values()
    }

    /// A module's file; `beside` is the folder in which the files of its own modules are.
    fn read(&mut self, folder: &Path, file: &Path, beside: &Path, path: Vec<String>) -> io::Result<()> {
        let text = std::fs::read_to_string(folder.join(file))
            .map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", file.display())))?;
        let parsed = syn::parse_file(&text).map_err(|error| invalid(format!("{}: {error}", file.display())))?;
        self.add(folder, file, beside, path, parsed.items)
    }

    fn add(&mut self, folder: &Path, file: &Path, beside: &Path, path: Vec<String>, all: Vec<Item>) -> io::Result<()> {
        let mut module =
            Module { path, file: file.to_owned(), items: Vec::new(), names: BTreeMap::new(), globs: Vec::new() };
        for item in all.into_iter().filter(|item| !is_test(attributes(item))) {
            let Item::Mod(inner) = item else {
                module.define(&item);
                module.items.push(item);
                continue;
            };
            let name = inner.ident.to_string();
            let path = module.inner(&name);
            let own_folder = beside.join(&name);
            match inner.content {
                Some((_, items)) => self.add(folder, file, &own_folder, path, items)?,
                None => {
                    let flat = beside.join(format!("{name}.rs"));
                    let file = match elsewhere(&inner.attrs) {
                        Some(elsewhere) => file.parent().unwrap_or(Path::new("")).join(elsewhere),
                        None if folder.join(&flat).is_file() => flat,
                        None => own_folder.join("mod.rs"),
                    };
                    self.read(folder, &file, &own_folder, path)?;
                }
            }
            module.names.insert(name, Name::Module);
        }
        self.0.insert(module.path.clone(), module);
        Ok(())
    }

    /// The file that defines what a path in `module` names; none if that is another crate's, or a module alone.
    pub(crate) fn definition(&self, module: &Module, path: &[String]) -> impl Iterator<Item = PathBuf> {
        self.resolve(module, path, MOST_ALIASES)
            .and_then(|(module, rest)| (!rest).then(|| module.file.clone()))
            .into_iter()
    }

    /// The module that a path leads to, and whether the path ends there: else the module defines what it names.
    fn resolve(&self, from: &Module, path: &[String], aliases: usize) -> Option<(&Module, bool)> {
        let mut module = self.0.get(&from.path)?;
        let mut rest = path;
        while let Some((first, after)) = rest.split_first() {
            let next = match first.as_str() {
                "crate" => Vec::new(),
                "self" => module.path.clone(),
                "super" => module.path[..module.path.len().checked_sub(1)?].to_vec(),
                // A function may be called as a module beside it, but a path goes on only through the module.
                _ if !after.is_empty() && self.0.contains_key(&module.inner(first)) => module.inner(first),
                name => match module.names.get(name) {
                    Some(Name::Item) => return Some((module, false)),
                    Some(Name::Module) => module.inner(first),
                    Some(Name::Alias(target)) => {
                        // `use name::..`: a crate of that name.
                        let aliases = aliases.checked_sub(1).filter(|_| target.first() != Some(first))?;
                        return self.resolve(module, &[target, after].concat(), aliases);
                    }
                    None => {
                        let aliases = aliases.checked_sub(1)?;
                        let through = |glob: &Vec<String>| self.resolve(module, &[glob, rest].concat(), aliases);
                        return module.globs.iter().find_map(through);
                    }
                },
            };
            module = self.0.get(&next)?;
            rest = after;
        }
        Some((module, true))
    }
}

impl Module {
    /// The path of a module in it.
    fn inner(&self, name: &str) -> Vec<String> {
        [&self.path[..], &[name.to_owned()]].concat()
    }

    fn define(&mut self, item: &Item) {
        let name = match item {
            Item::Const(item) => &item.ident,
            Item::Enum(item) => &item.ident,
            Item::Fn(item) => &item.sig.ident,
            Item::Static(item) => &item.ident,
            Item::Struct(item) => &item.ident,
            Item::Trait(item) => &item.ident,
            Item::Type(item) => &item.ident,
            Item::Union(item) => &item.ident,
            Item::Macro(item) => match &item.ident {
                Some(name) => name,
                None => return,
            },
            Item::Use(item) => {
                let mut uses = Vec::new();
                flatten(&item.tree, &mut Vec::new(), &mut uses);
                for (name, path) in uses {
                    match name {
                        Some(name) => _ = self.names.insert(name, Name::Alias(path)),
                        None => self.globs.push(path),
                    }
                }
                return;
            }
            _ => return,
        };
        self.names.insert(name.to_string(), Name::Item);
    }
}

/// Every path of a `use`, with the name that it gets; none for `*`.
pub(crate) fn flatten(tree: &UseTree, before: &mut Vec<String>, all: &mut Vec<(Option<String>, Vec<String>)>) {
    match tree {
        UseTree::Path(path) => {
            before.push(path.ident.to_string());
            flatten(&path.tree, before, all);
            before.pop();
        }
        UseTree::Name(name) if name.ident == "self" => all.push((before.last().cloned(), before.clone())),
        UseTree::Name(name) => {
            let name = name.ident.to_string();
            all.push((Some(name.clone()), [&before[..], &[name]].concat()));
        }
        UseTree::Rename(rename) => {
            let mut path = before.clone();
            if rename.ident != "self" {
                path.push(rename.ident.to_string());
            }
            all.push((Some(rename.rename.to_string()), path));
        }
        UseTree::Glob(_) => all.push((None, before.clone())),
        UseTree::Group(group) => group.items.iter().for_each(|tree| flatten(tree, before, all)),
    }
}

/// Whether an item is there for tests alone.
pub(crate) fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let is_cfg = attribute.path().is_ident("cfg")
            && attribute.parse_args::<syn::Path>().is_ok_and(|condition| condition.is_ident("test"));
        is_cfg || attribute.path().is_ident("test")
    })
}

/// What `#[path = ".."]` says.
fn elsewhere(attributes: &[Attribute]) -> Option<String> {
    let path = attributes.iter().find(|attribute| attribute.path().is_ident("path"))?;
    match &path.meta.require_name_value().ok()?.value {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.value()),
        _ => None,
    }
}

pub(crate) fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::ExternCrate(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::ForeignMod(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Union(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

fn invalid(message: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, message)
}
