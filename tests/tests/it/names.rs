//! Which item a name in a body or a configuration means: the one that Rust would take, wherever it is used from.

use crate::common::{device, everywhere, floats};
use netcl::{Model, Result, Seed};

mod squares {
    #[netcl::constant]
    const OFFSET: f32 = 1000.0;

    #[netcl::function]
    fn sq(x: f32) -> f32 {
        x * x
    }

    #[netcl::function]
    pub fn outer(x: f32) -> f32 {
        sq(x)
    }

    #[netcl::function]
    pub fn act(x: f32) -> f32 {
        sq(x) + OFFSET
    }
}

mod doubles {
    /// Calls a function of its own name in another module: no recursion.
    #[netcl::function]
    pub fn act(x: f32) -> f32 {
        2.0 * super::squares::act(x)
    }
}

#[netcl::function]
fn sq(x: f32) -> f32 {
    x + 100.0
}

/// The largest number, through Rust's own constants.
#[netcl::function]
fn capped(x: f32) -> f32 {
    if x > std::f32::consts::PI { f32::INFINITY } else { f32::NEG_INFINITY }
}

/// Two letters from `mish`, which is an operation.
#[netcl::function]
#[cfg(not(doc))]
fn swish(x: f32) -> f32 {
    x / (1.0 + (-x).exp())
}

/// Means something in SIMT-form kernels only.
#[netcl::function]
fn sub_group_id(x: f32) -> f32 {
    x + 0.5
}

/// An operation on tensors, which SIMT-form kernels do not know.
#[netcl::function]
fn relu6(x: f32) -> f32 {
    -x
}

netcl::kernel! {
    fn both(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| sq(x[n]) + squares::outer(x[n])
    }

    fn acts(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| doubles::act(x[n])
    }

    fn swished(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| swish(x[n]) + sub_group_id(x[n])
    }

    #[launch(global = [N])]
    fn both_by_item(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>, z: &mut Tensor<f32, N>) {
        let i = global_id(0);
        if i < N {
            y[i] = sq(x[i]) + squares::outer(x[i]);
            z[i] = doubles::act(x[i]) + relu6(x[i]);
        }
    }
}

netcl::kernel! {
    fn masked(x: &Tensor<f32, N, N>) -> Tensor<f32, N, N> {
        |i, j| if j <= i { x[i, j] } else { f32::NEG_INFINITY }
    }

    fn limits(x: &Tensor<f32, N>) -> (Tensor<f32, N>, Tensor<f32, N>, Tensor<f32, N>) {
        |n| (capped(x[n]), x[n] * f32::EPSILON, x[n] * core::f32::consts::FRAC_PI_2)
    }

    #[launch(global = [N])]
    fn limits_by_item(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>, z: &mut Tensor<u32, N>) {
        let mut top = f32::NEG_INFINITY;
        let i = global_id(0);
        top = max(top, x[i]);
        y[i] = top + capped(x[i]) + f32::MAX;
        z[i] = u32::MAX;
    }
}

mod enc {
    #[netcl::constant]
    pub const DIM: usize = 3;
    #[netcl::constant]
    pub const HEADS: usize = 1;
}

mod dec {
    #[netcl::constant]
    pub const DIM: usize = 5;
    #[netcl::constant]
    pub const HEADS: usize = 2;
}

#[netcl::model]
struct Bridge {
    #[layer(inputs = { enc::DIM }, outputs = { dec::DIM })]
    linear: Linear,
    #[constant(dec::HEADS)]
    heads: usize,
}

#[netcl::model]
impl Bridge {
    const DIM: usize = 7;

    fn forward(&self, x: &Tensor<f32, N, { enc::DIM }>) -> Tensor<f32, N, { dec::DIM }> {
        self.linear.forward(x) * (100 * enc::DIM + 10 * dec::DIM + Self::DIM + self.heads * enc::HEADS)
    }
}

/// Constants of its own that no other module sees, and blocks elsewhere, by a path and by its name.
mod sized {
    #[netcl::constant]
    const WIDTH: usize = 4;
    #[netcl::constant]
    const BOUND: f32 = 0.25;

