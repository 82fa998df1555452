//! Tensor types and dimensions.

use super::{constant, constant::Constants, text};
use crate::ast::{ArgType, Constant, DimToken, PlainType, TensorType};
use crate::diag::Diag;
use crate::messages as m;
use crate::{quotient, words};
use netcl_kernels::dim::{Dim, MOST_AXES, WIDE_LIMIT};
use netcl_kernels::dtype::DType;
use netcl_kernels::layers::Layer;
use proc_macro2::{Literal, TokenStream, TokenTree};
use quote::ToTokens;
use std::collections::BTreeSet;
use syn::spanned::Spanned;
use syn::{BinOp, Expr, GenericArgument, PathArguments, Type};

/// Whether a type is called as those of numbers are, `f32` or `u16`, whether or not it is one of them: `f23`.
pub(super) fn looks_like_number(name: &str) -> bool {
    let bits = ["bf", "f", "i", "u"].into_iter().find_map(|kind| name.strip_prefix(kind));
    bits.is_some_and(|bits| !bits.is_empty() && bits.bytes().all(|digit| digit.is_ascii_digit()))
}

/// Whether `ty` is written as a tensor, borrowed or not.
pub(crate) fn is_tensor(ty: &Type) -> bool {
    match ty {
        Type::Reference(reference) => is_tensor(&reference.elem),
        Type::Paren(inner) => is_tensor(&inner.elem),
        Type::Group(inner) => is_tensor(&inner.elem),
        Type::Tuple(tuple) => tuple.elems.iter().any(is_tensor),
        Type::Path(path) => path.path.segments.last().is_some_and(|last| {
            last.ident == words::TENSOR && matches!(last.arguments, PathArguments::AngleBracketed(_))
        }),
        _ => false,
    }
}

/// The same of one without sizes, which is a mistake where sizes are told.
pub(crate) fn is_called_tensor(ty: &Type) -> bool {
    matches!(ty, Type::Path(path) if path.path.segments.last().is_some_and(|last| last.ident == words::TENSOR))
}

/// `Tensor<f32, N, 64>`; `borrow` is what the hint puts before it.
pub(crate) fn tensor(diag: &Diag, ty: &Type, borrow: &str, constants: &Constants) -> Option<TensorType> {
    named_tensor(diag, "x", ty, borrow, constants)
}

