//! The types of expressions, with inference variables, and their unification.

use netcl_kernels::dtype::DType;
use std::rc::Rc;

/// The type of an expression, as far as it is known.
#[derive(Clone)]
pub(super) enum Type {
    /// Nobody knows, and whatever it meets stays as it is.
    Unknown,
    /// Of what leaves: `return`, `break`.
    Never,
    /// An inference variable, by its position among all of them.
    Variable(usize),
    /// A number or a truth, by its name in Rust.
    Primitive(&'static str),
    Tuple(Vec<Type>),
    /// An array or a slice.
    List(Rc<Type>),
    Option(Rc<Type>),
    /// A range or another iterator, by its items.
    Iterator(Rc<Type>),
    Closure(Rc<(Vec<Type>, Type)>),
}

const INTEGERS: [&str; 12] = ["u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128", "isize"];
const OTHERS: [&str; 5] = ["f16", "bf16", "f32", "f64", "bool"];

impl Type {
    pub(super) const BOOL: Type = Type::Primitive("bool");
    pub(super) const UNIT: Type = Type::Tuple(Vec::new());
    pub(super) const USIZE: Type = Type::Primitive("usize");
    pub(super) const U32: Type = Type::Primitive("u32");

    pub(super) fn of(dtype: DType) -> Type {
        Type::named(dtype.name()).unwrap_or(Type::Unknown)
    }

    /// The primitive type of that name.
    pub(super) fn named(name: &str) -> Option<Type> {
        INTEGERS.into_iter().chain(OTHERS).find(|own| *own == name).map(Type::Primitive)
    }

    pub(super) fn list(of: Type) -> Type {
        Type::List(Rc::new(of))
    }

    pub(super) fn option(of: Type) -> Type {
        Type::Option(Rc::new(of))
    }

    pub(super) fn iterator(of: Type) -> Type {
        Type::Iterator(Rc::new(of))
    }

    pub(super) fn is_integer(&self) -> bool {
        matches!(self, Type::Primitive(name) if INTEGERS.contains(name))
    }
}

/// What the inference variables stand for.
#[derive(Default)]
pub(super) struct Substitutions(Vec<Variable>);

#[derive(Clone)]
enum Variable {
    /// Of a literal: nothing but an integer.
    Integer,
    Any,
    Is(Type),
}

impl Substitutions {
    pub(super) fn any(&mut self) -> Type {
        self.variable(Variable::Any)
    }

    /// The type of a whole number without a suffix.
    pub(super) fn integer(&mut self) -> Type {
        self.variable(Variable::Integer)
    }

    fn variable(&mut self, variable: Variable) -> Type {
        self.0.push(variable);
        Type::Variable(self.0.len() - 1)
    }

    /// What the type is, as far as that is known now: at its head, while its parts may be variables that stand for something.
    pub(super) fn resolved(&self, ty: &Type) -> Type {
        let mut ty = ty.clone();
        while let Type::Variable(own) = ty {
            match &self.0[own] {
                Variable::Is(other) => ty = other.clone(),
                Variable::Integer | Variable::Any => break,
            }
        }
        ty
    }

    /// Whether it is an integer, of a type that may not be known yet.
    pub(super) fn is_integer(&self, ty: &Type) -> bool {
        match self.resolved(ty) {
            Type::Variable(own) => matches!(self.0[own], Variable::Integer),
            ty => ty.is_integer(),
        }
    }

    /// Makes both the same type. Where they cannot be, rustc says so: nothing follows for either.
    pub(super) fn unify(&mut self, one: &Type, other: &Type) {
        match (self.resolved(one), self.resolved(other)) {
            (Type::Unknown | Type::Never, _) | (_, Type::Unknown | Type::Never) => {}
            (Type::Variable(one), Type::Variable(other)) if one == other => {}
            (Type::Variable(own), Type::Variable(other)) => match self.0[own] {
                Variable::Integer => self.0[other] = Variable::Is(Type::Variable(own)),
                _ => self.0[own] = Variable::Is(Type::Variable(other)),
            },
            (Type::Variable(own), ty) | (ty, Type::Variable(own)) => {
                let fits = match self.0[own] {
                    Variable::Integer => ty.is_integer(),
                    _ => !self.contains(&ty, own),
                };
                if fits {
                    self.0[own] = Variable::Is(ty);
                }
            }
            (Type::Tuple(one), Type::Tuple(other)) => {
                one.iter().zip(&other).for_each(|(one, other)| self.unify(one, other));
            }
            (Type::List(one), Type::List(other))
            | (Type::Option(one), Type::Option(other))
            | (Type::Iterator(one), Type::Iterator(other)) => self.unify(&one, &other),
            (Type::Closure(one), Type::Closure(other)) => {
                one.0.iter().zip(&other.0).for_each(|(one, other)| self.unify(one, other));
                self.unify(&one.1, &other.1);
            }
            _ => {}
        }
    }

    /// The type of two branches: that of the other where one leaves.
    pub(super) fn joined(&mut self, one: Type, other: Type) -> Type {
        self.unify(&one, &other);
        match self.resolved(&one) {
            Type::Never | Type::Unknown => other,
            _ => one,
        }
    }

    /// Whether the variable is a part of the type.
    fn contains(&self, ty: &Type, variable: usize) -> bool {
        match self.resolved(ty) {
            Type::Variable(own) => own == variable,
            Type::Tuple(parts) => parts.iter().any(|part| self.contains(part, variable)),
            Type::List(of) | Type::Option(of) | Type::Iterator(of) => self.contains(&of, variable),
            Type::Closure(of) => of.0.iter().chain([&of.1]).any(|part| self.contains(part, variable)),
            Type::Unknown | Type::Never | Type::Primitive(_) => false,
        }
    }
}
