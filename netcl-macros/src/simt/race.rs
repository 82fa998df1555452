//! Rule: what several work-items write to one element is the same for all of them. Wrong: `y[0] += x[i];`, of which each device
//! makes another number.
//!
//! Judged is what is sure: the index is the same for all work-items, all of them come to the write, and what they write differs.
//! Of what only a group or a sub-group shares nothing is said.

use super::state::Store;
use super::visit::visit;
use crate::diag::Diag;
use crate::messages as m;
use netcl_kernels::dim::Dim;
use netcl_kernels::dtype::Literal;
use netcl_kernels::graph::{CompareOp, UnaryOp};
use netcl_kernels::kir::{Access, Expr, ExprId, Kernel, ParamId, ParamKind, Stmt, VarId, WorkItem};
use std::collections::BTreeSet;

/// Looks at each write to a tensor; `stores` are the writes in the order of the text.
pub(super) fn judge(diag: &Diag, kernel: &Kernel, stores: &[Store]) -> bool {
    let none = Spreading { spread: Spread::Same, reads: BTreeSet::new() };
    let mut flow = Flow { kernel, vars: vec![none; kernel.vars.len()], next: 0, races: BTreeSet::new() };
    flow.block(&kernel.body, Spread::Same);
    let of_statements: Vec<usize> =
        stores.iter().enumerate().flat_map(|(store, own)| std::iter::repeat_n(store, own.statements)).collect();
    // Both are of one text; if they ever are not, nothing is said in the wrong place.
    if flow.next != of_statements.len() {
        return true;
    }
    let ids = (0..kernel.launch.global.len()).map(|dimension| format!("global_id({dimension}) == 0"));
    let first = ids.collect::<Vec<_>>().join(" && ");
    let races: BTreeSet<usize> = flow.races.iter().map(|position| of_statements[*position]).collect();
    for store in races.into_iter().map(|store| &stores[store]) {
        let Store { place, element, statement, atomic, .. } = store;
        let alone = format!("`if {first} {{ {statement} }}`");
        let instead = match atomic {
            Some(atomic) => {
                format!("write `{atomic}`, which takes one after the other, or let one of them do it: {alone}")
            }
            None => format!("let one of them do it: write {alone}"),
        };
        diag.report(*place, &m::SIMT_RACE, &[element, &instead]);
    }
    flow.races.is_empty()
}

/// How a value differs among the work-items of a launch; joined by `max`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Spread {
    Same,
    Unknown,
    Differs,
}

/// What is known of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Spreading {
    spread: Spread,
    /// The results that have been read for it.
    reads: BTreeSet<ParamId>,
}

impl Spreading {
    fn join(&mut self, other: &Spreading) {
        self.spread = self.spread.max(other.spread);
        self.reads.extend(&other.reads);
    }
}

struct Flow<'a> {
    kernel: &'a Kernel,
    vars: Vec<Spreading>,
    /// How many writes have been passed, in the order of the text.
    next: usize,
    races: BTreeSet<usize>,
}

