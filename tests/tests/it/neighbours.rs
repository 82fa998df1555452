//! Elements beside an element: round an axis, and up to its ends. Derivatives for axes that are shorter than the way, too.

use crate::common::{device, everywhere, floats};
use netcl::prelude::*;

netcl::kernel! {
    /// One and two further along the row, the first behind the last.
    fn wrapped(x: &Tensor<f32, N, C>) -> Tensor<f32, N, C> {
        |n, c| 2.0 * x[n, (c + 1) % C] - 3.0 * x[n, (c + 2) % C] + x[n, c]
    }

    /// One and two further to both sides, at most to the ends.
    fn stopped(x: &Tensor<f32, N, C>) -> Tensor<f32, N, C> {
        |n, c| {
            let near = 2.0 * x[n, min(c + 1, C - 1)] - 5.0 * x[n, max(c - 1, 0)];
            near + 3.0 * x[n, clamp(c + 2, 0, C - 1)] - x[n, clamp(c - 2, 0, C - 1)]
        }
    }

    /// Both axes at once, and an axis that is turned round.
    fn crossed(x: &Tensor<f32, N, C>) -> Tensor<f32, N, C> {
        |n, c| x[(n + 1) % N, min(c + 1, C - 1)] * 2.0 + x[N - 1 - n, max(C - 2 - c, 0)]
    }
}

#[netcl::model]
pub struct Slopes {}

#[netcl::model]
impl Slopes {
    pub fn of_wrapped(&self, x: &Tensor<f32, N, C>, w: &Tensor<f32, N, C>) -> Tensor<f32, N, C> {
        grad(&(wrapped(x) * w).sum_all(), x)
    }

    pub fn of_stopped(&self, x: &Tensor<f32, N, C>, w: &Tensor<f32, N, C>) -> Tensor<f32, N, C> {
        grad(&(stopped(x) * w).sum_all(), x)
    }

    pub fn of_crossed(&self, x: &Tensor<f32, N, C>, w: &Tensor<f32, N, C>) -> Tensor<f32, N, C> {
        grad(&(crossed(x) * w).sum_all(), x)
    }

    /// A row beside itself, as a token's with that of the one before.
    pub fn of_shifted(&self, x: &Tensor<f32, N, 1100>, w: &Tensor<f32, 1100, C>) -> Tensor<f32, N, C> {
        let h = x.matmul(w);
        &h + 2.0 * h.pad(0, 1, 0, 0.0).narrow(0, 0, N)
    }

    /// The same of one row, which the compiler knows.
    pub fn of_single(&self, x: &Tensor<f32, 1, 1100>, w: &Tensor<f32, 1100, C>) -> Tensor<f32, 1, C> {
        let h = x.matmul(w);
        &h + 2.0 * h.pad(0, 1, 0, 0.0).narrow(0, 0, 1)
    }
}

/// What elements that are read, each with a factor, say of the gradient in them.
fn expected([rows, columns]: [usize; 2], w: &[f32], reads: impl Fn(i64, i64) -> Vec<(i64, i64, f32)>) -> Vec<f32> {
    let mut slopes = vec![0.0; rows * columns];
    for n in 0..rows {
        for c in 0..columns {
            for (row, column, factor) in reads(n as i64, c as i64) {
                slopes[row as usize * columns + column as usize] += factor * w[n * columns + c];
            }
        }
    }
    slopes
}

#[test]
fn an_axis_may_be_shorter_than_the_way() -> Result<()> {
    everywhere(|| {
        let slopes = Slopes::new(&device(), Seed(1))?;
        for [rows, columns] in [[1, 1], [1, 2], [2, 1], [3, 2], [2, 3], [1, 7], [4, 7]] {
            let (n_end, end) = (rows as i64, columns as i64);
            // Whole numbers, so that no order of a sum matters.
            let w: Vec<f32> = (0..rows * columns).map(|i| (i * 7 % 11) as f32 - 5.0).collect();
            let (x, given) = (floats(&w, &[rows, columns]), floats(&w, &[rows, columns]));
            let at = |c: i64| c.clamp(0, end - 1);
            let of_wrapped = expected([rows, columns], &w, |n, c| {
                vec![(n, (c + 1) % end, 2.0), (n, (c + 2) % end, -3.0), (n, c, 1.0)]
            });
            let of_stopped = expected([rows, columns], &w, |n, c| {
                vec![(n, at(c + 1), 2.0), (n, at(c - 1), -5.0), (n, at(c + 2), 3.0), (n, at(c - 2), -1.0)]
            });
            let of_crossed = expected([rows, columns], &w, |n, c| {
                vec![((n + 1) % n_end, at(c + 1), 2.0), (n_end - 1 - n, at(end - 2 - c), 1.0)]
            });
            assert_eq!(slopes.of_wrapped(&x, &given)?.to_vec::<f32>()?, of_wrapped, "{rows} × {columns}");
            assert_eq!(slopes.of_stopped(&x, &given)?.to_vec::<f32>()?, of_stopped, "{rows} × {columns}");
            assert_eq!(slopes.of_crossed(&x, &given)?.to_vec::<f32>()?, of_crossed, "{rows} × {columns}");
        }
        Ok(())
    })
}

#[test]
fn a_single_row_has_none_before_it() -> Result<()> {
    everywhere(|| {
        let slopes = Slopes::new(&device(), Seed(1))?;
        for rows in [1, 3] {
            let x: Vec<f32> = (0..rows * 1100).map(|i| (i % 3) as f32 - 1.0).collect();
            let w: Vec<f32> = (0..1100 * 5).map(|i| (i % 5) as f32 - 2.0).collect();
            let product = |n: usize, c: usize| (0..1100).map(|k| x[n * 1100 + k] * w[k * 5 + c]).sum::<f32>();
            let before = |n: usize, c: usize| if n == 0 { 0.0 } else { 2.0 * product(n - 1, c) };
            let wanted: Vec<f32> = (0..rows * 5).map(|i| product(i / 5, i % 5) + before(i / 5, i % 5)).collect();
            let (x, w) = (floats(&x, &[rows, 1100]), floats(&w, &[1100, 5]));
            assert_eq!(slopes.of_shifted(&x, &w)?.to_vec::<f32>()?, wanted, "{rows} rows");
            if rows == 1 {
                assert_eq!(slopes.of_single(&x, &w)?.to_vec::<f32>()?, wanted);
            }
        }
        Ok(())
    })
}
