//! Attention as one node: its meaning, its gradients, and what it becomes where no kernel computes it.

use netcl_kernels::autodiff::check::finite_difference_check;
use netcl_kernels::autodiff::{Arguments, append_gradients, gradients_of};
use netcl_kernels::compile::{CompileOptions, compile, compile_with, symbols_of_widths};
use netcl_kernels::dim::{Dim, Shape};
use netcl_kernels::dtype::DType;
use netcl_kernels::graph::build::Builder;
use netcl_kernels::graph::interp::{HostTensor, Precision, evaluate};
use netcl_kernels::graph::text::parse;
use netcl_kernels::graph::verify::verify;
use netcl_kernels::graph::{AxisIndex, BinaryOp, Graph, InputKind, NodeId, Op, OutputKind, ReduceOp};
use netcl_kernels::ops::attention::scaled_dot_product_attention;
use netcl_kernels::plan::{Plan, Target};
use netcl_kernels::precision::{MatmulPrecision, with_matmul_precision};
use netcl_kernels::variant::{Always, KernelConfig, Variant};

/// Whether attention is a node, or written out as it was before there was one.
#[derive(Clone, Copy, PartialEq)]
enum Form {
    Node,
    Composed,
}

fn attend(b: &mut Builder, form: Form, [q, k, v]: [NodeId; 3], causal: bool) -> NodeId {
    match form {
        Form::Node => scaled_dot_product_attention(b, q, k, v, causal).unwrap(),
        Form::Composed => b.composed_attention([q, k, v], causal).unwrap(),
    }
}

/// The sum of the squares of the attention of three arguments, of these sizes.
fn of_arguments(form: Form, dtype: DType, [t, s, d, e]: [usize; 4], causal: bool) -> Graph {
    let mut b = Builder::new("attention");
    let mut input =
        |position, name: &str, sizes: &[usize]| b.input(InputKind::Argument(position), name, Shape::of(sizes), dtype);
    let qkv = [input(0, "q", &[2, 3, t, d]), input(1, "k", &[2, 3, s, d]), input(2, "v", &[2, 3, s, e])];
    let out = attend(&mut b, form, qkv, causal);
    b.output(OutputKind::Result(1), out);
    let square = b.binary(BinaryOp::Mul, out, out).unwrap();
    let loss = b.reduce(ReduceOp::Sum, square, &[0, 1, 2, 3], false).unwrap();
    b.output(OutputKind::Result(0), loss);
    b.finish()
}

fn given(graph: &Graph) -> impl Fn(&InputKind, &str) -> Option<HostTensor> {
    let graph = graph.clone();
    move |kind, _| {
        let (position, node) = graph.nodes.iter().enumerate().find(|(_, node)| node.op == Op::Input(kind.clone()))?;
        let sizes = node.shape.evaluate(&[])?;
        let count: usize = sizes.iter().product();
        let values: Vec<f64> = (0..count).map(|i| ((i * 37 + position * 11) % 101) as f64 / 50.5 - 0.987).collect();
        HostTensor::from_f64(node.dtype, &sizes, &values).ok()
    }
}

fn values(graph: &Graph, precision: Precision) -> Vec<(OutputKind, Vec<f64>)> {
    let found = evaluate(graph, &[], &given(graph), precision).unwrap();
    found.into_iter().map(|(kind, value)| (kind, value.to_f64())).collect()
}

fn assert_near(found: &[(OutputKind, Vec<f64>)], wanted: &[(OutputKind, Vec<f64>)], most: f64) {
    assert_eq!(found.len(), wanted.len());
    for ((kind, found), (other, wanted)) in found.iter().zip(wanted) {
        assert_eq!(kind, other);
        let scale = wanted.iter().fold(1e-30_f64, |scale, value| scale.max(value.abs()));
        for (found, wanted) in found.iter().zip(wanted) {
            assert!((found - wanted).abs() <= most * scale, "{kind:?}: {found} against {wanted}");
        }
    }
}

#[test]
fn kernels_of_attention_know_how_many_elements_rows_have() {
    let widths = |dtype, width: Dim, target| {
        let mut b = Builder::new("attention");
        let shape = Shape(vec![Dim::symbol("N"), Dim::symbol("T"), width]);
        let [q, k, v] = [0, 1, 2].map(|position| b.input(InputKind::Argument(position), "x", shape.clone(), dtype));
        let out = attend(&mut b, Form::Node, [q, k, v], true);
        b.output(OutputKind::Result(0), out);
        symbols_of_widths(&b.finish(), target).iter().map(|symbol| symbol.name().to_owned()).collect::<Vec<_>>()
    };
    let any = || Dim::symbol("D");
    assert_eq!(widths(DType::F16, any(), Target::Gpu), ["D", "D"]);
    assert!(widths(DType::F16, Dim::constant(64), Target::Gpu).is_empty());
    // There it is written out, whatever they have.
    assert!(widths(DType::F32, any(), Target::Gpu).is_empty() && widths(DType::F16, any(), Target::Host).is_empty());
}

