//! Statements of SIMT-form kernels.

use super::signature::Signature;
use super::state::{BufferArg, Simt, Val};
use super::types::{kind, value_type};
use crate::ast::Constant;
use crate::lower::{called_for_effect, effect};
use crate::messages as m;
use crate::parse::{constant, items};
use netcl_kernels::dtype::DType;
use netcl_kernels::kir::{Space, Stmt as Kir, ValueType};
use proc_macro2::Span;
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::{Block, Expr, Pat, Stmt};

impl Simt<'_> {
    /// The kernel's body.
    pub(super) fn body(&mut self, signature: &Signature) {
        self.scopes.push(Vec::new());
        self.bind_items(&signature.body);
        self.statements(&signature.body.stmts, true);
        self.scopes.pop();
    }

    /// The block's value, in a scope of its own.
    pub(super) fn block(&mut self, block: &Block) -> Val {
        self.scopes.push(Vec::new());
        self.bind_items(block);
        let value = self.statements(&block.stmts, false);
        self.scopes.pop();
        value
    }

    /// Items in a body are refused where they stand: of what they bring nothing is known, and nothing more is said.
    fn bind_items(&mut self, block: &Block) {
        for name in items::declared(block) {
            self.bind(&name, Val::Unknown, None);
        }
    }

    fn statements(&mut self, statements: &[Stmt], outermost: bool) -> Val {
        for (position, statement) in statements.iter().enumerate() {
            let last = position + 1 == statements.len();
            if let Some(condition) = early_return(statement).filter(|_| outermost) {
                // `if done { return; }`: the rest runs where it is not done.
                if self.barriers.is_empty() {
                    self.returns.push((early_place(statement), opposite(condition)));
                }
                let Some(condition) = self.condition(condition) else { continue };
                let known = self.learn(condition, false);
                let condition = self.negated(condition);
                self.builder.open();
                self.statements(&statements[position + 1..], true);
                let then = self.builder.close();
                self.forget(known);
                self.builder.stmt(Kir::If { condition, then, otherwise: Vec::new() });
                return Val::Unit;
            }
            let value = self.statement(statement, last);
            if last && outermost && !matches!(value, Val::Unit | Val::Unknown) {
                return self.at_the_end(statement);
            }
            if last {
                return value;
            }
        }
        Val::Unit
    }

    /// Rule: a kernel gives what it writes. Wrong: `x[i]` as its last line.
    fn at_the_end(&self, statement: &Stmt) -> Val {
        let Stmt::Expr(expr, _) = statement else { return Val::Unit };
        let value = crate::parse::index::text_of(expr);
        let name = |buffer: &BufferArg| &self.builder.kernel().params[buffer.param.0 as usize].name;
        let results: Vec<_> = self.buffers.iter().filter(|buffer| buffer.result.is_some()).map(name).collect();
        let instead = match results.first().filter(|_| !Self::is_atomic(expr)) {
            _ if results.contains(&&value) => format!("leave `{value}` out: the call returns it"),
            Some(result) => format!("write `{result}[i] = {value};`"),
            None => format!("write `{value};`"),
        };
        self.report(expr.span(), &m::SIMT_LAST_VALUE, &[&instead])
    }

    fn statement(&mut self, statement: &Stmt, last: bool) -> Val {
        self.statement += 1;
        if let Some(name) = called_for_effect(statement).filter(|name| self.lookup(&crate::parse::name(name)).is_none())
        {
            let (what, instead) = effect(name);
            return self.report(statement.span(), &m::UNSUPPORTED, &[&what, &instead]);
        }
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
            Stmt::Macro(call) => self.macro_call(&call.mac, call.span()),
            Stmt::Item(item) => self.report(item.span(), &m::UNSUPPORTED, &[&"an item", &"move it out of the kernel"]),
        }
    }

    /// An expression that may change something.
    fn effect(&mut self, expr: &Expr) -> Val {
        match expr {
            Expr::Assign(assign) => self.assignment(assign),
            Expr::Binary(binary) if crate::lower::is_assignment(&binary.op) => self.update(binary),
            Expr::ForLoop(each) => self.for_loop(each),
            Expr::While(each) => {
                self.builder.open();
                let condition = self.condition(&each.cond);
                let mut body = self.builder.close();
                let Some(mut condition) = condition else {
                    self.looped(&each.body);
                    return Val::Unknown;
                };
                let changes = !body.is_empty();
                if changes {
                    // What the condition changes, it changes in every round.
                    let (then, otherwise) = (vec![Kir::Break], Vec::new());
                    body.push(Kir::If { condition: self.negated(condition), then, otherwise });
                    condition = self.literal(Constant::Bool(true), DType::Bool);
                }
                let before = self.diag.count();
                body.extend(self.looped(&each.body));
                if self.diag.count() == before && !changes {
                    let written = crate::parse::text(&each.cond);
                    self.ends((each.while_token.span(), &written), &each.body, condition, &body);
                }
                self.builder.stmt(Kir::While { condition, body });
                Val::Unit
            }
            Expr::Loop(each) => {
                let condition = self.literal(Constant::Bool(true), DType::Bool);
                let before = self.diag.count();
                let body = self.looped(&each.body);
                if self.diag.count() == before {
                    self.ends((each.loop_token.span(), ""), &each.body, condition, &body);
                }
                self.builder.stmt(Kir::While { condition, body });
                Val::Unit
            }
            Expr::Break(leave) if leave.expr.is_none() && leave.label.is_none() => {
                if let Some(Some(left)) = self.rounds.last().copied() {
                    let yes = self.literal(Constant::Bool(true), DType::Bool);
                    self.builder.assign(left, yes);
                }
                self.builder.stmt(Kir::Break);
                Val::Unit
            }
            Expr::Continue(next) if next.label.is_none() => {
                // A round over a list is a loop of its own.
                let unrolled = matches!(self.rounds.last(), Some(Some(_)));
                self.builder.stmt(if unrolled { Kir::Break } else { Kir::Continue });
                Val::Unit
            }
            other => self.expr(other),
        }
    }

    /// The statements of a loop's body.
    fn looped(&mut self, body: &Block) -> Vec<Kir> {
        self.rounds.push(None);
        self.builder.open();
        self.block(body);
        self.rounds.pop();
        self.builder.close()
    }

    fn declaration(&mut self, local: &syn::Local) {
        let Some(init) = &local.init else {
            self.report(local.span(), &m::LET_WITHOUT_VALUE, &[&crate::parse::text(&local.pat)]);
            return self.bind_unknown(&local.pat);
        };
        let (pattern, declared) = match &local.pat {
            Pat::Type(typed) => (&*typed.pat, Some(&*typed.ty)),
            other => (other, None),
        };
        if let Expr::Macro(call) = &*init.expr {
            return self.array(pattern, &call.mac);
        }
        if let Expr::Cast(cast) = crate::parse::unparenthesized(&init.expr)
            && declared.is_none()
            && crate::parse::text(&cast.ty) == "usize"
        {
            let instead =
                format!("let {} = {};", crate::parse::text(pattern), crate::parse::index::text_of(&cast.expr));
            self.report(cast.ty.span(), &m::SIMT_USIZE, &[&instead]);
            return self.bind_unknown(pattern);
        }
        let value = self.expr(&init.expr);
        if let (Val::List(values), Some(syn::Type::Array(ty))) = (&value, declared) {
            let list = self.declared_list(&crate::parse::text(pattern), values, (ty, init.expr.span()));
            return self.bind_pattern(pattern, list, None, None, init.expr.span());
        }
        let wanted = declared.and_then(|ty| {
            let name = crate::parse::text(ty);
            let known = value_type(&name);
            if known.is_none() {
                self.report(ty.span(), &m::UNKNOWN_DTYPE, &[&name, &crate::parse::types::near_type(&name)]);
            }
            known
        });
        // `let`s that name no type get it in the hidden function: rustc has to agree.
        let position = self.lets.iter().position(|known| std::ptr::eq(*known, local));
        let position = position.map(|position| (position, super::check::bare(&init.expr)));
        self.bind_pattern(pattern, value, wanted, position, init.expr.span());
    }

    /// `position` is that among the `let`s that name no type, and whether this one's value is a bare number.
    pub(super) fn bind_pattern(
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
                self.bind_unknown(pattern);
            }
            (Pat::Tuple(_), Val::Unknown) => self.bind_unknown(pattern),
            (Pat::Tuple(_), value) => {
                self.report(pattern.span(), &m::NOT_A_TUPLE, &[&kind(&value), &"write one name"]);
                self.bind_unknown(pattern);
            }
            (Pat::Ident(ident), Val::List(_)) if ident.mutability.is_some() => {
                self.report(pattern.span(), &m::UNSUPPORTED, &[&"a list that is `mut`", &super::list::ARRAY]);
                self.bind_unknown(pattern);
            }
            (Pat::Ident(ident), Val::List(mut values)) => {
                let name = crate::parse::name(&ident.ident);
                for (position, value) in values.iter_mut().enumerate() {
                    match value {
                        Val::Expr(id, _) => *id = self.once(&format!("{name}_{position}"), *id),
                        value => self.pin(value),
                    }
                }
                self.bind(&name, Val::List(values), None);
            }
            (Pat::Ident(ident), mut value @ Val::Tuple(_)) if ident.mutability.is_none() => {
                self.pin(&mut value);
                self.bind(&crate::parse::name(&ident.ident), value, None);
            }
            // A number without a type stays one: each use may say which it has.
            (Pat::Ident(ident), value @ Val::Number(_))
                if declared.is_none() && position.is_none() && is_plain(ident) && ident.mutability.is_none() =>
            {
                self.bind(&crate::parse::name(&ident.ident), value, None);
            }
            (Pat::Ident(ident), Val::Unknown) => self.bind(&crate::parse::name(&ident.ident), Val::Unknown, None),
            (Pat::Ident(ident), value) if is_plain(ident) => {
                let name = crate::parse::name(&ident.ident);
                let bare = position.filter(|(_, bare)| *bare).map(|(position, _)| position);
                let open = match &value {
                    Val::Expr(_, open) => *open,
                    _ => bare,
                };
                if self.doubtful && self.is_open(open) {
                    return self.bind(&name, Val::Unknown, None);
                }
                let known = bare.and_then(|position| self.numbers.get(&position).copied());
                let wanted = known.or(declared.map(|ty| ty.dtype));
                let Some(id) = self.value(value, wanted, span) else {
                    return self.bind(&name, Val::Unknown, None);
                };
                if let Some(declared) = declared
                    && declared != self.ty(id)
                    && !self.changed
                {
                    self.report(span, &m::SIMT_TYPES, &[&"let", &declared, &self.ty(id), &crate::literal::ONE_TYPE]);
                }
                if let Some((position, _)) = position {
                    let ty = self.ty(id);
                    self.types.insert(position, ty);
                }
                let var = self.builder.bind(&name, id);
                if ident.mutability.is_none() {
                    self.stays(var, id);
                }
                let value = Val::Expr(self.builder.get(var), open);
                self.bind(&name, value, ident.mutability.is_some().then_some(var));
            }
            (Pat::Wild(_), _) => {}
            (pattern, _) => {
                self.report(pattern.span(), &m::PATTERN, &[]);
                self.bind_unknown(pattern);
            }
        }
    }

    /// Binds the pattern's names where something is wrong with it or its value, which has been said.
    pub(super) fn bind_unknown(&mut self, pattern: &Pat) {
        let pattern = match pattern {
            Pat::Type(typed) => &typed.pat,
            pattern => pattern,
        };
        for name in crate::parse::names_in(pattern.to_token_stream()) {
            self.bind(&name, Val::Unknown, None);
        }
    }

    /// `let mut scratch = local!([f32; 64]);` and `private!(..)`.
    fn array(&mut self, pattern: &Pat, call: &syn::Macro) {
        match (pattern, self.declared_array(call)) {
            (Pat::Ident(name), Some((space, dtype, sizes))) => {
                if space == Space::Local {
                    self.of_group(call.path.span());
                }
                self.arrays.push(name.ident.clone());
                let name = crate::parse::name(&name.ident);
                let array = self.builder.array(&name, space, dtype, sizes.iter().product());
                if space == Space::Private {
                    self.zero_private(array);
                }
                self.bind(&name, Val::Array(array, dtype, sizes.into()), None);
            }
            (_, None) => self.bind_unknown(pattern),
            (_, Some(_)) => {
                self.report(call.span(), &m::SIMT_ARRAY, &[]);
                self.bind_unknown(pattern);
            }
        }
    }

    /// Rule: macros make arrays, which are bound by `let`. Wrong: `println!("{}", x[0]);`, `y[i] = local!([f32; 4])[0];`
    pub(super) fn macro_call(&mut self, call: &syn::Macro, span: Span) -> Val {
        if ["local", "private"].iter().any(|own| call.path.is_ident(own)) {
            return self.report(span, &m::SIMT_ARRAY_PLACE, &[]);
        }
        let (what, instead) = crate::lower::macro_call(call);
        let name = call.path.segments.last().map(|last| last.ident.to_string()).unwrap_or_default();
        let instead = match crate::foreign::array(&name) {
            Some(own) => {
                format!("it is `{own}!` here: write `let mut scratch = {own}!({});`", crate::parse::text(&call.tokens))
            }
            None => instead,
        };
        self.report(span, &m::UNSUPPORTED, &[&what, &instead])
    }

    /// Where the array is, of which elements, and its sizes, the outermost first; what is wrong is reported.
    fn declared_array(&mut self, call: &syn::Macro) -> Option<(Space, DType, Vec<u32>)> {
        let space = match call.path.segments.last().map(|last| last.ident.to_string()).as_deref() {
            Some("local") => Space::Local,
            Some("private") => Space::Private,
            _ => {
                self.macro_call(call, call.span());
                return None;
            }
        };
        let mut ty = call.parse_body::<syn::TypeArray>().map(syn::Type::Array).ok();
        let mut sizes: Vec<u32> = Vec::new();
        while let Some(syn::Type::Array(array)) = ty {
            match constant::evaluate(&array.len, &self.unit.constants) {
                Some(Constant::Integer(size @ 1..=0xFFFF_FFFF)) => sizes.push(size as u32),
                _ => {
                    self.report(call.span(), &m::SIMT_ARRAY, &[]);
                    return None;
                }
            }
            ty = Some(*array.elem);
        }
        let (Some(dtype), false) = (ty.and_then(|ty| DType::from_name(&crate::parse::text(&ty))), sizes.is_empty())
        else {
            self.report(call.span(), &m::SIMT_ARRAY, &[]);
            return None;
        };
        if sizes.len() > MAX_ARRAY_AXES {
            self.report(call.span(), &m::SIMT_ARRAY_NESTED, &[&MAX_ARRAY_AXES, &sizes.len()]);
            return None;
        }
        let elements = sizes.iter().try_fold(1u64, |all, size| all.checked_mul(u64::from(*size)));
        let bytes = elements.and_then(|elements| elements.checked_mul(dtype.size() as u64)).unwrap_or(u64::MAX);
        if bytes > space.most_bytes() {
            let whose = if space == Space::Local { "work-group" } else { "work-item" };
            self.report(call.span(), &m::SIMT_ARRAY_BYTES, &[&bytes, &space.most_bytes(), &whose]);
            return None;
        }
        Some((space, dtype, sizes))
    }
}

