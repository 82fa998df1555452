//! Integers made of coordinates and sizes alone.
//!
//! Kernels write index arithmetic as it stands, signed: it is checked that every address fits. The same operations on a
//! user's numbers wrap, which signed arithmetic of OpenCL C does not, so that they are written in the unsigned type unless
//! the constants show that nothing overflows. (Arithmetic on what a kernel loads is never taken for index arithmetic.)

use crate::dim::Dim;
use crate::dtype::{DType, Literal};
use crate::graph::{BinaryOp, Graph, NodeId, Op, UnaryOp};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// The smallest and the largest value.
type Interval = (i64, i64);

const FULL: Interval = (i32::MIN as i64, i32::MAX as i64);

/// What is known of the values of a graph's nodes. Each is looked at once, however many are made of it.
#[derive(Default)]
pub(super) struct Ranges(FxHashMap<NodeId, Option<Interval>>);

impl Ranges {
    /// Whether the `I32` sum, difference, product or negation `id` looks like index arithmetic and may exceed its type. Always of
    /// one graph.
    pub(super) fn may_wrap(&mut self, graph: &Graph, id: NodeId) -> bool {
        let node = &graph[id];
        let arithmetic = matches!(
            node.op,
            Op::Binary(BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul, ..) | Op::Unary(UnaryOp::Neg, _)
        );
        arithmetic && node.dtype == DType::I32 && self.before_wrapping(graph, id).is_some_and(|range| !fits(range))
    }

    /// The range before wrapping, those of the operands first: a chain of operations may be longer than the stack.
    fn before_wrapping(&mut self, graph: &Graph, id: NodeId) -> Option<Interval> {
        let Ranges(known) = self;
        let (mut below, mut left) = (BTreeSet::new(), vec![id]);
        while let Some(id) = left.pop() {
            graph[id].op.visit_operands(|operand| {
                let made =
                    graph[operand].op.is_elementwise() || matches!(graph[operand].op, Op::View { .. } | Op::Reshape(_));
                if made && !known.contains_key(&operand) && below.insert(operand) {
                    left.push(operand);
                }
            });
        }
        for operand in below {
            range(graph, operand, known);
        }
        exact(graph, id, known)
    }
}

fn fits((low, high): Interval) -> bool {
    FULL.0 <= low && high <= FULL.1
}

/// The range of a node's value; `None` if it is made of anything but coordinates, sizes and constants.
fn range(graph: &Graph, id: NodeId, known: &mut FxHashMap<NodeId, Option<Interval>>) -> Option<Interval> {
    if let Some(range) = known.get(&id) {
        return *range;
    }
    // What exceeds the type wraps, to any of its values.
    let range = exact(graph, id, known).map(|range| if fits(range) { range } else { FULL });
    known.insert(id, range);
    range
}

/// The range before wrapping.
fn exact(graph: &Graph, id: NodeId, known: &mut FxHashMap<NodeId, Option<Interval>>) -> Option<Interval> {
    let node = &graph[id];
    let mut of = |operand: NodeId| range(graph, operand, known);
    let below = |size: &Dim| size.as_constant().map_or(FULL.1 - 1, |size| size - 1).max(0);
    Some(match &node.op {
        Op::Constant(Literal::Int(value, _)) => (*value, *value),
        Op::Constant(Literal::Bool(_)) => (0, 1),
        // A size fits the type, and a coordinate is less.
        Op::Iota { axis } => (0, below(&node.shape[*axis])),
        // This one need be the size of nothing.
        Op::Size(_) => FULL,
        Op::Reshape(a) => of(*a)?,
        Op::View { source, .. } => union(of(*source)?, (0, 0)),
        Op::Select(_, a, b) => union(of(*a)?, of(*b)?),
        Op::Compare(_, a, b) => of(*a).and(of(*b)).map(|_| (0, 1))?,
        Op::Cast(a) if graph[*a].dtype.is_float() => return None,
        Op::Cast(a) => match (of(*a)?, node.dtype) {
            (range, DType::I32 | DType::I64) => range,
            _ => FULL,
        },
        Op::Unary(op, a) => match (op, of(*a)?) {
            (UnaryOp::Neg, (low, high)) => (-high, -low),
            (UnaryOp::Sign, _) => (-1, 1),
            (_, (low, high)) => union((low, high), (-high, -low)),
        },
        Op::Binary(op, a, b) => {
            let (x, y) = (of(*a)?, of(*b)?);
            match op {
                BinaryOp::Add => (x.0 + y.0, x.1 + y.1),
                BinaryOp::Sub => (x.0 - y.1, x.1 - y.0),
                BinaryOp::Mul => {
                    let corners = [x.0 * y.0, x.0 * y.1, x.1 * y.0, x.1 * y.1];
                    corners.iter().fold((corners[0], corners[0]), |range, corner| union(range, (*corner, *corner)))
                }
                BinaryOp::Max => (x.0.max(y.0), x.1.max(y.1)),
                BinaryOp::Min => (x.0.min(y.0), x.1.min(y.1)),
                // No further from zero than the dividend, on either side.
                BinaryOp::Div | BinaryOp::Rem => union(x, (-x.1, -x.0)),
                _ => FULL,
            }
        }
        _ => return None,
    })
}

