//! Losses of thousands of operations at run time, whose gradients are computed in parts, against derivatives by hand.

use netcl::nn::{Layers, Mode, Network};
use netcl::prelude::*;
use netcl_fixtures::devices::with_driver;

/// Compares with what was computed in `f64`.
fn near(what: &str, found: &Tensor, expected: f64) {
    let found = f64::from(found.to_vec::<f32>().unwrap().iter().sum::<f32>());
    assert!((found - expected).abs() <= 2e-4 * expected.abs().max(1e-2), "{what}: {found}, expected {expected}");
}

fn number(device: &Device, value: f32) -> Tensor {
    Tensor::from_slice(device, &[value], &[1]).unwrap().requires_grad().unwrap()
}

#[test]
fn of_cheap_operations_alone() {
    let device = Device::host();
    let (a, b) = (number(&device, 0.6), number(&device, 0.9));
    let (mut x, mut y, mut dy) = (a.clone(), f64::from(0.6f32), [1.0f64, 0.0]);
    let own = f64::from(0.9f32);
    for _ in 0..300 {
        x = &x + (&b * &x).sin() * 0.004;
        let slope = 0.004 * (own * y).cos();
        dy = [dy[0] + slope * own * dy[0], dy[1] + slope * (y + own * dy[1])];
        y += 0.004 * (own * y).sin();
    }
    let gradients = x.sum_all().backward().unwrap();
    near("x", &x, y);
    near("b", &gradients.wrt(&b).unwrap(), dy[1]);
    near("a", &gradients.wrt(&a).unwrap(), dy[0]);
}

/// Rounds of `h = tanh(w * h + first + x)`, each with a part of the loss, and what the loss is by hand with its derivatives in `w`
/// and in `a`, of which `first` is the sine.
fn recurrent(w: &Tensor, a: &Tensor, rounds: usize, between: impl Fn(usize, Tensor) -> Tensor) -> (Tensor, [f64; 3]) {
    let [own_w, own_a] = [w, a].map(|tensor| f64::from(tensor.to_vec::<f32>().unwrap()[0]));
    let (first, mut h, mut loss) = (a.sin(), w * 0.0, (w * 0.0).sum_all());
    let (mut own_h, mut dh, mut own) = (0.0f64, [0.0f64, 0.0], [0.0f64; 3]);
    for round in 0..rounds {
        let x = f64::from(round as u32 % 7) * 0.1;
        h = between(round, (w * &h + &first + x).tanh());
        loss = loss + h.square().sum_all();
        let inner = (own_w * own_h + own_a.sin() + x).tanh();
        let slope = 1.0 - inner * inner;
        dh = [slope * (own_h + own_w * dh[0]), slope * (own_w * dh[1] + own_a.cos())];
        own_h = inner;
        own = [own[0] + own_h * own_h, own[1] + 2.0 * own_h * dh[0], own[2] + 2.0 * own_h * dh[1]];
    }
    (loss, own)
}

#[test]
fn of_rounds_that_share_a_value_and_add_up() {
    let device = Device::host();
    for rounds in [150, 800] {
        let (w, a) = (number(&device, 0.7), number(&device, 0.3));
        let (loss, expected) = recurrent(&w, &a, rounds, |_, h| h);
        near("loss", &loss, expected[0]);
        for gradients in [loss.backward().unwrap(), loss.backward().unwrap()] {
            near(&format!("w of {rounds}"), &gradients.wrt(&w).unwrap(), expected[1]);
            near(&format!("a of {rounds}"), &gradients.wrt(&a).unwrap(), expected[2]);
        }
    }
}

#[test]
fn with_hooks_and_regions_between() {
    let device = Device::host();
    let (w, a) = (number(&device, 0.7), number(&device, 0.3));
    let (loss, expected) = recurrent(&w, &a, 900, |round, h| match round % 300 {
        100 => h.on_gradient(Tensor::clone),
        200 => netcl::checkpoint([&h], |[h]| h * 1.0),
        _ => h,
    });
    let gradients = loss.backward().unwrap();
    near("w", &gradients.wrt(&w).unwrap(), expected[1]);
    near("a", &gradients.wrt(&a).unwrap(), expected[2]);
}

#[test]
fn functions_of_them_are_differentiated_in_what_they_are_given() {
    let device = Device::host();
    let (w, a) = (number(&device, 0.7), number(&device, 0.3));
    let of = [w.detach(), a.detach()];
    let mut expected = [0.0; 3];
    let (loss, gradients) = netcl::value_and_grad(&of, |[w, a]| {
        let (loss, own) = recurrent(w, a, 800, |_, h| h);
        expected = own;
        loss
    })
    .unwrap();
    near("loss", &loss, expected[0]);
    near("w", &gradients[0], expected[1]);
    near("a", &gradients[1], expected[2]);
}

#[test]
fn a_layer_that_is_called_in_each_round() {
    let device = Device::host();
    let mut layers = Layers::new();
    layers.add("cell", "Linear", &[("inputs", 1.into()), ("outputs", 1.into())]).unwrap();
    let mut net: Network = layers.build(&device, Seed(1)).unwrap();
    let own = Tensor::from_slice(&device, &[0.7f32], &[1, 1]).unwrap();
    net.set_tensor("cell.weight", &own).unwrap();
    net.set_tensor("cell.bias", &Tensor::from_slice(&device, &[0.2f32], &[1]).unwrap()).unwrap();
    let x = Tensor::from_slice(&device, &[0.4f32], &[1, 1]).unwrap();
    let (mut h, mut own, mut slopes) = (x, f64::from(0.4f32), [0.0f64, 0.0]);
    for _ in 0..600 {
        h = net.forward("cell", &[&h], Mode::Training).tanh();
        let inner = (0.7 * own + 0.2).tanh();
        let slope = 1.0 - inner * inner;
        slopes = [slope * (own + 0.7 * slopes[0]), slope * (1.0 + 0.7 * slopes[1])];
        own = inner;
    }
    let gradients = h.sum_all().backward().unwrap().of(&net).unwrap();
    near(&format!("weight on {device}"), &gradients.tensor("cell.weight").unwrap(), slopes[0]);
    near(&format!("bias on {device}"), &gradients.tensor("cell.bias").unwrap(), slopes[1]);
}

#[test]
fn on_every_driver() {
    for device in with_driver() {
        let (w, a) = (number(&device, 0.7), number(&device, 0.3));
        let (loss, expected) = recurrent(&w, &a, 200, |_, h| h);
        let gradients = loss.backward().unwrap();
        near(&format!("w on {device}"), &gradients.wrt(&w).unwrap(), expected[1]);
        near(&format!("a on {device}"), &gradients.wrt(&a).unwrap(), expected[2]);
    }
}
