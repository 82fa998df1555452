//! Recurrences along an axis in kernels in index form, on every device: against the same written out in Rust, gradients by
//! differences and against models whose bodies have the loop.

use crate::common::{device, everywhere, floats, wave};
use netcl::prelude::*;

netcl::kernel! {
    /// An IIR filter of one pole: y[t] = a y[t - 1] + x[t].
    fn pole(x: &Tensor<f32, N, T>, a: f32) -> Tensor<f32, N, T> {
        |n, t| fold(0..t + 1, 0.0, |y, k| a * y + x[n, k])
    }

    /// The same from the end on, with a pole for each row.
    fn backwards(x: &Tensor<f32, N, T>, a: &Tensor<f32, N>) -> Tensor<f32, N, T> {
        |n, t| (0..T - t).fold(0.0, |y, k| a[n] * y + x[n, T - 1 - k])
    }

    /// What there was before each element: zero before the first.
    fn before(x: &Tensor<f32, T, C>) -> Tensor<f32, T, C> {
        |t, c| fold(0..t, 0.0, |sum, k| sum + x[k, c])
    }

    /// A biquad: two values are carried, and what they were before decides the result.
    fn biquad(x: &Tensor<f32, N, T>, b: &Tensor<f32, 3>, a: &Tensor<f32, 2>) -> Tensor<f32, N, T> {
        |n, t| {
            let (y, _, _) = fold(0..t + 1, (0.0, 0.0, 0.0), |(_, s, r), k| {
                let y = b[0] * x[n, k] + s;
                (y, b[1] * x[n, k] - a[0] * y + r, b[2] * x[n, k] - a[1] * y)
            });
            y
        }
    }

    /// A selective state space: the state has an axis of its own, which is summed over.
    fn selective(x: &Tensor<f32, T, C>, a: &Tensor<f32, C, S>, b: &Tensor<f32, T, S>, c: &Tensor<f32, T, S>) -> Tensor<f32, T, C> {
        |t, d| sum(0..S, |s| c[t, s] * fold(0..t + 1, 0.0, |h, k| (a[d, s] * 0.5).exp() * h + b[k, s] * x[k, d]))
    }

    /// Mean and variance of each row in one pass, as Welford does.
    fn moments(x: &Tensor<f32, N, T>) -> (Tensor<f32, N>, Tensor<f32, N>) {
        |n| {
            let (_, mean, squares) = fold(0..T, (0.0, 0.0, 0.0), |(count, mean, squares), k| {
                let count = count + 1.0;
                let delta = x[n, k] - mean;
                let mean = mean + delta / count;
                (count, mean, squares + delta * (x[n, k] - mean))
            });
            (mean, squares / T)
        }
    }

    /// The closure knows the result's index: each has rounds of its own.
    fn discounted(x: &Tensor<f32, T>, rate: f32) -> Tensor<f32, T> {
        |t| fold(0..t + 1, 0.0, |y, k| y + x[k] * exp(rate * (k - t)))
    }

    /// Few rounds are written out; whole numbers; choices by the round; neighbours; a state of several rows.
    fn mixed(x: &Tensor<f32, N, T>, at: &Tensor<u32, T>) -> Tensor<f32, N, T> {
        |n, t| {
            let short = fold(0..3, x[n, t], |y, k| y * 0.5 + k);
            let count = fold(0..t + 1, 0i32, |c, k| if x[n, k] > 0.0 && k % 2 == 0 { c + 1 } else { c });
            let gathered = fold(0..t + 1, 0.0, |y, k| 0.5 * y + x[n, at[k]] + pad(x[n, k - 1]) + x[n, clamp(k + 1, 0, T - 1)] + x[n, k / 2]);
            short + (count as f32) * 0.25 + gathered
        }
    }
}

netcl::kernel! {
    /// One pole, which is a tensor.
    fn leaky(x: &Tensor<f32, N, T>, a: &Tensor<f32>) -> Tensor<f32, N, T> {
        |n, t| fold(0..t + 1, 0.0, |y, k| a * y + x[n, k])
    }
}

#[netcl::model]
struct Filter {
    #[parameter(init = 0.4)]
    pole: Tensor<f32>,
    #[parameter(init = 1.5)]
    gain: Tensor<f32>,
}

#[netcl::model]
impl Filter {
    fn by_kernel(&self, x: &Tensor<f32, N, T>) -> Tensor<f32> {
        leaky(x * &self.gain, &self.pole).square().mean_all()
    }

    fn by_loop(&self, x: &Tensor<f32, N, T>) -> Tensor<f32> {
        let mut y = Tensor::zeros([N]);
        let mut all = Vec::new();
        for t in 0..T {
            y = y * &self.pole + x.get(1, t) * &self.gain;
            all.push(y);
        }
        all.stack(1).square().mean_all()
    }
}

