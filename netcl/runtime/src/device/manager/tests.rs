//! Selection among invented devices.

use super::*;
use netcl_hal::device::quirks;
use netcl_hal::device::vendor::Vendor;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A device that opens as a null device with its own profile.
struct Invented {
    profile: DeviceProfile,
    /// What trying adds to the profile.
    fp16: bool,
    recorded: bool,
    opens: bool,
    opened: Arc<AtomicUsize>,
}

impl Invented {
    fn complete(&self) -> DeviceProfile {
        self.profile.clone().with(|profile| profile.fp16 = self.fp16)
    }
}

impl Adapter for Invented {
    fn reported(&self) -> &DeviceProfile {
        &self.profile
    }

    fn recorded(&self) -> Option<DeviceProfile> {
        self.recorded.then(|| self.complete())
    }

    fn open(&self) -> netcl_hal::Result<Arc<dyn Backend>> {
        self.opened.fetch_add(1, Ordering::Relaxed);
        if self.opens {
            return Ok(Arc::new(Null::with_profile(self.complete())));
        }
        let code = "CL_DEVICE_NOT_AVAILABLE".to_owned();
        Err(netcl_hal::Error::Driver {
            device: self.profile.name.clone(),
            operation: "clCreateContext".to_owned(),
            code,
        })
    }
}

struct Machine {
    devices: Vec<Invented>,
    opened: Arc<AtomicUsize>,
}

impl Machine {
    fn new() -> Machine {
        Machine { devices: Vec::new(), opened: Arc::default() }
    }

    fn with(mut self, selector: &str, platform: &str, name: &str, kind: DeviceKind) -> Machine {
        let mut profile = DeviceProfile::unknown(name, kind, Target::Gpu);
        profile.selector = selector.to_owned();
        profile.platform = platform.to_owned();
        let opened = self.opened.clone();
        self.devices.push(Invented { profile, fp16: false, recorded: false, opens: true, opened });
        self
    }

    fn but(mut self, change: impl Fn(&mut Invented)) -> Machine {
        change(self.devices.last_mut().expect("a device"));
        self
    }

    fn manager(self) -> DeviceManager {
        let devices = self.devices.into_iter().map(|device| Box::new(device) as Box<dyn Adapter>).collect();
        DeviceManager::of(Listed { devices, problems: Vec::new() })
    }
}

fn name(device: Result<Device>) -> String {
    device.unwrap().profile().name.clone()
}

fn workstation() -> Machine {
    Machine::new()
        .with("opencl:0:0", "Portable Computing Language", "pthread-zen", DeviceKind::Cpu)
        .with("opencl:1:0", "NVIDIA CUDA", "Tesla T4", DeviceKind::Gpu)
        .with("opencl:1:1", "NVIDIA CUDA", "Tesla V100", DeviceKind::Gpu)
        .but(|device| device.fp16 = true)
        .with("opencl:2:0", "Vendor FPGA", "Board", DeviceKind::Accelerator)
}

#[test]
fn every_selector_finds_its_device() {
    let manager = workstation().manager();
    for (selector, expected) in [
        ("auto", "Tesla T4"),
        ("gpu", "Tesla T4"),
        ("CPU", "pthread-zen"),
        ("accel", "Board"),
        ("opencl:1", "Tesla T4"),
        ("opencl:1:1", "Tesla V100"),
        ("v100", "Tesla V100"),
        ("portable comp", "pthread-zen"),
        ("cuda", "Tesla T4"),
    ] {
        assert_eq!(name(manager.select(selector)), expected, "{selector}");
    }
    assert_eq!(manager.select("host").unwrap(), Device::host());
}

#[test]
fn a_driver_that_ends_loops_is_taken_where_it_is_named_or_alone() {
    let llvmpipe = |machine: Machine| {
        machine
            .with("opencl:0:0", "rusticl", "llvmpipe", DeviceKind::Cpu)
            .but(|device| device.profile.quirks = quirks::of(Vendor::Llvmpipe, "22.3.6"))
    };
    let both = llvmpipe(Machine::new()).with("opencl:1:0", "P", "processor", DeviceKind::Cpu).manager();
    assert_eq!(name(both.select("cpu")), "processor");
    assert_eq!(name(both.select("rusticl")), "llvmpipe");
    assert_eq!(name(llvmpipe(Machine::new()).manager().select("cpu")), "llvmpipe");
}

