//! Rust's iterators over what is known while compiling: ranges of numbers, lists, and arrays of layers.

use super::arith::{Operator, Places};
use super::value::WholeNumber;
use super::{Lowering, Val};
use crate::messages as m;
use crate::words;
use netcl_kernels::dim::Dim;
use netcl_kernels::graph::BinaryOp;
use proc_macro2::Span;

/// Whether it is a method of Rust's iterators that is known here.
pub(super) fn is_adapter(name: &str) -> bool {
    matches!(name, "iter" | "into_iter" | "rev" | "step_by" | "enumerate" | "zip" | "skip" | "take")
}

impl<'a> Lowering<'a> {
    /// What a loop over `receiver.name(args)` goes through; `None` where it is none of these.
    pub(super) fn iterator(&mut self, name: &str, receiver: &Val<'a>, args: &[Val<'a>]) -> Option<Val<'a>> {
        if let (Val::Place(_), "iter" | "into_iter", []) = (receiver, name, args) {
            return None;
        }
        let count = |value: &Val<'a>| match value {
            Val::Dim(dim) => dim.as_constant().and_then(|value| usize::try_from(value).ok()),
            _ => None,
        };
        let known = is_adapter(name);
        let open = |this: &Self, value: &Val<'a>| match value {
            Val::Range(start, end, _) => this.is_open(&(end.clone() - start.clone())),
            Val::Dim(size) => this.is_open(size),
            _ => false,
        };
        if known && matches!(receiver, Val::List(_) | Val::Place(_) | Val::Range(..)) {
            let all = std::iter::once(receiver).chain(args);
            if all.into_iter().any(|value| open(self, value)) {
                return Some(self.open());
            }
        }
        let items = known.then(|| self.items(receiver)).flatten()?;
        let items = match (name, args) {
            ("iter" | "into_iter", []) => items,
            ("rev", []) => items.into_iter().rev().collect(),
            ("step_by", [step]) => items.into_iter().step_by(count(step).filter(|step| *step > 0)?).collect(),
            ("skip", [some]) => items.into_iter().skip(count(some)?).collect(),
            ("take", [some]) => items.into_iter().take(count(some)?).collect(),
            ("enumerate", []) => {
                let numbered = items.into_iter().enumerate();
                numbered.map(|(position, item)| Val::Tuple(vec![Val::from(Dim::from(position)), item])).collect()
            }
            ("zip", [other]) => {
                let pairs = items.into_iter().zip(self.items(other)?);
                pairs.map(|(item, other)| Val::Tuple(vec![item, other])).collect()
            }
            _ => return None,
        };
        Some(Val::List(items))
    }

    /// What Rust's iterators give of all that they go through: the sum and the product of a list or a range, the largest and the
    /// smallest of its whole numbers.
    pub(super) fn of_all(&mut self, name: &str, receiver: &Val<'a>, args: &[Val<'a>], span: Span) -> Option<Val<'a>> {
        use BinaryOp::{Add, Max, Min, Mul};
        let op = [("sum", Add), ("product", Mul), ("max", Max), ("min", Min)].into_iter().find(|own| own.0 == name)?.1;
        if !args.is_empty() || !matches!(receiver, Val::List(_) | Val::Range(..)) {
            return None;
        }
        let items = self.items(receiver)?;
        let whole = |item: &Val<'a>| match item {
            Val::Tensor(id) => self.builder.dtype(*id).is_integer(),
            item => matches!(item, Val::Dim(_)),
        };
        let compares = matches!(op, Max | Min);
        // Floats have no order in Rust.
        if compares && !items.iter().all(whole) {
            return None;
        }
        let all = items.into_iter().reduce(|a, b| self.operate(Operator::Binary(op), name, a, b, Places::all(span)));
        Some(match (all, op) {
            (Some(Val::Unknown), _) => Val::Unknown,
            (all, Max | Min) => Val::Option(all.map(Box::new)),
            (Some(all), _) => all,
            (None, op) => Dim::constant(i64::from(op == Mul)).into(),
        })
    }

    /// What is wrong with a loop over what [`Lowering::iterator`] does not know.
    pub(super) fn no_iterator(&self, name: &str, receiver: &Val<'a>, args: &[Val<'a>], span: Span) -> Option<Val<'a>> {
        match (name, receiver, args) {
            ("step_by", Val::Range(..) | Val::List(_), [Val::Dim(step)]) if step.is(0) => {
                Some(self.report(span, &m::STEP_ZERO, &[]))
            }
            (_, Val::Range(start, end, _), _) if is_adapter(name) => {
                // What goes down has no rounds in Rust: `T - 1..0` is meant to be `0..T`.
                let down = (start.clone() - end.clone()).never_negative() && end.as_constant() != start.as_constant();
                let meant = |start: &Dim| match start.to_string().ends_with(" - 1") {
                    true => start.clone() + Dim::constant(1),
                    false => start.clone(),
                };
                let (start, end) = match down && start.as_constant().is_none() {
                    true => (end.clone(), meant(start)),
                    false => (start.clone(), end.clone()),
                };
                let range = format!("{start}..{end}");
                if self.axes.is_some() {
                    let last = end.clone() - Dim::constant(1);
                    let instead = match (name, args) {
                        ("step_by", [Val::Dim(step)]) if start.is(0) && step.as_constant() == Some(2) => {
                            let whole =
                                if end.to_string().contains(' ') { format!("({end})") } else { end.to_string() };
                            format!("write `0..({whole} + 1) / 2`, and compute the index from it: `x[n, 2 * t]`")
                        }
                        _ => {
                            format!("write `{range}`, and compute the index from it: `x[n, {last} - t]` goes backwards")
                        }
                    };
                    return Some(self.report(span, &m::KERNEL_ADAPTED, &[&name, &instead]));
                }
                let rounds = end.clone() - start.clone();
                let instead = match (name, args) {
                    ("step_by", [Val::Dim(step)]) if start.is(0) && step.as_constant().is_some_and(|step| step > 1) => {
                        let less = step.size.clone() - Dim::constant(1);
                        format!("write `0..({end} + {less}) / {step}`, and compute in the body: `x.get(0, {step} * t)`")
                    }
                    ("enumerate", _) => format!(
                        "loop over `0..{rounds}`, whose index is the number of the round, and compute in the body where in `{range}` it is"
                    ),
                    _ => format!(
                        "loop over `{range}` itself, or `({range}).rev()`, and compute in the body: `x.get(0, 2 * t)`, `y.get(0, t)`"
                    ),
                };
                Some(self.report(span, &m::LOOP_ADAPTED, &[&name, &instead]))
            }
            _ => None,
        }
    }

    /// What it goes through by itself, where it is not too long.
    pub(super) fn items(&mut self, value: &Val<'a>) -> Option<Vec<Val<'a>>> {
        match value {
            Val::List(items) => Some(items.clone()),
            Val::Tuple(items) if items.iter().all(|item| matches!(item, Val::Place(_))) => Some(items.clone()),
            Val::Place(place @ super::FieldRef::Many(..)) => Some(self.elements(place)),
            Val::Range(start, end, ty) => {
                let (start, end) = (start.as_constant()?, end.as_constant()?);
                let rounds = end.saturating_sub(start).max(0);
                let round = |value| Val::Dim(WholeNumber { size: Dim::constant(value), ty: *ty });
                (rounds <= words::MAX_ROUNDS).then(|| (start..end).map(round).collect())
            }
            _ => None,
        }
    }
}
