//! What a graph must satisfy before anything reads it.
//!
//! The rules are numbered ([`RULES`]); an error ends with the number of the one that is broken.

use super::build::window_count;
use super::*;
use crate::span::Diagnostic;
use std::collections::BTreeSet;

/// The rules: number and what it says.
pub const RULES: [(&str, &str); 32] = [
    ("G01", "an operand is an earlier node"),
    ("G02", "no dimension is a negative number"),
    ("G03", "elementwise operands have the node's shape"),
    ("G04", "a unary function is defined for its operand's type, which is also the node's"),
    ("G05", "a binary function is defined for its operands' one type, which is also the node's"),
    ("G06", "a comparison has operands of one type, in order of one that has an order, and a `bool` result"),
    ("G07", "a select has a `bool` condition and branches of the node's type"),
    ("G08", "a constant's literal has the node's type and fits it"),
    ("G09", "an iota names one of its axes, a size has shape `[]`, and neither is `bool`"),
    ("G10", "a random node has a `u32` scalar seed and is `f32`"),
    ("G11", "a view has one coordinate per source axis and the source's type"),
    (
        "G12",
        "a view's coordinates name axes of the node, ascending, with non-zero coefficients and a divisor from 1 to 2^31 - 1",
    ),
    ("G13", "a reshape keeps the number of elements and the type"),
    (
        "G14",
        "a reduction's axes are axes of its source, at least one, ascending, and exactly they are missing from the node's \
         shape",
    ),
    ("G15", "a reduction is not of `bool`; `argmax` and `argmin` are `i32`, others have the source's type"),
    ("G16", "a matrix product's shapes are `[batch.., m, k]`, `[batch.., k, n]` and `[batch.., m, n]`"),
    (
        "G17",
        "matrix products and convolutions have float operands of one type, and that or the type that it is computed in",
    ),
    ("G18", "a convolution's stride, dilation and groups are from 1 to 2^31 - 1, and the kernel's size is a number"),
    ("G19", "a convolution's shapes agree"),
    ("G20", "a gather's shape is that of its indices and then of a row; indices are `i32` or `u32`"),
    ("G21", "a scatter-add's updates have the shape of its indices and then of a row, and the node's type"),
    ("G22", "a scalar input has shape `[]`"),
    ("G23", "an output names a node"),
    ("G24", "no output is declared twice"),
    ("G25", "no input is declared twice, and parameters and state have names"),
    ("G26", "a gradient or a new state belongs to an input and has its shape and type"),
    ("G27", "a graph has an output"),
    ("G28", "arguments, scalars and results are at positions up to 65535"),
    ("G29", "a call of a kernel passes what that takes, and is its first result"),
    ("G30", "another result of an attention, call or loop is one that it gives, with its shape and type"),
    (
        "G31",
        "a loop passes what its body takes, carries values of one shape and type, and has a body that breaks no rule, whose shapes do \
         not depend on the round",
    ),
    (
        "G32",
        "an attention has the operands of its kind, whose sizes agree: float matrices of one type, the node's or one computed in that, \
         and numbers of rows of the type that is computed in",
    ),
];

/// The largest stride, padding, dilation, group count or divisor that a graph may hold: kernels compute with it as `i32`.
const LARGEST: u64 = i32::MAX as u64;

/// A graph that [`verify()`] has passed. Readers that take this need no checks of their own.
#[derive(Clone, Copy, Debug)]
pub struct VerifiedGraph<'a>(&'a Graph);

impl<'a> VerifiedGraph<'a> {
    /// The graph.
    pub fn graph(self) -> &'a Graph {
        self.0
    }
}

impl std::ops::Deref for VerifiedGraph<'_> {
    type Target = Graph;
    fn deref(&self) -> &Graph {
        self.0
    }
}

