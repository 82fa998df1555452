//! Graph nodes as kernel expressions: the value of a node at given loop coordinates.

use super::sizes::{Sum, added, dim_value, divisor as divisor_value, size_value};
use super::wrapping::Ranges;
use crate::dim::Dim;
use crate::dtype::{DType, Literal};
use crate::fuse::access::{self, OperandAccess};
use crate::graph::{BinaryOp, CompareOp, Graph, InputKind, NodeId, Op};
use crate::index::{self, Atom, Guard, Index};
use crate::kir::build::KernelBuilder;
use crate::kir::{Access, Expr, ExprId, ParamId};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Loop coordinates while expressions are built for them.
#[derive(Clone, Debug)]
pub(crate) struct Coordinates {
    /// The value of each coordinate (of the kernel's index type); of the first lane for the vector coordinate.
    pub values: Vec<ExprId>,
    /// Which coordinate the lanes run along.
    pub vector: Option<usize>,
    /// How many lanes.
    pub lanes: u8,
}

/// Turns nodes into expressions of one kernel.
pub(crate) struct Values<'a> {
    /// The graph.
    pub graph: &'a Graph,
    /// Sizes of the coordinates.
    pub extents: Vec<Dim>,
    /// Nodes that are in memory and must be read, never recomputed.
    pub stops: &'a dyn Fn(NodeId) -> bool,
    /// The parameter name of the buffer that holds a node.
    pub buffer_name: &'a dyn Fn(NodeId) -> String,
    /// Values that the kernel has computed: reductions, or roots at their own coordinates.
    pub known: BTreeMap<NodeId, (Vec<Index>, ExprId)>,
    /// The result of a product or convolution that an epilogue goes on with. Whatever reads that node in an epilogue reads this element of it:
    /// else it would be no epilogue. Coordinates that have gone through reshapes and back need not look alike.
    pub result: Option<(NodeId, ExprId)>,
    /// Where nodes begin in their buffers, if not at the beginning.
    starts: Option<&'a BTreeMap<NodeId, Dim>>,
    memo: FxHashMap<ValueKey, ExprId>,
    ranges: Ranges,
}

/// A node, where, and the condition without which its loads read element 0.
type ValueKey = (NodeId, Rc<[Index]>, Option<ExprId>);

/// A value on the way to one that is made of it.
struct PendingValue {
    key: ValueKey,
    /// To be computed although it is a stop.
    through: bool,
    /// What it reads and under which condition, once that has been asked for.
    operands: Option<(Vec<OperandAccess>, Option<ExprId>)>,
}

impl<'a> Values<'a> {
    /// A translator without known values.
    pub(crate) fn new(
        graph: &'a Graph,
        extents: Vec<Dim>,
        stops: &'a dyn Fn(NodeId) -> bool,
        buffer_name: &'a dyn Fn(NodeId) -> String,
    ) -> Self {
        let (known, memo, ranges) = (BTreeMap::new(), FxHashMap::default(), Ranges::default());
        Values { graph, extents, stops, buffer_name, known, result: None, starts: None, memo, ranges }
    }

    /// The same where nodes begin elsewhere in their buffers than at the beginning.
    pub(crate) fn starting(mut self, starts: &'a BTreeMap<NodeId, Dim>) -> Self {
        self.starts = Some(starts);
        self
    }

    /// The place in its buffer of what has that address in the node.
    fn place(&self, id: NodeId, address: Index) -> Index {
        match self.starts.and_then(|starts| starts.get(&id)) {
            Some(start) => address.plus(&Index::constant(start.clone())),
            None => address,
        }
    }

    /// Forgets values computed for other loop variables.
    pub(crate) fn enter_loop(&mut self) {
        self.memo.clear();
    }

    /// The index in the kernel's index type; of the first lane if the coordinates have lanes. What is subtracted stands last, so that sums stay
    /// above zero: `N - 1 - n`.
    pub(crate) fn index(&self, b: &mut KernelBuilder, index: &Index, at: &Coordinates) -> ExprId {
        let (minus, plus): (Vec<_>, Vec<_>) = index.terms().partition(|(_, factor)| is_negative(factor));
        let mut sum = Sum::of(b.index_dtype());
        for (atom, factor) in plus {
            let term = self.term(b, atom, factor, at);
            sum.add(b, term);
        }
        b.note_size(&added(index.offset()));
        sum.terms(b, index.offset(), false);
        for (atom, factor) in minus {
            let term = self.term(b, atom, &(factor.clone() * Dim::constant(-1)), at);
            sum.subtract(b, term);
        }
        sum.terms(b, index.offset(), true);
        sum.finish(b)
    }

