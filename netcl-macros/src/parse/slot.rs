//! A field whose type is a parameter of the struct: `#[layer(features = C)] norm: L`.

use super::attr::{self, Pairs};
use super::constant::Constants;
use super::own::{OwnKey, find, own_keys};
use super::{init, suggestion};
use crate::ast::{FieldKind, Slot, Starts};
use crate::diag::Diag;
use crate::messages as m;
use crate::words;
use netcl_kernels::dtype::DType;
use netcl_kernels::layers::{self, Config, ConfigKind, ConfigValue, Layer};
use proc_macro2::Ident;
use syn::Attribute;
use syn::spanned::Spanned;

/// The field, whose keys are those of any layer.
pub(super) fn slot(
    (diag, field): (&Diag, &str),
    parameter: &Ident,
    attrs: &[Attribute],
    own: OwnKey<'_>,
    constants: &Constants,
) -> Option<FieldKind> {
    let before = diag.count();
    let mut pairs = find(attrs, words::LAYER).map_or_else(Pairs::default, |given| attr::pairs(diag, given));
    own_keys(diag, &mut pairs, own, &super::name(parameter));
    let mut start =
        |key: &str| pairs.take(key).and_then(|given| init::start(diag, (key, &given), DType::F32, constants));
    let starts = Starts { weights: start(words::INIT), biases: start(words::BIAS_INIT) };
    if let Some(given) = pairs.take(words::SHARED) {
        diag.report(given.span(), &m::SLOT_SHARED, &[&field, parameter]);
    }
    let mut settings = Vec::new();
    for (key, value) in &pairs.given {
        let name = super::name(key);
        let has = |layer: &&&Layer| layer.config.iter().any(|known| known.name == name);
        let Some(layer) = layers::all().iter().find(has) else {
            let known = layers::all().iter().flat_map(|layer| layer.config).map(|key| key.name);
            diag.report(key.span(), &m::SLOT_KEY, &[&name, &suggestion(&name, known)]);
            continue;
        };
        let place = value.span();
        let value = attr::config_value(value, constants);
        if matches!(&value, ConfigValue::Named(size) if !attr::divides_known(diag, size, place, constants)) {
            continue;
        }
        let named = layer.config.iter().any(|key| key.name == name && key.kind == ConfigKind::Size);
        // What the key does not take in this layer, it takes in none; other keys are not asked for here.
        let opened = attr::opened(value.clone(), named, constants);
        if let Err(errors) = Config::from_pairs(layer, &[(&name, opened, diag.id(place))]) {
            let wrong = errors.iter().filter(|error| error.message.starts_with(&format!("`{name}` of")));
            wrong.for_each(|error| diag.diagnostic(error, place));
        }
        settings.push((name, value));
    }
    (!pairs.broken && diag.count() == before)
        .then(|| FieldKind::Slot(Slot { name: parameter.clone(), settings, starts }))
}
