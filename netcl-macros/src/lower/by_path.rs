//! Functions of models by their paths, `Block::<4>::smooth(x)`, and the type arguments of paths: those of a model say which it is, and no
//! others have a meaning in a body.

use super::misuse::bare;
use super::written::Written;
use super::{FieldRef, Lowering, Sizes, Val};
use crate::ast::{FunctionItem, Unit};
use crate::messages as m;
use crate::parse::index::text_of;
use crate::parse::{self, list, name as name_of, suggestion, text, types};
use crate::{paths, quotient, words};
use netcl_kernels::dim::Dim;
use netcl_kernels::dtype::DType;
use proc_macro2::Span;
use quote::quote;
use std::rc::Rc;
use syn::spanned::Spanned;
use syn::{Expr, ExprCall, GenericArgument, Path, Type};

impl<'a> Lowering<'a> {
    /// `Block::<4>::smooth(x)`, a function of a model that takes no `self`; `None` of other calls.
    pub(super) fn of_model(&mut self, path: &'a Path, name: &str, call: &'a ExprCall) -> Option<Val<'a>> {
        let own = parse::without_last(path);
        let unit =
            self.model_called(&own).filter(|_| path.segments.last().is_some_and(|last| last.arguments.is_none()))?;
        let here = std::ptr::eq(unit, self.frame().unit);
        let given = parse::type_arguments(&own);
        if here && given.is_none() {
            return Some(self.own_function(unit, path, name, call));
        }
        let function = unit.functions.iter().find(|function| parse::name(&function.name) == name);
        let Some(function) = function.filter(|function| !function.receiver) else {
            // With `self` it is called on a field.
            let last = path.segments.last().map_or_else(Span::call_site, |last| last.ident.span());
            return (function.is_none() && unit.scalars.is_empty()).then(|| {
                call.args.iter().for_each(|arg| drop(self.expr(arg)));
                self.no_function(unit, name, last)
            });
        };
        let model = unit.model.as_ref()?;
        let constants = &self.frame().unit.constants;
        // A block calls its own model's functions of the types that stand for its parameters.
        let stands = |one: &&GenericArgument| here && unit.types.contains_key(&text(one));
        let args = given.into_iter().flat_map(|given| &given.args).filter(|one| !stands(one));
        let sizes: Option<Vec<Dim>> = args.map(|one| types::dim(one, constants)).collect();
        let wanted = model.parameters.len();
        let Some(sizes) = sizes.filter(|sizes| !model.lacks(sizes.len()) && sizes.len() <= wanted) else {
            let plural = if wanted == 1 { "" } else { "s" };
            let types = unit.types.keys().filter(|_| here).cloned();
            let instead: Vec<String> = types.chain((0..wanted).map(|_| "4".to_string())).collect();
            let instead = path_of(&text(&parse::plain(&own)), &instead, name);
            if let Some(given) = given.filter(|_| wanted == 0) {
                let hint = format!("leave it out: write `{instead}({})`", parse::passed(&call.args));
                return Some(self.report(given.span(), &m::UNSUPPORTED, &[&format!("`{}`", text(given)), &hint]));
            }
            return Some(self.report(own.span(), &m::MODEL_PARAMETERS, &[&unit.name(), &wanted, &plural, &instead]));
        };
        let symbols = &self.frame().symbols;
        let sizes: Vec<Dim> = sizes.iter().map(|size| quotient::substitute(size, symbols)).collect();
        let sizes = Rc::new(match here {
            true => Sizes::closed(model, &unit.given, &sizes),
            false => Sizes::nested(model, &unit.given, &sizes),
        });
        self.note_private_function(unit, function, path);
        let args: Vec<Val<'a>> = call.args.iter().map(|arg| self.expr(arg)).collect();
        self.written = Written::new(text(path), call.args.iter());
        Some(self.inline(unit, None, sizes, function, args, path.span()))
    }

    /// `Self::function(args)`.
    pub(super) fn own_function(&mut self, unit: &'a Unit, path: &syn::Path, name: &str, call: &'a ExprCall) -> Val<'a> {
        let span = path.span();
        let args: Vec<Val<'a>> = call.args.iter().map(|arg| self.expr(arg)).collect();
        let as_written = Written::new(text(path), call.args.iter());
        let last = path.segments.last().map_or(span, |last| last.ident.span());
        let Some(function) = unit.functions.iter().find(|function| name_of(&function.name) == name) else {
            if let Some((main, function)) = unit.in_main(name) {
                self.written = if function.receiver { as_written.without_first() } else { as_written };
                return self.of_main(main, function, args, (call, span));
            }
            return self.no_function(unit, name, last);
        };
        self.written = if function.receiver { as_written.without_first() } else { as_written };
        if function.receiver {
            let mut args = args.into_iter();
            return match args.next() {
                Some(Val::Place(FieldRef::Model(_, path, sizes))) => {
                    let this = FieldRef::Model(unit, path, sizes.clone());
                    self.inline(unit, Some(this), sizes, function, args.collect(), span)
                }
                _ => self.without_self(function, call, span),
            };
        }
        let sizes = self.frame().sizes.clone();
        self.inline(unit, None, sizes, function, args, span)
    }

    /// `Self::function(..)` of the block that stands for the model.
    fn of_main(
        &mut self,
        main: &'a Unit,
        function: &'a FunctionItem,
        args: Vec<Val<'a>>,
        (call, span): (&ExprCall, Span),
    ) -> Val<'a> {
        let mut args = args;
        let this = match (function.receiver, args.first().cloned()) {
            (false, _) => None,
            (true, Some(Val::Place(FieldRef::Model(_, path, sizes)))) => {
                args.remove(0);
                Some((path, sizes))
            }
            (true, _) => return self.without_self(function, call, span),
        };
        let sizes = this.as_ref().map_or_else(|| self.frame().sizes.clone(), |(_, sizes)| sizes.clone());
        let sizes = main.block_sizes(&sizes);
        let this = this.map(|(path, _)| FieldRef::Model(main, path, sizes.clone()));
        self.inline(main, this, sizes, function, args, span)
    }

    /// A call of a function that the model has not, or has not as far as is known.
    pub(super) fn no_function(&self, unit: &Unit, name: &str, span: Span) -> Val<'a> {
        if unit.is_wrong(name) {
            return Val::Unknown;
        }
        if unit.dynamic.contains(name) {
            return self.report(span, &m::DYNAMIC_CALLED, &[&name]);
        }
        if matches!(name, "parameters" | "named_parameters" | "tensors" | "named_buffers" | "buffers" | "state_dict") {
            let instead = "a body names each tensor, `self.hidden.weight`; what goes over all of them is ordinary Rust, around the \
                           call, and an optimizer has weight decay";
            return self.report(span, &m::ELSEWHERE_CALLED, &[&name, &instead]);
        }
        let known = unit.function_names();
        let names = || known.iter().map(String::as_str);
        if let Some(loss) = name.strip_suffix("_with_gradients").filter(|loss| names().any(|known| known == *loss)) {
            let instead = format!(
                "what is generated is for ordinary Rust: in a body name the number, `let loss = ..{loss}(..);`, and write `grad(&loss, x)` \
                 for its derivative in `x`"
            );
            return self.report(span, &m::ELSEWHERE_CALLED, &[&name, &instead]);
        }
        // Of a block without a name that is not the first, nobody knows what the first has.
        let own = std::ptr::eq(unit, self.frame().unit) && unit.main.is_none();
        let whose = if own { format!("this block of `{}`", unit.name()) } else { format!("`{}`", unit.name()) };
        let all = match known.is_empty() {
            true => "none of its functions is compiled".to_string(),
            false => format!("its functions are {}", list(names())),
        };
        let instead = match own {
            true => format!(
                "if a plain `impl` has `{name}`, move it here and give its tensors sizes; if another block with `#[netcl::model]` has it, \
                 give this one a name, `#[netcl::model(block = more)]`: so it calls those of the first"
            ),
            false => format!(
                "write `{name}` in the model's `impl` block with `#[netcl::model]`, where its tensors have sizes"
            ),
        };
        let near = suggestion(name, names());
        self.report(span, &m::MODEL_HAS_NO_FUNCTION, &[&whose, &name, &near, &all, &instead])
    }

    /// The model that is called so in a body.
    fn model_called(&self, own: &Path) -> Option<&'a Unit> {
        let unit = self.frame().unit;
        let called = text(&parse::plain(own));
        if unit.model.is_some() && unit.name() == called {
            return Some(unit);
        }
        unit.nested.get(&called)
    }

    /// Whether this module may call the function, rustc says.
    fn note_private_function(&mut self, unit: &Unit, function: &FunctionItem, path: &Path) {
        let public = matches!(function.vis, syn::Visibility::Public(_));
        if self.frames.len() > 1 || self.frame().unit.main.is_some() || public {
            return;
        }
        let name = parse::name(&function.name);
        if unit.open.contains(&name) {
            let (own, mark) = (parse::without_last(path), paths::function_mark(&name, path.span()));
            self.private.push(quote!(let _ = #own::#mark;));
        } else {
            self.private.push(quote!(let _ = #path;));
        }
    }

    /// Rule: a function without `self` is called by its path. Wrong: `self.smooth(x)`.
    pub(super) fn called_on_model(
        &mut self,
        unit: &'a Unit,
        sizes: &Sizes,
        function: &FunctionItem,
        (call, span): (&syn::ExprMethodCall, Span),
    ) -> Option<Val<'a>> {
        // Of what stands for a type no path is known.
        if function.receiver || !unit.standing.is_empty() {
            return None;
        }
        let name = parse::name(&function.name);
        let own = std::ptr::eq(unit, self.frame().unit)
            || self
                .frame()
                .unit
                .main
                .as_ref()
                .is_some_and(|main| main.as_deref().is_some_and(|main| std::ptr::eq(main, unit)));
        let called = match own {
            true => format!("Self::{name}"),
            false => {
                let parameters = unit.model.iter().flat_map(|model| &model.parameters);
                let given = parameters.filter_map(|(own, _)| sizes.fields.get(&own.to_string()));
                let given: Vec<String> = given.map(written_size).collect();
                path_of(&unit.name(), &given, &name)
            }
        };
        let args = call.args.iter().map(text_of).collect::<Vec<_>>().join(", ");
        Some(self.report(span, &m::FUNCTION_WITHOUT_SELF, &[&name, &format!("{called}({args})")]))
    }

    /// Rule: a path in a body has no type arguments, but those of a model and those that say what a list is of. Wrong:
    /// `Tensor::<f16>::zeros([N, 4])`, `Self::smooth::<4>(x)`.
    pub(super) fn judge_type_arguments(&mut self, path: &Path, call: Option<&ExprCall>) -> Option<Val<'a>> {
        let given = parse::type_arguments(path)?;
        let is = |name: &str| path.segments.iter().any(|segment| segment.ident == name);
        if ["Vec", "Some", "None", "Option"].into_iter().any(is) && given.args.iter().all(of_tensors) {
            return None;
        }
        // What is no type's that is known here is no function, whatever its parameters are.
        let last = path.segments.last().is_some_and(|last| !last.arguments.is_none());
        if !last && !["Self", words::TENSOR, "Vec", "Option"].into_iter().any(is) {
            return None;
        }
        let args = |call: &ExprCall| call.args.iter().map(text_of).collect::<Vec<_>>();
        let plain = text(&parse::plain(path));
        let dtype = match given.args.first() {
            Some(GenericArgument::Type(ty)) => DType::from_name(&text(ty)),
            _ => None,
        };
        let takes_type =
            ["zeros", "ones", "full", "arange"].iter().any(|name| plain == format!("{}::{name}", words::TENSOR));
        let instead = match (dtype.filter(|_| takes_type && given.args.len() == 1), call) {
            (Some(dtype), Some(call)) => {
                let has = call.args.last().is_some_and(
                    |last| matches!(bare(last), Expr::Path(path) if DType::from_name(&text(path)).is_some()),
                );
                let mut all = args(call);
                all.truncate(all.len() - usize::from(has));
                format!("the type of the elements is the last argument: write `{plain}({}, {dtype})`", all.join(", "))
            }
            (_, Some(call)) => format!("leave it out: write `{plain}({})`", args(call).join(", ")),
            (_, None) => format!("leave it out: write `{plain}`"),
        };
        Some(self.report(given.span(), &m::UNSUPPORTED, &[&format!("`{}`", text(given)), &instead]))
    }
}

/// Whether a list or an option of such is one of tensors: `_`, `&Tensor<f32, N, 4>`, `(Tensor, Vec<Tensor>)`.
fn of_tensors(one: &GenericArgument) -> bool {
    matches!(one, GenericArgument::Type(ty) if is_of_tensors(ty))
}

fn is_of_tensors(ty: &Type) -> bool {
    match ty {
        Type::Infer(_) => true,
        Type::Reference(reference) => is_of_tensors(&reference.elem),
        Type::Paren(inner) => is_of_tensors(&inner.elem),
        Type::Group(inner) => is_of_tensors(&inner.elem),
        Type::Array(array) => is_of_tensors(&array.elem),
        Type::Slice(slice) => is_of_tensors(&slice.elem),
        Type::Tuple(tuple) => !tuple.elems.is_empty() && tuple.elems.iter().all(is_of_tensors),
        Type::Path(path)
            if path.path.segments.last().is_some_and(|last| last.ident == "Vec" || last.ident == "Option") =>
        {
            parse::type_arguments(&path.path).is_some_and(|given| given.args.iter().all(of_tensors))
        }
        ty => types::is_called_tensor(ty),
    }
}

/// `Block::<4>::smooth`.
fn path_of(model: &str, given: &[String], name: &str) -> String {
    match given.is_empty() {
        true => format!("{model}::{name}"),
        false => format!("{model}::<{}>::{name}", given.join(", ")),
    }
}

/// A size as a type argument.
fn written_size(size: &Dim) -> String {
    if crate::ast::is_plain(size) { size.to_string() } else { format!("{{ {size} }}") }
}
