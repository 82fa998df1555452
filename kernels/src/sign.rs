//! What is known of a size whose symbols are not: that it is never negative.

use crate::dim::{Dim, Factor};
use std::collections::BTreeSet;

impl Dim {
    /// Whether the value is at least zero whatever its symbols (which are at least 1) are; may say no too often.
    pub fn never_negative(&self) -> bool {
        if let Some(number) = self.as_constant() {
            return number >= 0;
        }
        let shown = |bound: &Dim| bound.shows_its_sign().unwrap_or_else(|| bound.never_negative_from_few());
        shown(self) || self.bounds().any(|bound| shown(&bound))
    }

    /// Whether the value is at least zero wherever `other` is; may say no too often.
    pub(crate) fn never_negative_beside(&self, other: &Dim) -> bool {
        let follows = |bound: Dim| (bound - other.clone()).never_negative();
        follows(self.clone()) || self.bounds().any(follows)
    }

    /// Whether the value is at least zero, where its terms alone tell.
    fn shows_its_sign(&self) -> Option<bool> {
        // Every symbol is at least 1: a sum of non-negative coefficients reaches its minimum with all symbols 1. A quotient may be
        // of what is negative.
        let whole = |factor: &Factor| match factor {
            Factor::Symbol(_) => true,
            Factor::FloorDiv(dividend, _) => dividend.never_negative(),
        };
        if self.terms().all(|(factors, c)| c >= 0 && factors.iter().all(whole)) {
            return Some(true);
        }
        let plain = self.terms().all(|(factors, c)| {
            factors.is_empty() || (c > 0 && factors.iter().all(|f| matches!(f, Factor::Symbol(_))))
        });
        plain.then(|| self.terms().map(|(_, c)| i128::from(c)).sum::<i128>() >= 0)
    }

    /// Multiples of what is never more than `self`, each without the outermost quotients of the one before it. They end, since
    /// quotients are in one another so often only, and none comes anew.
    fn bounds(&self) -> impl Iterator<Item = Dim> {
        std::iter::successors(self.without_quotients(), Dim::without_quotients)
    }

    /// A multiple of what is never more than `self`, without quotients of its own; `None` if it has none.
    fn without_quotients(&self) -> Option<Dim> {
        /// Multiples beyond this are not looked at: products stay far from overflowing.
        const MOST: u64 = 1 << 16;
        let quotients = self.terms().filter_map(|(factors, _)| match factors {
            [Factor::FloorDiv(_, divisor)] => Some(*divisor),
            _ => None,
        });
        let mut scale = None;
        for divisor in quotients {
            let known = scale.unwrap_or(1);
            let common = (known / gcd(known.into(), divisor.into()) as u64)
                .checked_mul(divisor)
                .filter(|common| *common <= MOST)?;
            scale = Some(common);
        }
        let scale = scale? as i64;
        let mut bound = Dim::default();
        for (factors, c) in self.terms() {
            bound = bound
                + match factors {
                    // x - (d - 1) ≤ d·floor(x/d) ≤ x
                    [Factor::FloorDiv(dividend, divisor)] => {
                        let rest = if c < 0 { 0 } else { *divisor as i64 - 1 };
                        ((**dividend).clone() - Dim::constant(rest))
                            * Dim::constant(c.saturating_mul(scale / *divisor as i64))
                    }
                    _ => Dim::term(factors.to_vec(), c.saturating_mul(scale)),
                };
        }
        Some(bound)
    }

    /// Where one symbol decides a quotient: whether its smallest values show it, and the bound of quotients the others.
    fn never_negative_from_few(&self) -> bool {
        /// How many values are looked at one by one.
        const FEW: u64 = 8;
        let mut symbols = BTreeSet::new();
        self.visit_symbols(&mut |symbol| symbols.extend([symbol.clone()]));
        let (Some(symbol), 1) = (symbols.first(), symbols.len()) else { return false };
        let at = |value| self.evaluate(&[(symbol.clone(), value)]).is_some_and(|size| size >= 0);
        let beyond = self.substitute(&|symbol| Some(Dim::symbol(symbol.name()) + Dim::constant(FEW as i64)));
        // Here are no few values looked at once more: products of quotients that are moved have quotients of their own again, so
        // that there would always be some.
        let shown = |bound: Dim| bound.shows_its_sign().unwrap_or(false);
        (1..=FEW).all(at) && beyond.bounds().any(shown)
    }
}

