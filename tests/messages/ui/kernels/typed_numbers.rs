//! SIMT_TYPES, BRANCHES, KERNEL_BOUNDS

netcl::kernel! {
    fn added(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| {
            let k = 7i32;
            x[n] + k
        }
    }

    fn chosen(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| if x[n] > 0.0 { 7i32 } else { x[n] }
    }

    fn read(x: &Tensor<f32, N>, y: &Tensor<f32, M>) -> Tensor<f32, N> {
        |n| fold(n..N, 0.0, |sum, k| sum + y[k])
    }
}

fn main() {}
