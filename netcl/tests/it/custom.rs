//! Regions that are computed again, derivatives of a program's own and hooks, on every device that computes.

use netcl::nn::{Layers, Mode, Network};
use netcl::prelude::*;
use netcl_fixtures::devices::all;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

const BLOCKS: usize = 4;

fn network(device: &Device, features: usize, blocks: usize) -> Network {
    let mut layers = Layers::new();
    for block in 0..blocks {
        let sizes = [("inputs", features.into()), ("outputs", features.into())];
        // A bias in front of a norm has the gradient 0: there would be nothing of it but roundings.
        let up = [sizes[0].clone(), sizes[1].clone(), ("bias", false.into())];
        layers.add(&format!("blocks.{block}.up"), "Linear", &up).unwrap();
        layers.add(&format!("blocks.{block}.norm"), "BatchNorm", &[("features", features.into())]).unwrap();
        layers.add(&format!("blocks.{block}.drop"), "Dropout", &[("rate", 0.3.into())]).unwrap();
        layers.add(&format!("blocks.{block}.down"), "Linear", &sizes).unwrap();
    }
    layers.add("shared", "Linear", &[("inputs", features.into()), ("outputs", features.into())]).unwrap();
    layers.build(device, Seed(5)).unwrap()
}

fn block(net: &Network, block: usize, x: &Tensor) -> Tensor {
    let path = |name: &str| format!("blocks.{block}.{name}");
    let h = net.forward(&path("up"), &[x], Mode::Training);
    let h = net.forward(&path("norm"), &[&h], Mode::Training).tanh();
    let h = net.forward(&path("drop"), &[&h], Mode::Training);
    net.forward("shared", &[&net.forward(&path("down"), &[&h], Mode::Training)], Mode::Training)
}

/// How regions are chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Regions {
    None,
    Blocks,
    /// The sum with what went in is outside.
    Inside,
    Nested,
    Whole,
}

fn loss(net: &Network, x: &Tensor, regions: Regions) -> Tensor {
    loss_of(net, x, regions, BLOCKS)
}

fn loss_of(net: &Network, x: &Tensor, regions: Regions, blocks: usize) -> Tensor {
    let one = |number: usize, x: &Tensor| match regions {
        Regions::None | Regions::Whole => x + block(net, number, x),
        Regions::Blocks => netcl::checkpoint([x], |[x]| x + block(net, number, x)),
        Regions::Inside => x + netcl::checkpoint([x], |[x]| block(net, number, x)),
        Regions::Nested => netcl::checkpoint([x], |[x]| {
            let h = netcl::checkpoint([x], |[x]| block(net, number, x));
            netcl::checkpoint([x, &h], |[x, h]| x + h)
        }),
    };
    let all = |x: &Tensor| {
        let h = (0..blocks).fold(x.clone(), |x, number| one(number, &x));
        net.forward("shared", &[&h], Mode::Training).square().mean_all()
    };
    if regions == Regions::Whole { netcl::checkpoint([x], |[x]| all(x)) } else { all(x) }
}

fn input(device: &Device, rows: usize, features: usize) -> Tensor {
    let values: Vec<f32> = (0..rows * features).map(|i| ((i * 37) % 101) as f32 * 0.02 - 1.0).collect();
    Tensor::from_slice(device, &values, &[rows, features]).unwrap()
}

fn values(tensor: &Tensor) -> Vec<f32> {
    tensor.to_vec::<f32>().unwrap()
}

#[track_caller]
fn near(found: &[f32], expected: &[f32], what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    let largest = expected.iter().fold(1e-3f32, |largest, value| largest.max(value.abs()));
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - expected).abs() <= 2e-5 * largest, "{what}: {found} {expected}");
    }
}

