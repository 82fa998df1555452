//! SHIFT_DISTANCE, BITS_OF_FLOAT, SIMT_TYPES, KERNEL_BY_ZERO: whole numbers that are known while compiling.
use netcl::prelude::*;

#[netcl::model]
pub struct Net {
    #[layer(inputs = 4, outputs = 4)]
    a: Linear,
}

#[netcl::model]
impl Net {
    pub fn forward(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        let mixed = 1u32 + 1i32;
        let divided = 5u32.rem_euclid(0);
        let far = 1 >> 70;
        let negative = 1i32 << -1;
        let float = 3i32 << 1.0;
        let turned = !5.0;
        self.a.forward(x) * (mixed + divided + far + negative + float + turned) as f32
    }
}

fn main() {}