/// Checks every rule on every node and output; the errors, in the graph's order, end with their rule's number.
///
/// # Errors
///
/// All that break a rule; each ends with its number.
pub fn verify(graph: &Graph) -> Result<VerifiedGraph<'_>, Vec<Diagnostic>> {
    let mut errors = Vec::new();
    for (id, node) in graph.iter() {
        let mut report = |rule: &str, message: String| {
            errors.push(Diagnostic::new(format!("{}: {message} ({rule})", describe(id, node))).at(node.span));
        };
        let early = node.op.operands().into_iter().find(|operand| *operand >= id);
        if let Some(operand) = early {
            report("G01", format!("operand %{} is not an earlier node", operand.0));
        }
        if let Some(dim) = node.shape.0.iter().find(|dim| dim.as_constant().is_some_and(|value| value < 0)) {
            report("G02", format!("the shape {} has the negative size {dim}", node.shape));
        }
        // Without operands nothing further can be said about the node.
        if early.is_none() {
            check(graph, node, &mut report);
        }
    }
    check_signature(graph, &mut errors);
    if errors.is_empty() { Ok(VerifiedGraph(graph)) } else { Err(errors) }
}

fn describe(id: NodeId, node: &Node) -> String {
    if node.name.is_empty() { format!("node %{}", id.0) } else { format!("node %{} (`{}`)", id.0, node.name) }
}

type ErrorSink<'a> = &'a mut dyn FnMut(&str, String);

/// Rules G03 to G22, on a node whose operands exist.
fn check(graph: &Graph, node: &Node, report: ErrorSink<'_>) {
    if node.op.is_elementwise() {
        check_operand_shapes(graph, node, report);
    }
    let dtype = node.dtype;
    let of = |id: NodeId| graph[id].dtype;
    match &node.op {
        Op::Input(kind) => {
            if matches!(kind, InputKind::Scalar(_)) && node.shape.rank() != 0 {
                report("G22", format!("a scalar input has shape {}, expected []", node.shape));
            }
        }
        Op::Constant(literal) => {
            if !is_of(literal, dtype) {
                report("G08", format!("the literal {literal} is no {dtype}"));
            }
        }
        Op::Iota { axis } => {
            if *axis >= node.shape.rank() || dtype == DType::Bool {
                report("G09", format!("iota along axis {axis} of {dtype}{}", node.shape));
            }
        }
        Op::Size(_) => {
            if node.shape.rank() != 0 || dtype == DType::Bool {
                report("G09", format!("a size as {dtype}{}", node.shape));
            }
        }
        Op::Unary(op, a) => {
            if of(*a) != dtype || !op.takes(dtype) {
                report("G04", format!("`{}` of {} gives {dtype}", op.name(), of(*a)));
            }
        }
        Op::Binary(op, a, b) => {
            if of(*a) != dtype || of(*b) != dtype || !op.takes(dtype) {
                report("G05", format!("`{}` of {} and {} gives {dtype}", op.name(), of(*a), of(*b)));
            }
        }
        Op::Compare(op, a, b) => {
            if of(*a) != of(*b) || dtype != DType::Bool || !op.takes(of(*a)) {
                report("G06", format!("`{}` of {} and {} gives {dtype}", op.name(), of(*a), of(*b)));
            }
        }
        Op::Select(condition, a, b) => {
            if of(*condition) != DType::Bool || of(*a) != dtype || of(*b) != dtype {
                let found = format!("{} ? {} : {}", of(*condition), of(*a), of(*b));
                report("G07", format!("`select` of {found} gives {dtype}"));
            }
        }
        Op::Cast(_) => {}
        Op::Random { seed, .. } => check_random(node, &graph[*seed], report),
        Op::View { source, index } => check_view(node, &graph[*source], index, report),
        Op::Reshape(a) => {
            let source = &graph[*a];
            if source.shape.elements() != node.shape.elements() || source.dtype != dtype {
                report("G13", format!("{}{} reshaped to {dtype}{}", source.dtype, source.shape, node.shape));
            }
        }
        Op::Reduce { op, source, axes } => check_reduction(node, *op, &graph[*source], axes, report),
        Op::MatMul(a, b) => {
            let (x, y) = (&graph[*a].shape, &graph[*b].shape);
            if matmul_shape(x, y).as_ref() != Some(&node.shape) {
                report("G16", format!("the product of {x} and {y} is said to be {}", node.shape));
            }
            check_products(node, of(*a), of(*b), report);
        }
        Op::Conv2d { .. } | Op::Conv2dInputGrad { .. } | Op::Conv2dWeightGrad { .. } => {
            if let Some(conv) = node.op.as_conv() {
                let [first, second] = conv.operands;
                check_products(node, of(first), of(second), report);
                check_conv(conv.shapes(graph, &node.shape), &conv.geometry, report);
            }
        }
        Op::Gather { source, indices } => check_gather(node, &graph[*source], &graph[*indices], report),
        Op::ScatterAdd { indices, updates } => check_scatter(node, &graph[*indices], &graph[*updates], report),
        Op::Custom { kernel, sizes, operands } => check_custom(graph, node, (kernel, sizes, operands), report),
        Op::Scan { scan, length, operands } => check_scan(graph, node, (scan, length, operands), report),
        Op::Attention(attention) => check_attention(graph, node, attention, report),
        Op::CustomResult { call, result } => check_custom_result(graph, node, &graph[*call], *result, report),
    }
}

