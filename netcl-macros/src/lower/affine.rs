//! Index arithmetic: what an index of a kernel may be, and its range.

use netcl_kernels::dim::Dim;
use std::collections::BTreeMap;

/// How many multiples are tried, and how many places beyond an end.
const FEW: i64 = 16;

/// The last position along axes of which it depends on earlier ones.
pub(super) type Ends = BTreeMap<usize, Affine>;

/// An index of a kernel: `sum(coefficient * atom) + offset`.
#[derive(Clone, Debug, Default, PartialEq)]
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
    /// An index that is kept from going too far: `min(n + 1, N - 1)`.
    Bounded(Box<Bounded>),
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
        let count = self.dividend().range(axes).1 + Dim::constant(1);
        if let Some(divisor) = self.divisor.as_constant() {
            return count.ceil_div(divisor.unsigned_abs());
        }
        let few = (1..=FEW).map(Dim::constant);
        let reaches = |times: &Dim| (times.clone() * self.divisor.clone() - count.clone()).never_negative();
        // A size is at least 1: there are no more quotients than dividends.
        count.exact_div(&self.divisor).or_else(|| few.into_iter().find(reaches)).unwrap_or(count)
    }

    /// The greatest of the divisor's multiples up to the dividend, at most.
    fn greatest_multiple(&self, axes: &[Dim], last: &Ends) -> Dim {
        let dividend = self.dividend().range_within(axes, last).1;
        let multiple = (self.quotients(axes) - Dim::constant(1)) * self.divisor.clone();
        if (dividend.clone() - multiple.clone()).never_negative() { multiple } else { dividend }
    }
}

/// An index and the sizes that it does not go beyond.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Bounded {
    terms: Vec<(Atom, i64)>,
    offset: Dim,
    /// What it is at least.
    pub(super) low: Option<Dim>,
    /// What it is at most.
    pub(super) high: Option<Dim>,
    /// The range that it is known to be in, where both ends may be beyond what is ever reached.
    pub(super) range: (Dim, Dim),
}

impl Bounded {
    /// What is bounded.
    pub(super) fn inner(&self) -> Affine {
        Affine { terms: self.terms.clone(), offset: self.offset.clone() }
    }
}

/// A factor of an index that does not fit `i32`, as no index does.
pub(super) struct TooLarge;

impl Affine {
    /// An index that is the same everywhere.
    pub(crate) fn fixed(offset: Dim) -> Self {
        Affine { terms: Vec::new(), offset }
    }

    /// Whether its values are numbers of 32 bits, on the way to it too: it is one along axes, which are shorter than that together, and
    /// a few more or less. (What an index space has along two axes is as long as their product.)
    pub(super) fn is_of_32_bits(&self) -> bool {
        let along = |(atom, factor): &(Atom, i64)| matches!(atom, Atom::Axis(_)) && factor.abs() == 1;
        let few = self.offset.as_constant().is_some_and(|offset| offset.abs() < 1 << 15);
        few && self.terms.iter().all(along)
    }

    /// Whether a size is a number of 32 bits wherever there is an axis of it: a name, and a few more or less.
    pub(super) fn is_size_of_32_bits(size: &Dim) -> bool {
        let number = |part: &Dim| part.as_constant().is_some();
        let names: Vec<(Dim, i64)> = size.parts().filter(|(part, _)| !number(part)).collect();
        match names.as_slice() {
            [] => size.as_constant().is_some_and(|number| i32::try_from(number).is_ok()),
            [(name, 1)] if crate::ast::is_plain(name) => {
                (size.clone() - name.clone()).as_constant().is_some_and(|more| more.abs() < 1 << 15)
            }
            _ => false,
        }
    }

    /// The index along `axis` itself.
    pub(crate) fn axis(axis: usize, start: Dim) -> Self {
        Affine { terms: vec![(Atom::Axis(axis), 1)], offset: start }
    }

