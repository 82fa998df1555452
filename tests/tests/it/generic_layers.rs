//! Models whose parameters are types, for which layers, models and types with functions of scalars stand, beside the same model
//! written without parameters. And fields of several that differ in numbers.

use crate::common::{devices, wave};
use crate::generic::bits;
use netcl::optim::{Optimizer, Sgd};
use netcl::{Device, Model, Module, Result, Seed, Tensor};
use netcl_tests::first::{Mixer, Scale, Softsign};

/// Of another crate's block, whose types are this one's parameters.
#[netcl::model]
pub struct Stage<const F: usize, N, B, A = Relu> {
    #[frozen]
    block: B,
    mixer: Mixer<F, N, A>,
    #[layer(features = F, present = F > 4)]
    last: Option<N>,
    #[layer(features = F, momentum = 0.5, count = 1)]
    norms: Vec<N>,
    act: A,
}

#[netcl::model]
impl<const F: usize, Norm, Block, Act> Stage<F, Norm, Block, Act> {
    pub fn forward(&self, x: &Tensor<f32, M, F>) -> Tensor<f32, M, F> {
        let mut h = self.act.forward(self.mixer.forward(self.block.forward(x)));
        if let Some(norm) = &self.last {
            h = norm.forward(h);
        }
        for norm in &self.norms {
            h = norm.forward(h);
        }
        Act::forward(h)
    }

    pub fn loss(&self, x: &Tensor<f32, M, F>) -> Tensor<f32> {
        self.forward(x).square().mean_all()
    }

    /// Needs no types.
    pub fn twice(x: &Tensor<f32, M, F>) -> Tensor<f32, M, F> {
        x * 2.0
    }

    /// Ordinary Rust.
    #[netcl::dynamic]
    pub fn tensors(&self) -> usize {
        self.parameters().len()
    }
}

#[allow(clippy::type_complexity, reason = "what is tested is that parameters are nested so")]
#[netcl::model]
pub struct Net {
    one: Stage<8, LayerNorm, Mixer<8, Scale<8>, Softsign>, Gelu>,
    stages: (Stage<4, BatchNorm, Identity>, Mixer<4, Identity, Softsign>, [Mixer<4, Scale<4>, Tanh>; 2]),
    #[layer(inputs = [4, 6, 3], outputs = [6, 3, 2], init = normal(0.5))]
    lines: [Linear; 3],
    #[layer(features = [8, 4], epsilon = 0.01)]
    norms: Vec<LayerNorm>,
}

#[netcl::model]
impl Net {
    pub fn forward(&self, x: &Tensor<f32, M, 8>) -> Tensor<f32, M, 2> {
        let h = self.norms[0].forward(self.one.forward(x)).narrow(1, 0, 4);
        let mut h = self.stages.1.forward(self.stages.0.forward(self.norms[1].forward(h)));
        for mixer in &self.stages.2 {
            h = mixer.forward(h);
        }
        for (i, line) in self.lines.iter().enumerate() {
            h = line.forward(h);
            if i + 1 < self.lines.len() {
                h = h.relu();
            }
        }
        h
    }

    pub fn loss(&self, x: &Tensor<f32, M, 8>) -> Tensor<f32> {
        self.forward(x).square().mean_all()
    }
}

#[netcl::model]
type Small = Stage<8, LayerNorm, Mixer<8, Scale<8>, Softsign>, Gelu>;

/// The same without parameters.
#[netcl::model]
pub struct PlainNet {
    #[frozen]
    #[layer(inputs = 8, outputs = 8)]
    block: Linear,
    #[frozen]
    scales: [Scale<8>; 2],
    #[layer(inputs = 8, outputs = 8)]
    line: Linear,
    #[layer(features = 8, epsilon = 1e-3)]
    mixed: [LayerNorm; 2],
    #[layer(features = 8)]
    last: LayerNorm,
    #[layer(features = 8)]
    norm: LayerNorm,
    #[layer(inputs = 4, outputs = 4)]
    second: Linear,
    #[layer(features = 4, epsilon = 1e-3)]
    batches: [BatchNorm; 2],
    #[layer(features = 4, momentum = 0.5)]
    batch: BatchNorm,
    #[layer(inputs = 4, outputs = 4)]
    third: Linear,
    #[layer(inputs = 4, outputs = 4)]
    fourth: Linear,
    fourths: [Scale<4>; 2],
    #[layer(inputs = 4, outputs = 4)]
    fifth: Linear,
    fifths: [Scale<4>; 2],
    #[layer(inputs = 4, outputs = 6)]
    a: Linear,
    #[layer(inputs = 6, outputs = 3)]
    b: Linear,
    #[layer(inputs = 3, outputs = 2)]
    c: Linear,
    #[layer(features = 8, epsilon = 0.01)]
    wide: LayerNorm,
    #[layer(features = 4, epsilon = 0.01)]
    narrow: LayerNorm,
}

#[netcl::function]
fn soft_sign(x: f32) -> f32 {
    x / (1.0 + x.abs())
}

#[netcl::model]
impl PlainNet {
    pub fn forward(&self, x: &Tensor<f32, M, 8>) -> Tensor<f32, M, 2> {
        let mut h = self.block.forward(x);
        for scale in &self.scales {
            h = scale.forward(h);
        }
        let first = soft_sign(h) + soft_sign(x);
        let mut h = self.line.forward(first);
        for norm in &self.mixed {
            h = norm.forward(h);
        }
        h = (h.gelu() + first.gelu()).gelu();
        h = self.norm.forward(self.last.forward(h)).gelu();
        let first = self.narrow.forward(self.wide.forward(h).narrow(1, 0, 4));
        h = self.second.forward(first);
        for norm in &self.batches {
            h = norm.forward(h);
        }
        h = self.batch.forward((h.relu() + first.relu()).relu()).relu();
        h = soft_sign(self.third.forward(h)) + soft_sign(h);
        let mut g = self.fourth.forward(h);
        for scale in &self.fourths {
            g = scale.forward(g);
        }
        h = g.tanh() + h.tanh();
        g = self.fifth.forward(h);
        for scale in &self.fifths {
            g = scale.forward(g);
        }
        h = g.tanh() + h.tanh();
        self.c.forward(self.b.forward(self.a.forward(h).relu()).relu())
    }

