//! Numbers that a type cannot hold, at the number.

netcl::kernel! {
    fn negative(x: &Tensor<u32, N>) -> Tensor<u32, N> {
        |n| if x[n] > -1 { x[n] } else { 0 }
    }

    fn large(x: &Tensor<u8, N>) -> Tensor<u8, N> {
        |n| x[n] + 300
    }

    fn fraction(x: &Tensor<i32, N>) -> Tensor<i32, N> {
        |n| 2.0 * x[n]
    }

    fn types(x: &Tensor<f32, N>, y: &Tensor<i32, N>) -> Tensor<f32, N> {
        |n| x[n] + y[n]
    }

    fn bits(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| x[n] & 1.0
    }
}

fn main() {}
