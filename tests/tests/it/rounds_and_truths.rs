//! Reads that only the rounds which count keep inside, edges of axes that are computed, truths that are assigned, and whole numbers of
//! a type that loops carry beside positions and sizes: as Rust computes them.

use crate::common::{device, everywhere, wave};
use netcl::prelude::*;

netcl::kernel! {
    /// What is behind the end of a range is never read.
    fn reversed(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| fold(0..n + 1, 0.0, |h, k| 0.5 * h + x[n - k])
    }
    fn both_ways(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| fold(0..n, 0.0, |h, k| 0.5 * h + x[n - k - 1] * x[k + 1])
    }
    /// What is before the start.
    fn from_itself(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| fold(n..N, 0.0, |h, k| 0.5 * h + x[k - n])
    }
    /// Where zeros are read in rounds that do not count, and divide.
    fn quotients(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| fold(0..n + 1, 1.0, |h, k| 0.5 * h + 1.0 / x[n - k])
    }
    fn remainders(m: &Tensor<i32, C>) -> Tensor<i32, C> {
        |c| fold(0..c + 1, 1000i32, |h, k| (h + 7) % m[c - k])
    }
    fn digits_back(m: &Tensor<i32, C>) -> Tensor<i32, C> {
        |c| fold(0..c + 1, -7i32, |h, k| h * 3 + m[c - k])
    }
    /// Of an axis that a call computes, which may have no elements.
    fn around(x: &Tensor<f32, N, T>) -> Tensor<f32, N, T> {
        |n, t| x[n, min(t + 1, T - 1)] + 10.0 * x[n, max(t - 1, 0)] + 100.0 * x[n, (t + T - 1) % T]
    }
}

#[netcl::function]
fn around_half(x: &Tensor<f32, N, T>) -> Tensor<f32, N, { T / 2 }> {
    around(x.slice(1, 0, T / 2, 1))
}

#[netcl::function]
fn around_all_but_one(x: &Tensor<f32, N, T>) -> Tensor<f32, N, { T - 1 }> {
    around(x.slice(1, 0, T - 1, 1))
}

#[test]
fn rounds_that_count_are_inside() -> Result<()> {
    everywhere(|| {
        for size in [1usize, 2, 7, 33] {
            let x = wave(&device(), &[size]);
            let v = x.to_vec::<f32>()?;
            let near = |found: Tensor, wanted: Vec<f32>| -> Result<()> {
                assert_eq!(found.shape(), [wanted.len()]);
                for (found, wanted) in found.to_vec::<f32>()?.iter().zip(&wanted) {
                    assert!((found - wanted).abs() < 1e-5, "{size}: {found} for {wanted}");
                }
                Ok(())
            };
            let each = |of: &dyn Fn(usize) -> f32| (0..size).map(of).collect::<Vec<f32>>();
            near(reversed(&x)?, each(&|n| (0..n + 1).fold(0.0, |h, k| 0.5 * h + v[n - k])))?;
            near(both_ways(&x)?, each(&|n| (0..n).fold(0.0, |h, k| 0.5 * h + v[n - k - 1] * v[k + 1])))?;
            near(from_itself(&x)?, each(&|n| (n..size).fold(0.0, |h, k| 0.5 * h + v[k - n])))?;
            let divisors = (&x * &x + 1.0).eval()?;
            let w = divisors.to_vec::<f32>()?;
            near(quotients(&divisors)?, each(&|n| (0..n + 1).fold(1.0, |h, k| 0.5 * h + 1.0 / w[n - k])))?;
            let whole: Vec<i32> = (0..size as i32).map(|i| i * 5 % 7 + 3).collect();
            let rests: Vec<i32> = (0..size).map(|c| (0..c + 1).fold(1000, |h, k| (h + 7) % whole[c - k])).collect();
            assert_eq!(remainders(&Tensor::from_slice(&device(), &whole, &[size])?)?.to_vec::<i32>()?, rests);
            if size <= 7 {
                quotients.check(&divisors)?;
                reversed.check(&x)?;
                both_ways.check(&x)?;
                from_itself.check(&x)?;
            }
            let m: Vec<i32> = (0..size as i32).map(|i| i * 5 % 7 - 3).collect();
            let digits: Vec<i32> =
                (0..size).map(|c| (0..c + 1).fold(-7i32, |h, k| h.wrapping_mul(3).wrapping_add(m[c - k]))).collect();
            assert_eq!(digits_back(&Tensor::from_slice(&device(), &m, &[size])?)?.to_vec::<i32>()?, digits);
            let row = x.reshape([1, size]);
            for (found, part) in [(around_half(&row)?, size / 2), (around_all_but_one(&row)?, size - 1)] {
                let edges = (0..part).map(|t| {
                    v[(t + 1).min(part - 1)] + 10.0 * v[t.saturating_sub(1)] + 100.0 * v[(t + part - 1) % part]
                });
                let wanted: Vec<f32> = edges.collect();
                assert_eq!(found.shape(), [1, part]);
                for (found, wanted) in found.to_vec::<f32>()?.iter().zip(&wanted) {
                    assert!((found - wanted).abs() < 1e-4, "{part} of {size}: {found} for {wanted}");
                }
            }
        }
        Ok(())
    })
}

