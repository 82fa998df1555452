//! TENSORS_FORM, NO_STRUCT; a struct of which nothing is known, and fields that it has not

#[netcl::tensors]
pub struct Pair(Tensor<f32, N>, Tensor<f32, N>);

#[netcl::tensors]
pub struct Batch {
    x: Tensor<f32, N, 8>,
    labels: Tensor<u32, N>,
}

pub struct Plain {
    x: netcl::Tensor,
}

netcl::kernel! {
    fn of_struct(x: &Tensor<f32, N>, batch: &Batch) -> Tensor<f32, N> {
        |n| x[n]
    }
}

#[netcl::model]
pub struct Net {
    #[layer(inputs = 8, outputs = 8)]
    a: Linear,
}

#[netcl::model]
impl Net {
    pub fn loss(&self, batch: &Batch) -> Tensor<f32> {
        self.a.forward(&batch.y).cross_entropy(&batch.labels)
    }
}

#[netcl::model]
pub struct Other {
    #[layer(inputs = 8, outputs = 8)]
    a: Linear,
}

#[netcl::model]
impl Other {
    pub fn forward(&self, plain: &Plain) -> Tensor<f32, N, 8> {
        self.a.forward(&plain.x)
    }
}

fn main() {}
