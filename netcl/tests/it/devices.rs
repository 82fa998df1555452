//! The OpenCL devices that are there: their profiles, their parts, shared contexts.

use netcl::prelude::*;
use netcl::raw::{Grid, KernelSpec};
use netcl::{AffinityDomain, DeviceKind, DeviceManager, FloatAtomics, Partition, Vendor};
use netcl_fixtures::devices::{pairs, with_driver, with_several_queues};
use netcl_fixtures::processes::test_name;
use netcl_fixtures::settings;
use std::process::Command;

/// 0, 1, 2, ... with an offset.
fn ramp(device: &Device, count: usize, offset: f32) -> (Tensor, Vec<f32>) {
    let values: Vec<f32> = (0..count).map(|value| value as f32 + offset).collect();
    (Tensor::from_slice(device, &values, &[count]).unwrap(), values)
}

/// Compiles and runs something.
fn doubled(tensor: &Tensor) -> Vec<f32> {
    tensor.add(tensor).to_vec::<f32>().unwrap()
}

#[test]
fn profiles_of_known_drivers_are_what_their_documentation_says() {
    for device in with_driver() {
        let profile = device.profile();
        assert!(profile.max_work_group >= 1 && profile.max_work_items[0] >= 1, "{profile:?}");
        assert!(profile.local_memory.usable >= profile.local_memory.reported, "{profile:?}");
        assert!(profile.max_allocation >= profile.memory / 4, "OpenCL 4.2: a quarter at least; {profile:?}");
        match profile.vendor {
            Vendor::Pocl if profile.kind == DeviceKind::Cpu => {
                assert!(profile.unified_memory && profile.fp64 && profile.atomics.int64, "{profile:?}");
                assert_eq!(profile.fp16, profile.advertises("cl_khr_fp16"), "{profile:?}");
            }
            Vendor::Intel if profile.kind == DeviceKind::Cpu => {
                assert!(profile.fp16 && profile.fp64 && profile.has_svm_support(), "{profile:?}");
                assert_eq!(profile.atomics.float_add, FloatAtomics::Extension);
                let sizes = &profile.sub_groups.as_ref().expect("sub-groups").sizes;
                assert!([8, 16].iter().all(|size| sizes.contains(size)), "{sizes:?}");
            }
            Vendor::Nvidia => {
                assert!(profile.fp16, "not advertised, yet there since compute capability 5.3");
                assert_eq!(profile.simd_width, 32);
                assert_eq!(profile.atomics.float_add, FloatAtomics::Ptx);
                assert!(!profile.quirks.is_empty());
            }
            _ => {}
        }
    }
}

#[test]
fn a_second_manager_finds_the_same_profiles() {
    let devices = with_driver();
    let profiles = DeviceManager::discover().profiles();
    for device in devices {
        let found = profiles.iter().find(|profile| profile.selector == device.profile().selector);
        assert_eq!(found, Some(device.profile()));
    }
}

#[test]
fn parts_compute_and_exchange_tensors() {
    for device in with_several_queues() {
        let profile = device.profile();
        if !profile.partitions.equally || profile.compute_units < 2 {
            eprintln!("{device} cannot be divided");
            continue;
        }
        let parts = device.partition(&Partition::Equally(1)).unwrap();
        assert_eq!(parts.len(), profile.compute_units as usize);
        let (first, second) = (&parts[0], &parts[1]);
        assert_eq!(first.profile().compute_units, 1);
        assert_eq!(first.profile().selector, format!("{}/0", profile.selector));
        assert!(first != second && first != &device);
        assert!(first.shares_context_with(second) && !first.shares_context_with(&device));

        let (x, values) = ramp(first, 10_000, 0.5);
        let expected: Vec<f32> = values.iter().map(|value| 2.0 * value).collect();
        assert_eq!(doubled(&x), expected);
        assert_eq!(doubled(&x.to_device(second).unwrap()), expected, "without the host");
        assert_eq!(doubled(&x.to_device(&device).unwrap()), expected, "to the whole");
        assert_eq!(doubled(&x.to_device(&Device::host()).unwrap()), expected, "to the host");
    }
}

#[test]
fn parts_of_given_sizes() {
    for device in with_several_queues() {
        let profile = device.profile();
        if !profile.partitions.by_counts || profile.compute_units < 2 {
            continue;
        }
        let parts = device.partition(&Partition::ByCounts(vec![1, profile.compute_units - 1])).unwrap();
        let units: Vec<u32> = parts.iter().map(|part| part.profile().compute_units).collect();
        assert_eq!(units, [1, profile.compute_units - 1]);
        for part in &parts {
            assert_eq!(doubled(&ramp(part, 3, 0.0).0), [0.0, 2.0, 4.0]);
        }
        let error = device.partition(&Partition::ByCounts(vec![profile.compute_units, 1])).unwrap_err();
        assert!(matches!(error, Error::Unsupported { .. }), "{error}");
    }
}

