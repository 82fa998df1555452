//! The gradient of every kernel in index form and of every `#[netcl::function]` that tests, benchmarks, examples, the command
//! line and the README have, against central differences in `f64`. They are looked for in the files: none can be forgotten.

use super::Crate;
use crate::dump::GRAPHS;
use netcl_kernels::autodiff::check::finite_difference_check;
use netcl_kernels::dim::Symbol;
use netcl_kernels::graph::interp::HostTensor;
use netcl_kernels::graph::{Graph, InputKind, Op};
use netcl_kernels::philox;
use proc_macro2::{Group, Ident, TokenStream, TokenTree};
use quote::{format_ident, quote};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use syn::{Attribute, FnArg, Item, UseTree};

/// What every symbol is: two would make many kernels too simple.
const SIZE: u64 = 3;

/// Where there are kernels.
const FOLDERS: [&str; 5] = ["tests/tests", "tests/suite", "tests/benches", "examples", "cli/src"];

/// Kernels and functions that differences cannot judge, and why.
const NO_DIFFERENCES: [(&str, &str); 5] = [
    ("capped", "its values are infinite"),
    ("limits", "calls `capped`"),
    ("masked", "some of its values are infinite"),
    ("one_round_sign", "divides by 0 where its argument rounds to 0"),
    ("one_0", "calls `one::round_sign`"),
];

