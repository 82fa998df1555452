//! Blocks that are generic over what their layers need numbers for, beside the same models written without parameters: every number
//! is equal to the last bit, and so are gradients and what training makes of the parameters.

use crate::common::{devices, wave};
use netcl::optim::{Adam, Optimizer};
use netcl::{Device, Model, Result, Seed, Tensor};
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

pub(crate) fn bits(tensor: &Tensor) -> Vec<u32> {
    tensor.to_vec::<f32>().expect("floats").into_iter().map(f32::to_bits).collect()
}

/// Paths, shapes and bits of all parameters and states.
pub(crate) fn memory(model: &impl Model) -> Vec<(String, Vec<usize>, Vec<u32>)> {
    let all = model.parameters().into_iter().chain(model.states());
    all.map(|(path, tensor)| (path, tensor.shape().to_vec(), bits(&tensor))).collect()
}

/// The same of gradients.
pub(crate) fn gradients(of: Vec<(String, Tensor)>) -> Vec<(String, Vec<usize>, Vec<u32>)> {
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