/// The same of the argument `name`.
fn named_tensor(diag: &Diag, name: &str, ty: &Type, borrow: &str, constants: &Constants) -> Option<TensorType> {
    let (segment, span) = match ty {
        Type::Paren(inner) => return named_tensor(diag, name, &inner.elem, borrow, constants),
        Type::Group(inner) => return named_tensor(diag, name, &inner.elem, borrow, constants),
        Type::Path(path) if path.qself.is_none() => (path.path.segments.last()?, path.span()),
        Type::Slice(syn::TypeSlice { elem, .. }) if !borrow.is_empty() => {
            if !is_tensor(elem) {
                let borrowed = format!("{borrow}{}", text(ty));
                let listed = if is_number(elem) { numbers_in_a_row(name, elem) } else { LISTED.to_string() };
                diag.report(ty.span(), &m::ARGUMENT_TYPE, &[&borrowed, &listed]);
                return None;
            }
            let (stacked, count) = stacked(elem);
            diag.report(ty.span(), &m::ARGUMENT_LIST, &[&borrow, &text(elem), &stacked, &count]);
            return None;
        }
        _ => {
            let instead = match ty {
                Type::Reference(own) if is_tensor(&own.elem) => format!("{borrow}{}", text(&own.elem)),
                _ => format!("{borrow}Tensor<f32, N, 64>"),
            };
            diag.report(ty.span(), &m::NOT_A_TENSOR_TYPE, &[&text(ty), &instead]);
            return None;
        }
    };
    if segment.ident != words::TENSOR && !borrow.is_empty() && segment.arguments.is_none() {
        diag.report(ty.span(), &m::ARGUMENT_TYPE, &[&format!("{borrow}{}", text(ty)), &instead(name, ty)]);
        return None;
    }
    if segment.ident != words::TENSOR {
        diag.report(ty.span(), &m::NOT_A_TENSOR_TYPE, &[&text(ty), &format!("{borrow}Tensor<f32, N, 64>")]);
        return None;
    }
    let PathArguments::AngleBracketed(arguments) = &segment.arguments else {
        diag.report(ty.span(), &m::MISSING_DTYPE, &[&"Tensor<f32, ..>"]);
        return None;
    };
    let mut arguments = arguments.args.iter();
    let Some(first) = arguments.next() else {
        diag.report(ty.span(), &m::MISSING_DTYPE, &[&"Tensor<f32, ..>"]);
        return None;
    };
    let element = |argument: &GenericArgument| match argument {
        GenericArgument::Type(Type::Path(path)) => {
            path.path.segments.last().and_then(|last| DType::from_name(&last.ident.to_string()))
        }
        _ => None,
    };
    let dtype = element(first);
    if let (None, Some(last)) = (dtype, arguments.clone().find(|argument| element(argument).is_some())) {
        let sizes = std::iter::once(first).chain(arguments.clone()).filter(|argument| element(argument).is_none());
        let all: Vec<String> = std::iter::once(last).chain(sizes).map(text).collect();
        diag.report(last.span(), &m::MISSING_DTYPE, &[&format!("Tensor<{}>", all.join(", "))]);
        return None;
    }
    if dtype.is_none() {
        diag.report(first.span(), &m::UNKNOWN_DTYPE, &[&text(first), &crate::parse::types::near_type(&text(first))]);
    }
    let mut dims = Vec::new();
    let mut complete = dtype.is_some();
    for argument in arguments {
        let span = argument.span();
        match dim(argument, constants) {
            None if matches!(argument, GenericArgument::Const(size) if constant::is_listed(diag, size, constants)) => {
                complete = false;
            }
            None => {
                match beyond(argument.to_token_stream()) {
                    Some(number) => diag.once(number.span(), &m::LARGE_DIMENSION, &[&text(&number)]),
                    None => diag.once(span, &m::BAD_DIMENSION, &[&text(argument), &dimensions(argument)]),
                }
                complete = false;
            }
            Some(dim) if dim.as_constant().is_some_and(|value| value < 1) => {
                let instead = if dim.as_constant() < Some(0) {
                    "an axis of any size has a name: write `N`"
                } else {
                    "write the size of this axis, or leave the axis out"
                };
                diag.once(span, &m::ZERO_DIMENSION, &[&dim, &instead]);
                complete = false;
            }
            Some(dim) => dims.push(DimToken { dim, span }),
        }
    }
    let known = dims.iter().filter_map(|token| token.dim.as_constant()).map(|size| size.unsigned_abs() as u128);
    let elements = known.fold(1u128, u128::saturating_mul);
    if dims.len() > MOST_AXES {
        diag.report(span, &m::MANY_AXES, &[&dims.len(), &MOST_AXES]);
        return None;
    }
    if complete && elements > u128::from(WIDE_LIMIT) {
        diag.once(span, &m::LARGE_TENSOR, &[&elements, &WIDE_LIMIT]);
        return None;
    }
    complete.then(|| TensorType { dtype: dtype.unwrap_or(DType::F32), dims, span })
}

/// Which type of elements is meant, where a name is nearly one.
pub(crate) fn near_type(name: &str) -> String {
    super::suggestion(name, DType::ALL.iter().map(|dtype| dtype.name()))
}