/// The greatest common divisor; of 0 and a number, the number.
pub(crate) fn gcd(a: i128, b: i128) -> i128 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotients_are_bounded() {
        let (n, m) = (Dim::symbol("N"), Dim::symbol("M"));
        let never = |dim: Dim| assert!(dim.never_negative(), "{dim}");
        never(n.clone() - n.ceil_div(2));
        never(n.clone() - n.floor_div(3));
        never(n.clone() * m.clone() - (n.clone() * m.clone()).ceil_div(7));
        never(n.floor_div(2) + Dim::from(1) - n.ceil_div(2));
        never(n.ceil_div(2) - n.floor_div(2));
        never(n.clone() - n.ceil_div(2).ceil_div(2));
        never((n.clone() - Dim::from(3)).floor_div(2) + Dim::from(1));
        // Beyond the smallest values quotients are far enough away.
        never(n.clone() - n.floor_div(2) - Dim::from(1) + n.floor_div(1000));
        never(n.clone() - (n.clone() + Dim::from(2)).floor_div(2));
    }

    #[test]
    fn what_may_be_negative_is_found() {
        let (n, m) = (Dim::symbol("N"), Dim::symbol("M"));
        for dim in [
            n.floor_div(2) - Dim::from(1),
            n.clone() - m.ceil_div(2),
            n.ceil_div(2) - n.clone(),
            n.clone() - n.floor_div(2) - Dim::from(2),
            n.clone() - (n.clone() + Dim::from(3)).floor_div(2),
            n.floor_div(1 << 40) - m.clone(),
            // Quotients of what may be negative.
            (n.clone() - Dim::from(6)).floor_div(2),
            (n.clone() - m.clone()).floor_div(2),
            (n.clone() - m.clone()).floor_div(2) * m.clone(),
            (n.clone() - Dim::from(5)).floor_div(2) + Dim::from(1),
        ] {
            assert!(!dim.never_negative(), "{dim}");
        }
    }

    /// What a window leaves of an axis is not negative where the window fits.
    #[test]
    fn one_size_tells_of_another() {
        let (n, m) = (Dim::symbol("N"), Dim::symbol("M"));
        let left = (n.clone() - Dim::from(5)).floor_div(2) + Dim::from(1);
        assert!(left.never_negative_beside(&(n.clone() - Dim::from(5))));
        assert!(!left.never_negative_beside(&(m - Dim::from(5))));
        assert!(!(n.clone() - Dim::from(6)).never_negative_beside(&(n - Dim::from(5))));
    }

    /// Moved by a few values, products of quotients have new quotients in their sums: what is not found is given up.
    #[test]
    fn products_of_quotients_come_to_an_end() {
        let n = Dim::symbol("N");
        let product = n.floor_div(2) * Dim::constant(2) * n.floor_div(5) - n.floor_div(3) * n.floor_div(7);
        for dim in
            [product.clone(), product - n.clone() * n.floor_div(5).floor_div(3), n.floor_div(2) * n.floor_div(3) - n]
        {
            assert!(!dim.never_negative(), "{dim}");
        }
    }

    /// What is said to be never negative is not, for all small values.
    #[test]
    fn small_values_agree() {
        let n = Dim::symbol("N");
        let symbol = crate::dim::Symbol::new("N");
        for (scale, offset, divisor) in all(4, 6, 5) {
            let dim = n.clone() * Dim::constant(scale) - (n.clone() + Dim::constant(offset)).floor_div(divisor)
                + Dim::constant(offset % 3 - 1);
            let least = (1..200).filter_map(|value| dim.evaluate(&[(symbol.clone(), value)])).min();
            assert!(!dim.never_negative() || least >= Some(0), "{dim} is {least:?}");
        }
    }

    fn all(scales: i64, offsets: i64, divisors: u64) -> impl Iterator<Item = (i64, i64, u64)> {
        (0..scales).flat_map(move |scale| {
            (0..offsets).flat_map(move |offset| (1..=divisors).map(move |divisor| (scale, offset, divisor)))
        })
    }
}
