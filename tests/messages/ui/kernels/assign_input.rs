//! ASSIGN_ARGUMENT

netcl::kernel! {
    fn relu(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| {
            x[n] = 0.0;
            x[n]
        }
    }
}

fn main() {}
