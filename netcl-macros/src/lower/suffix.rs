//! The types that whole numbers have which are known while compiling: by a suffix, or by what a `let` declares. The numbers themselves
//! are sizes and indices as well, of any type.

use super::arith::{Operator, is_shift, operator};
use super::value::{Integer, WholeNumber};
use super::{Lowering, Val};
use crate::messages as m;
use crate::{literal, parse};
use netcl_kernels::dim::Dim;
use netcl_kernels::dtype::{DType, Literal};
use netcl_kernels::fold;
use netcl_kernels::graph::BinaryOp;
use netcl_kernels::ops::{self, ArgKind};
use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::{Block, Expr, ExprIf, Pat, Stmt};

impl<'a> Lowering<'a> {
    /// The type that says so: of a literal by its suffix, of a variable by the `let`, of what is computed from these.
    pub(super) fn whole_type(&self, expr: &Expr) -> Option<DType> {
        match expr {
            Expr::Paren(inner) => self.whole_type(&inner.expr),
            Expr::Group(inner) => self.whole_type(&inner.expr),
            Expr::Unary(unary) if matches!(unary.op, syn::UnOp::Neg(_) | syn::UnOp::Not(_)) => {
                self.whole_type(&unary.expr)
            }
            Expr::Path(path) => {
                let Some(ident) = path.path.get_ident() else { return parse::standard::whole_type(&path.path) };
                let name = parse::name(ident);
                let variable = self.frame().scopes.iter().flatten().rev().find(|variable| variable.name == name)?;
                variable.whole.filter(|_| matches!(variable.value, Val::Dim(_) | Val::List(_)))
            }
            // The distance is of any type.
            Expr::Binary(binary) if operator(&binary.op).is_some_and(is_shift) => self.whole_type(&binary.left),
            Expr::Binary(binary) if matches!(operator(&binary.op), Some(Operator::Binary(_))) => {
                match [&binary.left, &binary.right].map(|side| (self.whole_type(side), is_number(side))) {
                    [(Some(own), _), (Some(_), _) | (None, true)] | [(None, true), (Some(own), _)] => Some(own),
                    _ => None,
                }
            }
            Expr::Block(block) => self.whole_of_block(&block.block),
            // Of all, as a list is of one type.
            Expr::Array(list) => list.elems.iter().find_map(|item| self.whole_type(item)),
            Expr::Repeat(list) => self.whole_type(&list.expr),
            Expr::Index(read) => self.whole_type(&read.expr),
            Expr::If(branch) => self.whole_of_branches(branch),
            literal => literal::whole_type(literal),
        }
    }

    /// That of the value of an `if`.
    pub(super) fn whole_of_branches(&self, branch: &ExprIf) -> Option<DType> {
        let otherwise = branch.else_branch.as_ref().and_then(|(_, otherwise)| self.whole_type(otherwise));
        self.whole_of_block(&branch.then_branch).or(otherwise)
    }

    /// That of a block's value. Which variables there are inside is not known any more, or not yet.
    fn whole_of_block(&self, block: &Block) -> Option<DType> {
        match block.stmts.as_slice() {
            [Stmt::Expr(value, None)] => self.whole_type(value),
            [.., Stmt::Expr(value, None)] => literal::whole_type(value),
            _ => None,
        }
    }

    /// Rule: a whole number with a suffix meets values of that type. Wrong: `2u32 * x`, where `x` is of `f32`. Without one it
    /// is a number of any type, and a size or an index either way.
    pub(super) fn as_suffix_says(&mut self, binary: &syn::ExprBinary, left: &Val<'a>, right: &Val<'a>) -> bool {
        let types = |whole: &Expr, value: &Val<'a>, other: &Val<'a>| match (value, other) {
            (Val::Dim(number), Val::Tensor(id)) => {
                self.whole_type(whole).map(|own| (own, self.builder.dtype(*id), number.as_constant()))
            }
            _ => None,
        };
        let (first, second, number) = match (types(&binary.left, left, right), types(&binary.right, right, left)) {
            (Some((own, other, number)), _) if own != other => (own, other, number),
            (_, Some((own, other, number))) if own != other => (other, own, number),
            _ => return true,
        };
        // Distances are of any whole type.
        let shifts = operator(&binary.op).is_some_and(is_shift);
        if shifts && first.is_integer() && second.is_integer() {
            return true;
        }
        let whole = |number| Literal::Int(number, DType::I64);
        let float = if first.is_float() { first } else { second };
        let instead = number.and_then(|number| literal::as_float(whole(number), float));
        let instead = instead.unwrap_or_else(|| literal::ONE_TYPE.to_string());
        self.report(binary.op.span(), &m::SIMT_TYPES, &[&parse::text(&binary.op), &first, &second, &instead]);
        false
    }

