//! SIMT_INDEX

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
}

fn main() {}