/// Rule G03.
fn check_operand_shapes(graph: &Graph, node: &Node, report: ErrorSink<'_>) {
    for operand in node.op.operands() {
        let shape = &graph[operand].shape;
        if *shape != node.shape {
            report("G03", format!("operand %{} has shape {shape}, expected {}", operand.0, node.shape));
        }
    }
}

/// Whether a literal is a value of `dtype`, as it is written.
fn is_of(literal: &Literal, dtype: DType) -> bool {
    match literal {
        Literal::Bool(_) => dtype == DType::Bool,
        Literal::Int(value, own) => *own == dtype && own.is_integer() && own.holds(*value),
        Literal::Float(_, own) => *own == dtype && own.is_float(),
    }
}

/// Rule G10.
fn check_random(node: &Node, seed: &Node, report: ErrorSink<'_>) {
    if seed.dtype != DType::U32 || seed.shape.rank() != 0 || node.dtype != DType::F32 {
        let (dtype, found) = (node.dtype, format!("{}{}", seed.dtype, seed.shape));
        report("G10", format!("random numbers of type {dtype} from a seed {found}, expected f32 from u32[]"));
    }
}

/// Rules G11 and G12.
fn check_view(node: &Node, source: &Node, index: &[AxisIndex], report: ErrorSink<'_>) {
    if index.len() != source.shape.rank() || source.dtype != node.dtype {
        let found = format!("{} coordinates of {}{}", index.len(), source.dtype, source.shape);
        report("G11", format!("a view with {found} gives {}", node.dtype));
    }
    for (axis, coordinate) in index.iter().enumerate() {
        let terms = &coordinate.terms;
        let ordered = terms.is_sorted_by(|a, b| a.0 < b.0);
        let sound = terms.iter().all(|(out, coefficient)| *out < node.shape.rank() && *coefficient != 0);
        if !ordered || !sound || !(1..=LARGEST).contains(&coordinate.divisor) {
            let found = format!("{terms:?} over {}", coordinate.divisor);
            report("G12", format!("coordinate {axis} of a view to {} is {found}", node.shape));
        }
    }
}

/// Rules G14 and G15.
fn check_reduction(node: &Node, op: ReduceOp, source: &Node, axes: &[usize], report: ErrorSink<'_>) {
    let full = &source.shape;
    let sorted = axes.is_sorted_by(|a, b| a < b) && axes.iter().all(|axis| *axis < full.rank());
    let kept = (0..full.rank()).filter(|axis| !axes.contains(axis)).map(|axis| &full[axis]);
    if axes.is_empty() || !sorted || !kept.eq(&node.shape.0) {
        report("G14", format!("reduction of {full} over axes {axes:?} gives {}", node.shape));
    }
    let expected = if op.is_position() { DType::I32 } else { source.dtype };
    if source.dtype == DType::Bool || node.dtype != expected {
        report("G15", format!("`{}` of {} gives {}", op.name(), source.dtype, node.dtype));
    }
}

fn matmul_shape(a: &Shape, b: &Shape) -> Option<Shape> {
    let rank = a.rank();
    if rank < 2 || b.rank() != rank || a.0[..rank - 2] != b.0[..rank - 2] || a[rank - 1] != b[rank - 2] {
        return None;
    }
    Some(Shape(a.0[..rank - 1].iter().chain([&b[rank - 1]]).cloned().collect()))
}

