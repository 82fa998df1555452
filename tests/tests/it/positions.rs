//! What indices of kernels in index form may be beside sums: data on any axis, kept in bounds, wrapped, positions that only a call
//! knows; and ranges that depend on indices further out. Each with its gradient.

use crate::common::{device, everywhere, floats};
use netcl::DType;
use netcl::prelude::*;

/// The rows of a filter.
#[netcl::constant]
const SOBEL: [[f32; 3]; 3] = [[1.0, 0.0, -1.0], [2.0, 0.0, -2.0], [1.0, 0.0, -1.0]];

#[netcl::constant]
const W: [f32; 2] = [1.0 / 3.0, -1.0];

netcl::kernel! {
    /// An element of each row by its number.
    fn along(x: &Tensor<f32, N, C>, at: &Tensor<u32, N, K>) -> Tensor<f32, N, K> {
        |n, k| x[n, at[n, k]]
    }

    /// Elements by both numbers, one of them moved.
    fn both(x: &Tensor<f32, R, C>, r: &Tensor<i32, N>, c: &Tensor<u32, N>) -> Tensor<f32, N> {
        |n| x[r[n] - 1, c[n]]
    }

    /// Columns by number, of each page, the last axis read as it is.
    fn columns(x: &Tensor<f32, B, T, C>, at: &Tensor<i32, K>) -> Tensor<f32, K, B, C> {
        |k, b, c| x[b, at[k], C - 1 - c] * 2.0
    }

    /// What leaves the image is the image's edge.
    fn blurred(x: &Tensor<f32, H, W>) -> Tensor<f32, H, W> {
        |i, j| sum((0..3, 0..3), |a, b| x[clamp(i + a - 1, 0, H - 1), (j + b - 1).clamp(0, W - 1)]) / 9.0
    }

    fn slopes(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| x[min(n + 1, N - 1)] - x[(n - 1).max(0)]
    }

    /// Twice as many, each between two, the first and the last repeated.
    fn stretched(x: &Tensor<f32, N>) -> Tensor<f32, { N * 2 }> {
        |n| 0.75 * x[n / 2] + 0.25 * x[clamp(n - n / 2 - 1 + n % 2, 0, N - 1)]
    }

    fn before(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| x[(n - 1).rem_euclid(N)] + 10.0 * x[(n + 1) % N]
    }

    /// A circular convolution and what moves it further, with as many taps as there may be.
    fn circular(w: &Tensor<f32, K>, x: &Tensor<f32, N, T>) -> Tensor<f32, N, T> {
        |n, t| sum(0..K, |k| w[k] * x[n, (t - k).rem_euclid(T)]) + x[n, (t - 2 * N + K - 7).rem_euclid(T)]
    }

    fn moved(x: &Tensor<f32, N>, by: i32) -> Tensor<f32, N> {
        |n| pad(x[n + by])
    }

    /// The sum of all up to each, and of all before it.
    fn prefixes(x: &Tensor<f32, N>) -> (Tensor<f32, N>, Tensor<f32, N>) {
        |n| (sum(0..n + 1, |k| x[k]), sum(0..n, |k| x[k].square()))
    }

    /// A causal filter: each element sees those before it.
    fn causal(w: &Tensor<f32, N>, x: &Tensor<f32, N, C>) -> Tensor<f32, N, C> {
        |n, c| sum(0..=n, |k| w[k] * x[n - k, c])
    }

    /// The rest of each row, from its diagonal on: the mean, the largest and where it stands.
    fn rests(x: &Tensor<f32, N, N>) -> (Tensor<f32, N>, Tensor<f32, N>, Tensor<i32, N>) {
        |n| (mean(n..N, |k| x[n, k]), max(n..N, |k| x[n, k]), argmax(n..N, |k| x[n, k]))
    }

    /// Logarithms of what is there only, and products of whole numbers.
    fn logs(x: &Tensor<f32, N>, y: &Tensor<i32, N>) -> (Tensor<f32, N>, Tensor<i32, N>) {
        |n| (sum(0..N - n, |k| x[n + k].ln()), prod(n..n + 1, |k| y[k]) + min(0..n, |k| y[k]).min(7))
    }

    /// With weights that an index names.
    fn edges(x: &Tensor<f32, H, W>) -> Tensor<f32, H, W> {
        |i, j| sum((0..3, 0..3), |a, b| SOBEL[a][b] * pad(x[i + a - 1, j + b - 1]))
    }

    fn weighted(x: &Tensor<f32, N, 2>) -> Tensor<f32, N, 2> {
        |n, c| {
            let counts = [3, 5, 7, 9];
            x[n, c] * W[1 - c] + counts[2 * c + 1] + sum(0..2, |k| counts[c + k] * x[n, k])
        }
    }

    /// For each type of elements a kernel.
    #[types(T = [f32, f16, f64, i32])]
    fn smooth(x: &Tensor<T, N>, other: &Tensor<T, N>) -> Tensor<T, N> {
        |n| {
            let w = [1, 2, 1];
            sum(0..3, |k| w[k] * x[(n + k - 1).clamp(0, N - 1)]) * other[n] + x[n] as T
        }
    }

    /// Triangles in triangles.
    fn nested(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| sum(0..n + 1, |i| sum(i..n + 1, |j| x[j - i] * x[n - j]))
    }
}

