//! The same elements under another shape, also where that has as many only for sizes that divide.

use super::*;
use crate::dim::Factor;
use crate::equality::Equality;

impl Builder {
    /// The same elements under another shape with as many elements, but for what divisions round off: `[N, T / 2, 8]` has
    /// those of `[N, T, 4]` where `T` is even. Each call is checked then.
    pub fn reshape(&mut self, a: NodeId, shape: Shape) -> Result<NodeId> {
        let source = self.shape(a).clone();
        if source == shape {
            return Ok(a);
        }
        if source.elements() != shape.elements() {
            if let Some(kept) = rounded(&source, &shape) {
                let kept = self.resized(a, kept, [&source, &shape])?;
                return self.reshape(kept, shape);
            }
            if let Some(made) = rounded(&shape, &source) {
                let made = self.reshape(a, made)?;
                return self.resized(made, shape.clone(), [&source, &shape]);
            }
            let (own, wanted) = (source.elements(), shape.elements());
            let message = format!("`reshape` cannot turn {source} ({own} elements) into {shape} ({wanted} elements)");
            let hint = match with_another_size(&own, &shape) {
                Some((axis, fitting)) => {
                    format!("`{}` in place of `{}` makes it {fitting}", fitting[axis], shape[axis])
                }
                None => {
                    "both have as many elements, whatever the symbols are; one size may be -1, which is then worked out"
                        .to_string()
                }
            };
            return Err(Diagnostic::new(message).hint(hint).at(self.span));
        }
        let dtype = self.dtype(a);
        match self.graph[a].op {
            _ if self.literal => {}
            Op::Constant(literal) => return Ok(self.push(Op::Constant(literal), shape, dtype)),
            Op::Reshape(inner) => return self.reshape(inner, shape),
            _ => {}
        }
        Ok(self.push(Op::Reshape(a), shape, dtype))
    }

    /// A tensor under a shape that is its own for the sizes of every call that passes its check.
    fn resized(&mut self, a: NodeId, shape: Shape, [from, to]: [&Shape; 2]) -> Result<NodeId> {
        for (axis, size) in shape.0.iter().enumerate() {
            let sizes = [self.shape(a)[axis].clone(), size.clone()];
            let notes = [self.origin_note(a, axis), String::new()];
            self.agree(Agreement {
                what: format!("`reshape` turns {from} into {to} where sizes divide: axis {axis} is"),
                sizes,
                notes,
                joint: "against".to_string(),
            });
        }
        let index = (0..shape.rank()).map(AxisIndex::axis).collect();
        self.view(a, shape, index)
    }
}

/// The shape with so many elements that has another size along one axis, the last that there is, and which axis that is.
fn with_another_size(elements: &Dim, shape: &Shape) -> Option<(usize, Shape)> {
    (0..shape.rank()).rev().find_map(|axis| {
        let mut others = shape.clone();
        others.0[axis] = Dim::constant(1);
        let size = elements.exact_div(&others.elements())?;
        let mut fitting = shape.clone();
        fitting.0[axis] = size;
        Some((axis, fitting))
    })
}

/// What divides `size` into `part`, which is `floor(dividend / divisor)`: 4 of `T` into `T / 4`, 2 of `T / 2`, which is divided already, 8 of `2 * T`.
/// `divisor` where nothing tells.
fn divided_by(size: &Dim, part: &Dim, (dividend, divisor): (&Dim, u64)) -> Option<u64> {
    let times = size.exact_div(dividend).and_then(|times| u64::try_from(times.as_constant()?).ok());
    let whole = times.and_then(|times| divisor.checked_mul(times)).unwrap_or(divisor);
    let parts = (2..whole).take_while(|by| by * by <= whole).filter(|by| whole.is_multiple_of(*by));
    let mut candidates = std::iter::once(whole).chain(parts.flat_map(|by| [by, whole / by]));
    match candidates.find(|by| size.floor_div(*by) == *part) {
        Some(by) => Some(by),
        None => Some(divisor).filter(|_| size.as_constant().is_none()),
    }
}

/// The shape `whole` with as many elements as `parted`, where that divides some of its sizes and drops what is left over.
pub(crate) fn rounded(whole: &Shape, parted: &Shape) -> Option<Shape> {
    let mut shape = whole.clone();
    for size in &parted.0 {
        for (factors, _) in size.terms() {
            for factor in factors {
                let Factor::FloorDiv(dividend, divisor) = factor else { continue };
                let part = dividend.floor_div(*divisor);
                let kept = |axis: usize| {
                    let by = divided_by(&whole[axis], &part, (dividend, *divisor))?;
                    let kept = part.clone() * Dim::constant(i64::try_from(by).ok()?);
                    (whole[axis].equality(&kept) != Equality::No).then_some((axis, kept))
                };
                let mut untouched = (0..whole.rank()).filter(|axis| shape[*axis] == whole[*axis]);
                if let Some((axis, kept)) = untouched.find_map(kept) {
                    shape.0[axis] = kept;
                }
            }
        }
    }
    (shape.elements() == parted.elements()).then_some(shape)
}
