//! Whole numbers where truth values stand, and such as no type has.

netcl::kernel! {
    fn marked(mask: &Tensor<bool, N>) -> Tensor<bool, N> {
        |n| mask[n] == 2
    }

    fn one(mask: &Tensor<bool, N>) -> Tensor<bool, N> {
        |n| mask[n] & 1
    }

    fn power(x: &Tensor<i32, N>, k: u32) -> Tensor<i32, N> {
        |n| x[n].pow(k)
    }

    fn of_floats(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| x[n].powi(x[n])
    }

    fn sum(x: &Tensor<i64, N>) -> Tensor<i64, N> {
        |n| x[n] + (9223372036854775807 + 1)
    }
}

fn main() {}
