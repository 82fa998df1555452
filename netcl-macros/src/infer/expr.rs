//! The types of expressions, in the order in which rustc looks at them.

use super::Inference;
use super::types::Type;
use crate::ast::{ConstantList, Helper};
use crate::lower::{Operator, is_assignment, is_shift, operator};
use crate::parse::{self, constant, standard, text};
use std::rc::Rc;
use syn::{Expr, ExprCall, ExprClosure, Lit, UnOp};

impl Inference<'_> {
    /// The type of an expression; `cast_to` is what `as` makes of it, which a literal is of from the start.
    pub(super) fn expr(&mut self, expr: &Expr, cast_to: Option<&Type>) -> Type {
        match expr {
            Expr::Paren(inner) => self.expr(&inner.expr, cast_to),
            Expr::Group(inner) => self.expr(&inner.expr, cast_to),
            Expr::Reference(inner) => self.expr(&inner.expr, None),
            Expr::Lit(literal) => {
                let Lit::Int(number) = &literal.lit else { return self.literal(&literal.lit) };
                if !number.suffix().is_empty() {
                    return self.literal(&literal.lit);
                }
                let ty = match cast_to.filter(|to| to.is_integer()) {
                    Some(to) => to.clone(),
                    None => self.types.integer(),
                };
                self.literals.insert(std::ptr::from_ref(number), ty.clone());
                ty
            }
            Expr::Path(path) => self.path(&path.path),
            Expr::Unary(unary) => self.expr(&unary.expr, cast_to.filter(|_| !matches!(unary.op, UnOp::Deref(_)))),
            Expr::Binary(binary) => self.binary(binary),
            Expr::Assign(assign) => {
                let place = self.expr(&assign.left, None);
                let value = self.expr(&assign.right, None);
                self.types.unify(&place, &value);
                Type::UNIT
            }
            Expr::Closure(closure) => self.closure(closure),
            Expr::Tuple(tuple) => Type::Tuple(tuple.elems.iter().map(|part| self.expr(part, None)).collect()),
            Expr::Array(list) => {
                let item = self.types.any();
                for element in &list.elems {
                    let element = self.expr(element, None);
                    self.types.unify(&item, &element);
                }
                Type::list(item)
            }
            Expr::Repeat(list) => Type::list(self.expr(&list.expr, None)),
            Expr::Range(range) => {
                let item = self.types.any();
                for end in [&range.start, &range.end].into_iter().flatten() {
                    let end = self.expr(end, None);
                    self.types.unify(&item, &end);
                }
                Type::iterator(item)
            }
            Expr::Field(field) => {
                let whole = self.expr(&field.base, None);
                match (self.types.resolved(&whole), &field.member) {
                    (Type::Tuple(parts), syn::Member::Unnamed(at)) => {
                        parts.get(at.index as usize).cloned().unwrap_or(Type::Unknown)
                    }
                    _ => Type::Unknown,
                }
            }
            Expr::Index(read) => {
                let list = self.expr(&read.expr, None);
                let at = self.expr(&read.index, None);
                match (self.types.resolved(&list), self.types.resolved(&at)) {
                    (list @ Type::List(_), Type::Iterator(end)) => {
                        self.types.unify(&end, &Type::USIZE);
                        list
                    }
                    (Type::List(item), _) => {
                        self.types.unify(&at, &Type::USIZE);
                        Type::clone(&item)
                    }
                    _ => Type::Unknown,
                }
            }
            Expr::Cast(cast) => {
                let to = self.written(&cast.ty);
                self.expr(&cast.expr, Some(&to));
                to
            }
            Expr::Call(call) => self.call(call),
            Expr::MethodCall(call) => self.method(call),
            _ => self.control_flow(expr),
        }
    }

    pub(super) fn literal(&mut self, literal: &Lit) -> Type {
        match literal {
            Lit::Int(number) if number.suffix().is_empty() => self.types.integer(),
            Lit::Int(number) => Type::named(number.suffix()).unwrap_or(Type::Unknown),
            Lit::Bool(_) => Type::BOOL,
            // Which float it is decides over no whole number.
            Lit::Float(number) => Type::named(number.suffix()).unwrap_or(Type::Primitive("f32")),
            _ => Type::Unknown,
        }
    }

    fn path(&mut self, path: &syn::Path) -> Type {
        if let Some(name) = path.get_ident() {
            let name = parse::name(name);
            if let Some((_, ty)) = self.locals.iter().rfind(|(own, _)| *own == name) {
                return ty.clone();
            }
            if name == "None" {
                return Type::option(self.types.any());
            }
        }
        let constants = &self.scope.constants;
        let key = constant::key(path);
        let number = match constants.integers.get(&key) {
            Some(dtype) => Type::of(*dtype),
            None => standard::whole_type(path).map_or(Type::Unknown, Type::of),
        };
        let mut ty = number;
        let mut list = constants.lists.get(&key);
        while let Some(ConstantList::List(items)) = list {
            ty = Type::list(ty);
            list = items.first();
        }
        ty
    }

    fn binary(&mut self, binary: &syn::ExprBinary) -> Type {
        let left = self.expr(&binary.left, None);
        let right = self.expr(&binary.right, None);
        let own = operator(&binary.op);
        let value = match own {
            Some(own) if is_shift(own) => left,
            _ => self.types.joined(left, right),
        };
        match own {
            Some(Operator::Binary(_)) if is_assignment(&binary.op) => Type::UNIT,
            Some(Operator::Binary(_)) => value,
            Some(Operator::Compare(_)) | None => Type::BOOL,
        }
    }

    /// What a loop over it goes through.
    pub(super) fn item(&mut self, of: &Type) -> Type {
        match self.types.resolved(of) {
            Type::Iterator(item) | Type::List(item) | Type::Option(item) => Type::clone(&item),
            _ => Type::Unknown,
        }
    }

    /// A closure that is called with what its parameters are declared to be, or meet.
    fn closure(&mut self, closure: &ExprClosure) -> Type {
        let params: Vec<Type> = closure.inputs.iter().map(|_| self.types.any()).collect();
        self.closure_of(closure, params)
    }

    /// A closure that is called with values of these types.
    pub(super) fn closure_of(&mut self, closure: &ExprClosure, params: Vec<Type>) -> Type {
        let outside = self.locals.len();
        for (pattern, ty) in closure.inputs.iter().zip(&params) {
            self.bind(pattern, ty);
        }
        let result = match &closure.output {
            syn::ReturnType::Type(_, ty) => self.written(ty),
            syn::ReturnType::Default => self.types.any(),
        };
        self.returned.push(result.clone());
        let loops = std::mem::take(&mut self.loops);
        let value = self.expr(&closure.body, None);
        self.types.unify(&value, &result);
        self.loops = loops;
        self.returned.pop();
        self.locals.truncate(outside);
        Type::Closure(Rc::new((params, result)))
    }

    fn call(&mut self, call: &ExprCall) -> Type {
        let Expr::Path(callee) = &*call.func else {
            let callee = self.expr(&call.func, None);
            return self.called(&callee, call);
        };
        let path = &callee.path;
        let local = path.get_ident().map(parse::name);
        if let Some((_, closure)) = local.and_then(|name| self.locals.iter().rfind(|(own, _)| *own == name).cloned()) {
            return self.called(&closure, call);
        }
        if let Some(helper) = self.helper(path) {
            let (params, result) = (helper.args.iter().map(|(_, dtype)| Type::of(*dtype)).collect(), helper.result);
            return self.called(&Type::Closure(Rc::new((params, Type::of(result)))), call);
        }
        let names: Vec<String> = path.segments.iter().map(|segment| parse::name(&segment.ident)).collect();
        match names.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
            ["Some"] | ["Option", "Some"] if call.args.len() == 1 => Type::option(self.expr(&call.args[0], None)),
            [.., ty, name] if Type::named(ty).is_some() => {
                let own = Type::named(ty).unwrap_or(Type::Unknown);
                if *name == "from" {
                    call.args.iter().for_each(|arg| drop(self.expr(arg, None)));
                    return own;
                }
                match call.args.first() {
                    Some(receiver) => {
                        let receiver = self.expr(receiver, None);
                        self.types.unify(&receiver, &own);
                        self.method_of(&own, name, &mut call.args.iter().skip(1))
                    }
                    None => own,
                }
            }
            // By their names alone operations are those of elements.
            [name] | ["std" | "core", "cmp", name] => match call.args.first() {
                Some(first) => {
                    let receiver = self.expr(first, None);
                    self.method_of(&receiver, name, &mut call.args.iter().skip(1))
                }
                None => Type::Unknown,
            },
            _ => self.unknown(&mut call.args.iter()),
        }
    }

    /// The function of scalars that a path names.
    fn helper(&self, path: &syn::Path) -> Option<&Helper> {
        self.scope.helpers.get(&text(path))
    }

    /// What a call of that closure gives.
    fn called(&mut self, callee: &Type, call: &ExprCall) -> Type {
        let Type::Closure(closure) = self.types.resolved(callee) else {
            return self.unknown(&mut call.args.iter());
        };
        for (arg, ty) in call.args.iter().zip(&closure.0) {
            let arg = self.expr(arg, None);
            self.types.unify(&arg, ty);
        }
        closure.1.clone()
    }

    /// What nobody knows, of these.
    pub(super) fn unknown(&mut self, args: &mut dyn Iterator<Item = &Expr>) -> Type {
        args.for_each(|arg| drop(self.expr(arg, None)));
        Type::Unknown
    }
}
