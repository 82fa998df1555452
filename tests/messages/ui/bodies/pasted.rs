//! ELSEWHERE_CALLED, NAMED_ARGUMENT: text of PyTorch, NumPy and JAX as it is pasted

#[netcl::model]
pub struct Net {
    #[layer(inputs = 4, outputs = 4)]
    line: Linear,
    #[parameter(init = 1.0)]
    scale: Tensor<f32, 4>,
}

#[netcl::model]
impl Net {
    pub fn loss(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32> {
        self.line.forward(x).sum_all()
    }

    pub fn pasted(&self, x: &Tensor<f32, N, 4>, i: &Tensor<i32, N, 1>) -> Tensor<f32, N, 4> {
        let a = F.gelu(self.line.forward(x));
        let b = torch.cat([x, x], 1);
        let c = nn.functional.relu(x);
        let d = np.exp(x);
        let e = self(x);
        let f = super().forward(x);
        let g = x.gather(1, i);
        let h = x[None];
        let k = x.to("cuda");
        let l = self.scale.expand_as(x);
        let m = x.pad((1, 1));
        let n = self.loss_with_gradients(x);
        let o = tch.relu(x);
        let p = nn::functional::relu(x);
        let q = jax::nn::relu(x);
        x
    }

    pub fn named(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        let a = torch::cat([x, x], dim = 1);
        let b = x.norm(dim = 1);
        let c = x.clamp(min = 0.0);
        let d = F::interpolate(x, scale_factor = 2);
        let e = x.softmax(dim = 1);
        x
    }
}

fn main() {}
