//! Lets, indices and calls that mean something else than they do in other frameworks.

use super::misuse::written;
use super::{FieldRef, Lowering, Val};
use crate::ast::{FunctionItem, Unit};
use crate::messages as m;
use crate::parse::{self, text};
use netcl_kernels::dtype::DType;
use netcl_kernels::graph::NodeId;
use netcl_kernels::ops;
use proc_macro2::Span;
use quote::ToTokens;
use std::collections::BTreeSet;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{BinOp, Expr, ExprBinary, ExprCall, ExprIndex, ExprMethodCall, Lit, Pat, RangeLimits};

/// What to write where an operation's value is not used.
pub(super) const KEPT: &str = "let y = ..";

impl<'a> Lowering<'a> {
    /// What to write for an expression whose value is not used: a variable that is mutable is meant to change.
    pub(super) fn kept_as(&self, expr: &Expr) -> String {
        let changed = match parse::unparenthesized(expr) {
            Expr::MethodCall(call) => match parse::unparenthesized(&call.receiver) {
                Expr::Path(path) => path.path.get_ident(),
                _ => None,
            },
            _ => None,
        };
        let mutable = changed.map(parse::name).filter(|name| {
            let mut variables = self.frame().scopes.iter().flatten().rev();
            variables.find(|variable| variable.name == *name).is_some_and(|variable| variable.mutable)
        });
        mutable.map_or_else(|| KEPT.to_string(), |name| format!("{name} = {};", text(expr)))
    }

