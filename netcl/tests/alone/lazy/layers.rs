//! Layers at run time: they wait as operations do.

use super::{near, ramp, values};
use netcl::Backward;
use netcl::nn::{Layers, Mode, Network};
use netcl::prelude::*;
use netcl::profile::{self, SpanKind};
use netcl_fixtures::devices::all;

const SIZES: [usize; 3] = [6, 16, 4];

fn network(device: &Device) -> Network {
    let mut layers = Layers::new();
    for (number, pair) in SIZES.windows(2).enumerate() {
        let sizes = [("inputs", pair[0].into()), ("outputs", pair[1].into())];
        layers.add(&format!("{number}"), "Linear", &sizes).unwrap();
    }
    layers.add("norm", "LayerNorm", &[("features", SIZES[1].into())]).unwrap();
    layers.add("dropout", "Dropout", &[("rate", 0.5.into())]).unwrap();
    layers.build(device, Seed(3)).unwrap()
}

fn chain(net: &Network, x: &Tensor) -> Tensor {
    let hidden = net.forward("0", &[x], Mode::Training).relu();
    net.forward("1", &[&hidden], Mode::Training).tanh()
}

/// The same with operations.
fn formula(net: &Network, x: &Tensor) -> Tensor {
    let of = |path: &str| net.parameter(path).unwrap();
    x.linear(of("0.weight"), of("0.bias")).relu().linear(of("1.weight"), of("1.bias")).tanh()
}

fn gradients(backward: &Backward, net: &Network) -> Vec<Vec<f32>> {
    let wanted = ["0.weight", "0.bias", "1.weight", "1.bias"];
    wanted.map(|path| values(&backward.wrt(&net.parameter(path).unwrap()).unwrap())).to_vec()
}

#[test]
fn a_chain_of_layers_is_launched_as_its_formula() {
    let _turn = crate::turn();
    for device in all() {
        let net = network(&device);
        // The batch is as large as an axis of a weight.
        let x = Tensor::from_slice(&device, &ramp(SIZES[1] * SIZES[0], 1), &[SIZES[1], SIZES[0]]).unwrap();
        let launches = |make: &dyn Fn(&Network, &Tensor) -> Tensor| {
            // The gradients of the first time have the buffer that those of the second take.
            for _ in 0..2 {
                make(&net, &x).mean_all().backward().unwrap();
            }
            let before = device.launches();
            let y = make(&net, &x);
            assert_eq!(device.launches(), before, "{device}: nothing runs before it is needed");
            y.eval().unwrap();
            let forward = device.launches() - before;
            let loss = make(&net, &x).mean_all();
            let before = device.launches();
            let found = gradients(&loss.backward().unwrap(), &net);
            (values(&y), found, forward, device.launches() - before)
        };
        let (expected, derivatives, forward, both) = launches(&formula);
        let (found, of_layers, forward_of_layers, both_of_layers) = launches(&chain);
        near(&found, &expected, &device.to_string());
        for (found, expected) in of_layers.iter().zip(&derivatives) {
            near(found, expected, &device.to_string());
        }
        assert_eq!((forward_of_layers, both_of_layers), (forward, both), "{device}");
    }
}

/// What is compiled for one batch serves the others, also one that is as large as an axis of a weight.
#[test]
fn chains_of_other_batches_have_the_same_plan() {
    let _turn = crate::turn();
    let device = Device::host();
    let net = network(&device);
    let key = |rows: usize| {
        let x = Tensor::from_slice(&device, &ramp(rows * SIZES[0], 1), &[rows, SIZES[0]]).unwrap();
        let text = chain(&net, &x).explain().unwrap();
        text.lines().next().unwrap().to_owned()
    };
    let first = key(5);
    assert!(first.starts_with("Linear_relu_tanh, found by "), "{first}");
    for rows in [2, SIZES[0], SIZES[1], 100] {
        assert_eq!(key(rows), first, "{rows}");
    }
}

/// A mistake that is found when the value is needed says which layer was called where.
#[test]
fn mistakes_of_layers_that_wait_name_the_call() {
    let _turn = crate::turn();
    let device = Device::null(netcl::Target::Gpu, 1 << 20);
    let net = network(&device);
    let x = Tensor::zeros(&device, &[1 << 14, SIZES[0]], DType::F32).unwrap();
    let y = net.forward("0", &[&x], Mode::Inference); // here
    let line = line!() - 1;
    let error = y.relu().to_vec::<f32>().unwrap_err();
    let netcl::Error::Operation { operation, operands, caller, cause } = &error else { panic!("{error}") };
    assert!(matches!(&**cause, netcl::Error::OutOfMemory { .. }), "{error}");
    assert_eq!((operation.as_str(), operands.as_str(), caller.line()), ("Linear", "f32 [16384, 6]", line), "{error}");
}

