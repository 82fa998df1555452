//! Closures that are called with more than they take, and one that assigns

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
    pub fn of_two(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        let act = |h| h.relu();
        act(x, x)
    }

    pub fn assigns(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        let mut h = x.relu();
        let next = |y| {
            h = h + y;
            h
        };
        next(x)
    }
}

fn main() {}
