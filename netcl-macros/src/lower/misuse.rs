//! What is called by a name from elsewhere, or as elsewhere: said at the name, with what to write here, before arguments are
//! looked at that have no meaning here either.

use super::{Lowering, Val, is_builtin};
use crate::ast::{FieldKind, Unit};
use crate::messages as m;
use crate::parse::{suggestion, text};
use crate::{foreign, paths};
use netcl_kernels::dtype::DType;
use netcl_kernels::ops;
use proc_macro2::{Ident, Span};
use syn::spanned::Spanned;
use syn::{Expr, ExprCall, ExprMethodCall, Stmt};

impl<'a> Lowering<'a> {
    /// Rule: the size of an axis is asked for by the axis. Wrong: `x.shape[1]`, `x.size()[1]`.
    pub(super) fn size_by_index(&mut self, index: &'a syn::ExprIndex) -> Option<Val<'a>> {
        let (receiver, name) = match bare(&index.expr) {
            Expr::Field(syn::ExprField { base, member: syn::Member::Named(name), .. }) => (&**base, name),
            Expr::MethodCall(call) if call.args.is_empty() => (&*call.receiver, &call.method),
            _ => return None,
        };
        let here = foreign::operation(&name.to_string()).filter(|here| *here == foreign::Here::Axis)?;
        match self.expr(receiver) {
            Val::Tensor(_) => {
                let hint = here.hint(&written(receiver), &[text(&index.index)]);
                let hint = format!("{hint} in place of `{}`", text(index));
                Some(self.report(name.span(), &m::ELSEWHERE, &[name, &hint]))
            }
            Val::Unknown => Some(Val::Unknown),
            _ => None,
        }
    }

    /// A method that is none here by that name.
    pub(super) fn misused(&mut self, call: &'a ExprMethodCall, name: &str, receiver: &Val<'a>) -> Option<Val<'a>> {
        let span = call.method.span();
        let scalars = self.axes.is_some() || self.elementwise;
        let iterates = super::iterators::is_adapter(name);
        let of_list = matches!(receiver, Val::List(_) | Val::Range(..) | Val::Place(_));
        let of_its_own = matches!(name, "len" | "first" | "last");
        let mut args: Vec<String> = call.args.iter().map(text).collect();
        if let Some(instead) = self.of_tensors_alone(name, receiver, (&written(&call.receiver), &args)) {
            return Some(self.report(span, &m::OF_TENSORS_ALONE, &[&name, &instead]));
        }
        let known = is_builtin(name) || matches!(name, "clone" | "dim") || of_list && (iterates || of_its_own);
        let here = foreign::operation(name).filter(|_| !known)?;
        let fits = match here {
            foreign::Here::Named(name) => !scalars || ops::is_elementwise(name),
            foreign::Here::Left(_) => true,
            _ => !scalars || of_list,
        };
        if here == foreign::Here::Named("cast") {
            args.iter_mut().for_each(|arg| *arg = foreign::element_type(arg).map_or(arg.clone(), |ty| ty.to_string()));
        }
        // `x.to(x.device())`, as PyTorch has `x.to(torch.float16)`.
        let elsewhere = args.iter().any(|arg| {
            let place = |name: &&str| arg.starts_with(&format!("\"{name}"));
            arg.contains("device") || arg.contains("Device") || ["cuda", "cpu", "mps", "xpu"].iter().any(place)
        });
        let here = if name == "to" && elsewhere { foreign::Here::Say(foreign::DEVICE) } else { here };
        let hint = self.of_elsewhere(here, &written(&call.receiver), &args);
        fits.then(|| self.report(span, &m::ELSEWHERE, &[&name, &hint]))
    }

