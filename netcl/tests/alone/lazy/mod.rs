//! Operations that wait until a value is needed, on every device that computes.

mod compiled;
mod graphs;
mod layers;
mod states;
mod writes;

use netcl::prelude::*;
use netcl::{DeviceKind, Error, Operand, algorithms};
use netcl_fixtures::devices::{all, with_driver};
use netcl_fixtures::processes;

fn floats(device: &Device, values: &[f32]) -> Tensor {
    Tensor::from_slice(device, values, &[values.len()]).unwrap()
}

fn values(tensor: &Tensor) -> Vec<f32> {
    tensor.to_vec().unwrap()
}

/// Numbers between -2 and 2, others for each seed.
fn ramp(count: usize, seed: usize) -> Vec<f32> {
    (0..count).map(|i| ((i * 37 + seed * 101) % 97) as f32 / 24.0 - 2.0).collect()
}

fn near(found: &[f32], expected: &[f32], what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (found, expected) in found.iter().zip(expected) {
        let same = found.is_nan() && expected.is_nan();
        assert!(same || (found - expected).abs() <= 1e-4 * expected.abs().max(1.0), "{what}: {found} for {expected}");
    }
}

fn formula(a: &Tensor, b: &Tensor, c: &Tensor) -> Tensor {
    (a * b + c).tanh() * a.sigmoid() + b.relu()
}

#[test]
fn a_formula_is_one_launch_and_nothing_before_it_is_needed() {
    let _turn = crate::turn();
    for device in all() {
        let [a, b, c] = [1, 2, 3].map(|seed| floats(&device, &ramp(1000, seed)));
        let before = device.launches();
        let y = formula(&a, &b, &c);
        assert_eq!(device.launches(), before, "{device}");
        assert_eq!((y.shape(), y.dtype()), ([1000].as_slice(), DType::F32));
        let found = values(&y);
        assert_eq!(device.launches(), before + 1, "{device}");
        let of = |f: &dyn Fn(f32, f32, f32) -> f32| -> Vec<f32> {
            (0..1000).map(|i| f(ramp(1000, 1)[i], ramp(1000, 2)[i], ramp(1000, 3)[i])).collect()
        };
        near(&found, &of(&|a, b, c| (a * b + c).tanh() / (1.0 + (-a).exp()) + b.max(0.0)), "formula");
        // It is computed once, for all who have it.
        assert_eq!(values(&y.clone()), found);
        assert_eq!(device.launches(), before + 1, "{device}");
    }
}

#[test]
fn what_nobody_reads_is_not_computed() {
    let _turn = crate::turn();
    for device in all() {
        let x = floats(&device, &ramp(100, 1));
        let before = device.launches();
        for _ in 0..1000 {
            drop(x.exp().add(&x).matmul(x.reshape([100, 1])));
        }
        device.finish().unwrap();
        assert_eq!(device.launches(), before, "{device}");
    }
}

#[test]
fn what_is_dear_and_held_is_computed_once() {
    let _turn = crate::turn();
    for device in all() {
        let x = Tensor::from_slice(&device, &ramp(64 * 64, 1), &[64, 64]).unwrap();
        let product = x.matmul(&x);
        let (y, z) = (product.relu().add(&x), product.tanh());
        y.eval().unwrap();
        // Only this launch is to come, since the product is there.
        let before = device.launches();
        z.eval().unwrap();
        product.eval().unwrap();
        assert_eq!(device.launches(), before + 1, "{device}");
        near(&values(&z), &values(&x.matmul(&x)).iter().map(|x| x.tanh()).collect::<Vec<_>>(), "tanh");
    }
}

/// Forward and backward of elementwise work are a plan each.
#[test]
fn a_loss_and_its_gradient_are_computed_together() {
    let _turn = crate::turn();
    for device in all() {
        let [a, b, c] = [1, 2, 3].map(|seed| floats(&device, &ramp(1000, seed)));
        let step = || {
            let tracked = a.requires_grad().unwrap();
            let loss = formula(&tracked, &b, &c).sum([0]);
            let gradient = loss.backward().unwrap().wrt(&tracked).unwrap();
            (loss.item::<f32>().unwrap(), values(&gradient))
        };
        let expected = step();
        let before = device.launches();
        assert_eq!(step(), expected);
        let launches = device.launches() - before;
        assert!(launches <= 4, "{device}: {launches}");
        assert!(expected.1.iter().all(|value| value.is_finite()));
    }
}

