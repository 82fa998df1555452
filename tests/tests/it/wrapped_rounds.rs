//! Positions that go around in a loop over a symbol, `x.get(1, (t + 1) % T)`, with their gradients.

use crate::common::{device, everywhere, floats};
use netcl::prelude::*;

#[netcl::model]
pub struct Ring {
    #[parameter(init = 0.5)]
    weight: Tensor<f32, 3>,
}

#[netcl::model]
impl Ring {
    /// Each with those around it: the next one, the one before, and the third from it.
    #[gradients(x)]
    pub fn loss(&self, x: &Tensor<f32, N, T, 3>) -> Tensor<f32> {
        let mut sum = Tensor::zeros([N, 3]);
        for t in 0..T {
            let before = (t + T - 1) % T;
            let (next, before, own) = (x.get(1, (t + 1) % T), x.get(1, before), x.get(1, t));
            sum = sum + &self.weight * &own * next.square() + own * before * before * before;
            sum = sum + x.get(1, (t + 3) % T) * x.get(1, t);
        }
        sum.sum_all()
    }

    /// The rounds from the last to the first, and columns of a matrix; the one before the first is the last.
    pub fn shifted(&self, x: &Tensor<f32, T, 3>) -> Tensor<f32, T, 3> {
        let mut all = Vec::new();
        for t in (0..T).rev() {
            all.push(x.get(0, (t + 2) % T));
        }
        all.stack(0)
    }

    /// As a number it is a remainder as well.
    pub fn numbers(&self, x: &Tensor<f32, T>) -> Tensor<f32> {
        let mut sum = Tensor::zeros([]);
        for t in 0..T {
            let next = (t + 1) % T;
            sum = sum + x.get(0, next) * next;
        }
        sum
    }
}

/// Loss, and its gradients in `x` and the weight.
fn expected(x: &[f32], [n, t, c]: [usize; 3]) -> (f64, Vec<f64>, Vec<f64>) {
    let at = |n: usize, i: usize, f: usize| (n * t + i % t) * c + f;
    let (mut loss, mut dx, mut dw) = (0.0, vec![0.0; x.len()], vec![0.0; c]);
    for (row, i, f) in (0..n).flat_map(|n| (0..t).flat_map(move |i| (0..c).map(move |f| (n, i, f)))) {
        let [own, next, before, third] = [at(row, i, f), at(row, i + 1, f), at(row, i + t - 1, f), at(row, i + 3, f)];
        let [a, b, p, q] = [own, next, before, third].map(|at| f64::from(x[at]));
        loss += 0.5 * a * b * b + a * p * p * p + q * a;
        dx[own] += 0.5 * b * b + p * p * p + q;
        dx[next] += a * b;
        dx[before] += 3.0 * a * p * p;
        dx[third] += a;
        dw[f] += a * b * b;
    }
    (loss, dx, dw)
}

#[test]
fn rounds_read_around_the_end() -> Result<()> {
    everywhere(|| {
        let model = Ring::new(&device(), Seed(1))?;
        for steps in [1, 2, 3, 7] {
            let shape = [2, steps, 3];
            let values: Vec<f32> = (0..2 * steps * 3).map(|i| (i as f32 * 0.7).sin() + 0.1).collect();
            let (loss, gradients, dx) = model.loss_with_gradients(&floats(&values, &shape))?;
            let (wanted, wanted_x, wanted_w) = expected(&values, shape);
            let close =
                |a: f32, b: f64| assert!((f64::from(a) - b).abs() <= 1e-4 * b.abs().max(1.0), "{a}, {b}, {steps}");
            close(loss.item()?, wanted);
            dx.to_vec::<f32>()?.into_iter().zip(wanted_x).for_each(|(a, b)| close(a, b));
            gradients.tensor("weight")?.to_vec::<f32>()?.into_iter().zip(wanted_w).for_each(|(a, b)| close(a, b));
        }
        for steps in [1, 2, 5] {
            let values: Vec<f32> = (0..steps * 3).map(|i| i as f32).collect();
            let shifted = model.shifted(&floats(&values, &[steps, 3]))?.to_vec::<f32>()?;
            let wanted: Vec<f32> =
                (0..steps).rev().flat_map(|t| (0..3).map(move |c| ((t + 2) % steps * 3 + c) as f32)).collect();
            assert_eq!(shifted, wanted);
            let values: Vec<f32> = (0..steps).map(|i| 1.0 + i as f32).collect();
            let wanted: f32 = (0..steps).map(|t| (t + 1) % steps).map(|next| values[next] * next as f32).sum();
            assert_eq!(model.numbers(&floats(&values, &[steps]))?.item::<f32>()?, wanted);
        }
        Ok(())
    })
}
