//! Layers built and trained at run time, against the same model with annotations, on every device that computes.

use netcl::nn::{Layers, Mode, Network};
use netcl::prelude::*;
use netcl_fixtures::devices::all;

const FEATURES: usize = 6;
const CLASSES: usize = 4;

#[netcl::model]
struct Classifier {
    #[layer(inputs = 6, outputs = 16)]
    hidden: Linear,
    #[layer(inputs = 16, outputs = 4)]
    output: Linear,
}

#[netcl::model]
impl Classifier {
    fn loss(&self, x: &Tensor<f32, N, 6>, labels: &Tensor<u32, N>) -> Tensor<f32> {
        self.output.forward(&self.hidden.forward(x).relu()).cross_entropy(labels)
    }
}

/// The same at run time, of sizes that are known only then.
fn network(device: &Device, sizes: &[usize]) -> Result<Network> {
    let mut layers = Layers::new();
    for (path, pair) in ["hidden", "output"].iter().zip(sizes.windows(2)) {
        layers.add(path, "Linear", &[("inputs", pair[0].into()), ("outputs", pair[1].into())])?;
    }
    layers.build(device, Seed(42))
}

fn loss(net: &Network, x: &Tensor, labels: &Tensor) -> Result<Tensor> {
    let hidden = net.forward("hidden", &[x], Mode::Training)?.relu()?;
    net.forward("output", &[&hidden], Mode::Training)?.apply("cross_entropy", &[labels.into()])
}

fn batch(device: &Device, rows: usize) -> Result<(Tensor, Tensor)> {
    let values: Vec<f32> = (0..rows * FEATURES).map(|at| ((at * 37 % 101) as f32 - 50.0) / 25.0).collect();
    let labels: Vec<u32> = (0..rows).map(|row| (row * 7 % CLASSES) as u32).collect();
    Ok((Tensor::from_slice(device, &values, &[rows, FEATURES])?, Tensor::from_slice(device, &labels, &[rows])?))
}

fn close(what: &str, found: &Tensor, expected: &Tensor) -> Result<()> {
    assert_eq!(found.shape(), expected.shape(), "{what}");
    for (found, expected) in found.to_vec::<f32>()?.into_iter().zip(expected.to_vec::<f32>()?) {
        assert!((found - expected).abs() <= 1e-6 * expected.abs().max(1.0), "{what}: {found}, expected {expected}");
    }
    Ok(())
}

fn all_close(found: &Gradients, expected: &Gradients) -> Result<()> {
    for ((path, found), (expected_path, expected)) in found.tensors().iter().zip(expected.tensors()) {
        assert_eq!(*path, expected_path);
        close(path, found, &expected)?;
    }
    Ok(())
}

#[test]
fn what_is_built_at_run_time_trains_as_what_is_annotated() {
    for device in all() {
        trains(&device).unwrap();
    }
}

fn trains(device: &Device) -> Result<()> {
    let mut annotated = Classifier::new(device, Seed(42))?;
    let mut net = network(device, &[FEATURES, 16, CLASSES])?;
    let settings = || AdamW::new(1e-2).group("output", ParameterGroup::new().rate(0.5));
    let mut optimizers = [settings(), settings()];
    for step in 0..20 {
        // The last batch is smaller.
        let (x, labels) = batch(device, if step % 4 == 3 { 5 } else { 8 })?;
        let (expected, gradients) = annotated.loss_with_gradients(&x, &labels)?;
        let found = loss(&net, &x, &labels)?;
        let own = found.backward()?.of(&net)?;
        close("loss", &found, &expected)?;
        all_close(&own, &gradients)?;
        optimizers[0].step(&mut annotated, &gradients.clip_norm(1.0)?)?;
        optimizers[1].step(&mut net, &own.clip_norm(1.0)?)?;
    }
    for ((path, found), (_, expected)) in net.parameters().iter().zip(annotated.parameters()) {
        close(path, found, &expected)?;
    }
    Ok(())
}
