//! LIST_TOO_LARGE

netcl::kernel! {
    fn index_form(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| {
            let a = [x[n]; 1024];
            let b = [a, a, a, a, a, a, a, a];
            let c = (b, b, b, b, b, b, b, b);
            let d = [c, c];
            let e = [[[0.0; 100]; 100]; 100];
            d[0].0[0][0] + e[0][0][0]
        }
    }

    #[launch(global = [N], local = [64])]
    fn simt_form(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        let a = [[x[0]; 1024]; 64];
        let b = (a, a);
        let c = [[[[]; 1024]; 1024]; 1024];
        y[0] = b.0[0][0];
    }
}

fn main() {}