    fn term(&self, b: &mut KernelBuilder, atom: &Atom, factor: &Dim, at: &Coordinates) -> ExprId {
        let value = self.atom(b, atom, at);
        let factor = dim_value(b, factor);
        b.mul(value, factor)
    }

    fn atom(&self, b: &mut KernelBuilder, atom: &Atom, at: &Coordinates) -> ExprId {
        let (op, inner, divisor) = match atom {
            Atom::Var(var) => return at.values[*var as usize],
            Atom::Div(inner, divisor) => (BinaryOp::Div, inner, divisor),
            Atom::Mod(inner, divisor) => (BinaryOp::Rem, inner, divisor),
        };
        self.note_reach(b, inner);
        let inner = self.index(b, inner, at);
        let divisor = divisor_value(b, divisor);
        b.binary(op, inner, divisor)
    }

    /// Notes how far an index counts that is no address of a buffer, where that can be told from the loops.
    fn note_reach(&self, b: &mut KernelBuilder, index: &Index) {
        if let Some(reach) = self.reach(index) {
            b.note_size(&reach);
        }
    }

    /// How far an index counts, where that can be told from the loops.
    pub(crate) fn reach(&self, index: &Index) -> Option<Dim> {
        let mut reach = added(index.offset());
        for (atom, coefficient) in index.terms() {
            let Atom::Var(var) = atom else { return None };
            reach = reach + self.extents[*var as usize].clone() * added(coefficient);
        }
        Some(reach)
    }

    /// The index in every lane: a scalar where it is the same in all.
    fn index_lanes(&self, b: &mut KernelBuilder, index: &Index, at: &Coordinates) -> ExprId {
        let base = self.index(b, index, at);
        let Some(vector) = at.vector.filter(|vector| at.lanes > 1 && index.mentions(*vector)) else { return base };
        let coefficient = index.coefficient(vector).unwrap_or_default();
        let ids = b.lane_ids(b.index_dtype(), at.lanes);
        let factor = dim_value(b, &coefficient);
        let steps = b.mul(ids, factor);
        b.add(base, steps)
    }

    fn guard(&self, b: &mut KernelBuilder, guards: &[Guard], at: &Coordinates) -> Option<ExprId> {
        let mut all = None;
        for guard in guards {
            let (op, index, bound) = match guard {
                Guard::NotNegative(index) => (CompareOp::Ge, self.index_lanes(b, index, at), b.int(0)),
                Guard::Below(index, size) => {
                    let index = self.index_lanes(b, index, at);
                    (CompareOp::Lt, index, dim_value(b, size))
                }
                Guard::Multiple(index, divisor) => {
                    let index = self.index_lanes(b, index, at);
                    let divisor = b.int(*divisor as i64);
                    let rest = b.binary(BinaryOp::Rem, index, divisor);
                    (CompareOp::Eq, rest, b.int(0))
                }
            };
            let holds = b.compare(op, index, bound);
            all = Some(match all {
                Some(all) => b.binary(BinaryOp::And, all, holds),
                None => holds,
            });
        }
        all
    }

    /// The value of `id` at `coordinates`. A `through` root is computed although it is a stop.
    pub(crate) fn value(
        &mut self,
        b: &mut KernelBuilder,
        id: NodeId,
        coordinates: &[Index],
        at: &Coordinates,
        through: bool,
    ) -> ExprId {
        // Not by recursion: a chain of operations may be longer than the stack.
        let root = (id, coordinates.into(), None);
        let mut wanted = vec![PendingValue { key: root.clone(), through, operands: None }];
        while let Some(mut last) = wanted.pop() {
            match last.operands.take() {
                Some((operands, condition)) => {
                    let value = self.compute(b, &last.key, &operands, condition, at);
                    self.memo.insert(last.key, value);
                }
                None if self.there(b, &last.key, at, last.through).is_some() => {}
                None => {
                    let (operands, condition) = self.operands(b, &last.key, at);
                    let direct = operands.iter().filter(|operand| !operand.indirect).rev();
                    let keys: Vec<ValueKey> = direct.map(|operand| key(operand, condition)).collect();
                    wanted.push(PendingValue { operands: Some((operands, condition)), ..last });
                    wanted.extend(keys.into_iter().map(|key| PendingValue { key, through: false, operands: None }));
                }
            }
        }
        self.at_hand(b, &root, at)
    }

