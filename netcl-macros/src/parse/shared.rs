//! Tensors that two layers share: `#[layer(inputs = 8, outputs = 50, shared = words)]`.

use crate::ast::{Field, FieldKind, LayerField, SharedTensors, SharedWith};
use crate::diag::Diag;
use crate::messages as m;
use crate::words;
use proc_macro2::Ident;
use std::collections::BTreeSet;
use syn::spanned::Spanned;
use syn::{Expr, Member};

/// The layer of the struct's that `shared = words` names. A tensor of one, `words.weight`, is judged where the others are known.
pub(super) fn with(diag: &Diag, field: &str, given: &Expr) -> Option<SharedWith> {
    match (given, root(given)) {
        (Expr::Path(_), Some(name)) => Some(SharedWith { name, part: None }),
        (Expr::Field(inner), Some(own)) if own == "self" && matches!(*inner.base, Expr::Path(_)) => {
            let member = super::text(&inner.member);
            diag.report(given.span(), &m::SHARED_SELF, &[&super::text(given), &member]);
            None
        }
        (Expr::Field(_), Some(own)) if own == "self" => {
            let written = super::text(given);
            let without = written.strip_prefix("self.").unwrap_or(&written).to_string();
            Some(SharedWith { name: member_of_self(given)?, part: Some((without, given.span())) })
        }
        (Expr::Field(_), Some(name)) => Some(SharedWith { name, part: Some((super::text(given), given.span())) }),
        _ => {
            diag.report(given.span(), &m::SHARED, &[&field, &format!("`{}`", super::text(given))]);
            None
        }
    }
}

/// `a` of `a.b.c`.
fn root(of: &Expr) -> Option<Ident> {
    match of {
        Expr::Path(path) => path.path.get_ident().cloned(),
        Expr::Field(inner) => root(&inner.base),
        _ => None,
    }
}

/// `b` of `self.b.c`.
fn member_of_self(of: &Expr) -> Option<Ident> {
    let Expr::Field(field) = of else { return None };
    match (&*field.base, &field.member) {
        (Expr::Path(_), Member::Named(name)) => Some(name.clone()),
        (base, _) => member_of_self(base),
    }
}

/// Finds the layers that fields share tensors with. What is wrong is reported, and then nothing is shared.
pub(crate) fn resolve(diag: &Diag, fields: &mut [Field]) {
    let layers: Vec<(String, Option<LayerField>)> = fields
        .iter()
        .map(|field| match &field.kind {
            FieldKind::Layer(layer) => (super::name(&field.name), Some(layer.clone())),
            _ => (super::name(&field.name), None),
        })
        .collect();
    let is_model = |field: &&Field| matches!(field.kind, FieldKind::Model(_));
    let models: BTreeSet<String> = fields.iter().filter(is_model).map(|field| super::name(&field.name)).collect();
    let circle = |from: &str| circle(&layers, from);
    for field in fields {
        let FieldKind::Layer(own) = &mut field.kind else {
            if let Some(with) = named(&field.kind) {
                let found = "a layer that stands in an array or an `Option`".to_string();
                diag.report(with.span(), &m::SHARED, &[&field.name, &found]);
                field.kind = FieldKind::Unknown;
            }
            continue;
        };
        let Some(with) = own.shared_with.clone() else { continue };
        let other = layers.iter().find(|(name, _)| *name == super::name(&with.name));
        if let (Some((written, place)), Some((name, layer))) = (&with.part, other)
            && (layer.is_some() || models.contains(name))
        {
            match layer {
                Some(_) => diag.report(*place, &m::SHARED_TENSOR, &[&with.name, &with.name]),
                None => {
                    let tensor = [".weight", ".bias"].iter().find_map(|name| written.strip_suffix(name));
                    let layer = tensor.unwrap_or(written);
                    diag.report(*place, &m::SHARED_IN_MODEL, &[&field.name, &with.name, &layer, &layer]);
                }
            }
            field.kind = FieldKind::Unknown;
            continue;
        }
        let with = with.name;
        let found = match other {
            None => Err(format!("`{with}`, which is no field")),
            Some((name, None)) if models.contains(name) => Err(format!("`{with}`, which is a model")),
            Some((_, None)) => Err(format!("`{with}`, which is no layer")),
            Some((name, _)) if *name == super::name(&field.name) => Err("itself".to_string()),
            // The first of them says it.
            Some(_) if circle(&super::name(&field.name)).is_some_and(|first| first != super::name(&field.name)) => {
                field.kind = FieldKind::Unknown;
                continue;
            }
            Some((_, Some(other))) if other.shared_with.is_some() => {
                Err(format!("`{with}`, whose tensors are those of another field"))
            }
            Some((name, Some(other))) => tensors(own, other)
                .map(|tensors| SharedTensors { field: name.clone(), tensors })
                .ok_or_else(|| misfit((own, &super::name(&field.name)), (other, name))),
        };
        match found {
            Ok(shared) => {
                starts_elsewhere(diag, own, &shared, &field.name);
                own.shared = Some(shared);
            }
            Err(found) => {
                diag.report(with.span(), &m::SHARED, &[&field.name, &found]);
                field.kind = FieldKind::Unknown;
            }
        }
    }
}

