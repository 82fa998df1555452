//! Several in one field: tuples of models, `(Stage<64>, Stage<128>)`, and layers whose keys are lists,
//! `#[layer(inputs = [8, 16], outputs = [16, 4])] steps: [Linear; 2]`.

use super::text;
use crate::ast::{FieldKind, Form};
use crate::diag::Diag;
use crate::messages as m;
use crate::words;
use netcl_kernels::dim::Dim;
use netcl_kernels::layers::{self, ConfigKind, Layer};
use proc_macro2::TokenStream;
use quote::quote;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Attribute, Expr, ExprArray, MetaNameValue, Token, Type, TypeTuple};

/// What a type at a place is.
type KindOf<'k> = &'k dyn Fn((&Diag, &str), &Type) -> Option<FieldKind>;

/// A tuple of models, arrays of these among them; `kind` is what a type of one is.
pub(super) fn tuple(
    (diag, field): (&Diag, &str),
    tuple: &TypeTuple,
    attrs: &[Attribute],
    kind: KindOf<'_>,
) -> Option<FieldKind> {
    // Layers need keys, which a tuple has no place for.
    let silent = Diag::new();
    let place = |position: usize| format!("{field}.{position}");
    let known = tuple.elems.iter().enumerate().map(|(position, ty)| kind((&silent, &place(position)), ty));
    let is_model = |kind: &Option<FieldKind>| kind.as_ref().is_some_and(|kind| !kind.models().is_empty());
    let models = known.collect::<Vec<_>>().iter().all(is_model);
    silent.dismiss();
    if let Some(attr) = attrs.iter().find(|attr| !super::training::is_of_training(attr)).filter(|_| models) {
        let helper = super::own::helper(attr).unwrap_or_default();
        diag.report(
            attr.path().span(),
            &m::UNKNOWN_FIELD_ATTRIBUTE_USE,
            &[&helper, &text(tuple), &super::own::ATTRIBUTES_ARE],
        );
    }
    if !models {
        let ty = Type::Tuple(tuple.clone());
        diag.report(tuple.span(), &m::FIELD_TYPE, &[&text(tuple), &super::instead::foreign_type(field, &ty)]);
        return None;
    }
    let kinds = tuple.elems.iter().enumerate().map(|(position, ty)| kind((diag, &place(position)), ty));
    Some(FieldKind::Several { kinds: kinds.collect::<Option<_>>()?, form: Form::Tuple })
}

/// The keys of a field of which some are lists: a value for each layer.
pub(super) struct Lists {
    /// The attribute's position among those of the field.
    position: usize,
    pairs: Vec<MetaNameValue>,
}

impl Lists {
    /// Those of a field; `None` where no key is a list.
    pub(super) fn of(attrs: &[Attribute]) -> Option<Lists> {
        let position = attrs.iter().position(|attr| attr.path().is_ident(words::LAYER))?;
        let pairs = attrs[position].parse_args_with(Punctuated::<MetaNameValue, Token![,]>::parse_terminated).ok()?;
        let pairs: Vec<_> = pairs.into_iter().collect();
        pairs.iter().any(|pair| list(pair).is_some()).then_some(Lists { position, pairs })
    }

    /// What `count` is said to be.
    pub(super) fn count(&self) -> Option<&Expr> {
        self.pairs.iter().find(|pair| pair.path.is_ident(words::COUNT)).map(|pair| &pair.value)
    }

    /// The layers, as many as `count` says, or as the first list has values; `each` is a layer of such attributes at its place.
    pub(super) fn layers(
        &self,
        (diag, field): (&Diag, &str),
        attrs: &[Attribute],
        count: Option<Dim>,
        form: Form,
        each: &dyn Fn(&[Attribute], &str) -> Option<FieldKind>,
    ) -> Option<FieldKind> {
        let lists = || self.pairs.iter().filter_map(|pair| Some((&pair.path, list(pair)?)));
        let first = lists().next().map(|(_, list)| list.elems.len())?;
        let wanted = match count {
            None => first,
            Some(count) => match count.as_constant().and_then(|count| usize::try_from(count).ok()) {
                Some(count) => count,
                None => {
                    let (key, list) = lists().next()?;
                    diag.report(list.span(), &m::KEY_LIST_OPEN, &[&text(key), &count, &first]);
                    return None;
                }
            },
        };
        let before = diag.count();
        for (key, list) in lists().filter(|(_, list)| list.elems.len() != wanted) {
            diag.report(list.span(), &m::KEY_LIST_LENGTH, &[&text(key), &list.elems.len(), &field, &wanted]);
        }
        // Truth values say which tensors there are, and those are the same in all layers of a field.
        for (key, list) in lists().filter(|(key, _)| is_truth(key)) {
            let key = text(key);
            let instead = format!("it is one for all: write `{key} = true`, or a field for the others");
            diag.report(list.span(), &m::UNSUPPORTED, &[&format!("a list for `{key}`"), &instead]);
        }
        if diag.count() > before {
            return None;
        }
        let mut kinds = Vec::new();
        for position in 0..wanted {
            let pairs = self.pairs.iter().filter(|pair| !pair.path.is_ident(words::COUNT)).map(|pair| {
                let key = &pair.path;
                let value = list(pair).map_or(&pair.value, |list| &list.elems[position]);
                quote!(#key = #value)
            });
            let pairs: Vec<TokenStream> = pairs.collect();
            let mut own = attrs.to_vec();
            if let syn::Meta::List(list) = &mut own[self.position].meta {
                list.tokens = quote!(#(#pairs),*);
            }
            kinds.push(each(&own, &format!("{field}[{position}]"))?);
        }
        Some(FieldKind::Several { kinds, form })
    }
}

/// The values that each layer has one of. A list of what no layer has is spoken of as it is written.
fn list(pair: &MetaNameValue) -> Option<&ExprArray> {
    let Expr::Array(list) = &pair.value else { return None };
    let has = |layer: &&Layer| layer.config.iter().any(|key| pair.path.is_ident(key.name));
    let starts = [words::INIT, words::BIAS_INIT].iter().any(|key| pair.path.is_ident(key));
    (starts || layers::all().iter().any(has)).then_some(list)
}

/// Whether a layer takes `true` or `false` for the key.
fn is_truth(key: &syn::Path) -> bool {
    let mut keys = layers::all().iter().flat_map(|layer| layer.config);
    keys.any(|known| key.is_ident(known.name) && known.kind == ConfigKind::Bool)
}
