//! Lists of numbers of two types, and whole numbers without one that floats do not stand for.
use netcl::prelude::*;

#[netcl::constant]
const W: [i32; 2] = [7, 4];

netcl::kernel! {
    fn mixed(x: &Tensor<f32, N>) -> Tensor<f32, N> { |n| { let w = [3u32, 4i32]; x[n] * w[n % 2] as f32 } }

    fn kinds(x: &Tensor<f32, N>) -> Tensor<f32, N> { |n| { let w = [1.0, 2i32]; x[n] * w[n % 2] } }

    fn quotient(x: &Tensor<f32, N>) -> Tensor<f32, N> { |n| x[n] * (W[n % 2] / 2) as f32 }

    fn remainder(x: &Tensor<f32, N>) -> Tensor<f32, N> { |n| { let w = [7, 4]; x[n] * ((-w[n % 2] - 1) % 3) as f32 } }

    fn by_an_index(x: &Tensor<f32, N>) -> Tensor<f32, N> { |n| x[n] * (W[n % 2] / (n + 2)) as f32 }

    fn of_a_sum(x: &Tensor<f32, N>) -> Tensor<f32, N> { |n| x[n] * (sum(0..2, |k| W[k]) / 2) as f32 }

    fn rows(x: &Tensor<f32, N>) -> Tensor<f32, N> { |n| { let w = [[7u32, 4], [1i32, 3]]; x[n] * w[n % 2][0] as f32 } }

    fn rounded(x: &Tensor<f32, N>) -> Tensor<f32, N> { |n| { let w = [16777217, 4]; x[n] * (w[n % 2] - 16777216) as f32 } }

    fn of_a_clamp(x: &Tensor<f32, N>) -> Tensor<f32, N> { |n| x[n] * (clamp(W[n % 2], 0, 5).abs() / 2) as f32 }

    fn below(x: &Tensor<u32, N>) -> Tensor<u32, N> { |n| x[n] + (W[n % 2] - 8) / 2 }

    fn below_zero(x: &Tensor<u32, N>) -> Tensor<f32, N> { |n| { let w = [7, 4]; x[n] as f32 + (w[n % 2] - 8) as f32 } }

    fn beyond(x: &Tensor<u8, N>) -> Tensor<u8, N> { |n| { let w = [200, 4]; x[n] + max(2 * w[n % 2], 250 - w[n % 2]) % 7 } }

    fn less(x: &Tensor<u32, N>) -> Tensor<u32, N> { |n| { let w = if n < 2 { 3 } else { 9 }; if w - 4 < 0 { x[n] } else { 2 } } }

    fn negative(x: &Tensor<u32, N>) -> Tensor<u32, N> { |n| x[n] + (-W[n % 2]).clamp(0, 3) }

    fn lengths(x: &Tensor<f32, N>) -> Tensor<f32, N> { |n| { let w = [[1.0, 2.0], [1.0]]; w[n % 2][0] * x[n] } }

    fn computed(x: &Tensor<f32, N>, at: &Tensor<i32, N>) -> Tensor<f32, N> { |n| x[n] * [0.25, 0.5, 0.25][clamp(at[n], 0, 2)] }

    fn index(x: &Tensor<f32, N>) -> Tensor<f32, N> { |n| pad(x[n + W[n % 2]]) }

    fn of_i32(x: &Tensor<f32, N>) -> Tensor<f32, N> { |n| { let w = [7i32, 4]; x[n] * w[n % 2] } }
}

fn main() {}
