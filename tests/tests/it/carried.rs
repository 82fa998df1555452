//! What loops over a symbolic axis carry, draw and call: structs, options, parts of lists, random numbers, kernels of one's own.

use crate::common::{device, everywhere};
use netcl::prelude::*;

#[netcl::tensors]
pub struct Cell {
    h: Tensor<f32, N>,
    c: Tensor<f32, N>,
}

netcl::kernel! {
    fn doubled(x: &Tensor<f32, N>) -> Tensor<f32, N> { |n| x[n] * 2.0 }
}

#[netcl::function]
fn halved(x: &Tensor<f32, N>) -> Tensor<f32, N> {
    x * 0.5
}

#[netcl::function]
fn clipped(x: f32) -> f32 {
    if x > 4.0 { 4.0 } else { x }
}

#[netcl::model]
struct Carries {
    #[parameter(init = 1.0)]
    s: Tensor<f32>,
    #[layer(rate = 0.5)]
    drop: Dropout,
}

#[netcl::model]
impl Carries {
    fn cells(&self, x: &Tensor<f32, T, N>, start: &Cell) -> Cell {
        let mut cell = start;
        for t in 0..T {
            cell = Cell { h: cell.h + self.s * x.get(0, t), c: cell.h * 0.5 };
        }
        cell
    }

    fn perhaps(&self, x: &Tensor<f32, T, N>) -> Tensor<f32, N> {
        let mut sum = Some(Tensor::zeros([N]));
        for t in 0..T {
            sum = Some(sum.unwrap() + x.get(0, t));
        }
        match sum {
            Some(sum) => sum,
            None => x.get(0, 0),
        }
    }

    /// Elements of a list and of a tuple are assigned, before and in a loop; rounds go backwards.
    fn parts(&self, x: &Tensor<f32, T, N>) -> (Tensor<f32, N>, Tensor<f32, N>, Tensor<f32, T, N>) {
        let mut pair = (Tensor::zeros([N]), [0.0 * x.get(0, 0), x.get(0, 0)]);
        pair.1[0] += 1.0;
        let mut seen = Vec::new();
        for t in (0..T).rev() {
            pair.0 = pair.0 * 0.5 + x.get(0, t);
            pair.1[0] = pair.1[0] * x.get(0, t);
            seen.push(pair.0);
        }
        (pair.0, pair.1[0], seen.stack(0))
    }

    /// Kernels and functions of one's own.
    fn called(&self, x: &Tensor<f32, T, N>) -> (Tensor<f32, N>, Tensor<f32, T, N>) {
        let (mut h, mut all) = (Tensor::zeros([N]), Vec::new());
        for t in 0..T {
            h = clipped(doubled(h) + halved(x.get(0, t)) * self.s);
            all.push(doubled(x.get(0, t)));
        }
        (h, all.stack(0))
    }

    /// A list of what kernels give, without a loop of the graph.
    fn listed(&self, x: &Tensor<f32, N>) -> Tensor<f32, 3, N> {
        let mut all = Vec::new();
        for _ in 0..2 {
            all.push(doubled(x * self.s));
        }
        all.push(x);
        all.stack(0)
    }

    fn rows(&self, x: &Tensor<f32, T, N>, times: &Tensor<f32, S>) -> Tensor<f32, T, S, N> {
        let mut rows = Vec::new();
        for t in 0..T {
            let mut row = Vec::new();
            for s in 0..S {
                row.push(x.get(0, t) * times.get(0, s));
            }
            rows.push(row.stack(0));
        }
        rows.stack(0)
    }

    #[mode(training)]
    fn dropped(&self, x: &Tensor<f32, T, 64>) -> (Tensor<f32, T, 64>, Tensor<f32, T, 2, 64>) {
        let (mut all, mut rows) = (Vec::new(), Vec::new());
        for t in 0..T {
            all.push(self.drop.forward(x.get(0, t)));
            let mut row = Vec::new();
            for _ in 0..2 {
                row.push(self.drop.forward(x.get(0, t)));
            }
            rows.push(row.stack(0));
        }
        (all.stack(0), rows.stack(0))
    }

    /// A gradient of a recurrence that is differentiated again, and two of one loop.
    fn penalty(&self, x: &Tensor<f32, T, N>) -> Tensor<f32> {
        let (mut h, mut sum) = (Tensor::zeros([N]), Tensor::zeros([N]));
        for t in 0..T {
            h = (self.s * h + x.get(0, t)).tanh();
            sum = sum + h * h;
        }
        let one = grad(&h.sum_all(), x).square().sum_all();
        let other = grad(&sum.sum_all(), x).square().sum_all();
        one + other
    }
}

