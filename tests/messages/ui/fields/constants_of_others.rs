//! Constants that are computed from others: of one without the attribute, of a function's value, beyond their type, of each other.

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

fn main() {}
