//! Functions that are compiled at run time: never a stale replay.

use super::{floats, near, ramp, values};
use netcl::nn::{Layer, Layers, Mode, Network};
use netcl::prelude::*;
use netcl::{Error, compile, no_grad, value_and_grad};
use netcl_fixtures::devices::all;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

const FEATURES: usize = 6;

fn network(device: &Device) -> Network {
    let mut layers = Layers::new();
    layers.add("0", "Linear", &[("inputs", FEATURES.into()), ("outputs", 8.into())]).unwrap();
    layers.add("1", "Linear", &[("inputs", 8.into()), ("outputs", 3.into())]).unwrap();
    layers.add("dropout", "Dropout", &[("rate", 0.5.into())]).unwrap();
    layers.add("norm", "BatchNorm", &[("features", 3.into())]).unwrap();
    layers.build(device, Seed(3)).unwrap()
}

fn rows(device: &Device, count: usize, seed: usize) -> Tensor {
    Tensor::from_slice(device, &ramp(count * FEATURES, seed), &[count, FEATURES]).unwrap()
}

fn forward(net: &Network, x: &Tensor) -> Tensor {
    let hidden = net.forward("0", &[x], Mode::Training).relu();
    net.forward("1", &[&hidden], Mode::Training) * 0.3
}

fn loss(net: &Network, x: &Tensor) -> Tensor {
    forward(net, x).tanh().mean_all()
}

/// The gradients in all parameters that a loss reaches.
fn gradients(net: &Network, loss: &Tensor) -> Vec<f32> {
    let gradients = loss.backward().unwrap();
    let of = |path: &str| values(&gradients.wrt(&net.parameter(path).unwrap()).unwrap());
    ["0.weight", "0.bias", "1.weight", "1.bias"].map(of).concat()
}

#[test]
fn a_function_is_noted_once_and_computes_what_it_is_given() {
    static CALLS: AtomicUsize = AtomicUsize::new(0);
    let _turn = crate::turn();
    for device in all() {
        CALLS.store(0, Ordering::Relaxed);
        let f = compile(|a: &Tensor, b: &Tensor| {
            CALLS.fetch_add(1, Ordering::Relaxed);
            (a * b + a).tanh() * 0.7
        });
        let [x, y] = [1, 2].map(|seed| floats(&device, &ramp(50, seed)));
        // One tensor for both arguments, first and last: what it is found by does not say which is which.
        for (a, b) in [(&x, &x), (&x, &y), (&y, &x), (&y, &y)] {
            let before = device.launches();
            let found = f.call(a, b).unwrap();
            assert_eq!(device.launches(), before, "{device}: it waits");
            near(&values(&found), &values(&((a * b + a).tanh() * 0.7)), &device.to_string());
        }
        assert_eq!(CALLS.load(Ordering::Relaxed), 1, "{device}");
        let before = device.launches();
        let more = (f.call(&x, &y).unwrap() + &x).exp();
        more.eval().unwrap();
        assert_eq!(device.launches(), before + 1, "{device}: it is fused with what is around it");
        // CompiledResults are new tensors: what comes next changes none.
        let mut all = vec![x.clone()];
        for _ in 0..4 {
            all.push(f.call(all.last().unwrap(), &y).unwrap().eval().unwrap());
        }
        let mut expected = x.clone();
        for found in &all[1..] {
            expected = ((&expected * &y + &expected).tanh() * 0.7).eval().unwrap();
            near(&values(found), &values(&expected), "a result is the next argument");
        }
    }
}