/// Numbers without a pattern.
fn some(shape: &[usize]) -> (Vec<f32>, Tensor) {
    let count: usize = shape.iter().product();
    let values: Vec<f32> = (0..count).map(|i| ((i * 37 + 11) % 23) as f32 / 8.0 + 0.25).collect();
    (values.clone(), floats(&values, shape))
}

fn whole(values: &[i32], shape: &[usize]) -> Result<Tensor> {
    Tensor::from_slice(&device(), values, shape)
}

fn near(found: &Tensor, wanted: &[f32]) -> Result<()> {
    let found = found.to_vec::<f32>()?;
    assert_eq!(found.len(), wanted.len());
    for (at, (found, wanted)) in found.iter().zip(wanted).enumerate() {
        assert!((found - wanted).abs() <= 1e-5 * wanted.abs().max(1.0), "{found} for {wanted} at {at}");
    }
    Ok(())
}

#[test]
fn positions_are_data_on_any_axis() -> Result<()> {
    everywhere(|| {
        let (x, tensor) = some(&[2, 3]);
        let at = Tensor::from_slice(&device(), &[2u32, 0, 2, 1, 3, 1], &[2, 3])?;
        let (y, pullback) = along.vjp(&tensor, &at)?;
        assert_eq!(y.to_vec::<f32>()?, [x[2], x[0], x[2], x[4], 0.0, x[4]]);
        let gradient = pullback(&floats(&[1.0, 2.0, 4.0, 8.0, 16.0, 32.0], &[2, 3]))?;
        assert_eq!(gradient.to_vec::<f32>()?, [2.0, 0.0, 5.0, 0.0, 40.0, 0.0]);
        along.check(&tensor, &at)?;

        let (r, c) =
            (whole(&[1, 2, 3, 0, -5], &[5])?, Tensor::from_slice(&device(), &[1u32, 2, 0, 0, u32::MAX], &[5])?);
        let (y, pullback) = both.vjp(&tensor, &r, &c)?;
        assert_eq!(y.to_vec::<f32>()?, [x[1], x[5], 0.0, 0.0, 0.0]);
        let gradient = pullback(&floats(&[1.0, 2.0, 4.0, 8.0, 16.0], &[5]))?;
        assert_eq!(gradient.to_vec::<f32>()?, [0.0, 1.0, 0.0, 0.0, 0.0, 2.0]);

        let (x, tensor) = some(&[2, 3, 2]);
        let at = whole(&[2, 0, 2, 7], &[4])?;
        let wanted = [2usize, 0, 2, 7].into_iter().flat_map(|t| (0..4).map(move |bc| (t, bc / 2, 1 - bc % 2)));
        let wanted = wanted.map(|(t, b, c)| if t < 3 { 2.0 * x[b * 6 + t * 2 + c] } else { 0.0 });
        near(&columns(&tensor, &at)?, &wanted.collect::<Vec<_>>())?;
        columns.check(&tensor, &at)?;
        Ok(())
    })
}