/// What dimensions are, and which part of `given` is none.
pub(crate) fn dimensions(given: &impl ToTokens) -> String {
    let written = given.to_token_stream();
    if let Some(name) = one_letter(written.clone(), 0) {
        let longer = super::constant::longer(&name);
        let instead = super::text(&written).replace(&format!("{{ {name} }}"), longer);
        return format!(
            "a name of one letter is a size, and stands without braces of its own; a `#[netcl::constant]` has a longer name: call it \
             `{longer}`, and write `{instead}`"
        );
    }
    if let Some(quotient) = by_zero(&written) {
        return format!("`{quotient}` divides by zero: write a number from 1 on");
    }
    const ARE: &str =
        "a dimension is a number, a name such as `N`, or sums, products and quotients of these in braces: `{N * 2}`";
    if let Some(call) = called(&written) {
        return format!(
            "{ARE}; `{call}(..)` is none of these: where an argument tells this size, it has a name of its own, such as `M`"
        );
    }
    let remainder = super::text(&written).contains('%');
    if remainder {
        format!(
            "{ARE}; `%` is none of these, though operations may give such sizes: where an argument tells this size, it has a name of its own, such as `M`"
        )
    } else {
        ARE.to_string()
    }
}

/// The function that is called in a dimension.
fn called(written: &TokenStream) -> Option<String> {
    first_in(written, &|expr| match expr {
        Expr::Call(call) => Some(text(&call.func)),
        Expr::MethodCall(call) => Some(call.method.to_string()),
        _ => None,
    })
}

/// The quotient in a dimension that divides by zero.
fn by_zero(written: &TokenStream) -> Option<String> {
    first_in(written, &|expr| {
        let Expr::Binary(binary) = expr else { return None };
        let zero = constant::evaluate(&binary.right, &Constants::new()) == Some(Constant::Integer(0));
        (matches!(binary.op, BinOp::Div(_) | BinOp::Rem(_)) && zero).then(|| text(expr))
    })
}

/// What `of` says of the first part of a dimension of which it says something.
fn first_in(written: &TokenStream, of: &dyn Fn(&Expr) -> Option<String>) -> Option<String> {
    fn inside(expr: &Expr, of: &dyn Fn(&Expr) -> Option<String>) -> Option<String> {
        of(expr).or_else(|| match expr {
            Expr::Block(block) => match block.block.stmts.as_slice() {
                [syn::Stmt::Expr(inner, None)] => inside(inner, of),
                _ => None,
            },
            Expr::Paren(inner) => inside(&inner.expr, of),
            Expr::Binary(binary) => inside(&binary.left, of).or_else(|| inside(&binary.right, of)),
            _ => None,
        })
    }
    inside(&syn::parse2(written.clone()).ok()?, of)
}

/// A name of one letter alone in braces that stand in others.
fn one_letter(tokens: TokenStream, depth: usize) -> Option<String> {
    let all: Vec<TokenTree> = tokens.into_iter().collect();
    if let [TokenTree::Ident(name)] = all.as_slice()
        && depth > 1
        && name.to_string().len() == 1
    {
        return Some(name.to_string());
    }
    all.into_iter().find_map(|token| match token {
        TokenTree::Group(group) => {
            one_letter(group.stream(), depth + usize::from(group.delimiter() == proc_macro2::Delimiter::Brace))
        }
        _ => None,
    })
}

/// The first whole number that 64 bits do not hold.
fn beyond(tokens: TokenStream) -> Option<Literal> {
    tokens.into_iter().find_map(|token| match token {
        TokenTree::Group(group) => beyond(group.stream()),
        TokenTree::Literal(number) => {
            let whole = syn::parse2::<syn::LitInt>(number.to_token_stream()).ok()?;
            whole.base10_parse::<i64>().is_err().then_some(number)
        }
        _ => None,
    })
}

/// A dimension among the arguments of a type: `N`, `64` or `{ N * 2 }`.
pub(crate) fn dim(argument: &GenericArgument, constants: &Constants) -> Option<Dim> {
    match argument {
        GenericArgument::Type(Type::Path(path)) if path.qself.is_none() => path_dim(&path.path, constants),
        GenericArgument::Const(expr) => expr_dim(expr, constants),
        _ => None,
    }
}

