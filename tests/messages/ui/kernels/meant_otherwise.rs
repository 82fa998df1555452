//! PAD_TWICE, NO_VALUE, KERNEL_OWN_RESULT

#[netcl::constant]
const TAPS: [[f32; 2]; 2] = [[0.25, 0.5], [0.25, 1.0]];

netcl::kernel! {
    fn twice(x: &Tensor<f32, N>) -> Tensor<f32, N> { |n| pad(pad(x[n - 1])) }

    fn nothing(x: &Tensor<f32, N>) -> Tensor<f32, N> { |n| { let y = x[n] * 2.0; } }

    fn own(x: &Tensor<f32, T>) -> Tensor<f32, T> { |t| x[t] + 0.5 * own[t - 1] }

    fn taps(x: &Tensor<f32, N>) -> Tensor<f32, N> { |n| TAPS[0, 1] * x[n] }

    fn hidden(x: &Tensor<f32, N, C>) -> Tensor<f32, N> { |n| sum(0..C, |n| x[n, n]) }

    fn order(x: &Tensor<f32, N, W>) -> Tensor<f32, N, W> { |n, w| x[n, clamp(0, w - 1, W - 1)] }

    fn product(x: &Tensor<f32, N, M>) -> Tensor<f32, { N * M }> { |i| x[i / M, i / M * (M + 1)] }
}

fn main() {}
