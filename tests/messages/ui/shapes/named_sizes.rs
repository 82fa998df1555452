//! Names of sizes are compared as Rust compares `const` parameters.

const WIDTH: usize = 64;

#[netcl::model]
pub struct Mlp<const HIDDEN: usize> {
    #[layer(inputs = 8, outputs = HIDDEN)]
    hidden: Linear,
    #[layer(inputs = WIDTH, outputs = 2)]
    output: Linear,
}

#[netcl::model]
impl<const HIDDEN: usize> Mlp<HIDDEN> {
    pub fn forward(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 2> {
        let h = self.hidden.forward(x).relu();
        self.output.forward(&h)
    }

    pub fn hidden(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, WIDTH> {
        self.hidden.forward(x)
    }
}

fn main() {}
