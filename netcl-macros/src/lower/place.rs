//! `self.field`: layers, nested models, parameters, constants, and arrays of these.

use super::{Lowering, Place, Unit, Val};
use crate::ast::{FieldKind, LayerField, TensorField};
use crate::messages as m;
use crate::parse::{list, suggestion, text};
use netcl_kernels::dim::Shape;
use netcl_kernels::graph::{InputKind, NodeId};
use netcl_kernels::layers::{ConfigValue, Context};
use proc_macro2::Span;
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::{ExprField, ExprIndex, Member};

impl<'a> Lowering<'a> {
    /// `base.member`.
    pub(super) fn field(&mut self, field: &'a ExprField) -> Val<'a> {
        let span = field.member.span();
        let base = self.expr(&field.base);
        match (base, &field.member) {
            (Val::Unknown, _) => Val::Unknown,
            (Val::Place(Place::Model(unit, path)), Member::Named(name)) => self.member(unit, &path, name),
            (Val::Tuple(values), Member::Unnamed(position)) => match values.into_iter().nth(position.index as usize) {
                Some(value) => value,
                None => self.report(span, &m::UNKNOWN_FIELD, &[&text(&field.base), &position.index, &"", &"fewer"]),
            },
            (base, _) => {
                let member = field.member.to_token_stream().to_string();
                self.report(span, &m::OPERAND, &[&format!(".{member}"), &base.kind()])
            }
        }
    }

    fn member(&mut self, unit: &'a Unit, path: &str, name: &syn::Ident) -> Val<'a> {
        let Some(model) = &unit.model else { return Val::Unknown };
        let wanted = name.to_string();
        let Some(field) = model.fields.iter().find(|field| field.name == wanted) else {
            let known = || model.fields.iter().map(|field| field.name.to_string()).collect::<Vec<_>>();
            let near = suggestion(&wanted, known().iter().map(String::as_str));
            let all = list(known().iter().map(String::as_str));
            return self.report(name.span(), &m::UNKNOWN_FIELD, &[&model.name, &wanted, &near, &all]);
        };
        self.resolve(unit, &field.kind, &wanted, format!("{path}{wanted}"))
    }

    /// The value of a field of that kind; `name` is for messages, `path` for parameters.
    fn resolve(&mut self, unit: &'a Unit, kind: &'a FieldKind, name: &str, path: String) -> Val<'a> {
        match kind {
            FieldKind::Layer(layer) => Val::Place(Place::Layer(layer, name.to_string(), path)),
            FieldKind::Many { each, count, .. } => Val::Place(Place::Many(unit, each, *count, name.to_string(), path)),
            FieldKind::Model(model) => match unit.nested.get(&text(model)) {
                Some(nested) => Val::Place(Place::Model(nested, format!("{path}."))),
                None => Val::Unknown,
            },
            FieldKind::Constant { value, .. } => (*value).into(),
            FieldKind::Tensor(tensor) => Val::Tensor(self.own_tensor(tensor, name, path)),
            FieldKind::Unknown => Val::Unknown,
        }
    }

    /// Each element of an array of layers or models.
    pub(super) fn elements(&mut self, place: &Place<'a>) -> Vec<Val<'a>> {
        match place {
            Place::Many(unit, each, count, name, path) => (0..*count)
                .map(|position| self.resolve(unit, each, &format!("{name}[{position}]"), format!("{path}.{position}")))
                .collect(),
            _ => Vec::new(),
        }
    }

    /// `base[index]`: an element of an array of layers, of a list, or, in a kernel, of a tensor.
    pub(super) fn subscript(&mut self, index: &'a ExprIndex) -> Val<'a> {
        if let Some(value) = self.element_read(index) {
            return value;
        }
        let span = index.index.span();
        let (base, position) = (self.expr(&index.expr), self.expr(&index.index));
        let position = match (&base, &position) {
            (Val::Unknown, _) | (_, Val::Unknown) => return Val::Unknown,
            (Val::Place(Place::Many(..)) | Val::List(_), Val::Dim(dim)) => dim.as_constant(),
            _ => None,
        };
        let values = match &base {
            Val::Place(place @ Place::Many(..)) => self.elements(place),
            Val::List(values) => values.clone(),
            other => {
                let kind = other.kind();
                let instead =
                    "use `x.slice(..)`, `x.select_axis(..)` or `x.gather(..)`; `x[i]` reads one element in `kernel!`";
                return self.report(index.span(), &m::UNSUPPORTED, &[&format!("indexing {kind}"), &instead]);
            }
        };
        match position.and_then(|position| usize::try_from(position).ok()).and_then(|p| values.get(p)) {
            Some(value) => value.clone(),
            None => self.report(span, &m::NOT_A_NUMBER, &[&text(&index.index)]),
        }
    }

    fn own_tensor(&mut self, tensor: &TensorField, name: &str, path: String) -> NodeId {
        let shape: Vec<usize> = tensor.shape.clone();
        let id = self.input(&path, &shape, tensor.dtype, tensor.trainable);
        for axis in 0..shape.len() {
            self.builder.set_origin(id, axis, &format!("`{name}`"));
        }
        id
    }

    /// The parameter or state of that path, made once.
    fn input(&mut self, path: &str, shape: &[usize], dtype: netcl_kernels::dtype::DType, trainable: bool) -> NodeId {
        if let Some(id) = self.tensors.get(path) {
            return *id;
        }
        let kind = if trainable { InputKind::Parameter } else { InputKind::State };
        let id = self.builder.input(kind, path, Shape::of(shape), dtype);
        self.tensors.insert(path.to_string(), id);
        id
    }

    /// `layer.forward(..)`; `span` is the layer's name in the call.
    pub(super) fn layer(
        &mut self,
        field: &'a LayerField,
        name: &str,
        path: &str,
        args: &[NodeId],
        span: Span,
    ) -> Val<'a> {
        let specs = (field.layer.tensors)(&field.config);
        let tensors: Vec<NodeId> = specs
            .iter()
            .map(|spec| self.input(&format!("{path}.{}", spec.name), &spec.shape, spec.dtype, spec.trainable))
            .collect();
        let seed = self.seed();
        let mut updates = Vec::new();
        self.at(span);
        let mut context = Context {
            builder: &mut self.builder,
            config: &field.config,
            name,
            tensors: &tensors,
            mode: self.mode,
            seed,
            updates: &mut updates,
        };
        let result = (field.layer.forward)(&mut context, args);
        for (position, id) in updates {
            let path = format!("{path}.{}", specs[position].name);
            // A second use in the same call goes on from the first one's update.
            self.tensors.insert(path.clone(), id);
            self.updates.insert(path, id);
        }
        match result {
            Ok(id) => {
                self.builder.name(id, name);
                self.note_origins(field, name, id);
                Val::Tensor(id)
            }
            Err(mut diagnostic) => {
                // The number in the configuration that does not fit is the token that is wrong.
                let place = expected_key(field, &diagnostic.message).and_then(|position| field.places[position]);
                if let Some(place) = place {
                    diagnostic.span = self.diag.id(place);
                }
                self.diag.diagnostic(&diagnostic, span);
                Val::Unknown
            }
        }
    }

    /// Notes which configuration key an axis of the result has its size from, where the layer has not.
    fn note_origins(&mut self, field: &LayerField, name: &str, id: NodeId) {
        let outputs = field.config.keys.iter().zip(&field.config.values).find_map(|(key, value)| match value {
            ConfigValue::Size(size) if matches!(key.name, "outputs" | "features" | "dimension") => {
                Some((key.name, *size))
            }
            _ => None,
        });
        let Some((key, size)) = outputs else { return };
        for axis in 0..self.builder.shape(id).rank() {
            if self.builder.shape(id)[axis].is(size as i64) && self.builder.origin_note(id, axis).is_empty() {
                self.builder.set_origin(id, axis, &format!("`{name}`, `{key} = {size}`"));
            }
        }
    }
}

/// Which key the message says does not fit: the first with the number that is expected.
fn expected_key(field: &LayerField, message: &str) -> Option<usize> {
    let expected =
        message.split_once("expects ")?.1.split(|c: char| !c.is_ascii_digit()).next()?.parse::<u64>().ok()?;
    field.config.values.iter().position(|value| matches!(value, ConfigValue::Size(size) if *size == expected))
}
