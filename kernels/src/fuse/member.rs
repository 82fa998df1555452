//! Where a loop computes its members: one element at each place of its space, or one for each of its rows.

use crate::dim::Shape;

/// How a tensor lies in a loop.
pub(crate) struct Membership {
    /// Whether it has one element for each row only.
    pub per_row: bool,
    /// Which axis of the loop's space each of its axes is; `None` for an axis of one element, whose coordinate is 0 in every loop.
    pub axes: Vec<Option<usize>>,
}

impl Membership {
    /// That of a tensor with the shape `member`, the result of a reduction in the loop itself or anything else; none where a loop over
    /// `space` with these `reduced` axes cannot compute it. Axes of one element do not matter.
    pub(crate) fn of(member: &Shape, is_reduction: bool, space: &Shape, reduced: &[usize]) -> Option<Membership> {
        let rows: Vec<usize> = (0..space.rank()).filter(|axis| !reduced.contains(axis)).collect();
        let row_shape = Shape(rows.iter().map(|axis| space[*axis].clone()).collect());
        let whole = || Some(Membership { per_row: false, axes: member.axes_in(space)? });
        let per_row = || {
            let axes = member.axes_in(&row_shape)?.into_iter().map(|axis| axis.map(|axis| rows[axis])).collect();
            Some(Membership { per_row: true, axes })
        };
        // Where the reduced axes have one element, a tensor may lie in the space and in the rows: one of just the rows' shape is of rows.
        match is_reduction || *member == row_shape && member != space {
            true => per_row(),
            false => whole().or_else(per_row),
        }
    }
}