fn values(tensor: &Tensor) -> Result<Vec<f32>> {
    tensor.to_vec()
}

fn model() -> Result<(Device, Carries)> {
    let device = device();
    let model = Carries::new(&device, Seed(1))?;
    Ok((device, model))
}

#[test]
fn structs_options_and_parts_are_carried() -> Result<()> {
    everywhere(|| {
        let (device, model) = model()?;
        let x = Tensor::from_slice(&device, &[1.0f32, 2.0, 3.0], &[3, 1])?;
        let start = Cell { h: Tensor::full(&device, 1.0f32, &[1])?, c: Tensor::full(&device, 9.0f32, &[1])? };
        let cell = model.cells(&x, &start)?;
        assert_eq!((values(&cell.h)?, values(&cell.c)?), (vec![7.0], vec![2.0]));
        assert_eq!(values(&model.perhaps(&x)?)?, [6.0]);
        let (last, product, seen) = model.parts(&x)?;
        assert_eq!((values(&last)?, values(&product)?), (vec![2.75], vec![6.0]));
        assert_eq!(values(&seen)?, [3.0, 3.5, 2.75]);
        Ok(())
    })
}

#[test]
fn kernels_and_functions_are_called_in_rounds() -> Result<()> {
    everywhere(|| {
        let (device, model) = model()?;
        let x = Tensor::from_slice(&device, &[1.0f32, 2.0, 3.0, 4.0, -9.0, 1.0], &[3, 2])?;
        let (h, all) = model.called(&x)?;
        assert_eq!(values(&h)?, [0.5, 4.0]);
        assert_eq!(values(&all)?, [2.0, 4.0, 6.0, 8.0, -18.0, 2.0]);
        assert_eq!(values(&model.listed(&Tensor::full(&device, 3.0f32, &[1])?)?)?, [6.0, 6.0, 3.0]);
        let times = Tensor::from_slice(&device, &[1.0f32, 10.0], &[2])?;
        let rows = model.rows(&x, &times)?;
        assert_eq!(values(&rows)?, [1.0, 2.0, 10.0, 20.0, 3.0, 4.0, 30.0, 40.0, -9.0, 1.0, -90.0, 10.0]);
        Ok(())
    })
}

#[test]
fn each_round_draws_numbers_of_its_own() -> Result<()> {
    everywhere(|| {
        let (device, model) = model()?;
        let (all, rows) = model.dropped(&Tensor::full(&device, 1.0f32, &[5, 64])?)?;
        let all: Vec<f32> = values(&all)?.into_iter().chain(values(&rows)?).collect();
        let masks: std::collections::BTreeSet<Vec<bool>> =
            all.chunks(64).map(|mask| mask.iter().map(|value| *value == 0.0).collect()).collect();
        assert_eq!(masks.len(), 5 + 10, "two rounds have one mask");
        Ok(())
    })
}

#[test]
fn derivatives_of_loops_have_derivatives() -> Result<()> {
    everywhere(|| {
        let (device, model) = model()?;
        let given = [0.3f32, -0.2, 0.5, 0.1, -0.4, 0.2];
        let at = |x: &[f32]| Tensor::from_slice(&device, x, &[3, 2]);
        let (_, gradients) = model.penalty_with_gradients(&at(&given)?)?;
        let slope = gradients.tensor("s")?.item::<f32>()?;
        // Against a difference of the first derivatives' squares, in the parameter.
        let moved = |by: f32| -> Result<f32> {
            let mut other = Carries::new(&device, Seed(1))?;
            other.set_tensor("s", &Tensor::full(&device, 1.0 + by, &[])?)?;
            other.penalty(&at(&given)?)?.item::<f32>()
        };
        let step = 1e-2;
        let difference = (moved(step)? - moved(-step)?) / (2.0 * step);
        assert!((slope - difference).abs() <= 2e-2 * difference.abs().max(1.0), "{slope} and {difference}");
        Ok(())
    })
}

/// What a round passes on as it is, and a product of the round reads: by a plain assignment, a branch that is not taken, a cell.
#[netcl::model]
pub struct Passes {
    #[layer(inputs = 3, outputs = 3)]
    l: Linear,
}

