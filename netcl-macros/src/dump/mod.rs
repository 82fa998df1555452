//! `NETCL_DUMP=Name` prints what an item becomes to stderr while the crate compiles: graphs, kernels, Rust.

mod layout;

use crate::compile::CompiledPlan;
use netcl_kernels::graph::Graph;
use netcl_kernels::plan::host_text;
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
        eprintln!("// netcl: {name}, {what}\n{}\n", layout::lines(tokens));
    }
}

#[cfg(test)]
thread_local! {
    /// The graphs of this thread's test, by name.
    pub(crate) static GRAPHS: std::cell::RefCell<Vec<(String, Graph)>> = const { std::cell::RefCell::new(Vec::new()) };
}

/// Prints a function's graph and the kernels it became.
pub(crate) fn graph(name: &str, graph: &Graph, plans: &[CompiledPlan]) {
    #[cfg(test)]
    GRAPHS.with_borrow_mut(|graphs| graphs.push((name.to_owned(), graph.clone())));
    if !wanted(name) {
        return;
    }
    eprintln!("// netcl: {name}\n{graph}");
    plans_of(name, plans);
}

/// Prints the kernels of a SIMT-form kernel.
pub(crate) fn plans(name: &str, plans: &[CompiledPlan]) {
    if wanted(name) {
        plans_of(name, plans);
    }
}

fn plans_of(name: &str, plans: &[CompiledPlan]) {
    for compiled in plans {
        eprintln!("// netcl: {name}, {} plan, {} launches", compiled.target.name(), compiled.plan.launches());
        if !compiled.plan.source.is_empty() {
            eprintln!("{}", compiled.plan.source);
        }
        for (kernel, native) in compiled.plan.loops.iter().zip(&compiled.native) {
            match native {
                Some(native) => eprintln!("{native}"),
                None => eprintln!("{}", host_text(kernel)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::covers;
    use std::process::Command;

    /// What two tests print when they are run with `NETCL_DUMP`: a kernel's graph and code, and a model's Rust.
    #[test]
    fn graphs_kernels_and_rust_are_printed() {
        let printed = |test: &str, name: &str| {
            let own = std::env::current_exe().expect("this program");
            let run = Command::new(own).args([test, "--exact", "--nocapture"]).env("NETCL_DUMP", name).output();
            let run = run.expect("it runs");
            assert!(run.status.success(), "{run:?}");
            String::from_utf8(run.stderr).expect("text")
        };
        let text = printed("tests::kernels::index_form", "bias_relu");
        for part in [
            "// netcl: bias_relu\ngraph bias_relu\n%0 = input argument 0",
            "// netcl: bias_relu, gpu plan, 1 launches\n",
            "\n__kernel __attribute__((reqd_work_group_size(256, 1, 1)))\nvoid bias_relu_0_map(\n",
            "// netcl: bias_relu.vjp\n",
            "// netcl: bias_relu, kernel\n#[doc = ",
            "\n    impl Kernel {\n",
        ] {
            assert!(text.contains(part), "{part:?} is not in\n{text}");
        }
        assert!(!text.contains("row_mean"), "only what was asked for:\n{text}");
        let text = printed("tests::kernels::simt_form", "add");
        let (_, host) = text.split_once("// netcl: add, host plan, 1 launches\n").expect("a plan for the host");
        assert!(
            host.starts_with("// by the interpreter:\n") && host.contains("\nkernel add"),
            "it has a barrier:\n{host}"
        );
        let text = printed("tests::models::a_model_gets_its_functions", "Mlp");
        for part in ["// netcl: Mlp, struct\n", "// netcl: Mlp, impl\n", "\nimpl Mlp {\n    "] {
            assert!(text.contains(part), "{part:?} is not in\n{text}");
        }
    }

    #[test]
    fn what_belongs_to_a_name_is_asked_for_with_it() {
        for name in ["Mlp", "Mlp::forward", "bias_relu", "bias_relu.vjp"] {
            assert!(covers("Mlp,bias_relu", name) && covers("all", name), "{name}");
        }
        assert!(!covers("Mlp::forward,bias", "Mlp") && !covers("bias", "bias_relu"));
    }
}
