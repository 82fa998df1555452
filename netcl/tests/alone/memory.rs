//! Pools, page-locked and shared memory, copies that do not wait: on every device that is there.

use crate::turn;
use netcl::prelude::*;
use netcl::{BufferPool, DType, DeviceKind, DeviceManager, Error, QueueOrder, Target, UserEvent, Vendor};
use netcl_fixtures::devices::{all, pairs, with_work_under_way};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How large copies may be: beyond what goes in one piece, but for the simulator.
fn large(device: &Device) -> usize {
    if device.profile().vendor == Vendor::Oclgrind { 100_000 } else { 5_000_000 }
}

fn ramp(count: usize, offset: usize) -> Vec<f32> {
    (0..count).map(|value| (value + offset) as f32).collect()
}

#[test]
fn page_locked_memory_becomes_tensors() {
    let _turn = turn();
    for device in all() {
        for count in [0, 1, 1000, 100_003, large(&device)] {
            let mut pinned = device.pinned_pool().allocate(4 * count).unwrap();
            assert_eq!(pinned.len(), 4 * count);
            pinned.as_mut_slice::<f32>().unwrap().copy_from_slice(&ramp(count, 7));
            let x = Tensor::from_pinned(&device, pinned, &[count], DType::F32).unwrap();
            assert_eq!(x.to_vec::<f32>().unwrap(), ramp(count, 7), "{device}, {count}");
        }
        let mut direct = device.create_pinned_buffer(1_200_000).unwrap();
        assert!(direct.iter().all(|&byte| byte == 0));
        direct.as_mut_slice::<f32>().unwrap().copy_from_slice(&ramp(300_000, 0));
        let before = device.pinned_pool().stats();
        let x = Tensor::from_pinned(&device, direct, &[300, 1000], DType::F32).unwrap();
        let sums = x.sum([1]).to_vec::<f32>().unwrap();
        assert_eq!(sums[0], 499_500.0);
        assert_eq!(device.pinned_pool().stats().in_use, before.in_use, "no pool had it");
    }
}

#[test]
fn page_locked_memory_of_another_device_is_copied() {
    let _turn = turn();
    for device in all() {
        let other = Device::null(Target::Gpu, 1 << 20);
        let mut pinned = other.pinned_pool().allocate(8).unwrap();
        pinned.as_mut_slice::<f32>().unwrap().copy_from_slice(&[1.0, 2.0]);
        let x = Tensor::from_pinned(&device, pinned, &[2], DType::F32).unwrap();
        assert_eq!(x.to_vec::<f32>().unwrap(), [1.0, 2.0]);
    }
}

#[test]
fn vectors_become_device_memory() {
    let _turn = turn();
    for device in all() {
        for count in [1, 1000, 300_000] {
            let buffer = device.create_zero_copy_buffer(ramp(count, 3)).unwrap();
            let x = Tensor::from_buffer(&device, buffer, &[count], DType::F32).unwrap();
            let doubled = x.add(&x).to_vec::<f32>().unwrap();
            assert!(doubled.iter().enumerate().all(|(i, &value)| value == 2.0 * (i + 3) as f32), "{device}");
            drop(x);
        }
        let empty = device.create_zero_copy_buffer(Vec::<f32>::new()).unwrap();
        assert_eq!(Tensor::from_buffer(&device, empty, &[0], DType::F32).unwrap().shape(), [0]);
    }
}

#[test]
fn results_are_read_where_they_are() {
    let _turn = turn();
    for device in all() {
        for count in [1, 1000, 300_000] {
            let x = Tensor::from_slice(&device, &ramp(count, 0), &[count]).unwrap();
            let y = x.add(&x);
            let shared = y.clone();
            let copy = y.into_host().unwrap();
            assert!(!copy.is_zero_copy(), "another tensor has the memory");
            let data = shared.into_host().unwrap();
            assert_eq!(data.is_zero_copy(), device.profile().is_integrated(), "{device}");
            for data in [copy, data] {
                let values = data.as_slice::<f32>().unwrap();
                assert_eq!(values.len(), count);
                assert!(values.iter().enumerate().all(|(i, &value)| value == 2.0 * i as f32), "{device}");
                assert!(matches!(data.as_slice::<i32>().unwrap_err(), Error::DType { .. }));
            }
            assert_eq!(x.add(&x).to_vec::<f32>().unwrap()[0], 0.0, "the memory is in use again");
        }
    }
}

#[test]
fn copies_that_nobody_waits_for_keep_their_order() {
    let _turn = turn();
    for device in all() {
        let count = if device.profile().vendor == Vendor::Oclgrind { 70_000 } else { 400_000 };
        let mut pending = Vec::new();
        for round in 0..24 {
            // Freed at once: its memory is the next round's while commands that use it wait.
            let x = Tensor::from_slice(&device, &ramp(count, round), &[count]).unwrap();
            let y = x.add(&x);
            pending.push((2.0, round, y.to_host_async::<f32>().unwrap()));
            drop(y);
            pending.push((1.0, round, x.to_host_async::<f32>().unwrap()));
            if round % 5 == 4 {
                pending.drain(..5).for_each(check);
            }
        }
        pending.into_iter().for_each(check);
    }
}

