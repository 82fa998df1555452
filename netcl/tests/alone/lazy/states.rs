//! Layers that change states wait, too, and the states are what they would be.

use super::{near, ramp, values};
use netcl::nn::{Layer, Layers, Mode, Network};
use netcl::prelude::*;
use netcl_fixtures::devices::all;

const ROWS: usize = 4;
const FEATURES: usize = 3;

fn norm(device: &Device) -> Layer {
    Layer::new(device, Seed(1), "BatchNorm", &[("features", FEATURES.into())]).unwrap()
}

fn batch(device: &Device, seed: usize) -> Tensor {
    Tensor::from_slice(device, &ramp(ROWS * FEATURES, seed), &[ROWS, FEATURES]).unwrap()
}

fn states(layer: &Layer) -> Vec<f32> {
    layer.core().states().iter().flat_map(|(_, state)| values(state)).collect()
}

/// Running means and variances after those batches.
fn after(seeds: &[usize]) -> Vec<f32> {
    let (mut mean, mut variance) = ([0.0; FEATURES], [1.0; FEATURES]);
    for &seed in seeds {
        let batch = ramp(ROWS * FEATURES, seed);
        for feature in 0..FEATURES {
            let column = || (0..ROWS).map(|row| batch[row * FEATURES + feature]);
            let own = column().sum::<f32>() / ROWS as f32;
            let spread = column().map(|x| (x - own) * (x - own)).sum::<f32>() / (ROWS - 1) as f32;
            mean[feature] = 0.9 * mean[feature] + 0.1 * own;
            variance[feature] = 0.9 * variance[feature] + 0.1 * spread;
        }
    }
    [mean, variance].concat()
}

#[test]
fn a_batch_changes_states_when_they_are_read() {
    let _turn = crate::turn();
    for device in all() {
        let layer = norm(&device);
        let early: Vec<Tensor> = layer.core().states().into_iter().map(|(_, state)| state).collect();
        let before = device.launches();
        for seed in [1, 2, 3] {
            drop(layer.forward(&[&batch(&device, seed)], Mode::Training));
        }
        assert_eq!(device.launches(), before, "{device}: nothing runs before it is needed");
        near(&states(&layer), &after(&[1, 2, 3]), "nobody has read what was normalized");
        let launches = device.launches();
        assert!(launches > before);
        let early: Vec<f32> = early.iter().flat_map(values).collect();
        near(&early, &after(&[1, 2, 3]), "views that were there before");
        assert_eq!(device.launches(), launches, "{device}: it is written once");
    }
}

/// A batch's result and what it makes of the states are computed together, and read in any order.
#[test]
fn states_are_computed_with_the_result() {
    let _turn = crate::turn();
    for device in all() {
        let layer = norm(&device);
        let x = batch(&device, 1);
        let y = layer.forward(&[&x], Mode::Training);
        y.eval().unwrap();
        let before = device.launches();
        near(&states(&layer), &after(&[1]), &device.to_string());
        assert_eq!(device.launches(), before, "{device}: they are there with the result");
        // In inference they are read: those of the call.
        let z = layer.forward(&[&x], Mode::Inference);
        let next = layer.forward(&[&x], Mode::Training);
        let expected: Vec<f32> = ramp(ROWS * FEATURES, 1)
            .iter()
            .enumerate()
            .map(|(i, x)| {
                let states = after(&[1]);
                (x - states[i % FEATURES]) / (states[FEATURES + i % FEATURES] + 1e-5).sqrt()
            })
            .collect();
        near(&states(&layer), &after(&[1, 1]), &device.to_string());
        near(&values(&z), &expected, "inference between two batches");
        near(&values(&next), &values(&y), "the states are not in the result");
    }
}

#[test]
fn states_that_are_written_between_two_batches_stay_in_order() {
    let _turn = crate::turn();
    for device in all() {
        let layer = norm(&device);
        let set = Tensor::from_slice(&device, &[5.0f32; FEATURES], &[FEATURES]).unwrap();
        let first = layer.forward(&[&batch(&device, 1)], Mode::Training);
        layer.core().set_tensor("running_mean", &set).unwrap();
        let second = layer.forward(&[&batch(&device, 2)], Mode::Training);
        let found = states(&layer);
        let expected = after(&[1, 2]);
        near(&found[FEATURES..], &expected[FEATURES..], "what was not set");
        let own: Vec<f32> = after(&[2])[..FEATURES].iter().map(|mean| 4.5 + mean).collect();
        near(&found[..FEATURES], &own, "what was set");
        assert_eq!(values(&first).len() + values(&second).len(), 2 * ROWS * FEATURES);
        // A view is read after the model is gone.
        layer.forward(&[&batch(&device, 3)], Mode::Training);
        let view = layer.core().tensor("running_var").unwrap();
        layer.forward(&[&batch(&device, 4)], Mode::Training);
        drop(layer);
        near(&values(&view), &after(&[1, 2, 3, 4])[FEATURES..], "the model is gone");
    }
}

fn network(device: &Device) -> Network {
    let mut layers = Layers::new();
    layers.add("line", "Linear", &[("inputs", FEATURES.into()), ("outputs", FEATURES.into())]).unwrap();
    layers.add("norm", "BatchNorm", &[("features", FEATURES.into())]).unwrap();
    layers.build(device, Seed(3)).unwrap()
}

fn forward(net: &Network, x: &Tensor) -> Tensor {
    net.forward("norm", &[&net.forward("line", &[x], Mode::Training)], Mode::Training).tanh()
}

