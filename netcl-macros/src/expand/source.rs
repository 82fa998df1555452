//! A function's plans as statics, and the choice between its paths.

use crate::compile::{CompiledPlan, Planned};
use crate::paths;
use netcl_kernels::kir::Kernel;
use netcl_kernels::plan::embed::{Header, MARK};
use netcl_kernels::precision::MatmulPrecision;
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};
use std::collections::HashMap;
use syn::{BinOp, Expr};

/// The native code of several plans' kernels, each once: a loss computes what its forward does, and its gradients both again.
/// What is the same for rustc differs in names at most.
#[derive(Default)]
pub(super) struct Natives {
    /// Modules by kernels without names; none where the interpreter runs the kernel.
    known: HashMap<Kernel, Option<Ident>>,
    /// Their items, in the order in which they were met.
    items: TokenStream,
}

impl Natives {
    /// The modules, for where all plans that name them see them: among the user's items, as rustc gives LLVM each such module by itself
    /// (several at once), and all that is inside of other items together.
    pub(super) fn items(self) -> TokenStream {
        self.items
    }

    /// An `Option<NativeEntry>`: the native code `text` of `kernel`, or of one like it.
    fn entry(&mut self, kernel: &Kernel, text: Option<&String>) -> TokenStream {
        let next = self.known.len();
        let items = &mut self.items;
        let known = self.known.entry(kernel.nameless()).or_insert_with(|| {
            let tokens = text?.parse::<TokenStream>().ok()?;
            let (name, private) = (format_ident!("__netcl_native_{}_{next}", paths::mark()), paths::private());
            // In a module the names of bindings are its own: those of kernels around it are statics, which none can have.
            items.extend(quote! {
                #[doc(hidden)]
                mod #name {
                    pub(super) const ENTRY: #private::NativeEntry = #tokens;
                }
            });
            Some(name)
        });
        match known {
            Some(name) => quote!(::core::option::Option::Some(#name::ENTRY)),
            None => quote!(::core::option::Option::None),
        }
    }
}

/// A function called `hidden` that gives the plans of all paths.
pub(super) fn statics(hidden: &Ident, name: &str, paths: &[Planned], natives: &mut Natives) -> TokenStream {
    let private = self::paths::private();
    let all = functions(name, paths.iter().map(|path| (&*path.graph, &*path.plans)), natives);
    quote! {
        #[doc(hidden)]
        fn #hidden() -> &'static [#private::Function] {
            #all
        }
    }
}

