//! KERNEL_BODY

netcl::kernel! {
    fn relu(x: &Tensor<f32, N, C>) -> Tensor<f32, N, C> {
        max(x, 0.0)
    }
    fn activated(x: &Tensor<f32, N, C>) -> Tensor<f32, N, C> {
        x.relu()
    }
    fn in_a_loop(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        let mut y = x;
        for n in 0..N {
            y[n] = x[n];
        }
        y
    }
}

fn main() {}
