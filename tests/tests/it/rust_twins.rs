//! What Rust says is what netcl says: functions are called as Rust and in kernels of both forms, with numbers at the ends of
//! their types. The answers are the same to the bit, but for functions that IEEE 754 leaves to libraries.
#![allow(clippy::all, unused_assignments, reason = "what people write, not what they should")]

use crate::common::{agree, device, everywhere};
use netcl::prelude::*;

/// Numbers that tell meanings apart; each pair of floats once, the whole ones in turn.
mod values {
    const FLOATS: [f32; 20] = [
        0.0,
        -0.0,
        1.0,
        -1.5,
        2.5,
        -0.49999997,
        0.1,
        255.5,
        -256.0,
        8388609.0,
        16777216.0,
        -2147483648.0,
        4294967296.0,
        1e-38,
        3.0e38,
        -1e19,
        f32::MAX,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::NAN,
    ];
    pub const COUNT: usize = FLOATS.len() * FLOATS.len();
    const WHOLE: [i32; 15] =
        [0, 1, -1, 2, -2, 7, -7, 255, -128, 256, 65535, 16777217, i32::MAX, i32::MIN + 1, i32::MIN];
    const UNSIGNED: [u32; 11] = [0, 1, 2, 7, 127, 255, 256, 65536, 16777217, 1 << 31, u32::MAX];

    pub fn a() -> Vec<f32> {
        FLOATS.iter().flat_map(|a| [*a; FLOATS.len()]).collect()
    }

    pub fn b() -> Vec<f32> {
        FLOATS.repeat(FLOATS.len())
    }

    pub fn i() -> Vec<i32> {
        in_turn(&WHOLE, 1)
    }

    pub fn j() -> Vec<i32> {
        in_turn(&WHOLE, WHOLE.len())
    }

    pub fn u() -> Vec<u32> {
        in_turn(&UNSIGNED, 1)
    }

    pub fn k() -> Vec<i64> {
        i().into_iter().zip(u()).map(|(i, u)| i64::from(i) * i64::from(u) / 3).collect()
    }

    pub fn s() -> Vec<u8> {
        u().into_iter().map(|u| u as u8).collect()
    }

    pub fn g() -> Vec<f64> {
        a().into_iter().zip(i()).map(|(a, i)| f64::from(a) + f64::from(i) / 3.0).collect()
    }

    fn in_turn<T: Copy>(values: &[T], each: usize) -> Vec<T> {
        (0..COUNT).map(|n| values[n / each % values.len()]).collect()
    }
}

fn tensor<T: netcl::Element>(values: &[T]) -> Result<Tensor> {
    Tensor::from_slice(&device(), values, &[values.len()])
}

/// A kernel's answers in the types that Rust's have.
trait Answer: Copy + std::fmt::Debug {
    fn is(self, rust: Self) -> bool;
}

macro_rules! answers {
    ($($ty:ident: $same:expr;)*) => { $(
        impl Answer for $ty {
            fn is(self, rust: Self) -> bool {
                let same: fn($ty, $ty) -> bool = $same;
                same(self, rust)
            }
        }
    )* };
}

answers! {
    f32: |a, b| a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan();
    f64: |a, b| a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan();
    i32: |a, b| a == b;
    u32: |a, b| a == b;
    i64: |a, b| a == b;
    u8: |a, b| a == b;
    bool: |a, b| a == b;
}

fn exact<T: Answer>(name: &str, given: &impl std::fmt::Debug, found: T, rust: T) {
    assert!(found.is(rust), "{name}{given:?} is {found:?} in a kernel and {rust:?} in Rust");
}

fn near(name: &str, given: &impl std::fmt::Debug, found: f32, rust: f32) {
    agree(name, &format!("{given:?}"), found, rust);
}

/// Whether the device has no `f64`, of which the text speaks.
fn lacks(text: &str) -> bool {
    text.contains("f64") && !device().profile().fp64
}

