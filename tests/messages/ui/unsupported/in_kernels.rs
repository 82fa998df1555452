//! UNSUPPORTED: `return`, `break` and closures in the closure of a kernel, which is the same for every element.

netcl::kernel! {
    fn returns(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| {
            if x[n] < 0.0 {
                return 0.0;
            }
            x[n]
        }
    }

    fn breaks(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| {
            let mut y = x[n];
            for i in 0..4 {
                if y > 2.0 {
                    break;
                }
                y = y * 2.0;
            }
            y
        }
    }

    fn closure(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| {
            let twice = |y| y * 2.0;
            twice(x[n])
        }
    }
}

fn main() {}
