//! SIMT_LAST_VALUE

netcl::kernel! {
    #[launch(global = [N])]
    fn copied(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        let i = global_id(0);
        y[i] = 0.0;
        x[i]
    }

    #[launch(global = [N])]
    fn counted(x: &Tensor<f32, N>, y: &mut Tensor<f32, 1>) {
        atomic_add(&mut y[0], x[global_id(0)])
    }

    #[launch(global = [N])]
    fn doubled(mut x: Tensor<f32, N>) {
        x[global_id(0)] = x[global_id(0)] * 2.0;
        x
    }
}

fn main() {}
