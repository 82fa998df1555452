//! What CPUs, OpenCL C and lists of lists allow, and what is written here.

netcl::kernel! {
    #[launch(global = [1])]
    pub fn backwards(x: &Tensor<f32, N>, y: &mut Tensor<f32, 1>) {
        let mut sum = 0.0;
        for i in (0..N).rev() {
            sum = sum * 0.5 + x[i];
        }
        y[0] = sum;
    }

    #[launch(global = [N], local = [64])]
    pub fn left(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        let i = global_id(0);
        if i >= N {
            return;
        }
        let mut s = local!([f32; 64]);
        s[local_id(0)] = x[i];
        barrier();
        y[i] = s[63 - local_id(0)];
    }

    #[launch(global = [N])]
    pub fn masked(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        let i = global_id(0);
        y[i] = (x[i] > 0.0) * x[i];
    }

    #[launch(global = [N], local = [16])]
    pub fn rows(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        let mut t = local!([[[[f32; 4]; 4]; 2]; 2]);
        t[1][local_id(0)] = x[global_id(0)];
        barrier();
        y[global_id(0)] = t[1][local_id(0)];
    }

    #[launch(global = [N])]
    pub fn changed(x: &mut Tensor<f32, N>, a: f32) {
        let i = global_id(0);
        x[i] = x[i] * a;
    }

    #[launch(global = [W, H])]
    pub fn sized(w: usize, h: usize, y: &mut Tensor<u32, W, H>) {
        y[global_id(0), global_id(1)] = 1;
    }
}

fn main() {}