#[test]
fn regions_have_the_gradients_of_what_they_compute() {
    for device in all() {
        let x = input(&device, 6, 8);
        for is_read_first in [false, true] {
            let run = |regions| {
                let net = network(&device, 8, BLOCKS);
                let mut found = Vec::new();
                // Twice: running statistics and what dropout draws go on.
                for _ in 0..2 {
                    let x = x.requires_grad().unwrap();
                    let loss = loss(&net, &x, regions);
                    if is_read_first {
                        found.push(("loss".to_owned(), values(&loss)));
                    }
                    let gradients = loss.backward().unwrap();
                    found.push(("loss".to_owned(), values(&loss)));
                    found.push(("x".to_owned(), values(&gradients.wrt(&x).unwrap())));
                    let gradients = gradients.of(&net).unwrap();
                    found.extend(gradients.tensors().into_iter().map(|(path, tensor)| (path, values(&tensor))));
                }
                found.extend(net.states().into_iter().map(|(path, state)| (path, values(&state))));
                found
            };
            let expected = run(Regions::None);
            for regions in [Regions::Blocks, Regions::Inside, Regions::Nested, Regions::Whole] {
                let found = run(regions);
                assert_eq!(found.len(), expected.len());
                for ((path, found), (_, expected)) in found.iter().zip(&expected) {
                    near(found, expected, &format!("{device} {regions:?} {is_read_first} {path}"));
                }
            }
        }
    }
}

#[test]
fn regions_are_differentiated_in_what_is_asked() {
    for device in all() {
        let (net, x) = (network(&device, 8, BLOCKS), input(&device, 6, 8));
        let (value, gradient) = netcl::value_and_grad(&x, |x| loss(&net, x, Regions::Blocks)).unwrap();
        let net = network(&device, 8, BLOCKS);
        let (expected, wanted) = netcl::value_and_grad(&x, |x| loss(&net, x, Regions::None)).unwrap();
        near(&values(&value), &values(&expected), "value");
        near(&values(&gradient), &values(&wanted), "gradient");
        let net = network(&device, 8, BLOCKS);
        let gradients = netcl::grad(&net, |net| loss(net, &x, Regions::Inside)).unwrap();
        let net = network(&device, 8, BLOCKS);
        let wanted = netcl::grad(&net, |net| loss(net, &x, Regions::None)).unwrap();
        for ((path, found), (_, wanted)) in gradients.tensors().iter().zip(&wanted.tensors()) {
            near(&values(found), &values(wanted), path);
        }
    }
}

#[test]
fn a_region_keeps_what_goes_in_and_out() {
    // Each block keeps five tensors of this size without regions, and one with.
    let (rows, features, blocks) = (4096, 64, 12);
    let bytes = 4 * rows * features;
    let measure = |regions: Regions| {
        let device = Device::null(netcl::Target::Gpu, u64::MAX);
        let net = network(&device, features, blocks);
        let x = input(&device, rows, features);
        let loss = loss_of(&net, &x, regions, blocks);
        let before = device.buffer_pool().stats().in_use;
        loss.eval().unwrap();
        let kept = device.buffer_pool().stats().in_use - before;
        loss.backward().unwrap().of(&net).unwrap();
        (kept / bytes, device.buffer_pool().stats().peak / bytes)
    };
    let (without, with) = (measure(Regions::None), measure(Regions::Blocks));
    println!("kept and most in tensors of one size: {without:?} without regions, {with:?} with");
    assert!(with.0 <= blocks + 3 && without.0 >= 5 * blocks, "{without:?} {with:?}");
    // And one region at a time.
    assert!(with.1 <= blocks + 18 && without.1 >= 6 * blocks, "{without:?} {with:?}");
}

#[test]
fn what_a_region_needs_is_computed_once_more_and_a_closure_is_not_called_again() {
    let device = Device::host();
    let calls = AtomicUsize::new(0);
    let x = input(&device, 2, 3).requires_grad().unwrap();
    let y = netcl::checkpoint([&x], |[x]| {
        calls.fetch_add(1, Ordering::Relaxed);
        x.exp().sin()
    });
    let loss = y.square().sum_all();
    for _ in 0..2 {
        let gradient = loss.backward().unwrap().wrt(&x).unwrap();
        let expected: Vec<f32> = values(&x).iter().map(|x| 2.0 * x.exp().sin() * x.exp().cos() * x.exp()).collect();
        near(&values(&gradient), &expected, "gradient");
    }
    assert_eq!(calls.load(Ordering::Relaxed), 1);
}

