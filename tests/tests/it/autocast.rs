//! `#[precision(bf16)]` and `autocast`: activations are halves, parameters, their gradients and results are what they are declared to be.

use crate::common::{device, everywhere, floats};
use netcl::nn::{Layers, Mode, Network};
use netcl::prelude::*;
use netcl::{Precision, autocast};

netcl::kernel! {
    /// Of `f32`, whatever its caller stores.
    fn doubled(x: &Tensor<f32, N, C>) -> Tensor<f32, N, C> {
        |n, c| 2.0 * x[n, c]
    }
}

#[netcl::function]
fn bent(x: f32) -> f32 {
    if x > 0.0 { x } else { 0.1 * x }
}

#[netcl::model]
pub struct Block<const C: usize> {
    #[layer(features = C)]
    norm1: LayerNorm,
    #[layer(features = C, heads = 2, causal = true)]
    attention: SelfAttention,
    #[layer(features = C)]
    norm2: LayerNorm,
    #[layer(inputs = C, outputs = { 4 * C })]
    up: Linear,
    #[layer(inputs = { 4 * C }, outputs = C)]
    down: Linear,
}

#[netcl::model]
impl<const C: usize> Block<C> {
    pub fn forward(&self, x: &Tensor<f32, N, T, C>) -> Tensor<f32, N, T, C> {
        let x = x + self.attention.forward(&self.norm1.forward(x));
        x + self.down.forward(&self.up.forward(&self.norm2.forward(&x)).gelu_tanh())
    }
}

#[netcl::model]
pub struct Language {
    #[layer(entries = 50, features = 32)]
    words: Embedding,
    #[parameter(init = normal(0.02))]
    positions: Tensor<f32, 12, 32>,
    blocks: [Block<32>; 2],
    #[layer(features = 32)]
    norm: LayerNorm,
}

#[netcl::model]
impl Language {
    pub fn loss(&self, x: &Tensor<u32, N, 12>, y: &Tensor<u32, N, 12>) -> Tensor<f32> {
        let mut h = self.words.forward(x) + &self.positions;
        for block in &self.blocks {
            h = block.forward(&h);
        }
        self.norm.forward(&h).matmul(self.words.weight.t()).cross_entropy(y)
    }

    #[precision(bf16)]
    pub fn bf16(&self, x: &Tensor<u32, N, 12>, y: &Tensor<u32, N, 12>) -> Tensor<f32> {
        self.loss(x, y)
    }

    #[precision(f16)]
    pub fn f16(&self, x: &Tensor<u32, N, 12>, y: &Tensor<u32, N, 12>) -> Tensor<f32> {
        self.loss(x, y)
    }
}

#[netcl::model]
pub struct Pictures {
    #[layer(inputs = 3, outputs = 8, kernel = 3, padding = 1, bias = false)]
    stem: Conv2d,
    #[layer(features = 8)]
    norm: BatchNorm,
    #[layer(kernel = 2)]
    pool: MaxPool2d,
    #[layer(inputs = 8, outputs = 8, kernel = 3, padding = 1)]
    conv: Conv2d,
    #[layer(inputs = 8, outputs = 4)]
    head: Linear,
}

#[netcl::model]
impl Pictures {
    fn forward(&self, x: &Tensor<f32, N, 3, 8, 8>) -> Tensor<f32, N, 4> {
        let h = self.pool.forward(&self.norm.forward(&self.stem.forward(x)).relu());
        let h = self.conv.forward(&h).relu() + h;
        self.head.forward(h.mean([2, 3]))
    }

    pub fn loss(&self, x: &Tensor<f32, N, 3, 8, 8>, labels: &Tensor<u32, N>) -> Tensor<f32> {
        self.forward(x).cross_entropy(labels)
    }

    #[precision(bf16)]
    pub fn bf16(&self, x: &Tensor<f32, N, 3, 8, 8>, labels: &Tensor<u32, N>) -> Tensor<f32> {
        self.forward(x).cross_entropy(labels)
    }
}

/// Its channels are known where it is made.
#[netcl::model]
pub struct Pooled<const C: usize> {
    #[layer(inputs = C, outputs = C, kernel = 1)]
    mix: Conv2d,
    #[layer(inputs = C, outputs = 3)]
    head: Linear,
}

#[netcl::model]
impl<const C: usize> Pooled<C> {
    pub fn exact(&self, x: &Tensor<f32, N, C, 4, 4>) -> Tensor<f32> {
        self.head.forward(self.mix.forward(x).mean([2, 3])).square().sum_all()
    }

