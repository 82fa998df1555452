//! That the sizes of what is there are at least 1, which rustc finds while it compiles. What a number leaves out has none:
//! `#[layer(outputs = R, present = R)]`, also where it is a model that this number is a size of.

use super::rust::{part, signed};
use crate::ast::{FieldKind, ModelItem, Nested};
use crate::parse::model::visit_sizes;
use crate::presence::Presence;
use netcl_kernels::dim::Dim;
use netcl_kernels::graph::CompareOp;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};

/// The items that say so.
pub(super) struct Checks {
    /// The same for all numbers: an item beside the model. `None` where numbers decide.
    pub(super) beside: Option<TokenStream>,
    /// Those of the model as a part.
    pub(super) of_part: TokenStream,
}

/// Where a size or a part stands: under these conditions, each of an `Option` around it.
struct Conditional<T> {
    what: T,
    present: Option<TokenStream>,
}

/// What is checked of a model.
pub(super) fn checks(model: &ModelItem) -> Checks {
    let names = model.sizes();
    let (mut sizes, mut parts) = (Vec::new(), Vec::new());
    for field in &model.fields {
        visit(&field.kind, None, &names, &mut sizes, &mut parts);
    }
    let own = |found: &Conditional<Dim>| {
        let (dim, least) = (&found.what, signed(&found.what, &names));
        let message = format!("`{dim}` is a size of `{}` and must be at least 1", model.name);
        (found.present.iter().map(|present| quote!(!(#present) ||)).collect::<TokenStream>(), least, message)
    };
    let asserted = sizes.iter().map(|found| {
        let (absent, least, message) = own(found);
        let first = super::rust::size(&found.what, &names).into_iter().next();
        let place = first.map_or_else(Span::call_site, |first| first.span());
        quote_spanned!(place=> ::core::assert!(#absent #least >= 1, #message);)
    });
    // Of parts that may be left out, what is wrong is asked first: their own check fails wherever it is named.
    let perhaps = parts.iter().filter_map(|found| {
        let (present, wrong) = (found.present.as_ref()?, found.what.item("WRONG_SIZE"));
        Some(quote_spanned! {found.what.place()=>
            if let (true, ::core::option::Option::Some(__netcl_part)) = (#present, #wrong) {
                ::core::panic!("{}", __netcl_part);
            }
        })
    });
    let checks: TokenStream = asserted.chain(perhaps).collect();
    let further = parts.iter().filter(|found| found.present.is_none()).map(|found| {
        let check = found.what.item("check_sizes");
        quote!(#check();)
    });
    let allowed = quote!(#[allow(unused_comparisons, unused_mut, clippy::all, clippy::pedantic)]);
    let generic = !model.generics.params.is_empty();
    // What a parameter is, is known where the model is used.
    let (beside, inside) = match (checks.is_empty(), generic) {
        (true, _) => (None, None),
        (false, false) => (Some(quote!(#allowed const _: () = { #checks };)), None),
        (false, true) => (None, Some(quote!(const { #checks }))),
    };
    let (some, none) = (quote!(::core::option::Option::Some), quote!(::core::option::Option::None));
    let of_sizes = sizes.iter().filter(|_| generic).map(|found| {
        let (absent, least, message) = own(found);
        quote!(if let (#none, false) = (__netcl_wrong, #absent #least >= 1) { __netcl_wrong = #some(#message); })
    });
    let of_parts = parts.iter().map(|found| {
        let (present, item) = (found.present.clone().unwrap_or(quote!(true)), found.what.item("WRONG_SIZE"));
        quote!(if let (#none, true, #some(__netcl_part)) = (__netcl_wrong, #present, #item) { __netcl_wrong = #some(__netcl_part); })
    });
    let wrong: TokenStream = of_sizes.chain(of_parts).collect();
    let of_part = quote! {
        #allowed
        const WRONG_SIZE: ::core::option::Option<&'static ::core::primitive::str> = {
            let mut __netcl_wrong = #none;
            #wrong
            __netcl_wrong
        };
        #allowed
        fn check_sizes() {
            #inside
            #(#further)*
        }
    };
    Checks { beside, of_part }
}

/// A part of the model, which checks its own sizes.
#[derive(Clone, Copy)]
enum SizedPart<'m> {
    Model(&'m Nested),
    Slot(&'m Ident),
}

impl SizedPart<'_> {
    /// Where its type stands.
    fn place(self) -> Span {
        match self {
            SizedPart::Model(nested) => super::rust::place(&nested.ty),
            SizedPart::Slot(parameter) => parameter.span(),
        }
    }

    fn item(self, item: &str) -> TokenStream {
        match self {
            SizedPart::Model(nested) => part(&nested.ty, item),
            SizedPart::Slot(parameter) => {
                let item = format_ident!("{item}");
                quote!(<#parameter as ::netcl::Module>::#item)
            }
        }
    }
}

fn visit<'m>(
    kind: &'m FieldKind,
    present: Option<&TokenStream>,
    names: &[Ident],
    sizes: &mut Vec<Conditional<Dim>>,
    parts: &mut Vec<Conditional<SizedPart<'m>>>,
) {
    let under = |more: &Presence| match (present, condition(more, names)) {
        (present, None) => present.cloned(),
        (None, more) => more,
        (Some(present), Some(more)) => Some(quote!((#present && #more))),
    };
    match kind {
        FieldKind::Optional { each, present: more } => visit(each, under(more).as_ref(), names, sizes, parts),
        FieldKind::Many { each, .. } => visit(each, present, names, sizes, parts),
        FieldKind::Several { kinds, .. } => kinds.iter().for_each(|kind| visit(kind, present, names, sizes, parts)),
        FieldKind::Model(nested) => {
            parts.push(Conditional { what: SizedPart::Model(nested), present: present.cloned() })
        }
        kind => {
            if let FieldKind::Slot(slot) = kind {
                parts.push(Conditional { what: SizedPart::Slot(&slot.name), present: present.cloned() });
            }
            visit_sizes(kind, &mut |size| {
                let known = |found: &Conditional<Dim>| {
                    found.what == *size
                        && (found.present.is_none()
                            || found.present.as_ref().map(ToString::to_string) == present.map(ToString::to_string))
                };
                if size.as_constant().is_none() && !sizes.iter().any(known) {
                    sizes.push(Conditional { what: size.clone(), present: present.cloned() });
                }
            });
        }
    }
}

/// The condition as a constant expression; `None` of what is always there. A model that is an enum has memory of all variants.
fn condition(present: &Presence, names: &[Ident]) -> Option<TokenStream> {
    Some(match present {
        Presence::Known(true) | Presence::Variant(_) => return None,
        Presence::Known(false) => quote!(false),
        Presence::Not(inner) => {
            let inner = condition(inner, names).unwrap_or(quote!(true));
            quote!((!#inner))
        }
        Presence::Both(and, sides) => {
            let [a, b] = [&sides[0], &sides[1]].map(|side| condition(side, names).unwrap_or(quote!(true)));
            if *and { quote!((#a && #b)) } else { quote!((#a || #b)) }
        }
        Presence::Compare(op, a, b) => {
            let [a, b] = [a, b].map(|side| signed(side, names));
            let op = match op {
                CompareOp::Eq => quote!(==),
                CompareOp::Ne => quote!(!=),
                CompareOp::Lt => quote!(<),
                CompareOp::Le => quote!(<=),
                CompareOp::Gt => quote!(>),
                CompareOp::Ge => quote!(>=),
            };
            quote!((#a #op #b))
        }
    })
}
