//! MATMUL_PRECISION

#[netcl::model]
struct Net {
    #[layer(inputs = 8, outputs = 8)]
    layer: Linear,
}

#[netcl::model]
impl Net {
    #[matmul_precision(bf16)]
    fn forward(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        self.layer.forward(x)
    }

    #[matmul_precision(high)]
    #[matmul_precision(medium)]
    fn twice(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        self.layer.forward(&self.layer.forward(x))
    }

    #[matmul_precision]
    fn thrice(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        self.layer.forward(&self.twice(x))
    }

    #[matmul_precision(medium)]
    fn layers(&self) -> usize {
        1
    }

    #[matmul_precison(medium)]
    fn again(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        self.layer.forward(x)
    }
}

netcl::kernel! {
    #[matmul_precision(high)]
    fn double(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| 2.0 * x[n]
    }
}

fn main() {}
