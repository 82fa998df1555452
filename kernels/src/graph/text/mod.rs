//! The text form of graphs: for people, dumps and tests. Prints and parses, exactly.
//!
//! By hand, and not `winnow` or `logos`: a few hundred lines, whose errors point at a column.
//!
//! ```text
//! graph mlp.forward
//! %0 = input argument 0 : f32[N, 64]  # x
//! %1 = input parameter : f32[64, 32]  # hidden.weight
//! %2 = matmul %0, %1 : f32[N, 32]
//! %3 = constant 0.0 : f32[N, 32]
//! %4 = max %2, %3 : f32[N, 32] @7  # h
//! output result 0 = %4
//! ```
//!
//! One node a line, numbered from 0; `@7` is the node's span and `# h` its name (the rest of the line, `\n`, `\r`, `\t`
//! and `\\` escaped). A view lists one coordinate per source axis, `$0` being an output coordinate:
//! `view %1 [$0*2 + $1 - 1, N - 1, $2 + 1 over 2]`. Sizes read `N*64 + 3` and `((H - 2)/2)`. Where the sizes came from
//! ([`Node::origins`]) is not written.
//!
//! Kernels of users that the graph calls stand before the nodes as JSON, `kernel 0 = {..}`, and are called by their numbers:
//! `custom 0 [%1, %2] sizes [N*64]`.
//!
//! Loops stand there too, each as its body between `scan 0 carried 1 step t` (`reverse` behind it if the last round comes first) and
//! `end`, and are run by their numbers: `scan 0 [%1, %2] length T`.
//!
//! Attention reads `attention %0, %1, %2 causal`.
//!
//! Parsing checks the notation alone: it may make graphs that [`verify`](super::verify::verify) rejects.

mod parse;

pub use parse::parse;

use super::*;
use std::fmt::{self, Display, Formatter, Write};

impl Display for Graph {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "graph {}", escape(&self.name))?;
        let kernels = kernels(self);
        for (position, kernel) in kernels.iter().enumerate() {
            writeln!(f, "kernel {position} = {}", serde_json::to_string(kernel).map_err(|_| fmt::Error)?)?;
        }
        let scans = scans(self);
        for (position, scan) in scans.iter().enumerate() {
            let reverse = if scan.reverse { " reverse" } else { "" };
            writeln!(f, "scan {position} carried {} step {}{reverse}", scan.carried, scan.step)?;
            scan.body.to_string().lines().try_for_each(|line| writeln!(f, "  {line}"))?;
            writeln!(f, "end")?;
        }
        for (id, node) in self.iter() {
            write!(f, "%{} = ", id.0)?;
            match &node.op {
                Op::Scan { scan, length, operands } => {
                    let position = scans.iter().position(|known| *known == scan).unwrap_or_default();
                    write!(f, "scan {position} [")?;
                    write_list(f, operands.iter().map(|operand| format!("%{}", operand.0)))?;
                    write!(f, "] length {length}")?;
                }
                Op::Custom { kernel, sizes, operands } => {
                    let position = kernels.iter().position(|known| *known == kernel).unwrap_or_default();
                    write!(f, "custom {position} [")?;
                    write_list(f, operands.iter().map(|operand| format!("%{}", operand.0)))?;
                    f.write_str("] sizes [")?;
                    write_list(f, sizes.iter().map(Dim::to_string))?;
                    f.write_char(']')?;
                }
                _ => write_op(f, node)?,
            }
            write!(f, " : {}{}", node.dtype, node.shape)?;
            if node.span != Span::NONE {
                write!(f, " @{}", node.span.0)?;
            }
            if !node.name.is_empty() {
                write!(f, "  # {}", escape(&node.name))?;
            }
            f.write_char('\n')?;
        }
        for (kind, id) in &self.outputs {
            match kind {
                OutputKind::Result(position) => write!(f, "output result {position}")?,
                OutputKind::Gradient(path) => write!(f, "output gradient {}", quote(path))?,
                OutputKind::ArgumentGradient(position) => write!(f, "output argument_gradient {position}")?,
                OutputKind::State(path) => write!(f, "output state {}", quote(path))?,
            }
            writeln!(f, " = %{}", id.0)?;
        }
        Ok(())
    }
}

/// The kernels that the graph calls, each once.
fn kernels(graph: &Graph) -> Vec<&Arc<Custom>> {
    each(graph, |op| if let Op::Custom { kernel, .. } = op { Some(kernel) } else { None })
}

/// The loops of the graph, each once.
fn scans(graph: &Graph) -> Vec<&Arc<Scan>> {
    each(graph, |op| if let Op::Scan { scan, .. } = op { Some(scan) } else { None })
}

/// What operations have, each once, in their order.
fn each<'g, T: PartialEq>(graph: &'g Graph, of: impl Fn(&'g Op) -> Option<&'g T>) -> Vec<&'g T> {
    let mut all: Vec<&T> = Vec::new();
    for own in graph.nodes.iter().filter_map(|node| of(&node.op)) {
        if !all.contains(&own) {
            all.push(own);
        }
    }
    all
}

fn write_list(f: &mut Formatter<'_>, items: impl Iterator<Item = String>) -> fmt::Result {
    f.write_str(&items.collect::<Vec<_>>().join(", "))
}

