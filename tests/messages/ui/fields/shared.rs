//! SHARED

#[netcl::model]
pub struct Net {
    #[layer(entries = 50, features = 8)]
    words: Embedding,
    #[layer(inputs = 8, outputs = 50, shared = words)]
    fits: Linear,
    #[layer(inputs = 8, outputs = 40, shared = words)]
    sizes: Linear,
    #[layer(inputs = 8, outputs = 50, shared = wrods)]
    unknown: Linear,
    #[layer(inputs = 8, outputs = 50, shared = itself)]
    itself: Linear,
    #[layer(inputs = 8, outputs = 50, shared = fits)]
    again: Linear,
    #[layer(inputs = 8, outputs = 50, shared = words)]
    many: [Linear; 2],
    #[parameter]
    scale: Tensor<f32, 8>,
    #[layer(inputs = 8, outputs = 8, shared = scale)]
    tensor: Linear,
    #[layer(inputs = 8, outputs = 8, init = xavier, bias_init = "zeros")]
    starts: Linear,
}

fn main() {}
