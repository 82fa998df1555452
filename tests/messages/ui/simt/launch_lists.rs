//! SIMT_LAUNCH_LIST, SIMT_LAUNCH_AXES, SIMT_LAUNCH_RANK, and names and macros of elsewhere.

netcl::kernel! {
    #[launch(global = N, local = 64)]
    fn bare(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        y[global_id(0)] = x[global_id(0)];
    }

    #[launch(global = [N], local = [8, 8])]
    fn groups(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        y[global_id(0)] = x[global_id(0)];
    }

    #[launch(global = [N, 2, 2, 2])]
    fn many(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        y[global_id(0)] = x[global_id(0)];
    }

    #[launch(global = [N, 4])]
    fn cuda(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        println!("{}", x[0]);
        y[blockIdx.y] = x[threadIdx.x];
    }
}

fn main() {}
