//! The signature of a SIMT-form kernel.

use super::state::{BufferArg, Simt, Val};
use crate::ast::{ArgType, Constant, DimToken, TensorType};
use crate::diag::Diag;
use crate::messages as m;
use crate::parse::constant::{self, Constants};
use crate::parse::{list, suggestion, text, types};
use crate::words;
use netcl_kernels::dim::{Dim, INDEX_LIMIT, Symbol};
use netcl_kernels::dtype::DType;
use netcl_kernels::identifier::{ascii, is_reserved};
use netcl_kernels::kir::{Access, ParamKind};
use netcl_kernels::plan::requirement::uncountable;
use netcl_kernels::span::Diagnostic;
use proc_macro2::{Ident, Span};
use std::collections::BTreeSet;
use syn::spanned::Spanned;
use syn::{Attribute, Expr, FnArg, ItemFn, Pat, ReturnType, Stmt, Token, Type, punctuated::Punctuated};

/// How many work-items a group may have.
pub(super) const MOST_ITEMS: i64 = 1024;

/// Sizes of work-groups of one, two and three axes that all devices take.
const FITTING: [&str; 3] = ["64", "8, 8", "4, 4, 4"];

/// An argument.
pub(crate) struct KernelArg {
    pub(crate) name: Ident,
    pub(crate) ty: ArgType,
    /// The position among the results, for `&mut` tensors and those that are changed in place.
    pub(crate) result: Option<usize>,
    /// Whether it is taken, changed and given back: `mut x: Tensor<f32, N>`.
    pub(crate) in_place: bool,
}

impl KernelArg {
    /// Whether the caller passes it.
    pub(crate) fn is_input(&self) -> bool {
        self.result.is_none() || self.in_place
    }
}

/// A signature.
pub(crate) struct Signature {
    pub(crate) attrs: Vec<Attribute>,
    pub(crate) vis: syn::Visibility,
    pub(crate) name: Ident,
    pub(crate) args: Vec<KernelArg>,
    pub(crate) results: Vec<TensorType>,
    pub(crate) global: Vec<Dim>,
    /// Where each of these stands.
    global_places: Vec<Span>,
    pub(crate) local: Vec<u32>,
    /// Whether indices are used as they are, wherever they lead.
    pub(crate) unchecked: bool,
    /// Whether its element types are those of a list.
    pub(super) chosen: bool,
    /// The kernel that gives the gradients in the inputs.
    pub(crate) gradient: Option<syn::Path>,
    /// OpenCL C that OpenCL devices run in place of the body.
    pub(crate) opencl: Option<String>,
    pub(crate) body: syn::Block,
    /// Where something is wrong, which is reported: the arguments whose types nobody knows. Such a kernel is lowered for the
    /// mistakes in its body alone.
    pub(crate) unsound: Option<Vec<Ident>>,
}

impl Signature {
    /// Whether a caller has to promise something: that indices are inside, or that OpenCL C which nobody checks is right.
    pub(crate) fn is_unsafe(&self) -> bool {
        self.unchecked || self.opencl.is_some()
    }
}

/// What to write for a result of that type, which is an argument or is one already.
fn as_argument(sig: &syn::Signature, ty: &Type) -> String {
    let result = sig.inputs.iter().find_map(|input| match input {
        FnArg::Typed(typed) if is_result(typed) => Some(typed),
        _ => None,
    });
    let name_of = |typed: &syn::PatType| crate::parse::function::names(&typed.pat).first().map(ToString::to_string);
    match result.and_then(|typed| Some((typed, name_of(typed)?))) {
        Some((typed, name)) => {
            let taken = if is_in_place(typed) { format!(", which is taken as `mut {name}`") } else { String::new() };
            format!("leave `-> {}` out: the call returns `{name}`{taken}", text(ty))
        }
        None => with_result(sig, ty),
    }
}

/// The signature with what it returns as an argument.
fn with_result(sig: &syn::Signature, ty: &Type) -> String {
    let written: Vec<String> = sig.inputs.iter().map(text).collect();
    let names = sig.inputs.iter().filter_map(|input| match input {
        FnArg::Typed(typed) => Some(crate::parse::function::names(&typed.pat)),
        FnArg::Receiver(_) => None,
    });
    let names: Vec<String> = names.flatten().map(|name| name.to_string()).collect();
    let free = ["y", "out", "result"].into_iter().find(|name| !names.iter().any(|own| own == name)).unwrap_or("out");
    let result = if text(ty).starts_with("Tensor<") { text(ty) } else { "Tensor<f32, N>".to_string() };
    let all: Vec<String> = written.into_iter().chain([format!("{free}: &mut {result}")]).collect();
    format!("write `fn {}({})`; the call returns `{free}`", sig.ident, all.join(", "))
}

