//! The only writer of graphs: infers shapes and types, inserts broadcasts, folds constants, shares equal nodes.

mod adjoint;

use super::*;
use crate::span::{Diagnostic, Result};
use std::collections::HashMap;
use std::sync::Arc;

/// Appends nodes to a [`Graph`].
///
/// Every method checks its operands and returns an error that names the operation, what was given and what was
/// expected. Equal nodes are shared, so repeated subexpressions cost nothing.
#[derive(Clone, Debug, Default)]
pub struct Builder {
    graph: Graph,
    known: HashMap<(Op, Shape, DType), NodeId>,
    span: Span,
    next_stream: u32,
    literal: bool,
}

impl Builder {
    /// A builder of an empty graph called `name`.
    pub fn new(name: &str) -> Self {
        Builder { graph: Graph { name: name.to_string(), ..Graph::default() }, ..Builder::default() }
    }

    /// A builder that appends what it is asked for, folding and sharing nothing: the yardstick for tests of the
    /// simplifications.
    pub fn without_simplification(name: &str) -> Self {
        Builder { literal: true, ..Builder::new(name) }
    }

    /// A builder that goes on where `graph` ends (autodiff does).
    pub fn extend(graph: Graph) -> Self {
        let mut builder = Builder::default();
        for (id, node) in graph.iter() {
            if !matches!(node.op, Op::Input(_)) {
                builder.known.entry((node.op.clone(), node.shape.clone(), node.dtype)).or_insert(id);
            }
            if let Op::Random { stream, .. } = node.op {
                builder.next_stream = builder.next_stream.max(stream + 1);
            }
        }
        builder.graph = graph;
        builder
    }

    /// The graph so far.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// The finished graph, nodes that no output needs removed.
    pub fn finish(self) -> Graph {
        prune(self.graph)
    }

    /// The finished graph, and where each node so far is now, if an output needs it.
    pub(crate) fn finish_with_places(self) -> (Graph, Vec<Option<NodeId>>) {
        pruned(self.graph)
    }

    /// Sets the place that nodes built from now on come from; returns the previous one.
    pub fn set_span(&mut self, span: Span) -> Span {
        std::mem::replace(&mut self.span, span)
    }

