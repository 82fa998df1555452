//! Types that are named for their numbers.

const PLAIN: usize = 4;

#[netcl::model]
pub struct Block<const F: usize, const H: usize> {
    #[layer(features = F, heads = H)]
    attend: SelfAttention,
}

#[netcl::model]
impl<const F: usize, const H: usize> Block<F, H> {
    pub fn forward(&self, x: &Tensor<f32, N, T, F>) -> Tensor<f32, N, T, F> {
        self.attend.forward(x)
    }
}

#[netcl::model]
type Unknown = Block<8, PLAIN>;

#[netcl::model]
type Generic<const N: usize> = Block<8, N>;

#[netcl::model]
type Pair = (Block<8, 2>, Block<8, 4>);

#[netcl::model]
type Without = Block;

#[netcl::model]
type Short = Block<8>;

#[netcl::model]
pub struct Net {
    block: Block<8, PLAIN>,
}

#[netcl::model]
impl Net {
    pub fn forward(&self, x: &Tensor<f32, N, T, 8>) -> Tensor<f32, N, T, 8> {
        self.block.forward(x)
    }
}

fn main() {}
