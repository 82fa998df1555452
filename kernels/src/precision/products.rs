//! Products and convolutions of halves of their operands.

use crate::dim::Shape;
use crate::dtype::DType;
use crate::graph::build::Builder;
use crate::graph::{Attention, BinaryOp, CompareOp, Graph, Node, NodeId, Op, Scan, UnaryOp};
use crate::span::Result;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The precision of products and convolutions of two `f32` tensors. What they are summed in is `f32` in each.
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

/// Whether a node is attention of which a precision is asked.
pub(super) fn attends(node: &Node) -> bool {
    matches!(node.op, Op::Attention(_)) && node.dtype == DType::F32
}

/// `graph` with its products and convolutions of `f32`, and attention, of halves of their operands, and with what `of_body` makes of the
/// bodies of its loops.
pub(crate) fn of_halves(
    graph: Graph,
    precision: MatmulPrecision,
    of_body: &dyn Fn(Graph) -> Result<Graph>,
) -> Result<Graph> {
    // Nothing is shared that was not: equal outputs, for one, are buffers of their own.
    let mut products = Products { b: Builder::without_simplification(&graph.name), halves: BTreeMap::new() };
    let mut moved: Vec<NodeId> = Vec::with_capacity(graph.nodes.len());
    for (_, node) in graph.iter() {
        products.b.set_span(node.span);
        let op = node.op.clone().map_operands(|operand| moved[operand.index()]);
        let factors = op.factors().filter(|[a, _]| products.b.dtype(*a) == DType::F32);
        let new = match op {
            Op::Attention(attention) if attends(node) => {
                let attention = products.rounded(attention)?;
                products.b.push(Op::Attention(attention), node.shape.clone(), node.dtype)
            }
            op if factors.is_some() => products.of_halves(&op, &node.shape, precision)?,
            Op::Scan { scan, length, operands } => {
                let body = of_body(scan.body.clone())?;
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
    /// The product or convolution `op` of halves of its operands: of the upper ones, or of all but what both lower ones give, the
    /// smaller terms first.
    fn of_halves(&mut self, op: &Op, own: &Shape, precision: MatmulPrecision) -> Result<NodeId> {
        if precision == MatmulPrecision::Medium {
            return self.product(op, [Half::Upper, Half::Upper], own);
        }
        let first = self.product(op, [Half::Lower, Half::Upper], own)?;
        let second = self.product(op, [Half::Upper, Half::Lower], own)?;
        let small = self.b.binary(BinaryOp::Add, first, second)?;
        // What is infinite is so by its upper half; times a lower half of zero it is NaN.
        let small = self.finite_or_zero(small, small)?;
        let large = self.product(op, [Half::Upper, Half::Upper], own)?;
        self.b.binary(BinaryOp::Add, small, large)
    }

    /// The same of rounded matrices.
    fn rounded(&mut self, mut attention: Attention) -> Result<Attention> {
        let matrices = attention.kind.matrices();
        for operand in &mut attention.operands[..matrices] {
            if self.b.dtype(*operand) == DType::F32 {
                *operand = self.half(*operand, Half::Upper)?;
            }
        }
        Ok(attention)
    }

    /// `op` of those halves of its operands, summed in `f32`, which the result is not rounded from.
    fn product(&mut self, op: &Op, halves: [Half; 2], own: &Shape) -> Result<NodeId> {
        let mut factors = Vec::new();
        for (operand, half) in op.operands().into_iter().zip(halves) {
            factors.push(self.half(operand, half)?);
        }
        let mut factors = factors.into_iter();
        let op = op.clone().map_operands(|operand| factors.next().unwrap_or(operand));
        Ok(self.b.push(op, own.clone(), DType::F32))
    }

    /// A half of each element of `x`. Of a transposed or repeated tensor it is a view of the tensor's own half.
    fn half(&mut self, x: NodeId, half: Half) -> Result<NodeId> {
        if let Some(&known) = self.halves.get(&(x, half)) {
            return Ok(known);
        }
        let shape = self.b.shape(x).clone();
        let op = self.b.node(x).op.clone();
        let own = match op {
            Op::View { source, .. } | Op::Reshape(source) if self.b.is_whole(source, &shape) => {
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
