//! Whether two sizes are equal: for all values of their symbols, for some, or for none that anything speaks for.

use crate::dim::{Dim, Factor, Symbol};
use crate::sign::gcd;

/// What is known of two sizes whose symbols have no values yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Equality {
    /// They are equal whatever their symbols are.
    Always,
    /// They are the same but for what divisions round off: equal for some values of their symbols. `H / 2*2` is `H` where `H`
    /// is even.
    Rounded,
    /// They are different, or have symbols that nothing ties together.
    No,
}

/// How many values of symbols are looked at one by one.
const MOST: u64 = 1 << 12;

impl Dim {
    /// What is known of this size and `other`.
    pub fn equality(&self, other: &Dim) -> Equality {
        let difference = self.clone() - other.clone();
        match difference.as_constant() {
            Some(0) => return Equality::Always,
            Some(_) => return Equality::No,
            None => {}
        }
        let rest = difference.without_common_factors();
        let Some(period) = rest.period() else { return Equality::No };
        let mut symbols: Vec<Symbol> = Vec::new();
        rest.visit_symbols(&mut |symbol| {
            if !symbols.contains(symbol) {
                symbols.push(symbol.clone());
            }
        });
        let at = |point: &[u64]| {
            let bindings: Vec<(Symbol, u64)> = symbols.iter().cloned().zip(point.iter().copied()).collect();
            rest.evaluate(&bindings)
        };
        // Moved along a symbol by the period, all quotients grow by as much as without rounding.
        let mut point = vec![1; symbols.len()];
        let first = at(&point);
        for position in 0..symbols.len() {
            point[position] += period;
            if first.is_none() || at(&point) != first {
                return Equality::No;
            }
            point[position] -= period;
        }
        let count = symbols.iter().try_fold(1u64, |count, _| count.checked_mul(period)).filter(|count| *count <= MOST);
        // Too many to look at: a call does.
        let Some(count) = count else { return Equality::Rounded };
        let (mut equal, mut different) = (false, false);
        for mut number in 0..count {
            for value in &mut point {
                (*value, number) = (number % period + 1, number / period);
            }
            match at(&point) {
                Some(0) => equal = true,
                _ => different = true,
            }
        }
        match (equal, different) {
            (true, false) => Equality::Always,
            (true, true) => Equality::Rounded,
            (false, _) => Equality::No,
        }
    }

    /// A polynomial divided by the factors that all of its terms have.
    fn without_common_factors(&self) -> Dim {
        let mut terms = self.terms().map(|(factors, _)| factors.to_vec());
        let mut common = terms.next().unwrap_or_default();
        for mut factors in terms {
            common.retain(|factor| match factors.iter().position(|other| other == factor) {
                Some(position) => {
                    factors.remove(position);
                    true
                }
                None => false,
            });
        }
        self.exact_div(&Dim::term(common, 1)).unwrap_or_else(|| self.clone())
    }

    /// After how many steps of a symbol the quotients of a sum repeat, but for what they grow without rounding; `None` of what
    /// has products, or divisors beyond what is looked at.
    fn period(&self) -> Option<u64> {
        self.terms().try_fold(1u64, |period, (factors, _)| match factors {
            [] | [Factor::Symbol(_)] => Some(period),
            [Factor::FloorDiv(dividend, divisor)] => {
                let own = dividend.period()?.checked_mul(*divisor)?;
                let common = gcd(period.into(), own.into()) as u64;
                (period / common).checked_mul(own).filter(|period| *period <= MOST)
            }
            _ => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn symbols() -> [Dim; 3] {
        ["N", "H", "W"].map(Dim::symbol)
    }

    #[test]
    fn what_is_rounded_is_told_from_what_differs() {
        let [n, h, w] = symbols();
        let two = || Dim::constant(2);
        let half = h.floor_div(2) * two();
        assert_eq!(half.equality(&h), Equality::Rounded);
        assert_eq!((h.ceil_div(2) * two()).equality(&h), Equality::Rounded);
        assert_eq!((h.ceil_div(4) * Dim::constant(4)).equality(&half), Equality::Rounded);
        // Common factors do not matter.
        assert_eq!(
            (n.clone() * half.clone() * w.clone()).equality(&(n.clone() * h.clone() * w.clone())),
            Equality::Rounded
        );
        assert_eq!((h.floor_div(2) + h.ceil_div(2)).equality(&h), Equality::Always);
        for other in
            [h.clone() + Dim::constant(1), w.clone(), h.clone() * two(), h.floor_div(3) * two(), Dim::constant(64)]
        {
            assert_eq!(half.equality(&other), Equality::No, "{other}");
        }
        assert_eq!((half.clone() + Dim::constant(2)).equality(&h), Equality::No, "one above at least");
        assert_eq!((half * w.floor_div(2)).equality(&(h * w)), Equality::No, "products of rounded sizes");
    }

    /// Against all values: what is always equal is, what is rounded is equal somewhere and different elsewhere.
    #[test]
    fn small_values_agree() {
        let [_, h, w] = symbols();
        for (a, b, scale, offset) in all() {
            let left =
                ((h.clone() + Dim::constant(offset)).floor_div(a) + w.clone()).floor_div(b) * Dim::constant(scale);
            let right = (h.clone() + w.clone() * Dim::constant(a as i64)).floor_div(a) * Dim::constant(scale - 1);
            let mut equal = Vec::new();
            for value in 1..60 {
                for other in 1..20 {
                    let bindings = [(Symbol::new("H"), value), (Symbol::new("W"), other)];
                    equal.push(left.evaluate(&bindings) == right.evaluate(&bindings));
                }
            }
            let (some, all) = (equal.contains(&true), !equal.contains(&false));
            match left.equality(&right) {
                Equality::Always => assert!(all, "{left} and {right}"),
                Equality::Rounded => assert!(some && !all, "{left} and {right}"),
                Equality::No => assert!(!all, "{left} and {right}"),
            }
        }
    }

    fn all() -> impl Iterator<Item = (u64, u64, i64, i64)> {
        (1..4).flat_map(|a| (1..4).flat_map(move |b| (1..4).flat_map(move |s| (0..3).map(move |o| (a, b, s, o)))))
    }
}
