//! Named constants: a float is of the type that it is declared with, wherever it is computed with.

use crate::common::{device, everywhere, floats};
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
        if !device().profile().fp64 {
            return Ok(());
        }
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
#[netcl::constant]
const SMALL: usize = 4;

/// Named constants are computed with in braces: in keys, in the types of fields and arguments, and in bodies.
#[netcl::model]
struct Computed {
    #[layer(inputs = { SMALL * 2 }, outputs = { SMALL / 2 })]
    linear: Linear,
    #[parameter(init = 0.5)]
    scale: Tensor<f32, { SMALL * 2 }>,
}

#[netcl::model]
impl Computed {
    fn forward(&self, x: &Tensor<f32, N, { SMALL * 2 }>) -> Tensor<f32, N, 2> {
        self.linear.forward((x * &self.scale).reshape([N, { SMALL * 2 }]))
    }
    /// Assignments take tuples apart; the numbers in a choice are of the other side's type.
    fn chosen(&self, x: &Tensor<f32, N, 8>) -> (Tensor<f32, N, 8>, Tensor<f32, N, 8>) {
        let (mut h, mut c) = (x.clone(), x * 2.0);
        for _ in 0..3 {
            (h, c) = (c, h);
        }
        (_, c) = (h, (c > 0.0).select(c, 0.0));
        (h + (x > 0.0).select(1.0, -1.0), (x > 0.0).select(0.0, c))
    }
}

netcl::kernel! {
    fn clipped(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| (x[n] > 0.0).select(x[n], 0.0) + (x[n] > 1.0).select(0, x[n])
    }

    #[launch(global = [N])]
    fn turned(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        let (mut a, mut b) = (x[global_id(0)], 1.0);
        (a, b) = (b - a, a);
        [b, _] = [a, b];
        (y[global_id(0)], a) = (a + b, b);
    }
}

#[test]
fn constants_are_computed_with_and_assignments_take_tuples_apart() -> Result<()> {
    everywhere(|| {
        let model = Computed::new(&device(), Seed(1))?;
        let x: Vec<f32> = (0..16).map(|i| i as f32 - 7.5).collect();
        assert_eq!(model.forward(&floats(&x, &[2, 8]))?.shape(), [2, 2]);
        let (h, c) = model.chosen(&floats(&x, &[2, 8]))?;
        // After three turns `h` is `2 x` and `c` is `x`.
        let wanted: Vec<f32> = x.iter().map(|x| 2.0 * x + if *x > 0.0 { 1.0 } else { -1.0 }).collect();
        assert_eq!(h.to_vec::<f32>()?, wanted);
        assert_eq!(c.to_vec::<f32>()?, vec![0.0; 16]);
        let y = [-1.0, 0.5, 2.0];
        assert_eq!(clipped(&floats(&y, &[3]))?.to_vec::<f32>()?, [-1.0, 1.0, 2.0]);
        assert_eq!(turned(&floats(&y, &[3]))?.to_vec::<f32>()?, y.map(|x| 2.0 * (1.0 - x)));
        Ok(())
    })
}

mod sizes {
    #[netcl::constant]
    pub const OCTAVES: usize = 2;
    pub mod inner {
        use super::OCTAVES;
        #[netcl::constant]
        pub const DOUBLED: usize = OCTAVES * 2;
    }
}

use sizes::OCTAVES;

/// Computed from another that is declared further down, which is computed from others itself.
#[netcl::constant]
const ENCODED: usize = WIDE - 6;
#[netcl::constant]
const WIDE: usize = 3 + 6 * OCTAVES - sizes::inner::DOUBLED;
#[netcl::constant]
const THIRD: f32 = -1.0 / 3.0 * TENTH;
#[netcl::constant]
const WEIGHTS: [f32; 3] = [THIRD, 1.0 - TENTH, 2.0];
#[netcl::constant]
const KEPT: bool = !DROPPED;
#[netcl::constant]
const DROPPED: bool = false;

#[netcl::model]
struct Encoder {
    #[layer(inputs = ENCODED, outputs = { WIDE - 1 }, bias = KEPT, bias_init = 0.0, init = THIRD)]
    line: Linear,
}

#[netcl::model]
impl Encoder {
    fn forward(&self, x: &Tensor<f32, N, { ENCODED }>) -> Tensor<f32, N, { WIDE - 1 }> {
        self.line.forward(x) * THIRD + WEIGHTS[0] + WEIGHTS[1] * WEIGHTS[2]
    }
}

#[test]
fn constants_are_computed_from_others() -> Result<()> {
    everywhere(|| {
        let net = Encoder::new(&device(), Seed(1))?;
        let y = net.forward(&floats(&[1.0; 2 * ENCODED], &[2, ENCODED]))?;
        assert_eq!(y.shape(), [2, WIDE - 1]);
        assert_eq!(net.tensor("line.bias")?.shape(), [WIDE - 1]);
        let expected = THIRD * ENCODED as f32 * THIRD + WEIGHTS[0] + WEIGHTS[1] * WEIGHTS[2];
        for y in y.to_vec::<f32>()? {
            assert!((y - expected).abs() < 1e-6, "{y}, expected {expected}");
        }
        Ok(())
    })
}

#[netcl::constant]
const HEADS: usize = 4;
#[netcl::constant]
const SCALE: f32 = 1.0 / HEADS as f32;
#[netcl::constant]
const IS_DEEP: bool = HEADS > 2 && !(HEADS == 3 || SCALE < 0.1) && TENTH == 0.1;
#[netcl::constant]
const SIZES: [usize; 3] = [HEADS, 2 * HEADS, 2];
#[netcl::constant]
const WIDTHS: [usize; 3] = SIZES;
#[netcl::constant]
const WIDTH: usize = WIDTHS[WIDTHS.len() - 1] + IS_DEEP as usize + 300.7f32 as u8 as usize;

netcl::kernel! {
    fn computed(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| if IS_DEEP { x[n] * SCALE + WIDTH as f32 } else { 0.0 }
    }
}

#[netcl::model]
pub struct Widths {
    #[layer(inputs = SIZES[0], outputs = { WIDTHS[1] + HEADS })]
    line: Linear,
}

#[netcl::model]
impl Widths {
    pub fn forward(&self, x: &Tensor<f32, N, { SIZES[0] }>) -> Tensor<f32, N, { HEADS * 3 }> {
        self.line.forward(x)
    }
}

#[test]
fn constants_are_computed_from_others_as_rust_computes_them() -> Result<()> {
    everywhere(|| {
        let x = [1.5f32, -2.25];
        let expected = x.map(|x| if IS_DEEP { x * SCALE + WIDTH as f32 } else { 0.0 });
        assert_eq!(computed(&floats(&x, &[2]))?.to_vec::<f32>()?, expected);
        let y = Widths::new(&device(), Seed(1))?.forward(&floats(&[0.5; 8], &[2, 4]))?;
        assert_eq!(y.shape(), [2, 12]);
        Ok(())
    })
}
