//! `NETCL_DUMP=Name` prints what an item becomes to stderr while the crate compiles: graphs, kernels, Rust.

use crate::compile::Compiled;
use netcl_kernels::graph::Graph;
use proc_macro2::TokenStream;

/// Whether `name` (`Mlp`, `Mlp::forward`, `bias_relu.vjp`) was asked for: by its name, by that of what it belongs to, or
/// by `all`.
fn wanted(name: &str) -> bool {
    std::env::var("NETCL_DUMP").is_ok_and(|asked| covers(&asked, name))
}

fn covers(asked: &str, name: &str) -> bool {
    asked.split(',').any(|wanted| {
        wanted == "all"
            || wanted == name
            || [format!("{wanted}::"), format!("{wanted}.")].iter().any(|start| name.starts_with(start))
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

#[cfg(test)]
mod tests {
    use super::covers;

    #[test]
    fn what_belongs_to_a_name_is_asked_for_with_it() {
        for name in ["Mlp", "Mlp::forward", "bias_relu", "bias_relu.vjp"] {
            assert!(covers("Mlp,bias_relu", name) && covers("all", name), "{name}");
        }
        assert!(!covers("Mlp::forward,bias", "Mlp") && !covers("bias", "bias_relu"));
    }
}
