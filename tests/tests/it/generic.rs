//! Blocks that are generic over what their layers need numbers for, beside the same models written without parameters: every number
//! is equal to the last bit, and so are gradients and what training makes of the parameters.

use crate::common::devices;
use netcl::optim::{Adam, Optimizer};
use netcl::{Device, Error, Model, Result, Seed, Tensor};
use netcl_tests::first::Filter;

/// The blocks of a residual network, of one type.
mod residual {
    /// Two convolutions and a way around them, which is a convolution where `AROUND` is 1, and nothing where it is 0.
    #[netcl::model]
    pub struct Residual<const I: usize, const O: usize, const STRIDE: usize, const AROUND: usize> {
        #[layer(inputs = I, outputs = O, kernel = 3, padding = 1, stride = STRIDE, bias = false)]
        a: Conv2d,
        #[layer(features = O)]
        a_norm: BatchNorm,
        #[layer(inputs = O, outputs = O, kernel = 3, padding = 1, bias = false)]
        b: Conv2d,
        #[layer(features = O)]
        b_norm: BatchNorm,
        #[layer(inputs = I, outputs = O, kernel = 1, stride = STRIDE, bias = false)]
        around: [Conv2d; AROUND],
    }

    #[netcl::model]
    impl<const I: usize, const O: usize, const STRIDE: usize, const AROUND: usize> Residual<I, O, STRIDE, AROUND> {
        pub fn forward(&self, x: &Tensor<f32, N, I, 8, 8>) -> Tensor<f32, N, O, { 8 / STRIDE }, { 8 / STRIDE }> {
            let mut skip = x;
            for around in &self.around {
                skip = around.forward(x);
            }
            let h = self.a_norm.forward(&self.a.forward(x)).relu();
            (self.b_norm.forward(&self.b.forward(&h)) + skip).relu()
        }
    }

    /// As many blocks as are wanted that change no size.
    #[netcl::model]
    pub struct Stage<const C: usize, const DEPTH: usize> {
        pub blocks: [Residual<C, C, 1, 0>; DEPTH],
    }

    #[netcl::model]
    impl<const C: usize, const DEPTH: usize> Stage<C, DEPTH> {
        pub fn forward(&self, x: &Tensor<f32, N, C, 8, 8>) -> Tensor<f32, N, C, 8, 8> {
            let mut h = x;
            for block in &self.blocks {
                h = block.forward(h);
            }
            h
        }
    }
}

use residual::{Residual, Stage};

#[netcl::model]
pub struct Net {
    #[layer(inputs = 3, outputs = 4, kernel = 3, padding = 1)]
    stem: Conv2d,
    first: Stage<4, 2>,
    second: Residual<4, 6, 1, 1>,
    third: Residual<6, 8, 2, 1>,
    #[layer(inputs = 8, outputs = 5)]
    head: Linear,
}

#[netcl::model]
impl Net {
    pub fn forward(&self, x: &Tensor<f32, N, 3, 8, 8>) -> Tensor<f32, N, 5> {
        let h = self.first.forward(&self.stem.forward(x).relu());
        let h = self.third.forward(&self.second.forward(&h));
        self.head.forward(h.mean([2, 3]))
    }

    pub fn loss(&self, x: &Tensor<f32, N, 3, 8, 8>, labels: &Tensor<u32, N>) -> Tensor<f32> {
        self.forward(x).cross_entropy(labels)
    }
}

/// The same blocks as somebody writes them who has no parameters.
macro_rules! plain_block {
    ($name:ident, $inputs:literal, $outputs:literal, $stride:literal, $side:literal $(, $around:ident)?) => {
        #[netcl::model]
        pub struct $name {
            #[layer(inputs = $inputs, outputs = $outputs, kernel = 3, padding = 1, stride = $stride, bias = false)]
            a: Conv2d,
            #[layer(features = $outputs)]
            a_norm: BatchNorm,
            #[layer(inputs = $outputs, outputs = $outputs, kernel = 3, padding = 1, bias = false)]
            b: Conv2d,
            #[layer(features = $outputs)]
            b_norm: BatchNorm,
            $(#[layer(inputs = $inputs, outputs = $outputs, kernel = 1, stride = $stride, bias = false)]
            $around: [Conv2d; 1],)?
        }

        #[netcl::model]
        impl $name {
            pub fn forward(&self, x: &Tensor<f32, N, $inputs, 8, 8>) -> Tensor<f32, N, $outputs, $side, $side> {
                let mut skip = x;
                $(skip = self.$around[0].forward(x);)?
                let h = self.a_norm.forward(&self.a.forward(x)).relu();
                (self.b_norm.forward(&self.b.forward(&h)) + skip).relu()
            }
        }
    };
}

plain_block!(Same, 4, 4, 1, 8);
plain_block!(Wider, 4, 6, 1, 8, around);
plain_block!(Smaller, 6, 8, 2, 4, around);

