//! Functions to compile.

use super::{bound, constant::Constants, gradients, mode, parts, text, types};
use crate::ast::{ArgDecl, DimToken, FunctionItem, TensorType};
use crate::diag::Diag;
use crate::looked_at::LookedAt;
use crate::messages as m;
use crate::parts::{Composite, Param};
use netcl_kernels::dim::{Dim, Symbol};
use netcl_kernels::dtype::DType;
use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::ToTokens;
use std::collections::BTreeSet;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{
    Attribute, Block, FnArg, GenericArgument, GenericParam, Pat, PatIdent, PathArguments, ReceiverKind, ReturnType,
    Signature, Type, Visibility,
};

/// A compiled function, whose model binds `sizes`. What is wrong with its signature is reported and makes it unsound.
pub(crate) fn function(
    diag: &Diag,
    attrs: &[Attribute],
    vis: &Visibility,
    sig: &Signature,
    body: &Block,
    constants: &Constants,
    sizes: &BTreeSet<Symbol>,
) -> FunctionItem {
    let before = diag.count();
    form(diag, sig);
    let generic =
        |ty: &Type| mentions(ty.to_token_stream(), &|name| sig.generics.type_params().any(|own| own.ident == *name));
    let attrs: Vec<Attribute> = attrs.iter().filter_map(|attr| mode::attr_meant(diag, attr)).collect();
    let attrs = attrs.as_slice();
    let own_mode = mode::mode(diag, attrs);
    mode::dynamic(diag, attrs);
    let (matmul_precision, precision) = (mode::matmul_precision(diag, attrs), mode::precision(diag, attrs));
    let asked = gradients::asked(diag, attrs);
    let mut receiver = false;
    let (mut params, mut args): (Vec<Param>, Vec<ArgDecl>) = (Vec::new(), Vec::new());
    let mut unknown = Vec::new();
    for input in &sig.inputs {
        match input {
            FnArg::Receiver(given) => {
                receiver = true;
                reads(diag, given);
            }
            FnArg::Typed(typed) if !generic(&typed.ty) && parts::is_compound(&typed.ty) => {
                match parts::parameter(diag, &typed.pat, &typed.ty, constants, &args) {
                    Some((param, own)) => {
                        params.push(param);
                        args.extend(own);
                    }
                    None => unknown.extend(names(&typed.pat)),
                }
            }
            FnArg::Typed(typed) => {
                let Some(name) = plain_name(diag, &typed.pat) else {
                    unknown.extend(names(&typed.pat));
                    continue;
                };
                if args.iter().any(|arg| arg.name == name) {
                    diag.report(name.span(), &m::DUPLICATE_ARGUMENT, &[&name]);
                    continue;
                }
                if let Some(of) = parts::struct_path(&typed.ty).filter(|_| reads_fields(body, &name)) {
                    diag.report(typed.ty.span(), &m::STRUCT_BY_VALUE, &[&text(of)]);
                    unknown.push(name);
                    continue;
                }
                // Its parameters have been spoken of.
                let ty = if generic(&typed.ty) {
                    None
                } else {
                    types::user_enum(&typed.ty)
                        .or_else(|| types::argument(diag, &name.to_string(), &typed.ty, constants))
                };
                match ty {
                    Some(ty) => {
                        params.push(Param {
                            pattern: (*typed.pat).clone(),
                            ty: parts::rust(&typed.ty),
                            parts: Composite::One,
                        });
                        args.push(ArgDecl { name, ty });
                    }
                    None => unknown.push(name),
                }
            }
        }
    }
    let (results, composed) = results(diag, sig, &generic, constants);
    let mut function = FunctionItem {
        attrs: attrs.iter().filter(|attr| !is_helper(attr) && !mode::is_dynamic(attr)).cloned().collect(),
        dynamic: attrs.iter().any(mode::is_dynamic),
        mode: own_mode,
        matmul_precision,
        precision,
        vis: vis.clone(),
        name: sig.ident.clone(),
        receiver,
        params,
        args,
        results,
        composed,
        body: body.clone(),
        indexed: false,
        gradients: Vec::new(),
        asks_derivatives: super::names_in(body.to_token_stream()).contains(crate::words::GRAD),
        unsound: None,
        variants: Vec::new(),
        looked_at: LookedAt::default(),
    };
    if diag.count() == before {
        function.gradients = gradients::positions(diag, &function, asked);
    }
    if diag.count() == before {
        let open = unbound(diag, (sig, &function), sizes, constants);
        unknown.extend(without_open(&mut function, &open));
    }
    // What is put together from several arguments has no name among these.
    let composed = function.params.iter().filter(|param| !param.parts.is_one());
    unknown.extend(composed.flat_map(|param| names(&param.pattern)));
    function.unsound = (diag.count() > before).then_some(unknown);
    bound::once(diag, body);
    function
}

