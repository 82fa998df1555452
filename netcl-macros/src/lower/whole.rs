//! Methods of whole numbers that are known while compiling: what they give is a whole number too.

use super::size_arithmetic::product;
use super::value::{Integer, WholeNumber, unsigned};
use super::{Lowering, Val};
use netcl_kernels::dim::Dim;
use netcl_kernels::dtype::DType;

/// A power of a size is a product of so many at most.
const MOST_FACTORS: u64 = 8;

/// The method's value. `None` of other methods, of what is not known, and where Rust has no value (a divisor of zero).
pub(super) fn method<'a>(name: &str, receiver: &Val<'a>, args: &[Val<'a>]) -> Option<Val<'a>> {
    let x = constant(receiver)?;
    let known: Vec<i64> = args.iter().map(constant).collect::<Option<_>>()?;
    let value = match (name, known.as_slice()) {
        ("abs", []) => x.checked_abs()?,
        ("signum" | "sign", []) => x.signum(),
        ("clamp", [low, high]) => x.max(*low).min(*high),
        ("saturating_sub", [other]) if !receiver.is_signed() => x.saturating_sub(*other).max(0),
        ("saturating_sub", [other]) => match receiver.whole_dtype() {
            Some(DType::I32) => x.saturating_sub(*other).clamp(i32::MIN.into(), i32::MAX.into()),
            _ => x.saturating_sub(*other),
        },
        ("abs_diff", [other]) => x.checked_sub(*other)?.checked_abs()?,
        ("rem_euclid", [divisor]) => x.checked_rem_euclid(*divisor)?,
        ("div_euclid", [divisor]) => x.checked_div_euclid(*divisor)?,
        _ => return None,
    };
    let ty = std::iter::once(receiver).chain(args).find_map(Val::integer).map(|ty| match ty {
        Integer::Of(dtype) if name == "abs_diff" => Integer::Of(unsigned(dtype)),
        ty => ty,
    });
    Some(Val::Dim(WholeNumber { size: Dim::constant(value), ty }))
}

impl<'a> Lowering<'a> {
    /// Whether it is one whole number that a call knows.
    pub(super) fn is_one_whole(&self, value: &Val<'a>) -> bool {
        match value {
            Val::Tensor(id) => self.builder.shape(*id).rank() == 0 && self.builder.dtype(*id).is_integer(),
            _ => false,
        }
    }

    /// Rust's functions of whole numbers that sizes have; `None` where the result is none.
    pub(super) fn size_method(&mut self, name: &str, size: &WholeNumber, other: &Dim) -> Option<Val<'a>> {
        if self.is_open(other) || self.is_open(size) && other.as_constant().is_some() {
            return Some(self.open());
        }
        let number = u64::try_from(other.as_constant()?).ok()?;
        match name {
            "pow" => {
                let power = match size.as_constant() {
                    // What is too large is no size.
                    Some(base) => Dim::constant(base.checked_pow(u32::try_from(number).ok()?)?),
                    None => power(size, number)?,
                };
                Some(Val::Dim(size.of_its_type(power)))
            }
            _ if number == 0 => None,
            "div_ceil" => Some(Val::Dim(size.of_its_type(size.ceil_div(number)))),
            _ => Some(Val::Dim(size.of_its_type(size.ceil_div(number) * other.clone()))),
        }
    }
}

/// The power of a size as a size, unless it has too many factors or terms.
pub(super) fn power(size: &Dim, exponent: u64) -> Option<Dim> {
    let factors = Some(exponent).filter(|factors| *factors <= MOST_FACTORS)?;
    (0..factors).try_fold(Dim::constant(1), |power, _| product(&power, size))
}

/// The method's value of an index, where that is an index again.
pub(super) fn of_index<'a>(name: &str, receiver: &Val<'a>, args: &[Val<'a>], axes: &[Dim]) -> Option<Val<'a>> {
    let Val::Index(index) = receiver else { return None };
    let index = match (name, args) {
        ("clamp", [Val::Dim(low), Val::Dim(high)]) => index.bounded(Some(low), Some(high), axes),
        ("rem_euclid", [Val::Dim(divisor)]) => index.wrapped(divisor, axes),
        _ => None,
    };
    index.map(Val::Index)
}

fn constant(value: &Val<'_>) -> Option<i64> {
    match value {
        Val::Dim(dim) => dim.as_constant(),
        _ => None,
    }
}
