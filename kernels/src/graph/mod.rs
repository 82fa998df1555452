//! The tensor graph: pure nodes in one arena, operands pointing backwards.
//!
//! # Semantics
//!
//! - A [`Graph`] is a list of nodes; a node's operands have smaller ids, so a forward scan is a topological order and
//!   autodiff is a reverse scan. Nodes have no side effects; a state update (batch-norm statistics, say) is an output.
//! - Shapes and element types of operands are explicit: [`Op::Binary`] wants equal shapes and types, broadcasting is an
//!   [`Op::View`]. The [`build::Builder`] inserts these and is the only writer of graphs.
//! - [`Op::View`] reads `source[index(i)]`; each source coordinate is an [`AxisIndex`], affine in the output
//!   coordinates. It expresses broadcast, transposition, slicing, flipping, padding, window extraction, and their
//!   adjoints. Outside the source (and where the division of an `AxisIndex` has a remainder) it reads zero.
//! - Integer arithmetic wraps; integer division by zero gives zero; float arithmetic is IEEE and propagates NaN:
//!   `max(NaN, x)` and `min(NaN, x)` are NaN, `relu(NaN)` is NaN.
//! - [`Op::Reduce`] over no elements gives the neutral element (0, 1, -inf, +inf); `ArgMax` and `ArgMin` give the
//!   first position in row-major order over the reduced axes (0 over no elements); NaN counts as the extreme, so
//!   `x[argmax(x)]` is `max(x)` always. The order of a float sum is not fixed.
//! - [`Op::Cast`] to the operand's own type is the identity with zero gradient ([`build::Builder::detach`]).
//! - [`Op::Gather`] with an index out of range reads zeros and [`Op::ScatterAdd`] leaves such an update out. Updates of one row are
//!   added in an order that depends on the indices and the kind of device alone.

mod agreement;
mod attention;
mod batch;
pub mod build;
mod conv;
mod custom;
mod inline;
#[cfg(feature = "interp")]
pub mod interp;
mod limit;
mod node_id;
pub mod open;
mod operator;
mod origin;
mod scan;
pub mod text;
pub mod verify;
mod window;

use crate::dim::{Dim, Shape};
use crate::dtype::{DType, Literal};
use crate::span::Span;
pub use agreement::Agreement;
pub use attention::{Attention, AttentionKind, AttentionSizes};
pub use batch::Batch;
pub use conv::{ConvKind, ConvNode, ConvShapes};
pub use custom::{Custom, CustomInput, CustomResult, Derivative};
pub use limit::Limit;
pub use node_id::NodeId;
pub use operator::{BinaryOp, CompareOp, ReduceOp, UnaryOp};
pub use origin::Origin;
pub(crate) use scan::{lifted, part_of_round, round, stacked};
use serde::{Deserialize, Serialize};
use std::hash::{Hash, Hasher};
use std::sync::Arc;
pub use window::{ConvGeometry, Window};

/// One source coordinate of a [`Op::View`]: `(sum(coefficient * out[axis]) + offset) / divisor`.
///
/// With `divisor > 1` the element exists only where the division is exact: this is how the adjoint of a strided window
/// reads back.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct AxisIndex {
    /// `(output axis, coefficient)`, axes ascending and distinct, coefficients non-zero.
    pub terms: Vec<(usize, i64)>,
    /// Added to the sum; may be symbolic (a slice from the end, a flip).
    pub offset: Dim,
    /// At least 1.
    pub divisor: u64,
}

impl AxisIndex {
    /// The output coordinate `axis` itself.
    pub fn axis(axis: usize) -> Self {
        AxisIndex { terms: vec![(axis, 1)], offset: Dim::constant(0), divisor: 1 }
    }

    /// The fixed coordinate `value`.
    pub fn fixed(value: impl Into<Dim>) -> Self {
        AxisIndex { terms: Vec::new(), offset: value.into(), divisor: 1 }
    }

    /// Whether this is just one output axis, and which.
    pub fn as_axis(&self) -> Option<usize> {
        match self.terms.as_slice() {
            [(axis, 1)] if self.divisor == 1 && self.offset.is(0) => Some(*axis),
            _ => None,
        }
    }
}

/// The last position that an argument or a scalar may have.
pub const LARGEST_POSITION: usize = u16::MAX as usize;

