//! Derivatives in what a tuple, a list or a struct holds: each is of what was computed from that tensor, which is another one than
//! what equals it or what it was made of.

use crate::common::{device, everywhere, floats};
use netcl::prelude::*;

/// Two tensors of one form.
#[netcl::tensors]
pub struct Pair {
    a: Tensor<f32, N, 1, 3>,
    b: Tensor<f32, N, 1, 3>,
}

#[netcl::model]
pub struct Shifts {
    #[parameter(init = normal(0.5))]
    shift: Tensor<f32, 3>,
}

#[netcl::model]
impl Shifts {
    /// `b` is used as it is, and in a sum that would broadcast what it was made of.
    fn value(x: &Tensor<f32, N, T, 3>, b: &Tensor<f32, N, 1, 3>) -> Tensor<f32> {
        (x + b).square().sum_all() + b.exp().sum_all()
    }

    fn pair(&self, _x: &Tensor<f32, N, T, 3>) -> Pair {
        Pair { a: self.shift.broadcast_to([N, 1, 3]), b: self.shift.broadcast_to([N, 1, 3]) }
    }

    pub fn in_tuple(&self, x: &Tensor<f32, N, T, 3>) -> Tensor<f32, N, 1, 3> {
        let w = (x * 2.0, self.shift.broadcast_to([N, 1, 3]));
        grad(&(Self::value(x, &w.1) + self.shift.exp().sum_all() + w.0.sum_all()), w.1)
    }

    pub fn in_list(&self, x: &Tensor<f32, N, T, 3>) -> Tensor<f32, N, 1, 3> {
        let w = [self.shift.broadcast_to([N, 1, 3]), self.shift.broadcast_to([N, 1, 3])];
        grad(&(Self::value(x, &w[0]) + w[1].exp().sum_all()), w[0])
    }

    pub fn in_struct(&self, x: &Tensor<f32, N, T, 3>) -> Tensor<f32, N, 1, 3> {
        let w = Pair { a: self.shift.broadcast_to([N, 1, 3]), b: self.shift.broadcast_to([N, 1, 3]) };
        grad(&(Self::value(x, &w.b) + w.a.exp().sum_all()), w.b)
    }

    /// What is taken over is the same tensor.
    pub fn taken_over(&self, x: &Tensor<f32, N, T, 3>) -> Tensor<f32, N, 1, 3> {
        let w = Pair { a: self.shift.broadcast_to([N, 1, 3]), b: self.shift.broadcast_to([N, 1, 3]) };
        let v = Pair { a: w.a * 3.0, b: w.b };
        let u = Pair { a: v.a, b: v.b };
        grad(&(Self::value(x, &u.b) + w.a.exp().sum_all()), (v.b, w.b)).1
    }

    pub fn given(&self, x: &Tensor<f32, N, T, 3>) -> Tensor<f32, N, 1, 3> {
        let w = self.pair(x);
        grad(&(Self::value(x, &w.a) + w.b.exp().sum_all()), w.a)
    }

    pub fn taken_apart(&self, x: &Tensor<f32, N, T, 3>) -> Tensor<f32, N, 1, 3> {
        let Pair { a: first, b } = self.pair(x);
        grad(&(Self::value(x, &first) + b.exp().sum_all()), first)
    }

    fn within(x: &Tensor<f32, N, T, 3>, w: &Pair) -> Tensor<f32, N, 1, 3> {
        grad(&(Self::value(x, &w.a) + w.b.exp().sum_all()), w.a)
    }

    pub fn passed(&self, x: &Tensor<f32, N, T, 3>) -> Tensor<f32, N, 1, 3> {
        Self::within(x, &self.pair(x))
    }

    pub fn in_a_closure(&self, x: &Tensor<f32, N, T, 3>) -> Tensor<f32, N, 1, 3> {
        let slope = |b: &Tensor| grad(&Self::value(x, b), b);
        slope(&self.shift.broadcast_to([N, 1, 3]))
    }

    pub fn of_a_part(&self, x: &Tensor<f32, N, T, 3>) -> Tensor<f32, N, 1, 3> {
        let pair = (self.shift.broadcast_to([N, 1, 3]), 2.0);
        let b = pair.0;
        grad(&(Self::value(x, &b) + self.shift.exp().sum_all()), b)
    }

    pub fn of_a_round(&self, x: &Tensor<f32, N, T, 3>) -> Tensor<f32, N, 1, 3> {
        let mut sum = Tensor::zeros([N, 1, 3]);
        for b in [self.shift.broadcast_to([N, 1, 3])] {
            sum = sum + grad(&Self::value(x, &b), b);
        }
        sum
    }

