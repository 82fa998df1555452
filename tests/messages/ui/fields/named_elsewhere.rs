//! SHARED_SELF, SHARED_TENSOR, VARIANT_NAME

#[netcl::model]
pub enum Act {
    Relu,
    Gelu,
}

#[netcl::model]
impl Act {
    pub fn forward(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        match self {
            Act::Relu => x.relu(),
            Act::Gelu => x.gelu(),
        }
    }
}

#[netcl::model]
pub struct Inner {
    #[layer(inputs = 8, outputs = 8)]
    line: Linear,
}

#[netcl::model]
impl Inner {
    pub fn forward(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        self.line.forward(x)
    }
}

#[netcl::model]
pub struct Net {
    #[layer(entries = 50, features = 8)]
    words: Embedding,
    inner: Inner,
    relu: Relu,
    #[layer(inputs = 8, outputs = 50, shared = self.words)]
    of_self: Linear,
    #[layer(inputs = 8, outputs = 50, shared = words.weight)]
    of_tensor: Linear,
    #[layer(inputs = 8, outputs = 8, shared = inner.line)]
    of_model: Linear,
    #[layer(inputs = 8, outputs = 8, shared = inner.line.weight)]
    of_weight: Linear,
    #[layer(inputs = 8, outputs = 8, shared = self.inner.line)]
    of_own: Linear,
    #[layer(inputs = 8, outputs = 8, shared = inner)]
    of_whole: Linear,
    #[layer(inputs = 8, outputs = 8, shared = relu)]
    of_nothing: Linear,
    #[layer(variant = "Gelu")]
    text: Act,
    #[layer(variant = [Gelu, Relu])]
    list: Act,
    #[layer(inputs = 8, outputs = 8, present = 1)]
    number: Option<Linear>,
    #[layer(inputs = 8, outputs = 8, trainable = false)]
    fixed: Linear,
}

fn main() {}