/// What a caller supplies and how.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum InputKind {
    /// An argument of the user's function, by position.
    Argument(usize),
    /// A trainable parameter; the node's name is its path (`hidden.weight`).
    Parameter,
    /// State that is not trained (running statistics); the node's name is its path.
    State,
    /// A number that changes from call to call (learning rate, random seed), by position; shape `[]`.
    Scalar(usize),
    /// What a loop carries, by a number of its own, while the loop's body is built: no finished graph has one.
    Carried(usize),
}

/// What a node computes; `NodeId`s are operands.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// A tensor the caller supplies.
    Input(InputKind),
    /// The same value everywhere.
    Constant(Literal),
    /// The coordinate along `axis`, as a number of the node's type.
    Iota {
        /// Which coordinate.
        axis: usize,
    },
    /// A size, as a number of the node's type; shape `[]`.
    Size(Dim),
    /// Elementwise function of one operand.
    Unary(UnaryOp, NodeId),
    /// Elementwise function of two operands of equal shape and type.
    Binary(BinaryOp, NodeId, NodeId),
    /// Elementwise comparison of two operands of equal shape and type; the result is `Bool`.
    Compare(CompareOp, NodeId, NodeId),
    /// `condition ? then : otherwise`, elementwise; `condition` is `Bool`.
    Select(NodeId, NodeId, NodeId),
    /// The operand converted to the node's type; float to integer truncates toward zero and saturates.
    Cast(NodeId),
    /// Uniform numbers in [0, 1): Philox4x32-10 with key `(seed, stream)` and the element's row-major position as
    /// counter. `seed` is a `U32` scalar. The same on every device.
    Random {
        /// A `U32` scalar.
        seed: NodeId,
        /// Separates the random nodes of one graph.
        stream: u32,
    },
    /// `out[i] = source[index(i)]`, zero outside the source; see the module's notes.
    View {
        /// What is read.
        source: NodeId,
        /// One coordinate per source axis.
        index: Vec<AxisIndex>,
    },
    /// The same elements in row-major order under another shape.
    Reshape(NodeId),
    /// Reduction over `axes`, which disappear from the shape.
    Reduce {
        /// How elements combine.
        op: ReduceOp,
        /// What is reduced.
        source: NodeId,
        /// Ascending and distinct.
        axes: Vec<usize>,
    },
    /// `[batch.., m, k] x [batch.., k, n] -> [batch.., m, n]`, sums in the compute type.
    MatMul(NodeId, NodeId),
    /// Cross-correlation, `input [n, c, h, w]`, `weight [o, c/groups, kh, kw]`, `-> [n, o, oh, ow]`.
    Conv2d {
        /// `[n, c, h, w]`.
        input: NodeId,
        /// `[o, c/groups, kh, kw]`.
        weight: NodeId,
        /// Stride and so on.
        geometry: ConvGeometry,
    },
    /// The adjoint of `Conv2d` in its input: `grad [n, o, oh, ow]`, `weight`, `-> [n, c, h, w]` (the node's shape).
    Conv2dInputGrad {
        /// `[n, o, oh, ow]`.
        grad: NodeId,
        /// `[o, c/groups, kh, kw]`.
        weight: NodeId,
        /// That of the forward convolution.
        geometry: ConvGeometry,
    },
    /// The adjoint of `Conv2d` in its weight: `input`, `grad`, `-> [o, c/groups, kh, kw]` (the node's shape).
    Conv2dWeightGrad {
        /// `[n, c, h, w]`.
        input: NodeId,
        /// `[n, o, oh, ow]`.
        grad: NodeId,
        /// That of the forward convolution.
        geometry: ConvGeometry,
    },
    /// Rows by number: `source [r, rest..]`, `indices [i..]` (`I32` or `U32`), `-> [i.., rest..]`.
    Gather {
        /// `[r, rest..]`.
        source: NodeId,
        /// `[i..]`.
        indices: NodeId,
    },
    /// The adjoint of `Gather`: zeros `[r, rest..]` (the node's shape) with `updates [i.., rest..]` added at `indices`.
    ScatterAdd {
        /// `[i..]`.
        indices: NodeId,
        /// `[i.., rest..]`.
        updates: NodeId,
    },
    /// Attention or one of its gradients; the node is its first result.
    Attention(Attention),
    /// A call of a kernel that a user has written; the node is its first result.
    Custom {
        /// What is called.
        kernel: Arc<Custom>,
        /// What its symbols are here.
        sizes: Vec<Dim>,
        /// An operand for each of its inputs. A number is a scalar input, a constant or a size.
        operands: Vec<NodeId>,
    },
    /// A loop with carried values; the node is its first result.
    Scan {
        /// The body.
        scan: Arc<Scan>,
        /// How many rounds there are.
        length: Dim,
        /// An operand for each of the body's arguments.
        operands: Vec<NodeId>,
    },
    /// Another result of an attention, a call or a loop.
    CustomResult {
        /// The attention, call or loop.
        call: NodeId,
        /// Which result, from 1 on.
        result: usize,
    },
}

