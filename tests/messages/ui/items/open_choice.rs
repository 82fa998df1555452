//! OPEN_CHOICE

#[derive(Clone, Copy)]
pub enum Act {
    Relu,
    Tanh,
}

#[netcl::model]
pub struct Block<const C: usize> {
    #[layer(inputs = 8, outputs = 8)]
    a: [Linear; C],
}

#[netcl::model]
impl<const C: usize> Block<C> {
    pub fn forward(&self, x: &Tensor<f32, N, 8>, act: Act) -> Tensor<f32, N, 8> {
        let mut h = x;
        for a in &self.a {
            h = match act {
                Act::Relu => a.forward(h).relu(),
                Act::Tanh => a.forward(h).tanh(),
            };
        }
        h
    }
}

fn main() {}