/// Other sizes are compiled anew, with the same programs; 0 and 1 are sizes as others.
#[test]
fn other_shapes_types_and_numbers_are_other_functions() {
    static CALLS: AtomicUsize = AtomicUsize::new(0);
    let _turn = crate::turn();
    for device in all() {
        CALLS.store(0, Ordering::Relaxed);
        let f = compile(|x: &Tensor, factor: &f64, add: &bool| {
            CALLS.fetch_add(1, Ordering::Relaxed);
            let product = x * *factor;
            if *add { product + x } else { product }.reshape([x.shape()[0], 3, 2]).sum([2])
        });
        for round in 0..2 {
            for count in [5, 1, 0, 2, 7] {
                let x = rows(&device, count, count);
                for (factor, add) in [(0.3, true), (0.3, false), (3.0, true)] {
                    let expected = if add { &x * factor + &x } else { &x * factor };
                    let expected = expected.reshape([count, 3, 2]).sum([2]);
                    let found = f.call(&x, &factor, &add).unwrap();
                    assert_eq!(found.shape(), [count, 3], "{device}");
                    near(&values(&found), &values(&expected), &format!("{device}, {count}, {factor}, {add}"));
                }
            }
            assert_eq!(CALLS.load(Ordering::Relaxed), 15, "{device}, round {round}");
        }
        let whole = Tensor::from_slice(&device, &[1i32, 2, 3, 4], &[2, 2]).unwrap();
        let twice = compile(|x: &Tensor| x + x);
        assert_eq!(twice.call(&whole).unwrap().to_vec::<i32>().unwrap(), [2, 4, 6, 8]);
        near(&values(&twice.call(&floats(&device, &[1.5])).unwrap()), &[3.0], "another type");
    }
}

/// What an input is, what parameters are and which model it is: those of the call.
#[test]
fn values_are_those_of_the_call() {
    let _turn = crate::turn();
    for device in all() {
        let bytes = |value: f32| [value; FEATURES].map(f32::to_ne_bytes).concat();
        let memory = device.buffer_pool().allocate(4 * FEATURES).unwrap();
        memory.write(&bytes(1.0)).unwrap();
        let x = Tensor::from_buffer(&device, memory.clone(), &[1, FEATURES], DType::F32).unwrap();
        let mut net = network(&device);
        let f = compile(|net: &Network, x: &Tensor| forward(net, x));
        let now = |net: &Network| values(&forward(net, &x));
        let first = (f.call(&net, &x).unwrap(), now(&net));
        memory.write(&bytes(2.0)).unwrap();
        let second = (f.call(&net, &x).unwrap(), now(&net));
        let step = loss(&net, &x).backward().unwrap().reached(&net).unwrap();
        Sgd::new(0.5).step(&mut net, &step).unwrap();
        let third = (f.call(&net, &x).unwrap(), now(&net));
        let other = Tensor::from_slice(&device, &[0.5f32; 3], &[3]).unwrap();
        net.set_tensor("1.bias", &other).unwrap();
        let fourth = (f.call(&net, &x).unwrap(), now(&net));
        let copy = net.deep_copy().unwrap();
        net.set_tensor("1.bias", &(other * 3.0)).unwrap();
        let fifth = (f.call(&copy, &x).unwrap(), now(&copy));
        let all = [first, second, third, fourth, fifth];
        for (position, (found, expected)) in all.iter().enumerate() {
            near(&values(found), expected, &format!("{device}, {position}"));
        }
        assert!((1..4).all(|position| all[position].1 != all[position - 1].1), "{device}: they differ");
    }
}

#[test]
fn a_model_that_has_moved_is_another() {
    let _turn = crate::turn();
    let f = compile(|net: &Network, x: &Tensor| forward(net, x));
    let devices = all();
    let mut net = network(&devices[0]);
    let expected = values(&f.call(&net, &rows(&devices[0], 3, 1)).unwrap());
    for device in &devices {
        net.to_device(device).unwrap();
        near(&values(&f.call(&net, &rows(device, 3, 1)).unwrap()), &expected, &device.to_string());
    }
}

