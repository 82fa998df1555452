//! Prologues of products and convolutions: which operands are computed where they are loaded, and what that looks like. How
//! many launches each form makes is in `tests/cases/prologues.rs`.
//!
//! `NETCL_BLESS=1 cargo test -p netcl-kernels --test it prologues` rewrites the golden.

use netcl_fixtures::prologues::FORMS;
use netcl_kernels::compile::compile;
use netcl_kernels::graph::Graph;
use netcl_kernels::plan::{Plan, Target};
use std::path::Path;

fn plan(graph: &Graph, target: Target) -> Plan {
    compile(graph, target).unwrap_or_else(|error| panic!("{error}"))
}

/// Where computing again costs more than memory does, operands are stored.
#[test]
fn operands_that_cost_more_than_memory_are_stored() {
    use netcl_kernels::dim::Shape;
    use netcl_kernels::dtype::DType;
    use netcl_kernels::graph::build::Builder;
    use netcl_kernels::graph::{BinaryOp, InputKind, OutputKind, UnaryOp};
    let launches = |columns: usize, costly: bool, target: Target| {
        let mut b = Builder::new("f");
        let x = b.input(InputKind::Argument(0), "x", Shape::of(&[2048, 512]), DType::F32);
        let w = b.input(InputKind::Argument(1), "w", Shape::of(&[512, columns]), DType::F32);
        let zero = b.constant(0.0, DType::F32);
        let h = if costly { b.unary(UnaryOp::Tanh, x) } else { b.binary(BinaryOp::Max, x, zero) }.unwrap();
        let y = b.matmul(h, w).unwrap();
        b.output(OutputKind::Result(0), y);
        plan(&b.finish(), target).launches()
    };
    assert_eq!([false, true].map(|costly| launches(32, costly, Target::Cpu)), [1, 1]);
    assert_eq!([false, true].map(|costly| launches(2048, costly, Target::Cpu)), [2, 2]);
    assert_eq!([false, true].map(|costly| launches(1024, costly, Target::Gpu)), [1, 2]);
}

/// Loads of four elements would take in what follows a row's end: only where it ends at a multiple they are the only ones.
#[test]
fn parts_of_rows_are_loaded_in_fours_alone_where_they_end_at_a_multiple() {
    use netcl_kernels::dim::Shape;
    use netcl_kernels::dtype::DType;
    use netcl_kernels::graph::build::Builder;
    use netcl_kernels::graph::{AxisIndex, InputKind, OutputKind};
    let rounds = |columns: usize| {
        let mut b = Builder::new("f");
        let operands = [0, 1].map(|position| {
            let kind = InputKind::Argument(position);
            let x = b.input(kind, &format!("x{position}"), Shape::of(&[256, 20]), DType::F32);
            b.view(x, Shape::of(&[256, columns]), vec![AxisIndex::axis(0), AxisIndex::axis(1)]).unwrap()
        });
        let turned = b.transpose(operands[1]).unwrap();
        let y = b.matmul(operands[0], turned).unwrap();
        b.output(OutputKind::Result(0), y);
        let source = plan(&b.finish(), Target::Gpu).source.to_string();
        let line = source.lines().find(|line| line.starts_with("#define UNROLL ")).map(str::to_string);
        line.expect("a product with tiles in registers")
    };
    assert_eq!([8, 10, 12, 20].map(rounds), [2, 1, 2, 2].map(|rounds| format!("#define UNROLL {rounds}")));
}

/// What the compiler writes around the templates: device functions and the hooks that call them.
#[test]
fn functions_and_hooks_are_as_before() {
    let mut text = String::new();
    for name in ["left", "transposed right", "prologue and epilogue", "bytes", "convolution of one image in groups"] {
        let form = FORMS.iter().find(|form| form.name == name).expect("a form");
        for target in [Target::Gpu, Target::Cpu] {
            let source = plan(&(form.build)(), target).source.to_string();
            // The instance's own definitions end where the template's text begins, with its comment.
            let own = source.find("#define KERNEL_PARAMS").expect("an instance");
            let end = own + source[own..].find('\n').expect("a line");
            let tuned = |line: &&str| {
                let hook = |word: &str| line.starts_with(&format!("#define {word}"));
                !line.starts_with("#define")
                    || ["LOAD", "STORE", "ELEMENT", "A_COMPUTED", "KERNEL"].into_iter().any(hook)
            };
            let lines: Vec<&str> = source[..end].lines().filter(tuned).collect();
            text.push_str(&format!("// ---- {name}, {}\n{}\n\n", target.name(), lines.join("\n")));
        }
    }
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/prologues.txt");
    if std::env::var_os("NETCL_BLESS").is_some() {
        std::fs::write(&golden, &text).expect("the golden is written");
    }
    let before = std::fs::read_to_string(&golden).unwrap_or_default();
    assert!(before == text, "differs from {} (NETCL_BLESS=1 rewrites):\n{text}", golden.display());
}
