//! Recorded launches: done again with one call, on every device.

use netcl::optim::{Adam, AdamW, Optimizer, OptimizerState, Sgd};
use netcl::raw::{Grid, KernelSpec};
use netcl::{BufferHandle, DType, Device, Error, Target, Tensor, algorithms};
use netcl_fixtures::devices::{all, with_driver};
use netcl_fixtures::plans::{Line, line_gradients};

/// A tensor whose memory can be written to.
fn input(device: &Device, values: &[f32]) -> (BufferHandle, Tensor) {
    let memory = device.buffer_pool().allocate(4 * values.len()).unwrap();
    write(&memory, values);
    let tensor = Tensor::from_buffer(device, memory.clone(), &[values.len()], DType::F32).unwrap();
    (memory, tensor)
}

fn write(memory: &BufferHandle, values: &[f32]) {
    memory.write(&values.iter().flat_map(|value| value.to_ne_bytes()).collect::<Vec<u8>>()).unwrap();
}

#[test]
fn a_replay_computes_again_from_new_inputs() {
    let _turn = crate::turn();
    for device in all() {
        let (memory, x) = input(&device, &[1.0, 2.0, 3.0]);
        let before = device.launches();
        let (mut recording, (y, sum)) = device
            .record(|| {
                let y = x.add(&x).mul(&x);
                let sum = y.sum([0]);
                Ok((y, sum))
            })
            .unwrap();
        let launches = device.launches() - before;
        assert_eq!(recording.launches(), launches, "{device}");
        assert_eq!((y.to_vec::<f32>().unwrap(), sum.item::<f32>().unwrap()), (vec![2.0, 8.0, 18.0], 28.0));
        for round in 1..5u8 {
            let value = f32::from(round);
            write(&memory, &[value, 0.0, -value]);
            recording.replay().unwrap();
            let square = 2.0 * value * value;
            assert_eq!(y.to_vec::<f32>().unwrap(), [square, 0.0, square], "{device}");
            assert_eq!(sum.item::<f32>().unwrap(), 2.0 * square);
        }
        assert_eq!(device.launches() - before, 5 * launches);
    }
}

#[test]
fn what_a_recording_uses_is_nobody_elses() {
    let _turn = crate::turn();
    for device in all() {
        let (memory, x) = input(&device, &[1.0; 1000]);
        let (mut recording, y) = device.record(|| x.add(&x).add(&x).add(&x).check()).unwrap();
        drop(x);
        // Buffers of the sizes that the recording's temporaries had, filled with something else.
        let others: Vec<Tensor> = (0..16).map(|_| Tensor::full(&device, 7.0f32, &[1000]).unwrap()).collect();
        write(&memory, &[2.0; 1000]);
        recording.replay().unwrap();
        assert_eq!(y.to_vec::<f32>().unwrap(), [8.0; 1000], "{device}");
        assert!(others.iter().all(|other| other.to_vec::<f32>().unwrap() == [7.0; 1000]), "{device}");
        let used = device.buffer_pool().stats().in_use;
        drop(recording);
        device.finish().unwrap();
        assert!(device.buffer_pool().stats().in_use < used, "its memory comes back");
    }
}

#[test]
fn copies_fills_algorithms_and_raw_kernels_are_recorded() {
    let _turn = crate::turn();
    for device in with_driver() {
        let source = "__kernel void twice(__global float* x, float by) { x[get_global_id(0)] *= by; }";
        let scale = KernelSpec::from_source("twice", source).build(&device).unwrap();
        let (memory, x) = input(&device, &[1.0, 5.0, 3.0, 4.0]);
        let record = || {
            let zeros = Tensor::zeros(&device, &[4], DType::F32)?;
            let y = zeros.add(&x);
            // SAFETY: one work-item for each of the 4 elements.
            unsafe { scale.launch(&[(&y).into(), 3.0f32.into()], &Grid::from(4))? };
            let total = algorithms::reduce(algorithms::Operator::Sum, &y)?;
            Ok((algorithms::sort(&y, algorithms::Order::Ascending)?, total))
        };
        let (mut recording, (sorted, total)) = device.record(record).unwrap();
        assert_eq!(sorted.to_vec::<f32>().unwrap(), [3.0, 9.0, 12.0, 15.0]);
        write(&memory, &[2.0, -1.0, 0.0, 1.0]);
        recording.replay().unwrap();
        assert_eq!(sorted.to_vec::<f32>().unwrap(), [-3.0, 0.0, 3.0, 6.0], "{device}");
        assert_eq!(total.item::<f32>().unwrap(), 6.0);
        recording.replay().unwrap();
        recording.replay().unwrap();
        assert_eq!(sorted.to_vec::<f32>().unwrap(), [-3.0, 0.0, 3.0, 6.0], "{device}: the same each time");
    }
}

