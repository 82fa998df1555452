//! SIMT-form kernels: the OpenCL model in Rust syntax.
//!
//! A function with `#[launch(global = [..], local = [..])]` runs once for every work-item. Its `&Tensor` arguments are
//! read; its `&mut Tensor` arguments are its results, which the call allocates and returns in their order.
//!
//! An index that is outside, in a tensor or an array, reads zero and writes nothing: calls are safe, and the launch is
//! rounded up to whole groups. `#[launch(.., unchecked)]` leaves that out, and makes calls `unsafe`. Elements of a result that
//! nobody writes hold anything, unless the kernel reads or updates that result: then it starts as zeros.
//!
//! What Rust evaluates once is evaluated once, in Rust's order; a `#[netcl::function]` means what it means elsewhere. A
//! step of 0 counts as 1. A list `[a, b, c]` is as many values as the text says: loops over it are unrolled, and its elements are
//! named by constants.
//!
//! The same
//! tokens stand in a hidden Rust function over `netcl::simt`, so rustc's type rules hold.
//!
//! ```text
//! #[launch(global = [N], local = [64])]
//! fn block_sum(x: &Tensor<f32, N>, partial: &mut Tensor<f32, { (N + 63) / 64 }>) {
//!     let mut scratch = local!([f32; 64]);
//!     let (i, l) = (global_id(0), local_id(0));
//!     scratch[l] = if i < N { x[i] } else { 0.0 };
//!     barrier();
//!     ..
//! }
//! let partial = block_sum(&x)?;
//! ```

mod assign;
mod bounds;
mod call;
mod check;
mod choices;
mod custom;
mod element;
mod endless;
mod expr;
mod function;
pub(crate) mod gradient;
mod group;
mod ids;
mod lanes;
mod list;
mod local_race;
mod loops;
mod meaning;
mod meetings;
mod order;
mod plan;
mod race;
mod ranges;
mod signature;
mod size;
mod state;
mod stmt;
mod types;
mod untyped;
mod visit;
mod written;
mod zeros;

pub(crate) use choices::{instances, with_first_types};
use signature::entry;
pub(crate) use signature::{KernelArg, Signature, is_in_place, is_result, is_simt, signature};

use crate::ast::Unit;
use crate::diag::Diag;
use crate::literal::Large;
use crate::messages as m;
use netcl_kernels::dtype::DType;
use netcl_kernels::kir::build::KernelBuilder;
use netcl_kernels::kir::{ArrayId, AtomicTarget, Expr, Kernel, Launch, ParamKind, Space, Stmt};
use proc_macro2::Ident;
use std::collections::{BTreeMap, BTreeSet, HashMap};

pub(crate) use call::{is_known, is_of_items};
pub(crate) use check::shim;
pub(crate) use custom::launched;
pub(crate) use plan::compile;
pub(crate) use state::Lowered;
use state::Simt;
use visit::visit;

/// The kernel; `None` where errors have been reported, of its signature or here.
pub(crate) fn lower(diag: &Diag, unit: &Unit, signature: &Signature) -> Option<Lowered> {
    // Nothing can be written where there is no result, which has been said.
    if signature.results.is_empty() && signature.unsound.as_ref().is_some_and(Vec::is_empty) {
        return None;
    }
    let (mut numbers, mut doubtful) = (BTreeMap::new(), false);
    // A bare number takes its type from how it is used. Each is settled once, by one more try: there is a last one.
    loop {
        let attempt = Diag::new();
        let mut simt = Simt::new(&attempt, unit, signature, numbers.clone());
        simt.doubtful = doubtful;
        if !in_index_form(signature) {
            simt.body(signature);
        }
        if simt.changed || simt.partial && !doubtful {
            doubtful = !simt.changed;
            numbers = simt.numbers;
            attempt.dismiss();
            continue;
        }
        let zeros = simt.zero_local(&signature.local);
        let Simt { builder, zeroed, types, barriers, across, returns, arrays, stores, touched, .. } = simt;
        if attempt.count() > 0 {
            diag.absorb(attempt);
            return None;
        }
        attempt.dismiss();
        // What follows from a function that is not known is left out of the kernel.
        if signature.unsound.is_some() || doubtful {
            return None;
        }
        let mut builder = builder;
        if signature.opencl.is_some() {
            // What the text may call by its name.
            for symbol in signature.symbols() {
                builder.param(symbol.name(), ParamKind::Symbol);
            }
        }
        let mut kernel = builder.finish();
        kernel.opencl.clone_from(&signature.opencl);
        // Nothing keeps two items from one element.
        kernel.may_race = true;
        let (results, arrays) = (written(diag, signature, &kernel), filled(diag, &kernel, &arrays));
        if !results || !arrays {
            return None;
        }
        let start = zeros.len();
        kernel.body.splice(0..0, zeros);
        plan::restrict(&mut kernel, signature, &zeroed);
        let sound = plan::verified(diag, signature, &kernel, (&barriers, &across, &returns))
            && race::judge(diag, &kernel, &stores)
            && local_race::judge(diag, &kernel, &kernel.body[start..], &touched);
        return sound.then_some(Lowered { kernel, zeroed, types });
    }
}

