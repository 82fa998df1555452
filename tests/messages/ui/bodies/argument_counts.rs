//! ARGUMENT_COUNT, KEEPDIM, DIM_AXIS: arguments one by one, too many and too few, as other frameworks have them

#[netcl::model]
pub struct Mlp {
    #[layer(inputs = 8, outputs = 12)]
    l: Linear,
}

#[netcl::model]
impl Mlp {
    pub fn listed(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 3, 4> {
        self.l.forward(x).reshape(-1, 3, 4)
    }

    pub fn turned(&self, x: &Tensor<f32, N, T, 8>) -> Tensor<f32, N, 12, T> {
        self.l.forward(x).permute(0, 2, 1)
    }

    pub fn kept(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 1> {
        self.l.forward(x).mean([1], true)
    }

    pub fn bound(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 12> {
        self.l.forward(x).clamp(0.0)
    }

    pub fn fewer(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N> {
        self.l.forward(x).norm([1])
    }

    pub fn size(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        x * x.dim()
    }

    pub fn last(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        x * x.dim(-1)
    }

    pub fn norm(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N> {
        x.norm()
    }

    pub fn transposed(&self, x: &Tensor<f32, N, T, 8>) -> Tensor<f32, N, 8, T> {
        x.transpose()
    }

    pub fn axis(&self, x: &Tensor<f32, N, 8>, axis: usize) -> Tensor<f32, N> {
        x.sum([axis])
    }

    pub fn sized(&self, x: &Tensor<f32, N, 8>, k: usize) -> Tensor<f32, N, 8> {
        x.reshape([k, 8])
    }

    pub fn fraction(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N> {
        x.sum([1.0])
    }

    pub fn number(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32> {
        x.sum_all().mean([0])
    }

    pub fn weight(&self, x: &Tensor<f32, N, 8>, w: &Tensor<f32, 4, 8>, b: &Tensor<f32, 4>) -> Tensor<f32, N, 4> {
        x.linear(w, b)
    }

    pub fn operands(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N> {
        x.einsum("ij->i", x)
    }

    pub fn in_one_list(&self, x: &Tensor<f32, N, 8>, y: &Tensor<f32, 8, 4>) -> Tensor<f32, N, 4> {
        Tensor::einsum("ni,ij->nj", [x, y])
    }

    pub fn windows(&self, x: &Tensor<f32, N, 8, H, W>) -> Tensor<f32, N, 8> {
        x.max_pool2d(2).mean([2, 3])
    }
}

fn main() {}