/// The first of the fields that share tensors with each other in a circle through the field `from`.
fn circle(layers: &[(String, Option<LayerField>)], from: &str) -> Option<String> {
    let next = |name: &str| {
        let (_, layer) = layers.iter().find(|(own, _)| own == name)?;
        layer.as_ref()?.shared_with.as_ref().map(|with| super::name(&with.name))
    };
    let mut circle = vec![from.to_string()];
    while let Some(name) = next(circle.last()?) {
        if name == from {
            return layers.iter().map(|(own, _)| own).find(|own| circle.contains(own)).cloned();
        }
        if circle.contains(&name) {
            return None;
        }
        circle.push(name);
    }
    None
}

/// Rule: what is said to start is the layer's own. Wrong: `init = 0.0` beside `shared = words`.
fn starts_elsewhere(diag: &Diag, own: &LayerField, shared: &SharedTensors, name: &Ident) {
    let tensors = (own.layer.tensors)(&own.config.closed());
    for key in &own.starting {
        let of_bias = key == words::BIAS_INIT;
        let mut started = tensors.iter().filter(|tensor| tensor.trainable && tensor.name.ends_with("bias") == of_bias);
        if started.all(|tensor| shared.tensors.iter().any(|(name, _)| *name == tensor.name)) {
            diag.report(key.span(), &m::SHARED_START, &[&key, name, &shared.field, &key, &shared.field]);
        }
    }
}

/// Why nothing of `other` is a tensor of `own`: both with the names of their fields.
fn misfit((own, name): (&LayerField, &str), (other, with): (&LayerField, &str)) -> String {
    let [mine, others] = [own, other].map(|field| (field.layer.tensors)(&field.config.closed()));
    let sizes =
        |shape: &[netcl_kernels::dim::Dim]| shape.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let alike = mine.iter().find_map(|spec| Some((spec, others.iter().find(|there| there.name == spec.name)?)));
    let Some((spec, there)) = alike else { return format!("`{with}`, which has no tensor of the same name") };
    let (tensor, own, there) = (spec.name, sizes(&spec.shape), sizes(&there.shape));
    format!("`{with}`, whose `{with}.{tensor}` [{there}] does not fit: `{name}.{tensor}` is [{own}]")
}

/// The field that is named where nothing can be shared.
fn named(kind: &FieldKind) -> Option<&Ident> {
    match kind {
        FieldKind::Layer(layer) => layer.shared_with.as_ref().map(|with| &with.name),
        other => other.inner().iter().find_map(named),
    }
}

/// The tensors of `own` that `other` has too, by their names, and whether each is the other's transpose.
fn tensors(own: &LayerField, other: &LayerField) -> Option<Vec<(&'static str, bool)>> {
    let open = own.config.is_open() || other.config.is_open();
    if open && own.layer.name != other.layer.name {
        return None;
    }
    let [mine, others] = [own, other].map(|field| (field.layer.tensors)(&field.config.closed()));
    let mut all = Vec::new();
    for spec in &mine {
        let Some(there) = others.iter().find(|there| there.name == spec.name) else { continue };
        let reversed = spec.shape.len() == 2 && spec.shape.iter().eq(there.shape.iter().rev());
        match open || spec.shape == there.shape {
            true => all.push((spec.name, false)),
            false if reversed => all.push((spec.name, true)),
            // A bias of another length is its own.
            false if spec.shape.len() == 1 => {}
            false => return None,
        }
    }
    (!all.is_empty()).then_some(all)
}
