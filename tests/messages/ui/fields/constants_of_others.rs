//! Constants that are computed from others: of one without the attribute, of a function's value, beyond their type, of a shift; and infinities, which are values.

const PLAIN: usize = 4;

#[netcl::constant]
const OF_PLAIN: usize = PLAIN * 2;

#[netcl::constant]
const BASE: usize = 3;

const fn twice(x: usize) -> usize {
    2 * x
}

#[netcl::constant]
const CALLED: usize = BASE + twice(4);

#[netcl::constant]
const LARGE: usize = BASE * 9_000_000_000_000_000_000;

#[netcl::constant]
const SHIFTED: usize = BASE << 63;

#[netcl::constant]
const LOW: f32 = f32::NEG_INFINITY;
#[netcl::constant]
const MASK: f32 = LOW;
#[netcl::constant]
const ENDS: [f32; 2] = [LOW, 0.0];

#[netcl::model]
pub struct Net {
    #[layer(inputs = OF_PLAIN, outputs = CALLED)]
    line: Linear,
}

#[netcl::model]
impl Net {
    pub fn forward(&self, x: &Tensor<f32, N, { OF_PLAIN }>) -> Tensor<f32, N, { CALLED }> {
        self.line.forward(x)
    }
}

netcl::kernel! {
    pub fn masked(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| x[n].max(MASK) + ENDS[1]
    }
}

fn main() {}
