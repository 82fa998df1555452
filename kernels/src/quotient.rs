//! Division of sizes: rounded down, in a canonical form, and exact.

use crate::dim::{Dim, Factor, signed};
use crate::sign::gcd;

/// The largest divisor that two divisions, one after the other, become: kernels divide by it as `i32`.
const LARGEST: u64 = i32::MAX as u64;

impl Dim {
    /// `floor(self / divisor)`; exact where every coefficient is divisible.
    ///
    /// What divides without a rest is taken out of the quotient, common divisors are cancelled, and a quotient of a quotient
    /// is one: halves of halves are quarters, so that a network's stages have the same sizes on whichever way they are
    /// reached.
    pub fn floor_div(&self, divisor: u64) -> Dim {
        assert!(divisor > 0, "division by zero");
        let d = signed(divisor);
        if d == 1 {
            return self.clone();
        }
        if let Some(number) = self.as_constant() {
            return Dim::constant(number.div_euclid(d));
        }
        // floor((d·q + r) / d) = q + floor(r / d).
        let (mut quotient, mut rest) = (Dim::default(), Dim::default());
        for (factors, coefficient) in self.terms() {
            let (q, r) = (coefficient.div_euclid(d), coefficient.rem_euclid(d));
            quotient = quotient + times(factors, q);
            rest = rest + times(factors, r);
        }
        if rest.as_constant().is_some() {
            // It is less than the divisor.
            return quotient;
        }
        quotient + rest.whole_part(d)
    }

    /// `floor(self / divisor)`, where no coefficient is negative or reaches the divisor, and a symbol occurs.
    fn whole_part(self, divisor: i64) -> Dim {
        // floor((g·x + r) / (g·d)) = floor((x + floor(r / g)) / d).
        let symbolic = self.terms().filter(|(factors, _)| !factors.is_empty());
        let common = symbolic.fold(i128::from(divisor), |common, (_, c)| gcd(common, c.into())) as i64;
        if common > 1 {
            let reduced = self.terms().fold(Dim::default(), |sum, (factors, c)| sum + times(factors, c / common));
            return reduced.floor_div((divisor / common) as u64);
        }
        // floor((floor(x / m) + n) / d) = floor((x + m·n) / (m·d)).
        let inner = self.terms().find_map(|(factors, coefficient)| match (factors, coefficient) {
            ([Factor::FloorDiv(dividend, inner)], 1) => {
                let both = inner.checked_mul(divisor as u64).filter(|both| *both <= LARGEST)?;
                Some(((**dividend).clone(), times(factors, 1), *inner, both))
            }
            _ => None,
        });
        match inner {
            Some((dividend, quotient, inner, both)) => {
                (dividend + (self - quotient) * Dim::constant(inner as i64)).floor_div(both)
            }
            None => Dim::term(vec![Factor::FloorDiv(Box::new(self), divisor as u64)], 1),
        }
    }

    /// `ceil(self / divisor)`.
    pub fn ceil_div(&self, divisor: u64) -> Dim {
        (self.clone() + Dim::constant(signed(divisor) - 1)).floor_div(divisor)
    }

    /// `self / other` where that is exact whatever the symbols are, as a division of polynomials: every rest has terms that
    /// the leading one of `other` divides.
    pub fn exact_div(&self, other: &Dim) -> Option<Dim> {
        /// More terms than a size of a tensor has.
        const MOST: usize = 64;
        if self == other {
            return Some(Dim::constant(1));
        }
        if let (Some(own), Some(other)) = (self.as_constant(), other.as_constant()) {
            // `i64::MIN / -1` is no number of 64 bits.
            return (own.checked_rem(other)? == 0).then(|| Dim::constant(own / other));
        }
        let (factors, coefficient) = other.leading()?;
        let (mut quotient, mut rest) = (Dim::default(), self.clone());
        for _ in 0..MOST {
            let Some((own, own_coefficient)) = rest.leading() else { return Some(quotient) };
            // `i64::MIN / -1` is no number of 64 bits.
            if own_coefficient.checked_rem(coefficient)? != 0 {
                return None;
            }
            let mut left = own.to_vec();
            for factor in factors {
                left.remove(left.iter().position(|f| f == factor)?);
            }
            let term = Dim::term(left, own_coefficient / coefficient);
            rest = rest - term.clone() * other.clone();
            quotient = quotient + term;
        }
        None
    }

    /// The term with the most factors, of several the last. A product has the leading terms' product as its own.
    fn leading(&self) -> Option<(&[Factor], i64)> {
        self.terms().max_by(|(a, _), (b, _)| a.len().cmp(&b.len()).then_with(|| a.cmp(b)))
    }
}

