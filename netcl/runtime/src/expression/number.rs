//! Arithmetic of expressions on the host, for each type in which values are computed.

use super::words::{Binary, Unary};
use crate::tensor::Element;

/// A type in which expressions compute.
pub(crate) trait Number: Element + PartialEq + PartialOrd {
    /// The largest and the smallest finite value.
    const LARGEST: Self;
    const SMALLEST: Self;

    /// The low bits of an integer; floats round.
    fn of_integer(value: u64) -> Self;
    /// Rounds; integers truncate.
    fn of_float(value: f64) -> Self;
    fn to_f64(self) -> f64;
    fn unary(operator: Unary, x: Self) -> Self;
    fn binary(operator: Binary, x: Self, y: Self) -> Self;

    /// What a comparison gives.
    fn truth(holds: bool) -> Self {
        Self::of_integer(u64::from(holds))
    }

    /// Whether a condition of this value holds.
    fn holds(self) -> bool {
        self != Self::of_integer(0)
    }
}

/// What all types have in common.
fn compare<T: Number>(operator: Binary, x: T, y: T) -> T {
    match operator {
        #[allow(clippy::eq_op, reason = "NaN is not itself")]
        Binary::Min => {
            if x < y || x != x {
                x
            } else {
                y
            }
        }
        #[allow(clippy::eq_op, reason = "NaN is not itself")]
        Binary::Max => {
            if x > y || x != x {
                x
            } else {
                y
            }
        }
        Binary::Less => T::truth(x < y),
        Binary::LessEqual => T::truth(x <= y),
        Binary::Greater => T::truth(x > y),
        Binary::GreaterEqual => T::truth(x >= y),
        Binary::Equal => T::truth(x == y),
        Binary::And => T::truth(x.holds() && y.holds()),
        Binary::Or => T::truth(x.holds() || y.holds()),
        // The other operators are each type's own, above this.
        _ => T::truth(x != y),
    }
}

/// What all types have in common: their range, and Rust's `as`.
macro_rules! conversions {
    ($type:ty) => {
        const LARGEST: Self = <$type>::MAX;
        const SMALLEST: Self = <$type>::MIN;

        fn of_integer(value: u64) -> Self {
            value as $type
        }

        fn of_float(value: f64) -> Self {
            value as $type
        }

        fn to_f64(self) -> f64 {
            self as f64
        }
    };
}

macro_rules! integers {
    ($($type:ty),*) => {$(
        impl Number for $type {
            conversions!($type);

            fn unary(operator: Unary, x: Self) -> Self {
                #[allow(unused_comparisons, clippy::absurd_extreme_comparisons, reason = "also for unsigned types")]
                let negative = x < 0;
                match operator {
                    Unary::Negate => x.wrapping_neg(),
                    Unary::Not => Self::truth(x == 0),
                    Unary::Complement => !x,
                    Unary::Relu => if negative { 0 } else { x },
                    Unary::Abs => if negative { x.wrapping_neg() } else { x },
                    // The others are for floats: the parser says so.
                    _ => 0,
                }
            }

            fn binary(operator: Binary, x: Self, y: Self) -> Self {
                match operator {
                    Binary::Add => x.wrapping_add(y),
                    Binary::Subtract => x.wrapping_sub(y),
                    Binary::Multiply => x.wrapping_mul(y),
                    Binary::Divide => if y == 0 { 0 } else { x.wrapping_div(y) },
                    Binary::Remainder => if y == 0 { 0 } else { x.wrapping_rem(y) },
                    Binary::BitAnd => x & y,
                    Binary::BitOr => x | y,
                    Binary::BitXor => x ^ y,
                    Binary::ShiftLeft => x.wrapping_shl(y as u32),
                    Binary::ShiftRight => x.wrapping_shr(y as u32),
                    _ => compare(operator, x, y),
                }
            }
        }
    )*};
}

macro_rules! floats {
    ($($type:ty),*) => {$(
        impl Number for $type {
            conversions!($type);

            fn unary(operator: Unary, x: Self) -> Self {
                match operator {
                    Unary::Negate => -x,
                    Unary::Not => Self::truth(x == 0.0),
                    Unary::Relu => if x < 0.0 { 0.0 } else { x },
                    Unary::Abs => x.abs(),
                    Unary::Sqrt => x.sqrt(),
                    Unary::Rsqrt => 1.0 / x.sqrt(),
                    Unary::Exp => x.exp(),
                    Unary::Exp2 => x.exp2(),
                    Unary::Log => x.ln(),
                    Unary::Log2 => x.log2(),
                    Unary::Sin => x.sin(),
                    Unary::Cos => x.cos(),
                    Unary::Tan => x.tan(),
                    Unary::Tanh => x.tanh(),
                    Unary::Floor => x.floor(),
                    Unary::Ceil => x.ceil(),
                    Unary::Round => x.round_ties_even(),
                    Unary::Trunc => x.trunc(),
                    Unary::IsNan => Self::truth(x.is_nan()),
                    // For integers alone: the parser says so.
                    Unary::Complement => x,
                }
            }

            fn binary(operator: Binary, x: Self, y: Self) -> Self {
                match operator {
                    Binary::Add => x + y,
                    Binary::Subtract => x - y,
                    Binary::Multiply => x * y,
                    Binary::Divide => x / y,
                    Binary::Remainder => x % y,
                    Binary::Power => x.powf(y),
                    _ => compare(operator, x, y),
                }
            }
        }
    )*};
}

integers!(i32, u32, i64);
floats!(f32, f64);
