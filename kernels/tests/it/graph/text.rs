//! The text form of graphs.

use netcl_kernels::dim::{Dim, Shape, Symbol};
use netcl_kernels::dtype::{DType, Literal};
use netcl_kernels::graph::build::Builder;
use netcl_kernels::graph::text::parse;
use netcl_kernels::graph::{
    AxisIndex, BinaryOp, Custom, CustomInput, CustomResult, Graph, InputKind, Node, Op, OutputKind,
};
use netcl_kernels::span::Span;
use std::sync::Arc;

/// One of everything, as it is printed.
const ALL: &str = r#"graph every operation
%0 = input argument 0 : f32[N, 4]  # x
%1 = input parameter : f32[4, 3] @12  # hidden.weight
%2 = input state : f32[4]  # norm.mean
%3 = input scalar 0 : u32[]
%4 = constant -0.5 : f32[]
%5 = constant inf : f64[2]
%6 = constant -inf : bf16[2]
%7 = constant true : bool[]
%8 = constant -9223372036854775808 : i64[]
%9 = iota 1 : i32[N, 4]
%10 = tanh %0 : f32[N, 4]
%11 = max %0, %10 : f32[N, 4]
%12 = le %0, %10 : bool[N, 4]
%13 = select %12, %0, %10 : f32[N, 4]
%14 = cast %13 : f16[N, 4]
%15 = random %3 stream 2 : f32[N, 4]
%16 = view %0 [$0*-1 + N - 1, $1 + $2*2 - 1 over 3] : f32[N, 2, 2]
%17 = view %1 [2, 0] : f32[]
%18 = reshape %0 : f32[N*4]
%19 = reduce max %0 over [0, 1] : f32[]
%20 = reduce argmin %0 over [1] : i32[N]
%21 = matmul %0, %1 : f32[N, 3]
%22 = input argument 1 : f32[N, 2, H, 6]
%23 = input parameter : f32[4, 1, 3, 3]  # conv.weight
%24 = conv2d %22, %23 stride [2, 1] padding [1, 0] dilation [1, 2] groups 2 : f32[N, 4, (H + 1) / 2, 2]
%25 = conv2d_input_grad %24, %23 stride [2, 1] padding [1, 0] dilation [1, 2] groups 2 : f32[N, 2, H, 6]
%26 = conv2d_weight_grad %22, %24 stride [2, 1] padding [1, 0] dilation [1, 2] groups 2 : f32[4, 1, 3, 3]
%27 = input argument 2 : i32[N]
%28 = gather %1, %27 : f32[N, 3]
%29 = scatter_add %27, %28 : f32[4, 3]
%30 = size N*4 + 1 : f32[]
output result 0 = %19
output gradient "hidden.weight" = %29
output argument_gradient 0 = %0
output state "norm.mean" = %2
"#;

#[test]
fn everything_prints_as_it_was_parsed() {
    let graph = parse(ALL).unwrap();
    assert_eq!(graph.to_string(), ALL);
    assert_eq!(parse(&graph.to_string()).unwrap(), graph);
    netcl_kernels::graph::verify::verify(&graph).unwrap();
    // Every kind of operation is there: a new one does not compile until it is counted, and then fails until shown.
    let kind = |op: &Op| match op {
        Op::Input(_) => 0,
        Op::Constant(_) => 1,
        Op::Iota { .. } => 2,
        Op::Unary(..) => 3,
        Op::Binary(..) => 4,
        Op::Compare(..) => 5,
        Op::Select(..) => 6,
        Op::Cast(_) => 7,
        Op::Random { .. } => 8,
        Op::View { .. } => 9,
        Op::Reshape(_) => 10,
        Op::Reduce { .. } => 11,
        Op::MatMul(..) => 12,
        Op::Conv2d { .. } => 13,
        Op::Conv2dInputGrad { .. } => 14,
        Op::Conv2dWeightGrad { .. } => 15,
        Op::Gather { .. } => 16,
        Op::ScatterAdd { .. } => 17,
        Op::Size(_) => 18,
        // See `calls_of_kernels_print_and_parse`.
        Op::Custom { .. } => 19,
        Op::CustomResult { .. } => 20,
        // See `loops_print_and_parse`.
        Op::Scan { .. } => 21,
        // See `attention::nodes_print_and_parse`.
        Op::Attention(_) => 22,
    };
    for wanted in 0..19 {
        assert!(graph.nodes.iter().any(|node| kind(&node.op) == wanted), "kind {wanted} is missing");
    }
}

