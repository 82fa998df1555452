//! A kernel as a value that is called: `bias_relu(&x, &bias)?`, its pullback, `bias_relu.vjp(&x, &bias)?`, and
//! a check of that, `bias_relu.check(&x, &bias)?`.

use super::functions::{arguments, result_type, scalars, taken_apart, tensors, unpack, unpack_as};
use super::source::{self, Natives};
use super::withheld::{Withheld, types};
use crate::ast::{ArgType, FunctionItem};
use crate::compile::{CompiledPlan, Planned};
use crate::diag::Diag;
use crate::lower::Path;
use crate::parse::attr::of_functions;
use crate::parts::Composite;
use crate::{compile, dump, messages as m, paths, unused};
use netcl_kernels::autodiff::{self, Arguments};
use netcl_kernels::graph::{Graph, OutputKind, build, open};
use netcl_kernels::span::Diagnostic;
use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::Visibility;

/// The kernel's static, its type and its functions, of the function for each choice of its element types with its paths. They have
/// one signature in Rust.
pub(crate) fn kernel(diag: &Diag, instances: Vec<(FunctionItem, Vec<Path>)>) -> Option<TokenStream> {
    let before = diag.count();
    let has_gradient = |(function, _): &&(FunctionItem, _)| {
        !differentiable(function).is_empty() && function.results.iter().any(|ty| ty.dtype.is_float())
    };
    // Where some choices are of floats and others are not, the gradient is of those that are.
    let function = instances.iter().find(has_gradient).or(instances.first()).map(|(function, _)| function.clone())?;
    let (function, name) = (&function, &function.name);
    let (mut plain, mut pullback, mut graphs) = (Vec::new(), Vec::new(), Vec::new());
    // Why a function has no gradient that calls what has none: only who asks for it is told.
    let mut withheld: Option<String> = None;
    let float: Vec<usize> = differentiable(function);
    let differentiable = !float.is_empty() && function.results.iter().any(|ty| ty.dtype.is_float());
    let checks: Vec<TokenStream> =
        instances.iter().flat_map(|(_, paths)| paths.iter().flat_map(|path| path.private.iter().cloned())).collect();
    let each = instances.iter().flat_map(|(own, paths)| paths.iter().map(move |path| (own, path)));
    for (own, path) in each {
        let differentiable = differentiable && self::differentiable(own) == float;
        let planned = |graph: &Graph, name: &str, text: GraphText| {
            let planned = match function.dynamic {
                true => left_to_run_time(graph, path),
                false => planned((graph, name), path, text),
            };
            planned.map_err(|diagnostic| diag.diagnostic(&diagnostic, function.name.span())).ok()
        };
        let made = planned(&path.graph, &crate::parse::name(name), compile::graph_text);
        // Of one that cannot be compiled the gradient says the same.
        if differentiable && made.is_some() {
            graphs.push(compile::text(&path.graph));
            match autodiff::append_vjp(path.graph.clone(), Arguments::At(&float)).map(gradients_only) {
                Ok(graph) => {
                    let name = format!("{}.vjp", crate::parse::name(name));
                    pullback.extend(planned(&graph, &name, compile::decided_text));
                }
                Err(diagnostic) if !function.indexed => withheld = Some(diagnostic.message),
                Err(diagnostic) => diag.diagnostic(&diagnostic, function.name.span()),
            }
        }
        plain.extend(made);
    }
    if diag.count() > before || plain.is_empty() {
        return None;
    }
    let differentiable = differentiable && withheld.is_none();
    let ((_, attrs), vis) = (of_functions(&function.attrs), &function.vis);
    let pointer = pointer(function);
    let mut natives = Natives::default();
    let call = call(function, &plain, &mut natives);
    let vjp = match withheld {
        Some(why) => vjp_of_what_has_none(function, &why),
        None if differentiable => vjp(function, &pullback, &float, &mut natives),
        None => no_vjp(function),
    };
    let natives = natives.items();
    let check = differentiable.then(|| check(function, &pullback, &graphs));
    let (own, of_pullback) = (plans_in(function, "__netcl_plans"), plans_in(function, "__netcl_pullback_plans"));
    let report = report(if differentiable { quote!(#own, #of_pullback) } else { own });
    let inner = one_module_further_in(vis);
    let imports = imports(function);
    let checks = (!checks.is_empty()).then(|| quote!(#[allow(clippy::all)] const _: fn() = || { #(#checks)* };));
    // Of a kernel's arguments and indices errors say so.
    let args = if function.indexed { Vec::new() } else { unused::parameters(function) };
    let unused = unused::beside(&function.attrs, &unused::names(&args, &function.body));
    let prelude = paths::prelude();
    Some(quote! {
        #(#attrs)*
        #[allow(non_upper_case_globals)]
        #vis static #name: #name::Kernel = #name::Kernel(());
        #[doc(hidden)]
        #[allow(dead_code)]
        #vis mod #name {
            /// A compiled kernel: call it, or take its `vjp`.
            #inner struct Kernel(pub(super) ());
            impl ::netcl::__private::OfTensors for Kernel {}
            #[automatically_derived]
            impl ::core::ops::Deref for Kernel {
                type Target = #pointer;
                fn deref(&self) -> &Self::Target {
                    const CALL: #pointer = __netcl_call;
                    &CALL
                }
            }
            #imports
            #natives
            #call
            #vjp
            #check
            #report
        }
        #unused
        #checks
        #prelude
    })
}

/// The visibility of an item as it is written in a module beside that item: what is as private as an argument's type may name it.
fn one_module_further_in(vis: &Visibility) -> TokenStream {
    match vis {
        Visibility::Inherited => quote!(pub(super)),
        Visibility::Restricted(restricted) if restricted.path.is_ident("self") => quote!(pub(super)),
        Visibility::Restricted(restricted) => {
            let path = &restricted.path;
            let relative = path.segments.first().is_some_and(|first| first.ident == "super");
            if relative { quote!(pub(in super::#path)) } else { quote!(pub(in #path)) }
        }
        Visibility::Public(_) => quote!(pub),
    }
}

/// The pullback of a kernel that calls one without a gradient: an error for who asks for it.
fn vjp_of_what_has_none(function: &FunctionItem, why: &str) -> TokenStream {
    let why = format!("`{}` has no gradient: {why}", crate::parse::name(&function.name));
    let way_out = "give the kernel that it calls a gradient".into();
    withheld_vjp(&function.name, &types(function), &result_type(function), why, way_out)
}

/// What is embedded of a graph beside its plans.
type GraphText = fn(&Graph, &[CompiledPlan]) -> String;

/// The plans of a graph that is called so, of that path.
fn planned((graph, name): (&Graph, &str), path: &Path, text: GraphText) -> Result<Planned, Diagnostic> {
    let plans = compile::compile(graph)?;
    dump::graph(name, graph, &plans);
    Ok(Planned { decisions: path.decisions.clone(), graph: text(graph, &plans), plans })
}

/// The graph alone, of that path of a function that is compiled where it runs.
fn left_to_run_time(graph: &Graph, path: &Path) -> Result<Planned, Diagnostic> {
    Ok(Planned { decisions: path.decisions.clone(), graph: open::write(graph)?, plans: Vec::new() })
}

/// The function called `hidden` that gives what each path is run by.
fn run_by(
    hidden: &str,
    name: &str,
    function: &FunctionItem,
    planned: &[Planned],
    natives: &mut Natives,
) -> TokenStream {
    let hidden = format_ident!("{hidden}");
    match function.dynamic {
        true => source::open(&hidden, name, planned, &[], None, function.matmul_precision),
        false => source::statics(&hidden, name, planned, natives),
    }
}

/// What the function called `hidden` gives, inside a function that returns a `Result`.
fn plans_in(function: &FunctionItem, hidden: &str) -> TokenStream {
    let (hidden, fails) = (format_ident!("{hidden}"), function.dynamic.then(|| quote!(?)));
    quote!(#hidden() #fails)
}

/// A function of the kernel's name that gives its plans. There is one path: nothing chooses between plans.
pub(crate) fn plans(diag: &Diag, function: &FunctionItem, lowered: Vec<Path>) -> Option<TokenStream> {
    let name = &function.name;
    let [path] = lowered.as_slice() else {
        if !lowered.is_empty() {
            diag.report(name.span(), &m::TOO_MANY_PATHS, &[name, &1]);
        }
        return None;
    };
    let plans = match compile::compile(&path.graph) {
        Ok(plans) => plans,
        Err(diagnostic) => {
            diag.diagnostic(&diagnostic, name.span());
            return None;
        }
    };
    dump::graph(&crate::parse::name(name), &path.graph, &plans);
    let (attrs, vis, private) = (&function.attrs, &function.vis, paths::private());
    let (mut natives, graph) = (Natives::default(), compile::decided_text(&path.graph, &plans));
    let functions = source::functions(&crate::parse::name(name), std::iter::once((&*graph, &*plans)), &mut natives);
    let natives = natives.items();
    Some(quote! {
        #(#attrs)*
        #vis fn #name() -> &'static #private::Function {
            #natives
            let functions: &'static [#private::Function] = { #functions };
            &functions[0]
        }
    })
}

/// The tensor arguments that have gradients.
fn differentiable(function: &FunctionItem) -> Vec<usize> {
    function.tensors().enumerate().filter(|(_, (_, ty))| ty.dtype.is_float()).map(|(position, _)| position).collect()
}

/// The graph with the gradients in its arguments as its results.
fn gradients_only(graph: Graph) -> Graph {
    let mut graph = graph;
    let mut gradients: Vec<_> = graph
        .outputs
        .iter()
        .filter_map(|(kind, id)| match kind {
            OutputKind::ArgumentGradient(position) => Some((*position, *id)),
            _ => None,
        })
        .collect();
    gradients.sort_unstable();
    graph.outputs =
        gradients.into_iter().enumerate().map(|(result, (_, id))| (OutputKind::Result(result), id)).collect();
    graph.name.push_str("_vjp");
    build::prune(graph)
}

/// `report` and `source` of a kernel.
pub(super) fn report(plans: TokenStream) -> TokenStream {
    let private = paths::private();
    quote! {
        impl Kernel {
            /// What it does on devices of that kind: launches, bytes read and written, memory.
            pub fn report(&self, target: ::netcl::Target) -> ::netcl::Result<::std::string::String> {
                #private::report(&[#plans], target)
            }
            /// Its OpenCL C for devices of that kind; for the host its kernels in the IR's text form.
            pub fn source(&self, target: ::netcl::Target) -> ::netcl::Result<::std::string::String> {
                #private::source(&[#plans], target)
            }
            /// Builds its programs for the device, so that the first call need not.
            pub fn prepare(&self, device: &::netcl::Device) -> ::netcl::Result<()> {
                #private::prepare(&[#plans], device)
            }
        }
    }
}

/// What the module of a function names of the one that it stands in: the user's enums and structs.
fn imports(function: &FunctionItem) -> TokenStream {
    fn structs<'f>(parts: &'f Composite, all: &mut Vec<&'f syn::Path>) {
        match parts {
            Composite::One => {}
            Composite::Tuple(parts) | Composite::Array(parts) => parts.iter().for_each(|part| structs(part, all)),
            // Structs in it are known where it stands.
            Composite::Struct(of, _) => all.push(&of.path),
        }
    }
    let mut all = Vec::new();
    function.params.iter().for_each(|param| structs(&param.parts, &mut all));
    structs(&function.composed, &mut all);
    all.extend(function.args.iter().filter_map(|arg| match &arg.ty {
        ArgType::Enum(path) => Some(&**path),
        _ => None,
    }));
    let mut names: Vec<&Ident> = Vec::new();
    for path in all.into_iter().filter(|path| path.leading_colon.is_none()) {
        let first = path.segments.first().map(|first| &first.ident);
        let here = first.filter(|first| !["crate", "self", "super"].iter().any(|word| **first == word));
        names.extend(here.filter(|name| !names.contains(name)));
    }
    quote!(#(#[allow(unused_imports)] use super::#names;)*)
}

/// The parameters as expressions.
fn passed(function: &FunctionItem) -> Vec<TokenStream> {
    function.params.iter().map(|param| param.pattern.to_token_stream()).collect()
}

fn pointer(function: &FunctionItem) -> TokenStream {
    let (args, result) = (types(function), result_type(function));
    quote!(fn(#(#args),*) -> ::netcl::Result<#result>)
}

fn call(function: &FunctionItem, planned: &[Planned], natives: &mut Natives) -> TokenStream {
    let (args, result) = (arguments(function), result_type(function));
    let name = crate::parse::name(&function.name);
    let statics = run_by("__netcl_plans", &name, function, planned, natives);
    let (chosen, plans) = (source::chosen(&name, planned), plans_in(function, "__netcl_plans"));
    let run = if function.dynamic { quote!(call_recorded) } else { quote!(call) };
    let trains = function.dynamic.then(|| quote!(false,));
    let (tensors, scalars) = (tensors(function), scalars(function));
    let (unpacked, apart) = (unpack_as(&function.composed), taken_apart(function));
    let (attrs, _) = of_functions(&function.attrs);
    quote! {
        #statics
        #(#attrs)*
        fn __netcl_call(#args) -> ::netcl::Result<#result> {
            #apart
            let __netcl_results =
                #plans[#chosen].#run(#trains ::core::option::Option::None, "", &[#(#tensors),*], &[#(#scalars),*])?;
            #unpacked
        }
    }
}

/// `check(args) -> Result<GradientCheck>`: the gradient against differences. `graphs` are those of the paths.
fn check(function: &FunctionItem, planned: &[Planned], graphs: &[String]) -> TokenStream {
    let args = arguments(function);
    let (names, apart) = (passed(function), taken_apart(function));
    let (tensors, scalars, private) = (tensors(function), scalars(function), paths::private());
    let chosen = source::chosen(&crate::parse::name(&function.name), planned);
    let plans = plans_in(function, "__netcl_pullback_plans");
    quote! {
        impl Kernel {
            /// Compares the gradient that `vjp` gives on the arguments' device with central differences in `f64` on the
            /// host, at these arguments: away from kinks, and small, because each element is moved by itself.
            ///
            /// # Errors
            ///
            /// `netcl::Error::Gradient`, with the element that is furthest off, where they do not agree;
            /// `netcl::Error::Setting` if the arguments have more than 4096 elements; `netcl::Error::Unsupported` on the
            /// null device, which computes nothing; those of a call.
            pub fn check(&self, #args) -> ::netcl::Result<::netcl::GradientCheck> {
                __netcl_call(#(#names),*)?;
                #apart
                let __netcl_path: usize = #chosen;
                #private::check_gradients(
                    [#(#graphs),*][__netcl_path],
                    &#plans[__netcl_path],
                    &[#(#tensors),*],
                    &[#(#scalars),*],
                )
            }
        }
    }
}

/// Says, where `vjp` is called, why there is none.
fn no_vjp(function: &FunctionItem) -> TokenStream {
    let name = crate::parse::name(&function.name);
    let what = if function.results.iter().any(|ty| ty.dtype.is_float()) { "argument" } else { "result" };
    let why = format!("`{name}` has no gradient: it has no {what} of floats");
    withheld_vjp(
        &function.name,
        &types(function),
        &result_type(function),
        why,
        "a gradient is of float results in float arguments".into(),
    )
}

/// A `vjp` that is refused.
pub(super) fn withheld_vjp(
    kernel: &Ident,
    args: &[TokenStream],
    result: &TokenStream,
    why: String,
    instead: String,
) -> TokenStream {
    let result = quote!((#result, fn(&::netcl::Tensor) -> ::netcl::Result<::netcl::Tensor>));
    let (declared, function) =
        Withheld { name: format_ident!("vjp"), place: kernel.span(), args, result, why, instead }.tokens();
    quote!(#declared impl Kernel { #function })
}

/// Which arguments have no gradient, in a sentence, if there are such numbers.
fn without_gradient(function: &FunctionItem) -> Option<String> {
    let names: Vec<String> = function.scalars().map(|(name, _)| format!("`{}`", crate::parse::name(name))).collect();
    let have = if names.len() == 1 { "is a number and has" } else { "are numbers and have" };
    let list = names.join(", ");
    let instead = "a `&Tensor<f32>`, of one element, in its place has one";
    (!names.is_empty()).then(|| format!("{list} {have} no gradient; {instead}."))
}

/// `vjp(args) -> Result<(result, pullback)>`; the pullback takes a cotangent for each float result and gives a gradient
/// for each float argument.
fn vjp(function: &FunctionItem, planned: &[Planned], float: &[usize], natives: &mut Natives) -> TokenStream {
    let (args, result) = (arguments(function), result_type(function));
    let (names, apart) = (passed(function), taken_apart(function));
    let (tensors, scalars) = (tensors(function), scalars(function));
    let cotangents: Vec<_> = function
        .results
        .iter()
        .enumerate()
        .filter(|(_, ty)| ty.dtype.is_float())
        .map(|(position, _)| format_ident!("__netcl_cotangent_{position}"))
        .collect();
    let name = format!("{}.vjp", crate::parse::name(&function.name));
    let statics = run_by("__netcl_pullback_plans", &name, function, planned, natives);
    let plans = plans_in(function, "__netcl_pullback_plans");
    let chosen = source::chosen(&crate::parse::name(&function.name), planned);
    let tuple = float.len() > 1;
    let gradient = if tuple {
        let each = float.iter().map(|_| quote!(::netcl::Tensor));
        quote!((#(#each),*))
    } else {
        quote!(::netcl::Tensor)
    };
    let unpacked = unpack(tuple, float.len());
    let scalar = paths::private();
    let kept = tensors.iter().map(|name| quote!(let #name = #scalar::as_it_is(#name)?;));
    let given = tensors.iter().map(|name| quote!(&#name));
    let pulled = cotangents.iter().map(|_| quote!(&::netcl::Tensor));
    let numbers = without_gradient(function);
    let without = numbers.map(|numbers| quote!(#[doc = ""] #[doc = #numbers]));
    quote! {
        #statics
        impl Kernel {
            /// The result, and the function that turns cotangents of it into gradients in the arguments: as they are now,
            /// whatever an optimizer makes of them meanwhile.
            #without
            #[allow(clippy::type_complexity)]
            pub fn vjp(
                &self,
                #args
            ) -> ::netcl::Result<(#result, impl Fn(#(#pulled),*) -> ::netcl::Result<#gradient> + use<>)> {
                let __netcl_value = __netcl_call(#(#names),*)?;
                #apart
                #(#kept)*
                let __netcl_scalars: ::std::vec::Vec<#scalar::Scalar> = ::std::vec![#(#scalars),*];
                let __netcl_function = &#plans[#chosen];
                let __netcl_pullback = move |#(#cotangents: &::netcl::Tensor),*| -> ::netcl::Result<#gradient> {
                    let __netcl_results =
                        __netcl_function.call_unrecorded(&[#(#given,)* #(#cotangents),*], &__netcl_scalars)?;
                    #unpacked
                };
                ::core::result::Result::Ok((__netcl_value, __netcl_pullback))
            }
        }
    }
}
