use netcl::nn::{Layers, Mode, Network};
use netcl::prelude::*;
use netcl::profile::{self, SpanKind};
use netcl_fixtures::devices::all;

#[netcl::model]
pub struct Critic {
    #[layer(inputs = 2, outputs = 12)]
    first: Linear,
    #[layer(inputs = 12, outputs = 12)]
    second: Linear,
    #[layer(inputs = 12, outputs = 1)]
    score: Linear,
}

#[netcl::model]
impl Critic {
    pub fn forward(&self, x: &Tensor<f32, N, 2>) -> Tensor<f32, N, 1> {
        let h = self.second.forward(self.first.forward(x).tanh());
        self.score.forward(h.leaky_relu(0.2))
    }
    pub fn plain(&self, x: &Tensor<f32, N, 2>) -> Tensor<f32> {
        self.forward(x).square().mean_all()
    }
    pub fn loss(&self, between: &Tensor<f32, N, 2>) -> Tensor<f32> {
        let slope = grad(&self.forward(between).sum_all(), between);
        (slope.square().sum([1]).sqrt() - 1.0).square().mean_all()
    }
}
fn line(layers: &mut Layers, path: &str, inputs: usize, outputs: usize) -> Result<()> {
    layers.add(path, "Linear", &[("inputs", inputs.into()), ("outputs", outputs.into())])?;
    Ok(())
}
fn critic(device: &Device, seed: Seed) -> Result<Network> {
    let mut layers = Layers::new();
    line(&mut layers, "first", 2, 12)?;
    line(&mut layers, "second", 12, 12)?;
    line(&mut layers, "score", 12, 1)?;
    layers.build(device, seed)
}
fn score(net: &Network, x: &Tensor) -> Tensor {
    let h = net.forward("second", &[&net.forward("first", &[x], Mode::Training).tanh()], Mode::Training);
    net.forward("score", &[&h.leaky_relu(0.2)], Mode::Training)
}

#[test]
fn scratch() -> Result<()> {
    for device in all() {
        let device = device.with_queue(netcl::QueueOrder::InOrder)?;
        let values: Vec<f32> = (0..16).map(|at| ((at * 37 % 101) as f32 - 50.0) / 25.0).collect();
        let x = Tensor::from_slice(&device, &values, &[8, 2])?;
        let (model, net) = (Critic::new(&device, Seed(1))?, critic(&device, Seed(1))?);
        let counted = |what: &str, run: &dyn Fn() -> Result<()>| -> Result<()> {
            for _ in 0..3 {
                run()?;
            }
            device.finish()?;
            let before = device.launches();
            profile::start()?;
            run()?;
            let p = profile::stop()?;
            eprintln!("=== {what} on {device}: {}", device.launches() - before);
            for s in p.spans().iter().filter(|s| s.kind == SpanKind::Kernel) {
                eprintln!("   {}", s.name);
            }
            Ok(())
        };
        counted("plain annotated", &|| model.plain_with_gradients(&x).map(drop))?;
        counted("plain", &|| score(&net, &x).square().mean_all().backward()?.reached(&net).map(drop))?;
        counted("annotated", &|| model.loss_with_gradients(&x).map(drop))?;
        counted("runtime", &|| {
            let slope = netcl::grad(&x, |x| score(&net, x).sum_all())?;
            (slope.square().sum([1]).sqrt() - 1.0).square().mean_all().backward()?.reached(&net).map(drop)
        })?;
    }
    Ok(())
}
