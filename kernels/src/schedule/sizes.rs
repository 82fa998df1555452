//! Sizes as kernel expressions, written as people write them: `H - 1`, never `-1 + H`.

use crate::dim::{Dim, Factor};
use crate::dtype::{DType, Literal};
use crate::graph::BinaryOp;
use crate::kir::ExprId;
use crate::kir::build::KernelBuilder;

/// A sum while its terms are added.
pub(super) struct Sum {
    value: Option<ExprId>,
    dtype: DType,
}

impl Sum {
    /// An empty sum of that type.
    pub(super) fn of(dtype: DType) -> Self {
        Sum { value: None, dtype }
    }

    pub(super) fn add(&mut self, b: &mut KernelBuilder, term: ExprId) {
        self.value = Some(match self.value {
            Some(sum) => b.add(sum, term),
            None => term,
        });
    }

    pub(super) fn subtract(&mut self, b: &mut KernelBuilder, term: ExprId) {
        self.value = Some(match self.value {
            Some(sum) => b.binary(BinaryOp::Sub, sum, term),
            None => {
                let minus = b.literal(Literal::Int(-1, self.dtype));
                b.mul(term, minus)
            }
        });
    }

    /// Adds the terms of `dim` that are above zero, or subtracts those below.
    pub(super) fn terms(&mut self, b: &mut KernelBuilder, dim: &Dim, negative: bool) {
        for (factors, coefficient) in dim.written().filter(|(_, coefficient)| (*coefficient < 0) == negative) {
            let term = product(b, factors, coefficient.saturating_abs(), self.dtype);
            match negative {
                true => self.subtract(b, term),
                false => self.add(b, term),
            }
        }
    }

    pub(super) fn finish(self, b: &mut KernelBuilder) -> ExprId {
        self.value.unwrap_or_else(|| b.literal(Literal::Int(0, self.dtype)))
    }
}

/// A size in index arithmetic, from constants and one parameter per symbol.
pub(crate) fn dim_value(b: &mut KernelBuilder, dim: &Dim) -> ExprId {
    b.note_size(&added(dim));
    in_type(b, dim, b.index_dtype())
}

/// A size by which positions are divided: at least 1 also where an axis without elements would make it 0, because
/// drivers may divide before they look whether there are elements.
pub(super) fn divisor(b: &mut KernelBuilder, dim: &Dim) -> ExprId {
    let value = dim_value(b, dim);
    if smallest(dim).is_some_and(|least| least > 0) {
        return value;
    }
    let one = b.int(1);
    b.binary(BinaryOp::Max, value, one)
}

/// A size as a number of `dtype`, for formulas: what may exceed 32 bits is computed with 64, because it need not be the size
/// of anything. What the kernel counts up to, as a mean does, does not.
pub(super) fn size_value(b: &mut KernelBuilder, dim: &Dim, dtype: DType) -> ExprId {
    let scaled =
        dim.terms().any(|(factors, coefficient)| factors.len() > 1 || (coefficient != 1 && !factors.is_empty()));
    let offset = dim.terms().find(|(factors, _)| factors.is_empty()).map_or(0, |(_, value)| value);
    let symbols = dim.terms().filter(|(factors, _)| !factors.is_empty()).count();
    let narrow = !scaled && symbols <= 1 && (-SMALL..=SMALL).contains(&offset);
    let number = dim.as_constant().is_some_and(|value| i32::try_from(value).is_ok());
    let counted = b.is_noted(&added(dim));
    if b.is_wide() && matches!(dtype, DType::I32 | DType::U32) {
        b.note_number(&added(dim));
    }
    let narrow = !b.is_wide() && (narrow || number || counted);
    let size = in_type(b, dim, if narrow { DType::I32 } else { DType::I64 });
    b.cast(dtype, size)
}

/// What may be added to a size without leaving `I32`: see [`crate::dim::INDEX_LIMIT`].
const SMALL: i64 = 1 << 15;

fn in_type(b: &mut KernelBuilder, dim: &Dim, dtype: DType) -> ExprId {
    let mut sum = Sum::of(dtype);
    sum.terms(b, dim, false);
    sum.terms(b, dim, true);
    sum.finish(b)
}

fn product(b: &mut KernelBuilder, factors: &[Factor], coefficient: i64, dtype: DType) -> ExprId {
    let mut product = None;
    for factor in factors {
        let value = match factor {
            Factor::Symbol(symbol) => {
                let value = b.size(symbol.name());
                b.cast(dtype, value)
            }
            Factor::FloorDiv(dividend, divisor) => {
                let dividend = in_type(b, dividend, dtype);
                let divisor = b.literal(Literal::Int(*divisor as i64, dtype));
                b.binary(BinaryOp::Div, dividend, divisor)
            }
        };
        product = Some(match product {
            Some(product) => b.mul(product, value),
            None => value,
        });
    }
    let coefficient = b.literal(Literal::Int(coefficient, dtype));
    match product {
        Some(product) => b.mul(product, coefficient),
        None => coefficient,
    }
}