#[test]
fn threads_share_what_waits() {
    let _turn = crate::turn();
    for device in all() {
        let x = floats(&device, &ramp(1000, 1));
        let y = (x.exp() + 1.0).apply("log", &[]);
        let before = device.launches();
        let found: Vec<Vec<f32>> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..8).map(|_| scope.spawn(|| values(&y.clone()))).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert_eq!(device.launches(), before + 1, "{device}");
        assert!(found.windows(2).all(|pair| pair[0] == pair[1]));
        // Made here, read there, after its tensors went.
        let sent = x.add(&x).mul(&x);
        let found = std::thread::spawn(move || values(&sent)).join().unwrap();
        near(&found, &ramp(1000, 1).iter().map(|x| 2.0 * x * x).collect::<Vec<_>>(), "sent");
    }
}

/// A loop that never reads holds no more than a bound.
#[test]
fn long_loops_are_computed_on_the_way() {
    let _turn = crate::turn();
    for device in all() {
        let x = floats(&device, &[1.0, 2.0]);
        let before = device.launches();
        let mut sum = x.clone();
        for _ in 0..1000 {
            sum = sum + &x;
        }
        let launches = device.launches() - before;
        assert!((5..=20).contains(&launches), "{device}: {launches}");
        assert_eq!(values(&sum), [1001.0, 2002.0], "{device}");
        // Each is used twice: few operations, though there are many ways through them.
        let mut doubled = x.clone();
        let before = device.launches();
        for _ in 0..20 {
            doubled = &doubled + &doubled;
        }
        assert_eq!(device.launches(), before, "{device}");
        assert_eq!(values(&doubled), [1048576.0, 2097152.0], "{device}");
    }
    // Nor more bytes than another.
    let device = Device::null(netcl::Target::Gpu, 1 << 30);
    let mut sum = Tensor::zeros(&device, &[4 << 20], DType::F32).unwrap();
    for _ in 0..200 {
        sum = sum + Tensor::zeros(&device, &[4 << 20], DType::F32).unwrap();
    }
    sum.eval().unwrap();
}

#[test]
fn mistakes_of_what_waits_name_the_call() {
    let _turn = crate::turn();
    let device = Device::null(netcl::Target::Gpu, 64 << 20);
    let x = Tensor::zeros(&device, &[1 << 20], DType::F32).unwrap();
    let small = x.add(&x);
    let column = small.reshape([1 << 20, 1]);
    let large = column.apply("broadcast_to", &[Operand::Integers(&[1 << 20, 64])]).exp(); // here
    let line = line!() - 1;
    let rest = large.relu().sum([0, 1]);
    large.check().unwrap();
    let error = large.to_vec::<f32>().unwrap_err();
    let Error::Operation { operation, operands, caller, cause } = &error else { panic!("{error}") };
    assert!(matches!(&**cause, Error::OutOfMemory { .. }), "{error}");
    assert!(caller.file() == file!() && caller.line() == line, "{error}");
    assert!(["exp", "broadcast_to"].contains(&operation.as_str()) && operands.starts_with("f32 [1048576, "), "{error}");
    // It is the value from now on, and that of what is computed from it; the rest goes on.
    assert_eq!(large.check().unwrap_err().to_string(), error.to_string());
    assert_eq!(large.neg().item::<f32>().unwrap_err().to_string(), error.to_string());
    assert_eq!(rest.item::<f32>().unwrap_err().to_string(), error.to_string());
    assert_eq!(small.to_vec::<f32>().unwrap().len(), 1 << 20);
}

#[netcl::model]
struct Line {
    #[layer(inputs = 2, outputs = 2)]
    line: Linear,
}

#[netcl::model]
impl Line {
    fn forward(&self, x: &Tensor<f32, N, 2>, y: &Tensor<f32, N, 2>) -> Tensor<f32, N, 2> {
        self.line.forward(x) + y
    }
}

netcl::kernel! {
    /// y = 2x
    fn twice(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| 2.0 * x[n]
    }
}