#[test]
fn a_device_is_opened_once_whatever_it_is_called() {
    let machine = workstation();
    let opened = machine.opened.clone();
    let manager = machine.manager();
    let first = manager.select("gpu").unwrap();
    for selector in ["gpu", "auto", "opencl:1:0", "tesla", "GPU"] {
        assert_eq!(manager.select(selector).unwrap(), first, "{selector}");
    }
    assert_eq!(manager.find(|profile| profile.name.contains("T4")).unwrap(), first);
    assert_eq!(opened.load(Ordering::Relaxed), 1);
}

#[test]
fn null_devices_are_always_new() {
    let manager = Machine::new().manager();
    assert_ne!(manager.select("null").unwrap(), manager.select("null").unwrap());
}

#[test]
fn a_selector_that_fits_nothing_says_what_there_is() {
    let manager = workstation().manager();
    for selector in ["Radeon", "", "opencl:9", "opencl:x", "opencl:1:2"] {
        let text = manager.select(selector).unwrap_err().to_string();
        for part in [&format!("`{selector}`")[..], "opencl:P:D", "opencl:1:1 = Tesla V100 (gpu)", "host = "] {
            assert!(text.contains(part), "{text}");
        }
    }
}

#[test]
fn without_a_gpu_it_is_an_accelerator_and_without_one_the_host() {
    let accelerator = Machine::new().with("opencl:0:0", "P", "processor", DeviceKind::Cpu).with(
        "opencl:0:1",
        "P",
        "board",
        DeviceKind::Accelerator,
    );
    assert_eq!(name(accelerator.manager().select("auto")), "board");
    let processor = Machine::new().with("opencl:0:0", "P", "processor", DeviceKind::Cpu);
    assert_eq!(processor.manager().select("auto").unwrap(), Device::host());
    assert_eq!(Machine::new().manager().select("auto").unwrap(), Device::host());
}

#[test]
fn a_device_that_cannot_be_opened_is_passed_over_and_an_error_if_it_is_named() {
    let manager = Machine::new()
        .with("opencl:0:0", "P", "broken", DeviceKind::Gpu)
        .but(|device| device.opens = false)
        .with("opencl:0:1", "P", "sound", DeviceKind::Gpu)
        .manager();
    assert_eq!(name(manager.select("auto")), "sound");
    assert!(matches!(manager.select("broken"), Err(Error::Driver { .. })));
    assert_eq!(manager.profiles().len(), 3, "it is listed all the same");
}

#[test]
fn conditions_see_what_was_tried() {
    let manager = workstation().manager();
    assert_eq!(name(manager.find(|profile| profile.fp16)), "Tesla V100");
    assert_eq!(name(manager.find(|profile| profile.platform.contains("Portable"))), "pthread-zen");
    let error = manager.find(|profile| profile.memory > 1 << 60).unwrap_err();
    assert!(error.to_string().starts_with("no device fits the condition; ask for less"), "{error}");
    assert!(error.to_string().contains("Tesla T4"), "{error}");
}

#[test]
fn the_host_comes_before_opencl_on_a_processor() {
    let manager = Machine::new().with("opencl:0:0", "P", "processor", DeviceKind::Cpu).manager();
    assert_eq!(manager.find(|_| true).unwrap(), Device::host());
}

#[test]
fn a_recorded_profile_saves_the_opening() {
    let machine = workstation();
    let opened = machine.opened.clone();
    let mut machine = machine;
    machine.devices.iter_mut().for_each(|device| device.recorded = true);
    let manager = machine.manager();
    assert_eq!(manager.profiles().iter().filter(|profile| profile.fp16).count(), 1);
    assert_eq!(opened.load(Ordering::Relaxed), 0);
    assert_eq!(name(manager.find(|profile| profile.fp16)), "Tesla V100");
    assert_eq!(opened.load(Ordering::Relaxed), 1);
}

#[test]
fn only_opencl_devices_of_one_platform_share_a_context() {
    let manager = Machine::new().manager();
    for devices in [vec![], vec![Device::host()], vec![Device::null(Target::Gpu, 0)]] {
        assert!(matches!(manager.shared_context(&devices), Err(Error::Unsupported { .. })), "{devices:?}");
    }
}

#[test]
fn what_failed_while_devices_were_listed_is_said() {
    let problem = "the OpenCL platform opencl:0 does not list its devices: CL_OUT_OF_RESOURCES";
    let manager = DeviceManager::of(Listed { devices: Vec::new(), problems: vec![problem.to_owned()] });
    assert_eq!(manager.problems(), [problem]);
    let error = manager.select("gpu").unwrap_err().to_string();
    assert!(error.contains(problem), "{error}");
}
