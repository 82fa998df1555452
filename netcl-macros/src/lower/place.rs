//! `self.field`: layers and their tensors, nested models, parameters, constants, and arrays of these.

use super::fitting::Misfit;
use super::misuse::written;
use super::path::model_at;
use super::table::names;
use super::{FieldRef, Lowering, Sizes, Val, is_builtin};
use crate::ast::{Field, FieldKind, Form, LayerField, ModelItem, TensorField, Unit};
use crate::foreign;
use crate::messages as m;
use crate::parse::{list, suggestion, text};
use crate::{paths, quotient, words};
use netcl_kernels::dim::{Dim, Shape};
use netcl_kernels::dtype::DType;
use netcl_kernels::graph::{InputKind, NodeId, Origin};
use netcl_kernels::layers::{self, Config, ConfigKind, Context};
use netcl_kernels::ops;
use netcl_kernels::span::{Diagnostic, Mismatch};
use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use std::rc::Rc;
use syn::spanned::Spanned;
use syn::{ExprField, ExprIndex, Member};

/// The fields that are in the group of that name.
fn members_of(model: &ModelItem, group: &str) -> Option<String> {
    let is_in = |field: &&Field| field.group.as_ref().is_some_and(|own| crate::parse::name(own) == group);
    let members: Vec<String> = model.fields.iter().filter(is_in).map(|field| crate::parse::name(&field.name)).collect();
    (!members.is_empty()).then(|| list(members.iter().map(String::as_str)))
}

