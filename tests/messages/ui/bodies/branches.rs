//! BRANCHES, JOIN: values that an `if` on a value cannot choose from, and assignments that Rust might not reach.

netcl::kernel! {
    fn types(x: &Tensor<f32, N>, rows: &Tensor<i32, N>) -> Tensor<f32, N> {
        |n| if x[n] > 0.0 { x[n] } else { rows[n] }
    }

    fn nothing(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| {
            let mut y = 1.0;
            if x[n] > 0.0 { y = x[n]; } else { 2.0 }
            y
        }
    }

    fn assigned(x: &Tensor<f32, N>, rows: &Tensor<i32, N>) -> Tensor<f32, N> {
        |n| {
            let mut y = x[n];
            if x[n] > 0.0 {
                y = rows[n];
            }
            y
        }
    }

    fn reached(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| {
            let mut y = x[n];
            if x[n] > 0.0 && { y = 2.0; x[n] < 1.0 } { y } else { 0.0 }
        }
    }

    fn counted(x: &Tensor<f32, N, C>) -> Tensor<f32, N> {
        |n| {
            let mut seen = 0.0;
            sum(0..C, |c| { seen += 1.0; x[n, c] })
        }
    }
}

fn main() {}