#[netcl::model]
impl Passes {
    #[gradients(x)]
    pub fn loss(&self, x: &Tensor<f32, T, N, 3>, update: bool) -> Tensor<f32> {
        let mut h = x.get(0, 0);
        let mut s = Tensor::zeros([N, 3]);
        for t in 0..T {
            if update {
                h = self.l.forward(h).tanh();
            }
            s = s + self.l.forward(h) * x.get(0, t);
        }
        (s + h).square().sum_all()
    }

    fn cell(
        &self,
        x: &Tensor<f32, N, 3>,
        (h, c): (&Tensor<f32, N, 3>, &Tensor<f32, N, 3>),
    ) -> (Tensor<f32, N, 3>, Tensor<f32, N, 3>) {
        ((x + self.l.forward(c)).tanh() + h, c)
    }

    pub fn cells(&self, x: &Tensor<f32, T, N, 3>) -> Tensor<f32, N, 3> {
        let mut s = (Tensor::zeros([N, 3]), x.get(0, 0));
        for t in 0..T {
            s = self.cell(x.get(0, t), s);
        }
        s.0
    }

    /// The same by hand, of two rounds.
    #[gradients(x)]
    pub fn two_rounds(&self, x: &Tensor<f32, 2, N, 3>, update: bool) -> Tensor<f32> {
        let mut h = x.get(0, 0);
        let mut s = Tensor::zeros([N, 3]);
        for t in 0..2 {
            if update {
                h = self.l.forward(h).tanh();
            }
            s = s + self.l.forward(h) * x.get(0, t);
        }
        (s + h).square().sum_all()
    }

    pub fn two_cells(&self, x: &Tensor<f32, 2, N, 3>) -> Tensor<f32, N, 3> {
        let mut s = (Tensor::zeros([N, 3]), x.get(0, 0));
        for t in 0..2 {
            s = self.cell(x.get(0, t), s);
        }
        s.0
    }
}

#[test]
fn products_read_what_rounds_pass_on_as_it_is() -> Result<()> {
    everywhere(|| {
        let model = Passes::new(&device(), Seed(4))?;
        let x = crate::common::wave(&device(), &[2, 4, 3]);
        let near = |a: &Tensor, b: &Tensor| -> Result<()> {
            let (a, b) = (a.to_vec::<f32>()?, b.to_vec::<f32>()?);
            assert_eq!(a.len(), b.len());
            assert!(a.iter().zip(&b).all(|(a, b)| (a - b).abs() <= 1e-5 * b.abs().max(1.0)), "{a:?}\n{b:?}");
            Ok(())
        };
        for update in [false, true] {
            let (loss, gradients, dx) = model.loss_with_gradients(&x, update)?;
            let (expected, by_hand, expected_dx) = model.two_rounds_with_gradients(&x, update)?;
            near(&loss, &expected)?;
            near(&dx, &expected_dx)?;
            near(&gradients.tensor("l.weight")?, &by_hand.tensor("l.weight")?)?;
            near(&gradients.tensor("l.bias")?, &by_hand.tensor("l.bias")?)?;
        }
        near(&model.cells(&x)?, &model.two_cells(&x)?)
    })
}

/// The fields of what is carried are written in another order than they are declared in.
#[netcl::model]
pub struct Reordered {
    #[parameter(init = 0.5)]
    by: Tensor<f32>,
}

#[netcl::model]
impl Reordered {
    fn step(&self, x: &Tensor<f32, N>, s: &Cell) -> Cell {
        let h = (x + &s.c * &self.by).tanh();
        Cell { c: &s.c * 0.9 + &h * &s.h, h }
    }

    pub fn loss(&self, x: &Tensor<f32, T, N>, early: bool) -> Tensor<f32> {
        let mut s = Cell { h: x.get(0, 0), c: x.get(0, 0) * 2.0 };
        for t in 0..T {
            s = if early { self.step(x.get(0, t), &s) } else { Cell { h: &s.h + x.get(0, t), c: &s.c * &s.h } };
        }
        (s.h * 3.0 + s.c).sum_all()
    }
}

