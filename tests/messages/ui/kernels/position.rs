//! KERNEL_POSITION

netcl::kernel! {
    fn last(x: &Tensor<f32, N, N>) -> Tensor<i32, N> {
        |n| argmax((0..n + 1, 0..N), |i, j| x[i, j])
    }

    fn best(x: &Tensor<f32, H, W>) -> Tensor<i32> {
        argmax((1..H, 0..W), |h, w| x[h, w])
    }
}

fn main() {}
