//! What a model has once for each name of a block: `report` and its like, and what other models are told. Of a second block of
//! that name rustc would say for each of these that it is there twice. So a macro of the block's name emits them, and rustc says
//! once that this name is taken; the macro is the first block's, which emits nothing of another.

use crate::paths;
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::Type;

/// `tokens` if no block of that name, for that type, stands before this one in its module.
pub(crate) fn once(name: Option<&Ident>, ty: &Type, tokens: &TokenStream) -> TokenStream {
    let place = name.map_or_else(Span::call_site, Ident::span);
    // Blocks for different sizes are different blocks: `Net<4>` and `Net<8>`.
    let words = ty.to_token_stream().to_string();
    let of: Vec<&str> =
        words.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty()).collect();
    let of = of.join("_");
    let taken = match name {
        Some(name) => format_ident!("__netcl_block_{}_of_{}", name, of, span = place),
        None => {
            format_ident!("__netcl_further_blocks_of_{}_are_written_with_model_block_name", of, span = place)
        }
    };
    let mark = paths::mark();
    let (hidden, mark) = (format_ident!("__netcl_once_{}", mark, span = place), Literal::string(&mark));
    quote! {
        #[doc(hidden)]
        #[allow(unused_macros, unused_macro_rules)]
        macro_rules! #hidden {
            (#mark $($tokens:tt)*) => { $($tokens)* };
            ($($tokens:tt)*) => {};
        }
        #[doc(hidden)]
        #[allow(unused_imports)]
        use #hidden as #taken;
        #taken! { #mark #tokens }
    }
}
