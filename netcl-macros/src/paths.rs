//! Names that generated code uses: absolute paths and identifiers that users do not write.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};
use std::hash::{DefaultHasher, Hash, Hasher};

/// `::netcl::__private`.
pub(crate) fn private() -> TokenStream {
    quote!(::netcl::__private)
}

/// A use of the prelude, where it is imported: what is generated names nothing of it.
pub(crate) fn prelude() -> TokenStream {
    let private = private();
    quote! {
        const _: fn() = || #private::Prelude.note_use();
    }
}

/// The hidden field of a model: its core and the path of its parameters.
pub(crate) fn scope_field() -> Ident {
    Ident::new("__netcl", Span::call_site())
}

/// The hidden macro that carries a struct's tokens to its `impl`. Where there is none, rustc says that it cannot find this name
/// in this scope: the name says what is to be there.
pub(crate) fn table_macro(name: &Ident) -> Ident {
    format_ident!("__netcl_{}_has_no_netcl_model_above_its_struct_in_this_module", name, span = name.span())
}

/// The same of a struct that uses constants, once these are known.
pub(crate) fn known_table(name: &Ident) -> Ident {
    format_ident!("__netcl_{}_known", name, span = Span::call_site())
}

/// The hidden macro behind `name` that carries tokens to those who use it.
pub(crate) fn export_macro(name: &Ident) -> Ident {
    format_ident!("__netcl_export_{}", name, span = Span::call_site())
}

/// The same for an item that other crates see: distinct in the whole crate, and the same for the same source.
pub(crate) fn public_macro(name: &Ident, payload: &TokenStream) -> Ident {
    let mut hasher = DefaultHasher::new();
    payload.to_string().hash(&mut hasher);
    expansion().hash(&mut hasher);
    format_ident!("__netcl_export_{}_{:016x}", name, hasher.finish(), span = Span::call_site())
}

/// The crate that is compiled.
pub(crate) fn krate() -> String {
    std::env::var("CARGO_CRATE_NAME").unwrap_or_default()
}

/// A number that no other item has which is made of these tokens.
pub(crate) fn identity(tokens: &TokenStream) -> u64 {
    let mut hasher = DefaultHasher::new();
    (krate(), tokens.to_string(), expansion()).hash(&mut hasher);
    hasher.finish()
}

/// A word that no other expansion has.
pub(crate) fn mark() -> String {
    let mut hasher = DefaultHasher::new();
    expansion().hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}

/// What tells this expansion from all others: items that one `macro_rules!` makes may differ in nothing else.
fn expansion() -> Option<String> {
    proc_macro::is_available().then(|| format!("{:?}", proc_macro::Span::call_site()))
}

/// What a function answers by whose name is one of Rust's own macros, inside the module of that name.
pub(crate) fn answer() -> Ident {
    Ident::new("__netcl_function", Span::call_site())
}

/// Whether every module of Rust knows a macro of that name.
pub(crate) fn is_macro_of_rust(name: &Ident) -> bool {
    const MACROS: [&str; 47] = [
        "assert",
        "assert_eq",
        "assert_ne",
        "cfg",
        "column",
        "compile_error",
        "concat",
        "concat_bytes",
        "concat_idents",
        "const_format_args",
        "dbg",
        "debug_assert",
        "debug_assert_eq",
        "debug_assert_ne",
        "env",
        "eprint",
        "eprintln",
        "file",
        "format",
        "format_args",
        "format_args_nl",
        "global_asm",
        "include",
        "include_bytes",
        "include_str",
        "is_x86_feature_detected",
        "line",
        "log_syntax",
        "matches",
        "module_path",
        "option_env",
        "panic",
        "print",
        "println",
        "stringify",
        "thread_local",
        "todo",
        "trace_macros",
        "r#try",
        "unimplemented",
        "unreachable",
        "vec",
        "write",
        "writeln",
        "assert_matches",
        "cfg_select",
        "test",
    ];
    MACROS.iter().any(|known| name == known)
}

/// A function of a model that whoever may use its field `name` may call: layers and tensors are no fields of Rust.
pub(crate) fn field_mark(name: &str, span: Span) -> Ident {
    format_ident!("__netcl_field_{}", name, span = span)
}

/// The same of its function `name`, where that can be called of some of the model's types only.
pub(crate) fn function_mark(name: &str, span: Span) -> Ident {
    format_ident!("__netcl_function_{}", name, span = span)
}

/// The struct of a model's gradients.
pub(crate) fn gradients(name: &Ident) -> Ident {
    format_ident!("{}Gradients", name)
}