#[test]
fn fields_are_carried_by_their_names() -> Result<()> {
    everywhere(|| {
        let model = Reordered::new(&device(), Seed(1))?;
        for rounds in [1usize, 2, 3] {
            let values: Vec<f32> = (0..rounds * 2).map(|i| 0.3 + 0.2 * i as f32).collect();
            let x = Tensor::from_slice(&device(), &values, &[rounds, 2])?;
            for early in [true, false] {
                let mut wanted = 0.0;
                for n in 0..2 {
                    let (mut h, mut c) = (values[n], values[n] * 2.0);
                    for t in 0..rounds {
                        let own = values[t * 2 + n];
                        let next = (own + c * 0.5).tanh();
                        (h, c) = if early { (next, c * 0.9 + next * h) } else { (h + own, c * h) };
                    }
                    wanted += h * 3.0 + c;
                }
                let found = model.loss(&x, early)?.item::<f32>()?;
                assert!((found - wanted).abs() < 1e-5, "{rounds} {early}: {found} {wanted}");
            }
        }
        Ok(())
    })
}

#[netcl::model]
struct Counts {
    #[parameter(init = 1.0)]
    w: Tensor<f32>,
}

#[netcl::model]
impl Counts {
    /// Of the types that they begin with: `i32` is divided as Rust divides it, `usize` counts beyond what floats hold.
    fn typed(&self, x: &Tensor<f32, T>) -> Tensor<f32> {
        let (mut sum, mut i, mut k) = (Tensor::zeros([]), 1i32, 1.0);
        let mut many: usize = 16777216;
        let mut bits: u32 = 0;
        let mut last: usize = 0;
        for t in 0..T {
            i += 1;
            many += 1;
            bits = (bits ^ 1) + 2;
            k = k * 0.5;
            sum = sum + (x.get(0, last) * (bits >> 1) as f32 + k) * &self.w;
            last = t;
        }
        sum + (many - 16777216) as f32 + i as f32
    }

    fn halves(&self, x: &Tensor<f32, T>, by: i32) -> Tensor<f32> {
        let mut i: i32 = 1;
        let mut sum = Tensor::zeros([]);
        for t in 0..T {
            i += by;
            sum = sum + x.get(0, t) * (i / 2) as f32 * &self.w;
        }
        sum
    }

    /// A number without a type is a float beside floats.
    fn untyped(&self, x: &Tensor<f32, T>) -> Tensor<f32> {
        let (mut count, mut sum) = (0, Tensor::zeros([]));
        for t in 0..T {
            count += 1;
            sum = sum + x.get(0, t) * count * &self.w;
        }
        sum / count
    }

    /// What `as i32` makes of a position and a size.
    fn signed(&self, x: &Tensor<f32, T>) -> Tensor<f32> {
        let mut sum = Tensor::zeros([]);
        for t in 0..T {
            let n = t as i32 - 3;
            let mut m: i32 = t as i32 - 4;
            m /= 3;
            sum = sum + x.get(0, t) * ((n / 2) * 100 + m * 10 + n % 2 + (n >> 1)) as f32 * &self.w;
        }
        sum + ((T as i32 - 10) / 3) as f32 + ((x.dim(0) as i32 - 10) % 3) as f32
    }
}

#[test]
fn whole_numbers_are_carried_as_such() -> Result<()> {
    everywhere(|| {
        let model = Counts::new(&device(), Seed(1))?;
        for rounds in [1usize, 2, 5] {
            let values: Vec<f32> = (0..rounds).map(|t| t as f32 + 0.5).collect();
            let x = Tensor::from_slice(&device(), &values, &[rounds])?;
            let (mut sum, mut i, mut k, mut bits, mut last) = (0f32, 1i32, 1f32, 0u32, 0);
            let (mut halves, mut weighted, mut signed) = (0f32, 0f32, 0f32);
            for (t, x) in values.iter().enumerate() {
                i += 1;
                bits = (bits ^ 1) + 2;
                k *= 0.5;
                sum += values[last] * (bits >> 1) as f32 + k;
                last = t;
                halves += x * ((1 + (t as i32 + 1) * -3) / 2) as f32;
                weighted += x * (t + 1) as f32;
                let (n, m) = (t as i32 - 3, (t as i32 - 4) / 3);
                signed += x * (n / 2 * 100 + m * 10 + n % 2 + (n >> 1)) as f32;
            }
            let size = rounds as i32 - 10;
            assert_eq!(model.typed(&x)?.item::<f32>()?, sum + rounds as f32 + i as f32, "{rounds}");
            assert_eq!(model.halves(&x, -3)?.item::<f32>()?, halves, "{rounds}");
            assert!((model.untyped(&x)?.item::<f32>()? - weighted / rounds as f32).abs() < 1e-5, "{rounds}");
            assert_eq!(model.signed(&x)?.item::<f32>()?, signed + (size / 3) as f32 + (size % 3) as f32, "{rounds}");
        }
        Ok(())
    })
}
