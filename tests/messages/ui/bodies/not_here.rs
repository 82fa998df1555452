//! NO_FORWARD, SET_OF, TYPE_AS_VALUE, CONDITION_ASSIGN, RESULT_ARRAY

#[netcl::tensors]
pub struct State {
    h: Tensor<f32, N, 4>,
    c: Tensor<f32, N, 4>,
}

#[netcl::model]
pub struct Net {
    #[layer(inputs = 4, outputs = 4)]
    line: Linear,
    #[layer(inputs = 4, outputs = 3)]
    other: Linear,
    #[state(init = 0.0)]
    mean: Tensor<f32, 4>,
    #[constant(0.5)]
    rate: f32,
}

#[netcl::model]
impl Net {
    pub fn forwards(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        let line = 2.0;
        let a = line.forward(x);
        let b = self.rate.forward(x);
        let c = x.forward(x);
        x
    }

    pub fn sets(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        self.mean.set(x.mean([0]), 0.9);
        self.mean.update(x.mean([0]));
        x.set(0.0);
        x
    }

    pub fn types(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        let a = Self.line.forward(x);
        let b = Softsign.forward(x);
        let c = Tensor::zero([N, 4]);
        let d = Box::new(x);
        x
    }

    pub fn fields(&self, state: &State) -> Tensor<f32, N, 4> {
        let made = State::make(state.h);
        state.0
    }

    pub fn assigned(&self, x: &Tensor<f32, N, 4>, k: usize) -> Tensor<f32, N, 4> {
        if k = 1 { x } else { self.line.forward(x) }
    }

    pub fn backwards(&self, x: &Tensor<f32, N, T, 4>) -> Tensor<f32, N, 4> {
        let mut h = x.get(1, 0);
        for t in 0..T.rev() {
            h = h + x.get(1, t);
        }
        h
    }

    pub fn array(&self, x: &Tensor<f32, N, 4>) -> [Tensor<f32, N, 4>; 2] {
        [self.line.forward(x), self.other.forward(x)]
    }
}

fn main() {}
