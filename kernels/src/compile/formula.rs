//! What a kernel computes, as a formula in the user's words: the comment above it and its label in reports.

use super::buffers::{Buffers, operation};
use crate::dim::Dim;
use crate::graph::{AxisIndex, BinaryOp, CompareOp, Graph, NodeId, Op};

/// Characters of a line of comment.
const LINE: usize = 110;
/// Lines of one formula at most: what does not fit is left out where it is nested deepest.
const LINES: usize = 4;

/// `name = formula` of a member, as lines of a comment.
pub(super) fn formula(graph: &Graph, buffers: &Buffers, id: NodeId) -> Vec<String> {
    lines(fitting(graph, buffers, id, Some(&buffers.name(id)), LINE * LINES))
}

/// The same on one line, for lists of steps.
pub(super) fn label(graph: &Graph, buffers: &Buffers, id: NodeId) -> String {
    fitting(graph, buffers, id, Some(&buffers.name(id)), LINE)
}

/// The formula of an operand that no buffer holds, as lines of a comment; without a name if the user gave it none.
pub(super) fn operand_formula(graph: &Graph, buffers: &Buffers, id: NodeId) -> Vec<String> {
    let mut named = id;
    while let (Op::View { source, .. } | Op::Reshape(source), true) = (&graph[named].op, graph[named].name.is_empty()) {
        named = *source;
    }
    let name = Some(graph[named].name.as_str()).filter(|name| !name.is_empty());
    lines(fitting(graph, buffers, named, name, LINE * LINES))
}

/// The formula with as much of what is nested as `width` characters hold; `…` stands for whole operands.
fn fitting(graph: &Graph, buffers: &Buffers, id: NodeId, name: Option<&str>, width: usize) -> String {
    let written = |depth: u32| {
        let formula = expression(graph, buffers, id, true, depth).0;
        name.map_or(formula.clone(), |name| format!("{name} = {formula}"))
    };
    let mut text = written(1);
    for depth in 2.. {
        if !text.contains('…') {
            break;
        }
        let deeper = written(depth);
        if deeper.chars().count() > width {
            break;
        }
        text = deeper;
    }
    text
}

/// Lines that end between words; those after the first are indented.
fn lines(text: String) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let line = lines.last().map_or("", String::as_str);
        if !line.trim_start().is_empty() && line.chars().count() + 1 + word.chars().count() > LINE {
            lines.push(format!("    {word}"));
        } else if let Some(line) = lines.last_mut() {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines
}

/// How tightly a formula's outermost operator binds. Sums, comparisons and choices are always in parentheses.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Binding {
    Atom,
    Product,
    Quotient,
    /// A size such as `N*64 + 3`.
    Sum,
}

/// A formula and its outermost operator.
struct Text(String, Binding);

impl Text {
    fn atom(text: impl Into<String>) -> Self {
        Text(text.into(), Binding::Atom)
    }

    /// In parentheses where its operator is one of these.
    fn unless(self, loose: &[Binding]) -> String {
        if loose.contains(&self.1) { format!("({})", self.0) } else { self.0 }
    }
}

fn expression(graph: &Graph, buffers: &Buffers, id: NodeId, root: bool, depth: u32) -> Text {
    let node = &graph[id];
    if !root && !node.name.is_empty() {
        return Text::atom(&node.name);
    }
    if !root && let Some(name) = buffers.stored(id) {
        return Text::atom(name);
    }
    let leaf = matches!(node.op, Op::Input(_) | Op::Size(_) | Op::Constant(_) | Op::Iota { .. });
    // What only moves elements is not written, and nests nothing.
    let moved = matches!(node.op, Op::View { .. } | Op::Reshape(_) | Op::Cast(_));
    if depth == 0 && !leaf && !moved {
        return Text::atom("…");
    }
    let inner = |id: NodeId| expression(graph, buffers, id, false, if moved { depth } else { depth - 1 });
    match &node.op {
        Op::Input(_) => Text::atom(&node.name),
        Op::Size(dim) => size(dim),
        Op::Constant(literal) => Text::atom(literal.as_f64().to_string()),
        // A coordinate is that of the axis that the view has for it.
        Op::View { source, index } if matches!(graph[*source].op, Op::Iota { .. }) => {
            let Op::Iota { axis } = graph[*source].op else { return inner(*source) };
            Text::atom(format!("index({})", index.get(axis).and_then(AxisIndex::as_axis).unwrap_or(axis)))
        }
        Op::View { source, .. } | Op::Reshape(source) | Op::Cast(source) => inner(*source),
        Op::Iota { axis } => Text::atom(format!("index({axis})")),
        Op::Reduce { op, source, axes } if axes.len() < graph[*source].shape.rank() => {
            let axes: Vec<String> = axes.iter().map(ToString::to_string).collect();
            Text::atom(format!("{}({} over {})", op.name(), inner(*source).0, axes.join(", ")))
        }
        Op::Binary(op, a, b) => binary(*op, inner(*a), inner(*b)),
        Op::Compare(op, a, b) => {
            let sign = match op {
                CompareOp::Eq => "==",
                CompareOp::Ne => "!=",
                CompareOp::Lt => "<",
                CompareOp::Le => "<=",
                CompareOp::Gt => ">",
                CompareOp::Ge => ">=",
            };
            Text::atom(format!("({} {sign} {})", inner(*a).0, inner(*b).0))
        }
        Op::Select(c, a, b) => Text::atom(format!("({} ? {} : {})", inner(*c).0, inner(*a).0, inner(*b).0)),
        op => {
            let operands: Vec<String> = op.operands().into_iter().map(|operand| inner(operand).0).collect();
            Text::atom(format!("{}({})", operation(op), operands.join(", ")))
        }
    }
}