/// Rule G17: a product has its operands' type, or, unrounded, the type that they are computed in.
fn check_products(node: &Node, a: DType, b: DType, report: ErrorSink<'_>) {
    if a != b || ![a, a.compute()].contains(&node.dtype) || !a.is_float() {
        report("G17", format!("a product of {a} and {b} gives {}", node.dtype));
    }
}

/// Rules G18 and G19.
fn check_conv(shapes: ConvShapes<'_>, geometry: &ConvGeometry, report: ErrorSink<'_>) {
    let ConvShapes { input, weight, output } = shapes;
    let numbers = [geometry.stride, geometry.dilation, [geometry.groups; 2]];
    let sizes = weight.0.iter().skip(2).all(|k| k.as_constant().is_some_and(|k| (1..=LARGEST as i64).contains(&k)));
    if !numbers.as_flattened().iter().all(|value| (1..=LARGEST).contains(value))
        || geometry.padding.iter().any(|padding| *padding > LARGEST)
        || !sizes
    {
        report("G18", format!("a convolution with kernel {weight} and {geometry:?}"));
        return;
    }
    match conv2d_shape(input, weight, geometry) {
        Some(expected) if expected == *output => {}
        _ => report("G19", format!("a convolution of {input} with {weight} is said to be {output}")),
    }
}

/// The shape of `Conv2d`; `None` where the operands do not fit. Strides and dilations are at least 1.
pub(crate) fn conv2d_shape(input: &Shape, weight: &Shape, geometry: &ConvGeometry) -> Option<Shape> {
    if input.rank() != 4 || weight.rank() != 4 {
        return None;
    }
    let groups = Dim::constant(geometry.groups as i64);
    if input[1] != weight[1].clone() * groups.clone() || weight[0].exact_div(&groups).is_none() {
        return None;
    }
    let mut shape = vec![input[0].clone(), weight[0].clone()];
    for axis in 0..2 {
        let kernel = u64::try_from(weight[2 + axis].as_constant()?).ok()?;
        shape.push(window_count(&input[2 + axis], kernel, axis, geometry).ok()?);
    }
    Some(Shape(shape))
}

/// Rule G20.
fn check_gather(node: &Node, source: &Node, indices: &Node, report: ErrorSink<'_>) {
    let fits = gathers(&source.shape, &indices.shape, &node.shape) && source.dtype == node.dtype;
    if !fits || !matches!(indices.dtype, DType::I32 | DType::U32) {
        let found = format!("{}{} by {}{}", source.dtype, source.shape, indices.dtype, indices.shape);
        report("G20", format!("gather of {found} gives {}{}", node.dtype, node.shape));
    }
}

/// Rule G21.
fn check_scatter(node: &Node, indices: &Node, updates: &Node, report: ErrorSink<'_>) {
    let fits = gathers(&node.shape, &indices.shape, &updates.shape) && updates.dtype == node.dtype;
    if !fits || !matches!(indices.dtype, DType::I32 | DType::U32) || node.dtype == DType::Bool {
        let found = format!("{}{} at {}{}", updates.dtype, updates.shape, indices.dtype, indices.shape);
        report("G21", format!("scatter-add of {found} gives {}{}", node.dtype, node.shape));
    }
}

/// Whether `result` is `[i.., rest..]` for `source [r, rest..]` and `indices [i..]`.
fn gathers(source: &Shape, indices: &Shape, result: &Shape) -> bool {
    source.rank() > 0 && indices.0.iter().chain(&source.0[1..]).eq(&result.0)
}

/// Rule G29.
fn check_custom(
    graph: &Graph,
    node: &Node,
    (kernel, sizes, operands): (&Custom, &[Dim], &[NodeId]),
    report: ErrorSink<'_>,
) {
    if kernel.inputs.len() != operands.len() || kernel.symbols.len() != sizes.len() || kernel.kernels.is_empty() {
        let found = format!("{} operands and {} sizes", operands.len(), sizes.len());
        return report("G29", format!("a call of `{}` with {found}", kernel.name));
    }
    for (input, operand) in kernel.inputs.iter().zip(operands) {
        let given = &graph[*operand];
        let fits = match &input.shape {
            Some(shape) => {
                given.shape == kernel.shape(sizes, shape) && !matches!(given.op, Op::Input(InputKind::Scalar(_)))
            }
            None => given.shape.rank() == 0 && is_passed_by_value(&given.op),
        };
        if !fits || given.dtype != input.dtype {
            report("G29", format!("`{}` of `{}` is {}{}", input.name, kernel.name, given.dtype, given.shape));
        }
    }
    if !gives(kernel, sizes, 0, node) {
        report("G29", format!("`{}` is said to give {}{}", kernel.name, node.dtype, node.shape));
    }
}

