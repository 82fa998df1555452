//! SIMT_LOCAL_RACE, SIMT_LOCAL_WRITTEN: two work-items at one element of a local array, without a barrier between.
use netcl::prelude::*;

netcl::kernel! {
    #[launch(global = [N], local = [64])]
    pub fn reversed(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        let mut s = local!([f32; 64]);
        let l = local_id(0);
        s[l] = x[global_id(0)];
        y[global_id(0)] = s[63 - l];
    }

    #[launch(global = [N], local = [64])]
    pub fn sums(x: &Tensor<f32, N>, y: &mut Tensor<f32, { N / 64 }>) {
        let mut s = local!([f32; 64]);
        let l = local_id(0);
        s[l] = x[global_id(0)];
        barrier();
        let mut step = 32;
        while step > 0 {
            if l < step {
                s[l] += s[l + step];
            }
            step /= 2;
        }
        if l == 0 {
            y[group_id(0)] = s[0];
        }
    }

    #[launch(global = [M, N], local = [16, 16])]
    pub fn product(a: &Tensor<f32, M, K>, b: &Tensor<f32, K, N>, y: &mut Tensor<f32, M, N>) {
        let mut left = local!([[f32; 16]; 16]);
        let (r, c) = (local_id(0), local_id(1));
        let mut sum = 0.0;
        for tile in 0..(K + 15) / 16 {
            left[r, c] = a[global_id(0), tile * 16 + c];
            barrier();
            for k in 0..16 {
                sum += left[r, k] * b[tile * 16 + k, global_id(1)];
            }
        }
        y[global_id(0), global_id(1)] = sum;
    }

    #[launch(global = [N], local = [64])]
    pub fn shifted(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        let mut s = local!([f32; 64]);
        let l = local_id(0);
        s[l] = x[global_id(0)];
        barrier();
        s[l] = s[l + 1];
        y[global_id(0)] = s[l];
    }

    #[launch(global = [N], local = [64])]
    pub fn last(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        let mut s = local!([f32; 1]);
        s[0] = x[global_id(0)];
        barrier();
        y[global_id(0)] = s[0];
    }
}

fn main() {
    let _ = (&reversed, &sums, &product, &shifted, &last);
}
