//! Tiered compilation: where a driver takes long to optimize, what runs a few times only is built without.

use netcl::{Avoid, Device, Tensor};
use netcl_fixtures::devices::with_driver;
use netcl_fixtures::processes::{self, command, scratch, text};
use std::path::Path;

/// Of 9 bytes and operations an element at least: a kernel of so many has computed enough after a dozen calls.
const ELEMENTS: usize = 1 << 20;

/// The tests below start this program again with a role.
#[test]
#[ignore = "run by the others, in processes of their own"]
fn child() {
    netcl_fixtures::log::warnings();
    let role = processes::role();
    let device = Device::select(&std::env::var("NETCL_DEVICE").expect("set by `built`")).unwrap();
    let values: Vec<f32> = (0..ELEMENTS).map(|number| number as f32 * 1e-3 - 500.0).collect();
    let x = Tensor::from_slice(&device, &values, &[ELEMENTS]).unwrap();
    let call = || (&x * &x).check();
    let bits = |y: &Tensor| -> Vec<u32> { y.to_vec::<f32>().unwrap().into_iter().map(f32::to_bits).collect() };
    let built = || device.program_stats().built;
    match role.as_str() {
        "call" => {
            let first = bits(&call().unwrap());
            for _ in 0..40 {
                print!("{} ", built());
                assert!(first == bits(&call().unwrap()), "other bits after {} programs", built());
            }
        }
        "record" => {
            let (mut recording, y) = device.record(call).unwrap();
            (0..40).for_each(|_| recording.replay().unwrap());
            assert!(bits(&y) == bits(&call().unwrap()));
            print!("{} ", built());
        }
        other => panic!("no role `{other}`"),
    }
    println!("programs");
}

/// How many programs were built after each call of a process of its own.
fn built(device: &Device, role: &str, tiered: &str, caches: &Path) -> Vec<u64> {
    let output = command(module_path!(), role)
        .env("NETCL_DEVICE", &device.profile().selector)
        .env("NETCL_TIERED_COMPILATION", tiered)
        .env("NETCL_CACHE_DIR", caches.join("netcl"))
        .env("POCL_CACHE_DIR", caches)
        .output()
        .unwrap();
    let text = text(&output);
    assert!(output.status.success(), "{text}");
    let line =
        text.lines().find_map(|line| line.trim_end().strip_suffix("programs")).unwrap_or_else(|| panic!("{text}"));
    let numbers: Vec<u64> = line.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    assert!(!numbers.is_empty(), "{text}");
    numbers
}

fn tiered() -> Vec<Device> {
    let is_tiered =
        |device: &Device| device.profile().quirks.iter().any(|quirk| quirk.avoid == Avoid::OptimizingAtOnce);
    with_driver().into_iter().filter(is_tiered).collect()
}

#[test]
fn what_is_called_often_is_built_again_once_and_gives_the_same_bits() {
    for device in tiered() {
        let caches = scratch("tiers");
        let numbers = built(&device, "call", "1", &caches);
        let first = numbers.iter().take_while(|&&number| number == 1).count();
        assert!((5..30).contains(&first), "{numbers:?}");
        assert!(numbers[first..].iter().all(|&number| number == 2), "{numbers:?}");
        let numbers = built(&device, "call", "1", &caches);
        assert!(numbers.iter().all(|&number| number == 1), "an earlier process has built both: {numbers:?}");
        std::fs::remove_dir_all(caches).unwrap();
    }
}

#[test]
fn a_setting_and_recordings_have_optimized_kernels_at_once() {
    for device in tiered() {
        for (role, setting) in [("call", "0"), ("record", "1")] {
            let caches = scratch("no-tiers");
            let numbers = built(&device, role, setting, &caches);
            // What was recorded is the first program; the call after it was built takes that, too.
            assert!(numbers.iter().all(|&number| number == 1), "{role}: {numbers:?}");
            std::fs::remove_dir_all(caches).unwrap();
        }
    }
}