#[test]
fn positions_are_kept_inside() -> Result<()> {
    everywhere(|| {
        for (h, w) in [(1usize, 1usize), (1, 3), (4, 2), (5, 7)] {
            let (x, tensor) = some(&[h, w]);
            let at = |i: i64, j: i64| x[i.clamp(0, h as i64 - 1) as usize * w + j.clamp(0, w as i64 - 1) as usize];
            let mean =
                |i: usize, j: usize| (0..9).map(|k| at(i as i64 + k / 3 - 1, j as i64 + k % 3 - 1)).sum::<f32>() / 9.0;
            near(&blurred(&tensor)?, &(0..h * w).map(|k| mean(k / w, k % w)).collect::<Vec<_>>())?;
            blurred.check(&tensor)?;
        }
        for n in [1usize, 2, 5] {
            let (x, tensor) = some(&[n]);
            let wanted: Vec<f32> = (0..n).map(|i| x[(i + 1).min(n - 1)] - x[i.saturating_sub(1)]).collect();
            near(&slopes(&tensor)?, &wanted)?;
            slopes.check(&tensor)?;
            let other = |i: usize| (i as i64 - i as i64 / 2 - 1 + i as i64 % 2).clamp(0, n as i64 - 1) as usize;
            let wanted: Vec<f32> = (0..2 * n).map(|i| 0.75 * x[i / 2] + 0.25 * x[other(i)]).collect();
            near(&stretched(&tensor)?, &wanted)?;
            stretched.check(&tensor)?;
            let wanted: Vec<f32> = (0..n).map(|i| x[(i + n - 1) % n] + 10.0 * x[(i + 1) % n]).collect();
            near(&before(&tensor)?, &wanted)?;
            before.check(&tensor)?;
        }
        Ok(())
    })
}

#[test]
fn distances_may_be_arguments() -> Result<()> {
    everywhere(|| {
        let (x, tensor) = some(&[4]);
        for by in [0, 1, -2, 4, i32::MAX, i32::MIN] {
            let at = |n: usize| usize::try_from(n as i64 + i64::from(by)).ok().filter(|at| *at < 4);
            let wanted: Vec<f32> = (0..4).map(|n| at(n).map_or(0.0, |at| x[at])).collect();
            assert_eq!(moved(&tensor, by)?.to_vec::<f32>()?, wanted, "{by}");
        }
        moved.check(&tensor, -1)?;
        Ok(())
    })
}

netcl::kernel! {
    /// Products of indices are never below zero, and their parts are Rust's.
    fn parts(x: &Tensor<f32, M>, _y: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| pad(x[n as u32 % 5]) + pad(x[n * n % 5]) + pad(x[n * n / 2]) + pad(x[(n * N + n) % N]) + pad(x[(n * n) % M])
    }

    /// How far two indices are apart: an index, and a float beside floats.
    fn apart(x: &Tensor<f32, N>) -> Tensor<f32, N, N> {
        |i, j| pad(x[(i - j).abs()]) + (i - j).abs() * 0.5
    }

    fn power(x: &Tensor<f32, N>, k: i32) -> Tensor<f32, N> {
        |n| x[n].powi(k)
    }
}

