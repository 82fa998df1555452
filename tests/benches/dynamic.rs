//! The digits, trained with layers of `netcl::nn` and operations on tensors, as they are called and with a compiled loss, beside the
//! same models annotated: steps in a second and processor time a step (of all threads, on Linux), by turns. One JSON object a line.
//!
//! `cargo bench -p netcl-tests --bench dynamic -- [--device SELECTOR] [--turns COUNT]`. Nothing here is a test.
#![allow(missing_docs, reason = "a program")]

use netcl::nn::{Layers, Mode, Network};
use netcl::prelude::*;
use netcl_examples::digits;
use netcl_tests::option;
use std::ops::Deref;
use std::time::{Duration, Instant};

const BATCH: usize = 32;
const EPOCHS: u64 = 4;
/// How long a turn takes at least: longer than what else runs is let run for.
const TURN: Duration = Duration::from_millis(150);

#[netcl::model]
pub struct Mlp {
    #[layer(inputs = 64, outputs = 64)]
    hidden: Linear,
    #[layer(inputs = 64, outputs = 10)]
    output: Linear,
}

#[netcl::model]
impl Mlp {
    pub fn loss(&self, x: &Tensor<f32, N, 64>, labels: &Tensor<u32, N>) -> Tensor<f32> {
        let h = self.hidden.forward(x).relu();
        self.output.forward(&h).cross_entropy(labels)
    }
}

#[netcl::model]
pub struct Cnn {
    #[layer(inputs = 1, outputs = 16, kernel = 3, padding = 1)]
    conv1: Conv2d,
    #[layer(kernel = 2)]
    pool1: MaxPool2d,
    #[layer(inputs = 16, outputs = 32, kernel = 3, padding = 1)]
    conv2: Conv2d,
    #[layer(kernel = 2)]
    pool2: MaxPool2d,
    #[layer(inputs = 128, outputs = 10)]
    output: Linear,
}

#[netcl::model]
impl Cnn {
    pub fn loss(&self, x: &Tensor<f32, N, 1, 8, 8>, labels: &Tensor<u32, N>) -> Tensor<f32> {
        let a = self.pool1.forward(&self.conv1.forward(x).relu());
        let b = self.pool2.forward(&self.conv2.forward(&a).relu());
        self.output.forward(&b.flatten(1)).cross_entropy(labels)
    }
}

fn mlp(device: &Device) -> Result<Network> {
    let mut layers = Layers::new();
    layers.add("hidden", "Linear", &[("inputs", 64.into()), ("outputs", 64.into())])?;
    layers.add("output", "Linear", &[("inputs", 64.into()), ("outputs", 10.into())])?;
    layers.build(device, Seed(42))
}

fn mlp_loss(net: &Network, x: &Tensor, labels: &Tensor) -> Tensor {
    let h = net.forward("hidden", &[x], Mode::Training).relu();
    net.forward("output", &[&h], Mode::Training).cross_entropy(labels)
}

fn cnn(device: &Device) -> Result<Network> {
    let mut layers = Layers::new();
    for (number, inputs, outputs) in [(1, 1, 16), (2, 16, 32)] {
        let sizes =
            [("inputs", inputs.into()), ("outputs", outputs.into()), ("kernel", 3.into()), ("padding", 1.into())];
        layers.add(&format!("conv{number}"), "Conv2d", &sizes)?;
        layers.add(&format!("pool{number}"), "MaxPool2d", &[("kernel", 2.into())])?;
    }
    layers.add("output", "Linear", &[("inputs", 128.into()), ("outputs", 10.into())])?;
    layers.build(device, Seed(42))
}

fn cnn_loss(net: &Network, x: &Tensor, labels: &Tensor) -> Tensor {
    let run = |path: &str, x: &Tensor| net.forward(path, &[x], Mode::Training);
    let a = run("pool1", &run("conv1", x).relu());
    let b = run("pool2", &run("conv2", &a).relu());
    run("output", &b.flatten(1)).cross_entropy(labels)
}

/// Nanoseconds that the threads of this process have run; 0 where nobody says.
fn processor_time() -> u64 {
    let threads = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let text = threads.filter_map(|thread| std::fs::read_to_string(thread.path().join("schedstat")).ok());
    text.filter_map(|text| text.split(' ').next()?.parse::<u64>().ok()).sum()
}

