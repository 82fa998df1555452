//! What plans require of sizes that symbols decide, and what is refused while compiling.

use netcl_kernels::compile::{CompileOptions, compile, compile_with};
use netcl_kernels::dim::{Dim, IndexWidth, Shape, Symbol};
use netcl_kernels::dtype::DType;
use netcl_kernels::graph::build::Builder;
use netcl_kernels::graph::{BinaryOp, Graph, InputKind, NodeId, OutputKind, ReduceOp, UnaryOp};
use netcl_kernels::ops::{self, Value};
use netcl_kernels::plan::requirement::Requirement;
use netcl_kernels::plan::{Plan, Target};
use netcl_kernels::variant::{Always, KernelConfig, Variant};

/// `mean(|x[i] - y[j]|)` over all pairs.
fn pairs(n: Dim, m: Dim) -> Graph {
    let mut b = Builder::new("pairs");
    let x = b.input(InputKind::Argument(0), "x", Shape(vec![n, Dim::from(1)]), DType::F32);
    let y = b.input(InputKind::Argument(1), "y", Shape(vec![Dim::from(1), m]), DType::F32);
    let difference = b.binary(BinaryOp::Sub, x, y).unwrap();
    let distance = b.unary(UnaryOp::Abs, difference).unwrap();
    let mean = b.mean(distance, &[0, 1], false).unwrap();
    b.output(OutputKind::Result(0), mean);
    b.finish()
}

/// What is wrong with the values of the symbols, if anything.
fn problem(plan: &Plan, values: &[(&str, u64)]) -> Option<String> {
    let bindings: Vec<(Symbol, u64)> = values.iter().map(|(name, value)| (Symbol::new(name), *value)).collect();
    plan.requirements.iter().find_map(|requirement| requirement.check(&bindings).err())
}

/// GPUs count through a row of all pairs; CPUs nest two loops, each of which is short.
#[test]
fn spaces_that_no_buffer_has_are_checked_when_symbols_are_known() {
    let graph = pairs(Dim::symbol("N"), Dim::symbol("M"));
    for target in Target::ALL {
        let plan = compile(&graph, target).unwrap();
        assert_eq!(problem(&plan, &[("N", 40_000), ("M", 50_000)]), None, "{}", target.name());
        let problem = problem(&plan, &[("N", 50_000), ("M", 50_000)]);
        assert_eq!(problem.is_some_and(|problem| problem.contains("2500000000")), target == Target::Gpu);
    }
}

#[test]
fn spaces_that_are_always_too_large_are_counted_with_64_bits() {
    let graph = pairs(Dim::from(50_000), Dim::from(50_000));
    let whole_rows = Always(KernelConfig::plain(Variant::ReductionWorkGroup));
    let options = CompileOptions { select: &whole_rows, ..CompileOptions::typical(Target::Gpu) };
    let plan = compile_with(&graph, Target::Gpu, &options).unwrap();
    assert_eq!((plan.width, &plan.requirements[..]), (IndexWidth::Wide, &[][..]));
    assert!(plan.source.to_string().contains("< 2500000000L"), "{}", plan.source);
    for target in [Target::Cpu, Target::Gpu] {
        // In parts, each of which is short.
        assert_eq!(compile(&graph, target).unwrap().width, IndexWidth::Narrow);
    }
    let (n, m) = (Dim::symbol("N"), Dim::symbol("M"));
    let options = CompileOptions { width: IndexWidth::Wide, ..options };
    let plan = compile_with(&pairs(n, m), Target::Gpu, &options).unwrap();
    assert_eq!(problem(&plan, &[("N", 50_000), ("M", 50_000)]), None);
}

/// Positions, steps along an axis and numbers that are drawn are of 32 bits, whatever indices are.
#[test]
fn numbers_of_32_bits_are_still_looked_at() {
    let mut b = Builder::new("first");
    let x = b.input(InputKind::Argument(0), "x", Shape(vec![Dim::symbol("N"), Dim::from(30)]), DType::F32);
    let first = b.reduce(ReduceOp::ArgMax, x, &[0], false).unwrap();
    b.output(OutputKind::Result(0), first);
    let graph = b.finish();
    for target in Target::ALL {
        let options = CompileOptions { width: IndexWidth::Wide, ..CompileOptions::typical(target) };
        let plan = compile_with(&graph, target, &options).unwrap();
        assert_eq!(problem(&plan, &[("N", 2_000_000_000)]), None);
        assert!(problem(&plan, &[("N", 2_200_000_000)]).is_some());
    }
}

