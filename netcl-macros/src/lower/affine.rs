//! Index arithmetic: what an index of a kernel may be, and its range.

use netcl_kernels::dim::Dim;

/// An index of a kernel: `sum(coefficient * atom) + offset`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Affine {
    /// Atom and coefficient, atoms ascending, coefficients not zero.
    pub(crate) terms: Vec<(Atom, i64)>,
    pub(crate) offset: Dim,
}

/// What an index is a sum of.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Atom {
    /// The position along an axis of the index space.
    Axis(usize),
    /// One of the two parts of a whole number that is not negative.
    Part(DivRem, Box<Whole>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum DivRem {
    Quotient,
    Remainder,
}

/// An index that is divided, and by what.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Whole {
    terms: Vec<(Atom, i64)>,
    offset: Dim,
    pub(crate) divisor: Dim,
}

impl Whole {
    /// What is divided.
    pub(crate) fn dividend(&self) -> Affine {
        Affine { terms: self.terms.clone(), offset: self.offset.clone() }
    }

    /// How many quotients there are, at least: as many divisors as reach beyond the dividend.
    pub(crate) fn quotients(&self, axes: &[Dim]) -> Dim {
        /// The most divisors that are tried where it is not known how often a size goes into another.
        const TRIED: i64 = 16;
        let count = self.dividend().range(axes).1 + Dim::constant(1);
        if let Some(divisor) = self.divisor.as_constant() {
            return count.ceil_div(divisor.unsigned_abs());
        }
        let few = (1..=TRIED).map(Dim::constant);
        let reaches = |times: &Dim| (times.clone() * self.divisor.clone() - count.clone()).never_negative();
        // A size is at least 1: there are no more quotients than dividends.
        count.exact_div(&self.divisor).or_else(|| few.into_iter().find(reaches)).unwrap_or(count)
    }
}

/// A factor of an index that does not fit `i32`, as no index does.
pub(super) struct TooLarge;

impl Affine {
    /// An index that is the same everywhere.
    pub(crate) fn fixed(offset: Dim) -> Self {
        Affine { terms: Vec::new(), offset }
    }

    /// The index along `axis` itself.
    pub(crate) fn axis(axis: usize, start: Dim) -> Self {
        Affine { terms: vec![(Atom::Axis(axis), 1)], offset: start }
    }

    pub(super) fn plus(&self, other: &Affine) -> Result<Affine, TooLarge> {
        let mut terms = std::collections::BTreeMap::new();
        for (atom, coefficient) in self.terms.iter().chain(&other.terms) {
            let sum = terms.entry(atom.clone()).or_insert(0i64);
            *sum = factor(sum.checked_add(*coefficient))?;
        }
        let terms = terms.into_iter().filter(|(_, coefficient)| *coefficient != 0).collect();
        Ok(Affine { terms, offset: self.offset.clone() + other.offset.clone() })
    }

    pub(super) fn times(&self, by: i64) -> Result<Affine, TooLarge> {
        let each =
            self.terms.iter().map(|(atom, coefficient)| Ok((atom.clone(), factor(coefficient.checked_mul(by))?)));
        let terms = if by == 0 { Vec::new() } else { each.collect::<Result<_, _>>()? };
        Ok(Affine { terms, offset: self.offset.clone() * Dim::constant(by) })
    }

    /// The quotient or the remainder by a positive size or number, where this is not negative: only there they are what
    /// Rust says and what a view can do.
    pub(super) fn part(&self, part: DivRem, divisor: &Dim, axes: &[Dim]) -> Option<Affine> {
        let positive = (divisor.clone() - Dim::constant(1)).never_negative();
        if !positive || !self.range(axes).0.never_negative() {
            return None;
        }
        if self.terms.is_empty() && self.offset.as_constant().is_some() && divisor.as_constant().is_some() {
            let (offset, divisor) = (self.offset.as_constant()?, divisor.as_constant()?);
            return Some(Affine::fixed(Dim::constant(match part {
                DivRem::Quotient => offset / divisor,
                DivRem::Remainder => offset % divisor,
            })));
        }
        let whole = Whole { terms: self.terms.clone(), offset: self.offset.clone(), divisor: divisor.clone() };
        Some(Affine { terms: vec![(Atom::Part(part, Box::new(whole)), 1)], offset: Dim::default() })
    }

    /// The least and the greatest value over an index space with axes of these sizes.
    pub(crate) fn range(&self, axes: &[Dim]) -> (Dim, Dim) {
        let (mut low, mut high) = (self.offset.clone(), self.offset.clone());
        for (atom, coefficient) in &self.terms {
            let count = match atom {
                Atom::Axis(axis) => axes[*axis].clone(),
                Atom::Part(DivRem::Quotient, whole) => whole.quotients(axes),
                Atom::Part(DivRem::Remainder, whole) => whole.divisor.clone(),
            };
            let reach = (count - Dim::constant(1)) * Dim::constant(*coefficient);
            if *coefficient > 0 { high = high + reach } else { low = low + reach }
        }
        (low, high)
    }
}

fn factor(value: Option<i64>) -> Result<i64, TooLarge> {
    value.filter(|value| i32::try_from(*value).is_ok()).ok_or(TooLarge)
}