/// Whether a launch can pass the node's value as a number.
pub(crate) fn is_passed_by_value(op: &Op) -> bool {
    matches!(op, Op::Input(InputKind::Scalar(_)) | Op::Constant(_) | Op::Size(_))
}

/// Rule G32.
fn check_attention(graph: &Graph, node: &Node, attention: &Attention, report: ErrorSink<'_>) {
    let kind = attention.kind;
    let operands: Vec<&Node> = attention.operands.iter().map(|id| &graph[*id]).collect();
    let compute = node.dtype.compute();
    let (matrices, rows) = operands.split_at(kind.matrices().min(operands.len()));
    let of_one_type = matrices.iter().all(|operand| operand.dtype == matrices[0].dtype)
        && matrices.iter().all(|operand| operand.dtype == node.dtype || operand.dtype.compute() == node.dtype)
        && rows.iter().all(|operand| operand.dtype == compute);
    let gives = attention_result(graph, node, 0).is_some_and(|(shape, _)| shape == node.shape);
    if !node.dtype.is_float() || !of_one_type || !gives {
        let found: Vec<String> = operands.iter().map(|operand| format!("{}{}", operand.dtype, operand.shape)).collect();
        let (name, found) = (kind.operation(), found.join(", "));
        report("G32", format!("`{name}` of {found} gives {}{}", node.dtype, node.shape));
    }
}

/// Rule G30.
fn check_custom_result(graph: &Graph, node: &Node, call: &Node, result: usize, report: ErrorSink<'_>) {
    let fits = match &call.op {
        Op::Custom { kernel, sizes, .. } => result > 0 && gives(kernel, sizes, result, node),
        Op::Scan { scan, length, .. } => {
            result > 0
                && scan.gives(length, result).is_some_and(|(shape, dtype)| shape == node.shape && dtype == node.dtype)
        }
        Op::Attention(_) => {
            result > 0
                && attention_result(graph, call, result)
                    .is_some_and(|(shape, dtype)| shape == node.shape && dtype == node.dtype)
        }
        _ => false,
    };
    if !fits {
        report("G30", format!("result {result} is said to be {}{}", node.dtype, node.shape));
    }
}

/// Shape and type of the result at that position of an attention whose operands fit.
pub(crate) fn attention_result(graph: &Graph, call: &Node, result: usize) -> Option<(Shape, DType)> {
    let Op::Attention(attention) = &call.op else { return None };
    let sizes = graph.attention_sizes(attention)?;
    attention.kind.results(&sizes, call.dtype).into_iter().nth(result)
}

/// Whether the node is as the kernel's result at that position.
fn gives(kernel: &Custom, sizes: &[Dim], result: usize, node: &Node) -> bool {
    let given = kernel.results.get(result);
    given.is_some_and(|given| given.dtype == node.dtype && kernel.shape(sizes, &given.shape) == node.shape)
}