/// Functions, and a test that calls them as Rust, in a kernel in index form, and in one in SIMT form. `a: f32` are the
/// arguments that there are, by the names of their values.
macro_rules! twins {
    (
        $test:ident: $module:ident($index:ident, $items:ident) of ($($arg:ident: $ty:ident),*), $compare:ident:
        $(fn $name:ident($($given:ident: $kind:ident),*) -> $result:ident { $($body:tt)* })*
    ) => {
        mod $module {
            $(
                #[netcl::function]
                pub fn $name($($given: $kind),*) -> $result { $($body)* }
            )*
        }

        netcl::kernel! {
            fn $index($($arg: &Tensor<$ty, N>),*) -> ($(Tensor<$result, N>),*) {
                |n| {
                    $(let $arg = $arg[n];)*
                    ($($module::$name($($given),*)),*)
                }
            }

            #[launch(global = [N])]
            fn $items($($arg: &Tensor<$ty, N>,)* $($name: &mut Tensor<$result, N>),*) {
                let n = global_id(0);
                if n >= N {
                    return;
                }
                $(let $arg = $arg[n];)*
                $($name[n] = $module::$name($($given),*);)*
            }
        }

        #[test]
        fn $test() -> Result<()> {
            $(let $arg = values::$arg();)*
            everywhere(|| {
                if lacks(stringify!($($ty)* $($($kind)* $result $($body)*)*)) {
                    return Ok(());
                }
                let results = { $(let $arg = &tensor(&$arg)?;)* [$index($($arg),*)?, $items($($arg),*)?] };
                for ($($name),*) in results {
                    $(let $name = $name.to_vec::<$result>()?;)*
                    for n in 0..values::COUNT {
                        $(let $arg = $arg[n];)*
                        $($compare(stringify!($name), &($($given,)*), $name[n], $module::$name($($given),*));)*
                    }
                }
                Ok(())
            })
        }
    };
}

/// The same of bodies that stand in the kernel itself, which is in SIMT form.
macro_rules! bodies {
    (
        $test:ident: $module:ident($items:ident) of ($($arg:ident: $ty:ident),*):
        $(fn $name:ident($($given:ident: $kind:ident),*) -> $result:ident { $($body:tt)* })*
    ) => {
        mod $module {
            $(pub fn $name($($given: $kind),*) -> $result { $($body)* })*
        }

        netcl::kernel! {
            #[launch(global = [N])]
            fn $items($($arg: &Tensor<$ty, N>,)* $($name: &mut Tensor<$result, N>),*) {
                let n = global_id(0);
                if n >= N {
                    return;
                }
                $(let $arg = $arg[n];)*
                $($name[n] = { let value: $result = { $($body)* }; value };)*
            }
        }

        #[test]
        fn $test() -> Result<()> {
            $(let $arg = values::$arg();)*
            everywhere(|| {
                if lacks(stringify!($($ty)* $($($kind)* $result $($body)*)*)) {
                    return Ok(());
                }
                let ($($name),*) = { $(let $arg = &tensor(&$arg)?;)* $items($($arg),*)? };
                $(let $name = $name.to_vec::<$result>()?;)*
                for n in 0..values::COUNT {
                    $(let $arg = $arg[n];)*
                    $(exact(stringify!($name), &($($given,)*), $name[n], $module::$name($($given),*));)*
                }
                Ok(())
            })
        }
    };
}

