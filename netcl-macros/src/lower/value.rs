//! What an expression is worth while a function is compiled.

use crate::ast::{Constant, ConstantList, FieldKind, LayerField, PlainType, Unit};
use crate::lower::{Affine, Sizes};
use crate::number::ConstFloat;
use crate::parts::Declared;
use netcl_kernels::dim::Dim;
use netcl_kernels::dtype::DType;
use netcl_kernels::graph::NodeId;
use netcl_kernels::ops;
use proc_macro2::TokenStream;
use std::rc::Rc;
use syn::ExprClosure;

/// A part of the model that a `self.field` names.
#[derive(Clone)]
pub(crate) enum FieldRef<'a> {
    /// The model itself or a nested one, with its path (`""` or `block.`) and its sizes.
    Model(&'a Unit, String, Rc<Sizes>),
    /// A layer: its field's name and path (`block.hidden`), and the sizes of its model.
    Layer(&'a LayerField, String, String, Rc<Sizes>),
    /// An array of layers or models: the unit that names nested models, its field's name and path, the unit's sizes.
    Many(&'a Unit, &'a FieldKind, usize, String, String, Rc<Sizes>),
}

/// What is known of which struct a value is.
#[derive(Clone)]
pub(crate) struct StructName {
    /// The path by which it is called where it was made or passed.
    pub(crate) path: Rc<syn::Path>,
    /// What tells it from all others, where its declaration is known.
    pub(super) identity: Option<u64>,
}

impl StructName {
    /// Whether it is that one, as far as can be known here.
    pub(super) fn may_be(&self, declared: &Declared) -> bool {
        self.identity.is_none_or(|own| own == declared.identity)
    }
}

impl std::fmt::Display for StructName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&crate::parse::text(&*self.path))
    }
}