/// Functions, kernels, layers and algorithms compute what they are given, all of it together.
#[test]
fn whatever_takes_tensors_takes_what_waits() {
    let _turn = crate::turn();
    for device in all() {
        let model = Line::new(&device, Seed(3)).unwrap();
        let x = Tensor::from_slice(&device, &ramp(8, 1), &[4, 2]).unwrap();
        let made = || (&x * 2.0 + 1.0, x.tanh());
        let (a, b) = made();
        let (c, d) = (a.eval().unwrap(), b.eval().unwrap());
        let expected = values(&model.forward(&c, &d).unwrap());
        let (a, b) = made();
        assert_eq!(values(&model.forward(&a, &b).unwrap()), expected, "{device}");
        let flat = (&x - 1.0).reshape([8]);
        near(
            &values(&twice(&flat).unwrap()),
            &ramp(8, 1).iter().map(|x| 2.0 * (x - 1.0)).collect::<Vec<_>>(),
            "kernel",
        );
        let sum = algorithms::reduce(algorithms::Operator::Sum, &(x.abs() + 1.0)).unwrap();
        near(&values(&sum), &[8.0 + ramp(8, 1).iter().map(|x| x.abs()).sum::<f32>()], "reduce");
        let host = (&x + 1.0).into_host().unwrap();
        near(host.as_slice::<f32>().unwrap(), &ramp(8, 1).iter().map(|x| x + 1.0).collect::<Vec<_>>(), "into_host");
        let later = (&x + 2.0).to_host_async::<f32>().unwrap().wait().unwrap();
        near(&later, &ramp(8, 1).iter().map(|x| x + 2.0).collect::<Vec<_>>(), "to_host_async");
    }
}

#[test]
fn other_sizes_of_a_batch_use_the_same_programs() {
    let _turn = crate::turn();
    for device in with_driver() {
        let program = |rows: usize| {
            let x = Tensor::from_slice(&device, &ramp(rows * 3, 1), &[rows, 3]).unwrap();
            values(&(x.exp() * 0.1 + &x).softmax(1))
        };
        program(5);
        let programs = || device.program_stats().built + device.program_stats().loaded;
        let before = programs();
        for rows in [7, 11, 30] {
            assert_eq!(program(rows).len(), rows * 3);
        }
        assert_eq!(programs(), before, "{device}");
    }
}

#[test]
fn what_will_be_computed_can_be_read() {
    let _turn = crate::turn();
    for device in all() {
        let made = |rows: usize| {
            let x = Tensor::from_slice(&device, &ramp(rows * 3, 1), &[rows, 3]).unwrap();
            ((x.exp() * 0.1 + &x).sum([1]), x)
        };
        let (y, x) = made(5);
        let before = device.launches();
        let text = y.explain().unwrap();
        assert_eq!(device.launches(), before, "{device}");
        let has = |words: &str| assert!(text.contains(words), "{words}: {text}");
        ["exp_mul_add_sum, found by ", "f32[N, 3]", "number0", "1 launch", "with N = 256"]
            .iter()
            .for_each(|words| has(words));
        if device.profile().kind != DeviceKind::Host {
            has("__kernel");
        }
        // Other batches have the same; other graphs have not.
        let key = |text: &str| text.lines().next().unwrap().to_owned();
        assert_eq!(key(&made(9).0.explain().unwrap()), key(&text));
        assert_ne!(key(&(&y * 0.3).explain().unwrap()), key(&text));
        y.eval().unwrap();
        assert_eq!(y.explain().unwrap(), "f32 [5], in memory\n");
        assert!(x.matmul(&x).explain().is_err());
    }
}

#[test]
#[ignore = "run by the one below, in a process of its own"]
fn child_eager() {
    let _turn = crate::turn();
    let device = Device::host();
    let x = floats(&device, &[1.0, 2.0]);
    let before = device.launches();
    let y = &x + 1.0;
    let launched = device.launches() - before;
    println!("answer: {launched} {:?}", values(&y));
    let a = Tensor::from_slice(&device, &[1.001f32, 2.0, 3.0, 4.0], &[2, 2]).unwrap();
    let product = netcl::autocast(netcl::Precision::Bf16, || a.matmul(&a).relu().square());
    println!("halves: {} {:?}", product.dtype(), values(&product.reshape([4])));
}

#[test]
fn netcl_eager_computes_at_once() {
    let _turn = crate::turn();
    for (value, expected) in [("1", "answer: 1 [2.0, 3.0]"), ("0", "answer: 0 [2.0, 3.0]")] {
        let output = processes::again(module_path!(), "child_eager").env("NETCL_EAGER", value).output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(text.contains(expected), "{value}: {text}");
        // 7.002 is 7 in bf16.
        assert!(text.contains("halves: f32 [49.0, 100.0, 225.0, 484.0]"), "{value}: {text}");
    }
}
