//! ELSEWHERE_CALLED of functions that take a text.
use netcl::prelude::*;

netcl::kernel! {
    #[launch(global = [N])]
    pub fn k(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        printf("%f", x[0]);
        y[global_id(0)] = 0.0;
    }
}

fn main() {}