#[test]
fn indices_are_divided_where_they_are_never_negative() -> Result<()> {
    everywhere(|| {
        let (x, tensor) = some(&[7]);
        let at = |position: usize| x.get(position).copied().unwrap_or(0.0);
        let wanted = (0..6).map(|n| at(n % 5) + at(n * n % 5) + at(n * n / 2) + at((n * 6 + n) % 6) + at(n * n % 7));
        near(&parts(&tensor, &some(&[6]).1)?, &wanted.collect::<Vec<_>>())?;
        let wanted = (0..49).map(|n| (n / 7i32 - n % 7).unsigned_abs()).map(|far| at(far as usize) + 0.5 * far as f32);
        near(&apart(&tensor)?, &wanted.collect::<Vec<_>>())?;
        for k in [0, 1, 3, -2] {
            near(&power(&tensor, k)?, &x.iter().map(|x| x.powi(k)).collect::<Vec<_>>())?;
            power.check(&tensor, k)?;
        }
        parts.check(&tensor, &some(&[6]).1)?;
        apart.check(&tensor)?;
        Ok(())
    })
}

netcl::kernel! {
    /// By what no 32 bits hold.
    fn ahead(x: &Tensor<f32, N>, by: u32) -> Tensor<f32, N> {
        |n| pad(x[n + by])
    }

    fn behind(x: &Tensor<f32, N>, by: u32) -> Tensor<f32, N> {
        |n| pad(x[n - by])
    }

    fn stepped(x: &Tensor<f32, N>, m: i32, from: i32) -> Tensor<f32, N> {
        |n| {
            let at = n * m - from;
            pad(x[at])
        }
    }

    fn clamped(x: &Tensor<f32, N>, by: i32) -> Tensor<f32, N> {
        |n| pad(x[clamp(n + by, 0, N - 1)])
    }

    fn round(x: &Tensor<f32, N>, by: i32) -> (Tensor<f32, N>, Tensor<f32, N>) {
        |n| (pad(x[(n + by).rem_euclid(N)]), pad(x[(n - by) % N]))
    }

    fn round_unsigned(x: &Tensor<f32, N>, by: u32) -> (Tensor<f32, N>, Tensor<f32, N>) {
        |n| (pad(x[(n + by) % N]), pad(x[(n - by) % N]))
    }

    /// On the middle axis, chosen, halved, and of a sum.
    fn chosen(x: &Tensor<f32, B, N, C>, by: i32, m: u32) -> Tensor<f32, B, N, C> {
        |b, n, c| {
            let at = if n + by < N { n + by } else { -(n + by) };
            pad(x[b, at, c]) + 10.0 * pad(x[b, (n - m) / 2, c]) + 100.0 * pad(x[b, sum(0..2, |k| n + k * by), c])
        }
    }

    /// What `as` makes of it wraps, and so do elements.
    fn wrapping(x: &Tensor<f32, N>, ids: &Tensor<u32, N>, by: u32) -> (Tensor<f32, N>, Tensor<f32, N>) {
        |n| (pad(x[(n + by) as i32]), x[ids[n] + by])
    }

    /// Beside data on another axis, by what is none of 32 bits before it is divided.
    fn multiples(x: &Tensor<f32, N, K>, at: &Tensor<i32, N>) -> Tensor<f32, N> {
        |n| x[n * 2000000000 / 2000000000, at[n]] + pad(x[n * 1073741824, at[n]]) + x[min(n * 1500000000, N - 1), at[n]]
    }

    /// By so many bits of their type.
    fn shifted(x: &Tensor<f32, N>, by: u32) -> Tensor<f32, N> {
        |n| pad(x[n << by])
    }

    /// Far beyond a bound.
    fn bounded(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| x[min(n * 1500000000, N - 1)] + 10.0 * x[max(N - 1 - n * 1500000000, 0)]
    }
}