/// The sizes in angle brackets after a model's name, where types may stand beside them.
pub(crate) fn sizes(path: &syn::Path, constants: &Constants) -> Option<Vec<Dim>> {
    match &path.segments.last()?.arguments {
        PathArguments::None => Some(Vec::new()),
        PathArguments::AngleBracketed(given) => {
            let sizes = given.args.iter().filter(|argument| type_argument(argument, &constants.named_types).is_none());
            sizes.map(|size| dim(size, constants)).collect()
        }
        PathArguments::Parenthesized(_) => None,
    }
}

/// The type that an argument of a model's is: `LayerNorm`, and not a size. Sizes are written in capitals; `types` are the
/// parameters that are types.
pub(crate) fn type_argument<'a>(argument: &'a GenericArgument, types: &BTreeSet<String>) -> Option<&'a syn::Path> {
    let GenericArgument::Type(Type::Path(path)) = argument else { return None };
    let last = super::name(&path.path.segments.last()?.ident);
    let own = path.path.get_ident().is_some_and(|name| types.contains(&super::name(name)));
    let primitive = DType::from_name(&last).is_some()
        || matches!(last.as_str(), "usize" | "isize" | "u16" | "i16" | "i128" | "u128");
    let is_type =
        own || path.path.get_ident().is_none() || last.contains(char::is_lowercase) || layer_like(&last).is_some();
    (path.qself.is_none() && is_type && !primitive).then_some(&path.path)
}

/// The layer of that name, in whatever letters: `GELU` is PyTorch's `Gelu`.
pub(crate) fn layer_like(name: &str) -> Option<&'static Layer> {
    netcl_kernels::layers::all().iter().copied().find(|layer| layer.name.eq_ignore_ascii_case(name))
}

/// The types among the arguments of a model's type.
pub(crate) fn type_arguments<'a>(path: &'a syn::Path, types: &BTreeSet<String>) -> Vec<&'a syn::Path> {
    match path.segments.last().map(|last| &last.arguments) {
        Some(PathArguments::AngleBracketed(given)) => {
            given.args.iter().filter_map(|argument| type_argument(argument, types)).collect()
        }
        _ => Vec::new(),
    }
}

fn path_dim(path: &syn::Path, constants: &Constants) -> Option<Dim> {
    let name = constant::key(path);
    match constants.get(&name) {
        Some(Constant::Integer(value)) => Some(Dim::constant(*value)),
        Some(_) => None,
        // A name that needs no `r#`, of no type, and not `self`.
        None => {
            let plain = DType::from_name(&name).is_none() && syn::parse_str::<syn::Ident>(&name).is_ok();
            path.get_ident().filter(|ident| plain && name == super::name(ident)).map(|_| Dim::symbol(&name))
        }
    }
}

/// A dimension written as an expression: `N`, `64`, `N * 2 + 1`, `H / 2`.
pub(crate) fn expr_dim(expr: &Expr, constants: &Constants) -> Option<Dim> {
    match expr {
        Expr::Lit(lit) => match constant::literal(&lit.lit)? {
            Constant::Integer(value) => Some(Dim::constant(value)),
            _ => None,
        },
        // A list is no size.
        Expr::Path(path) if constants.lists.contains_key(&constant::key(&path.path)) => None,
        Expr::Path(path) if path.qself.is_none() => path_dim(&path.path, constants),
        Expr::Paren(inner) => expr_dim(&inner.expr, constants),
        Expr::Group(inner) => expr_dim(&inner.expr, constants),
        Expr::Block(block) => match block.block.stmts.as_slice() {
            [syn::Stmt::Expr(inner, None)] => expr_dim(inner, constants),
            _ => None,
        },
        Expr::Binary(binary) => {
            let (a, b) = (expr_dim(&binary.left, constants)?, expr_dim(&binary.right, constants)?);
            match binary.op {
                BinOp::Add(_) => Some(a + b),
                BinOp::Sub(_) => Some(a - b),
                BinOp::Mul(_) => Some(a * b),
                BinOp::Div(_) => {
                    let named = || constants.are_behind(&b).then(|| quotient::named(&a, &b));
                    super::quotient(&a, &b).or_else(named)
                }
                _ => None,
            }
        }
        Expr::Index(_) | Expr::MethodCall(_) | Expr::Cast(_) => match constant::evaluate(expr, constants)? {
            Constant::Integer(value) => Some(Dim::constant(value)),
            _ => None,
        },
        _ => None,
    }
}