/// Whether an identifier among the tokens is one of those.
pub(crate) fn mentions(tokens: TokenStream, wanted: &dyn Fn(&Ident) -> bool) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(ident) => wanted(&ident),
        TokenTree::Group(group) => mentions(group.stream(), wanted),
        _ => false,
    })
}

/// Whether this is one of our attributes of functions.
pub(crate) fn is_helper(attr: &Attribute) -> bool {
    mode::is_mode(attr)
        || mode::is_matmul_precision(attr)
        || mode::is_precision(attr)
        || gradients::is_gradients(attr)
        || is_of_structs(attr)
}

/// Rule: a compiled function is a plain `fn`. Wrong: `async fn forward(..)`, `fn forward<T>(..)`.
pub(super) fn form(diag: &Diag, sig: &Signature) {
    let words = [
        sig.asyncness.map(|token| ("async", token.span)),
        sig.constness.map(|token| ("const", token.span)),
        sig.abi.as_ref().map(|abi| ("extern", abi.span())),
    ];
    for (word, span) in words.into_iter().flatten() {
        diag.report(span, &m::FUNCTION_FORM, &[&word, &sig.ident]);
    }
    if let syn::Safety::Unsafe(token) = &sig.safety {
        diag.report(token.span, &m::FUNCTION_FORM, &[&"unsafe", &sig.ident]);
    }
    if let Some(dots) = &sig.variadic {
        diag.report(dots.dots.span(), &m::FUNCTION_VARIADIC, &[]);
    }
    match sig.generics.params.first() {
        Some(GenericParam::Lifetime(given)) => {
            diag.report(given.span(), &m::FUNCTION_LIFETIME, &[&given.lifetime, &without_lifetimes(sig)]);
        }
        Some(GenericParam::Type(given)) => {
            diag.report(given.span(), &m::FUNCTION_PARAMETER, &[&given.ident, &given.ident]);
        }
        Some(GenericParam::Const(given)) => diag.report(given.span(), &m::GENERIC_FUNCTION, &[]),
        None => {}
    }
}

/// The signature without its parameters.
fn without_lifetimes(sig: &Signature) -> String {
    fn without(tokens: TokenStream) -> TokenStream {
        let mut kept: Vec<TokenTree> = Vec::new();
        let mut lifetime = false;
        for token in tokens {
            match token {
                TokenTree::Punct(tick) if tick.as_char() == '\'' => lifetime = true,
                TokenTree::Ident(_) if std::mem::take(&mut lifetime) => {}
                TokenTree::Group(group) => {
                    kept.push(proc_macro2::Group::new(group.delimiter(), without(group.stream())).into());
                }
                other => kept.push(other),
            }
        }
        kept.into_iter().collect()
    }
    let mut sig = sig.clone();
    sig.generics = syn::Generics::default();
    text(&without(sig.to_token_stream()))
}

/// Whether the body reads fields of the argument of that name, which an enum has not.
fn reads_fields(body: &Block, name: &Ident) -> bool {
    struct Fields<'n>(&'n Ident, bool);
    impl<'a> Visit<'a> for Fields<'_> {
        fn visit_expr_field(&mut self, field: &'a syn::ExprField) {
            self.1 |= matches!(&*field.base, syn::Expr::Path(base) if base.path.is_ident(self.0));
            visit::visit_expr_field(self, field);
        }
    }
    let mut fields = Fields(name, false);
    fields.visit_block(body);
    fields.1
}

pub(super) fn plain_name(diag: &Diag, pat: &Pat) -> Option<Ident> {
    match pat {
        Pat::Ident(ident) if ident.by_ref.is_none() && ident.subpat.is_none() && ident.mutability.is_none() => {
            super::reserved::own_name(diag, &ident.ident);
            Some(ident.ident.clone())
        }
        Pat::Ident(ident) if ident.by_ref.is_none() && ident.subpat.is_none() => {
            let name = &ident.ident;
            diag.report(pat.span(), &m::ARGUMENT_MUT, &[name, name, name]);
            None
        }
        _ => {
            diag.report(pat.span(), &m::ARGUMENT_PATTERN, &[]);
            None
        }
    }
}