    pub(super) fn plus(&self, other: &Affine) -> Result<Affine, TooLarge> {
        let mut terms = BTreeMap::new();
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

    /// The same times a size that all of it has been divided by: `i / M * M` is `i - i % M`. `None` of any other.
    pub(super) fn times_size(&self, size: &Dim) -> Option<Result<Affine, TooLarge>> {
        let mut sum = Ok(Affine::fixed(self.offset.clone() * size.clone()));
        for (atom, coefficient) in &self.terms {
            let Atom::Part(DivRem::Quotient, whole) = atom else { return None };
            if whole.divisor != *size {
                return None;
            }
            let remainder =
                Affine { terms: vec![(Atom::Part(DivRem::Remainder, whole.clone()), -1)], ..Affine::default() };
            let product = whole.dividend().plus(&remainder).and_then(|product| product.times(*coefficient));
            sum = sum.and_then(|sum| sum.plus(&product?));
        }
        Some(sum)
    }

    /// What is divided or bounded in it.
    pub(super) fn parts(&self) -> impl Iterator<Item = Affine> + '_ {
        self.terms.iter().filter_map(|(atom, _)| match atom {
            Atom::Axis(_) => None,
            Atom::Part(_, whole) => Some(whole.dividend()),
            Atom::Bounded(bounded) => Some(bounded.inner()),
        })
    }

    /// The quotient or the remainder by a positive size or number, where this is not negative: only there they are what
    /// Rust says and what a view can do.
    pub(super) fn part(&self, part: DivRem, divisor: &Dim, axes: &[Dim]) -> Option<Affine> {
        // Where an axis has no elements, nothing is divided by its size.
        let some = is_positive(divisor) || axes.contains(divisor);
        if !some || !is_not_negative(&self.range(axes).0, axes) {
            return None;
        }
        if self.terms.is_empty() && self.offset.as_constant().is_some() && divisor.as_constant().is_some() {
            let (offset, divisor) = (self.offset.as_constant()?, divisor.as_constant()?);
            return Some(Affine::fixed(Dim::constant(match part {
                DivRem::Quotient => offset / divisor,
                DivRem::Remainder => offset % divisor,
            })));
        }
        // The number of a round.
        if let (true, Some(number)) = (self.terms.is_empty(), divisor.as_constant()) {
            let quotient = self.offset.floor_div(number.unsigned_abs());
            return Some(Affine::fixed(match part {
                DivRem::Quotient => quotient,
                DivRem::Remainder => self.offset.clone() - quotient * divisor.clone(),
            }));
        }
        let whole = Whole { terms: self.terms.clone(), offset: self.offset.clone(), divisor: divisor.clone() };
        Some(Affine { terms: vec![(Atom::Part(part, Box::new(whole)), 1)], offset: Dim::default() })
    }

    /// The remainder that is not negative, as Rust's `rem_euclid`: of what is so many divisors below zero at most.
    pub(super) fn wrapped(&self, divisor: &Dim, axes: &[Dim]) -> Option<Affine> {
        let shifted = |times: i64| self.plus(&Affine::fixed(divisor.clone() * Dim::constant(times))).ok();
        let by_few = (0..=FEW).filter_map(shifted).find_map(|index| index.part(DivRem::Remainder, divisor, axes));
        by_few.or_else(|| self.wrapped_apart(divisor, axes))
    }