/// How many axes an array has at most.
const MAX_ARRAY_AXES: usize = 3;

/// Whether it is a name alone, `mut` or not.
fn is_plain(name: &syn::PatIdent) -> bool {
    name.by_ref.is_none() && name.subpat.is_none()
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

/// Where the `return` of `if condition { return; }` stands.
fn early_place(statement: &Stmt) -> Span {
    match statement {
        Stmt::Expr(Expr::If(branch), _) => branch.then_branch.stmts.first().map_or(branch.span(), Spanned::span),
        other => other.span(),
    }
}

/// The condition under which the other work-items go on.
fn opposite(condition: &Expr) -> String {
    use syn::BinOp::{Eq, Ge, Gt, Le, Lt, Ne};
    let text = |expr: &Expr| crate::parse::index::text_of(expr);
    if let Expr::Binary(binary) = crate::parse::unparenthesized(condition) {
        let sign = match binary.op {
            Ge(_) => Some("<"),
            Gt(_) => Some("<="),
            Le(_) => Some(">"),
            Lt(_) => Some(">="),
            Eq(_) => Some("!="),
            Ne(_) => Some("=="),
            _ => None,
        };
        if let Some(sign) = sign {
            return format!("{} {sign} {}", text(&binary.left), text(&binary.right));
        }
    }
    format!("!({})", text(condition))
}
