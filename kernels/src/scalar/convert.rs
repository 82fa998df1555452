//! Conversions between types, and the types that exist in memory only.

use crate::dtype::DType;

/// Conversion to another type.
pub trait Convert<U> {
    /// The value as `U`.
    fn convert(self) -> U;
}

macro_rules! convert {
    ($($from:ident)*: $to:tt) => {
        $(convert!(@from $from: $to);)*

        impl Convert<bool> for bool {
            #[inline(always)]
            fn convert(self) -> bool {
                self
            }
        }
    };
    (@from $from:ident: [$($to:ident)*]) => {
        $(impl Convert<$to> for $from {
            #[inline(always)]
            fn convert(self) -> $to {
                self as $to
            }
        })*

        impl Convert<bool> for $from {
            #[inline(always)]
            fn convert(self) -> bool {
                self != Self::default()
            }
        }

        impl Convert<$from> for bool {
            #[inline(always)]
            fn convert(self) -> $from {
                u8::from(self) as $from
            }
        }
    };
}
convert!(u8 i32 u32 i64 f32 f64: [u8 i32 u32 i64 f32 f64]);

/// The same bits as another type of the same size.
pub trait Bitcast<U> {
    /// The bits as `U`.
    fn bitcast(self) -> U;
}

macro_rules! bitcast {
    ($($from:ident $to:ident: $f:expr;)*) => {$(
        impl Bitcast<$to> for $from {
            #[inline(always)]
            fn bitcast(self) -> $to {
                $f(self)
            }
        }
    )*};
}
bitcast! {
    f32 u32: f32::to_bits;
    u32 f32: f32::from_bits;
    f32 i32: |x: f32| x.to_bits() as i32;
    i32 f32: |x: i32| f32::from_bits(x as u32);
    i32 u32: |x: i32| x as u32;
    u32 i32: |x: u32| x as i32;
    f64 i64: |x: f64| x.to_bits() as i64;
    i64 f64: |x: i64| f64::from_bits(x as u64);
    f32 f32: std::convert::identity;
    f64 f64: std::convert::identity;
    i32 i32: std::convert::identity;
    u32 u32: std::convert::identity;
    i64 i64: std::convert::identity;
    u8 u8: std::convert::identity;
}

/// The `f16` with these bits: as `half` does it, without branches and without asking what the processor has, so that loops over
/// elements become loops over vectors.
#[inline(always)]
pub fn from_f16_bits(bits: u16) -> f32 {
    /// What the exponents of `f32` are larger by.
    const BIAS: u32 = (127 - 15) << 23;
    let (sign, magnitude) = (u32::from(bits & 0x8000) << 16, u32::from(bits & 0x7fff) << 13);
    let finite = magnitude + BIAS;
    // Below 2^-14 all have the exponent of the smallest normal number, without its leading one.
    let smallest = BIAS + (1 << 23);
    let subnormal = (f32::from_bits(magnitude + smallest) - f32::from_bits(smallest)).to_bits();
    // A signalling NaN becomes a quiet one.
    let quiet = if magnitude > 0x0f80_0000 { 0x0040_0000 } else { 0 };
    let special = magnitude | 0x7f80_0000 | quiet;
    let value = match magnitude {
        0..0x0080_0000 => subnormal,
        0x0080_0000..0x0f80_0000 => finite,
        _ => special,
    };
    f32::from_bits(sign | value)
}

/// The bits of the nearest `f16`, to even in the middle: as `half` does it, without branches as above.
#[inline(always)]
pub fn f16_bits(value: f32) -> u16 {
    let (sign, magnitude) = (value.to_bits() & 0x8000_0000, value.to_bits() & 0x7fff_ffff);
    let odd = magnitude >> 13 & 1;
    let finite = magnitude.wrapping_sub((127 - 15) << 23).wrapping_add(0xfff + odd) >> 13;
    // A sum with 0.5 has as many bits behind the point as the numbers below 2^-14 have.
    let subnormal = (f32::from_bits(magnitude) + 0.5).to_bits().wrapping_sub(0.5f32.to_bits());
    let nan = 0x7e00 | (magnitude >> 13 & 0x3ff);
    let bits = match magnitude {
        0..0x3880_0000 => subnormal,
        0x3880_0000..0x4780_0000 => finite,
        0x4780_0000..=0x7f80_0000 => 0x7c00,
        _ => nan,
    };
    (sign >> 16 | bits) as u16
}