#[test]
fn a_mistake_in_a_region_is_its_value() {
    let device = Device::host();
    let x = input(&device, 2, 3).requires_grad().unwrap();
    let y = netcl::checkpoint([&x], |[x]| x.matmul(x)).sum_all();
    let error = y.backward().unwrap_err().to_string();
    assert!(error.contains("`matmul`") && error.contains("custom.rs"), "{error}");
    let y = netcl::checkpoint([&x], |[x]| -> Result<Tensor> { x.reshape([5]).check() });
    let error = y.item::<f32>().unwrap_err().to_string();
    assert!(error.contains("`reshape` of f32 [2, 3], [5]"), "{error}");
}

/// `a * b²`, by hand.
fn product(a: &Tensor, b: &Tensor, calls: &Arc<AtomicUsize>) -> Tensor {
    let calls = calls.clone();
    netcl::custom_vjp([a, b], move |[a, b]| {
        let value = a.mul(b.square());
        let (a, b) = (a.clone(), b.clone());
        let pullback = move |gradient: &Tensor| {
            calls.fetch_add(1, Ordering::Relaxed);
            [gradient.mul(b.square()), gradient.mul(&a).mul(&b) * 2.0]
        };
        (value, pullback)
    })
}

#[test]
fn a_derivative_of_ones_own_is_the_one_that_is_taken() {
    for device in all() {
        let calls = Arc::new(AtomicUsize::new(0));
        let [a, b] = [input(&device, 3, 4), input(&device, 3, 4).flip([0])].map(|x| x.requires_grad().unwrap());
        // Before, behind and beside it there is something else, and it is there twice.
        let of = |product: &dyn Fn(&Tensor, &Tensor) -> Tensor| {
            let first = product(&a.exp(), &b);
            product(&first, &a.add(&b)).add(&a).square().sum_all()
        };
        let loss = of(&|a, b| product(a, b, &calls));
        let expected = of(&|a, b| a.mul(b.square()));
        near(&values(&loss), &values(&expected), "value");
        let (found, expected) = (loss.backward().unwrap(), expected.backward().unwrap());
        assert_eq!(calls.load(Ordering::Relaxed), 2);
        for x in [&a, &b] {
            near(&values(&found.wrt(x).unwrap()), &values(&expected.wrt(x).unwrap()), &device.to_string());
        }
        // Where nothing is tracked nobody asks for it, and what is not tracked has none.
        let plain = product(&a.detach(), &b.detach(), &calls);
        near(&values(&plain), &values(&a.mul(b.square())), "plain");
        let one = product(&a.detach(), &b, &calls).sum_all().backward().unwrap();
        near(&values(&one.wrt(&b).unwrap()), &values(&(a.mul(&b) * 2.0)), "one");
        let error = one.wrt(&a).unwrap_err().to_string();
        assert!(error.contains("nothing that leads to the loss uses it"), "{error}");
        let error = netcl::grad(&a, |a| product(&a.round(), &b, &calls).sum_all()).unwrap_err().to_string();
        assert!(error.contains("`round` at ") || error.contains("does not reach"), "{error}");
    }
}

