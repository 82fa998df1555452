//! Fourier transforms and decompositions of matrices in models' functions, and the same texts at run time, with their gradients.

use crate::common::{device, everywhere, floats, wave};
use netcl::prelude::*;

#[netcl::model]
pub struct Net {
    #[layer(inputs = 12, outputs = 12)]
    mix: Linear,
}

#[netcl::model]
impl Net {
    /// Each row convolved with itself around the end.
    pub fn around(&self, x: &Tensor<f32, N, 12>) -> Tensor<f32, N, 12> {
        let spectrum = x.rfft(1);
        spectrum.complex_mul(&spectrum).irfft(12, -2)
    }

    #[gradients(x)]
    pub fn loss(&self, x: &Tensor<f32, N, 12>) -> Tensor<f32> {
        self.mix.forward(self.around(x)).square().mean([0, 1])
    }
}

#[netcl::model]
pub struct Matrices {
    #[layer(inputs = 4, outputs = 4)]
    mix: Linear,
}

#[netcl::model]
impl Matrices {
    /// Of each decomposition all results, and of systems what solves them.
    pub fn told(&self, x: &Tensor<f32, N, 4, 4>) -> Tensor<f32, N, 4, 4> {
        let x = self.mix.forward(x);
        let (q, r) = x.qr();
        let definite = x.matmul(x.t()) + q.matmul(q.t());
        let (values, vectors) = definite.eigh();
        let (u, s, vh) = x.svd();
        let (sign, log) = definite.slogdet();
        let l = definite.cholesky();
        let solved = l.t().solve_triangular(l.solve_triangular(&x, false), true) - definite.solve(&x);
        let shares = (values * s).unsqueeze(1) * (sign * log).unsqueeze(1).unsqueeze(2);
        r.matmul(&vectors) + u.matmul(&vh) * shares + solved * 10.0 + definite.inv().matrix_power(2)
    }

    #[gradients(x)]
    pub fn loss(&self, x: &Tensor<f32, N, 4, 4>) -> Tensor<f32> {
        self.told(x).square().mean([0, 1, 2])
    }
}

#[test]
fn decompositions_are_the_same_at_run_time() -> Result<()> {
    everywhere(|| {
        let model = Matrices::new(&device(), Seed(3))?;
        // Rows of a wave would depend on each other.
        let values: Vec<f32> = (0..48).map(|i: u16| (f32::from(i * i) * 0.37).sin()).collect();
        let x = floats(&values, &[3, 4, 4]);
        let (weight, bias) = (model.tensor("mix.weight")?, model.tensor("mix.bias")?);
        let told = |x: &Tensor| {
            let x = x.matmul(&weight) + &bias;
            let (q, r) = x.qr();
            let definite = x.matmul(x.t()) + q.matmul(q.t());
            let (values, vectors) = definite.eigh();
            let (u, s, vh) = x.svd();
            let (sign, log) = definite.slogdet();
            let l = definite.cholesky();
            let solved = l.t().solve_triangular(l.solve_triangular(&x, false), true) - definite.solve(&x);
            let shares = (values * s).unsqueeze(1) * (sign * log).unsqueeze(1).unsqueeze(2);
            r.matmul(&vectors) + u.matmul(&vh) * shares + solved * 10.0 + definite.inv().matrix_power(2)
        };
        close("of a model", &model.told(&x)?, &told(&x))?;
        let (found, dx) = netcl::value_and_grad(&x, |x| told(x).square().mean([0, 1, 2]))?;
        let (loss, _, expected) = model.loss_with_gradients(&x)?;
        close("the loss", &found, &loss)?;
        close("its gradient", &dx, &expected)?;
        // A mistake has the name that was called.
        let (values, _) = x.reshape([3, 16]).eigh();
        let mistake = values.check().expect_err("no square matrix").to_string();
        assert!(mistake.contains("`eigh` expects square matrices [.., n, n], found [3, 16]"), "{mistake}");
        let mistake = x.apply("svd", &[]).check().expect_err("several results").to_string();
        assert!(mistake.contains("each is an operation: `svd_u`, `svdvals`, `svd_vh`"), "{mistake}");
        Ok(())
    })
}

fn close(what: &str, found: &Tensor, expected: &Tensor) -> Result<()> {
    let (found, expected) = (found.to_vec::<f32>()?, expected.to_vec::<f32>()?);
    let size = expected.iter().fold(1.0f32, |most, value| most.max(value.abs()));
    let near = |(a, b): (&f32, &f32)| (a - b).abs() < 2e-5 * size;
    assert!(found.len() == expected.len() && found.iter().zip(&expected).all(near), "{what}: {found:?}\n{expected:?}");
    Ok(())
}

#[test]
fn products_of_spectra_are_convolutions() -> Result<()> {
    everywhere(|| {
        let model = Net::new(&device(), Seed(3))?;
        let x = wave(&device(), &[3, 12]);
        let rows = x.to_vec::<f32>()?;
        let at = |row: usize, t: usize| (0..12).map(|s| rows[row * 12 + s] * rows[row * 12 + (t + 12 - s) % 12]).sum();
        let expected: Vec<f32> = (0..36).map(|i| at(i / 12, i % 12)).collect();
        let expected = Tensor::from_slice(&device(), &expected, &[3, 12])?;
        close("of a model", &model.around(&x)?, &expected)?;
        let (weight, bias) = (model.tensor("mix.weight")?, model.tensor("mix.bias")?);
        let around = |x: &Tensor| {
            let spectrum = x.rfft(1);
            spectrum.complex_mul(&spectrum).irfft(12, -2)
        };
        close("at run time", &around(&x), &expected)?;
        let loss = |x: &Tensor| (around(x).matmul(&weight) + &bias).square().mean([0, 1]);
        let (found, dx) = netcl::value_and_grad(&x, loss)?;
        let (loss, _, expected) = model.loss_with_gradients(&x)?;
        close("the loss", &found, &loss)?;
        close("its gradient", &dx, &expected)
    })
}