/// The `bf16` with these bits.
#[inline(always)]
pub fn from_bf16_bits(bits: u16) -> f32 {
    let bits = u32::from(bits) << 16;
    // A signalling NaN becomes a quiet one.
    f32::from_bits(if bits & 0x7fff_ffff > 0x7f80_0000 { bits | 0x0040_0000 } else { bits })
}

/// The bits of the nearest `bf16`: as `half` does it, without branches.
#[inline(always)]
pub fn bf16_bits(value: f32) -> u16 {
    let bits = value.to_bits();
    let rounded = bits.wrapping_add(0x7fff + ((bits >> 16) & 1)) >> 16;
    (if value.is_nan() { bits >> 16 | 0x40 } else { rounded }) as u16
}

/// What a load gives after `value` was stored as an element of type `dtype`; itself for other types than `F16` and `BF16`.
pub fn rounded(value: f32, dtype: DType) -> f32 {
    match dtype {
        DType::F16 => from_f16_bits(f16_bits(value)),
        DType::BF16 => from_bf16_bits(bf16_bits(value)),
        _ => value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use half::{bf16, f16};

    #[test]
    fn floats_saturate_and_integers_wrap() {
        let of = |value: f32| -> (u8, i32, i64) { (value.convert(), value.convert(), value.convert()) };
        assert_eq!(of(f32::NAN), (0, 0, 0));
        assert_eq!(of(1e20), (u8::MAX, i32::MAX, i64::MAX));
        assert_eq!(of(-1.9), (0, -1, -1));
        assert_eq!((Convert::<u8>::convert(-1i32), Convert::<i32>::convert(u32::MAX)), (255, -1));
        assert_eq!((Convert::<bool>::convert(f64::NAN), Convert::<bool>::convert(-0.0f32)), (true, false));
        // In the middle between two neighbours after a first rounding to `f64`.
        let value = (1i64 << 60) + (1 << 36) + 1;
        assert_eq!(Convert::<f32>::convert(value), 2f32.powi(60) + 2f32.powi(37));
    }

    #[test]
    fn half_precision_rounds_as_the_half_crate_does() {
        let check = |bits: u32| {
            let value = f32::from_bits(bits);
            assert_eq!(f16_bits(value), f16::from_f32(value).to_bits(), "{value:e}");
        };
        (0..=u32::MAX).step_by(65_521).for_each(check);
        for stored in 0..=u16::MAX {
            let value = from_f16_bits(stored);
            assert_eq!(value.to_bits(), f16::from_bits(stored).to_f32().to_bits(), "{stored:#x}");
            // Beside each, and beside the middle between it and the next.
            for bits in [value.to_bits(), value.to_bits().wrapping_add(1 << 12)] {
                (0..5).for_each(|step| check(bits.wrapping_add(step).wrapping_sub(2)));
            }
            // The middles between numbers below 2^-14 are numbers of other bits.
            let middle = (f64::from(value) + f64::from(from_f16_bits(stored.wrapping_add(1)))) / 2.0;
            (0..5).for_each(|step| check((middle as f32).to_bits().wrapping_add(step).wrapping_sub(2)));
        }
    }

    #[test]
    fn bfloat16_rounds_as_the_half_crate_does() {
        for bits in (0..=u32::MAX).step_by(65_521).chain([0x7f80_0001, 0xffc0_0000, 0x7f7f_ffff, 0x3f80_8000]) {
            let value = f32::from_bits(bits);
            assert_eq!(bf16_bits(value), bf16::from_f32(value).to_bits(), "{value:e}");
            let stored = bits as u16;
            assert_eq!(from_bf16_bits(stored).to_bits(), bf16::from_bits(stored).to_f32().to_bits());
        }
    }
}
