//! Reads at quotients and remainders of indices, and at bounded ones, as views.
//!
//! A quotient or a remainder gets an axis of its own behind those of the index space: `x[n / 2]` first reads
//! `t[n, q] = x[q]`, where `q` is free. Then that axis is tied to what it is: the other part of the division joins it
//! (`[q, r]`, the same for each `r`), both become one axis by a reshape, and a view reads that at the dividend `n`. Nothing of
//! this is stored; the index arithmetic of kernels cancels to `n / 2`, and gradients follow from those of views. So does a bounded
//! index, `x[min(n + 1, N - 1)]`: it is tied by a choice between the elements at the index and at its bounds.

use super::Affine;
use super::affine::{Atom, Bounded, DivRem};
use netcl_kernels::dim::{Dim, Shape};
use netcl_kernels::dtype::DType;
use netcl_kernels::graph::build::Builder;
use netcl_kernels::graph::{AxisIndex, BinaryOp, CompareOp, NodeId};
use netcl_kernels::span::Result;
use std::collections::BTreeSet;

/// The axes of an index space and, behind them, one for each part of a division and each bounded index, the innermost first.
pub(super) struct Space<'a> {
    axes: &'a [Dim],
    parts: Vec<Tied>,
}

/// An axis for a part of a division or a bounded index.
struct Tied {
    atom: Atom,
    /// What is divided or bounded, over the axes before this one.
    index: AxisIndex,
    /// How many values there are, from the least one on.
    size: Dim,
}

impl Tied {
    /// The value at the axis's first position.
    fn start(&self) -> Dim {
        match &self.atom {
            Atom::Bounded(bounded) => bounded.range.0.clone(),
            Atom::Axis(_) | Atom::Part(..) => Dim::default(),
        }
    }
}