    pub fn of_what_is_pushed(&self, x: &Tensor<f32, N, T, 3>) -> Tensor<f32, N, 1, 3> {
        let mut all = Vec::new();
        all.push(self.shift.broadcast_to([N, 1, 3]));
        grad(&Self::value(x, &all[0]), all[0])
    }

    pub fn of_an_option(&self, x: &Tensor<f32, N, T, 3>) -> Tensor<f32, N, 1, 3> {
        let maybe = Some(self.shift.broadcast_to([N, 1, 3]));
        if let Some(b) = maybe { grad(&Self::value(x, &b), b) } else { Tensor::zeros([N, 1, 3]) }
    }

    pub fn mapped(&self, x: &Tensor<f32, N, T, 3>) -> Tensor<f32, N, 1, 3> {
        let slopes = [self.shift.broadcast_to([N, 1, 3])].map(|b| grad(&Self::value(x, &b), b));
        slopes[0]
    }

    fn aside(&self, x: &Tensor<f32, N, T, 3>, w: &Tensor<f32, N, 1, 3>) -> Tensor<f32, N, 1, 3> {
        grad(&(Self::value(x, w) + (self.shift + 0.0).exp().sum_all() + (self.shift * 1.0).square().sum_all()), w)
    }

    pub fn given_a_sum(&self, x: &Tensor<f32, N, T, 3>) -> Tensor<f32, N, 1, 3> {
        self.aside(x, &self.shift.broadcast_to([N, 1, 3]))
    }

    pub fn given_what_changes_nothing(&self, x: &Tensor<f32, N, T, 3>) -> Tensor<f32, N, 1, 3> {
        let b = self.shift.broadcast_to([N, 1, 3]);
        let slope = |w: &Tensor| grad(&(Self::value(x, w) + b.powi(3).sum_all()), w);
        slope(&(b - 0.0)) * 0.5 + slope(&(b * 1.0)) * 0.5
    }

    pub fn given_twice(&self, x: &Tensor<f32, N, T, 3>) -> Tensor<f32, N, 1, 3> {
        let b = self.shift.broadcast_to([N, 1, 3]);
        Self::within(x, &Pair { a: b * 1.0, b: b * 1.0 })
    }

    pub fn given_a_copy(&self, x: &Tensor<f32, N, T, 3>) -> Tensor<f32, N, 1, 3> {
        let b = self.shift.broadcast_to([N, 1, 3]);
        let w = b - 0.0;
        Self::beside(x, &w, &b)
    }

    fn beside(x: &Tensor<f32, N, T, 3>, w: &Tensor<f32, N, 1, 3>, b: &Tensor<f32, N, 1, 3>) -> Tensor<f32, N, 1, 3> {
        grad(&(Self::value(x, w) + ((b - 0.0) * 3.0).square().sum_all() + b.exp().sum_all()), w)
    }

    fn same(w: &Tensor<f32, N, 1, 3>) -> Tensor<f32, N, 1, 3> {
        w
    }

    /// What a function, a block, a branch or a closure hands out is the tensor that was there.
    pub fn handed_out(&self, x: &Tensor<f32, N, T, 3>, plain: bool) -> Tensor<f32, N, 1, 3> {
        let w = self.shift.broadcast_to([N, 1, 3]);
        let value = Self::value(x, &w);
        let again = |w: &Tensor| w;
        let held = Some(if plain { w } else { w * 2.0 });
        let u = if let Some(u) = held { u } else { unreachable!() };
        let other = if plain { u } else { w };
        let all = [Self::same(&w), { w }, again(&w), other];
        let mut sum = Tensor::zeros([N, 1, 3]);
        for u in all {
            sum = sum + 0.25 * grad(&value, u);
        }
        sum
    }

    /// Derivatives of one call are computed of each other, and one that is asked twice is one.
    pub fn of_one_call(&self, x: &Tensor<f32, N, T, 3>) -> Tensor<f32, N, 1, 3> {
        let b = self.shift.broadcast_to([N, 1, 3]);
        let w = b * 2.0;
        // Half of a derivative in `w` is added to what `b` has of its own: `db = 2 dw + ..`.
        let (dw, db) = grad(&(w.square().sum_all() * 0.5 + b.sum_all()), (w, b));
        let by_rule = grad(&db.sum_all(), dw);
        let (one, other) = grad(&w.square().sum_all(), (w, w));
        let twice = grad(&(one.sum_all() + other.sum_all()), one);
        grad(&Self::value(x, &b), b) * (by_rule * 0.25 + twice * 0.25)
    }

