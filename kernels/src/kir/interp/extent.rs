//! Which values are the same for all work-items: these are computed once per block.

use super::program::Extent;
use super::scope::{BlockKind, Scope};
use super::wide::carried;
use crate::kir::{Expr, ExprId, Space, Stmt, VarId, WorkItem};
use std::collections::BTreeSet;

/// The extents of a scope's values.
pub(super) struct Extents {
    pub(super) vars: Vec<Extent>,
    pub(super) exprs: Vec<Extent>,
}

/// Starts from "all the same" and repeats until nothing changes any more.
pub(super) fn analyse(scope: Scope<'_>, params: &[VarId]) -> Extents {
    let vars = scope.vars.len();
    let mut extents = vec![Extent::One; vars];
    for param in params {
        extents[param.0 as usize] = Extent::Items;
    }
    loop {
        let exprs = expr_extents(scope, &extents);
        let mut walk = ExtentAnalysis { scope, exprs: &exprs, vars: extents.clone(), depths: vec![0; vars] };
        walk.block(scope.body, 0);
        if walk.vars == extents {
            return Extents { vars: extents, exprs };
        }
        extents = walk.vars;
    }
}

/// Extents of all expressions, given those of the variables.
fn expr_extents(scope: Scope<'_>, vars: &[Extent]) -> Vec<Extent> {
    let mut extents: Vec<Extent> = Vec::with_capacity(scope.exprs.len());
    for (expr, ty) in scope.exprs.iter().zip(scope.types) {
        let of = |id: &ExprId| extents[id.0 as usize];
        let vector = if ty.lanes > 1 { Extent::Lanes } else { Extent::One };
        let extent = match expr {
            Expr::Literal(_) | Expr::Param(_) => Extent::One,
            Expr::Var(var) => vars[var.0 as usize],
            Expr::WorkItem(item, _) => match item {
                WorkItem::GlobalSize | WorkItem::LocalSize | WorkItem::NumGroups => Extent::One,
                WorkItem::GroupId if scope.block == BlockKind::Group => Extent::One,
                _ if scope.block == BlockKind::Rounds => Extent::One,
                _ => Extent::Items,
            },
            Expr::LaneIds(..) => Extent::Lanes,
            Expr::Unary(_, a) | Expr::Cast(_, a) | Expr::Bitcast(_, a) | Expr::Splat(a, _) => of(a),
            Expr::Binary(_, a, b) | Expr::Compare(_, a, b) => of(a).max(of(b)),
            Expr::MulAdd(a, b, c) | Expr::Select(a, b, c) => of(a).max(of(b)).max(of(c)),
            Expr::Load { index, .. } => of(index).max(vector),
            Expr::LoadArray { array, index } => match scope.arrays[array.0 as usize].space {
                Space::Local => of(index),
                Space::Private => Extent::Items,
            },
            Expr::Lane(a, _) | Expr::Horizontal(_, a) => match of(a) {
                Extent::One | Extent::Lanes => Extent::One,
                Extent::Items => Extent::Items,
            },
            Expr::Philox { counter, seed, .. } => of(counter).max(of(seed)),
            Expr::SubGroup(..) | Expr::Call(..) => Extent::Items,
        };
        extents.push(extent);
    }
    extents
}

struct ExtentAnalysis<'a> {
    scope: Scope<'a>,
    exprs: &'a [Extent],
    vars: Vec<Extent>,
    /// Under how many decisions that items take differently a variable was bound.
    depths: Vec<u32>,
}

impl ExtentAnalysis<'_> {
    fn of(&self, id: ExprId) -> Extent {
        self.exprs[id.0 as usize]
    }

    /// The variables that a loop accumulates into, if its rounds run side by side.
    fn widened(&self, var: VarId, step: ExprId, body: &[Stmt]) -> Option<BTreeSet<VarId>> {
        if self.scope.block == BlockKind::Rounds { carried(self.scope, var, step, body) } else { None }
    }

    fn raise(&mut self, var: VarId, extent: Extent) {
        let own = &mut self.vars[var.0 as usize];
        *own = extent.max(*own);
    }

    fn block(&mut self, stmts: &[Stmt], depth: u32) {
        for stmt in stmts {
            match stmt {
                Stmt::Let(var, value) => {
                    self.raise(*var, self.of(*value));
                    self.depths[var.0 as usize] = depth;
                }
                Stmt::Assign(var, value) => {
                    self.raise(*var, self.of(*value));
                    // Only some of the items that hold the variable may be here.
                    if self.depths[var.0 as usize] != depth {
                        self.raise(*var, Extent::Items);
                    }
                }
                Stmt::For { var, step, body, .. } if self.widened(*var, *step, body).is_some() => {
                    self.depths[var.0 as usize] = depth;
                    self.raise(*var, Extent::Items);
                    let carried = self.widened(*var, *step, body).unwrap_or_default();
                    let before = self.vars.clone();
                    self.block(body, depth);
                    // What is folded in leaves one value behind.
                    for var in carried {
                        let lanes = self.scope.var_lanes(var);
                        let one = if lanes > 1 { Extent::Lanes } else { Extent::One };
                        self.vars[var.0 as usize] = before[var.0 as usize].max(one);
                    }
                }
                Stmt::For { var, start, end, step, body } => {
                    self.depths[var.0 as usize] = depth;
                    self.raise(*var, self.of(*start).max(self.of(*step)));
                    let depth = depth + u32::from(divergent_loop(self.exprs, &[*start, *end, *step], body));
                    self.block(body, depth);
                }
                Stmt::While { condition, body } => {
                    let depth = depth + u32::from(divergent_loop(self.exprs, &[*condition], body));
                    self.block(body, depth);
                }
                Stmt::If { condition, then, otherwise } => {
                    let depth = depth + u32::from(self.of(*condition) == Extent::Items);
                    self.block(then, depth);
                    self.block(otherwise, depth);
                }
                Stmt::Atomic { old: Some(var), .. } => {
                    self.raise(*var, Extent::Items);
                    self.depths[var.0 as usize] = depth;
                }
                Stmt::Comment(_)
                | Stmt::Store { .. }
                | Stmt::StoreArray { .. }
                | Stmt::Break
                | Stmt::Continue
                | Stmt::Barrier { .. }
                | Stmt::Atomic { old: None, .. } => {}
            }
        }
    }
}

/// Whether some items may leave a loop, or one of its rounds, before others.
fn divergent_loop(exprs: &[Extent], controls: &[ExprId], body: &[Stmt]) -> bool {
    controls.iter().any(|id| exprs[id.0 as usize] == Extent::Items) || divergent_exit(exprs, body, false)
}

/// Whether a `break` or `continue` of this loop stands under a condition that items decide differently.
fn divergent_exit(exprs: &[Extent], stmts: &[Stmt], under: bool) -> bool {
    stmts.iter().any(|stmt| match stmt {
        Stmt::Break | Stmt::Continue => under,
        Stmt::If { condition, then, otherwise } => {
            let under = under || exprs[condition.0 as usize] == Extent::Items;
            divergent_exit(exprs, then, under) || divergent_exit(exprs, otherwise, under)
        }
        _ => false,
    })
}
