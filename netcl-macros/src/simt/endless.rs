//! Loops that go round for ever: nothing behind them is written.

use super::list::leaves;
use super::state::{Interval, Simt};
use super::visit::visit;
use crate::messages as m;
use netcl_kernels::dtype::Literal;
use netcl_kernels::graph::CompareOp;
use netcl_kernels::kir::{Expr as Kir, ExprId, Stmt, VarId};
use proc_macro2::Span;
use syn::{Block, Expr};

impl Simt<'_> {
    /// Rule: a loop ends. Wrong: `loop { total += 1.0; }`, and `while i < 4 { total += 1.0; }`, where `i` stays what it is.
    ///
    /// `body` is what `block` has become, and `written` the condition of a `while`.
    pub(super) fn ends(&self, (place, written): (Span, &str), block: &Block, condition: ExprId, body: &[Stmt]) {
        // What is not known yet may be a `break`'s condition, or what a variable becomes.
        if self.partial || leaves(block, &|jump| matches!(jump, Expr::Break(_))) || self.may_change(condition, body) {
            return;
        }
        match self.builder.kernel().expr(condition) {
            Kir::Literal(Literal::Bool(false)) => {}
            Kir::Compare(op, a, b) if never(*op, self.range(*a), self.range(*b)) => {}
            Kir::Literal(_) => {
                let (why, instead) = (
                    "it has no `break`".to_string(),
                    "leave it under a condition, as with `if i >= 8 { break; }`, or write how many rounds there are: `for i in 0..8 { .. }`",
                );
                self.report(place, &m::SIMT_ENDLESS, &[&why, &instead]);
            }
            _ => {
                let why = format!("no round changes what `{written}` compares");
                let instead = "change it in each round, as with `i += 1;`, or leave the loop by `break`";
                self.report(place, &m::SIMT_ENDLESS, &[&why, &instead]);
            }
        }
    }

    /// Whether the value may be another one behind the statements: of memory, which others write to as well, nothing is known.
    fn may_change(&self, value: ExprId, body: &[Stmt]) -> bool {
        match self.builder.kernel().expr(value) {
            Kir::Var(var) => assigns(body, *var),
            Kir::Literal(_) | Kir::Param(_) | Kir::WorkItem(..) => false,
            Kir::Load { .. } | Kir::LoadArray { .. } => true,
            other => other.operands().into_iter().any(|operand| self.may_change(operand, body)),
        }
    }
}

/// Whether the comparison holds for no numbers of these: such a loop does not begin.
fn never(op: CompareOp, a: Interval, b: Interval) -> bool {
    match op {
        CompareOp::Lt => a.0 >= b.1,
        CompareOp::Le => a.0 > b.1,
        CompareOp::Gt => a.1 <= b.0,
        CompareOp::Ge => a.1 < b.0,
        CompareOp::Eq => a.1 < b.0 || b.1 < a.0,
        CompareOp::Ne => a == b && a.0 == a.1,
    }
}

fn assigns(body: &[Stmt], var: VarId) -> bool {
    let mut found = false;
    visit(body, &mut |stmt| found |= matches!(stmt, Stmt::Assign(to, _) | Stmt::Let(to, _) if *to == var));
    found
}
