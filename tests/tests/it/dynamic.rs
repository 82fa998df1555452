//! The same text compiled while the crate is built and, with `#[netcl::dynamic]`, where it runs: the same numbers and gradients.

use crate::common::{device, devices_alone, everywhere, launches_of, wave};
use netcl::prelude::*;
use netcl::{Error, Model};

/// A perceptron.
#[netcl::model]
pub struct Mlp {
    #[layer(inputs = 6, outputs = 16)]
    hidden: Linear,
    #[layer(rate = 0.25)]
    drop: Dropout,
    #[layer(inputs = 16, outputs = 3)]
    output: Linear,
    #[constant(0.5)]
    share: f32,
}

#[netcl::model]
impl Mlp {
    pub fn forward(&self, x: &Tensor<f32, N, 6>, scale: f32) -> Tensor<f32, N, 3> {
        let h = self.hidden.forward(x).relu();
        let kept = self.drop.forward(&h);
        self.output.forward(kept * scale + self.share * h)
    }

    #[netcl::dynamic]
    pub fn forward_dynamic(&self, x: &Tensor<f32, N, 6>, scale: f32) -> Tensor<f32, N, 3> {
        let h = self.hidden.forward(x).relu();
        let kept = self.drop.forward(&h);
        self.output.forward(kept * scale + self.share * h)
    }

    #[gradients(x)]
    pub fn loss(&self, x: &Tensor<f32, N, 6>, labels: &Tensor<u32, N>) -> Tensor<f32> {
        self.forward(x, 1.5).cross_entropy(labels)
    }

    /// One calls the other, as it does where both are compiled.
    #[netcl::dynamic]
    #[gradients(x)]
    pub fn loss_dynamic(&self, x: &Tensor<f32, N, 6>, labels: &Tensor<u32, N>) -> Tensor<f32> {
        self.forward_dynamic(x, 1.5).cross_entropy(labels)
    }

    #[netcl::dynamic]
    #[mode(training)]
    pub fn trained(&self, x: &Tensor<f32, N, 6>, labels: &Tensor<u32, N>) -> Tensor<f32> {
        self.forward(x, 1.5).cross_entropy(labels)
    }

    /// Without sizes it is Rust's own.
    #[netcl::dynamic]
    pub fn rust(&self, x: &Tensor) -> Result<Tensor> {
        println!("{:?}", x.shape());
        Ok(self.forward_dynamic(x, 1.0)?.softmax(1))
    }
}

/// A block of convolutions, generic and with states.
#[netcl::model]
pub struct Conv<const C: usize> {
    #[layer(inputs = C, outputs = C, kernel = 3, padding = 1)]
    conv: Conv2d,
    #[layer(features = C)]
    norm: BatchNorm,
    #[layer(kernel = 2)]
    pool: MaxPool2d,
}

#[netcl::model]
impl<const C: usize> Conv<C> {
    pub fn loss(&self, x: &Tensor<f32, N, C, H, W>) -> Tensor<f32> {
        let mut h = x;
        for _ in 0..2 {
            h = self.norm.forward(self.conv.forward(h)).relu() + h;
        }
        self.pool.forward(h).mean([2, 3]).square().sum_all()
    }

    #[netcl::dynamic]
    pub fn loss_dynamic(&self, x: &Tensor<f32, N, C, H, W>) -> Tensor<f32> {
        let mut h = x;
        for _ in 0..2 {
            h = self.norm.forward(self.conv.forward(h)).relu() + h;
        }
        self.pool.forward(h).mean([2, 3]).square().sum_all()
    }
}

/// A block of a transformer, with a table of positions and a choice.
#[netcl::model]
pub struct Attention {
    #[parameter(init = normal(0.1))]
    positions: Tensor<f32, 9, 8>,
    #[layer(features = 8)]
    norm: LayerNorm,
    #[layer(inputs = 8, outputs = 24)]
    qkv: Linear,
    #[layer(inputs = 8, outputs = 8)]
    out: Linear,
}

#[netcl::model]
impl Attention {
    pub fn forward(&self, x: &Tensor<f32, N, T, 8>, causal: bool) -> Tensor<f32, N, T, 8> {
        let x = x + self.positions.narrow(0, 0, T);
        let qkv = self.qkv.forward(self.norm.forward(&x)).reshape([N, T, 3, 2, 4]).permute([2, 0, 3, 1, 4]);
        let (q, k, v) = (qkv.get(0, 0), qkv.get(0, 1), qkv.get(0, 2));
        let mixed = q.scaled_dot_product_attention(k, v, causal);
        let mixed = mixed.permute([0, 2, 1, 3]).reshape([N, T, 8]);
        if causal { x + self.out.forward(mixed) } else { self.out.forward(mixed) }
    }