twins! {
    whole_numbers: whole(whole_index, whole_items) of (a: f32, i: i32, j: i32, u: u32), exact:
    fn bits(i: i32, j: i32) -> i32 { (i & j) ^ (i | 0x0F) ^ (5 & 3) }
    fn quotients(i: i32, u: u32) -> i32 { i / 7 - i % 7 + (i / 256 + (u / 3) as i32) % 5 }
    fn euclid(i: i32, j: i32) -> i32 { i.rem_euclid(7) + (i / 2).div_euclid(-3) + j.rem_euclid(-5) }
    fn ends(i: i32, j: i32) -> i32 { i.max(j).min(i32::MAX - 1).clamp(-1000, j.max(0)) - j.signum() }
    fn bytes(i: i32, u: u32) -> i32 { (i as u8 / 2 + u as u8 / 2) as i32 + 300i32 as u8 as i32 - (u as u8).max(200) as i32 }
    fn wide(i: i32, u: u32) -> u32 { ((i as i64 * u as i64) % 1_000_003).rem_euclid(65_521) as u32 }
    fn round_trip(i: i32, u: u32) -> i32 { (i as f32 as i32 / 2) + (u as f32 as u32 / 2) as i32 % 2 }
    fn least(i: i32, j: i32) -> bool { (i as i64).abs() > (j as i64).abs() || -2147483648i32 == i }
    fn truths(a: f32, i: i32, u: u32) -> u32 { (a < i as f32) as u32 + ((u > 7) ^ (i as u32 > u)) as u32 + true as u32 }
    fn of_floats(a: f32) -> i32 { (a as i32) / 2 + (a as u32 as i32) / 4 + (a as u8 as i32) + (a as i64 % 1000) as i32 }
    fn assigned_choice(i: i32) -> u32 { let mut n = 1u32; n = if i > 3 { 5 } else { 6 }; !n >> 1 }
    fn assigned_arms(i: i32) -> u32 { let mut n: u32 = 1; n = match i { 0 => 5, _ => 7 }; !n / 2 }
    fn assigned_part(i: i32) -> u32 { let mut n = (1u32, [2u32, 3]); n.0 = if i > 3 { 5 } else { 6 }; n.1[0] = if i > 7 { 1 } else { 4 }; !n.0 / 2 ^ !n.1[0] / 3 }
    fn assigned_tuple(i: i32) -> u32 { let mut n = (1u32, 2i32); n = if i > 3 { (5, -2) } else { (6, 3) }; !n.0 / 2 ^ n.1 as u32 }
    fn assigned_in_rounds(i: i32) -> u32 { let mut n = 1u32; for k in 0..3 { n = if i > k { 5 } else { 6 }; } !n / 2 }
    fn changed_by_choice(i: i32) -> u32 { let mut n = 0u32; n += if i > 3 { 5 } else { 6 }; n ^= if i > 0 { 1 } else { 4_000_000_000 }; !n / 2 }
    fn assigned_large(i: i32) -> u32 { let mut n = 1u32; n = if i > 3 { 5 } else { 4_000_000_000 }; n / 3 }
    fn listed_choice(i: i32) -> u32 { let mut all = 0u32; for n in [if i > 3 { 5 } else { 6 }, 7u32] { all ^= !n / 2; } all }
    fn counted(i: i32, j: i32) -> u32 { let mut n = 0; if i > 1 { n += 1; } if j > 4 { n = n * 2 + 1; } n }
    fn met_choice(i: i32, u: u32) -> u32 { let n = if i > 3 { 5 } else { 6 }; let m: u32 = n; (u ^ n) / 2 ^ !m / 3 ^ 4_000_000_000u32 / n }
    fn of_method(i: i32) -> u32 { let n = if i > 3 { 5u32.pow(2) } else { 6 }; !n / 2 }
    fn closure_result(i: i32) -> u32 { let of = |p: i32| -> u32 { if p > 3 { 5 } else { 6 } }; !of(i) / 2 }
    fn closure_return(i: i32) -> u32 { let of = |p: i32| -> u32 { if p > 3 { return 5; } 4_000_000_000 }; !of(i) / 2 }
    fn moved_by_element(i: i32) -> u32 { let n = 5u32; !(n << (i & 3)) / 2 + (n >> (i & 1)) }
    fn distances(i: i32) -> i32 { let k = 3u32; ((1 << k) - 10) / 3 + !(1 << 3u32) / 2 + (i & (1 << 3u32)) }
    fn kept(i: i32) -> u32 { let mut t = Some(1u32); t = Some(5); !t.unwrap() / 2 + (i & 7) as u32 }
    fn returned(i: i32) -> u32 { if i > 3 { return 3; } if i > 0 { return 12u32 % 9; } (!5i32) as u32 }
    fn level(i: i32, j: i32) -> u32 { if i < 0 { return 0; } let mut n = 0; if i > 1 { n += 1; } if j > 1 { n += 1; } n }
    fn last_choice(i: i32, j: i32) -> u32 { let mut n = 7; if i > 1 { n -= 1; } if j > 4 { !n } else { 0 } }
    fn one_bit(i: i32) -> u32 { 1 << (i & 31) }
    fn moved_ones(i: i32, u: u32) -> i32 { (!9) >> (u & 7) ^ (5 << (i & 3)) }
    fn of_choice(i: i32) -> u32 { let q = if i > 3 { 5 } else { 6 }; (q << 1) ^ (q / 2) ^ (q % 3) ^ (!q >> 1) }
    fn bits_and_choice(i: i32, u: u32) -> u32 { let n = 3; let low: u32 = (!n >> 8) & 0xFFF_FFFF; let m = if i > 0 { low } else { n }; u >> (i & 7) ^ m / 5 }
    fn known_late(i: i32, u: u32) -> u32 { let mut best = Some(3); for k in 0..3 { if k == i { best = Some(!1); } } let w = [4, u, !7]; let of = |v: u32| if v > 3 { v / 2 } else { !v }; best.map(|b| b / 2).unwrap_or(1) ^ of(w[2]) ^ of(w[1]) }
    fn summed(i: i32) -> u32 { let s = [3, !4].iter().map(|v| v / 2).fold(1, |a: u32, v| a ^ v); let (a, (b, c)) = (s, (!5, i)); if c > 0 { a ^ b / 3 } else { b.min(!9) } }
    fn signed_unless_said(i: i32) -> i32 { let q = if i > 3 { 5 } else { 6 }; (!q / 2) + (!q >> 1) - !0 / 2 }
    fn size(i: i32) -> i32 { (-7i32).abs() / 2 + (-7i32).rem_euclid(4) / 2 + (-7i32).clamp(-5, 3) / 2 + i / 9 }
    fn parts(i: i32, j: i32) -> i32 {
        let (mut low, high) = if i < j { (i, j) } else { (j, i) };
        let steps = [1, -3, 0x10, 1_000];
        for step in steps {
            if low < high / 2 { low = low / 2 + step } else { low -= low / 3 }
        }
        let high = high / 2;
        low / 2 + { let low = high % 10; low * steps[1] }
    }
}

