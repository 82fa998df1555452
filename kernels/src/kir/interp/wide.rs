//! Loops whose rounds run side by side.
//!
//! Kernels for CPUs give each work-item a long loop over vectors. Running many such work-items in lockstep would touch
//! memory in as many places at once, so these kernels run one work-item at a time, and the rounds of its innermost
//! loops take the place of the work-items of a block: the counter has a value for each round, loads and stores of
//! consecutive rounds become one copy, and what the loop accumulates is folded in, in the order of the rounds.
//!
//! That is right where rounds do not depend on each other but for such accumulation; [`carried`] says so.

use super::scope::Scope;
use crate::graph::BinaryOp;
use crate::kir::{Expr, ExprId, Kernel, ParamId, Stmt, VarId};
use std::collections::BTreeSet;

/// Loops that are known to have fewer rounds are not worth it.
const FEW_ROUNDS: i64 = 16;

/// Whether the kernel is to run one work-item at a time: it computes with vectors, all its innermost loops may be
/// widened, none of them is known to be short, and there is nothing in it that widened loops cannot be beside.
pub(super) fn pays(kernel: &Kernel, scope: Scope<'_>) -> bool {
    let vectors = scope.types.iter().any(|ty| ty.lanes > 1);
    let plain = kernel.arrays.is_empty() && kernel.functions.is_empty();
    let mut loops = 0;
    vectors && plain && all_widen(scope, scope.body, &mut loops) && loops > 0
}

fn all_widen(scope: Scope<'_>, stmts: &[Stmt], loops: &mut usize) -> bool {
    stmts.iter().all(|stmt| match stmt {
        Stmt::For { var, start, end, step, body } => {
            if !body.iter().any(is_loop) {
                *loops += 1;
                // The rest of a vector loop, one by one, is short and may stay so.
                let rest = literal(scope, *step) == Some(1) && !has_vectors(scope, body);
                return carried(scope, *var, *step, body).is_some()
                    && (rest || !few_rounds(scope, [*start, *end, *step]));
            }
            all_widen(scope, body, loops)
        }
        Stmt::If { then, otherwise, .. } => all_widen(scope, then, loops) && all_widen(scope, otherwise, loops),
        Stmt::While { .. } | Stmt::Atomic { .. } | Stmt::Barrier { .. } => false,
        Stmt::Comment(_)
        | Stmt::Let(..)
        | Stmt::Assign(..)
        | Stmt::Store { .. }
        | Stmt::StoreArray { .. }
        | Stmt::Break
        | Stmt::Continue => true,
    })
}

fn is_loop(stmt: &Stmt) -> bool {
    match stmt {
        Stmt::For { .. } | Stmt::While { .. } => true,
        Stmt::If { then, otherwise, .. } => then.iter().chain(otherwise).any(is_loop),
        _ => false,
    }
}

fn has_vectors(scope: Scope<'_>, body: &[Stmt]) -> bool {
    body.iter().any(|stmt| operands(stmt).any(|id| scope.ty(id).lanes > 1))
}

fn literal(scope: Scope<'_>, id: ExprId) -> Option<i64> {
    match scope.expr(id) {
        Expr::Literal(crate::dtype::Literal::Int(value, _)) => Some(*value),
        _ => None,
    }
}

fn few_rounds(scope: Scope<'_>, [start, end, step]: [ExprId; 3]) -> bool {
    match [start, end, step].map(|id| literal(scope, id)) {
        [Some(start), Some(end), Some(step)] => end - start < FEW_ROUNDS * step,
        _ => false,
    }
}

/// What a straight-line statement uses.
fn operands(stmt: &Stmt) -> impl Iterator<Item = ExprId> {
    let (a, b) = match stmt {
        Stmt::Let(_, value) | Stmt::Assign(_, value) => (Some(*value), None),
        Stmt::Store { index, value, .. } => (Some(*index), Some(*value)),
        _ => (None, None),
    };
    a.into_iter().chain(b)
}

/// How a variable takes in the rounds of a loop.
#[derive(Clone, Copy, Debug)]
pub(super) enum Fold {
    /// `variable = variable op value`, or the other way round.
    Binary {
        op: BinaryOp,
        value: ExprId,
        /// The variable is the first operand.
        first: bool,
    },
    /// `variable = a * b + variable`.
    Product(ExprId, ExprId),
}

