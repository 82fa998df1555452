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

/// Nothing of it is kept: where a part begins, what it starts from is computed again.
#[test]
fn of_a_region_that_is_long_itself() {
    let device = Device::host();
    let (w, a) = (number(&device, 0.7), number(&device, 0.3));
    let mut expected = [0.0; 3];
    let loss = netcl::checkpoint([&w, &a], |[w, a]| {
        let (loss, own) = recurrent(w, a, 400, |_, h| h);
        expected = own;
        loss
    });
    near("loss", &loss, expected[0]);
    for gradients in [loss.backward().unwrap(), loss.backward().unwrap()] {
        near("w", &gradients.wrt(&w).unwrap(), expected[1]);
        near("a", &gradients.wrt(&a).unwrap(), expected[2]);
    }
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

/// Rounds of `h = a * h + 0.1`'s sine, of what `before` says of those before, by number; and each by hand with its derivative in `a`.
fn skipping(a: &Tensor, rounds: usize, before: impl Fn(usize) -> Option<usize>) -> (Tensor, [f64; 2]) {
    let own = f64::from(a.to_vec::<f32>().unwrap()[0]);
    let (mut all, mut by_hand) = (vec![a.clone()], vec![[own, 1.0]]);
    for round in 0..rounds {
        let [h, dh] = by_hand[round];
        let inner = own * h + 0.1;
        let mut next = (a * &all[round] + 0.1).sin();
        let mut value = [inner.sin(), inner.cos() * (h + own * dh)];
        if let Some(before) = before(round) {
            next = next + &all[before] * 0.1;
            value = [value[0] + 0.1 * by_hand[before][0], value[1] + 0.1 * by_hand[before][1]];
        }
        all.push(next);
        by_hand.push(value);
    }
    (all[rounds].sum_all(), by_hand[rounds])
}

/// Which round's value a round uses.
type Skip<'a> = &'a dyn Fn(usize) -> Option<usize>;

#[test]
fn values_that_are_used_long_after() {
    let rounds = 700;
    let skips: [(&str, Skip<'_>); 5] = [
        ("the third at the end", &|round| (round + 1 == rounds).then_some(3)),
        ("the third in every round", &|round| (round > 3).then_some(3)),
        ("each in the second half", &|round| (round >= rounds / 2).then(|| rounds - 1 - round)),
        ("those of twenty rounds before", &|round| round.checked_sub(20)),
        ("those of a hundred rounds before now and then", &|round| round.checked_sub(100).filter(|_| round % 50 < 2)),
    ];
    let device = Device::host();
    for (what, before) in skips {
        let a = number(&device, 0.9);
        let (loss, expected) = skipping(&a, rounds, before);
        near(what, &loss, expected[0]);
        for gradients in [loss.backward().unwrap(), loss.backward().unwrap()] {
            near(&format!("a, {what}"), &gradients.wrt(&a).unwrap(), expected[1]);
        }
    }
}

/// More values than a part has operations, each kept and each used once.
#[test]
fn many_kept_values_that_are_used_long_after() {
    let (device, rounds) = (Device::host(), 300);
    let a = Tensor::from_slice(&device, &[0.9f32], &[1, 1]).unwrap().requires_grad().unwrap();
    let (mut h, mut own, mut slope) = (a.clone(), f64::from(0.9f32), 1.0);
    let (mut all, mut by_hand) = (Vec::new(), Vec::new());
    for round in 0..2 * rounds {
        h = h.matmul(&a);
        (own, slope) = (own * f64::from(0.9f32), slope * f64::from(0.9f32) + own);
        if round < rounds {
            all.push(h.clone());
            by_hand.push([own, slope]);
        } else {
            h = h + &all[2 * rounds - 1 - round] * 0.5;
            let [value, derivative] = by_hand[2 * rounds - 1 - round];
            (own, slope) = (own + 0.5 * value, slope + 0.5 * derivative);
        }
    }
    let loss = h.sum_all();
    near("loss", &loss, own);
    near("a", &loss.backward().unwrap().wrt(&a).unwrap(), slope);
}
