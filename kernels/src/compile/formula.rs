//! What a kernel computes, as a formula in the user's words: the comment above it and its label in reports.

use super::buffers::{Buffers, operation};
use crate::graph::{BinaryOp, CompareOp, Graph, NodeId, Op};

/// `name = formula` of a member, cut at about `width` characters.
pub(super) fn formula(graph: &Graph, buffers: &Buffers, id: NodeId, width: usize) -> String {
    cut(format!("{} = {}", buffers.name(id), expression(graph, buffers, id, true, 12)), width)
}

/// The same of an operand that no buffer holds; without a name if the user gave it none.
pub(super) fn operand_formula(graph: &Graph, buffers: &Buffers, id: NodeId, width: usize) -> String {
    let mut named = id;
    while let (Op::View { source, .. } | Op::Reshape(source), true) = (&graph[named].op, graph[named].name.is_empty()) {
        named = *source;
    }
    let formula = expression(graph, buffers, named, true, 12);
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

fn expression(graph: &Graph, buffers: &Buffers, id: NodeId, root: bool, depth: u32) -> String {
    let node = &graph[id];
    if !root && !node.name.is_empty() {
        return node.name.clone();
    }
    if !root && let Some(name) = buffers.stored(id) {
        return name.to_string();
    }
    if depth == 0 {
        return "…".into();
    }
    let inner = |id: NodeId| expression(graph, buffers, id, false, depth - 1);
    match &node.op {
        Op::Input(_) => node.name.clone(),
        Op::Size(dim) => dim.to_string(),
        Op::Constant(literal) => format!("{}", literal.as_f64()),
        Op::View { source, .. } | Op::Reshape(source) | Op::Cast(source) => inner(*source),
        Op::Binary(op, a, b) => match op {
            BinaryOp::Add => format!("({} + {})", inner(*a), inner(*b)),
            BinaryOp::Sub => format!("({} - {})", inner(*a), inner(*b)),
            BinaryOp::Mul => format!("{} * {}", inner(*a), inner(*b)),
            BinaryOp::Div => format!("{} / {}", inner(*a), inner(*b)),
            op => format!("{}({}, {})", op.name(), inner(*a), inner(*b)),
        },
        Op::Compare(op, a, b) => {
            let sign = match op {
                CompareOp::Eq => "==",
                CompareOp::Ne => "!=",
                CompareOp::Lt => "<",
                CompareOp::Le => "<=",
                CompareOp::Gt => ">",
                CompareOp::Ge => ">=",
            };
            format!("({} {sign} {})", inner(*a), inner(*b))
        }
        Op::Select(c, a, b) => format!("({} ? {} : {})", inner(*c), inner(*a), inner(*b)),
        op => {
            let operands: Vec<String> = op.operands().into_iter().map(inner).collect();
            format!("{}({})", operation(op), operands.join(", "))
        }
    }
}