#[test]
fn calls_of_kernels_print_and_parse() {
    let code =
        "kernel halves\nlaunch [N]\nparam x: read f32\nparam by: scalar f32\nparam y: write f32\nparam z: write i32\n";
    let (shape, name) = (Shape(vec![Dim::symbol("N")]), |name: &str| name.to_string());
    let result = |own: &str, dtype| CustomResult { name: name(own), dtype, shape: shape.clone() };
    let kernel = Arc::new(Custom {
        name: name("halves"),
        symbols: vec![Symbol::new("N")],
        inputs: vec![
            CustomInput { name: name("x"), dtype: DType::F32, shape: Some(shape.clone()) },
            CustomInput { name: name("by"), dtype: DType::F32, shape: None },
        ],
        results: vec![result("y", DType::F32), result("z", DType::I32)],
        kernels: vec![netcl_kernels::kir::text::parse(code).unwrap()],
        gradient: None,
        derivative: None,
    });
    let mut b = Builder::new("calls");
    let size = Dim::symbol("M") * Dim::from(2);
    let x = b.input(InputKind::Argument(0), "x", Shape(vec![size.clone()]), DType::F32);
    let by = b.constant(0.5, DType::F32);
    let results = b.custom(&kernel, std::slice::from_ref(&size), &[x, by]).unwrap();
    let again = b.custom(&kernel, &[size], &[results[0], by]).unwrap();
    for (position, id) in [results[0], results[1], again[1]].into_iter().enumerate() {
        b.output(OutputKind::Result(position), id);
    }
    let graph = b.finish();
    netcl_kernels::graph::verify::verify(&graph).unwrap();
    let text = graph.to_string();
    assert!(
        text.contains("= custom 0 [%0, %1] sizes [M*2] : f32[M*2]\n%3 = custom_result %2 1 : i32[M*2]\n"),
        "{text}"
    );
    assert_eq!(text.matches("kernel 0 = {\"name\":\"halves\"").count(), 1, "{text}");
    let parsed = parse(&text).unwrap();
    assert_eq!(parsed.to_string(), text);
    assert_eq!(parsed.nodes.len(), graph.nodes.len());
    for (broken, what) in [
        (text.replace("custom 0", "custom 1"), "there is no kernel 1 above"),
        (text.replace("kernel 0 = {", "kernel 0 = {{"), "this is no kernel: "),
        (text.replace("kernel 0 =", "kernel 3 ="), "expected `kernel 0 = ` and it"),
    ] {
        let error = parse(&broken).expect_err("a mistake").to_string();
        assert!(error.contains(what), "{error}");
    }
}

#[test]
fn loops_print_and_parse() {
    let mut b = Builder::new("rounds");
    let [n, t] = ["N", "T"].map(Dim::symbol);
    let x = b.input(InputKind::Argument(0), "x", Shape(vec![t.clone(), n.clone()]), DType::F32);
    let start = b.full(0.0, &Shape(vec![n.clone()]), DType::F32);
    let draft = b.begin_scan("t", t, &[start]);
    let row = vec![AxisIndex::fixed(draft.round()), AxisIndex::axis(0)];
    let row = b.view(x, Shape(vec![n]), row).unwrap();
    let sum = b.binary(BinaryOp::Add, draft.carried()[0], row).unwrap();
    let results = b.end_scan(&draft, &[sum], &[sum]).unwrap();
    for (position, id) in results.into_iter().enumerate() {
        b.output(OutputKind::Result(position), id);
    }
    let graph = b.finish();
    netcl_kernels::graph::verify::verify(&graph).unwrap();
    let text = graph.to_string();
    let body = "scan 0 carried 1 step t\n  graph rounds.t\n  %0 = input argument 0 : f32[N]\n  \
                %1 = input argument 1 : f32[T, N]  # x\n  %2 = view %1 [t - 1, $0] : f32[N]\n  %3 = add %0, %2 : f32[N]\n  \
                output result 0 = %3\n  output result 1 = %3\nend\n";
    assert!(text.contains(body), "{text}");
    assert!(text.contains("%2 = scan 0 [%1, %0] length T : f32[N]\n%3 = custom_result %2 1 : f32[T, N]\n"), "{text}");
    let parsed = parse(&text).unwrap();
    assert_eq!(parsed.to_string(), text);
    for (broken, what) in [
        (text.replace("= scan 0", "= scan 1"), "there is no loop 1 above"),
        (text.replace("\nend\n", "\n"), "the loop's body has no `end`"),
        (text.replace("scan 0 carried", "scan 4 carried"), "this is loop 0"),
        (text.replace("view %1 [t - 1", "viewed %1 [t - 1"), "line 6, column 8: expected an operation"),
    ] {
        let error = parse(&broken).expect_err("a mistake").to_string();
        assert!(error.contains(what), "{error}");
    }
}

#[test]
fn names_and_numbers_are_exact() {
    let names = ["", " ", "a b", "x  ", "# hash", "line\nbreak\r\t\\n", "\"quoted\"", "größe", "%0 = neg %1"];
    let numbers = [0.1, -0.0, 1e300, 5e-324, 1e16, f64::NAN, f64::from_bits(0xfff8_0000_0000_0001), f64::MAX];
    for name in names {
        for number in numbers {
            for dtype in [DType::F16, DType::BF16, DType::F32, DType::F64] {
                let node = Node {
                    op: Op::Constant(Literal::Float(number.to_bits(), dtype)),
                    shape: Shape(vec![Dim::symbol("N")]),
                    dtype,
                    name: name.to_string(),
                    span: Span(3),
                    origins: vec![None],
                };
                let graph = Graph { name: name.to_string(), nodes: vec![node], ..Graph::default() };
                let text = graph.to_string();
                let parsed = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
                assert_eq!(parsed, graph, "{text}");
            }
        }
    }
}

