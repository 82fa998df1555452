//! `#[matmul_precision(..)]`: values and gradients are as precise as it says, in models, generic blocks and loops, everywhere alike.

use crate::common::{device, everywhere, floats};
use netcl::prelude::*;

#[netcl::model]
pub struct Gate<const C: usize> {
    #[layer(inputs = C, outputs = C)]
    own: Linear,
}

#[netcl::model]
impl<const C: usize> Gate<C> {
    pub fn forward(&self, x: &Tensor<f32, N, C>) -> Tensor<f32, N, C> {
        self.own.forward(x).sigmoid() * x
    }

    #[matmul_precision(medium)]
    pub fn loss(&self, x: &Tensor<f32, N, C>) -> Tensor<f32> {
        self.own.forward(x).square().sum_all()
    }
}

#[netcl::model]
pub struct Attended {
    #[layer(inputs = 24, outputs = 40)]
    project: Linear,
    gate: Gate<40>,
}

#[netcl::model]
impl Attended {
    fn attend(&self, x: &Tensor<f32, N, T, 24>) -> Tensor<f32, N, 40> {
        let h = self.project.forward(x);
        let scores = h.matmul(h.permute([0, 2, 1])).softmax(2);
        let mixed = scores.matmul(h).mean([1]);
        let mut state = mixed;
        for _ in 0..T {
            state = self.gate.forward(state);
        }
        state
    }

    #[gradients(x)]
    pub fn exact(&self, x: &Tensor<f32, N, T, 24>) -> Tensor<f32> {
        self.attend(x).square().sum_all()
    }

    #[gradients(x)]
    #[matmul_precision(high)]
    pub fn high(&self, x: &Tensor<f32, N, T, 24>) -> Tensor<f32> {
        self.attend(x).square().sum_all()
    }

    #[gradients(x)]
    #[matmul_precision(medium)]
    pub fn medium(&self, x: &Tensor<f32, N, T, 24>) -> Tensor<f32> {
        self.attend(x).square().sum_all()
    }
}

/// Its channels are known where it is made.
#[netcl::model]
pub struct Pooled<const C: usize> {
    #[layer(inputs = C, outputs = C, kernel = 1)]
    mix: Conv2d,
    #[layer(inputs = C, outputs = 3)]
    head: Linear,
}

#[netcl::model]
impl<const C: usize> Pooled<C> {
    pub fn exact(&self, x: &Tensor<f32, N, C, 4, 4>) -> Tensor<f32> {
        self.head.forward(self.mix.forward(x).mean([2, 3])).square().sum_all()
    }

    #[matmul_precision(medium)]
    pub fn medium(&self, x: &Tensor<f32, N, C, 4, 4>) -> Tensor<f32> {
        self.head.forward(self.mix.forward(x).mean([2, 3])).square().sum_all()
    }
}

/// Convolutions with steps and without, in groups, to the sides of which images go on.
#[netcl::model]
pub struct Filters {
    #[layer(inputs = 4, outputs = 8, kernel = 3, padding = 1)]
    plain: Conv2d,
    #[layer(inputs = 8, outputs = 12, kernel = 3, stride = 2, padding = 1, groups = 2)]
    strided: Conv2d,
    #[layer(inputs = 12, outputs = 6, kernel = 2, dilation = 2)]
    dilated: Conv2d,
}

#[netcl::model]
impl Filters {
    fn filtered(&self, x: &Tensor<f32, N, 4, H, W>) -> Tensor<f32> {
        let h = self.strided.forward(self.plain.forward(x).tanh());
        self.dilated.forward(h).square().mean_all()
    }

    #[gradients(x)]
    pub fn exact(&self, x: &Tensor<f32, N, 4, { H + 6 }, { W + 6 }>) -> Tensor<f32> {
        self.filtered(x)
    }

    #[gradients(x)]
    #[matmul_precision(high)]
    pub fn high(&self, x: &Tensor<f32, N, 4, { H + 6 }, { W + 6 }>) -> Tensor<f32> {
        self.filtered(x)
    }

    #[gradients(x)]
    #[matmul_precision(medium)]
    pub fn medium(&self, x: &Tensor<f32, N, 4, { H + 6 }, { W + 6 }>) -> Tensor<f32> {
        self.filtered(x)
    }
}

type Outputs = Vec<Vec<f32>>;

fn read((loss, gradients, dx): (Tensor, AttendedGradients, Tensor)) -> Result<Outputs> {
    let mut all = vec![loss.to_vec()?, dx.to_vec()?];
    for name in ["project.weight", "project.bias", "gate.own.weight", "gate.own.bias"] {
        all.push(gradients.tensor(name)?.to_vec()?);
    }
    Ok(all)
}