/// Where a driver offers it; elsewhere the error says what it offers.
#[test]
fn parts_by_affinity() {
    const ALL: [AffinityDomain; 6] = [
        AffinityDomain::Numa,
        AffinityDomain::L4Cache,
        AffinityDomain::L3Cache,
        AffinityDomain::L2Cache,
        AffinityDomain::L1Cache,
        AffinityDomain::NextPartitionable,
    ];
    for device in with_several_queues() {
        let profile = device.profile();
        for domain in ALL {
            let parts = device.partition(&Partition::ByAffinity(domain));
            if !profile.partitions.by_affinity.contains(&domain) {
                let text = parts.unwrap_err().to_string();
                assert!(text.contains(&format!("cannot be divided by {domain}; it can")), "{device}: {text}");
                continue;
            }
            let parts = match parts {
                Ok(parts) => parts,
                // OpenCL lets a driver refuse a division that it offers where there is nothing to divide.
                Err(error @ netcl::Error::Driver { .. }) => {
                    assert!(error.to_string().contains("CL_DEVICE_PARTITION_FAILED"), "{error}");
                    eprintln!("{device} is not divided by {domain}: {error}");
                    continue;
                }
                Err(error) => panic!("{device}, {domain}: {error}"),
            };
            let units: u32 = parts.iter().map(|part| part.profile().compute_units).sum();
            assert!(!parts.is_empty() && units <= profile.compute_units, "{device}, {domain}: {units}");
            for part in &parts {
                assert_eq!(doubled(&ramp(part, 3, 0.0).0), [0.0, 2.0, 4.0], "{device}, {domain}");
                let (x, values) = ramp(&parts[0], 1000, 0.5);
                assert_eq!(x.to_device(part).unwrap().to_vec::<f32>().unwrap(), values, "{device}, {domain}");
            }
        }
    }
}

#[test]
fn a_part_outlives_the_handles_it_came_from() {
    for device in with_several_queues() {
        if !device.profile().partitions.equally {
            continue;
        }
        for round in 0..20 {
            // A manager of its own, so that the whole device's context is really closed.
            let selector = &device.profile().selector;
            let whole = DeviceManager::discover().select(selector).unwrap();
            let mut parts = whole.partition(&Partition::Equally(1)).unwrap();
            drop(whole);
            let part = parts.pop().unwrap();
            drop(parts);
            let (x, values) = ramp(&part, 100, round as f32);
            drop(part);
            assert_eq!(x.to_vec::<f32>().unwrap(), values, "the tensor keeps its device");
        }
    }
}

#[test]
fn devices_of_one_context_keep_the_order_of_copies_and_writes() {
    for pair in pairs() {
        let both = DeviceManager::global().shared_context(&pair).unwrap();
        assert!(both[0] != both[1] && both[0].shares_context_with(&both[1]));
        let count = if pair[0].profile().vendor == Vendor::Oclgrind { 1_000 } else { 200_000 };
        let slow = |x: &Tensor| x.apply("sin", &[]).apply("erf", &[]);
        let mut moved = Vec::new();
        for round in 0..8 {
            let (sender, receiver) = (&both[round % 2], &both[1 - round % 2]);
            // The receiver is busy: the copy waits, while the sender frees what is copied and writes there again.
            let busy = slow(&slow(&ramp(receiver, 4 * count, 0.0).0));
            for step in 0..3 {
                let (x, _) = ramp(sender, count, (round + step) as f32);
                // The sender is busy: what is copied is not computed yet.
                let wave = slow(&x);
                let late = wave.sub(&wave).add(&x);
                moved.push((round + step, late.to_device(receiver).unwrap()));
                moved.push((round + step, x.to_device(receiver).unwrap()));
            }
            drop(busy);
        }
        for (offset, tensor) in &moved {
            let found = tensor.to_vec::<f32>().unwrap();
            assert!(found.iter().enumerate().all(|(i, &value)| value == (i + offset) as f32), "offset {offset}");
        }
        let moved: Vec<Tensor> = moved.into_iter().map(|(_, tensor)| tensor).collect();
        assert_eq!(doubled(&moved[0])[..2], [0.0, 2.0], "a program built in a context of several devices");
    }
}

