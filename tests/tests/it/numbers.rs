//! Numbers at the ends of their types, on every device: what Rust's wrapping arithmetic, its shifts and its `as` give.

use crate::common::{device, everywhere};
use netcl::prelude::*;
use std::fmt::Debug;

netcl::kernel! {
    /// Operators of whole numbers, one in each row.
    #[types(T = [i32, u32, i64, u8])]
    #[launch(global = [N])]
    fn operators(a: &Tensor<T, N>, b: &Tensor<T, N>, y: &mut Tensor<T, 10, N>) {
        let n = global_id(0);
        if n >= N {
            return;
        }
        let (p, q) = (a[n], b[n]);
        y[0, n] = p + q;
        y[1, n] = p - q;
        y[2, n] = p * q;
        y[3, n] = p / q;
        y[4, n] = p % q;
        y[5, n] = p << q;
        y[6, n] = p >> q;
        y[7, n] = max(p, q);
        y[8, n] = min(p, q);
        y[9, n] = (p & q) | (p ^ !q);
    }

    /// What follows from the size of a number, which the least has none of.
    #[types(T = [i32, i64])]
    #[launch(global = [N])]
    fn sizes(x: &Tensor<T, N>, seven: &Tensor<T, N>, y: &mut Tensor<T, 3, N>) {
        let n = global_id(0);
        if n >= N {
            return;
        }
        y[0, n] = abs(x[n]);
        y[1, n] = abs(x[n]) % 7;
        y[2, n] = abs(x[n]) / seven[n];
    }

    /// Conversions of floats, one to each result.
    #[launch(global = [N])]
    fn converted(
        x: &Tensor<f32, N>,
        a: &mut Tensor<i32, N>,
        b: &mut Tensor<u32, N>,
        c: &mut Tensor<u8, N>,
        d: &mut Tensor<i64, N>,
    ) {
        let n = global_id(0);
        a[n] = x[n] as i32;
        b[n] = x[n] as u32;
        c[n] = x[n] as u8;
        d[n] = x[n] as i64;
    }

    /// More work-items than any number of 32 bits.
    #[launch(global = [{ N * 4294967296 }])]
    fn endless(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        let n = global_id(0);
        y[n] = x[n];
    }

    /// Loops whose counters come near the ends of their types.
    #[launch(global = [N])]
    fn steps(from: &Tensor<u32, N>, to: &Tensor<u32, N>, rounds: &mut Tensor<u32, 3, N>) {
        let n = global_id(0);
        if n >= N {
            return;
        }
        let mut count = 0;
        for _ in (from[n]..to[n]).step_by(3) {
            count += 1;
        }
        rounds[0, n] = count;
        let (first, last) = (from[n] as i32, to[n] as i32);
        count = 0;
        for _ in (first..last).step_by(1_000_000_000) {
            count += 1;
        }
        rounds[1, n] = count;
        count = 0;
        for i in from[n]..to[n] {
            if i - from[n] == 7 {
                break;
            }
            count += 1;
        }
        rounds[2, n] = count;
    }
}

/// What each operator gives, where a divisor of zero gives zero and shifts count modulo the width.
macro_rules! operators_of {
    ($ty:ty, $values:expr) => {{
        let values: &[$ty] = &$values;
        let pairs: Vec<($ty, $ty)> = values.iter().flat_map(|a| values.iter().map(move |b| (*a, *b))).collect();
        let (a, b): (Vec<$ty>, Vec<$ty>) = pairs.iter().copied().unzip();
        let expected = |(p, q): ($ty, $ty)| {
            let (quotient, rest) = if q == 0 { (0, 0) } else { (p.wrapping_div(q), p.wrapping_rem(q)) };
            let (left, right) = (p.wrapping_shl(q as u32), p.wrapping_shr(q as u32));
            let [sum, difference, product] = [p.wrapping_add(q), p.wrapping_sub(q), p.wrapping_mul(q)];
            [sum, difference, product, quotient, rest, left, right, p.max(q), p.min(q), (p & q) | (p ^ !q)]
        };
        everywhere(|| {
            let (x, y) = (tensor(&a)?, tensor(&b)?);
            let found = operators(&x, &y)?.to_vec::<$ty>()?;
            let tensors = [x.add(&y), x.sub(&y), x.mul(&y), x.div(&y)];
            for (n, pair) in pairs.iter().enumerate() {
                let expected = expected(*pair);
                let own: Vec<$ty> = (0..10).map(|row| found[row * pairs.len() + n]).collect();
                assert_eq!(own, expected, "{} of {pair:?} in a kernel", stringify!($ty));
            }
            for (row, tensor) in tensors.iter().enumerate() {
                let expected: Vec<$ty> = pairs.iter().map(|pair| expected(*pair)[row]).collect();
                assert_eq!(tensor.to_vec::<$ty>()?, expected, "{} in row {row} of tensors", stringify!($ty));
            }
            Ok(())
        })
    }};
}

fn tensor<T: netcl::Element + Debug>(values: &[T]) -> Result<Tensor> {
    Tensor::from_slice(&device(), values, &[values.len()])
}

#[test]
fn operators_wrap() -> Result<()> {
    operators_of!(i32, [0, 1, -1, 2, 3, -7, 31, 32, 33, 46341, i32::MAX, i32::MIN, i32::MIN + 1])?;
    operators_of!(u32, [0, 1, 2, 3, 7, 31, 32, 33, 65536, u32::MAX, u32::MAX - 1, 1 << 31])?;
    operators_of!(i64, [0, 1, -1, 3, -7, 63, 64, 65, 1 << 33, i64::MAX, i64::MIN, i64::MIN + 1])?;
    operators_of!(u8, [0, 1, 2, 3, 7, 8, 9, 100, 127, 128, 255])
}