/// A value.
#[derive(Clone)]
pub(crate) enum Val<'a> {
    Tensor(NodeId),
    /// A whole number or a size: integer literals, integer constants, symbols and arithmetic on them.
    Dim(WholeNumber),
    Number(ConstFloat),
    Bool(bool),
    DType(DType),
    /// An argument of an operation that takes a text.
    Text(String),
    List(Vec<Val<'a>>),
    Tuple(Vec<Val<'a>>),
    /// A list into which a loop over a symbolic range has pushed one tensor in each round: along a first axis.
    Stack(NodeId),
    /// Known when the function is called: the Rust expression over plain arguments.
    Plain(TokenStream, PlainType),
    Place(FieldRef<'a>),
    /// From the one to before the other, which have the type that Rust has for them, where something says one.
    Range(Dim, Dim, Option<Integer>),
    Index(Affine),
    /// `Some(x)` or `None`.
    Option(Option<Box<Val<'a>>>),
    /// A variant of a user's enum: the enum's and its own name.
    Variant(String, String),
    /// A struct of the user's, and its fields.
    Struct(StructName, Vec<(String, Val<'a>)>),
    /// A function that a body has written and calls.
    Closure(Rc<Closure<'a>>),
    /// The value of a statement.
    Unit,
    /// Something is wrong with it; said already.
    Unknown,
}

/// A variable.
#[derive(Clone)]
pub(super) struct LocalVar<'a> {
    pub(super) name: String,
    pub(super) value: Val<'a>,
    pub(super) mutable: bool,
    pub(super) argument: bool,
    /// How many index axes there were when it was bound.
    pub(super) axes: usize,
    /// How often it was assigned.
    pub(super) assigned: usize,
    /// Of a whole number that is known while compiling: the type that its `let` says.
    pub(super) whole: Option<DType>,
    /// A loop whose rounds nobody knows is pushing into the list that it is.
    pub(super) filling: bool,
    /// Its value is of one kind whatever the numbers are: see [`Lowering::is_certain`](super::Lowering::is_certain).
    pub(super) fixed: bool,
}

/// The type of the distance of two numbers of a type.
pub(super) fn unsigned(dtype: DType) -> DType {
    if dtype == DType::I32 { DType::U32 } else { dtype }
}

/// A closure, and the variables that it sees: those of where it stands, as they are there.
pub(crate) struct Closure<'a> {
    pub(super) written: &'a ExprClosure,
    pub(super) scopes: Vec<Vec<LocalVar<'a>>>,
}

impl<'a> Val<'a> {
    /// A struct of these fields, in the order of their names, whatever order they are written in: values of one type have one form.
    pub(super) fn of_fields(name: StructName, mut fields: Vec<(String, Val<'a>)>) -> Val<'a> {
        fields.sort_by(|(one, _), (other, _)| one.cmp(other));
        Val::Struct(name, fields)
    }

    /// Whether it is a whole number of a type that has numbers below zero.
    pub(super) fn is_signed(&self) -> bool {
        self.whole_dtype().is_some_and(|dtype| dtype.holds(-1))
    }

    /// What it is, for messages.
    pub(crate) fn kind(&self) -> String {
        match self {
            Val::Tensor(_) => "a tensor".into(),
            Val::Dim(dim) if dim.as_constant().is_some() => "an integer".into(),
            Val::Dim(_) => "a size".into(),
            Val::Number(_) => "a number".into(),
            Val::Bool(_) => "a bool".into(),
            Val::DType(_) => "an element type".into(),
            Val::Text(_) => "a text".into(),
            Val::List(parts) => format!("a list of {}", parts.len()),
            Val::Tuple(parts) => format!("a tuple of {}", parts.len()),
            Val::Plain(_, PlainType::Enum) => "an enum".into(),
            Val::Stack(_) => "a list of a tensor for each round".into(),
            Val::Plain(_, ty) => format!("a plain `{}`", ty.name()),
            Val::Place(FieldRef::Model(..)) => "a model".into(),
            Val::Place(FieldRef::Layer(..)) => "a layer".into(),
            Val::Place(FieldRef::Many(_, FieldKind::Model(_), ..)) => "an array of models".into(),
            Val::Place(FieldRef::Many(_, FieldKind::Tensor(_), ..)) => "an array of tensors".into(),
            Val::Place(FieldRef::Many(..)) => "an array of layers".into(),
            Val::Range(..) => "a range".into(),
            Val::Index(_) => "an index".into(),
            Val::Option(_) => "an `Option`".into(),
            Val::Variant(ty, _) => format!("a `{ty}`"),
            Val::Closure(_) => "a closure".into(),
            Val::Struct(name, _) => format!("a `{name}`"),
            Val::Unit => "nothing".into(),
            Val::Unknown => "something unknown".into(),
        }
    }

    /// The value of a constant whose whole numbers are declared to be of that type.
    pub(super) fn declared(self, dtype: Option<DType>) -> Val<'a> {
        match (self, dtype) {
            (Val::Dim(number), Some(dtype)) => Val::Dim(WholeNumber { ty: Some(Integer::Of(dtype)), ..number }),
            (Val::List(items), Some(_)) => Val::List(items.into_iter().map(|item| item.declared(dtype)).collect()),
            (value, _) => value,
        }
    }

    /// The type that Rust has for the whole number, where something says one.
    pub(super) fn integer(&self) -> Option<Integer> {
        match self {
            Val::Dim(whole) => whole.ty,
            _ => None,
        }
    }

    /// The type of elements that the whole number is of, where something says one.
    pub(super) fn whole_dtype(&self) -> Option<DType> {
        match self.integer() {
            Some(Integer::Of(dtype)) => Some(dtype),
            _ => None,
        }
    }

    /// How many values there are in it, an empty list being one.
    pub(crate) fn elements(&self) -> usize {
        match self {
            Val::List(items) | Val::Tuple(items) if !items.is_empty() => items.iter().map(Val::elements).sum(),
            _ => 1,
        }
    }

    /// The same with other tensors in it.
    pub(super) fn map_tensors(self, map: &mut dyn FnMut(NodeId) -> NodeId) -> Val<'a> {
        match self {
            Val::Tensor(id) => Val::Tensor(map(id)),
            Val::List(items) => Val::List(items.into_iter().map(|item| item.map_tensors(map)).collect()),
            Val::Tuple(items) => Val::Tuple(items.into_iter().map(|item| item.map_tensors(map)).collect()),
            Val::Option(Some(inner)) => Val::Option(Some(Box::new(inner.map_tensors(map)))),
            Val::Struct(of, fields) => {
                Val::Struct(of, fields.into_iter().map(|(name, value)| (name, value.map_tensors(map))).collect())
            }
            other => other,
        }
    }

    pub(crate) fn is_unknown(&self) -> bool {
        match self {
            Val::Unknown => true,
            Val::List(items) | Val::Tuple(items) => items.iter().any(Val::is_unknown),
            Val::Option(Some(inner)) => inner.is_unknown(),
            Val::Struct(_, fields) => fields.iter().any(|(_, value)| value.is_unknown()),
            _ => false,
        }
    }

    /// As an argument of an operation, where it can be one.
    pub(crate) fn operand(&self) -> Option<ops::Value> {
        Some(match self {
            Val::Tensor(id) => ops::Value::Tensor(*id),
            Val::Dim(dim) => ops::Value::Dim(dim.size.clone()),
            Val::Number(number) => ops::Value::Number(number.value),
            Val::Bool(value) => ops::Value::Bool(*value),
            Val::Text(text) => ops::Value::Text(text.clone()),
            Val::DType(dtype) => ops::Value::Dim(Dim::from(DType::ALL.iter().position(|known| known == dtype)?)),
            Val::List(items) | Val::Tuple(items) => {
                ops::Value::List(items.iter().map(Val::operand).collect::<Option<_>>()?)
            }
            _ => return None,
        })
    }
}

/// A whole number, of which sizes are made, and the type that it has in Rust where something says one: a suffix, a `let`, `as`. Without
/// one it is of the type of what it meets.
#[derive(Clone, Debug)]
pub(crate) struct WholeNumber {
    pub(super) size: Dim,
    pub(super) ty: Option<Integer>,
}

impl WholeNumber {
    /// What is computed of the two: of a size and a number of whichever type a size.
    pub(super) fn with(&self, other: &WholeNumber, size: Dim) -> WholeNumber {
        WholeNumber { size, ty: self.type_with(other) }
    }

    /// The type of what is computed of the two.
    pub(super) fn type_with(&self, other: &WholeNumber) -> Option<Integer> {
        let is_size = |of: &WholeNumber| of.size.as_constant().is_none() && of.ty.is_none_or(|ty| ty == Integer::Size);
        match [self, other].into_iter().find(|of| is_size(of)) {
            Some(size) => size.ty,
            None => self.ty.or(other.ty),
        }
    }

    /// The number that it is in its type, in which it goes round.
    pub(super) fn wrapped(self) -> WholeNumber {
        match (self.size.as_constant(), self.ty) {
            (Some(number), Some(Integer::Of(dtype))) => WholeNumber { size: Dim::constant(dtype.wrap(number)), ..self },
            _ => self,
        }
    }

    /// What is computed of this one.
    pub(super) fn of_its_type(&self, size: Dim) -> WholeNumber {
        WholeNumber { size, ty: self.ty }
    }
}

impl From<Dim> for WholeNumber {
    fn from(size: Dim) -> WholeNumber {
        WholeNumber { size, ty: None }
    }
}

impl std::ops::Deref for WholeNumber {
    type Target = Dim;
    fn deref(&self) -> &Dim {
        &self.size
    }
}

impl std::fmt::Display for WholeNumber {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.size.fmt(f)
    }
}

impl<'a> From<Dim> for Val<'a> {
    fn from(size: Dim) -> Val<'a> {
        Val::Dim(size.into())
    }
}

/// The type of a whole number in Rust.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Integer {
    Of(DType),
    /// `usize`: a size, which is never negative.
    Size,
}

/// How a whole number that a branch or an index has [chosen](super::chosen_whole) is held by the elements' type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ChosenWhole {
    /// As it is in Rust.
    Held,
    /// Perhaps as another number, which goes round where Rust's does not: below zero in `u32`, beyond 255 in `u8`.
    Wrapped,
}

impl From<&ConstantList> for Val<'_> {
    fn from(list: &ConstantList) -> Self {
        match list {
            ConstantList::Number(number) => (*number).into(),
            ConstantList::List(items) => Val::List(items.iter().map(Val::from).collect()),
        }
    }
}

impl From<Constant> for Val<'_> {
    fn from(constant: Constant) -> Self {
        match constant {
            Constant::Integer(value) => Dim::constant(value).into(),
            Constant::Float(number) => Val::Number(number),
            Constant::Bool(value) => Val::Bool(value),
        }
    }
}