/// Sizes that buffers have are looked at with the buffers.
#[test]
fn plain_functions_require_nothing() {
    let mut b = Builder::new("plain");
    let x = b.input(InputKind::Argument(0), "x", Shape(vec![Dim::symbol("N"), Dim::from(30)]), DType::F32);
    let w = b.input(InputKind::Argument(1), "w", Shape::of(&[30, 20]), DType::F32);
    let y = b.matmul(x, w).unwrap();
    let y = b.unary(UnaryOp::Tanh, y).unwrap();
    let mean = b.mean(y, &[0, 1], false).unwrap();
    b.output(OutputKind::Result(0), mean);
    let graph = b.finish();
    for target in Target::ALL {
        assert_eq!(compile(&graph, target).unwrap().requirements, [], "{}", target.name());
    }
}

fn images(build: impl Fn(&mut Builder, NodeId) -> NodeId) -> Graph {
    let mut b = Builder::new("images");
    let (h, w) = (Dim::symbol("H"), Dim::symbol("W"));
    let x = b.input(InputKind::Argument(0), "x", Shape(vec![Dim::from(2), Dim::from(3), h, w]), DType::F32);
    let y = build(&mut b, x);
    b.output(OutputKind::Result(0), y);
    b.finish()
}

#[test]
fn windows_larger_than_symbolic_images_are_refused() {
    let pair = |size: i64| Value::List(vec![Value::Dim(Dim::constant(size)), Value::Dim(Dim::constant(size))]);
    let pool = |name: &'static str, stride: i64, padding: i64| {
        images(|b, x| {
            let mut args = vec![Value::Tensor(x), pair(5), pair(stride), pair(padding)];
            if name == "max_pool2d" {
                args.push(pair(1));
            }
            ops::call(b, ops::find(name).expect("an operation"), &args).expect("a pooling")
        })
    };
    let convolution = images(|b, x| {
        let w = b.input(InputKind::Argument(1), "w", Shape::of(&[4, 3, 5, 5]), DType::F32);
        let geometry = netcl_kernels::graph::ConvGeometry { padding: [1, 1], ..Default::default() };
        b.conv2d(x, w, geometry).expect("a convolution")
    });
    let graphs = [
        ("`max_pool2d`: ", pool("max_pool2d", 5, 0), 5, 0),
        ("`max_pool2d`: ", pool("max_pool2d", 2, 0), 5, 0),
        ("`avg_pool2d`: ", pool("avg_pool2d", 2, 1), 3, 1),
        ("", convolution, 3, 1),
    ];
    for (of, graph, least, padding) in graphs {
        for target in Target::ALL {
            // Templates of convolutions are for images of fixed size.
            let Ok(plan) = compile(&graph, target) else {
                assert!(target != Target::Host, "{graph}");
                continue;
            };
            assert_eq!(problem(&plan, &[("H", least), ("W", least + 4)]), None, "{graph}");
            let padded = if padding == 0 { String::new() } else { format!(" with padding {padding}") };
            let expected = format!("{of}a window of 5 does not fit into W = {}{padded}", least - 1);
            assert_eq!(problem(&plan, &[("H", least + 4), ("W", least - 1)]), Some(expected), "{graph}");
        }
    }
}

/// The plan of a chain of operations on `x`.
fn plan_of(x: [Dim; 2], steps: &[(&str, &[Value])]) -> Plan {
    let mut b = Builder::new("f");
    let mut x = b.input(InputKind::Argument(0), "x", Shape(x.to_vec()), DType::F32);
    for (name, args) in steps {
        let args: Vec<Value> = std::iter::once(Value::Tensor(x)).chain(args.iter().cloned()).collect();
        x = ops::call(&mut b, ops::find(name).expect("an operation"), &args).expect("it fits");
    }
    b.output(OutputKind::Result(0), x);
    compile(&b.finish(), Target::Host).unwrap()
}