    /// The same of a difference of two indices that are not negative, however far it is below zero: `(t - k).rem_euclid(T)` is
    /// `(t + T - k % T) % T`.
    fn wrapped_apart(&self, divisor: &Dim, axes: &[Dim]) -> Option<Affine> {
        let (mut added, mut taken) = (Dim::default(), Dim::default());
        for (part, coefficient) in self.offset.parts() {
            let (size, sum) = match coefficient > 0 {
                true => (part, &mut added),
                false => (Dim::default() - part, &mut taken),
            };
            *sum = sum.clone() + size.never_negative().then_some(size)?;
        }
        let (mut minuend, mut subtrahend) = (Affine::fixed(added), Affine::fixed(taken));
        for (atom, coefficient) in &self.terms {
            match *coefficient {
                0.. => minuend.terms.push((atom.clone(), *coefficient)),
                _ => subtrahend.terms.push((atom.clone(), factor(coefficient.checked_neg()).ok()?)),
            }
        }
        let taken = subtrahend.part(DivRem::Remainder, divisor, axes)?.times(-1).ok()?;
        let index = minuend.plus(&Affine::fixed(divisor.clone())).and_then(|sum| sum.plus(&taken)).ok()?;
        index.part(DivRem::Remainder, divisor, axes)
    }

    /// The index where it is at least `low` and at most `high`, and the nearer one of these elsewhere. `None` where nothing is known
    /// of which bound is the larger, or of how far the index goes beyond.
    pub(super) fn bounded(&self, low: Option<&Dim>, high: Option<&Dim>, axes: &[Dim]) -> Option<Affine> {
        let at_most = |a: &Dim, b: &Dim| is_not_negative(&(b.clone() - a.clone()), axes);
        let (least, greatest) = self.range(axes);
        // A bound that the index keeps by itself is none.
        let low = low.filter(|low| !at_most(low, &least));
        let high = high.filter(|high| !at_most(&greatest, high));
        let few = || (0..=FEW).map(Dim::constant);
        let range = match (low, high) {
            (None, None) => return Some(self.clone()),
            (Some(low), Some(high)) => at_most(low, high).then(|| (low.clone(), high.clone()))?,
            (None, Some(high)) if at_most(high, &least) => return Some(Affine::fixed(high.clone())),
            (Some(low), None) if at_most(&greatest, low) => return Some(Affine::fixed(low.clone())),
            (None, Some(high)) => {
                let below = few().map(|by| least.clone() - by).find(|least| at_most(least, high))?;
                (below, high.clone())
            }
            (Some(low), None) => {
                let above = few().map(|by| greatest.clone() + by).find(|greatest| at_most(low, greatest))?;
                (low.clone(), above)
            }
        };
        let (terms, offset) = (self.terms.clone(), self.offset.clone());
        let bounded = Bounded { terms, offset, low: low.cloned(), high: high.cloned(), range };
        Some(Affine { terms: vec![(Atom::Bounded(Box::new(bounded)), 1)], offset: Dim::default() })
    }

    /// The same of what another number is added to in each round of a fold: nothing is known of which is the larger.
    pub(super) fn bounded_in_round(&self, low: Option<&Dim>, high: Option<&Dim>) -> Affine {
        let none = Dim::default();
        let range = (low.unwrap_or(&none).clone(), high.unwrap_or(&none).clone());
        let (terms, offset) = (self.terms.clone(), self.offset.clone());
        let bounded = Bounded { terms, offset, low: low.cloned(), high: high.cloned(), range };
        Affine { terms: vec![(Atom::Bounded(Box::new(bounded)), 1)], offset: Dim::default() }
    }

    /// The least and the greatest value over an index space with axes of these sizes.
    pub(crate) fn range(&self, axes: &[Dim]) -> (Dim, Dim) {
        self.range_within(axes, &Ends::new())
    }

    /// The same, where along some axes the index space ends at a position that depends on earlier axes. (Where it ends before it
    /// begins there is nothing that the range would have to hold.)
    pub(super) fn range_within(&self, axes: &[Dim], last: &Ends) -> (Dim, Dim) {
        let term_by_term = (self.towards(axes, last, false), self.towards(axes, last, true));
        let (multiples, rest) = self.multiples();
        if multiples.is_empty() {
            return term_by_term;
        }
        let (mut low, mut high) = (rest.towards(axes, last, false), rest.towards(axes, last, true));
        for (times, whole) in multiples {
            let end = whole.greatest_multiple(axes, last) * Dim::constant(times);
            if times > 0 { high = high + end } else { low = low + end }
        }
        // Both hold: what is known to be the narrower one at each end.
        let narrower = |large: &Dim, small: &Dim| (large.clone() - small.clone()).never_negative();
        (
            if narrower(&low, &term_by_term.0) { low } else { term_by_term.0 },
            if narrower(&term_by_term.1, &high) { high } else { term_by_term.1 },
        )
    }