/// The names that a pattern binds.
pub(crate) fn names(pat: &Pat) -> Vec<Ident> {
    struct Names(Vec<Ident>);
    impl<'a> Visit<'a> for Names {
        fn visit_pat_ident(&mut self, name: &'a PatIdent) {
            self.0.push(name.ident.clone());
            visit::visit_pat_ident(self, name);
        }
    }
    let mut names = Names(Vec::new());
    names.visit_pat(pat);
    names.0
}

/// The names that the function's parameters bind.
pub(crate) fn bound(function: &FunctionItem) -> Vec<Ident> {
    function.params.iter().flat_map(|param| names(&param.pattern)).collect()
}

fn results(
    diag: &Diag,
    sig: &Signature,
    generic: &dyn Fn(&Type) -> bool,
    constants: &Constants,
) -> (Vec<TensorType>, Composite) {
    let ReturnType::Type(_, ty) = &sig.output else {
        // What is to be changed in place is said to be a result.
        let changes = |input: &FnArg| matches!(input, FnArg::Typed(typed) if matches!(&*typed.ty, Type::Reference(of) if of.mutability.is_some()));
        if !sig.inputs.iter().any(changes) {
            let first = sig.inputs.iter().find_map(|input| match input {
                FnArg::Typed(typed) => match &*typed.ty {
                    Type::Reference(of) if text(&of.elem).starts_with("Tensor<") => Some(text(&of.elem)),
                    _ => None,
                },
                FnArg::Receiver(_) => None,
            });
            let result = first.unwrap_or_else(|| "Tensor<f32, N>".to_string());
            diag.report(sig.ident.span(), &m::MISSING_RESULT, &[&sig.ident, &result]);
        }
        return (Vec::new(), Composite::One);
    };
    let declared = ty;
    let one = |ty: &Type, within: parts::Within<'_>| {
        if generic(ty) {
            return None;
        }
        // The struct may be an argument's as well, which has numbers.
        if let (Some((of, field)), false) = (within, types::is_tensor(ty)) {
            let of = text(of);
            diag.report(
                declared.span(),
                &m::RESULT_FIELD,
                &[&sig.ident, &of, field, &text(ty), &number_instead(ty, field)],
            );
            return None;
        }
        if !types::is_tensor(ty) && !text(ty).ends_with(crate::words::TENSOR) {
            let wrapped =
                if wraps(ty) { ", and the body gives the value alone, without `Ok(..)` or `Some(..)`" } else { "" };
            diag.report(ty.span(), &m::RESULT_TYPE, &[&text(ty), &tensor_instead(ty), &wrapped]);
            return None;
        }
        types::tensor(diag, ty, "", constants)
    };
    let mut found = Vec::new();
    let composed = parts::result(diag, ty, &one, constants, &mut found);
    (found, composed.unwrap_or(Composite::One))
}

/// What a struct has instead of a field that is no tensor.
fn number_instead(ty: &Type, field: &Ident) -> String {
    let number = match ty {
        Type::Path(path) => path.path.get_ident().and_then(|name| match name.to_string().as_str() {
            "usize" => Some(DType::U32),
            name => DType::from_name(name),
        }),
        _ => None,
    };
    let alone = "return its tensors alone, in a tuple";
    match number {
        Some(dtype) => format!("write `{field}: Tensor<{dtype}>`, a tensor of one number; or {alone}"),
        None => alone.to_string(),
    }
}

/// Rule: a compiled function reads the model. Wrong: `self`, `&mut self`.
fn reads(diag: &Diag, given: &syn::Receiver) {
    let changes = match given.kind {
        ReceiverKind::Reference(_, _, None) => return,
        ReceiverKind::Reference(_, _, Some(_)) => {
            "; what a call changes is a `#[state]`, which is set: `self.mean.set(..)`"
        }
        _ => "",
    };
    diag.report(given.span(), &m::SELF_BY_VALUE, &[&text(given), &changes]);
}

/// Whether it is a `Result` or an `Option`.
fn wraps(ty: &Type) -> bool {
    let last = match ty {
        Type::Path(path) => path.path.segments.last(),
        _ => None,
    };
    last.is_some_and(|last| last.ident == "Result" || last.ident == "Option")
}

