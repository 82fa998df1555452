//! Whole numbers where truth values stand, and such as no type has.

netcl::kernel! {
    fn marked(mask: &Tensor<bool, N>) -> Tensor<bool, N> {
        |n| mask[n] == 2
    }

    fn one(mask: &Tensor<bool, N>) -> Tensor<bool, N> {
        |n| mask[n] & 1
    }

    fn sum(x: &Tensor<i64, N>) -> Tensor<i64, N> {
        |n| x[n] + (9223372036854775807 + 1)
    }
}

fn main() {}
