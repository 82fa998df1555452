//! The gradient of every kernel in index form and of every `#[netcl::function]` that netcl itself, tests, benchmarks, examples,
//! the command line and the README have, against central differences in `f64`. They are looked for in the files: none can
//! be forgotten.

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

/// Where there are kernels, folders in folders included.
const FOLDERS: [&str; 4] = ["cli", "examples", "netcl", "tests"];

/// Folders whose files are left out: they must not compile.
const BROKEN: [&str; 1] = ["tests/messages/ui"];

/// What may stand before `!` above kernels.
const KERNELS: [&str; 2] = ["kernel", "__rules"];

/// Kernels and functions that have roots, logarithms or powers of their arguments: compared at numbers from 0.1 to 1, where
/// these are numbers. All others are compared at numbers from -1 to 1.
const POSITIVE: [&str; 19] = [
    "by_name",
    "by_method",
    "one_log10",
    "two_based",
    "of_two",
    "one_sqrt",
    "one_ln",
    "one_log2",
    "one_powf_root",
    "one_powf_inverse_root",
    "one_powf_half",
    "one_1",
    "one_2",
    "two_power",
    "both",
    "moved",
    "logs",
    "adam",
    "adamw",
];

/// Kernels and functions that differences cannot judge, and why.
const NO_DIFFERENCES: [(&str, &str); 10] = [
    ("one_nothing", "some of its values are NaN"),
    ("of_one", "calls `one::nothing`"),
    ("capped", "its values are infinite"),
    ("limits", "calls `capped`"),
    ("masked", "some of its values are infinite"),
    ("one_round_sign", "divides by 0 where its argument rounds to 0"),
    ("one_0", "calls `one::round_sign`"),
    ("pole", "a number of its caller's, in which no pullback has a gradient, is a part of its loop's body"),
    ("discounted", "as `pole`"),
    ("suffixes", "adds a whole number that wraps to some 4e9, beside which a difference loses its digits"),
];

