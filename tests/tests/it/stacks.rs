//! Lists as stacks, what a pattern leaves of them, and sizes by Rust's functions of whole numbers, beside the same written out.

use crate::common::{devices, wave};
use crate::generic::{bits, gradients};
use netcl::{Result, Seed};

/// A U-Net's skips.
#[netcl::model]
pub struct Skips {
    #[layer(inputs = 4, outputs = 4, count = 3)]
    lines: Vec<Linear>,
}

#[netcl::model]
impl Skips {
    fn down(&self, x: &Tensor<f32, N, 4>) -> [Tensor<f32, N, 4>; 3] {
        let a = self.lines[0].forward(x);
        let b = self.lines[1].forward(&a);
        [a, b, self.lines[2].forward(&b)]
    }

    pub fn popped(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32> {
        let (mut h, mut skips) = (x.clone(), Vec::new());
        for line in &self.lines {
            h = line.forward(&h);
            skips.push(h.clone());
        }
        for line in self.lines.iter().rev() {
            h = line.forward(&h).tanh() + skips.pop().unwrap();
        }
        let h = if skips.pop().is_none() { h } else { h * 2.0 };
        h.square().mean_all()
    }

    pub fn reversed(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32> {
        let mut skips = self.down(x);
        let mut h = skips.last().unwrap();
        skips.reverse();
        for (line, skip) in self.lines.iter().rev().zip(skips.iter()) {
            h = line.forward(&h).tanh() + skip;
        }
        h.square().mean_all()
    }

    pub fn plain(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32> {
        let [a, b, c] = self.down(x);
        let h = self.lines[2].forward(&c).tanh() + c;
        let h = self.lines[1].forward(&h).tanh() + b;
        let h = self.lines[0].forward(&h).tanh() + a;
        h.square().mean_all()
    }

    /// Horner's scheme over what is left.
    pub fn rest(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        let [first, rest @ ..] = self.down(x);
        let [.., last] = self.down(x);
        let mut h = first;
        for each in rest {
            h = h * 2.0 + each;
        }
        h - last
    }

    /// Side by side, from a list and from what a loop pushes.
    pub fn beside(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 24> {
        let mut all = Vec::new();
        for _ in 0..3 {
            all.push(self.lines[0].forward(x));
        }
        Tensor::concat(self.down(x), 1).concat([all.concat(-1)], 1)
    }

    pub fn rounds_beside(&self, x: &Tensor<f32, N, T, 4>) -> Tensor<f32, N, { T * 4 }> {
        let mut all = Vec::new();
        for t in 0..T {
            all.push(self.lines[0].forward(x.get(1, t)));
        }
        all.concat(1)
    }

    pub fn plain_beside(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 24> {
        let [a, b, c] = self.down(x);
        a.concat([b, c, a, a, a], 1)
    }

    pub fn plain_rest(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        let [a, b, c] = self.down(x);
        (a * 2.0 + b) * 2.0 + c - c
    }
}

#[test]
fn lists_lose_their_last_element_and_are_turned_round() -> Result<()> {
    for device in devices() {
        let (model, x) = (Skips::new(&device, Seed(3))?, wave(&device, &[3, 4]));
        let (loss, own) = model.plain_with_gradients(&x)?;
        for (other, of_other) in [model.popped_with_gradients(&x)?, model.reversed_with_gradients(&x)?] {
            assert_eq!(bits(&other), bits(&loss), "{device}");
            assert_eq!(gradients(of_other.tensors()), gradients(own.tensors()), "{device}");
        }
        assert_eq!(bits(&model.rest(&x)?), bits(&model.plain_rest(&x)?), "{device}");
        assert_eq!(bits(&model.beside(&x)?), bits(&model.plain_beside(&x)?), "{device}");
        for length in [1, 5] {
            let x = wave(&device, &[2, length, 4]);
            let each = model.plain_beside(&x.reshape([2 * length as i64, 4]))?.narrow(1, 0, 4).check()?;
            assert_eq!(bits(&model.rounds_beside(&x)?), bits(&each), "{device}");
        }
    }
    Ok(())
}

/// As many as a parameter says.
#[netcl::model]
pub struct Sized<const W: usize> {
    #[layer(inputs = 4, outputs = 4)]
    line: Linear,
}

#[netcl::model]
impl<const W: usize> Sized<W> {
    pub fn repeated(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        let mut h = x.clone();
        for each in [self.line.forward(x); W] {
            h = h + each;
        }
        h
    }

    /// A power of two of a number that each use says.
    pub fn padded(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        let by = 1usize << W;
        x.pad(0, 0, by, 0.0).narrow(0, by / 2, N) * (1 << W) as f32
    }

    pub fn chunks(&self, x: &Tensor<f32, N, T, 4>) -> Tensor<f32, N, { (T + W - 1) / W }> {
        let whole = x.pad(1, 0, T.next_multiple_of(W) - T, 0.0);
        whole.reshape([N, T.div_ceil(W), W * 2usize.pow(2)]).sum([2])
    }
}

#[netcl::model]
type SizedByThree = Sized<3>;

#[netcl::model]
pub struct PlainSized {
    #[layer(inputs = 4, outputs = 4)]
    line: Linear,
}

#[netcl::model]
impl PlainSized {
    pub fn repeated(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        let y = self.line.forward(x);
        x + y + y + y
    }

    pub fn padded(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        x.pad(0, 0, 8, 0.0).narrow(0, 4, N) * 8.0
    }

    pub fn chunks(&self, x: &Tensor<f32, N, T, 4>) -> Tensor<f32, N, { (T + 2) / 3 }> {
        let whole = x.pad(1, 0, (3 - T % 3) % 3, 0.0);
        whole.reshape([N, (T + 2) / 3, 12]).sum([2])
    }
}

#[test]
fn parameters_say_how_long_lists_are_and_sizes_are_computed_as_in_rust() -> Result<()> {
    for device in devices() {
        let (generic, plain) = (SizedByThree::new(&device, Seed(3))?, PlainSized::new(&device, Seed(3))?);
        let x = wave(&device, &[3, 4]);
        assert_eq!(bits(&generic.repeated(&x)?), bits(&plain.repeated(&x)?), "{device}");
        assert_eq!(bits(&generic.padded(&x)?), bits(&plain.padded(&x)?), "{device}");
        for length in [1, 3, 5] {
            let x = wave(&device, &[2, length, 4]);
            assert_eq!(bits(&generic.chunks(&x)?), bits(&plain.chunks(&x)?), "{device}");
        }
    }
    Ok(())
}
