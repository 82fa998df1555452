//! Index arithmetic: where in memory the element at given loop coordinates lies.
//!
//! An [`Index`] is a sum of coordinates (and quotients and remainders of such) with coefficients that may be symbolic.
//! Views, reshapes and row-major addressing map indices to indices; quotients and remainders that reshapes bring in
//! cancel again where the ranges of the coordinates allow it, so that a chain of views ends as one affine address.

use crate::dim::{Dim, Shape};
use crate::graph::AxisIndex;

/// What an [`Index`] is a sum of.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Atom {
    /// A loop coordinate, by position.
    Var(u32),
    /// Integer quotient of a non-negative index.
    Div(Box<Index>, Dim),
    /// Its remainder.
    Mod(Box<Index>, Dim),
}

/// `sum(coefficient * atom) + offset`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub(crate) struct Index {
    /// Atoms with their non-zero coefficients, in the order of the atoms and none of them twice. There are few, and all are copied all the
    /// time.
    terms: Vec<(Atom, Dim)>,
    offset: Dim,
}

impl Index {
    /// The coordinate `var`.
    pub(crate) fn var(var: usize) -> Self {
        Index::atom(Atom::Var(var as u32))
    }

    fn atom(atom: Atom) -> Self {
        Index { terms: vec![(atom, Dim::constant(1))], offset: Dim::default() }
    }

    /// The same everywhere.
    pub(crate) fn constant(offset: Dim) -> Self {
        Index { terms: Vec::new(), offset }
    }

    /// The terms in canonical order.
    pub(crate) fn terms(&self) -> impl Iterator<Item = (&Atom, &Dim)> {
        self.terms.iter().map(|(atom, coefficient)| (atom, coefficient))
    }

    fn place(&self, atom: &Atom) -> Result<usize, usize> {
        self.terms.binary_search_by(|(own, _)| own.cmp(atom))
    }

    /// What is added to the terms.
    pub(crate) fn offset(&self) -> &Dim {
        &self.offset
    }

    /// `self + other`.
    pub(crate) fn plus(mut self, other: &Index) -> Self {
        for (atom, coefficient) in &other.terms {
            match self.place(atom) {
                Ok(at) => {
                    let own = &mut self.terms[at].1;
                    *own = std::mem::take(own) + coefficient.clone();
                    if own.is(0) {
                        self.terms.remove(at);
                    }
                }
                Err(at) => self.terms.insert(at, (atom.clone(), coefficient.clone())),
            }
        }
        self.offset = self.offset + other.offset.clone();
        self.recombine()
    }

    /// `self * factor`.
    pub(crate) fn times(&self, factor: &Dim) -> Self {
        if factor.is(0) {
            return Index::default();
        }
        Index {
            terms: self.terms.iter().map(|(atom, c)| (atom.clone(), c.clone() * factor.clone())).collect(),
            offset: self.offset.clone() * factor.clone(),
        }
    }

    /// `(x / d) * (c * d) + (x % d) * c` is `x * c`.
    fn recombine(mut self) -> Self {
        loop {
            let found = self.terms.iter().enumerate().find_map(|(remainder, (atom, coefficient))| {
                let Atom::Mod(inner, divisor) = atom else { return None };
                let quotient = self.place(&Atom::Div(inner.clone(), divisor.clone())).ok()?;
                let whole = &self.terms[quotient].1;
                (*whole == coefficient.clone() * divisor.clone())
                    .then(|| (remainder, quotient, inner.times(coefficient)))
            });
            let Some((remainder, quotient, whole)) = found else { return self };
            // Quotients stand before remainders.
            self.terms.remove(remainder);
            self.terms.remove(quotient);
            self = self.plus(&whole);
        }
    }

    /// Smallest and largest value for coordinates in `0..extents[var]`, where that can be seen.
    pub(crate) fn range(&self, extents: &[Dim]) -> Option<(Dim, Dim)> {
        let (mut low, mut high) = (self.offset.clone(), self.offset.clone());
        for (atom, coefficient) in self.terms.iter() {
            let reach = match atom {
                Atom::Var(var) => extents[*var as usize].clone() - Dim::constant(1),
                Atom::Mod(_, divisor) => divisor.clone() - Dim::constant(1),
                Atom::Div(inner, divisor) => {
                    let (_, high) = inner.range(extents)?;
                    match divisor.as_constant() {
                        Some(divisor) => high.floor_div(divisor as u64),
                        // ceil((high + 1) / divisor) - 1 where that is exact
                        None => (high + Dim::constant(1)).exact_div(divisor)? - Dim::constant(1),
                    }
                }
            };
            let reach = reach * coefficient.clone();
            if coefficient.never_negative() {
                high = high + reach;
            } else if (coefficient.clone() * Dim::constant(-1)).never_negative() {
                low = low + reach;
            } else {
                return None;
            }
        }
        Some((low, high))
    }

