//! Memory that is written after a call that reads it, and before its value is needed.
#![allow(unsafe_code, reason = "a kernel in OpenCL C writes to what it is given")]

use super::{floats, formula, near, ramp, values};
use netcl::algorithms::Random;
use netcl::nn::{Layer, Layers, Mode};
use netcl::prelude::*;
use netcl::raw::KernelSpec;
use netcl_fixtures::devices::{all, with_driver};

#[test]
fn memory_that_is_written_is_read_before() {
    let _turn = crate::turn();
    for device in all() {
        let bytes = |values: [f32; 2]| values.map(f32::to_ne_bytes).concat();
        let memory = device.buffer_pool().allocate(8).unwrap();
        let other = device.buffer_pool().allocate(8).unwrap();
        other.write(&bytes([7.0, 8.0])).unwrap();
        let writes: [(&str, &dyn Fn()); 3] = [
            ("write", &|| memory.write(&bytes([9.0, 9.0])).unwrap()),
            ("zero", &|| memory.zero().unwrap()),
            ("copy_into", &|| other.copy_into(&memory).unwrap()),
        ];
        for (what, write) in writes {
            memory.write(&bytes([1.0, 2.0])).unwrap();
            let x = Tensor::from_buffer(&device, memory.clone(), &[2], DType::F32).unwrap();
            let sum = &x + 1.0;
            let later = sum.exp().reshape([1, 2]);
            let dropped = &x * 2.0;
            drop(dropped);
            let before = device.launches();
            write();
            assert_eq!(device.launches(), before + 1, "{device}, {what}: what is dropped is not computed");
            near(&values(&later), &[2.0f32.exp(), 3.0f32.exp()], what);
            assert_eq!(values(&sum), [2.0, 3.0], "{device}, {what}");
            // What is called now sees the new values.
            assert_ne!(values(&(&x + 1.0)), [2.0, 3.0], "{device}, {what}");
        }
    }
}

#[test]
fn parameters_are_read_before_they_change() {
    let _turn = crate::turn();
    for device in all() {
        let mut layers = Layers::new();
        layers.add("line", "Linear", &[("inputs", 3.into()), ("outputs", 2.into())]).unwrap();
        let mut net = layers.build(&device, Seed(1)).unwrap();
        let weight = || net.parameters().into_iter().find(|(path, _)| path == "line.weight").unwrap().1;
        let old = values(&weight());
        let waiting = weight().mul(weight());
        let x = Tensor::from_slice(&device, &ramp(6, 1), &[2, 3]).unwrap();
        let loss = net.forward("line", &[&x], Mode::Training).mean([0, 1]);
        let gradients = loss.backward().unwrap().of(&net).unwrap();
        Sgd::new(0.5).step(&mut net, &gradients).unwrap();
        near(&values(&waiting), &old.iter().map(|x| x * x).collect::<Vec<_>>(), "an optimizer's step");
        let weight = || net.parameters().into_iter().find(|(path, _)| path == "line.weight").unwrap().1;
        let new = values(&weight());
        assert_ne!(new, old);
        let waiting = weight() + 1.0;
        let shape = weight().shape().to_vec();
        net.set_tensor("line.weight", &Tensor::zeros(&device, &shape, DType::F32).unwrap()).unwrap();
        near(&values(&waiting), &new.iter().map(|x| x + 1.0).collect::<Vec<_>>(), "set_tensor");
    }
}

/// In a recording each operation is a launch; what was called before it does not belong to it.
#[test]
fn recordings_do_again_what_is_called_in_them() {
    let _turn = crate::turn();
    for device in all() {
        let bytes = |values: [f32; 2]| values.map(f32::to_ne_bytes).concat();
        let memory = device.buffer_pool().allocate(8).unwrap();
        memory.write(&bytes([1.0, 2.0])).unwrap();
        let x = Tensor::from_buffer(&device, memory.clone(), &[2], DType::F32).unwrap();
        let before = &x * 10.0;
        let (mut recording, y) = device.record(|| Ok(&x + &before)).unwrap();
        assert_eq!((recording.launches(), values(&y)), (1, vec![11.0, 22.0]), "{device}");
        let waiting = &y * 1.0 + 0.5;
        memory.write(&bytes([3.0, 4.0])).unwrap();
        recording.replay().unwrap();
        assert_eq!(values(&y), [13.0, 24.0], "{device}");
        assert_eq!(values(&waiting), [11.5, 22.5], "{device}: a replay writes");
        assert_eq!(values(&before), [10.0, 20.0], "{device}");
    }
}

/// Clones of a value have one memory, which is not changed below any of them.
#[test]
fn clones_of_what_was_computed_are_not_taken() {
    let _turn = crate::turn();
    for device in with_driver() {
        let x = floats(&device, &[1.0, 2.0]);
        let y = &x + 1.0;
        let clone = y.clone();
        let host = y.into_host().unwrap();
        assert_eq!(host.as_slice::<f32>().unwrap(), [2.0, 3.0]);
        assert!(!host.is_zero_copy(), "{device}");
        assert_eq!(values(&clone), [2.0, 3.0]);
    }
}

const NEGATE: &str = "__kernel void negate(__global float* x) { x[get_global_id(0)] = -x[get_global_id(0)]; }";

