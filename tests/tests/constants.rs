//! Named constants: a float is of the type that it is declared with, wherever it is computed with.
#![allow(missing_docs, unreachable_pub, reason = "a test")]

mod common;

use common::{device, everywhere, floats};
use netcl::prelude::*;

/// The first whole number whose successor is none of `f32`.
#[netcl::constant]
const LARGE: f32 = 16_777_216.0;

/// Another number in `f32` than in `f64`.
#[netcl::constant]
const TENTH: f32 = 0.1;

#[netcl::constant]
const FINE: f64 = 16_777_216.0;

mod elsewhere {
    #[netcl::constant]
    pub const HALF: f32 = -0.5;
}

/// Rust's own result: no number is lost, or gained, on the way.
#[netcl::function]
fn lost(x: f32) -> f32 {
    x + ((LARGE + 1.0) - LARGE) + std::f32::consts::PI * 3.0
}

netcl::kernel! {
    fn in_index_form(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| x[n] + ((LARGE + 1.0) - LARGE) + (TENTH as f64 - 0.1) as f32 * 1e9 + elsewhere::HALF
    }

    fn called(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| lost(x[n])
    }

    fn in_f64(x: &Tensor<f64, N>) -> Tensor<f64, N> {
        |n| x[n] + ((FINE + 1.0) - FINE) + ((FINE as f32 + 1.0) as f64 - FINE) + std::f64::consts::PI * 3.0
    }

    #[launch(global = [N])]
    fn in_simt_form(x: &Tensor<f32, N>, y: &mut Tensor<f32, 4, N>) {
        let n = global_id(0);
        if n >= N {
            return;
        }
        let sum = LARGE + 1.0;
        y[0, n] = x[n] + (sum - LARGE) + (TENTH as f64 - 0.1) as f32 * 1e9 + elsewhere::HALF;
        y[1, n] = lost(x[n]);
        y[2, n] = clamp(x[n], -TENTH, TENTH) * TENTH + max(x[n], 0.1f32);
        y[3, n] = ((FINE + 1.0) - FINE) as f32 + (x[n] as f64 + FINE - FINE) as f32;
    }
}

/// What `in_index_form` and `in_simt_form` compute.
fn expected(x: f32) -> f32 {
    x + ((LARGE + 1.0) - LARGE) + (f64::from(TENTH) - 0.1) as f32 * 1e9 + elsewhere::HALF
}

fn expected_in_f64(x: f64) -> f64 {
    x + ((FINE + 1.0) - FINE) + ((FINE as f32 + 1.0) as f64 - FINE) + std::f64::consts::PI * 3.0
}

#[netcl::model]
pub struct Scales {
    #[constant(0.1)]
    tenth: f32,
    #[constant(3)]
    three: f32,
    #[constant(f32::NEG_INFINITY)]
    never: f32,
    #[constant(LARGE)]
    large: f32,
    #[constant(-2)]
    steps: i32,
    #[state(init = f32::NEG_INFINITY)]
    mask: Tensor<f32, 2>,
    #[state(init = f32::NAN)]
    unset: Tensor<f32, 2>,
}

#[netcl::model]
impl Scales {
    const EPSILON: f32 = 1e-9;

    pub fn apply(&self, x: &Tensor<f32, N, 2>) -> Tensor<f32, N, 2> {
        x + ((self.large + 1.0) - self.large)
            + (self.tenth as f64 - 0.1) as f32 * 1e9
            + self.three / 2.0
            + (1.0 + Self::EPSILON - 1.0)
    }

    pub fn masked(&self, x: &Tensor<f32, N, 2>) -> Tensor<f32, N, 2> {
        x.maximum(self.never).maximum(&self.mask)
    }

    pub fn lost(&self, x: &Tensor<f32, N, 2>) -> Tensor<f32, N, 2> {
        x + &self.unset
    }
}

#[test]
fn constants_compute_in_their_own_types() -> Result<()> {
    let values = [0.0f32, 1.5, -3.25, 1e-3];
    let all = |f: fn(f32) -> f32| values.map(f).to_vec();
    everywhere(|| {
        let x = floats(&values, &[4]);
        assert_eq!(in_index_form(&x)?.to_vec::<f32>()?, all(expected));
        assert_eq!(called(&x)?.to_vec::<f32>()?, all(lost));
        let rows = in_simt_form(&x)?.to_vec::<f32>()?;
        assert_eq!(rows[..4], all(expected));
        assert_eq!(rows[4..8], all(lost));
        assert_eq!(rows[8..12], all(|x| x.clamp(-TENTH, TENTH) * TENTH + x.max(TENTH)));
        assert_eq!(rows[12..], all(|x| 1.0 + (f64::from(x) + FINE - FINE) as f32));
        let doubles = values.map(f64::from);
        let x = Tensor::from_slice(&device(), &doubles, &[4])?;
        assert_eq!(in_f64(&x)?.to_vec::<f64>()?, doubles.map(expected_in_f64));
        Ok(())
    })
}

#[test]
fn fields_are_of_their_declared_types() -> Result<()> {
    everywhere(|| {
        let scales = Scales::new(&device(), Seed(1))?;
        let x = floats(&[0.0, 1.5, -3.25, 1e-3], &[2, 2]);
        let expected = x.to_vec::<f32>()?.into_iter().map(|x| {
            x + ((LARGE + 1.0) - LARGE) + (f64::from(TENTH) - 0.1) as f32 * 1e9 + 1.5 + (1.0 + Scales::EPSILON - 1.0)
        });
        assert_eq!(scales.apply(&x)?.to_vec::<f32>()?, expected.collect::<Vec<_>>());
        assert_eq!(scales.masked(&x)?.to_vec::<f32>()?, x.to_vec::<f32>()?);
        assert_eq!((scales.tenth, scales.three, scales.never, scales.steps), (0.1, 3.0, f32::NEG_INFINITY, -2));
        assert_eq!(scales.large, LARGE);
        assert!(scales.lost(&x)?.to_vec::<f32>()?.iter().all(|x| x.is_nan()));
        Ok(())
    })
}