/// Through a compiled function go the gradients of its operations.
#[test]
fn gradients_go_through() {
    let _turn = crate::turn();
    for device in all() {
        let net = network(&device);
        let [x, y] = [1, 2].map(|seed| rows(&device, 4, seed));
        let f = compile(|net: &Network, x: &Tensor| loss(net, x));
        for (a, b) in [(&x, &y), (&y, &x)] {
            let found = gradients(&net, &f.call(&net, a).unwrap());
            near(&found, &gradients(&net, &loss(&net, a)), &device.to_string());
            // Two calls before the gradients are added, and each call has its own.
            let both = f.call(&net, a).unwrap() * 2.0 + f.call(&net, b).unwrap();
            let expected = loss(&net, a) * 2.0 + loss(&net, b);
            near(&gradients(&net, &both), &gradients(&net, &expected), "two calls");
        }
        let text = no_grad(|| f.call(&net, &x)).unwrap().backward().unwrap_err().to_string();
        assert!(text.contains("no_grad"), "{text}");
        // In an argument, through numbers, and around a `detach`.
        let g = compile(|x: &Tensor| (x * x.exp().detach() * 0.3).sum([0, 1]));
        let (_, found) = value_and_grad(&x, |x| g.call(x)).unwrap();
        let (_, expected) = value_and_grad(&x, |x| (x * x.exp().detach() * 0.3).sum([0, 1])).unwrap();
        near(&values(&found), &values(&expected), "detach");
        near(&values(&found), &values(&(x.exp() * 0.3)), "detach");
        let g = compile(|x: &Tensor| (x * no_grad(|| x.exp())).sum([0, 1]));
        let (_, found) = value_and_grad(&x, |x| g.call(x)).unwrap();
        near(&values(&found), &values(&x.exp()), "no_grad");
        // Layers in inference, parameters that are taken as they are, and as another shape.
        let of_all = |net: &Network, x: &Tensor| {
            let hidden = net.forward("0", &[x], Mode::Inference).tanh();
            let weight = net.parameter("1.weight")?.reshape([3, 8]);
            (hidden * weight.sum([0])).mean_all().check()
        };
        let g = compile(of_all);
        let tracked = x.requires_grad().unwrap();
        let wrt = |loss: Tensor| {
            let gradients = loss.backward().unwrap();
            let of = |path: &str| values(&gradients.wrt(&net.parameter(path).unwrap()).unwrap());
            [of("0.weight"), of("1.weight"), values(&gradients.wrt(&tracked).unwrap())].concat()
        };
        near(&wrt(g.call(&net, &tracked).unwrap()), &wrt(of_all(&net, &tracked).unwrap()), "inference");
        near(&values(&g.call(&net, &x).unwrap().reshape([1])), &values(&of_all(&net, &x).unwrap().reshape([1])), "");
    }
}

/// What a function finds elsewhere has its gradient, too.
#[test]
fn no_gradient_is_lost_in_what_is_no_argument() {
    static OTHER: OnceLock<Tensor> = OnceLock::new();
    let _turn = crate::turn();
    let device = Device::host();
    let other = OTHER.get_or_init(|| floats(&Device::host(), &[3.0, 4.0]).requires_grad().unwrap());
    let f = compile(|x: &Tensor| (x * OTHER.get().unwrap()).sum([0]));
    for numbers in [[1.0, 2.0], [5.0, 6.0]] {
        let gradients = f.call(&floats(&device, &numbers)).unwrap().backward().unwrap();
        near(&values(&gradients.wrt(other).unwrap()), &numbers, "a tensor of a static");
    }
    // Other memory is that of the call.
    static PLAIN: OnceLock<Tensor> = OnceLock::new();
    let memory = device.buffer_pool().allocate(8).unwrap();
    let write = |value: f32| memory.write(&[value; 2].map(f32::to_ne_bytes).concat()).unwrap();
    write(1.0);
    PLAIN.set(Tensor::from_buffer(&device, memory.clone(), &[2], DType::F32).unwrap()).unwrap();
    let f = compile(|x: &Tensor| x * PLAIN.get().unwrap());
    for value in [1.0, 7.0] {
        write(value);
        near(&values(&f.call(&floats(&device, &[1.0, 2.0])).unwrap()), &[value, 2.0 * value], "a buffer");
    }
}