    #[netcl::model]
    pub struct ByPath {
        #[layer(inputs = 4, outputs = { WIDTH })]
        pub linear: Linear,
        #[parameter(init = uniform(BOUND))]
        pub shift: Tensor<f32, { WIDTH }>,
    }

    #[netcl::model]
    pub struct ByName {
        #[layer(count = WIDTH, inputs = { WIDTH }, outputs = 4)]
        pub layers: Vec<Linear>,
    }

    mod inner {
        use super::*;

        #[netcl::model]
        impl ByName {
            pub fn forward(&self, x: &Tensor<f32, N, { WIDTH }>) -> Tensor<f32, N, 4> {
                let mut h = x;
                for layer in &self.layers {
                    h = layer.forward(h);
                }
                h
            }
        }
    }
}

mod elsewhere {
    #[netcl::model]
    impl super::sized::ByPath {
        pub fn forward(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
            self.linear.forward(x) + self.shift
        }
    }
}

#[test]
fn a_block_in_another_module_need_not_see_the_constants_of_its_struct() -> Result<()> {
    everywhere(|| {
        let model = sized::ByPath::new(&device(), Seed(0))?;
        assert_eq!(model.forward(&floats(&[1.0; 4], &[1, 4]))?.shape(), &[1, 4]);
        let shift = model.tensor("shift")?.to_vec::<f32>()?;
        assert!(shift.iter().all(|value| value.abs() <= 0.25) && shift.iter().any(|value| *value != 0.0));
        let model = sized::ByName::new(&device(), Seed(0))?;
        assert_eq!(model.forward(&floats(&[1.0; 4], &[1, 4]))?.shape(), &[1, 4]);
        Ok(())
    })
}

#[test]
fn a_function_calls_what_its_own_module_calls_so() -> Result<()> {
    everywhere(|| {
        let x = floats(&[2.0, 3.0], &[2]);
        assert_eq!(both(&x)?.to_vec::<f32>()?, [106.0, 112.0]);
        assert_eq!(acts(&x)?.to_vec::<f32>()?, [2008.0, 2018.0]);
        let (y, z) = both_by_item(&x)?;
        assert_eq!(y.to_vec::<f32>()?, [106.0, 112.0]);
        assert_eq!(z.to_vec::<f32>()?, [2006.0, 2015.0]);
        Ok(())
    })
}

#[test]
fn a_function_may_be_called_much_like_an_operation() -> Result<()> {
    everywhere(|| {
        let found = swished(&floats(&[0.0], &[1]))?.to_vec::<f32>()?;
        assert_eq!(found, [0.5]);
        Ok(())
    })
}

#[test]
fn constants_of_one_name_in_two_modules_are_two() -> Result<()> {
    everywhere(|| {
        let mut bridge = Bridge::new(&device(), Seed(0))?;
        assert_eq!(bridge.tensor("linear.weight")?.shape(), &[3, 5]);
        bridge.set_tensor("linear.weight", &floats(&[0.0; 15], &[3, 5]))?;
        bridge.set_tensor("linear.bias", &floats(&[1.0; 5], &[5]))?;
        let y = bridge.forward(&floats(&[1.0; 3], &[1, 3]))?;
        assert_eq!(y.to_vec::<f32>()?, [359.0; 5]);
        Ok(())
    })
}

#[test]
fn constants_of_rust_are_known() -> Result<()> {
    everywhere(|| {
        let (none, all) = (f32::NEG_INFINITY, f32::INFINITY);
        assert_eq!(masked(&floats(&[1.0, 2.0, 3.0, 4.0], &[2, 2]))?.to_vec::<f32>()?, [1.0, none, 3.0, 4.0]);
        let x = floats(&[2.0, 4.0], &[2]);
        let (limit, epsilon, half) = limits(&x)?;
        assert_eq!(limit.to_vec::<f32>()?, [none, all]);
        assert_eq!(epsilon.to_vec::<f32>()?, [2.0 * f32::EPSILON, 4.0 * f32::EPSILON]);
        assert_eq!(half.to_vec::<f32>()?, [std::f32::consts::PI, std::f32::consts::TAU]);
        let (y, z) = limits_by_item(&x)?;
        assert_eq!(y.to_vec::<f32>()?, [none, all]);
        assert_eq!(z.to_vec::<u32>()?, [u32::MAX; 2]);
        Ok(())
    })
}