/// A loss, its gradients, and what becomes of the states are one plan, also of two batches before one step.
#[test]
fn states_are_computed_with_the_gradients() {
    let _turn = crate::turn();
    for device in all() {
        let [x, other] = [1, 2].map(|seed| batch(&device, seed));
        let step = |read: bool| {
            let net = network(&device);
            let launches = device.launches();
            let first = forward(&net, &x);
            if read {
                first.eval().unwrap();
                net.states().iter().for_each(|(_, state)| drop(values(state)));
            }
            let loss = (first * forward(&net, &other)).mean_all();
            if read {
                loss.eval().unwrap();
                net.states().iter().for_each(|(_, state)| drop(values(state)));
            }
            let gradients = loss.backward().unwrap();
            let own = device.launches() - launches;
            let states: Vec<f32> = net.states().iter().flat_map(|(_, state)| values(state)).collect();
            assert_eq!(device.launches() - launches, own, "{device}: they are there with the gradients");
            let parameters = ["line.weight", "norm.weight", "norm.bias"];
            let found = parameters.map(|path| values(&gradients.wrt(&net.parameter(path).unwrap()).unwrap()));
            (states, found.concat(), own)
        };
        let (expected, derivatives, apart) = step(true);
        let (found, own, together) = step(false);
        near(&found, &expected, &device.to_string());
        near(&own, &derivatives, &device.to_string());
        // The host's library calls end kernels: fewer are left to be saved.
        assert!(
            together < apart || device == Device::host(),
            "{device}: {together} launches, {apart} one after the other"
        );
    }
}

#[netcl::model]
struct Annotated {
    #[layer(features = 3)]
    norm: BatchNorm,
}

#[netcl::model]
impl Annotated {
    fn forward(&self, x: &Tensor<f32, N, 3>) -> Tensor<f32, N, 3> {
        self.norm.forward(x)
    }

    fn loss(&self, x: &Tensor<f32, N, 3>) -> Tensor<f32> {
        self.norm.forward(x).tanh().mean_all()
    }
}

/// Annotated functions of the same model read and change what layers that wait have made of its states.
#[test]
fn annotated_functions_take_their_turn() {
    let _turn = crate::turn();
    for device in all() {
        let model = Annotated::new(&device, Seed(1)).unwrap();
        let layer = Layer::of(model.core(), "norm", "BatchNorm", &[("features", FEATURES.into())]).unwrap();
        layer.forward(&[&batch(&device, 1)], Mode::Training);
        model.loss_with_gradients(&batch(&device, 2)).unwrap();
        layer.forward(&[&batch(&device, 3)], Mode::Training);
        let x = batch(&device, 4);
        let (found, expected) = (model.forward(&x).unwrap(), layer.forward(&[&x], Mode::Inference));
        near(&values(&found), &values(&expected), "inference");
        near(&states(&layer), &after(&[1, 2, 3]), &device.to_string());
        // A recording changes them again at each replay.
        layer.forward(&[&batch(&device, 4)], Mode::Training);
        let (x, y) = (batch(&device, 5), batch(&device, 6));
        let (mut recording, _) = device.record(|| layer.forward(&[&x], Mode::Training).check()).unwrap();
        layer.forward(&[&y], Mode::Training);
        recording.replay().unwrap();
        near(&states(&layer), &after(&[1, 2, 3, 4, 5, 6, 5]), "a recording");
    }
}

/// A loop that never reads neither grows nor stalls.
#[test]
fn batches_that_nobody_reads_do_not_pile_up() {
    let _turn = crate::turn();
    let device = Device::host();
    let layer = norm(&device);
    let x = batch(&device, 1);
    let before = device.launches();
    for _ in 0..1000 {
        layer.forward(&[&x], Mode::Training);
    }
    assert!(device.launches() > before);
    let mean: Vec<f32> = after(&[1; 1000]);
    near(&states(&layer), &mean, "1000 batches");
}

/// Whoever reads a state that a batch could not make is told, until somebody writes it or another batch goes on from what it was.
#[test]
fn states_that_could_not_be_computed_are_told_to_all() {
    let _turn = crate::turn();
    const WIDE: usize = 1024;
    let device = Device::null(netcl::Target::Gpu, 1 << 20);
    let layer = Layer::new(&device, Seed(1), "BatchNorm", &[("features", WIDE.into())]).unwrap();
    let ones = |shape: &[usize]| Tensor::ones(&device, shape, DType::F32).unwrap();
    let large = ones(&[WIDE, 1]).matmul(ones(&[1, WIDE]));
    drop(layer.forward(&[&large], Mode::Training));
    let read = |path: &str| layer.core().tensor(path).unwrap().to_vec::<f32>();
    let fails = |path: &str| {
        let error = read(path).unwrap_err();
        let netcl::Error::Operation { operation, cause, .. } = &error else { panic!("{path}: {error}") };
        assert!(operation == "matmul" && matches!(&**cause, netcl::Error::OutOfMemory { .. }), "{path}: {error}");
    };
    for _ in 0..2 {
        fails("running_mean");
        fails("running_var");
        assert!(layer.forward(&[&ones(&[2, WIDE])], Mode::Inference).to_vec::<f32>().is_err());
        assert_eq!(read("weight").unwrap().len(), WIDE);
    }
    layer.core().set_tensor("running_mean", &ones(&[WIDE])).unwrap();
    assert_eq!(read("running_mean").unwrap().len(), WIDE);
    fails("running_var");
    drop(layer.forward(&[&ones(&[2, WIDE])], Mode::Training));
    assert_eq!(read("running_var").unwrap().len(), WIDE);
    assert!(layer.forward(&[&ones(&[2, WIDE])], Mode::Inference).to_vec::<f32>().is_ok());
}