#[test]
fn the_node_computes_what_it_stands_for() {
    for (sizes, causal) in [([5, 7, 4, 3], false), ([5, 7, 4, 3], true), ([6, 2, 8, 8], true), ([1, 1, 1, 1], false)] {
        let graph = |form| append_gradients(of_arguments(form, DType::F32, sizes, causal), Arguments::Floats).unwrap();
        let (node, composed) = (graph(Form::Node), graph(Form::Composed));
        let count = |graph: &Graph| graph.nodes.iter().filter(|node| matches!(node.op, Op::Attention(_))).count();
        assert_eq!((count(&node), count(&composed)), (3, 0));
        verify(&node).unwrap();
        assert_near(&values(&node, Precision::F64), &values(&composed, Precision::F64), 1e-12);
    }
}

#[test]
fn gradients_are_those_of_differences() {
    for causal in [false, true] {
        let graph = of_arguments(Form::Node, DType::F64, [3, 4, 2, 3], causal);
        let report = finite_difference_check(&graph, &[], &given(&graph)).unwrap();
        assert!(report.compared > 0 && report.error < 1e-6, "{report}");
    }
}

#[test]
fn gradients_of_gradients_are_those_of_differences() {
    for causal in [false, true] {
        let mut b = Builder::extend(of_arguments(Form::Node, DType::F64, [2, 3, 2, 2], causal));
        let loss = b.graph().outputs.iter().find(|(kind, _)| *kind == OutputKind::Result(0)).unwrap().1;
        let wrt: Vec<NodeId> =
            b.graph().iter().filter(|(_, node)| matches!(node.op, Op::Input(_))).map(|(id, _)| id).collect();
        let seed = b.constant(1.0, DType::F64);
        let gradients = gradients_of(&mut b, &[(loss, seed)], &wrt).unwrap();
        for (position, gradient) in gradients.into_iter().enumerate() {
            b.output(OutputKind::Result(2 + position), gradient);
        }
        let graph = b.finish();
        let report = finite_difference_check(&graph, &[], &given(&graph)).unwrap();
        assert!(report.compared > 0 && report.error < 1e-6, "{report}");
    }
}

/// Heads of one product of queries, keys and values, as a layer makes them.
fn of_heads(form: Form, dtype: DType) -> Graph {
    let mut b = Builder::new("heads");
    let x = b.input(InputKind::Argument(0), "x", Shape::of(&[2, 10, 16]), dtype);
    let w = b.input(InputKind::Parameter, "w", Shape::of(&[16, 48]), dtype);
    let all = b.matmul(x, w).unwrap();
    let all = b.reshape(all, Shape::of(&[2, 10, 3, 2, 8])).unwrap();
    // Keys last: written out, what is viewed adds their gradient first, as it does the last view's.
    let [q, v, k] = [0_usize, 2, 1].map(|part| {
        let part = AxisIndex::fixed(part);
        let index = vec![AxisIndex::axis(0), AxisIndex::axis(2), part, AxisIndex::axis(1), AxisIndex::axis(3)];
        b.view(all, Shape::of(&[2, 2, 10, 8]), index).unwrap()
    });
    let out = attend(&mut b, form, [q, k, v], true);
    let square = b.binary(BinaryOp::Mul, out, out).unwrap();
    let loss = b.reduce(ReduceOp::Sum, square, &[0, 1, 2, 3], false).unwrap();
    b.output(OutputKind::Result(0), loss);
    append_gradients(b.finish(), Arguments::Floats).unwrap()
}

/// The text without the numbers that names of nodes end with.
fn unnumbered(text: &str) -> String {
    let mut pieces = text.split('_');
    let mut plain = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        plain.push('_');
        plain.push_str(piece.trim_start_matches(|c: char| c.is_ascii_digit()));
    }
    plain
}

#[test]
fn plans_without_a_kernel_for_it_are_those_of_what_it_stands_for() {
    type Make = fn(Form) -> Graph;
    let graphs: [Make; 3] = [
        |form| append_gradients(of_arguments(form, DType::F32, [5, 7, 4, 3], true), Arguments::Floats).unwrap(),
        |form| of_arguments(form, DType::F32, [5, 7, 8, 8], false),
        |form| of_heads(form, DType::F32),
    ];
    for (position, graph) in graphs.into_iter().enumerate() {
        for precision in MatmulPrecision::ALL {
            for target in Target::ALL {
                let plan = |form| {
                    let graph = with_matmul_precision(graph(form), precision).unwrap();
                    compile(&graph, target).unwrap()
                };
                let (node, composed) = (plan(Form::Node), plan(Form::Composed));
                let what = format!("graph {position}, {precision:?}, {}", target.name());
                let text = |plan: &Plan| {
                    // What the node's operands are is there before it: the numbers in names are others, and so is what formulas in
                    // comments, and the labels made of them, say of views of views.
                    let source = plan.source.to_string();
                    let code: Vec<&str> = source.lines().filter(|line| !line.starts_with("//")).collect();
                    let steps: Vec<_> = plan.steps.iter().map(|step| (&step.work, &step.args, &step.writes)).collect();
                    unnumbered(&format!("{}\n{steps:?}\n{:?}", code.join("\n"), plan.buffers))
                };
                assert!(text(&node) == text(&composed), "{what}");
            }
        }
    }
}

