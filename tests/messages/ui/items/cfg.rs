//! Conditions that the compiler of a model cannot decide.

#[netcl::model]
pub struct Mlp {
    #[cfg(test)]
    #[layer(inputs = 8, outputs = 4)]
    hidden: Linear,
}

netcl::kernel! {
    #[cfg(test)]
    fn copy(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| x[n]
    }
}

fn main() {}
