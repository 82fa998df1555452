//! A convolution whose images have sizes that only a call tells.

#[netcl::model]
pub struct Net {
    #[layer(inputs = 1, outputs = 4, kernel = 3)]
    conv: Conv2d,
}

#[netcl::model]
impl Net {
    pub fn forward(&self, x: &Tensor<f32, N, 1, H, W>) -> Tensor<f32, N, 4, { H - 2 }, { W - 2 }> {
        let h = self.conv.forward(x);
        h.relu()
    }
}

fn main() {}
