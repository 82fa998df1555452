//! TENSORS_FIELD, TENSORS_ATTRIBUTE, TENSORS_FORM, STRUCT_BY_VALUE: each is one mistake

#[netcl::tensors]
pub struct Listed {
    xs: Vec<Tensor<f32, N, 4>>,
}

#[netcl::tensors]
pub struct Borrowed {
    x: &Tensor<f32, N, 4>,
    both: (&Tensor<f32, N>, Tensor<f32, N>),
}

#[netcl::tensors]
pub struct Layered {
    x: Tensor<f32, N, 4>,
    #[layer(inputs = 4, outputs = 3)]
    l: Linear,
}

#[netcl::tensors]
pub struct Bare {
    l: Linear,
}

#[netcl::tensors]
pub struct Trained {
    #[parameter]
    x: Tensor<f32, N, 4>,
}

#[netcl::tensors]
pub struct Without(Tensor<f32, N, 4>, Tensor<u32, N>);

#[netcl::tensors]
pub enum Either {
    X(Tensor<f32, N, 4>),
}

#[netcl::tensors]
pub struct Batch {
    x: Tensor<f32, N, 4>,
}

#[netcl::model]
pub struct Net {
    #[layer(inputs = 4, outputs = 4)]
    l: Linear,
}

#[netcl::model]
impl Net {
    pub fn forward(&self, b: Batch) -> Tensor<f32, N, 4> {
        self.l.forward(&b.x)
    }
}

fn main() {}