twins! {
    floats: float(float_index, float_items) of (a: f32, b: f32, i: i32, u: u32), exact:
    fn sum(a: f32, b: f32) -> f32 { (a + b) / (b - 1.5) }
    fn rest(a: f32, b: f32) -> f32 { a % b }
    fn nothing(a: f32) -> f32 { 1.0 / (a + 0.0) }
    fn nothing_known(a: f32) -> f32 { 1.0 / (a + (0i64.pow(2)) as f32) }
    fn nothing_less(a: f32) -> f32 { 1.0 / (a - 0.0) + 1.0 / (a - (-0.0)) }
    fn roundings(a: f32, b: f32) -> f32 { a.round() - b.round_ties_even() * 0.5 }
    fn wholes(a: f32, b: f32) -> f32 { a.floor() / b.ceil() }
    fn next(a: f32, b: f32) -> f32 { a.trunc() / b.fract() }
    fn signs(a: f32, b: f32) -> f32 { a.copysign(b) * b.signum() }
    fn sizes(a: f32, b: f32) -> f32 { (-a).abs().sqrt() / b.recip() }
    fn euclid(a: f32, b: f32) -> f32 { a.rem_euclid(b) }
    fn quotient(a: f32, b: f32) -> f32 { a.div_euclid(b) }
    fn between(a: f32, b: f32) -> f32 { a.clamp(-2.5, 1e10) / b.clamp(0.25f32, if a > 0.5 { a } else { 0.5 }) }
    fn larger(a: f32, b: f32) -> f32 { (a.max(b) + 1.0) / (f32::min(b, a) - 1.0) }
    fn powers(a: f32, b: f32) -> f32 { a.powi(2) / b.powi(1) - a.powi(0) }
    fn from_whole(i: i32, u: u32) -> f32 { i as f32 / u as f32 - (u as i64 - i as i64) as f32 }
    fn doubles(a: f32, i: i32) -> f32 { ((a as f64 + 0.1) / (i as f64 - 0.3f64)) as f32 }
    fn literals(a: f32) -> f32 { (16777217.0 as i32) as f32 / (1_6.5e-1 * a) - 0.1f32 * 3.0f32 + (0.1 + 0.2) as f32 }
    fn known(a: f32) -> f32 { let (x, y) = (0.7f32, -3.3f32); a + (x * y + x / y - x % y) * y.abs().sqrt() * 3f32 }
    fn met(a: f32, b: f32) -> f32 { 0.1 * 0.1 * a / (b / ((1.0 - 0.9) * 3.0)) }
    fn met_later(a: f32) -> f32 { let h: f32 = 0.1 * 0.1; let (p, q) = (1.0 - 0.9, 0.3f32); a * h / (p - q) }
    fn met_in_calls(a: f32) -> f32 { a.min(0.1 * 0.1).max(-(1.0 - 0.9)) / (16777216.0 + 1.0 - 16777215.0) }
    fn compared(a: f32, b: f32) -> bool { a < b || (a >= b) == (a != a) && !(b <= 0.1) }
    fn moved_distance(u: u32) -> f32 { ((1 << (u & 15)) - 10) as f32 }
    fn arms_of_truths(a: f32, b: f32, i: i32) -> f32 {
        let one = match a < b { true => a * 2.0, false => b };
        one + match (i, a > 0.5) { (0, true) => 5.0, (_, false) => 0.25, _ => 7.0 }
    }
    fn sorts(a: f32, b: f32) -> bool { a.is_nan() ^ b.is_finite() | (a.is_sign_negative() & b.is_infinite()) }
}

