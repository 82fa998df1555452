//! Losses that no parameter leads to, where their gradients are asked for.
use netcl::prelude::*;

#[netcl::model]
pub struct Net {
    #[layer(inputs = 8, outputs = 8)]
    line: Linear,
}

#[netcl::model]
impl Net {
    // A number without gradients, which nobody asks for, is as good as any.
    pub fn accuracy(&self, x: &Tensor<f32, N, 8>, labels: &Tensor<i32, N>) -> Tensor<f32> {
        self.line.forward(x).argmax(1).eq(labels).cast(f32).mean_all()
    }

    pub fn difference(&self, x: &Tensor<f32, N, 8>, y: &Tensor<f32, N, 8>) -> Tensor<f32> {
        (x - y).square().mean_all()
    }

    #[gradients(x)]
    pub fn saliency(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32> {
        x.square().mean_all()
    }
}

/// Nothing in it is trained.
#[netcl::model]
pub struct Plain {
    #[constant(0.5)]
    rate: f32,
}

#[netcl::model]
impl Plain {
    pub fn loss(&self, x: &Tensor<f32, N>) -> Tensor<f32> {
        (x * self.rate).mean_all()
    }
}

fn run(net: &Net, plain: &Plain, x: &Tensor, labels: &Tensor) -> Result<()> {
    net.accuracy(x, labels)?;
    net.accuracy_with_gradients(x, labels)?;
    net.difference_with_gradients(x, x)?;
    net.saliency_with_gradients(x)?;
    plain.loss_with_gradients(x)?;
    Ok(())
}

fn main() {}