    /// A whole number without a type whose bits `!` or `<<` has moved, in the type of what it meets: `u & !3`, `i ^ (1 << 31)`.
    pub(super) fn bits_beside(&self, written: &Expr, value: &Val<'a>, other: &Val<'a>) -> Option<Val<'a>> {
        match other {
            Val::Tensor(id) => self.declared_bits(written, value, self.builder.dtype(*id)),
            _ => None,
        }
    }

    /// The same in the type that a `let` declares: `let low: u32 = !0 >> 8;`.
    pub(super) fn declared_bits(&self, written: &Expr, value: &Val<'a>, dtype: DType) -> Option<Val<'a>> {
        if !matches!(value, Val::Dim(number) if number.ty.is_none()) {
            return None;
        }
        match parse::constant::moved(written, dtype, &self.frame().unit.constants) {
            Some(bits) => Some(Dim::constant(bits).into()),
            None => self.bits_of(written, value, dtype),
        }
    }

    fn bits_of(&self, written: &Expr, value: &Val<'a>, dtype: DType) -> Option<Val<'a>> {
        fn moves(written: &Expr, bits: u32) -> bool {
            match parse::unparenthesized(written) {
                Expr::Unary(unary) => matches!(unary.op, syn::UnOp::Not(_)),
                Expr::Binary(binary) => match (&binary.op, parse::unparenthesized(&binary.right)) {
                    (syn::BinOp::Shl(_), Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(by), .. })) => {
                        by.base10_parse::<u32>().is_ok_and(|by| by < bits)
                    }
                    (syn::BinOp::BitAnd(_) | syn::BinOp::BitOr(_) | syn::BinOp::BitXor(_), _) => {
                        moves(&binary.left, bits) || moves(&binary.right, bits)
                    }
                    _ => false,
                },
                _ => false,
            }
        }
        let Val::Dim(number) = value else { return None };
        let bits = number.as_constant().filter(|_| number.ty.is_none() && dtype.is_integer())?;
        moves(written, 8 * dtype.size() as u32).then(|| Dim::constant(dtype.wrap(bits)).into())
    }

    /// Whole numbers that are known and of a type are computed with as elements of that type are: they wrap. Rule: both are of one type,
    /// but for the distance of a shift. Wrong: `1u32 + 1i32`. `None` of others.
    pub(super) fn of_their_type(
        &mut self,
        op: &syn::BinOp,
        (left, right): (&Expr, Option<&Expr>),
        values: (&Val<'a>, &Val<'a>),
        span: Span,
    ) -> Option<Val<'a>> {
        let (Val::Dim(a), Val::Dim(b)) = values else { return None };
        let (a, b) = (a.as_constant()?, b.as_constant()?);
        let whole = |ty: Option<DType>| ty.filter(|ty| ty.is_integer());
        let own = values.0.whole_dtype().or_else(|| whole(self.type_of_bits(left)));
        let other = values.1.whole_dtype().or_else(|| right.and_then(|right| whole(self.type_of_bits(right))));
        let operator = operator(op)?;
        let shifts = is_shift(operator);
        if let (Some(own), Some(other), false) = (own, other, shifts)
            && own != other
        {
            return Some(self.report(
                span,
                &m::SIMT_TYPES,
                &[&parse::text(op), &own, &other, &crate::literal::ONE_TYPE],
            ));
        }
        if shifts && b < 0 {
            return Some(self.no_distance(&b, right.map_or(span, Spanned::span)));
        }
        // What is none of 64 bits is an error.
        let ty = if shifts { own } else { own.or(other) }.filter(|ty| *ty != DType::I64)?;
        match operator {
            // Of quotients it is said elsewhere whether they are meant.
            Operator::Binary(BinaryOp::Div | BinaryOp::Rem) | Operator::Compare(_) => None,
            Operator::Binary(op) => match fold::binary(op, Literal::Int(a, ty), Literal::Int(b, ty))? {
                Literal::Int(value, _) => {
                    Some(Val::Dim(WholeNumber { size: Dim::constant(value), ty: Some(Integer::Of(ty)) }))
                }
                _ => None,
            },
        }
    }

    /// Rule: a number of a type that the text says stays one of it. Wrong: `2i32.pow(40)`, `-i32::MIN`.
    ///
    /// `value` is what is computed of `operand`, as `written`; `None` is a number beyond 64 bits.
    pub(super) fn overflows(&self, value: Option<i64>, operand: &Expr, written: &Expr) -> Option<Val<'a>> {
        let dtype = self.type_of_bits(operand).filter(|dtype| dtype.is_integer()).unwrap_or(DType::I64);
        literal::overflows(self.diag, value, dtype, (operand, written)).then_some(Val::Unknown)
    }

    /// The same of methods that whole numbers have.
    pub(super) fn method_overflows(
        &self,
        call: &syn::ExprMethodCall,
        name: &str,
        receiver: &Val<'a>,
        args: &[Val<'a>],
    ) -> Option<Val<'a>> {
        let Val::Dim(own) = receiver else { return None };
        let own = own.as_constant()?;
        let value = match (name, args) {
            ("pow", [Val::Dim(power)]) => {
                let power = u32::try_from(power.as_constant()?).ok()?;
                own.checked_pow(power)
            }
            ("abs", []) => own.checked_abs(),
            _ => return None,
        };
        self.overflows(value, &call.receiver, &Expr::MethodCall(call.clone()))
    }

    /// Reports a distance by which no number is shifted.
    pub(super) fn no_distance(&self, by: &dyn std::fmt::Display, place: Span) -> Val<'a> {
        let (what, last) = ("a number", i64::BITS - 1);
        let instead = format!("write a distance from 0 to {last}");
        self.report(place, &m::SHIFT_DISTANCE, &[&what, &last, by, &instead])
    }

    /// Rule: a number is shifted by less than it has bits. Wrong: `x[n] << 40` of a `u32`.
    pub(super) fn shifted_beyond(&self, binary: &syn::ExprBinary, left: &Val<'a>) -> Option<Val<'a>> {
        let dtype = match left {
            Val::Tensor(id) => Some(self.builder.dtype(*id)),
            Val::Dim(_) => left.whole_dtype().or_else(|| self.type_of_bits(&binary.left).filter(|ty| ty.is_integer())),
            Val::Plain(..) => None,
            _ => return None,
        };
        let bound = |name: &str| self.lookup(name).is_some();
        let beyond = crate::shift::beyond(&binary.op, &binary.right, dtype, &self.frame().unit.constants, bound)?;
        let crate::shift::Beyond { what, last, by, instead } = beyond;
        Some(self.report(binary.right.span(), &m::SHIFT_DISTANCE, &[&what, &last, &by, &instead]))
    }

    /// That of a whole number whose bits are moved, also where a cast says it.
    fn type_of_bits(&self, expr: &Expr) -> Option<DType> {
        match expr {
            Expr::Paren(inner) => self.type_of_bits(&inner.expr),
            Expr::Group(inner) => self.type_of_bits(&inner.expr),
            Expr::Cast(cast) => DType::from_name(&parse::text(&cast.ty)),
            Expr::Binary(binary) if operator(&binary.op).is_some_and(is_shift) => self.type_of_bits(&binary.left),
            Expr::Binary(binary) => self.type_of_bits(&binary.left).or_else(|| self.type_of_bits(&binary.right)),
            other => self.whole_type(other),
        }
    }

    /// `!` of a whole number that is known: each bit of its type is another one.
    pub(super) fn turned(&self, unary: &syn::ExprUnary, value: &Val<'a>) -> Option<Val<'a>> {
        match (&unary.op, value) {
            // Of a size there are more than are followed.
            (syn::UnOp::Not(_), Val::Dim(known)) if known.ty == Some(Integer::Size) => None,
            (syn::UnOp::Not(_), Val::Dim(known)) => {
                let own = known.ty.map(Integer::dtype);
                let said = own.or_else(|| self.type_of_bits(&unary.expr));
                let Some(number) = known.as_constant() else {
                    // All bits are turned by what is left to the number of ones alone.
                    let ones = Dim::constant(said?.wrap(!0));
                    return Some(Val::Dim(known.of_its_type(ones - known.size.clone())));
                };
                let dtype = said.unwrap_or(DType::I64);
                Some(Val::Dim(known.of_its_type(Dim::constant(dtype.wrap(!number)))))
            }
            _ => None,
        }
    }

    /// Notes what a `let` says of the types of whole numbers, also of the parts of a tuple.
    pub(super) fn note_whole(&mut self, pattern: &Pat, declared: Option<DType>, value: &Expr) {
        match pattern {
            Pat::Ident(ident) => {
                let whole = declared.filter(|dtype| dtype.is_integer()).or_else(|| self.whole_type(value));
                let name = parse::name(&ident.ident);
                if let Some(variable) = self.frame_mut().scopes.iter_mut().flatten().rev().find(|own| own.name == name)
                {
                    variable.whole = whole.or(variable.whole);
                }
            }
            Pat::Type(typed) => self.note_whole(&typed.pat, declared, value),
            Pat::Paren(inner) => self.note_whole(&inner.pat, declared, value),
            Pat::Tuple(parts) => {
                if let Expr::Tuple(values) = parse::unparenthesized(value)
                    && values.elems.len() == parts.elems.len()
                {
                    for (part, value) in parts.elems.iter().zip(&values.elems) {
                        self.note_whole(part, super::declared::of_numbers(part), value);
                    }
                }
            }
            _ => {}
        }
    }

    /// The types that whole numbers in `start`, which is composed as `value`, have by their suffixes: `(0.0, 0u32)`.
    pub(super) fn whole_types(&self, start: &Expr, value: &Val<'_>, into: &mut Vec<Option<DType>>) {
        match (parse::unparenthesized(start), value) {
            (Expr::Tuple(syn::ExprTuple { elems, .. }), Val::Tuple(values))
            | (Expr::Array(syn::ExprArray { elems, .. }), Val::List(values))
                if elems.len() == values.len() =>
            {
                elems.iter().zip(values).for_each(|(start, value)| self.whole_types(start, value, into));
            }
            (start, Val::Tuple(values) | Val::List(values)) => {
                values.iter().for_each(|value| self.whole_types(start, value, into));
            }
            (start, _) => into.push(self.whole_type(start)),
        }
    }

    /// Rule: a suffix is a type, and an operation's numbers are of that of the elements. Wrong: `x[n].max(0i32)` of `f32`.
    pub(super) fn suffixed<'e>(
        &mut self,
        name: &str,
        of: &[&Val<'a>],
        args: impl Iterator<Item = &'e Expr>,
    ) -> Option<Val<'a>> {
        let dtype = of.iter().find_map(|value| match value {
            Val::Tensor(id) => Some(self.builder.dtype(*id)),
            _ => None,
        })?;
        let kinds = ops::find(name).map_or(&[][..], |operation| &operation.args[1..]);
        let of_elements = matches!(name, "max" | "min" | "clamp" | "maximum" | "minimum");
        let numbers = |position: usize| {
            let kind = kinds.get(position).map(|arg| arg.kind);
            of_elements || matches!(kind, Some(ArgKind::Tensor | ArgKind::Scalar | ArgKind::Number))
        };
        if !of_elements && !dtype.is_float() {
            return None;
        }
        for (_, arg) in args.enumerate().filter(|(position, _)| numbers(*position)) {
            if let Some(own) = self.whole_type(arg).filter(|own| *own != dtype) {
                let instead = match parse::unparenthesized(arg) {
                    Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(number), .. }) => {
                        format!("a number without a suffix is of their type: write `{}`", number.base10_digits())
                    }
                    _ => format!("a number without a suffix is of their type; `{}` has one", parse::text(arg)),
                };
                return Some(self.report(arg.span(), &m::SUFFIX, &[&name, &dtype, &own, &instead]));
            }
        }
        None
    }

    /// Rule: both sides of a choice are of one type. Wrong: `if x[n] > 0.0 { 7i32 } else { x[n] }`.
    pub(super) fn as_branches_say(&mut self, whole: Option<DType>, value: Val<'a>, span: Span) -> Val<'a> {
        match (whole, &value) {
            (Some(own), Val::Tensor(id)) if self.builder.dtype(*id) != own => {
                let other = self.builder.dtype(*id);
                self.report(span, &m::BRANCHES, &[&own, &other])
            }
            _ => value,
        }
    }
}

/// Whether it is a whole number as it is written, of whichever type.
fn is_number(expr: &Expr) -> bool {
    matches!(parse::unparenthesized(expr), Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(_), .. }))
}
