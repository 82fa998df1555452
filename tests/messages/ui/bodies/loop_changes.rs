//! LOOP_CHANGED, LOOP_INNER_PUSH, LOOP_NEGATIVE, LOOP_ADAPTED, LOOP_POSITION: What one body for all rounds cannot do.

use netcl::prelude::*;

#[netcl::model]
pub struct Rounds {
    #[layer(inputs = 4, outputs = 4, count = 3)]
    steps: Vec<Linear>,
}

#[netcl::model]
impl Rounds {
    pub fn flag(&self, x: &Tensor<f32, T, N>) -> Tensor<f32, N> {
        let mut h = Tensor::zeros([N]);
        let mut first = true;
        for t in 0..T {
            if first {
                h = h + 10.0;
                first = false;
            }
            h = h + x.get(0, t);
        }
        h
    }

    pub fn inner(&self, x: &Tensor<f32, T, N>, times: &Tensor<f32, S>) -> Tensor<f32, N> {
        let mut ys = Vec::new();
        for t in 0..T {
            for s in 0..S {
                ys.push(x.get(0, t) * times.get(0, s));
            }
        }
        ys.stack(0).sum([0])
    }

    pub fn later(&self, x: &Tensor<f32, T, N>) -> Tensor<f32, T, N> {
        let mut ys = Vec::new();
        for t in 3..T {
            ys.push(x.get(0, t));
        }
        ys.stack(0)
    }

    pub fn adapted(&self, x: &Tensor<f32, T, N>) -> Tensor<f32, N> {
        let mut h = Tensor::zeros([N]);
        for t in (0..T).step_by(2) {
            h = h + x.get(0, t);
        }
        h
    }

    pub fn layers(&self, x: &Tensor<f32, T, 4>) -> Tensor<f32, 4> {
        let mut h = Tensor::zeros([4]);
        for t in 0..T {
            h = self.steps[t].forward(h + x.get(0, t));
        }
        h
    }

    pub fn ends(&self, x: &Tensor<f32, T, N>, once: bool) -> Tensor<f32, N> {
        let mut h = Tensor::zeros([N]);
        for t in 0..T {
            h = h + x.get(0, t);
            if once {
                break;
            }
        }
        h
    }

    pub fn ends_both(&self, x: &Tensor<f32, T, N>) -> Tensor<f32, N> {
        let mut h = Tensor::zeros([N]);
        'all: for _ in 0..3 {
            for t in 0..T {
                h = h + x.get(0, t);
                continue 'all;
            }
        }
        h
    }

    pub fn returns(&self, x: &Tensor<f32, T, N>) -> Tensor<f32, N> {
        let mut h = Tensor::zeros([N]);
        for t in 0..T {
            h = h + x.get(0, t);
            return h;
        }
        h
    }

    pub fn depends(&self, x: &Tensor<f32, T, N>) -> Tensor<f32, N> {
        let mut h = Tensor::zeros([N]);
        for t in 0..T {
            h = h + x.get(0, t);
            if h.sum_all() > 1.0 {
                break;
            }
        }
        h
    }

    pub fn others(&self, x: &Tensor<f32, T>) -> Tensor<f32> {
        let mut h = Tensor::zeros([]);
        for t in 0..T {
            for s in t..T {
                h = h + x.get(0, s);
            }
        }
        h
    }

    pub fn nobody(&self, x: &Tensor<f32, T, N>) -> Tensor<f32, T, N> {
        let (mut h, mut all) = (Tensor::zeros([N]), Vec::new());
        for t in 0..T {
            h = activate(h + x.get(0, t));
            all.push(h);
        }
        all.stack(0)
    }

    pub fn runs(&self, x: &Tensor<f32, T, N>) -> Tensor<f32, N> {
        let (mut h, mut t) = (Tensor::zeros([N]), 0);
        while t < T {
            h = h + x.get(0, t);
            t += 1;
        }
        h
    }

    pub fn numbered(&self, x: &Tensor<f32, T, N>) -> Tensor<f32, N> {
        let mut h = Tensor::zeros([N]);
        for (_, t) in (1..T).enumerate() {
            h = h + x.get(0, t);
        }
        h
    }
}

fn main() {}
