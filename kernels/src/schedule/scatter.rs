//! Scatter-adds as kernels: zeros with rows of `updates [count, features]` added at rows `indices [count]` of
//! `result [rows, features]`, without float atomics, so that a run repeats. A row that does not exist is left out.
//!
//! On a CPU ([`owners`]) each work-item owns some rows, looks at all indices, and adds the updates of its own rows in their
//! order. GPUs have too many work-items for that: [`super::scatter_sorted`].

use super::sizes::dim_value;
use crate::dim::{Dim, IndexWidth, Shape};
use crate::dtype::{DType, Literal};
use crate::graph::{BinaryOp, CompareOp, Graph, NodeId, Op};
use crate::kir::build::KernelBuilder;
use crate::kir::{Access, ExprId, Launch, ParamId, ParamKind, WorkItem};

/// How large a scatter-add is.
#[derive(Clone, Debug)]
pub(crate) struct ScatterShape {
    /// Rows of the result.
    pub rows: Dim,
    /// Indices.
    pub count: Dim,
    /// Elements of a row.
    pub features: Dim,
    /// Of the indices: `I32` or `U32`.
    pub index_dtype: DType,
    /// Of updates and sums, which is computed in: no storage type.
    pub dtype: DType,
}

impl ScatterShape {
    /// Those of the scatter-add `id`.
    pub(crate) fn of(graph: &Graph, id: NodeId) -> ScatterShape {
        let node = &graph[id];
        let Op::ScatterAdd { indices, .. } = node.op else { unreachable!("{:?} is no scatter-add", node.op) };
        ScatterShape {
            rows: node.shape[0].clone(),
            count: graph[indices].shape.elements(),
            features: Shape(node.shape.0[1..].to_vec()).elements(),
            index_dtype: graph[indices].dtype,
            dtype: node.dtype,
        }
    }
}

/// A scatter-add whose operands lie in memory.
#[derive(Clone, Debug)]
pub(crate) struct ScatterAdd {
    /// How large it is.
    pub sizes: ScatterShape,
    /// The buffer of the row numbers.
    pub indices: String,
    /// The buffer of what is added.
    pub updates: String,
    /// The buffer of the sums.
    pub result: String,
}

/// Work-items of a CPU: more than most have threads, so that those whose rows are hit often leave the others' to the rest.
const OWNERS: u32 = 32;
/// Bytes of neighbouring rows that one work-item owns, at least: threads that write into one cache line slow each other down.
const OWNED_BYTES: u64 = 64;
/// Lanes of its vectors.
const LANES: u8 = 16;

impl ScatterAdd {
    /// The number of the row that the update at `at` is added to, in the kernel's index type; `rows` of one that does not exist.
    pub(super) fn row(&self, b: &mut KernelBuilder, at: ExprId) -> ExprId {
        let indices = b.param(&self.indices, ParamKind::Buffer(self.sizes.index_dtype, Access::Read));
        let index = b.load(indices, at, 1);
        // What is negative becomes too large.
        let index = b.cast(DType::U32, index);
        let rows = dim_value(b, &self.sizes.rows);
        let rows = b.cast(DType::U32, rows);
        let row = b.binary(BinaryOp::Min, index, rows);
        b.note_number(&self.sizes.rows);
        b.cast(b.index_dtype(), row)
    }

    pub(super) fn updates(&self, b: &mut KernelBuilder) -> ParamId {
        b.param(&self.updates, ParamKind::Buffer(self.sizes.dtype, Access::Read))
    }

    /// The first element of a row.
    pub(super) fn start(&self, b: &mut KernelBuilder, row: ExprId) -> ExprId {
        let features = dim_value(b, &self.sizes.features);
        b.mul(row, features)
    }

    pub(super) fn zero(&self, b: &mut KernelBuilder) -> ExprId {
        b.literal(Literal::of(0.0, self.sizes.dtype))
    }
}

/// `value / 2^by`, of what is not negative.
pub(super) fn shifted(b: &mut KernelBuilder, value: ExprId, by: u32) -> ExprId {
    if by == 0 {
        return value;
    }
    let by = b.int(i64::from(by));
    b.binary(BinaryOp::Shr, value, by)
}