/// The rows of `x` one after the other through `step`, which keeps what it likes.
fn by_rows(x: &Tensor, step: impl Fn(&[f32]) -> Vec<f32>) -> Result<Vec<f32>> {
    let (values, length) = (x.to_vec::<f32>()?, x.shape()[1]);
    Ok(values.chunks(length).flat_map(step).collect())
}

fn near(found: &Tensor, expected: &[f32]) -> Result<()> {
    let found = found.to_vec::<f32>()?;
    assert_eq!(found.len(), expected.len());
    for (at, (a, b)) in found.iter().zip(expected).enumerate() {
        assert!((a - b).abs() <= 1e-5 * (1.0 + b.abs()), "{at}: {a} and {b}\n{found:?}\n{expected:?}");
    }
    Ok(())
}

#[test]
fn recurrences_are_those_of_rust() -> Result<()> {
    everywhere(|| {
        for (n, t) in [(2, 1), (3, 10)] {
            let x = wave(&device(), &[n, t]);
            let of_pole = |a: f32, row: &[f32]| -> Vec<f32> {
                let next = |y: &mut f32, x: &f32| {
                    *y = a * *y + x;
                    Some(*y)
                };
                row.iter().scan(0.0, next).collect()
            };
            near(&pole(&x, 0.7)?, &by_rows(&x, |row| of_pole(0.7, row))?)?;
            let reversed = |row: &[f32]| row.iter().rev().copied().collect::<Vec<f32>>();
            let poles = floats(&vec![0.3; n], &[n]);
            near(&backwards(&x, &poles)?, &by_rows(&x, |row| reversed(&of_pole(0.3, &reversed(row))))?)?;
            let sums = by_rows(&x, |row| (0..row.len()).map(|t| row[..t].iter().sum()).collect())?;
            near(&before(&x.t())?.t(), &sums)?;
            let (b, a) = ([0.2, 0.3, -0.1], [-0.5, 0.25]);
            let direct = |row: &[f32]| {
                let mut y: Vec<f32> = Vec::new();
                for t in 0..row.len() {
                    let at = |list: &[f32], by: usize| t.checked_sub(by).map_or(0.0, |t| list[t]);
                    let zeros = b[0] * row[t] + b[1] * at(row, 1) + b[2] * at(row, 2);
                    y.push(zeros - a[0] * at(&y, 1) - a[1] * at(&y, 2));
                }
                y
            };
            near(&biquad(&x, &floats(&b, &[3]), &floats(&a, &[2]))?, &by_rows(&x, direct)?)?;
            let (mean, variance) = moments(&x)?;
            let mean_of = |row: &[f32]| row.iter().sum::<f32>() / row.len() as f32;
            near(&mean, &by_rows(&x, |row| vec![mean_of(row)])?)?;
            let variances =
                |row: &[f32]| vec![mean_of(&row.iter().map(|x| (x - mean_of(row)).powi(2)).collect::<Vec<_>>())];
            near(&variance, &by_rows(&x, variances)?)?;
            let row = floats(&x.to_vec::<f32>()?[..t], &[t]);
            let weighed = |row: &[f32]| -> Vec<f32> {
                let weight = |t: usize, k: usize| (0.3 * (k as f32 - t as f32)).exp();
                (0..row.len()).map(|t| (0..=t).map(|k| row[k] * weight(t, k)).sum()).collect()
            };
            near(&discounted(&row, 0.3)?, &weighed(&row.to_vec::<f32>()?))?;
            let places: Vec<u32> = (0..t as u32).rev().collect();
            let at = Tensor::from_slice(&device(), &places, &[t])?;
            let all = |row: &[f32]| -> Vec<f32> {
                let (mut y, mut count) = (0.0, 0);
                let each = |t: usize| {
                    let short = (0..3).fold(row[t], |y, k| y * 0.5 + k as f32);
                    count += i32::from(row[t] > 0.0 && t.is_multiple_of(2));
                    let last = if t > 0 { row[t - 1] } else { 0.0 };
                    y = 0.5 * y + row[places[t] as usize] + last + row[(t + 1).min(row.len() - 1)] + row[t / 2];
                    short + count as f32 * 0.25 + y
                };
                (0..row.len()).map(each).collect()
            };
            near(&mixed(&x, &at)?, &by_rows(&x, all)?)?;
        }
        Ok(())
    })
}

