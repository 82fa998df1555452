//! UNREACHABLE_ARM, UNKNOWN_VARIANT: arms that no value comes to, and what they name.
use netcl::prelude::*;

#[netcl::model]
pub enum Act {
    Relu,
    #[layer(inputs = 8, outputs = 8)]
    Line(Linear),
}

#[netcl::model]
impl Act {
    pub fn of_none(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        match self {
            Act::Relu => x.relu(),
            Act::Line(line) => line.forward(x),
            Act::Tanh(tanh) => tanh.nonsense(y),
        }
    }

    pub fn of_other_parts(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        match self {
            Self::Line(_) => x.relu(),
            Self::Relu => x.gelu(),
            Self::Relu(other) => other.forward(x),
        }
    }

    pub fn twice(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        match self {
            Act::Relu => x.relu(),
            Act::Line(line) => line.forward(x),
            Self::Line(other) => other.nonsense(x),
        }
    }

    pub fn behind_all(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        match self {
            _ => x.relu(),
            Act::Line(line) => line.nonsense(x),
        }
    }

    pub fn plain(&self, x: &Tensor<f32, N, 8>, deep: bool, way: usize) -> Tensor<f32, N, 8> {
        let h = match deep {
            true => x.relu(),
            false => x.gelu(),
            true => x.nonsense(),
        };
        let h = match (way, deep) {
            (0, true) => h,
            (0 | 1, _) => h * 2.0,
            (1, false) => h * 3.0,
            _ => h * 4.0,
        };
        match way {
            // A condition may not hold.
            all if deep => h,
            0..=3 => h * 2.0,
            all => h * 3.0,
            7 if deep => h.nonsense(),
        }
    }
}

fn main() {}
