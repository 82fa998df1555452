//! MODE

#[netcl::model]
struct Net {
    #[layer(rate = 0.5)]
    dropout: Dropout,
}

#[netcl::model]
impl Net {
    #[mode(train)]
    fn forward(&self, x: &Tensor<f32, N>) -> Tensor<f32, N> {
        self.dropout.forward(x)
    }

    #[mode(inference)]
    #[mode(training)]
    fn twice(&self, x: &Tensor<f32, N>) -> Tensor<f32, N> {
        self.dropout.forward(&self.dropout.forward(x))
    }

    #[mode(training)]
    fn layers(&self) -> usize {
        1
    }
}

netcl::kernel! {
    #[mode(training)]
    fn double(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| 2.0 * x[n]
    }
}

fn main() {}
