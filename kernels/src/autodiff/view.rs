//! The adjoint of a view, for every view.
//!
//! `out[o] = source[c(o)]`, each coordinate `c_j = (sum_a k_ja o_a + f_j) / d_j`. Its adjoint sums, for each source
//! position `s`, the gradient over all `o` with `c(o) = s`: the integer solutions of the linear equations
//!
//! ```text
//! sum_a k_ja o_a = d_j s_j - f_j          for every source axis j
//! ```
//!
//! Elimination (over the integers, by cross-multiplication, so nothing is rounded) solves them for as many output axes
//! as there are independent equations: the *pivots*. In the index space `[source axes.., other output axes..]` each
//! pivot is then an [`AxisIndex`] `(affine) / k`, which reads zero where `k` does not divide, and an equation without a
//! pivot (a slice at a fixed position, the second coordinate of a diagonal) is a guard `affine = 0`: the coordinate of
//! an extra axis of size 1, outside which a view reads zero. So the adjoint is again a view, followed by a sum over the
//! other output axes, and views are closed under differentiation. A sum over one axis of two is an addition of two views
//! instead, which needs no kernel of its own.

use crate::dim::{Dim, Shape};
use crate::graph::build::Builder;
use crate::graph::{AxisIndex, BinaryOp, NodeId, Op, ReduceOp};
use crate::sign::gcd;
use crate::span::{Diagnostic, Result};

/// One equation: `sum(left) + sum(right) + offset = 0`.
#[derive(Clone, Debug)]
struct Equation {
    /// Coefficients of the output axes.
    out: Vec<i128>,
    /// Coefficients of the source axes.
    source: Vec<i128>,
    offset: Dim,
}

impl Equation {
    /// `self * a - other * b`, divided by what all coefficients share.
    fn combine(&self, a: i128, other: &Equation, b: i128) -> Option<Equation> {
        let mix = |x: &[i128], y: &[i128]| -> Option<Vec<i128>> {
            x.iter().zip(y).map(|(x, y)| x.checked_mul(a)?.checked_sub(y.checked_mul(b)?)).collect()
        };
        let scaled = |dim: &Dim, by: i128| Some(dim.clone() * Dim::constant(i64::try_from(by).ok()?));
        let mut result = Equation {
            out: mix(&self.out, &other.out)?,
            source: mix(&self.source, &other.source)?,
            offset: scaled(&self.offset, a)? - scaled(&other.offset, b)?,
        };
        let shared = result.out.iter().chain(&result.source).fold(0, |shared, c| gcd(shared, c.abs()));
        if shared > 1
            && let Ok(divisor) = i64::try_from(shared)
            && let Some(offset) = divide(&result.offset, divisor)
        {
            result.offset = offset;
            result.out.iter_mut().chain(&mut result.source).for_each(|c| *c /= shared);
        }
        Some(result)
    }
}

fn divide(dim: &Dim, divisor: i64) -> Option<Dim> {
    if dim.is(0) { Some(dim.clone()) } else { dim.exact_div(&Dim::constant(divisor)) }
}

