//! RESULTS_EXCHANGED, RESULT_COUNT of a list, RESULT_WAY of enums, CALL_ARGUMENT_SHAPE of other axes

use netcl::prelude::*;

#[netcl::tensors]
pub struct Out {
    a: Tensor<f32, N, 3>,
    b: Tensor<f32, N>,
}

#[derive(Clone, Copy)]
pub enum Which {
    A,
    B,
}

#[netcl::model]
pub enum Act {
    Relu,
    #[layer(inputs = 4, outputs = 5)]
    Line(Linear),
}

#[netcl::model]
impl Act {
    pub fn forward(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        match self {
            Act::Relu => x.relu(),
            Act::Line(l) => l.forward(x),
        }
    }
}

#[netcl::function]
fn unit(x: &Tensor<f32, N, C>) -> Tensor<f32, N, C> {
    x / x.norm([1], 2.0).unsqueeze(1)
}

#[netcl::model]
pub struct Net {
    #[layer(inputs = 4, outputs = 3)]
    l: Linear,
    #[layer(inputs = 4, outputs = 4)]
    m: Linear,
}

#[netcl::model]
impl Net {
    pub fn both(&self, x: &Tensor<f32, N, 4>) -> Out {
        let a = self.l.forward(x);
        Out { a: a.sum([1]), b: a }
    }

    pub fn pair(&self, x: &Tensor<f32, N, 4>) -> (Tensor<f32, N>, Tensor<f32, N, 3>) {
        let a = self.l.forward(x);
        (a, a.sum([1]))
    }

    pub fn field(&self, x: &Tensor<f32, N, 4>) -> Out {
        Out { a: self.l.forward(x), c: x }
    }

    pub fn list(&self, x: &Tensor<f32, N, T, 4>) -> Tensor<f32, N, T, 3> {
        let mut all = Vec::new();
        for t in 0..T {
            all.push(self.l.forward(x.get(1, t)));
        }
        all
    }

    pub fn round(&self, x: &Tensor<f32, N, T, 4>) -> Tensor<f32, N, 4> {
        let mut h = Tensor::zeros([N, 4]);
        for t in 0..T {
            h = h + self.m.forward(x.get(0, t));
        }
        h
    }

    pub fn which(&self, x: &Tensor<f32, N, 4>, d: Which) -> Tensor<f32, N, 4> {
        match d {
            Which::A => self.l.forward(x),
            Which::B => x,
        }
    }

    pub fn rows(&self, x: &Tensor<f32, N, T, 4>) -> Tensor<f32, N, T, 4> {
        unit(self.m.forward(x))
    }
}

fn main() {}