fn write_op(f: &mut Formatter<'_>, node: &Node) -> fmt::Result {
    match &node.op {
        Op::Input(InputKind::Argument(position)) => write!(f, "input argument {position}"),
        Op::Input(InputKind::Parameter) => f.write_str("input parameter"),
        Op::Input(InputKind::State) => f.write_str("input state"),
        Op::Input(InputKind::Scalar(position)) => write!(f, "input scalar {position}"),
        Op::Input(InputKind::Carried(number)) => write!(f, "input carried {number}"),
        Op::Constant(literal) => {
            f.write_str("constant ")?;
            write_literal(f, literal)?;
            // The literal's own type is the node's, except in graphs that the verifier rejects.
            if literal.dtype() != node.dtype { write!(f, " {}", literal.dtype()) } else { Ok(()) }
        }
        Op::Iota { axis } => write!(f, "iota {axis}"),
        Op::Size(dim) => write!(f, "size {dim}"),
        Op::Unary(op, a) => write!(f, "{} %{}", op.name(), a.0),
        Op::Binary(op, a, b) => write!(f, "{} %{}, %{}", op.name(), a.0, b.0),
        Op::Compare(op, a, b) => write!(f, "{} %{}, %{}", op.name(), a.0, b.0),
        Op::Select(c, a, b) => write!(f, "select %{}, %{}, %{}", c.0, a.0, b.0),
        Op::Cast(a) => write!(f, "cast %{}", a.0),
        Op::Random { seed, stream } => write!(f, "random %{} stream {stream}", seed.0),
        Op::View { source, index } => {
            write!(f, "view %{} [", source.0)?;
            for (axis, coordinate) in index.iter().enumerate() {
                f.write_str(if axis == 0 { "" } else { ", " })?;
                write_coordinate(f, coordinate)?;
            }
            f.write_char(']')
        }
        Op::Reshape(a) => write!(f, "reshape %{}", a.0),
        Op::Reduce { op, source, axes } => write!(f, "reduce {} %{} over {axes:?}", op.name(), source.0),
        Op::MatMul(a, b) => write!(f, "matmul %{}, %{}", a.0, b.0),
        Op::Conv2d { .. } | Op::Conv2dInputGrad { .. } | Op::Conv2dWeightGrad { .. } => {
            node.op.as_conv().map_or(Ok(()), |conv| write_conv(f, conv))
        }
        Op::Gather { source, indices } => write!(f, "gather %{}, %{}", source.0, indices.0),
        Op::ScatterAdd { indices, updates } => write!(f, "scatter_add %{}, %{}", indices.0, updates.0),
        Op::Attention(Attention { kind, causal, operands }) => {
            write!(f, "{} ", kind.operation())?;
            write_list(f, operands.iter().map(|operand| format!("%{}", operand.0)))?;
            f.write_str(if *causal { " causal" } else { "" })
        }
        Op::CustomResult { call, result } => write!(f, "custom_result %{} {result}", call.0),
        // By their numbers in the graph's lists, which only the graph knows.
        Op::Custom { kernel, .. } => f.write_str(&kernel.name),
        Op::Scan { scan, .. } => f.write_str(&scan.body.name),
    }
}

fn write_conv(f: &mut Formatter<'_>, conv: ConvNode) -> fmt::Result {
    let ConvNode { kind, operands: [a, b], geometry } = conv;
    let ConvGeometry { stride, padding, dilation, groups } = geometry;
    let name = kind.operation();
    write!(f, "{name} %{}, %{} stride {stride:?} padding {padding:?} dilation {dilation:?} groups {groups}", a.0, b.0)
}

fn write_literal(f: &mut Formatter<'_>, literal: &Literal) -> fmt::Result {
    match literal {
        Literal::Bool(value) => write!(f, "{value}"),
        Literal::Int(value, _) => write!(f, "{value}"),
        Literal::Float(bits, _) => match f64::from_bits(*bits) {
            // Every NaN keeps its bits.
            value if value.is_nan() => write!(f, "nan({bits})"),
            value => write!(f, "{value:?}"),
        },
    }
}

fn write_coordinate(f: &mut Formatter<'_>, coordinate: &AxisIndex) -> fmt::Result {
    for (position, (axis, coefficient)) in coordinate.terms.iter().enumerate() {
        f.write_str(if position == 0 { "" } else { " + " })?;
        write!(f, "${axis}")?;
        if *coefficient != 1 {
            write!(f, "*{coefficient}")?;
        }
    }
    let offset = coordinate.offset.to_string();
    match (coordinate.terms.is_empty(), offset.strip_prefix('-')) {
        (true, _) => f.write_str(&offset)?,
        (false, _) if coordinate.offset.is(0) => {}
        (false, Some(rest)) => write!(f, " - {rest}")?,
        (false, None) => write!(f, " + {offset}")?,
    }
    if coordinate.divisor != 1 {
        write!(f, " over {}", coordinate.divisor)?;
    }
    Ok(())
}

fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace('\n', "\\n").replace('\r', "\\r").replace('\t', "\\t")
}

fn quote(text: &str) -> String {
    format!("\"{}\"", escape(text).replace('"', "\\\""))
}
