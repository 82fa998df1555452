//! What the kernels share: their sizes, and what lies in memory between them.

use crate::dim::{Dim, Shape};
use crate::dtype::DType;
use crate::graph::CompareOp;
use crate::kir::build::KernelBuilder;
use crate::kir::{Access, ExprId, Launch, ParamKind, VarId, WorkItem};
use crate::schedule::scatter::{ScatterAdd, ScatterShape};
use crate::schedule::sizes::dim_value;
use crate::variant::LOOP_GROUP;

/// Bits of the row number that one pass sorts by: as many digits as a work-group has work-items.
pub(super) const DIGIT_BITS: u32 = LOOP_GROUP.trailing_zeros();
/// Work-groups that sort, however many updates there are.
pub(super) const GROUPS: u32 = 128;
/// Updates that one work-item adds up.
pub(super) const STRETCH: u32 = 16;
/// Neighbouring elements of a row that one work-group sums.
pub(super) const LANES: u32 = 8;
/// Updates that one work-group sums.
pub(super) const BLOCK: u32 = LOOP_GROUP / LANES * STRETCH;
/// Local memory that each of the kernels stays below, in bytes.
pub(crate) const LOCAL_BYTES: u64 = 12 << 10;

/// What lies in memory between the kernels, by the names of the buffers.
#[derive(Clone, Debug)]
pub(crate) struct Intermediates {
    /// How often each digit comes in the updates of each group.
    pub counts: String,
    /// The numbers of the updates, sorted by one digit more after each pass.
    pub orders: Vec<String>,
    /// The rows of the updates as they come, and then of each of these orders.
    pub rows: Vec<String>,
    /// The sum of what each block has of the row that its first update belongs to.
    pub heads: String,
    /// Of the row that its last update belongs to, if that is another.
    pub tails: String,
}

/// One buffer of [`Intermediates`]: what it holds, in a word, and how much.
pub(crate) type IntermediateBuffer = (&'static str, Shape, DType);

impl ScatterShape {
    /// Passes of the sort. Row numbers go up to that of no row.
    pub(crate) fn passes(&self) -> u32 {
        let most = self.rows.as_constant().and_then(|rows| u32::try_from(rows).ok()).unwrap_or(i32::MAX as u32);
        (u32::BITS - most.leading_zeros()).div_ceil(DIGIT_BITS).max(1)
    }

    /// Blocks of updates.
    pub(crate) fn blocks(&self) -> Dim {
        self.count.ceil_div(u64::from(BLOCK))
    }

    /// What lies in memory between the kernels, in the order of [`Intermediates`].
    pub(crate) fn between(&self) -> Vec<IntermediateBuffer> {
        let counts = Shape::of(&[GROUPS as usize, LOOP_GROUP as usize]);
        let ends = Shape(vec![self.blocks(), self.features.clone()]);
        let mut kept = vec![("counts", counts, DType::I32)];
        for (what, buffers) in [("order", self.passes()), ("rows", self.passes() + 1)] {
            kept.extend((0..buffers).map(|_| (what, Shape(vec![self.count.clone()]), DType::I32)));
        }
        kept.extend([("heads", ends.clone(), self.dtype), ("tails", ends, self.dtype)]);
        kept
    }
}

impl ScatterAdd {
    /// Stores the sum of `row`, where there is such a row.
    pub(super) fn store_row(&self, b: &mut KernelBuilder, row: ExprId, feature: ExprId, sum: ExprId) {
        let result = b.param(&self.result, ParamKind::Buffer(self.sizes.dtype, Access::Write));
        let rows = dim_value(b, &self.sizes.rows);
        let exists = b.compare(CompareOp::Lt, row, rows);
        b.if_then(exists, |b| {
            let place = self.start(b, row);
            let place = b.add(place, feature);
            b.store(result, place, sum);
        });
    }
}

impl Intermediates {
    /// Those of `names`, which are in the order of [`ScatterShape::between`]; `None` where there are too few.
    pub(crate) fn of(names: impl IntoIterator<Item = String>) -> Option<Intermediates> {
        let mut names: Vec<String> = names.into_iter().collect();
        let (tails, heads) = (names.pop()?, names.pop()?);
        let counts = (!names.is_empty()).then(|| names.remove(0))?;
        // One more of the rows.
        let rows = names.split_off(names.len() / 2);
        Some(Intermediates { counts, orders: names, rows, heads, tails })
    }

    /// The number of the update at `position` of the order after `passes` passes.
    pub(super) fn update(&self, b: &mut KernelBuilder, position: ExprId, passes: usize) -> ExprId {
        let Some(last) = passes.checked_sub(1) else { return position };
        let order = b.param(&self.orders[last], ParamKind::Buffer(DType::I32, Access::Read));
        b.load(order, position, 1)
    }

    /// The row of the update at `position` of the order after `passes` passes.
    pub(super) fn row(&self, b: &mut KernelBuilder, position: ExprId, passes: usize) -> ExprId {
        let rows = b.param(&self.rows[passes], ParamKind::Buffer(DType::I32, Access::Read));
        b.load(rows, position, 1)
    }

    /// The row of the update at `position` of the final order.
    pub(super) fn final_row(&self, b: &mut KernelBuilder, position: ExprId) -> ExprId {
        self.row(b, position, self.orders.len())
    }
}

/// `global` work-groups of [`LOOP_GROUP`] work-items.
pub(super) fn launch(groups: &Dim) -> Launch {
    Launch { global: vec![groups.clone() * Dim::from(LOOP_GROUP as usize)], local: vec![LOOP_GROUP] }
}

/// The work-item's number in its group, and the group's.
pub(super) fn item_and_group(b: &mut KernelBuilder) -> [ExprId; 2] {
    [("item", WorkItem::LocalId), ("group", WorkItem::GroupId)].map(|(name, id)| {
        let id = b.work_item(id, 0);
        b.named(name, id)
    })
}

/// Adds `value` to `var`.
pub(super) fn increase(b: &mut KernelBuilder, var: VarId, value: ExprId) {
    let own = b.get(var);
    let sum = b.add(own, value);
    b.assign(var, sum);
}
