//! The models of `higher.rs`, put together when the program runs: the same losses over 20 steps, by PyTorch's numbers.

use crate::common::{device, everywhere};
use crate::higher::{Critic, Heat, Saliency, trains};
use netcl::nn::{Layers, Mode, Network};
use netcl::prelude::*;
use netcl::{Model, QueueOrder};
use netcl_tests::models::Input::{Below, Floats, Positive};
use std::collections::BTreeMap;

fn line(layers: &mut Layers, path: &str, inputs: usize, outputs: usize, bias: bool) -> Result<()> {
    layers.add(path, "Linear", &[("inputs", inputs.into()), ("outputs", outputs.into()), ("bias", bias.into())])?;
    Ok(())
}

fn critic(device: &Device, seed: Seed) -> Result<Network> {
    let mut layers = Layers::new();
    line(&mut layers, "first", 2, 12, true)?;
    line(&mut layers, "second", 12, 12, true)?;
    line(&mut layers, "score", 12, 1, true)?;
    layers.build(device, seed)
}

fn score(net: &Network, x: &Tensor) -> Tensor {
    let h = net.forward("second", &[&net.forward("first", &[x], Mode::Training).tanh()], Mode::Training);
    net.forward("score", &[&h.leaky_relu(0.2)], Mode::Training)
}

/// The critic's loss, and the penalty in it.
fn critic_loss(net: &Network, real: &Tensor, fake: &Tensor, share: &Tensor) -> Result<(Tensor, Tensor)> {
    let between = share * real + (1.0 - share) * fake;
    let slope = netcl::grad(&between, |x| score(net, x).sum_all())?;
    let penalty = (slope.square().sum([1]).sqrt() - 1.0).square().mean_all();
    Ok((score(net, fake).mean_all() - score(net, real).mean_all() + &penalty * 10.0, penalty))
}

#[test]
fn a_critic_with_a_gradient_penalty() -> Result<()> {
    let inputs = [("real", Floats(&[8, 2])), ("fake", Floats(&[8, 2])), ("share", Positive(&[8, 1]))];
    trains("critic", critic, 0.02, &inputs, |net, x| {
        let (loss, penalty) = critic_loss(net, &x[0], &x[1], &x[2])?;
        let gradients = loss.backward()?.of(net)?;
        Ok(((loss, penalty), gradients))
    })
}

fn heat(device: &Device, seed: Seed) -> Result<Network> {
    let mut layers = Layers::new();
    line(&mut layers, "a", 2, 10, false)?;
    line(&mut layers, "b", 10, 8, true)?;
    line(&mut layers, "c", 8, 1, true)?;
    layers.build(device, seed)
}

fn u(net: &Network, x: &Tensor, t: &Tensor) -> Tensor {
    let h = net.forward("a", &[&x.concat([t], 1)], Mode::Training).tanh();
    net.forward("c", &[&net.forward("b", &[&h], Mode::Training).tanh()], Mode::Training)
}

/// The equation, `u_t = u_xx`, and the start.
fn heat_loss(net: &Network, x: &Tensor, t: &Tensor) -> Result<(Tensor, Tensor)> {
    let (x, t) = (&x.requires_grad()?, &t.requires_grad()?);
    let slopes = u(net, x, t).sum_all().backward_recorded()?;
    let (u_x, u_t) = (slopes.wrt(x)?, slopes.wrt(t)?);
    let u_xx = u_x.sum_all().backward_recorded()?.wrt(x)?;
    let start = u(net, x, &(t * 0.0)) - (x * 3.0).sin();
    Ok(((u_t - &u_xx).square().mean_all() + start.square().mean_all(), u_xx))
}

#[test]
fn a_solution_of_the_heat_equation() -> Result<()> {
    let inputs = [("x", Floats(&[9, 1])), ("t", Positive(&[9, 1]))];
    trains("heat", heat, 0.05, &inputs, |net, x| {
        let (loss, u_xx) = heat_loss(net, &x[0], &x[1])?;
        let gradients = loss.backward()?.of(net)?;
        Ok(((loss, u_xx), gradients))
    })
}

fn saliency(device: &Device, seed: Seed) -> Result<Network> {
    let mut layers = Layers::new();
    for (path, inputs) in [("first", 1usize), ("second", 4)] {
        let settings =
            [("inputs", inputs.into()), ("outputs", 4.into()), ("kernel", 3.into()), ("padding", (1, 1).into())];
        layers.add(path, "Conv2d", &settings)?;
    }
    layers.add("pool", "MaxPool2d", &[("kernel", 2.into())])?;
    line(&mut layers, "output", 64, 3, true)?;
    layers.build(device, seed)
}

fn logits(net: &Network, x: &Tensor) -> Tensor {
    let run = |path: &str, x: &Tensor| net.forward(path, &[x], Mode::Training);
    let h = run("second", &run("pool", &run("first", x).tanh())).relu();
    run("output", &h.reshape([x.shape()[0], 64]))
}

#[test]
fn what_a_network_sees() -> Result<()> {
    let inputs = [("x", Floats(&[3, 1, 8, 8])), ("labels", Below(3, &[3]))];
    trains("saliency", saliency, 0.1, &inputs, |net, x| {
        let loss = |net: &Network| -> Result<(Tensor, Tensor)> {
            let seen = netcl::grad(&x[0], |x| logits(net, x).max([1]).sum_all())?;
            Ok((logits(net, &x[0]).cross_entropy(&x[1]) + seen.abs().mean_all() * 0.1, seen))
        };
        let (value, gradients) = netcl::value_and_grad(net, |net| loss(net).map(|(loss, _)| loss))?;
        Ok(((value, loss(net)?.1), gradients))
    })
}

