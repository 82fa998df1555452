//! Loops over products, quotients and sums of sizes, and positions in them, with their gradients.

use crate::common::{device, everywhere, floats};
use netcl::prelude::*;

#[netcl::model]
pub struct Pixels {
    #[parameter(init = 0.5)]
    by: Tensor<f32, 2>,
}

#[netcl::model]
impl Pixels {
    /// All pixels in order.
    #[gradients(x)]
    pub fn loss(&self, x: &Tensor<f32, N, 2, H, W>) -> Tensor<f32> {
        let s = x.flatten(2);
        let mut h = Tensor::zeros([N, 2]);
        for t in 0..H * W {
            h = h * &self.by + s.get(2, t);
        }
        h.sum_all()
    }

    pub fn over_an_axis(&self, x: &Tensor<f32, N, 2, H, W>) -> Tensor<f32, N, 2> {
        let s = x.flatten(2);
        let mut h = Tensor::zeros([N, 2]);
        for t in 0..s.dim(2) {
            h = h * &self.by + s.get(2, t);
        }
        h
    }

    /// Rows and columns of what is one axis, and from its end.
    pub fn nested(&self, s: &Tensor<f32, { H * W }, 2>, _like: &Tensor<f32, H, W>) -> (Tensor<f32, 2>, Tensor<f32, 2>) {
        let mut h = Tensor::zeros([2]);
        for i in 0..H {
            for j in 0..W {
                h = h * &self.by + s.get(0, i * W + j);
            }
        }
        let mut back = Tensor::zeros([2]);
        for t in 0..H * W {
            back = back * &self.by + s.get(0, H * W - 1 - t);
        }
        (h, back)
    }

    /// Pairs: an odd one is left; and each twice.
    pub fn pairs(&self, x: &Tensor<f32, T, 2>) -> (Tensor<f32, 2>, Tensor<f32, 2>, Tensor<f32, 2>) {
        let mut h = Tensor::zeros([2]);
        let mut back = Tensor::zeros([2]);
        for t in 0..T / 2 {
            h = h * &self.by + x.get(0, 2 * t) * x.get(0, 2 * t + 1);
            back = back * &self.by + x.get(0, T - 1 - 2 * t);
        }
        let mut twice = Tensor::zeros([2]);
        for t in 0..T {
            twice = twice * &self.by + x.get(0, t / 2);
        }
        (h, back, twice)
    }
}

fn numbers(count: usize) -> Vec<f32> {
    (0..count).map(|i| (i as f32 * 0.37).sin()).collect()
}

/// `h * 0.5 + x`, one after the other.
fn decayed(each: impl Iterator<Item = f32>) -> f32 {
    each.fold(0.0, |h, x| h * 0.5 + x)
}

fn near(found: &[f32], wanted: &[f32]) {
    let far = found.iter().zip(wanted).any(|(found, wanted)| (found - wanted).abs() > 1e-5);
    assert!(!far && found.len() == wanted.len(), "{found:?} {wanted:?}");
}

#[test]
fn rounds_go_over_all_pixels() -> Result<()> {
    everywhere(|| {
        let model = Pixels::new(&device(), Seed(1))?;
        for (rows, columns) in [(1usize, 1usize), (2, 3), (4, 1)] {
            let pixels = rows * columns;
            let values = numbers(2 * pixels);
            let x = floats(&values, &[1, 2, rows, columns]);
            let wanted: Vec<f32> = values.chunks(pixels).map(|own| decayed(own.iter().copied())).collect();
            near(&model.over_an_axis(&x)?.to_vec::<f32>()?, &wanted);
            let (loss, _, dx) = model.loss_with_gradients(&x)?;
            near(&[loss.item::<f32>()?], &[wanted.iter().sum()]);
            let powers: Vec<f32> = (0..2 * pixels).map(|i| 0.5f32.powi((pixels - 1 - i % pixels) as i32)).collect();
            near(&dx.to_vec::<f32>()?, &powers);
        }
        Ok(())
    })
}

#[test]
fn positions_are_products_and_sums_of_rounds() -> Result<()> {
    everywhere(|| {
        let model = Pixels::new(&device(), Seed(1))?;
        for (rows, columns) in [(1usize, 1usize), (2, 3), (3, 2)] {
            let values = numbers(2 * rows * columns);
            let s = floats(&values, &[rows * columns, 2]);
            let (found, back) = model.nested(&s, &floats(&numbers(rows * columns), &[rows, columns]))?;
            let column = |k: usize| values.iter().skip(k).step_by(2).copied();
            near(&found.to_vec::<f32>()?, &[0, 1].map(|k| decayed(column(k))));
            near(&back.to_vec::<f32>()?, &[0, 1].map(|k| decayed(column(k).collect::<Vec<_>>().into_iter().rev())));
        }
        for length in [1usize, 2, 5, 8] {
            let values = numbers(2 * length);
            let x = floats(&values, &[length, 2]);
            let at = |t: usize, k: usize| values[2 * t + k];
            let (pairs, back, twice) = model.pairs(&x)?;
            near(
                &pairs.to_vec::<f32>()?,
                &[0, 1].map(|k| decayed((0..length / 2).map(|t| at(2 * t, k) * at(2 * t + 1, k)))),
            );
            near(&back.to_vec::<f32>()?, &[0, 1].map(|k| decayed((0..length / 2).map(|t| at(length - 1 - 2 * t, k)))));
            near(&twice.to_vec::<f32>()?, &[0, 1].map(|k| decayed((0..length).map(|t| at(t / 2, k)))));
        }
        Ok(())
    })
}
