//! UNSUPPORTED: parts of tensors in brackets, and powers, as Python has them

#[netcl::model]
pub struct Mlp {
    #[layer(inputs = 8, outputs = 8)]
    l: Linear,
}

#[netcl::model]
impl Mlp {
    pub fn first(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, 8> {
        x[0]
    }

    pub fn each(&self, x: &Tensor<f32, T, N, 8>) -> Tensor<f32, N, 8> {
        let mut h = Tensor::zeros([N, 8]);
        for t in 0..T {
            h = h + self.l.forward(x[t]);
        }
        h
    }

    pub fn columns(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 2> {
        x[(.., 1..3)]
    }

    pub fn several(&self, x: &Tensor<f32, T, N, 8>) -> Tensor<f32, N, 8> {
        x[(0, ..)]
    }

    pub fn last(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, 8> {
        x[-1]
    }

    pub fn square(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        x ^ 2
    }
}

fn main() {}
