//! What indices reach in the rounds of folds.

use super::round::Round;
use super::{Affine, Lowering};
use netcl_kernels::dim::{Dim, Factor, Symbol};
use netcl_kernels::dtype::Literal;
use netcl_kernels::graph::{BinaryOp, NodeId, Op};

impl<'a> Lowering<'a> {
    /// Whether an index is one of a round of a fold.
    pub(super) fn counts_rounds(&self, index: &Affine) -> bool {
        self.folds.iter().any(|round| index.offset.mentions(&round.step))
    }

    /// Whether the size is never negative in the rounds of the folds around.
    pub(super) fn never_negative(&self, size: &Dim) -> bool {
        fn within(size: &Dim, folds: &[Round]) -> bool {
            if size.never_negative() {
                return true;
            }
            let Some((Round { step, last, .. }, outer)) = folds.split_last() else { return false };
            if !size.mentions(step) {
                return within(size, outer);
            }
            // It is least in the first round or in the last one; where there is none, nothing is asked of it.
            let at = |end: &Dim| within(&size.substitute(&|symbol| (symbol == step).then(|| end.clone())), outer);
            match linear(size, step) {
                Some(coefficient) if coefficient < 0 => at(last),
                Some(_) => at(&Dim::constant(1)),
                None => goes_one_way(size, step) && at(&Dim::constant(1)) && at(last),
            }
        }
        within(size, &self.folds)
    }

    /// Whether indices alone are divided in it that are no indices then: where they may be negative, sizes are rounded down and Rust's
    /// numbers are not.
    pub(super) fn divides_indices(&self, id: NodeId) -> bool {
        let divides = |op: &Op| matches!(op, Op::Binary(BinaryOp::Div | BinaryOp::Rem, ..));
        let divided = |node| match self.marks.from_indices.contains_key(&node) {
            true => Some(false),
            false => divides(&self.builder.node(node).op).then_some(true),
        };
        !self.reads_argument(id) && self.any_below(id, divided) && self.may_be_negative(id)
    }

    /// Whether what is computed from indices and sizes may be below zero, or be divided by zero, as far as its nodes tell.
    fn may_be_negative(&self, id: NodeId) -> bool {
        use BinaryOp::{Add, Div, Max, Min, Mul, Rem};
        self.any_below(id, |node| match (self.least(node), &self.builder.node(node).op) {
            (Some(least), _) => Some(!self.never_negative(&least)),
            (_, Op::Binary(Div | Rem, _, by)) => {
                let positive = |least: Dim| self.never_negative(&(least - Dim::constant(1)));
                if self.least(*by).is_some_and(positive) { None } else { Some(true) }
            }
            (_, Op::Compare(..)) => Some(false),
            (_, Op::Binary(Add | Mul | Max | Min, ..) | Op::Cast(_)) => None,
            (_, Op::Select(..) | Op::View { .. } | Op::Reshape(_) | Op::Reduce { .. }) => None,
            _ => Some(true),
        })
    }

    /// The least that a number, a size or an index is.
    fn least(&self, id: NodeId) -> Option<Dim> {
        if let Some(index) = self.marks.from_indices.get(&id) {
            return Some(index.range_within(self.axes.as_deref().unwrap_or_default(), &self.ends).0);
        }
        match &self.builder.node(id).op {
            Op::Constant(Literal::Int(number, _)) => Some(Dim::constant(*number)),
            Op::Size(size) => Some(size.clone()),
            // The same everywhere.
            Op::Cast(of) | Op::Reshape(of) | Op::View { source: of, .. } if self.builder.shape(*of).rank() == 0 => {
                self.least(*of)
            }
            _ => None,
        }
    }
}

/// How much the size grows with the symbol, where that is always as much.
pub(super) fn linear(size: &Dim, symbol: &Symbol) -> Option<i64> {
    let is = |factors: &[Factor]| matches!(factors, [Factor::Symbol(own)] if own == symbol);
    let coefficient = size.terms().find_map(|(factors, coefficient)| is(factors).then_some(coefficient))?;
    let rest = size.clone() - Dim::symbol(symbol.name()) * Dim::constant(coefficient);
    (!rest.mentions(symbol)).then_some(coefficient)
}

/// Whether the size grows with the symbol all the way, or shrinks.
fn goes_one_way(size: &Dim, symbol: &Symbol) -> bool {
    let once = |factors: &[Factor]| {
        let mut own = factors.iter().filter(|factor| factor.mentions(symbol));
        let first = own.next();
        own.next().is_none() && !matches!(first, Some(Factor::FloorDiv(dividend, _)) if !goes_one_way(dividend, symbol))
    };
    let linear = |factors: &[Factor]| {
        !factors.iter().any(|factor| matches!(factor, Factor::FloorDiv(inner, _) if inner.mentions(symbol)))
    };
    let own: Vec<&[Factor]> = size
        .terms()
        .map(|(factors, _)| factors)
        .filter(|factors| factors.iter().any(|factor| factor.mentions(symbol)))
        .collect();
    own.iter().all(|factors| once(factors)) && (own.len() == 1 || own.iter().all(|factors| linear(factors)))
}