/// The gradient in the source of a view, given the gradient `grad` in its result.
pub(super) fn view_adjoint(builder: &mut Builder, grad: NodeId, source: &Shape, index: &[AxisIndex]) -> Result<NodeId> {
    // Output axes that no coordinate uses (broadcasts) are summed first, while the gradient is smallest.
    let full = builder.shape(grad).clone();
    let used: Vec<usize> =
        (0..full.rank()).filter(|axis| index.iter().any(|i| i.terms.iter().any(|(a, _)| a == axis))).collect();
    let unused = (0..full.rank()).filter(|axis| !used.contains(axis));
    // Of an axis of one element the sum is that element, without a loop.
    let (single, unused): (Vec<usize>, Vec<usize>) = unused.partition(|axis| full[*axis].is(1));
    let mut grad = builder.squeezed(grad, &single)?;
    let unused: Vec<usize> = unused.iter().map(|axis| axis - single.iter().filter(|one| *one < axis).count()).collect();
    grad = sum_of_unused(builder, grad, &unused)?;
    let mut out = builder.shape(grad).clone();

    let mut open: Vec<Equation> = Vec::new();
    for (axis, coordinate) in index.iter().enumerate() {
        if coordinate.terms.is_empty() && coordinate.offset.is(0) && source[axis].is(1) {
            continue; // The only position there is.
        }
        let mut equation =
            Equation { out: vec![0; out.rank()], source: vec![0; source.rank()], offset: coordinate.offset.clone() };
        for (axis, coefficient) in &coordinate.terms {
            let position = used.iter().position(|u| u == axis).expect("an axis of a term is used");
            equation.out[position] = i128::from(*coefficient);
        }
        equation.source[axis] = -i128::from(coordinate.divisor);
        open.push(equation);
    }
    let Solution { pivots, guards } = eliminate(open, &out).ok_or_else(too_large)?;

    // The guards' axes of size 1.
    if !guards.is_empty() {
        let axes = (0..out.rank()).map(AxisIndex::axis).collect();
        out.0.extend(guards.iter().map(|_| Dim::from(1)));
        grad = builder.view(grad, out.clone(), axes)?;
    }
    let solved = |axis: usize| pivots.iter().find(|(pivot, _)| *pivot == axis).map(|(_, equation)| equation);
    let free: Vec<usize> = (0..out.rank() - guards.len()).filter(|axis| solved(*axis).is_none()).collect();
    let mut coordinates = Vec::new();
    for axis in 0..out.rank() - guards.len() {
        coordinates.push(match (free.iter().position(|f| *f == axis), solved(axis)) {
            (None, Some(equation)) => coordinate(equation, Some(axis), &free).ok_or_else(too_large)?,
            (position, _) => AxisIndex::axis(source.rank() + position.unwrap_or(0)),
        });
    }
    for guard in &guards {
        coordinates.push(coordinate(guard, None, &free).ok_or_else(too_large)?);
    }
    let free = Shape(free.into_iter().map(|axis| out[axis].clone()).collect());
    sum_over(builder, grad, source, &free, coordinates)
}

/// The sum over axes: of a view or reshape over an axis of two elements an addition, which fuses; of anything else a reduction.
fn sum_of_unused(builder: &mut Builder, grad: NodeId, unused: &[usize]) -> Result<NodeId> {
    let is_moved = matches!(builder.graph()[grad].op, Op::View { .. } | Op::Reshape(_));
    let full = builder.shape(grad).clone();
    match unused {
        [axis] if full[*axis].is(2) && is_moved => {
            let mut rest = full;
            let free = Shape(vec![rest.0.remove(*axis)]);
            let mut coordinates: Vec<AxisIndex> = (0..rest.rank()).map(AxisIndex::axis).collect();
            coordinates.insert(*axis, AxisIndex::axis(rest.rank()));
            sum_over(builder, grad, &rest, &free, coordinates)
        }
        _ => builder.reduce(ReduceOp::Sum, grad, unused, false),
    }
}

/// The sum over the axes `free`, which come behind those of `source`, of what is at these coordinates.
fn sum_over(
    builder: &mut Builder,
    grad: NodeId,
    source: &Shape,
    free: &Shape,
    coordinates: Vec<AxisIndex>,
) -> Result<NodeId> {
    // Two terms need no loop of their own, as `(c + 1) % C` gives: an element goes to the next place or round to the first.
    let pair = free.0.iter().position(|size| size.is(2));
    if let Some(pair) = pair
        && free.0.iter().enumerate().all(|(axis, size)| axis == pair || size.is(1))
    {
        let term = |place: i64| coordinates.iter().map(|own| fixed_behind(own, source.rank(), (pair, place))).collect();
        let first = builder.view(grad, source.clone(), term(0))?;
        let second = builder.view(grad, source.clone(), term(1))?;
        return builder.binary(BinaryOp::Add, first, second);
    }
    let space = Shape(source.0.iter().chain(&free.0).cloned().collect());
    let spread = builder.view(grad, space, coordinates)?;
    let summed: Vec<usize> = (source.rank()..source.rank() + free.rank()).collect();
    builder.reduce(ReduceOp::Sum, spread, &summed, false)
}