    /// Rule: the condition is what `select` is called on. Wrong: `x.select(x > 0.0, 0.0)`.
    pub(super) fn select_exchanged(
        &mut self,
        call: &'a ExprMethodCall,
        receiver: &Val<'a>,
        args: &[Val<'a>],
    ) -> Option<Val<'a>> {
        let of = |value: &Val<'a>| match value {
            Val::Tensor(id) => Some(self.builder.dtype(*id)),
            _ => None,
        };
        let (found, [condition, _]) = (of(receiver).filter(|found| *found != DType::Bool)?, args) else { return None };
        (of(condition)? == DType::Bool).then_some(())?;
        let (first, second) = (written(&call.args[0]), text(&call.args[1]));
        let instead = format!("{first}.select({}, {second})", text(&call.receiver));
        Some(self.report(call.method.span(), &m::SELECT_RECEIVER, &[&found, &instead]))
    }

    /// Rule: a text is an argument of few operations, and of none that there is not. Wrong: `x.rearrange("n t c -> (n t) c")`.
    pub(super) fn unknown_with_text(
        &mut self,
        call: &'a ExprMethodCall,
        name: &str,
        receiver: &Val<'a>,
    ) -> Option<Val<'a>> {
        let known = is_builtin(name) || ops::several(name).is_some() || matches!(name, "clone" | "dim");
        if known || !matches!(receiver, Val::Tensor(_)) || !call.args.iter().any(is_text) {
            return None;
        }
        let near = crate::parse::suggestion(name, ops::names());
        Some(self.report(call.method.span(), &m::UNKNOWN_METHOD, &[&name, &near]))
    }

    /// Rule: a function of numbers is Rust as well, and calls what Rust's numbers have. Wrong: `x.relu()` in it. Gives what to write.
    fn of_tensors_alone(&self, name: &str, receiver: &Val<'a>, (x, args): (&str, &[String])) -> Option<String> {
        // Whole numbers have a `pow` of Rust's.
        let float = match receiver {
            Val::Tensor(id) => self.builder.dtype(*id).is_float(),
            receiver => matches!(receiver, Val::Number(_)),
        };
        (self.in_function() && float).then(|| foreign::of_number(name, x, args))?
    }

    /// What to write for what others call so: of a function of numbers, what Rust's numbers have.
    fn of_elsewhere(&self, here: foreign::Here, x: &str, args: &[String]) -> String {
        let of_number = match here {
            foreign::Here::Named(name) if self.in_function() => foreign::of_number(name, x, args),
            _ => None,
        };
        of_number.unwrap_or_else(|| here.hint(x, args))
    }

    /// Rule: `max` and `min` of a tensor are along axes. Wrong: `x.max(0.0)`, as Rust has it for numbers.
    pub(super) fn of_two(
        &mut self,
        call: &'a ExprMethodCall,
        name: &str,
        receiver: &Val<'a>,
        args: &[Val<'a>],
    ) -> Option<Val<'a>> {
        let (larger, largest) = match name {
            "max" => ("larger", "largest"),
            "min" => ("smaller", "smallest"),
            _ => return None,
        };
        let [value @ (Val::Number(_) | Val::Tensor(_))] = args else { return None };
        if self.axes.is_some() || self.elementwise || self.is_one_whole(receiver) {
            return None;
        }
        let (x, given) = (written(&call.receiver), call.args.iter().map(text).collect::<String>());
        let instead = format!("`{x}.{name}imum({given})` for the {larger} of two values, `{x}.{name}_all()`");
        Some(self.report(call.method.span(), &m::AXES_EXPECTED, &[&name, &value.kind(), &instead, &largest]))
    }

    /// Rule: axes are numbers. Wrong: `x.softmax("N")`, as libraries with named axes write it.
    pub(super) fn named_axis(&mut self, call: &'a ExprMethodCall, name: &str, receiver: &Val<'a>) -> Option<Val<'a>> {
        let Val::Tensor(id) = receiver else { return None };
        let mut axes = self.builder.shape(*id).0.iter();
        let said = |arg: &Expr| match arg {
            Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(word), .. }) => Some((word.value(), word.span())),
            _ => None,
        };
        let (axis, place) = call.args.iter().find_map(said)?;
        let position = axes.position(|size| size.to_string() == axis)?;
        let args = call.args.iter().map(|arg| said(arg).map_or_else(|| text(arg), |_| position.to_string()));
        let instead = format!("{}.{name}({})", written(&call.receiver), args.collect::<Vec<_>>().join(", "));
        Some(self.report(place, &m::NAMED_AXIS, &[&axis, &instead]))
    }

    /// Rule: an element type is one of a list. Wrong: `x.cast(f31)`.
    pub(super) fn unknown_type(&mut self, call: &'a ExprMethodCall, name: &str) -> Option<Val<'a>> {
        let (true, Some(Expr::Path(path))) = (name == "cast" && call.args.len() == 1, call.args.first()) else {
            return None;
        };
        let given = path.path.segments.last()?.ident.to_string();
        let known = DType::from_name(&given.to_lowercase()).is_some() || self.lookup(&given).is_some();
        // A parameter that no compiled function has, which has been spoken of.
        let refused = self.unsure && !given.contains(char::is_lowercase);
        (!known).then(|| match refused {
            true => Val::Unknown,
            false => self.report(
                path.span(),
                &m::UNKNOWN_DTYPE,
                &[&text(&path.path), &crate::parse::types::near_type(&text(&path.path))],
            ),
        })
    }

    /// `self.a(x)`, where `a` is a layer or a model.
    pub(super) fn called_field(&mut self, unit: &'a Unit, call: &'a ExprMethodCall, name: &str) -> Option<Val<'a>> {
        let fields = &unit.model.as_ref()?.fields;
        let field = fields.iter().find(|field| crate::parse::name(&field.name) == name)?;
        let what = match field.kind {
            FieldKind::Layer(_) => "layer",
            FieldKind::Model(_) => "model",
            _ => return None,
        };
        let instead = format!("{}.{name}.forward({})", text(&call.receiver), crate::parse::passed(&call.args));
        Some(self.report(call.method.span(), &m::FIELD_CALLED, &[&name, &what, &instead]))
    }

    /// Rule: a body has no macros, but for one that says of a way that it is not taken. Wrong: `dbg!(x)`.
    pub(super) fn macro_in_body(&mut self, mac: &syn::Macro, span: Span) -> Val<'a> {
        // Where sizes that are still open have chosen the way, numbers say whether it is taken.
        if self.open && !self.closed && never_returns(mac) {
            return self.open();
        }
        let (what, instead) = macro_call(mac);
        self.report(span, &m::UNSUPPORTED, &[&what, &instead])
    }

    /// `Tensor::cat(&[a, b], 1)`, `F::relu(x)`: a path that is no function here.
    pub(super) fn unknown_path(&mut self, call: &'a ExprCall, name: &str, span: Span) -> Val<'a> {
        let path = text(&call.func);
        let own = ["std::", "core::", "alloc::"].iter().any(|own| path.starts_with(own));
        // `Linear::forward(&self.a, x)`: Rust's other form of a method.
        if let Some(first @ (Expr::Field(_) | Expr::Reference(_) | Expr::Path(_))) = call.args.first()
            && path.contains("::")
            && let Val::Place(super::FieldRef::Layer(..) | super::FieldRef::Model(..)) = self.expr(first)
        {
            let rest = crate::parse::passed(call.args.iter().skip(1));
            let hint = format!("functions are called as methods: write `{}.{name}({rest})`", written(first));
            return self.report(span, &m::ELSEWHERE_CALLED, &[&path, &hint]);
        }
        let list = call.args.first().filter(|_| matches!(name, "cat" | "concat" | "concatenate" | "stack"));
        if let Some(list) = list
            && let Expr::Path(variable) = bare(list)
            && let Some(own) = variable.path.get_ident()
            && let Some((Val::List(_) | Val::Stack(_), _)) = self.lookup(&crate::parse::name(own))
        {
            let axis = call.args.iter().nth(1).map_or("0".to_string(), text);
            let joins = if name == "stack" { "stack" } else { "concat" };
            let instead = format!("one tensor of a list: write `{own}.{joins}({axis})`");
            return self.report(span, &m::ELSEWHERE_CALLED, &[&path, &instead]);
        }
        if let Expr::Path(function) = &*call.func
            && let Some(all) = self.frame().unit.of_types.get(&text(&crate::parse::without_last(&function.path)))
        {
            let near = suggestion(name, all.iter().map(String::as_str));
            let all = crate::parse::list(all.iter().map(String::as_str));
            let place = function.path.segments.last().map_or(span, Spanned::span);
            return self.report(place, &m::TYPE_HAS_NO_FUNCTION, &[&path, &near, &all]);
        }
        match self.instead(call, name).or_else(|| self.instead_of_path(call, name)).filter(|_| !own) {
            Some(instead) => self.report(span, &m::ELSEWHERE_CALLED, &[&path, &instead]),
            None => self.report(span, &m::UNKNOWN_FUNCTION, &[&path, &""]),
        }
    }

    /// Rule: a body computes. Wrong: `print(x);`.
    pub(super) fn for_effect(&self, statement: &Stmt) -> Option<Val<'a>> {
        let name = called_for_effect(statement).filter(|name| self.lookup(&crate::parse::name(name)).is_none())?;
        let (what, instead) = effect(name);
        Some(self.report(statement.span(), &m::UNSUPPORTED, &[&what, &instead]))
    }

    /// What to write for the call of a function of that name.
    fn instead(&self, call: &ExprCall, name: &str) -> Option<String> {
        let mut args = call.args.iter();
        let first = args.next();
        let rest: Vec<String> = args.map(|arg| foreign::axis(&text(arg))).collect();
        // `cat(&[a, b], 1)`.
        let joins = match name {
            "cat" | "concat" | "concatenate" => Some("concat"),
            "stack" => Some("stack"),
            _ => None,
        };
        if let (Some(joins), Some(list)) = (joins, first.and_then(elements)) {
            let axis = rest.first().map_or("0", String::as_str);
            let (x, others) = list.split_first()?;
            return Some(format!("write `{x}.{joins}([{}], {axis})`", others.join(", ")));
        }
        let x = first.map_or_else(|| "x".to_string(), written);
        // `float("-inf")`.
        if let Some(Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(word), .. })) = first
            && let Some(number) = foreign::number(&word.value())
        {
            return Some(format!("write `{number}`"));
        }
        // The condition comes first.
        if matches!(name, "where_" | "where_self" | "where_cond" | "select") && rest.len() == 2 {
            return Some(format!("write `{x}.select({})`", rest.join(", ")));
        }
        match ops::find(name) {
            Some(_) => {
                let of_number = self.in_function().then(|| foreign::of_number(name, &x, &rest));
                // An equation stands behind what it is of.
                let is_text = matches!(first, Some(Expr::Lit(lit)) if matches!(lit.lit, syn::Lit::Str(_)));
                // All tensors of an equation may stand in one list.
                let rest = call.args.get(1).filter(|_| is_text).and_then(elements).unwrap_or_else(|| rest.clone());
                let method = || match rest.split_first() {
                    Some((tensor, others)) if name == "einsum" => {
                        let equation = first.map_or_else(String::new, text);
                        format!("operations are methods: write `{tensor}.einsum({equation}, [{}])`", others.join(", "))
                    }
                    Some((tensor, others)) if is_text => {
                        let others: String = others.iter().map(|other| format!(", {other}")).collect();
                        let equation = first.map_or_else(String::new, text);
                        format!("operations are methods: write `{tensor}.{name}({equation}{others})`")
                    }
                    _ => format!("operations are methods: write `{x}.{name}({})`", rest.join(", ")),
                };
                Some(of_number.flatten().unwrap_or_else(method))
            }
            None => foreign::operation(name).map(|here| self.of_elsewhere(here, &x, &rest)),
        }
    }
}

