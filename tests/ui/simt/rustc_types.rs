//! rustc's own rules hold for the same tokens.

netcl::kernel! {
    #[launch(global = [N], local = [64])]
    fn scale(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        let i: i32 = 0;
        y[i] = x[0];
    }
}

fn main() {}
