//! Lists of values: `[a, b, c]`, whose length the text says. Loops over them are unrolled, and elements are named by numbers
//! that are known while compiling.

use super::state::{Simt, Val};
use super::types::kind;
use crate::ast::Constant;
use crate::literal;
use crate::messages as m;
use crate::parse::{constant, text, unparenthesized};
use crate::words;
use netcl_kernels::dtype::DType;
use netcl_kernels::kir::{Stmt, ValueType};
use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Block, Expr, ExprForLoop, ExprIndex, ExprRepeat, Pat, TypeArray};

/// What holds elements that change.
pub(super) const ARRAY: &str = "write `let mut a = private!([f32; 4]);` and `a[i] = ..;`";

impl Simt<'_> {
    /// `list[2]`, where the index is a number that is known.
    pub(super) fn listed(&mut self, values: &[Val], index: &ExprIndex) -> Val {
        let position = match self.expr(&index.index) {
            Val::Unknown => return Val::Unknown,
            Val::Number(Constant::Integer(position)) => usize::try_from(position).ok(),
            Val::Expr(..) => {
                let (given, of) = (text(&index.index), text(&index.expr));
                return self.report(index.index.span(), &m::SIMT_LIST_INDEX, &[&given, &of, &of, &values.len()]);
            }
            _ => None,
        };
        match position.and_then(|position| values.get(position)) {
            Some(value) => value.clone(),
            None => {
                let (given, of) = (text(&index.index), format!("`{}`", text(&index.expr)));
                self.report(
                    index.index.span(),
                    &m::INDEX_OUTSIDE,
                    &[&given, &of, &values.len(), &literal::last_of(values.len())],
                )
            }
        }
    }

    /// `[x; 4]`: one value, computed once, as often as a number says.
    pub(super) fn repeated(&mut self, list: &ExprRepeat) -> Val {
        let mut value = self.expr(&list.expr);
        let length = literal::list_length(self.diag, &list.len, &self.unit.constants);
        let fits = |length: &usize| literal::list_fits(self.diag, value.elements() * length, list.span());
        let Some(length) = length.filter(fits) else { return Val::Unknown };
        self.pin(&mut value);
        Val::List(vec![value; length])
    }

    /// The list or tuple of what is written one by one, if it is not too large.
    pub(super) fn written(&mut self, list: Val, span: Span) -> Val {
        if literal::list_fits(self.diag, list.elements(), span) { list } else { Val::Unknown }
    }

    /// What a loop over `list`, `&list` or `list.iter()` runs over, and the pattern for an element: those of the last two are
    /// references in Rust.
    pub(super) fn iterated<'e>(&mut self, each: &'e ExprForLoop) -> (Val, &'e Pat) {
        let (list, borrowed) = match unparenthesized(&each.expr) {
            Expr::Reference(list) if list.mutability.is_none() => (&*list.expr, true),
            Expr::MethodCall(call) if call.method == "iter" && call.args.is_empty() => (&*call.receiver, true),
            list => (list, false),
        };
        let value = self.expr(list);
        match &*each.pat {
            Pat::Reference(pattern) if borrowed => (value, &pattern.pat),
            pattern => (value, pattern),
        }
    }

    /// The list of `let list: [f32; 3] = [..];`.
    pub(super) fn declared_list(&mut self, name: &str, values: &[Val], (ty, span): (&TypeArray, Span)) -> Val {
        let Some(dtype) = DType::from_name(&text(&ty.elem)) else {
            return self.report(
                ty.elem.span(),
                &m::UNKNOWN_DTYPE,
                &[&text(&ty.elem), &crate::parse::types::near_type(&text(&ty.elem))],
            );
        };
        let length = constant::evaluate(&ty.len, &self.unit.constants);
        if length != Some(Constant::Integer(values.len() as i64)) {
            let (declared, found) = (text(ty), format!("a list of {}", values.len()));
            return self.report(span, &m::LET_VALUE, &[&name, &declared, &found]);
        }
        let own = ValueType::scalar(dtype.compute());
        let mut elements = Vec::new();
        for value in values {
            let Some(id) = self.value(value.clone(), Some(own.dtype), span) else { return Val::Unknown };
            let given = self.ty(id);
            if given != own {
                return self.unlike("let", &own, &given, span);
            }
            elements.push(Val::Expr(id, None));
        }
        Val::List(elements)
    }

    /// `for value in [a, b, c]`: the body once for each. The elements are computed before, as in Rust.
    ///
    /// Where the body has `break` or `continue`, each round is a loop of one round, which they leave, and no round follows
    /// one that `break` has left.
    pub(super) fn unrolled(&mut self, each: &ExprForLoop, pattern: &Pat, mut values: Vec<Val>) -> Val {
        if values.len() as i64 > words::MAX_ROUNDS {
            return self.report(each.expr.span(), &m::LOOP_TOO_LONG, &[&values.len(), &words::MAX_ROUNDS]);
        }
        values.iter_mut().for_each(|value| self.pin(value));
        let left = leaves(&each.body, &|_| true).then(|| {
            let no = self.literal(Constant::Bool(false), DType::Bool);
            self.builder.bind("left", no)
        });
        let before = self.diag.count();
        for (position, value) in values.into_iter().enumerate() {
            self.unrolled += 1;
            if self.unrolled > words::MAX_ALL_ROUNDS {
                return self.report(each.expr.span(), &m::LOOPS_TOO_LONG, &[&words::MAX_ALL_ROUNDS]);
            }
            self.builder.open();
            self.rounds.extend(left.map(Some));
            self.scopes.push(Vec::new());
            self.bind_pattern(pattern, value, None, None, each.expr.span());
            let result = self.block(&each.body);
            self.scopes.pop();
            if left.is_some() {
                self.rounds.pop();
            }
            let mut body = self.builder.close();
            if !matches!(result, Val::Unit | Val::Unknown) {
                return self.report(each.body.span(), &m::OPERAND, &[&"for", &kind(&result)]);
            }
            // One round's mistakes are every round's.
            if self.diag.count() > before {
                return Val::Unknown;
            }
            let Some(left) = left else {
                body.into_iter().for_each(|statement| self.builder.stmt(statement));
                continue;
            };
            body.push(Stmt::Break);
            let condition = self.literal(Constant::Bool(true), DType::Bool);
            let round = Stmt::While { condition, body };
            if position == 0 {
                self.builder.stmt(round);
            } else {
                let left = self.builder.get(left);
                let condition = self.negated(left);
                self.builder.stmt(Stmt::If { condition, then: vec![round], otherwise: Vec::new() });
            }
        }
        Val::Unit
    }
}

/// Whether the body is left by what `jumps` says, one of `break` and `continue`.
pub(super) fn leaves(body: &Block, jumps: &dyn Fn(&Expr) -> bool) -> bool {
    struct Jumps<'j>(&'j dyn Fn(&Expr) -> bool, bool);
    impl<'a> Visit<'a> for Jumps<'_> {
        fn visit_expr(&mut self, expr: &'a Expr) {
            match expr {
                Expr::Break(_) | Expr::Continue(_) => self.1 |= (self.0)(expr),
                // Theirs are their own.
                Expr::ForLoop(_) | Expr::While(_) | Expr::Loop(_) => {}
                other => visit::visit_expr(self, other),
            }
        }
    }
    let mut found = Jumps(jumps, false);
    found.visit_block(body);
    found.1
}
