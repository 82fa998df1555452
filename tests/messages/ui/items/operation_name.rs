//! A function with the name of an operation, called by that name alone.

mod parts {
    #[netcl::function]
    pub fn leaky(x: f32) -> f32 {
        if x > 0.0 { x } else { 0.1 * x }
    }
}

mod models {
    use netcl::prelude::*;

    #[netcl::function]
    fn relu(x: f32) -> f32 {
        if x > 0.0 { x } else { 0.1 * x }
    }

    netcl::kernel! {
        fn softmax(x: &Tensor<f32, N>) -> Tensor<f32, N> {
            |n| exp(x[n]) / sum(0..N, |i| exp(x[i]))
        }
    }

    #[netcl::model]
    pub struct Net {
        #[layer(inputs = 4, outputs = 4)]
        line: Linear,
    }

    #[netcl::model]
    impl Net {
        pub fn forward(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
            relu(self.line.forward(x))
        }

        pub fn all(&self, x: &Tensor<f32, N>) -> Tensor<f32, N> {
            softmax(x, 0)
        }
    }
}

mod functions {
    use super::parts::leaky as gelu;
    use netcl::prelude::*;

    #[netcl::function]
    fn exp(x: f32) -> f32 {
        x * 100.0
    }

    #[netcl::function]
    fn twice(x: f32) -> f32 {
        exp(x) * 2.0
    }

    #[netcl::function]
    fn both(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        gelu(x) + exp(x)
    }

    netcl::kernel! {
        fn each(x: &Tensor<f32, N>) -> Tensor<f32, N> { |n| exp(x[n]) }

        #[launch(global = [N])]
        fn items(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
            let i = global_id(0);
            y[i] = exp(x[i]);
        }
    }
}

fn main() {}