/// Replayed with another mask it would write past the result's end.
#[test]
fn what_elements_decide_on_the_size_of_is_not_recorded() {
    let _turn = crate::turn();
    for device in all() {
        let x = Tensor::from_slice(&device, &[1.0f32, 2.0, 3.0], &[3]).unwrap();
        let mask = Tensor::from_slice(&device, &[true, false, true], &[3]).unwrap();
        for (work, name) in [
            (&(|| algorithms::compact(&x, &mask)) as &dyn Fn() -> netcl::Result<Tensor>, "algorithms::compact"),
            (&|| algorithms::positions(&mask), "algorithms::positions"),
            (&|| algorithms::unique(&mask), "algorithms::unique"),
        ] {
            let error = device.record(work).unwrap_err();
            assert!(matches!(&error, Error::Unsupported { function, .. } if function == name), "{error}");
            assert!(error.to_string().contains("the size of its result depends on the elements"), "{error}");
            assert_eq!(work().unwrap().elements(), 2, "{device}: not while nothing is recorded");
        }
    }
}

/// A replay that left one out would give what was computed once, and no error.
#[test]
fn algorithms_on_the_host_are_not_recorded() {
    use algorithms::{Operator, Order, Random, Scan};
    let _turn = crate::turn();
    let device = Device::host();
    let x = &Tensor::from_slice(&device, &[3i32, 1, 2], &[3]).unwrap();
    let floats = &Tensor::from_slice(&device, &[3.0f32, 1.0, 2.0], &[3]).unwrap();
    let cases: [(&str, &dyn Fn() -> netcl::Result<Tensor>); 9] = [
        ("map", &|| algorithms::map("v0 + 1", &[x])),
        ("matching", &|| algorithms::matching("v0 > 1", &[x])),
        ("reduce", &|| algorithms::reduce(Operator::Sum, x)),
        ("scan", &|| algorithms::scan(Operator::Sum, Scan::Inclusive, x)),
        ("sort", &|| algorithms::sort(x, Order::Ascending)),
        ("sort_by_key", &|| Ok(algorithms::sort_by_key(x, x, Order::Ascending)?.1)),
        ("bincount", &|| algorithms::bincount(x, 4)),
        ("histogram", &|| algorithms::histogram(floats, 4, 0.0, 4.0)),
        ("random", &|| Random::new(&device, 1, 0).uniform(&[3])),
    ];
    for (name, work) in cases {
        let error = device.record(work).unwrap_err();
        assert!(
            matches!(&error, Error::Unsupported { problem, .. } if problem.contains("recorded")),
            "{name}: {error}"
        );
        work().unwrap();
    }
}

/// As many steps as calls would be: with moments that go on, and numbers that depend on how many steps there were.
#[test]
fn a_recorded_training_step_trains() {
    let _turn = crate::turn();
    type Make = fn() -> Box<dyn Optimizer>;
    let optimizers: [(&str, Make); 5] = [
        ("sgd", || Box::new(Sgd::new(0.1))),
        ("momentum", || Box::new(Sgd::new(0.1).momentum(0.9).weight_decay(0.1))),
        ("nesterov", || Box::new(Sgd::new(0.1).momentum(0.9).nesterov(true))),
        ("adam", || Box::new(Adam::new(0.1).weight_decay(0.1))),
        ("adamw", || Box::new(AdamW::new(0.1))),
    ];
    for device in all() {
        for (name, optimizer) in optimizers {
            let trained = |recorded: bool| -> (Vec<f32>, u64, Vec<Vec<f32>>) {
                let mut model = Line::new(&device);
                let gradients = line_gradients();
                let x = Tensor::from_slice(&device, &[1.0f32, 2.0, -1.0], &[1, 3]).unwrap();
                let mut optimizer = optimizer();
                let mut step = |optimizer: &mut dyn Optimizer| {
                    let core = model.core.clone();
                    let (_, gradients, _) = gradients.call_with_gradients(&core, "", &[&x], &[])?;
                    optimizer.step(&mut model, &gradients)
                };
                let mut recording = None;
                if recorded {
                    recording = Some(device.record(|| step(&mut *optimizer)).unwrap().0);
                } else {
                    step(&mut *optimizer).unwrap();
                }
                for round in 0..8 {
                    // The learning rate is that of the time.
                    optimizer.set_learning_rate(if round < 4 { 0.1 } else { 0.03 });
                    match &mut recording {
                        // Calls count in between.
                        Some(recording) if round != 6 => recording.replay().unwrap(),
                        _ => step(&mut *optimizer).unwrap(),
                    }
                }
                let state = optimizer.state(&Line { core: model.core.clone() }).unwrap();
                let moments = state.moments.iter().flatten().map(|(_, moment)| moment.to_vec::<f32>().unwrap());
                (model.core.tensor("w").unwrap().to_vec::<f32>().unwrap(), state.steps, moments.collect())
            };
            assert_eq!(trained(true), trained(false), "{name} on {device}");
            assert_ne!(trained(true).0, Line::new(&device).core.tensor("w").unwrap().to_vec::<f32>().unwrap());
        }
    }
}

