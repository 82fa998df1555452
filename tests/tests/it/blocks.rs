//! Several blocks of one model, in several modules.

use crate::common::{device, everywhere, floats};
use netcl::{Model, Result, Seed, Target};

mod model {
    #[netcl::function]
    fn bend(x: f32) -> f32 {
        x + 1.0
    }

    #[netcl::model]
    pub struct Net<const WIDTH: usize> {
        #[layer(inputs = WIDTH, outputs = WIDTH)]
        hidden: Linear,
        #[parameter(init = 2.0)]
        scale: Tensor<f32, WIDTH>,
    }

    #[netcl::model]
    impl<const WIDTH: usize> Net<WIDTH> {
        /// This module's `bend`, whoever calls it.
        pub fn forward(&self, x: &Tensor<f32, N, WIDTH>) -> Tensor<f32, N, WIDTH> {
            bend(self.hidden.forward(x)) * &self.scale
        }

        fn halved(x: &Tensor<f32, N, M>) -> Tensor<f32, N, M> {
            x / 2.0
        }
    }

    #[netcl::model(block = twice)]
    impl<const W: usize> Net<W> {
        pub fn twice(&self, x: &Tensor<f32, N, W>) -> Tensor<f32, N, W> {
            self.forward(&self.forward(x))
        }
    }
}

#[netcl::function]
fn bend(x: f32) -> f32 {
    x * 100.0
}

#[netcl::model(block = training)]
impl<const W: usize> model::Net<W> {
    pub fn loss(&self, x: &Tensor<f32, N, W>) -> Tensor<f32> {
        bend(self.once(x)).mean_all()
    }

    fn once(&self, x: &Tensor<f32, N, W>) -> Tensor<f32, N, W> {
        Self::halved(self.forward(x))
    }
}

mod imported {
    use super::model::Net;

    #[netcl::model(block = imported)]
    impl<const W: usize> Net<W> {
        pub fn thrice(&self, x: &Tensor<f32, N, W>) -> Tensor<f32, N, W> {
            self.twice_and_once(x) + Self::halved(x)
        }

        fn twice_and_once(&self, x: &Tensor<f32, N, W>) -> Tensor<f32, N, W> {
            self.forward(&self.forward(x)) * &self.scale
        }
    }
}

#[test]
fn blocks_have_functions_and_reports_of_their_own() -> Result<()> {
    everywhere(|| {
        let mut net = model::Net::<2>::new(&device(), Seed(3))?;
        net.set_tensor("hidden.weight", &floats(&[1.0, 0.0, 0.0, 1.0], &[2, 2]))?;
        net.set_tensor("hidden.bias", &floats(&[0.0; 2], &[2]))?;
        let x = floats(&[3.0, 5.0], &[1, 2]);
        assert_eq!(net.forward(&x)?.to_vec::<f32>()?, [8.0, 12.0]);
        assert_eq!(net.twice(&x)?.to_vec::<f32>()?, [18.0, 26.0]);
        assert_eq!(net.thrice(&x)?.to_vec::<f32>()?, [37.5, 54.5]);
        let (loss, gradients) = net.loss_with_gradients(&x)?;
        assert_eq!(loss.item::<f32>()?, 500.0);
        assert_eq!(gradients.scale()?.to_vec::<f32>()?, [100.0, 150.0]);
        Ok(())
    })
}

#[test]
fn each_block_reports_on_itself() -> Result<()> {
    let (main, training) = (model::Net::<2>::report(Target::Host)?, model::Net::<2>::report_training(Target::Host)?);
    assert!(main.contains("forward") && !main.contains("loss"), "{main}");
    assert!(training.contains("loss") && !training.contains("forward"), "{training}");
    assert!(model::Net::<2>::kernels_training(Target::Gpu)?.contains("__kernel"));
    assert!(model::Net::<2>::report_twice(Target::Cpu)?.contains("twice"));
    Ok(())
}
