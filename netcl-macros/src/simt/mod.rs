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
mod expr;
mod function;
pub(crate) mod gradient;
mod list;
mod loops;
mod order;
mod plan;
mod ranges;
mod signature;
mod size;
mod stmt;
mod types;
mod untyped;

pub(crate) use signature::{Signature, instances, is_simt, signature, with_first_types};

use crate::ast::{Constant, Helper, Unit};
use crate::diag::Diag;
use crate::literal::Large;
use crate::messages::{self as m, Message};
use crate::words;
use netcl_kernels::dtype::{DType, Literal};
use netcl_kernels::fold;
use netcl_kernels::graph::Graph;
use netcl_kernels::identifier::{ascii, is_reserved};
use netcl_kernels::kir::build::KernelBuilder;
use netcl_kernels::kir::{ArrayId, AtomicTarget, ExprId, Kernel, Launch, ParamId, ParamKind, Stmt, ValueType, VarId};
use proc_macro2::Span;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;
use syn::Local;

/// One compiled kernel and the Rust that checks its types.
pub(crate) struct Lowered {
    pub(crate) kernel: Kernel,
    /// For each result: whether the kernel reads or updates it, so that it has to start as zeros.
    pub(crate) zeroed: Vec<bool>,
    /// The types of `let`s that name none, in the order of the text.
    pub(crate) types: BTreeMap<usize, ValueType>,
}

pub(crate) use call::is_known;
pub(crate) use check::shim;
pub(crate) use plan::compile;

/// A value.
#[derive(Clone)]
enum Val {
    /// An expression. With a key ([`untyped`]): one of bare numbers, whose type may still change.
    Expr(ExprId, Option<usize>),
    /// A number whose type its use decides.
    Number(Constant),
    /// An argument's buffer, by position.
    Buffer(usize),
    Array(ArrayId, DType),
    Tuple(Vec<Val>),
    /// `[a, b, c]`: as many values as the text says.
    List(Vec<Val>),
    Unit,
    /// Something is wrong with it; said already.
    Unknown,
}

impl Val {
    /// How many values there are in it, an empty list being one.
    fn elements(&self) -> usize {
        match self {
            Val::List(items) | Val::Tuple(items) if !items.is_empty() => items.iter().map(Val::elements).sum(),
            _ => 1,
        }
    }
}

/// A variable.
#[derive(Clone)]
struct Var {
    name: String,
    value: Val,
    /// The variable behind it, if it can be assigned.
    slot: Option<VarId>,
}

/// A buffer argument.
struct Buffer {
    param: ParamId,
    dims: Vec<netcl_kernels::dim::Dim>,
    dtype: DType,
    /// The position among the results.
    result: Option<usize>,
}

/// The state while one kernel is lowered.
struct Simt<'a> {
    diag: &'a Diag,
    unit: &'a Unit,
    builder: KernelBuilder,
    buffers: Vec<Buffer>,
    zeroed: Vec<bool>,
    scopes: Vec<Vec<Var>>,
    /// Types decided for bare numbers: for `let`s of one by their position, for expressions of several by their address.
    numbers: BTreeMap<usize, DType>,
    changed: bool,
    /// The `let`s that name no type, in the order of the text, and the types of those that have been met.
    lets: Vec<&'a Local>,
    types: BTreeMap<usize, ValueType>,
    barriers: Vec<Span>,
    /// The loops around a statement, the innermost last; of those over lists, the variable that says whether the loop was left.
    rounds: Vec<Option<VarId>>,
    /// The values of variables that nothing assigns to.
    ranges: BTreeMap<VarId, ranges::Range>,
    /// Pairs of which the first is below the second at this place.
    facts: Vec<(ExprId, ExprId)>,
    depth: usize,
    /// How many rounds of loops over lists have been written down.
    unrolled: usize,
    /// The functions of scalars that have been compiled, by their place in memory, and how many operations of theirs there are
    /// in the kernel.
    functions: HashMap<*const Helper, Option<Rc<Graph>>>,
    inlined: usize,
    /// `#[launch(.., unchecked)]`: the user answers for every index.
    unchecked: bool,
    /// Literals that not every type of floats has.
    large: Large,
    /// The signature is wrong: what it would have told is not known.
    unsure: bool,
    /// A function has been called of which nothing is known.
    partial: bool,
    /// The types of bare numbers that no use has settled are not known: such a function may settle them.
    doubtful: bool,
}

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
        let Simt { builder, zeroed, types, barriers, .. } = simt;
        if attempt.count() > 0 {
            diag.absorb(attempt);
            return None;
        }
        attempt.dismiss();
        // What follows from a function that is not known is left out of the kernel.
        if signature.unsound.is_some() || doubtful {
            return None;
        }
        let mut kernel = builder.finish();
        // Nothing keeps two items from one element.
        kernel.may_race = true;
        if !written(diag, signature, &kernel) {
            return None;
        }
        plan::restrict(&mut kernel, signature, &zeroed);
        return plan::verified(diag, signature, &kernel, &barriers).then_some(Lowered { kernel, zeroed, types });
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
    let unwritten = |arg: &&signature::Arg| arg.result.is_some() && !params.contains(&*crate::parse::name(&arg.name));
    let unwritten: Vec<_> = signature.args.iter().filter(unwritten).collect();
    unwritten.iter().for_each(|arg| diag.report(arg.name.span(), &m::SIMT_UNWRITTEN, &[&arg.name, &arg.name]));
    unwritten.is_empty()
}

