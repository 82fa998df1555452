//! PRECISION

#[netcl::model]
struct Net {
    #[layer(inputs = 8, outputs = 8)]
    layer: Linear,
}

#[netcl::model]
impl Net {
    #[precision(half)]
    fn forward(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        self.layer.forward(x)
    }

    #[precision(bf16)]
    #[precision(f16)]
    fn twice(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        self.layer.forward(&self.layer.forward(x))
    }

    #[precision]
    fn thrice(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        self.layer.forward(&self.twice(x))
    }

    #[precision("bf16")]
    fn quoted(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        self.layer.forward(x)
    }

    #[precision(bf16, f16)]
    fn both(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        self.layer.forward(x)
    }

    #[precision(bf16)]
    fn as_another_half(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        let h: Tensor<f16, N, 8> = self.layer.forward(x);
        h
    }

    fn of_halves(&self, h: &Tensor<f16, N, 8>) -> Tensor<f16, N, 8> {
        h * 2.0
    }

    #[precision(bf16)]
    fn given_another_half(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        self.of_halves(self.layer.forward(x))
    }

    #[precision(bf16)]
    fn layers(&self) -> usize {
        1
    }

    #[precison(bf16)]
    fn again(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        self.layer.forward(x)
    }

    #[precision(bf16)]
    fn counted(&self, x: &Tensor<f32, N, 8>) -> Tensor<i32, N, 8> {
        self.layer.forward(x)
    }
}

netcl::kernel! {
    #[precision(bf16)]
    fn double(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| 2.0 * x[n]
    }
}

fn main() {}
