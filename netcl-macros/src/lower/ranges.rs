//! Ranges, lists and parts of lists that are none here: what to write instead.

use super::{FieldRef, Lowering, Val};
use crate::messages as m;
use crate::parse::{self, text};
use netcl_kernels::dim::Dim;
use netcl_kernels::graph::{InputKind, Op};
use syn::spanned::Spanned;
use syn::{Expr, ExprIndex, ExprMethodCall};

/// What a hint says first of a number that a call brings and that is of another type than what ways through a function are
/// chosen by.
pub(super) fn only(name: &str, ty: &str) -> String {
    if ty == "usize" { String::new() } else { format!("with `{name}: usize` in its place ") }
}

impl<'a> Lowering<'a> {
    /// A range that there is in this function, as an example.
    pub(super) fn some_range(&self) -> String {
        let sizes = || self.frame().symbols.keys().map(String::as_str);
        let size = sizes().find(|name| *name != "N").or_else(|| sizes().next()).unwrap_or("4");
        format!("0..{size}")
    }

    /// The number that a call brings, `k: u32` or `k: usize`, and its type.
    pub(super) fn brought(&self, value: &Val<'a>) -> Option<(String, String)> {
        match value {
            Val::Plain(tokens, ty) => Some((text(tokens), ty.name().to_string())),
            Val::Tensor(id) => {
                let node = self.builder.node(*id);
                let whole = matches!(node.op, Op::Input(InputKind::Scalar(_))) && node.dtype.is_integer();
                whole.then(|| (node.name.clone(), node.dtype.to_string()))
            }
            _ => None,
        }
    }

    /// What to write for `self.layers[1..3]`.
    pub(super) fn slice(&mut self, index: &ExprIndex, (start, end): (&Dim, &Dim)) -> Val<'a> {
        let list = text(&index.expr);
        let skipped = if start.is(0) { String::new() } else { format!(".skip({start})") };
        let taken = end.clone() - start.clone();
        let instead = format!("go over a part of it: write `{list}.iter(){skipped}.take({taken})`");
        self.report(index.span(), &m::UNSUPPORTED, &[&"a part of a list", &instead])
    }

    /// The same for `self.layers[1..]`.
    pub(super) fn rest_of_list(&self, index: &ExprIndex, of: &Val<'a>) -> Option<Val<'a>> {
        let Expr::Range(range) = parse::unparenthesized(&index.index) else { return None };
        let start = range.start.as_ref().filter(|_| range.end.is_none())?;
        matches!(of, Val::List(_) | Val::Place(FieldRef::Many(..))).then_some(())?;
        let instead = format!("go over a part of it: write `{}.iter().skip({})`", text(&index.expr), text(start));
        Some(self.report(index.span(), &m::UNSUPPORTED, &[&"a part of a list", &instead]))
    }

    /// Rule: a list has few methods. Wrong: `ys.insert(0, y)`. Of what is in it afterwards nothing is known.
    pub(super) fn list_method(&mut self, call: &ExprMethodCall, receiver: &Val<'a>) -> Option<Val<'a>> {
        if self.axes.is_some() || self.elementwise || !matches!(receiver, Val::List(_) | Val::Stack(_)) {
            return None;
        }
        let name = parse::name(&call.method);
        if matches!(receiver, Val::Stack(_)) {
            return self.stack_method(call, &name);
        }
        let own = [
            "push", "len", "first", "last", "clone", "stack", "concat", "map", "fold", "collect", "sum", "product",
            "max", "min",
        ]
        .contains(&name.as_str());
        let joins = matches!(name.as_str(), "cat" | "append");
        let elsewhere = super::is_builtin(&name) || crate::foreign::operation(&name).is_some();
        if own || super::iterators::is_adapter(&name) || elsewhere && !joins {
            return None;
        }
        let list = text(&call.receiver);
        let instead = match (name.as_str(), call.args.last().map(text)) {
            ("insert" | "push_front" | "push_back" | "append" | "extend", given) => {
                let listed = match call.args.last().map(parse::unparenthesized) {
                    Some(Expr::Array(several)) if name != "insert" => several.elems.iter().map(text).collect(),
                    _ => vec![given.unwrap_or_else(|| "x".to_string())],
                };
                let pushed: Vec<String> = listed.iter().map(|value| format!("{list}.push({value});")).collect();
                format!("what comes is put behind the others: `{}`", pushed.join(" "))
            }
            ("cat", axis) => {
                let axis = axis.filter(|axis| axis.parse::<u64>().is_ok()).unwrap_or_else(|| "0".to_string());
                format!("one tensor of it is `{list}.concat({axis})`, with a new axis `{list}.stack({axis})`")
            }
            _ => {
                "it has `push(x)`, `len()`, `first()`, `last()`, `stack(axis)`, `concat(axis)`, `map(|x| ..)`, `fold(start, |h, x| ..)`, `sum()`, `product()`, and a loop goes \
                 over it, also with `rev()`, `enumerate()`, `zip(..)`, `skip(1)` and `take(2)`"
                    .to_string()
            }
        };
        if let Expr::Path(path) = parse::unparenthesized(&call.receiver)
            && let Some(own) = path.path.get_ident()
            && let Some((scope, position)) = self.place_of(&parse::name(own))
        {
            self.frame_mut().scopes[scope][position].value = Val::Unknown;
        }
        Some(self.report(call.method.span(), &m::LIST_METHOD, &[&name, &instead]))
    }

    /// Rule: what a loop over a symbol has pushed is joined. Wrong: `all.iter().rev()`, `all.last()`, where a loop `for t in 0..T` has filled
    /// `all`.
    fn stack_method(&mut self, call: &ExprMethodCall, name: &str) -> Option<Val<'a>> {
        if matches!(name, "push" | "reverse" | "clone" | "stack" | "concat") {
            return None;
        }
        let list = text(&call.receiver);
        let instead = format!(
            "a list of a tensor for each round has `push(x)`, `reverse()`, `stack(axis)` and `concat(axis)`; its tensors are those of \
             `let all = {list}.stack(0);`, of which `all.get(0, t)` is one, also in a loop over `0..all.dim(0)`"
        );
        Some(self.report(call.method.span(), &m::LIST_METHOD, &[&name, &instead]))
    }

    /// Rule: `fold` takes what it starts from first. Wrong: `self.layers.iter().fold(|h, layer| ..)`.
    pub(super) fn fold_of_list(&mut self, call: &ExprMethodCall) -> Val<'a> {
        let arguments = self.frame().scopes.iter().flatten().filter(|variable| variable.argument);
        let tensor = arguments.into_iter().find(|variable| matches!(variable.value, Val::Tensor(_)));
        let start = tensor.map_or("x", |variable| &variable.name);
        let closure = call.args.iter().find_map(|arg| match arg {
            Expr::Closure(closure) => {
                let inputs = closure.inputs.iter().map(text).collect::<Vec<_>>().join(", ");
                Some(format!("|{inputs}| {}", parse::index::text_of(&closure.body)))
            }
            _ => None,
        });
        let closure = closure.unwrap_or_else(|| "|h, x| ..".to_string());
        let instead = format!("write `{}.fold({start}, {closure})`", super::misuse::written(&call.receiver));
        let (given, takes) = (call.args.len(), "what it starts from, and a closure of that and an element");
        self.report(call.method.span(), &m::ARGUMENT_COUNT, &[&"fold", &2, &"s", &takes, &given, &instead])
    }
}
