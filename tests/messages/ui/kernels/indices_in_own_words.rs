//! Indices that are no sums, and constants where none can stand.

netcl::kernel! {
    const A: f32 = 2.0;
    const RATE: f32 = 2.0;

    pub fn clamped(x: &Tensor<f32, N>) -> Tensor<f32, N, N> { |n, m| x[min(n, m)] }

    pub fn raised(x: &Tensor<f32, N, C>) -> Tensor<f32, N, C> { |n, c| x[(n - 1).max(c), c] }

    pub fn bounded(x: &Tensor<f32, N>) -> Tensor<f32, N> { |n| x[clamp(n + 1, 0, N)] }

    pub fn product(x: &Tensor<f32, N>) -> Tensor<f32, N, N> { |n, m| x[n * m] }

    pub fn divided(x: &Tensor<f32, N>) -> Tensor<f32, N> { |n| x[(n - 1) / 2] + pad(x[(n - 1) % 3]) }

    pub fn wide(x: &Tensor<f32, N>, rows: &Tensor<i64, M>) -> Tensor<f32, M> { |m| x[rows[m]] }

    pub fn both(x: &Tensor<f32, R, C>, r: &Tensor<f32, N>, c: &Tensor<u32, N>) -> Tensor<f32, N> { |n| x[r[n], c[n]] }

    pub fn beside(x: &Tensor<f32, R, C>, c: &Tensor<u32, N>) -> Tensor<f32, N> { |n| x[n, c[n]] }

    pub fn shadowed(x: &Tensor<f32, N>) -> Tensor<f32, N> { |n| { let n = n + 1; x[n] } }

    pub fn shifted(x: &Tensor<u32, N>) -> Tensor<u32, N> { |n| x[n] >> 16 }

    pub fn listed(x: &Tensor<f32, N>) -> Tensor<f32, N> { |n| x[n] * W[0] + W[1] }

    pub fn beyond(x: &Tensor<f32, N, 3>) -> Tensor<f32, N, 3> {
        |n, c| {
            let weights = [0.5, 0.25];
            weights[c] * x[n, c]
        }
    }
}

#[netcl::constant]
const W: &[f32] = &[0.25, 0.5];

fn main() {}
