//! Tensors on devices that are held back.

use super::*;
use crate::event::UserEvent;
use netcl_fixtures::devices;
use netcl_hal::device::profile::DeviceProfile;
use netcl_hal::opencl;
use std::sync::mpsc;
use std::time::Duration;

const MIB: usize = 1 << 20;

/// The device as it is, and as one with memory of its own.
fn both_ways(selector: &str) -> [Device; 2] {
    let device = Device::select(selector).unwrap();
    let shares = |profile: &mut DeviceProfile| profile.unified_memory = false;
    let kept: &dyn Fn(&mut DeviceProfile) = &|_| {};
    [kept, &shares].map(|change| Device::of(opencl::with_profile(device.backend(), change).unwrap().unwrap()))
}

/// What `work` gives while the device is held back, which goes on afterwards; `None` if the work waits for it.
fn while_held_back<T: Send>(device: &Device, work: impl FnOnce(&Device) -> T + Send) -> Option<T> {
    let gate = UserEvent::new();
    device.wait_for(&gate.event()).unwrap();
    let (sender, receiver) = mpsc::channel();
    std::thread::scope(|scope| {
        scope.spawn(move || sender.send(work(device)).unwrap());
        let done = receiver.recv_timeout(Duration::from_secs(60)).ok();
        gate.complete();
        done
    })
}

/// The fourth gets the memory of the first, and waits for the device with it; what comes after gets memory of its own.
#[test]
fn new_memory_does_not_wait_behind_copies_that_do() {
    for device in devices::selectors_with_work_under_way().iter().flat_map(|selector| both_ways(selector)) {
        let in_used_memory = || {
            let before = device.memory_stats().hits;
            let tensors = while_held_back(&device, |device| {
                let of = |value: u8, bytes: usize| Tensor::from_slice(device, &vec![value; bytes], &[bytes]).unwrap();
                for value in 1..=3 {
                    drop(of(value, MIB));
                }
                [of(4, MIB), of(5, 2 * MIB), of(6, 3 * MIB)]
            });
            let hits = device.memory_stats().hits - before;
            for (tensor, value) in tensors.expect("they do not wait for the gate").iter().zip(4..) {
                assert!(tensor.to_vec::<u8>().unwrap().iter().all(|&byte| byte == value), "{device}");
            }
            hits > 0
        };
        // Another test that needs all memory has idle memory given back: then once more.
        assert!((0..10).any(|_| in_used_memory()), "{device}: one is in memory that the device uses");
    }
}
