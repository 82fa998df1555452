//! Index-form kernels: an expression over an index space becomes tensors over that space.
//!
//! Inside a closure with `r` indices every value is a tensor of rank `r`, of size 1 along indices that it does not
//! depend on, or a scalar; so operations broadcast. A variable bound further out gets trailing axes of size 1.

use super::affine::Atom;
use super::expected::Expected;
use super::indexed::{Read, clamped, operand_text};
use super::space::{Space, numbers};
use super::{Affine, Given, Lowering, Val};
use crate::ast::{FunctionItem, TensorType};
use crate::messages as m;
use crate::parse::{self, text};
use netcl_kernels::dim::{Dim, Shape};
use netcl_kernels::dtype::DType;
use netcl_kernels::graph::{AxisIndex, NodeId};
use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::{Expr, ExprClosure, ExprIndex, Pat, Stmt};

/// An index of a read.
pub(super) enum Coordinate {
    /// What the closure's indices make.
    Affine(Affine),
    /// Whole numbers that are known only at run time.
    Data(NodeId),
}

impl Coordinate {
    fn affine(self) -> Option<Affine> {
        match self {
            Coordinate::Affine(index) => Some(index),
            Coordinate::Data(_) => None,
        }
    }
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
        let names = names(shape.len());
        let Some(closure) = closure_of(&function.body) else {
            if shape.is_empty() {
                self.axes = Some(Vec::new());
                self.expected = Expected::results(&function.results);
                return self.block(&function.body);
            }
            if let [Stmt::Expr(Expr::Closure(closure), Some(semicolon))] = function.body.stmts.as_slice() {
                // Without the `;` it would be refused all the same.
                if let Expr::Return(given) = &*closure.body {
                    let instead = super::misuse::early(given);
                    return self.report(given.span(), &m::UNSUPPORTED, &[&"`return` here", &instead]);
                }
                return self.report(semicolon.span(), &m::VALUE_DROPPED, &[]);
            }
            let of_items =
                crate::parse::function::mentions(quote::ToTokens::to_token_stream(&function.body), &|name| {
                    crate::simt::is_of_items(&name.to_string())
                });
            // A loop that assigns elements is meant as one of work-items.
            let assigns = function.body.stmts.iter().find(|statement| match statement {
                Stmt::Expr(Expr::ForLoop(each), _) => matches!(
                    each.body.stmts.as_slice(),
                    [Stmt::Expr(Expr::Assign(assign), _)] if matches!(*assign.left, Expr::Index(_))
                ),
                _ => false,
            });
            let place = assigns.map_or_else(|| function.body.span(), Spanned::span);
            let other = match (of_items, assigns.is_some()) {
                (true, _) => {
                    "; work-items, as `global_id(0)`, are of SIMT form, `#[launch(global = [N])]` above the kernel"
                }
                (_, true) => {
                    "; what assigns elements is of SIMT form: `#[launch(global = [N])]` above the kernel, and the result an argument, \
                     `y: &mut Tensor<..>`"
                }
                (false, false) => "",
            };
            let instead = super::element::closure(function, &names).unwrap_or_else(|| format!("|{names}| .."));
            let read = super::element::read(function, &names).filter(|_| instead.ends_with("..") && !of_items);
            let read = read.map(|read| format!(": an element is read by its indices, `{read}`")).unwrap_or_default();
            return self.report(place, &m::KERNEL_BODY, &[&instead, &read, &other]);
        };
        if closure.inputs.len() != shape.len() {
            let (axes, indices) = (shape.len(), closure.inputs.len());
            let (e, ces) = (if axes == 1 { "is" } else { "es" }, if indices == 1 { "ex" } else { "ices" });
            return self.report(closure.inputs.span(), &m::KERNEL_INDICES, &[&axes, &e, &indices, &ces, &names]);
        }
        self.axes = Some(shape.clone());
        self.result_axes = shape.len();
        self.frame_mut().scopes.push(Vec::new());
        self.indices(closure.inputs.iter(), 0, &vec![Affine::fixed(Dim::default()); shape.len()]);
        (self.expected, self.wanted) = (Expected::results(&function.results), true);
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
    pub(super) fn indices<'p>(&mut self, names: impl Iterator<Item = &'p Pat>, first: usize, starts: &[Affine]) {
        let patterns: Vec<&Pat> = names.collect();
        let plain = |pattern: &&Pat| match pattern {
            Pat::Type(typed) => text(&typed.pat),
            other => text(other).trim_matches(['(', ')', '&', ' ']).to_string(),
        };
        let all = patterns.iter().map(plain).collect::<Vec<_>>().join(", ");
        let mut taken = Vec::new();
        for (position, (pattern, start)) in patterns.into_iter().zip(starts).enumerate() {
            match pattern {
                // It has been said.
                Pat::Ident(ident) if taken.contains(&&ident.ident) => {
                    self.bind(&parse::name(&ident.ident), Val::Unknown, false, true);
                }
                Pat::Ident(ident) if ident.by_ref.is_none() && ident.subpat.is_none() => {
                    taken.push(&ident.ident);
                    let own = Affine::axis(first + position, Dim::default());
                    let index = start.plus(&own).unwrap_or(own);
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
        self.unused_in(closure.inputs.iter(), &closure.body);
    }

    pub(super) fn unused_in<'p>(&mut self, indices: impl Iterator<Item = &'p Pat>, body: &Expr) {
        let used = parse::names_in(quote::ToTokens::to_token_stream(body));
        for pattern in indices {
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
                let instead = match super::sizes::told_by(function, arg) {
                    Some(size) => format!("write `_{name}`: it alone says what `{size}` is"),
                    None => format!("remove it, or write `_{name}`"),
                };
                self.report(arg.name.span(), &m::KERNEL_UNUSED_ARGUMENT, &[&name, &instead]);
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
                let deeper = self.check(result, span);
                self.note_chosen_whole(&deeper, self.chosen_whole(&Val::Tensor(id)));
                deeper
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
        let has = |what: fn(&Atom) -> bool| index.terms.iter().any(|(atom, _)| what(atom));
        let divided = has(|atom| matches!(atom, Atom::Part(..)));
        let bounded = has(|atom| matches!(atom, Atom::Bounded(_)));
        // Quotients are those of whole numbers, before these wrap, and what is bounded may be below zero.
        let small = dtype.is_float() || matches!(dtype, DType::U8 | DType::U32);
        let own = if small && (bounded || divided && dtype != DType::U32) { DType::I32 } else { dtype };
        let result = numbers(&mut self.builder, index, &axes, own);
        let result = result.and_then(|id| if own == dtype { Ok(id) } else { self.builder.cast(id, dtype) });
        let Val::Tensor(id) = self.check(result, span) else { return None };
        self.marks.from_indices.insert(id, index.clone());
        Some(id)
    }

    /// `x[n, c + 1]` on a whole tensor; `None` if this is no kernel or `x` no argument.
    pub(super) fn element_read(&mut self, index: &'a ExprIndex) -> Option<Val<'a>> {
        self.axes.as_ref()?;
        Some(self.read(index, false))
    }

    pub(super) fn read(&mut self, read: &'a ExprIndex, padded: bool) -> Val<'a> {
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
                    let free = |other: &&str| self.lookup(other).is_none();
                    let other = ["i", "j", "k", "r"].into_iter().find(free).unwrap_or("index");
                    let instead = parse::index::renamed(read, &name, other);
                    self.report(read.expr.span(), &m::KERNEL_HIDDEN, &[&name, &other, &instead])
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
            let instead = super::index_for_each(&name, rank);
            return self.report(
                read.index.span(),
                &m::KERNEL_RANK,
                &[&name, &rank, &e, &indices.len(), &ces, &instead],
            );
        }
        let mut coordinates = Vec::new();
        for (axis, expr) in indices.iter().enumerate() {
            if let Some(refused) = self.no_index(read, expr, (source, axis)) {
                return refused;
            }
            match self.coordinate((read, padded), expr) {
                Some(coordinate) => coordinates.push(coordinate),
                None => return Val::Unknown,
            }
        }
        self.at(read.span());
        let read = Read { tokens: read, name, indices, padded };
        match coordinates.iter().rposition(|coordinate| matches!(coordinate, Coordinate::Data(_))) {
            Some(last) => {
                let rest = coordinates.split_off(last + 1);
                self.gather(&read, source, coordinates, rest.into_iter().filter_map(Coordinate::affine).collect())
            }
            None => self.view(&read, source, 0, coordinates.into_iter().filter_map(Coordinate::affine).collect()),
        }
    }

    /// One index of a read; `None` of what is none, which is reported.
    fn coordinate(&mut self, (read, padded): (&'a ExprIndex, bool), expr: &'a Expr) -> Option<Coordinate> {
        let outside = std::mem::replace(&mut self.indexing, true);
        let value = self.expr(expr);
        self.indexing = outside;
        match value {
            Val::Unknown => {}
            // An axis for its parts would have another size in each round.
            Val::Index(index) if self.depends_on_round(&index) => {
                return self.index_tensor(&index, DType::I64, expr.span()).map(Coordinate::Data);
            }
            Val::Index(index) => return Some(Coordinate::Affine(index)),
            Val::Dim(dim) => return Some(Coordinate::Affine(Affine::fixed(dim.size))),
            Val::Tensor(id) if !self.builder.dtype(id).is_integer() => {
                let instead = match parse::unparenthesized(expr) {
                    Expr::Call(call) if text(&call.func) == "clamp" => {
                        "it is called `clamp(index, least, most)`, with an index and two sizes or numbers".to_string()
                    }
                    _ if self.chosen_whole(&Val::Tensor(id)).is_some() => {
                        "whole numbers that a list or a choice gives are floats beside floats: write their type, `1i32`, and the element \
                         of a constant list with `as i32`"
                            .to_string()
                    }
                    // Nothing that is computed is data.
                    _ if !self.reads_data(id) && !matches!(expr, Expr::Cast(_)) => {
                        "indices are sums of those of the closure, of sizes and of whole numbers".to_string()
                    }
                    // `n as f32`
                    Expr::Cast(cast) if !matches!(self.expr(&cast.expr), Val::Tensor(_)) => {
                        format!("it is one without `as`: write `{}`", text(&cast.expr))
                    }
                    _ => format!("convert them: write `{} as i32`", operand_text(expr)),
                };
                self.report(expr.span(), &m::KERNEL_INDEX_ELEMENTS, &[&self.builder.dtype(id), &instead]);
            }
            // An index computed from indices, or by a plain argument: its elements are no data.
            Val::Tensor(id) if !self.reads_data(id) && (!padded || self.divides_indices(id)) => {
                let whole = parse::index::text(read);
                match (self.reads_argument(id), clamped(read, expr)) {
                    (true, _) => self.report(expr.span(), &m::KERNEL_INDEX_ARGUMENT, &[&text(expr), &whole]),
                    (false, Some((name, instead))) => self.report(expr.span(), &m::KERNEL_CLAMPED, &[&name, &instead]),
                    (false, None) if self.divides_indices(id) => self.report(expr.span(), &m::KERNEL_DIVIDED, &[]),
                    (false, None) => self.report(expr.span(), &m::KERNEL_NOT_AFFINE, &[&whole]),
                };
            }
            Val::Tensor(id) if self.reads_data(id) && !matches!(self.builder.dtype(id), DType::I32 | DType::U32) => {
                let (dtype, given) = (self.builder.dtype(id), operand_text(expr));
                self.report(expr.span(), &m::KERNEL_INDEX_WIDTH, &[&dtype, &given]);
            }
            Val::Tensor(id) if self.reads_data(id) => return Some(Coordinate::Data(id)),
            Val::Tensor(id) => match self.widened(id) {
                Ok(wide) => return Some(Coordinate::Data(wide)),
                Err(diagnostic) => self.diagnostic(diagnostic, expr.span()),
            },
            other => drop(self.report(expr.span(), &m::KERNEL_INDEX_TYPE, &[&other.kind()])),
        }
        None
    }

    /// Whether the node's elements come from a tensor, or are a plain argument as it is, the same everywhere: data as far as
    /// shapes go.
    fn reads_data(&self, id: NodeId) -> bool {
        self.given(id).is_some() || self.reads(id, Given::Tensor)
    }

    /// Whether a plain argument is computed with in it.
    pub(super) fn reads_argument(&self, id: NodeId) -> bool {
        self.reads(id, Given::Number)
    }

    /// Whether the node depends on such an argument.
    fn reads(&self, id: NodeId, wanted: Given) -> bool {
        // What the caller made an argument of is none of the kernel's.
        self.any_below(id, |node| self.given(node).map(|given| given == wanted))
    }

    /// Whether `value` is computed from the node `of`, or is it.
    pub(super) fn is_made_of(&self, value: NodeId, of: NodeId) -> bool {
        self.any_below(value, |below| (below == of).then_some(true))
    }

    /// Whether `found` says so of the node or one that it is computed from; where it answers, nothing below is asked.
    pub(super) fn any_below(&self, id: NodeId, found: impl Fn(NodeId) -> Option<bool>) -> bool {
        let mut seen = std::collections::BTreeSet::new();
        let mut pending = vec![id];
        while let Some(id) = pending.pop() {
            match found(id) {
                Some(true) => return true,
                Some(false) => {}
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
    pub(super) fn view(&mut self, read: &Read<'_>, source: NodeId, given: usize, coordinates: Vec<Affine>) -> Val<'a> {
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
            for (at, coordinate) in coordinates.iter().enumerate() {
                let size = self.builder.shape(source)[given + at].clone();
                if self.outside_of(read, first + at, coordinate, &size) {
                    return Val::Unknown;
                }
            }
        }
        let span = read.tokens.span();
        let result = self.builder.view(source, shape, index);
        let result = result.and_then(|elements| space.at_parts(&mut self.builder, elements));
        self.check(result, span)
    }
}

/// Names for so many indices.
pub(super) fn names(rank: usize) -> String {
    ["n", "c", "h", "w"].into_iter().cycle().take(rank).collect::<Vec<_>>().join(", ")
}

/// The closure that a kernel's body is.
fn closure_of(body: &syn::Block) -> Option<&ExprClosure> {
    match body.stmts.as_slice() {
        [Stmt::Expr(Expr::Closure(closure), None)] => Some(closure),
        _ => None,
    }
}

/// Whether a kernel's body is no closure, though its result has axes.
pub(crate) fn is_of_other_form(sig: &syn::Signature, body: &syn::Block) -> bool {
    let has_axes = matches!(&sig.output, syn::ReturnType::Type(_, ty) if text(ty).contains(','));
    has_axes && closure_of(body).is_none()
}
