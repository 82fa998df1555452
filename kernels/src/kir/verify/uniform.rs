//! Rule K34 of [`super`]: who arrives at a barrier or a sub-group operation.
//!
//! Every value and every place in the control flow has a level: the same for all items of a work-group, the same for
//! all items of a sub-group, or different between items. The levels of variables are found by going over the kernel
//! until none rises any more.

use super::report::DiagnosticSink;
use crate::kir::visit::visit;
use crate::kir::*;

/// Who agrees; joined by `max`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum UniformScope {
    Group,
    SubGroup,
    Item,
}

pub(super) fn check(kernel: &Kernel, types: &[Option<ValueType>], report: &mut DiagnosticSink) {
    let mut loops = 0;
    visit(&kernel.body, &mut |stmt| loops += usize::from(matches!(stmt, Stmt::For { .. } | Stmt::While { .. })));
    let mut flow = Uniformity {
        kernel,
        types,
        vars: vec![UniformScope::Group; kernel.vars.len()],
        loops: vec![UniformScope::Group; loops],
        next_loop: 0,
        rose: true,
        errors: None,
    };
    while std::mem::take(&mut flow.rose) {
        flow.next_loop = 0;
        flow.block(&kernel.body, UniformScope::Group);
    }
    flow.errors = Some(Vec::new());
    flow.next_loop = 0;
    flow.block(&kernel.body, UniformScope::Group);
    for what in flow.errors.unwrap_or_default() {
        report.error("K34", format!("{what} stands where work-items may part ways"));
        report.hint("move it out of the branch; a loop goes as many rounds for all of them, with what differs in an `if` beside it");
    }
}

struct Uniformity<'a> {
    kernel: &'a Kernel,
    types: &'a [Option<ValueType>],
    vars: Vec<UniformScope>,
    /// At which level each loop is left early, in the order of the text.
    loops: Vec<UniformScope>,
    next_loop: usize,
    rose: bool,
    /// `Some` in the last round.
    errors: Option<Vec<&'static str>>,
}

impl Uniformity<'_> {
    /// The level of an expression's value; `here` is that of the place where it is evaluated.
    fn value(&mut self, id: ExprId, here: UniformScope) -> UniformScope {
        let kernel = self.kernel;
        let expr = kernel.expr(id);
        // The branches of a scalar selection are evaluated only where the condition says so.
        if let Expr::Select(condition, then, otherwise) = *expr {
            let condition = self.value(condition, here);
            let inner = here.max(condition);
            let (then, otherwise) = (self.value(then, inner), self.value(otherwise, inner));
            return condition.max(then).max(otherwise);
        }
        // So is the right side of `&&` and `||`.
        if let Expr::Binary(BinaryOp::And | BinaryOp::Or, left, right) = *expr
            && self.types[id.0 as usize] == Some(ValueType::scalar(DType::Bool))
        {
            let left = self.value(left, here);
            return left.max(self.value(right, here.max(left)));
        }
        let mut operands = UniformScope::Group;
        expr.visit_operands(&mut |operand| operands = operands.max(self.value(operand, here)));
        match expr {
            Expr::Var(var) => self.vars[var.0 as usize],
            Expr::WorkItem(item, _) => match item {
                WorkItem::GlobalId | WorkItem::LocalId | WorkItem::SubGroupLane => UniformScope::Item,
                WorkItem::SubGroupId | WorkItem::SubGroupSize => UniformScope::SubGroup,
                WorkItem::GroupId | WorkItem::GlobalSize | WorkItem::LocalSize | WorkItem::NumGroups => {
                    UniformScope::Group
                }
            },
            // What nobody writes is the same for all who read the same place.
            Expr::Load { buffer, .. } => match self.kernel.params[buffer.0 as usize].kind {
                ParamKind::Buffer(_, Access::Read) => operands,
                _ => UniformScope::Item,
            },
            Expr::LoadArray { .. } => UniformScope::Item,
            Expr::SubGroup(op, ..) => {
                self.meet("a sub-group operation", here, UniformScope::SubGroup);
                match op {
                    SubGroupOp::ShuffleXor => operands,
                    SubGroupOp::ReduceAdd | SubGroupOp::ReduceMax | SubGroupOp::ReduceMin | SubGroupOp::Broadcast => {
                        operands.min(UniformScope::SubGroup)
                    }
                }
            }
            _ => operands,
        }
    }

    fn meet(&mut self, what: &'static str, here: UniformScope, most: UniformScope) {
        if here > most
            && let Some(errors) = &mut self.errors
        {
            errors.push(what);
        }
    }

    fn raise(&mut self, var: VarId, level: UniformScope) {
        let own = &mut self.vars[var.0 as usize];
        if level > *own {
            *own = level;
            self.rose = true;
        }
    }

    /// Goes over a block that is reached at level `here`; gives the level at which it is left early (`break`,
    /// `continue`), if it is.
    fn block(&mut self, body: &[Stmt], mut here: UniformScope) -> UniformScope {
        let mut left = UniformScope::Group;
        for stmt in body {
            match stmt {
                Stmt::Comment(_) => {}
                Stmt::Let(var, value) | Stmt::Assign(var, value) => {
                    let level = self.value(*value, here).max(here);
                    self.raise(*var, level);
                }
                Stmt::Store { index, value, .. } | Stmt::StoreArray { index, value, .. } => {
                    self.value(*index, here);
                    self.value(*value, here);
                }
                Stmt::For { var, start, end, step, body } => {
                    let bounds = [*start, *end, *step].map(|id| self.value(id, here));
                    let (number, inside) = self.enter_loop(bounds.into_iter().fold(here, UniformScope::max));
                    self.raise(*var, inside);
                    let early = self.block(body, inside);
                    self.leave_loop(number, early);
                }
                Stmt::While { condition, body } => {
                    let first = self.value(*condition, here).max(here);
                    let (number, inside) = self.enter_loop(first);
                    self.value(*condition, inside);
                    let early = self.block(body, inside);
                    self.leave_loop(number, early);
                }
                Stmt::If { condition, then, otherwise } => {
                    let inside = self.value(*condition, here).max(here);
                    let early = self.block(then, inside).max(self.block(otherwise, inside));
                    left = left.max(early);
                    // Those who left are missing from here on.
                    here = here.max(early);
                }
                Stmt::Break | Stmt::Continue => left = left.max(here),
                Stmt::Barrier { .. } => self.meet("a barrier", here, UniformScope::Group),
                Stmt::Atomic { index, value, old, .. } => {
                    self.value(*index, here);
                    self.value(*value, here);
                    if let Some(old) = old {
                        self.raise(*old, UniformScope::Item);
                    }
                }
            }
        }
        left
    }

    /// The loop's number and the level inside it: items may also part ways by leaving it early.
    fn enter_loop(&mut self, first: UniformScope) -> (usize, UniformScope) {
        let number = self.next_loop;
        self.next_loop += 1;
        (number, first.max(self.loops[number]))
    }

    fn leave_loop(&mut self, number: usize, early: UniformScope) {
        if early > self.loops[number] {
            self.loops[number] = early;
            self.rose = true;
        }
    }
}
