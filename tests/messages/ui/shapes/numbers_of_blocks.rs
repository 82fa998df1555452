//! What is wrong for the numbers that a field, or a type that is named, gives a generic block.

#[netcl::model]
pub struct Block<const F: usize, const H: usize> {
    #[layer(features = F, heads = H)]
    attend: SelfAttention,
    #[layer(inputs = F, outputs = F, count = H)]
    lines: Vec<Linear>,
    #[layer(inputs = F, outputs = F, kernel = { H - 3 })]
    filter: Conv2d,
}

#[netcl::model]
impl<const F: usize, const H: usize> Block<F, H> {
    pub fn forward(&self, x: &Tensor<f32, N, T, F>) -> Tensor<f32, N, T, F> {
        self.attend.forward(x)
    }
    pub fn narrowed(&self, x: &Tensor<f32, N, F>) -> Tensor<f32, N, F> {
        let mut h = x;
        for line in &self.lines {
            h = line.forward(h);
        }
        h.narrow(1, 0, H)
    }
    pub fn last(&self, x: &Tensor<f32, N, F>) -> Tensor<f32, N, F> {
        self.lines[H - 4].forward(x)
    }
    pub fn filtered(&self, x: &Tensor<f32, N, F, 8, 8>) -> Tensor<f32, N, F, 8, 8> {
        self.filter.forward(x)
    }
    pub fn split(&self, x: &Tensor<f32, N, F>) -> Tensor<f32, N, { F / H }> {
        x.reshape([N, H, F / H]).sum([1])
    }
    pub fn even(&self, x: &Tensor<f32, N, F>) -> Tensor<f32, N, F> {
        if H > 4 { x.reshape([N, 5]) } else { x.relu() }
    }
}

#[netcl::model]
pub struct Net {
    of_three: Block<8, 3>,
    of_four: Block<8, 4>,
    of_six: Block<12, 6>,
}

#[netcl::model]
impl Net {
    pub fn divides(&self, x: &Tensor<f32, N, T, 8>) -> Tensor<f32, N, T, 8> {
        self.of_three.forward(x)
    }
    pub fn narrows(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        self.of_four.narrowed(x)
    }
    pub fn indexes(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        self.of_three.last(x)
    }
    pub fn filters(&self, x: &Tensor<f32, N, 8, 8, 8>) -> Tensor<f32, N, 8, 8, 8> {
        self.of_three.filtered(x)
    }
    pub fn passes(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 12> {
        self.of_six.even(x)
    }
    pub fn parts(&self, x: &Tensor<f32, N, 12>) -> Tensor<f32, N, 3> {
        self.of_six.split(x)
    }
}

#[netcl::model]
type Two = Block<4, 2>;

fn main() {}
