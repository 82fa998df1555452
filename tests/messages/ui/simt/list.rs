//! INDEX_OUTSIDE, LET_VALUE, SIMT_LIST_INDEX

netcl::kernel! {
    #[launch(global = [N], local = [64])]
    fn outside(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        let w = [0.25, 0.5];
        y[0] = w[2] * x[0];
    }

    #[launch(global = [N], local = [64])]
    fn not_known(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        let w = [0.25, 0.5];
        y[0] = w[N] * x[0];
    }

    #[launch(global = [N], local = [64])]
    fn changed(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        let w = [0.25, 0.5];
        w[0] = 1.0;
        y[0] = w[0] * x[0];
    }

    #[launch(global = [N], local = [64])]
    fn mutable(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        let mut w = [0.25, 0.5];
        y[0] = x[0];
    }

    #[launch(global = [N], local = [64])]
    fn too_short(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        let w: [f32; 3] = [0.25, 0.5];
        y[0] = x[0];
    }
}

fn main() {}