/// The terms above zero: what a sum reaches before anything is subtracted.
pub(super) fn added(dim: &Dim) -> Dim {
    dim.parts().filter(|(_, coefficient)| *coefficient > 0).fold(Dim::default(), |sum, (part, _)| sum + part)
}

/// The smallest value of a size that is a sum and product of what is never negative; `None` of others.
fn smallest(dim: &Dim) -> Option<i64> {
    dim.terms().try_fold(0i64, |sum, (factors, coefficient)| {
        let product = factors.iter().try_fold(coefficient, |product, factor| match factor {
            Factor::Symbol(_) => Some(product),
            Factor::FloorDiv(dividend, divisor) => product.checked_mul(smallest(dividend)? / *divisor as i64),
        })?;
        if coefficient < 0 { None } else { sum.checked_add(product) }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::emit::opencl;
    use crate::kir::Launch;
    use crate::kir::verify::{Capabilities, verify};

    /// The OpenCL C of a function that returns the value.
    fn written(dim: &Dim, value: impl Fn(&mut KernelBuilder, &Dim) -> ExprId) -> String {
        let mut b = KernelBuilder::new("size", Launch::function());
        let id = value(&mut b, dim);
        b.set_result(id);
        let kernel = b.finish();
        let text = opencl::kernel(&verify(&kernel, &Capabilities::unlimited()).expect("sound"));
        let line = text.lines().find_map(|line| line.trim().strip_prefix("return "));
        line.expect("a result").trim_end_matches(';').to_string()
    }

    #[test]
    fn what_is_subtracted_stands_last() {
        let (h, w) = (Dim::symbol("H"), Dim::symbol("W"));
        let cases = [
            (h.clone() - Dim::from(1), "H - 1"),
            (Dim::from(3) - h.clone(), "3 - H"),
            (w.clone() * Dim::from(2) + Dim::from(1) - h.clone(), "W * 2 + 1 - H"),
            (w * h.clone(), "H * W"),
            ((h.clone() - Dim::from(2)).floor_div(2) + Dim::from(1), "H / 2"),
            ((h.clone() - Dim::from(3)).floor_div(4) + Dim::from(5), "(H + 1) / 4 + 4"),
            (h * Dim::constant(-2), "H * 2 * -1"),
        ];
        for (dim, expected) in cases {
            assert_eq!(written(&dim, dim_value), expected, "{dim}");
        }
    }

    #[test]
    fn only_what_may_be_zero_is_kept_from_it() {
        let (h, w) = (Dim::symbol("H"), Dim::symbol("W"));
        let cases = [
            (h.clone() * w.clone(), "H * W"),
            (h.ceil_div(4), "(H + 3) / 4"),
            (h.floor_div(4), "max(H / 4, 1)"),
            (h.floor_div(4) + Dim::from(1), "H / 4 + 1"),
            (h.clone() - Dim::from(1), "max(H - 1, 1)"),
            (w - h, "max(W - H, 1)"),
        ];
        for (dim, expected) in cases {
            assert_eq!(written(&dim, divisor), expected, "{dim}");
        }
    }

    #[test]
    fn sizes_in_formulas_keep_their_value() {
        let (h, w) = (Dim::symbol("H"), Dim::symbol("W"));
        let int = |b: &mut KernelBuilder, dim: &Dim| size_value(b, dim, DType::I32);
        assert_eq!(written(&(h.clone() - Dim::from(1)), int), "H - 1");
        // Half of a sum may fit where the sum does not.
        for dim in [h.clone() + w.clone(), h.clone() * w, h + Dim::constant(i64::from(i32::MAX))] {
            assert!(written(&dim, int).contains("(long)"), "{}", written(&dim, int));
        }
    }

    #[test]
    fn sizes_in_formulas_read_as_people_write_them() {
        let (h, w) = (Dim::symbol("H"), Dim::symbol("W"));
        let pooled = h.ceil_div(2) * w.ceil_div(2);
        let float = |b: &mut KernelBuilder, dim: &Dim| size_value(b, dim, DType::F32);
        let cases = [
            (pooled.clone(), "(float)(((long)H + 1) / 2 * (((long)W + 1) / 2))"),
            (h.clone() * w.clone(), "(float)((long)H * (long)W)"),
            (h.clone() - w.clone() + Dim::from(1), "(float)((long)H + 1 - (long)W)"),
            (w * h * Dim::constant(-2), "(float)((long)H * (long)W * 2 * -1L)"),
        ];
        for (dim, expected) in cases {
            assert_eq!(written(&dim, float), expected, "{dim}");
        }
        let after_a_loop = |b: &mut KernelBuilder, dim: &Dim| {
            dim_value(b, dim);
            size_value(b, dim, DType::F32)
        };
        assert_eq!(written(&pooled, after_a_loop), "(float)((H + 1) / 2 * ((W + 1) / 2))");
    }
}
