//! What to write is shown in the words of whoever wrote it.
use netcl::prelude::*;

#[netcl::model]
pub struct Block<const W: usize> {
    #[layer(inputs = W, outputs = W)]
    a: Linear,
}

#[netcl::model]
impl<const W: usize> Block<W> {
    pub fn forward(&self, x: &Tensor<f32, N, W>) -> Tensor<f32, N, W> {
        self.a.forward(x)
    }
}

#[netcl::function]
fn leaky(x: f32) -> f32 {
    if x > 0.0 { x } else { 0.1 * x }
}

#[netcl::model]
pub struct Net {
    #[layer(inputs = 8, outputs = 8)]
    a: Linear,
    b: Block<16>,
    #[parameter(init = normal(0.1))]
    w: Tensor<f32, 8, 4>,
    #[constant(1)]
    kind: usize,
}

#[netcl::model]
impl Net {
    pub fn loss(&self, x: &Tensor<f32, N, 8>, labels: &Tensor<u32, N>) -> Tensor<f32> {
        self.a.forward(x).cross_entropy(labels)
    }
    pub fn swapped(&self, x: &Tensor<f32, N, 8>, labels: &Tensor<u32, N>) -> Tensor<f32> {
        self.loss(labels, x)
    }
    pub fn converted(&self, x: &Tensor<f16, N, 8>, labels: &Tensor<u32, N>) -> Tensor<f32> {
        self.loss(x, labels)
    }
    pub fn resized(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        self.b.forward(x)
    }
    pub fn scalar(&self, x: &Tensor<u32, N>) -> Tensor<f32, N> {
        leaky(x)
    }
    pub fn product(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 4> {
        x * self.w
    }
    pub fn twice_transposed(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 4> {
        x.matmul(self.w.t())
    }
    pub fn centred(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        x - x.mean([1])
    }
    pub fn row_bias(&self, x: &Tensor<f32, N, 8>, y: &Tensor<f32, N>) -> Tensor<f32, N, 8> {
        x + y
    }
    pub fn rows(&self, x: &Tensor<f32, N, 8>, y: &Tensor<u32, M>) -> Tensor<f32, N, M> {
        x.gather(1, y)
    }
    pub fn in_place(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        let mut h = self.a.forward(x);
        h.relu_();
        h
    }
    pub fn chosen(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        match self.kind {
            0 => x.relu(),
            _ => self.a.forward(x),
        }
    }
    pub fn steps(&self, x: &Tensor<f32, N, T, 8>) -> Tensor<f32, N, 8> {
        let mut h = x.get(1, 0);
        for t in 0..T {
            h = h + self.a.forward(x.get(1, t));
        }
        h
    }
    pub fn helped(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        self.scale(x)
    }
    #[netcl::dynamic]
    fn scale(&self, x: &Tensor) -> Result<Tensor> {
        x.mul(&Tensor::scalar(x.device(), 2.0f32)?).check()
    }
    pub fn rate(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        x * rate
    }
    pub fn along(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        x.softmax("N")
    }
}

netcl::kernel! {
    pub fn listed(x: &Tensor<f32, N, 2>) -> Tensor<f32, N, 2> {
        |n, c| x[n, c] * [1.0, 2.0]
    }
}

fn main() {}
