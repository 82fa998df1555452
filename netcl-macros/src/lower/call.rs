//! Calls by path: other compiled functions, functions of scalars, and functions that every kernel knows.

use super::expected::Expected;
use super::passed::PlainPassed;
use super::sizes::Sizes;
use super::{FieldRef, Lowering, Val, named};
use crate::ast::{ArgType, FunctionItem, Helper, PlainType, Unit};
use crate::callee::Callee;
use crate::messages as m;
use crate::parse::{name as name_of, text};
use crate::{quotient, words};
use netcl_kernels::dim::{Dim, Shape, Symbol};
use netcl_kernels::dtype::DType;
use netcl_kernels::graph::NodeId;
use netcl_kernels::precision::Precision;
use proc_macro2::Span;
use std::collections::BTreeMap;
use std::rc::Rc;
use syn::spanned::Spanned;
use syn::{Expr, ExprCall};

impl<'a> Lowering<'a> {
    /// `function(args)`.
    pub(super) fn call(&mut self, call: &'a ExprCall) -> Val<'a> {
        let Expr::Path(path) = &*call.func else {
            return self.not_callable(call);
        };
        let span = path.span();
        let segments: Vec<String> = path.path.segments.iter().map(|segment| name_of(&segment.ident)).collect();
        let Some(name) = segments.last().cloned() else { return Val::Unknown };
        if named::is_in(&call.args) && self.named_argument(&Expr::Call(call.clone()), &text(&path.path), None) {
            return Val::Unknown;
        }
        if let Some(refused) = self.called_itself(&name, call).filter(|_| segments.len() == 1) {
            return refused;
        }
        let unit = self.frame().unit;
        let of_model = if segments.len() > 1 { self.of_model(&path.path, &name, call) } else { None };
        if let Some(value) = of_model.or_else(|| self.judge_type_arguments(&path.path, Some(call))) {
            return value;
        }
        let own = segments[0] == "Self" || unit.model.as_ref().is_some_and(|model| segments[0] == name_of(&model.name));
        if own && segments.len() == 2 {
            return self.own_function(unit, &path.path, &name, call);
        }
        if let Some((value, _)) = path.path.get_ident().and_then(|_| self.lookup(&name)) {
            if let Val::Closure(closure) = value {
                let args = call.args.iter().map(|arg| self.expr(arg)).collect();
                return self.call_closure(&closure, args, (&name, span));
            }
            return self.called_variable((&name, &value), call, span);
        }
        if let ([some] | [_, some], 1) = (segments.as_slice(), call.args.len())
            && some == "Some"
            && (segments.len() == 1 || segments[0] == "Option")
        {
            return Val::Option(Some(Box::new(self.expr(&call.args[0]))));
        }
        if let Some(helper) = unit.helpers.get(&text(&path.path)) {
            let args = self.args_for(helper, &call.args);
            return self.helper(helper, args, (&call.args, span));
        }
        if let [ty, name] = segments.as_slice()
            && let Some(argument) = unit.types.get(ty)
        {
            return self.of_type((ty, argument), name, call);
        }
        if let Some(callable) = unit.callables.get(&text(&path.path)) {
            return self.callable(callable, call);
        }
        if let Some(kernel) = unit.kernels.get(&text(&path.path)) {
            return self.launched(kernel, call);
        }
        if name == words::GRAD && segments.len() == 1 && self.axes.is_none() && !self.elementwise {
            return self.grad(call);
        }
        if unit.broken.contains(&text(&crate::parse::plain(&path.path))) {
            return self.called_broken(call);
        }
        // A kernel is of whole tensors: of an element its name is an operation's.
        let of_element = self.axes.is_some() && super::is_builtin(&name);
        if !of_element
            && unit.own.as_ref().is_some_and(|own| path.path.get_ident().is_some_and(|ident| name_of(ident) == *own))
        {
            return self.report(span, &m::RECURSION, &[&name, &format!("{name} → {name}")]);
        }
        if let [_, method] = segments.as_slice()
            && is_rust_method(&path.path)
        {
            return self.rust_method(method, call, span);
        }
        if let [ty, name] = segments.as_slice()
            && let Some(made) = self.made(ty, name, call)
        {
            return made;
        }
        let wrapped = super::wrapped(&name).filter(|_| matches!(segments.as_slice(), [_]) || segments[0] == "Result");
        if segments.len() > 1 && wrapped.is_none() {
            return self.unknown_path(call, &name, span);
        }
        // `Ok(..)` of a result that is declared as a `Result`, which has been spoken of.
        if self.unsure && name.starts_with(char::is_uppercase) {
            call.args.iter().for_each(|arg| drop(self.expr(arg)));
            return Val::Unknown;
        }
        if self.axes.is_some()
            && let Some(value) = self.kernel_form(&name, call)
        {
            return value;
        }
        if let Some(instead) = wrapped {
            return self.called_wrapped(call, &name, instead);
        }
        if !super::is_builtin(&name) {
            return self.unknown_path(call, &name, span);
        }
        let args: Vec<Val<'a>> = call.args.iter().map(|arg| self.expr(arg)).collect();
        if matches!(name.as_str(), "max" | "min")
            && let Some(refused) = self.suffixed(&name, &Vec::from_iter(&args), call.args.iter())
        {
            return refused;
        }
        self.by_name(name, args, call, span)
    }

    /// A call of a function that is wrong, which is told where it stands.
    fn called_broken(&mut self, call: &'a ExprCall) -> Val<'a> {
        // Whether it takes whole tensors is not known: kernels do, and are refused once they are known.
        let whole = |this: &Self, arg: &Expr| match arg {
            Expr::Path(path) => path.path.get_ident().and_then(|name| this.whole_tensor(&name_of(name))).is_some(),
            _ => false,
        };
        let args = call.args.iter().filter(|arg| self.axes.is_none() || !whole(self, arg)).collect::<Vec<_>>();
        args.into_iter().for_each(|arg| drop(self.expr(arg)));
        self.partial = true;
        Val::Unknown
    }

    /// Rule: a body's operations do not fail. Wrong: `Ok(h)`.
    fn called_wrapped(&mut self, call: &'a ExprCall, name: &str, instead: &str) -> Val<'a> {
        // What has failed is of no type that a body has.
        let said = name != "Err" && call.args.iter().filter(|arg| self.expr(arg).is_unknown()).count() > 0;
        if said { Val::Unknown } else { self.report(call.func.span(), &m::ELSEWHERE_CALLED, &[&name, &instead]) }
    }

    /// What is called without a name: `(self.a)(x)`, a field as in PyTorch, or anything else.
    fn not_callable(&mut self, call: &'a ExprCall) -> Val<'a> {
        let span = call.func.span();
        let field = crate::parse::unparenthesized(&call.func);
        if let Expr::Closure(written) = field
            && let Val::Closure(closure) = self.closure(written)
        {
            let args = call.args.iter().map(|arg| self.expr(arg)).collect();
            return self.call_closure(&closure, args, ("the closure", span));
        }
        if !matches!(field, Expr::Field(_) | Expr::Index(_)) {
            return self.report(span, &m::NOT_CALLABLE, &[]);
        }
        let called = self.expr(field);
        let what = match self.as_certain(called, field) {
            Val::Unknown => return Val::Unknown,
            Val::Place(FieldRef::Layer(..)) => "layer",
            Val::Place(FieldRef::Model(..)) => "model",
            _ => return self.report(span, &m::NOT_CALLABLE, &[]),
        };
        let args = crate::parse::passed(&call.args);
        let (field, instead) = (text(field), format!("{}.forward({args})", text(field)));
        self.report(span, &m::FIELD_CALLED, &[&field, &what, &instead])
    }

    /// `f32::max(a, b)`, which is `a.max(b)` as Rust means it.
    fn rust_method(&mut self, method: &str, call: &'a ExprCall, span: Span) -> Val<'a> {
        let mut args: Vec<Val<'a>> = call.args.iter().map(|arg| self.expr(arg)).collect();
        if args.iter().any(Val::is_unknown) || self.doubtful && !call.args.iter().all(|arg| self.is_certain(arg)) {
            return Val::Unknown;
        }
        if args.is_empty() {
            return self.report(span, &m::UNKNOWN_FUNCTION, &[&text(&call.func), &""]);
        }
        let receiver = args.remove(0);
        match self.as_in_rust(method, &receiver, &args, (true, span)) {
            Some(value) => value,
            None => self.operation(method, receiver, args, span),
        }
    }

    /// Of which shape and type a value is, if it is a tensor.
    fn shape_of(&self, value: &Val<'a>) -> Option<(Shape, DType)> {
        match value {
            Val::Tensor(id) => Some((self.builder.shape(*id).clone(), self.builder.dtype(*id))),
            _ => None,
        }
    }

    /// The body of another compiled function, in place.
    pub(super) fn inline(
        &mut self,
        unit: &'a Unit,
        this: Option<FieldRef<'a>>,
        sizes: Rc<Sizes>,
        function: &'a FunctionItem,
        args: Vec<Val<'a>>,
        span: Span,
    ) -> Val<'a> {
        let Some(function) = self.variant(function, &args, span) else { return Val::Unknown };
        let name = format!("{}::{}", unit.name(), name_of(&function.name));
        if self.recursion(unit, &name, span) {
            return Val::Unknown;
        }
        let callee = Callee::new(self.diag, &function.name, span);
        if !callee.takes(&function.parameters(), args.len()) || !self.affords(&name, span) {
            return Val::Unknown;
        }
        let Some((args, places)) = self.taken_apart(&callee, function, args, span) else { return Val::Unknown };
        let mut symbols = sizes.functions.clone();
        let (mut bound, mut passed) = (Vec::new(), Vec::new());
        let call = std::mem::take(&mut self.written);
        let precision = self.precision_of(function);
        let shapes: Vec<_> = args.iter().map(|value| self.shape_of(value)).collect();
        let path = match &this {
            Some(FieldRef::Model(_, path, _)) => path.as_str(),
            _ => "",
        };
        self.solve(function, &args, &mut symbols);
        for (position, (arg, value)) in function.args.iter().zip(args).enumerate() {
            let place = call.place(places[position], span);
            let value = if precision == Precision::F32 { self.as_argument(arg, value) } else { value };
            let is_number = matches!(value, Val::Number(_) | Val::Dim(_));
            let instead =
                |lowering: &Self| lowering.advise_call((unit, &sizes, path), function, &call, &shapes, position);
            match self.argument_value((&callee, &instead), arg, value, &mut symbols, place) {
                Some(value) => {
                    let value = if is_number { self.new_tensors_in(value) } else { value };
                    passed.extend(PlainPassed::of(arg, &value, place));
                    bound.push((name_of(&arg.name), value));
                }
                None => return Val::Unknown,
            }
        }
        let numbers = Self::numbers(unit, &sizes, path);
        self.enter(unit, this, sizes, &name);
        (self.frame_mut().symbols, self.frame_mut().passed) = (symbols, passed);
        self.give(function, &bound);
        for (name, value) in bound {
            self.bind(&name, value, false, true);
        }
        self.bind_params(function);
        let before = self.diag.count();
        let outside = self.diag.within(numbers);
        self.wanted = true;
        let promised = self.inside(function);
        let value = self.body_in(precision, function);
        self.outside(promised);
        let value = if function.indexed { self.new_tensors_in(value) } else { value };
        let symbols = std::mem::take(&mut self.frame_mut().symbols);
        self.frames.pop();
        let value =
            if self.diag.count() > before { Val::Unknown } else { self.declared(function, value, &symbols, span) };
        self.diag.within(outside);
        value
    }

    /// The value, if the declared result says the same about it.
    fn declared(
        &mut self,
        function: &FunctionItem,
        value: Val<'a>,
        symbols: &BTreeMap<String, Dim>,
        span: Span,
    ) -> Val<'a> {
        // Only of an open function this has not been judged where it stands.
        let values = super::parts::values(&function.composed, &value).unwrap_or_default();
        let tensors = values.iter().zip(&function.results).filter_map(|(value, ty)| match value {
            Val::Tensor(id) => Some((*id, ty.substitute(symbols))),
            _ => None,
        });
        let tensors: Vec<_> = tensors.collect();
        if tensors.iter().flat_map(|(_, ty)| &ty.dims).any(|token| quotient::is_in(&token.dim)) {
            return self.open();
        }
        if value.is_unknown() || values.len() == function.results.len() {
            let fits = tensors.iter().all(|(id, ty)| self.result(&function.name, *id, ty));
            return if fits { value } else { Val::Unknown };
        }
        let found = value.kind();
        self.report(
            span,
            &m::RESULT_COUNT,
            &[&function.name, &"something else than it declares", &found, &super::results::CHANGE],
        )
    }

    /// Checks an argument and binds the sizes that its type names.
    pub(super) fn argument_value(
        &mut self,
        (callee, instead): (&Callee<'_>, &dyn Fn(&Self) -> String),
        arg: &crate::ast::ArgDecl,
        value: Val<'a>,
        symbols: &mut BTreeMap<String, Dim>,
        span: Span,
    ) -> Option<Val<'a>> {
        let wrong = |this: &Self, expected: String, found: String| {
            callee.mismatch((&arg.name, span), &expected, &found, &instead(this));
            None
        };
        match (&arg.ty, value) {
            (_, Val::Unknown) => None,
            (ArgType::Tensor(ty), Val::Tensor(id)) => {
                let (shape, dtype) = (self.builder.shape(id).clone(), self.builder.dtype(id));
                if ty.substitute(symbols).dims.iter().any(|token| quotient::is_in(&token.dim)) {
                    self.open();
                    return None;
                }
                let mut known = symbols.iter().map(|(name, dim)| (Symbol::new(name), dim.clone())).collect();
                Dim::solve(ty.dims.iter().map(|own| &own.dim).zip(&shape.0), &mut known);
                symbols.extend(known.into_iter().map(|(symbol, dim)| (symbol.name().to_string(), dim)));
                if ty.dims.iter().any(|token| self.awaits_number(&token.dim, symbols)) {
                    self.open();
                    return None;
                }
                let mut fits = shape.rank() == ty.dims.len() && self.stands_for(dtype, ty.dtype);
                let declares = format!("`{}` expects `{}` with", callee.name, arg.name);
                for (axis, declared) in ty.dims.iter().enumerate().take(shape.rank()) {
                    let declared = quotient::substitute(&declared.dim, symbols);
                    fits &= self.has_size((id, axis), &declared, &declares, "and is given");
                }
                if fits {
                    return Some(Val::Tensor(id));
                }
                let (expected, found) = self.other_shape(ty, id, symbols);
                wrong(self, expected, found)
            }
            (ArgType::Scalar(dtype), value @ (Val::Number(_) | Val::Dim(_))) => {
                let id = self.tensor(value, Some(*dtype), span)?;
                let found = self.builder.dtype(id);
                if found == *dtype {
                    Some(Val::Tensor(id))
                } else {
                    wrong(self, format!("a plain `{dtype}`"), format!("`{found}`"))
                }
            }
            (ArgType::Scalar(dtype), Val::Tensor(id))
                if self.builder.dtype(id) == *dtype && self.builder.shape(id).rank() == 0 =>
            {
                Some(Val::Tensor(id))
            }
            (ArgType::Plain(ty), Val::Plain(tokens, given)) if given == *ty => Some(Val::Plain(tokens, given)),
            (ArgType::Plain(PlainType::Bool), value @ Val::Bool(_)) => Some(value),
            (ArgType::Plain(PlainType::Usize), Val::Dim(size)) => Self::as_usize(callee, arg, size.size, span),
            (ArgType::Tensor(ty), value) => wrong(self, format!("`{ty}`"), value.kind()),
            (ArgType::Scalar(dtype), value) => wrong(self, format!("a plain `{dtype}`"), value.kind()),
            (ArgType::Plain(ty), value) => wrong(self, format!("a plain `{}`", ty.name()), value.kind()),
            (ArgType::Enum(ty), value) => {
                let wanted = ty.segments.last().map(|last| name_of(&last.ident)).unwrap_or_default();
                let given = match &value {
                    Val::Variant(ty, _) => Some(ty.clone()),
                    Val::Plain(argument, PlainType::Enum) => self
                        .enums
                        .get(&argument.to_string())
                        .and_then(|ty| ty.segments.last())
                        .map(|last| name_of(&last.ident)),
                    _ => None,
                };
                if given.as_ref() == Some(&wanted) {
                    return Some(value);
                }
                wrong(self, format!("a `{wanted}`"), given.map_or_else(|| value.kind(), |given| format!("a `{given}`")))
            }
        }
    }

    /// A function of scalars, applied to every element.
    pub(super) fn helper<'p>(
        &mut self,
        helper: &'a Helper,
        args: Vec<Val<'a>>,
        (passed, span): (impl IntoIterator<Item = &'p Expr>, Span),
    ) -> Val<'a> {
        let callee = Callee::new(self.diag, &helper.name, span);
        let bound = callee.bind(helper, args, passed, |value, dtype| {
            let value = if dtype == DType::Bool { self.decided(value) } else { value };
            let id = self.tensor(value, Some(dtype), span)?;
            let id = self.as_declared(id, dtype);
            let found = self.builder.dtype(id);
            Some(if found == dtype { Ok(id) } else { Err(found.to_string()) })
        });
        let Some(bound) = bound else { return Val::Unknown };
        let given: Vec<NodeId> = bound.iter().map(|(_, id)| *id).collect();
        if let Some(value) = self.known_call(helper, &given) {
            let value = self.for_every_element(value, (helper, &given), span);
            return self.new_tensors_in(value);
        }
        if !self.affords(&name_of(&helper.name), span) {
            return Val::Unknown;
        }
        self.enter(&helper.scope, None, Rc::default(), &name_of(&helper.name));
        for (name, id) in bound {
            self.bind(&name, Val::Tensor(id), false, true);
        }
        let elementwise = std::mem::replace(&mut self.elementwise, true);
        (self.expected, self.wanted) = (Expected::result(helper.result), true);
        let precision = self.builder.set_precision(Precision::F32);
        let value = self.function_block(&helper.body);
        self.builder.set_precision(precision);
        self.elementwise = elementwise;
        self.frames.pop();
        let value = self.helper_result(helper, value, span);
        self.note_call(helper, given.clone(), &value);
        let value = self.for_every_element(value, (helper, &given), span);
        self.new_tensors_in(value)
    }

    /// The result of a function of scalars for each element of its arguments, also where it does not depend on them: `fn one(x: f32)
    /// -> f32 { 1.0 }`.
    fn for_every_element(&mut self, value: Val<'a>, (helper, given): (&Helper, &[NodeId]), span: Span) -> Val<'a> {
        // In kernels each is one element.
        if self.axes.is_some() || self.elementwise || value.is_unknown() {
            return value;
        }
        let mut shape = Shape::scalar();
        for id in given {
            let own = self.builder.shape(*id).clone();
            self.at(span);
            shape = match self.builder.broadcast_shapes(&name_of(&helper.name), shape, own) {
                Ok(shape) => shape,
                Err(diagnostic) => {
                    self.diagnostic(diagnostic, span);
                    return Val::Unknown;
                }
            };
        }
        if shape.rank() == 0 || matches!(&value, Val::Tensor(id) if *self.builder.shape(*id) == shape) {
            return value;
        }
        let Some(id) = self.tensor(value, Some(helper.result), span) else { return Val::Unknown };
        let result = self.builder.broadcast_to(id, &shape);
        self.check(result, span)
    }

    /// What a function of scalars gives, as the type that it declares.
    pub(super) fn helper_result(&mut self, helper: &Helper, value: Val<'a>, span: Span) -> Val<'a> {
        let id = match value {
            value @ (Val::Number(_) | Val::Dim(_) | Val::Bool(_)) => {
                // Stays known, so that it can decide an `if`.
                return match self.tensor(value.clone(), Some(helper.result), span).map(|id| self.builder.dtype(id)) {
                    Some(found) if found == helper.result => match value {
                        Val::Number(number) => Val::Number(number.declared(found)),
                        value => value.declared(Some(found).filter(|found| found.is_integer())),
                    },
                    Some(found) => self.other_type(&helper.name, helper.result, found, span),
                    None => Val::Unknown,
                };
            }
            Val::Tensor(id) => id,
            value => match self.tensor(value, Some(helper.result), span) {
                Some(id) => id,
                None => return Val::Unknown,
            },
        };
        match (self.builder.dtype(id), helper.result) {
            (found, declared) if found == declared => Val::Tensor(id),
            (found, declared) => self.other_type(&helper.name, declared, found, span),
        }
    }

    /// Names that only mean something over an index space.
    fn kernel_form(&mut self, name: &str, call: &'a ExprCall) -> Option<Val<'a>> {
        match name {
            words::PAD => return Some(self.pad(call)),
            words::FOLD => return Some(self.fold_call(call)),
            _ => {}
        }
        // `max(a, b)` is a function of two numbers, `max(0..C, |c| ..)` a reduction.
        let ranged = call.args.len() == 2 && matches!(call.args.last(), Some(Expr::Closure(_)));
        if words::REDUCTIONS.contains(&name) && (ranged || !matches!(name, "max" | "min")) {
            return Some(self.reduction(name, call));
        }
        match (name, call.args.first(), call.args.last()) {
            ("any" | "all", Some(range @ Expr::Range(length)), Some(Expr::Closure(each))) if ranged => {
                let index = each.inputs.iter().map(crate::parse::text).collect::<Vec<_>>().join(", ");
                let holds = crate::parse::index::text_of(&each.body);
                let sum = format!("sum({}, |{index}| ({holds}) as i32)", crate::parse::text(range));
                let instead = match (name, &length.start, &length.end) {
                    ("any", ..) => format!("count where it holds: write `{sum} > 0`"),
                    (_, _, Some(end)) => format!("count where it holds: write `{sum} == {}`", crate::parse::text(end)),
                    _ => format!("count where it holds: `{sum}`"),
                };
                Some(self.report(call.func.span(), &m::UNSUPPORTED, &[&format!("`{name}` over a range"), &instead]))
            }
            _ => None,
        }
    }
}

/// Whether it is a method of one of Rust's types of numbers, by its path: `f32::max`.
pub(crate) fn is_rust_method(path: &syn::Path) -> bool {
    let types = ["f32", "f64", "i32", "u32", "i64", "u8"];
    path.leading_colon.is_none() && path.segments.len() == 2 && types.iter().any(|ty| path.segments[0].ident == ty)
}
