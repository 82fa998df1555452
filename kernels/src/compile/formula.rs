//! What a kernel computes, as a formula in the user's words: the comment above it and its label in reports.

use super::buffers::{Buffers, operation};
use crate::dim::Dim;
use crate::graph::{BinaryOp, CompareOp, Graph, NodeId, Op};

/// `name = formula` of a member, cut at about `width` characters.
pub(super) fn formula(graph: &Graph, buffers: &Buffers, id: NodeId, width: usize) -> String {
    cut(format!("{} = {}", buffers.name(id), expression(graph, buffers, id, true, 12).0), width)
}

/// The same of an operand that no buffer holds; without a name if the user gave it none.
pub(super) fn operand_formula(graph: &Graph, buffers: &Buffers, id: NodeId, width: usize) -> String {
    let mut named = id;
    while let (Op::View { source, .. } | Op::Reshape(source), true) = (&graph[named].op, graph[named].name.is_empty()) {
        named = *source;
    }
    let formula = expression(graph, buffers, named, true, 12).0;
    match graph[named].name.as_str() {
        "" => cut(formula, width),
        name => cut(format!("{name} = {formula}"), width),
    }
}

fn cut(text: String, width: usize) -> String {
    if text.chars().count() <= width {
        return text;
    }
    let cut: String = text.chars().take(width.saturating_sub(1)).collect();
    format!("{cut}…")
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
    if depth == 0 {
        return Text::atom("…");
    }
    let inner = |id: NodeId| expression(graph, buffers, id, false, depth - 1);
    match &node.op {
        Op::Input(_) => Text::atom(&node.name),
        Op::Size(dim) => size(dim),
        Op::Constant(literal) => Text::atom(literal.as_f64().to_string()),
        Op::View { source, .. } | Op::Reshape(source) | Op::Cast(source) => inner(*source),
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