    #[netcl::dynamic]
    pub fn forward_dynamic(&self, x: &Tensor<f32, N, T, 8>, causal: bool) -> Tensor<f32, N, T, 8> {
        let x = x + self.positions.narrow(0, 0, T);
        let qkv = self.qkv.forward(self.norm.forward(&x)).reshape([N, T, 3, 2, 4]).permute([2, 0, 3, 1, 4]);
        let (q, k, v) = (qkv.get(0, 0), qkv.get(0, 1), qkv.get(0, 2));
        let mixed = q.scaled_dot_product_attention(k, v, causal);
        let mixed = mixed.permute([0, 2, 1, 3]).reshape([N, T, 8]);
        if causal { x + self.out.forward(mixed) } else { self.out.forward(mixed) }
    }

    #[gradients(x)]
    pub fn loss(&self, x: &Tensor<f32, N, T, 8>, causal: bool) -> Tensor<f32> {
        self.forward(x, causal).square().sum_all()
    }

    /// A running sum over an axis of any length.
    #[netcl::dynamic]
    pub fn summed(&self, x: &Tensor<f32, N, T, 8>) -> (Tensor<f32, N, 8>, Tensor<f32, N, T, 8>) {
        let mut h = Tensor::zeros([N, 8]);
        let mut all = Vec::new();
        for t in 0..T {
            h = (h + x.get(1, t)).tanh();
            all.push(h);
        }
        (h, all.stack(1))
    }
}

/// Products, sizes, a number and a choice.
#[netcl::function]
pub fn gated(
    x: &Tensor<f32, N, C>,
    w: &Tensor<f32, C, D>,
    share: f32,
    soft: bool,
) -> (Tensor<f32, N, D>, Tensor<f32, N>) {
    let h = x.matmul(w);
    let gate = if soft { h.sigmoid() } else { h.relu() };
    (gate * share + h, (h.square().sum([1]) + 1.0).sqrt())
}

#[netcl::dynamic]
pub fn gated_dynamic(
    x: &Tensor<f32, N, C>,
    w: &Tensor<f32, C, D>,
    share: f32,
    soft: bool,
) -> (Tensor<f32, N, D>, Tensor<f32, N>) {
    let h = x.matmul(w);
    let gate = if soft { h.sigmoid() } else { h.relu() };
    (gate * share + h, (h.square().sum([1]) + 1.0).sqrt())
}

/// One calls the other.
#[netcl::function]
pub fn steep(x: &Tensor<f32, N, C>, w: &Tensor<f32, C, C>) -> Tensor<f32, N, C> {
    let (h, length) = gated_dynamic(x, w, 0.5, true);
    h / length.unsqueeze(1)
}

/// Both attributes, in either order, say what one does.
#[netcl::dynamic]
#[netcl::function]
pub fn steep_dynamic(x: &Tensor<f32, N, C>, w: &Tensor<f32, C, C>) -> Tensor<f32, N, C> {
    let (h, length) = gated(x, w, 0.5, true);
    h / length.unsqueeze(1)
}

#[netcl::function]
#[netcl::dynamic]
pub fn steep_twice(x: &Tensor<f32, N, C>, w: &Tensor<f32, C, C>) -> Tensor<f32, N, C> {
    steep_dynamic(steep(x, w), w)
}

fn near(what: &str, found: &Tensor, expected: &Tensor) -> Result<()> {
    assert_eq!(found.shape(), expected.shape(), "{what}");
    for (found, expected) in found.to_vec::<f32>()?.iter().zip(expected.to_vec::<f32>()?) {
        assert!((found - expected).abs() <= 5e-6 + 5e-5 * expected.abs(), "{what}: {found} for {expected}");
    }
    Ok(())
}

fn labels(count: usize) -> Result<Tensor> {
    let labels: Vec<u32> = (0..count as u32).map(|i| i * 7 % 3).collect();
    Tensor::from_slice(&device(), &labels, &[count])
}