    /// The value where nothing has to be computed for it: because it has been, or because it is in memory.
    fn there(&mut self, b: &mut KernelBuilder, key: &ValueKey, at: &Coordinates, through: bool) -> Option<ExprId> {
        let (id, coordinates, condition) = key;
        if let Some((product, value)) = self.result
            && product == *id
        {
            return Some(value);
        }
        if let Some((own, value)) = self.known.get(id)
            && own.as_slice() == &coordinates[..]
        {
            return Some(*value);
        }
        if let Some(&value) = self.memo.get(key) {
            return Some(value);
        }
        if !(self.stops)(*id) || through {
            return None;
        }
        let address = self.place(*id, index::flatten(coordinates, &self.graph[*id].shape));
        let value = self.load(b, *id, &address, at, *condition);
        self.memo.insert(key.clone(), value);
        Some(value)
    }

    /// What the node reads, and the condition under which it does.
    fn operands(
        &self,
        b: &mut KernelBuilder,
        key: &ValueKey,
        at: &Coordinates,
    ) -> (Vec<OperandAccess>, Option<ExprId>) {
        let (id, coordinates, condition) = key;
        let operands = access::operands(self.graph, *id, coordinates, &self.extents);
        let holds = match (&self.graph[*id].op, operands.as_slice()) {
            (Op::View { .. }, [operand]) => self.guard(b, &operand.guards, at),
            _ => None,
        };
        let both = match (*condition, holds) {
            (Some(condition), Some(holds)) => Some(b.binary(BinaryOp::And, condition, holds)),
            (condition, holds) => condition.or(holds),
        };
        (operands, both)
    }

    fn load(
        &self,
        b: &mut KernelBuilder,
        id: NodeId,
        address: &Index,
        at: &Coordinates,
        condition: Option<ExprId>,
    ) -> ExprId {
        if matches!(self.graph[id].op, Op::Input(InputKind::Scalar(_))) {
            // A number is passed as what it is computed with: storage types are those of memory.
            return b.scalar(&(self.buffer_name)(id), self.graph[id].dtype.compute());
        }
        let index = self.index(b, address, at);
        let wide = at.vector.is_some_and(|vector| address.mentions(vector));
        self.load_at(b, id, index, if wide { at.lanes } else { 1 }, condition)
    }

    fn load_at(
        &self,
        b: &mut KernelBuilder,
        id: NodeId,
        index: ExprId,
        lanes: u8,
        condition: Option<ExprId>,
    ) -> ExprId {
        let buffer = self.buffer(b, id, Access::Read);
        let index = match condition {
            Some(condition) => {
                let first = b.int(0);
                b.select(condition, index, first)
            }
            None => index,
        };
        b.load(buffer, index, lanes)
    }

    /// The parameter for the buffer of `id`.
    pub(crate) fn buffer(&self, b: &mut KernelBuilder, id: NodeId, access: Access) -> ParamId {
        b.buffer(&(self.buffer_name)(id), self.graph[id].dtype, access)
    }

