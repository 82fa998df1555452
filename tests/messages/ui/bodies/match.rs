//! MATCH_TENSOR, MATCH_PATTERN, MATCH_WITHOUT_ARM; arms of an enum that are not all

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
    pub fn tensor(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        match x.mean_all() {
            0.0 => x.relu(),
            _ => self.a.forward(x),
        }
    }

    pub fn pattern(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        match self.depth {
            true => x.relu(),
            _ => self.a.forward(x),
        }
    }

    pub fn known(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        match self.depth {
            0 => x.relu(),
            1 | 2 => self.a.forward(x),
        }
    }

    pub fn called(&self, x: &Tensor<f32, N, 8>, level: usize) -> Tensor<f32, N, 8> {
        match level {
            Some(_) => x.relu(),
            _ => self.a.forward(x),
        }
    }
}

#[netcl::model]
pub enum Act {
    Relu,
    #[layer(inputs = 8, outputs = 8)]
    Line(Linear),
}

#[netcl::model]
impl Act {
    pub fn of_both(&self, x: &Tensor<f32, N, 8>, s: f32) -> Tensor<f32, N, 8> {
        match (self, s) {
            (Act::Relu, 0.0) => x.relu(),
            _ => x,
        }
    }
}

fn main() {}
