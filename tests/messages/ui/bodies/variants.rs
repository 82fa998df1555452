//! UNKNOWN_VARIANT, VARIANT_PARTS, ENUM_FIELD, VARIANT_KEY, TOO_MANY_VARIANTS, and a `match` without an arm
use netcl::prelude::*;

#[netcl::model]
pub enum Act {
    Relu,
    #[layer(inputs = 8, outputs = 8)]
    Gelu(Linear),
}

#[netcl::model]
impl Act {
    pub fn forward(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        match self {
            Act::Relu => x.relu(),
            Act::Gelu(line, norm) => norm.forward(line.forward(x)),
        }
    }

    pub fn other(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        match self {
            Act::Rellu => x.relu(),
            Act::Gelu(line) => line.forward(x),
        }
    }

    pub fn lacks(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        match self {
            Act::Gelu(line) => line.forward(x),
        }
    }

    pub fn by_field(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        self.gelu.forward(x)
    }
}

#[netcl::model]
pub enum Kind {
    Plain,
    #[layer(features = 8)]
    Norm(LayerNorm),
}

#[netcl::model]
impl Kind {
    pub fn forward(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        match self {
            Kind::Plain => x,
            Kind::Norm(norm) => norm.forward(x),
        }
    }
}

#[netcl::model]
pub struct Net {
    #[layer(variant = Nrom)]
    first: Kind,
    #[layer(variant = 1)]
    second: Kind,
    #[layer(variant = [Plain, Norm])]
    third: [Kind; 3],
    #[layer(inputs = 8, outputs = 8, variant = Norm)]
    fourth: Linear,
}

#[netcl::model]
impl Net {
    pub fn forward(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        self.first.forward(x)
    }
}

#[netcl::model]
pub struct Misspelt {
    #[layer(variant = Nrom)]
    first: Kind,
}

#[netcl::model]
impl Misspelt {
    pub fn forward(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        self.first.forward(x)
    }
}

#[netcl::model]
pub struct Many {
    kinds: [Kind; 6],
}

#[netcl::model]
impl Many {
    pub fn forward(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        let mut h = x;
        for kind in &self.kinds {
            h = kind.forward(h);
        }
        h
    }
}

fn main() {}