    /// The value of a node whose operands have been computed, under `inner`.
    fn compute(
        &mut self,
        b: &mut KernelBuilder,
        (id, coordinates, condition): &ValueKey,
        operands: &[OperandAccess],
        inner: Option<ExprId>,
        at: &Coordinates,
    ) -> ExprId {
        let (graph, id, condition) = (self.graph, *id, *condition);
        let node = &graph[id];
        let dtype = node.dtype.compute();
        match &node.op {
            Op::Constant(literal) => {
                let literal = if dtype.is_float() { Literal::of(literal.as_f64(), dtype) } else { *literal };
                b.literal(literal)
            }
            Op::Size(dim) => size_value(b, dim, dtype),
            Op::Iota { axis } => {
                if b.is_wide() && dtype != DType::I64 {
                    b.note_number(&node.shape[*axis]);
                }
                let index = self.index_lanes(b, &coordinates[*axis], at);
                b.cast(dtype, index)
            }
            Op::Random { stream, .. } => {
                let seed = self.operand(b, &operands[0], at, condition);
                let position = index::flatten(coordinates, &node.shape);
                b.note_number(&node.shape.elements());
                let counter = self.index_lanes(b, &position, at);
                let counter = b.cast(DType::U32, counter);
                b.philox(counter, seed, *stream)
            }
            Op::View { .. } => {
                let inside = self.operand(b, &operands[0], at, inner);
                let Some(holds) = self.guard(b, &operands[0].guards, at) else { return inside };
                let zero = b.literal(Literal::of(0.0, dtype));
                b.select(holds, inside, zero)
            }
            Op::Gather { source, indices } => {
                let row = self.operand(b, &operands[0], at, condition);
                let row = b.cast(b.index_dtype(), row);
                let shape = &graph[*source].shape;
                let rows = dim_value(b, &shape[0]);
                if b.is_wide() {
                    // What rows are taken by has 32 bits, and may be computed with them.
                    b.note_number(&shape[0]);
                }
                let zero = b.int(0);
                let low = b.compare(CompareOp::Ge, row, zero);
                let high = b.compare(CompareOp::Lt, row, rows);
                let holds = b.binary(BinaryOp::And, low, high);
                let lies_at = access::rows(graph, *source).address;
                let mut in_first_row = vec![Index::default()];
                in_first_row.extend_from_slice(&coordinates[graph[*indices].shape.rank()..]);
                let rest = self.place(operands[1].node, lies_at.substitute(&in_first_row, &self.extents));
                let stride = dim_value(b, &lies_at.coefficient(0).expect("rows lie a fixed distance apart"));
                let start = b.mul(row, stride);
                let offset = self.index(b, &rest, at);
                let address = b.add(start, offset);
                let wide = at.vector.is_some_and(|vector| rest.mentions(vector));
                let guard = match condition {
                    Some(condition) => b.binary(BinaryOp::And, condition, holds),
                    None => holds,
                };
                let value = self.load_at(b, operands[1].node, address, if wide { at.lanes } else { 1 }, Some(guard));
                let zero = b.literal(Literal::of(0.0, dtype));
                b.select(holds, value, zero)
            }
            op => {
                let values: Vec<ExprId> =
                    operands.iter().map(|operand| self.operand(b, operand, at, condition)).collect();
                match (op, values.as_slice()) {
                    (Op::Unary(..) | Op::Binary(..), operands) if self.wraps(b, id, operands) => {
                        wrapping(b, op, operands)
                    }
                    (Op::Reshape(_), [a]) => *a,
                    (Op::Cast(_), [a]) => b.cast(node.dtype, *a),
                    (Op::Unary(op, _), [a]) => b.unary(*op, *a),
                    (Op::Binary(op, ..), [x, y]) => self.binary(b, *op, *x, *y),
                    (Op::Compare(op, ..), [x, y]) => b.compare(*op, *x, *y),
                    (Op::Select(..), [c, x, y]) => b.select(*c, *x, *y),
                    (op, _) => unreachable!("{op:?} is computed by a kernel of its own"),
                }
            }
        }
    }

    /// Whether `id` is a number made of coordinates that may exceed its type. (Vectors of integers wrap as they are.)
    fn wraps(&mut self, b: &KernelBuilder, id: NodeId, operands: &[ExprId]) -> bool {
        operands.iter().all(|operand| b.ty(*operand).lanes == 1) && self.ranges.may_wrap(self.graph, id)
    }