/// An index is computed in 64 bits where only a call knows it.
#[test]
fn positions_do_not_wrap() -> Result<()> {
    everywhere(|| {
        let (x, tensor) = some(&[5]);
        let at = |at: i128| usize::try_from(at).ok().filter(|at| *at < 5).map_or(0.0, |at| x[at]);
        let each_of = |index: &dyn Fn(i128) -> i128| (0..5).map(|n| at(index(n))).collect::<Vec<_>>();
        for by in [0, 1, 3, 7, u32::MAX, u32::MAX - 3, i32::MAX as u32, 1 << 31] {
            let wide = i128::from(by);
            assert_eq!(ahead(&tensor, by)?.to_vec::<f32>()?, each_of(&|n| n + wide), "{by}");
            assert_eq!(behind(&tensor, by)?.to_vec::<f32>()?, each_of(&|n| n - wide), "{by}");
            let (forward, backward) = round_unsigned(&tensor, by)?;
            assert_eq!(forward.to_vec::<f32>()?, each_of(&|n| (n + wide) % 5), "{by}");
            assert_eq!(backward.to_vec::<f32>()?, each_of(&|n| (n - wide).rem_euclid(5)), "{by}");
            let ids = Tensor::from_slice(&device(), &[0u32, 1, 2, u32::MAX, 9], &[5])?;
            let (cast, data) = wrapping(&tensor, &ids, by)?;
            assert_eq!(cast.to_vec::<f32>()?, each_of(&|n| i128::from((n + wide) as i32)), "{by}");
            let of_data = |n: i128| i128::from([0u32, 1, 2, u32::MAX, 9][n as usize].wrapping_add(by));
            assert_eq!(data.to_vec::<f32>()?, each_of(&of_data), "{by}");
        }
        for by in [0, 2, -3, i32::MAX, i32::MIN, i32::MIN + 2, 1 << 30, -(1 << 30), 1 << 16] {
            let wide = i128::from(by);
            for from in [0, 1, i32::MAX, i32::MIN] {
                let wanted = each_of(&|n| n * wide - i128::from(from));
                assert_eq!(stepped(&tensor, by, from)?.to_vec::<f32>()?, wanted, "{by} {from}");
            }
            assert_eq!(clamped(&tensor, by)?.to_vec::<f32>()?, each_of(&|n| (n + wide).clamp(0, 4)), "{by}");
            let (euclid, rest) = round(&tensor, by)?;
            assert_eq!(euclid.to_vec::<f32>()?, each_of(&|n| (n + wide).rem_euclid(5)), "{by}");
            assert_eq!(rest.to_vec::<f32>()?, each_of(&|n| (n - wide) % 5), "{by}");
        }
        for by in [0u32, 1, 2, 31, 32, 33] {
            let wanted = each_of(&|n| i128::from((n as u32).wrapping_shl(by)));
            assert_eq!(shifted(&tensor, by)?.to_vec::<f32>()?, wanted, "{by}");
            shifted.check(&tensor, by)?;
        }
        round.check(&tensor, i32::MIN)?;
        clamped.check(&tensor, i32::MAX)?;
        round_unsigned.check(&tensor, u32::MAX)?;
        let wanted: Vec<f32> = (0..5).map(|n| if n == 0 { x[0] + 10.0 * x[4] } else { x[4] + 10.0 * x[0] }).collect();
        near(&bounded(&tensor)?, &wanted)?;
        bounded.check(&tensor)?;

        let (x, tensor) = some(&[2, 5, 2]);
        for (by, m) in [(0, 0), (3, 1), (i32::MAX, u32::MAX), (i32::MIN, 1 << 31), (i32::MIN + 3, 2), (-2, 5)] {
            let wanted = (0..20).map(|k: usize| {
                let (b, n, c, by, m) = (k / 10, (k / 2 % 5) as i128, k % 2, i128::from(by), i128::from(m));
                let at =
                    |at: i128| usize::try_from(at).ok().filter(|at| *at < 5).map_or(0.0, |at| x[b * 10 + at * 2 + c]);
                let first = if n + by < 5 { n + by } else { -(n + by) };
                at(first) + 10.0 * at((n - m).div_euclid(2)) + 100.0 * at(2 * n + by)
            });
            near(&chosen(&tensor, by, m)?, &wanted.collect::<Vec<f32>>())?;
            chosen.check(&tensor, by, m)?;
        }

        let (x, tensor) = some(&[5, 3]);
        let at = [2usize, 0, 1, 1, 2];
        let numbers: Vec<i32> = at.iter().map(|at| *at as i32).collect();
        let wanted: Vec<f32> =
            (0..5).map(|n| x[n * 3 + at[n]] + if n == 0 { 2.0 * x[at[0]] } else { x[12 + at[n]] }).collect();
        near(&multiples(&tensor, &whole(&numbers, &[5])?)?, &wanted)?;
        multiples.check(&tensor, &whole(&numbers, &[5])?)?;
        Ok(())
    })
}

