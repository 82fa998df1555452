//! Names that the program and netcl, or Rust's own library, have in common, on every device.

use crate::common::everywhere;
use netcl::prelude::*;
// `max` in bodies stays netcl's: this is no function of it.
use std::cmp::max;

/// Called by its path, beside the operation.
#[netcl::function]
fn relu(x: f32) -> f32 {
    if x > 0.0 { x } else { 0.1 * x }
}

#[netcl::function]
fn both(x: f32) -> f32 {
    self::relu(x) * 2.0
}

netcl::kernel! {
    /// Of elements this name is the operation's.
    fn exp(x: &Tensor<f32, N>) -> Tensor<f32, N> { |n| exp(x[n]) }

    fn above(x: &Tensor<f32, N>) -> Tensor<f32, N> { |n| max(exp(x[n]), 1.0) }
}

#[netcl::model]
pub struct Names {
    #[parameter(init = 1.0)]
    one: Tensor<f32>,
}

#[netcl::model]
impl Names {
    pub fn own(&self, x: &Tensor<f32, N>) -> Tensor<f32, N> {
        self::relu(x) * &self.one
    }

    pub fn twice(&self, x: &Tensor<f32, N>) -> Tensor<f32, N> {
        both(x)
    }

    pub fn operation(&self, x: &Tensor<f32, N>) -> Tensor<f32, N> {
        x.relu()
    }

    pub fn kernel(&self, x: &Tensor<f32, N>) -> Tensor<f32, N> {
        self::exp(x)
    }
}

#[test]
fn a_path_calls_ones_own() -> Result<()> {
    everywhere(|| {
        let device = crate::common::device();
        let (names, x) = (Names::new(&device, Seed(1))?, Tensor::from_slice(&device, &[-1.0f32, 2.0], &[2])?);
        assert_eq!(names.own(&x)?.to_vec::<f32>()?, [-0.1, 2.0]);
        assert_eq!(names.twice(&x)?.to_vec::<f32>()?, [-0.2, 4.0]);
        assert_eq!(names.operation(&x)?.to_vec::<f32>()?, [0.0, 2.0]);
        assert!((names.kernel(&x)?.to_vec::<f32>()?[0] - (-1.0f32).exp()).abs() < 1e-6);
        assert!((above(&x)?.to_vec::<f32>()?[max(0, 0)] - 1.0).abs() < 1e-6);
        Ok(())
    })
}

mod own {
    use netcl::prelude::*;

    /// A model with the name of a type of Rust's.
    #[netcl::model]
    pub struct Cell<A = Tanh> {
        act: A,
        #[parameter(init = 2.0)]
        factor: Tensor<f32>,
    }

    #[netcl::model]
    impl<A> Cell<A> {
        pub fn forward(&self, x: &Tensor<f32, N>) -> Tensor<f32, N> {
            self.act.forward(x) * &self.factor
        }
    }

    #[netcl::model]
    pub struct Box<A> {
        cell: Cell<A>,
    }

    #[netcl::model]
    impl<A> Box<A> {
        pub fn forward(&self, x: &Tensor<f32, N>) -> Tensor<f32, N> {
            self.cell.forward(x) + 1.0
        }
    }
}

use own::Cell;

#[netcl::model]
pub struct Cells {
    bare: Cell<Relu>,
    path: own::Box<Relu>,
}

#[netcl::model]
impl Cells {
    pub fn forward(&self, x: &Tensor<f32, N>) -> Tensor<f32, N> {
        self.bare.forward(x) + self.path.forward(x)
    }
}

#[test]
fn models_may_be_called_as_types_of_rusts() -> Result<()> {
    everywhere(|| {
        let device = crate::common::device();
        let (cells, x) = (Cells::new(&device, Seed(1))?, Tensor::from_slice(&device, &[-1.0f32, 2.0], &[2])?);
        assert_eq!(cells.forward(&x)?.to_vec::<f32>()?, [1.0, 9.0]);
        Ok(())
    })
}