/// Rule G31.
fn check_scan(graph: &Graph, node: &Node, (scan, length, operands): (&Scan, &Dim, &[NodeId]), report: ErrorSink<'_>) {
    if let Err(errors) = verify(&scan.body) {
        let first = errors.into_iter().next().map(|error| error.message).unwrap_or_default();
        return report("G31", format!("in the body of a loop: {first}"));
    }
    if operands.len() < scan.arguments() || scan.results() < scan.carried || scan.steps(length) {
        let found = format!("{} operands and {} results, {length} times", operands.len(), scan.results());
        return report("G31", format!("a loop that carries {} values with {found}", scan.carried));
    }
    let of = |node: &Node| (node.shape.clone(), node.dtype);
    for (position, operand) in operands.iter().enumerate() {
        let given = &graph[*operand];
        let wanted = scan.argument(position).map(|(_, input)| of(input));
        if wanted.is_some_and(|wanted| wanted != of(given)) || matches!(given.op, Op::Input(InputKind::Scalar(_))) {
            report("G31", format!("argument {position} of a loop's body is {}{}", given.dtype, given.shape));
        }
        if position < scan.carried && scan.gives(length, position) != Some(of(given)) {
            report("G31", format!("value {position} that a loop carries starts as {}{}", given.dtype, given.shape));
        }
    }
    for own in &scan.body.nodes {
        if own.shape.0.iter().any(|size| scan.steps(size)) {
            report("G31", format!("the shape {} depends on the round of a loop", own.shape));
        }
        if matches!(own.op, Op::Input(InputKind::Parameter | InputKind::State | InputKind::Carried(_))) {
            report("G31", format!("`{}` belongs to the model, and is no argument of a loop's body", own.name));
        }
    }
    if scan.gives(length, 0) != Some(of(node)) {
        report("G31", format!("a loop is said to give {}{}", node.dtype, node.shape));
    }
}

/// Rules G23 to G26: inputs and outputs.
fn check_signature(graph: &Graph, errors: &mut Vec<Diagnostic>) {
    let inputs: Vec<(&InputKind, &Node)> = graph
        .nodes
        .iter()
        .filter_map(|node| if let Op::Input(kind) = &node.op { Some((kind, node)) } else { None })
        .collect();
    if graph.outputs.is_empty() {
        errors.push(Diagnostic::new("there is no output (G27)"));
    }
    let mut seen = BTreeSet::default();
    for (kind, node) in &inputs {
        let (number, position) = match kind {
            InputKind::Argument(position) => (0, *position),
            InputKind::Scalar(position) => (1, *position),
            InputKind::Parameter => (2, 0),
            InputKind::State => (3, 0),
            InputKind::Carried(number) => (4, *number),
        };
        let named = matches!(kind, InputKind::Parameter | InputKind::State);
        if position > LARGEST_POSITION {
            errors.push(Diagnostic::new(format!("the input {kind:?} is at a position past 65535 (G28)")).at(node.span));
        }
        let twice = !seen.insert((number, position, if named { node.name.as_str() } else { "" }));
        if twice || (named && node.name.is_empty()) {
            let message = format!("the input {kind:?} `{}` is declared twice or has no name (G25)", node.name);
            errors.push(Diagnostic::new(message).at(node.span));
        }
    }
    for (position, (kind, id)) in graph.outputs.iter().enumerate() {
        if graph.outputs[..position].iter().any(|(k, _)| k == kind) {
            errors.push(Diagnostic::new(format!("the output {kind:?} is declared twice (G24)")));
        }
        let Some(node) = graph.nodes.get(id.index()) else {
            errors.push(Diagnostic::new(format!("the output {kind:?} is %{}, which is no node (G23)", id.0)));
            continue;
        };
        let find = |wanted: &InputKind, name: Option<&String>| {
            inputs.iter().find(|(k, n)| *k == wanted && name.is_none_or(|name| n.name == *name)).map(|(_, n)| *n)
        };
        let owner = match kind {
            OutputKind::Result(position) if *position > LARGEST_POSITION => {
                errors.push(Diagnostic::new(format!("the output {kind:?} is at a position past 65535 (G28)")));
                continue;
            }
            OutputKind::Result(_) => continue,
            OutputKind::Gradient(path) => find(&InputKind::Parameter, Some(path)),
            OutputKind::ArgumentGradient(argument) => find(&InputKind::Argument(*argument), None),
            OutputKind::State(path) => find(&InputKind::State, Some(path)),
        };
        let found = format!("{}{}", node.dtype, node.shape);
        let expected = owner.map(|input| format!("{}{}", input.dtype, input.shape));
        if expected.as_ref() != Some(&found) {
            let expected = expected.unwrap_or("no such input".into());
            let message = format!("the output {kind:?} is {found}, its input {expected} (G26)");
            errors.push(Diagnostic::new(message).at(node.span));
        }
    }
}
