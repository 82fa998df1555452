//! Reductions while they run.
//!
//! A long sum of floats is made of blocks. Each term that is added to a running sum loses what is below the sum's last digit,
//! so a running sum of 10^7 equal numbers is off in the third digit. Here a running sum has at most [`BLOCK`] terms; then it
//! is added to a total, together with what that addition rounds off (two-sum: Knuth, "The Art of Computer Programming" 2,
//! section 4.2.2). The error so stays that of one block, however long the sum is.

use crate::dim::Dim;
use crate::dtype::{DType, Literal};
use crate::graph::{BinaryOp, CompareOp, Graph, NodeId, Op, ReduceOp};
use crate::kir::build::KernelBuilder;
use crate::kir::{ExprId, VarId};

/// Terms of a block.
pub(super) const BLOCK: i64 = 32;

/// Sums that are known to have no more terms are running sums.
const SHORT: i64 = 128;

/// Whether a sum of so many terms, one after the other, is made of blocks.
pub(super) fn is_long(terms: &Dim) -> bool {
    terms.as_constant().is_none_or(|terms| terms > SHORT)
}

/// The elementwise operation that combines two partial results.
pub(super) fn combining(op: ReduceOp) -> BinaryOp {
    match op {
        ReduceOp::Sum => BinaryOp::Add,
        ReduceOp::Prod => BinaryOp::Mul,
        ReduceOp::Max | ReduceOp::ArgMax => BinaryOp::Max,
        ReduceOp::Min | ReduceOp::ArgMin => BinaryOp::Min,
    }
}

/// One reduction while it runs: the value so far (of a sum in blocks: of this block) and, for `ArgMax`/`ArgMin`, where it stood.
pub(super) struct Accumulator {
    pub(super) node: NodeId,
    pub(super) op: ReduceOp,
    pub(super) value: VarId,
    pub(super) position: Option<VarId>,
    total: Option<CompensatedSum>,
}

/// A sum of floats that keeps what rounding takes from it.
#[derive(Clone, Copy)]
pub(super) struct CompensatedSum {
    sum: VarId,
    lost: VarId,
}

impl CompensatedSum {
    /// Of the sum that is in `sum` so far.
    pub(super) fn new(b: &mut KernelBuilder, name: &str, sum: VarId) -> CompensatedSum {
        let so_far = b.get(sum);
        let ty = b.ty(so_far);
        let zero = b.literal(ReduceOp::Sum.neutral(ty.dtype));
        let zero = b.splat(zero, ty.lanes);
        CompensatedSum { sum, lost: b.bind(&format!("{name}_lost"), zero) }
    }

    /// Adds `value`.
    pub(super) fn add(self, b: &mut KernelBuilder, value: ExprId) {
        let (before, lost) = (b.get(self.sum), b.get(self.lost));
        let after = b.add(before, value);
        let after = b.named("after", after);
        let added = b.binary(BinaryOp::Sub, after, before);
        let added = b.named("added", added);
        let kept = b.binary(BinaryOp::Sub, after, added);
        let of_sum = b.binary(BinaryOp::Sub, before, kept);
        let of_value = b.binary(BinaryOp::Sub, value, added);
        let error = b.add(of_sum, of_value);
        let lost = b.add(lost, error);
        b.assign(self.lost, lost);
        b.assign(self.sum, after);
    }

    /// The sum, with what it has lost. Of one that is not finite that is not known.
    pub(super) fn value(self, b: &mut KernelBuilder) -> ExprId {
        let (sum, lost) = (b.get(self.sum), b.get(self.lost));
        let nothing = b.binary(BinaryOp::Sub, lost, lost);
        let dtype = b.ty(lost).dtype;
        let zero = b.literal(ReduceOp::Sum.neutral(dtype));
        let finite = b.compare(CompareOp::Eq, nothing, zero);
        let whole = b.add(sum, lost);
        b.select(finite, whole, sum)
    }
}

