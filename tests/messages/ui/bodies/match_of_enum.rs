//! Arms that are not all that an enum or a number may be: rustc says so.

#[derive(Clone, Copy)]
pub enum Kind {
    Relu,
    Tanh,
    Wide(usize),
}

#[netcl::model]
pub struct Net {
    #[layer(inputs = 8, outputs = 8)]
    a: Linear,
    #[layer(inputs = 8, outputs = 8, present = true)]
    more: Option<Linear>,
    #[constant(3)]
    depth: usize,
    #[state(init = 0.0)]
    mean: Tensor<f32, 8>,
}

#[netcl::model]
impl Net {
    pub fn of_enum(&self, x: &Tensor<f32, N, 8>, kind: Kind) -> Tensor<f32, N, 8> {
        match kind {
            Kind::Relu => x.relu(),
            Kind::Wide(..) => self.a.forward(x),
        }
    }

    pub fn of_number(&self, x: &Tensor<f32, N, 8>, level: usize) -> Tensor<f32, N, 8> {
        match level {
            0 => x.relu(),
            1..=3 => self.a.forward(x),
        }
    }
}

fn main() {}