/// The type of an argument of a compiled function called `name`.
pub(crate) fn argument(diag: &Diag, name: &str, ty: &Type, constants: &Constants) -> Option<ArgType> {
    match ty {
        Type::Reference(reference) if reference.mutability.is_none() => {
            named_tensor(diag, name, &reference.elem, "&", constants).map(ArgType::Tensor)
        }
        Type::Path(path) => {
            if path.path.segments.last().is_some_and(|last| last.ident == words::TENSOR) {
                diag.report(ty.span(), &m::ARGUMENT_BY_VALUE, &[&text(ty)]);
                return None;
            }
            let known = path.path.get_ident().map(ToString::to_string);
            match known.as_deref() {
                Some("bool") => Some(ArgType::Plain(PlainType::Bool)),
                Some("usize") => Some(ArgType::Plain(PlainType::Usize)),
                Some("f32") => Some(ArgType::Scalar(DType::F32)),
                Some("i32") => Some(ArgType::Scalar(DType::I32)),
                Some("u32") => Some(ArgType::Scalar(DType::U32)),
                _ => {
                    diag.report(ty.span(), &m::ARGUMENT_TYPE, &[&text(ty), &instead(name, ty)]);
                    None
                }
            }
        }
        Type::Paren(inner) => argument(diag, name, &inner.elem, constants),
        Type::Group(inner) => argument(diag, name, &inner.elem, constants),
        _ => {
            diag.report(ty.span(), &m::ARGUMENT_TYPE, &[&text(ty), &instead(name, ty)]);
            None
        }
    }
}

/// The type of an argument that is an enum of the user's: what it may be is known to rustc alone.
pub(crate) fn user_enum(ty: &Type) -> Option<ArgType> {
    let path = match ty {
        Type::Path(path) if path.qself.is_none() => &path.path,
        Type::Paren(inner) => return user_enum(&inner.elem),
        Type::Group(inner) => return user_enum(&inner.elem),
        _ => return None,
    };
    let last = path.segments.last()?;
    let name = super::name(&last.ident);
    let own = name.starts_with(char::is_uppercase)
        && path.segments.iter().all(|segment| segment.arguments.is_none())
        && !path.segments.iter().any(|segment| segment.ident == "Self")
        && !is_of_rust_or_netcl(&name)
        && name != words::TENSOR;
    own.then(|| ArgType::Enum(std::rc::Rc::new(path.clone())))
}

/// Types of libraries that choose nothing.
fn is_of_rust_or_netcl(name: &str) -> bool {
    const KNOWN: [&str; 12] = [
        "String", "OsString", "PathBuf", "Path", "Vec", "Device", "Seed", "Shape", "Array", "ArrayD", "Duration",
        "Instant",
    ];
    KNOWN.contains(&name) || netcl_kernels::layers::find(name).is_some()
}