/// A replay goes on from a state that was set, as a step does; with settings that no step can be made with it is an error.
#[test]
fn replays_go_on_from_a_state_that_was_set() {
    let _turn = crate::turn();
    for device in all() {
        let (mut model, gradients) = (Line::new(&device), line_gradients());
        let core = model.core.clone();
        let x = Tensor::from_slice(&device, &[1.0f32, 2.0, -1.0], &[1, 3]).unwrap();
        let mut adam = Adam::new(0.1);
        let fresh = adam.state(&model).unwrap();
        let start = core.tensor("w").unwrap().copy().unwrap();
        let work = || {
            let (_, gradients, _) = gradients.call_with_gradients(&core, "", &[&x], &[])?;
            adam.step(&mut model, &gradients)
        };
        let (mut recording, ()) = device.record(work).unwrap();
        let first = core.tensor("w").unwrap().to_vec::<f32>().unwrap();
        recording.replay().unwrap();
        for state in [&fresh, &adam.state(&model).unwrap()] {
            let zeros = |value: &Tensor| Tensor::zeros(&device, value.shape(), DType::F32).unwrap();
            let moments =
                state.moments.iter().map(|moment| moment.iter().map(|(path, value)| (path.clone(), zeros(value))));
            let moments = moments.map(Iterator::collect).collect();
            let state = OptimizerState { steps: 0, moments, ..state.clone() };
            adam.set_state(&model, &state).unwrap();
            core.set_tensor("w", &start).unwrap();
            recording.replay().unwrap();
            assert_eq!(core.tensor("w").unwrap().to_vec::<f32>().unwrap(), first, "{device}");
            assert_eq!(adam.state(&model).unwrap().steps, 1);
        }
        adam.set_learning_rate(-1.0);
        let error = recording.replay().unwrap_err();
        assert!(matches!(&error, Error::Setting { setting: "learning rate", .. }), "{error}");
        assert_eq!(core.tensor("w").unwrap().to_vec::<f32>().unwrap(), first, "{device}: nothing has changed");
    }
}

#[test]
fn recorded_gradients_are_not_those_of_later_steps() {
    let _turn = crate::turn();
    for device in all() {
        let (mut model, gradients) = (Line::new(&device), line_gradients());
        let core = model.core.clone();
        let weights = || core.tensor("w").unwrap().to_vec::<f32>().unwrap();
        let of = |x: [f32; 3]| {
            let x = Tensor::from_slice(&device, &x, &[1, 3]).unwrap();
            gradients.call_with_gradients(&core, "", &[&x], &[]).unwrap().1
        };
        let mut sgd = Sgd::new(0.1);
        let recorded = of([1.0, 2.0, -1.0]);
        let start = weights();
        let (mut recording, ()) = device.record(|| sgd.step(&mut model, &recorded)).unwrap();
        drop(recorded);
        let first: Vec<f32> = weights().iter().zip(&start).map(|(now, before)| now - before).collect();
        // Would take the same memory, if it were free.
        let others = of([0.0, 0.0, 100.0]);
        let before = weights();
        recording.replay().unwrap();
        for ((now, before), first) in weights().iter().zip(before).zip(first) {
            assert!((now - before - first).abs() <= 1e-5, "{device}: {now} {before} {first}");
        }
        drop(others);
    }
}

#[test]
fn a_recording_in_a_recording_is_an_error() {
    let _turn = crate::turn();
    let device = Device::host();
    let x = Tensor::from_slice(&device, &[1.0f32], &[1]).unwrap();
    let (mut recording, _) = device.record(|| x.add(&x).check()).unwrap();
    let inner = device.record(|| device.record(|| x.add(&x).check()).map(drop)).unwrap_err();
    assert!(matches!(&inner, Error::Unsupported { function, .. } if function == "Device::record"), "{inner}");
    let replayed = device.record(|| recording.replay()).unwrap_err();
    assert!(replayed.to_string().contains("a replay cannot be recorded"), "{replayed}");
    // After an error, and after a panic, the thread records again.
    let panics = || device.record(|| -> netcl::Result<()> { panic!("on purpose") });
    assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(panics)).is_err());
    assert_eq!(device.record(|| x.add(&x).check()).unwrap().0.launches(), 1);
}

#[test]
fn other_devices_and_threads_are_left_out() {
    let _turn = crate::turn();
    let (device, other) = (Device::host(), Device::null(Target::Cpu, 1 << 20));
    let (x, z) =
        (Tensor::from_slice(&device, &[1.0f32], &[1]).unwrap(), Tensor::from_slice(&other, &[1.0f32], &[1]).unwrap());
    let (recording, ()) = device
        .record(|| {
            z.add(&z);
            std::thread::scope(|scope| scope.spawn(|| x.add(&x)).join().unwrap());
            Ok(())
        })
        .unwrap();
    assert_eq!(recording.launches(), 0);
}