/// The kernel for CPUs: its cost is that of the updates and of the result, and of a look at each index by each work-item.
pub(crate) fn owners(scatter: &ScatterAdd, name: &str, width: IndexWidth) -> KernelBuilder {
    let launch = Launch { global: vec![Dim::from(OWNERS as usize)], local: vec![1] };
    let mut builder = KernelBuilder::new(name, launch).indexed(width);
    let b = &mut builder;
    let features = scatter.sizes.features.as_constant().and_then(|size| u64::try_from(size).ok());
    let bytes = features.unwrap_or(1).saturating_mul(scatter.sizes.dtype.size() as u64).max(1);
    let block = OWNED_BYTES.div_ceil(bytes).next_power_of_two();
    let result = b.param(&scatter.result, ParamKind::Buffer(scatter.sizes.dtype, Access::ReadWrite));
    let owner = b.work_item(WorkItem::GlobalId, 0);
    let owner = b.named("owner", owner);

    b.comment("rows belong to work-items by turns");
    let (blocks, owners) = (dim_value(b, &scatter.sizes.rows.ceil_div(block)), b.int(i64::from(OWNERS)));
    b.for_loop("block", owner, blocks, owners, |b, number| {
        let size = b.int(block as i64);
        let first = b.mul(number, size);
        let end = b.add(first, size);
        let rows = dim_value(b, &scatter.sizes.rows);
        let end = b.binary(BinaryOp::Min, end, rows);
        let (first, end) = (scatter.start(b, first), scatter.start(b, end));
        let (first, end) = (b.named("first", first), b.named("end", end));
        each(b, first, end, features.map(|size| size.saturating_mul(block)), |b, at, lanes| {
            let zero = scatter.zero(b);
            let zero = b.splat(zero, lanes);
            b.store(result, at, zero);
        });
    });

    b.comment("and take their updates in order");
    let (zero, one, count) = (b.int(0), b.int(1), dim_value(b, &scatter.sizes.count));
    b.for_loop("i", zero, count, one, |b, i| {
        let row = scatter.row(b, i);
        let row = b.named("row", row);
        let rows = dim_value(b, &scatter.sizes.rows);
        let exists = b.compare(CompareOp::Lt, row, rows);
        let number = shifted(b, row, block.trailing_zeros());
        let mask = b.int(i64::from(OWNERS - 1));
        let turn = b.binary(BinaryOp::And, number, mask);
        let own = b.compare(CompareOp::Eq, turn, owner);
        let own = b.binary(BinaryOp::And, own, exists);
        b.if_then(own, |b| {
            let (to, from) = (scatter.start(b, row), scatter.start(b, i));
            let (to, from) = (b.named("to", to), b.named("from", from));
            let (zero, end) = (b.int(0), dim_value(b, &scatter.sizes.features));
            each(b, zero, end, features, |b, feature, lanes| {
                let updates = scatter.updates(b);
                let (place, source) = (b.add(to, feature), b.add(from, feature));
                let (sum, update) = (b.load(result, place, lanes), b.load(updates, source, lanes));
                let sum = b.add(sum, update);
                b.store(result, place, sum);
            });
        });
    });
    builder
}

/// `body` for every number from `first` up to `end`, in vectors and then one by one. `most` is how many there are at most, if
/// that is known.
fn each(
    b: &mut KernelBuilder,
    first: ExprId,
    end: ExprId,
    most: Option<u64>,
    body: impl Fn(&mut KernelBuilder, ExprId, u8),
) {
    let fitting = [LANES, 8, 4, 2].into_iter().find(|lanes| most.is_none_or(|most| u64::from(*lanes) <= most));
    let one = b.int(1);
    let Some(lanes) = fitting else { return b.for_loop("e", first, end, one, |b, at| body(b, at, 1)) };
    let step = b.int(i64::from(lanes));
    let length = b.binary(BinaryOp::Sub, end, first);
    let vectors = b.binary(BinaryOp::Div, length, step);
    let vectors = b.mul(vectors, step);
    let rest = b.add(first, vectors);
    if rest == end {
        return b.for_loop("e", first, end, step, |b, at| body(b, at, lanes));
    }
    let rest = b.named("rest", rest);
    b.for_loop("e", first, rest, step, |b, at| body(b, at, lanes));
    b.for_loop("e", rest, end, one, |b, at| body(b, at, 1));
}
