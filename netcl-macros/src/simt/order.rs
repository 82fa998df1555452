//! The order in which values are computed. Rust evaluates operands, arguments and indices from left to right, once each.
//! A kernel's expressions are computed where a statement uses them: what stands before an expression that changes
//! something is written down first.

use super::bounds::GuardedIndex;
use super::state::{Simt, Val};
use netcl_kernels::kir::{Expr as Kir, ExprId};
use syn::Expr;

impl Simt<'_> {
    /// The values of expressions that are evaluated from left to right.
    pub(super) fn operands<'e>(&mut self, exprs: impl IntoIterator<Item = &'e Expr>) -> Vec<Val> {
        let mut values: Vec<Val> = Vec::new();
        for expr in exprs {
            let value = self.then(
                &mut values,
                |this, before| before.iter_mut().for_each(|v| this.pin(v)),
                |this| this.expr(expr),
            );
            values.push(value);
        }
        values
    }

    /// What `evaluate` gives. If it has statements, `pin` writes down what was computed `before`, ahead of them.
    pub(super) fn then<B, R>(
        &mut self,
        before: &mut B,
        pin: impl FnOnce(&mut Self, &mut B),
        evaluate: impl FnOnce(&mut Self) -> R,
    ) -> R {
        self.builder.open();
        let value = evaluate(self);
        let statements = self.builder.close();
        if !statements.is_empty() {
            pin(self, before);
        }
        for statement in statements {
            self.builder.stmt(statement);
        }
        value
    }

    /// Makes the value what it is now, whatever changes later.
    pub(super) fn pin(&mut self, value: &mut Val) {
        match value {
            Val::Expr(id, _) => *id = self.once("before", *id),
            Val::Tuple(values) | Val::List(values) => values.iter_mut().for_each(|value| self.pin(value)),
            Val::Number(_) | Val::Buffer(_) | Val::Array(..) | Val::Unit | Val::Unknown => {}
        }
    }

    /// Makes the place what it is now.
    pub(super) fn pin_place(&mut self, place: &mut GuardedIndex) {
        place.index = self.once("position", place.index);
        place.inside = place.inside.map(|inside| self.once("inside", inside));
    }

    /// The value under a name, so that it is computed here and only here.
    pub(super) fn once(&mut self, name: &str, id: ExprId) -> ExprId {
        let mut variables = self.scopes.iter().flatten();
        let fixed = match self.builder.kernel().expr(id) {
            Kir::Literal(_) | Kir::Param(_) | Kir::WorkItem(..) => true,
            Kir::Var(var) => variables.all(|variable| variable.slot != Some(*var)),
            _ => false,
        };
        if fixed {
            return id;
        }
        let var = self.builder.bind(name, id);
        self.stays(var, id);
        self.builder.get(var)
    }

    /// The position, read once: what is compared with the size must be what is used, and another work-item may write to it
    /// in between.
    pub(super) fn position_once(&mut self, position: ExprId) -> ExprId {
        if self.unchecked || !self.reads(position) { position } else { self.once("position", position) }
    }

    /// Whether memory is read to compute the value.
    fn reads(&self, id: ExprId) -> bool {
        match self.builder.kernel().expr(id) {
            Kir::Load { .. } | Kir::LoadArray { .. } => true,
            expr => expr.operands().into_iter().any(|operand| self.reads(operand)),
        }
    }
}