/// The fold that an assignment is, if it is one.
pub(super) fn fold(scope: Scope<'_>, var: VarId, value: ExprId) -> Option<Fold> {
    let is_var = |id: ExprId| *scope.expr(id) == Expr::Var(var);
    let free = |id: ExprId| !uses(scope, id, &|expr| *expr == Expr::Var(var));
    match *scope.expr(value) {
        Expr::Binary(op @ (BinaryOp::Add | BinaryOp::Mul | BinaryOp::Max | BinaryOp::Min), a, b) => {
            if is_var(a) && free(b) {
                Some(Fold::Binary { op, value: b, first: true })
            } else if is_var(b) && free(a) {
                Some(Fold::Binary { op, value: a, first: false })
            } else {
                None
            }
        }
        Expr::MulAdd(a, b, c) if is_var(c) && free(a) && free(b) && scope.ty(c).dtype.is_float() => {
            Some(Fold::Product(a, b))
        }
        _ => None,
    }
}

/// The variables that a loop's rounds accumulate into, if its rounds may run side by side:
///
/// - the body is straight-line;
/// - a variable of outside is assigned at most once, by a [`Fold`], and not used otherwise;
/// - a buffer is stored to at most once, and loaded only at the same index, which moves on with the counter.
pub(super) fn carried(scope: Scope<'_>, counter: VarId, step: ExprId, body: &[Stmt]) -> Option<BTreeSet<VarId>> {
    let (mut bound, mut carried) = (BTreeSet::new(), BTreeSet::new());
    let mut stores: Vec<(ParamId, ExprId, u8)> = Vec::new();
    let mut read: Vec<ExprId> = Vec::new();
    for stmt in body {
        match stmt {
            Stmt::Comment(_) => {}
            Stmt::Let(var, value) => {
                bound.insert(*var);
                read.push(*value);
            }
            Stmt::Assign(var, value) if bound.contains(var) => read.push(*value),
            Stmt::Assign(var, value) => {
                if !carried.insert(*var) {
                    return None;
                }
                match fold(scope, *var, *value)? {
                    Fold::Binary { value, .. } => read.push(value),
                    Fold::Product(a, b) => read.extend([a, b]),
                }
            }
            Stmt::Store { buffer, index, value } => {
                if stores.iter().any(|(other, ..)| other == buffer) {
                    return None;
                }
                stores.push((*buffer, *index, scope.ty(*value).lanes));
                read.extend([*index, *value]);
            }
            _ => return None,
        }
    }
    let step = literal(scope, step).unwrap_or(1);
    let forbidden = |expr: &Expr| match expr {
        Expr::Var(var) => carried.contains(var),
        Expr::Load { buffer, index, lanes } => stores.iter().any(|&(stored, at, stored_lanes)| {
            let same = at == *index && stored_lanes == *lanes && i64::from(*lanes) <= step;
            stored == *buffer && !(same && moves_on(scope, at, counter))
        }),
        Expr::SubGroup(..) | Expr::Call(..) | Expr::LoadArray { .. } => true,
        _ => false,
    };
    (!read.iter().any(|&id| uses(scope, id, &forbidden))).then_some(carried)
}

/// Whether an index is the counter plus something that stays.
fn moves_on(scope: Scope<'_>, id: ExprId, counter: VarId) -> bool {
    let stays = |id: ExprId| !uses(scope, id, &|expr| *expr == Expr::Var(counter));
    match scope.expr(id) {
        Expr::Var(var) => *var == counter,
        Expr::Binary(BinaryOp::Add, a, b) => {
            (moves_on(scope, *a, counter) && stays(*b)) || (moves_on(scope, *b, counter) && stays(*a))
        }
        Expr::Binary(BinaryOp::Sub, a, b) => moves_on(scope, *a, counter) && stays(*b),
        _ => false,
    }
}

/// Whether an expression that `is` says yes to is part of `id`.
fn uses(scope: Scope<'_>, id: ExprId, is: &dyn Fn(&Expr) -> bool) -> bool {
    let mut seen = BTreeSet::new();
    let mut open = vec![id];
    while let Some(id) = open.pop() {
        if seen.insert(id) {
            if is(scope.expr(id)) {
                return true;
            }
            scope.expr(id).visit_operands(&mut |operand| open.push(operand));
        }
    }
    false
}