/// Steps in a second over some epochs, and as many more as take that long, launches a step, the last loss, and microseconds of processors a step.
fn train(
    device: &Device,
    loader: &DataLoader,
    least: Duration,
    mut step: impl FnMut(&Tensor, &Tensor) -> Result<Tensor>,
) -> Result<Turn> {
    let (mut steps, mut last) = (0u32, None);
    device.finish()?;
    let (started, before, worked) = (Instant::now(), device.launches(), processor_time());
    let mut epoch = 0;
    while epoch < EPOCHS || started.elapsed() < least {
        for batch in loader.epoch(epoch) {
            let (x, labels) = batch?;
            last = Some(step(&x, &labels)?);
            steps += 1;
        }
        epoch += 1;
    }
    device.finish()?;
    let seconds = started.elapsed().as_secs_f64();
    let worked = (processor_time() - worked) as f64 / 1e3 / f64::from(steps);
    let launches = (device.launches() - before) as f64 / f64::from(steps);
    let loss = last.map_or(Ok(f32::NAN), |loss| loss.item::<f32>())?;
    Ok(Turn { rate: f64::from(steps) / seconds, launches, loss, worked })
}

/// What a turn told.
struct Turn {
    rate: f64,
    launches: f64,
    loss: f32,
    worked: f64,
}

fn compare<M: Model, G: Deref<Target = Gradients>>(
    device: &Device,
    name: &str,
    shape: &[usize],
    (model, loss): (M, impl Fn(&M, &Tensor, &Tensor) -> Result<(Tensor, G)>),
    (net, net_loss): (Network, impl Fn(&Network, &Tensor, &Tensor) -> Tensor + Copy + 'static),
) -> Result<()> {
    let turns = option("--turns").and_then(|count| count.parse().ok()).unwrap_or(21);
    let (data, _) = digits();
    let loader = DataLoader::new(device, &data.images, shape, &data.labels, &[])?
        .batch_size(BATCH)
        .drop_last(true)
        .shuffle(Seed(1));
    let compiled_loss = netcl::compile(move |net: &Network, x: &Tensor, labels: &Tensor| net_loss(net, x, labels));
    let (mut model, mut compiled_net, mut net) = (model, net.deep_copy()?, net);
    let (mut of_model, mut of_net, mut of_compiled) = (AdamW::new(3e-3), AdamW::new(3e-3), AdamW::new(3e-3));
    let (mut fixed, mut dynamic, mut compiled) = (Vec::new(), Vec::new(), Vec::new());
    // The first turn builds, and is not counted.
    for turn in 0..=turns {
        let least = if turn == 0 { Duration::ZERO } else { TURN };
        fixed.push(train(device, &loader, least, |x, labels| {
            let (loss, gradients) = loss(&model, x, labels)?;
            of_model.step(&mut model, &gradients)?;
            Ok(loss)
        })?);
        dynamic.push(train(device, &loader, least, |x, labels| {
            let loss = net_loss(&net, x, labels);
            let gradients = loss.backward()?.of(&net)?;
            of_net.step(&mut net, &gradients)?;
            Ok(loss)
        })?);
        compiled.push(train(device, &loader, least, |x, labels| {
            let loss = compiled_loss.call(&compiled_net, x, labels)?;
            let gradients = loss.backward()?.of(&compiled_net)?;
            of_compiled.step(&mut compiled_net, &gradients)?;
            Ok(loss)
        })?);
    }
    let all = [&fixed, &dynamic, &compiled];
    let median = |of: fn(&Turn) -> f64| {
        all.map(|turns: &Vec<Turn>| {
            let mut values: Vec<f64> = turns[1..].iter().map(of).collect();
            values.sort_by(f64::total_cmp);
            values[values.len() / 2]
        })
    };
    let ([fixed, dynamic, compiled], worked) = (median(|turn| turn.rate), median(|turn| turn.worked));
    let launches = all.map(|turns| turns[turns.len() - 1].launches);
    let losses = all.map(|turns| turns[0].loss);
    println!(
        r#"{{"model":"{name}","steps_s":[{fixed:.0},{dynamic:.0},{compiled:.0}],"ratios":[{:.2},{:.2}],"processor_us":{worked:.1?},"launches":{launches:.1?},"losses":{losses:?}}}"#,
        dynamic / fixed,
        compiled / fixed,
    );
    Ok(())
}

fn main() -> Result<()> {
    let device = option("--device").map_or_else(Device::auto, |selector| Device::select(&selector))?;
    println!(r#"{{"device":"{device}"}}"#);
    compare(
        &device,
        "digits MLP",
        &[64],
        (Mlp::new(&device, Seed(42))?, |model, x, labels| model.loss_with_gradients(x, labels)),
        (mlp(&device)?, mlp_loss),
    )?;
    compare(
        &device,
        "digits CNN",
        &[1, 8, 8],
        (Cnn::new(&device, Seed(42))?, |model, x, labels| model.loss_with_gradients(x, labels)),
        (cnn(&device)?, cnn_loss),
    )
}