#[test]
fn kernels_agree_with_differences() {
    let (mut checked, mut failures) = (BTreeSet::new(), Vec::new());
    let sources: Vec<(String, syn::File)> = sources()
        .into_iter()
        .map(|(file, text)| match syn::parse_file(&text) {
            Ok(parsed) => (file, parsed),
            Err(error) => panic!("{file}: {error}"),
        })
        .collect();
    let (mut constants, mut functions) = (BTreeMap::new(), BTreeMap::new());
    for (_, parsed) in &sources {
        scopes(&parsed.items, "", &mut |item, _| match item {
            Item::Fn(item) if is_function(&item.attrs) => {
                functions.insert(item.sig.ident.to_string(), item.clone());
            }
            Item::Const(item) if marked(&item.attrs, "constant") => {
                constants.insert(item.ident.to_string(), item.clone());
            }
            _ => {}
        });
    }
    let mut positive = BTreeSet::new();
    for (file, parsed) in sources {
        GRAPHS.take();
        let mut player = Player::default();
        scopes(&parsed.items, "", &mut |item, scope| player.learn(item, scope));
        player.learn_imported(&constants, &functions);
        scopes(&parsed.items, "", &mut |item, scope| player.play(item, scope));
        player.compiled.sound();
        let graphs = GRAPHS.take();
        for name in player.declared {
            let graph = graphs.iter().find(|(known, _)| *known == name).map(|(_, graph)| graph);
            let graph = graph.unwrap_or_else(|| panic!("{file}: `{name}` has no graph"));
            if !differentiable(graph) {
                continue;
            }
            let own = name.trim_start_matches("check_").to_owned();
            let report = check(graph, if POSITIVE.contains(&own.as_str()) { 0.1 } else { -1.0 });
            positive.insert(own.clone());
            assert!(report.compared > 0, "{file}, {name}: nothing compared");
            let agrees = report.error <= 1e-6;
            let excused = NO_DIFFERENCES.iter().any(|(known, _)| own == *known);
            if agrees == excused {
                failures.push(format!("{file}, {name}: {report}"));
            }
            checked.insert(name);
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    let gone: Vec<_> = POSITIVE.iter().filter(|name| !positive.contains(**name)).collect();
    assert!(gone.is_empty(), "there is no {gone:?}");
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
        "sgd",
        "adamw",
    ] {
        assert!(checked.contains(name), "{name} is not among {checked:?}");
    }
}

/// Every file of the folders that has a kernel, a function or a constant, and the first program of the README.
fn sources() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let read =
        |path: &Path| std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut sources = Vec::new();
    let mut pending: Vec<_> = FOLDERS.iter().map(|folder| root.join(folder)).collect();
    while let Some(folder) = pending.pop() {
        let entries = std::fs::read_dir(&folder).expect("a folder of the repository");
        let mut paths: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
        paths.retain(|path| BROKEN.iter().all(|broken| *path != root.join(broken)));
        paths.sort();
        for path in paths {
            if path.is_dir() {
                pending.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = read(&path);
                let kernels = KERNELS.iter().any(|name| text.contains(&format!("{name}! {{")));
                if kernels || text.contains("::function]") || text.contains("::constant]") {
                    sources.push((path.display().to_string(), text));
                }
            }
        }
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

/// Whether it is compiled, while the crate is built or where it runs.
fn is_function(attrs: &[Attribute]) -> bool {
    ["function", "dynamic"].iter().any(|name| marked(attrs, name))
}

/// Plays the functions, constants and kernels of a file in one scope, where `module::name` is `module_name`.
#[derive(Default)]
struct Player {
    compiled: Crate,
    /// The functions and constants, by `module_name`, and their names in the one scope: constants are told by their case.
    known: BTreeMap<String, String>,
    /// What `use` brings, by such names too, and what it is.
    imported: BTreeMap<String, String>,
    /// The kernels in index form, the functions of tensors, and a kernel for each function of scalars.
    declared: Vec<String>,
}

impl Player {
    fn learn(&mut self, item: &Item, scope: &str) {
        match item {
            Item::Fn(item) if is_function(&item.attrs) => {
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

    /// Takes constants and functions that the file imports from other files. Sizes are made small: there is a difference for each element.
    fn learn_imported(
        &mut self,
        constants: &BTreeMap<String, syn::ItemConst>,
        functions: &BTreeMap<String, syn::ItemFn>,
    ) {
        for path in self.imported.values() {
            let is_own = |name: &&String| path == *name || path.ends_with(&format!("_{name}"));
            if let Some(name) = functions.keys().find(is_own).filter(|_| !self.known.contains_key(path)) {
                let mut item = functions[name].clone();
                item.attrs.clear();
                item.sig.ident = Ident::new(path, item.sig.ident.span());
                self.compiled.function(quote!(#item));
                self.known.insert(path.clone(), path.clone());
            }
            let name = constants.keys().find(is_own);
            if let Some(name) = name.filter(|_| !self.known.contains_key(path)) {
                let mut item = constants[name].clone();
                item.attrs.clear();
                if *item.ty == syn::parse_quote!(usize) {
                    item.expr = syn::parse_quote!(3);
                }
                item.ident = Ident::new(&path.to_uppercase(), item.ident.span());
                self.compiled.constant(quote!(#item));
                self.known.insert(path.clone(), path.to_uppercase());
            }
        }
    }

    fn play(&mut self, item: &Item, scope: &str) {
        match item {
            Item::Fn(item) if is_function(&item.attrs) => {
                let mut item = item.clone();
                item.attrs.retain(|attr| attr.path().is_ident("types"));
                self.compiled.function(self.flat(quote!(#item), scope));
                let name = format_ident!("{}", joined(scope, &item.sig.ident.to_string()));
                if crate::parse::function::is_of_tensors(&item.sig) {
                    self.declared.push(name.to_string());
                    return;
                }
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
            Item::Struct(item) if marked(&item.attrs, "tensors") => {
                let mut item = item.clone();
                item.attrs.clear();
                self.compiled.tensors(quote!(#item));
            }
            Item::Macro(item)
                if item.mac.path.segments.last().is_some_and(|last| KERNELS.iter().any(|name| last.ident == name)) =>
            {
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
                        // A path of something else, `f32::sin`, stays whole.
                        flat.extend(tokens[position - 1..end].iter().cloned());
                        position = end;
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