impl Accumulator {
    /// Declares and starts it; a `long` sum is made of blocks, each of which ends with [`Accumulator::end_block`].
    pub(super) fn start(b: &mut KernelBuilder, graph: &Graph, node: NodeId, lanes: u8, long: bool) -> Self {
        let Op::Reduce { op, source, .. } = graph[node].op else { unreachable!("only reductions accumulate") };
        let dtype = graph[source].dtype.compute();
        let start = b.literal(op.neutral(dtype));
        let start = b.splat(start, lanes);
        let name = if graph[node].name.is_empty() { op.name().to_string() } else { graph[node].name.clone() };
        let value = b.bind(&name, start);
        let position = matches!(op, ReduceOp::ArgMax | ReduceOp::ArgMin).then(|| {
            let zero = b.literal(Literal::Int(0, DType::I32));
            let zero = b.splat(zero, lanes);
            b.bind(&format!("{name}_at"), zero)
        });
        let total = (long && op == ReduceOp::Sum && dtype.is_float()).then(|| {
            let sum = b.bind(&format!("{name}_total"), start);
            CompensatedSum::new(b, &name, sum)
        });
        Accumulator { node, op, value, position, total }
    }

    /// Adds the block to the total, and begins the next one.
    pub(super) fn end_block(&self, b: &mut KernelBuilder) {
        let Some(total) = self.total else { return };
        let block = b.get(self.value);
        total.add(b, block);
        let zero = self.zero(b);
        b.assign(self.value, zero);
    }

    /// Makes the total of a sum in blocks its value, after the last block's end.
    pub(super) fn finish(&self, b: &mut KernelBuilder) {
        let Some(total) = self.total else { return };
        let value = total.value(b);
        b.assign(self.value, value);
    }

    fn zero(&self, b: &mut KernelBuilder) -> ExprId {
        let value = b.get(self.value);
        let ty = b.ty(value);
        let zero = b.literal(ReduceOp::Sum.neutral(ty.dtype));
        b.splat(zero, ty.lanes)
    }

    /// Takes in one more value, which stands at `position` among the reduced elements.
    pub(super) fn add(&self, b: &mut KernelBuilder, value: ExprId, position: ExprId) {
        let so_far = b.get(self.value);
        let lanes = b.ty(so_far).lanes;
        let value = b.splat(value, lanes);
        let Some(at) = self.position else {
            let sum = b.binary(combining(self.op), so_far, value);
            return b.assign(self.value, sum);
        };
        let better = if self.op == ReduceOp::ArgMax { CompareOp::Gt } else { CompareOp::Lt };
        let mut wins = b.compare(better, value, so_far);
        if b.ty(value).dtype.is_float() {
            // The first NaN wins over everything.
            let nan = b.compare(CompareOp::Ne, value, value);
            let number = b.compare(CompareOp::Eq, so_far, so_far);
            let first = b.binary(BinaryOp::And, nan, number);
            wins = b.binary(BinaryOp::Or, wins, first);
        }
        let wins = b.named("wins", wins);
        let value = b.select(wins, value, so_far);
        let old = b.get(at);
        let position = b.select(wins, position, old);
        b.assign(self.value, value);
        b.assign(at, position);
    }

    /// The reduction's result.
    pub(super) fn result(&self, b: &mut KernelBuilder) -> ExprId {
        b.get(self.position.unwrap_or(self.value))
    }
}

/// `body` for every number from `start` up to `end` in steps of `step`, in blocks where one of the sums is made of such. If
/// there is a condition, they end only where it holds.
pub(super) fn in_blocks(
    b: &mut KernelBuilder,
    name: &str,
    (start, end, step): (ExprId, ExprId, i64),
    (accumulators, condition): (&[Accumulator], Option<ExprId>),
    body: impl FnOnce(&mut KernelBuilder, ExprId),
) {
    let by = b.int(step);
    if !any_long(accumulators) {
        return b.for_loop(name, start, end, by, body);
    }
    let length = b.int(step * BLOCK);
    b.for_loop("first", start, end, length, |b, first| {
        let block_end = b.add(first, length);
        let block_end = b.binary(BinaryOp::Min, block_end, end);
        let block_end = b.named("block_end", block_end);
        b.for_loop(name, first, block_end, by, body);
        match condition {
            Some(condition) => b.if_then(condition, |b| end_blocks(b, accumulators)),
            None => end_blocks(b, accumulators),
        }
    });
}

/// Whether one of them is a sum in blocks.
pub(super) fn any_long(accumulators: &[Accumulator]) -> bool {
    accumulators.iter().any(|accumulator| accumulator.total.is_some())
}

/// Ends the block of each.
pub(super) fn end_blocks(b: &mut KernelBuilder, accumulators: &[Accumulator]) {
    accumulators.iter().for_each(|accumulator| accumulator.end_block(b));
}
