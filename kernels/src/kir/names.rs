//! What work-items, sub-groups and atomics can do, by name: in the text form, and in the kernels that users write.

use super::{AtomicOp, SubGroupOp, WorkItem};
use crate::dtype::DType;

impl WorkItem {
    /// Every one.
    pub const ALL: [WorkItem; 9] = [
        WorkItem::GlobalId,
        WorkItem::LocalId,
        WorkItem::GroupId,
        WorkItem::GlobalSize,
        WorkItem::LocalSize,
        WorkItem::NumGroups,
        WorkItem::SubGroupLane,
        WorkItem::SubGroupSize,
        WorkItem::SubGroupId,
    ];

    /// The name: `global_id`.
    pub const fn name(self) -> &'static str {
        match self {
            WorkItem::GlobalId => "global_id",
            WorkItem::LocalId => "local_id",
            WorkItem::GroupId => "group_id",
            WorkItem::GlobalSize => "global_size",
            WorkItem::LocalSize => "local_size",
            WorkItem::NumGroups => "num_groups",
            WorkItem::SubGroupLane => "sub_group_lane",
            WorkItem::SubGroupSize => "sub_group_size",
            WorkItem::SubGroupId => "sub_group_id",
        }
    }

    /// Whether there is one for each dimension of the launch.
    pub const fn has_dimension(self) -> bool {
        !matches!(self, WorkItem::SubGroupLane | WorkItem::SubGroupSize | WorkItem::SubGroupId)
    }
}

impl SubGroupOp {
    /// Every one.
    pub const ALL: [SubGroupOp; 5] = [
        SubGroupOp::ReduceAdd,
        SubGroupOp::ReduceMax,
        SubGroupOp::ReduceMin,
        SubGroupOp::Broadcast,
        SubGroupOp::ShuffleXor,
    ];

    /// The name in the text form: `reduce_add`.
    pub const fn name(self) -> &'static str {
        match self {
            SubGroupOp::ReduceAdd => "reduce_add",
            SubGroupOp::ReduceMax => "reduce_max",
            SubGroupOp::ReduceMin => "reduce_min",
            SubGroupOp::Broadcast => "broadcast",
            SubGroupOp::ShuffleXor => "shuffle_xor",
        }
    }

    /// Whether it takes a lane besides the value.
    pub const fn takes_lane(self) -> bool {
        matches!(self, SubGroupOp::Broadcast | SubGroupOp::ShuffleXor)
    }
}

impl AtomicOp {
    /// Every one.
    pub const ALL: [AtomicOp; 7] =
        [AtomicOp::Add, AtomicOp::Max, AtomicOp::Min, AtomicOp::And, AtomicOp::Or, AtomicOp::Xor, AtomicOp::Exchange];

    /// The name: `exchange`.
    pub const fn name(self) -> &'static str {
        match self {
            AtomicOp::Add => "add",
            AtomicOp::Max => "max",
            AtomicOp::Min => "min",
            AtomicOp::And => "and",
            AtomicOp::Or => "or",
            AtomicOp::Xor => "xor",
            AtomicOp::Exchange => "exchange",
        }
    }
    /// Whether elements of that type can be updated so.
    pub const fn takes(self, dtype: DType) -> bool {
        match dtype {
            DType::I32 | DType::U32 | DType::I64 => true,
            DType::F32 | DType::F64 => !matches!(self, AtomicOp::And | AtomicOp::Or | AtomicOp::Xor),
            _ => false,
        }
    }
}
