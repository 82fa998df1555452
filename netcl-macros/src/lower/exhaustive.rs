//! Whether the arms of a `match` are all that there are: of plain arguments rustc says so, which knows their types.

use super::{Lowering, Val};
use proc_macro2::{Delimiter, Group, Literal, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{ExprMatch, Pat};

impl<'a> Lowering<'a> {
    /// What rustc can be asked about: a value that is known when the function is called, with what is known beside it.
    pub(super) fn asked(value: &Val<'a>, span: Span) -> Option<(TokenStream, bool)> {
        Some(match value {
            Val::Plain(tokens, _) => (placed(tokens.clone(), span), true),
            Val::Bool(truth) => (quote!(#truth), false),
            Val::Dim(dim) => {
                let number = Literal::usize_suffixed(usize::try_from(dim.as_constant()?).ok()?);
                (quote!(#number), false)
            }
            Val::Tuple(values) => {
                let parts = values.iter().map(|value| Self::asked(value, span)).collect::<Option<Vec<_>>>()?;
                let (parts, called): (Vec<_>, Vec<_>) = parts.into_iter().unzip();
                (quote!((#(#parts,)*)), called.contains(&true))
            }
            _ => return None,
        })
    }

    /// Leaves to rustc whether the arms are all that there are.
    pub(super) fn note_match(&mut self, given: &'a ExprMatch, on: &TokenStream) {
        // An arm with a condition may always be passed by.
        let arms = given.arms.iter().filter(|arm| !matches!(arm.pat, Pat::Guard(_)));
        let patterns: Vec<&Pat> = arms.map(|arm| &arm.pat).collect();
        self.note_patterns(given, on, &patterns);
    }

    /// The same of these patterns, which stand in its arms.
    pub(super) fn note_patterns(&mut self, given: &'a ExprMatch, on: &TokenStream, patterns: &[&Pat]) {
        if self.frames.len() > 1 {
            // Said where that function stands.
            return;
        }
        // At the user's places, to which rustc adds what is missing.
        let arms = patterns.iter().map(|pattern| {
            // Behind the whole body rustc shows what is missing.
            let own = given.arms.iter().find(|arm| std::ptr::eq(&arm.pat, *pattern));
            let end = own.map_or(given.match_token.span, |arm| {
                arm.body.to_token_stream().into_iter().last().map_or(arm.body.span(), |last| last.span())
            });
            quote_spanned!(end=> #pattern => {})
        });
        let mut arms = Group::new(Delimiter::Brace, quote!(#(#arms)*));
        arms.set_span(given.brace_token.span.join());
        let arguments = &self.plain;
        self.private.push(quote! {
            #[allow(unused_variables, unreachable_patterns)]
            let _ = |#(#arguments),*| match #on #arms;
        });
    }
}

/// The tokens as if they stood there.
fn placed(tokens: TokenStream, span: Span) -> TokenStream {
    let place = |mut token: TokenTree| {
        if let TokenTree::Group(group) = &token {
            token = Group::new(group.delimiter(), placed(group.stream(), span)).into();
        }
        token.set_span(span);
        token
    };
    tokens.into_iter().map(place).collect()
}