    #[precision(bf16)]
    pub fn bf16(&self, x: &Tensor<f32, N, C, 4, 4>) -> Tensor<f32> {
        self.head.forward(self.mix.forward(x).mean([2, 3])).square().sum_all()
    }
}

/// What a body may have around layers.
#[netcl::model]
pub struct Mixed {
    #[layer(inputs = 8, outputs = 8)]
    line: Linear,
    #[state(init = 0.0)]
    seen: Tensor<f32, 8>,
}

#[netcl::model]
impl Mixed {
    fn exactly(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        self.line.forward(x)
    }

    #[precision(f32)]
    fn in_full(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        self.line.forward(x)
    }

    #[precision(bf16)]
    pub fn halves(&self, x: &Tensor<f32, N, 8>) -> (Tensor<f32, N, 8>, Tensor<bf16, N, 8>) {
        let h = self.exactly(x);
        (h, h)
    }

    #[precision(bf16)]
    pub fn inside(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        self.in_full(x)
    }

    pub fn exact(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        self.exactly(x)
    }

    #[precision(bf16)]
    #[gradients(x)]
    pub fn loss(&self, x: &Tensor<f32, N, 8>, scale: f32) -> Tensor<f32> {
        let mut h: Tensor<f32, N, 8> = self.line.forward(x) * scale;
        self.seen.set(h.mean([0]));
        for _ in 0..N {
            h = self.line.forward(h).tanh();
        }
        let chosen = h.gt(0.0).select(h, x);
        (doubled(chosen) + bent(chosen) - 0.5 * h).square().mean_all()
    }
}

#[test]
fn a_product_is_rounded_to_halves_and_a_result_is_what_is_declared() -> Result<()> {
    everywhere(|| {
        let model = Mixed::new(&device(), Seed(3))?;
        let x = floats(&(0..24).map(|i| (i as f32 * 0.37).sin()).collect::<Vec<_>>(), &[3, 8]);
        let exact: Vec<f32> = model.exact(&x)?.to_vec()?;
        let (wide, half) = model.halves(&x)?;
        let (wide, half): (Vec<f32>, Vec<half::bf16>) = (wide.to_vec()?, half.to_vec()?);
        // What stays inside a kernel is rounded where it is stored.
        assert_eq!(half, wide.iter().map(|value| half::bf16::from_f32(*value)).collect::<Vec<_>>());
        assert_ne!(wide, exact);
        assert!(wide.iter().zip(&exact).all(|(a, b)| (a - b).abs() < 0.02), "{wide:?} {exact:?}");
        assert_eq!(model.inside(&x)?.to_vec::<f32>()?, exact);
        Ok(())
    })
}

#[test]
fn a_body_may_mix_halves_with_what_is_declared() -> Result<()> {
    everywhere(|| {
        let model = Mixed::new(&device(), Seed(3))?;
        let x = floats(&(0..24).map(|i| (i as f32 * 0.37).sin()).collect::<Vec<_>>(), &[3, 8]);
        let (loss, gradients, dx) = model.loss_with_gradients(&x, 0.7)?;
        assert_eq!((loss.dtype(), dx.dtype()), (DType::F32, DType::F32));
        assert_eq!(gradients.tensor("line.weight")?.dtype(), DType::F32);
        assert!(gradients.tensor("line.weight")?.to_vec::<f32>()?.iter().all(|value| value.is_finite()));
        assert!(model.tensor("seen")?.to_vec::<f32>()?.iter().any(|value| *value != 0.0));
        Ok(())
    })
}

#[test]
fn blocks_that_are_compiled_for_their_numbers_store_halves_too() -> Result<()> {
    everywhere(|| {
        let model = Pooled::<5>::new(&device(), Seed(2))?;
        let x = floats(&(0..160).map(|i| (i as f32 * 0.61).cos() * 2.0).collect::<Vec<_>>(), &[2, 5, 4, 4]);
        let (exact, expected) = model.exact_with_gradients(&x)?;
        let (half, gradients) = model.bf16_with_gradients(&x)?;
        let (exact, half) = (exact.item::<f32>()?, half.item::<f32>()?);
        assert!(exact != half && (exact - half).abs() < 0.02 * exact, "{exact} {half}");
        for name in ["head.weight", "mix.weight"] {
            let [found, wanted] = [&gradients, &expected].map(|all| all.tensor(name)?.to_vec::<f32>());
            let (found, wanted) = (found?, wanted?);
            let largest = wanted.iter().fold(0.0f32, |largest, value| largest.max(value.abs()));
            assert!(found.iter().zip(&wanted).all(|(a, b)| (a - b).abs() < 0.03 * largest), "{found:?} {wanted:?}");
            assert_ne!(found, wanted);
        }
        Ok(())
    })
}

