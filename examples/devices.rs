//! What devices there are and what they can do; then one of them divided, and a tensor moved between its parts.

use netcl::prelude::*;
use netcl::{DeviceManager, DeviceProfile, Partition};
use netcl_examples::Options;

fn main() -> Result<()> {
    let (_, device) = Options::open(
        "What devices there are and what they can do; then one of them divided, and a tensor moved between its parts",
    )?;
    for profile in Device::all() {
        println!("\n{} = {}", profile.selector, profile.name);
        for (what, value) in lines(&profile) {
            println!("  {what:<16} {value}");
        }
    }

    println!("\nhere kernels are {}", device.kernel_strategy()?);
    let fits = |profile: &DeviceProfile| profile.fp64 && profile.is_integrated();
    match DeviceManager::global().find(fits) {
        Ok(device) => println!("with fp64 in the host's memory: {device}"),
        Err(error) => println!("{error}"),
    }

    if device.profile().partitions.equally && device.profile().compute_units > 1 {
        let parts = device.partition(&Partition::Equally(device.profile().compute_units / 2))?;
        // Helpers that take no device work on the active one.
        let ramp = {
            let _active = parts[0].activate();
            ramp(1000)?
        };
        // The parts share a context: this copy does not pass through the host.
        let moved = ramp.to_device(&parts[1])?;
        println!("divided into {} parts; moved to {}", parts.len(), moved.device());
        assert_eq!(moved.to_vec::<f32>()?, ramp.to_vec::<f32>()?, "the copy is another");
    }
    Ok(())
}

/// 0, 1, 2, ... on the active device.
fn ramp(count: usize) -> Result<Tensor> {
    let values: Vec<f32> = (0..count).map(|value| value as f32).collect();
    Tensor::from_slice(&Device::active()?, &values, &[count])
}

/// What matters to netcl, as far as it is known.
fn lines(profile: &DeviceProfile) -> Vec<(&'static str, String)> {
    let yes = |flag: bool| if flag { "yes" } else { "no" };
    let local = profile.local_memory;
    let mut lines = vec![("kind", format!("{}, {}", profile.kind, profile.architecture))];
    if !profile.driver.is_empty() {
        lines.push(("driver", format!("{}: {}", profile.vendor, profile.driver)));
    }
    lines.push(("compute units", profile.compute_units.to_string()));
    if profile.memory > 0 {
        lines.push(("memory", format!("{:.1} GiB", profile.memory as f64 / (1u64 << 30) as f64)));
    }
    lines.push(("with the host", format!("{}, by pointers: {}", shared(profile), yes(profile.has_svm_support()))));
    if profile.max_work_group > 0 {
        lines.push(("work-group", format!("up to {} work-items", profile.max_work_group)));
        lines.push(("local memory", format!("{} KiB, usable {} KiB", local.reported >> 10, local.usable >> 10)));
        lines.push((
            "atomics",
            format!("int64: {}, f32 add: {:?}", yes(profile.atomics.int64), profile.atomics.float_add),
        ));
        lines.push(("command buffers", yes(profile.command_buffers).to_owned()));
    }
    lines.push(("fp16, fp64", format!("{}, {}", yes(profile.fp16), yes(profile.fp64))));
    if let Some(groups) = &profile.sub_groups {
        lines.push(("sub-groups", format!("of {:?}", groups.sizes)));
    }
    if let Some(ptx) = profile.ptx {
        lines.push(("tensor cores", yes(ptx.tensor_cores()).to_owned()));
    }
    lines.push(("kernels", profile.kernel_strategy().to_string()));
    lines.extend(profile.quirks.iter().map(|quirk| ("not used", format!("{:?} ({})", quirk.avoid, quirk.reason))));
    lines
}

fn shared(profile: &DeviceProfile) -> &'static str {
    if profile.is_integrated() { "the same memory" } else { "memory of its own" }
}