#[netcl::model]
pub struct PlainStage {
    blocks: [Same; 2],
}

#[netcl::model]
impl PlainStage {
    pub fn forward(&self, x: &Tensor<f32, N, 4, 8, 8>) -> Tensor<f32, N, 4, 8, 8> {
        self.blocks[1].forward(&self.blocks[0].forward(x))
    }
}

#[netcl::model]
pub struct PlainNet {
    #[layer(inputs = 3, outputs = 4, kernel = 3, padding = 1)]
    stem: Conv2d,
    first: PlainStage,
    second: Wider,
    third: Smaller,
    #[layer(inputs = 8, outputs = 5)]
    head: Linear,
}

#[netcl::model]
impl PlainNet {
    pub fn forward(&self, x: &Tensor<f32, N, 3, 8, 8>) -> Tensor<f32, N, 5> {
        let h = self.first.forward(&self.stem.forward(x).relu());
        let h = self.third.forward(&self.second.forward(&h));
        self.head.forward(h.mean([2, 3]))
    }

    pub fn loss(&self, x: &Tensor<f32, N, 3, 8, 8>, labels: &Tensor<u32, N>) -> Tensor<f32> {
        self.forward(x).cross_entropy(labels)
    }
}

fn wave(device: &Device, shape: &[usize]) -> Tensor {
    let values: Vec<f32> = (0..shape.iter().product()).map(|i: usize| (i as f32 * 0.37).sin()).collect();
    Tensor::from_slice(device, &values, shape).expect("the numbers fit the shape")
}

fn bits(tensor: &Tensor) -> Vec<u32> {
    tensor.to_vec::<f32>().expect("floats").into_iter().map(f32::to_bits).collect()
}

/// Paths, shapes and bits of all parameters and states.
fn memory(model: &impl Model) -> Vec<(String, Vec<usize>, Vec<u32>)> {
    let all = model.parameters().into_iter().chain(model.states());
    all.map(|(path, tensor)| (path, tensor.shape().to_vec(), bits(&tensor))).collect()
}

/// The same of gradients.
fn gradients(of: Vec<(String, Tensor)>) -> Vec<(String, Vec<usize>, Vec<u32>)> {
    of.into_iter().map(|(path, tensor)| (path, tensor.shape().to_vec(), bits(&tensor))).collect()
}

#[test]
fn a_network_of_one_generic_block_is_the_one_that_is_written_out() -> Result<()> {
    for device in devices() {
        let (mut generic, mut plain) = (Net::new(&device, Seed(3))?, PlainNet::new(&device, Seed(3))?);
        assert_eq!(memory(&generic), memory(&plain));
        let mut optimizers = [Adam::new(1e-2), Adam::new(1e-2)];
        for step in 0..3 {
            let x = wave(&device, &[2 + step, 3, 8, 8]);
            let labels = Tensor::from_slice(&device, &vec![step as u32; 2 + step], &[2 + step])?;
            let (loss, of_generic) = generic.loss_with_gradients(&x, &labels)?;
            let (plain_loss, of_plain) = plain.loss_with_gradients(&x, &labels)?;
            assert_eq!(bits(&loss), bits(&plain_loss), "{device}, step {step}");
            assert_eq!(gradients(of_generic.tensors()), gradients(of_plain.tensors()), "{device}, step {step}");
            assert_eq!(of_generic.first()?.blocks()?[1].a()?.weight.shape(), [4, 4, 3, 3]);
            assert!(of_generic.first()?.blocks()?[0].around()?.is_empty());
            optimizers[0].step(&mut generic, &of_generic)?;
            optimizers[1].step(&mut plain, &of_plain)?;
            assert_eq!(memory(&generic), memory(&plain), "{device}, step {step}");
        }
        let x = wave(&device, &[3, 3, 8, 8]);
        assert_eq!(bits(&generic.forward(&x)?), bits(&plain.forward(&x)?));
        // What is saved of the one is loaded by the other.
        let file = std::env::temp_dir().join(format!("netcl-generic-{}.safetensors", std::process::id()));
        netcl::io::save(&generic, &file)?;
        let mut loaded = PlainNet::new(&Device::host(), Seed(9))?;
        netcl::io::load(&mut loaded, &file)?;
        std::fs::remove_file(&file).ok();
        assert_eq!(memory(&loaded), memory(&generic));
        // A part is a model of its own.
        assert_eq!(generic.first.blocks[1].parameters().len(), 6);
    }
    Ok(())
}

/// Channels alone: the compiler keeps their name, and the run time has the number.
#[netcl::model]
pub struct Wide<const C: usize> {
    #[layer(inputs = C, outputs = { C * 2 }, kernel = 3, padding = 1)]
    up: Conv2d,
    #[layer(kernel = 2)]
    pool: MaxPool2d,
    #[layer(inputs = C * 2, outputs = C, kernel = 1)]
    down: Conv2d,
    #[layer(features = C)]
    norm: BatchNorm,
    filter: Filter<C>,
}