/// A layer that nobody reads is not computed, but has drawn: what comes after draws the same as if it were.
#[test]
fn what_is_drawn_does_not_depend_on_what_is_read() {
    let _turn = crate::turn();
    for device in all() {
        let x = Tensor::from_slice(&device, &ramp(64, 1), &[4, SIZES[1]]).unwrap();
        let second = |read: bool| {
            let net = network(&device);
            let drop = |x: &Tensor, mode| net.forward("dropout", &[x], mode);
            let first = drop(&x, Mode::Training);
            if read {
                first.eval().unwrap();
            }
            // In inference nothing is drawn.
            assert_eq!(values(&drop(&x, Mode::Inference)), values(&x));
            (values(&drop(&x, Mode::Training)), values(&first))
        };
        let (read, unread) = (second(true), second(false));
        assert_eq!(read, unread, "{device}");
        assert_ne!(read.0, read.1, "{device}: each call draws others");
    }
}

/// Parameters are those of the call, though they change before its value is needed.
#[test]
fn layers_read_parameters_before_a_step_changes_them() {
    let _turn = crate::turn();
    for device in all() {
        let mut net = network(&device);
        let x = Tensor::from_slice(&device, &ramp(4 * SIZES[0], 1), &[4, SIZES[0]]).unwrap();
        let expected = values(&chain(&net, &x));
        let waiting = chain(&net, &x);
        let gradients = chain(&net, &x).mean_all().backward().unwrap().reached(&net).unwrap();
        Sgd::new(0.5).step(&mut net, &gradients).unwrap();
        near(&values(&waiting), &expected, &device.to_string());
        assert_ne!(values(&chain(&net, &x)), expected, "{device}");
    }
}

/// A loss that nobody has read is computed with its gradients, by one plan, and all that is dear on the way has its value then.
#[test]
fn a_loss_is_computed_with_its_gradients() {
    let _turn = crate::turn();
    for device in all() {
        let net = network(&device);
        let x = Tensor::from_slice(&device, &ramp(4 * SIZES[0], 1), &[4, SIZES[0]]).unwrap();
        let step = |read: bool| {
            let hidden = net.forward("0", &[&x], Mode::Training);
            let dropped = net.forward("dropout", &[&hidden.relu()], Mode::Inference);
            let loss = net.forward("1", &[&dropped], Mode::Training).cross_entropy(labels(&device));
            if read {
                loss.eval().unwrap();
            }
            let before = device.launches();
            let found = gradients(&loss.backward().unwrap(), &net);
            let launches = device.launches() - before;
            let before = device.launches();
            let of_loss = (values(&loss.reshape([1])), values(&hidden));
            assert_eq!(device.launches(), before, "{device}: it is there with the gradients");
            (found, of_loss, launches)
        };
        step(true);
        let before = device.launches();
        let (expected, expected_loss, _) = step(true);
        let apart = device.launches() - before;
        step(false);
        let (found, loss, together) = step(false);
        for (found, expected) in found.iter().zip(&expected) {
            near(found, expected, &device.to_string());
        }
        near(&loss.0, &expected_loss.0, &device.to_string());
        near(&loss.1, &expected_loss.1, &device.to_string());
        assert!(together < apart, "{device}: {together} launches, {apart} of the loss first");
    }
}

fn labels(device: &Device) -> Tensor {
    Tensor::from_slice(device, &[0u32, 3, 1, 2], &[4]).unwrap()
}

/// Batches are parts of what was uploaded, which nobody writes to: gradients are computed from them as they are. Parameters are
/// copied where a step would change what gradients are computed from.
#[test]
fn batches_are_not_copied_for_gradients() {
    let _turn = crate::turn();
    for device in all() {
        let net = network(&device);
        let labels: Vec<u32> = (0..16).map(|i| i % SIZES[2] as u32).collect();
        let loader =
            DataLoader::new(&device, &ramp(16 * SIZES[0], 1), &[SIZES[0]], &labels, &[]).unwrap().batch_size(4);
        let batches: Vec<_> = loader.epoch(0).map(Result::unwrap).collect();
        let step = |(x, labels): &(Tensor, Tensor)| chain(&net, x).cross_entropy(labels).backward().map(drop).unwrap();
        // The first has a buffer for its gradients filled with zeros; what the loss does not reach stays so.
        step(&batches[0]);
        device.finish().unwrap();
        profile::start().unwrap();
        batches.iter().for_each(step);
        device.finish().unwrap();
        let recorded = profile::stop().unwrap();
        let copies = recorded.spans().iter().filter(|span| span.kind == SpanKind::Copy).count();
        assert_eq!(copies, 0, "{device}: {recorded:#?}");
        // A parameter that is taken for its elements alone is what it was.
        let weight = net.tensor("1.bias").unwrap();
        let x = weight.requires_grad().unwrap();
        let loss = (&x * &weight).sum([0]);
        let before = values(&weight);
        net.core().set_tensor("1.bias", &(&weight * 2.0)).unwrap();
        near(&values(&loss.backward().unwrap().wrt(&x).unwrap()), &before, &device.to_string());
    }
}
