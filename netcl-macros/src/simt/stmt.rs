//! Statements of SIMT-form kernels.

use super::bounds::Place;
use super::expr::Target;
use super::signature::Signature;
use super::types::{kind, value_type};
use super::{Simt, Val};
use crate::ast::Constant;
use crate::messages as m;
use crate::parse::constant;
use netcl_kernels::dtype::DType;
use netcl_kernels::kir::{Space, Stmt as Kir, ValueType};
use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::{Block, Expr, Pat, RangeLimits, Stmt};

impl Simt<'_> {
    /// The kernel's body.
    pub(super) fn body(&mut self, signature: &Signature) {
        self.scopes.push(Vec::new());
        self.statements(&signature.body.stmts, true);
        self.scopes.pop();
    }

    /// The block's value, in a scope of its own.
    pub(super) fn block(&mut self, block: &Block) -> Val {
        self.scopes.push(Vec::new());
        let value = self.statements(&block.stmts, false);
        self.scopes.pop();
        value
    }

    fn statements(&mut self, statements: &[Stmt], outermost: bool) -> Val {
        for (position, statement) in statements.iter().enumerate() {
            let last = position + 1 == statements.len();
            if let Some(condition) = early_return(statement).filter(|_| outermost) {
                // `if done { return; }`: the rest runs where it is not done.
                let Some(condition) = self.condition(condition) else { continue };
                let condition = self.negated(condition);
                self.builder.open();
                self.statements(&statements[position + 1..], true);
                let then = self.builder.close();
                self.builder.stmt(Kir::If { condition, then, otherwise: Vec::new() });
                return Val::Unit;
            }
            let value = self.statement(statement, last);
            if last {
                return value;
            }
        }
        Val::Unit
    }

    fn statement(&mut self, statement: &Stmt, last: bool) -> Val {
        match statement {
            Stmt::Local(local) => {
                self.declaration(local);
                Val::Unit
            }
            Stmt::Expr(expr, semicolon) => {
                let value = self.effect(expr);
                if last && semicolon.is_none() {
                    return value;
                }
                if !matches!(value, Val::Unit | Val::Unknown) && !Self::is_atomic(expr) {
                    self.report(expr.span(), &m::SIMT_UNUSED, &[]);
                }
                Val::Unit
            }
            Stmt::Macro(call) => self.report(call.span(), &m::SIMT_ARRAY_PLACE, &[]),
            Stmt::Item(item) => self.report(item.span(), &m::UNSUPPORTED, &[&"an item", &"move it out of the kernel"]),
        }
    }

    /// An expression that may change something.
    fn effect(&mut self, expr: &Expr) -> Val {
        match expr {
            Expr::Assign(assign) => {
                let value = self.expr(&assign.right);
                self.assign(&assign.left, value, assign.right.span())
            }
            Expr::Binary(binary) if crate::lower::is_assignment(&binary.op) => {
                let (current, right) = (self.expr(&binary.left), self.expr(&binary.right));
                let value = self.binary(&binary.op, current, right, binary.op.span());
                self.assign(&binary.left, value, binary.op.span())
            }
            Expr::ForLoop(each) => self.for_loop(each),
            Expr::While(each) => {
                self.builder.open();
                let condition = self.condition(&each.cond);
                let mut body = self.builder.close();
                let Some(mut condition) = condition else { return Val::Unknown };
                if !body.is_empty() {
                    // What the condition changes, it changes in every round.
                    let (then, otherwise) = (vec![Kir::Break], Vec::new());
                    body.push(Kir::If { condition: self.negated(condition), then, otherwise });
                    condition = self.literal(Constant::Bool(true), DType::Bool);
                }
                self.builder.open();
                self.block(&each.body);
                body.extend(self.builder.close());
                self.builder.stmt(Kir::While { condition, body });
                Val::Unit
            }
            Expr::Loop(each) => {
                let condition = self.literal(Constant::Bool(true), DType::Bool);
                self.builder.open();
                self.block(&each.body);
                let body = self.builder.close();
                self.builder.stmt(Kir::While { condition, body });
                Val::Unit
            }
            Expr::Break(leave) if leave.expr.is_none() && leave.label.is_none() => {
                self.builder.stmt(Kir::Break);
                Val::Unit
            }
            Expr::Continue(next) if next.label.is_none() => {
                self.builder.stmt(Kir::Continue);
                Val::Unit
            }
            other => self.expr(other),
        }
    }

    fn declaration(&mut self, local: &syn::Local) {
        let Some(init) = &local.init else {
            self.report(local.span(), &m::LET_WITHOUT_VALUE, &[]);
            return;
        };
        let (pattern, declared) = match &local.pat {
            Pat::Type(typed) => (&*typed.pat, Some(&*typed.ty)),
            other => (other, None),
        };
        if let Expr::Macro(call) = &*init.expr {
            return self.array(pattern, &call.mac);
        }
        let value = self.expr(&init.expr);
        let wanted = declared.and_then(|ty| {
            let name = crate::parse::text(ty);
            let known = value_type(&name);
            if known.is_none() {
                self.report(ty.span(), &m::UNKNOWN_DTYPE, &[&name]);
            }
            known
        });
        // `let`s that name no type get it in the hidden function: rustc has to agree.
        let position = (declared.is_none() && self.calls.is_empty() && matches!(pattern, Pat::Ident(_))).then(|| {
            self.lets += 1;
            self.lets - 1
        });
        let position = position.map(|position| (position, super::check::bare(&init.expr)));
        self.bind_pattern(pattern, value, wanted, position, init.expr.span());
    }

    /// `position` counts the `let`s that name no type, and says whether this one's value is a bare number.
    fn bind_pattern(
        &mut self,
        pattern: &Pat,
        value: Val,
        declared: Option<ValueType>,
        position: Option<(usize, bool)>,
        span: Span,
    ) {
        match (pattern, value) {
            (Pat::Tuple(tuple), Val::Tuple(values)) if tuple.elems.len() == values.len() => {
                for (pattern, value) in tuple.elems.iter().zip(values) {
                    self.bind_pattern(pattern, value, None, None, span);
                }
            }
            (Pat::Tuple(tuple), Val::Tuple(values)) => {
                self.report(pattern.span(), &m::TUPLE_LENGTH, &[&values.len(), &tuple.elems.len()]);
            }
            (Pat::Ident(ident), Val::Unknown) => self.bind(&crate::parse::name(&ident.ident), Val::Unknown, None),
            (Pat::Ident(ident), value) if ident.by_ref.is_none() && ident.subpat.is_none() => {
                let name = crate::parse::name(&ident.ident);
                let bare = position.filter(|(_, bare)| *bare).map(|(position, _)| position);
                let known = bare.and_then(|position| self.numbers.get(&position).copied());
                let wanted = known.or(declared.map(|ty| ty.dtype));
                let Some(id) = self.value(value, wanted, span) else {
                    return self.bind(&name, Val::Unknown, None);
                };
                if let Some(declared) = declared
                    && declared != self.ty(id)
                    && !self.changed
                {
                    self.report(span, &m::SIMT_TYPES, &[&"let", &declared, &self.ty(id)]);
                }
                if let Some((position, _)) = position {
                    let ty = self.ty(id);
                    self.types.insert(position, ty);
                }
                let var = self.builder.bind(&name, id);
                let value = Val::Expr(self.builder.get(var), bare);
                self.bind(&name, value, ident.mutability.is_some().then_some(var));
            }
            (Pat::Wild(_), _) => {}
            (pattern, _) => drop(self.report(pattern.span(), &m::PATTERN, &[])),
        }
    }

    /// `let mut scratch = local!([f32; 64]);` and `private!(..)`.
    fn array(&mut self, pattern: &Pat, call: &syn::Macro) {
        let space = match call.path.segments.last().map(|last| last.ident.to_string()).as_deref() {
            Some("local") => Space::Local,
            Some("private") => Space::Private,
            _ => return drop(self.report(call.span(), &m::SIMT_ARRAY_PLACE, &[])),
        };
        let ty = call.parse_body::<syn::TypeArray>().ok();
        let dtype = ty.as_ref().and_then(|ty| DType::from_name(&crate::parse::text(&ty.elem)));
        let length = ty.as_ref().and_then(|ty| constant::evaluate(&ty.len, &self.unit().constants));
        let (Pat::Ident(name), Some(dtype), Some(Constant::Integer(length @ 1..=0xFFFF_FFFF))) =
            (pattern, dtype, length)
        else {
            return drop(self.report(call.span(), &m::SIMT_ARRAY, &[]));
        };
        let name = crate::parse::name(&name.ident);
        let array = self.builder.array(&name, space, dtype, length as u32);
        self.bind(&name, Val::Array(array, dtype), None);
    }

    fn assign(&mut self, left: &Expr, value: Val, span: Span) -> Val {
        if matches!(value, Val::Unknown) {
            return Val::Unknown;
        }
        match left {
            Expr::Paren(inner) => self.assign(&inner.expr, value, span),
            Expr::Index(index) => self.store(index, value, span),
            Expr::Path(path) => {
                let name = constant::name(&path.path).unwrap_or_default();
                let Some(variable) = self.lookup(&name).cloned() else {
                    return self.report(left.span(), &m::UNKNOWN_NAME, &[&name, &""]);
                };
                if let Val::Buffer(_) = variable.value {
                    return self.report(left.span(), &m::SIMT_WHOLE_RESULT, &[&name, &name]);
                }
                let (Some(slot), Val::Expr(current, bare)) = (variable.slot, variable.value) else {
                    return self.report(left.span(), &m::ASSIGN_IMMUTABLE, &[&name, &name]);
                };
                let target = Val::Expr(current, bare);
                let Some((_, value)) = self.pair(target, value, span) else { return Val::Unknown };
                let (own, given) = (self.ty(current), self.ty(value));
                if own != given {
                    return if self.changed {
                        Val::Unknown
                    } else {
                        self.report(span, &m::SIMT_TYPES, &[&"=", &own, &given])
                    };
                }
                self.builder.assign(slot, value);
                Val::Unit
            }
            other => self.report(other.span(), &m::ASSIGN_TARGET, &[]),
        }
    }

    fn store(&mut self, index: &syn::ExprIndex, value: Val, span: Span) -> Val {
        match self.target(index) {
            None => Val::Unknown,
            Some(Target::Buffer(buffer, position)) => {
                self.store_value(buffer, position, value, [index.expr.span(), span])
            }
            Some(Target::Array(array, dtype, index)) => {
                let Some(value) = self.value(value, Some(dtype.compute()), span) else { return Val::Unknown };
                if self.ty(value) != ValueType::scalar(dtype.compute()) {
                    let (own, given) = (ValueType::scalar(dtype.compute()), self.ty(value));
                    return if self.changed {
                        Val::Unknown
                    } else {
                        self.report(span, &m::SIMT_TYPES, &[&"=", &own, &given])
                    };
                }
                self.write(index, |this, index| this.builder.stmt(Kir::StoreArray { array, index, value }));
                Val::Unit
            }
        }
    }

    /// Writes one or more elements of a result.
    pub(super) fn store_value(
        &mut self,
        buffer: usize,
        place: Place,
        value: Val,
        [place_span, span]: [Span; 2],
    ) -> Val {
        let (param, dtype) = (self.buffers[buffer].param, self.buffers[buffer].dtype.compute());
        if self.buffers[buffer].result.is_none() {
            let name = self.builder.kernel().params[param.0 as usize].name.clone();
            return self.report(place_span, &m::SIMT_INPUT, &[&name, &name]);
        }
        let Some(value) = self.value(value, Some(dtype), span) else { return Val::Unknown };
        let given = self.ty(value);
        if given.dtype != dtype {
            return if self.changed {
                Val::Unknown
            } else {
                self.report(span, &m::SIMT_TYPES, &[&"=", &dtype, &given])
            };
        }
        self.write(place, |this, index| this.builder.store(param, index, value));
        Val::Unit
    }

    /// `for i in a..b` and `for i in (a..b).step_by(s)`.
    fn for_loop(&mut self, each: &syn::ExprForLoop) -> Val {
        let span = each.expr.span();
        let (range, step) = match strip(&each.expr) {
            Expr::MethodCall(call) if call.method == "step_by" && call.args.len() == 1 => {
                (strip(&call.receiver), Some(&call.args[0]))
            }
            other => (other, None),
        };
        let Expr::Range(range) = range else {
            return self.report(span, &m::SIMT_LOOP, &[]);
        };
        let (Some(start), Some(end), RangeLimits::HalfOpen(_)) = (&range.start, &range.end, &range.limits) else {
            return self.report(span, &m::SIMT_LOOP, &[]);
        };
        let (start, end) = (self.expr(start), self.expr(end));
        let Some((start, end)) = self.pair(start, end, span) else { return Val::Unknown };
        let ty = self.ty(start);
        let step = match step {
            Some(step) => self.expr(step),
            None => Val::Number(Constant::Integer(1)),
        };
        let Some(mut step) = self.value(step, Some(ty.dtype), span) else { return Val::Unknown };
        if self.ty(step) != ty {
            // `step_by` takes a `usize`, whatever the counter is.
            step = self.builder.cast(ty.dtype, step);
        }
        let name = match &*each.pat {
            Pat::Ident(ident) => crate::parse::name(&ident.ident),
            Pat::Wild(_) => "round".to_string(),
            other => {
                self.report(other.span(), &m::PATTERN, &[]);
                return Val::Unknown;
            }
        };
        let var = self.builder.var(&name, ty);
        self.scopes.push(Vec::new());
        let counter = self.builder.get(var);
        self.bind(&name, Val::Expr(counter, None), None);
        self.builder.open();
        let value = self.block(&each.body);
        let body = self.builder.close();
        self.scopes.pop();
        if !matches!(value, Val::Unit | Val::Unknown) {
            self.report(each.body.span(), &m::OPERAND, &[&"for", &kind(&value)]);
        }
        self.builder.stmt(Kir::For { var, start, end, step, body });
        Val::Unit
    }
}

fn strip(expr: &Expr) -> &Expr {
    match expr {
        Expr::Paren(inner) => strip(&inner.expr),
        Expr::Group(inner) => strip(&inner.expr),
        other => other,
    }
}

/// The condition of `if condition { return; }`.
fn early_return(statement: &Stmt) -> Option<&Expr> {
    let Stmt::Expr(Expr::If(branch), _) = statement else { return None };
    let only = match branch.then_branch.stmts.as_slice() {
        [Stmt::Expr(Expr::Return(leave), _)] => leave.expr.is_none(),
        _ => false,
    };
    (only && branch.else_branch.is_none()).then_some(&branch.cond)
}
