//! Blocks whose numbers decide what is computed, as fields and by types that are named, beside the same models written without
//! parameters.

use crate::common::{devices, wave};
use crate::generic::{bits, gradients, memory};
use netcl::{Device, Error, Model, Result, Seed};

/// What numbers decide: how many layers there are, how many heads, which way an `if` goes.
#[netcl::model]
pub struct Stack<const F: usize, const HEADS: usize, const DEPTH: usize> {
    #[layer(features = F, heads = HEADS)]
    attend: [SelfAttention; DEPTH],
    #[layer(inputs = F, outputs = F, count = { DEPTH + 1 })]
    lines: Vec<Linear>,
    #[layer(inputs = F, outputs = F)]
    one: Linear,
    #[layer(count = DEPTH)]
    norms: Vec<Norm<F>>,
    #[parameter(init = normal(0.5))]
    scale: Tensor<f32, HEADS, { F / HEADS }>,
}

#[netcl::model]
impl<const W: usize, const H: usize, const D: usize> Stack<W, H, D> {
    pub fn forward(&self, x: &Tensor<f32, N, T, W>, deep: bool) -> Tensor<f32, N, T, W> {
        let mut h = x.clone();
        for i in 0..D {
            h = h + self.attend[i].forward(&self.norms[i].forward(&h));
            if deep {
                h = self.lines[i].forward(&h).silu();
            }
        }
        for norm in self.norms.iter().rev().take(D - 1) {
            h = norm.forward(&h);
        }
        let heads = h.reshape([N, T, H, W / H]) * &self.scale;
        let h = heads.reshape([N, T, W]);
        if W > 4 * H { self.lines[D].forward(&h) } else { h }
    }

    pub fn loss(&self, x: &Tensor<f32, N, T, W>) -> Tensor<f32> {
        self.forward(x, true).square().mean_all()
    }

    /// As many rounds as there are layers.
    pub fn rounds(&self, x: &Tensor<f32, N, W>) -> Tensor<f32, N, W> {
        let (mut h, mut round) = (x.clone(), 0);
        let doubled = loop {
            if round == D {
                break h * 2.0;
            }
            h = self.one.forward(&h);
            round += 1;
        };
        let mut left = D;
        loop {
            if left == 0 {
                return doubled + h;
            }
            h = h.tanh();
            left -= 1;
        }
    }

    /// Needs no numbers.
    pub fn scaled(&self, x: &Tensor<f32, N, W>) -> Tensor<f32, N, W> {
        self.one.forward(x)
    }
}

#[netcl::model]
pub struct Norm<const F: usize> {
    #[layer(features = F)]
    norm: LayerNorm,
}

#[netcl::model]
impl<const F: usize> Norm<F> {
    pub fn forward(&self, x: &Tensor<f32, N, T, F>) -> Tensor<f32, N, T, F> {
        self.norm.forward(x)
    }
}

#[netcl::constant]
const WIDTH: usize = 8;

#[netcl::model]
type Small = Stack<{ WIDTH }, 2, 2>;

#[netcl::model]
pub type Deeper = Stack<12, 2, 1>;

#[netcl::model]
pub struct PlainStack {
    #[layer(features = 8, heads = 2)]
    attend: [SelfAttention; 2],
    #[layer(inputs = 8, outputs = 8, count = 3)]
    lines: Vec<Linear>,
    #[layer(inputs = 8, outputs = 8)]
    one: Linear,
    norms: [PlainNorm; 2],
    #[parameter(init = normal(0.5))]
    scale: Tensor<f32, 2, 4>,
}

#[netcl::model]
impl PlainStack {
    pub fn forward(&self, x: &Tensor<f32, N, T, 8>, deep: bool) -> Tensor<f32, N, T, 8> {
        let mut h = x.clone();
        for i in 0..2 {
            h = h + self.attend[i].forward(&self.norms[i].forward(&h));
            if deep {
                h = self.lines[i].forward(&h).silu();
            }
        }
        h = self.norms[1].forward(&h);
        let heads = h.reshape([N, T, 2, 4]) * &self.scale;
        heads.reshape([N, T, 8])
    }

    pub fn loss(&self, x: &Tensor<f32, N, T, 8>) -> Tensor<f32> {
        self.forward(x, true).square().mean_all()
    }

    pub fn rounds(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        let h = self.one.forward(&self.one.forward(x));
        h * 2.0 + h.tanh().tanh()
    }

    pub fn scaled(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        self.one.forward(x)
    }
}

#[netcl::model]
pub struct PlainNorm {
    #[layer(features = 8)]
    norm: LayerNorm,
}

#[netcl::model]
impl PlainNorm {
    pub fn forward(&self, x: &Tensor<f32, N, T, 8>) -> Tensor<f32, N, T, 8> {
        self.norm.forward(x)
    }
}

