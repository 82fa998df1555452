//! Where a size is least among all values of one of its symbols.

use crate::dim::{Dim, Factor, Symbol};

/// How a size follows a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trend {
    /// It is never less for more.
    Grows,
    /// It is never more for more.
    Shrinks,
    /// One of both: on a straight line.
    Straight,
}

impl Dim {
    /// How the size follows the symbol, which is at least 1, as all others are; `None` where its terms do not tell.
    pub(crate) fn trend(&self, symbol: &Symbol) -> Option<Trend> {
        let with = || self.terms().filter(|(factors, _)| factors.iter().any(|factor| factor.mentions(symbol)));
        let grow = with().all(|(factors, _)| factors.iter().all(|factor| factor.grows(symbol, factors.len() == 1)));
        if grow && with().all(|(_, coefficient)| coefficient > 0) {
            return Some(Trend::Grows);
        }
        if grow && with().all(|(_, coefficient)| coefficient < 0) {
            return Some(Trend::Shrinks);
        }
        let once = |factors: &[Factor]| {
            let mut all = factors.iter().filter(|factor| factor.mentions(symbol));
            matches!((all.next(), all.next()), (Some(Factor::Symbol(_)), None))
        };
        with().all(|(factors, _)| once(factors)).then_some(Trend::Straight)
    }
}

impl Factor {
    /// Whether it is never less for more of the symbol; beside others in a product, which are so too, it is not negative.
    fn grows(&self, symbol: &Symbol, alone: bool) -> bool {
        match self {
            Factor::Symbol(_) => true,
            Factor::FloorDiv(dividend, _) => {
                let follows = !self.mentions(symbol) || dividend.trend(symbol) == Some(Trend::Grows);
                follows && (alone || dividend.never_negative())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_follow_a_symbol() {
        let (t, n) = (Dim::symbol("t"), Dim::symbol("N"));
        let of = |dim: Dim| dim.trend(&Symbol::new("t"));
        assert_eq!(of(t.clone() * n.clone() - n.clone()), Some(Trend::Grows));
        assert_eq!(of(n.clone() - t.clone() * t.clone()), Some(Trend::Shrinks));
        assert_eq!(of(n.clone() * t.clone() - t.clone()), Some(Trend::Straight));
        assert_eq!(of(t.floor_div(2) * n.clone() + t.clone()), Some(Trend::Grows));
        assert_eq!(of((n.clone() - t.clone()).floor_div(2)), None);
        // More of what is negative is less.
        let m = Dim::symbol("M");
        assert_eq!(of((t.clone() - m.clone()).floor_div(2) * t.clone()), None);
        assert_eq!(of((t.clone() - m).floor_div(2) + n), Some(Trend::Grows));
        assert_eq!(of(t.clone() * t.clone() - t), None);
    }
}