fn union(a: Interval, b: Interval) -> Interval {
    (a.0.min(b.0), a.1.max(b.1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::text::parse;

    /// Whether the last of these nodes over `i32[N]` may wrap.
    fn wraps(nodes: &str) -> bool {
        let graph = parse(&format!("graph g\n{nodes}\n")).unwrap();
        let last = NodeId(graph.nodes.len() as u32 - 1);
        Ranges::default().may_wrap(&graph, last)
    }

    #[test]
    fn what_is_known_is_not_looked_for_again() {
        let graph = parse(
            "graph g\n%0 = iota 0 : i32[N]\n%1 = mul %0, %0 : i32[N]\n%2 = neg %1 : i32[N]\n%3 = neg %2 : i32[N]\n",
        );
        let (graph, mut ranges) = (graph.unwrap(), Ranges::default());
        assert!(ranges.may_wrap(&graph, NodeId(3)));
        assert_eq!(ranges.0.get(&NodeId(2)), Some(&Some(FULL)));
        ranges.0.insert(NodeId(2), Some((0, 1)));
        assert!(!ranges.may_wrap(&graph, NodeId(3)));
    }

    #[test]
    fn what_constants_bound_is_left_as_it_stands() {
        let coordinate = |rest: &str| wraps(&format!("%0 = iota 0 : i32[N]\n%1 = constant 100000 : i32[N]\n{rest}"));
        assert!(coordinate("%2 = mul %0, %1 : i32[N]"));
        assert!(coordinate("%2 = add %0, %1 : i32[N]"));
        assert!(coordinate("%2 = neg %0 : i32[N]\n%3 = mul %2, %1 : i32[N]"));
        assert!(coordinate("%2 = cast %0 : u32[N]\n%3 = cast %2 : i32[N]\n%4 = add %3, %1 : i32[N]"));
        assert!(!coordinate("%2 = sub %0, %1 : i32[N]"), "at least -100000");
        assert!(!coordinate("%2 = rem %0, %1 : i32[N]\n%3 = neg %2 : i32[N]"));
        assert!(!coordinate("%2 = min %0, %1 : i32[N]\n%3 = add %2, %1 : i32[N]"));
        // The place within a window of 3 by 3.
        let place = "%0 = iota 1 : i32[N, 3, 3]\n%1 = constant 3 : i32[N, 3, 3]\n%2 = mul %0, %1 : i32[N, 3, 3]\n\
                     %3 = iota 2 : i32[N, 3, 3]\n%4 = add %2, %3 : i32[N, 3, 3]";
        assert!(!wraps(place));
        // Nobody takes this for index arithmetic.
        assert!(!wraps("%0 = input argument 0 : i32[N]\n%1 = iota 0 : i32[N]\n%2 = mul %0, %1 : i32[N]"));
    }
}
