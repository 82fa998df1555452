//! Queues that are out of order give the results of those that are in order.

use netcl::__private::Function;
use netcl::__private::kernels::dim::Shape;
use netcl::__private::kernels::graph::build::Builder;
use netcl::__private::kernels::graph::{InputKind, OutputKind, ReduceOp, UnaryOp};
use netcl::optim::{Adam, Optimizer};
use netcl::{DType, Device, Error, QueueOrder, Target, Tensor, Vendor, algorithms};
use netcl_fixtures::devices::with_several_queues;
use netcl_fixtures::plans::{Line, embed, line_gradients};

/// The OpenCL devices, each with such a queue, and as it is.
fn devices() -> Vec<(Device, Device)> {
    with_several_queues()
        .into_iter()
        .filter_map(|device| match device.with_queue(QueueOrder::OutOfOrder) {
            Ok(other) => Some((other, device)),
            Err(error) => {
                assert!(matches!(error, Error::Unsupported { .. }), "{error}");
                None
            }
        })
        .collect()
}

/// Products and sums in branches that need nothing of each other, and what they make together.
fn branches() -> Function {
    let mut b = Builder::new("branches");
    let x = b.input(InputKind::Argument(0), "x", Shape::of(&[64, 64]), DType::F32);
    let mut ends = Vec::new();
    for op in [UnaryOp::Sin, UnaryOp::Cos, UnaryOp::Tanh, UnaryOp::Exp] {
        let y = b.unary(op, x).unwrap();
        let product = b.matmul(y, x).unwrap();
        let product = b.matmul(product, y).unwrap();
        ends.push(b.reduce(ReduceOp::Max, product, &[1], false).unwrap());
    }
    for (position, end) in ends.iter().enumerate() {
        b.output(OutputKind::Result(position), *end);
    }
    let all = ends
        .into_iter()
        .reduce(|all, end| b.binary(netcl::__private::kernels::graph::BinaryOp::Add, all, end).unwrap());
    b.output(OutputKind::Result(4), all.unwrap());
    embed(&b.finish())
}

#[test]
fn two_queues_of_a_device_are_told_apart() {
    for (other, device) in devices() {
        let [a, b] = [&device, &other].map(|device| Tensor::full(device, 1.0f32, &[4]).unwrap());
        let error = (&a + &b).to_vec::<f32>().unwrap_err().to_string();
        assert!(error.contains("is on another queue of"), "{error}");
    }
}

#[test]
fn branches_give_the_same_numbers() {
    let function = branches();
    for (device, in_order) in devices() {
        let values: Vec<f32> = (0..64 * 64).map(|i| ((i * 37) % 101) as f32 * 0.01 - 0.5).collect();
        let run = |device: &Device| -> Vec<Vec<f32>> {
            let x = Tensor::from_slice(device, &values, &[64, 64]).unwrap();
            let results = function.call(None, "", &[&x], &[]).unwrap();
            results.iter().map(|result| result.to_vec::<f32>().unwrap()).collect()
        };
        let expected = run(&in_order);
        // A simulator takes minutes for many.
        let rounds = if device.profile().vendor == Vendor::Oclgrind { 1 } else { 20 };
        for round in 0..rounds {
            assert_eq!(run(&device), expected, "{device}: round {round}");
        }
    }
}

#[test]
fn everything_else_keeps_its_order() {
    for (device, in_order) in devices() {
        // A simulator takes minutes for many.
        let (count, rounds) = if device.profile().vendor == Vendor::Oclgrind { (1_000, 3) } else { (300_000, 30) };
        let x = Tensor::from_slice(&device, &vec![1.5f32; count], &[count]).unwrap();
        let mut y = x.clone();
        for _ in 0..rounds {
            y = y.add(&x).mul(&x).sub(&y);
            y = y.div(y.abs().add(&x));
        }
        let z = Tensor::from_slice(&in_order, &vec![1.5f32; count], &[count]).unwrap();
        let mut w = z.clone();
        for _ in 0..rounds {
            w = w.add(&z).mul(&z).sub(&w);
            w = w.div(w.abs().add(&z));
        }
        assert_eq!(y.to_vec::<f32>().unwrap(), w.to_vec::<f32>().unwrap(), "{device}");
        let keys: Vec<u32> = (0..count as u32 / 3).map(|i| i.wrapping_mul(2_654_435_761)).collect();
        let sorted = algorithms::sort(&Tensor::from_slice(&device, &keys, &[keys.len()]).unwrap(), Default::default());
        let mut expected = keys;
        expected.sort_unstable();
        let moved = sorted.unwrap().to_device(&in_order).unwrap();
        assert_eq!(moved.to_vec::<u32>().unwrap(), expected, "{device}");
        let (mut recording, sum) = device.record(|| y.add(&x).mul(&x).sum([0]).check()).unwrap();
        let first = sum.item::<f32>().unwrap();
        (0..5).for_each(|_| recording.replay().unwrap());
        assert_eq!(sum.item::<f32>().unwrap(), first);
    }
}

#[test]
fn training_is_the_same_bit_by_bit() {
    let gradients = line_gradients();
    let trained = |device: &Device| -> Vec<f32> {
        let mut model = Line::new(device);
        let mut adam = Adam::new(0.05);
        let x = Tensor::from_slice(device, &[1.0f32, 2.0, -1.0], &[1, 3]).unwrap();
        for _ in 0..20 {
            let core = model.core.clone();
            let (_, gradients, _) = gradients.call_with_gradients(&core, "", &[&x], &[]).unwrap();
            adam.step(&mut model, &gradients).unwrap();
        }
        model.core.tensor("w").unwrap().to_vec().unwrap()
    };
    for (device, in_order) in devices() {
        assert_eq!(trained(&device), trained(&in_order), "{device}");
    }
}

#[test]
fn devices_without_a_queue_have_none_of_any_order() {
    for device in [Device::host(), Device::null(Target::Gpu, 1 << 20)] {
        for order in [QueueOrder::InOrder, QueueOrder::OutOfOrder] {
            let error = device.with_queue(order).unwrap_err();
            assert!(
                matches!(&error, Error::Unsupported { function, .. } if function == "Device::with_queue"),
                "{error}"
            );
        }
    }
}

/// A program is held where it is far ahead of a device, but not by what it is to complete itself.
#[test]
fn a_program_may_be_ahead_of_its_device() {
    for (_, device) in devices() {
        let rounds = if device.profile().vendor == Vendor::Oclgrind { 2100 } else { 5000 };
        let step = |x: Tensor, _| &x + 1.0;
        let x = Tensor::zeros(&device, &[4], DType::F32).unwrap();
        assert_eq!((0..rounds).fold(x.clone(), step).to_vec::<f32>().unwrap(), [rounds as f32; 4]);
        let gate = netcl::UserEvent::new();
        device.wait_for(&gate.event()).unwrap();
        let y = (0..rounds).fold(x, step);
        gate.complete();
        assert_eq!(y.to_vec::<f32>().unwrap(), [rounds as f32; 4]);
    }
}
