//! OpenCL's and CUDA's names, and what Rust or the index form would have.
use netcl::prelude::*;

netcl::kernel! {
    #[launch(global = [N])]
    pub fn opencl(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        let i = get_global_id(0);
        y[i] = x[i];
    }

    #[launch(global = [N])]
    pub fn cuda(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        let i = threadIdx.x;
        y[i] = x[i];
    }

    #[launch(global = [N, N])]
    pub fn whole(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        let i = blockIdx.x * blockDim.x + threadIdx.x;
        let j = get_local_id(1) + get_group_id(1) * get_local_size(1);
        let first = blockIdx.y * 2 + threadIdx.y;
        y[i] = x[j] + first as f32;
    }

    #[launch(global = [N])]
    pub fn rows(x: &Tensor<f32, N, C>, y: &mut Tensor<f32, N>) {
        let n = global_id(0);
        y[n] = sum(0..C, |c| x[n, c]);
    }

    #[launch(global = [1])]
    pub fn total(x: &Tensor<f32, N>, y: &mut Tensor<f32, 1>) {
        let mut acc = 0;
        for i in 0..N {
            acc += x[i];
        }
        y[0] = acc;
    }

    #[launch(global = [N, C])]
    pub fn nested(x: &Tensor<f32, N, C>, y: &mut Tensor<f32, N, C>) {
        let (i, j) = (global_id(0), global_id(1));
        y[i][j] = x[i, j];
    }

    #[launch(global = [N])]
    pub fn position(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        let i = global_id(0) as usize;
        y[i] = x[i];
    }

    #[launch(global = [N])]
    pub fn wholes(x: &Tensor<i32, N>, y: &mut Tensor<i32, N>) {
        y[global_id(0)] = x[global_id(0)].exp();
    }

    #[launch(global = [N])]
    pub fn later(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        let a: f32;
        a = x[global_id(0)];
        y[global_id(0)] = a;
    }

    #[launch(global = [N])]
    pub fn closed(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        let f = |v: f32| v * 2.0;
        y[global_id(0)] = f(x[global_id(0)]);
    }

    #[launch(global = [N])]
    pub fn mathematics(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        y[global_id(0)] = expf(x[global_id(0)]);
        y[global_id(0)] = fmax(x[global_id(0)], 0.0);
    }

    #[launch(global = [N], local = [64])]
    pub fn shared(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        let mut tile = shared!([f32; 64]);
        tile[local_id(0)] = x[global_id(0)];
        barrier();
        y[global_id(0)] = tile[0];
    }

    #[launch(global = [N])]
    pub fn activated(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        y[global_id(0)] = x[global_id(0)].relu();
    }
}

fn main() {
    let _ = (&opencl, &rows);
}