fn maml(device: &Device, seed: Seed) -> Result<Network> {
    let mut layers = Layers::new();
    layers.add_parameter("w", &[1, 7], 0.0)?;
    layers.add_parameter("b", &[7], 0.0)?;
    layers.add_parameter("v", &[7, 1], 0.0)?;
    layers.add_parameter("c", &[1], 0.0)?;
    layers.build(device, seed)
}

#[test]
fn a_start_that_steps_lead_far_from() -> Result<()> {
    let inputs =
        [("x", Floats(&[6, 1])), ("y", Floats(&[6, 1])), ("query", Floats(&[5, 1])), ("wanted", Floats(&[5, 1]))];
    trains("maml", maml, 0.2, &inputs, |net, x| {
        let error = |net: &Network, x: &Tensor, y: &Tensor| -> Result<Tensor> {
            let h = (x.matmul(net.parameter("w")?) + net.parameter("b")?).tanh();
            Ok((h.matmul(net.parameter("v")?) + net.parameter("c")? - y).square().mean_all())
        };
        let mut fast = net.tracked_parameters();
        for _ in 0..2 {
            let slopes = netcl::grad(&fast, |at| error(&net.with_parameters(at)?, &x[0], &x[1]))?;
            let step =
                |((path, old), (_, slope)): (&(String, Tensor), &(String, Tensor))| (path.clone(), old - slope * 0.1);
            fast = fast.iter().zip(&slopes).map(step).collect();
        }
        let loss = error(&net.with_parameters(&fast)?, &x[2], &x[3])?;
        let gradients = loss.backward()?.of(net)?;
        Ok(((loss, fast[0].1.clone()), gradients))
    })
}

/// Gradients by the paths of parameters.
type Named = Vec<(String, Tensor)>;

/// A step of an annotated model.
type Annotated<'a> = &'a dyn Fn() -> Result<Named>;

/// The same at run time.
type AtRunTime<'a> = &'a dyn Fn(&Network) -> Result<Named>;

/// The launches of a step, and its gradients, from the same parameters.
fn launched((what, device): (&str, &Device), step: Annotated<'_>) -> Result<(u64, BTreeMap<String, Vec<f32>>)> {
    // Plans are compiled before.
    for _ in 0..3 {
        step()?;
    }
    let before = device.launches();
    let gradients = step()?;
    let count = device.launches() - before;
    eprintln!("{what} on {device}: {count} launches");
    let values = gradients.into_iter().map(|(path, gradient)| Ok((path, gradient.to_vec()?)));
    Ok((count, values.collect::<Result<_>>()?))
}

/// A step at run time gives what that of an annotated model does, and launches no more but for so many: what it is given is computed
/// before, and values are kept for other gradients of the same loss.
fn agrees<M: Model>(
    (what, device, more): (&str, &Device, u64),
    (model, annotated): (&M, Annotated<'_>),
    (net, step): (&mut Network, AtRunTime<'_>),
) -> Result<()> {
    for (path, value) in model.parameters() {
        net.set_tensor(&path, &value)?;
    }
    let (most, expected) = launched((what, device), annotated)?;
    let (count, found) = launched((&format!("{what} at run time"), device), &|| step(net))?;
    let is_alone = device.profile().kind != netcl::DeviceKind::Host;
    assert!(!is_alone || count <= most + more, "{what}: {count} launches, annotated {most}");
    assert_eq!(found.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>());
    for (path, found) in found {
        let largest = expected[&path].iter().fold(1e-3f32, |largest, value| largest.max(value.abs()));
        for (found, expected) in found.iter().zip(&expected[&path]) {
            assert!((found - expected).abs() <= 1e-5 * largest, "{what}, {path}: {found}, annotated {expected}");
        }
    }
    Ok(())
}

#[test]
fn steps_are_those_of_annotated_models() -> Result<()> {
    everywhere(|| {
        // Nobody else launches there.
        let device = device();
        let device = device.with_queue(QueueOrder::InOrder).unwrap_or(device);
        let floats = |shape: &[usize]| crate::common::wave(&device, shape);
        let (real, fake, share) = (floats(&[8, 2]), floats(&[8, 2]).exp().eval()?, floats(&[8, 1]).abs().eval()?);
        let model = Critic::new(&device, Seed(1))?;
        let annotated = || Ok(model.loss_with_gradients(&real, &fake, &share)?.1.tensors());
        let step = |net: &Network| Ok(critic_loss(net, &real, &fake, &share)?.0.backward()?.of(net)?.tensors());
        agrees(("critic", &device, 1), (&model, &annotated), (&mut critic(&device, Seed(2))?, &step))?;
        let (x, t) = (floats(&[9, 1]), floats(&[9, 1]).abs().eval()?);
        let model = Heat::new(&device, Seed(1))?;
        let annotated = || Ok(model.loss_with_gradients(&x, &t)?.1.tensors());
        // In the parameters alone, and not in `x` and `t`.
        let loss = |net: &Network| heat_loss(net, &x, &t).map(|(loss, _)| loss);
        let step = |net: &Network| Ok(netcl::value_and_grad(net, loss)?.1.tensors());
        agrees(("heat", &device, 1), (&model, &annotated), (&mut heat(&device, Seed(2))?, &step))?;
        let image = floats(&[3, 1, 8, 8]);
        let model = Saliency::new(&device, Seed(1))?;
        let annotated = || Ok(vec![("seen".to_owned(), model.seen(&image)?)]);
        let step = |net: &Network| {
            let seen = netcl::grad(&image, |x| logits(net, x).max([1]).sum_all())?;
            Ok(vec![("seen".to_owned(), seen.eval()?)])
        };
        agrees(("saliency", &device, 0), (&model, &annotated), (&mut saliency(&device, Seed(2))?, &step))
    })
}