#[test]
fn a_perceptron_is_the_same_in_both_worlds() -> Result<()> {
    everywhere(|| {
        let [mut fixed, mut dynamic] = [Mlp::new(&device(), Seed(3))?, Mlp::new(&device(), Seed(3))?];
        let (mut a, mut b) = (AdamW::new(0.02), AdamW::new(0.02));
        for count in [5, 1, 3, 5] {
            let (x, labels) = (wave(&device(), &[count, 6]), labels(count)?);
            near("forward", &dynamic.forward_dynamic(&x, 0.7)?, &fixed.forward(&x, 0.7)?)?;
            near("loss", &dynamic.loss_dynamic(&x, &labels)?, &fixed.loss(&x, &labels)?)?;
            near("softmax", &dynamic.rust(&x)?, &fixed.forward(&x, 1.0)?.softmax(1))?;
            // The forms with gradients, with what is dropped.
            let (expected, gradients, dx) = fixed.loss_with_gradients(&x, &labels)?;
            let twin = dynamic.deep_copy()?;
            let (loss, found, found_dx) = dynamic.loss_dynamic_with_gradients(&x, &labels)?;
            near("trained loss", &loss, &expected)?;
            near("x", &found_dx, &dx)?;
            for (name, gradient) in gradients.tensors() {
                near(&name, &found.tensor(&name)?, &gradient)?;
            }
            // The same by `backward`.
            let x = x.requires_grad()?;
            let loss = twin.trained(&x, &labels)?;
            let recorded = loss.backward()?;
            near("recorded loss", &loss, &expected)?;
            near("recorded x", &recorded.wrt(&x)?, &dx)?;
            let recorded = recorded.of(&twin)?;
            for (name, gradient) in gradients.tensors() {
                near(&name, &recorded.tensor(&name)?, &gradient)?;
            }
            a.step(&mut fixed, &gradients)?;
            b.step(&mut dynamic, &recorded)?;
        }
        for (name, parameter) in fixed.parameters() {
            near(&name, &dynamic.tensor(&name)?, &parameter)?;
        }
        Ok(())
    })
}

#[test]
fn it_waits_and_is_fused_with_what_is_around_it() -> Result<()> {
    for device in devices_alone()? {
        let model = Mlp::new(&device, Seed(4))?;
        let x = wave(&device, &[5, 6]);
        // Others launch on the host, too: of several counts the least.
        let least = |work: &dyn Fn() -> Result<()>| -> Result<u64> {
            let mut least = u64::MAX;
            for _ in 0..20 {
                let before = device.launches();
                work()?;
                least = least.min(device.launches() - before);
            }
            Ok(least)
        };
        let waits = least(&|| model.forward_dynamic(&x, 1.0).map(drop))?;
        assert_eq!(waits, 0, "{device}");
        let fused = || -> Result<Tensor> { (model.forward_dynamic(&x, 1.0)? * 2.0).tanh().eval() };
        let direct = least(&|| model.forward(&x, 1.0).map(drop))?;
        assert_eq!(least(&|| fused().map(drop))?, direct, "{device}: the end is a part of the last product");
        let (y, expected) = (fused()?, (model.forward(&x, 1.0)? * 2.0).tanh());
        near("fused", &y, &expected)?;
        // What does not fit is told at the call.
        let error = model.forward_dynamic(&wave(&device, &[5, 7]), 1.0).unwrap_err();
        assert!(matches!(error, Error::Argument { .. }), "{error}");
        assert!(error.to_string().contains("Mlp::forward_dynamic"), "{error}");
    }
    Ok(())
}

#[test]
fn a_block_of_convolutions_is_the_same_in_both_worlds() -> Result<()> {
    everywhere(|| {
        let [fixed, dynamic] = [Conv::<3>::new(&device(), Seed(5))?, Conv::<3>::new(&device(), Seed(5))?];
        for (count, height) in [(2, 4), (3, 7)] {
            let x = wave(&device(), &[count, 3, height, 6]);
            near("loss", &dynamic.loss_dynamic(&x)?, &fixed.loss(&x)?)?;
            let (expected, gradients) = fixed.loss_with_gradients(&x)?;
            let (loss, found) = dynamic.loss_dynamic_with_gradients(&x)?;
            near("trained loss", &loss, &expected)?;
            for (name, gradient) in gradients.tensors() {
                near(&name, &found.tensor(&name)?, &gradient)?;
            }
            for (name, state) in fixed.states() {
                near(&name, &dynamic.tensor(&name)?, &state)?;
            }
        }
        Ok(())
    })
}

