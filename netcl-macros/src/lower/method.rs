//! Method calls: operations on tensors, layers' `forward`, functions of models.

use super::advice_kinds::Advice;
use super::arith::Places;
use super::builtin::builtins;
use super::written::Written;
use super::{FieldRef, Lowering, Sizes, Val, named};
use crate::ast::PlainType;
use crate::messages as m;
use crate::number::ConstFloat;
use crate::parse::suggestion;
use crate::{paths, words};
use netcl_kernels::dim::Dim;
use netcl_kernels::dtype::DType;
use netcl_kernels::graph::{BinaryOp, NodeId, UnaryOp};
use netcl_kernels::ops;
use proc_macro2::Span;
use quote::quote;
use syn::ExprMethodCall;
use syn::spanned::Spanned;

impl<'a> Lowering<'a> {
    /// `receiver.method(args)`.
    pub(super) fn method(&mut self, call: &'a ExprMethodCall) -> Val<'a> {
        let name = crate::parse::name(&call.method);
        if let Some(value) =
            self.size_of_whole(call, &name).or_else(|| self.fold_method(call)).or_else(|| self.reduced_range(call))
        {
            return value;
        }
        let sets = name == words::SET && call.args.len() == 1 && self.axes.is_none();
        if let Some(value) = sets.then(|| self.set(call)).flatten().or_else(|| self.shortened(call, &name)) {
            return value;
        }
        if let Some(refused) = self.pasted(call, &name) {
            return refused;
        }
        if let Some(refused) = self.of_kernel_outside(call, &name) {
            return refused;
        }
        let before = self.diag.count();
        let receiver = self.expr(&call.receiver);
        let receiver = self.as_certain(receiver, &call.receiver);
        if receiver.is_unknown()
            && let Some(refused) = self.judge_option_method(call, &name)
        {
            return refused;
        }
        if let Some(refused) = self.after_a_change(call, &receiver) {
            return refused;
        }
        if let Some(value) = self.with_closures(call, &name, &receiver) {
            return value;
        }
        if !matches!(receiver, Val::Place(FieldRef::Layer(..) | FieldRef::Model(..)))
            && !receiver.is_unknown()
            && let Some(value) = self
                .list_method(call, &receiver)
                .or_else(|| self.other_arguments(call, &name, &receiver))
                .or_else(|| self.misused(call, &name, &receiver))
        {
            return value;
        }
        if let Val::Place(FieldRef::Model(unit, ..)) = &receiver
            && !unit.has(&name)
            && let Some(value) = self.called_field(unit, call, &name).or_else(|| self.called_slot(unit, call, &name))
        {
            return value;
        }
        let called = || format!("{}.{name}", super::misuse::written(&call.receiver));
        if named::is_in(&call.args) && self.named_in_method(call, &called(), &receiver, self.diag.count() > before) {
            return Val::Unknown;
        }
        if let Some(refused) = self.unknown_type(call, &name).or_else(|| self.of_another(call, &name, &receiver)) {
            return refused;
        }
        let texts = match receiver {
            Val::Tensor(_) => texts(&name),
            // Whatever it is: what takes the text is known where it is.
            Val::Unknown => (0..call.args.len()).collect(),
            _ => Vec::new(),
        };
        if texts.is_empty()
            && let Some(refused) =
                self.unknown_with_text(call, &name, &receiver).or_else(|| self.named_axis(call, &name, &receiver))
        {
            return refused;
        }
        let args = self.args_of(call, &texts, receiver.is_unknown());
        if receiver.is_unknown() || args.iter().any(Val::is_unknown) {
            return Val::Unknown;
        }
        if let Some(first) = &call.turbofish {
            let args = crate::parse::passed(&call.args);
            let instead = match name.as_str() {
                "cast" => format!(
                    "the type of the elements is an argument: write `{}({})`",
                    called(),
                    crate::parse::text(&first.args)
                ),
                _ => format!("leave it out: write `{}({args})`", called()),
            };
            return self.report(
                first.span(),
                &m::UNSUPPORTED,
                &[&format!("`{}`", crate::parse::text(first)), &instead],
            );
        }
        let refused = self.suffixed(&name, &[&receiver], call.args.iter());
        if let Some(refused) = refused.or_else(|| self.method_overflows(call, &name, &receiver, &args)) {
            return refused;
        }
        self.written = Written::new(called(), call.args.iter());
        match receiver {
            Val::Place(FieldRef::Layer(layer, field, path, sizes)) => {
                self.of_layer(call, &name, (layer, &sizes), (&field, &path), args)
            }
            Val::Place(FieldRef::Model(unit, path, sizes)) => {
                self.of_model_value(call, &name, (unit, path, sizes), args)
            }
            Val::Place(place @ FieldRef::Many(..)) => self.of_list(call, &name, place, &args),
            receiver => self.of_value(call, &name, receiver, args),
        }
    }

    /// `self.block.forward(x)`: a function of a model.
    fn of_model_value(
        &mut self,
        call: &'a ExprMethodCall,
        name: &str,
        (unit, path, sizes): (&'a crate::ast::Unit, String, std::rc::Rc<Sizes>),
        args: Vec<Val<'a>>,
    ) -> Val<'a> {
        let span = call.method.span();
        let Some(function) = unit.functions.iter().find(|function| crate::parse::name(&function.name) == name) else {
            if let Some((main, function)) = unit.in_main(name) {
                if let Some(refused) = self.called_on_model(main, &sizes, function, (call, span)) {
                    return refused;
                }
                let sizes = main.block_sizes(&sizes);
                let this = function.receiver.then(|| FieldRef::Model(main, path, sizes.clone()));
                return self.inline(main, this, sizes, function, args, span);
            }
            if let Some(helper) = unit.scalars.get(name) {
                return self.helper(helper, args, (&call.args, span));
            }
            return self.no_function(unit, name, span);
        };
        if let Some(refused) = self.called_on_model(unit, &sizes, function, (call, span)) {
            return refused;
        }
        let used = |model: proc_macro2::TokenStream| {
            if unit.open.contains(name) {
                let mark = paths::function_mark(name, call.method.span());
                return quote!(let _ = #model.#mark(););
            }
            let (name, given) = (&call.method, function.params.iter().map(|_| quote!(::core::unreachable!())));
            quote!(let _ = #model.#name(#(#given),*);)
        };
        if !matches!(function.vis, syn::Visibility::Public(_)) {
            self.note_used(&path, used);
        }
        let this = function.receiver.then(|| FieldRef::Model(unit, path, sizes.clone()));
        self.inline(unit, this, sizes, function, args, span)
    }

    /// A method of a value, which is an operation's.
    fn of_value(&mut self, call: &'a ExprMethodCall, name: &str, receiver: Val<'a>, args: Vec<Val<'a>>) -> Val<'a> {
        let span = call.method.span();
        if let Val::Tensor(_) = receiver
            && self.position(&receiver).is_none()
            && let Some(value) = self.of_two(call, name, &receiver, &args)
        {
            return value;
        }
        if let ("gather", [Val::Dim(_), Val::Tensor(_)]) = (name, args.as_slice()) {
            let x = super::misuse::written(&call.receiver);
            let given = crate::parse::passed(&call.args);
            let instead = self.along_axis((&x, &receiver), call.args.iter(), &args);
            let instead = instead.unwrap_or_else(|| format!("{x}.index_select({given})"));
            return self.report(span, &m::GATHER_AXIS, &[&instead]);
        }
        if name == "select"
            && let Some(refused) = self.select_exchanged(call, &receiver, &args)
        {
            return refused;
        }
        self.advice = match name {
            "matmul" => self.advise_product(call, &receiver, &args),
            "linear" => self.advise_linear(call, &receiver, &args),
            "concat" => self.advise_concat(call, &receiver, &args),
            _ => None,
        }
        .map(Advice::Instead);
        self.argument_places = call.args.iter().map(Spanned::span).collect();
        let value = self.operation(name, receiver, args, span);
        self.argument_places.clear();
        self.advice = None;
        value
    }

    /// The arguments of a call that takes texts at these places. Whether a closure is one of what is not known, nobody can say.
    fn args_of(&mut self, call: &'a ExprMethodCall, texts: &[usize], unknown: bool) -> Vec<Val<'a>> {
        let args = call.args.iter().enumerate();
        args.map(|(position, arg)| match arg {
            syn::Expr::Closure(_) if unknown => Val::Unknown,
            syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) if texts.contains(&position) => {
                Val::Text(text.value())
            }
            arg => self.expr(arg),
        })
        .collect()
    }

    /// A method of an array of layers or models.
    fn of_list(&mut self, call: &'a ExprMethodCall, name: &str, place: FieldRef<'a>, args: &[Val<'a>]) -> Val<'a> {
        match (name, &place) {
            ("iter", _) if args.is_empty() => Val::Place(place),
            ("len", FieldRef::Many(_, _, count, ..)) if args.is_empty() => Val::from(Dim::from(*count)),
            _ => match self.iterator(name, &Val::Place(place.clone()), args) {
                Some(value) => value,
                None => match args {
                    [given] if name == "take" && self.brought(given).is_some() => {
                        let (rounds, ty) = self.brought(given).unwrap_or_default();
                        let only = super::ranges::only(&rounds, &ty);
                        self.report(call.args[0].span(), &m::PLAIN_ROUNDS, &[&rounds, &ty, &only, &rounds])
                    }
                    _ => self.on_each(call, name, place),
                },
            },
        }
    }

    /// `self.layer.forward(x)`, the one function that a layer has.
    fn of_layer(
        &mut self,
        call: &'a ExprMethodCall,
        name: &str,
        (layer, sizes): (&'a crate::ast::LayerField, &Sizes),
        (field, path): (&str, &str),
        args: Vec<Val<'a>>,
    ) -> Val<'a> {
        let span = call.method.span();
        if name != words::FORWARD {
            return self.report(span, &m::LAYER_CALL, &[&field, &field]);
        }
        let place = call.receiver.as_ref();
        let place = match place {
            syn::Expr::Field(field) => field.member.span(),
            other => other.span(),
        };
        let places = call.args.iter().map(Spanned::span).collect();
        self.forward(layer, sizes, (field, path), args, (place, span, places))
    }

    /// A method of an `Option`, or of a list with a closure.
    fn with_closures(&mut self, call: &'a ExprMethodCall, name: &str, receiver: &Val<'a>) -> Option<Val<'a>> {
        let closures = call.args.last().is_some_and(|arg| self.is_closure(arg));
        let known =
            matches!(receiver, Val::Option(_)) || closures && matches!(name, "map" | "fold") || name == "collect";
        if known
            && let Val::Range(start, end, _) = receiver
            && self.is_open(&(end.clone() - start.clone()))
        {
            return Some(self.open());
        }
        let here = self.axes.is_none() || self.in_function();
        if known && here && !receiver.is_unknown() {
            let args: Vec<Val<'a>> = call.args.iter().map(|arg| self.argument_of(arg)).collect();
            if args.iter().any(Val::is_unknown) {
                return Some(Val::Unknown);
            }
            if let Some(value) = self.of_known(name, receiver, &args, call.method.span()) {
                return Some(value);
            }
            if name == "fold" && !matches!(args.as_slice(), [_, Val::Closure(_)]) && self.items(receiver).is_some() {
                return Some(self.fold_of_list(call));
            }
        }
        None
    }

    /// An argument of a method that takes a text, as `expect` does.
    fn argument_of(&mut self, arg: &'a syn::Expr) -> Val<'a> {
        match arg {
            syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(_), .. }) => Val::Unit,
            arg => self.expr(arg),
        }
    }

    /// Rule: an array of layers or models is gone over. Wrong: `self.layers.forward(x)`.
    fn on_each(&self, call: &'a ExprMethodCall, name: &str, place: FieldRef<'a>) -> Val<'a> {
        let (list, kind) = (super::misuse::written(&call.receiver), Val::Place(place).kind());
        let list = list.strip_suffix(".iter()").unwrap_or(&list);
        let first = call.args.first().map_or_else(|| "x".to_string(), crate::parse::text);
        let instead = if name == words::FORWARD {
            super::wrong_receiver::one_after_the_other(list, &first)
        } else if name == words::SET {
            format!("set one by its number: write `{list}[0].set({first})`")
        } else {
            format!("loop over it: `for each in &{list} {{ .. }}`")
        };
        self.report(call.method.span(), &m::UNSUPPORTED, &[&format!("`{name}` on {kind}"), &instead])
    }

    fn forward(
        &mut self,
        layer: &'a crate::ast::LayerField,
        sizes: &Sizes,
        (field, path): (&str, &str),
        args: Vec<Val<'a>>,
        (span, method, places): (Span, Span, Vec<Span>),
    ) -> Val<'a> {
        let wanted = layer.layer.inputs;
        let plural = |count: usize| if count == 1 { "" } else { "s" };
        if args.len() != wanted {
            let (w, g) = (plural(wanted), plural(args.len()));
            let example = vec!["&x"; wanted].join(", ");
            let wrong = places.get(wanted).copied().unwrap_or(method);
            let further = match layer.layer.name.contains("Attention") && args.len() > wanted {
                true => {
                    "; what is later is left out with `#[layer(.., causal = true)]`, and by another mask in attention of your own: \
                         `scores.masked_fill(&mask, f32::NEG_INFINITY).softmax(-1)`"
                }
                false => "",
            };
            return self.report(
                wrong,
                &m::LAYER_ARGUMENTS,
                &[&field, &wanted, &w, &args.len(), &g, &field, &example, &further],
            );
        }
        let mut nodes: Vec<NodeId> = Vec::new();
        for (arg, place) in args.into_iter().zip(places) {
            match arg {
                Val::Tensor(id) => nodes.push(id),
                other => {
                    let instead = "a layer is called on tensors: `self.hidden.forward(&x)`";
                    let values: [&dyn std::fmt::Display; 5] = [&field, &"a tensor", &"input", &other.kind(), &instead];
                    return self.report(place, &m::CALL_ARGUMENT_SHAPE, &values);
                }
            }
        }
        self.layer(layer, sizes, (field, path), &nodes, span)
    }

    /// An operation of the table, on tensors and numbers.
    pub(super) fn operation(&mut self, name: &str, receiver: Val<'a>, args: Vec<Val<'a>>, span: Span) -> Val<'a> {
        let operands: Vec<&Val<'a>> = std::iter::once(&receiver).chain(&args).collect();
        let chosen = match self.chosen_by_function(name, &operands, span) {
            Ok(chosen) => chosen,
            Err(refused) => return refused,
        };
        let value = self.operation_of_any(name, receiver, args, span);
        self.note_chosen_whole(&value, chosen);
        value
    }

    fn operation_of_any(&mut self, name: &str, receiver: Val<'a>, args: Vec<Val<'a>>, span: Span) -> Val<'a> {
        if let (Val::List(_) | Val::Stack(_), "stack" | "concat", [axis]) = (&receiver, name, args.as_slice()) {
            let axis = axis.clone();
            return self.joined(name, receiver, axis, span);
        }
        if let Some(value) = self.known_method(name, &receiver, &args) {
            return value;
        }
        // Of whole numbers these are Rust's.
        let name = match name {
            "minimum" if self.are_whole(&receiver, &args) => "min",
            "maximum" if self.are_whole(&receiver, &args) => "max",
            name => name,
        };
        if let Some(value) = self.position_method(name, &receiver, &args, span) {
            return value;
        }
        if let Some(value) = self.method_of_wholes(name, &receiver, &args, span) {
            return value;
        }
        if let Some(value) = self.of_all(name, &receiver, &args, span) {
            return value;
        }
        if let Some(value) = self.iterator(name, &receiver, &args) {
            return value;
        }
        if let Some(refused) = self.no_iterator(name, &receiver, &args, span) {
            return refused;
        }
        if let Some(value) = self.as_in_rust(name, &receiver, &args, (self.in_function(), span)) {
            return value;
        }
        // Of elements, not of tensors along an axis.
        let scalars = self.axes.is_some() || self.elementwise;
        // `steps.min(12)` of `steps: i32`, which has no axis.
        let wholes = matches!(args.as_slice(), [Val::Dim(_) | Val::Tensor(_)]);
        if (scalars || wholes && self.is_one_whole(&receiver))
            && let Some(op) = [BinaryOp::Max, BinaryOp::Min].into_iter().find(|op| op.name() == name)
        {
            let [other] = args.as_slice() else {
                let example = format!("`x.{name}(y)`; along an axis, in a kernel, `{name}(0..C, |c| x[n, c])`");
                return self.report(span, &m::KERNEL_TWO_VALUES, &[&name, &(args.len() + 1), &example]);
            };
            return self.operate(super::arith::Operator::Binary(op), name, receiver, other.clone(), Places::all(span));
        }
        if name == "pow"
            && self.is_one_whole(&receiver)
            && let Some(value) = self.composed(name, &receiver, &args, span)
        {
            return value;
        }
        if let ("powi", [Val::Number(power)]) = (name, args.as_slice())
            && power.value.fract() != 0.0
        {
            let power = format!("{:?}", power.value);
            return self.report(span, &m::POWER_OF_FRACTION, &[&power, &power]);
        }
        // Rust's own names for functions of `f32`, so that a body is plain Rust as well.
        let name = super::float::in_table(name);
        if scalars && ops::find(name).is_some() && !ops::is_elementwise(name) {
            return self.report(span, &m::KERNEL_METHOD, &[&name]);
        }
        if args.is_empty()
            && let Some(op) = UnaryOp::ALL.into_iter().find(|op| op.name() == name)
        {
            return self.function_of_one(op, receiver, span);
        }
        if let [other] = args.as_slice()
            && let Some(op) = BinaryOp::ALL.into_iter().find(|op| op.name() == name)
            && (matches!(receiver, Val::Number(_) | Val::Dim(_) | Val::Index(_)) || matches!(other, Val::Index(_)))
        {
            return self.operate(super::arith::Operator::Binary(op), name, receiver, other.clone(), Places::all(span));
        }
        if let Some(several) = ops::several(name).filter(|_| !scalars) {
            return self.several(several, receiver, &args, span);
        }
        let Some(operation) = ops::find(name) else {
            if super::float::is_composed(name) {
                let instead = "of whole tensors there are the operations; of their elements, in `kernel!` or a \
                               `#[netcl::function]`, all functions of Rust's that docs/operations.md names";
                return self.report(span, &m::UNSUPPORTED, &[&format!("`{name}` with these operands"), &instead]);
            }
            if let Val::Plain(_, PlainType::Enum) | Val::Variant(..) = receiver {
                return self.report(span, &m::ENUM_METHOD, &[&name]);
            }
            return self.no_operation(name, &receiver, span);
        };
        self.table_operation(operation, receiver, args, span)
    }

