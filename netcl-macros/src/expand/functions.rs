//! The functions of a model: plain forms, and `…_with_gradients` of those whose result is a scalar.

use super::source::{self, Natives};
use super::withheld::{Withheld, types};
use crate::ast::{About, ArgDecl, ArgType, FunctionItem, ModelImpl, PlainType, TensorType, Unit};
use crate::functions::{CompiledForm, CompiledFunction};
use crate::parts::{Composite, Param};
use crate::{parse, paths, unused};
use netcl_kernels::dtype::DType;
use netcl_kernels::layers::Mode;
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{ToTokens, format_ident, quote};

/// The `impl` block with the generated functions, and one with those about all of it.
pub(crate) fn implementation(unit: &Unit, block: &ModelImpl, expanded: Vec<CompiledFunction>) -> [TokenStream; 2] {
    let (ty, others) = (&block.self_ty, &block.others);
    let (generics, _, bounds) = block.generics.split_for_impl();
    let private = paths::private();
    let vis = unit.model.as_ref().map(|model| &model.vis);
    let all = block.functions.iter().zip(&expanded).flat_map(|(function, expanded)| {
        let plain = (format_ident!("__netcl_{}", function.name), &expanded.plain);
        let gradients = expanded.gradients.as_ref();
        let gradients = gradients.map(|form| (format_ident!("__netcl_{}_with_gradients", function.name), form));
        std::iter::once(plain).chain(gradients)
    });
    let all = all.filter_map(|(hidden, form)| match form {
        CompiledForm::Plans(_) => Some(quote!(Self::#hidden())),
        CompiledForm::Graphs(_) => Some(quote!(Self::#hidden()?)),
        CompiledForm::Instance => None,
    });
    let all: Vec<_> = all.collect();
    let instance = expanded.iter().any(CompiledFunction::is_open);
    let (all, about_bound) = match instance {
        false => (quote!(&[#(#all),*]), None),
        true => {
            let others = quote!(<Self as #private::NamedInstance>::functions());
            (quote!(&[::std::vec![#(#all),*], #others].concat()), Some(instance_bound()))
        }
    };
    let [report, kernels, prepare, tune] =
        ModelImpl::about(block.name.as_ref()).map(|About { name, signature }| quote!(#name #signature));
    let parameters: Vec<Ident> = block.generics.const_params().map(|parameter| parameter.ident.clone()).collect();
    let functions = block.functions.iter().zip(&expanded).map(|(function, expanded)| {
        let plain = plain(unit, function, &expanded.plain);
        let gradients = expanded.gradients.as_ref().map(|form| with_gradients(unit, function, form));
        let used = may_use(function, &expanded.private);
        let mark = expanded.is_open().then(|| mark(function)).flatten();
        quote!(#plain #gradients #used #mark)
    });
    let mut natives = Natives::default();
    let plans: Vec<TokenStream> = block
        .functions
        .iter()
        .zip(&expanded)
        .map(|(function, expanded)| plans(unit, function, expanded, &parameters, &mut natives))
        .collect();
    let natives = natives.items();
    let withheld = block.functions.iter().zip(&expanded);
    let withheld = withheld.filter_map(|(function, expanded)| no_gradients(block, function, expanded.independent));
    let (levels, prelude) = (&block.levels, paths::prelude());
    let covers = unused::covers(&block.functions.iter().flat_map(parse::function::bound).collect::<Vec<_>>());
    // What rustc counts as read: a field that some block names.
    let bodies = block.functions.iter().map(|function| function.body.to_token_stream());
    let words = parse::names_in(bodies.chain(others.iter().cloned()).collect());
    let read = unit.model.as_ref().map(|model| super::model::read(model, &words)).unwrap_or_default();
    let reads = (!read.is_empty()).then(
        || quote!(let _ = |__netcl_fields: &<Self as #private::Part>::Fields| { #(let _ = &__netcl_fields.#read;)* };),
    );
    let about = quote! {
        #[allow(dead_code)]
        impl #generics #ty #bounds {
            /// What each function does on devices of that kind: launches, bytes read and written, memory.
            #vis fn #report #about_bound {
                #reads
                #private::report(#all, __netcl_target)
            }
            /// The OpenCL C of every function for devices of that kind; for the host the kernels in the IR's text form.
            #vis fn #kernels #about_bound {
                #private::source(#all, __netcl_target)
            }
            /// Builds the programs of every function for the device, side by side where its driver can, so that the first
            /// calls need not.
            #vis fn #prepare #about_bound {
                #private::prepare(#all, __netcl_device)
            }
            /// Measures how every function is computed fastest on the device for these sizes of its symbols, such as
            /// `[("N", 64)]`, and keeps that for this and later runs: one result for each product, convolution and loop nest
            /// that has a choice. See `netcl::Device::tune`.
            #vis fn #tune #about_bound {
                #private::tune(#all, __netcl_device, __netcl_sizes, __netcl_options)
            }
        }
    };
    let functions = quote! {
        #prelude
        #(#levels)*
        #[allow(dead_code)]
        impl #generics #ty #bounds {
            #(#others)*
        }
        #natives
        const _: () = {
            #covers
            #(#levels)*
            #[allow(dead_code)]
            impl #generics #ty #bounds {
                #(#functions)*
            }
            #[allow(dead_code)]
            impl #generics #ty #bounds {
                #(#plans)*
            }
        };
        #(#withheld)*
    };
    [functions, about]
}

/// Rule: a function uses of other models what Rust lets it use. Wrong: `self.head.hidden(x)`, where `hidden` is private to
/// another module. Rustc judges that, by a function that nobody calls.
fn may_use(function: &FunctionItem, private: &[TokenStream]) -> Option<TokenStream> {
    let name = format_ident!("__netcl_{}_may_use", function.name);
    (!private.is_empty()).then(|| {
        quote! {
            #[doc(hidden)]
            #[allow(dead_code, unreachable_code, clippy::all)]
            fn #name(&self) { #(#private)* }
        }
    })
}

/// A function that whoever may call `function`, which is compiled for types that are named, may call of any type.
fn mark(function: &FunctionItem) -> Option<TokenStream> {
    let (vis, name) = (&function.vis, paths::function_mark(&parse::name(&function.name), function.name.span()));
    let private = !matches!(vis, syn::Visibility::Public(_));
    private.then(|| quote!(#[doc(hidden)] #[inline(always)] #[allow(non_snake_case)] #vis fn #name(&self) {}))
}

/// What says that a type has been named.
fn instance_bound() -> TokenStream {
    let private = paths::private();
    quote!(where Self: #private::NamedInstance)
}

/// How a function of that form is found, and its bound.
fn found(
    (unit, function, form): (&Unit, &FunctionItem, &CompiledForm),
    name: &Ident,
) -> (TokenStream, Option<TokenStream>) {
    let (hidden, whole) = (format_ident!("__netcl_{}", name), format!("{}::{name}", unit.name()));
    let private = paths::private();
    match form {
        CompiledForm::Plans(planned) => {
            let chosen = source::chosen(&whole, planned);
            (quote!(Self::#hidden()[#chosen]), None)
        }
        CompiledForm::Graphs(planned) => {
            let chosen = source::chosen(&whole, planned);
            (quote!(Self::#hidden()?[#chosen]), None)
        }
        CompiledForm::Instance => {
            let plain = function.args.iter().filter_map(|ArgDecl { name, ty }| match ty {
                ArgType::Plain(PlainType::Bool) => Some(quote!(#private::PlainArgument::Bool(#name))),
                ArgType::Plain(PlainType::Usize) => Some(quote!(#private::PlainArgument::Usize(#name))),
                _ => None,
            });
            let name = parse::name(name);
            let variants = match function.receiver {
                true => quote!(#private::Variants::of(self)),
                false => quote!(#private::Variants::none()),
            };
            let found = quote!(<Self as #private::NamedInstance>::function(#name, &[#(#plain),*], #variants)?);
            (found, Some(instance_bound()))
        }
    }
}

/// The hidden functions that give what a function is run by.
fn plans(
    unit: &Unit,
    function: &FunctionItem,
    expanded: &CompiledFunction,
    parameters: &[Ident],
    natives: &mut Natives,
) -> TokenStream {
    let gradients = format_ident!("{}_with_gradients", function.name);
    let forms = [(&function.name, Some(&expanded.plain)), (&gradients, expanded.gradients.as_ref())];
    let mut all = TokenStream::new();
    for (name, form) in forms {
        let (hidden, whole) = (format_ident!("__netcl_{}", name), format!("{}::{name}", unit.name()));
        match form {
            Some(CompiledForm::Plans(planned)) => all.extend(source::statics(&hidden, &whole, planned, natives)),
            Some(CompiledForm::Graphs(planned)) => {
                let gradients = (*name != function.name).then_some(function.gradients.as_slice());
                all.extend(source::open(&hidden, &whole, planned, parameters, gradients, function.matmul_precision));
            }
            Some(CompiledForm::Instance) | None => {}
        }
    }
    all
}

fn plain(unit: &Unit, function: &FunctionItem, form: &CompiledForm) -> TokenStream {
    let (attrs, vis, name) = (&function.attrs, &function.vis, &function.name);
    let args = arguments(function);
    let result = result_type(function);
    let (found, bound) = found((unit, function, form), name);
    let (tensors, scalars) = (tensors(function), scalars(function));
    // A block in another module does not see the fields.
    let (call, core) = match (function.receiver, function.mode) {
        (receiver, mode) if function.dynamic => {
            let core = match receiver {
                true => quote!(::core::option::Option::Some(::netcl::Model::core(self)), ::netcl::Model::prefix(self)),
                false => quote!(::core::option::Option::None, ""),
            };
            let trains = mode == Some(Mode::Training);
            (quote!(call_recorded), quote!(#trains, #core))
        }
        (true, Some(Mode::Training)) => {
            (quote!(call_in_training), quote!(::netcl::Model::core(self), ::netcl::Model::prefix(self)))
        }
        (true, _) => (
            quote!(call),
            quote!(::core::option::Option::Some(::netcl::Model::core(self)), ::netcl::Model::prefix(self)),
        ),
        (false, _) => (quote!(call), quote!(::core::option::Option::None, "")),
    };
    let (unpacked, apart) = (unpack_as(&function.composed), taken_apart(function));
    let variants = source::variants(form.paths());
    let looked_at = looked_at(function);
    let checked = function.receiver.then(|| quote!(::netcl::Model::check_fields(self)?;));
    let unused = unused::variables(&unused::names(&unused::parameters(function), &function.body));
    let allowed = allowed(function);
    // Mistakes that are found later are said to be at the call.
    let says = |word: &str| attrs.iter().any(|attr| attr.path().is_ident(word));
    let caller = (!says("track_caller") && !says("target_feature")).then(|| quote!(#[track_caller]));
    quote! {
        #(#attrs)*
        #allowed
        #caller
        #vis fn #name(#args) -> ::netcl::Result<#result> #bound {
            #apart
            #looked_at
            #unused
            #checked
            #variants
            let __netcl_results = #found.#call(#core, &[#(#tensors),*], &[#(#scalars),*])?;
            #unpacked
        }
    }
}

/// The plain arguments: what a body does with them may decide nothing, as a `match` with one arm, and is a use of them.
fn looked_at(function: &FunctionItem) -> TokenStream {
    let plain = |arg: &&ArgDecl| matches!(arg.ty, ArgType::Plain(_) | ArgType::Enum(_));
    let names = function.args.iter().filter(plain).map(|arg| &arg.name);
    quote!(#(let _ = &#names;)*)
}

/// What clippy is not to say of the questions by which plain arguments choose a plan: a range of a `match` is two comparisons.
fn allowed(function: &FunctionItem) -> Option<TokenStream> {
    let chooses = function.args.iter().any(|arg| matches!(arg.ty, ArgType::Plain(_)));
    chooses.then(|| quote!(#[allow(clippy::manual_range_contains)]))
}

/// Says, where `…_with_gradients` is called of a function whose first result is no loss though a number is among them or its name says that
/// it is one, or is a loss that no parameter leads to, that there is none.
fn no_gradients(block: &ModelImpl, function: &FunctionItem, independent: bool) -> Option<TokenStream> {
    let is_loss = |ty: &TensorType| ty.dims.is_empty() && ty.dtype.is_float();
    let (own, result) = (parse::name(&function.name), result_type(function));
    let (why, instead) = match function.results.first() {
        Some(_) if independent => (
            format!("`{own}` depends on no parameter of the model in a way that has a derivative"),
            "compute it from what the parameters give: fields with `#[frozen]` have none, and neither has what is computed of \
             `x.detach()`, of comparisons, of positions such as those of `argmax`, or of rounded numbers",
        ),
        Some(first) if is_loss(first) && function.composed.is_one() => (
            format!("`{own}` also gives whole numbers, of which there are no gradients"),
            "leave those out of the list of its `#[types(..)]`, or write a function of its own for floats",
        ),
        _ if function.results.iter().any(is_loss) => (
            format!("`{own}` returns its loss behind something else: gradients are of the first result"),
            "return the loss first, `(loss, logits)`: the others come with it, `((loss, logits), gradients)`",
        ),
        Some(first) if first.dims.is_empty() => (
            format!("`{own}` returns a number of `{}`, which has no derivative", first.dtype),
            "a loss is a number of floats, such as `Tensor<f32>`",
        ),
        Some(first) if first.dtype.is_float() && function.gives_one_first() && is_called_loss(&own) => (
            format!("`{own}` returns `{first}`, and gradients are of one number"),
            "reduce it at the end of the body, as with `.mean_all()` or `.sum_all()`, and return `Tensor<f32>`; what is wanted for each \
             element as well is a second result, `(each.mean_all(), each)`",
        ),
        _ => return None,
    };
    let withheld = Withheld {
        name: format_ident!("{}_with_gradients", function.name),
        place: function.name.span(),
        args: &types(function),
        result: quote!((#result, <Self as ::netcl::__private::Part>::Gradients)),
        why,
        instead: instead.to_string(),
    };
    if !function.receiver || !independent && function.is_loss() {
        return None;
    }
    let (declared, stub) = withheld.tokens();
    let (ty, (generics, _, bounds)) = (&block.self_ty, block.generics.split_for_impl());
    Some(quote!(const _: () = { #declared impl #generics #ty #bounds { #stub } };))
}

/// Whether that is how losses are called: `loss`, `nll_loss`, `total_cost`.
fn is_called_loss(name: &str) -> bool {
    name.split('_').any(|word| matches!(word, "loss" | "losses" | "cost" | "objective"))
}

fn with_gradients(unit: &Unit, function: &FunctionItem, form: &CompiledForm) -> TokenStream {
    let vis = &function.vis;
    let name = format_ident!("{}_with_gradients", function.name);
    let args = arguments(function);
    let private = paths::private();
    let part = quote!(<Self as #private::Part>);
    let (found, bound) = found((unit, function, form), &name);
    let (tensors, scalars) = (tensors(function), scalars(function));
    let mode = match function.mode.unwrap_or(Mode::Training) {
        Mode::Training => "training",
        Mode::Inference => "inference",
    };
    let asked: Vec<&Ident> =
        function.gradients.iter().filter_map(|at| function.tensors().nth(*at)).map(|(name, _)| name).collect();
    let also: String = asked.iter().map(|name| format!(", and that in `{name}`")).collect();
    let doc = format!("[`{0}`](Self::{0}) in {mode} mode, with the gradients in the parameters{also}.", function.name);
    let (result, unpacked, apart) = (result_type(function), unpack_as(&function.composed), taken_apart(function));
    // The plan has them in the order of the arguments.
    let mut order: Vec<usize> = function.gradients.clone();
    order.sort_unstable();
    let given: Vec<Ident> = order.iter().map(|at| format_ident!("__netcl_gradient_{at}")).collect();
    let wanted = function.gradients.iter().map(|at| format_ident!("__netcl_gradient_{at}"));
    let (each, count) = (asked.iter().map(|_| quote!(::netcl::Tensor)), Literal::usize_unsuffixed(given.len()));
    let arguments = (!given.is_empty()).then(|| {
        quote! {
            let [#(#given),*] = match <[::netcl::Tensor; #count] as ::core::convert::TryFrom<_>>::try_from(__netcl_arguments) {
                ::core::result::Result::Ok(__netcl_all) => __netcl_all,
                ::core::result::Result::Err(_) => ::core::unreachable!("a plan gives the gradients that are asked for"),
            };
        }
    });
    let (allowed, variants, looked_at) = (allowed(function), source::variants(form.paths()), looked_at(function));
    let third = if given.is_empty() { quote!(_) } else { quote!(__netcl_arguments) };
    quote! {
        #[doc = #doc]
        #[allow(clippy::type_complexity)]
        #allowed
        #vis fn #name(#args) -> ::netcl::Result<(#result, #part::Gradients #(, #each)*)> #bound {
            #apart
            #looked_at
            ::netcl::Model::check_fields(self)?;
            #variants
            let __netcl_prefix = ::netcl::Model::prefix(self);
            let (__netcl_results, __netcl_gradients, #third) =
                #found.call_with_gradients(::netcl::Model::core(self), __netcl_prefix, &[#(#tensors),*], &[#(#scalars),*])?;
            let __netcl_value: ::netcl::Result<#result> = { #unpacked };
            #arguments
            let __netcl_gradients = #part::gradients(&__netcl_gradients, __netcl_prefix);
            ::core::result::Result::Ok((__netcl_value?, __netcl_gradients #(, #wanted)*))
        }
    }
}

/// The arguments as the generated function takes them.
pub(super) fn arguments(function: &FunctionItem) -> TokenStream {
    let receiver = function.receiver.then(|| quote!(&self,));
    let args = function.params.iter().map(|Param { pattern, ty, .. }| quote!(#pattern: #ty));
    quote!(#receiver #(#args),*)
}

/// Binds the arguments that parameters are put together from.
pub(super) fn taken_apart(function: &FunctionItem) -> TokenStream {
    let mut args = function.args.iter();
    let mut all = TokenStream::new();
    for param in &function.params {
        let own = args.by_ref().take(param.parts.count());
        if param.parts.is_one() {
            own.for_each(drop);
            continue;
        }
        for (ArgDecl { name, ty }, read) in own.zip(param.reads()) {
            all.extend(match ty {
                ArgType::Tensor(_) => quote!(let #name: &::netcl::Tensor = &#read;),
                _ => quote!(let #name = #read;),
            });
        }
    }
    all
}

pub(super) fn tensors(function: &FunctionItem) -> Vec<TokenStream> {
    function.tensors().map(|(name, _)| quote!(#name)).collect()
}

pub(super) fn scalars(function: &FunctionItem) -> Vec<TokenStream> {
    let private = paths::private();
    function
        .scalars()
        .map(|(name, dtype)| match dtype {
            DType::I32 => quote!(#private::Scalar::I32(#name)),
            DType::U32 => quote!(#private::Scalar::U32(#name)),
            _ => quote!(#private::Scalar::F32(#name)),
        })
        .collect()
}

pub(super) fn result_type(function: &FunctionItem) -> TokenStream {
    function.composed.rust_type(&mut std::iter::repeat_with(|| quote!(::netcl::Tensor)))
}

/// Turns the list `results` into what the function returns. The plan has as many results as the function.
pub(super) fn unpack(tuple: bool, count: usize) -> TokenStream {
    let parts = vec![Composite::One; count];
    unpack_as(&if tuple { Composite::Tuple(parts) } else { Composite::One })
}

/// The same of results that are put together so.
pub(super) fn unpack_as(composed: &Composite) -> TokenStream {
    let count = composed.count();
    let names: Vec<_> = (0..count).map(|position| format_ident!("__netcl_result_{position}")).collect();
    let count = Literal::usize_unsuffixed(count);
    let value = composed.value(&mut names.iter().map(|name| quote!(#name)));
    quote! {
        match <[::netcl::Tensor; #count] as ::core::convert::TryFrom<_>>::try_from(__netcl_results) {
            ::core::result::Result::Ok([#(#names),*]) => ::core::result::Result::Ok(#value),
            ::core::result::Result::Err(_) => ::core::unreachable!("a plan gives its function's results"),
        }
    }
}
