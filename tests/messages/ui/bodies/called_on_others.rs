//! `forward` of what is no layer, `set` of what is no state, and functions of types of Rust's.

#[netcl::tensors]
pub struct State {
    h: Tensor<f32, N, 4>,
    c: Tensor<f32, N, 4>,
}

#[netcl::model]
pub struct Net {
    #[layer(inputs = 4, outputs = 4)]
    a: Linear,
    #[layer(inputs = 4, outputs = 4)]
    all: [Linear; 2],
    #[parameter(init = 1.0)]
    w: Tensor<f32, 4>,
    #[state(init = 0.0)]
    mean: Tensor<f32, 4>,
    #[state(init = 0.0)]
    means: [Tensor<f32, 4>; 2],
}

#[netcl::model]
impl Net {
    pub fn hidden(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        let a = 2.0;
        a.forward(x)
    }
    pub fn tuple(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        let pair = (&self.a, &self.all[1]);
        pair.forward(x)
    }
    pub fn closure(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        let twice = |h| h * 2.0;
        twice.forward(x)
    }
    pub fn numbered(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        let mut h = x;
        for (layer, i) in self.all.iter().enumerate() {
            h = layer.forward(h) * i;
        }
        h
    }
    pub fn parameter(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        self.w.forward(x)
    }
    pub fn argument(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        x.set(0.0);
        self.a.forward(x)
    }
    pub fn two(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        self.mean.set(x.mean([0]), 0.9);
        self.a.forward(x)
    }
    pub fn each(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        for mean in &self.means {
            mean.set(x.mean([0]));
        }
        self.a.forward(x)
    }
    pub fn whole(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        self.means.set(x.mean([0]));
        self.a.forward(x)
    }
    pub fn rounds(&self, x: &Tensor<f32, T, 4>) -> Tensor<f32, T, 4> {
        for t in 0..T {
            self.means[1].set(x.get(0, t));
        }
        self.a.forward(x)
    }
    pub fn zero(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        x + Tensor::zero([N, 4])
    }
    pub fn numbers(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        x + Tensor::new([1.0, 2.0, 3.0, 4.0])
    }
    pub fn boxed(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        self.a.forward(Box::new(x))
    }
    pub fn state(&self, s: &State) -> State {
        State::new(self.a.forward(&s.h), &s.c)
    }
}

#[netcl::function]
fn updated(s: &Tensor<f32, 4>, x: &Tensor<f32, N, 4>) -> Tensor<f32, 4> {
    s.set(x.mean([0]));
    s
}

#[netcl::function]
fn of_a_model(x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
    Half::hidden(x)
}

#[netcl::model]
pub struct Half {
    #[layer(inputs = 4, outputs = 4)]
    a: Linear,
}

#[netcl::model]
impl Half {
    pub fn forward(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        self.a.forward(x) * 0.5
    }
}

fn main() {}
