//! DIVIDED_UNKNOWN FIELD_SIZE

#[netcl::model]
pub struct Gate<const D: usize, const R: usize> {
    #[layer(inputs = D, outputs = { C / R })]
    down: Linear,
    #[layer(inputs = { (D + C) / R }, outputs = D)]
    up: Linear,
    #[parameter(init = 1.0)]
    scale: Tensor<f32, { C / R }>,
}

#[netcl::model]
impl<const C: usize, const R: usize> Gate<C, R> {
    pub fn forward(&self, x: &Tensor<f32, N, C>) -> Tensor<f32, N, C> {
        x * self.up.forward(&(self.down.forward(x) * &self.scale)).sigmoid()
    }
}

#[netcl::model]
pub struct Around<L: Module, const D: usize, const R: usize> {
    #[layer(inputs = D, outputs = { C / R })]
    inner: L,
}

fn main() {}