    pub fn loss(&self, x: &Tensor<f32, M, 8>) -> Tensor<f32> {
        self.forward(x).square().mean_all()
    }
}

/// Fails unless both are the same numbers, but for what a driver rounds otherwise in kernels that are not the same.
pub(crate) fn near(found: &Tensor, wanted: &Tensor, what: &str) -> Result<()> {
    assert_eq!(found.shape(), wanted.shape(), "{what}");
    for (found, wanted) in found.to_vec::<f32>()?.into_iter().zip(wanted.to_vec::<f32>()?) {
        assert!((found - wanted).abs() <= 1e-5 * (1.0 + wanted.abs()), "{what}: {found} and {wanted}");
    }
    Ok(())
}

/// The same of gradients.
pub(crate) fn all_near(found: Vec<(String, Tensor)>, wanted: Vec<(String, Tensor)>) -> Result<()> {
    assert_eq!(found.len(), wanted.len());
    found.iter().zip(&wanted).try_for_each(|((path, found), (_, wanted))| near(found, wanted, path))
}

#[test]
fn what_stands_for_types_computes_what_it_does_without_them() -> Result<()> {
    for device in devices() {
        let (mut net, mut plain) = (Net::new(&device, Seed(3))?, PlainNet::new(&device, Seed(4))?);
        let paths: Vec<String> = plain.parameters().into_iter().map(|(path, _)| path).collect();
        assert_eq!(net.parameters().len(), paths.len());
        for ((_, value), path) in net.parameters().into_iter().zip(paths) {
            plain.set_tensor(&path, &value)?;
        }
        let x = wave(&device, &[5, 8]);
        near(&net.forward(&x)?, &plain.forward(&x)?, &device.to_string())?;
        let (mut optimizer, mut plain_optimizer) = (Sgd::new(0.05), Sgd::new(0.05));
        for _ in 0..3 {
            let (loss, of_net) = net.loss_with_gradients(&x)?;
            let (plain_loss, of_plain) = plain.loss_with_gradients(&x)?;
            near(&loss, &plain_loss, &device.to_string())?;
            all_near(of_net.tensors(), of_plain.tensors())?;
            optimizer.step(&mut net, &of_net)?;
            plain_optimizer.step(&mut plain, &of_plain)?;
        }
        all_near(net.parameters(), plain.parameters())?;
        all_near(net.states(), plain.states())?;
    }
    Ok(())
}

#[test]
fn a_type_that_is_named_is_used_alone() -> Result<()> {
    for device in devices() {
        let net = Net::new(&device, Seed(3))?;
        let mut small = Small::new(&device, Seed(9))?;
        for (path, value) in net.one.parameters() {
            small.set_tensor(&path, &value)?;
        }
        let x = wave(&device, &[3, 8]);
        assert_eq!(Small::twice(&x)?.shape(), [3, 8]);
        assert_eq!(small.tensors(), 14);
        let before = bits(&small.forward(&x)?);
        let file = std::env::temp_dir().join(format!("generic-layers-{}.safetensors", std::process::id()));
        netcl::io::save(&small, &file)?;
        let mut other = Small::new(&device, Seed(1))?;
        netcl::io::load(&mut other, &file)?;
        std::fs::remove_file(file).ok();
        assert_eq!(bits(&other.forward(&x)?), before);
        let (_, of_small) = small.loss_with_gradients(&x)?;
        assert_eq!(of_small.mixer()?.norms()?[1].tensor("weight")?.shape(), [8]);
        assert_eq!(of_small.clone().last()?.expect("there for 8").tensors().len(), 2);
        let target = device.profile().target;
        assert!(Small::report(target)?.contains("loss_with_gradients"));
    }
    Ok(())
}

/// Rust that is generic over the same.
fn parameters<N: Module>(mixer: &Mixer<4, N, netcl::layers::Tanh>) -> Vec<String> {
    mixer.parameters().into_iter().map(|(path, _)| path).collect()
}

#[test]
fn paths_are_those_of_fields() -> Result<()> {
    let net = Net::new(&Device::host(), Seed(1))?;
    let paths: Vec<String> = net.parameters().into_iter().map(|(path, _)| path).collect();
    for path in [
        "one.block.norms.0.factor",
        "one.mixer.norms.1.bias",
        "one.last.weight",
        "stages.0.norms.0.weight",
        "stages.1.line.bias",
        "stages.2.1.norms.0.factor",
        "lines.2.weight",
        "norms.1.weight",
    ] {
        assert!(paths.iter().any(|known| known == path), "{path} in {paths:?}");
    }
    assert_eq!(parameters(&net.stages.2[0]), ["line.weight", "line.bias", "norms.0.factor", "norms.1.factor"]);
    assert_eq!(net.stages.2[1].parameters().len(), 4);
    let (_, of_net) = net.loss_with_gradients(&wave(&Device::host(), &[2, 8]))?;
    let (first, second, third) = of_net.stages()?;
    assert_eq!(first.mixer()?.line()?.weight.shape(), second.line()?.bias.shape().repeat(2).as_slice());
    assert_eq!(third[1].norms()?[0].factor()?.shape(), [4]);
    assert_eq!(of_net.lines()?[1].weight.shape(), [6, 3]);
    Ok(())
}