    /// Quotient and remainder by `divisor` of a non-negative index.
    fn div_mod(&self, divisor: &Dim, extents: &[Dim]) -> (Index, Index) {
        if divisor.is(1) {
            return (self.clone(), Index::default());
        }
        if divisor.is(0) {
            // An axis without positions: nothing is ever read there.
            return (Index::default(), Index::default());
        }
        let (mut quotient, mut rest) = (Index::default(), Index::default());
        for (atom, coefficient) in self.terms.iter() {
            match coefficient.exact_div(divisor) {
                Some(coefficient) => quotient.terms.push((atom.clone(), coefficient)),
                None => rest.terms.push((atom.clone(), coefficient.clone())),
            }
        }
        match self.offset.exact_div(divisor) {
            Some(offset) => quotient.offset = offset,
            None => match (self.offset.as_constant(), divisor.as_constant()) {
                (Some(offset), Some(d)) => {
                    quotient.offset = Dim::constant(offset.div_euclid(d));
                    rest.offset = Dim::constant(offset.rem_euclid(d));
                }
                _ => rest.offset = self.offset.clone(),
            },
        }
        if let Some((low, high)) = rest.range(extents) {
            let spare = divisor.clone() - Dim::constant(1) - high;
            if low.never_negative() && spare.never_negative() {
                return (quotient, rest);
            }
            if low.never_negative() {
                let boxed = Box::new(rest);
                let more = Index::atom(Atom::Div(boxed.clone(), divisor.clone()));
                return (quotient.plus(&more), Index::atom(Atom::Mod(boxed, divisor.clone())));
            }
        }
        // The rest may be negative on its own: divide the whole.
        let boxed = Box::new(self.clone());
        let quotient = Index::atom(Atom::Div(boxed.clone(), divisor.clone()));
        (quotient, Index::atom(Atom::Mod(boxed, divisor.clone())))
    }

    /// The coefficient of `var` if it stands only as itself (0 if it does not occur); `None` inside a quotient or
    /// remainder.
    pub(crate) fn coefficient(&self, var: usize) -> Option<Dim> {
        let mut found = Dim::default();
        for (atom, coefficient) in self.terms.iter() {
            match atom {
                Atom::Var(v) if *v as usize == var => found = coefficient.clone(),
                Atom::Var(_) => {}
                Atom::Div(inner, _) | Atom::Mod(inner, _) => {
                    if inner.mentions(var) {
                        return None;
                    }
                }
            }
        }
        Some(found)
    }

    /// Whether the value depends on `var`.
    pub(crate) fn mentions(&self, var: usize) -> bool {
        self.terms.iter().any(|(atom, _)| match atom {
            Atom::Var(v) => *v as usize == var,
            Atom::Div(inner, _) | Atom::Mod(inner, _) => inner.mentions(var),
        })
    }

    /// Whether it is a sum of coordinates, without quotients and remainders.
    pub(crate) fn is_affine(&self) -> bool {
        self.terms.iter().all(|(atom, _)| matches!(atom, Atom::Var(_)))
    }

    /// The same with each coordinate replaced by `with[var]`.
    pub(crate) fn substitute(&self, with: &[Index], extents: &[Dim]) -> Index {
        let mut sum = Index::constant(self.offset.clone());
        for (atom, coefficient) in self.terms.iter() {
            let value = match atom {
                Atom::Var(var) => with[*var as usize].clone(),
                Atom::Div(inner, divisor) => inner.substitute(with, extents).div_mod(divisor, extents).0,
                Atom::Mod(inner, divisor) => inner.substitute(with, extents).div_mod(divisor, extents).1,
            };
            sum = sum.plus(&value.times(coefficient));
        }
        sum
    }
}