/// The type of tensors that is meant by a type of something else.
fn tensor_instead(ty: &Type) -> String {
    let inner = match ty {
        Type::Path(path) => path.path.segments.last(),
        _ => None,
    };
    let inner = inner.map(|last| (last.ident.to_string(), &last.arguments));
    match inner {
        Some((name, _)) if DType::from_name(&name).is_some() => format!("Tensor<{name}>"),
        Some((name, PathArguments::AngleBracketed(given))) => match given.args.first() {
            Some(first @ GenericArgument::Type(inner)) if types::is_tensor(inner) => match name.as_str() {
                "Vec" => format!("[{}; 2]", text(first)),
                _ => text(first),
            },
            // A struct of tensors.
            Some(first @ GenericArgument::Type(Type::Path(_))) if matches!(name.as_str(), "Option" | "Result") => {
                text(first)
            }
            _ => "Tensor<f32, N, 10>".to_string(),
        },
        _ => "Tensor<f32, N, 10>".to_string(),
    }
}

/// Stands for the numbers of parameters: above those that sizes are multiplied by and less of, as in `{ T * W - T }`.
const SOME_NUMBER: i64 = 1 << 20;

/// Rule: every size follows from the arguments' axes, or is the model's. Wrong:
/// `fn f(x: &Tensor<f32, N>) -> Tensor<f32, K>`, `fn f(x: &Tensor<f32, { N * M }>) -> Tensor<f32, N>`.
///
/// Gives the sizes that do not.
fn unbound(
    diag: &Diag,
    (sig, function): (&Signature, &FunctionItem),
    sizes: &BTreeSet<Symbol>,
    constants: &Constants,
) -> BTreeSet<Symbol> {
    let dims: Vec<&DimToken> = function.tensors().flat_map(|(_, ty)| &ty.dims).collect();
    let own = sizes.iter().map(|size| Dim::symbol(size.name()));
    // Parameters have numbers where the function is compiled, so that `{ T * W }` tells `T`: here any numbers.
    let number = |symbol: &Symbol| constants.parameters.contains(symbol.name()).then(|| Dim::constant(SOME_NUMBER));
    let told: Vec<Dim> = own.chain(dims.iter().map(|dim| dim.dim.substitute(&number))).collect();
    let bound = Dim::bound_by(told.iter());
    let results = function.results.iter().flat_map(|ty| &ty.dims);
    let mut forgotten = without_axes(sig, function);
    let no_axes = forgotten.is_some();
    let mut open = BTreeSet::new();
    for dim in dims.iter().copied().chain(results) {
        crate::quotient::visit_names(&dim.dim, &mut |name| {
            let symbol = &Symbol::new(name);
            // Its first place is spoken of.
            if !bound.contains(symbol) && open.insert(symbol.clone()) {
                match forgotten.take() {
                    Some((name, ty, instead)) => diag.report(ty, &m::NO_AXES, &[&name, symbol, &instead]),
                    None if no_axes => {}
                    None => diag.report(dim.span, &m::UNBOUND_DIMENSION, &[symbol, &telling(symbol, &dims)]),
                }
            }
        });
    }
    open
}

/// Leaves out what has one of the sizes `open`, which nobody knows, and tensors without axes, which may be what would tell them; the
/// names of those arguments.
fn without_open(function: &mut FunctionItem, open: &BTreeSet<Symbol>) -> Vec<Ident> {
    let is_open = |ty: &TensorType| ty.dims.iter().any(|dim| !open.is_disjoint(&symbols(&dim.dim)));
    let unsure = |ty: &TensorType| is_open(ty) || !open.is_empty() && ty.dims.is_empty();
    function.results.retain(|ty| !is_open(ty));
    let (without, known): (Vec<_>, Vec<_>) =
        std::mem::take(&mut function.args).into_iter().partition(|arg| arg.tensor().is_some_and(unsure));
    function.args = known;
    without.into_iter().map(|arg| arg.name).collect()
}

/// The tensor argument, alone and without axes, that the sizes of a result with axes would follow from: its name, where its type
/// stands, and what that would be.
fn without_axes(sig: &Signature, function: &FunctionItem) -> Option<(Ident, proc_macro2::Span, String)> {
    let mut tensors = function.tensors();
    let (Some((name, ty)), None) = (tensors.next(), tensors.next()) else { return None };
    let result = function.results.iter().find(|ty| !ty.dims.is_empty()).filter(|_| ty.dims.is_empty())?;
    let typed = sig.inputs.iter().find_map(|input| match input {
        FnArg::Typed(typed) if matches!(&*typed.pat, Pat::Ident(pat) if pat.ident == *name) => Some(&typed.ty),
        _ => None,
    })?;
    let dims: Vec<String> = result.dims.iter().map(|dim| dim.dim.to_string()).collect();
    Some((name.clone(), typed.span(), format!("&Tensor<{}, {}>", ty.dtype, dims.join(", "))))
}