#[test]
fn numbers_that_decide_what_is_computed_are_those_of_a_type_that_is_named() -> Result<()> {
    for device in devices() {
        let (generic, plain) = (Stack::<8, 2, 2>::new(&device, Seed(3))?, PlainStack::new(&device, Seed(3))?);
        assert_eq!(memory(&generic), memory(&plain));
        let x = wave(&device, &[2, 3, 8]);
        for deep in [true, false] {
            assert_eq!(bits(&generic.forward(&x, deep)?), bits(&plain.forward(&x, deep)?), "{device}");
        }
        let (loss, of_generic) = generic.loss_with_gradients(&x)?;
        let (plain_loss, of_plain) = plain.loss_with_gradients(&x)?;
        assert_eq!(bits(&loss), bits(&plain_loss), "{device}");
        assert_eq!(gradients(of_generic.tensors()), gradients(of_plain.tensors()), "{device}");
        assert_eq!((of_generic.norms()?.len(), of_generic.lines()?.len()), (2, 3));
        assert_eq!(of_generic.attend()?[1].qkv_weight.shape(), [8, 24]);
        let rows = wave(&device, &[3, 8]);
        assert_eq!(bits(&generic.rounds(&rows)?), bits(&plain.rounds(&rows)?), "{device}");
        assert_eq!(generic.scaled(&wave(&device, &[2, 8]))?.shape(), [2, 8]);
        assert_eq!(Deeper::new(&device, Seed(1))?.forward(&wave(&device, &[1, 2, 12]), false)?.shape(), [1, 2, 12]);
        let target = device.profile().target;
        let report = Small::report(target)?;
        for name in ["Stack<{ WIDTH }, 2, 2>::forward on", "Stack::scaled on"] {
            assert!(report.lines().any(|line| line.starts_with(name)), "{report}");
        }
        Small::prepare(&device)?;
        assert_eq!(memory(&generic.deep_copy()?), memory(&generic));
    }
    Ok(())
}

/// A convolution of each channel by itself: how many groups, and how large a window.
#[netcl::model]
pub struct Depthwise<const C: usize, const K: usize, const G: usize> {
    #[layer(inputs = C, outputs = C, kernel = (K, K), padding = { K / 2 }, groups = G)]
    each: Conv2d,
}

#[netcl::model]
impl<const C: usize, const K: usize, const G: usize> Depthwise<C, K, G> {
    pub fn forward(&self, x: &Tensor<f32, N, C, 6, 6>) -> Tensor<f32, N, C, 6, 6> {
        self.each.forward(x)
    }
}

#[netcl::model]
pub struct Depths {
    three: Depthwise<4, 3, 4>,
    five: Depthwise<4, 5, 2>,
}

#[netcl::model]
impl Depths {
    pub fn forward(&self, x: &Tensor<f32, N, 4, 6, 6>) -> Tensor<f32, N, 4, 6, 6> {
        self.five.forward(&self.three.forward(x).relu())
    }
}

#[netcl::model]
pub struct PlainDepths {
    three: PlainThree,
    five: PlainFive,
}

#[netcl::model]
impl PlainDepths {
    pub fn forward(&self, x: &Tensor<f32, N, 4, 6, 6>) -> Tensor<f32, N, 4, 6, 6> {
        self.five.forward(&self.three.forward(x).relu())
    }
}

#[netcl::model]
pub struct PlainThree {
    #[layer(inputs = 4, outputs = 4, kernel = 3, padding = 1, groups = 4)]
    each: Conv2d,
}

#[netcl::model]
impl PlainThree {
    pub fn forward(&self, x: &Tensor<f32, N, 4, 6, 6>) -> Tensor<f32, N, 4, 6, 6> {
        self.each.forward(x)
    }
}

#[netcl::model]
pub struct PlainFive {
    #[layer(inputs = 4, outputs = 4, kernel = 5, padding = 2, groups = 2)]
    each: Conv2d,
}

#[netcl::model]
impl PlainFive {
    pub fn forward(&self, x: &Tensor<f32, N, 4, 6, 6>) -> Tensor<f32, N, 4, 6, 6> {
        self.each.forward(x)
    }
}

#[test]
fn windows_and_groups_are_numbers_too() -> Result<()> {
    for device in devices() {
        let (generic, plain) = (Depths::new(&device, Seed(3))?, PlainDepths::new(&device, Seed(3))?);
        assert_eq!(memory(&generic), memory(&plain));
        let x = wave(&device, &[2, 4, 6, 6]);
        assert_eq!(bits(&generic.forward(&x)?), bits(&plain.forward(&x)?), "{device}");
    }
    Ok(())
}

#[test]
fn there_is_no_model_whose_layers_cannot_have_its_numbers() {
    let refused = |model: Result<String>| match model {
        Err(Error::Shape { message, .. }) => message,
        other => panic!("expected an error of the sizes, found {other:?}"),
    };
    let device = Device::host();
    let made = Depthwise::<6, 3, 4>::new(&device, Seed(1)).map(|_| String::new());
    let said = refused(made);
    assert!(said.starts_with("`each` of `Depthwise`: "), "{said}");
    assert!(said.contains("`groups` of `Conv2d` must divide `inputs`, found `groups = 4` and `inputs = 6`"), "{said}");
    let said = refused(Depthwise::<4, 0, 4>::new(&device, Seed(1)).map(|_| String::new()));
    assert!(said.contains("`kernel` of `Conv2d` must be at least 1, found 0"), "{said}");
    let said = refused(Stack::<9, 2, 1>::new(&device, Seed(1)).map(|_| String::new()));
    assert!(said.contains("`attend.0` of `Stack`: "), "{said}");
}
