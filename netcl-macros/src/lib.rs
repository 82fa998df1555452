//! The macros of netcl. Use them through the `netcl` crate: `#[netcl::model]`, `netcl::kernel!`, `#[netcl::function]`.
//!
//! Stages, one module each: `parse` (tokens → `ast`), `chain` (tokens that other items give, in `rounds`), `lower` (`ast` → graph, by
//! the builder of `netcl-kernels`), `compile` (graph → plans), `expand` (plans → Rust). Errors are collected by `diag`
//! and reported all at once; `fallback` is what an item becomes then.
#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod alias;
mod associated;
mod ast;
mod callee;
mod chain;
mod compile;
mod constants;
mod declared_constant;
mod diag;
mod driver;
mod dump;
mod dynamic;
mod expand;
mod fallback;
mod fields;
mod foreign;
mod functions;
mod guard;
mod identity;
mod infer;
mod kernel;
mod literal;
mod looked_at;
mod lower;
mod messages;
mod model_block;
mod module;
mod nesting;
mod number;
mod only;
mod parse;
mod parts;
mod paths;
mod payload;
mod presence;
mod quotient;
mod recover;
mod root;
mod rounds;
mod scalars;
mod scan;
mod shift;
mod simt;
mod structs;
mod tensors;
#[cfg(test)]
mod tests;
mod told;
mod unused;
mod variants;
mod words;

use kernel::KernelOutput;
use proc_macro::TokenStream;

/// Compiles a model: put it on the struct that holds the layers, and on the `impl` block whose functions are to be
/// compiled with their gradients.
///
/// A `#[parameter]` or `#[state]` starts as its `init` says: a number, `uniform(bound)`, `normal(deviation)`, or by the
/// tensor's shape `xavier_uniform`, `xavier_normal`, `kaiming_uniform` or `kaiming_normal`. Without `init` every element starts as 0.
///
/// A model has one block that stands for it: it brings `report`, `kernels` and their like, and models that have this one as
/// a field call its functions. Further blocks, here or in other modules, have names: `#[netcl::model(block = training)]`
/// brings `report_training` and so on, and its functions call those of the first block.
///
/// Layers that differ between training and inference, such as `Dropout` and `BatchNorm`, infer in a function's plain form and
/// train in its `…_with_gradients`. `#[mode(training)]` or `#[mode(inference)]` on a function says what both do. A function
/// that another one calls is in that one's mode.
///
/// `#[matmul_precision(high)]` or `#[matmul_precision(medium)]` on a function says how precisely its products of `f32` are computed,
/// so that they may use a device's matrix units; those of what it calls and of its gradients too.
///
/// `#[precision(bf16)]` or `#[precision(f16)]` on a function stores its activations in halves, and those of what it calls and of its
/// gradients; parameters, their gradients and results are of the types that they are declared with.
///
/// What is generated finds netcl by the name that the crate has for it, also where the dependency is renamed. Where another crate
/// passes netcl on and the macro is imported from there, the path is an argument: `#[model(crate = facade::netcl)]`.
///
/// The struct's `const` parameters of type `usize`, and `const` items, can be sizes of its layers, parameters and nested
/// models. Parameters can be all their other numbers too: such a model is compiled for the numbers that a field gives it, and,
/// where it is used alone, for those of a type on which the attribute stands: `#[netcl::model] type Small = Block<64>;`.
#[proc_macro_attribute]
pub fn model(args: TokenStream, item: TokenStream) -> TokenStream {
    attribute(args, item, driver::model)
}

/// Makes a function of scalars usable in kernels and models, element by element and differentiated; or compiles a function
/// of tensors, which models call.
///
/// A function of tensors, `fn unit(x: &Tensor<f32, N, C>) -> Tensor<f32, N, C>`, has the body of a model's function without
/// `self`. Models' functions and others of its kind call it, and it is compiled where they do; outside it is what a kernel
/// is: called with tensors, `unit(&x)?`, with `vjp`, `check`, `report`, `source` and `prepare`.
///
/// A function of scalars stays a function of Rust too, and both give the same: methods such as `max`, `round` and `signum` are Rust's in it
/// (in kernels and models `max` and `round` are netcl's operations, whose maximum with NaN is NaN and whose halves are
/// rounded to even). An `if` on a value computes both of its branches and chooses, for its value as for each variable that
/// a branch assigns.
///
/// Where a body calls a function without it, rustc says ``cannot find macro `name` in this scope``: the attribute makes a
/// macro of the function's name, by which bodies find it. The same is said of a `const` without
/// [`constant`](macro@constant) and of a misspelt name.
#[proc_macro_attribute]
pub fn function(args: TokenStream, item: TokenStream) -> TokenStream {
    attribute(args, item, driver::function)
}

