//! A size that is no `const` of Rust: rustc underlines it.

#[netcl::model]
pub struct Mlp {
    #[layer(inputs = 8, outputs = HIDEN)]
    hidden: Linear,
    #[parameter(init = 0.0)]
    scale: Tensor<f32, WIDTH>,
}

fn main() {}
