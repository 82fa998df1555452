//! Positions before the first round and behind the last, of another axis, and in the place of the axis; tables shorter than the loop.

#[netcl::model]
pub struct A<const CONTEXT: usize> {
    #[layer(inputs = 4, outputs = 4)]
    l: Linear,
    #[parameter(init = 0.5)]
    table: Tensor<f32, CONTEXT, 4>,
}

#[netcl::model]
impl<const CONTEXT: usize> A<CONTEXT> {
    pub fn before(&self, x: &Tensor<f32, T, N, 4>) -> Tensor<f32, N, 4> {
        let mut h = Tensor::zeros([N, 4]);
        for t in 0..T {
            h = h + self.l.forward(x.get(0, t - 1));
        }
        h
    }

    pub fn behind(&self, x: &Tensor<f32, T, N, 4>) -> Tensor<f32, N, 4> {
        let mut h = Tensor::zeros([N, 4]);
        for t in 0..T {
            h = h + self.l.forward(x.get(0, t + 2));
        }
        h
    }

    pub fn other(&self, x: &Tensor<f32, T, N, 4>) -> Tensor<f32, N, 4> {
        let mut h = Tensor::zeros([N, 4]);
        for t in 0..T {
            h = h + self.l.forward(x.get(0, (t + 1) % N));
        }
        h
    }

    pub fn exchanged(&self, x: &Tensor<f32, T, N, 4>) -> Tensor<f32, N, 4> {
        let mut h = Tensor::zeros([N, 4]);
        for t in 0..T {
            h = h + self.l.forward(x.get((t + 1) % T, 0));
        }
        h
    }

    pub fn unbounded(&self, x: &Tensor<f32, T, N, 4>) -> Tensor<f32, N, 4> {
        let mut h = Tensor::zeros([N, 4]);
        for t in 0..T {
            h = h + self.l.forward(x.get(0, min(t - 1, T - 1)));
        }
        h
    }

    pub fn unended(&self, x: &Tensor<f32, T, N, 4>) -> Tensor<f32, N, 4> {
        let mut h = Tensor::zeros([N, 4]);
        for t in 0..T {
            h = h + self.l.forward(x.get(0, (t + 1).max(0)));
        }
        h
    }

    pub fn tabled(&self, x: &Tensor<f32, T, N, 4>) -> Tensor<f32, N, 4> {
        let mut h = Tensor::zeros([N, 4]);
        for t in 0..T {
            h = h + x.get(0, t) * self.table.get(0, t);
        }
        h
    }
}

fn main() {}
