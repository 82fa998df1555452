//! Each verifier rule, broken alone.

use netcl_kernels::graph::text::parse;
use netcl_kernels::graph::verify::{RULES, verify};
use netcl_kernels::graph::{Graph, InputKind, Op, OutputKind};

/// `(rule, graph)`: each graph breaks that rule and no other.
const BROKEN: &[(&str, &str)] = &[
    ("G01", "%0 = neg %0 : f32[2]"),
    ("G01", "%0 = input argument 0 : f32[2]\n%1 = add %0, %7 : f32[2]"),
    ("G02", "%0 = constant 1.0 : f32[-2]"),
    ("G03", "%0 = input argument 0 : f32[N]\n%1 = exp %0 : f32[2]"),
    ("G03", "%0 = input argument 0 : f32[N]\n%1 = input argument 1 : f32[1]\n%2 = add %0, %1 : f32[N]"),
    ("G03", "%0 = input argument 0 : bool[]\n%1 = input argument 1 : f32[2]\n%2 = select %0, %1, %1 : f32[2]"),
    ("G04", "%0 = input argument 0 : i32[2]\n%1 = exp %0 : i32[2]"),
    ("G04", "%0 = input argument 0 : f32[2]\n%1 = not %0 : f32[2]"),
    ("G04", "%0 = input argument 0 : f32[2]\n%1 = exp %0 : f64[2]"),
    ("G05", "%0 = input argument 0 : f32[2]\n%1 = input argument 1 : f16[2]\n%2 = add %0, %1 : f32[2]"),
    ("G05", "%0 = input argument 0 : i32[2]\n%1 = pow %0, %0 : i32[2]"),
    ("G05", "%0 = input argument 0 : f32[2]\n%1 = and %0, %0 : f32[2]"),
    ("G06", "%0 = input argument 0 : f32[2]\n%1 = lt %0, %0 : f32[2]"),
    ("G06", "%0 = input argument 0 : bool[2]\n%1 = lt %0, %0 : bool[2]"),
    ("G06", "%0 = input argument 0 : f32[2]\n%1 = input argument 1 : i32[2]\n%2 = eq %0, %1 : bool[2]"),
    ("G07", "%0 = input argument 0 : f32[2]\n%1 = select %0, %0, %0 : f32[2]"),
    (
        "G07",
        "%0 = input argument 0 : bool[2]\n%1 = input argument 1 : f32[2]\n%2 = input argument 2 : i32[2]\n\
         %3 = select %0, %1, %2 : f32[2]",
    ),
    ("G08", "%0 = constant 1.0 f64 : f32[2]"),
    ("G08", "%0 = constant 256 : u8[2]"),
    ("G08", "%0 = constant -1 : u32[2]"),
    ("G09", "%0 = iota 1 : i32[2]"),
    ("G09", "%0 = iota 0 : bool[2]"),
    ("G09", "%0 = size N : i32[2]"),
    ("G09", "%0 = size N : bool[]"),
    ("G10", "%0 = input scalar 0 : i32[]\n%1 = random %0 stream 0 : f32[2]"),
    ("G10", "%0 = input argument 0 : u32[2]\n%1 = random %0 stream 0 : f32[2]"),
    ("G10", "%0 = input scalar 0 : u32[]\n%1 = random %0 stream 0 : f64[2]"),
    ("G11", "%0 = input argument 0 : f32[2, 3]\n%1 = view %0 [$0] : f32[2]"),
    ("G11", "%0 = input argument 0 : f32[2]\n%1 = view %0 [$0] : i32[2]"),
    ("G12", "%0 = input argument 0 : f32[2]\n%1 = view %0 [$1] : f32[2]"),
    ("G12", "%0 = input argument 0 : f32[2]\n%1 = view %0 [$0*0] : f32[2]"),
    ("G12", "%0 = input argument 0 : f32[2]\n%1 = view %0 [$1 + $0] : f32[2, 2]"),
    ("G12", "%0 = input argument 0 : f32[2]\n%1 = view %0 [$0 + $0] : f32[2]"),
    ("G12", "%0 = input argument 0 : f32[2]\n%1 = view %0 [$0 over 0] : f32[2]"),
    ("G12", "%0 = input argument 0 : f32[2]\n%1 = view %0 [$0 over 2147483648] : f32[2]"),
    ("G13", "%0 = input argument 0 : f32[N, 2]\n%1 = reshape %0 : f32[N*3]"),
    ("G13", "%0 = input argument 0 : f32[N, 2]\n%1 = reshape %0 : i32[N*2]"),
    ("G14", "%0 = input argument 0 : f32[2, 3]\n%1 = reduce sum %0 over [1] : f32[3]"),
    ("G14", "%0 = input argument 0 : f32[2, 3]\n%1 = reduce sum %0 over [1, 0] : f32[]"),
    ("G14", "%0 = input argument 0 : f32[2, 3]\n%1 = reduce sum %0 over [0, 2] : f32[3]"),
    ("G14", "%0 = input argument 0 : f32[2, 3]\n%1 = reduce argmax %0 over [] : i32[2, 3]"),
    ("G15", "%0 = input argument 0 : bool[2]\n%1 = reduce max %0 over [0] : bool[]"),
    ("G15", "%0 = input argument 0 : f32[2]\n%1 = reduce argmax %0 over [0] : f32[]"),
    ("G15", "%0 = input argument 0 : f32[2]\n%1 = reduce sum %0 over [0] : f64[]"),
    ("G16", "%0 = input argument 0 : f32[2, 3]\n%1 = matmul %0, %0 : f32[2, 3]"),
    (
        "G16",
        "%0 = input argument 0 : f32[1, 2, 2]\n%1 = input argument 1 : f32[N, 2, 2]\n%2 = matmul %0, %1 : f32[N, 2, 2]",
    ),
    ("G16", "%0 = input argument 0 : f32[2]\n%1 = matmul %0, %0 : f32[]"),
    ("G17", "%0 = input argument 0 : i32[2, 2]\n%1 = matmul %0, %0 : i32[2, 2]"),
    ("G17", "%0 = input argument 0 : f16[2, 2]\n%1 = matmul %0, %0 : f64[2, 2]"),
    ("G17", "%0 = input argument 0 : f32[2, 2]\n%1 = matmul %0, %0 : f16[2, 2]"),
    (
        "G18",
        "%0 = input argument 0 : f32[N, 1, 4, 4]\n%1 = input parameter : f32[1, 1, 2, 2]  # w\n\
         %2 = conv2d %0, %1 stride [0, 1] padding [0, 0] dilation [1, 1] groups 1 : f32[N, 1, 3, 3]",
    ),
    (
        "G18",
        "%0 = input argument 0 : f32[N, 1, 4, 4]\n%1 = input parameter : f32[1, 1, K, 2]  # w\n\
         %2 = conv2d %0, %1 stride [1, 1] padding [0, 0] dilation [1, 1] groups 1 : f32[N, 1, 3, 3]",
    ),
    (
        "G18",
        "%0 = input argument 0 : f32[N, 1, 4, 4]\n%1 = input parameter : f32[1, 1, 2, 2]  # w\n\
         %2 = conv2d %0, %1 stride [1, 2147483648] padding [0, 0] dilation [1, 1] groups 1 : f32[N, 1, 3, 1]",
    ),
    (
        "G19",
        "%0 = input argument 0 : f32[N, 1, 4, 4]\n%1 = input parameter : f32[1, 1, 2, 2]  # w\n\
         %2 = conv2d %0, %1 stride [1, 1] padding [0, 0] dilation [1, 1] groups 1 : f32[N, 1, 4, 3]",
    ),
    (
        "G19",
        "%0 = input argument 0 : f32[N, 3, 4, 4]\n%1 = input parameter : f32[2, 1, 2, 2]  # w\n\
         %2 = conv2d %0, %1 stride [1, 1] padding [0, 0] dilation [1, 1] groups 2 : f32[N, 2, 3, 3]",
    ),
    (
        "G19",
        "%0 = input argument 0 : f32[N, 2, 3, 3]\n%1 = input parameter : f32[2, 1, 2, 2]  # w\n\
         %2 = conv2d_input_grad %0, %1 stride [1, 1] padding [0, 0] dilation [1, 1] groups 1 : f32[N, 1, 4, 5]",
    ),
    ("G20", "%0 = input argument 0 : f32[4, 3]\n%1 = input argument 1 : f32[2]\n%2 = gather %0, %1 : f32[2, 3]"),
    ("G20", "%0 = input argument 0 : f32[4, 3]\n%1 = input argument 1 : i32[2]\n%2 = gather %0, %1 : f32[2, 4]"),
    ("G20", "%0 = input argument 0 : f32[]\n%1 = input argument 1 : i32[2]\n%2 = gather %0, %1 : f32[2]"),
    ("G21", "%0 = input argument 0 : i32[2]\n%1 = input argument 1 : f32[2, 3]\n%2 = scatter_add %0, %1 : f32[4, 2]"),
    ("G21", "%0 = input argument 0 : i32[2]\n%1 = input argument 1 : f32[2, 3]\n%2 = scatter_add %0, %1 : f64[4, 3]"),
    ("G22", "%0 = input scalar 0 : f32[2]"),
    ("G23", "%0 = constant 1.0 : f32[]\noutput result 0 = %1"),
    ("G24", "%0 = constant 1.0 : f32[]\noutput result 0 = %0\noutput result 0 = %0"),
    ("G25", "%0 = input argument 0 : f32[]\n%1 = input argument 0 : f32[]"),
    ("G25", "%0 = input parameter : f32[]  # w\n%1 = input parameter : f32[]  # w"),
    ("G25", "%0 = input parameter : f32[]"),
    ("G26", "%0 = input parameter : f32[2]  # w\n%1 = constant 1.0 : f32[3]\noutput gradient \"w\" = %1"),
    ("G26", "%0 = input argument 0 : f32[2]\noutput argument_gradient 1 = %0"),
    ("G26", "%0 = input state : f32[2]  # m\n%1 = constant 1.0 : f64[2]\noutput state \"m\" = %1"),
    ("G27", ""),
    (
        "G29",
        "kernel 0 = {\"name\":\"k\",\"symbols\":[],\"inputs\":[],\"results\":[],\"kernels\":[]}\n%0 = custom 0 [] sizes [] : f32[2]",
    ),
    ("G30", "%0 = input argument 0 : f32[2]\n%1 = custom_result %0 1 : f32[2]"),
    (
        "G31",
        "scan 0 carried 1 step t\ngraph b\n%0 = input argument 0 : f32[2]\noutput result 0 = %0\nend\n\
         %0 = input argument 0 : f32[2]\n%1 = scan 0 [%0] length T : f32[3]\noutput result 0 = %0",
    ),
    (
        "G31",
        "scan 0 carried 1 step t\ngraph b\n%0 = input argument 0 : f32[2]\n%1 = constant 1.0 : f32[t]\n\
         output result 0 = %0\noutput result 1 = %1\nend\n%0 = input argument 0 : f32[2]\n\
         %1 = scan 0 [%0] length T : f32[2]\noutput result 0 = %1",
    ),
    (
        "G31",
        "scan 0 carried 1 step t\ngraph b\n%0 = input parameter : f32[2]  # w\noutput result 0 = %0\nend\n\
         %0 = input argument 0 : f32[2]\n%1 = scan 0 [%0] length T : f32[2]\noutput result 0 = %1",
    ),
    ("G32", "%0 = input argument 0 : f32[2, 3]\n%1 = attention %0, %0 : f32[2, 3]"),
    ("G28", "%0 = input argument 777 : f32[2]"),
    ("G28", "%0 = input scalar 777 : f32[]"),
    ("G28", "%0 = input argument 0 : f32[2]\noutput result 777 = %0"),
];