    /// Rule: an operation gives one tensor, and setting a state none. Wrong: `let (v, _) = x.max([1]);`, as PyTorch gives the
    /// positions too; `let y = self.s.set(x);`.
    pub(super) fn one_value(&mut self, pattern: &Pat, given: &Expr, value: Val<'a>) -> Val<'a> {
        let Expr::MethodCall(call) = parse::unparenthesized(given) else { return value };
        let (name, x) = (parse::name(&call.method), written(&call.receiver));
        match (&value, pattern) {
            (Val::Unit, Pat::Ident(_)) if name == crate::words::SET => {
                self.report(pattern.span(), &m::SET_GIVES_NOTHING, &[&x, &text(given), &x])
            }
            (Val::Tensor(_), Pat::Tuple(parts)) => {
                let positions = ops::find(&format!("arg{name}")).or_else(|| ops::find(&format!("{name}_indices")));
                let Some(positions) = positions else { return value };
                let given = text(&call.args);
                let given = given.trim_start_matches('[').trim_end_matches(']');
                let first = parts.elems.first().map(text).unwrap_or_default();
                let instead = format!("write `{first}`; the positions are `{x}.{}({given})`", positions.name);
                self.report(pattern.span(), &m::NOT_A_TUPLE, &[&value.kind(), &instead])
            }
            _ => value,
        }
    }

    /// What to write for `x[t]` of a tensor, which reads elements in kernels alone.
    pub(super) fn part_of(&mut self, index: &'a ExprIndex, tensor: netcl_kernels::graph::NodeId) -> Val<'a> {
        let rank = self.builder.shape(tensor).rank();
        let parts: Vec<&'a Expr> = match parse::unparenthesized(&index.index) {
            Expr::Tuple(tuple) => tuple.elems.iter().collect(),
            one => vec![one],
        };
        // What is taken out of an axis moves those behind it.
        let (mut x, mut axis) = (written(&index.expr), 0);
        for part in parts {
            x = match parse::unparenthesized(part) {
                Expr::Range(range) if range.start.is_none() && range.end.is_none() => {
                    axis += 1;
                    x
                }
                Expr::Range(range) => {
                    let start = range.start.as_deref().map_or_else(|| "0".to_string(), text);
                    let end = range.end.as_deref().map_or_else(|| format!("{x}.dim({axis})"), text);
                    let end = if matches!(range.limits, RangeLimits::Closed(_)) { format!("{end} + 1") } else { end };
                    let numbers = start.parse::<u64>().ok().zip(end.parse::<u64>().ok());
                    let length = match numbers {
                        Some((start, end)) => end.saturating_sub(start).to_string(),
                        None if start == "0" => end,
                        None => format!("{end} - {start}"),
                    };
                    axis += 1;
                    format!("{x}.narrow({}, {start}, {length})", axis - 1)
                }
                Expr::Unary(back) if matches!(&*back.expr, Expr::Lit(_)) => {
                    format!("{x}.get({axis}, {x}.dim({axis}) - {})", text(&back.expr))
                }
                other => match self.expr(other) {
                    Val::Unknown => return Val::Unknown,
                    Val::Tensor(id) if self.builder.dtype(id) == DType::Bool => {
                        format!("{}.select({x}, 0.0)", written(other))
                    }
                    Val::Tensor(id) if self.builder.shape(id).rank() > 0 => {
                        axis += 1;
                        format!("{x}.index_select({}, {})", axis - 1, text(other))
                    }
                    Val::Option(None) => {
                        axis += 1;
                        format!("{x}.unsqueeze({})", axis - 1)
                    }
                    _ => format!("{x}.get({axis}, {})", text(other)),
                },
            };
        }
        let instead = match axis > rank {
            true => format!("it has {rank} axes: `{}.get(0, 0)` is a part of it", written(&index.expr)),
            false => format!("write `{x}`; `x[i]` reads one element in `kernel!`"),
        };
        self.report(index.span(), &m::UNSUPPORTED, &[&"indexing a tensor", &instead])
    }

    /// What to write for `x ^ 2` of floats, which is no power.
    pub(super) fn advise_power(&self, binary: &ExprBinary, left: &Val<'a>) -> Option<String> {
        let (BinOp::BitXor(_), Val::Tensor(id)) = (&binary.op, left) else { return None };
        self.builder.dtype(*id).is_float().then_some(())?;
        let (x, power) = (written(&binary.left), text(&binary.right));
        let elements = self.axes.is_some() || self.elementwise;
        let whole = matches!(&*binary.right, Expr::Lit(literal) if matches!(literal.lit, Lit::Int(_)));
        let call = match (elements, whole) {
            (true, true) => format!("powi({power})"),
            (true, false) => format!("powf({power})"),
            (false, true) if power == "2" => "square()".to_string(),
            (false, true) => format!("pow({power}.0)"),
            (false, false) => format!("pow({power})"),
        };
        Some(format!("`^` is of bits; powers are methods: write `{x}.{call}`"))
    }

    /// `(0..C).map(|c| x[n, c]).sum()` in a kernel, whose reductions are functions; `None` of others.
    pub(super) fn reduced_range(&mut self, call: &'a ExprMethodCall) -> Option<Val<'a>> {
        self.axes.as_ref()?;
        let Expr::MethodCall(map) = parse::unparenthesized(&call.receiver) else { return None };
        let (Expr::Range(range), [Expr::Closure(each)]) =
            (parse::unparenthesized(&map.receiver), map.args.iter().collect::<Vec<_>>().as_slice())
        else {
            return None;
        };
        let name = parse::name(&call.method);
        if map.method != "map" || !call.args.is_empty() || !crate::words::REDUCTIONS.contains(&name.as_str()) {
            return None;
        }
        let names = each.inputs.iter().map(text).collect::<Vec<_>>().join(", ");
        let instead = format!("{name}({}, |{names}| {})", text(range), parse::index::text_of(&each.body));
        Some(self.report(call.span(), &m::KERNEL_MAPPED, &[&name, &instead]))
    }

    /// Rule: a method is called on the model. Wrong: `Self::hidden(x)`.
    pub(super) fn without_self(&self, function: &FunctionItem, call: &ExprCall, span: Span) -> Val<'a> {
        let name = parse::name(&function.name);
        let args = parse::passed(&call.args);
        let instead = match self.frame().this {
            Some(_) => format!("write `self.{name}({args})`"),
            None => format!("it is called on a model: `self.{name}({args})`, where `&self` stands first"),
        };
        self.report(span, &m::METHOD_WITHOUT_MODEL, &[&name, &instead])
    }

    /// Rule: a variable is no function, also where it hides one of that name. Wrong: `x(0)`.
    pub(super) fn called_variable(&self, (name, value): (&str, &Val<'a>), call: &ExprCall, span: Span) -> Val<'a> {
        if value.is_unknown() {
            return Val::Unknown;
        }
        let instead = match value {
            Val::Tensor(id) if self.axes.is_some() && self.whole_tensor(name).is_some() => {
                let (rank, args) = (self.builder.shape(*id).rank(), call.args.iter().map(text).collect::<Vec<_>>());
                let given = if args.len() == rank { args.join(", ") } else { super::index::names(rank) };
                format!("an element is read by indices in brackets: `{name}[{given}]`")
            }
            _ if self.axes.is_some() => format!("a product has its sign: `{name} * (..)`"),
            Val::Place(FieldRef::Layer(..) | FieldRef::Model(..)) => format!("call its function: `{name}.forward(..)`"),
            _ => format!("operations are methods: `{name}.relu()`"),
        };
        self.report(span, &m::NOT_A_FUNCTION, &[&name, &value.kind(), &instead])
    }

    /// A read of some argument of the kernel's, which may be outside.
    pub(super) fn some_padded(&self) -> String {
        let arguments = self.frame().scopes.iter().flatten().filter(|variable| variable.argument);
        let mut tensors = arguments.filter_map(|variable| match variable.value {
            Val::Tensor(id) if self.builder.shape(id).rank() > 0 => {
                Some((&variable.name, self.builder.shape(id).rank()))
            }
            _ => None,
        });
        match tensors.next() {
            Some((name, rank)) => format!("pad({name}[{} - 1])", super::index::names(rank)),
            None => "pad(x[n - 1])".to_string(),
        }
    }

    /// Rule: an index is one of the closures'. Wrong: `|n| x[n, c]`, where the sum over `c` is meant.
    pub(super) fn no_index(&self, read: &ExprIndex, expr: &Expr, (source, axis): (NodeId, usize)) -> Option<Val<'a>> {
        let Expr::Path(path) = parse::unparenthesized(expr) else { return None };
        let name = parse::name(path.path.get_ident()?);
        let frame = self.frame();
        let variables = frame.scopes.iter().flatten().map(|variable| variable.name.as_str());
        let size = frame.symbols.contains_key(&name) || frame.unit.constants.get(&name).is_some();
        let known = size || self.lookup(&name).is_some();
        if known || name.contains(char::is_uppercase) || frame.unit.broken.contains(&name) || name == "self" {
            return None;
        }
        if !parse::suggestion(&name, variables).is_empty() {
            return None;
        }
        let (size, whole) = (&self.builder.shape(source)[axis], parse::index::text(read));
        let instead = format!(
            "go over the axis: write `sum(0..{size}, |{name}| {whole})`; or give the result this axis, and its closure the index"
        );
        Some(self.report(expr.span(), &m::KERNEL_NO_INDEX, &[&name, &instead]))
    }

    /// A field that is called as a function, of which it is only known that it is one of the model's.
    pub(super) fn called_slot(&mut self, unit: &Unit, call: &'a ExprMethodCall, name: &str) -> Option<Val<'a>> {
        let fields = &unit.model.as_ref()?.fields;
        let field = fields.iter().find(|field| parse::name(&field.name) == name)?;
        matches!(field.kind, crate::ast::FieldKind::Slot(_)).then_some(())?;
        let args = parse::passed(&call.args);
        let instead = format!("{}.{name}.forward({args})", text(&call.receiver));
        Some(self.report(call.method.span(), &m::FIELD_CALLED, &[&name, &"layer or a model", &instead]))
    }
}

/// The variable that a `while` waits for where nothing in its body changes what it compares.
pub(super) fn unchanged(condition: &Expr, body: &syn::Block) -> Option<String> {
    #[derive(Default)]
    struct Changes {
        changed: BTreeSet<String>,
        leaves: bool,
    }
    impl<'ast> Visit<'ast> for Changes {
        fn visit_expr_assign(&mut self, assign: &'ast syn::ExprAssign) {
            self.changed.extend(parse::names_in(assign.left.to_token_stream()));
            visit::visit_expr_assign(self, assign);
        }
        fn visit_expr_binary(&mut self, binary: &'ast ExprBinary) {
            if super::is_assignment(&binary.op) {
                self.changed.extend(parse::names_in(binary.left.to_token_stream()));
            }
            visit::visit_expr_binary(self, binary);
        }
        fn visit_expr_break(&mut self, _: &'ast syn::ExprBreak) {
            self.leaves = true;
        }
        fn visit_expr_return(&mut self, _: &'ast syn::ExprReturn) {
            self.leaves = true;
        }
    }
    let mut changes = Changes::default();
    changes.visit_block(body);
    let compared = parse::names_in(condition.to_token_stream());
    let variables: Vec<String> =
        compared.into_iter().filter(|name| name.starts_with(|c: char| c.is_lowercase() && c.is_alphabetic())).collect();
    let some = variables.iter().any(|name| changes.changed.contains(name));
    (!changes.leaves && !some).then(|| variables.into_iter().next())?
}