    /// The node.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.graph[id]
    }

    /// The node's shape.
    pub fn shape(&self, id: NodeId) -> &Shape {
        &self.graph[id].shape
    }

    /// The node's element type.
    pub fn dtype(&self, id: NodeId) -> DType {
        self.graph[id].dtype
    }

    /// Names the node (an argument's, a `let`'s or a layer's name) unless it has a name.
    pub fn name(&mut self, id: NodeId, name: &str) {
        let node = &mut self.graph.nodes[id.index()];
        if node.name.is_empty() {
            node.name = name.to_string();
        }
    }

    /// Notes where the size of `axis` of `id` came from, for error messages.
    pub fn set_origin(&mut self, id: NodeId, axis: usize, origin: &str) {
        let origins = &mut self.graph.nodes[id.index()].origins;
        if origins.len() <= axis {
            origins.resize(axis + 1, None);
        }
        origins[axis] = Some(origin.into());
    }

    /// Where the size of `axis` of `id` came from, as ` (from …)`, or nothing.
    pub fn origin_note(&self, id: NodeId, axis: usize) -> String {
        match self.graph[id].origins.get(axis) {
            Some(Some(origin)) => format!(" (from {origin})"),
            _ => String::new(),
        }
    }

    /// Notes that `window` must fit, where symbols decide that.
    pub fn require_window(&mut self, window: Window) {
        if !window.spare().never_negative() && !self.graph.windows.contains(&window) {
            self.graph.windows.push(window);
        }
    }

    /// Declares an output.
    pub fn output(&mut self, kind: OutputKind, id: NodeId) {
        self.graph.outputs.push((kind, id));
    }

    /// Appends a node whose operands, shape and type have been checked; shares it with an equal one.
    pub(crate) fn push(&mut self, op: Op, shape: Shape, dtype: DType) -> NodeId {
        let key = (op.clone(), shape.clone(), dtype);
        if !self.literal
            && let Some(&id) = self.known.get(&key)
        {
            return id;
        }
        let origins = self.inherited_origins(&op, &shape);
        let id = NodeId(self.graph.nodes.len() as u32);
        if !matches!(op, Op::Input(_)) {
            self.known.insert(key, id);
        }
        self.graph.nodes.push(Node { op, shape, dtype, name: String::new(), span: self.span, origins });
        id
    }

    fn inherited_origins(&self, op: &Op, shape: &Shape) -> Vec<Option<Arc<str>>> {
        let mut origins = vec![None; shape.rank()];
        let mut inherit = |id: NodeId, own: usize, theirs: usize| {
            if origins[own].is_none() {
                origins[own] = self.graph[id].origins.get(theirs).cloned().flatten();
            }
        };
        match op {
            _ if op.is_elementwise() => {
                op.visit_operands(|id| (0..shape.rank()).for_each(|axis| inherit(id, axis, axis)))
            }
            Op::View { source, index } => {
                for (theirs, index) in index.iter().enumerate() {
                    if let Some(own) = index.as_axis() {
                        inherit(*source, own, theirs);
                    }
                }
            }
            Op::Reduce { source, axes, .. } => {
                let kept = (0..self.shape(*source).rank()).filter(|axis| !axes.contains(axis));
                kept.enumerate().for_each(|(own, theirs)| inherit(*source, own, theirs));
            }
            Op::MatMul(a, b) => {
                let rank = shape.rank();
                (0..rank - 1).for_each(|axis| inherit(*a, axis, axis));
                inherit(*b, rank - 1, rank - 1);
            }
            _ => {}
        }
        origins
    }

    fn fail<T>(&self, message: String) -> Result<T> {
        Err(Diagnostic::new(message).at(self.span))
    }

    /// A tensor that the caller supplies.
    pub fn input(&mut self, kind: InputKind, name: &str, shape: Shape, dtype: DType) -> NodeId {
        let id = self.push(Op::Input(kind), shape, dtype);
        self.name(id, name);
        id
    }

    /// A scalar constant, shape `[]`.
    pub fn constant(&mut self, value: f64, dtype: DType) -> NodeId {
        self.push(Op::Constant(Literal::of(value, dtype)), Shape::scalar(), dtype)
    }

    /// A constant tensor of `shape`.
    pub fn full(&mut self, value: f64, shape: &Shape, dtype: DType) -> NodeId {
        self.push(Op::Constant(Literal::of(value, dtype)), shape.clone(), dtype)
    }

    /// The size `dim` as a scalar of `dtype`: a constant, or an expression over symbols.
    pub fn dim(&mut self, dim: &Dim, dtype: DType) -> Result<NodeId> {
        if let Some(value) = dim.as_constant() {
            return Ok(self.constant(value as f64, dtype));
        }
        if dtype == DType::Bool {
            return self.fail(format!("the size {dim} is a number, not a bool"));
        }
        Ok(self.push(Op::Size(dim.clone()), Shape::scalar(), dtype))
    }

    /// The coordinate along `axis` of `shape`.
    pub fn iota(&mut self, shape: &Shape, axis: usize, dtype: DType) -> Result<NodeId> {
        self.check_axis("iota", shape, axis)?;
        Ok(self.push(Op::Iota { axis }, shape.clone(), dtype))
    }

    /// Uniform random numbers in [0, 1); `seed` is a `U32` scalar. Each call is a stream of its own.
    pub fn random(&mut self, seed: NodeId, shape: &Shape) -> Result<NodeId> {
        if self.dtype(seed) != DType::U32 || self.shape(seed).rank() != 0 {
            return self.fail(format!(
                "`random` expects a u32 scalar as seed, found {} {}",
                self.dtype(seed),
                self.shape(seed)
            ));
        }
        let stream = self.next_stream;
        self.next_stream += 1;
        Ok(self.push(Op::Random { seed, stream }, shape.clone(), DType::F32))
    }

    /// Elementwise function of one operand.
    pub fn unary(&mut self, op: UnaryOp, a: NodeId) -> Result<NodeId> {
        let dtype = self.dtype(a);
        if !op.takes(dtype) {
            return Err(undefined(op.name(), dtype).at(self.span));
        }
        if let Some(literal) = self.uniform(a)
            && let Some(value) = crate::fold::unary(op, literal)
        {
            let shape = self.shape(a).clone();
            return Ok(self.push(Op::Constant(value), shape, dtype));
        }
        if op == UnaryOp::Neg
            && !self.literal
            && let Op::Unary(UnaryOp::Neg, inner) = self.graph[a].op
        {
            return Ok(inner);
        }
        let shape = self.shape(a).clone();
        Ok(self.push(Op::Unary(op, a), shape, dtype))
    }

    /// Elementwise function of two operands of one type, broadcast against each other.
    pub fn binary(&mut self, op: BinaryOp, a: NodeId, b: NodeId) -> Result<NodeId> {
        let (a, b) = self.broadcast_pair(op.name(), a, b)?;
        let dtype = self.dtype(a);
        if !op.takes(dtype) {
            return Err(undefined(op.name(), dtype).at(self.span));
        }
        let shape = self.shape(a).clone();
        let (ca, cb) = (self.uniform(a), self.uniform(b));
        if let (Some(x), Some(y)) = (ca, cb)
            && let Some(value) = crate::fold::binary(op, x, y)
        {
            return Ok(self.push(Op::Constant(value), shape, dtype));
        }
        // Identities that hold for every value, NaN and infinities included. (`x + 0` turns -0 into +0: allowed.)
        match op {
            BinaryOp::Add if cb.is_some_and(|c| c.is(0.0)) => return Ok(a),
            BinaryOp::Add if ca.is_some_and(|c| c.is(0.0)) => return Ok(b),
            BinaryOp::Sub if cb.is_some_and(|c| c.is(0.0)) => return Ok(a),
            BinaryOp::Mul | BinaryOp::Div if cb.is_some_and(|c| c.is(1.0)) => return Ok(a),
            BinaryOp::Mul if ca.is_some_and(|c| c.is(1.0)) => return Ok(b),
            BinaryOp::Mul if cb.is_some_and(|c| c.is(-1.0)) => return self.unary(UnaryOp::Neg, a),
            BinaryOp::Mul if ca.is_some_and(|c| c.is(-1.0)) => return self.unary(UnaryOp::Neg, b),
            BinaryOp::Pow if cb.is_some_and(|c| c.is(1.0)) => return Ok(a),
            BinaryOp::Pow if cb.is_some_and(|c| c.is(2.0)) => return self.binary(BinaryOp::Mul, a, a),
            _ => {}
        }
        Ok(self.push(Op::Binary(op, a, b), shape, dtype))
    }

    /// The literal that every element of `id` is, if that is plain.
    pub(crate) fn uniform(&self, id: NodeId) -> Option<Literal> {
        match &self.graph[id].op {
            Op::Constant(literal) if !self.literal => Some(*literal),
            _ => None,
        }
    }

    /// Elementwise comparison, operands broadcast against each other; the result is `Bool`. Truth values are equal or
    /// not, they have no order.
    pub fn compare(&mut self, op: CompareOp, a: NodeId, b: NodeId) -> Result<NodeId> {
        let (a, b) = self.broadcast_pair(op.name(), a, b)?;
        if !op.takes(self.dtype(a)) {
            return self.fail(format!(
                "`{}` is not defined for {} tensors, which have no order; compare them with `eq` or `ne`, or cast them \
                 to u8",
                op.name(),
                self.dtype(a)
            ));
        }
        let shape = self.shape(a).clone();
        let (a, b) = (self.as_stored(a), self.as_stored(b));
        if let (Some(x), Some(y)) = (self.uniform(a), self.uniform(b)) {
            let value = Literal::Bool(crate::fold::compare(op, x.as_f64(), y.as_f64()));
            return Ok(self.push(Op::Constant(value), shape, DType::Bool));
        }
        Ok(self.push(Op::Compare(op, a, b), shape, DType::Bool))
    }

    /// A constant as the elements of its type are: `x == 0.1` holds where `x` is the f16 that is nearest to 0.1. (Arithmetic
    /// takes the literal as it is written, as PyTorch does: there it is rounded once, with the result.)
    fn as_stored(&mut self, a: NodeId) -> NodeId {
        match self.uniform(a) {
            Some(literal) if crate::fold::stored(literal) != literal => {
                let (shape, dtype) = (self.shape(a).clone(), self.dtype(a));
                self.push(Op::Constant(crate::fold::stored(literal)), shape, dtype)
            }
            _ => a,
        }
    }

    /// `condition ? then : otherwise`, all three broadcast against each other.
    pub fn select(&mut self, condition: NodeId, then: NodeId, otherwise: NodeId) -> Result<NodeId> {
        if self.dtype(condition) != DType::Bool {
            return self.fail(format!("`select` expects a bool condition, found {}", self.dtype(condition)));
        }
        let (then, otherwise) = self.broadcast_pair("select", then, otherwise)?;
        let shape = self.broadcast_shapes("select", self.shape(condition).clone(), self.shape(then).clone())?;
        let condition = self.broadcast_to(condition, &shape)?;
        let then = self.broadcast_to(then, &shape)?;
        let otherwise = self.broadcast_to(otherwise, &shape)?;
        if then == otherwise && !self.literal {
            return Ok(then);
        }
        if let Some(Literal::Bool(value)) = self.uniform(condition) {
            return Ok(if value { then } else { otherwise });
        }
        let dtype = self.dtype(then);
        Ok(self.push(Op::Select(condition, then, otherwise), shape, dtype))
    }

    /// The operand as `dtype`.
    pub fn cast(&mut self, a: NodeId, dtype: DType) -> Result<NodeId> {
        if self.dtype(a) == dtype {
            return Ok(a);
        }
        let shape = self.shape(a).clone();
        if let Some(literal) = self.uniform(a) {
            return Ok(self.push(Op::Constant(crate::fold::cast(literal, dtype)), shape, dtype));
        }
        Ok(self.push(Op::Cast(a), shape, dtype))
    }

    /// `out[i] = source[index(i)]`; composes with a view below it where that stays affine.
    pub fn view(&mut self, source: NodeId, shape: Shape, index: Vec<AxisIndex>) -> Result<NodeId> {
        let rank = self.shape(source).rank();
        if index.len() != rank {
            return self.fail(format!(
                "a view of {} needs {rank} coordinates, found {}",
                self.shape(source),
                index.len()
            ));
        }
        for axis in &index {
            for (out, _) in &axis.terms {
                self.check_axis("view", &shape, *out)?;
            }
        }
        if self.literal {
            let dtype = self.dtype(source);
            return Ok(self.push(Op::View { source, index }, shape, dtype));
        }
        let identity = index.iter().enumerate().all(|(axis, index)| index.as_axis() == Some(axis));
        if identity && shape == *self.shape(source) {
            return Ok(source);
        }
        let dtype = self.dtype(source);
        match self.graph[source].op.clone() {
            Op::Constant(literal) if !self.may_be_outside(&index, self.shape(source), &shape) => {
                return Ok(self.push(Op::Constant(literal), shape, dtype));
            }
            Op::View { source: inner, index: below }
                if below.iter().all(|b| b.divisor == 1) && !self.may_be_outside(&index, self.shape(source), &shape) =>
            {
                if let Some(composed) = below.iter().map(|b| compose(b, &index)).collect::<Option<Vec<_>>>() {
                    return self.view(inner, shape, composed);
                }
            }
            _ => {}
        }
        Ok(self.push(Op::View { source, index }, shape, dtype))
    }

    /// Whether a view with `index` may read outside `source`.
    fn may_be_outside(&self, index: &[AxisIndex], source: &Shape, out: &Shape) -> bool {
        index.iter().zip(&source.0).any(|(index, dim)| index.may_be_outside(dim, out))
    }

    /// The axes in another order: `out[i0, i1, ..]` has `order[k]` of the source as its axis `k`.
    pub fn permute(&mut self, a: NodeId, order: &[usize]) -> Result<NodeId> {
        let source = self.shape(a).clone();
        let mut seen = order.to_vec();
        seen.sort_unstable();
        if !seen.iter().copied().eq(0..source.rank()) {
            return self.fail(format!("`permute` of {source} expects each axis once, found {order:?}"));
        }
        let shape = Shape(order.iter().map(|&axis| source[axis].clone()).collect());
        let index = (0..source.rank()).map(|axis| AxisIndex::axis(order.iter().position(|&o| o == axis).unwrap_or(0)));
        self.view(a, shape, index.collect())
    }

    /// Swaps the last two axes.
    pub fn transpose(&mut self, a: NodeId) -> Result<NodeId> {
        let rank = self.shape(a).rank();
        if rank < 2 {
            return self.fail(format!("`transpose` expects at least 2 axes, found {}", self.shape(a)));
        }
        let mut order: Vec<usize> = (0..rank).collect();
        order.swap(rank - 1, rank - 2);
        self.permute(a, &order)
    }

    /// Repeats `a` to `shape`: missing leading axes and axes of size 1 stretch.
    pub fn broadcast_to(&mut self, a: NodeId, shape: &Shape) -> Result<NodeId> {
        let source = self.shape(a).clone();
        if source == *shape {
            return Ok(a);
        }
        if source.rank() > shape.rank() {
            return self.fail(format!("{source} does not broadcast to {shape}"));
        }
        let lead = shape.rank() - source.rank();
        let mut index = Vec::new();
        for (axis, dim) in source.0.iter().enumerate() {
            if *dim == shape[lead + axis] {
                index.push(AxisIndex::axis(lead + axis));
            } else if dim.is(1) {
                index.push(AxisIndex::fixed(0));
            } else {
                let note = self.origin_note(a, axis);
                return self.fail(format!("{source}{note} does not broadcast to {shape}"));
            }
        }
        self.view(a, shape.clone(), index)
    }

    /// The shape both broadcast to.
    pub fn broadcast_shapes(&self, op: &str, a: Shape, b: Shape) -> Result<Shape> {
        let rank = a.rank().max(b.rank());
        let mut dims = Vec::with_capacity(rank);
        for axis in 0..rank {
            let side = |shape: &Shape| (axis + shape.rank()).checked_sub(rank).map(|axis| shape[axis].clone());
            dims.push(match (side(&a), side(&b)) {
                (Some(x), Some(y)) if x == y => x,
                (Some(x), Some(y)) if y.is(1) => x,
                (Some(x), Some(y)) if x.is(1) => y,
                (Some(x), None) | (None, Some(x)) => x,
                _ => {
                    return Err(Diagnostic::new(format!("`{op}` cannot combine shapes {a} and {b}"))
                        .hint("axes are compared from the last: sizes are equal, or one of them is 1")
                        .at(self.span));
                }
            });
        }
        Ok(Shape(dims))
    }

    fn broadcast_pair(&mut self, op: &str, a: NodeId, b: NodeId) -> Result<(NodeId, NodeId)> {
        let (x, y) = (self.dtype(a), self.dtype(b));
        if x != y {
            return Err(Diagnostic::new(format!("`{op}` expects operands of one type, found {x} and {y}"))
                .hint("convert one of them with `.cast(..)`")
                .at(self.span));
        }
        let (sa, sb) = (self.shape(a).clone(), self.shape(b).clone());
        let shape = self.broadcast_shapes(op, sa.clone(), sb.clone()).map_err(|mut diagnostic| {
            // Say where the sizes that disagree came from.
            let rank = sa.rank().max(sb.rank());
            for axis in 0..sa.rank().min(sb.rank()) {
                let (xa, xb) = (sa.rank() - 1 - axis, sb.rank() - 1 - axis);
                if sa[xa] != sb[xb] && !sa[xa].is(1) && !sb[xb].is(1) {
                    diagnostic.message = format!(
                        "{}: axis {} is {}{} on the left and {}{} on the right",
                        diagnostic.message,
                        rank - 1 - axis,
                        sa[xa],
                        self.origin_note(a, xa),
                        sb[xb],
                        self.origin_note(b, xb)
                    );
                    break;
                }
            }
            diagnostic
        })?;
        Ok((self.broadcast_to(a, &shape)?, self.broadcast_to(b, &shape)?))
    }

    /// The same elements under another shape with as many elements.
    pub fn reshape(&mut self, a: NodeId, shape: Shape) -> Result<NodeId> {
        let source = self.shape(a).clone();
        if source == shape {
            return Ok(a);
        }
        if source.elements() != shape.elements() {
            return self.fail(format!(
                "`reshape` cannot turn {source} ({} elements) into {shape} ({} elements)",
                source.elements(),
                shape.elements()
            ));
        }
        let dtype = self.dtype(a);
        match self.graph[a].op {
            _ if self.literal => {}
            Op::Constant(literal) => return Ok(self.push(Op::Constant(literal), shape, dtype)),
            Op::Reshape(inner) => return self.reshape(inner, shape),
            _ => {}
        }
        Ok(self.push(Op::Reshape(a), shape, dtype))
    }

    /// Reduction over `axes`; with `keep` they stay as axes of size 1.
    pub fn reduce(&mut self, op: ReduceOp, source: NodeId, axes: &[usize], keep: bool) -> Result<NodeId> {
        let full = self.shape(source).clone();
        let mut sorted = axes.to_vec();
        sorted.sort_unstable();
        sorted.dedup();
        if sorted.len() != axes.len() {
            return self.fail(format!("`{}` names an axis twice: {axes:?}", op.name()));
        }
        for &axis in &sorted {
            self.check_axis(op.name(), &full, axis)?;
        }
        let dtype = self.dtype(source);
        if dtype == DType::Bool {
            return self.fail(format!("`{}` is not defined for bool tensors", op.name()));
        }
        let kept: Vec<usize> = (0..full.rank()).filter(|axis| !sorted.contains(axis)).collect();
        let shape = Shape(kept.iter().map(|&axis| full[axis].clone()).collect());
        let result = if sorted.is_empty() && !matches!(op, ReduceOp::ArgMax | ReduceOp::ArgMin) {
            source
        } else {
            let out = if matches!(op, ReduceOp::ArgMax | ReduceOp::ArgMin) { DType::I32 } else { dtype };
            self.push(Op::Reduce { op, source, axes: sorted.clone() }, shape, out)
        };
        if !keep {
            return Ok(result);
        }
        let shape =
            Shape((0..full.rank()).map(|a| if sorted.contains(&a) { Dim::from(1) } else { full[a].clone() }).collect());
        self.view(result, shape, kept.into_iter().map(AxisIndex::axis).collect())
    }

    /// The mean over `axes`.
    pub fn mean(&mut self, source: NodeId, axes: &[usize], keep: bool) -> Result<NodeId> {
        let dtype = self.dtype(source);
        if !dtype.is_float() {
            return self.fail(format!("`mean` is not defined for {dtype} tensors"));
        }
        let full = self.shape(source).clone();
        let sum = self.reduce(ReduceOp::Sum, source, axes, keep)?;
        let count = axes.iter().fold(Dim::constant(1), |count, &axis| count * full[axis].clone());
        if let Some(count) = count.as_constant() {
            let scale = self.constant(1.0 / count as f64, dtype);
            return self.binary(BinaryOp::Mul, sum, scale);
        }
        let count = self.dim(&count, dtype)?;
        self.binary(BinaryOp::Div, sum, count)
    }

    /// `[batch.., m, k] x [batch.., k, n]`; batch axes broadcast.
    pub fn matmul(&mut self, a: NodeId, b: NodeId) -> Result<NodeId> {
        let (sa, sb) = (self.shape(a).clone(), self.shape(b).clone());
        let (da, db) = (self.dtype(a), self.dtype(b));
        if da != db || !da.is_float() {
            return self.fail(format!("`matmul` expects two float tensors of one type, found {da} and {db}"));
        }
        if sa.rank() < 2 || sb.rank() < 2 {
            return self.fail(format!("`matmul` expects tensors of at least 2 axes, found {sa} and {sb}"));
        }
        let (ra, rb) = (sa.rank(), sb.rank());
        if sa[ra - 1] != sb[rb - 2] {
            return self.fail(format!(
                "`matmul` cannot multiply {sa} by {sb}: the left has {} columns{}, the right {} rows{}",
                sa[ra - 1],
                self.origin_note(a, ra - 1),
                sb[rb - 2],
                self.origin_note(b, rb - 2)
            ));
        }
        let (m, k, n) = (sa[ra - 2].clone(), sa[ra - 1].clone(), sb[rb - 1].clone());
        if rb == 2 && ra > 2 {
            // One product over all leading axes: more rows at a time, and its gradient sums over them by itself.
            let rows = sa.0[..ra - 1].iter().cloned().fold(Dim::constant(1), |rows, dim| rows * dim);
            let flat = self.reshape(a, Shape(vec![rows, k]))?;
            let product = self.matmul(flat, b)?;
            return self.reshape(product, Shape(sa.0[..ra - 1].iter().cloned().chain([n]).collect()));
        }
        let batch = self.broadcast_shapes("matmul", Shape(sa.0[..ra - 2].to_vec()), Shape(sb.0[..rb - 2].to_vec()))?;
        let with =
            |rows: &Dim, columns: &Dim| Shape(batch.0.iter().cloned().chain([rows.clone(), columns.clone()]).collect());
        let a = self.broadcast_to(a, &with(&m, &k))?;
        let b = self.broadcast_to(b, &with(&k, &n))?;
        Ok(self.push(Op::MatMul(a, b), with(&m, &n), da))
    }

    /// Cross-correlation of `input [n, c, h, w]` with `weight [o, c/groups, kh, kw]`.
    pub fn conv2d(&mut self, input: NodeId, weight: NodeId, geometry: ConvGeometry) -> Result<NodeId> {
        let (x, w) = (self.shape(input).clone(), self.shape(weight).clone());
        let (dx, dw) = (self.dtype(input), self.dtype(weight));
        if dx != dw || !dx.is_float() {
            return self.fail(format!("`conv2d` expects two float tensors of one type, found {dx} and {dw}"));
        }
        if x.rank() != 4 || w.rank() != 4 {
            return self
                .fail(format!("`conv2d` expects input [n, c, h, w] and weight [o, c, kh, kw], found {x} and {w}"));
        }
        let groups = Dim::constant(geometry.groups as i64);
        if x[1] != w[1].clone() * groups.clone() {
            return self.fail(format!(
                "`conv2d` expects {} input channels, found {}{}",
                w[1].clone() * groups,
                x[1],
                self.origin_note(input, 1)
            ));
        }
        if geometry.groups == 0 || w[0].exact_div(&groups).is_none() {
            return self
                .fail(format!("`conv2d` cannot split {} output channels into {} groups", w[0], geometry.groups));
        }
        let mut spatial = Vec::new();
        for axis in 0..2 {
            let Some(kernel) = w[2 + axis].as_constant() else {
                return self.fail(format!("`conv2d` expects a kernel of fixed size, found {w}"));
            };
            match window_count(&x[2 + axis], kernel as u64, axis, &geometry) {
                Ok(count) => spatial.push(count),
                Err(message) => return self.fail(format!("`conv2d`: {message}{}", self.origin_note(input, 2 + axis))),
            }
        }
        let shape = Shape(vec![x[0].clone(), w[0].clone(), spatial[0].clone(), spatial[1].clone()]);
        Ok(self.push(Op::Conv2d { input, weight, geometry }, shape, dx))
    }

    /// Rows by number; see [`Op::Gather`].
    pub fn gather(&mut self, source: NodeId, indices: NodeId) -> Result<NodeId> {
        let (s, i) = (self.shape(source).clone(), self.shape(indices).clone());
        if s.rank() == 0 {
            return self.fail("`gather` expects a source of at least 1 axis, found a scalar".into());
        }
        if !matches!(self.dtype(indices), DType::I32 | DType::U32) {
            return self.fail(format!("`gather` expects i32 or u32 indices, found {}", self.dtype(indices)));
        }
        let shape = Shape(i.0.iter().chain(&s.0[1..]).cloned().collect());
        let dtype = self.dtype(source);
        Ok(self.push(Op::Gather { source, indices }, shape, dtype))
    }

    fn check_axis(&self, op: &str, shape: &Shape, axis: usize) -> Result<()> {
        if axis < shape.rank() {
            return Ok(());
        }
        self.fail(format!("`{op}` names axis {axis} of {shape}, which has {} axes", shape.rank()))
    }
}