/// Whether the argument is a result: `y: &mut Tensor<..>`, or `mut y: Tensor<..>`, which is changed in place.
pub(crate) fn is_result(arg: &syn::PatType) -> bool {
    is_in_place(arg) || matches!(&*arg.ty, Type::Reference(reference) if reference.mutability.is_some())
}

/// Whether the argument is changed in place: `mut y: Tensor<..>`.
pub(crate) fn is_in_place(arg: &syn::PatType) -> bool {
    let of_tensor = |path: &syn::TypePath| path.path.segments.last().is_some_and(|last| last.ident == words::TENSOR);
    matches!(&*arg.pat, Pat::Ident(name) if name.mutability.is_some())
        && matches!(&*arg.ty, Type::Path(path) if of_tensor(path))
}

/// Whether the function is in SIMT form.
pub(crate) fn is_simt(item: &ItemFn) -> bool {
    let writes = |input: &FnArg| matches!(input, FnArg::Typed(typed) if is_result(typed));
    item.attrs.iter().any(|attr| attr.path().is_ident(words::LAUNCH)) || item.sig.inputs.iter().any(writes)
}

/// Parses it. What is wrong is reported and makes it unsound.
pub(crate) fn signature(diag: &Diag, item: &ItemFn, constants: &Constants) -> Signature {
    let before = diag.count();
    let (own, attrs): (Vec<_>, Vec<_>) = item.attrs.iter().cloned().partition(|attr| {
        [words::LAUNCH, words::GRADIENT, words::TYPES, words::OPENCL].iter().any(|word| attr.path().is_ident(word))
    });
    once(diag, &own);
    let mut body = (*item.block).clone();
    if let ReturnType::Type(_, ty) = &item.sig.output {
        let launch = own.iter().find(|attr| attr.path().is_ident(words::LAUNCH));
        // A body that is one closure is of the other form.
        match (launch, item.block.stmts.as_slice()) {
            (Some(launch), [Stmt::Expr(Expr::Closure(_), None)]) => {
                let instead = format!(
                    "leave `{}` out: one closure over the result's indices is an index-form kernel",
                    text(launch)
                );
                diag.report(launch.span(), &m::SIMT_RESULT, &[&instead]);
            }
            _ => diag.report(ty.span(), &m::SIMT_RESULT, &[&as_argument(&item.sig, ty)]),
        }
        // Its value belongs to the same mistake.
        if let Some(Stmt::Expr(Expr::Path(_), None)) = body.stmts.last() {
            body.stmts.pop();
        }
    }
    let (mut args, mut results): (Vec<KernelArg>, Vec<TensorType>) = (Vec::new(), Vec::new());
    let (mut unknown, mut has_result) = (Vec::new(), false);
    for input in &item.sig.inputs {
        let FnArg::Typed(typed) = input else { continue };
        let Pat::Ident(name) = &*typed.pat else {
            diag.report(typed.pat.span(), &m::ARGUMENT_PATTERN, &[]);
            unknown.extend(crate::parse::function::names(&typed.pat));
            continue;
        };
        let name = name.ident.clone();
        crate::parse::reserved::own_name(diag, &name);
        let in_place = is_in_place(typed);
        match &*typed.ty {
            ty if is_result(typed) => {
                has_result = true;
                let (ty, before) = match ty {
                    Type::Reference(reference) => (&*reference.elem, "&mut "),
                    ty => (ty, ""),
                };
                match types::tensor(diag, ty, before, constants) {
                    Some(ty) => {
                        results.push(ty.clone());
                        let result = Some(results.len() - 1);
                        args.push(KernelArg { name, ty: ArgType::Tensor(ty), result, in_place });
                    }
                    None => unknown.push(name),
                }
            }
            ty if types::is_called_tensor(ty) => {
                let given = text(ty);
                diag.report(ty.span(), &m::SIMT_BY_VALUE, &[&given, &given, &name, &given]);
                unknown.push(name);
            }
            ty => match types::argument(diag, &name.to_string(), ty, constants) {
                Some(ArgType::Plain(_)) => {
                    diag.once(typed.ty.span(), &m::SIMT_ARGUMENT, &[&text(&typed.ty)]);
                    unknown.push(name);
                }
                Some(ty) => args.push(KernelArg { name, ty, result: None, in_place: false }),
                None => unknown.push(name),
            },
        }
    }
    // A kernel that returns is in index form, or has been told what to write instead.
    // What an argument that has been refused was meant as nobody knows.
    if !has_result && unknown.is_empty() && matches!(item.sig.output, ReturnType::Default) {
        diag.report(item.sig.ident.span(), &m::SIMT_NO_RESULT, &[&item.sig.ident]);
    }
    let (global, local, unchecked) = launch(diag, &own, item.sig.ident.span(), constants);
    let (global, global_places) = global.into_iter().unzip();
    let gradient = own.iter().find(|attr| attr.path().is_ident(words::GRADIENT)).and_then(|attr| {
        attr.parse_args::<syn::Path>().map_err(|_| diag.report(attr.span(), &m::SIMT_GRADIENT, &[])).ok()
    });
    if let Some(own) = gradient.as_ref().filter(|path| path.is_ident(&item.sig.ident)) {
        diag.report(own.span(), &m::SIMT_OWN_GRADIENT, &[&item.sig.ident, &item.sig.ident]);
    }
    let opencl = own.iter().find(|attr| attr.path().is_ident(words::OPENCL)).and_then(|attr| {
        attr.parse_args::<syn::LitStr>().map_err(|_| diag.report(attr.span(), &m::SIMT_OPENCL, &[])).ok()
    });
    let mut signature = Signature {
        attrs,
        vis: item.vis.clone(),
        name: item.sig.ident.clone(),
        args,
        results,
        global,
        global_places,
        local,
        unchecked,
        chosen: item.attrs.iter().any(|attr| attr.path().is_ident(words::TYPES)),
        gradient,
        opencl: opencl.map(|text| text.value()),
        body,
        unsound: None,
    };
    if unknown.is_empty() {
        bound(diag, &signature);
    }
    signature.unsound = (diag.count() > before).then_some(unknown);
    signature
}

