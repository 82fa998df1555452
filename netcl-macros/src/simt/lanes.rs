//! What a value is for each work-item of the first group of a launch, in which every id is known.
//!
//! Sizes with a name are as large as need be: a kernel is for all of them, and what goes wrong for large ones goes wrong.

use netcl_kernels::dtype::{DType, Literal};
use netcl_kernels::fold;
use netcl_kernels::graph::{BinaryOp, CompareOp, UnaryOp};
use std::collections::HashSet;
use std::rc::Rc;

/// A value of one work-item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LaneValue {
    /// It is that.
    Is(Literal),
    /// A whole number that grows with the sizes.
    Large,
    /// Not known, but of no two items the same: read from a tensor where no other reads.
    Own,
    /// Anything.
    Any,
}

/// A value of all work-items of the group.
#[derive(Clone, Debug)]
pub(super) enum Lanes {
    All(LaneValue),
    Each(Rc<[LaneValue]>),
}

impl Lanes {
    pub(super) fn of(&self, item: usize) -> LaneValue {
        match self {
            Lanes::All(value) => *value,
            Lanes::Each(values) => values[item],
        }
    }

    pub(super) fn each(values: impl IntoIterator<Item = LaneValue>) -> Lanes {
        Lanes::Each(values.into_iter().collect())
    }

    pub(super) fn map(&self, of: impl Fn(LaneValue) -> LaneValue) -> Lanes {
        match self {
            Lanes::All(value) => Lanes::All(of(*value)),
            Lanes::Each(values) => Lanes::each(values.iter().map(|value| of(*value))),
        }
    }

    pub(super) fn zip(&self, other: &Lanes, of: impl Fn(LaneValue, LaneValue) -> LaneValue) -> Lanes {
        match (self, other) {
            (Lanes::All(a), other) => other.map(|b| of(*a, b)),
            (own, Lanes::All(b)) => own.map(|a| of(a, *b)),
            (Lanes::Each(a), Lanes::Each(b)) => Lanes::each(a.iter().zip(b.iter()).map(|(a, b)| of(*a, *b))),
        }
    }

    /// What is read from a tensor there.
    pub(super) fn loaded_at(&self) -> LaneValue {
        let mut seen = HashSet::new();
        match self {
            Lanes::Each(values) => {
                let apart = values.iter().all(|value| matches!(value, LaneValue::Is(index) if seen.insert(*index)));
                if apart { LaneValue::Own } else { LaneValue::Any }
            }
            Lanes::All(_) => LaneValue::Any,
        }
    }
}

impl LaneValue {
    pub(super) fn number(value: i64) -> LaneValue {
        LaneValue::Is(Literal::Int(value, DType::U32))
    }

    pub(super) fn truth(self) -> Option<bool> {
        match self {
            LaneValue::Is(Literal::Bool(value)) => Some(value),
            _ => None,
        }
    }

    pub(super) fn whole(self) -> Option<i64> {
        match self {
            LaneValue::Is(Literal::Int(value, _)) => Some(value),
            _ => None,
        }
    }

    fn is_at_least(self, least: i64) -> bool {
        self == LaneValue::Large || self.whole().is_some_and(|value| value >= least)
    }
}

impl From<Option<Literal>> for LaneValue {
    fn from(value: Option<Literal>) -> LaneValue {
        value.map_or(LaneValue::Any, LaneValue::Is)
    }
}

pub(super) fn unary(op: UnaryOp, a: LaneValue) -> LaneValue {
    match a {
        LaneValue::Is(value) => fold::unary(op, value).into(),
        LaneValue::Own if op == UnaryOp::Neg => LaneValue::Own,
        _ => LaneValue::Any,
    }
}

pub(super) fn binary(op: BinaryOp, a: LaneValue, b: LaneValue) -> LaneValue {
    match (op, a, b) {
        (_, LaneValue::Is(a), LaneValue::Is(b)) => fold::binary(op, a, b).into(),
        (BinaryOp::And, ..) if [a, b].iter().any(|side| side.truth() == Some(false)) => {
            LaneValue::Is(Literal::Bool(false))
        }
        (BinaryOp::Or, ..) if [a, b].iter().any(|side| side.truth() == Some(true)) => {
            LaneValue::Is(Literal::Bool(true))
        }
        (BinaryOp::Add | BinaryOp::Max, ..) if a.is_at_least(0) && b.is_at_least(0) => LaneValue::Large,
        (BinaryOp::Mul, ..) if a.is_at_least(1) && b.is_at_least(1) => LaneValue::Large,
        (BinaryOp::Sub | BinaryOp::Div, LaneValue::Large, LaneValue::Is(_)) if b.is_at_least(1) => LaneValue::Large,
        (BinaryOp::Sub, LaneValue::Large, LaneValue::Is(_)) if b.is_at_least(0) => LaneValue::Large,
        (BinaryOp::Min, LaneValue::Large, LaneValue::Is(_)) => b,
        (BinaryOp::Min, LaneValue::Is(_), LaneValue::Large) => a,
        // What makes one of two may make the same of them.
        (BinaryOp::Add | BinaryOp::Sub, LaneValue::Own, LaneValue::Is(_)) => LaneValue::Own,
        (BinaryOp::Add | BinaryOp::Sub, LaneValue::Is(_), LaneValue::Own) => LaneValue::Own,
        _ => LaneValue::Any,
    }
}

pub(super) fn compare(op: CompareOp, a: LaneValue, b: LaneValue) -> LaneValue {
    let answer = match (a, b) {
        (LaneValue::Is(a), LaneValue::Is(b)) => fold::compare_literals(op, a, b),
        (LaneValue::Is(_), LaneValue::Large) => matches!(op, CompareOp::Lt | CompareOp::Le | CompareOp::Ne),
        (LaneValue::Large, LaneValue::Is(_)) => matches!(op, CompareOp::Gt | CompareOp::Ge | CompareOp::Ne),
        _ => return LaneValue::Any,
    };
    LaneValue::Is(Literal::Bool(answer))
}

pub(super) fn cast(to: DType, a: LaneValue) -> LaneValue {
    match a {
        LaneValue::Is(value) => LaneValue::Is(fold::cast(value, to)),
        LaneValue::Large if to.is_integer() && to.size() >= 4 => LaneValue::Large,
        LaneValue::Own if to.size() >= 4 => LaneValue::Own,
        _ => LaneValue::Any,
    }
}