/// A loop of steps with a compiled loss is that of the loss.
#[test]
fn training_with_a_compiled_loss_is_training() {
    let _turn = crate::turn();
    for device in all() {
        let train = |loss: &dyn Fn(&Network, &Tensor) -> Tensor| {
            let mut net = network(&device);
            let mut optimizer = AdamW::new(1e-2);
            for step in 0..6 {
                let batch = rows(&device, if step == 5 { 2 } else { 4 }, step);
                let gradients = loss(&net, &batch).backward().unwrap().reached(&net).unwrap();
                optimizer.step(&mut net, &gradients).unwrap();
            }
            net.parameters().iter().flat_map(|(_, parameter)| values(parameter)).collect::<Vec<_>>()
        };
        let f = compile(|net: &Network, x: &Tensor| {
            let hidden = net.forward("0", &[x], Mode::Training).relu();
            let hidden = net.forward("dropout", &[&hidden], Mode::Training);
            net.forward("1", &[&hidden], Mode::Training).tanh().mean_all()
        });
        let expected = train(&|net, x| {
            let hidden = net.forward("0", &[x], Mode::Training).relu();
            let hidden = net.forward("dropout", &[&hidden], Mode::Training);
            net.forward("1", &[&hidden], Mode::Training).tanh().mean_all()
        });
        near(&train(&|net, x| f.call(net, x).unwrap()), &expected, &device.to_string());
    }
}

/// Each call draws, in the order of the calls, as it would without.
#[test]
fn each_call_draws_others() {
    let _turn = crate::turn();
    for device in all() {
        let run = |net: &Network, x: &Tensor| {
            let once = net.forward("dropout", &[x], Mode::Training);
            // Nobody reads it, and it has drawn.
            net.forward("dropout", &[x], Mode::Training);
            once + net.forward("dropout", &[&(x * 3.0)], Mode::Training)
        };
        let x = rows(&device, 5, 1);
        let (net, other) = (network(&device), network(&device));
        let f = compile(run);
        let found: Vec<_> = (0..3).map(|_| f.call(&net, &x).unwrap()).collect();
        let expected: Vec<_> = (0..3).map(|_| run(&other, &x)).collect();
        for (found, expected) in found.iter().zip(&expected) {
            near(&values(found), &values(expected), &device.to_string());
        }
        assert_ne!(values(&found[0]), values(&found[1]));
    }
}

/// Layers that change states do so at each call.
#[test]
fn states_change_at_each_call() {
    let _turn = crate::turn();
    for device in all() {
        let f = compile(|net: &Network, x: &Tensor, mode: &Mode| net.forward("norm", &[&forward(net, x)], *mode));
        let (net, other) = (network(&device), network(&device));
        for (seed, mode) in [(1, Mode::Training), (2, Mode::Training), (3, Mode::Inference), (4, Mode::Training)] {
            let x = rows(&device, 4, seed);
            let found = f.call(&net, &x, &mode).unwrap();
            near(&values(&found), &values(&other.forward("norm", &[&forward(&other, &x)], mode)), "a result");
        }
        let states = |net: &Network| net.states().iter().flat_map(|(_, state)| values(state)).collect::<Vec<_>>();
        near(&states(&net), &states(&other), &device.to_string());
    }
}

