//! BITS_OF, SIMT_OPERAND, NOT_OF_FLOATS, SIMT_LANES, SIMT_BY_VALUE

netcl::kernel! {
    #[launch(global = [N])]
    pub fn shifted(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        let i = global_id(0);
        y[i] = x[i] << 1;
    }

    #[launch(global = [N])]
    pub fn turned(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        y[global_id(0)] = !x[global_id(0)];
    }

    #[launch(global = [N])]
    pub fn joined(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        y[global_id(0)] = x[global_id(0)] & 1.0;
    }

    #[launch(global = [N])]
    pub fn counted(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        let (a, b) = (x[global_id(0)] > 0.0, x[0] > 0.0);
        if a + b {
            y[global_id(0)] = 1.0;
        }
        if -a || a > b {
            y[global_id(0)] = 2.0;
        }
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
