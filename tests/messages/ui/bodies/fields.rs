//! TUPLE_FIELD, METHOD_WITHOUT_CALL, NO_FIELDS

#[netcl::model]
pub struct Mlp {
    #[layer(inputs = 8, outputs = 4)]
    hidden: Linear,
    #[layer(inputs = 4, outputs = 2)]
    output: Linear,
    #[layer(count = 2, inputs = 4, outputs = 4)]
    more: Vec<Linear>,
    flat: Flatten,
}

#[netcl::model]
impl Mlp {
    pub fn part(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        let t = (x, self.hidden.forward(x));
        t.5
    }

    pub fn no_call(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        x.softmax
    }

    pub fn layer(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 4> {
        self.hidden.forward
    }

    pub fn weight(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 4> {
        x * self.hidden.weights
    }

    pub fn none(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 4> {
        x * self.flat.weight
    }

    pub fn tensor(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 4> {
        x.weight
    }
}

fn main() {}