impl Op {
    /// Whether this is an attention, the call of a user's kernel or a loop: the first of several results, which are of any element
    /// type.
    pub(crate) fn is_call(&self) -> bool {
        matches!(self, Op::Attention(_) | Op::Custom { .. } | Op::Scan { .. })
    }

    /// Calls `visit` for every operand, in order.
    pub fn visit_operands(&self, mut visit: impl FnMut(NodeId)) {
        match self {
            Op::Input(_) | Op::Constant(_) | Op::Iota { .. } | Op::Size(_) => {}
            Op::Unary(_, a) | Op::Cast(a) | Op::Reshape(a) => visit(*a),
            Op::Random { seed, .. } => visit(*seed),
            Op::View { source, .. } | Op::Reduce { source, .. } => visit(*source),
            Op::Binary(_, a, b) | Op::Compare(_, a, b) | Op::MatMul(a, b) => [*a, *b].into_iter().for_each(visit),
            Op::Select(a, b, c) => [*a, *b, *c].into_iter().for_each(visit),
            Op::Conv2d { input, weight, .. } => [*input, *weight].into_iter().for_each(visit),
            Op::Conv2dInputGrad { grad, weight, .. } => [*grad, *weight].into_iter().for_each(visit),
            Op::Conv2dWeightGrad { input, grad, .. } => [*input, *grad].into_iter().for_each(visit),
            Op::Gather { source, indices } => [*source, *indices].into_iter().for_each(visit),
            Op::ScatterAdd { indices, updates } => [*indices, *updates].into_iter().for_each(visit),
            Op::Attention(Attention { operands, .. }) | Op::Custom { operands, .. } | Op::Scan { operands, .. } => {
                operands.iter().copied().for_each(visit);
            }
            Op::CustomResult { call, .. } => visit(*call),
        }
    }

    /// The operands, in order.
    pub fn operands(&self) -> Vec<NodeId> {
        let mut operands = Vec::new();
        self.visit_operands(|id| operands.push(id));
        operands
    }

    /// The same operation on other operands.
    pub fn map_operands(mut self, mut map: impl FnMut(NodeId) -> NodeId) -> Op {
        match &mut self {
            Op::Input(_) | Op::Constant(_) | Op::Iota { .. } | Op::Size(_) => {}
            Op::Unary(_, a) | Op::Cast(a) | Op::Reshape(a) => *a = map(*a),
            Op::Random { seed, .. } => *seed = map(*seed),
            Op::View { source, .. } | Op::Reduce { source, .. } => *source = map(*source),
            Op::Binary(_, a, b) | Op::Compare(_, a, b) | Op::MatMul(a, b) => {
                *a = map(*a);
                *b = map(*b);
            }
            Op::Select(a, b, c) => {
                *a = map(*a);
                *b = map(*b);
                *c = map(*c);
            }
            Op::Conv2d { input, weight, .. } => {
                *input = map(*input);
                *weight = map(*weight);
            }
            Op::Conv2dInputGrad { grad, weight, .. } => {
                *grad = map(*grad);
                *weight = map(*weight);
            }
            Op::Conv2dWeightGrad { input, grad, .. } => {
                *input = map(*input);
                *grad = map(*grad);
            }
            Op::Gather { source, indices } => {
                *source = map(*source);
                *indices = map(*indices);
            }
            Op::ScatterAdd { indices, updates } => {
                *indices = map(*indices);
                *updates = map(*updates);
            }
            Op::Attention(Attention { operands, .. }) | Op::Custom { operands, .. } | Op::Scan { operands, .. } => {
                operands.iter_mut().for_each(|operand| *operand = map(*operand));
            }
            Op::CustomResult { call, .. } => *call = map(*call),
        }
        self
    }

