//! PARTS_LENGTH, ARGUMENT_LIST; tuples and arrays that are not what is declared

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
    pub fn slice(&self, xs: &[Tensor<f32, N, 8>]) -> Tensor<f32, N, 8> {
        xs[0].relu()
    }

    pub fn owned(&self, xs: Vec<Tensor<f32, N, 8>>) -> Vec<Tensor<f32, N, 8>> {
        xs
    }

    pub fn layers(&self, x: &Tensor<f32, N, 8>, layers: &[Linear]) -> Tensor<f32, N, 8> {
        layers[0].forward(x)
    }

    pub fn none(&self, xs: &[Tensor<f32, N, 8>; 0], y: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        y.relu()
    }

    pub fn by_value(&self, (a, b): (Tensor<f32, N, 8>, &Tensor<f32, N, 8>)) -> Tensor<f32, N, 8> {
        a + b
    }

    pub fn names(&self, (a, b): (&Tensor<f32, N, 8>, &Tensor<f32, N, 8>, &Tensor<f32, N, 8>)) -> Tensor<f32, N, 8> {
        a + b
    }
}

#[netcl::model]
pub struct Other {
    #[layer(inputs = 8, outputs = 8)]
    a: Linear,
}

#[netcl::model]
impl Other {
    fn pair(&self, (a, b): (&Tensor<f32, N, 8>, &Tensor<f32, N, 8>)) -> (Tensor<f32, N, 8>, [Tensor<f32, N, 8>; 2]) {
        (a + b, [a, b])
    }

    pub fn passed(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        let (y, _) = self.pair([x, x]);
        y
    }

    pub fn given(&self, x: &Tensor<f32, N, 8>) -> (Tensor<f32, N, 8>, [Tensor<f32, N, 8>; 2]) {
        (x.relu(), (x, x))
    }
}

fn main() {}
