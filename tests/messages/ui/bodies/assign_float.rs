//! ASSIGN_TYPE: What is declared as a whole number becomes no float.

#[netcl::model]
pub struct Net {
    #[layer(inputs = 4, outputs = 4)]
    l: Linear,
}

#[netcl::model]
impl Net {
    pub fn forward(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        let mut k: i32 = 2;
        k = 2.5;
        self.l.forward(x) * k
    }

    pub fn added(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        let mut k = 2u32;
        k += 0.5;
        self.l.forward(x) * k
    }
}

fn main() {}
