//! Index-form kernels: an expression over an index space becomes tensors over that space.
//!
//! Inside a closure with `r` indices every value is a tensor of rank `r`, of size 1 along indices that it does not
//! depend on, or a scalar; so operations broadcast. A variable bound further out gets trailing axes of size 1.

use super::affine::{Atom, DivRem};
use super::indexed::{clamped, operand_text};
use super::space::Space;
use super::{Affine, Given, Lowering, Val};
use crate::ast::{FunctionItem, TensorType};
use crate::messages as m;
use crate::parse::{self, text};
use netcl_kernels::dim::{Dim, Shape};
use netcl_kernels::dtype::DType;
use netcl_kernels::graph::build::Builder;
use netcl_kernels::graph::{AxisIndex, BinaryOp, NodeId};
use netcl_kernels::span::Result;
use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::{Expr, ExprCall, ExprClosure, ExprIndex, Pat, Stmt};

/// `x[n, c + 1]`, as it is written.
struct Read<'t> {
    tokens: &'t ExprIndex,
    name: String,
    indices: Vec<&'t Expr>,
    /// Whether there are zeros outside.
    padded: bool,
}

impl<'a> Lowering<'a> {
    /// `|n, c| expr` over the result's axes.
    pub(super) fn kernel_body(&mut self, function: &'a FunctionItem) -> Val<'a> {
        self.elementwise = true;
        let (first, symbols) = (&function.results[0], &self.frame().symbols);
        let shape: Vec<Dim> = first.substitute(symbols).dims.into_iter().map(|dim| dim.dim).collect();
        if let Some(other) = function.results.iter().find(|ty| {
            ty.dims.len() != first.dims.len()
                || ty.dims.iter().zip(&first.dims).any(|(dim, first)| dim.dim != first.dim)
        }) {
            return self.report(other.span, &m::KERNEL_RESULTS, &[first, other]);
        }
        let names = ["n", "c", "h", "w"].into_iter().cycle().take(shape.len()).collect::<Vec<_>>().join(", ");
        let Some(closure) = closure_of(&function.body) else {
            if shape.is_empty() {
                self.axes = Some(Vec::new());
                return self.block(&function.body);
            }
            return self.report(function.body.span(), &m::KERNEL_BODY, &[&names]);
        };
        if closure.inputs.len() != shape.len() {
            let (axes, indices) = (shape.len(), closure.inputs.len());
            let (e, ces) = (if axes == 1 { "is" } else { "es" }, if indices == 1 { "ex" } else { "ices" });
            return self.report(closure.inputs.span(), &m::KERNEL_INDICES, &[&axes, &e, &indices, &ces, &names]);
        }
        self.axes = Some(shape.clone());
        self.frame_mut().scopes.push(Vec::new());
        self.indices(closure.inputs.iter(), 0, &vec![Dim::constant(0); shape.len()]);
        self.wanted = true;
        let value = self.expr(&closure.body);
        // Where something is wrong, what is used is not known yet.
        if !value.is_unknown() {
            self.unused(closure);
            self.unused_arguments(function);
        }
        self.frame_mut().scopes.pop();
        match value {
            Val::Tuple(values) => {
                // What is one too many or too few is said where all results are looked at.
                let last = function.results.len() - 1;
                let each = values.into_iter().enumerate();
                Val::Tuple(each.map(|(at, value)| self.whole(value, &shape, &function.results[at.min(last)])).collect())
            }
            value => self.whole(value, &shape, &function.results[0]),
        }
    }

    /// The value repeated over the whole of `shape`.
    fn whole(&mut self, value: Val<'a>, shape: &[Dim], ty: &TensorType) -> Val<'a> {
        if value.is_unknown() {
            return Val::Unknown;
        }
        let span = ty.span;
        let Some(id) = self.tensor(value, Some(ty.dtype), span) else { return Val::Unknown };
        let result = self.builder.broadcast_to(id, &Shape(shape.to_vec()));
        self.check(result, span)
    }

    /// Binds the closure's names to the axes from `first` on; `starts` are the ranges' first values.
    pub(super) fn indices<'p>(&mut self, names: impl Iterator<Item = &'p Pat>, first: usize, starts: &[Dim]) {
        let patterns: Vec<&Pat> = names.collect();
        let plain = |pattern: &&Pat| match pattern {
            Pat::Type(typed) => text(&typed.pat),
            other => text(other).trim_matches(['(', ')']).to_string(),
        };
        let all = patterns.iter().map(plain).collect::<Vec<_>>().join(", ");
        let mut taken = Vec::new();
        for (position, (pattern, start)) in patterns.into_iter().zip(starts).enumerate() {
            match pattern {
                Pat::Ident(ident) if taken.contains(&&ident.ident) => {
                    self.report(ident.ident.span(), &m::KERNEL_DUPLICATE_INDEX, &[&ident.ident]);
                }
                Pat::Ident(ident) if ident.by_ref.is_none() && ident.subpat.is_none() => {
                    taken.push(&ident.ident);
                    let index = Affine::axis(first + position, start.clone());
                    self.bind(&parse::name(&ident.ident), Val::Index(index), false, true);
                }
                Pat::Wild(_) => {}
                other => {
                    self.report(other.span(), &m::KERNEL_INDEX_PATTERN, &[&all]);
                    self.bind_unknown(other, false);
                }
            }
        }
    }

    /// Rule: a closure uses its indices. Wrong: `|n, c| x[n]`.
    pub(super) fn unused(&mut self, closure: &ExprClosure) {
        let used = parse::names_in(quote::ToTokens::to_token_stream(&closure.body));
        for pattern in &closure.inputs {
            if let Pat::Ident(ident) = pattern {
                let name = parse::name(&ident.ident);
                if !name.starts_with('_') && !used.contains(&name) {
                    self.report(ident.ident.span(), &m::KERNEL_UNUSED_INDEX, &[&name, &name]);
                }
            }
        }
    }

    fn unused_arguments(&mut self, function: &FunctionItem) {
        let used = parse::names_in(quote::ToTokens::to_token_stream(&function.body));
        for arg in &function.args {
            let name = parse::name(&arg.name);
            if !name.starts_with('_') && !used.contains(&name) {
                self.report(arg.name.span(), &m::KERNEL_UNUSED_ARGUMENT, &[&name, &name]);
            }
        }
    }

    /// A variable that was bound under fewer indices, usable under the present ones; so are the parts of a tuple and the
    /// elements of a list.
    pub(super) fn deepen(&mut self, value: Val<'a>, axes: usize, span: Span) -> Val<'a> {
        let missing = self.axes.as_ref().map_or(0, Vec::len).saturating_sub(axes);
        if missing == 0 {
            return value;
        }
        match value {
            Val::Tuple(parts) => Val::Tuple(self.deepen_each(parts, axes, span)),
            Val::List(items) => Val::List(self.deepen_each(items, axes, span)),
            Val::Tensor(id) => {
                let rank = self.builder.shape(id).rank();
                // Rank 0 broadcasts as it is; whole arguments are read by `x[..]` only.
                if rank == 0 || rank != axes {
                    return value;
                }
                let mut shape = self.builder.shape(id).clone();
                shape.0.extend(std::iter::repeat_n(Dim::constant(1), missing));
                let result = self.builder.view(id, shape, (0..rank).map(AxisIndex::axis).collect());
                self.check(result, span)
            }
            value => value,
        }
    }

    fn deepen_each(&mut self, values: Vec<Val<'a>>, axes: usize, span: Span) -> Vec<Val<'a>> {
        values.into_iter().map(|value| self.deepen(value, axes, span)).collect()
    }

    /// The index as a tensor of numbers.
    pub(super) fn index_tensor(&mut self, index: &Affine, dtype: DType, span: Span) -> Option<NodeId> {
        let axes = self.axes.clone().unwrap_or_default();
        let divided = index.terms.iter().any(|(atom, _)| matches!(atom, Atom::Part(..)));
        // Quotients are those of whole numbers, before these wrap.
        let own = if divided && (dtype.is_float() || dtype == DType::U8) { DType::I32 } else { dtype };
        let result = numbers(&mut self.builder, index, &axes, own);
        let result = result.and_then(|id| if own == dtype { Ok(id) } else { self.builder.cast(id, dtype) });
        match self.check(result, span) {
            Val::Tensor(id) => Some(id),
            _ => None,
        }
    }

    /// `x[n, c + 1]` on a whole tensor; `None` if this is no kernel or `x` no argument.
    pub(super) fn element_read(&mut self, index: &'a ExprIndex) -> Option<Val<'a>> {
        self.axes.as_ref()?;
        Some(self.read(index, false))
    }

    /// `pad(x[n, c - 1])`: zero outside.
    pub(super) fn pad(&mut self, call: &'a ExprCall) -> Val<'a> {
        match call.args.first() {
            Some(Expr::Index(index)) if call.args.len() == 1 => self.read(index, true),
            first => {
                let instead = match first {
                    Some(Expr::Index(read)) => format!("pad({})", parse::index::text(read)),
                    _ => "pad(x[n, c - 1])".to_string(),
                };
                let found = match call.args.len() {
                    1 => format!("`{}`", text(&call.args)),
                    count => format!("{count} arguments"),
                };
                self.report(call.span(), &m::PAD_ARGUMENT, &[&found, &instead])
            }
        }
    }

    fn read(&mut self, read: &'a ExprIndex, padded: bool) -> Val<'a> {
        let name = text(&read.expr);
        let source = match &*read.expr {
            Expr::Path(path) => path.path.get_ident().and_then(|ident| self.whole_tensor(&parse::name(ident))),
            _ => None,
        };
        let Some(source) = source else {
            return match self.expr(&read.expr) {
                Val::Unknown => Val::Unknown,
                Val::List(values) if !padded => {
                    let position = self.expr(&read.index);
                    self.element_of(&values, position, read)
                }
                Val::Index(_) if self.hides_tensor(&name) => {
                    self.report(read.expr.span(), &m::KERNEL_HIDDEN, &[&name, &name])
                }
                other => {
                    let written = match &*read.expr {
                        Expr::Index(inner) => parse::index::text(inner),
                        other => parse::text(other),
                    };
                    let written = format!("`{written}`, {},", other.kind());
                    self.report(read.expr.span(), &m::KERNEL_READ_TWICE, &[&written])
                }
            };
        };
        let indices: Vec<&'a Expr> = match &*read.index {
            Expr::Tuple(tuple) => tuple.elems.iter().collect(),
            one => vec![one],
        };
        let rank = self.builder.shape(source).rank();
        if indices.len() != rank {
            let (e, ces) = (if rank == 1 { "is" } else { "es" }, if indices.len() == 1 { "ex" } else { "ices" });
            return self.report(read.index.span(), &m::KERNEL_RANK, &[&name, &rank, &e, &indices.len(), &ces]);
        }
        let mut values = Vec::new();
        for expr in &indices {
            let value = match self.expr(expr) {
                Val::Dim(dim) => Val::Index(Affine::fixed(dim)),
                value => value,
            };
            let rows = matches!(&value, Val::Tensor(id) if self.builder.dtype(*id).is_integer());
            match value {
                Val::Unknown => return Val::Unknown,
                Val::Index(_) => values.push(value),
                // An index computed from indices, or by a plain argument: its elements are no data.
                Val::Tensor(id) if rows && !self.reads_data(id) => {
                    return match self.reads_argument(id) {
                        true => self.report(expr.span(), &m::KERNEL_INDEX_ARGUMENT, &[&text(expr)]),
                        false => match clamped(read, expr) {
                            Some((name, instead)) => self.report(expr.span(), &m::KERNEL_CLAMPED, &[&name, &instead]),
                            None => self.report(expr.span(), &m::KERNEL_NOT_AFFINE, &[]),
                        },
                    };
                }
                Val::Tensor(id) if rows && !matches!(self.builder.dtype(id), DType::I32 | DType::U32) => {
                    let (dtype, given) = (self.builder.dtype(id), operand_text(expr));
                    return self.report(expr.span(), &m::KERNEL_INDEX_WIDTH, &[&dtype, &given]);
                }
                Val::Tensor(_) if rows && values.is_empty() => values.push(value),
                Val::Tensor(_) if rows && matches!(values.first(), Some(Val::Tensor(_))) => {
                    let whole = parse::index::text(read);
                    return self.report(expr.span(), &m::KERNEL_GATHER_AXES, &[&whole]);
                }
                Val::Tensor(_) if rows => return self.report(expr.span(), &m::KERNEL_GATHER_AXIS, &[&name]),
                Val::Tensor(id) => {
                    let (dtype, given) = (self.builder.dtype(id), operand_text(expr));
                    return self.report(expr.span(), &m::KERNEL_INDEX_ELEMENTS, &[&dtype, &given]);
                }
                other => return self.report(expr.span(), &m::KERNEL_INDEX_TYPE, &[&other.kind()]),
            }
        }
        self.at(read.span());
        let read = Read { tokens: read, name, indices, padded };
        match values.first() {
            Some(Val::Tensor(rows)) => {
                let rows = *rows;
                self.gather(&read, source, rows, values.into_iter().skip(1).filter_map(affine).collect())
            }
            _ => self.view(&read, source, 0, values.into_iter().filter_map(affine).collect()),
        }
    }

    /// Whether the node's elements come from a tensor, or are a plain argument as it is, the same everywhere: data as far as
    /// shapes go.
    fn reads_data(&self, id: NodeId) -> bool {
        self.given(id).is_some() || self.reads(id, Given::Tensor)
    }

    /// Whether a plain argument is computed with in it.
    fn reads_argument(&self, id: NodeId) -> bool {
        self.reads(id, Given::Number)
    }

    /// Whether the node depends on such an argument.
    fn reads(&self, id: NodeId, wanted: Given) -> bool {
        let mut seen = std::collections::BTreeSet::new();
        let mut pending = vec![id];
        while let Some(id) = pending.pop() {
            match self.given(id) {
                Some(given) if given == wanted => return true,
                // What the caller made it of is none of the kernel's.
                Some(_) => {}
                None if seen.insert(id) => {
                    self.builder.node(id).op.visit_operands(|operand| pending.push(operand));
                }
                None => {}
            }
        }
        false
    }

    /// Whether an argument of that name is a tensor, which something else of that name hides.
    fn hides_tensor(&self, name: &str) -> bool {
        let mut variables = self.frame().scopes.iter().flatten();
        variables.any(|variable| variable.argument && variable.name == name && matches!(variable.value, Val::Tensor(_)))
    }

    /// Rule: sizes are called by the names that the types give them. Wrong: `x.len()`, `x.dim(0)`.
    pub(super) fn size_of_whole(&mut self, call: &'a syn::ExprMethodCall, name: &str) -> Option<Val<'a>> {
        if self.axes.is_none() || !matches!(name, "len" | "dim" | "size" | "shape" | "numel" | "dims") {
            return None;
        }
        let Expr::Path(path) = parse::unparenthesized(&call.receiver) else { return None };
        let tensor = path.path.get_ident().map(parse::name)?;
        let shape = self.builder.shape(self.whole_tensor(&tensor)?).clone();
        let given = call.args.first().map(text).and_then(|axis| axis.parse::<usize>().ok());
        let size = match given.filter(|axis| *axis < shape.rank()) {
            Some(axis) => shape[axis].clone(),
            None if name == "numel" => shape.elements(),
            None => shape.0.first()?.clone(),
        };
        Some(self.report(call.method.span(), &m::KERNEL_SIZES, &[&name, &tensor, &shape, &size]))
    }

    pub(super) fn whole_tensor(&self, name: &str) -> Option<NodeId> {
        match self.lookup(name)? {
            (Val::Tensor(id), 0) => Some(id),
            _ => None,
        }
    }

    /// A read at known coordinates, those of the last indices. The first `given` axes of `source` are the index space's
    /// own.
    fn view(&mut self, read: &Read<'_>, source: NodeId, given: usize, coordinates: Vec<Affine>) -> Val<'a> {
        let axes = self.axes.clone().unwrap_or_default();
        let mut space = Space::new(&axes);
        // Where the gathered rows do not depend on an index, there is one row for all of it.
        let rows = self.builder.shape(source).clone();
        let own = (0..given).map(|axis| if rows[axis].is(1) { AxisIndex::fixed(0) } else { AxisIndex::axis(axis) });
        let mut index: Vec<AxisIndex> = own.collect();
        index.extend(coordinates.iter().map(|coordinate| space.coordinate(coordinate)));
        // Along indices that nothing depends on the result has size 1.
        let used = index.iter().flat_map(|coordinate| &coordinate.terms).map(|(axis, _)| *axis).collect();
        let mut shape = space.shape(&used);
        for axis in (0..given).filter(|axis| !rows[*axis].is(1)) {
            shape.0[axis] = rows[axis].clone();
        }
        if !read.padded {
            let first = read.indices.len() - coordinates.len();
            for (axis, coordinate) in index.iter().enumerate().skip(given) {
                let size = self.builder.shape(source)[axis].clone();
                if coordinate.may_be_outside(&size, &shape) {
                    let position = first + axis - given;
                    let written = read.indices[position];
                    let whole = parse::index::text(read.tokens);
                    let named = self.as_indices(written, &coordinates[axis - given]);
                    let values: [&dyn std::fmt::Display; 5] = [&named, &position, &read.name, &size, &whole];
                    return self.report(written.span(), &m::KERNEL_BOUNDS, &values);
                }
            }
        }
        let span = read.tokens.span();
        let result = self.builder.view(source, shape, index);
        let result = result.and_then(|elements| space.at_parts(&mut self.builder, elements));
        self.check(result, span)
    }

    /// `table[rows, c]` with rows from a tensor: rows are gathered, then the `rest` is read as usual.
    fn gather(&mut self, read: &Read<'_>, source: NodeId, rows: NodeId, rest: Vec<Affine>) -> Val<'a> {
        let rank = self.axes.as_ref().map_or(0, Vec::len);
        let span = read.tokens.span();
        // A row number that is the same everywhere is a scalar: give it the index space's rank.
        let ones = Shape(vec![Dim::constant(1); rank]);
        let rows =
            if self.builder.shape(rows).rank() == rank { Ok(rows) } else { self.builder.broadcast_to(rows, &ones) };
        let gathered = rows.and_then(|rows| self.builder.gather(source, rows));
        let Val::Tensor(gathered) = self.check(gathered, span) else { return Val::Unknown };
        self.view(read, gathered, rank, rest)
    }
}

/// The values of an index over an index space with those axes.
fn numbers(builder: &mut Builder, index: &Affine, axes: &[Dim], dtype: DType) -> Result<NodeId> {
    let mut sum = match index.offset.as_constant() {
        Some(offset) => wrapped(builder, offset, dtype)?,
        None => builder.dim(&index.offset, dtype)?,
    };
    for (atom, coefficient) in &index.terms {
        let value = match atom {
            Atom::Axis(axis) => {
                let mut shape = Shape(vec![Dim::constant(1); axes.len()]);
                shape.0[*axis] = axes[*axis].clone();
                builder.iota(&shape, *axis, dtype)?
            }
            Atom::Part(part, whole) => {
                let dividend = numbers(builder, &whole.dividend(), axes, dtype)?;
                let divisor = builder.dim(&whole.divisor, dtype)?;
                let op = if *part == DivRem::Quotient { BinaryOp::Div } else { BinaryOp::Rem };
                builder.binary(op, dividend, divisor)?
            }
        };
        let factor = wrapped(builder, *coefficient, dtype)?;
        let term = builder.binary(BinaryOp::Mul, value, factor)?;
        sum = builder.binary(BinaryOp::Add, term, sum)?;
    }
    Ok(sum)
}

/// A part of an index as a number of the type. Whole numbers wrap, as `as` does: `n - 1` is one of `u32` where -1 is none.
fn wrapped(builder: &mut Builder, value: i64, dtype: DType) -> Result<NodeId> {
    builder.integer(dtype.wrap(value), dtype)
}

fn affine(value: Val<'_>) -> Option<Affine> {
    match value {
        Val::Index(index) => Some(index),
        _ => None,
    }
}

/// The closure that a kernel's body is.
fn closure_of(body: &syn::Block) -> Option<&ExprClosure> {
    match body.stmts.as_slice() {
        [Stmt::Expr(Expr::Closure(closure), None)] => Some(closure),
        _ => None,
    }
}
