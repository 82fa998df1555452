//! How precisely products of `f32` are computed: a rewrite of the graph, before it is compiled.
//!
//! Matrix units multiply numbers of 16 bits. What is asked for is written into the graph, so that every device computes the
//! same, those without such a unit too.

use crate::dim::Shape;
use crate::dtype::DType;
use crate::graph::build::Builder;
use crate::graph::{BinaryOp, CompareOp, Graph, NodeId, Op, Scan, UnaryOp};
use crate::span::Result;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The precision of products of two `f32` tensors. What they are summed in is `f32` in each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MatmulPrecision {
    /// Operands are `f32`.
    #[default]
    Highest,
    /// Each operand is a sum of two `bf16` numbers, which together have 16 bits of mantissa; three products of four, as the one of both
    /// remainders is below what is kept. (`BF16_BF16_F32_X3` of StableHLO's `dot_algorithm`.)
    High,
    /// Operands are rounded to `bf16`, of 8 bits of mantissa.
    Medium,
}

impl MatmulPrecision {
    /// Every precision, the highest first.
    pub const ALL: [MatmulPrecision; 3] = [MatmulPrecision::Highest, MatmulPrecision::High, MatmulPrecision::Medium];

    /// `highest`, `high` or `medium`.
    pub const fn name(self) -> &'static str {
        match self {
            MatmulPrecision::Highest => "highest",
            MatmulPrecision::High => "high",
            MatmulPrecision::Medium => "medium",
        }
    }

    /// The precision of that name.
    pub fn parse(name: &str) -> Option<MatmulPrecision> {
        MatmulPrecision::ALL.into_iter().find(|precision| precision.name() == name)
    }
}

/// `graph` with its products of `f32`, those of its loops and of gradients among them, computed in that precision.
///
/// Convolutions stay as they are, and so do the kernels that it calls.
///
/// # Errors
///
/// What [`Builder`] says of a graph that is not verified.
pub fn with_matmul_precision(graph: Graph, precision: MatmulPrecision) -> Result<Graph> {
    if precision == MatmulPrecision::Highest {
        return Ok(graph);
    }
    // Nothing is shared that was not: equal outputs, for one, are buffers of their own.
    let mut products = Products { b: Builder::without_simplification(&graph.name), halves: BTreeMap::new() };
    let mut moved: Vec<NodeId> = Vec::with_capacity(graph.nodes.len());
    for (_, node) in graph.iter() {
        products.b.set_span(node.span);
        let new = match node.op.clone().map_operands(|operand| moved[operand.index()]) {
            Op::MatMul(a, b) if products.b.dtype(a) == DType::F32 => match precision {
                MatmulPrecision::Medium => products.of_upper_halves(a, b, &node.shape)?,
                _ => products.of_both_halves(a, b, &node.shape)?,
            },
            Op::Scan { scan, length, operands } => {
                let body = with_matmul_precision(scan.body.clone(), precision)?;
                let scan = Arc::new(Scan { body, ..(*scan).clone() });
                products.b.push(Op::Scan { scan, length, operands }, node.shape.clone(), node.dtype)
            }
            op => products.b.push(op, node.shape.clone(), node.dtype),
        };
        products.b.name(new, &node.name);
        moved.push(new);
    }
    for (kind, id) in &graph.outputs {
        products.b.output(kind.clone(), moved[id.index()]);
    }
    let Graph { nodes, outputs, .. } = products.b.finish();
    Ok(Graph { nodes, outputs, ..graph })
}

/// Which of the two numbers of `bf16` whose sum stands for one of `f32`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Half {
    /// The number itself, rounded.
    Upper,
    /// What that leaves, rounded.
    Lower,
}

/// Builds products of halves.
struct Products {
    b: Builder,
    /// By tensor, so that what several products read is rounded once.
    halves: BTreeMap<(NodeId, Half), NodeId>,
}

impl Products {
    /// `a x b` of rounded operands.
    fn of_upper_halves(&mut self, a: NodeId, b: NodeId, own: &Shape) -> Result<NodeId> {
        self.product((a, Half::Upper), (b, Half::Upper), own)
    }

    /// `a x b` but for what the lower halves of both give, the smaller terms first.
    fn of_both_halves(&mut self, a: NodeId, b: NodeId, own: &Shape) -> Result<NodeId> {
        let first = self.product((a, Half::Lower), (b, Half::Upper), own)?;
        let second = self.product((a, Half::Upper), (b, Half::Lower), own)?;
        let small = self.b.binary(BinaryOp::Add, first, second)?;
        // What is infinite is so by its upper half; times a lower half of zero it is NaN.
        let small = self.finite_or_zero(small, small)?;
        let large = self.product((a, Half::Upper), (b, Half::Upper), own)?;
        self.b.binary(BinaryOp::Add, small, large)
    }

    /// Summed in `f32`, which the result is not rounded from.
    fn product(&mut self, a: (NodeId, Half), b: (NodeId, Half), own: &Shape) -> Result<NodeId> {
        let (a, b) = (self.half(a.0, a.1)?, self.half(b.0, b.1)?);
        Ok(self.b.push(Op::MatMul(a, b), own.clone(), DType::F32))
    }

    /// A half of each element of `x`. Of a transposed or repeated tensor it is a view of the tensor's own half.
    fn half(&mut self, x: NodeId, half: Half) -> Result<NodeId> {
        if let Some(&known) = self.halves.get(&(x, half)) {
            return Ok(known);
        }
        let shape = self.b.shape(x).clone();
        let op = self.b.node(x).op.clone();
        let own = match op {
            Op::View { source, .. } | Op::Reshape(source) if self.is_whole(source, &shape) => {
                let of_source = self.half(source, half)?;
                self.b.push(op.map_operands(|_| of_source), shape, DType::BF16)
            }
            _ => match half {
                Half::Upper => self.b.cast(x, DType::BF16)?,
                Half::Lower => {
                    let upper = self.half(x, Half::Upper)?;
                    let upper = self.b.cast(upper, DType::F32)?;
                    let rest = self.b.binary(BinaryOp::Sub, x, upper)?;
                    let rest = self.finite_or_zero(upper, rest)?;
                    self.b.cast(rest, DType::BF16)?
                }
            },
        };
        self.halves.insert((x, half), own);
        Ok(own)
    }

    /// Whether a view of that shape is likely no part of `source` alone.
    fn is_whole(&self, source: NodeId, shape: &Shape) -> bool {
        shape.elements().estimate() >= self.b.shape(source).elements().estimate()
    }

    /// `x` where `tested` is finite, else 0.
    fn finite_or_zero(&mut self, tested: NodeId, x: NodeId) -> Result<NodeId> {
        let shape = self.b.shape(x).clone();
        let infinity = self.b.full(f64::INFINITY, &shape, DType::F32);
        let zero = self.b.full(0.0, &shape, DType::F32);
        let size = self.b.unary(UnaryOp::Abs, tested)?;
        let finite = self.b.compare(CompareOp::Lt, size, infinity)?;
        self.b.select(finite, x, zero)
    }
}