#[test]
fn several_results_and_arguments_in_lists() {
    let _turn = crate::turn();
    for device in all() {
        let [x, y] = [1, 2].map(|seed| floats(&device, &ramp(20, seed)));
        let f = compile(|pair: &[Tensor; 2]| (&pair[0] * 0.3, pair[1].clone(), pair[0].exp() + &pair[1]));
        let (scaled, same, sum) = f.call(&[x.clone(), y.clone()]).unwrap();
        let before = device.launches();
        near(&values(&scaled), &values(&(&x * 0.3)), "the first");
        let after = device.launches();
        near(&values(&sum), &values(&(x.exp() + &y)), "the last");
        assert!(after > before);
        assert_eq!(values(&same), values(&y));
        let g = compile(|list: &Vec<Tensor>| -> Result<Vec<Tensor>> { list.iter().map(|x| x.exp().check()).collect() });
        for count in [2, 1, 0, 2] {
            let list = vec![x.clone(); count];
            assert_eq!(g.call(&list).unwrap().len(), count);
        }
        // A compiled function in another one.
        let inner = |x: &Tensor| compile(|x: &Tensor| x.exp() * 0.1).call(x).unwrap() + x;
        let outer = compile(inner);
        near(&values(&outer.call(&x).unwrap()), &values(&inner(&x)), "in another one");
        // A constant that it makes.
        let with_constant = compile(|x: &Tensor| Ok::<_, Error>(x + &Tensor::arange(x.device(), 20, DType::F32)?));
        for _ in 0..2 {
            let expected: Vec<f32> = ramp(20, 1).iter().enumerate().map(|(i, x)| x + i as f32).collect();
            near(&values(&with_constant.call(&x).unwrap()), &expected, "a constant");
        }
        let (mut recording, result) = device.record(|| inner_sum(&x)).unwrap();
        recording.replay().unwrap();
        near(&values(&result), &values(&(&x + &x)), "in a recording");
    }
}

fn inner_sum(x: &Tensor) -> netcl::Result<Tensor> {
    compile(|x: &Tensor| x + x).call(x)
}

fn told<T>(result: netcl::Result<T>) -> String {
    result.err().map_or_else(String::new, |error| error.to_string())
}

#[test]
fn what_cannot_be_compiled_is_told() {
    static NET: OnceLock<Network> = OnceLock::new();
    let _turn = crate::turn();
    let device = Device::host();
    let x = rows(&device, 2, 1);
    let asked = "is asked for while the function is compiled";
    // Also where the function makes the best of it.
    let f = compile(|x: &Tensor| if x.sum([0, 1]).item::<f32>().unwrap_or(0.0) > 0.0 { x.exp() } else { x.clone() });
    for _ in 0..2 {
        let text = told(f.call(&x));
        assert!(text.contains(asked), "{text}");
    }
    let f = compile(|x: &Tensor| -> Result<Tensor> { x.requires_grad()?.sum([0, 1]).backward()?.wrt(x) });
    let text = told(f.call(&x));
    assert!(text.contains(asked) && text.contains("gradient"), "{text}");
    NET.get_or_init(|| network(&Device::host()));
    let f = compile(|x: &Tensor| forward(NET.get().unwrap(), x));
    let text = told(f.call(&x));
    assert!(text.contains("give it the model as an argument"), "{text}");
    let f = compile(|x: &Tensor| NET.get().unwrap().forward("dropout", &[x], Mode::Training));
    let text = told(f.call(&x));
    assert!(text.contains("give it the model as an argument"), "{text}");
    // A mistake in it says where; the next call that fits is none.
    let f = compile(|x: &Tensor| x.matmul(x));
    let text = told(f.call(&x));
    assert!(text.contains("`matmul`") && text.contains("compiled.rs"), "{text}");
    let square = floats(&device, &[2.0]).reshape([1, 1]);
    assert_eq!(values(&f.call(&square).unwrap()), [4.0]);
    let layer = Layer::new(&device, Seed(1), "Linear", &[("inputs", 2.into()), ("outputs", 1.into())]).unwrap();
    let f = compile(|layer: &Layer, x: &Tensor| layer.forward(&[x], Mode::Inference));
    let text = told(f.call(&layer, &x));
    assert!(text.contains("`Linear`"), "{text}");
}