#[test]
fn each_device_of_one_context_is_what_it_was() {
    let source =
        "__kernel void number(__global uint* x, uint n) { if (get_global_id(0) < n) x[get_global_id(0)] = 7; }";
    for pair in pairs() {
        let both = DeviceManager::global().shared_context(&pair).unwrap();
        for (device, shared) in pair.iter().zip(&both) {
            assert_eq!(shared.profile(), device.profile());
            // Its own memory, kernels and page-locked memory, as of the other's none is.
            let number = KernelSpec::from_source("number", source).build(shared).unwrap();
            let x = Tensor::zeros(shared, &[100], DType::U32).unwrap();
            // SAFETY: the kernel writes the elements that there are.
            unsafe { number.launch(&[(&x).into(), 100u32.into()], &Grid::rounded_up(100, 10)).unwrap() };
            assert_eq!(x.to_host_async::<u32>().unwrap().wait().unwrap(), [7; 100]);
            let mut memory = shared.pinned_pool().allocate(400).unwrap();
            memory.as_mut_slice::<u32>().unwrap().fill(3);
            let y = Tensor::from_pinned(shared, memory, &[100], DType::U32).unwrap();
            assert_eq!(x.add(&y).to_vec::<u32>().unwrap(), [10; 100]);
        }
        let [x, y] = [0, 1].map(|position| Tensor::full(&both[position], 1.0f32, &[10]).unwrap());
        let error = x.add(&y).check().unwrap_err();
        assert!(matches!(error.cause(), netcl::Error::DeviceMismatch { .. }), "a context is no device: {error}");
        assert_eq!(doubled(&x.to_device(&both[1]).unwrap().add(&y)), [4.0; 10]);
    }
}

/// PoCL shows as many devices as it is told to: here a platform with two of them, each alone and both in one context. (Not
/// its device `basic`: of PoCL 3.1 that waits for itself when an event of another device lets its command go.)
#[test]
fn devices_of_one_platform_share_a_context() {
    if !with_several_queues().iter().any(|device| device.profile().vendor == Vendor::Pocl) {
        eprintln!("no PoCL here that bears several devices where there is one");
        return;
    }
    let names = ["program_with_several_devices", "devices_of_one_context_keep_", "each_device_of_one_context_"];
    let child = settings::clear(&mut Command::new(std::env::current_exe().unwrap()))
        .args(names.map(|name| test_name(module_path!(), name)))
        .arg("--include-ignored")
        .env("POCL_DEVICES", "pthread pthread")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&child.stdout) + String::from_utf8_lossy(&child.stderr);
    assert!(child.status.success() && text.contains("3 passed"), "{text}");
}

#[test]
#[ignore = "run by the one above, in a process of its own"]
fn program_with_several_devices() {
    let of_pocl = |device: &Device| device.profile().vendor == Vendor::Pocl;
    let two = pairs().into_iter().filter(|[first, second]| of_pocl(first) && first != second);
    assert_eq!(two.count(), 1, "{:?}", Device::all());
}

#[test]
fn programs_are_built_from_many_threads_at_once() {
    for device in with_driver() {
        if device.profile().vendor == Vendor::Oclgrind {
            eprintln!("Oclgrind crashes when two threads run kernels");
            continue;
        }
        // Sizes that no other test has, and a device of its own: nothing is in memory yet.
        let device = DeviceManager::global().shared_context(&[device]).unwrap().remove(0);
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let device = &device;
                scope.spawn(move || {
                    for round in 0..2 {
                        let columns = 101 + 10 * thread + round;
                        let values: Vec<f32> = (0..2 * columns).map(|value| value as f32).collect();
                        let x = Tensor::from_slice(device, &values, &[2, columns]).unwrap();
                        // Whole numbers below 2^24: exact in any order.
                        let sums = x.sum([1]).to_vec::<f32>().unwrap();
                        let row: f32 = (0..columns).map(|value| value as f32).sum();
                        assert_eq!(sums, [row, row + (columns * columns) as f32]);
                    }
                });
            }
        });
    }
}

#[test]
fn threads_that_call_one_new_function_build_it_once() {
    for device in with_driver() {
        if device.profile().vendor == Vendor::Oclgrind {
            eprintln!("Oclgrind crashes when two threads run kernels");
            continue;
        }
        let device = DeviceManager::global().shared_context(&[device]).unwrap().remove(0);
        let x = Tensor::from_slice(&device, &[1.0f32, 2.0, 3.0], &[3]).unwrap();
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| assert_eq!(x.add(&x).to_vec::<f32>().unwrap(), [2.0, 4.0, 6.0]));
            }
        });
        let stats = device.program_stats();
        assert_eq!(stats.built + stats.loaded, 1, "{device}: {stats:?}");
    }
}

#[test]
fn empty_tensors_move_too() {
    for device in with_driver() {
        let both = DeviceManager::global().shared_context(&[device.clone(), device]).unwrap();
        if let Ok(empty) = Tensor::from_slice::<f32>(&both[0], &[], &[0]) {
            assert_eq!(empty.to_device(&both[1]).unwrap().shape(), [0]);
        }
    }
}