/// Rule: a kernel has one of each attribute. Wrong: `#[launch(global = [N])] #[launch(global = [M])]`.
fn once(diag: &Diag, attrs: &[Attribute]) {
    for (position, attr) in attrs.iter().enumerate() {
        if attrs[..position].iter().any(|first| first.path() == attr.path()) {
            diag.report(attr.path().span(), &m::DUPLICATE_ATTRIBUTE, &[&text(attr.path()), &m::JOINED]);
        }
    }
}

/// `#[launch(global = [N, M], local = [16, 16], unchecked)]`.
fn launch(diag: &Diag, attrs: &[Attribute], name: Span, constants: &Constants) -> (Vec<(Dim, Span)>, Vec<u32>, bool) {
    let Some(attr) = attrs.iter().find(|attr| attr.path().is_ident(words::LAUNCH)) else {
        diag.report(name, &m::SIMT_LAUNCH, &[]);
        return Default::default();
    };
    let (mut global, mut local, mut unchecked): (Vec<(Dim, Span)>, Vec<u32>, bool) = Default::default();
    let before = diag.count();
    let metas = match attr.parse_args_with(Punctuated::<syn::Meta, Token![,]>::parse_terminated) {
        Ok(pairs) => pairs,
        Err(error) => {
            diag.in_attribute(&error, attr, "global = [N], local = [64]");
            return Default::default();
        }
    };
    let places: Vec<_> = metas.iter().map(|meta| (text(meta.path()), meta.span())).collect();
    let place = |key: &str| places.iter().find(|(given, _)| given == key).map_or(attr.span(), |(_, place)| *place);
    let mut seen: Vec<syn::Path> = Vec::new();
    let mut bare: Vec<syn::MetaNameValue> = Vec::new();
    for meta in metas {
        if seen.contains(meta.path()) {
            diag.report(meta.path().span(), &m::DUPLICATE_KEY, &[&text(meta.path())]);
            continue;
        }
        seen.push(meta.path().clone());
        let pair = match meta {
            syn::Meta::NameValue(pair) => pair,
            syn::Meta::Path(path) if path.is_ident(words::UNCHECKED) => {
                unchecked = true;
                continue;
            }
            other => {
                launch_key(diag, other.path());
                continue;
            }
        };
        if pair.path.is_ident(words::UNCHECKED) {
            diag.report(pair.value.span(), &m::SIMT_UNCHECKED, &[&text(&pair.value)]);
            continue;
        }
        if !pair.path.is_ident("global") && !pair.path.is_ident("local") {
            launch_key(diag, &pair.path);
            continue;
        }
        let Expr::Array(list) = &pair.value else {
            bare.push(pair);
            continue;
        };
        for size in &list.elems {
            match text(&pair.path).as_str() {
                "global" => match types::expr_dim(size, constants) {
                    Some(dim) if dim.as_constant().is_some_and(|items| items < 1) => {
                        diag.report(size.span(), &m::SIMT_GLOBAL, &[&dim]);
                    }
                    Some(dim) if dim.as_constant().is_some_and(|items| items > INDEX_LIMIT as i64) => {
                        diag.diagnostic(&Diagnostic::new(uncountable(&dim)), size.span());
                    }
                    Some(dim) => global.push((dim, size.span())),
                    None if constant::is_listed(diag, size, constants) => {}
                    None => diag.once(size.span(), &m::BAD_DIMENSION, &[&text(size), &types::dimensions(size)]),
                },
                "local" => match constant::evaluate(size, constants) {
                    Some(Constant::Integer(size @ 1..=MOST_ITEMS)) => local.push(size as u32),
                    _ => diag.report(size.span(), &m::SIMT_LOCAL_SIZE, &[&text(size)]),
                },
                _ => {}
            }
        }
    }
    if let Some(first) = bare.first() {
        // One mistake, and what to write in place of all of it.
        let written = |pair: &syn::MetaNameValue| {
            let sizes = text(&pair.value);
            format!("{} = [{}]", text(&pair.path), sizes.trim_start_matches('(').trim_end_matches(')'))
        };
        let all = bare.iter().map(written).collect::<Vec<_>>().join(", ");
        let given = [text(&first.path), text(&first.value)];
        diag.report(first.value.span(), &m::SIMT_LAUNCH_LIST, &[&given[0], &given[1], &all]);
    }
    if diag.count() == before {
        let items: i64 = local.iter().map(|size| i64::from(*size)).product();
        match (global.len(), local.len()) {
            (0, _) => diag.report(attr.span(), &m::SIMT_LAUNCH, &[]),
            (axes @ 4.., _) => {
                let (first, rest) = global.split_at(2);
                let rest = rest.iter().fold(Dim::constant(1), |all, (size, _)| all * size.clone());
                let joined = format!("{}, {}, {rest}", first[0].0, first[1].0);
                diag.report(place("global"), &m::SIMT_LAUNCH_AXES, &[&axes, &joined]);
            }
            (axes, sizes) if sizes > 0 && sizes != axes => {
                let fitting = FITTING[axes - 1];
                diag.report(place("local"), &m::SIMT_LAUNCH_RANK, &[&sizes, &axes, &fitting]);
            }
            (axes, _) if items > MOST_ITEMS => {
                let sizes = local.iter().map(u32::to_string).collect::<Vec<_>>();
                diag.report(place("local"), &m::SIMT_LOCAL_ITEMS, &[&sizes.join(" × "), &items, &FITTING[axes - 1]]);
            }
            _ => {}
        }
    }
    (global, local, unchecked)
}