#[test]
fn ranges_depend_on_indices() -> Result<()> {
    everywhere(|| {
        for n in [1usize, 2, 7] {
            let (x, tensor) = some(&[n]);
            let (all, earlier) = prefixes(&tensor)?;
            near(&all, &(0..n).map(|i| x[..=i].iter().sum()).collect::<Vec<_>>())?;
            near(&earlier, &(0..n).map(|i| x[..i].iter().map(|x| x * x).sum()).collect::<Vec<_>>())?;
            prefixes.check(&tensor)?;

            let (signal, pages) = some(&[n, 2]);
            let filtered = |at: usize| (0..=at / 2).map(|k| x[k] * signal[at - 2 * k]).sum();
            near(&causal(&tensor, &pages)?, &(0..2 * n).map(filtered).collect::<Vec<_>>())?;
            causal.check(&tensor, &pages)?;

            let (matrix, square) = some(&[n, n]);
            let (means, largest, at) = rests(&square)?;
            let row = |i: usize| &matrix[i * n + i..(i + 1) * n];
            near(&means, &(0..n).map(|i| row(i).iter().sum::<f32>() / (n - i) as f32).collect::<Vec<_>>())?;
            let most = |i: usize| row(i).iter().copied().fold(f32::MIN, f32::max);
            near(&largest, &(0..n).map(most).collect::<Vec<_>>())?;
            let first = |i: usize| (i + row(i).iter().position(|x| *x == most(i)).unwrap_or(0)) as i32;
            assert_eq!(at.to_vec::<i32>()?, (0..n).map(first).collect::<Vec<_>>());
            rests.check(&square)?;

            let y: Vec<i32> = (0..n as i32).map(|i| 5 * i - 3).collect();
            let (sums, numbers) = logs(&tensor, &whole(&y, &[n])?)?;
            near(&sums, &(0..n).map(|i| x[i..].iter().map(|x| x.ln()).sum()).collect::<Vec<_>>())?;
            let least = |i: usize| y[i] + y[..i].iter().copied().min().unwrap_or(i32::MAX).min(7);
            assert_eq!(numbers.to_vec::<i32>()?, (0..n).map(least).collect::<Vec<_>>());
            let (_, pullback) = logs.vjp(&tensor, &whole(&y, &[n])?)?;
            let ones = floats(&vec![1.0; n], &[n]);
            near(&pullback(&ones)?, &(0..n).map(|i| (i + 1) as f32 / x[i]).collect::<Vec<_>>())?;

            let pairs = |m: usize| (0..=m).map(|i| (i..=m).map(|j| x[j - i] * x[m - j]).sum::<f32>()).sum();
            near(&nested(&tensor)?, &(0..n).map(pairs).collect::<Vec<_>>())?;
            nested.check(&tensor)?;
        }
        Ok(())
    })
}