/// The row-major position of `coordinates` in `shape`.
pub(crate) fn flatten(coordinates: &[Index], shape: &Shape) -> Index {
    let strides = shape.strides();
    let mut sum = Index::default();
    for (coordinate, stride) in coordinates.iter().zip(&strides) {
        sum = sum.plus(&coordinate.times(stride));
    }
    sum
}

/// The coordinates in `shape` of the row-major position `index`, which lies inside.
pub(crate) fn unflatten(index: &Index, shape: &Shape, extents: &[Dim]) -> Vec<Index> {
    let mut coordinates = vec![Index::default(); shape.rank()];
    let mut rest = index.clone();
    for axis in (1..shape.rank()).rev() {
        let (quotient, remainder) = rest.div_mod(&shape[axis], extents);
        coordinates[axis] = remainder;
        rest = quotient;
    }
    if let Some(first) = coordinates.first_mut() {
        *first = if shape[0].is(1) { Index::default() } else { rest };
    }
    coordinates
}

/// The coordinates of an operand read through `Reshape`: `coordinates` in `from` → coordinates in `to`.
pub(crate) fn reshape(coordinates: &[Index], from: &Shape, to: &Shape, extents: &[Dim]) -> Vec<Index> {
    // Leading axes that both have stay as they are: no arithmetic to cancel later.
    let same = from.0.iter().zip(&to.0).take_while(|(a, b)| a == b).count();
    let mut out = coordinates[..same].to_vec();
    let flat = flatten(&coordinates[same..], &Shape(from.0[same..].to_vec()));
    out.extend(unflatten(&flat, &Shape(to.0[same..].to_vec()), extents));
    out
}

/// A condition under which a guarded view reads its source.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Guard {
    /// The index is at least 0 …
    NotNegative(Index),
    /// … and below the size.
    Below(Index, Dim),
    /// The index is a multiple of the divisor.
    Multiple(Index, u64),
}

/// One source coordinate of a view at output `coordinates`, with the conditions under which it exists.
pub(crate) fn through_axis(
    axis: &AxisIndex,
    size: &Dim,
    coordinates: &[Index],
    extents: &[Dim],
    guards: &mut Vec<Guard>,
) -> Index {
    let mut sum = Index::constant(axis.offset.clone());
    for (out, coefficient) in &axis.terms {
        sum = sum.plus(&coordinates[*out].times(&Dim::constant(*coefficient)));
    }
    let range = sum.range(extents);
    if !range.as_ref().is_some_and(|(low, _)| low.never_negative()) {
        guards.push(Guard::NotNegative(sum.clone()));
    }
    if axis.divisor == 1 {
        let inside = |high: &Dim| (size.clone() - Dim::constant(1) - high.clone()).never_negative();
        if !range.is_some_and(|(_, high)| inside(&high)) {
            guards.push(Guard::Below(sum.clone(), size.clone()));
        }
        return sum;
    }
    guards.push(Guard::Multiple(sum.clone(), axis.divisor));
    let quotient = Index::atom(Atom::Div(Box::new(sum), Dim::constant(axis.divisor as i64)));
    guards.push(Guard::Below(quotient.clone(), size.clone()));
    quotient
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dims(sizes: &[usize]) -> Vec<Dim> {
        sizes.iter().map(|&size| Dim::from(size)).collect()
    }

    #[test]
    fn reshapes_cancel() {
        // [2, 3, 4] → [6, 4] → [2, 12] and back is the identity.
        let extents = dims(&[2, 3, 4]);
        let start: Vec<Index> = (0..3).map(Index::var).collect();
        let shapes = [Shape::of(&[2, 3, 4]), Shape::of(&[6, 4]), Shape::of(&[2, 12]), Shape::of(&[2, 3, 4])];
        let mut now = start.clone();
        for pair in shapes.windows(2) {
            now = reshape(&now, &pair[0], &pair[1], &extents);
        }
        assert_eq!(now, start);
    }

    #[test]
    fn merged_axes_split_and_recombine() {
        let extents = vec![Dim::symbol("N") * Dim::from(64)];
        let shape = Shape(vec![Dim::symbol("N"), Dim::from(64)]);
        let split = unflatten(&Index::var(0), &shape, &extents);
        assert!(!split[1].is_affine());
        assert_eq!(flatten(&split, &shape), Index::var(0));
    }
}