/// Rule: `#[launch]` has three keys. Wrong: `#[launch(global = [N], uncheked)]`.
fn launch_key(diag: &Diag, path: &syn::Path) {
    let (known, given) = (|| ["global", "local", words::UNCHECKED].into_iter(), text(path));
    if known().any(|key| key == given) {
        return diag.report(path.span(), &m::SIMT_LAUNCH, &[]);
    }
    diag.report(path.span(), &m::UNKNOWN_KEY, &[&"launch", &given, &suggestion(&given, known()), &list(known())]);
}

/// Rule: sizes of results and of the launch follow from the inputs' axes.
fn bound(diag: &Diag, signature: &Signature) {
    let inputs: Vec<&DimToken> = signature.inputs().flat_map(|(_, ty)| &ty.dims).collect();
    let bound = Dim::bound_by(inputs.iter().map(|dim| &dim.dim));
    let results = signature.results.iter().flat_map(|ty| &ty.dims);
    // Of a size that nothing tells, its first place is spoken of.
    let mut open = BTreeSet::new();
    let written = inputs.iter().copied().chain(results).map(|dim| (&dim.dim, dim.span));
    let launched = signature.global.iter().zip(signature.global_places.iter().copied());
    for (dim, span) in written.chain(launched) {
        dim.visit_symbols(&mut |symbol: &Symbol| {
            if !bound.contains(symbol) && open.insert(symbol.clone()) {
                diag.report(span, &m::UNBOUND_DIMENSION, &[symbol, &telling(signature, symbol, &inputs)]);
            }
        });
    }
}

