//! A struct of tensors that is larger when it comes back.

#[netcl::tensors]
pub struct Cache {
    pub keys: Tensor<f32, N, S, 4>,
    pub values: Tensor<f32, N, S, 4>,
}

#[netcl::model]
pub struct Step {
    #[layer(inputs = 4, outputs = 4)]
    line: Linear,
}

#[netcl::model]
impl Step {
    pub fn step(&self, x: &Tensor<f32, N, 1, 4>, cache: &Cache) -> Cache {
        let keys = cache.keys.concat([self.line.forward(x)], 1);
        Cache { keys, values: cache.values.concat([x], 1) }
    }

    pub fn in_a_tuple(&self, x: &Tensor<f32, N, 1, 4>, cache: &Cache) -> (Tensor<f32, N, 1, 4>, Cache) {
        let y = self.line.forward(x);
        (y, Cache { keys: cache.keys.concat([y], 1), values: cache.values.concat([x], 1) })
    }
}

fn main() {}