#[test]
fn sizes_print_and_parse() {
    let (n, h) = (|| Dim::symbol("N"), || Dim::symbol("H"));
    let pooled = (h() - Dim::from(2)).floor_div(2) + Dim::from(1);
    let dims = [
        Dim::from(0),
        n() * Dim::from(64) + Dim::from(3),
        n() * n() - h(),
        Dim::constant(-4) - n(),
        pooled.clone(),
        pooled.clone() * n() * Dim::from(3) + Dim::from(2),
        (pooled - Dim::from(3)).floor_div(5) * h(),
    ];
    for dim in dims {
        let text = format!("graph g\n%0 = constant 1.0 : f32[{dim}]\n");
        let graph = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert_eq!(graph.nodes[0].shape.0[0], dim, "{text}");
    }
}

#[test]
fn errors_name_line_and_column() {
    let cases = [
        ("", "line 1, column 1: expected `graph` and its name, found the end of the line"),
        ("grph g", "line 1, column 1: expected `graph` and its name, found `grph`"),
        ("graph g\n%1 = iota 0 : i32[2]", "line 2, column 2: expected the next node's number, 0, found `1`"),
        ("graph g\n%0 = itoa 0 : i32[2]", "line 2, column 6: expected an operation, found `itoa`"),
        ("graph g\n\n  %0 = iota x : i32[2]", "line 3, column 13: expected an axis, found `x`"),
        ("graph g\n%0 = iota 0 : int[2]", "line 2, column 15: expected an element type, found `int`"),
        ("graph g\n%0 = iota 0 : i32[2", "line 2, column 20: expected `,`, found the end of the line"),
        ("graph g\n%0 = iota 0 : i32[2*]", "line 2, column 21: expected a size, found `]`"),
        (
            "graph g\n%0 = iota 0 : i32[(N/0)]",
            "line 2, column 23: a divisor from 1 to 2147483648 must stand here, found 0",
        ),
        ("graph g\n%0 = iota 0 : i32[2] x", "line 2, column 22: expected the end of the line, found `x`"),
        ("graph g\n%0 = constant 1 : f32[]", "line 2, column 24: the constant's notation is not that of f32"),
        ("graph g\noutput gradient \"w = %0", "line 2, column 17: expected a closing quote"),
        (
            "graph g\noutput result 99999999999999999999 = %0",
            "line 2, column 15: expected a position, found `99999999999999999999`",
        ),
        ("graph g\n%0 = conv2d %1, %2 stride [1]", "line 2, column 30: `stride` takes two numbers"),
        (
            "graph größe\nxyz",
            "line 2, column 1: expected a node (`%0 = ..`) or an output (`output result 0 = %0`), found `xyz`",
        ),
    ];
    for (text, message) in cases {
        assert_eq!(parse(text).unwrap_err().message, message, "{text}");
    }
}

#[test]
fn damaged_text_is_an_error_or_a_graph_but_no_panic() {
    for at in (0..ALL.len()).step_by(3) {
        for insert in ["", "(", "\"", "-", "9999999999", "é", "$", "\n"] {
            let damaged = format!("{}{insert}{}", &ALL[..at], &ALL[at + 1..]);
            if let Ok(graph) = parse(&damaged) {
                let _ = netcl_kernels::graph::verify::verify(&graph);
                let again = parse(&graph.to_string());
                assert_eq!(again.as_ref(), Ok(&graph), "{damaged}");
            }
        }
    }
    let deep = format!("graph g\n%0 = iota 0 : i32[{}", "(".repeat(100_000));
    assert!(parse(&deep).unwrap_err().message.contains("nest more than 128 deep"));
}

#[test]
fn sizes_are_written_as_people_do() {
    let [n, c] = ["N", "C"].map(Dim::symbol);
    let number = Dim::constant;
    assert_eq!((n.clone() * number(64) + number(3)).to_string(), "N*64 + 3");
    assert_eq!(n.floor_div(2).to_string(), "N / 2");
    assert_eq!((n.clone() + number(1)).floor_div(2).to_string(), "(N + 1) / 2");
    assert_eq!((n.floor_div(2) * number(3)).to_string(), "(N / 2)*3");
    let deep = (c.clone() - n.floor_div(2) * number(3)).floor_div(4);
    for size in
        [n.floor_div(2), (n.floor_div(2).floor_div(3) + number(2)) * n.clone(), number(1) - n.floor_div(5), deep]
    {
        let text =
            format!("graph g\n%0 = input argument 0 : f32[N, C]\n%1 = size {size} : f32[]\noutput result 0 = %1\n");
        let graph = parse(&text).unwrap_or_else(|error| panic!("{text}{error}"));
        assert_eq!(graph.nodes[1].op, Op::Size(size), "{text}");
    }
}
