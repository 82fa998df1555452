//! WHOLE_QUOTIENT

netcl::kernel! {
    pub fn halves(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| {
            let h = if x[n] > 0.5 { 7 } else { 8 };
            (h / 2) as f32
        }
    }

    pub fn counted(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| {
            let mut count = 0;
            for i in 0..5 {
                if x[n] > 0.1 * i as f32 {
                    count += 3;
                }
            }
            ((count + 1) % 2) as f32
        }
    }
}

fn main() {}
