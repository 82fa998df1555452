//! Operators of numbers and of bits.

/// Types of numbers in which kernels compute.
#[allow(missing_docs, reason = "the names of the kernel IR's operations")]
pub trait Arithmetic: Copy + Default + PartialEq + PartialOrd + 'static {
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
    fn div(self, other: Self) -> Self;
    fn rem(self, other: Self) -> Self;
    fn max(self, other: Self) -> Self;
    fn min(self, other: Self) -> Self;
    fn neg(self) -> Self;
    fn abs(self) -> Self;
    fn sign(self) -> Self;
    /// A small number, such as that of a lane.
    fn of_index(index: usize) -> Self;
}

/// Types with bits: integers and truth values.
#[allow(missing_docs, reason = "the names of the kernel IR's operations")]
pub trait Bits: Copy + Default + PartialEq + PartialOrd + 'static {
    fn and(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    fn xor(self, other: Self) -> Self;
    fn not(self) -> Self;
    /// By the distance modulo the number of bits.
    fn shl(self, distance: Self) -> Self;
    /// As [`Bits::shl`]; signed integers keep their sign.
    fn shr(self, distance: Self) -> Self;
}

/// Types of whole numbers.
pub trait Integer: Arithmetic + Bits + Ord {}

#[rustfmt::skip]
macro_rules! integer {
    ($($type:ident: $abs:expr, $sign:expr;)*) => {$(
        impl Arithmetic for $type {
            #[inline(always)] fn add(self, other: Self) -> Self { self.wrapping_add(other) }
            #[inline(always)] fn sub(self, other: Self) -> Self { self.wrapping_sub(other) }
            #[inline(always)] fn mul(self, other: Self) -> Self { self.wrapping_mul(other) }
            #[inline(always)] fn div(self, other: Self) -> Self { if other == 0 { 0 } else { self.wrapping_div(other) } }
            #[inline(always)] fn rem(self, other: Self) -> Self { if other == 0 { 0 } else { self.wrapping_rem(other) } }
            #[inline(always)] fn max(self, other: Self) -> Self { Ord::max(self, other) }
            #[inline(always)] fn min(self, other: Self) -> Self { Ord::min(self, other) }
            #[inline(always)] fn neg(self) -> Self { self.wrapping_neg() }
            #[inline(always)] fn abs(self) -> Self { $abs(self) }
            #[inline(always)] fn sign(self) -> Self { $sign(self) }
            #[inline(always)] fn of_index(index: usize) -> Self { index as $type }
        }

        impl Bits for $type {
            #[inline(always)] fn and(self, other: Self) -> Self { self & other }
            #[inline(always)] fn or(self, other: Self) -> Self { self | other }
            #[inline(always)] fn xor(self, other: Self) -> Self { self ^ other }
            #[inline(always)] fn not(self) -> Self { !self }
            #[inline(always)] fn shl(self, distance: Self) -> Self { self.wrapping_shl(distance as u32) }
            #[inline(always)] fn shr(self, distance: Self) -> Self { self.wrapping_shr(distance as u32) }
        }

        impl Integer for $type {}
    )*};
}
integer! {
    i32: i32::wrapping_abs, i32::signum;
    i64: i64::wrapping_abs, i64::signum;
    u32: std::convert::identity, |x: u32| Ord::min(x, 1);
    u8: std::convert::identity, |x: u8| Ord::min(x, 1);
}

#[rustfmt::skip]
impl Bits for bool {
    #[inline(always)] fn and(self, other: Self) -> Self { self & other }
    #[inline(always)] fn or(self, other: Self) -> Self { self | other }
    #[inline(always)] fn xor(self, other: Self) -> Self { self ^ other }
    #[inline(always)] fn not(self) -> Self { !self }
    // The verifier lets no shift of truth values pass.
    #[inline(always)] fn shl(self, _: Self) -> Self { self }
    #[inline(always)] fn shr(self, _: Self) -> Self { self }
}

#[rustfmt::skip]
macro_rules! float {
    ($($type:ident)*) => {$(
        impl Arithmetic for $type {
            #[inline(always)] fn add(self, other: Self) -> Self { self + other }
            #[inline(always)] fn sub(self, other: Self) -> Self { self - other }
            #[inline(always)] fn mul(self, other: Self) -> Self { self * other }
            #[inline(always)] fn div(self, other: Self) -> Self { self / other }
            #[inline(always)] fn rem(self, other: Self) -> Self { self % other }
            #[inline(always)] fn max(self, other: Self) -> Self { if self > other || self.is_nan() { self } else { other } }
            #[inline(always)] fn min(self, other: Self) -> Self { if self < other || self.is_nan() { self } else { other } }
            #[inline(always)] fn neg(self) -> Self { -self }
            #[inline(always)] fn abs(self) -> Self { $type::abs(self) }
            #[inline(always)]
            fn sign(self) -> Self {
                let negative = if self < 0.0 { -1.0 } else { self };
                if self > 0.0 { 1.0 } else { negative }
            }
            #[inline(always)] fn of_index(index: usize) -> Self { index as $type }
        }
    )*};
}
float!(f32 f64);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_have_no_undefined_cases() {
        assert_eq!((i32::MIN.div(-1), i32::MIN.rem(-1), Arithmetic::abs(i32::MIN)), (i32::MIN, 0, i32::MIN));
        assert_eq!((7u32.div(0), Arithmetic::rem(7i64, 0), 200u8.add(100)), (0, 0, 44));
        assert_eq!((Arithmetic::div(-7i32, 2), Arithmetic::rem(-7i32, 2)), (-3, -1));
        assert_eq!((Arithmetic::sign(-5i64), Arithmetic::sign(9u8), Arithmetic::sign(0u32)), (-1, 1, 0));
        assert_eq!((Bits::shl(1u8, 9), Bits::shr(-8i32, 33), Bits::shl(1i64, -63)), (2, -4, 2));
    }

    #[test]
    fn maximum_and_minimum_keep_nan() {
        assert!(Arithmetic::max(f32::NAN, 1.0).is_nan() && Arithmetic::max(1.0, f32::NAN).is_nan());
        assert!(Arithmetic::min(f64::NAN, 1.0).is_nan() && Arithmetic::min(1.0, f64::NAN).is_nan());
        assert_eq!((Arithmetic::max(2.0f32, 1.0), Arithmetic::min(2.0f32, 1.0)), (2.0, 1.0));
        assert_eq!((Arithmetic::sign(-3.0f32), Arithmetic::sign(3.0f64)), (-1.0, 1.0));
        assert!(Arithmetic::sign(f32::NAN).is_nan());
        assert_eq!(Arithmetic::sign(-0.0f32).to_bits(), (-0.0f32).to_bits());
    }
}
