//! A number with a fraction beside whole numbers.

netcl::kernel! {
    fn shifted(x: &Tensor<i32, N>) -> Tensor<i32, N> {
        |n| x[n] + 1.5
    }
}

fn main() {}
