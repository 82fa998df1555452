//! Reads at quotients and remainders of indices, as views.
//!
//! A quotient or a remainder gets an axis of its own behind those of the index space: `x[n / 2]` first reads
//! `t[n, q] = x[q]`, where `q` is free. Then that axis is tied to what it is: the other part of the division joins it
//! (`[q, r]`, the same for each `r`), both become one axis by a reshape, and a view reads that at the dividend `n`. Nothing of
//! this is stored; the index arithmetic of kernels cancels to `n / 2`, and gradients follow from those of views.

use super::Affine;
use super::affine::{Atom, DivRem, Whole};
use netcl_kernels::dim::{Dim, Shape};
use netcl_kernels::graph::build::Builder;
use netcl_kernels::graph::{AxisIndex, NodeId};
use netcl_kernels::span::Result;
use std::collections::BTreeSet;

/// The axes of an index space and, behind them, one for each part of a division, the innermost divisions first.
pub(super) struct Space<'a> {
    axes: &'a [Dim],
    parts: Vec<Tied>,
}

/// An axis for a part of a division.
struct Tied {
    part: DivRem,
    whole: Whole,
    /// The dividend over the axes before this one.
    dividend: AxisIndex,
    /// How many quotients there are.
    quotients: Dim,
}

impl<'a> Space<'a> {
    pub(super) fn new(axes: &'a [Dim]) -> Space<'a> {
        Space { axes, parts: Vec::new() }
    }

    /// The coordinate over the axes of the space, in which its parts get theirs.
    pub(super) fn coordinate(&mut self, index: &Affine) -> AxisIndex {
        let mut terms: Vec<(usize, i64)> =
            index.terms.iter().map(|(atom, coefficient)| (self.place(atom), *coefficient)).collect();
        terms.sort_unstable();
        AxisIndex { terms, offset: index.offset.clone(), divisor: 1 }
    }

    fn place(&mut self, atom: &Atom) -> usize {
        let (part, whole) = match atom {
            Atom::Axis(axis) => return *axis,
            Atom::Part(part, whole) => (*part, (**whole).clone()),
        };
        let known = self.parts.iter().position(|tied| tied.part == part && tied.whole == whole);
        let position = known.unwrap_or_else(|| {
            let dividend = self.coordinate(&whole.dividend());
            let quotients = whole.quotients(self.axes);
            self.parts.push(Tied { part, whole, dividend, quotients });
            self.parts.len() - 1
        });
        self.axes.len() + position
    }

    /// The shape with all parts, and with size 1 along axes that are not `used`.
    pub(super) fn shape(&self, used: &BTreeSet<usize>) -> Shape {
        let own = self.axes.iter().enumerate();
        let own = own.map(|(axis, size)| if used.contains(&axis) { size.clone() } else { Dim::constant(1) });
        let parts = self.parts.iter().map(|tied| match tied.part {
            DivRem::Quotient => tied.quotients.clone(),
            DivRem::Remainder => tied.whole.divisor.clone(),
        });
        Shape(own.chain(parts).collect())
    }

    /// `elements` over the axes and the parts, read where the parts are what they stand for: over the axes alone.
    pub(super) fn at_parts(&self, builder: &mut Builder, elements: NodeId) -> Result<NodeId> {
        let mut elements = elements;
        for tied in self.parts.iter().rev() {
            let last = builder.shape(elements).rank() - 1;
            // Both parts of the division, as two axes and as one.
            let before = builder.shape(elements).0[..last].to_vec();
            let (quotients, divisor) = (tied.quotients.clone(), tied.whole.divisor.clone());
            let own = match tied.part {
                DivRem::Quotient => last,
                DivRem::Remainder => last + 1,
            };
            let apart = [before.clone(), vec![quotients.clone(), divisor.clone()]].concat();
            let index = (0..last).map(AxisIndex::axis).chain([AxisIndex::axis(own)]).collect();
            let both = builder.view(elements, Shape(apart), index)?;
            let joined = [before.clone(), vec![quotients * divisor]].concat();
            let both = builder.reshape(both, Shape(joined))?;
            // Along the dividend's own axes the result has their size, whether the elements had it or one for all.
            let mut shape = before.clone();
            for (axis, _) in &tied.dividend.terms {
                shape[*axis] = self.shape(&BTreeSet::from([*axis])).0[*axis].clone();
            }
            let same = |axis: usize| if before[axis].is(1) { AxisIndex::fixed(0) } else { AxisIndex::axis(axis) };
            let index = (0..last).map(same).chain([tied.dividend.clone()]).collect();
            elements = builder.view(both, Shape(shape), index)?;
        }
        Ok(elements)
    }
}