/// A truth that is known and one of the elements are one type.
#[netcl::function]
fn hit(x: f32, y: f32) -> f32 {
    let mut hit: bool = x > 0.0;
    if y > 1.0 {
        hit = true;
    }
    if hit { x } else { y }
}

#[netcl::function]
fn until_large(x: f32, y: f32) -> f32 {
    let mut done = false;
    let mut r = y;
    for _ in 0..3 {
        if !done {
            r = r * 0.5 + x;
            done = r > 1.0;
        }
    }
    r
}

#[netcl::function]
fn lowest_bit(k: i32) -> i32 {
    let mut found = false;
    let mut at = -1;
    for i in 0..8 {
        if !found && (k >> i) & 1 == 1 {
            found = true;
            at = i;
        }
    }
    at
}

#[netcl::function]
fn of_elements(
    x: &Tensor<f32, N>,
    y: &Tensor<f32, N>,
    k: &Tensor<i32, N>,
) -> (Tensor<f32, N>, Tensor<f32, N>, Tensor<i32, N>) {
    (hit(x, y), until_large(x, y), lowest_bit(k))
}

#[test]
fn truths_are_assigned() -> Result<()> {
    everywhere(|| {
        let (xs, ys, ks) = ([-1.0f32, 0.3, 1.5, 0.1], [2.0f32, 0.5, 0.2, 0.9], [0i32, 8, 5, 256]);
        let of = |values: &[f32; 4]| Tensor::from_slice(&device(), values, &[4]);
        let (first, second, third) = of_elements(&of(&xs)?, &of(&ys)?, &Tensor::from_slice(&device(), &ks, &[4])?)?;
        assert_eq!(first.to_vec::<f32>()?, [0, 1, 2, 3].map(|i| hit(xs[i], ys[i])));
        for (found, wanted) in second.to_vec::<f32>()?.iter().zip([0, 1, 2, 3].map(|i| until_large(xs[i], ys[i]))) {
            assert!((found - wanted).abs() < 1e-6, "{found} for {wanted}");
        }
        assert_eq!(third.to_vec::<i32>()?, ks.map(lowest_bit));
        Ok(())
    })
}

#[netcl::constant]
const FACTORS: [i32; 3] = [2, 3, -5];