#[test]
fn attention_is_the_same_in_both_worlds() -> Result<()> {
    everywhere(|| {
        let model = Attention::new(&device(), Seed(6))?;
        for (count, steps) in [(2, 5), (1, 9), (3, 1)] {
            let x = wave(&device(), &[count, steps, 8]);
            for causal in [false, true] {
                near("forward", &model.forward_dynamic(&x, causal)?, &model.forward(&x, causal)?)?;
                let (expected, gradients, dx) = model.loss_with_gradients(&x, causal)?;
                let tracked = x.requires_grad()?;
                let loss = model.forward_dynamic(&tracked, causal)?.square().sum([0, 1, 2]);
                near("loss", &loss, &expected)?;
                let found = loss.backward()?;
                near("x", &found.wrt(&tracked)?, &dx)?;
                for (name, gradient) in gradients.tensors() {
                    near(&name, &found.of(&model)?.tensor(&name)?, &gradient)?;
                }
            }
            let (last, all) = model.summed(&x)?;
            near("last", &last, &all.narrow(1, steps as i64 - 1, 1).reshape([count as i64, 8]))?;
        }
        // More steps than there are positions.
        let error = model.forward_dynamic(&wave(&device(), &[1, 10, 8]), true).unwrap_err().to_string();
        assert_eq!(
            error.replace("_dynamic", ""),
            model.forward(&wave(&device(), &[1, 10, 8]), true).unwrap_err().to_string()
        );
        Ok(())
    })
}

#[test]
fn it_is_a_part_of_functions_that_are_compiled_at_run_time() -> Result<()> {
    everywhere(|| {
        let model = Mlp::new(&device(), Seed(7))?;
        let f = netcl::compile(|model: &Mlp, x: &Tensor| model.forward_dynamic(x, 2.0).map(|y| y.tanh()));
        for count in [4, 2] {
            let x = wave(&device(), &[count, 6]);
            near("compiled", &f.call(&model, &x)?, &model.forward(&x, 2.0)?.tanh())?;
        }
        Ok(())
    })
}

#[test]
fn functions_beside_models_are_the_same_in_both_worlds() -> Result<()> {
    everywhere(|| {
        let w = wave(&device(), &[4, 4]);
        for count in [3, 1, 5] {
            let x = wave(&device(), &[count, 4]);
            for soft in [false, true] {
                let (expected, found) = (gated(&x, &w, 0.3, soft)?, gated_dynamic(&x, &w, 0.3, soft)?);
                near("gated", &found.0, &expected.0)?;
                near("length", &found.1, &expected.1)?;
            }
            near("twice", &steep_twice(&x, &w)?, &steep(&steep(&x, &w)?, &w)?)?;
            // The pullback, and `backward` through it.
            let ((expected, pullback), (found, dynamic)) = (steep.vjp(&x, &w)?, steep_dynamic.vjp(&x, &w)?);
            near("steep", &found, &expected)?;
            let ((dx, dw), (found_dx, found_dw)) = (pullback(&x)?, dynamic(&x)?);
            near("dx", &found_dx, &dx)?;
            near("dw", &found_dw, &dw)?;
            let (tracked, weight) = (x.requires_grad()?, w.requires_grad()?);
            let gradients = (steep_dynamic(&tracked, &weight)? * &x).sum([0, 1]).backward()?;
            near("recorded dx", &gradients.wrt(&tracked)?, &dx)?;
            near("recorded dw", &gradients.wrt(&weight)?, &dw)?;
        }
        if device().profile().kind != netcl::DeviceKind::Null {
            steep_dynamic.check(&wave(&device(), &[2, 4]), &w)?;
        }
        Ok(())
    })
}

#[test]
fn functions_beside_models_wait() -> Result<()> {
    let null = netcl::Device::null(netcl::Target::Cpu, 1 << 34);
    for device in devices_alone()?.into_iter().chain([null]) {
        let (x, w) = (wave(&device, &[5, 4]), wave(&device, &[4, 4]));
        let (launches, y) = launches_of(&device, || steep_dynamic(&x, &w))?;
        assert!(launches.is_none_or(|launches| launches == 0), "{device}");
        near("fused", &(y * 2.0).tanh(), &(steep(&x, &w)? * 2.0).tanh())?;
        steep_dynamic.prepare(&device)?;
        assert!(steep_dynamic.report(device.profile().target)?.contains("steep_dynamic"));
        let error = steep_dynamic(&wave(&device, &[5, 3]), &w).unwrap_err().to_string();
        assert_eq!(error.replace("_dynamic", ""), steep(&wave(&device, &[5, 3]), &w).unwrap_err().to_string());
    }
    Ok(())
}