/// The elements of a list that is written down.
fn elements(expr: &Expr) -> Option<Vec<String>> {
    match expr {
        Expr::Reference(inner) => elements(&inner.expr),
        Expr::Paren(inner) => elements(&inner.expr),
        Expr::Array(list) => Some(list.elems.iter().map(written).collect()),
        Expr::Tuple(list) => Some(list.elems.iter().map(written).collect()),
        _ => None,
    }
    .filter(|list| !list.is_empty())
}

/// Whether it is a text.
pub(super) fn is_text(expr: &Expr) -> bool {
    matches!(bare(expr), Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(_), .. }))
}

/// What is borrowed, or stands in parentheses.
pub(super) fn bare(expr: &Expr) -> &Expr {
    match crate::parse::unparenthesized(expr) {
        Expr::Reference(inner) => bare(&inner.expr),
        other => other,
    }
}

/// The expression as a receiver of methods.
pub(crate) fn written(expr: &Expr) -> String {
    match expr {
        Expr::Reference(inner) => written(&inner.expr),
        // `no_grad(|| x)`
        Expr::Closure(closure) if closure.inputs.is_empty() => written(&closure.body),
        Expr::Path(_)
        | Expr::Field(_)
        | Expr::MethodCall(_)
        | Expr::Call(_)
        | Expr::Index(_)
        | Expr::Paren(_)
        | Expr::Array(_) => text(expr),
        other => format!("({})", text(other)),
    }
}

