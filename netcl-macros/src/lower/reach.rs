//! What indices reach in the rounds of folds.

use super::round::Round;
use super::{Affine, Lowering};
use netcl_kernels::dim::{Dim, Factor, Symbol};

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
            let Some((Round { step, last }, outer)) = folds.split_last() else { return false };
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
}

/// How much the size grows with the symbol, where that is always as much.
fn linear(size: &Dim, symbol: &Symbol) -> Option<i64> {
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