#[test]
fn gradients_that_do_not_fit_are_refused_by_name_and_line() {
    let device = Device::host();
    let x = input(&device, 2, 3).requires_grad().unwrap();
    let y = netcl::custom_vjp([&x], |[x]| (x.exp(), |gradient: &Tensor| [gradient.sum([0])]));
    let error = y.sum_all().backward().unwrap_err().to_string();
    assert!(error.contains("what `custom_vjp` at ") && error.contains("tests/it/custom.rs"), "{error}");
    assert!(error.contains("gave for the gradient in f32 [2, 3] is f32 [3] on"), "{error}");
    let y = x.on_gradient(|gradient| gradient.cast(DType::F16));
    let error = y.sum_all().backward().unwrap_err().to_string();
    assert!(error.contains("what `on_gradient` at ") && error.contains("is f16 [2, 3] on"), "{error}");
    let y = x.on_gradient(|gradient| gradient.reshape([7]));
    let error = y.sum_all().backward().unwrap_err().to_string();
    assert!(error.contains("`reshape` of f32 [2, 3], [7]"), "{error}");
    let y = x.on_gradient(|_| -> Result<Tensor> { Err(Error::Interrupted) });
    assert!(matches!(y.sum_all().backward(), Err(Error::Interrupted)));
    // In between there is no gradient to ask for.
    let error = y.requires_grad().unwrap_err().to_string();
    assert!(error.contains("go on from `x.detach().requires_grad()?`"), "{error}");
    let fine = x.on_gradient(Tensor::clone);
    let error = fine.sum_all().backward().unwrap().wrt(&fine).unwrap_err().to_string();
    assert!(error.contains("`netcl::grad(&x, |x| loss(x))?` gives that of what a function makes of it"), "{error}");
}

/// Which hooks were called, with which gradients.
type Seen = Vec<(&'static str, Vec<f32>)>;

#[test]
fn hooks_see_and_change_gradients_on_their_way() {
    for device in all() {
        let seen: Arc<Mutex<Seen>> = Arc::default();
        let hook = |name: &'static str, factor: f64| {
            let seen = seen.clone();
            move |gradient: &Tensor| -> Result<Tensor> {
                seen.lock().unwrap().push((name, gradient.to_vec::<f32>()?));
                Ok(gradient * factor)
            }
        };
        let x = Tensor::from_slice(&device, &[1.0f32, -2.0], &[2]).unwrap().requires_grad().unwrap();
        let h = x.on_gradient(hook("x", 2.0)).mul(&x).on_gradient(hook("h", 10.0));
        let loss = h.square().sum_all().on_gradient(hook("loss", 1.0));
        assert_eq!(loss.item::<f32>().unwrap(), 17.0);
        assert!(seen.lock().unwrap().is_empty());
        let gradient = loss.backward().unwrap().wrt(&x).unwrap();
        // dh = 2 h = 2, 8; ten times; to x by way of the hook 20 x, doubled, and directly 20 x.
        let seen = std::mem::take(&mut *seen.lock().unwrap());
        assert_eq!(seen, [("loss", vec![1.0]), ("h", vec![2.0, 8.0]), ("x", vec![20.0, -160.0])], "{device}");
        assert_eq!(values(&gradient), [60.0, -480.0], "{device}");
        // Not tracked, and where nothing is recorded.
        let y = x.detach().on_gradient(|_| -> Tensor { panic!("there is no gradient") });
        netcl::no_grad(|| x.on_gradient(|_| -> Tensor { panic!("there is no gradient") })).eval().unwrap();
        let _ = y.add(&x).sum_all().backward().unwrap();
    }
}

#[test]
fn hooks_of_parameters_go_to_the_gradients_for_the_step() {
    for device in all() {
        let mut layers = Layers::new();
        layers.add_parameter("p", &[3], 2.0).unwrap().add_parameter("q", &[3], 1.0).unwrap();
        let mut net = layers.build(&device, Seed(1)).unwrap();
        let mut optimizer = Sgd::new(0.1);
        for round in 0..3 {
            let p = net.parameter("p").unwrap();
            let q = net.parameter("q").unwrap();
            // By the hook, and directly; the other one without.
            let loss = p.on_gradient(|gradient| gradient * 3.0).add(&p).add(&q).sum_all();
            let gradients = loss.backward().unwrap().of(&net).unwrap();
            assert_eq!(values(&gradients.tensor("p").unwrap()), [4.0; 3], "{device} {round}");
            assert_eq!(values(&gradients.tensor("q").unwrap()), [1.0; 3], "{device} {round}");
            // Then one plan alone, whose buffer has been another's.
            let loss = net.parameter("q").unwrap().sum_all();
            let few = loss.backward().unwrap().reached(&net).unwrap();
            assert_eq!(values(&few.tensor("p").unwrap()), [0.0; 3], "{device} {round}");
            optimizer.step(&mut net, &gradients).unwrap();
        }
        near(&values(&net.tensor("p").unwrap()), &[0.8; 3], "p");
        let loss = net.parameter("p").unwrap().on_gradient(Tensor::clone).sum_all();
        let gradients = net.parameter("p").unwrap().sum_all().backward().unwrap().reached(&net).unwrap();
        optimizer.step(&mut net, &gradients).unwrap();
        let error = loss.backward().unwrap_err().to_string();
        assert!(error.contains("the parameters have changed since the loss was computed of `p`"), "{error}");
    }
}

