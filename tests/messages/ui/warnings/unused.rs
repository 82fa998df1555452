//! What nobody uses of a model and of kernels, where the user has asked for errors.
#![deny(unused_variables)]

mod parts {
    use netcl::prelude::*;

    #[netcl::model]
    pub(crate) struct Net {
        #[layer(inputs = 8, outputs = 8)]
        hidden: Linear,
        #[layer(inputs = 8, outputs = 8)]
        forgotten: Linear,
        #[parameter(init = 0.0)]
        offset: Tensor<f32, 8>,
        #[parameter(init = 0.0)]
        _kept: Tensor<f32, 8>,
        #[allow(dead_code)]
        #[layer(inputs = 8, outputs = 8)]
        allowed: Linear,
        // A further block reads it.
        #[layer(inputs = 8, outputs = 8)]
        head: Linear,
    }

    #[netcl::model]
    impl Net {
        pub(crate) fn forward(&self, x: &Tensor<f32, N, 8>, mask: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
            let h = self.hidden.forward(x);
            let twice = &h * 2.0;
            let _meant = h.exp();
            let mut assigned = h.exp();
            for round in 0..2 {
                assigned = h.exp();
            }
            h
        }

        #[allow(unused_variables)]
        pub(crate) fn silent(&self, x: &Tensor<f32, N, 8>, mask: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
            let h = x.exp();
            x.relu()
        }
    }

    #[netcl::model]
    pub(crate) struct Part {
        #[parameter(init = 0.0)]
        scale: Tensor<f32, 8>,
    }

    #[netcl::model]
    impl Part {
        /// `target` says how many rounds there are.
        pub(crate) fn rolled(&self, x: &Tensor<f32, N, 8>, target: &Tensor<f32, N, T, 8>) -> Tensor<f32, N, 8> {
            let mut h = x * self.scale;
            for _ in 0..T {
                h = h.tanh();
            }
            h
        }
    }

    #[netcl::model(block = further)]
    impl Net {
        pub(crate) fn logits(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
            self.head.forward(x)
        }
    }
}

netcl::kernel! {
    pub fn scaled(x: &Tensor<f32, N>) -> Tensor<f32, N> { |n| { let scale = x[n] * 3.0; x[n] * 2.0 } }

    #[launch(global = [N])]
    pub fn copied(x: &Tensor<f32, N>, other: &Tensor<f32, N>, scale: f32, y: &mut Tensor<f32, N>) {
        let i = global_id(0);
        let position = i + 1;
        y[i] = x[i];
    }
}

fn main() {
    let device = netcl::Device::host();
    let _ = parts::Net::new(&device, netcl::Seed(1)).map(|net| {
        let _ = net.forward(&net_input(&device), &net_input(&device));
    });
}

fn net_input(device: &netcl::Device) -> netcl::Tensor {
    netcl::Tensor::zeros(device, netcl::DType::F32, &[1, 8])
}
