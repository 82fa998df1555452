//! Images of any size: sizes that are never equal, whatever a call tells.

#[netcl::model]
pub struct Net {
    #[layer(inputs = 4, outputs = 4, kernel = 3)]
    conv: Conv2d,
    #[layer(kernel = 2)]
    half: MaxPool2d,
    #[layer(scale = 2)]
    double: Upsample,
    #[layer(inputs = 64, outputs = 10)]
    output: Linear,
}

#[netcl::model]
impl Net {
    pub fn smaller(&self, x: &Tensor<f32, N, 4, H, W>) -> Tensor<f32, N, 4, { H - 2 }, { W / 2 + 1 }> {
        self.half.forward(x.narrow(2, 1, H - 2))
    }

    pub fn skip(&self, x: &Tensor<f32, N, 4, H, W>) -> Tensor<f32, N, 4, H, W> {
        let up = self.double.forward(self.half.forward(x));
        self.conv.forward(x) + up
    }

    pub fn joined(&self, x: &Tensor<f32, N, 4, H, W>) -> Tensor<f32, N, 8, H, W> {
        let up = self.double.forward(self.half.forward(x));
        up.concat([self.conv.forward(x)], 1)
    }

    pub fn classes(&self, x: &Tensor<f32, N, 4, H, W>) -> Tensor<f32, N, 10> {
        self.output.forward(self.half.forward(x).flatten(1))
    }
}

fn main() {}
