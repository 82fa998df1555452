//! rustc's own rules hold for the same tokens.

netcl::kernel! {
    #[launch(global = [N], local = [64])]
    fn scale(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        let own = private!([f32; 4]);
        own[0] = x[0];
        y[0] = own[0];
    }
}

fn main() {}