/// Names that kernels bind may be those of other kernels, and of constants: of sizes, too.
mod bound {
    pub const N: usize = 7;
    pub const C: usize = 9;

    #[netcl::function]
    pub fn shift(x: f32) -> f32 {
        x + 10.0
    }

    netcl::kernel! {
        pub fn scale(x: &Tensor<f32, N>, k: f32) -> Tensor<f32, N> {
            |n| k * x[n]
        }

        pub fn row(x: &Tensor<f32, N, C>) -> Tensor<f32, N> {
            |n| sum(0..C, |c| x[n, c])
        }

        pub fn indexed(x: &Tensor<f32, N>, scale: &Tensor<f32, N>) -> Tensor<f32, N> {
            |n| {
                let row = scale[n] * x[n];
                row + 1.0
            }
        }

        #[launch(global = [N])]
        #[gradient(affine_gradient)]
        pub fn affine(x: &Tensor<f32, N>, scale: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
            let i = global_id(0);
            let row = scale[i] * x[i];
            y[i] = shift(row);
        }

        #[launch(global = [N])]
        fn affine_gradient(
            x: &Tensor<f32, N>,
            scale: &Tensor<f32, N>,
            dy: &Tensor<f32, N>,
            dx: &mut Tensor<f32, N>,
            row: &mut Tensor<f32, N>,
        ) {
            let i = global_id(0);
            dx[i] = scale[i] * dy[i];
            row[i] = x[i] * dy[i];
        }
    }
}

#[test]
fn kernels_bind_the_names_of_kernels_and_constants() -> Result<()> {
    everywhere(|| {
        let x = floats(&[1.0, 2.0, 3.0], &[3]);
        let scale = floats(&[4.0, 5.0, 6.0], &[3]);
        assert_eq!(bound::scale(&bound::row(&x.reshape([3, 1]))?, 2.0)?.to_vec::<f32>()?, [2.0, 4.0, 6.0]);
        assert_eq!(bound::indexed(&x, &scale)?.to_vec::<f32>()?, [5.0, 11.0, 19.0]);
        let (y, pullback) = bound::affine.vjp(&x, &scale)?;
        assert_eq!(y.to_vec::<f32>()?, [14.0, 20.0, 28.0]);
        let (dx, dscale) = pullback(&x)?;
        assert_eq!(dx.to_vec::<f32>()?, [4.0, 10.0, 18.0]);
        assert_eq!(dscale.to_vec::<f32>()?, [1.0, 4.0, 9.0]);
        assert_eq!(bound::N + bound::C, 16);
        Ok(())
    })
}

/// Files of models or of kernels alone: nothing in them warns, neither does the import of the prelude.
#[deny(warnings)]
mod quiet {
    pub mod models {
        use netcl::prelude::*;

        #[netcl::model]
        pub struct Shift {
            #[parameter(init = 2.0)]
            by: Tensor<f32, 2>,
        }

        #[netcl::model]
        impl Shift {
            pub fn forward(&self, x: &Tensor<f32, N, 2>, _unused: &Tensor<f32, N>) -> Tensor<f32, N, 2> {
                let _meant = x.exp();
                x + self.by
            }
        }
    }

    pub mod kernels {
        use netcl::prelude::*;

        netcl::kernel! {
            pub fn twice(x: &Tensor<f32, N, C>) -> Tensor<f32, N, C> { |n, c| x[n, c] * 2.0 }
        }
    }

    pub mod simt {
        use netcl::prelude::*;

        netcl::kernel! {
            #[launch(global = [N])]
            pub fn copied(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) { y[global_id(0)] = x[global_id(0)]; }
        }
    }
}

#[test]
fn files_of_models_or_kernels_alone_warn_of_nothing() -> Result<()> {
    everywhere(|| {
        let model = quiet::models::Shift::new(&device(), Seed(1))?;
        let y = model.forward(&floats(&[1.0, 2.0], &[1, 2]), &floats(&[0.0], &[1]))?;
        assert_eq!(quiet::kernels::twice(&y)?.to_vec::<f32>()?, [6.0, 8.0]);
        assert_eq!(quiet::simt::copied(&floats(&[3.0], &[1]))?.to_vec::<f32>()?, [3.0]);
        Ok(())
    })
}
