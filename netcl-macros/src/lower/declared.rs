//! The types that `let`s declare: checked as those of arguments and results are.

use super::value::{Integer, WholeNumber};
use super::{Lowering, Val};
use crate::ast::PlainType;
use crate::messages as m;
use crate::number::ConstFloat;
use crate::parse::{constant, text, types};
use netcl_kernels::dim::Shape;
use netcl_kernels::dtype::DType;
use netcl_kernels::graph::NodeId;
use syn::spanned::Spanned;
use syn::{Pat, Type};

/// The type that a pattern declares of numbers, or of those of a list: `[[i32; 3]; 3]`.
pub(super) fn of_numbers(pattern: &Pat) -> Option<DType> {
    let Pat::Type(typed) = pattern else { return scalar(pattern) };
    let mut ty = &*typed.ty;
    while let Type::Array(list) = ty {
        ty = &list.elem;
    }
    DType::from_name(&text(ty))
}

/// The type of numbers that a pattern declares.
pub(super) fn scalar(pattern: &Pat) -> Option<DType> {
    match pattern {
        Pat::Type(typed) => DType::from_name(&text(&typed.ty)),
        Pat::Paren(inner) => scalar(&inner.pat),
        _ => None,
    }
}

impl<'a> Lowering<'a> {
    /// The value, if it is what `ty` says about `name`; numbers without a type of their own take the declared one.
    pub(super) fn declared_as(&mut self, name: &str, ty: &'a Type, value: Val<'a>) -> Val<'a> {
        // Models and layers have types that rustc knows.
        if value.is_unknown() || matches!(value, Val::Place(_) | Val::Unit) {
            return value;
        }
        match (ty, value) {
            (Type::Infer(_), value) => value,
            (Type::Paren(inner), value) => self.declared_as(name, &inner.elem, value),
            (Type::Group(inner), value) => self.declared_as(name, &inner.elem, value),
            (Type::Reference(inner), value) => self.declared_as(name, &inner.elem, value),
            (Type::Tuple(tuple), Val::Tuple(parts)) if tuple.elems.len() == parts.len() => {
                let each = tuple.elems.iter().zip(parts);
                Val::Tuple(each.map(|(ty, part)| self.declared_as(name, ty, part)).collect())
            }
            (Type::Array(array), Val::List(items)) if self.is_length(&array.len, items.len()) => {
                Val::List(items.into_iter().map(|item| self.declared_as(name, &array.elem, item)).collect())
            }
            (Type::Tuple(_) | Type::Array(_), value) => self.not_declared(name, ty, &value),
            (ty, value) if types::is_tensor(ty) => self.tensor_as(name, ty, value),
            (Type::Path(path), value) => match path.path.get_ident().map(ToString::to_string).as_deref() {
                Some("usize") => match value {
                    Val::Dim(size) if size.as_constant().is_some_and(|number| number < 0) => {
                        self.report(ty.span(), &m::LET_VALUE, &[&name, &text(ty), &format!("`{size}`")])
                    }
                    Val::Dim(number) => Val::Dim(WholeNumber { ty: Some(Integer::Size), ..number }),
                    Val::Tensor(id) if self.marks.exact.contains_key(&id) => value,
                    Val::Index(_) | Val::Plain(_, PlainType::Usize) => value,
                    value => self.not_declared(name, ty, &value),
                },
                Some(known) if DType::from_name(known).is_some() => {
                    self.number_as(name, ty, DType::from_name(known).unwrap_or(DType::F32), value)
                }
                _ => self.report(ty.span(), &m::LET_TYPE, &[&text(ty)]),
            },
            _ => self.report(ty.span(), &m::LET_TYPE, &[&text(ty)]),
        }
    }

    fn is_length(&self, declared: &syn::Expr, length: usize) -> bool {
        match constant::evaluate(declared, &self.frame().unit.constants) {
            Some(crate::ast::Constant::Integer(declared)) => usize::try_from(declared) == Ok(length),
            // rustc or nobody knows.
            _ => true,
        }
    }

    fn not_declared(&mut self, name: &str, ty: &Type, value: &Val<'a>) -> Val<'a> {
        let found = match value {
            Val::Tensor(id) => self.found(*id),
            Val::Number(number) => match number.ty {
                Some(DType::F32) => format!("`{:?}` of f32", number.value as f32),
                Some(dtype) => format!("`{:?}` of {dtype}", number.value),
                None => format!("`{:?}`", number.value),
            },
            value => value.whole_dtype().map_or_else(|| value.kind(), |own| format!("of `{own}`")),
        };
        self.report(ty.span(), &m::LET_VALUE, &[&name, &text(ty), &found])
    }

    /// What a tensor is, in the words of the place: elements have no shape.
    fn found(&self, id: NodeId) -> String {
        let (shape, dtype) = (self.builder.shape(id), self.builder.dtype(id));
        if self.is_element() { format!("`{dtype}`") } else { format!("{dtype} {shape}") }
    }

    /// Whether values are single numbers here: in kernels and functions of scalars.
    pub(super) fn is_element(&self) -> bool {
        self.axes.is_some() || self.elementwise
    }

    fn tensor_as(&mut self, name: &str, ty: &'a Type, value: Val<'a>) -> Val<'a> {
        let before = self.diag.count();
        let unit = self.frame().unit;
        let Some(declared) = types::tensor(self.diag, ty, "", &unit.constants) else { return Val::Unknown };
        let mut dims = Vec::new();
        for dim in &declared.dims {
            let symbols = self.frame().symbols.clone();
            dim.dim.visit_symbols(&mut |symbol| {
                if !symbols.contains_key(symbol.name()) {
                    self.report(
                        dim.span,
                        &m::UNBOUND_DIMENSION,
                        &[symbol, &crate::parse::function::telling(symbol, &[])],
                    );
                }
            });
            dims.push(dim.dim.substitute(&|symbol| symbols.get(symbol.name()).cloned()));
        }
        if self.diag.count() > before {
            return Val::Unknown;
        }
        let id = match value {
            Val::Tensor(id) if !self.is_element() => id,
            value @ (Val::Number(_) | Val::Dim(_)) if dims.is_empty() && !self.is_element() => {
                match self.tensor(value, Some(declared.dtype), ty.span()) {
                    Some(id) => id,
                    None => return Val::Unknown,
                }
            }
            value => return self.not_declared(name, ty, &value),
        };
        let shape: Shape = self.builder.shape(id).clone();
        if !self.stands_for(self.builder.dtype(id), declared.dtype) || shape.rank() != dims.len() {
            return self.not_declared(name, ty, &Val::Tensor(id));
        }
        for (axis, (dim, token)) in dims.iter().zip(&declared.dims).enumerate() {
            if !self.has_size((id, axis), dim, &format!("`{name}` is declared with"), "its value has") {
                let note = self.builder.origin_note(id, axis);
                self.report(token.span, &m::LET_AXIS, &[&name, &token.dim, &shape[axis], &note, &shape[axis]]);
            }
        }
        if self.diag.count() > before { Val::Unknown } else { Val::Tensor(id) }
    }

    fn number_as(&mut self, name: &str, ty: &Type, dtype: DType, value: Val<'a>) -> Val<'a> {
        match value {
            value @ (Val::Bool(_) | Val::Plain(_, PlainType::Bool)) if dtype == DType::Bool => value,
            Val::Number(number) if dtype.is_float() && number.beside(dtype) == dtype => {
                Val::Number(number.declared(dtype))
            }
            value @ Val::Dim(_) if value.whole_dtype().is_some_and(|own| own != dtype) && dtype.is_integer() => {
                self.not_declared(name, ty, &value)
            }
            value @ Val::Index(_) if dtype.is_integer() => value,
            value if dtype.is_integer() && self.exact(&value).is_some() => {
                self.exact_as(&value, dtype).map_or(Val::Unknown, Val::Tensor)
            }
            Val::Dim(dim) if dtype.is_integer() => match dim.as_constant() {
                Some(number) if !dtype.holds(number) => {
                    self.no_whole(number, dtype, ty.span());
                    Val::Unknown
                }
                _ => Val::Dim(WholeNumber { ty: Some(Integer::Of(dtype)), ..dim }),
            },
            // Sizes are numbers of any type, except in what is Rust as well.
            Val::Dim(dim) if dtype.is_float() && !self.in_function() => match dim.as_constant() {
                Some(number) => Val::Number(ConstFloat::of_whole(number, dtype)),
                None => self.tensor(Val::Dim(dim), Some(dtype), ty.span()).map_or(Val::Unknown, Val::Tensor),
            },
            Val::Tensor(id)
                if self.builder.dtype(id) == dtype && (self.is_element() || self.builder.shape(id).rank() == 0) =>
            {
                Val::Tensor(id)
            }
            value => self.not_declared(name, ty, &value),
        }
    }
}
