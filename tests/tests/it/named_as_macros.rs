//! Functions and kernels with the names of macros that every module of Rust knows.

use crate::common::{device, everywhere, floats};
use netcl::{Result, Seed};

/// Functions and kernels of all forms may have the names of macros that every module of Rust knows. Those of kernels and of functions
/// of tensors stay what they are beside them.
mod functions {
    #[netcl::function]
    pub fn line(x: f32) -> f32 {
        x * 2.0
    }

    #[netcl::function]
    fn matches(x: f32) -> f32 {
        line(x) + 1.0
    }

    netcl::kernel! {
        pub fn both(x: &Tensor<f32, N>) -> Tensor<f32, N> { |n| line(x[n]) + matches(x[n]) }
        pub fn vec(x: &Tensor<f32, N>) -> Tensor<f32, N> { |n| x[n] + 10.0 }
        #[launch(global = [N])]
        #[gradient(column)]
        pub(crate) fn print(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) { y[global_id(0)] = line(x[global_id(0)]); }
        #[launch(global = [N])]
        fn column(x: &Tensor<f32, N>, dy: &Tensor<f32, N>, dx: &mut Tensor<f32, N>) {
            let n = global_id(0);
            dx[n] = dy[n] * 2.0 + 0.0 * x[n];
        }
    }

    pub mod inner {
        #[netcl::function]
        pub(crate) fn assert(x: &Tensor<f32, N>) -> Tensor<f32, N> {
            x * 100.0
        }
    }

    /// Calls the others, which stand here, by their names and by paths.
    #[netcl::function]
    pub fn format(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        vec(x) + self::vec(x) + line(1.0)
    }

    pub fn of_rust() -> Vec<String> {
        vec![format!("{}", i32::from(column!() > 0))]
    }
}

mod macros_elsewhere {
    use super::functions::{self as own, format, vec};

    #[netcl::model]
    pub struct Named {
        #[parameter(init = 3.0)]
        w: Tensor<f32>,
    }

    #[netcl::model]
    impl Named {
        pub fn forward(&self, x: &Tensor<f32, N>) -> Tensor<f32, N> {
            vec(x * &self.w) + own::vec(x) + format(x) + own::print(x) + own::inner::assert(x) + own::line(1.0)
        }
        pub fn loss(&self, x: &Tensor<f32, N>) -> Tensor<f32> {
            own::print(vec(x) * &self.w).sum_all()
        }
    }

    pub fn of_rust() -> usize {
        vec![format!("{}", 1)].len()
    }
}

#[test]
fn functions_have_names_of_macros_of_rust() -> Result<()> {
    /// Items of a body too.
    mod further {
        pub fn write() -> netcl::Result<Vec<f32>> {
            #[netcl::function]
            fn todo(x: f32) -> f32 {
                x + 1.0
            }
            netcl::kernel! {
                fn env(x: &Tensor<f32, N>) -> Tensor<f32, N> { |n| todo(x[n]) }
            }
            #[netcl::function]
            fn file(x: &Tensor<f32, N>) -> Tensor<f32, N> {
                env(x) + todo(1.0)
            }
            file(&super::floats(&[1.0], &[1]))?.to_vec::<f32>()
        }
    }
    everywhere(|| {
        let x = floats(&[1.0, 2.0], &[2]);
        assert_eq!(functions::both(&x)?.to_vec::<f32>()?, [5.0, 9.0]);
        assert_eq!(functions::format(&x)?.to_vec::<f32>()?, [24.0, 26.0]);
        assert_eq!((functions::of_rust(), macros_elsewhere::of_rust()), (vec!["1".to_string()], 1));
        let named = macros_elsewhere::Named::new(&device(), Seed(1))?;
        assert_eq!(named.forward(&x)?.to_vec::<f32>()?, [152.0, 260.0]);
        let (loss, gradients) = named.loss_with_gradients(&x)?;
        assert_eq!((loss.item::<f32>()?, gradients.w()?.item::<f32>()?), (138.0, 46.0));
        assert_eq!(further::write()?, [4.0]);
        Ok(())
    })
}