impl<'a> Lowering<'a> {
    /// `base.member`.
    pub(super) fn field(&mut self, field: &'a ExprField) -> Val<'a> {
        let span = field.member.span();
        let base = self.expr(&field.base);
        match (self.as_certain(base, &field.base), &field.member) {
            (Val::Unknown, _) => Val::Unknown,
            (Val::Place(FieldRef::Model(unit, path, sizes)), Member::Named(name)) => {
                self.member(unit, &path, &sizes, name)
            }
            (Val::Struct(_, fields), Member::Named(name))
                if fields.iter().any(|(own, _)| *own == crate::parse::name(name)) =>
            {
                let name = crate::parse::name(name);
                fields.into_iter().find(|(own, _)| *own == name).map_or(Val::Unknown, |(_, value)| value)
            }
            (Val::Struct(ty, fields), Member::Named(name)) => {
                let (wanted, known) = (crate::parse::name(name), || fields.iter().map(|(own, _)| own.as_str()));
                let (near, all) = (suggestion(&wanted, known()), list(known()));
                self.report(span, &m::UNKNOWN_FIELD, &[&ty, &wanted, &near, &all])
            }
            (Val::Tuple(values), Member::Unnamed(position)) => match values.get(position.index as usize) {
                Some(value) => value.clone(),
                None => {
                    let (count, last) = (values.len(), values.len().saturating_sub(1));
                    self.report(span, &m::TUPLE_FIELD, &[&count, &position.index, &last])
                }
            },
            (Val::Tensor(_) | Val::Number(_) | Val::Place(FieldRef::Layer(..)), Member::Named(name))
                if name == words::FORWARD || is_builtin(&crate::parse::name(name)) =>
            {
                let name = crate::parse::name(name);
                let args = ops::find(&name).map_or(&[][..], |operation| operation.args.get(1..).unwrap_or_default());
                let args = if name == words::FORWARD { "&x".to_string() } else { names(args) };
                self.report(span, &m::METHOD_WITHOUT_CALL, &[&name, &name, &args])
            }
            (Val::Place(FieldRef::Layer(layer, _, path, sizes)), Member::Named(name)) => {
                self.layer_tensor(layer, &path, &sizes, name)
            }
            (Val::Struct(ty, fields), Member::Unnamed(position)) => {
                let all = list(fields.iter().map(|(own, _)| own.as_str()));
                self.report(span, &m::UNKNOWN_FIELD, &[&ty, &position.index, &"", &all])
            }
            (base, _) => {
                let member = field.member.to_token_stream().to_string();
                if let (Val::Tensor(_), Some(here)) = (&base, foreign::operation(&member)) {
                    let hint = here.hint(&written(&field.base), &[]);
                    return self.report(span, &m::ELSEWHERE, &[&member, &hint]);
                }
                self.report(span, &m::NO_FIELDS, &[&base.kind(), &member])
            }
        }
    }

    /// `self.embed.weight`: a tensor of a layer, the one that its `forward` uses.
    fn layer_tensor(&mut self, field: &'a LayerField, path: &str, sizes: &Sizes, name: &syn::Ident) -> Val<'a> {
        let Some(config) = self.configured(field, sizes, name.span()) else { return Val::Unknown };
        let specs = (field.layer.tensors)(&config);
        let wanted = crate::parse::name(name);
        if let Some(spec) = specs.iter().find(|spec| spec.name == wanted) {
            let Some(id) = self.tensor_of(field, path, spec, name.span()) else { return Val::Unknown };
            let path = format!("{path}.{wanted}");
            for axis in 0..spec.shape.len() {
                self.builder.set_origin(id, axis, Origin::Tensor(path.clone()));
            }
            return Val::Tensor(id);
        }
        if let Some((key, value)) = super::fitting::left_out(field, &config, &wanted) {
            let values: [&dyn std::fmt::Display; 7] = [&field.layer.name, &wanted, &key, &value, &key, &!value, &key];
            return self.report(name.span(), &m::TENSOR_LEFT_OUT, &values);
        }
        let known = || specs.iter().map(|spec| spec.name);
        match known().next() {
            Some(_) => {
                let (near, all) = (suggestion(&wanted, known()), list(known()));
                self.report(name.span(), &m::UNKNOWN_FIELD, &[&field.layer.name, &wanted, &near, &all])
            }
            None => self.report(name.span(), &m::NO_FIELDS, &[&format!("a `{}`", field.layer.name), &wanted]),
        }
    }

    /// The field of that name of the model at `path`.
    pub(super) fn member(&mut self, unit: &'a Unit, path: &str, sizes: &Rc<Sizes>, name: &syn::Ident) -> Val<'a> {
        let Some(model) = &unit.model else { return Val::Unknown };
        let wanted = crate::parse::name(name);
        if let Some(variants) = &model.variants {
            let arms = variants.arms(&model.name, &wanted);
            return self.report(name.span(), &m::ENUM_FIELD, &[&model.name, &wanted, &arms]);
        }
        let Some(field) = model.fields.iter().find(|field| crate::parse::name(&field.name) == wanted) else {
            let known = || model.fields.iter().map(|field| crate::parse::name(&field.name)).collect::<Vec<_>>();
            let near = suggestion(&wanted, known().iter().map(String::as_str));
            let all = list(known().iter().map(String::as_str));
            if let Some(members) = members_of(model, &wanted) {
                return self.report(name.span(), &m::GROUP_AS_FIELD, &[&model.name, &wanted, &wanted, &members]);
            }
            return self.report(name.span(), &m::UNKNOWN_FIELD, &[&model.name, &wanted, &near, &all]);
        };
        self.note_used(path, |model| {
            let mark = paths::field_mark(&wanted, name.span());
            quote!(let _ = #model.#mark();)
        });
        if field.frozen {
            self.frozen.insert(format!("{path}{wanted}"));
        }
        self.resolve(unit, &field.kind, sizes, &wanted, format!("{path}{wanted}"))
    }

    /// Notes what the function that is compiled uses of the model at `path`, another one than its own: a statement about that model, by
    /// which rustc judges whether this one may, and sees that it is used.
    pub(super) fn note_used(&mut self, path: &str, used: impl FnOnce(TokenStream) -> TokenStream) {
        // A further block, which may stand in another module, sees no fields of Rust.
        let further = self.frame().unit.main.is_some();
        if self.frames.len() == 1 && !further && !path.is_empty() {
            let model = model_at(self.frame().unit, path);
            self.private.push(used(model));
        }
    }

    /// Rule: a pattern is of the model that it takes apart. Wrong: `let Some(Other { w }) = &self.own`. Rustc judges that.
    pub(super) fn note_pattern(&mut self, own: &syn::Path, path: &str) {
        if self.frames.len() == 1 && self.frame().unit.main.is_none() {
            let model = model_at(self.frame().unit, path);
            self.private.push(quote_spanned!(own.span()=> let #own { .. } = &#model;));
        }
    }

    /// The value of a field of that kind; `name` is for messages, `path` for parameters.
    pub(super) fn resolve(
        &mut self,
        unit: &'a Unit,
        kind: &'a FieldKind,
        sizes: &Rc<Sizes>,
        name: &str,
        path: String,
    ) -> Val<'a> {
        match kind {
            FieldKind::Layer(layer) => Val::Place(FieldRef::Layer(layer, name.to_string(), path, sizes.clone())),
            FieldKind::Many { each, count, .. } => match self.length(&sizes.field(count), name) {
                Some(count) => Val::Place(FieldRef::Many(unit, each, count, name.to_string(), path, sizes.clone())),
                None => Val::Unknown,
            },
            FieldKind::Slot(_) => self.open(),
            FieldKind::Several { kinds, form } => {
                let each = kinds.iter().enumerate().map(|(position, kind)| {
                    let (name, path) = match form {
                        Form::Tuple => (format!("{name}.{position}"), format!("{path}.{position}")),
                        Form::Array | Form::Vec => (format!("{name}[{position}]"), format!("{path}.{position}")),
                    };
                    self.resolve(unit, kind, sizes, &name, path)
                });
                let each = each.collect();
                if *form == Form::Tuple { Val::Tuple(each) } else { Val::List(each) }
            }
            FieldKind::Model(field) => match unit.nested_in(field) {
                // rustc says that a size is missing.
                Some(nested) if nested.model.as_ref().is_some_and(|model| model.lacks(field.sizes.len())) => {
                    Val::Unknown
                }
                Some(nested) => {
                    let given: Vec<_> = field.sizes.iter().map(|size| sizes.field(size)).collect();
                    let model = nested.model.as_ref();
                    let inner = model.map(|model| Sizes::nested(model, &nested.given, &given)).unwrap_or_default();
                    if let Some(variant) = &field.variant {
                        self.fix_variant(nested, &format!("{path}."), variant);
                    }
                    Val::Place(FieldRef::Model(nested, format!("{path}."), Rc::new(inner)))
                }
                None => Val::Unknown,
            },
            FieldKind::Optional { each, present } => match present.holds(&|size| sizes.field(size)) {
                Ok(true) => Val::Option(Some(Box::new(self.resolve(unit, each, sizes, name, path)))),
                Ok(false) => Val::Option(None),
                Err(size) if self.is_open(&size) => self.open(),
                Err(size) => self.report(Span::call_site(), &m::PRESENCE, &[&size]),
            },
            FieldKind::Constant { value, ty } => {
                Val::from(*value).declared(DType::from_name(&crate::parse::text(ty)).filter(|dtype| dtype.is_integer()))
            }
            FieldKind::Tensor(tensor) if tensor.shape.iter().any(|size| quotient::is_in(&sizes.field(size))) => {
                self.open()
            }
            FieldKind::Tensor(tensor) => Val::Tensor(self.own_tensor(tensor, sizes, name, path)),
            FieldKind::Unknown => Val::Unknown,
        }
    }

    /// Each element of an array of layers or models.
    pub(super) fn elements(&mut self, place: &FieldRef<'a>) -> Vec<Val<'a>> {
        match place {
            FieldRef::Many(unit, each, count, name, path, sizes) => (0..*count)
                .map(|position| {
                    self.resolve(unit, each, sizes, &format!("{name}[{position}]"), format!("{path}.{position}"))
                })
                .collect(),
            _ => Vec::new(),
        }
    }

    /// `base[index]`: an element of an array of layers, of a list, or, in a kernel, of a tensor.
    pub(super) fn subscript(&mut self, index: &'a ExprIndex) -> Val<'a> {
        if let Some(value) = self.element_read(index) {
            return value;
        }
        if let Some(refused) = self.size_by_index(index) {
            return refused;
        }
        let base = self.expr(&index.expr);
        if let Val::Tensor(tensor) = base {
            return self.part_of(index, tensor);
        }
        if let Some(refused) = self.rest_of_list(index, &base) {
            return refused;
        }
        let position = self.expr(&index.index);
        let values = match &base {
            Val::Unknown => return Val::Unknown,
            Val::Place(place @ FieldRef::Many(..)) => self.elements(place),
            Val::List(values) => values.clone(),
            Val::Stack(_) => {
                let (list, at) = (text(&index.expr), text(&index.index));
                let instead =
                    format!("make one tensor of it, and take a part of that: write `{list}.stack(0).get(0, {at})`");
                return self.report(
                    index.span(),
                    &m::UNSUPPORTED,
                    &[&"indexing a list of a tensor for each round", &instead],
                );
            }
            other => {
                let kind = other.kind();
                let instead = "lists, and arrays of layers, have elements";
                return self.report(index.span(), &m::UNSUPPORTED, &[&format!("indexing {kind}"), &instead]);
            }
        };
        self.element_of(&values, position, index)
    }

    fn own_tensor(&mut self, tensor: &TensorField, sizes: &Sizes, name: &str, path: String) -> NodeId {
        let shape: Vec<Dim> = tensor.shape.iter().map(|size| sizes.field(size)).collect();
        let rank = shape.len();
        let id = self.input(&path, shape, tensor.dtype, tensor.trainable);
        for axis in 0..rank {
            self.builder.set_origin(id, axis, Origin::Tensor(name.to_string()));
        }
        id
    }

    /// The parameter or state of that path, made once.
    pub(super) fn input(&mut self, path: &str, shape: Vec<Dim>, dtype: DType, trainable: bool) -> NodeId {
        if let Some(id) = self.tensors.get(path) {
            return *id;
        }
        let kind = if trainable { InputKind::Parameter } else { InputKind::State };
        let mut id = self.builder.input(kind, path, Shape(shape), dtype);
        let is_in =
            |frozen: &String| path.strip_prefix(frozen).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
        if trainable && self.frozen.iter().any(is_in) {
            id = self.builder.detach(id);
        }
        self.tensors.insert(path.to_string(), id);
        id
    }

    /// `layer.forward(..)`; `span` is the layer's name in the call.
    pub(super) fn layer(
        &mut self,
        field: &'a LayerField,
        sizes: &Sizes,
        (name, path): (&str, &str),
        args: &[NodeId],
        span: Span,
    ) -> Val<'a> {
        let Some(config) = self.configured(field, sizes, span) else { return Val::Unknown };
        let specs = (field.layer.tensors)(&config);
        let used = specs.iter().any(|spec| self.tensors.contains_key(&Self::tensor_path(field, path, spec.name)));
        let tensors: Option<Vec<NodeId>> = specs.iter().map(|spec| self.tensor_of(field, path, spec, span)).collect();
        let Some(tensors) = tensors else { return Val::Unknown };
        let seed = self.seed();
        let mut updates = Vec::new();
        self.at(span);
        let mut context = Context {
            builder: &mut self.builder,
            config: &config,
            name,
            tensors: &tensors,
            mode: self.mode,
            seed,
            updates: &mut updates,
        };
        let windows = context.builder.windows();
        let result = layers::forward(field.layer, &mut context, args);
        self.builder.name_windows(windows, name);
        for (position, id) in updates {
            let path = Self::tensor_path(field, path, specs[position].name);
            let instead = "call what keeps a state before the loop or behind it, on all rounds at once".to_string();
            self.note_state(&format!("`{name}`"), span, instead);
            // A second use in the same call goes on from the first one's update.
            self.tensors.insert(path.clone(), id);
            self.updates.insert(path, id);
        }
        match result {
            Ok(id) => {
                self.builder.name(id, name);
                self.note_origins(&config, name, id);
                self.note_whole_path(name, path, id);
                Val::Tensor(self.new_tensor(id))
            }
            Err(mut diagnostic) => {
                // The number in the configuration that does not fit is the token that is wrong.
                let mismatch = diagnostic.mismatch.as_deref().copied();
                let key = match mismatch {
                    Some(Mismatch { key, .. }) => config.keys.iter().position(|own| own.name == key),
                    None => named_key(&config, &diagnostic.message),
                };
                if self.may_fit(&config, key, args) {
                    return self.open();
                }
                // What comes is arranged otherwise: the call is wrong, not the number.
                let rearranged = mismatch.is_some_and(|mismatch| mismatch.rearranged);
                if let Some(place) = key.and_then(|position| field.places[position]).filter(|_| !rearranged) {
                    diagnostic.span = self.diag.id(place);
                }
                if let [x] = *args
                    && let Some((instead, place)) = self.rank_for_size(x, field)
                {
                    diagnostic = Diagnostic { span: self.diag.id(place), ..diagnostic.hint(instead) };
                }
                diagnostic = self.explained(diagnostic);
                if let (true, Some(hint), Some(uncalled)) = (rearranged, &diagnostic.hint, self.uncalled_before(name)) {
                    diagnostic.hint = Some(format!("{hint}; {uncalled}"));
                }
                if let (None, Some(Mismatch { axis, .. }), Some(key), [x]) = (&diagnostic.hint, mismatch, key, args) {
                    let layer = Misfit { field, name, config: &config, x: *x, used };
                    diagnostic.hint = self.fitting(&layer, key, axis);
                }
                self.diag.diagnostic(&diagnostic, span);
                Val::Unknown
            }
        }
    }

    /// Reports what the compiler says.
    pub(super) fn diagnostic(&self, diagnostic: Diagnostic, span: Span) {
        self.diag.diagnostic(&self.explained(diagnostic), span);
    }

    /// What the compiler says, and where it names a `const` of Rust, whose value the compiler does not see, how it would.
    fn explained(&self, mut diagnostic: Diagnostic) -> Diagnostic {
        let consts = self.frame().unit.model.as_ref().map(|model| &model.consts);
        let words =
            |text: &str, name: &str| text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == name);
        let named = consts.into_iter().flatten().map(crate::parse::name).find(|name| words(&diagnostic.message, name));
        if diagnostic.hint.is_none() {
            let (hint, place) = self.misnamed(|name| words(&diagnostic.message, name)).unzip();
            diagnostic.hint = hint;
            diagnostic.span = place.flatten().map_or(diagnostic.span, |place| self.diag.id(place));
        }
        if let Some(name) = named.filter(|_| diagnostic.hint.is_none()) {
            let instead = match name.chars().count() {
                // Where it is computed with, a name of one letter is a size.
                1 => format!(
                    "the value of a `const` is known with `#[netcl::constant]` above it and a name of several letters: `{}`",
                    crate::parse::constant::longer(&name)
                ),
                _ => format!(
                    "write `{name}` where the same size is meant; its value is known with `#[netcl::constant]` above it, and then named \
                     as `{{ {name} }}`"
                ),
            };
            diagnostic = diagnostic.hint(instead);
        }
        diagnostic
    }

    /// What a size that the message names is taken for, where it may be meant to be something else: a parameter of the struct that
    /// the block calls by another one's name, or a constant of one letter, `{ W * 2 }`.
    fn misnamed(&self, said: impl Fn(&str) -> bool) -> Option<(String, Option<Span>)> {
        let unit = self.frame().unit;
        let model = unit.model.as_ref()?;
        let own: Vec<String> = model.parameters.iter().map(|(name, _)| crate::parse::name(name)).collect();
        let given: Vec<String> = unit.given.iter().map(ToString::to_string).collect();
        if own != given && own.iter().all(|name| given.contains(name)) && own.iter().any(|name| said(name)) {
            let (name, own, given) = (unit.name(), own.join(", "), given.join(", "));
            let instead = format!(
                "the block is for `{name}<{given}>`, the struct is `{name}<{own}>`: write the names in its order"
            );
            return Some((instead, None));
        }
        let (computed, place) = self.computed.iter().find(|(name, _)| said(name))?;
        let instead = format!(
            "`{computed}` is a size here, as every name of one letter is: call the `#[netcl::constant]` `{}`",
            crate::parse::constant::longer(computed)
        );
        Some((instead, Some(*place)))
    }

    /// What sizes come from a layer of a nested model, `m`, is told by its path from here, `e.m`.
    fn note_whole_path(&mut self, name: &str, path: &str, id: NodeId) {
        let whole = path.split('.').fold(String::new(), |whole, part| match part.parse::<usize>() {
            Ok(position) => format!("{whole}[{position}]"),
            Err(_) if whole.is_empty() => part.to_string(),
            Err(_) => format!("{whole}.{part}"),
        });
        if whole == name {
            return;
        }
        for axis in 0..self.builder.shape(id).rank() {
            let Some(mut origin) = self.builder.origin(id, axis).map(|origin| Origin::clone(origin)) else { continue };
            if let Some(own) = origin.of_model().filter(|own| *own == name) {
                own.clone_from(&whole);
                self.builder.set_origin(id, axis, origin);
            }
        }
    }

    /// Notes which configuration key an axis of the result has its size from, where the layer has not.
    fn note_origins(&mut self, config: &Config, name: &str, id: NodeId) {
        let sizes = config.keys.iter().filter(|key| key.kind == ConfigKind::Size || key.kind == ConfigKind::Fixed);
        let outputs = sizes
            .map(|key| key.name)
            .find(|name| matches!(*name, "outputs" | "features" | "dimension"))
            .map(|key| (key, config.size(key)));
        let Some((key, size)) = outputs else { return };
        for axis in 0..self.builder.shape(id).rank() {
            if self.builder.shape(id)[axis] == size && self.builder.origin(id, axis).is_none() {
                let origin = Origin::Key { layer: name.to_string(), key, size: size.clone() };
                self.builder.set_origin(id, axis, origin);
            }
        }
    }
}

/// Which key the message names: `kernel = 5` with `dilation = 2` is a window of 9.
fn named_key(config: &Config, message: &str) -> Option<usize> {
    config.keys.iter().position(|key| message.contains(&format!(" with `{} = ", key.name)))
}