#[test]
fn recurrences_have_gradients() -> Result<()> {
    everywhere(|| {
        let x = wave(&device(), &[2, 6]);
        pole.check(&x, 0.7)?;
        backwards.check(&x, &floats(&[0.3, -0.6], &[2]))?;
        before.check(&x)?;
        biquad.check(&x, &floats(&[0.2, 0.3, -0.1], &[3]), &floats(&[-0.5, 0.25], &[2]))?;
        moments.check(&x)?;
        discounted.check(&floats(&[0.5, 1.0, -1.0], &[3]), 0.3)?;
        // Away from zero, where it counts.
        let far: Vec<f32> = (0..12).map(|i| if i % 3 == 0 { -0.7 } else { 0.4 + 0.1 * i as f32 }).collect();
        mixed.check(&floats(&far, &[2, 6]), &Tensor::from_slice(&device(), &[5u32, 4, 3, 2, 1, 0], &[6])?)?;
        let channels =
            [wave(&device(), &[5, 3]), wave(&device(), &[3, 2]), wave(&device(), &[5, 2]), wave(&device(), &[5, 2])];
        selective.check(&channels[0], &channels[1], &channels[2], &channels[3])?;
        Ok(())
    })
}

#[test]
fn in_models_they_are_loops() -> Result<()> {
    everywhere(|| {
        let model = Filter::new(&device(), Seed(1))?;
        for shape in [[2, 1], [3, 8]] {
            let x = wave(&device(), &shape);
            let (loss, gradients) = model.by_kernel_with_gradients(&x)?;
            let (expected, by_loop) = model.by_loop_with_gradients(&x)?;
            near(&loss, &expected.to_vec::<f32>()?)?;
            for name in ["pole", "gain"] {
                near(&gradients.tensor(name)?, &by_loop.tensor(name)?.to_vec::<f32>()?)?;
            }
        }
        Ok(())
    })
}

netcl::kernel! {
    /// Whole numbers with a type of their own, alone and beside floats.
    fn counted(x: &Tensor<f32, N, T>) -> (Tensor<u32, N>, Tensor<u32, N>, Tensor<i32, N>) {
        |n| {
            let above = fold(0..T, 16777216u32, |at, k| at + (x[n, k] > 0.0) as u32);
            let (_, largest) = fold(0..T, (-1e9, 0u32), |(best, at), k| {
                if x[n, k] > best { (x[n, k], k as u32) } else { (best, at) }
            });
            (above, largest, fold(0..T, 7i32, |s, _k| s / 2 + 4))
        }
    }
}

#[test]
fn whole_numbers_keep_their_types() -> Result<()> {
    everywhere(|| {
        let x = floats(&[1.0, -2.0, 3.0, 0.5, 4.0, -1.0, -5.0, -0.5, -3.0, -1.0], &[2, 5]);
        let (above, largest, halved) = counted(&x)?;
        assert_eq!(above.to_vec::<u32>()?, [16_777_220, 16_777_216]);
        assert_eq!(largest.to_vec::<u32>()?, [4, 2]);
        assert_eq!(halved.to_vec::<i32>()?, [7, 7]);
        Ok(())
    })
}

netcl::kernel! {
    /// Ranges that begin or end anywhere: what is not in them is not divided by.
    fn quotients(x: &Tensor<f32, N, T>, h: &Tensor<f32, N>) -> (Tensor<f32, N, T>, Tensor<f32, N, T>, Tensor<f32, N, T>, Tensor<f32, N, T>) {
        |n, t| (
            fold(1..t + 1, h[n], |h, k| h / x[n, k]),
            fold(t..T, h[n], |h, k| h / x[n, k]),
            fold(0..t, h[n], |h, k| h / x[n, k]),
            fold(1..T, h[n], |h, k| h / x[n, T - k] + x[n, t])
        )
    }

    /// Both ends vary, or the end does and the closure knows it.
    fn windows(x: &Tensor<f32, { 2 * T }>, y: &Tensor<f32, T>) -> (Tensor<f32, T>, Tensor<f32, T>) {
        |t| (fold(t..2 * t + 1, 1.0, |h, k| h / x[k]), fold(1..t + 1, y[t], |h, k| h / (x[k] + y[t])))
    }
}

/// Numbers between 1 and 3.
fn above_one(shape: &[usize]) -> Result<Tensor> {
    let values: Vec<f32> = wave(&device(), shape).to_vec::<f32>()?.iter().map(|x| 2.0 + 0.9 * x.sin()).collect();
    Ok(floats(&values, shape))
}