fn limits(plan: &Plan) -> Vec<&Requirement> {
    plan.requirements.iter().filter(|requirement| matches!(requirement, Requirement::Limit(_))).collect()
}

/// What a mirror, a copy of the edge or a circle takes must be there, which calls tell of sizes that are symbols.
#[test]
fn pads_of_any_axis_are_looked_at() {
    let at = |size: i64| Value::Dim(Dim::constant(size));
    let of = |pad: &str, before: i64, after: i64| {
        plan_of([Dim::symbol("N"), Dim::from(4)], &[(pad, &[at(0), at(before), at(after)])])
    };
    let refused = |plan: &Plan, n: u64| problem(plan, &[("N", n)]).is_some();
    for (pad, before, after, least) in
        [("pad_reflect", 2, 3, 4), ("pad_reflect", 2, 0, 3), ("pad_circular", 2, 3, 3), ("pad_circular", 4, 0, 4)]
    {
        let plan = of(pad, before, after);
        assert!(refused(&plan, least - 1) && !refused(&plan, least), "{pad} {before} {after}: {:?}", plan.requirements);
    }
    // One element is always there.
    assert!(limits(&of("pad_replicate", 5, 7)).is_empty());
    let expected = "`pad_reflect` expects at least 4 along axis 0 of [N, 4], which has N = 3";
    assert_eq!(problem(&of("pad_reflect", 2, 3), &[("N", 3)]).as_deref(), Some(expected));
}

/// What is seen not to be negative is not looked at, and a size is looked at once.
#[test]
fn only_sizes_that_may_be_negative_are_looked_at() {
    let (n, c) = (Dim::symbol("N"), Dim::from(4));
    let at = |size: i64| Value::Dim(Dim::constant(size));
    let of = |size: &Dim| Value::Dim(size.clone());
    let sure = plan_of(
        [n.clone() + Dim::from(3), c.clone()],
        &[
            ("narrow", &[at(0), at(1), of(&(n.clone() + Dim::from(2)))]),
            ("pad", &[at(0), of(&(n.clone() - n.floor_div(2))), at(0), Value::Number(0.0)]),
            ("tanh", &[]),
            ("sum", &[at(0)]),
        ],
    );
    assert!(limits(&sure).is_empty(), "{:?}", sure.requirements);
    // The axis is an argument's, whatever it is made of.
    let argument = plan_of(
        [n.clone() - Dim::from(6), c],
        &[("tanh", &[]), ("tile", &[Value::List(vec![at(1), at(9)])]), ("sum", &[at(1)])],
    );
    assert!(limits(&argument).is_empty(), "{:?}", argument.requirements);
    let rest = of(&(Dim::from(6) - n));
    let open = plan_of(
        [Dim::from(8), Dim::from(2)],
        &[
            ("narrow", &[at(0), at(0), rest.clone()]),
            ("tanh", &[]),
            ("pad", &[at(0), rest.clone(), rest, Value::Number(1.0)]),
        ],
    );
    let told = [7, 6].map(|size| problem(&open, &[("N", size)]));
    assert_eq!(told, [Some("`narrow` expects sizes of at least 0, found -N + 6 = -1".to_string()), None]);
    // The size, and what is three times as long.
    assert_eq!(limits(&open).len(), 2, "{:?}", open.requirements);
}

/// Elements that no tensor of the caller's comes near are counted.
#[test]
fn elements_are_counted_before_anything_runs() {
    let n = Dim::symbol("N");
    let plan = plan_of(
        [n.clone(), Dim::from(1)],
        &[("tile", &[Value::List(vec![Value::Dim(n.clone() * n.clone()), Value::Dim(n)])]), ("sum_all", &[])],
    );
    assert_eq!(problem(&plan, &[("N", 9)]), None);
    let found = problem(&plan, &[("N", 1 << 16)]).unwrap();
    assert!(found.starts_with("`tile` would give ["), "{found}");
    assert!(found.contains("(past 64 bits) elements, and what can be counted is up to 72057594037927936"), "{found}");
}
