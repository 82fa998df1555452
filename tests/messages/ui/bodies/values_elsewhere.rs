//! NOT_A_TUPLE, SET_GIVES_NOTHING, METHOD_WITHOUT_MODEL, LOOP_UNCHANGED: what gives something else than elsewhere

#[netcl::model]
pub struct Mlp {
    #[layer(inputs = 8, outputs = 8)]
    l: Linear,
    #[state(init = 0.0)]
    s: Tensor<f32, 8>,
}

#[netcl::model]
impl Mlp {
    pub fn positions(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N> {
        let (v, _) = self.l.forward(x).max([1]);
        v
    }

    pub fn largest(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 2> {
        let (values, positions) = self.l.forward(x).topk(2, 1);
        values
    }

    pub fn all(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32> {
        let mut penalty = self.l.forward(x).mean_all();
        for p in self.parameters() {
            penalty = penalty + p.square().sum_all();
        }
        penalty
    }

    pub fn nothing(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        let y = self.s.set(x.mean([0]));
        x * y
    }

    fn hidden(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        self.l.forward(x)
    }

    pub fn without_model(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        Self::hidden(x)
    }

    pub fn endless(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        let mut h = x;
        let i = 0;
        while i < 3 {
            h = self.l.forward(h);
        }
        h
    }
}

#[netcl::model]
pub struct Block<A = Relu> {
    act: A,
}

#[netcl::model]
impl<A> Block<A> {
    pub fn forward(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        self.act(x)
    }
}

#[netcl::function]
fn positive(x: f32) -> bool {
    x * 2.0
}

#[netcl::function]
fn half(x: &Tensor<f32, N>) -> Tensor<f16, N> {
    x * 2.0
}

fn main() {}
