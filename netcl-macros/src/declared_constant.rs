//! `#[netcl::constant]`: a constant whose value is known, or is once others have told theirs.

use crate::chain::{self, Gathered, ItemKind, Need};
use crate::diag::{Diag, with_errors};
use crate::parse::constant::{self, Constants};
use crate::{messages as m, nesting, parse, payload, recover};
use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::spanned::Spanned;

/// `#[netcl::constant]`.
pub(crate) fn constant(args: TokenStream, item: TokenStream) -> TokenStream {
    let diag = Diag::new();
    if let Some(first) = args.into_iter().next() {
        diag.report(first.span(), &m::NO_ARGUMENTS, &[&"constant", &"constant"]);
    }
    if !nesting::judge(&diag, &item) {
        return with_errors(diag, TokenStream::new);
    }
    let parsed = syn::parse2::<syn::ItemConst>(item.clone()).ok();
    let none = Constants::new();
    let decided = parsed.as_ref().is_none_or(|item| parse::inside::value(&diag, &item.expr));
    let known = parsed.as_ref().is_some_and(|item| {
        constant::declared(&item.ty, &item.expr, &none).is_some()
            || constant::declared_list(&item.ty, &item.expr, &none).is_some()
    });
    let known = known && decided;
    let Some(mut parsed) = parsed else {
        if let Some((error, kept)) = recover::constant(&item) {
            let said = recover::unless_rustc(&error, &item);
            // Its value is made up.
            let export = chain::export(&kept.ident, &kept.vis, &payload::refused());
            return with_errors(diag, || quote!(#said #[allow(dead_code)] #kept #export));
        }
        let span = item.clone().into_iter().next().map_or_else(proc_macro2::Span::call_site, |first| first.span());
        let variable = syn::parse2::<syn::ItemStatic>(item.clone()).ok();
        let (found, instead) = match &variable {
            Some(given) => {
                let (name, ty, value) = (&given.ident, parse::text(&given.ty), parse::text(&given.expr));
                (", found a `static`", format!("write `#[netcl::constant] const {name}: {ty} = {value};`"))
            }
            None => ("", "write `#[netcl::constant] const HIDDEN: usize = 64;`".to_string()),
        };
        diag.report(span, &m::CONSTANT_FORM, &[&found, &instead]);
        let export = variable.map(|item| chain::export(&item.ident, &item.vis, &payload::refused()));
        return with_errors(diag, || quote!(#item #export));
    };
    parse::attr::once(&diag, &mut parsed.attrs, "constant");
    let others = constant::named(&parsed.expr);
    if !known && decided && !others.is_empty() {
        let answer = answered(&Gathered::default(), &parsed);
        return with_errors(diag, || quote!(#[allow(dead_code)] #parsed #answer));
    }
    if !known && decided {
        let found = format!(", found `{}`", parse::text(&parsed.expr));
        diag.report(parsed.expr.span(), &m::CONSTANT_FORM, &[&found, &constant::example(&parsed)]);
    }
    let payload = if known { payload::constant(&parsed) } else { payload::refused() };
    let export = chain::export(&parsed.ident, &parsed.vis, &payload);
    if !known {
        without_value(&mut parsed);
    }
    with_errors(diag, || quote!(#[allow(dead_code)] #parsed #export))
}

/// What tells the value of a constant that is computed from others, once these have told theirs.
pub(crate) fn answered(gathered: &Gathered, item: &syn::ItemConst) -> TokenStream {
    let others = constant::named(&item.expr).into_iter();
    let needs = others.map(|path| Need { kind: ItemKind::Constant, path });
    if let Some(next) = chain::left(gathered, needs).first() {
        return chain::request(next, gathered, "constant", &item.to_token_stream());
    }
    let diag = Diag::new();
    let value = constant::written(item, &payload::constants(gathered));
    if value.is_none() && !payload::has_refused(gathered) {
        let found = format!(", found `{}`", parse::text(&item.expr));
        diag.report(item.expr.span(), &m::CONSTANT_FORM, &[&found, &constant::example(item)]);
    }
    let payload = match value {
        Some(value) => payload::constant(&syn::ItemConst { expr: Box::new(value), ..item.clone() }),
        None => payload::refused(),
    };
    with_errors(diag, || chain::export(&item.ident, &item.vis, &payload))
}

/// Gives a constant of a number another value than one that has been refused, of which rustc would say why it is none of its own.
fn without_value(item: &mut syn::ItemConst) {
    let value: syn::Expr = match parse::text(&item.ty).as_str() {
        "f32" | "f64" => syn::parse_quote!(0.5),
        "bool" => syn::parse_quote!(true),
        "i8" | "i16" | "i32" | "i64" | "isize" | "u8" | "u16" | "u32" | "u64" | "usize" => syn::parse_quote!(1),
        _ => return,
    };
    // What it names is used all the same.
    let given = std::mem::replace(&mut *item.expr, value.clone());
    item.expr = syn::parse_quote!({
        #[allow(arithmetic_overflow, unconditional_panic, unused, clippy::all)]
        let _ = || #given;
        #value
    });
}