    /// Behind the loop both names are of one tensor, and what no round changes is what it was.
    pub fn behind_a_loop(&self, x: &Tensor<f32, N, T, 3>) -> Tensor<f32, N, 1, 3> {
        let kept = self.shift.broadcast_to([N, 1, 3]);
        let (mut h, mut u, mut same) = (kept * 0.0, kept, kept);
        let mut sum = Tensor::zeros([]);
        for t in 0..T {
            sum = sum + (same * x.get(1, t).unsqueeze(1)).sum_all();
            h = kept + 0.0 * x.get(1, t).unsqueeze(1) * u;
            u = h;
            let again = same;
            same = again;
        }
        let value = Self::value(x, &h) * 0.5 + Self::value(x, &u) * 0.5 + Self::value(x, &same);
        // What the rounds have summed up of what none of them changes counts.
        let summed = grad(&sum, same) - x.sum([1]).unsqueeze(1);
        0.5 * grad(&value, u) + 0.25 * grad(&value, same) + summed
    }

    /// Two steps of descent, each of what the one before has made.
    pub fn descent(&self, x: &Tensor<f32, N, T, 3>) -> Tensor<f32> {
        let mut w = self.pair(x);
        for _ in 0..2 {
            let (a, b) = grad(&(Self::value(x, &w.a) + w.b.square().sum_all()), (w.a, w.b));
            w = Pair { a: w.a - 0.1 * a, b: w.b - 0.1 * b };
        }
        (w.a * w.b).sum_all()
    }
}

const N: usize = 2;
const T: usize = 4;

/// Of `value` in `b`, for each row and column.
fn slope(x: &[f32], b: &[f64], row: usize, column: usize) -> f64 {
    let b = b[row * 3 + column];
    (0..T).map(|t| 2.0 * (f64::from(x[(row * T + t) * 3 + column]) + b)).sum::<f64>() + b.exp()
}

#[test]
fn derivatives_are_of_the_part_that_is_named() -> Result<()> {
    everywhere(|| {
        let net = Shifts::new(&device(), Seed(8))?;
        let numbers: Vec<f32> = (0..N * T * 3).map(|i| (i as f32 * 0.7).sin()).collect();
        let x = floats(&numbers, &[N, T, 3]);
        let shift: Vec<f64> = net.tensor("shift")?.to_vec::<f32>()?.into_iter().map(f64::from).collect();
        let rows = shift.repeat(N);
        let expected: Vec<f64> = (0..N * 3).map(|i| slope(&numbers, &rows, i / 3, i % 3)).collect();
        for (name, found) in [
            ("in_tuple", net.in_tuple(&x)?),
            ("in_list", net.in_list(&x)?),
            ("in_struct", net.in_struct(&x)?),
            ("taken_over", net.taken_over(&x)?),
            ("given", net.given(&x)?),
            ("taken_apart", net.taken_apart(&x)?),
            ("passed", net.passed(&x)?),
            ("in_a_closure", net.in_a_closure(&x)?),
            ("of_a_part", net.of_a_part(&x)?),
            ("of_a_round", net.of_a_round(&x)?),
            ("of_what_is_pushed", net.of_what_is_pushed(&x)?),
            ("of_an_option", net.of_an_option(&x)?),
            ("mapped", net.mapped(&x)?),
            ("given_a_sum", net.given_a_sum(&x)?),
            ("given_what_changes_nothing", net.given_what_changes_nothing(&x)?),
            ("given_twice", net.given_twice(&x)?),
            ("given_a_copy", net.given_a_copy(&x)?),
            ("behind_a_loop", net.behind_a_loop(&x)?),
            ("of_one_call", net.of_one_call(&x)?),
            ("handed_out", net.handed_out(&x, true)?),
            ("handed_out", net.handed_out(&x, false)?),
        ] {
            for (found, expected) in found.to_vec::<f32>()?.iter().zip(&expected) {
                assert!((f64::from(*found) - expected).abs() < 1e-4, "{name}: {found}, expected {expected}");
            }
        }
        let (mut a, mut b) = (rows.clone(), rows);
        for _ in 0..2 {
            let slopes: Vec<f64> = (0..N * 3).map(|i| slope(&numbers, &a, i / 3, i % 3)).collect();
            a.iter_mut().zip(slopes).for_each(|(a, slope)| *a -= 0.1 * slope);
            b.iter_mut().for_each(|b| *b -= 0.1 * 2.0 * *b);
        }
        let expected: f64 = a.iter().zip(&b).map(|(a, b)| a * b).sum();
        let found = net.descent(&x)?.item::<f32>()?;
        assert!((f64::from(found) - expected).abs() < 1e-4, "{found}, expected {expected}");
        Ok(())
    })
}