/// With an output, where there is something to put out.
fn whole(text: &str) -> String {
    let output = if text.is_empty() || text.contains("output") { "" } else { "output result 0 = %0\n" };
    format!("graph broken\n{text}\n{output}")
}

/// Puts what is at position 777 where no text has it.
fn far(graph: &mut Graph) {
    let mut positions: Vec<&mut usize> = Vec::new();
    for node in &mut graph.nodes {
        if let Op::Input(InputKind::Argument(position) | InputKind::Scalar(position)) = &mut node.op {
            positions.push(position);
        }
    }
    for (kind, _) in &mut graph.outputs {
        if let OutputKind::Result(position) = kind {
            positions.push(position);
        }
    }
    for position in positions.into_iter().filter(|position| **position == 777) {
        *position = 65536;
    }
}

#[test]
fn each_rule_alone() {
    for (rule, text) in BROKEN {
        let mut graph = parse(&whole(text)).unwrap_or_else(|error| panic!("{rule}: {error}\n{text}"));
        far(&mut graph);
        let errors = verify(&graph).err().unwrap_or_default();
        let numbers: Vec<&str> = errors.iter().map(|e| &e.message[e.message.len() - 4..e.message.len() - 1]).collect();
        assert_eq!(numbers, [*rule], "{text}\n{errors:?}");
    }
}

