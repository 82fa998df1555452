//! Random graphs, and their gradients, computed together and one by one.

use super::{floats, near, ramp, values};
use netcl::nn::{Layers, Mode, Network};
use netcl::prelude::*;
use netcl::{DeviceKind, compile, grad, no_grad};
use netcl_fixtures::devices::all;

/// A stream of numbers for random graphs.
struct Choices(u64);

impl Choices {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % most
    }
}

/// What the graph of that number is of: as many rows as `w` has among others, and one row.
fn sources(device: &Device, seed: u64) -> (Tensor, Tensor) {
    let rows = seed as usize % 7 + 1;
    let x = Tensor::from_slice(device, &ramp(rows * 6, seed as usize), &[rows, 6]).unwrap();
    (x, Tensor::from_slice(device, &ramp(36, 7), &[6, 6]).unwrap())
}

/// Layers from 6 features to 6, some of which draw random numbers or have running statistics.
fn layers(device: &Device) -> Network {
    let mut layers = Layers::new();
    layers.add("linear", "Linear", &[("inputs", 6.into()), ("outputs", 6.into())]).unwrap();
    layers.add("layer_norm", "LayerNorm", &[("features", 6.into())]).unwrap();
    layers.add("batch_norm", "BatchNorm", &[("features", 6.into())]).unwrap();
    layers.add("dropout", "Dropout", &[("rate", 0.3.into())]).unwrap();
    layers.build(device, Seed(11)).unwrap()
}

/// [`random_results`] of layers of its own, and what the layers' states have become.
fn random_graph(x: &Tensor, w: &Tensor, seed: u64, after: &dyn Fn(Tensor) -> Tensor) -> (Vec<Tensor>, Vec<Vec<f32>>) {
    let net = layers(x.device());
    let last = random_results(&net, x, w, seed, after);
    let states = net.states().into_iter().map(|(_, state)| values(&state)).collect();
    (last, states)
}

/// Some operations and layers of tensors of the shape of `x`, at random; `after` is what is made of each value. The last few are
/// given.
fn random_results(net: &Network, x: &Tensor, w: &Tensor, seed: u64, after: &dyn Fn(Tensor) -> Tensor) -> Vec<Tensor> {
    let rows = x.shape()[0] as i64;
    let mut choices = Choices(seed);
    let mut known = vec![x.clone(), after(x.tanh())];
    for _ in 0..(3 + choices.below(12)) {
        let a = known[choices.below(known.len())].clone();
        let b = known[choices.below(known.len())].clone();
        let made = match choices.below(20) {
            0 => &a + &b,
            1 => &a * &b,
            2 => a.maximum(&b),
            3 => a.sigmoid(),
            4 => a.tanh(),
            5 => &a * 0.3 - 0.7,
            6 => 1.5 - &a,
            7 => after(a.matmul(w)).tanh(),
            8 => a.softmax(1),
            9 => after(a.reshape([6, rows])).reshape([rows, 6]),
            10 => after(a.t()).reshape([rows, 6]),
            11 => &a - &after(after(a.mean([1])).reshape([rows, 1])),
            13 => after(a.slice(1, 2, 6, 1)).concat([&b.slice(1, 0, 2, 1)], 1),
            14 => after(a.cumsum(1)).tanh(),
            12 => a.relu() - b.abs(),
            15 => after(net.forward("linear", &[&a], Mode::Training)).tanh(),
            16 => net.forward("layer_norm", &[&a], Mode::Training),
            17 => net.forward("dropout", &[&a], if choices.below(3) == 0 { Mode::Inference } else { Mode::Training }),
            // Of one row there is no variance.
            18 => net.forward(
                "batch_norm",
                &[&a],
                if rows == 1 || choices.below(2) == 0 { Mode::Inference } else { Mode::Training },
            ),
            _ => after(a.sum([0])).mul(&b).tanh(),
        };
        known.push(after(made));
    }
    known.split_off(known.len().saturating_sub(3))
}

/// How many are tried: as many as `NETCL_FUZZ` says, or a thousand; a hundredth of it where a driver takes its time to build what
/// nobody has met.
fn graphs(device: &Device) -> u64 {
    let count = std::env::var("NETCL_FUZZ").ok().and_then(|text| text.parse().ok()).unwrap_or(1000);
    if device.profile().kind == DeviceKind::Host { count } else { count.div_ceil(100) }
}

#[test]
fn random_graphs_give_what_they_give_one_by_one() {
    let _turn = crate::turn();
    for device in all() {
        for seed in 0..graphs(&device) {
            let (x, w) = sources(&device, seed);
            let (at_once, states) = random_graph(&x, &w, seed, &|value| value.eval().unwrap());
            let (waiting, waiting_states) = random_graph(&x, &w, seed, &|value| value);
            for (found, expected) in waiting_states.iter().zip(&states) {
                near(found, expected, &format!("{device}, states of graph {seed}"));
            }
            for (found, expected) in waiting.iter().zip(&at_once) {
                assert_eq!(found.shape(), expected.shape());
                near(&values(found), &values(expected), &format!("{device}, graph {seed}"));
            }
        }
    }
}

