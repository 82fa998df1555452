//! SIMT_ENDLESS
use netcl::prelude::*;

netcl::kernel! {
    #[launch(global = [1])]
    pub fn total(x: &Tensor<f32, N>, y: &mut Tensor<f32, 1>) {
        let mut acc = 0.0;
        loop {
            acc += x[0];
        }
        y[0] = acc;
    }

    #[launch(global = [1])]
    pub fn counted(x: &Tensor<f32, N>, y: &mut Tensor<f32, 1>) {
        let (mut acc, mut i) = (0.0, 0);
        while i < N {
            acc += x[i];
        }
        i += 1;
        y[0] = acc + i as f32;
    }

    // The inner loop's `break` is its own.
    #[launch(global = [1])]
    pub fn nested(x: &Tensor<f32, N>, y: &mut Tensor<f32, 1>) {
        let mut acc = 0.0;
        loop {
            for i in 0..N {
                if x[i] < 0.0 {
                    break;
                }
                acc += x[i];
            }
        }
        y[0] = acc;
    }

    #[launch(global = [1])]
    pub fn left(x: &Tensor<f32, N>, y: &mut Tensor<f32, 1>) {
        let mut i = 0;
        loop {
            if x[i] < 0.0 || i >= N {
                break;
            }
            i += 1;
        }
        y[0] = i as f32;
    }
}

fn main() {
    let _ = &left;
}