#[test]
fn kernels_agree_with_differences() {
    let (mut checked, mut failures) = (BTreeSet::new(), Vec::new());
    for (file, text) in sources() {
        GRAPHS.take();
        let parsed = syn::parse_file(&text).unwrap_or_else(|error| panic!("{file}: {error}"));
        let mut player = Player::default();
        scopes(&parsed.items, "", &mut |item, scope| player.learn(item, scope));
        scopes(&parsed.items, "", &mut |item, scope| player.play(item, scope));
        player.compiled.sound();
        let graphs = GRAPHS.take();
        for name in player.declared {
            let graph = graphs.iter().find(|(known, _)| *known == name).map(|(_, graph)| graph);
            let graph = graph.unwrap_or_else(|| panic!("{file}: `{name}` has no graph"));
            if !differentiable(graph) {
                continue;
            }
            let mut report = check(graph, -1.0);
            if report.error.is_infinite() {
                // Roots and logarithms.
                report = check(graph, 0.1);
            }
            assert!(report.compared > 0, "{file}, {name}: nothing compared");
            let agrees = report.error <= 1e-6;
            let excused = NO_DIFFERENCES.iter().any(|(known, _)| name.trim_start_matches("check_") == *known);
            if agrees == excused {
                failures.push(format!("{file}, {name}: {report}"));
            }
            checked.insert(name);
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    for name in [
        "softmax",
        "blur",
        "distance",
        "bias_relu",
        "both",
        "acts",
        "chain",
        "bench_chain",
        "check_parts_leak",
        "all",
        "clipped",
    ] {
        assert!(checked.contains(name), "{name} is not among {checked:?}");
    }
}

/// Every file of the folders, and the first program of the README.
fn sources() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let read =
        |path: &Path| std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut sources = Vec::new();
    for folder in FOLDERS {
        let entries = std::fs::read_dir(root.join(folder)).expect("a folder of the repository");
        let mut paths: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
        paths.retain(|path| path.extension().is_some_and(|extension| extension == "rs"));
        paths.sort();
        sources.extend(paths.into_iter().map(|path| (path.display().to_string(), read(&path))));
    }
    let readme = read(&root.join("README.md"));
    let program = readme.split_once("```rust\n").and_then(|(_, rest)| rest.split_once("```"));
    sources.push(("README.md".into(), program.expect("a program").0.to_owned()));
    sources
}

/// Visits the items of a file with the name of the module that they are in; one in another is `outer_inner`.
fn scopes(items: &[Item], scope: &str, visit: &mut dyn FnMut(&Item, &str)) {
    for item in items {
        visit(item, scope);
        if let Item::Mod(inner) = item
            && let Some((_, items)) = &inner.content
        {
            scopes(items, &joined(scope, &inner.ident.to_string()), visit);
        }
    }
}

fn joined(scope: &str, name: &str) -> String {
    if scope.is_empty() { name.to_owned() } else { format!("{scope}_{name}") }
}

fn marked(attrs: &[Attribute], name: &str) -> bool {
    attrs.iter().any(|attr| attr.path().segments.last().is_some_and(|last| last.ident == name))
}

/// Plays the functions, constants and kernels of a file in one scope, where `module::name` is `module_name`.
#[derive(Default)]
struct Player {
    compiled: Crate,
    /// The functions and constants, by `module_name`, and their names in the one scope: constants are told by their case.
    known: BTreeMap<String, String>,
    /// What `use` brings, by such names too, and what it is.
    imported: BTreeMap<String, String>,
    /// The kernels in index form, and a kernel for each function.
    declared: Vec<String>,
}

impl Player {
    fn learn(&mut self, item: &Item, scope: &str) {
        match item {
            Item::Fn(item) if marked(&item.attrs, "function") => {
                let name = joined(scope, &item.sig.ident.to_string());
                self.known.insert(name.clone(), name);
            }
            Item::Const(item) if marked(&item.attrs, "constant") => {
                let name = joined(scope, &item.ident.to_string());
                self.known.insert(name.clone(), name.to_uppercase());
            }
            Item::Use(item) => self.import(&item.tree, "", scope),
            _ => {}
        }
    }

    fn import(&mut self, tree: &UseTree, path: &str, scope: &str) {
        match tree {
            UseTree::Path(step) if step.ident == "super" || step.ident == "crate" || step.ident == "self" => {
                self.import(&step.tree, path, scope);
            }
            UseTree::Path(step) => self.import(&step.tree, &joined(path, &step.ident.to_string()), scope),
            UseTree::Name(name) => {
                let name = name.ident.to_string();
                self.imported.insert(joined(scope, &name), joined(path, &name));
            }
            UseTree::Group(group) => group.items.iter().for_each(|tree| self.import(tree, path, scope)),
            _ => {}
        }
    }

    fn play(&mut self, item: &Item, scope: &str) {
        match item {
            Item::Fn(item) if marked(&item.attrs, "function") => {
                let mut item = item.clone();
                item.attrs.clear();
                self.compiled.function(self.flat(quote!(#item), scope));
                let name = format_ident!("{}", joined(scope, &item.sig.ident.to_string()));
                let args = item.sig.inputs.iter().map(|arg| match arg {
                    FnArg::Typed(arg) => arg,
                    FnArg::Receiver(_) => panic!("`{name}` has no `self`"),
                });
                let types = args.clone().map(|arg| &arg.ty);
                let args: Vec<Ident> = (0..args.count()).map(|position| format_ident!("x{position}")).collect();
                let (kernel, result) = (format_ident!("check_{name}"), &item.sig.output);
                let syn::ReturnType::Type(_, result) = result else { panic!("`{name}` has a result") };
                self.compiled.kernel(quote! {
                    fn #kernel(#(#args: &Tensor<#types, N>),*) -> Tensor<#result, N> { |n| #name(#(#args[n]),*) }
                });
                self.declared.push(kernel.to_string());
            }
            Item::Const(item) if marked(&item.attrs, "constant") => {
                let mut item = item.clone();
                item.attrs.clear();
                self.compiled.constant(self.flat(quote!(#item), scope));
            }
            Item::Macro(item) if item.mac.path.segments.last().is_some_and(|last| last.ident == "kernel") => {
                self.declared.extend(in_index_form(item.mac.tokens.clone()));
                self.compiled.kernel(self.flat(item.mac.tokens.clone(), scope));
            }
            _ => {}
        }
    }

    /// The tokens with the paths of known items as names in the one scope.
    fn flat(&self, tokens: TokenStream, scope: &str) -> TokenStream {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut flat = TokenStream::new();
        let mut position = 0;
        while let Some(token) = tokens.get(position) {
            position += 1;
            match token {
                TokenTree::Group(group) => {
                    let mut inner = Group::new(group.delimiter(), self.flat(group.stream(), scope));
                    inner.set_span(group.span());
                    flat.extend([TokenTree::from(inner)]);
                }
                TokenTree::Ident(first) => {
                    let mut path = vec![first.to_string()];
                    let mut end = position;
                    while let [TokenTree::Punct(one), TokenTree::Punct(two), TokenTree::Ident(next), ..] =
                        &tokens[end..]
                        && one.as_char() == ':'
                        && two.as_char() == ':'
                    {
                        path.push(next.to_string());
                        end += 3;
                    }
                    // From a module of the file, `super` is the file.
                    let absolute = path.len() > 1;
                    path.retain(|part| !matches!(part.as_str(), "super" | "crate" | "self"));
                    let name = if absolute { path.join("_") } else { joined(scope, &path.join("_")) };
                    let name = self.imported.get(&name).unwrap_or(&name);
                    // `x.round()` is no function of the file; `0..COUNT` ends with one of its constants.
                    let dot = |back: usize| {
                        let before = position.checked_sub(1 + back).and_then(|at| tokens.get(at));
                        matches!(before, Some(TokenTree::Punct(dot)) if dot.as_char() == '.')
                    };
                    if let Some(name) = self.known.get(name).filter(|_| !dot(1) || dot(2)) {
                        flat.extend([TokenTree::from(Ident::new(name, first.span()))]);
                        position = end;
                    } else {
                        flat.extend([token.clone()]);
                    }
                }
                token => flat.extend([token.clone()]),
            }
        }
        flat
    }
}

/// The names of the functions in a `kernel!` that have no `#[launch(..)]`.
fn in_index_form(tokens: TokenStream) -> Vec<String> {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let (mut names, mut launched) = (Vec::new(), false);
    for pair in tokens.windows(2) {
        match pair {
            [TokenTree::Punct(pound), TokenTree::Group(attr)] if pound.as_char() == '#' => {
                launched |= attr.stream().into_iter().next().is_some_and(|word| word.to_string() == "launch");
            }
            [TokenTree::Ident(word), TokenTree::Ident(name)] if word == "fn" => {
                if !launched {
                    names.push(name.to_string().trim_start_matches("r#").to_owned());
                }
                launched = false;
            }
            _ => {}
        }
    }
    names
}

fn differentiable(graph: &Graph) -> bool {
    graph.outputs.iter().any(|(_, id)| graph[*id].dtype.is_float())
        && graph.iter().any(|(_, node)| matches!(node.op, Op::Input(_)) && node.dtype.is_float())
}

/// At numbers from `least` to 1.
fn check(graph: &Graph, least: f64) -> netcl_kernels::autodiff::check::Report {
    let mut symbols = BTreeSet::new();
    for (_, node) in graph.iter() {
        for dim in &node.shape.0 {
            dim.visit_symbols(&mut |symbol: &Symbol| {
                symbols.insert(symbol.clone());
            });
        }
    }
    let bindings: Vec<(Symbol, u64)> = symbols.into_iter().map(|symbol| (symbol, SIZE)).collect();
    let give = |kind: &InputKind, name: &str| {
        let (id, node) = graph.iter().find(|(_, node)| match &node.op {
            Op::Input(own) => own == kind && node.name == name,
            _ => false,
        })?;
        let shape = node.shape.evaluate(&bindings)?;
        let count: usize = shape.iter().product();
        let values: Vec<f64> = (0..count as u64)
            .map(|i| match node.dtype.is_float() {
                true => least + (1.0 - least) * f64::from(philox::uniform(11, id.index() as u32, i)),
                false => (i % SIZE) as f64,
            })
            .collect();
        HostTensor::from_f64(node.dtype, &shape, &values).ok()
    };
    finite_difference_check(graph, &bindings, &give).expect("inputs that fit")
}