macro_rules! sizes_of {
    ($ty:ty, $values:expr) => {{
        let values: &[$ty] = &$values;
        let expected = |row: fn($ty) -> $ty| values.iter().map(move |x| row(x.wrapping_abs()));
        let expected: Vec<$ty> = expected(|x| x).chain(expected(|x| x % 7)).chain(expected(|x| x / 7)).collect();
        everywhere(|| {
            let (x, seven) = (tensor(values)?, tensor(&vec![7 as $ty; values.len()])?);
            assert_eq!(sizes(&x, &seven)?.to_vec::<$ty>()?, expected, "{}", stringify!($ty));
            Ok(())
        })
    }};
}

/// Compilers took what OpenCL C's `abs` gives for positive, so that the remainder was another.
#[test]
fn the_least_number_is_its_own_size() -> Result<()> {
    sizes_of!(i32, [0, 1, -1, -8, i32::MAX, i32::MIN, i32::MIN + 1])?;
    sizes_of!(i64, [0, 1, -1, -8, i64::MAX, i64::MIN, i64::MIN + 1])
}

#[test]
fn floats_become_whole_numbers_as_in_rust() -> Result<()> {
    let x = [
        0.0,
        -0.0,
        0.99,
        -0.99,
        1.5,
        -1.5,
        255.9,
        256.0,
        -1.0,
        2147483520.0,
        2147483648.0,
        -2147483648.0,
        -2147483904.0,
        4294967040.0,
        4294967296.0,
        9.223372e18,
        -9.223372e18,
        1e30,
        -1e30,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::NAN,
        f32::MIN_POSITIVE,
        1e-45,
    ];
    everywhere(|| {
        let given = tensor(&x)?;
        let (a, b, c, d) = converted(&given)?;
        let casts = [DType::I32, DType::U32, DType::U8, DType::I64].map(|dtype| given.cast(dtype));
        let [e, f, g, h] = casts;
        for (a, b, c, d) in [(a, b, c, d), (e, f, g, h)] {
            assert_eq!(a.to_vec::<i32>()?, x.map(|x| x as i32));
            assert_eq!(b.to_vec::<u32>()?, x.map(|x| x as u32));
            assert_eq!(c.to_vec::<u8>()?, x.map(|x| x as u8));
            assert_eq!(d.to_vec::<i64>()?, x.map(|x| x as i64));
        }
        Ok(())
    })
}

#[test]
fn work_items_are_counted() -> Result<()> {
    everywhere(|| {
        let problem = endless(&tensor(&[1.0f32, 2.0])?).map(|_| ()).unwrap_err().to_string();
        assert!(problem.contains("kernels would count up to N*4294967296 = 8589934592"), "{problem}");
        Ok(())
    })
}

/// A counter that left its type would go round for ever.
#[test]
fn loops_end_where_their_types_do() -> Result<()> {
    let cases = [
        (u32::MAX - 7, u32::MAX),
        (u32::MAX - 6, u32::MAX),
        (0, 10),
        (5, 5),
        (9, 3),
        (i32::MAX as u32 - 10, i32::MAX as u32),
        (i32::MIN as u32, i32::MAX as u32),
        (i32::MIN as u32 + 1, 0),
    ];
    everywhere(|| {
        let (from, to): (Vec<u32>, Vec<u32>) = cases.into_iter().unzip();
        let rounds = steps(&tensor(&from)?, &tensor(&to)?)?.to_vec::<u32>()?;
        for (n, (from, to)) in cases.into_iter().enumerate() {
            // What would take long is left out: by 3 from the least `i32` up.
            if to.saturating_sub(from) < 100 {
                assert_eq!(rounds[n], (from..to).step_by(3).count() as u32, "{from}..{to} by 3");
            }
            let whole = (from as i32..to as i32).step_by(1_000_000_000).count() as u32;
            assert_eq!(rounds[cases.len() + n], whole, "{from}..{to} by a thousand million");
            assert_eq!(rounds[2 * cases.len() + n], to.saturating_sub(from).min(7), "{from}..{to}");
        }
        Ok(())
    })
}

netcl::kernel! {
    /// Whole numbers with a suffix, and such as a `let` declares: in variables, branches, arms and assignments.
    fn suffixes(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| {
            let k = 7i32;
            let chosen = if x[n] > 0.0 { k } else { 2i32 };
            let wraps = if x[n] > 0.0 { 3u32 } else { 8u32 };
            let declared: i32 = 9;
            let mut assigned = declared;
            if x[n] > 1.0 {
                assigned = 5;
            }
            let armed = match chosen {
                7 => 1i32,
                _ => k - 2i32,
            };
            ((chosen / 2) as f32) + ((wraps - 8) as f32) + ((assigned / 2) as f32) + ((armed / 2) as f32) * 0.125 + x[n + 3 * (k - 7)]
        }
    }
}

#[test]
fn whole_numbers_keep_the_types_of_their_suffixes() -> Result<()> {
    let twin = |x: f32| {
        let k = 7i32;
        let chosen = if x > 0.0 { k } else { 2i32 };
        let wraps = if x > 0.0 { 3u32 } else { 8u32 };
        let assigned = if x > 1.0 { 5i32 } else { 9 };
        let armed = if chosen == 7 { 1i32 } else { k - 2 };
        (chosen / 2) as f32 + wraps.wrapping_sub(8) as f32 + (assigned / 2) as f32 + (armed / 2) as f32 * 0.125 + x
    };
    everywhere(|| {
        let x = [-1.0f32, 0.5, 2.0, -0.25];
        assert_eq!(suffixes(&tensor(&x)?)?.to_vec::<f32>()?, x.map(twin));
        Ok(())
    })
}