/// What is passed in place of an argument of a type that none has.
fn instead(name: &str, ty: &Type) -> String {
    let last = match ty {
        Type::Path(path) => path.path.segments.last(),
        _ => None,
    };
    let of = last.and_then(|last| match &last.arguments {
        PathArguments::AngleBracketed(given) => given.args.first(),
        _ => None,
    });
    match (last.map(|last| last.ident.to_string()).as_deref(), of) {
        (Some("Option"), Some(inner)) => {
            format!(
                "an argument is always there: write `{}`, and a `bool` beside it that says whether it counts; where it \
                 does not, any tensor of those sizes is passed",
                text(inner)
            )
        }
        (Some("str" | "String" | "char"), _) => {
            format!(
                "what is chosen by a word is chosen by a number: write `{name}: usize`, and `if {name} == 0 {{ .. }}`"
            )
        }
        (Some("Vec"), Some(syn::GenericArgument::Type(inner))) if is_tensor(inner) => {
            let (each, (stacked, count)) = (text(inner), stacked(inner));
            format!(
                "how many there are is part of the type: write `&[{each}; 3]`; as many as a call brings are one tensor, `&{stacked}`, \
                 which a loop goes over, `for k in 0..{count} {{ .. x.get(0, k) .. }}`"
            )
        }
        (Some("Vec"), Some(syn::GenericArgument::Type(inner))) if is_number(inner) => numbers_in_a_row(name, inner),
        (Some("Vec"), Some(_)) => LISTED.to_string(),
        (Some(number), None) if looks_like_number(number) || number == "isize" => {
            let passed = match number.as_bytes()[0] {
                b'i' => "i32",
                b'u' => "u32",
                _ => "f32",
            };
            let beside = match DType::from_name(number) {
                Some(_) => format!(", and `{name} as {number}` where it meets others of that type"),
                None => String::new(),
            };
            format!("numbers are passed as `f32`, `i32` or `u32`: write `{name}: {passed}`{beside}")
        }
        (Some("Box" | "Rc" | "Arc"), _) => CALLED.to_string(),
        _ if matches!(ty, Type::ImplTrait(_) | Type::FnPtr(_) | Type::TraitObject(_)) => CALLED.to_string(),
        _ => "arguments are `&Tensor<..>`, `bool`, `usize`, `f32`, `i32`, `u32`, enums of your own, structs with \
              `#[netcl::tensors]`, and tuples and arrays of these; an alias is written out"
            .to_string(),
    }
}

/// Whether it is the type of one number.
fn is_number(ty: &Type) -> bool {
    DType::from_name(&text(ty)).is_some() || text(ty) == "usize"
}

/// What there is in place of a list of numbers.
fn numbers_in_a_row(name: &str, ty: &Type) -> String {
    let dtype = DType::from_name(&text(ty)).filter(|dtype| *dtype != DType::F64);
    let dtype = dtype.map_or_else(|| if text(ty) == "f64" { "f32" } else { "u32" }, DType::name);
    format!("numbers in a row are a tensor: write `{name}: &Tensor<{dtype}, N>`")
}

/// What there is in place of layers and models that are passed.
const LISTED: &str = "layers and models are fields, which a function of the model goes over: `for layer in &self.layers { h = \
                      layer.forward(&h); }`; ordinary Rust calls those of any list, `for block in blocks { h = block.forward(&h)?; }`";

/// What there is in place of functions that are passed.
const CALLED: &str = "what is called is known while compiling: call a `#[netcl::function]` or a function of the model by its \
                      name; which of several, a `usize` says: `if which == 0 { .. }`";

/// So many tensors of that type as one, along a first axis whose size is called as no other one.
fn stacked(ty: &Type) -> (String, &'static str) {
    let written = text(ty);
    let used = |name: &str| written.split(|c: char| !c.is_alphanumeric()).any(|word| word == name);
    let count = ["K", "L", "M", "P", "Q"].into_iter().find(|name| !used(name)).unwrap_or("Z");
    let stacked = match written.find([',', '>']) {
        Some(at) => format!("{}, {count}{}", &written[..at], &written[at..]),
        None => written,
    };
    (stacked, count)
}