/// What to say of an item in a body: what it is, and what to write instead.
pub(super) fn item(item: &syn::Item) -> (&'static str, String) {
    match item {
        syn::Item::Const(item) => {
            ("a `const` inside a function", format!("move it above the `impl`: {}", constant(item)))
        }
        syn::Item::Use(_) => {
            ("a `use` inside a function", "write the whole path where it is used: `std::f32::consts::PI`".to_string())
        }
        syn::Item::Fn(_) => {
            ("a function inside a function", "move it above the `impl`, with `#[netcl::function]`".to_string())
        }
        _ => ("an item inside a function", "move it out of the function".to_string()),
    }
}

/// What to write for a `const` where none can stand, under a name that is no size's.
pub(crate) fn constant(item: &syn::ItemConst) -> String {
    let mut item = item.clone();
    item.attrs.clear();
    let name = crate::parse::name(&item.ident);
    if name.chars().nth(1).is_some() {
        return format!("write `#[netcl::constant] {}` there", text(&item));
    }
    let more = if text(&item.ty) == "usize" { "SIZE" } else { "VALUE" };
    item.ident = quote::format_ident!("{}_{}", name.to_uppercase(), more);
    format!("write `#[netcl::constant] {}` there, for a name of one letter is a size", text(&item))
}

/// What to say of a macro's call in a body: what it is, and what to write instead.
pub(crate) fn macro_call(mac: &syn::Macro) -> (String, String) {
    let name = mac.path.segments.last().map(|last| last.ident.to_string()).unwrap_or_default();
    let instead = match name.as_str() {
        "vec" if mac.tokens.is_empty() => "a list that grows begins as `Vec::new()`".to_string(),
        "vec" => format!("a list is written in brackets: write `[{}]`", text(&mac.tokens)),
        name => instead_of_effect(name).unwrap_or("write out what it stands for").to_string(),
    };
    (format!("`{name}!`"), instead)
}