/// The largest difference in any of the outputs, of the largest number in it.
fn difference(found: &[Vec<f32>], exact: &[Vec<f32>]) -> f32 {
    let of = |(found, exact): (&Vec<f32>, &Vec<f32>)| {
        assert_eq!(found.len(), exact.len());
        let largest = exact.iter().fold(0.0f32, |largest, value| largest.max(value.abs()));
        found.iter().zip(exact).fold(0.0f32, |most, (x, y)| most.max((x - y).abs())) / largest
    };
    found.iter().zip(exact).map(of).fold(0.0, f32::max)
}

#[test]
fn products_have_the_precision_that_a_function_asks_for() -> Result<()> {
    everywhere(|| {
        let model = Attended::new(&device(), Seed(3))?;
        let values: Vec<f32> = (0..3 * 5 * 24).map(|i| (i as f32 * 0.37).sin() * 1.5).collect();
        let x = floats(&values, &[3, 5, 24]);
        let exact = read(model.exact_with_gradients(&x)?)?;
        let high = difference(&read(model.high_with_gradients(&x)?)?, &exact);
        let medium = difference(&read(model.medium_with_gradients(&x)?)?, &exact);
        assert!(high < 1e-4, "{high}");
        assert!(medium > 5e-4 && medium < 5e-2, "{medium}");
        let plain = [model.exact(&x)?.item::<f32>()?, model.medium(&x)?.item::<f32>()?];
        assert_ne!(plain[0], plain[1]);
        Ok(())
    })
}

#[test]
fn convolutions_have_the_precision_that_a_function_asks_for() -> Result<()> {
    everywhere(|| {
        let model = Filters::new(&device(), Seed(5))?;
        let values: Vec<f32> = (0..3 * 4 * 11 * 10).map(|i| (i as f32 * 0.37).sin() * 1.5).collect();
        let x = floats(&values, &[3, 4, 11, 10]);
        let read = |(loss, gradients, dx): (Tensor, FiltersGradients, Tensor)| -> Result<Outputs> {
            let mut all = vec![loss.to_vec()?, dx.to_vec()?];
            for name in ["plain.weight", "strided.weight", "dilated.weight", "plain.bias"] {
                all.push(gradients.tensor(name)?.to_vec()?);
            }
            Ok(all)
        };
        let exact = read(model.exact_with_gradients(&x)?)?;
        let high = difference(&read(model.high_with_gradients(&x)?)?, &exact);
        let medium = difference(&read(model.medium_with_gradients(&x)?)?, &exact);
        assert!(high < 1e-4, "{high}");
        assert!(medium > 5e-4 && medium < 5e-2, "{medium}");
        Ok(())
    })
}

/// Operands that have no more than 8 bits of mantissa are not rounded, and of others the result is that of the rounded ones.
#[test]
fn medium_rounds_operands_and_nothing_else() -> Result<()> {
    everywhere(|| {
        let mut gate = Gate::<4>::new(&device(), Seed(1))?;
        let bias = [0.1f32, 0.2, 0.3, 0.4];
        let weight: Vec<f32> = (0..16).map(|i| i as f32 - 7.5).collect();
        gate.set_tensor("own.weight", &floats(&weight, &[4, 4]))?;
        gate.set_tensor("own.bias", &floats(&bias, &[4]))?;
        let loss = |x: [f32; 4]| gate.loss(&floats(&x, &[1, 4]))?.item::<f32>();
        let by_hand = |x: [f32; 4]| -> f32 {
            let each = |j: usize| bias[j] + (0..4).map(|i| x[i] * weight[i * 4 + j]).sum::<f32>();
            (0..4).map(|j| each(j) * each(j)).sum()
        };
        let whole = [1.0, -2.0, 3.0, 0.5];
        assert!((loss(whole)? - by_hand(whole)).abs() < 1e-3);
        // 1 + 2^-9 is nearer to 1 than to the next number of 8 bits, 1 + 2^-7.
        let fine = [1.0 + 1.0 / 512.0, -2.0, 3.0, 0.5];
        assert!((loss(fine)? - by_hand(whole)).abs() < 1e-3);
        assert!((by_hand(fine) - by_hand(whole)).abs() > 1e-2);
        Ok(())
    })
}

#[test]
fn blocks_that_are_compiled_for_their_numbers_have_it_too() -> Result<()> {
    everywhere(|| {
        let model = Pooled::<5>::new(&device(), Seed(2))?;
        let values: Vec<f32> = (0..2 * 5 * 16).map(|i| (i as f32 * 0.61).cos() * 2.0).collect();
        let x = floats(&values, &[2, 5, 4, 4]);
        let read = |(loss, gradients): (Tensor, PooledGradients<5>)| -> Result<Outputs> {
            Ok(vec![
                loss.to_vec()?,
                gradients.tensor("head.weight")?.to_vec()?,
                gradients.tensor("mix.weight")?.to_vec()?,
            ])
        };
        let exact = read(model.exact_with_gradients(&x)?)?;
        let medium = difference(&read(model.medium_with_gradients(&x)?)?, &exact);
        assert!(medium > 1e-4 && medium < 5e-2, "{medium}");
        Ok(())
    })
}
