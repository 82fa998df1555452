//! KERNEL_POSITION

netcl::kernel! {
    fn best(x: &Tensor<f32, H, W>) -> Tensor<i32> {
        argmax((1..H, 0..W), |h, w| x[h, w])
    }
}

fn main() {}