/// An operation on elements that it has no meaning for.
fn undefined(op: &str, dtype: DType) -> Diagnostic {
    let instead = match dtype {
        DType::Bool => "numbers are chosen by a bool with `select`, or converted with `.cast(..)`",
        dtype if dtype.is_float() => "compare the elements first, or convert them with `.cast(..)`",
        _ => "convert the elements with `.cast(..)`",
    };
    Diagnostic::new(format!("`{op}` is not defined for {dtype} tensors")).hint(instead)
}

impl AxisIndex {
    /// Whether the coordinate may fall outside `0..dim` (or between elements) for some position of `out`.
    pub fn may_be_outside(&self, dim: &Dim, out: &Shape) -> bool {
        if self.divisor != 1 {
            return true;
        }
        let (mut low, mut high) = (self.offset.clone(), self.offset.clone());
        for (axis, coefficient) in &self.terms {
            let reach = (out[*axis].clone() - Dim::constant(1)) * Dim::constant(*coefficient);
            if *coefficient > 0 { high = high + reach } else { low = low + reach }
        }
        let spare = dim.clone() - Dim::constant(1) - high;
        !(low.never_negative() && spare.never_negative())
    }
}

/// `below` (over the middle coordinates) after `index` (middle over output coordinates); `None` if not affine.
fn compose(below: &AxisIndex, index: &[AxisIndex]) -> Option<AxisIndex> {
    let mut terms: std::collections::BTreeMap<usize, i64> = Default::default();
    let mut offset = below.offset.clone();
    for (middle, coefficient) in &below.terms {
        let inner = &index[*middle];
        if inner.divisor != 1 {
            return None;
        }
        for (axis, c) in &inner.terms {
            *terms.entry(*axis).or_insert(0) += c * coefficient;
        }
        offset = offset + inner.offset.clone() * Dim::constant(*coefficient);
    }
    let terms = terms.into_iter().filter(|(_, c)| *c != 0).collect();
    Some(AxisIndex { terms, offset, divisor: below.divisor })
}