/// Operators of one rank are read from the left: what stands on the right of a division keeps its parentheses.
fn binary(op: BinaryOp, a: Text, b: Text) -> Text {
    use Binding::{Product, Quotient, Sum};
    match op {
        BinaryOp::Add => Text::atom(format!("({} + {})", a.0, b.0)),
        BinaryOp::Sub => Text::atom(format!("({} - {})", a.0, b.unless(&[Sum]))),
        BinaryOp::Mul => Text(format!("{} * {}", a.unless(&[Sum]), b.unless(&[Sum, Quotient])), Product),
        BinaryOp::Div => Text(format!("{} / {}", a.unless(&[Sum]), b.unless(&[Sum, Product, Quotient])), Quotient),
        op => Text::atom(format!("{}({}, {})", op.name(), a.0, b.0)),
    }
}

fn size(dim: &Dim) -> Text {
    let (terms, factors) = (dim.terms().count(), dim.terms().map(|(factors, _)| factors.len()).sum::<usize>());
    let scaled = dim.terms().any(|(factors, coefficient)| !factors.is_empty() && coefficient != 1);
    let binding = match (terms, factors) {
        (0 | 1, 0 | 1) if !scaled => Binding::Atom,
        (0 | 1, _) => Binding::Product,
        _ => Binding::Sum,
    };
    Text(dim.to_string(), binding)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_formulas_go_on_in_the_next_line() {
        let short = "y = max(x, 0)".to_string();
        assert_eq!(lines(short.clone()), [short]);
        let long = format!("y = {}", vec!["some_operand"; 20].join(" + "));
        let broken = lines(long.clone());
        assert!(broken.len() == 3 && broken.iter().all(|line| line.chars().count() <= LINE), "{broken:#?}");
        assert!(broken[1..].iter().all(|line| line.starts_with("    ")), "{broken:#?}");
        let joined: Vec<&str> = broken.iter().map(|line| line.trim_start()).collect();
        assert_eq!(joined.join(" "), long);
    }

    #[test]
    fn what_stands_under_a_division_keeps_together() {
        let c = || size(&Dim::symbol("C"));
        let product = || size(&(Dim::symbol("C") * Dim::symbol("N")));
        let scaled = || size(&(Dim::symbol("C") * Dim::constant(2)));
        let sum = || size(&(Dim::symbol("C") + Dim::constant(1)));
        let x = || Text::atom("x");
        let cases = [
            (binary(BinaryOp::Div, x(), c()), "x / C"),
            (binary(BinaryOp::Div, x(), product()), "x / (C*N)"),
            (binary(BinaryOp::Div, x(), scaled()), "x / (C*2)"),
            (binary(BinaryOp::Div, x(), sum()), "x / (C + 1)"),
            (binary(BinaryOp::Mul, sum(), product()), "(C + 1) * C*N"),
            (binary(BinaryOp::Sub, x(), sum()), "(x - (C + 1))"),
            (binary(BinaryOp::Div, binary(BinaryOp::Mul, x(), c()), c()), "x * C / C"),
            (binary(BinaryOp::Div, x(), binary(BinaryOp::Mul, x(), c())), "x / (x * C)"),
            (binary(BinaryOp::Div, x(), binary(BinaryOp::Div, x(), c())), "x / (x / C)"),
            (binary(BinaryOp::Mul, x(), binary(BinaryOp::Div, x(), c())), "x * (x / C)"),
        ];
        for (Text(text, _), expected) in cases {
            assert_eq!(text, expected);
        }
    }
}
