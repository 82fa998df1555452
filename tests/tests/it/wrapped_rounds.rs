//! Positions that go around or stay inside in a loop over a symbol, `x.get(1, (t + 1) % T)` and `x.get(1, min(t + 1, T - 1))`, with
//! their gradients.

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

#[netcl::model]
pub struct Line {
    #[parameter(init = 0.5)]
    weight: Tensor<f32, 3>,
}

#[netcl::model]
impl Line {
    /// Each with those beside it, at the ends with itself, and with the second from it and the one before, which go around.
    #[gradients(x)]
    pub fn loss(&self, x: &Tensor<f32, N, T, 3>) -> Tensor<f32> {
        let mut sum = Tensor::zeros([N, 3]);
        for t in 0..T {
            let before = max(t - 1, 0);
            let (next, before, own) = (x.get(1, min(t + 1, T - 1)), x.get(1, before), x.get(1, t));
            sum = sum + &self.weight * &own * next.square() + own * before * before * before;
            let (second, around) = (x.get(1, (t + 2).clamp(0, T - 1)), x.get(1, (t - 1).rem_euclid(T)));
            sum = sum + own * second + own * around.square();
        }
        sum.sum_all()
    }

    /// The same positions as methods and from the last round to the first; as numbers they are what they are in Rust.
    pub fn sides(&self, x: &Tensor<f32, T, 3>) -> Tensor<f32, T, 3> {
        let mut all = Vec::new();
        for t in (0..T).rev() {
            let place = (t - 3).max(0).min(T - 1);
            all.push(x.get(0, place) + 100.0 * place + 10.0 * (t - 1).rem_euclid(T));
        }
        all.stack(0)
    }

    /// Outside of loops too.
    pub fn sixth(&self, x: &Tensor<f32, T, 3>) -> Tensor<f32, 3> {
        x.get(0, min(5, T - 1))
    }
}

#[test]
fn rounds_stay_inside() -> Result<()> {
    everywhere(|| {
        let model = Line::new(&device(), Seed(1))?;
        for steps in [1usize, 2, 3, 7] {
            let values: Vec<f32> = (0..2 * steps * 3).map(|i| (i as f32 * 0.7).sin() + 0.1).collect();
            let (loss, gradients, dx) = model.loss_with_gradients(&floats(&values, &[2, steps, 3]))?;
            let (mut wanted, mut wanted_x, mut wanted_w) = (0.0, vec![0.0; values.len()], vec![0.0; 3]);
            for (n, t, c) in (0..2).flat_map(|n| (0..steps).flat_map(move |t| (0..3).map(move |c| (n, t, c)))) {
                let at = |t: usize| (n * steps + t) * 3 + c;
                let last = steps - 1;
                let places = [t, (t + 1).min(last), t.saturating_sub(1), (t + 2).min(last), (t + last) % steps];
                let [a, b, p, s, r] = places.map(|t| f64::from(values[at(t)]));
                wanted += 0.5 * a * b * b + a * p * p * p + a * s + a * r * r;
                let slopes = [0.5 * b * b + p * p * p + s + r * r, a * b, 3.0 * a * p * p, a, 2.0 * a * r];
                places.iter().zip(slopes).for_each(|(t, slope)| wanted_x[at(*t)] += slope);
                wanted_w[c] += a * b * b;
            }
            let close =
                |a: f32, b: f64| assert!((f64::from(a) - b).abs() <= 1e-4 * b.abs().max(1.0), "{a}, {b}, {steps}");
            close(loss.item()?, wanted);
            dx.to_vec::<f32>()?.into_iter().zip(wanted_x).for_each(|(a, b)| close(a, b));
            gradients.tensor("weight")?.to_vec::<f32>()?.into_iter().zip(wanted_w).for_each(|(a, b)| close(a, b));
        }
        for steps in [1usize, 2, 5, 9] {
            let values: Vec<f32> = (0..steps * 3).map(|i| i as f32).collect();
            let x = floats(&values, &[steps, 3]);
            let wanted = (0..steps).rev().flat_map(|t| {
                let (place, around) = (t.saturating_sub(3), (t + steps - 1) % steps);
                (0..3).map(move |c| (place * 3 + c + 100 * place + 10 * around) as f32)
            });
            assert_eq!(model.sides(&x)?.to_vec::<f32>()?, wanted.collect::<Vec<_>>());
            let sixth = 5.min(steps - 1) * 3;
            assert_eq!(model.sixth(&x)?.to_vec::<f32>()?, values[sixth..sixth + 3]);
        }
        Ok(())
    })
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

/// A table that goes around as often as there are rounds for.
#[netcl::model]
pub struct Periodic {
    #[parameter(init = normal(0.5))]
    table: Tensor<f32, 4, 3>,
}

#[netcl::model]
impl Periodic {
    #[gradients(x)]
    pub fn loss(&self, x: &Tensor<f32, T, 3>, other: &Tensor<f32, S, 3>) -> Tensor<f32> {
        let mut h = Tensor::zeros([3]);
        for t in 0..T {
            let row = self.table.get(0, t % 4);
            h = h * 0.5 + x.get(0, t) * &row * &row + other.get(0, (t + 40) % S) * row;
        }
        h.sum_all()
    }
}

#[test]
fn tables_go_around_as_often_as_rounds_want() -> Result<()> {
    everywhere(|| {
        let model = Periodic::new(&device(), Seed(4))?;
        let table = model.tensor("table")?.to_vec::<f32>()?;
        for (rounds, others) in [(1usize, 1usize), (3, 2), (11, 7)] {
            let values = |count: usize, by: f32| (0..count * 3).map(|i| (i as f32 * by).sin()).collect::<Vec<_>>();
            let (x, other) = (values(rounds, 0.7), values(others, 0.4));
            let (loss, gradients, dx) =
                model.loss_with_gradients(&floats(&x, &[rounds, 3]), &floats(&other, &[others, 3]))?;
            let (mut sum, mut of_table, mut of_x) = (0.0f32, vec![0.0f32; 12], vec![0.0f32; rounds * 3]);
            for t in 0..rounds {
                let share = 0.5f32.powi((rounds - 1 - t) as i32);
                for c in 0..3 {
                    let (row, round) = (table[t % 4 * 3 + c], other[(t + 40) % others * 3 + c]);
                    sum += share * (x[t * 3 + c] * row * row + round * row);
                    of_table[t % 4 * 3 + c] += share * (2.0 * x[t * 3 + c] * row + round);
                    of_x[t * 3 + c] = share * row * row;
                }
            }
            let near = |found: Vec<f32>, wanted: &[f32]| {
                assert!(found.iter().zip(wanted).all(|(x, y)| (x - y).abs() < 1e-5), "{found:?} {wanted:?}");
            };
            near(vec![loss.item()?], &[sum]);
            near(gradients.tensor("table")?.to_vec()?, &of_table);
            near(dx.to_vec()?, &of_x);
        }
        Ok(())
    })
}
