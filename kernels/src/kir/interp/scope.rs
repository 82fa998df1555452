//! What the analyses and the compiler look at: a kernel, or one of its functions, and what runs side by side.

use crate::kir::{Array, Expr, ExprId, Stmt, ValueType, Var, VarId};

/// A kernel or a function body.
#[derive(Clone, Copy)]
pub(super) struct Scope<'a> {
    pub(super) exprs: &'a [Expr],
    pub(super) types: &'a [ValueType],
    pub(super) vars: &'a [Var],
    pub(super) arrays: &'a [Array],
    pub(super) body: &'a [Stmt],
    /// What the items of a block are.
    pub(super) block: BlockKind,
}

impl Scope<'_> {
    pub(super) fn ty(&self, id: ExprId) -> ValueType {
        self.types[id.0 as usize]
    }

    pub(super) fn var_lanes(&self, var: VarId) -> u8 {
        self.vars[var.0 as usize].ty.lanes
    }

    pub(super) fn expr(&self, id: ExprId) -> &Expr {
        &self.exprs[id.0 as usize]
    }
}

/// What the items of a block are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BlockKind {
    /// Any work-items.
    Items,
    /// The work-items of a group.
    Group,
    /// Rounds of the innermost loops of one work-item, see [`super::wide`].
    Rounds,
}
