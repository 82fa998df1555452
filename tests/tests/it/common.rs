//! Tests of generated code run on one device after the other.

use netcl::{Device, DeviceKind, DeviceManager, Result, Tensor};
use netcl_fixtures::devices as found;
use std::cell::RefCell;

thread_local! {
    /// The device that the test runs on.
    static DEVICE: RefCell<Option<Device>> = const { RefCell::new(None) };
}

/// The device whose turn it is.
pub(crate) fn device() -> Device {
    DEVICE.with_borrow(|device| device.clone()).expect("inside `everywhere`")
}

/// Every device found, or the one that `NETCL_TEST_DEVICE` names.
pub(crate) fn devices() -> Vec<Device> {
    match std::env::var("NETCL_TEST_DEVICE") {
        Ok(selector) if !selector.is_empty() => vec![Device::select(&selector).expect("NETCL_TEST_DEVICE")],
        _ => found::all(),
    }
}

/// The same in contexts of their own: programs that no other test uses can be counted.
pub(crate) fn devices_alone() -> Result<Vec<Device>> {
    let own = |device: Device| match device.profile().kind {
        DeviceKind::Host | DeviceKind::Null => Ok(device),
        _ => Ok(DeviceManager::global().shared_context(&[device])?.remove(0)),
    };
    devices().into_iter().map(own).collect()
}

/// The launches that `call` makes. `None` on the host, which is one for all tests: others launch there meanwhile.
pub(crate) fn launches_of<T>(device: &Device, call: impl FnOnce() -> Result<T>) -> Result<(Option<u64>, T)> {
    let before = device.launches();
    let value = call()?;
    let launches = device.launches() - before;
    Ok((Some(launches).filter(|_| device.profile().kind != DeviceKind::Host), value))
}

/// Runs a test on each of them.
pub(crate) fn everywhere(test: impl Fn() -> Result<()>) -> Result<()> {
    for device in devices() {
        eprintln!("on {device}");
        DEVICE.set(Some(device));
        test()?;
    }
    Ok(())
}

/// A tensor on that device.
pub(crate) fn floats(values: &[f32], shape: &[usize]) -> Tensor {
    Tensor::from_slice(&device(), values, shape).expect("the numbers fit the shape")
}

/// A tensor of that shape with numbers that are all different.
pub(crate) fn wave(device: &Device, shape: &[usize]) -> Tensor {
    let values: Vec<f32> = (0..shape.iter().product()).map(|i: usize| (i as f32 * 0.37).sin()).collect();
    Tensor::from_slice(device, &values, shape).expect("the numbers fit the shape")
}

/// Fails unless a kernel gives what Rust does within 2e-6.
pub(crate) fn agree(name: &str, given: &str, found: f32, expected: f32) {
    let near = (found - expected).abs() <= 2e-6 * expected.abs().max(f32::MIN_POSITIVE);
    assert!(
        near || found == expected || found.is_nan() && expected.is_nan(),
        "{name}({given}) is {found} in a kernel and {expected} in Rust"
    );
}

/// The elements of each.
pub(crate) fn of(tensors: &[Tensor]) -> Result<Vec<Vec<f32>>> {
    tensors.iter().map(|tensor| tensor.to_vec::<f32>()).collect()
}
