//! BITS_OF, SIMT_LANES, SIMT_BY_VALUE

netcl::kernel! {
    #[launch(global = [N])]
    pub fn shifted(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        let i = global_id(0);
        y[i] = x[i] << 1;
    }

    #[launch(global = [N])]
    pub fn lanes(x: &Tensor<f32, { N * 8 }>, y: &mut Tensor<f32, { N * 8 }>) {
        let i = global_id(0);
        let v = x.load8(i);
        y.store4(i, v);
    }

    #[launch(global = [N])]
    pub fn in_place(w: Tensor<f32, N>, g: &Tensor<f32, N>) {
        let i = global_id(0);
        w[i] = w[i] + g[i];
    }

    #[launch(global = [N])]
    pub fn condition(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        let i = global_id(0);
        if i = 0 {
            y[i] = x[i];
        }
    }
}

fn main() {}
