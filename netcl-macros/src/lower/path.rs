//! Paths of a model's parts, `blocks.0.inner.`, as they are written in its bodies.

use crate::ast::{FieldKind, Form, Unit};
use crate::parse;
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::quote;

/// What leads from a model to its part, and on from there.
enum PathStep {
    Field(String),
    /// An element of a list, and how many that has.
    Element(usize, String),
    /// A part of a tuple.
    Part(usize),
    /// What stands in an `Option`.
    There,
}

/// The steps of `path` from a model of `unit`.
fn steps(unit: &Unit, path: &str) -> Vec<PathStep> {
    let mut steps = Vec::new();
    let (mut unit, mut kind): (_, Option<&FieldKind>) = (Some(unit), None);
    for part in path.split('.').filter(|part| !part.is_empty()) {
        match part.parse::<usize>() {
            Ok(position) => {
                steps.push(match kind {
                    Some(FieldKind::Several { form: Form::Tuple, .. }) => PathStep::Part(position),
                    Some(FieldKind::Several { kinds, .. }) => PathStep::Element(position, kinds.len().to_string()),
                    Some(FieldKind::Many { count, .. }) => PathStep::Element(position, count.to_string()),
                    _ => PathStep::Element(position, (position + 1).to_string()),
                });
                kind = kind.and_then(|kind| match kind.inner() {
                    [each] if !matches!(kind, FieldKind::Several { .. }) => Some(each),
                    kinds => kinds.get(position),
                });
            }
            Err(_) => {
                steps.push(PathStep::Field(part.to_string()));
                let fields = unit.and_then(|unit| unit.model.as_ref()).map(|model| &model.fields);
                let field = fields.and_then(|fields| fields.iter().find(|field| parse::name(&field.name) == part));
                kind = field.map(|field| &field.kind);
            }
        }
        while let Some(FieldKind::Optional { each, .. }) = kind {
            steps.push(PathStep::There);
            kind = Some(&**each);
        }
        if let Some(FieldKind::Model(nested)) = kind {
            unit = unit.and_then(|unit| unit.nested_in(nested));
        }
    }
    steps
}

/// The model whose parameters begin with `path`, as an expression of `self`, a model of `unit`: `self.blocks[0].inner` for
/// `blocks.0.inner.`, and `self.stages.0` of a tuple. What stands in an `Option`, as a part of an enum's variant does, is taken out
/// of it.
pub(super) fn model_at(unit: &Unit, path: &str) -> TokenStream {
    steps(unit, path).into_iter().fold(quote!(self), |model, step| match step {
        PathStep::Field(name) => {
            let name = syn::parse_str(&name).unwrap_or_else(|_| Ident::new_raw(&name, Span::call_site()));
            quote!(#model.#name)
        }
        PathStep::Element(position, _) => {
            let position = Literal::usize_unsuffixed(position);
            quote!(#model[#position])
        }
        PathStep::Part(position) => {
            let position = Literal::usize_unsuffixed(position);
            quote!(#model.#position)
        }
        PathStep::There => {
            quote!((match &#model { ::core::option::Option::Some(there) => there, _ => ::core::unreachable!() }))
        }
    })
}

/// How a tensor of a model is written in its bodies, `self.blocks[0].mean`.
pub(super) struct WrittenPath {
    pub(super) whole: String,
    /// The same in a loop over the numbers of the innermost list, and how many it has.
    pub(super) in_loop: Option<(String, String)>,
}

/// The tensor at `path` of a model of `unit`.
pub(super) fn tensor_at(unit: &Unit, path: &str) -> WrittenPath {
    let steps = steps(unit, path);
    let innermost = steps.iter().rposition(|step| matches!(step, PathStep::Element(..)));
    let written = |in_loop: bool| {
        steps.iter().enumerate().fold("self".to_string(), |whole, (at, step)| match step {
            PathStep::Field(name) => format!("{whole}.{name}"),
            PathStep::Element(..) if in_loop && Some(at) == innermost => format!("{whole}[i]"),
            PathStep::Element(position, _) => format!("{whole}[{position}]"),
            PathStep::Part(position) => format!("{whole}.{position}"),
            PathStep::There => whole,
        })
    };
    let count = innermost.and_then(|at| match &steps[at] {
        PathStep::Element(_, count) => Some(count.clone()),
        _ => None,
    });
    WrittenPath { whole: written(false), in_loop: count.map(|count| (written(true), count)) }
}