#[test]
fn lists_are_read_by_indices() -> Result<()> {
    everywhere(|| {
        let (x, tensor) = some(&[4, 3]);
        let at = |i: i64, j: i64| {
            if (0..4).contains(&i) && (0..3).contains(&j) { x[(i * 3 + j) as usize] } else { 0.0 }
        };
        let edge = |i: i64, j: i64| {
            (0..9).map(|k| SOBEL[k / 3][k % 3] * at(i + k as i64 / 3 - 1, j + k as i64 % 3 - 1)).sum::<f32>()
        };
        near(&edges(&tensor)?, &(0..12).map(|k| edge(k / 3, k % 3)).collect::<Vec<_>>())?;
        edges.check(&tensor)?;
        let (x, tensor) = some(&[3, 2]);
        let value = |n: usize, c: usize| {
            let (own, counts) = (&x[2 * n..2 * n + 2], [3.0, 5.0, 7.0, 9.0]);
            own[c] * W[1 - c] + counts[2 * c + 1] + counts[c] * own[0] + counts[c + 1] * own[1]
        };
        near(&weighted(&tensor)?, &(0..6).map(|k| value(k / 2, k % 2)).collect::<Vec<_>>())?;
        weighted.check(&tensor)?;
        Ok(())
    })
}

#[test]
fn kernels_are_of_several_types() -> Result<()> {
    everywhere(|| {
        let x = whole(&[1, 2, 4, 8], &[4])?;
        let wanted = [6, 20, 76, 232];
        assert_eq!(smooth(&x, &x)?.to_vec::<i32>()?, wanted);
        let refused = smooth.vjp(&x, &x).and_then(|(y, pullback)| pullback(&y)?.0.to_vec::<f32>());
        let refused = refused.expect_err("whole numbers have no gradient").to_string();
        assert!(refused.contains("i32"), "{refused}");
        assert!(smooth(&x.cast(DType::U8), &x).is_err());
        for dtype in [DType::F32, DType::F16, DType::F64] {
            if dtype == DType::F64 && !device().profile().fp64 {
                continue;
            }
            let as_f32 = |x: &Tensor| x.cast(DType::F32).to_vec::<f32>();
            let x = x.cast(dtype);
            let (y, pullback) = smooth.vjp(&x, &x)?;
            assert_eq!(y.dtype(), dtype);
            assert_eq!(as_f32(&y)?, wanted.map(|y| y as f32));
            let (first, second) = pullback(&Tensor::full(&device(), 1.0f32, &[4])?.cast(dtype))?;
            assert_eq!(as_f32(&first)?, [6.0, 10.0, 19.0, 29.0]);
            assert_eq!(as_f32(&second)?, [5.0, 9.0, 18.0, 28.0]);
        }
        Ok(())
    })
}

#[netcl::model]
struct Windowed {
    #[parameter(init = normal(1.0))]
    x: Tensor<f32, 4, 3>,
}

#[netcl::model]
impl Windowed {
    /// Kernels of all kinds, one into the other.
    pub fn loss(&self, at: &Tensor<u32, 4, 3>) -> Tensor<f32> {
        let h = blurred(along(edges(self.x), at));
        (smooth(h.sum(1), h.mean(1)) * causal(h.max(1), h).sum(1)).sum_all()
    }

    pub fn first(&self, at: &Tensor<u32, 4, 3>) -> Tensor<f32> {
        (blurred(along(edges(self.x), at)) * self.x).sum_all()
    }
}

/// A body's kernels give what they give when they are called one after the other, and its gradient is theirs.
#[test]
fn models_call_them() -> Result<()> {
    everywhere(|| {
        let mut model = Windowed::new(&device(), Seed(3))?;
        let x = floats(&some(&[4, 3]).0, &[4, 3]);
        model.set_tensor("x", &x)?;
        let at = Tensor::from_slice(&device(), &[2u32, 0, 1, 1, 1, 9, 0, 2, 2, 0, 0, 0], &[4, 3])?;
        let (edge, from_edge) = edges.vjp(&x)?;
        let (taken, from_taken) = along.vjp(&edge, &at)?;
        let (soft, from_soft) = blurred.vjp(&taken)?;
        let (found, gradients) = model.first_with_gradients(&at)?;
        let each = soft.to_vec::<f32>()?.into_iter().zip(x.to_vec::<f32>()?);
        near(&found, &[each.map(|(a, b)| a * b).sum()])?;
        let other = from_edge(&from_taken(&from_soft(&x)?)?)?.to_vec::<f32>()?;
        let wanted: Vec<f32> = soft.to_vec::<f32>()?.into_iter().zip(other).map(|(a, b)| a + b).collect();
        near(&gradients.tensor("x")?, &wanted)?;
        let (loss, gradients) = model.loss_with_gradients(&at)?;
        assert!(loss.item::<f32>()?.is_finite());
        assert!(gradients.tensor("x")?.to_vec::<f32>()?.iter().any(|x| *x != 0.0));
        Ok(())
    })
}

