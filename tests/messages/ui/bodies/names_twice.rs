//! BOUND_TWICE
//! Names that stand twice in a pattern, or between the `|` of a closure.
use netcl::prelude::*;

#[netcl::tensors]
pub struct State {
    h: Tensor<f32, N, 8>,
    c: Tensor<f32, N, 8>,
}

#[netcl::model]
pub struct Net {
    #[layer(inputs = 8, outputs = 8)]
    line: Linear,
    #[layer(inputs = 8, outputs = 8)]
    lines: [Linear; 3],
}

#[netcl::model]
impl Net {
    pub fn tuple(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        let (p, q, p) = (x, self.line.forward(x), x);
        p + q
    }

    pub fn list(&self, x: &[Tensor<f32, N, 8>; 2]) -> Tensor<f32, N, 8> {
        let [h, h] = x;
        self.line.forward(h)
    }

    pub fn fields(&self, state: &State) -> Tensor<f32, N, 8> {
        let State { h, c: h } = state;
        self.line.forward(h)
    }

    pub fn closure(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        let act = |h, h| h.relu();
        act(x, self.line.forward(x))
    }

    pub fn each(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        let mut h = x;
        for (i, i) in self.lines.iter().enumerate() {
            h = i.forward(h);
        }
        h
    }

    // Each case binds all of its names, and names of their own are no others'.
    pub fn sound(&self, x: &Tensor<f32, N, 8>, deep: bool) -> Tensor<f32, N, 8> {
        let (a, _, _) = (x, 1, 2);
        let act = |h| h + a;
        match deep {
            true => act(x),
            false => self.line.forward(x),
        }
    }
}

#[netcl::function]
fn pair(x: &Tensor<f32, N>) -> Tensor<f32, N> {
    let (a, a) = (x, x);
    a
}

netcl::kernel! {
    pub fn folded(x: &Tensor<f32, N, T>) -> Tensor<f32, N> {
        |n| fold(0..T, (0.0, 0.0), |(a, a), t| (a + x[n, t], a)).0
    }

    pub fn indexed(x: &Tensor<f32, N, N>) -> Tensor<f32, N, N> {
        |n, n| x[n, n]
    }
}

fn main() {}
