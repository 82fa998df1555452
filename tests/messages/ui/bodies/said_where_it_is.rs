//! RECURSION, UNSUPPORTED, IF_WITHOUT_ELSE, ENUM_FIELD, STRUCT_FIELDS, ARGUMENT_TYPE: one mistake is one error, at its place

use netcl::prelude::*;

#[netcl::tensors]
pub struct Out {
    y: Tensor<f32, N, 4>,
    z: Tensor<f32, N>,
}

#[netcl::model]
pub struct Net {
    #[layer(inputs = 4, outputs = 4)]
    a: Linear,
}

#[netcl::model]
impl Net {
    pub fn forward(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        self.again(x)
    }

    fn again(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        self.forward(self.a.forward(x))
    }

    pub fn entered(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        self.again(x)
    }

    pub fn captured(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        let mut h = x;
        let mut f = || {
            h = self.a.forward(h);
        };
        f();
        f();
        h
    }

    pub fn half_of_it(&self, x: &Tensor<f32, N, 4>, deep: bool) -> Tensor<f32, N, 4> {
        let y = if deep { self.a.forward(x) };
        y
    }

    pub fn some_fields(&self, x: &Tensor<f32, N, 4>) -> Out {
        Out { y: self.a.forward(x) }
    }

    pub fn by_word(&self, x: &Tensor<f32, N, 4>, act: &str) -> Tensor<f32, N, 4> {
        let h = self.a.forward(x);
        if act == "relu" { h.relu() } else { h }
    }
}

#[netcl::model]
pub enum Act {
    Relu,
    #[layer(inputs = 8, outputs = 8)]
    Line(Linear),
    Both {
        #[layer(inputs = 8, outputs = 8)]
        first: Linear,
        second: Gelu,
    },
}

#[netcl::model]
impl Act {
    pub fn forward(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        self.line.forward(x)
    }
}

fn main() {}
