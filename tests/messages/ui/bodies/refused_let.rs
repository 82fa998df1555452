//! What is bound where something is wrong is not unknown as well.
use netcl::prelude::*;

#[netcl::model]
struct Net {
    #[layer(inputs = 8, outputs = 8)]
    a: Linear,
}

#[netcl::model]
impl Net {
    fn option(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        if let Some(y) = x { y } else { x }
    }

    fn reference(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        let mut h = self.a.forward(x);
        let r = &mut h;
        *r = r.relu();
        h
    }

    fn array(&self, xs: &[Tensor<f32, N, 8>; 2]) -> Tensor<f32, N, 8> {
        xs[0] + xs[1]
    }

    fn slice(&self, xs: &[Tensor<f32, N, 8>]) -> Tensor<f32, N, 8> {
        xs[0] + xs[1]
    }
}

netcl::kernel! {
    #[launch(global = [N])]
    fn uninitialized(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        let a: f32;
        a = x[global_id(0)];
        y[global_id(0)] = a;
    }

    #[launch(global = [N])]
    fn closure(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        let f = |v: f32| v * 2.0;
        y[global_id(0)] = f(x[global_id(0)]);
    }

    #[launch(global = [1])]
    fn accumulated(x: &Tensor<f32, N>, y: &mut Tensor<f32, 1>) {
        let mut total = 0u32;
        for i in 0..N {
            total += x[i];
        }
        y[0] = total;
    }

    fn typed(x: &Tensor<f32, N>) -> Tensor<f32, N> { |n: usize| x[n] }

    fn not_reduced(x: &Tensor<f32, N, C>) -> Tensor<f32, N> { |n| max(0..C) }
}

fn main() {}
