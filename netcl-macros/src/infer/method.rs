//! The types that methods of numbers, options, lists and iterators give, and those of their arguments.

use super::Inference;
use super::types::Type;
use syn::{Expr, ExprMethodCall};

impl Inference<'_> {
    /// `x.name(..)`.
    pub(super) fn method(&mut self, call: &ExprMethodCall) -> Type {
        let receiver = self.expr(&call.receiver, None);
        let name = crate::parse::name(&call.method);
        let given = call.turbofish.as_ref().and_then(|given| match given.args.first() {
            Some(syn::GenericArgument::Type(ty)) => Some(ty),
            _ => None,
        });
        let value = self.method_of(&receiver, &name, &mut call.args.iter());
        if let Some(given) = given {
            let given = self.written(given);
            self.types.unify(&value, &given);
        }
        value
    }

    /// What a method of `receiver` gives for these arguments.
    pub(super) fn method_of(&mut self, receiver: &Type, name: &str, args: &mut dyn Iterator<Item = &Expr>) -> Type {
        if matches!(name, "clone" | "copied" | "cloned" | "to_owned" | "to_vec" | "as_slice" | "by_ref") {
            return receiver.clone();
        }
        match self.types.resolved(receiver) {
            Type::List(item) | Type::Iterator(item) => {
                let of_list = matches!(self.types.resolved(receiver), Type::List(_));
                self.method_of_items(&item, of_list, name, args)
            }
            Type::Option(inner) => self.method_of_option(&inner, name, args),
            Type::Primitive("bool") => self.method_of_truth(name, args),
            own @ (Type::Primitive(_) | Type::Variable(_)) => self.method_of_number(&own, name, args),
            _ => self.unknown(args),
        }
    }

    /// Evaluates all arguments as values of that type.
    fn all_of(&mut self, ty: &Type, args: &mut dyn Iterator<Item = &Expr>) {
        for arg in args {
            let arg = self.expr(arg, None);
            self.types.unify(&arg, ty);
        }
    }

    fn method_of_number(&mut self, own: &Type, name: &str, args: &mut dyn Iterator<Item = &Expr>) -> Type {
        let is_integer = self.types.is_integer(own);
        match name {
            // A literal is an exponent as it is.
            "pow" if is_integer => {
                self.all_of(&Type::U32, &mut args.filter(|arg| !matches!(arg, Expr::Lit(_))));
                own.clone()
            }
            "powi" => {
                self.all_of(&Type::Primitive("i32"), args);
                own.clone()
            }
            "abs_diff" if is_integer => {
                self.all_of(own, args);
                match self.types.resolved(own) {
                    Type::Primitive("i32") => Type::U32,
                    Type::Primitive("u8" | "u32" | "usize") => own.clone(),
                    _ => Type::Unknown,
                }
            }
            "min" | "max" | "clamp" | "rem_euclid" | "div_euclid" | "abs" | "signum" | "saturating_sub"
            | "next_multiple_of" | "div_ceil" => {
                self.all_of(own, args);
                own.clone()
            }
            name if name.starts_with("is_") => Type::BOOL,
            // Those of floats give floats of the same type.
            _ if matches!(own, Type::Primitive("f32" | "f64" | "f16" | "bf16")) => {
                args.for_each(|arg| drop(self.expr(arg, None)));
                own.clone()
            }
            _ => self.unknown(args),
        }
    }

    fn method_of_truth(&mut self, name: &str, args: &mut dyn Iterator<Item = &Expr>) -> Type {
        match name {
            "then_some" => Type::option(self.next(args)),
            "then" => {
                let given = self.next(args);
                Type::option(self.result(&given))
            }
            "select" => {
                let (one, other) = (self.next(args), self.next(args));
                self.types.joined(one, other)
            }
            _ => self.unknown(args),
        }
    }

    fn method_of_option(&mut self, inner: &Type, name: &str, args: &mut dyn Iterator<Item = &Expr>) -> Type {
        match name {
            "unwrap" | "expect" | "unwrap_or_default" => {
                args.for_each(|arg| drop(self.expr(arg, None)));
                inner.clone()
            }
            "unwrap_or" => {
                self.all_of(inner, args);
                inner.clone()
            }
            "unwrap_or_else" => {
                let otherwise = self.next(args);
                let otherwise = self.result(&otherwise);
                self.types.joined(inner.clone(), otherwise)
            }
            "is_some" | "is_none" => Type::BOOL,
            "map" => Type::option(self.next_of(vec![inner.clone()], args)),
            "and_then" => self.next_of(vec![inner.clone()], args),
            "is_some_and" | "is_none_or" => {
                self.next_of(vec![inner.clone()], args);
                Type::BOOL
            }
            "map_or" => {
                let otherwise = self.next(args);
                let value = self.next_of(vec![inner.clone()], args);
                self.types.joined(otherwise, value)
            }
            "or" | "filter" => {
                match name {
                    "or" => self.all_of(&Type::option(inner.clone()), args),
                    _ => drop(self.next_of(vec![inner.clone()], args)),
                }
                Type::option(inner.clone())
            }
            "iter" | "into_iter" => Type::iterator(inner.clone()),
            _ => self.unknown(args),
        }
    }

    fn method_of_items(
        &mut self,
        item: &Type,
        of_list: bool,
        name: &str,
        args: &mut dyn Iterator<Item = &Expr>,
    ) -> Type {
        let with = |item: Type| if of_list { Type::list(item) } else { Type::iterator(item) };
        match name {
            "iter" | "into_iter" | "rev" | "peekable" => Type::iterator(item.clone()),
            "step_by" | "skip" | "take" => {
                self.all_of(&Type::USIZE, args);
                Type::iterator(item.clone())
            }
            "enumerate" => Type::iterator(Type::Tuple(vec![Type::USIZE, item.clone()])),
            "zip" => {
                let other = self.next(args);
                Type::iterator(Type::Tuple(vec![item.clone(), self.item(&other)]))
            }
            "chain" => {
                let other = self.next(args);
                let other = self.item(&other);
                self.types.unify(item, &other);
                Type::iterator(item.clone())
            }
            "map" => with(self.next_of(vec![item.clone()], args)),
            "filter" | "take_while" | "skip_while" => {
                self.next_of(vec![item.clone()], args);
                Type::iterator(item.clone())
            }
            "any" | "all" => {
                self.next_of(vec![item.clone()], args);
                Type::BOOL
            }
            "position" => {
                self.next_of(vec![item.clone()], args);
                Type::option(Type::USIZE)
            }
            "fold" => {
                let start = self.next(args);
                let value = self.next_of(vec![start.clone(), item.clone()], args);
                self.types.joined(start, value)
            }
            "sum" | "product" => item.clone(),
            "max" | "min" | "first" | "last" | "next" => Type::option(item.clone()),
            "get" | "nth" => {
                self.all_of(&Type::USIZE, args);
                Type::option(item.clone())
            }
            "len" | "count" => Type::USIZE,
            "contains" => {
                self.all_of(item, args);
                Type::BOOL
            }
            "windows" | "chunks" | "chunks_exact" => {
                self.all_of(&Type::USIZE, args);
                Type::iterator(Type::list(item.clone()))
            }
            _ => self.unknown(args),
        }
    }

    /// The type of the next argument.
    fn next(&mut self, args: &mut dyn Iterator<Item = &Expr>) -> Type {
        args.next().map_or(Type::Unknown, |arg| self.expr(arg, None))
    }

    /// What the next argument gives, a closure that is called with values of these types.
    fn next_of(&mut self, params: Vec<Type>, args: &mut dyn Iterator<Item = &Expr>) -> Type {
        let closure = match args.next() {
            Some(Expr::Closure(closure)) => self.closure_of(closure, params),
            Some(other) => self.expr(other, None),
            None => Type::Unknown,
        };
        self.result(&closure)
    }

    /// What a closure gives.
    fn result(&self, closure: &Type) -> Type {
        match self.types.resolved(closure) {
            Type::Closure(closure) => closure.1.clone(),
            _ => Type::Unknown,
        }
    }
}
