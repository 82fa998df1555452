//! CASES_BIND, UNREACHABLE_CASE, OPTION_PATTERN, PATTERN_FIELDS; what the arms for an enum of layers leave out, conditions of arms that
//! would need their values.
use netcl::prelude::*;

#[netcl::model]
pub enum Act {
    Relu,
    #[layer(inputs = 8, outputs = 8)]
    Line(Linear),
    #[layer(inputs = 8, outputs = 8)]
    Other(Linear),
}

#[netcl::tensors]
pub struct Out {
    y: Tensor<f32, N, 8>,
    z: Tensor<f32, N>,
}

#[netcl::model]
impl Act {
    pub fn bound(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        match self {
            Act::Relu => x,
            Act::Line(line) | Act::Other(_) => line.forward(x),
        }
    }

    pub fn twice(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        match self {
            Act::Relu | Act::Relu => x.relu(),
            _ => x,
        }
    }

    pub fn conditional(&self, x: &Tensor<f32, N, 8>, up: bool) -> Tensor<f32, N, 8> {
        match self {
            Act::Relu => x.relu(),
            Act::Line(line) if up => line.forward(x),
            Act::Other(_) => x,
        }
    }

    pub fn tuple(&self, x: &Tensor<f32, N, 8>, up: bool, k: usize) -> Tensor<f32, N, 8> {
        let h = match (self, up) {
            (Act::Relu, true) => x.relu(),
            (Act::Line(line), _) => line.forward(x),
            (_, false) => x,
        };
        match (k, self) {
            (0 | 2..=4, Act::Relu) => h,
            (_, Act::Line(_) | Act::Other(_)) => h.relu(),
        }
    }

    pub fn value(&self, x: &Tensor<f32, N, 8>, s: f32) -> Tensor<f32, N, 8> {
        match self {
            Act::Relu if s > 0.0 => x.relu(),
            _ => x,
        }
    }

    pub fn fields(&self, o: &Out) -> Tensor<f32, N, 8> {
        let Out { y } = o;
        y
    }
}

#[netcl::model]
pub struct Net {
    #[layer(inputs = 8, outputs = 8, present = true)]
    more: Option<Linear>,
}

#[netcl::model]
impl Net {
    pub fn forward(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        match &self.more {
            Ok(more) => more.forward(x),
            Err(_) => x,
        }
    }

    pub fn covered(&self, x: &Tensor<f32, N, 8>, k: usize) -> Tensor<f32, N, 8> {
        match k {
            0..=3 => x,
            2 => x.relu(),
            _ => x.tanh(),
        }
    }
}

#[netcl::function]
fn chosen(x: &Tensor<f32, N>, up: bool) -> Tensor<f32, N> {
    match up {
        true if x > 0.0 => x.relu(),
        _ => x.tanh(),
    }
}

fn main() {}
