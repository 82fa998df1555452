//! A `Linear` behind images of any size that are flattened.

#[netcl::model]
pub struct A {
    #[layer(inputs = 1, outputs = 4, kernel = 3)]
    c: Conv2d,
    #[layer(inputs = 64, outputs = 4)]
    l: Linear,
}

#[netcl::model]
impl A {
    pub fn forward(&self, x: &Tensor<f32, N, 1, H, W>) -> Tensor<f32, N, 4> {
        self.l.forward(self.c.forward(x).flatten(1))
    }
}

fn main() {}
