//! SHARED, SHARED_IN_MODEL

#[netcl::model]
pub struct Encoder {
    #[layer(entries = 50, features = 8)]
    words: Embedding,
}

#[netcl::model]
impl Encoder {
    pub fn forward(&self, x: &Tensor<u32, N>) -> Tensor<f32, N, 8> {
        self.words.forward(x)
    }
}

#[netcl::model]
pub struct Net {
    encoder: Encoder,
    #[layer(inputs = 8, outputs = 50, shared = encoder.words)]
    head: Linear,
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