/// What would tell the size. A result that is read is meant to be changed in place, and has no size of its own.
fn telling(signature: &Signature, symbol: &Symbol, inputs: &[&DimToken]) -> String {
    let of_symbol = |ty: &TensorType| ty.dims.iter().any(|token| token.dim == Dim::symbol(symbol.name()));
    let result = signature.args.iter().find_map(|arg| match &arg.ty {
        ArgType::Tensor(ty) if arg.result.is_some() && of_symbol(ty) => Some((&arg.name, ty)),
        _ => None,
    });
    match result {
        Some((name, ty)) if signature.inputs().next().is_none() => format!(
            "a `&mut` argument is a result, which the call makes: what is changed in place is taken, `mut {name}: {ty}`, and the call returns it"
        ),
        // It is as long as an input, more often than not.
        Some((name, ty)) if ty.dims.len() == 1 && inputs.len() == 1 && crate::ast::is_plain(&inputs[0].dim) => {
            let input = &inputs[0].dim;
            format!(
                "write `{name}: &mut Tensor<{}, {input}>`; {}",
                ty.dtype,
                crate::parse::function::telling(symbol, inputs)
            )
        }
        _ => crate::parse::function::telling(symbol, inputs),
    }
}

impl Signature {
    /// The documentation, for the generated source.
    pub(super) fn docs(&self) -> Vec<String> {
        self.attrs
            .iter()
            .filter_map(|attr| match &attr.meta {
                syn::Meta::NameValue(pair) if pair.path.is_ident("doc") => match &pair.value {
                    Expr::Lit(lit) => match &lit.lit {
                        syn::Lit::Str(line) => Some(line.value().trim().to_string()),
                        _ => None,
                    },
                    _ => None,
                },
                _ => None,
            })
            .collect()
    }

    /// The tensors that are read, in order.
    pub(crate) fn inputs(&self) -> impl Iterator<Item = (&Ident, &TensorType)> {
        self.args.iter().filter(|arg| arg.is_input()).filter_map(|arg| match &arg.ty {
            ArgType::Tensor(ty) => Some((&arg.name, ty)),
            _ => None,
        })
    }

    /// Of each result, which input it is, by position among all inputs' tensors, where that is changed in place.
    pub(crate) fn taken(&self) -> Vec<Option<usize>> {
        let mut inputs = 0;
        let mut taken = Vec::with_capacity(self.results.len());
        for arg in self.args.iter().filter(|arg| matches!(arg.ty, ArgType::Tensor(_))) {
            if arg.result.is_some() {
                taken.push(arg.in_place.then_some(inputs));
            }
            inputs += usize::from(arg.is_input());
        }
        taken
    }

    /// The scalars, in order.
    pub(crate) fn scalars(&self) -> impl Iterator<Item = (&Ident, DType)> {
        self.args.iter().filter_map(|arg| match &arg.ty {
            ArgType::Scalar(dtype) => Some((&arg.name, *dtype)),
            _ => None,
        })
    }

    /// The symbols of the inputs, in order of first appearance.
    pub(crate) fn symbols(&self) -> Vec<Symbol> {
        let mut symbols = Vec::new();
        for (_, ty) in self.inputs() {
            for dim in &ty.dims {
                dim.dim.visit_symbols(&mut |symbol| {
                    if !symbols.contains(symbol) {
                        symbols.push(symbol.clone());
                    }
                });
            }
        }
        symbols
    }
}

/// What the kernel is called in OpenCL C, which has words of its own (`double`, `kernel`) and fewer letters.
pub(super) fn entry(signature: &Signature) -> String {
    let name = crate::parse::name(&signature.name);
    if is_reserved(&name) || !name.is_ascii() { format!("run_{}", ascii(&name)) } else { name }
}

impl Simt<'_> {
    /// Declares the parameters and binds their names.
    pub(super) fn arguments(&mut self, signature: &Signature) {
        for arg in &signature.args {
            let name = crate::parse::name(&arg.name);
            match &arg.ty {
                ArgType::Tensor(ty) => {
                    let access = if arg.result.is_some() { Access::ReadWrite } else { Access::Read };
                    let param = self.builder.param(&name, ParamKind::Buffer(ty.dtype, access));
                    let dims = ty.dims.iter().map(|dim| dim.dim.clone()).collect();
                    let result = arg.result;
                    self.buffers.push(BufferArg { name: name.clone(), param, dims, dtype: ty.dtype, result });
                    self.bind(&name, Val::Buffer(self.buffers.len() - 1), None);
                }
                ArgType::Scalar(dtype) => {
                    let value = self.builder.scalar(&name, *dtype);
                    self.bind(&name, Val::Expr(value, None), None);
                }
                ArgType::Plain(_) | ArgType::Enum(_) => {}
            }
        }
        for name in signature.unsound.iter().flatten() {
            self.bind(&crate::parse::name(name), Val::Unknown, None);
        }
        for symbol in signature.symbols() {
            let value = self.size(symbol.name());
            self.bind(symbol.name(), Val::Expr(value, None), None);
        }
    }
}
