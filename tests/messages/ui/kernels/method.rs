//! KERNEL_METHOD

netcl::kernel! {
    fn scaled(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| x[n].softmax(0)
    }

    fn reduced(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| x[n].sum(0)
    }

    fn largest(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| x[n].max()
    }
}

fn main() {}
