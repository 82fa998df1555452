//! Recordings that a driver keeps.

use super::*;
use crate::tensor::Tensor;
use netcl_fixtures::devices::selectors_with_driver;
use netcl_hal::device::{Avoid, DeviceProfile};
use netcl_hal::opencl;
use netcl_kernels::dtype::DType;
use std::time::Duration;

/// Devices whose driver has command buffers, also where they are only too slow to be used.
fn with_command_buffers() -> Vec<Device> {
    let devices = selectors_with_driver().into_iter().map(|selector| Device::select(&selector).unwrap());
    let used = |device: Device| {
        let change = |profile: &mut DeviceProfile| profile.quirks.retain(|quirk| quirk.avoid != Avoid::CommandBuffers);
        Device::of(opencl::with_profile(device.backend(), change).unwrap().unwrap())
    };
    devices.filter(|device| device.profile().command_buffers).map(used).collect()
}

#[test]
fn command_buffers_do_what_the_queue_does() {
    for device in with_command_buffers() {
        let memory = device.buffer_pool().allocate(4096).unwrap();
        let x = Tensor::from_buffer(&device, memory.clone(), &[1024], DType::F32).unwrap();
        // PoCL 3.1 refuses every fill and copy; netcl replays then.
        for with_copies in [false, true] {
            let other = Tensor::full(&device, 5.0f32, &[1024]).unwrap();
            let work = || {
                let y = x.add(&x).exp();
                if !with_copies {
                    return y.sum([0]).check();
                }
                other.region()?.zero()?;
                y.region()?.copy_to(other.region()?, 4096)?;
                other.sum([0]).check()
            };
            memory.zero().unwrap();
            let (mut recording, sum) = device.record(work).unwrap();
            assert_eq!(sum.item::<f32>().unwrap(), 1024.0);
            for round in 0..3 {
                memory.write(&(0.5f32 * round as f32).to_ne_bytes().repeat(1024)).unwrap();
                recording.replay().unwrap();
                recording.replay().unwrap();
                let wanted = 1024.0 * (round as f32).exp();
                assert!((sum.item::<f32>().unwrap() - wanted).abs() < 1e-5 * wanted, "{device}");
            }
            let can = device.backend().command_buffer().unwrap().is_some();
            assert!(with_copies || recording.is_by_driver() == can, "{device}");
        }
    }
}

/// As netcl's own replay of them: between the launches of a call that changes a model's states and the copies of their new
/// values comes no other such call.
#[test]
fn replays_by_the_driver_wait_for_the_models_turn() {
    use crate::recording::{Step, push};
    struct Changing(Arc<Mutex<()>>);
    impl Step for Changing {
        fn repeat(&mut self) -> Result<()> {
            unreachable!("the driver replays")
        }
        fn launches(&self) -> u64 {
            0
        }
        fn encode(&self, _: &mut dyn CommandBuffer) -> Result<bool> {
            Ok(true)
        }
        fn visit_memory(&self, _: &mut dyn FnMut(&BufferHandle)) {}
        fn turn(&self) -> Option<&Arc<Mutex<()>>> {
            Some(&self.0)
        }
    }
    for device in with_command_buffers() {
        let models = [(); 2].map(|()| Arc::<Mutex<()>>::default());
        // One model twice.
        let calls = [&models[1], &models[0], &models[1]];
        let work = || {
            calls.into_iter().for_each(|turn| push(Box::new(Changing(turn.clone()))));
            Ok(())
        };
        let mut recording = device.record(work).unwrap().0;
        if !recording.is_by_driver() {
            continue;
        }
        for model in &models {
            let turn = model.lock().unwrap();
            let (sender, receiver) = std::sync::mpsc::channel();
            std::thread::scope(|scope| {
                scope.spawn(|| sender.send(recording.replay()).unwrap());
                assert!(receiver.recv_timeout(Duration::from_millis(100)).is_err(), "{device}: it is another's turn");
                drop(turn);
                receiver.recv().unwrap().unwrap();
            });
        }
    }
}