impl Flow<'_> {
    /// Goes over statements that the work-items come to as `here` says; gives how they leave a loop from there.
    fn block(&mut self, stmts: &[Stmt], mut here: Spread) -> Spread {
        let mut left = Spread::Same;
        for stmt in stmts {
            match stmt {
                Stmt::Let(var, value) | Stmt::Assign(var, value) => self.vars[var.0 as usize] = self.value(*value),
                Stmt::Store { buffer, index, value } => self.store(*buffer, *index, *value, here),
                Stmt::Atomic { old: Some(old), .. } => self.vars[old.0 as usize].spread = Spread::Differs,
                Stmt::If { condition, then, otherwise } => {
                    let early = self.branches(*condition, [then, otherwise], here);
                    left = left.max(early);
                    here = here.max(early);
                }
                Stmt::For { var, start, end, step, body } => {
                    let bounds = [start, end, step].map(|id| self.value(*id));
                    let mut counter = bounds[0].clone();
                    bounds.iter().for_each(|bound| counter.join(bound));
                    let spread = counter.spread;
                    self.rounds(body, |flow| {
                        flow.vars[var.0 as usize] = counter.clone();
                        here.max(spread)
                    });
                }
                Stmt::While { condition, body } => {
                    let condition = *condition;
                    self.rounds(body, |flow| here.max(flow.value(condition).spread));
                }
                Stmt::Break | Stmt::Continue => left = left.max(here),
                Stmt::Atomic { .. } | Stmt::StoreArray { .. } | Stmt::Barrier { .. } | Stmt::Comment(_) => {}
            }
        }
        left
    }

    fn store(&mut self, buffer: ParamId, index: ExprId, value: ExprId, here: Spread) {
        let value = self.value(value);
        // What is read of the result that is written depends on who has been there.
        let differs = value.spread == Spread::Differs || value.reads.contains(&buffer);
        if here == Spread::Same && self.value(index).spread == Spread::Same && differs && self.are_several(true) {
            self.races.insert(self.next);
        }
        self.next += 1;
    }

    /// Both branches of an `if`.
    fn branches(&mut self, condition: ExprId, [then, otherwise]: [&[Stmt]; 2], here: Spread) -> Spread {
        let (taken, passed) = (self.value(condition).spread, self.all_pass(condition, true));
        let inside = if passed { here } else { here.max(taken) };
        let before = self.vars.clone();
        let early = self.block(then, inside);
        let after = std::mem::replace(&mut self.vars, before);
        let early = early.max(self.block(otherwise, here.max(taken)));
        self.meet(&after, [then, otherwise], if passed { taken.min(Spread::Unknown) } else { taken });
        early
    }

    /// Joins what is known of variables with what else may be. Of those that are assigned in between, what decides counts too.
    fn meet(&mut self, others: &[Spreading], between: [&[Stmt]; 2], decides: Spread) {
        self.vars.iter_mut().zip(others).for_each(|(own, other)| own.join(other));
        for stmts in between {
            visit(stmts, &mut |stmt| {
                if let Stmt::Assign(var, _) = stmt {
                    let own = &mut self.vars[var.0 as usize];
                    own.spread = own.spread.max(decides);
                }
            });
        }
    }

    /// A loop's body, as often as something new is found; `begin` says how a round is come to.
    fn rounds(&mut self, body: &[Stmt], begin: impl Fn(&mut Self) -> Spread) {
        let (first, mut left) = (self.next, Spread::Same);
        loop {
            let before = self.vars.clone();
            (self.next, left) = (first, left);
            let races = self.races.clone();
            let inside = begin(self).max(left);
            let early = self.block(body, inside).max(left);
            self.meet(&before, [body, &[]], inside.max(early));
            if self.vars == before && early == left {
                return;
            }
            // What a round without what is known now has found does not count.
            (self.races, left) = (races, early);
        }
    }

    fn value(&self, id: ExprId) -> Spreading {
        let expr = self.kernel.expr(id);
        if let Expr::Var(var) = expr {
            return self.variable(*var);
        }
        let mut all = Spreading { spread: Spread::Same, reads: BTreeSet::new() };
        expr.visit_operands(&mut |operand| all.join(&self.value(operand)));
        match expr {
            Expr::WorkItem(item, dimension) => all.spread = self.of_item(*item, usize::from(*dimension)),
            Expr::Load { buffer, .. } if !self.is_read_only(*buffer) => {
                all.reads.insert(*buffer);
                all.spread = all.spread.max(Spread::Unknown);
            }
            Expr::LoadArray { .. } => all.spread = Spread::Unknown,
            Expr::SubGroup(..) => all.spread = all.spread.min(Spread::Unknown),
            _ => {}
        }
        all
    }

    fn variable(&self, var: VarId) -> Spreading {
        self.vars[var.0 as usize].clone()
    }

    fn is_read_only(&self, buffer: ParamId) -> bool {
        matches!(self.kernel.params[buffer.0 as usize].kind, ParamKind::Buffer(_, Access::Read))
    }

    fn of_item(&self, item: WorkItem, dimension: usize) -> Spread {
        let global = self.kernel.launch.global.get(dimension);
        let local = self.kernel.launch.local.get(dimension).copied();
        let fits = |most: u32| global.and_then(Dim::as_constant).is_some_and(|items| items <= i64::from(most));
        match item {
            WorkItem::GlobalId if fits(1) && local.unwrap_or(1) == 1 => Spread::Same,
            WorkItem::GlobalId => Spread::Differs,
            WorkItem::LocalId => {
                local.map_or(Spread::Unknown, |size| if size == 1 { Spread::Same } else { Spread::Differs })
            }
            WorkItem::GroupId => {
                local.map_or(Spread::Unknown, |size| if fits(size) { Spread::Same } else { Spread::Differs })
            }
            WorkItem::GlobalSize | WorkItem::LocalSize | WorkItem::NumGroups => Spread::Same,
            WorkItem::SubGroupLane | WorkItem::SubGroupSize | WorkItem::SubGroupId => Spread::Unknown,
        }
    }

    /// Whether more than one work-item runs, or may run; with `rounded`, those by which groups are filled count too.
    fn are_several(&self, rounded: bool) -> bool {
        let launch = &self.kernel.launch;
        launch.global.iter().any(|size| size.as_constant() != Some(1))
            || rounded && launch.local.iter().any(|size| *size > 1)
    }

    /// Whether the condition only keeps those out by which groups are filled: `global_id(0) < N` where `global = [N]`.
    fn all_pass(&self, condition: ExprId, holds: bool) -> bool {
        let is = |id: ExprId, value: bool| matches!(self.kernel.expr(id), Expr::Literal(Literal::Bool(known)) if *known == value);
        self.are_several(false)
            && match *self.kernel.expr(condition) {
                Expr::Var(_) => false,
                Expr::Compare(CompareOp::Lt, item, size) if holds => self.is_below_all(item, size),
                Expr::Compare(CompareOp::Ge, item, size) if !holds => self.is_below_all(item, size),
                Expr::Compare(CompareOp::Eq, a, b) if is(b, false) => self.all_pass(a, !holds),
                Expr::Unary(UnaryOp::Not, a) => self.all_pass(a, !holds),
                Expr::Select(a, b, no) if holds && is(no, false) => self.all_pass(a, true) && self.all_pass(b, true),
                _ => false,
            }
    }

    /// Whether it is an id, and the number of the work-items along its dimension.
    fn is_below_all(&self, item: ExprId, size: ExprId) -> bool {
        let item = match *self.kernel.expr(item) {
            Expr::Var(var) => self.bound_to(var),
            _ => Some(item),
        };
        let Some(Expr::WorkItem(WorkItem::GlobalId, dimension)) = item.map(|id| self.kernel.expr(id)) else {
            return false;
        };
        let Some(global) = self.kernel.launch.global.get(usize::from(*dimension)) else { return false };
        match self.kernel.expr(size) {
            Expr::Literal(Literal::Int(size, _)) => global.as_constant() == Some(*size),
            Expr::Param(param) => {
                let param = &self.kernel.params[param.0 as usize];
                param.kind == ParamKind::Symbol && *global == Dim::symbol(&param.name)
            }
            _ => false,
        }
    }

    /// What the variable is bound to, where nothing else is assigned to it.
    fn bound_to(&self, var: VarId) -> Option<ExprId> {
        let (mut bound, mut count) = (None, 0);
        visit(&self.kernel.body, &mut |stmt| {
            if let Stmt::Let(own, value) | Stmt::Assign(own, value) = stmt
                && *own == var
            {
                (bound, count) = (Some(*value), count + 1);
            }
        });
        bound.filter(|_| count == 1)
    }
}
