//! Elements of tensors and arrays: where they are, and what is read there.

use super::bounds::GuardedIndex;
use super::size::size_of;
use super::state::{Simt, Val, Var};
use super::types::kind;
use crate::ast::Constant;
use crate::messages as m;
use crate::parse::{self, text, unparenthesized};
use netcl_kernels::dim::Dim;
use netcl_kernels::dtype::DType;
use netcl_kernels::graph::BinaryOp;
use netcl_kernels::kir::{ExprId, ValueType};
use syn::spanned::Spanned;
use syn::{Expr, ExprIndex};

/// What holds elements.
#[derive(Clone, Copy)]
pub(super) enum ElementStorage {
    /// An argument, by position among the buffers.
    Buffer(usize),
    Array(netcl_kernels::kir::ArrayId, DType),
}

/// An element.
#[derive(Clone, Copy)]
pub(super) struct Target {
    pub(super) memory: ElementStorage,
    pub(super) place: GuardedIndex,
}

/// How many indices `netcl::simt::Buffer` takes at once.
const MAX_INDICES: usize = 4;

impl Simt<'_> {
    /// The elements that `x[i]`, `x[r, c]` or `scratch[i]` stands for.
    pub(super) fn target(&mut self, index: &ExprIndex) -> Option<Target> {
        if self.nested_brackets(index) {
            return None;
        }
        if let Some(target) = self.target_in_rows(index) {
            return target;
        }
        let base = self.expr(&index.expr);
        self.target_in(base, index)
    }

    /// `tile[r][c]` of an array of several axes, which is `tile[r, c]`; `None` of anything else.
    fn target_in_rows(&mut self, index: &ExprIndex) -> Option<Option<Target>> {
        let (mut brackets, mut base) = (vec![index], unparenthesized(&index.expr));
        while let Expr::Index(inner) = base {
            brackets.push(inner);
            base = unparenthesized(&inner.expr);
        }
        let Expr::Path(name) = base else { return None };
        let Val::Array(array, dtype, sizes) = self.lookup(&parse::name(name.path.get_ident()?))?.value.clone() else {
            return None;
        };
        if brackets.len() == 1 {
            return None;
        }
        let written: Vec<&Expr> = brackets.into_iter().rev().flat_map(each_of).collect();
        let place = self.array_position(&sizes, index, &written);
        Some(place.map(|place| Target { memory: ElementStorage::Array(array, dtype), place }))
    }

    /// The row-major position in an array of those sizes.
    fn array_position(&mut self, sizes: &[u32], whole: &ExprIndex, written: &[&Expr]) -> Option<GuardedIndex> {
        if written.len() != sizes.len() {
            let e = if sizes.len() == 1 { "is" } else { "es" };
            let ces = if written.len() == 1 { "ex" } else { "ices" };
            let name = text(&whole.expr);
            let instead = crate::lower::index_for_each(&name, sizes.len());
            self.report(
                whole.index.span(),
                &m::KERNEL_RANK,
                &[&name, &sizes.len(), &e, &written.len(), &ces, &instead],
            );
            return None;
        }
        let values = self.operands(written.iter().copied());
        let (mut position, mut inside): (Option<ExprId>, Option<ExprId>) = (None, None);
        for ((value, expr), size) in values.into_iter().zip(written).zip(sizes) {
            let length = i64::from(*size);
            if let Val::Number(Constant::Integer(element)) = value
                && !(0..length).contains(&element)
            {
                let of = format!("`{}`", text(&whole.expr));
                self.report(
                    expr.span(),
                    &m::INDEX_OUTSIDE,
                    &[&element, &of, &length, &crate::literal::last_of(*size as usize)],
                );
                return None;
            }
            let value = self.index(value, expr)?;
            let below = self.below(value, &Dim::constant(length));
            inside = self.both(inside, below);
            position = Some(match position {
                None => value,
                Some(before) => {
                    let size = self.literal(Constant::Integer(length), DType::U32);
                    let rows = self.builder.binary(BinaryOp::Mul, before, size);
                    self.builder.binary(BinaryOp::Add, rows, value)
                }
            });
        }
        position.map(|index| GuardedIndex { index, inside })
    }

    /// Rule: the indices of an element stand in one pair of brackets. Wrong: `x[i][j]`, as nested lists are read.
    fn nested_brackets(&mut self, index: &ExprIndex) -> bool {
        if let Expr::Index(inner) = &*index.expr
            && let Expr::Path(tensor) = &*inner.expr
            && let Some(Var { value: Val::Buffer(_), .. }) =
                tensor.path.get_ident().and_then(|name| self.lookup(&name.to_string()))
        {
            let (name, first) = (text(&inner.expr), crate::parse::index::text(inner));
            let indices = first.trim_start_matches(&name).trim_matches(['[', ']']);
            let instead = format!("{name}[{indices}, {}]", text(&index.index));
            self.report(index.expr.span(), &m::SIMT_BRACKETS, &[&first, &instead]);
            return true;
        }
        false
    }

    fn target_in(&mut self, base: Val, index: &ExprIndex) -> Option<Target> {
        let span = index.expr.span();
        match base {
            Val::Buffer(position) => {
                let place = self.position(position, index)?;
                Some(Target { memory: ElementStorage::Buffer(position), place })
            }
            Val::Array(array, dtype, sizes) => {
                let place = self.array_position(&sizes, index, &each_of(index))?;
                Some(Target { memory: ElementStorage::Array(array, dtype), place })
            }
            Val::Unknown => None,
            Val::List(_) => {
                self.report(span, &m::UNSUPPORTED, &[&"changing an element of a list", &super::list::ARRAY]);
                None
            }
            _ if matches!(crate::parse::unparenthesized(&index.expr), Expr::Index(_)) => {
                self.report(span, &m::KERNEL_READ_TWICE, &[&format!("`{}`", text(&index.expr))]);
                None
            }
            other => {
                self.report(span, &m::OPERAND, &[&"x[..]", &kind(&other)]);
                None
            }
        }
    }

    /// An index. Of a variable that is none one message says so, wherever it stands.
    fn index(&mut self, value: Val, expr: &Expr) -> Option<ExprId> {
        let id = self.value(value, Some(DType::U32), expr.span())?;
        let ty = self.ty(id);
        if ty != ValueType::scalar(DType::U32) {
            if !self.changed {
                let index = text(expr);
                let bare = matches!(
                    crate::parse::unparenthesized(expr),
                    Expr::Path(_) | Expr::Call(_) | Expr::Index(_) | Expr::Lit(_)
                );
                let instead = if bare { format!("{index} as u32") } else { format!("({index}) as u32") };
                self.diag.once(expr.span(), &m::SIMT_INDEX, &[&ty, &instead]);
            }
            return None;
        }
        Some(self.position_once(id))
    }

    /// The row-major position in a buffer; one index into a tensor of more axes counts elements.
    fn position(&mut self, buffer: usize, index: &ExprIndex) -> Option<GuardedIndex> {
        let dims = self.buffers[buffer].dims.clone();
        let written = each_of(index);
        if written.len() != dims.len() && written.len() != 1 {
            let (e, ces) = (if dims.len() == 1 { "is" } else { "es" }, "ices");
            let name = text(&index.expr);
            let instead = crate::lower::index_for_each(&name, dims.len());
            self.report(index.index.span(), &m::KERNEL_RANK, &[&name, &dims.len(), &e, &written.len(), &ces, &instead]);
            return None;
        }
        if written.len() > MAX_INDICES {
            let name = text(&index.expr);
            self.report(index.index.span(), &m::SIMT_AXES, &[&name, &dims.len(), &name]);
            return None;
        }
        let values = self.operands(written.iter().copied());
        let (mut position, mut inside): (Option<ExprId>, Option<ExprId>) = (None, None);
        for (axis, (value, expr)) in values.into_iter().zip(&written).enumerate() {
            // Each axis on its own: past the end of a row is the next one.
            let size = match written.len() {
                1 => dims.iter().fold(Dim::constant(1), |product, dim| product * dim.clone()),
                _ => dims[axis].clone(),
            };
            if let Val::Number(Constant::Integer(element @ ..0)) = value {
                let from_end = size.clone() + Dim::constant(element);
                self.report(expr.span(), &m::SIMT_BELOW_ZERO, &[&element, &from_end]);
                return None;
            }
            let value = self.index(value, expr)?;
            let below = self.below(value, &size);
            inside = self.both(inside, below);
            position = Some(match position {
                None => value,
                Some(before) => {
                    let size = size_of(&mut self.builder, &dims[axis]);
                    let rows = self.builder.binary(BinaryOp::Mul, before, size);
                    self.builder.binary(BinaryOp::Add, rows, value)
                }
            });
        }
        position.map(|index| GuardedIndex { index, inside })
    }

    pub(super) fn load(&mut self, index: &ExprIndex) -> Val {
        if self.nested_brackets(index) {
            return Val::Unknown;
        }
        if let Some(target) = self.target_in_rows(index) {
            return target.map_or(Val::Unknown, |target| self.load_from(target, index));
        }
        match self.expr(&index.expr) {
            Val::List(values) => self.listed(&values, index),
            base => self.target_in(base, index).map_or(Val::Unknown, |target| self.load_from(target, index)),
        }
    }

    /// The element, which is read there.
    pub(super) fn load_from(&mut self, target: Target, at: &ExprIndex) -> Val {
        match target.memory {
            ElementStorage::Buffer(buffer) => self.load_lanes(buffer, target.place, 1),
            ElementStorage::Array(array, dtype) => {
                let name = format!("{}_element", self.builder.kernel().arrays[array.0 as usize].name);
                let read = |this: &mut Self, index| {
                    let read = this.builder.load_array(array, index);
                    this.note_local_read(array, at, read);
                    read
                };
                Val::Expr(self.read(&name, target.place, ValueType::scalar(dtype.compute()), read), None)
            }
        }
    }

    /// `lanes` elements from `position` on.
    pub(super) fn load_lanes(&mut self, buffer: usize, place: GuardedIndex, lanes: u8) -> Val {
        if let Some(result) = self.buffers[buffer].result {
            // A result that is read has to hold something: it starts as zeros.
            self.zeroed[result] = true;
        }
        let (param, dtype) = (self.buffers[buffer].param, self.buffers[buffer].dtype.compute());
        let name = format!("{}_element", self.builder.kernel().params[param.0 as usize].name);
        let value = match lanes {
            1 => self.read(&name, place, ValueType::scalar(dtype), |this, index| this.builder.load(param, index, 1)),
            _ => self.read_lanes(&name, buffer, place, ValueType { dtype, lanes }),
        };
        Val::Expr(value, None)
    }
}

/// The indices in one pair of brackets.
fn each_of(index: &ExprIndex) -> Vec<&Expr> {
    match &*index.index {
        Expr::Tuple(tuple) => tuple.elems.iter().collect(),
        one => vec![one],
    }
}