#[test]
fn every_rule_has_a_case_and_is_documented() {
    let source = include_str!("../../../src/graph/verify.rs");
    for (number, (rule, text)) in RULES.iter().enumerate() {
        assert_eq!(*rule, format!("G{:02}", number + 1));
        assert!(BROKEN.iter().any(|(broken, _)| broken == rule), "{rule} has no case");
        assert!(source.matches(rule).count() > 1, "{rule} ({text}) is never reported");
    }
}

#[test]
fn all_errors_at_once() {
    let graph = parse(
        "graph broken\n%0 = input argument 0 : i32[2]\n%1 = exp %0 : i32[2] @4  # h\n%2 = iota 3 : i32[2]\n\
         output result 0 = %9\n",
    )
    .unwrap();
    let errors = verify(&graph).unwrap_err();
    assert_eq!(errors.len(), 3, "{errors:?}");
    assert_eq!(errors[0].message, "node %1 (`h`): `exp` of i32 gives i32 (G04)");
    assert_eq!(errors[0].span.0, 4);
}

#[test]
fn absurd_numbers_are_errors_not_panics() {
    let huge = 9_223_372_036_854_775_807_i64;
    for text in [
        format!("%0 = constant 1.0 : f32[{huge}, {huge}]\n%1 = reshape %0 : f32[3]"),
        format!("%0 = input argument 0 : f32[2]\n%1 = view %0 [$0*{huge} + {huge} over {huge}] : f32[2]"),
        format!(
            "%0 = input argument 0 : f32[1, 1, {huge}, 4]\n\
             %1 = conv2d %0, %0 stride [{huge}, 1] padding [{huge}, 0] dilation [1, {huge}] groups {huge} : f32[1]"
        ),
        format!("%0 = input argument 0 : f32[N*{huge}, N*{huge}]\n%1 = reshape %0 : f32[N]"),
    ] {
        let graph = parse(&whole(&text)).unwrap();
        assert!(verify(&graph).is_err_and(|errors| !errors[0].message.contains("G27")), "{text}");
    }
}
