//! Half-typed bodies: each error is rustc's own, once; who calls the functions sees nothing of it.
use netcl::prelude::*;

#[netcl::model]
pub struct Mlp {
    #[layer(inputs = 8, outputs = 4)]
    hidden: Linear,
}

#[netcl::model]
impl Mlp {
    pub fn forward(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 4> {
        self.
    }

    pub fn bound(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 4> {
        let h = ;
        h
    }

    pub fn sum(&self, x: &Tensor<f32, N, 8>) -> (Tensor<f32, N, 4>, Tensor<f32>) {
        let h = self.hidden.forward(x);
        (h, h.sum_all() + )
    }

    pub fn list(&self, x: &Tensor<f32, N, 8>, deep: bool) -> Tensor<f32, N, 4> {
        if deep {
            self.hidden.forward(x,, 1)
        }
    }

    pub fn looped(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 4> {
        for layer in
    }

    pub fn width(&self) -> usize {
        let width: = 4;
        width
    }

    pub fn loss(&self, x: &Tensor<f32, N, 8>, labels: &Tensor<u32, N>) -> Tensor<f32> {
        self.forward(x).cross_entropy(labels)
    }
}

#[netcl::model]
pub struct Outer {
    inner: Mlp,
}

#[netcl::model]
impl Outer {
    pub fn forward(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 4> {
        self.inner.forward(x) + self.inner.bound(x)
    }
}

fn main() -> Result<()> {
    let device = Device::host();
    let model = Mlp::new(&device, Seed(1))?;
    let x = Tensor::zeros(&device, &[2, 8], DType::F32)?;
    let labels = Tensor::zeros(&device, &[2], DType::U32)?;
    let h = model.forward(&x)?;
    let (first, _second) = model.sum(&x)?;
    model.bound(&first)?;
    model.list(&h, model.width() > 3)?;
    model.looped(&x)?;
    let (loss, gradients) = model.loss_with_gradients(&x, &labels)?;
    println!("{loss:?}{:?}{}", gradients.hidden()?.weight, Mlp::report(netcl::Target::Host)?);
    Outer::new(&device, Seed(1))?.forward(&x)?;
    Ok(())
}
