//! Products in other precisions than their own: near the exact product by what each keeps, and no nearer.

use netcl_kernels::autodiff::{Arguments, append_gradients};
use netcl_kernels::compile::compile;
use netcl_kernels::dim::{Dim, Shape, Symbol};
use netcl_kernels::dtype::DType;
use netcl_kernels::graph::build::Builder;
use netcl_kernels::graph::interp::{HostTensor, Precision, evaluate};
use netcl_kernels::graph::text::parse;
use netcl_kernels::graph::{Graph, InputKind, Op, OutputKind, verify};
use netcl_kernels::plan::Target;
use netcl_kernels::precision::{MatmulPrecision, with_matmul_precision};
use netcl_kernels::variant::SPLIT_K;

const LAYER: &str = "graph layer
%0 = input argument 0 : f32[N, 37]
%1 = input parameter : f32[5, 37]  # w
%2 = view %1 [$1, $0] : f32[37, 5]
%3 = matmul %0, %2 : f32[N, 5]
%4 = mul %3, %3 : f32[N, 5]
%5 = reduce sum %4 over [0, 1] : f32[]
output result 0 = %5";

const ROWS: u64 = 7;

/// Strided, padded and grouped.
const CONVOLUTION: &str = "graph filter
%0 = input argument 0 : f32[N, 4, 9, 8]
%1 = input parameter : f32[6, 2, 3, 3]  # w
%2 = conv2d %0, %1 stride [2, 1] padding [1, 1] dilation [1, 2] groups 2 : f32[N, 6, 5, 6]
%3 = mul %2, %2 : f32[N, 6, 5, 6]
%4 = reduce sum %3 over [0, 1, 2, 3] : f32[]
output result 0 = %4";

fn layer() -> Graph {
    with_gradients(LAYER)
}

fn with_gradients(text: &str) -> Graph {
    let graph = parse(text).unwrap_or_else(|error| panic!("{error}"));
    append_gradients(graph, Arguments::At(&[0])).expect("gradients")
}

fn in_precision(graph: &Graph, precision: MatmulPrecision) -> Graph {
    let graph = with_matmul_precision(graph.clone(), precision).expect("a rewrite");
    let problems = verify::verify(&graph).err();
    assert!(problems.is_none(), "{problems:?}\n{graph}");
    graph
}

/// Every output, by its kind.
fn outputs(graph: &Graph, input: &dyn Fn(usize) -> f64) -> Vec<(OutputKind, Vec<f64>)> {
    let bindings = [(Symbol::new("N"), ROWS)];
    let give = |kind: &InputKind, _: &str| {
        let node = graph.nodes.iter().find(|node| node.op == Op::Input(kind.clone()))?;
        let shape = node.shape.evaluate(&bindings)?;
        let count: usize = shape.iter().product();
        let values: Vec<f64> = (0..count).map(input).collect();
        HostTensor::from_f64(node.dtype, &shape, &values).ok()
    };
    let outputs = evaluate(graph, &bindings, &give, Precision::Typed).expect("values");
    outputs.into_iter().map(|(kind, tensor)| (kind, tensor.to_f64())).collect()
}

fn largest_error(found: &[(OutputKind, Vec<f64>)], exact: &[(OutputKind, Vec<f64>)]) -> f64 {
    let mut largest = 0.0_f64;
    for ((kind, found), (other, exact)) in found.iter().zip(exact) {
        assert_eq!(kind, other);
        let scale = exact.iter().fold(0.0_f64, |scale, value| scale.max(value.abs()));
        let errors = found.iter().zip(exact).map(|(x, y)| (x - y).abs() / scale);
        largest = errors.fold(largest, f64::max);
    }
    largest
}

#[test]
fn values_and_gradients_have_the_precision_that_is_asked_for() {
    [LAYER, CONVOLUTION].into_iter().for_each(has_the_precision_that_is_asked_for);
}

fn has_the_precision_that_is_asked_for(text: &str) {
    let graph = with_gradients(text);
    let input = |position: usize| ((position * 37 % 101) as f64 / 50.5 - 1.0) * 1.37;
    let exact = outputs(&graph, &input);
    assert_eq!(exact.len(), 3);
    let error = |precision| largest_error(&outputs(&in_precision(&graph, precision), &input), &exact);
    assert_eq!(error(MatmulPrecision::Highest), 0.0);
    let (high, medium) = (error(MatmulPrecision::High), error(MatmulPrecision::Medium));
    assert!(high > 0.0 && high < 3e-5, "{high}");
    assert!(medium > 3e-4 && medium < 1e-2, "{medium}");
}

#[test]
fn what_several_products_read_is_rounded_once() {
    let graph = in_precision(&layer(), MatmulPrecision::Medium);
    let casts = graph.nodes.iter().filter(|node| matches!(node.op, Op::Cast(_))).count();
    // The input and the weight of the layer, and the gradient of its result.
    assert_eq!(casts, 3, "{graph}");
}

#[test]
fn numbers_without_a_remainder_stay_infinite() {
    let graph = layer();
    let infinite = |position: usize| if position == 3 { f64::INFINITY } else { 1.0 };
    let found = outputs(&in_precision(&graph, MatmulPrecision::High), &infinite);
    assert_eq!(found[0], (OutputKind::Result(0), vec![f64::INFINITY]));
}

#[test]
fn plans_for_every_target_compile() {
    for precision in MatmulPrecision::ALL {
        for (text, target) in [LAYER, CONVOLUTION].into_iter().flat_map(|text| Target::ALL.map(|target| (text, target)))
        {
            compile(&in_precision(&with_gradients(text), precision), target)
                .unwrap_or_else(|error| panic!("{precision:?}: {error}"));
        }
    }
}

fn shape(sizes: [i64; 2]) -> Shape {
    Shape(sizes.map(Dim::constant).to_vec())
}

#[test]
fn products_in_loops_are_among_them() {
    let mut b = Builder::new("rounds");
    let w = b.input(InputKind::Argument(0), "w", shape([4, 4]), DType::F32);
    let start = b.input(InputKind::Argument(1), "start", shape([3, 4]), DType::F32);
    let draft = b.begin_scan("t", Dim::symbol("T"), &[start]);
    let carried = draft.carried()[0];
    let product = b.matmul(carried, w).expect("a product");
    let results = b.end_scan(&draft, &[product], &[]).expect("a loop");
    b.output(OutputKind::Result(0), results[0]);
    let medium = in_precision(&b.finish(), MatmulPrecision::Medium);
    let Some(Op::Scan { scan, .. }) = medium.nodes.iter().map(|node| &node.op).find(|op| matches!(op, Op::Scan { .. }))
    else {
        panic!("no loop: {medium}");
    };
    let operands = scan.body.nodes.iter().filter(|node| node.dtype == DType::BF16).count();
    assert_eq!(operands, 2, "{medium}");
}

#[test]
fn long_sums_of_halves_may_stay_unrounded() {
    let text = "graph long
%0 = input argument 0 : bf16[64, 4096]
%1 = input argument 1 : bf16[4096, 64]
%2 = matmul %0, %1 : f32[64, 64]
output result 0 = %2";
    let graph = parse(text).unwrap_or_else(|error| panic!("{error}"));
    let plan = compile(&graph, Target::Gpu).unwrap_or_else(|error| panic!("{error}"));
    assert!(plan.decisions.iter().any(|decision| decision.config.values.get(SPLIT_K) > 1), "{plan:?}");
}