    /// The multiples of divisors in it, `i - i % M`, each with how often it is there, and the rest: term by term nothing would be
    /// known of how far such a difference goes.
    fn multiples(&self) -> (Vec<(i64, &Whole)>, Affine) {
        let (mut multiples, mut rest) = (Vec::new(), self.clone());
        for (atom, coefficient) in &self.terms {
            let (Atom::Part(DivRem::Remainder, whole), Some(times)) = (atom, coefficient.checked_neg()) else {
                continue;
            };
            let has = |(atom, by): &(Atom, i64)| {
                let own = rest.terms.iter().find(|(own, _)| own == atom).map_or(0, |(_, own)| *own);
                by.checked_mul(times).is_some_and(|by| own.signum() == by.signum() && own.abs() >= by.abs())
            };
            let without = || {
                let remainder = Affine { terms: vec![(atom.clone(), -1)], ..Affine::default() };
                rest.plus(&whole.dividend().plus(&remainder)?.times(-times)?)
            };
            if whole.terms.iter().all(has)
                && let Ok(without) = without()
            {
                multiples.push((times, &**whole));
                rest = without;
            }
        }
        (multiples, rest)
    }

    /// The least value, or the greatest: each axis, the innermost first, goes to the end that takes the sum furthest.
    fn towards(&self, axes: &[Dim], last: &Ends, greatest: bool) -> Dim {
        let mut index = self.clone();
        for (axis, end) in last.iter().rev() {
            let Some(at) = index.terms.iter().position(|(atom, _)| *atom == Atom::Axis(*axis)) else { continue };
            let (_, coefficient) = index.terms.remove(at);
            if (coefficient > 0) == greatest {
                match end.times(coefficient).and_then(|end| index.plus(&end)) {
                    Ok(moved) => index = moved,
                    Err(TooLarge) => return self.end(axes, greatest),
                }
            }
        }
        index.end(axes, greatest)
    }

    /// The least or the greatest value, term by term.
    fn end(&self, axes: &[Dim], greatest: bool) -> Dim {
        self.terms.iter().fold(self.offset.clone(), |sum, (atom, coefficient)| {
            let (low, high) = match atom {
                Atom::Axis(axis) => (Dim::default(), axes[*axis].clone() - Dim::constant(1)),
                Atom::Part(DivRem::Quotient, whole) => (Dim::default(), whole.quotients(axes) - Dim::constant(1)),
                Atom::Part(DivRem::Remainder, whole) => (Dim::default(), whole.divisor.clone() - Dim::constant(1)),
                Atom::Bounded(bounded) => bounded.range.clone(),
            };
            let end = if (*coefficient > 0) == greatest { high } else { low };
            sum + end * Dim::constant(*coefficient)
        })
    }
}

/// Whether the size is never negative where there is an element to compute: each of the axes has at least one there, also one whose
/// size is computed, `T / 2`.
fn is_not_negative(size: &Dim, axes: &[Dim]) -> bool {
    let beyond_one = |axis: &Dim| size.clone() - axis.clone() + Dim::constant(1);
    size.never_negative() || axes.iter().any(|axis| beyond_one(axis).never_negative())
}

/// Whether something can be divided by it.
fn is_positive(divisor: &Dim) -> bool {
    (divisor.clone() - Dim::constant(1)).never_negative()
}

fn factor(value: Option<i64>) -> Result<i64, TooLarge> {
    value.filter(|value| i32::try_from(*value).is_ok()).ok_or(TooLarge)
}
