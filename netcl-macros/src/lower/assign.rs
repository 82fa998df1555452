//! Assignments to variables and to parts of them: `hs[0] = y`, `state.1 += y`, `cell.h = y`.

use super::value::{Integer, WholeNumber};
use super::{Lowering, Val};
use crate::messages as m;
use crate::number::ConstFloat;
use crate::parse;
use netcl_kernels::dtype::DType;
use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::{Expr, Member};

/// What to write instead of an assignment.
pub(super) const NEW_TENSORS: &str = "operations give new tensors: write `let y = ..`";

/// What leads from a variable to a part of it.
pub(super) enum Projection {
    Position(usize),
    Field(String),
}

impl<'a> Lowering<'a> {
    /// Assigns a part of a list, a tuple or a struct in a local variable; `None` where `left` is no such part.
    pub(super) fn assign_part(
        &mut self,
        left: &'a Expr,
        op: Option<&syn::BinOp>,
        right: &Val<'a>,
        span: Span,
    ) -> Option<Val<'a>> {
        let mut path = Vec::new();
        let name = self.projections(left, &mut path)?;
        let (value, _) = self.lookup(&name)?;
        if path.is_empty() || !matches!(value, Val::List(_) | Val::Tuple(_) | Val::Struct(..)) {
            return None;
        }
        let current = self.expr(left);
        if current.is_unknown() {
            return Some(Val::Unknown);
        }
        let new = match op {
            Some(op) => self.binary(op, current.clone(), right.clone(), super::arith::Places::all(span)),
            None => right.clone(),
        };
        let instead = format!("write `let mut {name} = {name};` above, and assign that");
        Some(self.store((&name, &path), new, (left, &instead), span))
    }

    /// What is in the place before something is assigned to it.
    pub(super) fn before_assignment(&mut self, place: &'a Expr) -> Option<Val<'a>> {
        if !is_fixed(place) {
            return None;
        }
        let mut path = Vec::new();
        let name = self.projections(place, &mut path)?;
        let (mut value, _) = self.lookup(&name)?;
        part_of(&mut value, &path).cloned()
    }

    /// Rule: no element of a tensor is assigned. Wrong: `x[n, c] = ..` in a kernel, `h[0] = 0.0`.
    pub(super) fn element_assigned(&self, name: &str, span: Span) -> Val<'a> {
        let instead = match self.axes {
            Some(_) => "the closure's value is the element of the result: leave the assignment out",
            None => NEW_TENSORS,
        };
        let variable = self.frame().scopes.iter().flatten().rev().find(|variable| variable.name == name);
        let (message, instead) = match variable.filter(|variable| !variable.argument).map(|variable| &variable.value) {
            Some(Val::List(_)) => (
                &m::ASSIGN_ELEMENT,
                "where a position is known only when a round runs, make a list of the rounds: `list.push(..)` of one that begins as \
                 `Vec::new()`",
            ),
            Some(_) => (&m::ASSIGN_ELEMENT, instead),
            None => (&m::ASSIGN_ARGUMENT, instead),
        };
        self.report(span, message, &[&name, &instead])
    }

    /// Gives the variable, or a part of it, the value. What is to be written `instead` where it is an argument.
    pub(super) fn store(
        &mut self,
        (name, path): (&str, &[Projection]),
        value: Val<'a>,
        (left, instead): (&'a Expr, &str),
        span: Span,
    ) -> Val<'a> {
        let depth = self.axes.as_ref().map_or(0, Vec::len);
        let Some((scope, position)) = self.place_of(name) else {
            let variables = self.frame().scopes.iter().flatten().map(|variable| variable.name.as_str());
            let near = parse::suggestion(name, variables);
            self.report(left.span(), &m::ASSIGN_UNKNOWN, &[&name, &near, &name, &name]);
            // Meant to be there from now on.
            self.bind(name, Val::Unknown, true, false);
            return Val::Unknown;
        };
        let mut whole = self.frame().scopes[scope][position].value.clone();
        let (value, truths, other) = match part_of(&mut whole, path) {
            Some(before) => {
                let value = self.as_before(before, value);
                let truths = self.is_truth(before) && self.is_truth(&value);
                let other = self.type_refused(before, &value);
                (value, truths, other)
            }
            None => (value, false, None),
        };
        let variable = &mut self.frame_mut().scopes[scope][position];
        if variable.argument || !variable.mutable {
            // What follows would speak of a value that was never meant.
            variable.value = Val::Unknown;
        }
        if variable.argument {
            return self.report(left.span(), &m::ASSIGN_ARGUMENT, &[&name, &instead]);
        }
        if !variable.mutable {
            return self.report(left.span(), &m::ASSIGN_IMMUTABLE, &[&name, &name]);
        }
        if variable.axes != depth {
            // The closure is evaluated once for all of its indices.
            variable.value = Val::Unknown;
            let instead = "give the value of the closure instead";
            return self.report(span, &m::UNSUPPORTED, &[&"assigning to a variable outside the closure", &instead]);
        }
        let Some(part) = part_of(&mut variable.value, path) else { return Val::Unknown };
        let number = |value: &Val<'_>| matches!(value, Val::Tensor(_) | Val::Number(_) | Val::Dim(_));
        let same = truths
            || std::mem::discriminant(part) == std::mem::discriminant(&value)
            || number(part) && number(&value) && !(part.integer().is_some() && matches!(value, Val::Number(_)));
        match other {
            Some(OtherType::Of(before, after)) => {
                *part = Val::Unknown;
                return self.report(span, &m::ASSIGN_TYPE, &[&name, &before, &after]);
            }
            Some(OtherType::Beyond(number, dtype)) => {
                *part = Val::Unknown;
                self.no_whole(number, dtype, span);
                return Val::Unknown;
            }
            None => {}
        }
        if !same && !value.is_unknown() && !part.is_unknown() {
            let after = if matches!(value, Val::Number(_)) { "a float".to_string() } else { value.kind() };
            let before = part.kind();
            *part = Val::Unknown;
            let what = if path.is_empty() { name.to_string() } else { parse::text(left) };
            return self.report(span, &m::ASSIGN_TYPE, &[&what, &before, &after]);
        }
        *part = value;
        variable.assigned += 1;
        Val::Unit
    }

    /// The value that is assigned to what was `before`: a whole number is of its type, and a float where that is one, `let mut k = 7.0; k = 5;`.
    fn as_before(&mut self, before: &Val<'a>, value: Val<'a>) -> Val<'a> {
        match (before, value) {
            (Val::Dim(before), Val::Dim(after)) if after.ty.is_none() => Val::Dim(before.of_its_type(after.size)),
            (Val::Number(before), Val::Dim(size)) => match (size.as_constant(), before.ty) {
                (Some(whole), Some(dtype)) => Val::Number(ConstFloat::of_whole(whole, dtype)),
                (Some(whole), None) => Val::Number(ConstFloat::whole_literal(whole)),
                (None, _) => Val::Dim(size),
            },
            (Val::Tensor(_), Val::Dim(after)) if after.ty.is_none() && self.chosen_whole(before).is_none() => {
                Val::Dim(WholeNumber { ty: self.own_whole_type(before).map(Integer::Of), ..after })
            }
            // What is computed of sizes is the whole number that it is.
            (Val::Tensor(_) | Val::Dim(_), value @ Val::Tensor(_)) => {
                let dtype = match before {
                    Val::Tensor(before) => Some(self.builder.dtype(*before)).filter(|dtype| dtype.is_integer()),
                    before => before.whole_dtype(),
                };
                dtype.and_then(|dtype| self.exact_as(&value, dtype)).map_or(value, Val::Tensor)
            }
            (Val::Tuple(before), Val::Tuple(parts)) if before.len() == parts.len() => {
                Val::Tuple(before.iter().zip(parts).map(|(before, part)| self.as_before(before, part)).collect())
            }
            (Val::Option(Some(before)), Val::Option(Some(part))) => {
                Val::Option(Some(Box::new(self.as_before(before, *part))))
            }
            (Val::List(before), Val::List(parts)) if before.len() == parts.len() => {
                Val::List(before.iter().zip(parts).map(|(before, part)| self.as_before(before, part)).collect())
            }
            (_, value) => value,
        }
    }

    /// Whether a whole number in the value, also in a tuple or a list, cannot be of the type that the variable's has.
    fn type_refused(&self, before: &Val<'a>, value: &Val<'a>) -> Option<OtherType> {
        match (before, value) {
            (Val::Tuple(before), Val::Tuple(parts)) | (Val::List(before), Val::List(parts)) => {
                before.iter().zip(parts).find_map(|(before, part)| self.type_refused(before, part))
            }
            (Val::Option(Some(before)), Val::Option(Some(part))) => self.type_refused(before, part),
            (Val::Dim(_), Val::Dim(number)) => {
                let (dtype, own) = (before.whole_dtype()?, value.whole_dtype());
                if let Some(own) = own.filter(|own| *own != dtype) {
                    return Some(OtherType::Of(dtype, own));
                }
                let number = number.as_constant().filter(|number| !dtype.holds(*number));
                number.map(|number| OtherType::Beyond(number, dtype))
            }
            (Val::Tensor(_), Val::Dim(number)) => {
                let dtype = value.whole_dtype()?;
                let number = number.as_constant().filter(|number| !dtype.holds(*number));
                number.map(|number| OtherType::Beyond(number, dtype))
            }
            (Val::Dim(_), Val::Tensor(id)) if self.is_element() && self.chosen_whole(value).is_none() => {
                let (dtype, own) = (before.whole_dtype()?, self.builder.dtype(*id));
                (own != dtype).then_some(OtherType::Of(dtype, own))
            }
            _ => None,
        }
    }

    /// Whether it is a `bool` among numbers: one that is known, or one of each element.
    fn is_truth(&self, value: &Val<'a>) -> bool {
        let of_elements = self.axes.is_some() || self.elementwise;
        match value {
            Val::Tensor(id) => of_elements && self.builder.dtype(*id) == DType::Bool,
            value => of_elements && matches!(value, Val::Bool(_)),
        }
    }

    /// The variable that a place is a part of, and the way to the part; `None` where it is no such place.
    fn projections(&mut self, place: &'a Expr, path: &mut Vec<Projection>) -> Option<String> {
        match place {
            Expr::Path(path) => path.path.get_ident().map(parse::name),
            Expr::Paren(inner) => self.projections(&inner.expr, path),
            Expr::Index(index) => {
                let name = self.projections(&index.expr, path)?;
                let Val::Dim(position) = self.expr(&index.index) else { return None };
                path.push(Projection::Position(usize::try_from(position.as_constant()?).ok()?));
                Some(name)
            }
            Expr::Field(field) => {
                let name = self.projections(&field.base, path)?;
                path.push(match &field.member {
                    Member::Named(name) => Projection::Field(parse::name(name)),
                    Member::Unnamed(position) => Projection::Position(position.index as usize),
                });
                Some(name)
            }
            _ => None,
        }
    }
}

/// Whether the positions in a place are written as numbers.
fn is_fixed(place: &Expr) -> bool {
    match place {
        Expr::Path(_) => true,
        Expr::Paren(inner) => is_fixed(&inner.expr),
        Expr::Field(field) => is_fixed(&field.base),
        Expr::Index(index) => matches!(&*index.index, Expr::Lit(_)) && is_fixed(&index.expr),
        _ => false,
    }
}

/// Why a whole number cannot be assigned.
enum OtherType {
    /// The variable is of the first type, the value of the second.
    Of(DType, DType),
    /// The number is none of that type.
    Beyond(i64, DType),
}

fn part_of<'v, 'a>(value: &'v mut Val<'a>, path: &[Projection]) -> Option<&'v mut Val<'a>> {
    let Some((first, rest)) = path.split_first() else { return Some(value) };
    let part = match (value, first) {
        (Val::List(parts) | Val::Tuple(parts), Projection::Position(position)) => parts.get_mut(*position),
        (Val::Struct(_, fields), Projection::Field(name)) => {
            fields.iter_mut().find(|(own, _)| own == name).map(|(_, part)| part)
        }
        _ => None,
    };
    part_of(part?, rest)
}
