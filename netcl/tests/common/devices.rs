//! The devices that tests run on. Tests of other packages, and the units of `netcl-runtime`, have this file as a module.
#![allow(dead_code, reason = "each test file uses its part")]

use netcl::{Avoid, Device, Vendor};

/// Whether it is a failure that there is no OpenCL device: `NETCL_REQUIRE_OPENCL` is set, and not empty.
pub(crate) fn required() -> bool {
    std::env::var_os("NETCL_REQUIRE_OPENCL").is_some_and(|value| !value.is_empty())
}

/// Every device that computes: the host and every OpenCL device.
pub(crate) fn all() -> Vec<Device> {
    open(selectors())
}

/// Every OpenCL device; a note where there is none, and a failure where one is required.
pub(crate) fn with_driver() -> Vec<Device> {
    open(selectors_with_driver())
}

/// As [`with_driver`], for tests that make queues, parts or contexts which run kernels that others run, too, of the same test or of
/// another one: tests of a program run at once.
pub(crate) fn with_several_queues() -> Vec<Device> {
    bearing_several_queues(with_driver())
}

/// Those whose driver is not known to fail at kernels in several queues at once.
pub(crate) fn bearing_several_queues(devices: Vec<Device>) -> Vec<Device> {
    let fails = |device: &Device| {
        let quirk = device.profile().quirks.iter().find(|quirk| quirk.avoid == Avoid::SeveralQueues);
        if let Some(quirk) = quirk {
            eprintln!("{device} is left out: {}", quirk.reason);
        }
        quirk.is_some()
    };
    devices.into_iter().filter(|device| !fails(device)).collect()
}

/// What can share a context: every OpenCL device with itself, and with each other one of its platform.
pub(crate) fn pairs() -> Vec<[Device; 2]> {
    let devices = with_several_queues();
    let mut pairs = Vec::new();
    for (position, first) in devices.iter().enumerate() {
        let others = devices[position..].iter().filter(|second| platform(second) == platform(first));
        pairs.extend(others.map(|second| [first.clone(), second.clone()]));
    }
    pairs
}

/// The number of its platform, for the loader: several drivers may have one name.
fn platform(device: &Device) -> Option<&str> {
    device.profile().selector.rsplit_once(':').map(|(platform, _)| platform)
}

/// As [`with_driver`], for tests that hold commands back and let them go later. Oclgrind's `clFlush` is its `clFinish`: it
/// waits there, for ever if nobody else lets them go.
pub(crate) fn with_work_under_way() -> Vec<Device> {
    let waits = |device: &Device| {
        let waits = device.profile().vendor == Vendor::Oclgrind;
        if waits {
            eprintln!("{device} computes in the calls: nothing can be held back there");
        }
        waits
    };
    with_driver().into_iter().filter(|device| !waits(device)).collect()
}

/// Whether kernels were measured on this machine before (`netcl tune`), and that is used: for some sizes a device may then
/// take others than the compiler does, so that programs cannot be counted. Says so.
pub(crate) fn measured_before(device: &Device) -> bool {
    let files = netcl::select::record_files().unwrap_or_default();
    let measured = device.selector().uses_measurements() && files.iter().any(|file| !file.records.is_empty());
    if measured {
        eprintln!("kernels were measured here, so programs are not counted: they are with NETCL_AUTOTUNE=off");
    }
    measured
}

/// As [`all`], for tests that must not open them: that start processes, or do something before.
pub(crate) fn selectors() -> Vec<String> {
    let found: Vec<String> = Device::all().into_iter().map(|profile| profile.selector).collect();
    if !found.iter().any(|selector| has_driver(selector)) {
        assert!(
            !required(),
            "NETCL_REQUIRE_OPENCL is set, but there is no OpenCL device: install a driver such as PoCL"
        );
        eprintln!("no OpenCL device here: this test runs on the host alone, if at all");
    }
    found
}

/// As [`with_driver`], not opened.
pub(crate) fn selectors_with_driver() -> Vec<String> {
    selectors().into_iter().filter(|selector| has_driver(selector)).collect()
}

fn has_driver(selector: &str) -> bool {
    selector.starts_with("opencl:")
}

fn open(selectors: Vec<String>) -> Vec<Device> {
    selectors.iter().map(|selector| Device::select(selector).expect("a device that was found")).collect()
}
