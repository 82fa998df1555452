//! One mistake is one error: what stands for a block or a field that is wrong has the type of the gradients and what is asked of it.
#![allow(dead_code)]

mod cell {
    use netcl::prelude::*;

    #[netcl::model]
    pub struct Cell {
        #[layer(inputs = 3, outputs = 3)]
        a: Linear,
    }

    #[netcl::model]
    impl Cell {
        pub fn forward(&self, x: &Tensor<f32, N, 3>) -> Tensor<f32, N, 3> {
            self.a.forward(x)
        }

        #[gradients(x)]
        pub fn also(&self, x: &Tensor<f32, N, 3>) -> (Tensor<f32>, Tensor<f32, N, 3>) {
            let h = self.a.forward(x);
            (h.sum_all(), h)
        }

        pub fn bad(&self, x: &Tensor<f32, N, 3>, k: i32) -> Tensor<f32, N, 3> {
            x * k
        }
    }
}

/// What it imports is the struct alone.
mod further {
    use super::cell::Cell;

    #[netcl::model(block = training)]
    impl Cell {
        pub fn loss(&self, x: &Tensor<f32, N, 3>) -> Tensor<f32> {
            self.forward(x).mean_all()
        }
    }
}

mod fields {
    use netcl::prelude::*;

    #[netcl::model]
    pub struct Inner {
        #[layer(input = 3, outputs = 3)]
        l: Linear,
        #[layer(features = "3")]
        many: [LayerNorm; 2],
        #[parameter(init = nothing)]
        p: Tensor<f32, 3>,
        #[layer(inputs = 3, outputs = 3)]
        misspelt: Liner,
    }

    #[netcl::model]
    impl Inner {
        pub fn loss(&self, x: &Tensor<f32, N, 3>) -> Tensor<f32> {
            (self.l.forward(x) + &self.p).mean_all()
        }
    }

    #[netcl::model]
    pub struct Outer {
        m: Inner,
    }

    #[netcl::model]
    impl Outer {
        pub fn loss(&self, x: &Tensor<f32, N, 3>) -> Tensor<f32> {
            self.m.loss(x)
        }
    }

    pub fn train(model: &mut Outer, x: &Tensor) -> Result<()> {
        let (_, gradients) = model.loss_with_gradients(x)?;
        let _ = &gradients.m()?.l()?.weight;
        let _ = &gradients.m()?.many()?[0].weight;
        let _: Tensor = gradients.m()?.p()?;
        let _ = &gradients.m()?.misspelt()?.bias;
        Adam::new(0.1).step(model, &gradients)
    }
}

fn main() {
    let device = netcl::Device::host();
    let model = cell::Cell::new(&device, netcl::Seed(1)).unwrap();
    let x = netcl::Tensor::scalar(&device, 1.0f32).unwrap();
    let (loss, gradients) = model.loss_with_gradients(&x).unwrap();
    let _: f32 = loss.item().unwrap();
    let _ = &gradients.a().unwrap().weight;
    let ((_loss, _h), gradients, _dx) = model.also_with_gradients(&x).unwrap();
    let _ = &gradients.a().unwrap().weight;
}