#[test]
fn ranges_begin_and_end_anywhere() -> Result<()> {
    everywhere(|| {
        for (n, t) in [(2, 1), (2, 2), (1, 6)] {
            let x = above_one(&[n, t])?;
            let h = floats(&vec![0.7; n], &[n]);
            let (after, from, earlier, rest) = quotients(&x, &h)?;
            let of = |row: &[f32], k: std::ops::Range<usize>| k.fold(0.7, |h, k| h / row[k]);
            let each = |row: &[f32], range: fn(usize, usize) -> std::ops::Range<usize>| -> Vec<f32> {
                (0..row.len()).map(|t| of(row, range(t, row.len()))).collect()
            };
            near(&after, &by_rows(&x, |row| each(row, |t, _| 1..t + 1))?)?;
            near(&from, &by_rows(&x, |row| each(row, |t, all| t..all))?)?;
            near(&earlier, &by_rows(&x, |row| each(row, |t, _| 0..t))?)?;
            let turned = |row: &[f32]| -> Vec<f32> {
                let all = row.len();
                row.iter().map(|x| (1..all).fold(0.7, |h, k| h / row[all - k] + x)).collect()
            };
            near(&rest, &by_rows(&x, turned)?)?;
            quotients.check(&x, &h)?;
            let (long, short) = (above_one(&[2 * t])?, above_one(&[t])?);
            let (of_both, of_end) = windows(&long, &short)?;
            let (x, y) = (long.to_vec::<f32>()?, short.to_vec::<f32>()?);
            near(&of_both, &(0..t).map(|t| (t..2 * t + 1).fold(1.0, |h, k| h / x[k])).collect::<Vec<f32>>())?;
            near(&of_end, &(0..t).map(|t| (1..t + 1).fold(y[t], |h, k| h / (x[k] + y[t]))).collect::<Vec<f32>>())?;
            windows.check(&long, &short)?;
        }
        Ok(())
    })
}

netcl::kernel! {
    /// Reads that only a call knows, beside ones that a round knows.
    fn by_argument(x: &Tensor<f32, N, C>, by: i32) -> Tensor<f32, N> {
        |n| fold(0..C, 0.0, |h, k| 0.5 * h + 0.0 * x[n, k] + pad(x[n, k + by]))
    }

    fn by_argument_too(v: &Tensor<f32, N>, w: &Tensor<f32, C>, by: i32) -> (Tensor<f32, N>, Tensor<f32, N>) {
        |n| (fold(0..C, 0.0, |h, k| 0.5 * h + v[n] * w[k]), fold(0..C, 0.0, |h, k| 0.5 * h + pad(v[k + by]) * v[n]))
    }

    fn clamped_by_argument(x: &Tensor<f32, N, C>, by: i32) -> Tensor<f32, N> {
        |n| fold(0..C, 0.0, |h, k| h + x[n, max(k - 1, 0)] * pad(x[n, clamp(k + by, 0, C - 1)]))
    }

    fn by_square(x: &Tensor<i32, N, C>) -> Tensor<i32, N> {
        |n| fold(0..C, 0, |h, k| 10 * h + max(x[n, k], 0) - x[n, k] + pad(x[n, (k * k) % C]))
    }
}

#[test]
fn rounds_read_what_only_a_call_knows() -> Result<()> {
    everywhere(|| {
        for (n, c) in [(1, 4), (3, 9), (2, 12)] {
            let x = above_one(&[n, c])?;
            let v = above_one(&[n])?;
            let w = above_one(&[c])?;
            let (own, each) = (v.to_vec::<f32>()?, w.to_vec::<f32>()?);
            for by in [-2, 0, 2] {
                let at = |row: &[f32], k: i32| usize::try_from(k).ok().and_then(|k| row.get(k)).copied().unwrap_or(0.0);
                let all = c as i32;
                let read = by_rows(&x, |row| vec![(0..all).fold(0.0, |h, k| 0.5 * h + at(row, k + by))])?;
                near(&by_argument(&x, by)?, &read)?;
                by_argument.check(&x, by)?;
                let (first, second) = by_argument_too(&v, &w, by)?;
                let wanted: Vec<f32> = own.iter().map(|v| each.iter().fold(0.0, |h, w| 0.5 * h + v * w)).collect();
                near(&first, &wanted)?;
                let wanted: Vec<f32> =
                    own.iter().map(|v| (0..all).fold(0.0, |h, k| 0.5 * h + at(&own, k + by) * v)).collect();
                near(&second, &wanted)?;
                by_argument_too.check(&v, &w, by)?;
                let clamped = by_rows(&x, |row| {
                    let term = |k: i32| row[(k - 1).max(0) as usize] * row[(k + by).clamp(0, all - 1) as usize];
                    vec![(0..all).map(term).sum()]
                })?;
                near(&clamped_by_argument(&x, by)?, &clamped)?;
                clamped_by_argument.check(&x, by)?;
            }
            let whole: Vec<i32> = (0..(n * c) as i32).map(|i| i % 7 + 1).collect();
            let squares: Vec<i32> = whole
                .chunks(c)
                .map(|row| (0..c).fold(0i32, |h, k| h.wrapping_mul(10).wrapping_add(row[(k * k) % c])))
                .collect();
            let whole = Tensor::from_slice(&device(), &whole, &[n, c])?;
            assert_eq!(by_square(&whole)?.to_vec::<i32>()?, squares);
        }
        Ok(())
    })
}