netcl::kernel! {
    /// A product by tiles, with both ways to name an element of an array of two axes.
    #[launch(global = [C, N], local = [4, 4])]
    fn product(a: &Tensor<f32, N, K>, b: &Tensor<f32, K, C>, y: &mut Tensor<f32, N, C>) {
        let (i, j) = (local_id(1), local_id(0));
        let (n, c) = (global_id(1), global_id(0));
        let mut tiles = local!([[[f32; 4]; 4]; 2]);
        let mut sum = 0.0;
        for first in (0..K).step_by(4) {
            tiles[0, i, j] = a[n, first + j];
            tiles[1][i][j] = b[first + i, c];
            barrier();
            for k in 0..4 {
                sum += tiles[0][i, k] * tiles[1, k, j];
            }
            barrier();
        }
        y[n, c] = sum;
    }

    /// The numbers of each row in another order, by way of an array of the item's own.
    #[launch(global = [N])]
    fn turned(x: &Tensor<i32, N, 6>, y: &mut Tensor<i32, N, 6>) {
        let n = global_id(0);
        let mut block = private!([[i32; 3]; 2]);
        for i in 0..2 {
            for j in 0..3 {
                block[i][j] = x[n, i * 3 + j];
                block[i, j] += 1;
            }
        }
        for j in 0..3 {
            for i in 0..2 {
                y[n, j * 2 + i] = block[i, j];
            }
        }
        if n == 0 {
            y[0, 5] += block[1, n + 3] + block[2 + n, 0];
        }
    }
}

#[test]
fn arrays_have_several_axes() -> Result<()> {
    everywhere(|| {
        let ((a, left), (b, right)) = (some(&[6, 9]), some(&[9, 5]));
        let sum = |n: usize, c: usize| (0..9).map(|k| a[n * 9 + k] * b[k * 5 + c]).sum();
        near(&product(&left, &right)?, &(0..30).map(|at| sum(at / 5, at % 5)).collect::<Vec<_>>())?;
        let x = whole(&(0..12).collect::<Vec<_>>(), &[2, 6])?;
        assert_eq!(turned(&x)?.to_vec::<i32>()?, [1, 4, 2, 5, 3, 6, 7, 10, 8, 11, 9, 12]);
        Ok(())
    })
}

#[test]
fn indices_go_round_from_any_distance() -> Result<()> {
    everywhere(|| {
        for (rows, taps, length) in [(1, 1, 1), (2, 3, 5), (3, 5, 3), (2, 9, 2), (1, 4, 4)] {
            let (w, filter) = some(&[taps]);
            let (x, tensor) = some(&[rows, length]);
            let at = |n: usize, t: usize, by: i64| x[n * length + (t as i64 - by).rem_euclid(length as i64) as usize];
            let one = |n: usize, t: usize| {
                (0..taps).map(|k| w[k] * at(n, t, k as i64)).sum::<f32>() + at(n, t, 2 * rows as i64 + 7 - taps as i64)
            };
            let wanted: Vec<f32> = (0..rows * length).map(|i| one(i / length, i % length)).collect();
            near(&circular(&filter, &tensor)?, &wanted)?;
            circular.check(&filter, &tensor)?;
        }
        Ok(())
    })
}
