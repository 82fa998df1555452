//! SIMT_INDEX, SIMT_BELOW_ZERO

netcl::kernel! {
    #[launch(global = [N], local = [64])]
    fn shifted(x: &Tensor<f32, N>, at: &Tensor<i32, N>, y: &mut Tensor<f32, N>) {
        let i = global_id(0);
        let j = i as i32 - 1;
        y[i] = x[j];
        y[at[i]] = x[i];
    }

    #[launch(global = [N], local = [64])]
    fn arrays(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        let mut scratch = private!([f32; 4]);
        scratch[1.5] = x[0];
        y[0] = scratch[local_id(0) as u8];
    }

    #[launch(global = [N])]
    fn last(x: &Tensor<f32, N>, rows: &Tensor<f32, N, 8>, y: &mut Tensor<f32, N>) {
        y[global_id(0)] = x[-1];
        y[global_id(0)] = rows[global_id(0), -2];
    }
}

fn main() {}