fn check((factor, offset, values): (f32, usize, netcl::ToHost<f32>)) {
    let values = values.wait().unwrap();
    let right = |(i, &value): (usize, &f32)| value == factor * (i + offset) as f32;
    assert!(values.iter().enumerate().all(right), "{factor} × {offset}");
}

#[test]
fn what_is_changed_in_place_was_read_before() {
    let _turn = turn();
    for device in all() {
        let pool = BufferPool::new(&device, 1 << 30);
        let buffer = pool.allocate(4 * 300_000).unwrap();
        let x = Tensor::from_buffer(&device, buffer.clone(), &[300_000], DType::F32).unwrap();
        let bytes = |offset| ramp(300_000, offset).iter().flat_map(|value| value.to_ne_bytes()).collect::<Vec<u8>>();
        let mut reads = Vec::new();
        for round in 0..10 {
            buffer.write(&bytes(round)).unwrap();
            reads.push((1.0, round, x.to_host_async::<f32>().unwrap()));
        }
        buffer.zero().unwrap();
        reads.into_iter().for_each(check);
        assert_eq!(x.to_vec::<f32>().unwrap(), vec![0.0; 300_000]);
    }
}

/// Copies that run beside a device's queue, to the host and to another device, while another thread changes what they
/// copy: each is of one moment.
#[test]
fn what_another_thread_changes_is_copied_before_or_after() {
    let _turn = turn();
    for [device, second] in pairs() {
        if device.profile().vendor == Vendor::Oclgrind {
            eprintln!("Oclgrind crashes when two threads run kernels");
            continue;
        }
        let (count, rounds) = (1 << 20, 40);
        let mut sources = DeviceManager::global().shared_context(&[device.clone(), second]).unwrap();
        let other = sources.pop().unwrap();
        sources.extend(device.with_queue(QueueOrder::OutOfOrder).ok());
        for source in &sources {
            let place = source.buffer_pool().allocate(4 * count).unwrap();
            place.zero().unwrap();
            let x = Tensor::from_buffer(source, place.clone(), &[count], DType::F32).unwrap();
            let constants = [1.0f32, 2.0].map(|value| {
                let constant = source.buffer_pool().allocate(4 * count).unwrap();
                constant.write(&value.to_ne_bytes().repeat(count)).unwrap();
                constant
            });
            let is_over = AtomicBool::new(false);
            std::thread::scope(|scope| {
                scope.spawn(|| {
                    for constant in constants.iter().cycle().take_while(|_| !is_over.load(Ordering::Relaxed)) {
                        constant.copy_into(&place).unwrap();
                        source.record_event().unwrap().wait().unwrap();
                    }
                });
                let check = |values: Vec<f32>, round: usize| {
                    let first = values[0];
                    let torn = values.iter().filter(|value| **value != first).count();
                    is_over.fetch_or(torn > 0, Ordering::Relaxed);
                    assert_eq!(torn, 0, "{source}: {torn} of {count} elements are of another moment, round {round}");
                };
                for round in 0..rounds {
                    check(x.to_host_async::<f32>().unwrap().wait().unwrap(), round);
                    if source.shares_context_with(&other) {
                        check(x.to_device(&other).unwrap().to_vec::<f32>().unwrap(), round);
                    }
                }
                is_over.store(true, Ordering::Relaxed);
            });
        }
    }
}

#[test]
fn copies_larger_than_a_piece_arrive_whole() {
    let _turn = turn();
    for device in all() {
        let count = large(&device);
        let values = ramp(count, 1);
        let x = Tensor::from_slice(&device, &values, &[count]).unwrap();
        assert_eq!(x.to_vec::<f32>().unwrap(), values);
        // Into memory that may be in use.
        let y = x.copy().unwrap();
        assert_eq!(y.to_host_async::<f32>().unwrap().wait().unwrap(), values);
    }
}

#[test]
fn every_element_type_comes_back() {
    let _turn = turn();
    for device in all() {
        let flags: Vec<bool> = (0..1000).map(|i| i % 3 == 0).collect();
        let x = Tensor::from_slice(&device, &flags, &[1000]).unwrap();
        assert_eq!(x.to_vec::<bool>().unwrap(), flags);
        assert_eq!(x.to_host_async::<bool>().unwrap().wait().unwrap(), flags);
        let data = x.into_host().unwrap();
        assert!(data.as_slice::<bool>().is_err() && data.iter().map(|&byte| byte == 1).eq(flags));
        let whole: Vec<i64> = (0..100).map(|i| i - 50).collect();
        assert_eq!(Tensor::from_slice(&device, &whole, &[100]).unwrap().to_vec::<i64>().unwrap(), whole);
    }
}