impl<'a> Space<'a> {
    pub(super) fn new(axes: &'a [Dim]) -> Space<'a> {
        Space { axes, parts: Vec::new() }
    }

    /// The coordinate over the axes of the space, in which its parts get theirs.
    pub(super) fn coordinate(&mut self, index: &Affine) -> AxisIndex {
        let (mut terms, mut offset) = (Vec::new(), index.offset.clone());
        for (atom, coefficient) in &index.terms {
            let (place, start) = self.place(atom);
            terms.push((place, *coefficient));
            offset = offset + start * Dim::constant(*coefficient);
        }
        terms.sort_unstable();
        AxisIndex { terms, offset, divisor: 1 }
    }

    /// The axis of the atom, and its value where that begins.
    fn place(&mut self, atom: &Atom) -> (usize, Dim) {
        if let Atom::Axis(axis) = atom {
            return (*axis, Dim::default());
        }
        let known = self.parts.iter().position(|tied| tied.atom == *atom);
        let position = known.unwrap_or_else(|| {
            let (inner, size) = match atom {
                Atom::Part(DivRem::Quotient, whole) => (whole.dividend(), whole.quotients(self.axes)),
                Atom::Part(DivRem::Remainder, whole) => (whole.dividend(), whole.divisor.clone()),
                Atom::Bounded(bounded) => {
                    let (least, greatest) = bounded.range.clone();
                    (bounded.inner(), greatest - least + Dim::constant(1))
                }
                Atom::Axis(_) => (Affine::fixed(Dim::default()), Dim::constant(1)),
            };
            let index = self.coordinate(&inner);
            self.parts.push(Tied { atom: atom.clone(), index, size });
            self.parts.len() - 1
        });
        (self.axes.len() + position, self.parts[position].start())
    }

    /// The shape with all parts, and with size 1 along axes that are not `used`.
    pub(super) fn shape(&self, used: &BTreeSet<usize>) -> Shape {
        let own = self.axes.iter().enumerate();
        let own = own.map(|(axis, size)| if used.contains(&axis) { size.clone() } else { Dim::constant(1) });
        Shape(own.chain(self.parts.iter().map(|tied| tied.size.clone())).collect())
    }

    /// `elements` over the axes and the parts, read where the parts are what they stand for: over the axes alone.
    pub(super) fn at_parts(&self, builder: &mut Builder, elements: NodeId) -> Result<NodeId> {
        let mut elements = elements;
        for tied in self.parts.iter().rev() {
            let before = builder.shape(elements).0[..builder.shape(elements).rank() - 1].to_vec();
            // Along the index's own axes the result has their size, whether the elements had it or one for all.
            let mut shape = before.clone();
            for (axis, _) in &tied.index.terms {
                shape[*axis] = self.shape(&BTreeSet::from([*axis])).0[*axis].clone();
            }
            let same = |axis: usize| if before[axis].is(1) { AxisIndex::fixed(0) } else { AxisIndex::axis(axis) };
            let same: Vec<AxisIndex> = (0..before.len()).map(same).collect();
            elements = match &tied.atom {
                Atom::Bounded(bounded) => self.at_bounded(builder, elements, (tied, bounded), (&shape, &same))?,
                Atom::Part(part, whole) => {
                    let counts = (&whole.quotients(self.axes), &whole.divisor);
                    let both = both_parts(builder, elements, *part, counts)?;
                    let index = [same, vec![tied.index.clone()]].concat();
                    builder.view(both, Shape(shape), index)?
                }
                Atom::Axis(_) => elements,
            };
        }
        Ok(elements)
    }

    /// The axis along which an index is beyond a bound, and where, if that is at one place.
    fn only_place_beyond(&self, index: &AxisIndex, beyond: CompareOp, bound: &Dim) -> Option<(usize, Dim)> {
        let &[(axis, sign @ (1 | -1))] = index.terms.as_slice() else { return None };
        let last = self.axes.get(axis)?.clone() - Dim::constant(1);
        let rest = bound.clone() - index.offset.clone();
        // `axis < rest` or `axis > rest`, and the other way round of a negative one.
        let (is_start, count) = match (beyond, sign) {
            (CompareOp::Lt, 1) => (true, rest),
            (CompareOp::Gt, -1) => (true, Dim::default() - rest),
            (CompareOp::Gt, 1) => (false, last.clone() - rest),
            (CompareOp::Lt, -1) => (false, last.clone() + rest),
            _ => return None,
        };
        count.is(1).then(|| (axis, if is_start { Dim::default() } else { last }))
    }

    /// The elements along the last axis at a bounded index: one of three, of which the middle one reads zeros where the index is
    /// beyond a bound.
    fn at_bounded(
        &self,
        builder: &mut Builder,
        elements: NodeId,
        (tied, bounded): (&Tied, &Bounded),
        (shape, same): (&[Dim], &[AxisIndex]),
    ) -> Result<NodeId> {
        let start = tied.start();
        let at = |builder: &mut Builder, at: AxisIndex| {
            builder.view(elements, Shape(shape.to_vec()), [same, &[at]].concat())
        };
        let moved = AxisIndex { offset: tied.index.offset.clone() - start.clone(), ..tied.index.clone() };
        let mut chosen = at(builder, moved)?;
        let small = [&bounded.low, &bounded.high].into_iter().flatten().all(Affine::is_size_of_32_bits);
        let dtype = if small && bounded.inner().is_of_32_bits() { DType::I32 } else { DType::I64 };
        let inner = numbers(builder, &bounded.inner(), self.axes, dtype)?;
        // Axes of parts that are not tied yet say nothing of it.
        let mut wide = builder.shape(inner).clone();
        let rank = wide.rank();
        wide.0.resize(shape.len(), Dim::constant(1));
        let inner =
            if rank == 0 { inner } else { builder.view(inner, wide, (0..rank).map(AxisIndex::axis).collect())? };
        for (op, bound) in [(CompareOp::Lt, &bounded.low), (CompareOp::Gt, &bounded.high)] {
            let Some(bound) = bound else { continue };
            let element = AxisIndex::fixed(bound.clone() - start.clone());
            let end = match self.only_place_beyond(&tied.index, op, bound) {
                Some(place) => at_one_place(builder, elements, element, (shape, same), &place)?,
                None => at(builder, element)?,
            };
            let bound = builder.dim(bound, dtype)?;
            let beyond = builder.compare(op, inner, bound)?;
            chosen = builder.select(beyond, end, chosen)?;
        }
        Ok(chosen)
    }
}

/// The element along the last axis at the only place of an axis where it is wanted; zeros at the others. The gradient of it is read at
/// that place, where that of an element for all places is a sum.
fn at_one_place(
    builder: &mut Builder,
    elements: NodeId,
    element: AxisIndex,
    (shape, same): (&[Dim], &[AxisIndex]),
    (axis, place): &(usize, Dim),
) -> Result<NodeId> {
    let mut index = [same, &[element]].concat();
    if index[*axis].as_axis().is_some() {
        index[*axis] = AxisIndex::fixed(place.clone());
    }
    let mut one = shape.to_vec();
    one[*axis] = Dim::constant(1);
    let one = builder.view(elements, Shape(one), index)?;
    let mut index: Vec<AxisIndex> = (0..shape.len()).map(AxisIndex::axis).collect();
    index[*axis].offset = Dim::default() - place.clone();
    builder.view(one, Shape(shape.to_vec()), index)
}

/// The elements along the last axis, which is one part of a division, along the dividend: the same for each value of the other
/// part.
fn both_parts(
    builder: &mut Builder,
    elements: NodeId,
    part: DivRem,
    (quotients, divisor): (&Dim, &Dim),
) -> Result<NodeId> {
    let shape = builder.shape(elements).clone();
    let last = shape.rank() - 1;
    let before = shape.0[..last].to_vec();
    let own = match part {
        DivRem::Quotient => last,
        DivRem::Remainder => last + 1,
    };
    let apart = [before.clone(), vec![quotients.clone(), divisor.clone()]].concat();
    let index = (0..last).map(AxisIndex::axis).chain([AxisIndex::axis(own)]).collect();
    let both = builder.view(elements, Shape(apart), index)?;
    let joined = [before, vec![quotients.clone() * divisor.clone()]].concat();
    builder.reshape(both, Shape(joined))
}

/// The values of an index over an index space with those axes.
pub(super) fn numbers(builder: &mut Builder, index: &Affine, axes: &[Dim], dtype: DType) -> Result<NodeId> {
    let mut sum = match index.offset.as_constant() {
        Some(offset) => wrapped(builder, offset, dtype)?,
        None => builder.dim(&index.offset, dtype)?,
    };
    for (atom, coefficient) in &index.terms {
        let value = match atom {
            Atom::Axis(axis) => {
                let mut shape = Shape(vec![Dim::constant(1); axes.len()]);
                shape.0[*axis] = axes[*axis].clone();
                builder.iota(&shape, *axis, dtype)?
            }
            Atom::Part(part, whole) => {
                let dividend = numbers(builder, &whole.dividend(), axes, dtype)?;
                let divisor = builder.dim(&whole.divisor, dtype)?;
                let op = if *part == DivRem::Quotient { BinaryOp::Div } else { BinaryOp::Rem };
                builder.binary(op, dividend, divisor)?
            }
            Atom::Bounded(bounded) => {
                let mut value = numbers(builder, &bounded.inner(), axes, dtype)?;
                for (op, bound) in [(BinaryOp::Max, &bounded.low), (BinaryOp::Min, &bounded.high)] {
                    if let Some(bound) = bound {
                        let bound = builder.dim(bound, dtype)?;
                        value = builder.binary(op, value, bound)?;
                    }
                }
                value
            }
        };
        let factor = wrapped(builder, *coefficient, dtype)?;
        let term = builder.binary(BinaryOp::Mul, value, factor)?;
        sum = builder.binary(BinaryOp::Add, term, sum)?;
    }
    Ok(sum)
}

/// A part of an index as a number of the type. Whole numbers wrap, as `as` does: `n - 1` is one of `u32` where -1 is none.
fn wrapped(builder: &mut Builder, value: i64, dtype: DType) -> Result<NodeId> {
    builder.integer(dtype.wrap(value), dtype)
}