    /// Integer division by zero gives zero in a graph and is undefined in a kernel.
    fn binary(&self, b: &mut KernelBuilder, op: BinaryOp, x: ExprId, y: ExprId) -> ExprId {
        let integer = b.ty(y).dtype.is_integer();
        let literal = matches!(b.kernel().expr(y), Expr::Literal(literal) if !literal.is(0.0) && !literal.is(-1.0));
        if !integer || literal || !matches!(op, BinaryOp::Div | BinaryOp::Rem) {
            return b.binary(op, x, y);
        }
        let dtype = b.ty(y).dtype;
        let zero = b.literal(Literal::of(0.0, dtype));
        let one = b.literal(Literal::of(1.0, dtype));
        let bad = b.compare(CompareOp::Eq, y, zero);
        let safe = b.select(bad, one, y);
        let value = b.binary(op, x, safe);
        b.select(bad, zero, value)
    }

    fn operand(
        &mut self,
        b: &mut KernelBuilder,
        operand: &OperandAccess,
        at: &Coordinates,
        condition: Option<ExprId>,
    ) -> ExprId {
        self.at_hand(b, &key(operand, condition), at)
    }

    fn at_hand(&mut self, b: &mut KernelBuilder, key: &ValueKey, at: &Coordinates) -> ExprId {
        self.there(b, key, at, false).unwrap_or_else(|| unreachable!("operands are computed before their users"))
    }
}

fn key(operand: &OperandAccess, condition: Option<ExprId>) -> ValueKey {
    (operand.node, operand.coordinates.clone(), condition)
}

/// Whether every term of the size is below zero.
fn is_negative(dim: &Dim) -> bool {
    !dim.is(0) && dim.terms().all(|(_, coefficient)| coefficient < 0)
}

/// The `I32` operation `op` in the unsigned type, which wraps in OpenCL C too.
fn wrapping(b: &mut KernelBuilder, op: &Op, operands: &[ExprId]) -> ExprId {
    let unsigned: Vec<ExprId> = operands.iter().map(|operand| b.cast(DType::U32, *operand)).collect();
    let value = match (op, unsigned.as_slice()) {
        (Op::Binary(op, ..), [x, y]) => b.binary(*op, *x, *y),
        (_, [x, ..]) => {
            let zero = b.literal(Literal::Int(0, DType::U32));
            b.binary(BinaryOp::Sub, zero, *x)
        }
        (op, []) => unreachable!("{op:?} has operands"),
    };
    b.cast(DType::I32, value)
}

/// Statements' expressions are no deeper than this, well below what is still a valid kernel (rule K26).
const MOST_LEVELS: u32 = 100;

/// Binds what `roots` use more than once to variables, so that it is computed once, and parts of what would be very deep;
/// gives the roots anew.
pub(crate) fn bind_shared(b: &mut KernelBuilder, roots: &[ExprId], names: &FxHashMap<ExprId, String>) -> Vec<ExprId> {
    let mut uses = vec![0u32; b.kernel().exprs.len()];
    let mut left: Vec<ExprId> = roots.to_vec();
    while let Some(id) = left.pop() {
        let count = &mut uses[id.0 as usize];
        *count += 1;
        if *count == 1 {
            left.extend(b.kernel().expr(id).operands());
        }
    }
    let mut new: FxHashMap<ExprId, ExprId> = FxHashMap::default();
    let mut levels: FxHashMap<ExprId, u32> = FxHashMap::default();
    for (id, count) in (0..).map(ExprId).zip(uses).filter(|(_, count)| *count > 0) {
        let ty = b.ty(id);
        let own = b.kernel().expr(id).operands().into_iter().map(|operand| levels[&operand] + 1).max().unwrap_or(0);
        let expr = b.kernel().expr(id).clone().map_operands(|operand| new[&operand]);
        let trivial = match &expr {
            Expr::Literal(_) | Expr::Var(_) | Expr::Param(_) | Expr::WorkItem(..) | Expr::LaneIds(..) => true,
            Expr::Cast(_, a) | Expr::Splat(a, _) => {
                matches!(b.kernel().expr(*a), Expr::Var(_) | Expr::Literal(_) | Expr::Param(_))
            }
            _ => false,
        };
        let mut value = b.push(expr, ty);
        let bound = (count > 1 || names.contains_key(&id) || own >= MOST_LEVELS) && !trivial;
        if bound {
            let name = names.get(&id).cloned().unwrap_or_else(|| "t".to_string());
            value = b.named(&name, value);
        }
        levels.insert(id, if bound { 0 } else { own });
        new.insert(id, value);
    }
    roots.iter().map(|root| new[root]).collect()
}