/// How many window positions fit along one spatial axis: `floor((size + 2p - d(k-1) - 1) / s) + 1`.
pub fn window_count(size: &Dim, kernel: u64, axis: usize, geometry: &ConvGeometry) -> Result<Dim, String> {
    let (stride, dilation) = (geometry.stride[axis], geometry.dilation[axis]);
    if stride == 0 || dilation == 0 || kernel == 0 {
        return Err("stride, dilation and window size must be at least 1, found 0".into());
    }
    let window = Window::new(size, kernel, axis, geometry);
    let spare = window.spare();
    if spare.as_constant().is_some_and(|spare| spare < 0) {
        return Err(window.misfit(size));
    }
    Ok(spare.floor_div(stride) + Dim::constant(1))
}

/// The graph without nodes that no output needs; inputs stay, because they are the function's signature.
pub fn prune(graph: Graph) -> Graph {
    pruned(graph).0
}

/// As [`prune`], and where each node is now.
fn pruned(graph: Graph) -> (Graph, Vec<Option<NodeId>>) {
    let mut needed = vec![false; graph.nodes.len()];
    graph.outputs.iter().for_each(|(_, id)| needed[id.index()] = true);
    for (id, node) in graph.iter().rev() {
        if matches!(node.op, Op::Input(_)) {
            needed[id.index()] = true;
        }
        if needed[id.index()] {
            node.op.visit_operands(|operand| needed[operand.index()] = true);
        }
    }
    let mut moved = vec![NodeId(0); graph.nodes.len()];
    let mut nodes = Vec::new();
    for (position, mut node) in graph.nodes.into_iter().enumerate() {
        if needed[position] {
            moved[position] = NodeId(nodes.len() as u32);
            node.op = node.op.map_operands(|id| moved[id.index()]);
            nodes.push(node);
        }
    }
    let outputs = graph.outputs.into_iter().map(|(kind, id)| (kind, moved[id.index()])).collect();
    let places = moved.into_iter().zip(needed).map(|(id, needed)| needed.then_some(id)).collect();
    (Graph { name: graph.name, nodes, outputs, windows: graph.windows }, places)
}