/// A struct of tensors that functions take and give: `#[netcl::tensors] struct Batch { x: Tensor<f32, N, 8>, labels: Tensor<u32, N> }`.
///
/// Its fields are tensors with their sizes, numbers, tuples and arrays of these, and other such structs. In Rust its tensors are like all
/// others. Functions take it by reference, `fn loss(&self, batch: &Batch) -> Tensor<f32>`, and give it as it is; a size of one name is
/// one size in all that a function takes.
#[proc_macro_attribute]
pub fn tensors(args: TokenStream, item: TokenStream) -> TokenStream {
    attribute(args, item, driver::tensors)
}

/// Makes the value of a `const` item known to the compiler: in braces where a size may also be a name
/// (`inputs = { WIDTH }`, `Tensor<f32, N, { WIDTH }>`), bare where it has to be a number (`heads = HEADS`).
///
/// A `const` without it can be a size as well; kernels then take it as an argument. A float is of its declared type where it
/// is computed with, as in Rust: beside others it is converted with `as`. A list of them, `const TAPS: [f32; 3] = [0.25, 0.5, 0.25];`
/// or one of lists, is named in bodies: `TAPS[k]`.
///
/// A value is a literal, or arithmetic on literals and on other constants with the attribute: `3 + 6 * OCTAVES`.
#[proc_macro_attribute]
pub fn constant(args: TokenStream, item: TokenStream) -> TokenStream {
    attribute(args, item, declared_constant::constant)
}

/// Leaves a function of a `#[netcl::model] impl` block, or one of tensors beside models, to run time, with the text that it has.
///
/// Where its tensors have sizes, it is written as other functions of the block are, or as a [`function`](macro@function) of tensors is, and
/// called as they are, with the same numbers and gradients; it is compiled where it runs: no plans are made while the crate is built, and a
/// call waits for what needs its results, is fused with what is around it, and is differentiated with it. Where they have none,
/// `x: &Tensor`, a function of the block is one of ordinary Rust.
#[proc_macro_attribute]
pub fn dynamic(_args: TokenStream, item: TokenStream) -> TokenStream {
    attribute(TokenStream::new(), item, |_, item| dynamic::dynamic(item))
}

/// Compiles kernels written element by element, with their gradients.
///
/// The body of a kernel in index form is a closure over the indices of the result. `sum(0..C, |c| x[n, c])`, and likewise
/// `prod`, `max`, `min` and `mean`, reduce along a range, or several: `sum((0..H, 0..W), |h, w| ..)`. `argmax` and `argmin`
/// give the index of the first element that is largest or smallest, or of the first NaN; over several ranges, which then start at 0, the
/// row-major position within them.
///
/// Functions of models call kernels as operations: those in index form are fused with what is around them.
///
/// A kernel with `#[launch(global = [N], local = [64])]` is in SIMT form: its body runs once for each work-item. An index
/// that is outside, in a tensor or in an array, reads zero and writes nothing; `#[launch(.., unchecked)]` leaves the
/// checks out, and since an index outside is undefined behaviour then, the kernel is an `unsafe fn`. Elements of a result that no item writes hold anything,
/// unless the kernel reads or updates that result: then it starts as zeros.
#[proc_macro]
pub fn kernel(input: TokenStream) -> TokenStream {
    let (said, input) = root::taken_inner(input.into());
    let expanded = guard::or_keep(
        || kernel::kernel(KernelOutput::Callable, chain::Gathered::default(), input.clone()),
        || input.clone(),
    );
    root::Root::of(said, place()).applied(expanded).into()
}

/// Compiles kernels of netcl's own, such as the optimizers' rules: each becomes a function that gives its plans.
#[doc(hidden)]
#[proc_macro]
pub fn __rules(input: TokenStream) -> TokenStream {
    kernel::kernel(KernelOutput::Plans, chain::Gathered::default(), input.into()).into()
}

/// Goes on where another item's tokens have been asked for.
#[doc(hidden)]
#[proc_macro]
pub fn __resume(input: TokenStream) -> TokenStream {
    guard::or_keep(|| driver::resume(input.into()), proc_macro2::TokenStream::new).into()
}

/// What an attribute makes of an item.
fn attribute(
    args: TokenStream,
    item: TokenStream,
    expand: fn(proc_macro2::TokenStream, proc_macro2::TokenStream) -> proc_macro2::TokenStream,
) -> TokenStream {
    let (said, args) = root::taken(args.into());
    let item = proc_macro2::TokenStream::from(item);
    let expanded = guard::or_keep(|| expand(args, item.clone()), || fallback::plain_item(&item));
    root::Root::of(said, place()).applied(expanded).into()
}

/// The text by which the macro is called, where there is one.
fn place() -> Option<String> {
    proc_macro::Span::call_site().source_text()
}