#[test]
fn wrong_sizes_and_devices_are_errors() {
    let _turn = turn();
    let other = Device::null(Target::Gpu, 1 << 20);
    for device in all() {
        let buffer = device.buffer_pool().allocate(16).unwrap();
        assert!(buffer.bytes() >= 16);
        let long = vec![0; buffer.bytes() + 1];
        assert!(matches!(buffer.write(&long).unwrap_err(), Error::Shape { .. }));
        assert!(matches!(buffer.read(&mut long.clone()).unwrap_err(), Error::Shape { .. }));
        let error = Tensor::from_buffer(&device, buffer.clone(), &[1 << 20], DType::F32).unwrap_err();
        assert!(error.to_string().contains("4194304 bytes"), "{error}");
        let error = Tensor::from_buffer(&other, buffer, &[1], DType::F32).unwrap_err();
        assert!(matches!(error, Error::DeviceMismatch { .. }), "{error}");
        let pinned = device.pinned_pool().allocate(5).unwrap();
        let error = Tensor::from_pinned(&device, pinned, &[1], DType::F32).unwrap_err();
        assert!(error.to_string().contains("4 bytes, 5 were given"), "{error}");
        let x = Tensor::from_slice(&device, &[1.0f32], &[1]).unwrap();
        assert!(matches!(x.to_host_async::<i32>().unwrap_err(), Error::DType { .. }));
    }
}

/// Held back kernels must not hold back copies to memory that they do not use, be it new or used before.
#[test]
fn copies_do_not_wait_for_kernels_that_do_not_use_their_memory() {
    let _turn = turn();
    for device in with_work_under_way() {
        let count = large(&device);
        let values = ramp(count, 1);
        let upload = || Tensor::from_slice(&device, &values, &[count]).unwrap();
        for rounds in 0..4 {
            // Memory that was copied to, computed with and freed, while nobody waits.
            let used: Vec<Tensor> = (0..rounds).map(|_| upload()).collect();
            let sums: Vec<Tensor> = used.iter().map(|x| x.sum([0])).collect();
            drop(used);
            if rounds % 2 == 1 {
                device.finish().unwrap();
            }
            let gate = UserEvent::new();
            device.wait_for(&gate.event()).unwrap();
            let held_back = sums.iter().map(|sum| sum.add(sum)).collect::<Vec<_>>();
            let new = upload();
            for copy in new.pending_copies() {
                assert!(copy.wait_timeout(Duration::from_secs(60)).unwrap(), "{device}: round {rounds}");
            }
            gate.complete();
            assert_eq!(new.to_vec::<f32>().unwrap(), values, "{device}: round {rounds}");
            assert!(new.pending_copies().is_empty(), "computing waits for it, and then it is forgotten");
            drop(held_back);
        }
    }
}

#[test]
fn more_than_the_device_has_is_an_error_and_it_stays_usable() {
    let _turn = turn();
    for device in all().into_iter().filter(|device| device.profile().max_allocation > 0) {
        let too_many = usize::try_from(device.profile().memory).unwrap() / 4 * 2;
        let error = device.buffer_pool().allocate(4 * too_many).unwrap_err();
        assert!(matches!(error, Error::OutOfMemory { .. }), "{error}");
        let x = Tensor::from_slice(&device, &[1.0f32], &[1]).unwrap();
        assert_eq!(x.add(&x).to_vec::<f32>().unwrap(), [2.0]);
    }
}

#[test]
fn copies_do_not_wait_for_memory_that_commands_use() {
    let _turn = turn();
    let real =
        |device: &Device| matches!(device.profile().kind, DeviceKind::Cpu | DeviceKind::Gpu | DeviceKind::Accelerator);
    for device in with_work_under_way().into_iter().filter(real) {
        let pool = device.buffer_pool();
        let (count, allocations) = (200_000, || pool.stats().allocations);
        let x = Tensor::from_slice(&device, &ramp(count, 0), &[count]).unwrap();
        pool.release_idle();
        let gate = UserEvent::new();
        device.wait_for(&gate.event()).unwrap();
        // Its memory is free again, and the command that writes it has not begun.
        drop(x.exp().eval().unwrap());
        let before = allocations();
        let (y, z) = (ramp(count, 1), ramp(count, 2));
        let y = Tensor::from_slice(&device, &y, &[count]).unwrap();
        assert_eq!(allocations(), before + 1, "{device}");
        gate.complete();
        device.finish().unwrap();
        let z = Tensor::from_slice(&device, &z, &[count]).unwrap();
        assert_eq!(allocations(), before + 1, "{device}: nothing uses it any more");
        let sum = y.add(&z).to_vec::<f32>().unwrap();
        assert!(sum.iter().enumerate().all(|(i, &value)| value == (2 * i + 3) as f32), "{device}");
    }
}
