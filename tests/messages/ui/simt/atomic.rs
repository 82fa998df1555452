//! SIMT_ATOMIC, SIMT_ATOMIC_TYPE, SIMT_ATOMIC_VALUE

netcl::kernel! {
    #[launch(global = [N], local = [64])]
    fn scale(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        atomic_add(y[0], x[0]);
    }

    #[launch(global = [N], local = [64])]
    fn halves(x: &Tensor<f16, N>, y: &mut Tensor<f16, 4>) {
        atomic_add(&mut y[0], x[global_id(0)]);
    }

    #[launch(global = [N], local = [64])]
    fn bits(x: &Tensor<u32, N>, y: &mut Tensor<u32, 4>) {
        let mut seen = local!([u8; 64]);
        atomic_or(&mut seen[0], x[global_id(0)]);
        y[0] = seen[0] as u32;
    }

    #[launch(global = [N], local = [64])]
    fn counts(x: &Tensor<f32, N>, y: &mut Tensor<u32, 4>) {
        atomic_add(&mut y[0], x[global_id(0)] * 2.0);
    }
}

fn main() {}