#[test]
fn nodes_print_and_parse() {
    let graph = append_gradients(of_arguments(Form::Node, DType::F32, [5, 7, 4, 3], true), Arguments::Floats).unwrap();
    let text = graph.to_string();
    for wanted in
        ["attention %0, %1, %2 causal : f32[2, 3, 5, 3]", "attention_query_grad %", "attention_key_value_grad %"]
    {
        assert!(text.contains(wanted), "{wanted}:\n{text}");
    }
    assert_eq!(parse(&text).unwrap().to_string(), text);
    let plain = text.replace(" causal :", " :");
    assert_eq!(parse(&plain).unwrap().to_string(), plain);
}

#[test]
fn attentions_that_do_not_fit_are_refused() {
    let text = |line: &str| {
        format!(
            "graph wrong\n%0 = input argument 0 : f32[2, 5, 4]\n%1 = input argument 1 : f32[2, 7, 4]\n\
             %2 = input argument 2 : f16[2, 7, 4]\n%3 = {line}\noutput result 0 = %3\n"
        )
    };
    let fits = text("attention %0, %1, %1 : f32[2, 5, 4]");
    verify(&parse(&fits).unwrap()).unwrap();
    for wrong in [
        "attention %0, %1 : f32[2, 5, 4]",
        "attention %0, %1, %0 : f32[2, 5, 4]",
        "attention %0, %1, %2 : f32[2, 5, 4]",
        "attention %0, %1, %1 : f16[2, 5, 4]",
        "attention %0, %1, %1 : f32[2, 5, 3]",
        "attention_query_grad %0, %1, %1 : f32[2, 5, 4]",
    ] {
        let graph = parse(&text(wrong)).unwrap();
        let errors = verify(&graph).unwrap_err();
        assert!(errors[0].message.ends_with("(G32)"), "{wrong}: {errors:?}");
    }
}

#[test]
fn rounded_operands_have_results_that_are_not() {
    let graph = append_gradients(of_arguments(Form::Node, DType::F32, [5, 7, 4, 3], true), Arguments::Floats).unwrap();
    let medium = with_matmul_precision(graph.clone(), MatmulPrecision::Medium).unwrap();
    verify(&medium).unwrap();
    for node in medium.nodes.iter().filter(|node| matches!(node.op, Op::Attention(_))) {
        let Op::Attention(own) = &node.op else { unreachable!() };
        assert_eq!((node.dtype, medium[own.operands[0]].dtype), (DType::F32, DType::BF16));
    }
    let high = with_matmul_precision(graph.clone(), MatmulPrecision::High).unwrap();
    assert!(!high.nodes.iter().any(|node| matches!(node.op, Op::Attention(_))), "{high}");
    let exact = values(&graph, Precision::F64);
    assert_near(&values(&medium, Precision::Typed), &exact, 2e-2);
    assert_near(&values(&high, Precision::Typed), &exact, 1e-4);
    assert_ne!(values(&medium, Precision::Typed), exact);
}

#[test]
fn sixteen_bits_have_a_kernel_on_gpus() {
    let options = CompileOptions::typical(Target::Gpu);
    for dtype in [DType::BF16, DType::F16] {
        // With its gradients already.
        let graph = of_heads(Form::Node, dtype);
        let fused = KernelConfig::parse("attention_fused TILE_M=16 TILE_N=16 UNIT=0").expect("a configuration");
        let plan =
            compile_with(&graph, Target::Gpu, &CompileOptions { select: &Always(fused.clone()), ..options }).unwrap();
        let chosen = plan.decisions.iter().filter(|decision| decision.config == fused).count();
        assert_eq!(chosen, 3, "{:?}", plan.decisions);
        let source = plan.source.to_string();
        // Queries, keys and values are read where their product lies.
        assert!(source.contains("#define Q_STRIDE 48\n"), "{source}");
        // By the compiler's own rule it is what it was.
        let plan = compile(&graph, Target::Gpu).unwrap();
        assert!(plan.decisions.iter().any(|decision| decision.config == KernelConfig::plain(Variant::AttentionNaive)));
        let composed = compile(&of_heads(Form::Composed, dtype), Target::Gpu).unwrap();
        assert_eq!(plan.steps.len(), composed.steps.len());
    }
}
