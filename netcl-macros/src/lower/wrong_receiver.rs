//! What is called on a value that has no such function: `forward` of what is no layer, `set` of what is no state, a function of a
//! type of Rust's.

use super::misuse::written;
use super::{FieldRef, Lowering, Val, iterators};
use crate::ast::{FieldKind, PlainType};
use crate::messages as m;
use crate::parse::{self, suggestion, text};
use crate::words;
use netcl_kernels::dim::Dim;
use netcl_kernels::layers;
use netcl_kernels::ops;
use proc_macro2::Span;
use syn::visit::Visit;
use syn::{Expr, ExprCall, ExprMethodCall};

/// What makes tensors in a body.
const MAKERS: [&str; 7] = ["zeros", "ones", "full", "arange", "stack", "concat", "from"];

impl<'a> Lowering<'a> {
    /// A method of layers and models, or of states, on another value.
    pub(super) fn of_another(&mut self, call: &'a ExprMethodCall, name: &str, receiver: &Val<'a>) -> Option<Val<'a>> {
        let told = matches!(receiver, Val::Place(_) | Val::Variant(..) | Val::Plain(_, PlainType::Enum));
        if receiver.is_unknown() || told {
            return None;
        }
        match name {
            words::FORWARD => Some(self.no_layer(call, receiver)),
            words::SET if self.axes.is_none() => Some(self.no_state(call, receiver)),
            _ => None,
        }
    }

    /// Rule: what is generated of a kernel is for ordinary Rust; a body calls it by its name. Wrong: `sq.vjp(x)`, `sq.launch(..)`.
    pub(super) fn of_kernel_outside(&self, call: &ExprMethodCall, name: &str) -> Option<Val<'a>> {
        let Expr::Path(path) = super::misuse::bare(&call.receiver) else { return None };
        let kernel = parse::name(path.path.get_ident()?);
        let unit = self.frame().unit;
        let known = unit.callables.contains_key(&kernel)
            || unit.kernels.contains_key(&kernel)
            || unit.helpers.contains_key(&kernel);
        let outside = matches!(name, "vjp" | "check" | "launch" | "kernels" | "tune" | "with_gradients");
        let small = !kernel.contains(char::is_uppercase) && kernel != "self";
        // What is nearly a variable's name is meant to be that.
        let variables = self.frame().scopes.iter().flatten().map(|variable| variable.name.as_str());
        let meant = !known && !suggestion(&kernel, variables).is_empty();
        if !(known || outside && small) || meant || self.lookup(&kernel).is_some() {
            return None;
        }
        let x = call.args.last().map_or_else(|| "x".to_string(), text);
        let instead = match name {
            "vjp" => format!("write `{kernel}({x})`, and `grad(..)` for derivatives of what follows from it"),
            _ => format!("write `{kernel}({x})`"),
        };
        Some(self.report(call.method.span(), &m::KERNEL_METHOD_OUTSIDE, &[&name, &kernel, &instead]))
    }

    /// Rule: layers and models have a `forward`. Wrong: `a.forward(x)` of a number `a`.
    fn no_layer(&self, call: &ExprMethodCall, receiver: &Val<'a>) -> Val<'a> {
        let x = written(&call.receiver);
        let args = parse::passed(&call.args);
        let layer = |value: &Val<'a>| matches!(value, Val::Place(FieldRef::Layer(..) | FieldRef::Model(..)));
        let name = match super::misuse::bare(&call.receiver) {
            Expr::Path(path) => path.path.get_ident().map(parse::name),
            _ => None,
        };
        let instead = match (receiver, &name) {
            (Val::Closure(_), Some(name)) => format!("a closure is called by its name: write `{name}({args})`"),
            (Val::List(items) | Val::Tuple(items), _) if items.iter().all(layer) => {
                let first = call.args.first().map_or_else(|| "x".to_string(), text);
                one_after_the_other(&x, &first)
            }
            (_, Some(name)) if self.is_layer_field(name) => {
                format!("the field is `self.{name}`: write `self.{name}.forward({args})`")
            }
            (Val::Tensor(_), _) => {
                let first = call.args.first().map_or_else(|| "x".to_string(), written);
                format!("what is computed with a tensor is written out, such as `{first} * {x}`, `{first}.matmul({x})`")
            }
            _ => match self.layer_in_scope().filter(|_| name.is_some()) {
                Some(other) => format!("`{other}` has one: write `{other}.forward({args})`"),
                None => "a layer is a field of the model, `#[layer(inputs = 8, outputs = 4)] hidden: Linear`, and is called \
                         by its path: `self.hidden.forward(x)`"
                    .to_string(),
            },
        };
        self.report(call.method.span(), &m::NO_LAYER, &[&x, &receiver.kind(), &instead])
    }

    /// What is said of an operation that there is not.
    pub(super) fn no_operation(&self, name: &str, receiver: &Val<'a>, span: Span) -> Val<'a> {
        match receiver {
            Val::Dim(size) if iterators::is_adapter(name) => {
                let instead = format!("a range stands in parentheses: write `(0..{size}).{name}()`");
                self.report(span, &m::UNSUPPORTED, &[&format!("`{name}` of a size"), &instead])
            }
            Val::Tensor(id) if iterators::is_adapter(name) => {
                let size = self.builder.shape(*id).0.first().map_or("N".to_string(), Dim::to_string);
                let instead = format!(
                    "operations and layers take all of it at once; where rounds follow each other, `for t in 0..{size} {{ .. }}` with `x.get(0, t)` in it"
                );
                self.report(span, &m::UNSUPPORTED, &[&format!("`{name}` of a tensor"), &instead])
            }
            _ => self.report(span, &m::UNKNOWN_METHOD, &[&name, &suggestion(name, ops::names())]),
        }
    }

    /// Rule: a type is called by its path. Wrong: `A.forward(x)`, `Softsign.forward(x)`, `Self.line`.
    pub(super) fn type_as_value(&self, name: &str, span: Span) -> Option<Val<'a>> {
        let is_parameter = self.frame().unit.types.contains_key(name);
        let instead = match name {
            "Self" => "the model is `self`, its fields `self.layer`".to_string(),
            _ if is_parameter => {
                format!("call the field that is of it, `self.part.forward(x)`, or `{name}::forward(x)`")
            }
            _ if is_camel(name) => format!("a function of a type is called by its path, `{name}::forward(x)`"),
            _ => return None,
        };
        Some(self.report(span, &m::TYPE_AS_VALUE, &[&name, &instead]))
    }

    /// Whether the model has a field of that name that has a `forward`.
    fn is_layer_field(&self, name: &str) -> bool {
        let Some(FieldRef::Model(unit, ..)) = &self.frame().this else { return false };
        let fields = unit.model.iter().flat_map(|model| &model.fields);
        fields.into_iter().any(|field| {
            let has = matches!(field.kind, FieldKind::Layer(_) | FieldKind::Model(_) | FieldKind::Slot(_));
            has && parse::name(&field.name) == name
        })
    }

    /// The innermost variable that is a layer or a model.
    fn layer_in_scope(&self) -> Option<String> {
        let variables = self.frame().scopes.iter().rev().flat_map(|scope| scope.iter().rev());
        let layer = |value: &Val<'a>| matches!(value, Val::Place(FieldRef::Layer(..) | FieldRef::Model(..)));
        variables.into_iter().find(|variable| layer(&variable.value)).map(|variable| variable.name.clone())
    }

    /// Rule: a state of the model is set, to one value. Wrong: `x.set(0.0)` of an argument, `self.mean.set(x, 0.9)`.
    fn no_state(&mut self, call: &'a ExprMethodCall, receiver: &Val<'a>) -> Val<'a> {
        let (own, span) = (written(&call.receiver), call.method.span());
        let args = parse::passed(&call.args);
        if call.args.len() != 1 && self.is_kept(&call.receiver) {
            return self.report(span, &m::SET_ARGUMENTS, &[&own, &call.args.len(), &own]);
        }
        let of_enum = match &self.frame().this {
            Some(FieldRef::Model(unit, ..)) => unit.model.as_ref().is_some_and(|model| model.variants.is_some()),
            _ => false,
        };
        let (kind, instead) = match self.state_of(receiver) {
            Some(_) if of_enum => (
                "the value of a variant's state".to_string(),
                "a variant's states are read: a model of its own, which the variant holds, keeps one that is set: `Scale { own: Scaled }`, \
                 and `own.forward(x)` sets it".to_string(),
            ),
            Some(state) => {
                let path = &state.whole;
                let all = state.in_loop.map(|(each, count)| format!(", and of all `for i in 0..{count} {{ {each}.set({args}); }}`"));
                let all = all.filter(|_| !mentions(call, &own)).unwrap_or_default();
                ("another name for a state".to_string(), format!("a state is set by its path: write `{path}.set({args})`{all}"))
            }
            None if self.frame().this.is_some() => (
                receiver.kind(),
                format!("a state is a field, `#[state(init = 0.0)] mean: Tensor<f32, 4>`, and is set by its path: `self.mean.set({args})`"),
            ),
            None => (
                receiver.kind(),
                "give back what it is to be: a function of a model, which has `self`, sets its state: `self.mean.set(..)`".to_string(),
            ),
        };
        self.report(span, &m::NO_STATE, &[&own, &kind, &instead])
    }

    /// What to write for a function of a type that has none here: `Tensor::zero(..)`, `Box::new(x)`, `St::new(..)`.
    pub(super) fn instead_of_path(&self, call: &ExprCall, name: &str) -> Option<String> {
        let Expr::Path(path) = &*call.func else { return None };
        let own = parse::without_last(&path.path);
        let ty = parse::name(&own.segments.last()?.ident);
        let args = parse::passed(&call.args);
        let list = call.args.first().map(super::misuse::bare).filter(|first| matches!(first, Expr::Array(_)));
        Some(match ty.as_str() {
            words::TENSOR => match (parse::nearest(name, MAKERS.into_iter()), list) {
                (Some(near), _) => format!("write `Tensor::{near}({args})`"),
                (None, Some(list)) => {
                    format!("a tensor of these numbers is made of the list: write `Tensor::from({})`", text(list))
                }
                (None, None) => {
                    "tensors are made by `Tensor::zeros([N, 4])`, `ones`, `full` and `arange`, and of numbers \
                                 that are written down by `Tensor::from([1.0, 2.0])`"
                        .to_string()
                }
            },
            "Box" | "Rc" | "Arc" | "Cell" | "RefCell" | "Cow" if call.args.len() == 1 => {
                format!("nothing in a body is kept in a `{ty}`: write `{args}`")
            }
            _ => match self.frame().unit.constants.structs.get(&text(&own)) {
                Some(of) => {
                    let all = call.args.len() == of.item.fields.len();
                    let given =
                        |at: usize| call.args.iter().nth(at).filter(|_| all).map_or_else(|| "..".to_string(), text);
                    let fields = of.item.fields.iter().filter_map(|field| field.ident.as_ref()).enumerate();
                    let fields =
                        fields.map(|(at, field)| format!("{field}: {}", given(at))).collect::<Vec<_>>().join(", ");
                    format!("a struct of tensors is written with its fields: `{} {{ {fields} }}`", text(&own))
                }
                None if layers::find(&ty).is_some() => format!(
                    "a layer is a field of the model, `#[layer(..)] hidden: {ty}`, and is called by its path: `self.hidden.forward(x)`"
                ),
                None if name == "new" || name == "default" => format!(
                    "a model is made outside of a body: one that is a part of this one is a field, `part: {ty}`, and is called by its \
                     path: `self.part.forward(x)`"
                ),
                None if ty.starts_with(char::is_uppercase) => format!(
                    "a body calls functions with `#[netcl::function]`, and those of a model on a field that is one: \
                     `self.part.{name}(..)`"
                ),
                None => return None,
            },
        })
    }
}

/// What to write for a `forward` of a list.
pub(super) fn one_after_the_other(list: &str, first: &str) -> String {
    format!(
        "call one after the other, and go on with `h`: `let mut h = {first}; for each in &{list} {{ h = each.forward(&h); }}`"
    )
}

/// Whether what is passed names the variable.
fn mentions(call: &ExprMethodCall, variable: &str) -> bool {
    struct Mentions<'v>(&'v str, bool);
    impl<'ast> Visit<'ast> for Mentions<'_> {
        fn visit_expr_path(&mut self, path: &'ast syn::ExprPath) {
            self.1 |= path.path.is_ident(self.0);
        }
    }
    let mut found = Mentions(variable, false);
    call.args.iter().for_each(|arg| found.visit_expr(arg));
    found.1
}

/// Whether the name is written as those of types are.
pub(super) fn is_camel(name: &str) -> bool {
    name.len() > 1 && name.starts_with(char::is_uppercase) && name.contains(char::is_lowercase)
}