#[netcl::model]
impl<const C: usize> Wide<C> {
    pub fn forward(&self, x: &Tensor<f32, N, C, 8, 8>) -> Tensor<f32, N, C, 4, 4> {
        let h = self.pool.forward(&self.up.forward(x).gelu());
        self.filter.forward(&self.norm.forward(&self.down.forward(&h))) / C
    }

    pub fn loss(&self, x: &Tensor<f32, N, C, 8, 8>, squared: bool) -> Tensor<f32> {
        let y = self.forward(x).mean([1]);
        if squared { y.square().mean_all() } else { y.abs().mean_all() }
    }
}

#[netcl::model]
pub struct PlainWide {
    #[layer(inputs = 6, outputs = 12, kernel = 3, padding = 1)]
    up: Conv2d,
    #[layer(kernel = 2)]
    pool: MaxPool2d,
    #[layer(inputs = 12, outputs = 6, kernel = 1)]
    down: Conv2d,
    #[layer(features = 6)]
    norm: BatchNorm,
    filter: PlainFilter,
}

#[netcl::model]
impl PlainWide {
    pub fn forward(&self, x: &Tensor<f32, N, 6, 8, 8>) -> Tensor<f32, N, 6, 4, 4> {
        let h = self.pool.forward(&self.up.forward(x).gelu());
        self.filter.forward(&self.norm.forward(&self.down.forward(&h))) / 6
    }

    pub fn loss(&self, x: &Tensor<f32, N, 6, 8, 8>, squared: bool) -> Tensor<f32> {
        let y = self.forward(x).mean([1]);
        if squared { y.square().mean_all() } else { y.abs().mean_all() }
    }
}

#[netcl::model]
pub struct PlainFilter {
    #[layer(inputs = 6, outputs = 6, kernel = 3, padding = 1)]
    filter: Conv2d,
}

#[netcl::model]
impl PlainFilter {
    pub fn forward(&self, x: &Tensor<f32, N, 6, 4, 4>) -> Tensor<f32, N, 6, 4, 4> {
        self.filter.forward(x).tanh()
    }
}

#[test]
fn a_block_that_is_used_alone_is_compiled_for_its_numbers() -> Result<()> {
    for device in devices() {
        let (generic, plain) = (Wide::<6>::new(&device, Seed(3))?, PlainWide::new(&device, Seed(3))?);
        assert_eq!(memory(&generic), memory(&plain));
        let x = wave(&device, &[3, 6, 8, 8]);
        assert_eq!(bits(&generic.forward(&x)?), bits(&plain.forward(&x)?), "{device}");
        for squared in [true, false] {
            let (loss, of_generic) = generic.loss_with_gradients(&x, squared)?;
            let (plain_loss, of_plain) = plain.loss_with_gradients(&x, squared)?;
            assert_eq!(bits(&loss), bits(&plain_loss), "{device}");
            assert_eq!(gradients(of_generic.tensors()), gradients(of_plain.tensors()), "{device}");
            assert_eq!(of_generic.up()?.weight.shape(), [12, 6, 3, 3]);
        }
        assert_eq!(memory(&generic), memory(&plain));
        // Other numbers of the same program, and what both have in common with a part of another crate's type.
        let other = Wide::<4>::new(&device, Seed(3))?;
        assert_eq!(other.forward(&wave(&device, &[1, 4, 8, 8]))?.shape(), [1, 4, 4, 4]);
        let y = wave(&device, &[2, 4, 4, 4]);
        let alone = Filter::<4>::new(&device, Seed(3))?;
        assert_eq!(alone.forward(&y)?.shape(), [2, 4, 4, 4]);
        let target = device.profile().target;
        Wide::<6>::prepare(&device)?;
        let heads = |report: String| -> Vec<String> {
            report.lines().filter(|line| line.contains("::")).map(ToOwned::to_owned).collect()
        };
        let plain = heads(PlainWide::report(target)?.replace("PlainWide::", "Wide<6>::"));
        assert_eq!(heads(Wide::<6>::report(target)?), plain, "as many launches");
    }
    Ok(())
}

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
        self.five.each.forward(&self.three.each.forward(x).relu())
    }
}

#[netcl::model]
pub struct PlainThree {
    #[layer(inputs = 4, outputs = 4, kernel = 3, padding = 1, groups = 4)]
    each: Conv2d,
}

#[netcl::model]
impl PlainThree {}

#[netcl::model]
pub struct PlainFive {
    #[layer(inputs = 4, outputs = 4, kernel = 5, padding = 2, groups = 2)]
    each: Conv2d,
}

#[netcl::model]
impl PlainFive {}

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
    assert!(said.contains("`kernel` of `Conv2d` must be at least 1, found (0, 0)"), "{said}");
    let said = refused(Stack::<9, 2, 1>::new(&device, Seed(1)).map(|_| String::new()));
    assert!(said.contains("`attend.0` of `Stack`: "), "{said}");
}