/// A block of type `&'static [Function]`: the graph and the plans of each path, with the native code of their kernels, which names modules
/// of `natives`.
///
/// Native code is named outside of the static: see `Function::with_native`.
pub(super) fn functions<'a>(
    name: &str,
    paths: impl Iterator<Item = (&'a str, &'a [CompiledPlan])>,
    natives: &mut Natives,
) -> TokenStream {
    let private = self::paths::private();
    let (mut sources, mut entries) = (Vec::new(), Vec::new());
    for (position, (graph, plans)) in paths.enumerate() {
        sources.push(source(name, position, graph, plans));
        let native = plans.iter().flat_map(|plan| plan.plan.loops.iter().zip(&plan.native));
        let native = native.map(|(kernel, text)| natives.entry(kernel, text.as_ref()));
        entries.push(quote!(&[#(#native),*]));
    }
    let count = Literal::usize_unsuffixed(sources.len());
    quote! {
        static FUNCTIONS: [#private::Function; #count] = [#(#private::Function::new(&#sources)),*];
        #private::Function::with_native(&FUNCTIONS, &[#(#entries),*])
    }
}

/// The same of a function with open sizes: it gives the plans for the numbers that `parameters` have there.
pub(super) fn open(
    hidden: &Ident,
    name: &str,
    paths: &[Planned],
    parameters: &[Ident],
    gradients: Option<&[usize]>,
    precision: MatmulPrecision,
) -> TokenStream {
    let private = self::paths::private();
    let gradients = match gradients {
        Some(positions) => quote!(::core::option::Option::Some(&[#(#positions),*])),
        None => quote!(::core::option::Option::None),
    };
    let precision = format_ident!("{precision:?}");
    let precision = quote!(#private::kernels::precision::MatmulPrecision::#precision);
    let graphs = paths.iter().map(|path| &path.graph);
    let names = parameters.iter().map(crate::parse::name);
    quote! {
        #[doc(hidden)]
        fn #hidden() -> ::netcl::Result<&'static [#private::Function]> {
            static FUNCTION: #private::OpenFunction =
                #private::OpenFunction::new(#name, &[#(#names),*], &[#(#graphs),*], #gradients, #precision);
            FUNCTION.closed(&[#(#parameters),*])
        }
    }
}

/// Which of them the plain arguments of the function called `name` choose, inside a function that returns a `Result`.
pub(super) fn chosen(name: &str, paths: &[Planned]) -> TokenStream {
    let all: Vec<usize> = (0..paths.len()).collect();
    choose(name, paths, &all, 0)
}

/// What these choices ask which variants the model's enums of layers are, where they do.
pub(super) fn variants(paths: &[Planned]) -> Option<TokenStream> {
    let name = crate::variants::asked();
    let private = self::paths::private();
    let any =
        paths.iter().flat_map(|path| &path.decisions).any(|(condition, _)| crate::variants::is_question(condition));
    any.then(|| quote!(let #name = #private::Variants::of(self);))
}

/// The graph and the plans of one path, by its position, as a `FunctionSource`.
fn source(name: &str, path: usize, graph: &str, plans: &[CompiledPlan]) -> TokenStream {
    let private = paths::private();
    let plans = plans.iter().map(|plan| {
        let (target, json) = (plan.target.name(), &plan.json);
        // `embed::find` finds it in a built binary.
        let header = Header { length: json.len(), target: plan.target, path, function: name.to_owned() };
        let text = format!("\n{header}\n{json}");
        let text = quote!(::core::concat!(#MARK, ::core::module_path!(), #text));
        quote!(#private::PlanSource { target: #target, json: #text })
    });
    quote!(#private::FunctionSource { name: #name, graph: #graph, plans: &[#(#plans),*] })
}

/// The index of the path that the conditions select: an `if` for each condition, as the user wrote it.
fn choose(name: &str, paths: &[Planned], candidates: &[usize], depth: usize) -> TokenStream {
    let first = candidates.first().copied().unwrap_or_default();
    let Some((condition, _)) = paths.get(first).and_then(|path| path.decisions.get(depth)) else {
        let index = Literal::usize_unsuffixed(first);
        return quote!(#index);
    };
    let side = |wanted: bool| -> Vec<usize> {
        let takes = |index: &usize| paths[*index].decisions.get(depth).is_some_and(|(_, value)| *value == wanted);
        candidates.iter().copied().filter(takes).collect()
    };
    let then = choose(name, paths, &side(true), depth + 1);
    let otherwise = match (side(false).as_slice(), of_type(condition)) {
        ([], Some((argument, _))) => {
            let decisions = paths[first].decisions[..=depth].iter().filter_map(|(condition, _)| of_type(condition));
            let listed = decisions.filter(|(own, _)| *own == argument).map(|(_, dtype)| dtype);
            let (private, text) = (paths::private(), crate::parse::name(&argument));
            quote!(return ::core::result::Result::Err(#private::unlisted(#name, #text, &#argument, &[#(#listed),*])))
        }
        (others, _) => choose(name, paths, others, depth + 1),
    };
    let condition = match syn::parse2::<Expr>(condition.clone()) {
        Ok(condition) => checked(name, &condition),
        Err(_) => condition.clone(),
    };
    quote!(if #condition { #then } else { #otherwise })
}

/// The argument and the element type, where the condition asks whether it is of that: `(x.dtype() == ::netcl::DType::F32)`.
fn of_type(condition: &TokenStream) -> Option<(Ident, Expr)> {
    let Ok(Expr::Paren(inner)) = syn::parse2(condition.clone()) else { return None };
    let Expr::Binary(binary) = *inner.expr else { return None };
    match *binary.left {
        Expr::MethodCall(call) if call.method == "dtype" && matches!(binary.op, BinOp::Eq(_)) => match *call.receiver {
            Expr::Path(path) => Some((path.path.get_ident()?.clone(), *binary.right)),
            _ => None,
        },
        _ => None,
    }
}

/// The condition with arithmetic that is an error where Rust's would panic or wrap. Only `usize` has any.
fn checked(name: &str, condition: &Expr) -> TokenStream {
    match condition {
        Expr::Paren(inner) => {
            let inner = checked(name, &inner.expr);
            quote!((#inner))
        }
        Expr::Unary(unary) => {
            let (op, inner) = (&unary.op, checked(name, &unary.expr));
            quote!(#op #inner)
        }
        Expr::Binary(binary) => {
            let (left, op, right) = (checked(name, &binary.left), &binary.op, checked(name, &binary.right));
            let method = match op {
                BinOp::Add(_) => quote!(checked_add),
                BinOp::Sub(_) => quote!(checked_sub),
                BinOp::Mul(_) => quote!(checked_mul),
                BinOp::Div(_) => quote!(checked_div),
                BinOp::Rem(_) => quote!(checked_rem),
                _ => return quote!(#left #op #right),
            };
            let (private, text) = (paths::private(), crate::parse::text(condition));
            quote!(#private::plain(#name, #text, usize::#method(#left, #right))?)
        }
        other => quote!(#other),
    }
}