/// The losses of so many steps.
fn losses<M: Model, G: std::ops::Deref<Target = Gradients>>(
    mut model: M,
    steps: usize,
    loss: impl Fn(&M) -> Result<(Tensor, G)>,
) -> Result<Vec<f32>> {
    let mut optimizer = AdamW::new(3e-3);
    let mut step = || {
        let (loss, gradients) = loss(&model)?;
        optimizer.step(&mut model, &gradients)?;
        loss.item::<f32>()
    };
    (0..steps).map(|_| step()).collect()
}

fn near(halves: &[f32], exact: &[f32], most: f32) {
    assert!(exact[exact.len() - 1] < 0.9 * exact[0], "it learns nothing: {exact:?}");
    for (a, b) in halves.iter().zip(exact) {
        assert!((a - b).abs() < most * b, "{halves:?}\n{exact:?}");
    }
    assert_ne!(halves, exact);
}

#[test]
fn a_transformer_learns_as_in_f32() -> Result<()> {
    everywhere(|| {
        let model = || Language::new(&device(), Seed(1));
        let words = |seed: u32| -> Vec<u32> { (0..4 * 12).map(|i| (i + seed) * 17 % 50).collect() };
        let (x, y) = (words(0), words(1));
        let x = Tensor::from_slice(&device(), &x, &[4, 12])?;
        let y = Tensor::from_slice(&device(), &y, &[4, 12])?;
        let exact = losses(model()?, 12, |model| model.loss_with_gradients(&x, &y))?;
        near(&losses(model()?, 12, |model| model.bf16_with_gradients(&x, &y))?, &exact, 0.01);
        near(&losses(model()?, 12, |model| model.f16_with_gradients(&x, &y))?, &exact, 0.01);
        Ok(())
    })
}

#[test]
fn a_convolutional_network_learns_as_in_f32() -> Result<()> {
    everywhere(|| {
        let model = || Pictures::new(&device(), Seed(1));
        let x = floats(&(0..6 * 192).map(|i| (i as f32 * 0.37).sin() * 1.5).collect::<Vec<_>>(), &[6, 3, 8, 8]);
        let labels = Tensor::from_slice(&device(), &[0u32, 1, 2, 3, 0, 1], &[6])?;
        let exact = losses(model()?, 12, |model| model.loss_with_gradients(&x, &labels))?;
        near(&losses(model()?, 12, |model| model.bf16_with_gradients(&x, &labels))?, &exact, 0.01);
        Ok(())
    })
}

/// `Pictures`, put together at run time.
fn pictures() -> Result<Network> {
    let mut layers = Layers::new();
    let conv = [("kernel", 3.into()), ("padding", 1.into()), ("outputs", 8.into())];
    let stem: Vec<_> = conv.iter().cloned().chain([("inputs", 3.into()), ("bias", false.into())]).collect();
    let conv: Vec<_> = conv.into_iter().chain([("inputs", 8.into())]).collect();
    layers.add("stem", "Conv2d", &stem)?;
    layers.add("norm", "BatchNorm", &[("features", 8.into())])?;
    layers.add("pool", "MaxPool2d", &[("kernel", 2.into())])?;
    layers.add("conv", "Conv2d", &conv)?;
    layers.add("head", "Linear", &[("inputs", 8.into()), ("outputs", 4.into())])?;
    layers.build(&device(), Seed(1))
}

fn forward(net: &Network, x: &Tensor) -> Tensor {
    let h = net.forward("norm", &[&net.forward("stem", &[x], Mode::Training)], Mode::Training);
    let h = net.forward("pool", &[&h.relu()], Mode::Training);
    let h = net.forward("conv", &[&h], Mode::Training).relu() + h;
    net.forward("head", &[&h.mean([2, 3])], Mode::Training)
}

