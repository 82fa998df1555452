//! A model taken apart by another one's pattern, which rustc refuses.

#[netcl::model]
pub struct Own {
    #[parameter(init = 1.0)]
    w: Tensor<f32, 4>,
    #[layer(inputs = 4, outputs = 4)]
    line: Linear,
}

#[netcl::model]
pub struct Other {
    #[parameter(init = 1.0)]
    w: Tensor<f32, 4>,
}

#[netcl::model]
impl Own {
    pub fn forward(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        let Self { w, line } = self;
        line.forward(x) * w
    }
}

#[netcl::model]
impl Other {
    pub fn forward(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        x * &self.w
    }
}

#[netcl::model]
pub struct Net {
    own: Own,
    #[layer(present = true)]
    more: Option<Own>,
    other: Other,
}

#[netcl::model]
impl Net {
    pub fn right(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        let Own { w, line } = &self.own;
        let Other { w: scale } = &self.other;
        line.forward(x) * w * scale
    }
    pub fn another(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        let Some(Other { w, .. }) = &self.more else { return x };
        x * w
    }
}

fn main() {}