    /// Whether each output element depends on the operands' elements at the same position alone.
    pub fn is_elementwise(&self) -> bool {
        matches!(self, Op::Unary(..) | Op::Binary(..) | Op::Compare(..) | Op::Select(..) | Op::Cast(_))
    }
}

/// A loop: its body is a graph, which each round computes once.
///
/// The body's arguments are first the carried values, as the round before left them, and then tensors that every round reads
/// whole: a round takes its part of one by a view whose offset has [`Scan::step`] in it. Its results are first the carried
/// values for the next round, and then what each round leaves behind, which the loop stacks along a new first axis. Scalars are
/// those of the graph around it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scan {
    /// What a round computes.
    pub body: Graph,
    /// The number of the round, from 1 up to the length, as all symbols are at least 1. The stack's place of a round is the one
    /// before it.
    pub step: crate::dim::Symbol,
    /// How many of the body's arguments and results are carried.
    pub carried: usize,
    /// Whether the last round comes first.
    pub reverse: bool,
}

/// Whose bodies are equal is seen by comparing them; most loops differ in these numbers.
impl Hash for Scan {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (&self.body.name, self.body.nodes.len(), &self.step, self.carried, self.reverse).hash(state);
    }
}

/// One node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// What it computes.
    pub op: Op,
    /// The result's shape.
    pub shape: Shape,
    /// The result's element type.
    pub dtype: DType,
    /// The user's name for it: an argument, a parameter's path, a `let`; else empty.
    pub name: String,
    /// Where it was written.
    pub span: Span,
    /// For each axis, where its size came from (`hidden`, `outputs = 64`), for error messages; may be shorter.
    pub origins: Vec<Option<Arc<Origin>>>,
}

/// What a graph's output is for.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum OutputKind {
    /// Part of the function's result, by position.
    Result(usize),
    /// The gradient in the parameter of that path.
    Gradient(String),
    /// The gradient in the argument at that position.
    ArgumentGradient(usize),
    /// The new value of the state of that path.
    State(String),
}

/// A pure function from inputs to outputs.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Graph {
    /// The function's name, used for kernels and reports.
    pub name: String,
    /// The nodes, operands before users.
    pub nodes: Vec<Node>,
    /// What the caller gets.
    pub outputs: Vec<(OutputKind, NodeId)>,
    /// Windows of poolings that symbols must leave room for. (Those of convolutions follow from their nodes.) They are no
    /// part of the text form.
    pub windows: Vec<Window>,
    /// Batches whose channels symbols must give more than one element. They are no part of the text form either.
    pub batches: Vec<Batch>,
    /// Sizes that symbols must make equal. They are no part of the text form either.
    pub agreements: Vec<Agreement>,
    /// Slices that must end inside an axis. They are no part of the text form either.
    pub limits: Vec<Limit>,
}

impl Graph {
    /// The sizes of an attention; `None` where its operands do not fit.
    pub fn attention_sizes(&self, attention: &Attention) -> Option<AttentionSizes> {
        let shapes: Vec<&Shape> = attention.operands.iter().map(|id| &self[*id].shape).collect();
        AttentionSizes::of(attention.kind, &shapes)
    }

    /// The nodes with their ids.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (NodeId, &Node)> {
        self.nodes.iter().enumerate().map(|(position, node)| (NodeId(position as u32), node))
    }

    /// Of each node whether something is computed from it, or it is an output.
    pub fn read(&self) -> Vec<bool> {
        let mut read = vec![false; self.nodes.len()];
        self.nodes.iter().for_each(|node| node.op.visit_operands(|operand| read[operand.index()] = true));
        self.outputs.iter().for_each(|(_, id)| read[id.index()] = true);
        read
    }

    /// The symbols of all shapes, in order of first appearance.
    pub fn symbols(&self) -> Vec<crate::dim::Symbol> {
        let mut symbols = Vec::new();
        let mut add = |symbol: &crate::dim::Symbol| {
            if !symbols.contains(symbol) {
                symbols.push(symbol.clone());
            }
        };
        for node in &self.nodes {
            for dim in &node.shape.0 {
                dim.visit_symbols(&mut add);
            }
            node.op.visit_sizes(&mut |dim| dim.visit_symbols(&mut add));
        }
        symbols
    }
}

impl std::ops::Index<NodeId> for Graph {
    type Output = Node;
    fn index(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }
}
