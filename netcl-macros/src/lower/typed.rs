//! `A::forward(x)`, where `A` is a parameter of the model: what stands for it is known once the model is used.

use super::{Lowering, Val};
use crate::ast::{FieldKind, Slot, TypeArgument};
use crate::messages as m;
use crate::{parse, words};
use netcl_kernels::graph::NodeId;
use proc_macro2::Span;
use std::rc::Rc;
use syn::ExprCall;
use syn::spanned::Spanned;

impl<'a> Lowering<'a> {
    /// A function of what stands for a parameter. Functions of scalars have been found by their paths, where there are any.
    pub(super) fn of_type(
        &mut self,
        (parameter, argument): (&str, &'a TypeArgument),
        name: &str,
        call: &'a ExprCall,
    ) -> Val<'a> {
        let span = call.func.span();
        let args: Vec<Val<'a>> = call.args.iter().map(|arg| self.expr(arg)).collect();
        let on_field = |what: &str| format!("call {what} by a field: `part: {parameter}`, and `self.part.{name}(..)`");
        let (what, instead) = match argument {
            TypeArgument::Open => return self.keyless(parameter, name, span),
            TypeArgument::Layer(layer, Some(field)) if name == words::FORWARD && args.len() == layer.inputs => {
                let places = call.args.iter().map(Spanned::span);
                let nodes: Option<Vec<NodeId>> =
                    args.into_iter().zip(places).map(|(arg, place)| self.tensor(arg, None, place)).collect();
                let Some(nodes) = nodes else { return Val::Unknown };
                return self.layer(field, &Rc::default(), (layer.name, ""), &nodes, span);
            }
            TypeArgument::Layer(layer, Some(_)) => {
                (layer.name.to_string(), format!("a layer has the function `forward`: `{parameter}::forward(x)`"))
            }
            TypeArgument::Layer(layer, None) => (layer.name.to_string(), on_field("a layer with tensors or keys")),
            TypeArgument::Model(name) => (name.clone(), on_field("a model")),
            TypeArgument::Functions(unit) => {
                let all = parse::list(unit.scalars.keys().map(String::as_str));
                (unit.name(), format!("its functions with `#[netcl::function]` are {all}"))
            }
        };
        let near = match argument {
            TypeArgument::Functions(unit) => parse::suggestion(name, unit.scalars.keys().map(String::as_str)),
            _ => String::new(),
        };
        self.report(span, &m::TYPE_FUNCTION, &[&parameter, &what, &name, &near, &instead])
    }

    /// Rule: a call by the type leaves no keys out. Wrong: `A::forward(x)` beside `#[layer(slope = 0.5)] act: A`.
    fn keyless(&mut self, parameter: &str, name: &str, span: Span) -> Val<'a> {
        let fields = self.frame().unit.model.iter().flat_map(|model| &model.fields);
        let mut keyed =
            fields.filter_map(|field| Some((field, slot(&field.kind)?))).filter(|(_, slot)| slot.name == parameter);
        let found = keyed.find_map(|(field, slot)| Some((parse::name(&field.name), slot.settings.first()?.0.clone())));
        match found {
            Some((field, key)) => {
                let given: [&dyn std::fmt::Display; 6] = [&parameter, &name, &field, &key, &field, &name];
                self.report(span, &m::TYPE_KEYS, &given)
            }
            None => self.open(),
        }
    }
}

/// What stands for a parameter in the field, alone, in a list or in an `Option`.
fn slot(kind: &FieldKind) -> Option<&Slot> {
    match kind {
        FieldKind::Slot(slot) => Some(slot),
        FieldKind::Many { each, .. } | FieldKind::Optional { each, .. } => slot(each),
        _ => None,
    }
}
