//! The rules of reductions.

use super::maths::Maths;
use super::order::HighestOrder;
use crate::dim::Shape;
use crate::dtype::DType;
use crate::graph::{AxisIndex, BinaryOp, CompareOp, NodeId, ReduceOp};
use crate::span::Result;

/// `dx` of `y = op over axes (x)`.
pub(super) fn reduce(
    m: &mut Maths<'_>,
    op: ReduceOp,
    (x, axes): (NodeId, &[usize]),
    g: NodeId,
    order: HighestOrder,
) -> Result<Option<NodeId>> {
    let spread = m.spread(g, x, axes)?;
    Ok(Some(match op {
        // g everywhere
        ReduceOp::Sum => spread,
        // g times the product of the other elements, each product for itself: below the others' derivative is lost where one is 0
        ReduceOp::Prod if order == HighestOrder::Any => {
            let slope = products_of_others(m, x, axes)?;
            m.mul(spread, slope)?
        }
        // g times the product of the other elements: of all elements but zeros, divided by x where x is not 0; where x
        // is 0, that product if it is the only zero, else 0. Right at zeros too, but for its own derivative where an
        // element is 0.
        ReduceOp::Prod => {
            let (zero, one) = (m.full_like(0.0, x), m.full_like(1.0, x));
            let is_zero = m.0.compare(CompareOp::Eq, x, zero)?;
            let filled = m.0.select(is_zero, one, x)?;
            let product = m.0.reduce(ReduceOp::Prod, filled, axes, false)?;
            let flags = m.0.select(is_zero, one, zero)?;
            let zeros = m.0.reduce(ReduceOp::Sum, flags, axes, false)?;
            let (product, zeros) = (m.spread(product, x, axes)?, m.spread(zeros, x, axes)?);
            let (none, single) = (m.0.compare(CompareOp::Eq, zeros, zero)?, m.0.compare(CompareOp::Eq, zeros, one)?);
            let others = m.div(product, filled)?;
            let others = m.0.select(none, others, zero)?;
            let only = m.0.select(single, product, zero)?;
            let slope = m.0.select(is_zero, only, others)?;
            m.mul(spread, slope)?
        }
        // g at the first extreme, as PyTorch's max_pool
        ReduceOp::Max | ReduceOp::Min => {
            let position = if op == ReduceOp::Max { ReduceOp::ArgMax } else { ReduceOp::ArgMin };
            let first = m.0.reduce(position, x, axes, false)?;
            let first = m.spread(first, x, axes)?;
            let here = m.position(x, axes)?;
            let chosen = m.0.compare(CompareOp::Eq, here, first)?;
            let zero = m.full_like(0.0, x);
            m.0.select(chosen, spread, zero)?
        }
        ReduceOp::ArgMax | ReduceOp::ArgMin => return Ok(None),
    }))
}

/// For each element of `x` the product over `axes` of all elements but that.
fn products_of_others(m: &mut Maths<'_>, x: NodeId, axes: &[usize]) -> Result<NodeId> {
    let shape = m.0.shape(x).clone();
    let rank = shape.rank();
    // The reduced axes once more, behind the others.
    let space = Shape(shape.0.iter().chain(axes.iter().map(|axis| &shape[*axis])).cloned().collect());
    let again = |axis: usize| axes.iter().position(|reduced| *reduced == axis).map_or(axis, |place| rank + place);
    let all = m.0.view(x, space.clone(), (0..rank).map(|axis| AxisIndex::axis(again(axis))).collect())?;
    let mut own = None;
    for &axis in axes {
        let (here, there) = (m.0.iota(&space, axis, DType::I32)?, m.0.iota(&space, again(axis), DType::I32)?);
        let equal = m.0.compare(CompareOp::Eq, here, there)?;
        own = Some(match own {
            Some(own) => m.0.binary(BinaryOp::And, own, equal)?,
            None => equal,
        });
    }
    let one = m.full_like(1.0, all);
    let others = match own {
        Some(own) => m.0.select(own, one, all)?,
        None => one,
    };
    let repeated: Vec<usize> = (rank..space.rank()).collect();
    m.0.reduce(ReduceOp::Prod, others, &repeated, false)
}
