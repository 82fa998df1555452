//! A device that is lost, or is a parent process's: an error from everything that is asked of it, no panic, and nothing else is
//! harmed.

use netcl::__private::kernels::dim::Shape;
use netcl::__private::kernels::graph::build::Builder;
use netcl::__private::kernels::graph::{BinaryOp, InputKind, OutputKind};
use netcl::__private::kernels::layers::{Init, TensorSpec};
use netcl::__private::{ModelCore, Schema, Seed};
use netcl::optim::{Adam, Optimizer, Sgd};
use netcl::{DType, Device, Error, Model, Target, Tensor, algorithms, io};
use netcl_fixtures::plans::{Line, embed, line_gradients};

fn is_lost<T>(result: netcl::Result<T>) -> bool {
    result.is_err_and(|error| matches!(error.cause(), Error::Lost { .. }))
}

#[test]
fn everything_after_a_loss_is_the_same_error() {
    let _turn = crate::turn();
    let device = Device::null(Target::Gpu, 1 << 30);
    let x = Tensor::from_slice(&device, &[1.0f32; 12], &[3, 4]).unwrap();
    let (mut recording, _) = device.record(|| x.add(&x).check()).unwrap();
    device.lose_after(2).unwrap();
    // The launch that the device is lost in was started well: devices tell later.
    let first = x.add(&x).eval().unwrap();
    let second = first.exp().eval().unwrap();
    let told = device.finish().unwrap_err();
    let Error::Lost { device: name, code, .. } = &told else { panic!("{told}") };
    assert_eq!((name.as_str(), code.as_str()), ("null", "CL_DEVICE_NOT_AVAILABLE"));
    assert!(told.to_string().contains("go on with another device"), "{told}");
    for _ in 0..2 {
        assert!(is_lost(device.finish()));
        assert!(is_lost(second.to_vec::<f32>()));
        assert!(is_lost(second.to_host_async::<f32>().and_then(|values| values.wait())));
        assert!(is_lost(x.add(&x).eval()));
        assert!(is_lost(x.sum([0]).eval()));
        assert!(is_lost(x.matmul(x.reshape([4, 3])).eval()));
        assert!(is_lost(Tensor::from_slice(&device, &[1.0f32], &[1])));
        assert!(is_lost(Tensor::zeros(&device, &[1 << 20], DType::F32)));
        assert!(is_lost(device.record_event()));
        assert!(is_lost(x.to_device(&Device::host())));
        assert!(is_lost(recording.replay()));
        assert!(is_lost(device.record(|| x.add(&x).check())));
    }
    drop((x, first, second, recording));
    device.release_idle_memory();
    // The others go on.
    let y = Tensor::from_slice(&Device::host(), &[1.0f32], &[1]).unwrap();
    assert_eq!(y.add(&y).to_vec::<f32>().unwrap(), [2.0]);
    let again = Device::null(Target::Gpu, 1 << 30);
    Tensor::zeros(&again, &[4], DType::F32).unwrap().exp().to_vec::<f32>().unwrap();
}

#[test]
fn training_on_a_device_that_is_lost_ends_with_an_error_wherever_it_happens() {
    let _turn = crate::turn();
    let gradients = line_gradients();
    for launches in 0..12 {
        let device = Device::null(Target::Gpu, 1 << 30);
        let mut model = Line::new(&device);
        let mut optimizer = Adam::new(0.1);
        let x = Tensor::from_slice(&device, &[1.0f32, 2.0, -1.0], &[1, 3]).unwrap();
        device.lose_after(launches).unwrap();
        let mut step = || {
            let core = model.core.clone();
            let (loss, gradients, _) = gradients.call_with_gradients(&core, "", &[&x], &[])?;
            optimizer.step(&mut model, &gradients)?;
            loss[0].item::<f32>().map(drop)
        };
        let error = (0..100).find_map(|_| step().err()).expect("it does not train for ever");
        assert!(matches!(error, Error::Lost { .. }), "after {launches}: {error}");
        assert!(is_lost(model.tensor("w").unwrap().to_vec::<f32>()));
        assert!(is_lost(model.to_device(&Device::host())), "its parameters are gone");
        assert_eq!(model.device(), device, "and it stays where it was");
    }
}