/// What would tell the size, where none of the axes `dims` of arguments does.
pub(crate) fn telling(symbol: &Symbol, dims: &[&DimToken]) -> String {
    let computed = dims.iter().find(|dim| symbols(&dim.dim).contains(symbol));
    match computed {
        Some(dim) => format!(
            "`{}` alone does not tell it: an argument needs an axis `{symbol}` of its own, also one that is not read: \
             `_like: &Tensor<f32, {symbol}>`",
            dim.dim
        ),
        None => format!(
            "an argument tells it by an axis, also one that is not read: `_like: &Tensor<f32, {symbol}>`; or write a number"
        ),
    }
}

fn symbols(dim: &Dim) -> BTreeSet<Symbol> {
    let mut all = BTreeSet::new();
    dim.visit_symbols(&mut |symbol| all.extend([symbol.clone()]));
    all
}

/// Whether a function beside models works on whole tensors, and not on single numbers.
pub(crate) fn is_of_tensors(sig: &Signature) -> bool {
    let receiver = sig.inputs.iter().any(|input| matches!(input, FnArg::Receiver(_)));
    let of_tensors = |ty: &Type| mentions(ty.to_token_stream(), &|name| name == crate::words::TENSOR);
    let typed = |input: &FnArg| matches!(input, FnArg::Typed(typed) if of_tensors(&typed.ty));
    let result = matches!(&sig.output, ReturnType::Type(_, ty) if of_tensors(ty));
    !receiver && (result || sig.inputs.iter().any(typed) || !parts::taken_structs(sig).is_empty())
}

/// Whether the function is left to plain Rust: no tensor in its signature (and no [mark](super::compiled::mark) of structs of
/// these), one that makes a model, marked `#[netcl::dynamic]` with tensors that have no sizes, or [found](super::ordinary) to be so.
pub(crate) fn is_ordinary(attrs: &[Attribute], sig: &Signature) -> bool {
    let of_rust = attrs.iter().any(|attr| attr.path().is_ident(crate::words::OF_RUST));
    let marked = of_rust || attrs.iter().any(mode::is_dynamic) && !is_sized(sig);
    let of_tensors =
        attrs.iter().any(is_of_structs) || mentions(sig.to_token_stream(), &|name| name == crate::words::TENSOR);
    marked || is_constructor(sig) || !of_tensors
}

/// Whether some tensor in the signature has its sizes: `Tensor<f32, N>`.
pub(crate) fn is_sized(sig: &Signature) -> bool {
    has_sizes(sig.inputs.to_token_stream()) || has_sizes(sig.output.to_token_stream())
}

/// The same of the tokens of a type.
pub(super) fn has_sizes(tokens: TokenStream) -> bool {
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        let found = match token {
            TokenTree::Ident(name) if name == crate::words::TENSOR => {
                matches!(tokens.peek(), Some(TokenTree::Punct(next)) if next.as_char() == '<')
            }
            TokenTree::Group(group) => has_sizes(group.stream()),
            _ => false,
        };
        if found {
            return true;
        }
    }
    false
}

/// Whether this is our mark on a function whose signature has structs of tensors alone.
fn is_of_structs(attr: &Attribute) -> bool {
    attr.path().is_ident(crate::words::OF_STRUCTS)
}

/// Whether the function makes a model: `fn from_weights(weight: &Tensor) -> Result<Self>`, or by the model's name, `Result<Mlp>`.
fn is_constructor(sig: &Signature) -> bool {
    let receiver = sig.inputs.iter().any(|input| matches!(input, FnArg::Receiver(_)));
    let ReturnType::Type(_, ty) = &sig.output else { return false };
    let made = mentions(ty.to_token_stream(), &|name| name == "Self");
    (made || !is_sized(sig) && is_result_of_a_type(ty)) && !receiver
}

/// Whether it is `Result<Mlp>`.
fn is_result_of_a_type(ty: &Type) -> bool {
    let Type::Path(path) = ty else { return false };
    let Some(last) = path.path.segments.last().filter(|last| last.ident == "Result") else { return false };
    let syn::PathArguments::AngleBracketed(given) = &last.arguments else { return false };
    let Some(GenericArgument::Type(Type::Path(of))) = given.args.first() else { return false };
    let own = of.path.segments.last().map(|of| super::name(&of.ident)).unwrap_or_default();
    own != crate::words::TENSOR && own.starts_with(char::is_uppercase)
}
