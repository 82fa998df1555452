//! Tensors from lists that are written: `Tensor::from([1.0, 2.0])`, and lists beside tensors, `x * [1.0, 2.0]`.

use super::expected::Expected;
use super::{Lowering, Val};
use crate::ast::PlainType;
use crate::messages as m;
use crate::parse::text;
use crate::words;
use netcl_kernels::dim::{Dim, Shape};
use netcl_kernels::dtype::DType;
use netcl_kernels::graph::{CompareOp, NodeId};
use netcl_kernels::span::Result;
use proc_macro2::Span;
use syn::ExprArray;
use syn::spanned::Spanned;

/// The values of a list and of the lists in it, and how many each level has.
struct Flat<'a> {
    values: Vec<Val<'a>>,
    shape: Vec<usize>,
}

impl<'a> Flat<'a> {
    /// `None` where lists of one level have different lengths, or one is empty.
    fn of(list: &[Val<'a>]) -> Option<Flat<'a>> {
        let mut all: Option<Flat<'a>> = None;
        for item in list {
            let one = match item {
                Val::List(inner) => Flat::of(inner)?,
                value => Flat { values: vec![value.clone()], shape: Vec::new() },
            };
            match &mut all {
                None => all = Some(one),
                Some(all) if all.shape == one.shape => all.values.extend(one.values),
                Some(_) => return None,
            }
        }
        let Flat { values, mut shape } = all?;
        shape.insert(0, list.len());
        Some(Flat { values, shape })
    }
}

impl<'a> Lowering<'a> {
    /// The elements of a list, which are of one type: that of a whole number among them where nothing else says it.
    pub(super) fn list_elements(&mut self, list: &'a syn::ExprArray, expected: Option<Expected<'a>>) -> Vec<Val<'a>> {
        let whole = list.elems.iter().find_map(|item| self.whole_type(item)).filter(|_| expected.is_none());
        let Some(whole) = whole else { return self.parts_as(expected, &list.elems) };
        let each = list.elems.iter().map(|item| {
            self.expected = Some(Expected::One(whole));
            self.expr(item)
        });
        each.collect()
    }

    /// Rule: the values of a list are of one type. Wrong: `[0.25, true]`.
    pub(super) fn of_one_kind(&self, written: &ExprArray, values: &[Val<'a>]) -> bool {
        let element = self.axes.is_some() || self.elementwise;
        let kind = |value: &Val<'a>| match value {
            Val::Bool(_) | Val::Plain(_, PlainType::Bool) => Some("a bool"),
            Val::Tensor(id) if element && self.builder.dtype(*id) == DType::Bool => Some("a bool"),
            Val::Tensor(_) if element => Some("a number"),
            Val::Number(_) | Val::Dim(_) | Val::Index(_) | Val::Plain(_, PlainType::Usize) => Some("a number"),
            _ => None,
        };
        if let Some((item, own, other)) = self.other_suffix(written, values) {
            self.report(item.span(), &m::SIMT_TYPES, &[&"[..]", &own, &other, &crate::literal::ONE_TYPE]);
            return false;
        }
        let lengths = written.elems.iter().zip(values).filter_map(|(item, value)| match value {
            Val::List(own) => Some((item, own.len())),
            _ => None,
        });
        let lengths: Vec<_> = lengths.collect();
        if let Some((item, other)) = lengths.iter().find(|(_, own)| element && *own != lengths[0].1) {
            self.report(item.span(), &m::LIST_LENGTHS, &[&lengths[0].1, other]);
            return false;
        }
        let mut kinds = written.elems.iter().zip(values).filter_map(|(item, value)| Some((item, kind(value)?)));
        let Some((_, first)) = kinds.next() else { return true };
        let Some((item, other)) = kinds.find(|(_, kind)| *kind != first) else { return true };
        self.report(item.span(), &m::LIST_KINDS, &[&first, &other, &text(&written.elems)]);
        false
    }

    /// The first number whose type is another than that of those before it: of `[3u32, 4i32]` and `[1.0, 2i32]`.
    fn other_suffix<'e>(&self, written: &'e ExprArray, values: &[Val<'a>]) -> Option<(&'e syn::Expr, String, DType)> {
        let mut own: Option<String> = None;
        for (item, value) in written.elems.iter().zip(values) {
            let ty = match value {
                Val::Number(number) => number.ty,
                _ => self.whole_type(item),
            };
            match (&own, ty) {
                // Without a suffix it is a float, whichever.
                (Some(own), Some(ty)) if *own != ty.to_string() && !(own == "a float" && ty.is_float()) => {
                    return Some((item, own.clone(), ty));
                }
                (None, Some(ty)) => own = Some(ty.to_string()),
                (None, None) if matches!(value, Val::Number(_)) => own = Some("a float".to_string()),
                _ => {}
            }
        }
        None
    }

    /// The list as a tensor of its shape. Without `dtype` it is of the first element's type that has one; whole numbers are of
    /// `i32` then, others of `f32`, as in Rust.
    pub(super) fn listed_tensor(&mut self, list: &[Val<'a>], dtype: Option<DType>, span: Span) -> Val<'a> {
        let Some(Flat { values, shape }) = Flat::of(list) else {
            return self.report(span, &m::WRITTEN_LIST, &[]);
        };
        if values.iter().any(Val::is_unknown) {
            return Val::Unknown;
        }
        if values.len() > words::MAX_PARTS {
            return self.report(span, &m::LONG_LIST, &[&values.len(), &words::MAX_PARTS]);
        }
        let own = values.iter().find_map(|value| match value {
            Val::Tensor(id) => Some(self.builder.dtype(*id)),
            Val::Bool(_) => Some(DType::Bool),
            Val::Number(number) => Some(number.beside(DType::F32)),
            _ => None,
        });
        let dtype = dtype.or(own).unwrap_or(DType::I32);
        let mut elements = Vec::new();
        for value in values {
            let Some(id) = self.tensor(value, Some(dtype), span) else { return Val::Unknown };
            if self.builder.shape(id).rank() > 0 {
                return self.report(span, &m::LIST_OF_TENSORS, &[]);
            }
            elements.push(id);
        }
        self.at(span);
        let made = self.laid_out(&elements, &shape);
        self.check(made, span)
    }

    /// Each element at its place: halves of the list are chosen between by the position.
    fn laid_out(&mut self, elements: &[NodeId], shape: &[usize]) -> Result<NodeId> {
        let position = self.builder.iota(&Shape(vec![Dim::from(elements.len())]), 0, DType::I32)?;
        let flat = self.half(position, elements, 0)?;
        let whole = self.builder.broadcast_to(flat, &Shape(vec![Dim::from(elements.len())]))?;
        self.builder.reshape(whole, Shape(shape.iter().map(|size| Dim::from(*size)).collect()))
    }

    fn half(&mut self, position: NodeId, elements: &[NodeId], first: usize) -> Result<NodeId> {
        if elements.iter().all(|element| *element == elements[0]) {
            return Ok(elements[0]);
        }
        let (low, high) = elements.split_at(elements.len() / 2);
        let middle = self.builder.integer((first + low.len()) as i64, DType::I32)?;
        let below = self.builder.compare(CompareOp::Lt, position, middle)?;
        let (low, high) = (self.half(position, low, first)?, self.half(position, high, first + low.len())?);
        self.builder.select(below, low, high)
    }
}
