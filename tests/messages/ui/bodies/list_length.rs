//! LIST_LENGTH

netcl::kernel! {
    fn index_form(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| {
            let w = [x[n]; N];
            w[0]
        }
    }

    #[launch(global = [N], local = [64])]
    fn simt_form(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        let w = [x[0]; 5000];
        y[0] = w[0];
    }
}

fn main() {}