#[test]
fn random_graphs_give_what_they_give_compiled() {
    let _turn = crate::turn();
    for device in all() {
        for seed in 0..graphs(&device).div_ceil(4) {
            let (x, w) = sources(&device, seed);
            let run = move |net: &Network, x: &Tensor, w: &Tensor| random_results(net, x, w, seed, &|value| value);
            let (compiled, net, other) = (compile(run), layers(&device), layers(&device));
            for x in [&x, &(&x * 0.7)] {
                let found = compiled.call(&net, x, &w).unwrap();
                for (found, expected) in found.iter().zip(&run(&other, x, &w)) {
                    assert_eq!(found.shape(), expected.shape());
                    near(&values(found), &values(expected), &format!("{device}, graph {seed}"));
                }
            }
            let sum = |results: Vec<Tensor>| results.iter().map(|y| y.mean([0, 1])).reduce(|sum, next| sum + next);
            let found = grad(&x, |x| sum(compiled.call(&net, x, &w).unwrap()).unwrap());
            let expected = grad(&x, |x| sum(run(&other, x, &w)).unwrap());
            match (found, expected) {
                (Ok(found), Ok(expected)) => near(&values(&found), &values(&expected), &format!("{device}, {seed}")),
                (found, expected) => assert_eq!(found.is_ok(), expected.is_ok(), "{device}, {seed}"),
            }
        }
    }
}

#[test]
fn gradients_of_what_waits_are_those_of_what_was_computed() {
    let _turn = crate::turn();
    for device in all() {
        for seed in 0..graphs(&device).div_ceil(4) {
            let (x, w) = sources(&device, seed);
            let loss = |x: &Tensor, after: &dyn Fn(Tensor) -> Tensor| {
                let (results, _) = random_graph(x, &w, seed, after);
                results.iter().map(|y| y.mean([0, 1])).reduce(|sum, next| sum + next).unwrap()
            };
            let at_once = grad(&x, |x| loss(x, &|value| value.eval().unwrap()));
            let waiting = grad(&x, |x| loss(x, &|value| value));
            match (waiting, at_once) {
                (Ok(found), Ok(expected)) => near(&values(&found), &values(&expected), &format!("{device}, {seed}")),
                // The last few do not depend on it.
                (found, expected) => assert_eq!(found.unwrap_err().to_string(), expected.unwrap_err().to_string()),
            }
        }
        // Of what waits itself.
        let x = floats(&device, &[1.0, 2.0]);
        let doubled = &x * 2.0;
        let (_, gradient) = netcl::value_and_grad(&doubled, |y| (y * y).sum([0])).unwrap();
        assert_eq!(values(&gradient), [4.0, 8.0]);
        assert!(no_grad(|| doubled.requires_grad().unwrap().exp()).sum([0]).backward().is_err());
    }
}

/// Gradients of the same operations are told apart by which tensor is which, in which there are gradients, what was computed before,
/// and sizes.
#[test]
fn plans_of_gradients_are_told_apart() {
    let _turn = crate::turn();
    for device in all() {
        let [x, y] = [1, 2].map(|seed| floats(&device, &ramp(12, seed)).reshape([3, 4]));
        let of = |x: &[f32], y: &[f32], f: fn(f32, f32) -> f32| -> Vec<f32> {
            x.iter().zip(y).map(|(x, y)| f(*x, *y)).collect()
        };
        for round in 0..2 {
            for rows in [3, 1, 2] {
                let [x, y] =
                    [&x, &y].map(|tensor| tensor.slice(0, 0, rows, 1).eval().unwrap().requires_grad().unwrap());
                let (a, b) = (values(&x), values(&y));
                let both = |loss: Tensor| {
                    let gradients = loss.backward().unwrap();
                    [&x, &y].map(|tensor| gradients.wrt(tensor).map_or_else(|_| Vec::new(), |found| values(&found)))
                };
                let sum = |tensor: Tensor| tensor.sum([0, 1]);
                let what = format!("{device}, round {round}, {rows} rows");
                let [in_x, in_y] = both(sum(&x * &y));
                near(&in_x, &b, &what);
                near(&in_y, &a, &what);
                let [in_x, in_y] = both(sum(&x * &x));
                near(&in_x, &of(&a, &b, |x, _| 2.0 * x), &what);
                assert!(in_y.is_empty(), "{what}");
                let [in_x, in_y] = both(sum(&x * y.detach()));
                near(&in_x, &b, &what);
                assert!(in_y.is_empty(), "{what}");
                // A product that was read before, and one that was not.
                for read in [false, true] {
                    let gram = x.matmul(y.t());
                    if read {
                        gram.eval().unwrap();
                    }
                    let [in_x, in_y] = both(sum(&gram * 2.0));
                    let twice = |from: &Tensor| values(&(from.detach().sum([0]) * 2.0));
                    near(&in_x, &twice(&y).repeat(rows), &what);
                    near(&in_y, &twice(&x).repeat(rows), &what);
                }
            }
        }
    }
}