/// Rule: something is written to each result. Wrong: `fn copy(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) { let _ = x[0]; }`.
fn written(diag: &Diag, signature: &Signature, kernel: &Kernel) -> bool {
    let mut params = BTreeSet::new();
    visit(&kernel.body, &mut |stmt| match stmt {
        Stmt::Store { buffer, .. } | Stmt::Atomic { target: AtomicTarget::Buffer(buffer), .. } => {
            params.insert(kernel.params[buffer.0 as usize].name.as_str());
        }
        _ => {}
    });
    let unwritten =
        |arg: &&signature::KernelArg| arg.result.is_some() && !params.contains(&*crate::parse::name(&arg.name));
    let unwritten: Vec<_> = signature.args.iter().filter(unwritten).collect();
    unwritten.iter().for_each(|arg| diag.report(arg.name.span(), &m::SIMT_UNWRITTEN, &[&arg.name, &arg.name]));
    unwritten.is_empty()
}

/// Rule: an array that is read has been written. Wrong: `let mut s = local!([f32; 64]); y[i] = s[local_id(0)];`, which reads
/// nothing but the zeros that arrays start with.
fn filled(diag: &Diag, kernel: &Kernel, names: &[Ident]) -> bool {
    let read =
        |id: ArrayId| kernel.exprs.iter().any(|expr| matches!(expr, Expr::LoadArray { array, .. } if *array == id));
    let mut stores = vec![0; kernel.arrays.len()];
    visit(&kernel.body, &mut |stmt| match stmt {
        Stmt::StoreArray { array, .. } | Stmt::Atomic { target: AtomicTarget::Local(array), .. } => {
            stores[array.0 as usize] += 1;
        }
        _ => {}
    });
    let mut all = true;
    for (position, (array, name)) in kernel.arrays.iter().zip(names).enumerate() {
        // One store to a private array is that of its zeros.
        let written = stores[position] > usize::from(array.space == Space::Private);
        if read(ArrayId(position as u32)) && !written {
            let (index, before) = match array.space {
                Space::Local => ("local_id(0)", "and wait until all have, `barrier();`"),
                _ => ("0", "before they are read"),
            };
            diag.report(name.span(), &m::SIMT_ARRAY_UNWRITTEN, &[name, name, &index, &before]);
            all = false;
        }
    }
    all
}

/// Whether the body is that of a kernel in index form, whose results stand behind `->`: that has been said.
fn in_index_form(signature: &Signature) -> bool {
    let closure = matches!(signature.body.stmts.as_slice(), [syn::Stmt::Expr(syn::Expr::Closure(_), None)]);
    signature.unsound.is_some() && closure
}

impl<'a> Simt<'a> {
    fn new(diag: &'a Diag, unit: &'a Unit, signature: &'a Signature, numbers: BTreeMap<usize, DType>) -> Self {
        let launch = Launch { global: signature.global.clone(), local: signature.local.clone() };
        let mut simt = Simt {
            diag,
            unit,
            builder: KernelBuilder::new(&entry(signature), launch),
            buffers: Vec::new(),
            zeroed: vec![false; signature.results.len()],
            scopes: vec![Vec::new()],
            numbers,
            changed: false,
            types: BTreeMap::new(),
            lets: check::untyped(&signature.body),
            barriers: Vec::new(),
            across: Vec::new(),
            returns: Vec::new(),
            stores: Vec::new(),
            touched: Vec::new(),
            statement: 0,
            arrays: Vec::new(),
            rounds: Vec::new(),
            ranges: BTreeMap::new(),
            facts: Vec::new(),
            depth: 0,
            said_too_deep: false,
            unrolled: 0,
            functions: HashMap::new(),
            inlined: 0,
            unchecked: signature.unchecked,
            chosen: signature.chosen,
            large: Large::default(),
            unsure: signature.unsound.is_some(),
            partial: false,
            left_out: false,
            doubtful: false,
        };
        signature.docs().into_iter().for_each(|line| simt.builder.doc(line));
        simt.arguments(signature);
        simt
    }
}
