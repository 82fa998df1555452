//! FOLD, FOLD_START, FOLD_CARRIED, FOLD_RANGE, KERNEL_LOOP

netcl::kernel! {
    fn no_start(x: &Tensor<f32, N, C>) -> Tensor<f32, N> {
        |n| fold(0..C, |sum, c| sum + x[n, c])
    }

    fn started(x: &Tensor<f32, N, C>) -> Tensor<f32, N> {
        |n| fold(0..C, 0..C, |sum, c| sum + x[n, c])
    }

    fn composed(x: &Tensor<f32, N, C>) -> Tensor<f32, N> {
        |n| fold(0..C, (0.0, 1.0), |(a, b), c| a * b + x[n, c])
    }

    fn typed(x: &Tensor<f32, N, C>) -> Tensor<f32, N> {
        |n| fold(0..C, 0.0, |sum, c| (sum + x[n, c]) > 0.0)
    }

    fn started_typed(x: &Tensor<f32, N, C>, y: &Tensor<i32, N>) -> Tensor<i32, N> {
        |n| fold(0..C, y[n], |sum, c| sum as f32 + x[n, c])
    }

    fn negative(x: &Tensor<f32, N, C>) -> Tensor<f32, N> {
        |n| fold(2..C, 0.0, |sum, c| sum + x[n, c])
    }

    fn outside(x: &Tensor<f32, N, C>) -> Tensor<f32, N, C> {
        |n, c| fold(0..c + 1, 0.0, |sum, k| sum + x[n, k + 1])
    }

    fn assigned(x: &Tensor<f32, N, C>) -> Tensor<f32, N> {
        |n| {
            let mut last = 0.0;
            let sum = fold(0..C, 0.0, |sum, c| {
                last = x[n, c];
                sum + last
            });
            sum + last
        }
    }

    fn unused(x: &Tensor<f32, N, C>) -> Tensor<f32, N> {
        |n| fold(0..C, 0.0, |sum, c| sum + x[n, 0])
    }

    fn looped(x: &Tensor<f32, N, C>) -> Tensor<f32, N> {
        |n| {
            let mut sum = 0.0;
            for c in 0..C {
                sum += x[n, c];
            }
            sum
        }
    }
}

fn main() {}
