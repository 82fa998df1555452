//! Models taken apart by patterns that lack fields, or name some that there are not.

#[netcl::model]
pub struct Own {
    #[parameter(init = 1.0)]
    w: Tensor<f32, 4>,
    #[layer(inputs = 4, outputs = 4)]
    line: Linear,
}

#[netcl::model]
impl Own {
    pub fn forward(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        let Self { w, line } = self;
        line.forward(x) * w
    }
}

#[netcl::model]
pub struct Net {
    own: Own,
}

#[netcl::model]
impl Net {
    pub fn unknown(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        let Own { weight, .. } = &self.own;
        x * weight
    }
    pub fn left(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        let Own { w } = &self.own;
        x * w
    }
}

fn main() {}
