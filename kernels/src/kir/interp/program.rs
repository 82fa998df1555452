//! What a kernel becomes before it runs: instructions on registers under structured control flow.

use crate::dtype::{DType, Literal};
use crate::graph::{BinaryOp, CompareOp, ReduceOp, UnaryOp};
use crate::kir::{AtomicOp, AtomicTarget, SubGroupOp, WorkItem};

/// A register, by position.
pub(super) type Reg = u32;

/// For what a register has values of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Extent {
    /// One value for all work-items and lanes.
    One,
    /// One value per lane, the same for all work-items.
    Lanes,
    /// One value per work-item and lane: lane `l` of item `i` is at `i * lanes + l`.
    Items,
}

/// A register's type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Info {
    pub(super) dtype: DType,
    pub(super) lanes: u8,
    pub(super) extent: Extent,
}

impl Info {
    /// How many values the register has in a block of `items` work-items.
    pub(super) fn length(self, items: usize) -> usize {
        match self.extent {
            Extent::One => 1,
            Extent::Lanes => usize::from(self.lanes),
            Extent::Items => items * usize::from(self.lanes),
        }
    }

    /// Where it has the value of an item's lane.
    pub(super) fn position(self, item: usize, lane: usize) -> usize {
        match self.extent {
            Extent::One => 0,
            Extent::Lanes => lane,
            Extent::Items if self.lanes == 1 => item,
            Extent::Items => item * usize::from(self.lanes) + lane,
        }
    }
}

/// Which work-items may touch memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum ExecMask {
    /// Those that are active.
    Active,
    /// Those for which this register holds.
    Mask(Reg),
}

/// One instruction; the first register is the result.
#[derive(Clone, Debug)]
pub(super) enum Instr {
    Literal(Reg, Literal),
    Param(Reg, u32),
    WorkItem(Reg, WorkItem, u8),
    LaneIds(Reg),
    Unary(UnaryOp, Reg, Reg),
    Binary(BinaryOp, Reg, Reg, Reg),
    MulAdd(Reg, Reg, Reg, Reg),
    Compare(CompareOp, Reg, Reg, Reg),
    Select(Reg, Reg, Reg, Reg),
    Cast(Reg, Reg),
    /// Rounds `f32` to a storage type and back.
    Round(DType, Reg, Reg),
    Bitcast(Reg, Reg),
    Philox {
        to: Reg,
        counter: Reg,
        seed: Reg,
        stream: u32,
    },
    /// The same value in every item (and lane) of the result, or a per-item scalar in every lane.
    Spread(Reg, Reg),
    Lane(Reg, Reg, u8),
    Horizontal(ReduceOp, Reg, Reg),
    Load {
        to: Reg,
        buffer: u32,
        index: Reg,
        guard: ExecMask,
    },
    LoadArray {
        to: Reg,
        array: u32,
        index: Reg,
        guard: ExecMask,
    },
    /// `guard and condition` (any lane of it), or `guard and not condition`.
    Narrow {
        to: Reg,
        guard: ExecMask,
        condition: Reg,
        negate: bool,
    },
    SubGroup {
        op: SubGroupOp,
        to: Reg,
        value: Reg,
        operand: Option<Reg>,
        guard: ExecMask,
    },
    /// A helper function; its arguments are set, its result is copied out.
    Call {
        to: Reg,
        body: Box<[Node]>,
        result: Reg,
        guard: ExecMask,
    },
}

/// One step of structured control flow.
#[derive(Clone, Debug)]
pub(super) enum Node {
    /// Instructions.
    Code(Box<[Instr]>),
    /// `variable = value`. `swap`: the value's register is free afterwards and of the same type. `masked`: only for the
    /// active items.
    Set {
        variable: Reg,
        value: Reg,
        swap: bool,
        masked: bool,
    },
    Store {
        buffer: u32,
        index: Reg,
        value: Reg,
        lanes: u8,
    },
    StoreArray {
        array: u32,
        index: Reg,
        value: Reg,
    },
    For(Box<ForLoop>),
    /// A counting loop whose rounds run side by side, see [`super::wide`].
    Wide(Box<WideLoop>),
    /// Takes the value of every round into a variable, in order.
    Fold {
        variable: Reg,
        op: BinaryOp,
        value: Reg,
        /// The variable is the operation's first operand.
        first: bool,
    },
    /// `variable = a * b + variable` for every round, in order.
    FoldProduct {
        variable: Reg,
        a: Reg,
        b: Reg,
    },
    While {
        code: Box<[Instr]>,
        condition: Reg,
        body: Box<[Node]>,
    },
    If {
        condition: Reg,
        then: Box<[Node]>,
        otherwise: Box<[Node]>,
    },
    Break,
    Continue,
    Barrier,
    Atomic {
        op: AtomicOp,
        target: AtomicTarget,
        index: Reg,
        value: Reg,
        old: Option<Reg>,
    },
}

/// A counting loop. `end` and `step` are registers that the body leaves alone.
#[derive(Clone, Debug)]
pub(super) struct ForLoop {
    pub(super) counter: Reg,
    pub(super) end: Reg,
    pub(super) step: Reg,
    pub(super) body: Box<[Node]>,
}

/// A counting loop whose rounds run side by side.
#[derive(Clone, Debug)]
pub(super) struct WideLoop {
    /// One value per round.
    pub(super) counter: Reg,
    pub(super) start: Reg,
    pub(super) end: Reg,
    pub(super) step: Reg,
    pub(super) body: Box<[Node]>,
}