/// One term, which may be nothing.
fn times(factors: &[Factor], coefficient: i64) -> Dim {
    if coefficient == 0 { Dim::default() } else { Dim::term(factors.to_vec(), coefficient) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dim::Symbol;

    fn n() -> Dim {
        Dim::symbol("N")
    }

    fn number(value: i64) -> Dim {
        Dim::constant(value)
    }

    #[test]
    fn quotients_of_quotients_are_one() {
        let half = n().ceil_div(2);
        assert_eq!(half.ceil_div(2), n().ceil_div(4));
        assert_eq!(n().floor_div(2).floor_div(3), n().floor_div(6));
        assert_eq!((n().floor_div(2) + number(1)).floor_div(2), (n() + number(2)).floor_div(4));
        // A stage that halves with padding, and one that halves without.
        assert_eq!((half - number(1)).floor_div(2) + number(1), (n() + number(3)).floor_div(4));
    }

    #[test]
    fn common_divisors_cancel() {
        assert_eq!((n() * number(2)).floor_div(4), n().floor_div(2));
        assert_eq!((n() * number(2) + number(1)).floor_div(4), n().floor_div(2));
        assert_eq!((n().floor_div(2) * number(2)).floor_div(4), n().floor_div(4));
        assert_eq!((n() * number(6) + number(5)).floor_div(4), n() + (n() + number(2)).floor_div(2) - number(0));
        assert_eq!(((n() - n().floor_div(2) * number(2)).floor_div(2)), n().floor_div(2) - n().floor_div(2));
    }

    #[test]
    fn long_divisors_stay_apart() {
        let long = n().floor_div(1 << 20).floor_div(1 << 20);
        assert_eq!(long.to_string(), "(N / 1048576) / 1048576");
        assert_eq!(long.evaluate(&[(Symbol::new("N"), 1 << 41)]), Some(2));
    }

    #[test]
    fn sums_divide() {
        let (h, w) = (n() - number(2), Dim::symbol("W").floor_div(2) + number(1));
        let area = h.clone() * w.clone();
        assert_eq!(area.exact_div(&w), Some(h.clone()));
        assert_eq!((area.clone() * number(64)).exact_div(&(h.clone() * number(32))), Some(w.clone() * number(2)));
        assert_eq!((area.clone() + number(1)).exact_div(&w), None);
        assert_eq!(area.exact_div(&(h + number(1))), None);
        assert_eq!(n().exact_div(&Dim::default()), None);
        assert_eq!(Dim::default().exact_div(&w), Some(Dim::default()));
    }

    /// Random expressions over two symbols, against numbers: each has the value of what it was made of, and a form of its own
    /// form is itself.
    #[test]
    fn random_expressions_keep_their_value() {
        let mut state = 0x2545_f491_4f6c_dd1du64;
        let mut next = move |below: u64| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 33) % below
        };
        let points: Vec<[u64; 2]> = (1..14).flat_map(|n| (1..8).map(move |m| [n, m])).collect();
        for round in 0..4000 {
            let mut dim = Dim::symbol(["N", "M"][next(2) as usize]);
            let value = |dim: &Dim, [n, m]: [u64; 2]| {
                dim.evaluate(&[(Symbol::new("N"), n), (Symbol::new("M"), m)]).expect("small")
            };
            let mut values: Vec<i64> = points.iter().map(|point| value(&dim, *point)).collect();
            for _ in 0..6 {
                let (kind, by) = (next(4), next(6) as i64 + 1);
                let other = [number(by - 3), Dim::symbol("M") * number(by - 3), n().floor_div(by as u64)]
                    [next(3) as usize]
                    .clone();
                let before = dim.clone();
                let added = if kind == 1 { other } else { Dim::default() };
                dim = match kind {
                    0 => before * number(by),
                    1 => before + added.clone(),
                    _ => before.floor_div(by as u64),
                };
                for (v, point) in values.iter_mut().zip(&points) {
                    *v = match kind {
                        0 => *v * by,
                        1 => *v + value(&added, *point),
                        _ => v.div_euclid(by),
                    };
                }
            }
            for (point, expected) in points.iter().zip(&values) {
                assert_eq!(value(&dim, *point), *expected, "round {round}: {dim} at {point:?}");
            }
            assert_eq!(dim.substitute(&|_| None), dim, "round {round}: its own form");
            assert_eq!((dim.clone() * number(7)).floor_div(7), dim, "round {round}");
            let product = dim.clone() * (n() + number(1));
            assert_eq!(product.exact_div(&(n() + number(1))), Some(dim.clone()), "round {round}: {dim}");
        }
    }
}