/// Model and optimizer go on together or not at all.
#[test]
fn a_checkpoint_for_a_lost_device_changes_no_optimizer() {
    let _turn = crate::turn();
    let file = std::env::temp_dir().join(format!("netcl-lost-{}.safetensors", std::process::id()));
    io::save_checkpoint(&Line::new(&Device::host()), &Sgd::new(0.1), &file).unwrap();
    let device = Device::null(Target::Gpu, 1 << 30);
    let (mut model, mut optimizer) = (Line::new(&device), Sgd::new(0.5));
    device.lose_after(0).unwrap();
    Tensor::zeros(&device, &[4], DType::F32).and_then(|x| x.exp().check()).and_then(|_| device.finish()).unwrap_err();
    let loaded = io::load_checkpoint(&mut model, &mut optimizer, &file);
    std::fs::remove_file(&file).unwrap();
    assert!(is_lost(loaded));
    assert_eq!(optimizer.learning_rate(), 0.5);
}

#[test]
fn only_null_devices_are_lost_on_purpose() {
    let _turn = crate::turn();
    let error = Device::host().lose_after(0).unwrap_err();
    assert!(matches!(&error, Error::Unsupported { function, .. } if function == "Device::lose_after"), "{error}");
    // What cannot run there says so, lost or not.
    let device = Device::null(Target::Gpu, 1 << 20);
    let x = Tensor::from_slice(&device, &[1.0f32], &[1]).unwrap();
    device.lose_after(0).unwrap();
    assert!(matches!(algorithms::sort(&x, algorithms::Order::Ascending), Err(Error::Unsupported { .. })));
}

#[cfg(unix)]
#[test]
fn a_forked_child_steps_nothing() {
    let _turn = crate::turn();
    // SAFETY: the signatures are those of the C library.
    unsafe extern "C" {
        fn fork() -> i32;
        fn waitpid(child: i32, status: *mut i32, options: i32) -> i32;
        fn alarm(seconds: u32) -> u32;
        fn _exit(status: i32) -> !;
    }
    // As large as it takes for all threads to share a step.
    let device = Device::host();
    let mut schema = Schema::new();
    let init = Init::Constant(1.0);
    schema.add("w", TensorSpec { name: "w", shape: vec![1 << 20], dtype: DType::F32, init, trainable: true });
    let mut model = Line { core: ModelCore::new(&device, Seed(1), &schema).unwrap() };
    let mut b = Builder::new("Large::loss");
    b.input(InputKind::Parameter, "w", Shape::of(&[1 << 20]), DType::F32);
    let g = b.input(InputKind::Argument(0), "g", Shape::of(&[1 << 20]), DType::F32);
    let g = b.binary(BinaryOp::Add, g, g).unwrap();
    b.output(OutputKind::Gradient("w".into()), g);
    let g = Tensor::full(&device, 1.0f32, &[1 << 20]).unwrap();
    let gradients = embed(&b.finish()).call_with_gradients(model.core(), "", &[&g], &[]).unwrap().1;
    let mut optimizer = Sgd::new(0.25);
    optimizer.step(&mut model, &gradients).unwrap();
    // SAFETY: the child makes a step, and ends without anything that the parent's other threads may have locked.
    let status = unsafe {
        match fork() {
            0 => {
                alarm(20);
                _exit(i32::from(!matches!(optimizer.step(&mut model, &gradients), Err(Error::Forked))))
            }
            child => {
                let mut status = -1;
                assert_eq!(waitpid(child, &mut status, 0), child);
                status
            }
        }
    };
    assert_eq!(status, 0, "the child hung, or was told something else");
    assert_eq!(model.tensor("w").unwrap().to_vec::<f32>().unwrap()[..2], [0.5; 2]);
}