#[test]
fn a_network_at_run_time_learns_as_an_annotated_one() -> Result<()> {
    everywhere(|| {
        let x = floats(&(0..6 * 192).map(|i| (i as f32 * 0.37).sin() * 1.5).collect::<Vec<_>>(), &[6, 3, 8, 8]);
        let labels = Tensor::from_slice(&device(), &[0u32, 1, 2, 3, 0, 1], &[6])?;
        let model = Pictures::new(&device(), Seed(1))?;
        let annotated = losses(model, 8, |model| model.bf16_with_gradients(&x, &labels))?;
        let mut net = pictures()?;
        let mut optimizer = AdamW::new(3e-3);
        for expected in annotated {
            let loss = autocast(Precision::Bf16, || {
                let logits = forward(&net, &x);
                assert_eq!(logits.dtype(), DType::BF16);
                logits.cross_entropy(&labels)
            });
            assert_eq!(loss.dtype(), DType::F32);
            let gradients = loss.backward()?.of(&net)?;
            assert_eq!(gradients.tensor("stem.weight")?.dtype(), DType::F32);
            optimizer.step(&mut net, &gradients)?;
            let found = loss.item::<f32>()?;
            assert!((found - expected).abs() < 2e-3 * expected, "{found} {expected}");
        }
        Ok(())
    })
}

#[test]
fn a_scope_is_of_what_is_called_in_it() -> Result<()> {
    everywhere(|| {
        let a = floats(&[1.001, 2.002, 3.003, 4.004], &[2, 2]);
        let product = || a.matmul(&a);
        let (outer, inner, after) = autocast(Precision::Bf16, || {
            (product(), autocast(Precision::F32, product), autocast(Precision::F16, product))
        });
        assert_eq!([&outer, &inner, &after].map(Tensor::dtype), [DType::BF16, DType::F32, DType::F16]);
        assert_eq!(inner.to_vec::<f32>()?, product().to_vec::<f32>()?);
        let thrown = std::panic::catch_unwind(|| autocast(Precision::Bf16, || panic!("thrown")));
        assert!(thrown.is_err());
        assert_eq!(product().dtype(), DType::F32);
        // A value is what it was called as, whenever it is computed.
        assert!((outer.cast(DType::F32) - inner).abs().max([0, 1]).item::<f32>()? > 0.0);
        Ok(())
    })
}

#[test]
fn operations_take_and_give_what_their_rows_say() -> Result<()> {
    everywhere(|| {
        let a = floats(&[0.5, 0.25, 0.125, 1.0], &[2, 2]);
        let half = a.cast(DType::BF16);
        let whole = Tensor::from_slice(&device(), &[1i32, 2, 3, 4], &[2, 2])?;
        let results = autocast(Precision::Bf16, || {
            let one = Tensor::full(&device(), 2.0f32, &[])?;
            Ok::<_, Error>(vec![
                (half.exp(), DType::F32),
                (half.softmax(1), DType::F32),
                (half.sum([0]), DType::F32),
                (half.relu(), DType::BF16),
                (a.relu(), DType::F32),
                (&half + &a, DType::F32),
                (&half * 2.0, DType::BF16),
                (&half * &one, DType::BF16),
                (half.concat([&a], 0), DType::F32),
                (whole.sum([0]), DType::I32),
                (&whole + &whole, DType::I32),
                (half.gt(&a), DType::Bool),
            ])
        })?;
        for (position, (result, dtype)) in results.iter().enumerate() {
            result.check()?;
            assert_eq!(result.dtype(), *dtype, "{position}");
        }
        // Outside, types are one.
        assert!((&half + &a).check().is_err());
        Ok(())
    })
}

#[test]
fn a_compiled_function_is_compiled_for_each_precision() -> Result<()> {
    everywhere(|| {
        let f = netcl::compile(|a: &Tensor, b: &Tensor| a.matmul(b).relu());
        let a = floats(&[1.001, 2.002, 3.003, 4.004], &[2, 2]);
        let full = f.call(&a, &a)?;
        let half = autocast(Precision::Bf16, || f.call(&a, &a))?;
        let again = f.call(&a, &a)?;
        assert_eq!([&full, &half, &again].map(Tensor::dtype), [DType::F32, DType::BF16, DType::F32]);
        assert_eq!(full.to_vec::<f32>()?, again.to_vec::<f32>()?);
        assert_eq!(
            half.cast(DType::BF16).to_vec::<half::bf16>()?,
            autocast(Precision::Bf16, || a.matmul(&a)).to_vec()?
        );
        Ok(())
    })
}
