//! Copies to devices that are held back, or that refuse something on the way.

use super::*;
use crate::device::memory::downcast;
use crate::event::UserEvent;
use crate::opencl::memory::ClMemory;
use crate::profile::Lane;
use opencl3::error_codes::CL_OUT_OF_RESOURCES;
use opencl3::memory::set_mem_object_destructor_callback;
use opencl3::types::cl_mem;
use pinned::UNFINISHED;
use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, mpsc};
use transfer::REFUSED_FLUSH;

const MIB: usize = 1 << 20;

/// The device as it is, and as one with memory of its own.
fn both_ways(device: &Device) -> [Device; 2] {
    let shares = |profile: &mut DeviceProfile| profile.unified_memory = false;
    let kept: &dyn Fn(&mut DeviceProfile) = &|_| {};
    [kept, &shares].map(|change| Device::of(Arc::new(with_profile(device, change))))
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

/// Whoever holds a device back fills it meanwhile, and then lets it go on.
#[test]
fn copies_beside_the_queue_wait_for_nothing_in_it() {
    for device in with_work_under_way().iter().flat_map(both_ways) {
        let written = device.allocate(MIB).unwrap();
        let new = device.allocate(100 * MIB).unwrap();
        let copied = while_held_back(&device, |_| {
            written.write(&[1; MIB]).unwrap();
            new.upload(&vec![7u8; 100 * MIB]).unwrap()
        });
        if let Some(copied) = copied.expect("it does not wait for the gate") {
            device.wait_for(&copied).unwrap();
        }
        let mut found = vec![0; 100 * MIB];
        new.read(&mut found).unwrap();
        assert!(found.iter().all(|&byte| byte == 7), "{device}");
    }
}

/// The device may have the bytes already, and nobody maps them again.
#[test]
fn page_locked_memory_whose_unmapping_fails_is_read_by_nobody() {
    for device in with_driver().iter().map(|device| Device::of(Arc::new(with_profile(device, |_| {})))) {
        if !device.profile().unified_memory {
            continue;
        }
        let pool = device.pinned_pool();
        let mut memory = pool.allocate(4096).unwrap();
        memory.fill(3);
        UNFINISHED.set(Some(CL_OUT_OF_RESOURCES));
        let error = memory.into_memory().unwrap_err();
        let Error::Driver { operation, .. } = &error else { panic!("{error}") };
        assert_eq!(operation, "unmapping page-locked memory");
        assert_eq!((pool.stats().in_use, pool.stats().idle), (0, 0), "{device}: it is in no pool");
        let mut next = pool.allocate(4096).unwrap();
        next.fill(5);
        let memory = next.into_memory().unwrap().expect("the device computes in it");
        let mut found = [0; 4096];
        device.read(&*memory, &mut found).unwrap();
        assert_eq!(found, [5; 4096], "{device} goes on");
    }
}

/// The host's memory is its owner's again when the call returns, also where it returns an error. Nobody waits for a copy to the
/// device that was begun, which may wait for the program itself: what uses the memory next comes after it.
#[test]
fn a_copy_that_is_refused_uses_nothing_any_more() {
    for device in with_driver() {
        let shared = &OpenCl::of(device.backend()).unwrap().shared;
        let orders = shared.device.get().queue_on_host_properties().unwrap_or_default();
        let order = if orders & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE == 0 {
            QueueOrder::InOrder
        } else {
            QueueOrder::OutOfOrder
        };
        let own = with_profile(&device, |profile| profile.unified_memory = false);
        let device = Device::of(Arc::new(own.again(false, order).unwrap()));
        let memory = device.allocate(4096).unwrap();
        memory.zero(4096).unwrap();
        let read = |memory: &Buffer| {
            REFUSED_FLUSH.set((order == QueueOrder::OutOfOrder).then_some(Lane::Compute));
            memory.read(&mut [1; 4096]).is_err() || order == QueueOrder::InOrder
        };
        let upload = |memory: &Buffer| {
            let data = memory.device.pinned_pool().allocate(4096).unwrap();
            REFUSED_FLUSH.set(Some(Lane::Upload));
            let idle_since = memory.device.enqueued();
            memory.device.upload_pinned(memory.memory(), data, idle_since).is_err()
        };
        for (work, waits) in [(&read as &dyn Fn(&Buffer) -> bool, true), (&upload, false)] {
            let (gate, is_open) = (UserEvent::new(), Arc::new(AtomicBool::new(false)));
            device.wait_for(&gate.event()).unwrap();
            let opens = is_open.clone();
            let thread = std::thread::spawn(move || {
                std::thread::sleep(Duration::from_millis(50));
                opens.store(true, Ordering::Release);
                gate.complete();
            });
            let is_refused = work(&memory);
            let waited = is_open.load(Ordering::Acquire);
            REFUSED_FLUSH.set(None);
            assert!(is_refused && waited == waits, "{device}: {is_refused} {waited}");
            memory.write(&[7; 4096]).unwrap();
            thread.join().unwrap();
            device.finish().unwrap();
            let mut found = [0; 4096];
            memory.read(&mut found).unwrap();
            assert_eq!(found, [7; 4096], "{device}");
        }
    }
}

/// Of a driver on which sub-buffers and copies take turns.
static TURNS: Quirk =
    Quirk { vendor: Vendor::Other, from: &[], until: None, avoid: Avoid::SubBuffersBesideCommands, reason: "test" };

/// Where sub-buffers and copies take turns, a part is made all the same beside a copy that is held back. What is not used any
/// more serves the next use of the same bytes, and goes with the buffer that it is a part of.
#[test]
fn parts_wait_for_copies_and_not_for_ever() {
    const PART: usize = 4096;
    for device in with_work_under_way() {
        let device = Device::of(Arc::new(with_profile(&device, |profile| profile.quirks.push(&TURNS))));
        let unused = || OpenCl::of(device.backend()).unwrap().shared.context.sub_buffers.unused();
        let whole = device.allocate(4 * PART).unwrap();
        let left = while_held_back(&device, |_| {
            whole.write(&[1; 4 * PART]).unwrap();
            for number in 0..4 {
                whole.part(number * PART, PART).unwrap().write(&[2; PART / 2]).unwrap();
            }
            unused()
        });
        assert_eq!(left, Some(4), "{device}: they are made, and are there until the copies are over");
        device.finish().unwrap();
        let again = whole.part(PART, PART).unwrap();
        assert_eq!(unused(), 3, "{device}: the same bytes are the same part");
        drop((again, whole.part(0, 2 * PART).unwrap()));
        assert_eq!(unused(), 5, "{device}");
        let mut found = vec![0; 4 * PART];
        whole.read(&mut found).unwrap();
        assert!(found.chunks(PART / 2).enumerate().all(|(half, bytes)| bytes.iter().all(|&x| x == 2 - half as u8 % 2)));
        drop(whole);
        device.finish().unwrap();
        drop(device.allocate(PART).unwrap());
        assert_eq!(unused(), 0, "{device}: they go with what they are parts of");
    }
}

/// Where sub-buffers and copies take turns, a buffer's parts are released together, the one that was made last first, whatever the
/// order in which they came out of use.
#[test]
fn parts_are_released_in_the_reverse_order_of_their_making() {
    const PART: usize = 4096;
    static RELEASED: Mutex<Vec<usize>> = Mutex::new(Vec::new());
    extern "C" fn note(_: cl_mem, part: *mut c_void) {
        RELEASED.lock().unwrap().push(part.addr());
    }
    for device in with_work_under_way() {
        let device = Device::of(Arc::new(with_profile(&device, |profile| profile.quirks.push(&TURNS))));
        let whole = device.allocate(8 * PART).unwrap();
        // They overlap, as the parts of an arena do.
        let mut parts: Vec<Buffer> =
            (0..5).map(|part| whole.part(part * PART, (part + 2) / 2 * PART).unwrap()).collect();
        for (number, part) in parts.iter().enumerate() {
            let memory = downcast::<ClMemory>(part.memory()).unwrap();
            // SAFETY: a live sub-buffer; the callback takes a number.
            unsafe { set_mem_object_destructor_callback(memory.raw(), note, std::ptr::without_provenance_mut(number)) }
                .unwrap();
        }
        // The third of them, the second, and so on.
        for next in [2, 1, 2, 0, 0] {
            drop(parts.remove(next));
        }
        assert!(RELEASED.lock().unwrap().is_empty(), "{device}: the buffer is still used");
        drop(whole);
        device.finish().unwrap();
        drop(device.allocate(PART).unwrap().part(0, PART).unwrap());
        assert_eq!(std::mem::take(&mut *RELEASED.lock().unwrap()), [4, 3, 2, 1, 0], "{device}");
    }
}