/// Calls `see` for every statement, also those within others.
fn visit<'k>(stmts: &'k [Stmt], see: &mut dyn FnMut(&'k Stmt)) {
    for stmt in stmts {
        see(stmt);
        match stmt {
            Stmt::For { body, .. } | Stmt::While { body, .. } => visit(body, see),
            Stmt::If { then, otherwise, .. } => [then, otherwise].into_iter().for_each(|branch| visit(branch, see)),
            _ => {}
        }
    }
}

/// Whether the body is that of a kernel in index form, whose results stand behind `->`: that has been said.
fn in_index_form(signature: &Signature) -> bool {
    let closure = matches!(signature.body.stmts.as_slice(), [syn::Stmt::Expr(syn::Expr::Closure(_), None)]);
    signature.unsound.is_some() && closure
}

/// What the kernel is called in OpenCL C, which has words of its own (`double`, `kernel`) and fewer letters.
fn entry(signature: &Signature) -> String {
    let name = crate::parse::name(&signature.name);
    if is_reserved(&name) || !name.is_ascii() { format!("run_{}", ascii(&name)) } else { name }
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
            rounds: Vec::new(),
            ranges: BTreeMap::new(),
            facts: Vec::new(),
            depth: 0,
            unrolled: 0,
            functions: HashMap::new(),
            inlined: 0,
            unchecked: signature.unchecked,
            large: Large::default(),
            unsure: signature.unsound.is_some(),
            partial: false,
            doubtful: false,
        };
        signature.docs().into_iter().for_each(|line| simt.builder.doc(line));
        simt.arguments(signature);
        simt
    }

    fn report(&self, span: Span, message: &Message, values: &[&dyn std::fmt::Display]) -> Val {
        self.diag.report(span, message, values);
        Val::Unknown
    }

    fn bind(&mut self, name: &str, value: Val, slot: Option<VarId>) {
        let variable = Var { name: name.to_string(), value, slot };
        self.scopes.last_mut().expect("a kernel has a scope").push(variable);
    }

    fn lookup(&self, name: &str) -> Option<&Var> {
        self.scopes.iter().rev().flat_map(|scope| scope.iter().rev()).find(|variable| variable.name == name)
    }

    fn ty(&self, id: ExprId) -> ValueType {
        self.builder.ty(id)
    }

    /// The number as a value of the type; of a half-precision type, rounded to it.
    fn literal(&mut self, value: Constant, dtype: DType) -> ExprId {
        let literal = match value {
            Constant::Integer(value) if dtype.is_float() => Literal::float(value as f64, dtype),
            Constant::Integer(value) => Literal::Int(value, dtype),
            Constant::Float(number) => Literal::float(number.value, if dtype.is_float() { dtype } else { DType::F32 }),
            Constant::Bool(value) => Literal::Bool(value),
        };
        self.builder.literal(types::as_computed(fold::stored(literal)))
    }

    /// A symbolic size, as `u32`.
    fn size(&mut self, name: &str) -> ExprId {
        let param = self.builder.param(name, ParamKind::Symbol);
        self.builder.push(netcl_kernels::kir::Expr::Param(param), ValueType::scalar(DType::U32))
    }

    fn too_deep(&self) -> bool {
        self.depth >= words::MAX_DEPTH
    }
}