#[test]
fn a_function_that_is_compiled_around_them_is_called_as_it_stands() {
    let device = Device::host();
    let f = netcl::compile(|x: &Tensor| {
        let y = x.on_gradient(|gradient| gradient * 5.0);
        let y = netcl::checkpoint([&y], |[y]| y.square());
        netcl::custom_vjp([&y], |[y]| (y.clone(), |gradient: &Tensor| [gradient * 2.0]))
    });
    let x = input(&device, 2, 3).requires_grad().unwrap();
    let gradient = f.call(&x).unwrap().sum_all().backward().unwrap().wrt(&x).unwrap();
    near(&values(&gradient), &values(&(&x * 20.0)), "gradient");
}

#[test]
fn a_recording_does_the_same_again() {
    for device in all() {
        let memory = device.buffer_pool().allocate(24).unwrap();
        let write = |factor: f32| {
            let values = values(&input(&Device::host(), 2, 3));
            let bytes: Vec<u8> = values.iter().flat_map(|value| (factor * value).to_ne_bytes()).collect();
            memory.write(&bytes).unwrap();
        };
        write(1.0);
        let x = Tensor::from_buffer(&device, memory.clone(), &[2, 3], DType::F32).unwrap();
        let (mut recording, gradient) = device
            .record(|| {
                let x = x.requires_grad()?;
                let y = netcl::checkpoint([&x], |[x]| x.square().on_gradient(|gradient| gradient * 2.0).sum([0]));
                y.square().sum_all().backward()?.wrt(&x)
            })
            .unwrap();
        for factor in [1.0, 2.0, -0.5] {
            write(factor);
            recording.replay().unwrap();
            let plain = (&input(&device, 2, 3) * f64::from(factor)).requires_grad().unwrap();
            let wanted = plain.square().sum([0]).square().sum_all().backward().unwrap().wrt(&plain).unwrap();
            near(&values(&gradient), &values(&(wanted * 2.0)), &format!("{device} {factor}"));
        }
    }
}

#[test]
fn long_chains_of_them_go_one_after_the_other() {
    let device = Device::host();
    let x = Tensor::from_slice(&device, &[1.0f32], &[1]).unwrap().requires_grad().unwrap();
    let mut y = x.clone();
    for _ in 0..20_000 {
        y = y.on_gradient(Tensor::clone) * 1.0;
        y = y.eval().unwrap();
    }
    drop(y);
}

#[test]
fn a_gradient_of_their_gradient_is_no_wrong_number() {
    let device = Device::host();
    let x = input(&device, 2, 3);
    let functions: [fn(&Tensor) -> Tensor; 3] = [
        |x| netcl::custom_vjp([x], |[x]| (x.square(), |gradient: &Tensor| [gradient.clone()])),
        |x| netcl::checkpoint([x], |[x]| x.square()),
        |x| x.square().on_gradient(|gradient| gradient * 2.0),
    ];
    for f in functions {
        let inner = |x: &Tensor| netcl::grad(x, |x| f(x).mul(x).sum_all());
        let outer = netcl::grad(&x, |x| Ok::<_, Error>(inner(x)?.mul(x).sum_all())?.check());
        assert!(outer.is_err(), "{outer:?}");
    }
}