twins! {
    libraries: library(library_index, library_items) of (a: f32, b: f32), near:
    fn grown(a: f32) -> f32 { a.exp() }
    fn grown_less(a: f32) -> f32 { a.exp_m1() }
    fn logarithms(a: f32) -> f32 { a.ln() + a.log2() / a.log10() }
    fn of_more(a: f32) -> f32 { a.ln_1p() }
    fn angle(a: f32, b: f32) -> f32 { a.atan2(b) }
    fn bent(a: f32) -> f32 { a.tanh() + a.atan() }
    fn inverse(a: f32) -> f32 { a.asinh() + a.clamp(-1.0, 1.0).asin() }
    fn power(a: f32, b: f32) -> f32 { a.powf(b) }
    fn root(a: f32) -> f32 { a.powf(0.5) - a.cbrt() }
    fn cube(a: f32) -> f32 { a.powi(-3) }
    fn length(a: f32, b: f32) -> f32 { a.hypot(b) }
    fn degrees(a: f32) -> f32 { a.to_degrees() }
    fn radians(a: f32) -> f32 { a.to_radians() }
}

bodies! {
    in_kernels: body(body_items) of (a: f32, i: i32, u: u32, k: i64, s: u8, g: f64):
    fn shifts(i: i32, u: u32) -> i32 { (i >> 3) ^ (i << 5) ^ ((u >> 7) as i32) ^ !i }
    fn shifts_of_bytes(s: u8) -> u8 { (s << 3) ^ (s >> 1) | !s & 0x0F }
    fn shifts_of_wide(k: i64, i: i32) -> i64 { (k >> 33) ^ (k << 9) ^ (i as i64 + (1 << 40)) }
    fn least(i: i32) -> i32 { if i == -2147483648i32 { -2147483648 } else { -(i / 2) } }
    fn least_wide(k: i64) -> i64 { if k > -9_223_372_036_854_775_808i64 { -9_223_372_036_854_775_808 } else { k } }
    fn bytes(s: u8, u: u32) -> u8 { (s / 2).max((s / 3 + u as u8 / 2).clamp(3, 100)) / if s > 100 { s } else { 7 } }
    fn untyped(i: i32) -> i64 { (!0) as i64 + (3 << 31) as i64 + (5 - 7) as i64 * (i as i64) }
    fn untyped_floats(a: f32) -> f64 { a as f64 + (0.1 + 0.2) as f64 + (16777217.0 * 1.0) as i32 as f64 }
    fn untyped_truths(i: i32) -> i32 { if 0.1 + 0.2 == 0.3 || !0 > 1 { i } else { i / 2 } }
    fn untyped_pair(a: f32) -> f32 { let (p, q) = (3, 5); a + (p - q) as f32 }
    fn untyped_choice(a: f32, k: i64) -> i64 { let step: i64 = if a > 0.0 { -1 } else { 1 << 40 }; k / 4 + step }
    fn untyped_let(a: f32, i: i32) -> i32 { let up = if a > 0.0 { 3 } else { 2 }; let next = up - 5; i / 2 + next }
    fn untyped_bits(i: i32, s: u8) -> i32 { (i & !7) + (s & !1) as i32 % 3 }
    fn untyped_factor(g: f64) -> f64 { g * (0.1 + 0.2) / if g > 1.0 { 0.1 } else { 0.7 } }
    fn cast_choice(a: f32) -> f32 { (if a > 0.5 { !0 } else { 0 }) as f32 }
    fn cast_rounds(a: f32) -> f32 { let mut s = a.signum(); for k in [0, 1] { s += (!k) as f32 + (k << 31) as f32; } s }
    fn shift_by_let(i: i32) -> i32 { let by = 3; (1 << by) + i / 2 }
    fn known_compared(i: i32) -> i32 { let mut s = i / 4; for k in [1, 2] { if k - 3 < -1 { s -= k; } } s }
    fn typed_known(g: f64) -> f64 { g + (-7.5f64).rem_euclid(2.0) * 2.0f64.copysign(-1.0) }
    fn doubles(g: f64, a: f32) -> f64 { (g / 0.1 - g % 3.0).floor() * a.signum() as f64 }
    fn assigned_choice(a: f32) -> u32 { let mut n = 1u32; n = if a > 3.0 { 5 } else { 6 }; !n / 2 }
    fn changed_choice(a: f32, u: u32) -> u32 { let mut n = u; n ^= if a > 3.0 { 5 } else { 4_000_000_000 }; n / 3 }
    fn assigned_wide(a: f32, k: i64) -> i64 { let mut n = k / 3; n = if a > 3.0 { 1 << 40 } else { n }; n * 2 }
    fn assigned_byte(a: f32) -> u8 { let mut n = 7u8; n = if a > 3.0 { 200 } else { 100 }; !n / 3 }
    fn euclid(k: i64, g: f64) -> i64 { k.rem_euclid(7) + (k / 2).div_euclid(-5) + g.rem_euclid(1.5) as i64 }
}