    /// Methods that are not operations: `clone`, `dim`.
    fn known_method(&mut self, name: &str, receiver: &Val<'a>, args: &[Val<'a>]) -> Option<Val<'a>> {
        match (name, receiver, args) {
            ("clone", value, []) => Some(value.clone()),
            ("pow" | "div_ceil" | "next_multiple_of", Val::Dim(size), [Val::Dim(other)]) => {
                self.size_method(name, size, other)
            }
            ("first", Val::List(values), []) => Some(Val::Option(values.first().cloned().map(Box::new))),
            ("last", Val::List(values), []) => Some(Val::Option(values.last().cloned().map(Box::new))),
            ("len", Val::List(values), []) => Some(Val::from(Dim::from(values.len()))),
            ("dim", Val::Tensor(id), [Val::Dim(axis)]) => {
                let shape = self.builder.shape(*id);
                let axis = axis.as_constant()?;
                // From the last one on, as PyTorch counts.
                let axis = if axis < 0 { axis + shape.rank() as i64 } else { axis };
                let axis = usize::try_from(axis).ok().filter(|axis| *axis < shape.rank())?;
                Some(shape[axis].clone().into())
            }
            _ => None,
        }
    }

    pub(super) fn function_of_one(&mut self, op: UnaryOp, value: Val<'a>, span: Span) -> Val<'a> {
        let known = |x: &[f64]| netcl_kernels::fold::unary_f64(op, x[0]);
        if let Some(number) = super::arith::number(&value)
            && let Some(result) = ConstFloat::computed(&[number], number.ty, known)
        {
            return Val::Number(result);
        }
        // Beside floats an index is one; where it is part of an index it counts.
        let counts = self.indexing && matches!((op, &value), (UnaryOp::Abs | UnaryOp::Sign, Val::Index(_)));
        let Some(id) = self.tensor(value, counts.then_some(DType::I32), span) else { return Val::Unknown };
        self.at(span);
        let result = self.builder.unary(op, id);
        self.check(result, span)
    }

    /// A function called by its bare name: `max(a, b)`, `exp(x)`, or one of the operations.
    pub(super) fn builtin(&mut self, name: &str, args: Vec<Val<'a>>, span: Span) -> Val<'a> {
        if args.iter().any(Val::is_unknown) {
            return Val::Unknown;
        }
        if let [a, b] = args.as_slice()
            && let Some(op) = BinaryOp::ALL.into_iter().find(|op| op.name() == name)
        {
            return self.operate(super::arith::Operator::Binary(op), name, a.clone(), b.clone(), Places::all(span));
        }
        if (self.axes.is_some() || self.elementwise) && BinaryOp::ALL.into_iter().any(|op| op.name() == name) {
            if let [Val::Range(..)] = args.as_slice() {
                return self.report(span, &m::KERNEL_REDUCTION, &[&name, &name]);
            }
            let mut example = format!("`{name}(a, b)`");
            if words::REDUCTIONS.contains(&name) && self.axes.is_some() {
                example.push_str(&format!("; along an axis, `{name}(0..C, |c| x[n, c])`"));
            }
            return self.report(span, &m::KERNEL_TWO_VALUES, &[&name, &args.len(), &example]);
        }
        let mut args = args.into_iter();
        match args.next() {
            Some(first)
                if ops::names().any(|known| known == name) || super::float::rust_names().any(|known| known == name) =>
            {
                self.operation(name, first, args.collect(), span)
            }
            _ => {
                let known = builtins();
                self.report(span, &m::UNKNOWN_FUNCTION, &[&name, &suggestion(name, known.iter().copied())])
            }
        }
    }
}

/// Which arguments of the operation `name` are texts.
fn texts(name: &str) -> Vec<usize> {
    let args = ops::find(name).map_or(&[][..], |operation| &operation.args[1..]);
    (0..args.len()).filter(|&position| args[position].kind == ops::ArgKind::Text).collect()
}
