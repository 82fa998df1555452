//! `NETCL_DUMP=Name` prints what an item becomes to stderr while the crate compiles: graphs, kernels, Rust.

use crate::compile::Compiled;
use netcl_kernels::graph::Graph;
use proc_macro2::TokenStream;

/// Whether `name` (`Mlp`, `Mlp::forward` or `all`) was asked for.
fn wanted(name: &str) -> bool {
    std::env::var("NETCL_DUMP").is_ok_and(|wanted| {
        wanted.split(',').any(|wanted| wanted == "all" || wanted == name || name.starts_with(&format!("{wanted}::")))
    })
}

/// Prints generated Rust.
pub(crate) fn tokens(name: &str, what: &str, tokens: &TokenStream) {
    if wanted(name) {
        eprintln!("// netcl: {name}, {what}\n{tokens}\n");
    }
}

#[cfg(test)]
thread_local! {
    /// The graphs of this thread's test, by name.
    pub(crate) static GRAPHS: std::cell::RefCell<Vec<(String, Graph)>> = const { std::cell::RefCell::new(Vec::new()) };
}

/// Prints a function's graph and the kernels it became.
pub(crate) fn graph(name: &str, graph: &Graph, plans: &[Compiled]) {
    #[cfg(test)]
    GRAPHS.with_borrow_mut(|graphs| graphs.push((name.to_owned(), graph.clone())));
    if !wanted(name) {
        return;
    }
    eprintln!("// netcl: {name}\n{graph}");
    plans_of(name, plans);
}

/// Prints the kernels of a SIMT-form kernel.
pub(crate) fn plans(name: &str, plans: &[Compiled]) {
    if wanted(name) {
        plans_of(name, plans);
    }
}

fn plans_of(name: &str, plans: &[Compiled]) {
    for compiled in plans {
        eprintln!("// netcl: {name}, {} plan, {} launches", compiled.target.name(), compiled.plan.launches());
        if !compiled.plan.source.is_empty() {
            eprintln!("{}", compiled.plan.source);
        }
        for native in compiled.native.iter().flatten() {
            eprintln!("{native}");
        }
    }
}
