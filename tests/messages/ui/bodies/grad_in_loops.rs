//! `grad` in loops over a symbol and behind them, where other rounds have computed of the tensor what the value reads.
use netcl::prelude::*;

#[netcl::model]
pub struct Net {
    #[parameter(init = 1.0)]
    scale: Tensor<f32, 8>,
}

#[netcl::model]
impl Net {
    pub fn before_a_round(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        let mut h = x.tanh();
        let first = h.square().sum_all();
        for _ in 0..N {
            let d = grad(&first, h);
            h = h - 0.1 * d;
        }
        h
    }
    pub fn last_round(&self, x: &Tensor<f32, N, T, 8>) -> Tensor<f32, N, 8> {
        let mut h = x.get(1, 0);
        let mut sum = Tensor::zeros([]);
        for t in 0..T {
            h = (h + x.get(1, t)).tanh();
            sum = sum + h.square().sum_all();
        }
        grad(&(sum + h.sum_all()), h)
    }
    pub fn as_it_starts(&self, x: &Tensor<f32, T, 8>) -> Tensor<f32, 8> {
        let mut w = self.scale;
        for t in 0..T {
            let loss = (w * x.get(0, t)).tanh().sum_all() + (w * self.scale).sum_all();
            w = w - 0.1 * grad(&loss, w);
        }
        w
    }
    pub fn under_two_names(&self, x: &Tensor<f32, T, 8>) -> Tensor<f32, 8> {
        let (mut h, mut q) = (self.scale * 1.0, self.scale * 2.0);
        for t in 0..T {
            let g = grad(&((h * x.get(0, t)).sin().sum_all() + q.powi(3).sum_all()), h);
            h = (h - 0.3 * g).tanh();
            q = h.abs();
        }
        h + q
    }
    pub fn of_its_own(&self, x: &Tensor<f32, T, 8>) -> Tensor<f32, 8> {
        let mut w = self.scale;
        for t in 0..T {
            let own = w * 1.0;
            let loss = (own * x.get(0, t)).tanh().sum_all() + (own * self.scale).sum_all();
            w = w - 0.1 * grad(&loss, own);
        }
        w
    }
    pub fn of_earlier_rounds(&self, x: &Tensor<f32, T, 8>) -> Tensor<f32> {
        let w = self.scale;
        let mut c = w * 2.0;
        let mut sum = Tensor::zeros([8]);
        for t in 0..T {
            sum = sum + grad(&(c * w * x.get(0, t)).sum_all(), w);
            c = c + w;
        }
        sum.sum_all()
    }
    pub fn through_the_recurrence(&self, x: &Tensor<f32, T, 8>) -> Tensor<f32, 8> {
        let mut h = Tensor::zeros([8]);
        let mut sum = Tensor::zeros([8]);
        for t in 0..T {
            h = (h + x.get(0, t) * self.scale).tanh();
            let loss = h.square().sum_all();
            sum = sum + grad(&loss, self.scale);
        }
        sum
    }
    pub fn not_in_the_round(&self, x: &Tensor<f32, T, 8>) -> Tensor<f32, 8> {
        let (mut h, mut sum) = (self.scale * 2.0, Tensor::zeros([8]));
        for t in 0..T {
            sum = sum + grad(&h.square().sum_all(), self.scale);
            h = h * x.get(0, t);
        }
        sum
    }
    pub fn is_what_it_becomes(&self, x: &Tensor<f32, T, 8>) -> Tensor<f32, 8> {
        let (w, mut h) = (self.scale * 3.0, self.scale * 1.0);
        let mut sum = Tensor::zeros([8]);
        for t in 0..T {
            sum = sum + grad(&(h * w * x.get(0, t)).sum_all(), h);
            h = w;
        }
        sum
    }
    pub fn two_rounds_back(&self, x: &Tensor<f32, T, 8>) -> Tensor<f32, 8> {
        let (mut h, mut before, mut other) = (self.scale * 1.0, self.scale * 2.0, self.scale * 3.0);
        let mut sum = Tensor::zeros([8]);
        for t in 0..T {
            sum = sum + grad(&(before * other * x.get(0, t)).sum_all(), before);
            other = h.tanh();
            before = h;
            h = h * x.get(0, t);
        }
        sum
    }
    pub fn through_the_outer_loop(&self, x: &Tensor<f32, T, 8>) -> Tensor<f32, 8> {
        let (mut w, mut other, mut sum) = (self.scale * 1.0, self.scale * 2.0, Tensor::zeros([8]));
        for t in 0..T {
            let mut own = w;
            for s in 0..T {
                sum = sum + grad(&(own * other * x.get(0, s)).sum_all(), own);
                own = own * 0.5;
            }
            w = (w * x.get(0, t)).sin();
            other = w.cos();
        }
        sum
    }
    pub fn around_both_loops(&self, x: &Tensor<f32, T, 8>) -> Tensor<f32, 8> {
        let (w, mut other, mut sum) = (self.scale * 1.0, self.scale * 2.0, Tensor::zeros([8]));
        for t in 0..T {
            for s in 0..T {
                sum = sum + grad(&(w * other * x.get(0, s)).sum_all(), w);
            }
            other = (other * w * x.get(0, t)).sin();
        }
        sum
    }
    pub fn pushed_two_rounds_back(&self, x: &Tensor<f32, T, 8>) -> Tensor<f32, 8> {
        let (mut h, mut before) = (self.scale * 1.0, self.scale * 2.0);
        let mut all = Vec::new();
        for t in 0..T {
            all.push(h * 2.0);
            before = h;
            h = h * x.get(0, t);
        }
        grad(&(before.square().sum_all() + all.stack(0).sum_all()), before)
    }
    pub fn begins_as_what_a_loop_gave(&self, x: &Tensor<f32, T, 8>) -> Tensor<f32, 8> {
        let (mut a, mut b, mut z) = (self.scale * 1.0, self.scale * 2.0, Tensor::zeros([8]));
        for t in 0..T {
            a = (a * x.get(0, t)).sin();
            b = (a * 0.9).sin();
        }
        let mut c = a;
        for t in 0..T {
            z = z + grad(&(c * b * x.get(0, t)).sum_all(), c);
            c = c * 1.0;
        }
        z
    }
    /// Momentum of earlier rounds, detached states, and tensors of the round: each is a round's own matter.
    pub fn of_the_round(&self, x: &Tensor<f32, T, 8>) -> Tensor<f32, 8> {
        let (mut w, mut momentum, mut h) = (self.scale * 1.0, Tensor::zeros([8]), Tensor::zeros([8]));
        let mut sum = Tensor::zeros([8]);
        let mut all = Vec::new();
        for t in 0..T {
            let slope = grad(&((w + 0.9 * momentum) * x.get(0, t)).sin().sum_all(), w);
            momentum = 0.9 * momentum + slope;
            w = w - 0.1 * momentum;
            all.push(w);
            let before = h.detach();
            h = (before + x.get(0, t) * self.scale).tanh();
            sum = sum + grad(&h.square().sum_all(), self.scale);
            for s in 0..T {
                let own = w * x.get(0, s);
                sum = sum + grad(&(own.square() * w * momentum).sum_all(), own);
            }
        }
        w + sum + all.stack(0).sum([0])
    }
    pub fn detached_behind(&self, x: &Tensor<f32, T, 8>) -> Tensor<f32, 8> {
        let (mut h, mut sum) = (self.scale * 1.0, Tensor::zeros([]));
        for t in 0..T {
            h = (h * x.get(0, t)).tanh();
            sum = sum + h.detach().square().sum_all();
        }
        grad(&(sum * h.sum_all()), h)
    }
    pub fn may_have_no_round(&self, x: &Tensor<f32, T, 8>) -> Tensor<f32, 8> {
        let mut w = self.scale;
        for t in 1..T {
            w = (w * x.get(0, t)).tanh();
        }
        grad(&(w * self.scale).sum_all(), w)
    }
    /// Of tensors that start apart, and of what begins in a loop that has rounds.
    pub fn has_its_own_start(&self, x: &Tensor<f32, T, 8>) -> Tensor<f32, 8> {
        let (mut w, mut v, mut u) = (self.scale, self.scale * 1.0, self.scale * 2.0);
        for t in 0..T {
            (w, v) = ((w * x.get(0, t)).tanh(), v.sin());
        }
        for t in 1..T {
            u = (u * x.get(0, t)).tanh();
        }
        grad(&(w * v * self.scale).sum_all(), w) + grad(&(u * self.scale).sum_all(), u)
    }
    pub fn exchanged_behind(&self, x: &Tensor<f32, T, 8>) -> Tensor<f32, 8> {
        let (mut a, mut b, mut c, mut d) = (self.scale * 1.0, self.scale * 2.0, self.scale * 3.0, self.scale * 4.0);
        for t in 0..T {
            a = (a * x.get(0, t)).sin();
            c = (a * 0.94 + b * 0.65).sin();
        }
        for _ in 0..T {
            (a, b) = (b, a);
            d = c;
            c = d * 1.0;
        }
        grad(&(a * d).sum_all(), a)
    }
    pub fn exchanged_in_a_round(&self, x: &Tensor<f32, T, 8>) -> Tensor<f32, 8> {
        let b = self.scale * 1.0;
        let a = (b * 0.4).sin();
        let (mut h, mut z) = (b, self.scale * 0.3);
        for t in 0..T {
            let mut g = self.scale.cos();
            for _ in 0..T {
                (h, g) = (g, h);
            }
            z = z + grad(&(a * g).sin().sum_all(), g) * x.get(0, t);
        }
        z
    }
    pub fn handed_out_in_a_round(&self, x: &Tensor<f32, T, 8>) -> Tensor<f32, 8> {
        let b = self.scale * 1.0;
        let a = (b * 0.4).sin();
        let (mut h, mut z) = (b, self.scale * 0.3);
        for t in 0..T {
            let mut g = self.scale.cos();
            for s in 0..T {
                g = h;
                h = (h * 0.9 + x.get(0, s)).sin();
            }
            z = z + grad(&(a * g).sin().sum_all(), g) * x.get(0, t);
        }
        z
    }
    pub fn handed_out_behind_both(&self, x: &Tensor<f32, T, 8>) -> Tensor<f32, 8> {
        let b = self.scale * 1.0;
        let a = (b * 0.4).sin();
        let (mut q, mut g) = (b, self.scale * 2.0);
        for _ in 0..T {
            for s in 0..T {
                g = q;
                q = (q * 0.9 + x.get(0, s)).sin();
            }
        }
        grad(&(a * g).sin().sum_all(), g)
    }
    pub fn handed_out_rounds_before(&self, x: &Tensor<f32, T, 8>) -> Tensor<f32, 8> {
        let (mut w, mut e, mut z) = (self.scale * 1.0, self.scale * 0.5, Tensor::zeros([8]));
        for _ in 0..T {
            let mut own = self.scale.cos();
            for u in 0..T - 1 {
                own = w;
                w = (w * 0.9 + x.get(0, u)).sin();
            }
            z = z + grad(&(own * e).sin().sum_all(), own);
            e = (w * 0.4 + e * 0.3).sin();
        }
        z
    }
    /// What the inner loop hands out is its own, and momentum is of earlier rounds.
    pub fn of_an_inner_loop(&self, x: &Tensor<f32, T, 8>) -> Tensor<f32, 8> {
        let (mut w, mut m, mut z) = (self.scale * 1.0, Tensor::zeros([8]), Tensor::zeros([8]));
        for t in 0..T {
            let mut g = w;
            for s in 0..T {
                g = (g * 0.9 + x.get(0, s)).sin();
            }
            z = z + grad(&(g * x.get(0, t) * m).sin().sum_all(), g);
            m = 0.9 * m + z;
            w = w - 0.1 * m;
        }
        z + w
    }
}

fn main() {}