/// The coordinate where the axes from `rank` on are at 0, but for one of them, counted from there, at its place.
fn fixed_behind(coordinate: &AxisIndex, rank: usize, (axis, place): (usize, i64)) -> AxisIndex {
    let mut fixed = coordinate.clone();
    let behind = fixed.terms.iter().find(|(own, _)| *own == rank + axis).map_or(0, |(_, coefficient)| *coefficient);
    fixed.offset = fixed.offset + Dim::constant(behind) * Dim::constant(place);
    fixed.terms.retain(|(own, _)| *own < rank);
    fixed
}

fn too_large() -> Diagnostic {
    Diagnostic::new("the gradient of this view needs index arithmetic beyond 64 bits")
        .hint("split the view into several with smaller strides, or copy between them")
}

/// What elimination leaves.
struct Solution {
    /// Output axes with the equation that determines each, in which no other pivot appears.
    pivots: Vec<(usize, Equation)>,
    /// Equations without output axes left to solve for.
    guards: Vec<Equation>,
}

fn eliminate(mut open: Vec<Equation>, out: &Shape) -> Option<Solution> {
    let mut pivots: Vec<(usize, Equation)> = Vec::new();
    let mut guards = Vec::new();
    while !open.is_empty() {
        // The best pivot of all: what stays is summed over, so the largest axis goes first.
        let candidates = open.iter().enumerate().flat_map(|(row, equation)| {
            (0..equation.out.len()).filter(|axis| equation.out[*axis] != 0).map(move |axis| (row, axis))
        });
        let rank = |row: usize, axis: usize| {
            let size = out[axis].as_constant();
            (size.is_none(), size.unwrap_or(0), std::cmp::Reverse(open[row].out[axis].abs()))
        };
        let best = candidates.fold(None, |best: Option<(usize, usize)>, (row, axis)| match best {
            Some((r, a)) if rank(r, a) >= rank(row, axis) => Some((r, a)),
            _ => Some((row, axis)),
        });
        let Some((row, axis)) = best else {
            guards.append(&mut open);
            break;
        };
        let pivot = open.remove(row);
        for equation in open.iter_mut().chain(pivots.iter_mut().map(|(_, equation)| equation)) {
            if equation.out[axis] != 0 {
                *equation = equation.combine(pivot.out[axis], &pivot, equation.out[axis])?;
            }
        }
        pivots.push((axis, pivot));
    }
    pivots.sort_by_key(|(axis, _)| *axis);
    Some(Solution { pivots, guards })
}

/// The equation solved for output axis `pivot` (or, without one, its left side) as a coordinate over
/// `[source axes.., free axes..]`.
fn coordinate(equation: &Equation, pivot: Option<usize>, free: &[usize]) -> Option<AxisIndex> {
    let divisor = pivot.map_or(-1, |axis| equation.out[axis]);
    // k*o + rest = 0, so o = -rest/k; the divisor of an AxisIndex is positive.
    let sign = if divisor < 0 { 1 } else { -1 };
    let mut terms = Vec::new();
    let sources = equation.source.iter().enumerate().map(|(axis, c)| (axis, *c));
    let others = free.iter().enumerate().map(|(place, axis)| (equation.source.len() + place, equation.out[*axis]));
    for (axis, coefficient) in sources.chain(others).filter(|(_, c)| *c != 0) {
        terms.push((axis, i64::try_from(sign * coefficient).ok()?));
    }
    let offset = equation.offset.clone() * Dim::constant(sign as i64);
    Some(AxisIndex { terms, offset, divisor: u64::try_from(divisor.unsigned_abs()).ok().filter(|d| *d <= 1 << 31)? })
}