/// Beside positions, sizes and arguments; powers, distances and what is left above zero; `usize` of what is computed.
#[netcl::function]
fn carried(x: &Tensor<i32, T>, k: i32, u: u32) -> Tensor<i32, 7> {
    let (mut a, mut least, mut d, mut power) = (6i32, 9i32, 1i32, 3i32);
    let (mut rest, mut whole) = (0i32, 0i64);
    let (mut at, mut pair) = (6usize, (1usize, 2i32));
    let mut read = x.get(0, 0) * 0;
    for t in 0..T {
        a = (a * 5 + 1) % 7;
        least = least.min(a);
        d = d % 5 + 1;
        rest = rest * 3 + (t as i32 - 5).rem_euclid(d);
        whole = whole * 2 + (T as i64 - 9).div_euclid(d as i64);
        power = power.abs().pow(2) % 100;
        read = read + x.get(0, at % T) + (a as usize % 3) as i32;
        at = T % 4;
        pair = (T % 3 + pair.0, pair.1);
    }
    let mut product = x.get(0, 0) * 0 + 1;
    for factor in FACTORS.iter() {
        product = product * *factor;
    }
    let apart = (T as i32).pow(2) + T.abs_diff(5) as i32 + T.saturating_sub(5) as i32 * 1000;
    let zero = x.get(0, 0) * 0;
    Tensor::stack(
        [
            zero + least + k.min(u as i32),
            zero + rest,
            zero + whole as i32,
            zero + power,
            read,
            zero + pair.0 as i32,
            product + apart,
        ],
        0,
    )
}

/// Of `u32`, below zero and beyond 32 bits.
#[netcl::function]
fn distances(x: &Tensor<i32, T>) -> Tensor<i32, 6> {
    let zero = x.get(0, 0) * 0;
    let mut above = zero;
    for k in 0..T as u32 {
        above = above * 2 + k.saturating_sub(3) as i32 + k.abs_diff(5) as i32;
    }
    Tensor::stack(
        [
            above,
            zero + (T as u32).saturating_sub(5) as i32,
            zero + ((T as i32).abs_diff(9) + 1u32) as i32,
            zero + (7 - T as i32).rem_euclid(2_147_483_647),
            zero + (7 - T as i32).rem_euclid(-(T as i32)) * 100 + (3 - T as i32).div_euclid(-(T as i32)),
            zero + (T % 5).abs_diff(3) as i32,
        ],
        0,
    )
}

#[test]
fn distances_are_rusts() -> Result<()> {
    everywhere(|| {
        for size in [1usize, 2, 7, 40] {
            let of = size as i32;
            let above = (0..size as u32).fold(0i32, |above, k| {
                above.wrapping_mul(2).wrapping_add(k.saturating_sub(3) as i32).wrapping_add(k.abs_diff(5) as i32)
            });
            let wanted = [
                above,
                (size as u32).saturating_sub(5) as i32,
                (of.abs_diff(9) + 1) as i32,
                (7 - of).rem_euclid(2_147_483_647),
                (7 - of).rem_euclid(-of) * 100 + (3 - of).div_euclid(-of),
                (size % 5).abs_diff(3) as i32,
            ];
            let x = Tensor::full(&device(), 1i32, &[size])?;
            assert_eq!(distances(&x)?.to_vec::<i32>()?, wanted, "{size}");
        }
        Ok(())
    })
}

#[test]
fn whole_numbers_beside_positions_are_rusts() -> Result<()> {
    everywhere(|| {
        for size in [1usize, 2, 7, 40] {
            let v: Vec<i32> = (0..size as i32).map(|i| i * 11 % 13).collect();
            let (mut a, mut least, mut d, mut power) = (6i32, 9i32, 1i32, 3i32);
            let (mut rest, mut whole, mut at, mut pair, mut read) = (0i32, 0i64, 6usize, 1usize, 0i32);
            for t in 0..size {
                a = (a * 5 + 1) % 7;
                least = least.min(a);
                d = d % 5 + 1;
                rest = rest.wrapping_mul(3).wrapping_add((t as i32 - 5).rem_euclid(d));
                whole = whole.wrapping_mul(2).wrapping_add((size as i64 - 9).div_euclid(i64::from(d)));
                power = power.abs().pow(2) % 100;
                read += v[at % size] + (a as usize % 3) as i32;
                at = size % 4;
                pair += size % 3;
            }
            let apart = (size as i32).pow(2) + size.abs_diff(5) as i32 + size.saturating_sub(5) as i32 * 1000;
            let wanted = [least + 4, rest, whole as i32, power, read, pair as i32, -30 + apart];
            let x = Tensor::from_slice(&device(), &v, &[size])?;
            assert_eq!(carried(&x, 4, 9)?.to_vec::<i32>()?, wanted, "{size}");
        }
        Ok(())
    })
}