/// What to write for a macro that is called for what it does.
fn instead_of_effect(name: &str) -> Option<&'static str> {
    Some(match name {
        "todo" | "unimplemented" => {
            "until then give a value of the declared shape, such as `Tensor::zeros([N, 8], f32)`"
        }
        "unreachable" | "panic" => {
            "this way is compiled as all others are: give a value here too, and refuse what is not meant in ordinary Rust, around the call"
        }
        "assert" | "assert_eq" | "assert_ne" | "debug_assert" | "debug_assert_eq" => {
            "leave it out: sizes are checked by the types of the arguments, and numbers in ordinary Rust, around the call"
        }
        "println" | "eprintln" | "print" | "eprint" | "dbg" | "info" | "debug" => {
            "leave it out: look at what the function returns in ordinary Rust, around the call"
        }
        "kernel" => "a kernel stands beside the model: move it out of the `impl` block, and call it by its name",
        _ => return None,
    })
}

/// The name that a statement calls as Python does, `print(x);`, if one of Rust's macros has it: whatever function is meant, nothing is
/// done with its value.
pub(crate) fn called_for_effect(statement: &Stmt) -> Option<&Ident> {
    let Stmt::Expr(Expr::Call(call), Some(_)) = statement else { return None };
    let Expr::Path(path) = &*call.func else { return None };
    path.path.get_ident().filter(|name| paths::is_macro_of_rust(name) && !is_builtin(&crate::parse::name(name)))
}

/// What to say of such a statement: what it is, and what to write instead.
pub(crate) fn effect(name: &Ident) -> (String, String) {
    let name = crate::parse::name(name);
    let instead =
        instead_of_effect(&name).map_or_else(|| format!("name what it gives: `let h = {name}(..);`"), String::from);
    (format!("a call of `{name}` whose value is not used"), instead)
}

/// Whether it is a macro that gives no value, wherever it is come to.
pub(super) fn never_returns(mac: &syn::Macro) -> bool {
    ["todo", "unimplemented", "unreachable", "panic"].iter().any(|name| mac.path.is_ident(name))
}

/// What to write for a `return`, which the closure of a kernel has not.
pub(super) fn early(given: &syn::ExprReturn) -> String {
    let value = given.expr.as_deref().map_or_else(|| "()".to_string(), text);
    format!(
        "a kernel's closure ends with its value: write `{value}`; what follows an `if` that would return goes into its `else`"
    )
}

/// Whether no function of scalars is meant: those take neither ranges nor closures, and change nothing.
pub(crate) fn is_no_function_of_scalars(call: &ExprCall) -> bool {
    call.args.iter().any(|arg| match arg {
        Expr::Reference(place) => place.mutability.is_some(),
        arg => matches!(arg, Expr::Closure(_) | Expr::Range(_) | Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(_), .. })),
    })
}

/// Whether a maker of tensors is meant, `zeros([N, 8])` or `randn_like(x)`, or another function that takes lists: functions
/// of scalars have neither such names, where they are given sizes, nor lists.
pub(crate) fn is_of_tensors(call: &ExprCall, name: &str) -> bool {
    let makes = || foreign::makes_tensors(name) && (name.ends_with("_like") || call.args.iter().all(is_size));
    let joins = || matches!(name, "cat" | "concat" | "concatenate" | "stack") || foreign::operation(name).is_some();
    call.args.iter().any(|arg| elements(arg).is_some()) && joins() || makes()
}

/// A number or a name in capital letters.
fn is_size(arg: &Expr) -> bool {
    match arg {
        Expr::Lit(_) => true,
        Expr::Path(path) => path.path.get_ident().is_some_and(|name| !name.to_string().contains(char::is_lowercase)),
        _ => false,
    }
}

/// What to write instead of another number of indices.
pub(crate) fn index_for_each(name: &str, rank: usize) -> String {
    match rank {
        0 => format!("it is a single number: write `{name}`"),
        _ => "write one index for each axis".to_string(),
    }
}