/// Nobody knows which of its arguments a kernel in OpenCL C writes to.
#[test]
fn raw_kernels_write_after_what_waits_has_read() {
    let _turn = crate::turn();
    for device in with_driver() {
        let negate = KernelSpec::from_source("negate", NEGATE).build(&device).unwrap();
        // SAFETY: the kernel writes as many elements as it has work-items, and the tensor has two.
        let negate = |x: &Tensor| unsafe { negate.launch(&[x.into()], &2.into()) }.unwrap();
        let x = floats(&device, &[1.0, 2.0]);
        let (sum, unread) = (&x + 1.0, &x * 2.0);
        negate(&x);
        let later = &x + 1.0;
        assert_eq!((values(&sum), values(&later)), (vec![2.0, 3.0], vec![0.0, -1.0]), "{device}");
        drop(unread);
        // What waits is computed when it is an argument, and written to then.
        let doubled = &x * 2.0;
        let before = &doubled + 0.0;
        negate(&doubled);
        assert_eq!((values(&doubled), values(&before)), (vec![2.0, 4.0], vec![-2.0, -4.0]), "{device}");
        // Repeated, it writes again.
        let (mut recording, ()) = device
            .record(|| {
                negate(&x);
                Ok(())
            })
            .unwrap();
        assert_eq!(values(&x), [1.0, 2.0], "{device}");
        let sum = &x + 1.0;
        recording.replay().unwrap();
        assert_eq!((values(&sum), values(&x)), (vec![2.0, 3.0], vec![-1.0, -2.0]), "{device}");
    }
}

/// Who has the driver's own object writes without a word: nothing waits for that memory from then on.
#[test]
fn memory_that_others_have_is_read_at_once() {
    let _turn = crate::turn();
    for device in with_driver() {
        let memory = device.buffer_pool().allocate(8).unwrap();
        memory.write(&[1.0f32, 2.0].map(f32::to_ne_bytes).concat()).unwrap();
        let x = Tensor::from_buffer(&device, memory.clone(), &[2], DType::F32).unwrap();
        let waiting = &x + 1.0;
        let before = device.launches();
        assert!(memory.opencl_memory().unwrap().is_some());
        assert_eq!(device.launches(), before + 1, "{device}: what waits is computed before the object is given");
        let at_once = &x + 2.0;
        assert_eq!(device.launches(), before + 2, "{device}: computed when it is called");
        let other = floats(&device, &[1.0, 2.0]) + 2.0;
        assert_eq!(device.launches(), before + 2, "{device}: other memory is netcl's alone");
        assert_eq!((values(&waiting), values(&at_once)), (vec![2.0, 3.0], vec![3.0, 4.0]), "{device}");
        assert_eq!(values(&other), [3.0, 4.0], "{device}");
    }
}

#[test]
fn running_statistics_are_read_before_a_batch_changes_them() {
    let _turn = crate::turn();
    for device in all() {
        let layer = Layer::new(&device, Seed(1), "BatchNorm", &[("features", 3.into())]).unwrap();
        let states = || layer.core().states().into_iter().map(|(_, state)| state);
        let x = Tensor::from_slice(&device, &ramp(12, 1), &[4, 3]).unwrap();
        let batches = [&x + 1.0, &x * 3.0];
        let mut found = Vec::new();
        let mut expected = Vec::new();
        for batch in &batches {
            let waiting: Vec<Tensor> = states().map(|state| state * 2.0).collect();
            let old: Vec<Vec<f32>> = states().map(|state| values(&state)).collect();
            let y = layer.forward(&[batch], Mode::Training);
            // Read after two other batches.
            found.extend(waiting);
            expected.extend(old);
            assert_eq!(y.shape(), [4, 3]);
        }
        assert_eq!(found.len(), expected.len());
        for (found, expected) in found.iter().zip(&expected) {
            near(&values(found), &expected.iter().map(|x| x * 2.0).collect::<Vec<_>>(), "states");
        }
        // Both batches have changed them.
        let last: Vec<Vec<f32>> = states().map(|state| values(&state)).collect();
        let count = last.len();
        assert!(last != expected[..count] && last != expected[count..] && expected[..count] != expected[count..]);
    }
}

/// What is drawn does not depend on when values are needed.
#[test]
fn random_numbers_are_those_of_the_calls_in_order() {
    let _turn = crate::turn();
    for device in all() {
        let x = floats(&device, &ramp(64, 1));
        let program = |after: &dyn Fn(Tensor) -> Tensor| {
            let dropout = Layer::new(&device, Seed(5), "Dropout", &[("rate", 0.5.into())]).unwrap();
            let random = Random::new(&device, 7, 0);
            let first = after(dropout.forward(&[&after(formula(&x, &x, &x))], Mode::Training));
            let noise = after(after(random.uniform(&[64]).unwrap() * 2.0) - 1.0);
            let second = after(dropout.forward(&[&after(&x + 3.0)], Mode::Training) * &noise);
            [first, noise, second]
        };
        let expected = program(&|value| value.eval().unwrap()).map(|value| values(&value));
        let [first, noise, second] = program(&|value| value);
        // The last call first.
        let found = [&second, &noise, &first].map(values);
        for (found, expected) in found.iter().rev().zip(&expected) {
            near(found, expected, &device.to_string());
        }
        let zeros = |values: &[f32]| values.iter().map(|value| *value == 0.0).collect::<Vec<_>>();
        assert_ne!(zeros(&expected[0]), zeros(&expected[2]), "{device}: each call draws others");
    }
}
