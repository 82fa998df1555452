//! `netcl devices`: what there is, as far as it matters to netcl.

use crate::failure::Result;
use crate::output::{Output, bytes};
use crate::select;
use netcl::{DeviceManager, DeviceProfile};
use serde_json::{Value, json};
use std::io::Write as _;
use std::process::ExitCode;

/// The arguments of `devices`.
#[derive(clap::Args, Debug)]
#[command(after_help = "Example: netcl devices --device gpu")]
pub(crate) struct DevicesArgs {
    /// Everything about one device: auto, gpu, cpu, accel, other, host, null, opencl:P:D, or part of a name
    #[arg(long, value_name = "SELECTOR")]
    device: Option<String>,
    /// Everything about each device, not one line
    #[arg(long, short)]
    verbose: bool,
}

pub(crate) fn run(args: &DevicesArgs, output: &Output) -> Result<ExitCode> {
    let profiles = match &args.device {
        Some(selector) => vec![select::open(selector)?.profile().clone()],
        None => {
            let manager = DeviceManager::global();
            for problem in manager.problems() {
                // Who has closed it does not want to know.
                let _ = writeln!(std::io::stderr(), "warning: {problem}");
            }
            manager.profiles()
        }
    };
    if output.is_json() {
        output.value(&Value::Array(profiles.iter().map(value).collect()))?;
    } else if args.verbose || args.device.is_some() {
        let sections: Vec<String> = profiles.iter().map(|profile| section(profile, output)).collect();
        output.text(&sections.join("\n"))?;
    } else {
        let rows: Vec<Vec<String>> = profiles.iter().map(row).collect();
        output.text(&output.table(&["selector", "kind", ">memory", ">units", "kernels", "name"], &rows))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn row(profile: &DeviceProfile) -> Vec<String> {
    vec![
        profile.selector.clone(),
        profile.kind.to_string(),
        known(profile.memory, bytes),
        profile.compute_units.to_string(),
        profile.kernel_strategy().to_string(),
        profile.name.clone(),
    ]
}

fn section(profile: &DeviceProfile, output: &Output) -> String {
    let mut text = output.heading(&format!("{} = {}", profile.selector, profile.name));
    text.push('\n');
    for (what, value) in lines(profile) {
        text.push_str(&format!("  {what:<20}{value}\n"));
    }
    text
}

fn lines(profile: &DeviceProfile) -> Vec<(&'static str, String)> {
    let local = profile.local_memory;
    let mut lines = vec![
        ("kind", format!("{}, {}", profile.kind, profile.architecture)),
        ("kernels", format!("{}, plans for {}", profile.kernel_strategy(), profile.target.name())),
    ];
    if !profile.platform.is_empty() {
        let (major, minor) = profile.opencl;
        lines.push(("platform", format!("{}, OpenCL {major}.{minor}", profile.platform)));
        lines.push(("driver", format!("{}, {}", profile.vendor, profile.driver)));
    }
    lines.push(("compute units", profile.compute_units.to_string()));
    lines.push(("memory", format!("{}, {}", known(profile.memory, bytes), if_shared(profile))));
    lines.push(("one buffer", known(profile.max_allocation, |most| format!("up to {}", bytes(most)))));
    lines.push(("shared pointers", pointers(profile)));
    if profile.max_work_group > 0 {
        let items = profile.max_work_items;
        let axes = format!("{} x {} x {}", items[0], items[1], items[2]);
        lines.push(("work-group", format!("up to {} work-items, {axes} by axis", profile.max_work_group)));
        let waiting = if profile.independent_progress { "may" } else { "may not" };
        lines.push(("groups", format!("{waiting} wait for one another")));
        lines.push(("in step", known(profile.simd_width.into(), |width| format!("{width} work-items"))));
        let (reported, usable) = (bytes(local.reported), bytes(local.usable));
        let place = if local.dedicated { "memory of its own" } else { "cached global memory" };
        lines.push(("local memory", format!("{usable} usable (tried), {reported} by the driver, {place}")));
    }
    let lanes = |lanes| format!("{lanes} of f32{}", if lanes == 1 { ": work-items are the lanes" } else { "" });
    lines.push(("vector lanes", known(profile.vector_lanes.into(), lanes)));
    lines.push(("fp16", format!("{} (tried)", yes(profile.fp16))));
    lines.push(("fp64", yes(profile.fp64).to_owned()));
    let division = if profile.rounded_division { "rounded correctly" } else { "as the driver rounds it" };
    lines.push(("division", division.to_owned()));
    let sizes = profile.sub_groups.as_ref().map(|groups| format!("of {}", list(&groups.sizes)));
    lines.push(("sub-groups", format!("{} (tried)", sizes.unwrap_or_else(|| "no".to_owned()))));
    lines.push(("atomics", format!("int64 {}, f32 addition {} (tried)", yes(profile.atomics.int64), adds(profile))));
    if let Some(ptx) = profile.ptx {
        let [f16, bf16, tf32, groups] = [ptx.mma_f16, ptx.mma_bf16, ptx.mma_tf32, ptx.wgmma].map(yes);
        lines.push(("tensor cores", format!("f16 {f16}, bf16 {bf16}, TF32 {tf32}, by warpgroups {groups} (tried)")));
    }
    lines.push(("command buffers", yes(profile.command_buffers).to_owned()));
    lines.push(("out of order", yes(profile.out_of_order).to_owned()));
    lines.push(("divisible", divisible(profile)));
    lines.extend(profile.quirks.iter().map(|quirk| ("not used", format!("{:?}: {}", quirk.avoid, quirk.reason))));
    if !profile.extensions.is_empty() {
        lines.push(("extensions", profile.extensions.join(" ")));
    }
    lines
}

fn known(value: u64, show: impl FnOnce(u64) -> String) -> String {
    if value == 0 { "not known".to_owned() } else { show(value) }
}

fn yes(flag: bool) -> &'static str {
    if flag { "yes" } else { "no" }
}

fn if_shared(profile: &DeviceProfile) -> &'static str {
    if profile.is_integrated() { "the host's" } else { "its own" }
}

fn list<T: ToString>(values: &[T]) -> String {
    values.iter().map(T::to_string).collect::<Vec<_>>().join(", ")
}

fn pointers(profile: &DeviceProfile) -> String {
    let shared = profile.shared_virtual_memory;
    let kinds =
        [(shared.coarse, "coarse"), (shared.fine, "fine"), (shared.system, "system"), (shared.atomics, "atomics")];
    let there: Vec<&str> = kinds.iter().filter(|(there, _)| *there).map(|(_, name)| *name).collect();
    if there.is_empty() { "no".to_owned() } else { there.join(", ") }
}

fn adds(profile: &DeviceProfile) -> String {
    format!("{:?}", profile.atomics.float_add).to_lowercase()
}

fn divisible(profile: &DeviceProfile) -> String {
    let partitions = &profile.partitions;
    let mut ways = Vec::new();
    if partitions.equally {
        ways.push("equally".to_owned());
    }
    if partitions.by_counts {
        ways.push("by counts".to_owned());
    }
    ways.extend(partitions.by_affinity.iter().map(|domain| format!("by {domain}")));
    if ways.is_empty() { "no".to_owned() } else { format!("{}, up to {} parts", ways.join(", "), partitions.most) }
}

/// All of a profile. Numbers that are not known are 0, as in [`DeviceProfile`].
pub(crate) fn value(profile: &DeviceProfile) -> Value {
    let (local, shared) = (profile.local_memory, profile.shared_virtual_memory);
    let quirks =
        profile.quirks.iter().map(|quirk| json!({ "avoid": format!("{:?}", quirk.avoid), "reason": quirk.reason }));
    json!({
        "selector": profile.selector,
        "name": profile.name,
        "kind": profile.kind.to_string(),
        "target": profile.target.name(),
        "strategy": profile.kernel_strategy().to_string(),
        "vendor": profile.vendor.to_string(),
        "architecture": profile.architecture.to_string(),
        "platform": profile.platform,
        "driver": profile.driver,
        "opencl": [profile.opencl.0, profile.opencl.1],
        "extensions": profile.extensions,
        "memory": profile.memory,
        "max_allocation": profile.max_allocation,
        "buffer_alignment": profile.buffer_alignment,
        "unified_memory": profile.unified_memory,
        "shared_virtual_memory": {
            "coarse": shared.coarse, "fine": shared.fine, "system": shared.system, "atomics": shared.atomics,
        },
        "local_memory": { "reported": local.reported, "usable": local.usable, "dedicated": local.dedicated },
        "compute_units": profile.compute_units,
        "max_work_group": profile.max_work_group,
        "max_work_items": profile.max_work_items,
        "simd_width": profile.simd_width,
        "independent_progress": profile.independent_progress,
        "rounded_division": profile.rounded_division,
        "vector_lanes": profile.vector_lanes,
        "sub_groups": profile.sub_groups.as_ref().map(|groups| &groups.sizes),
        "atomics": { "int64": profile.atomics.int64, "float_add": adds(profile) },
        "fp16": profile.fp16,
        "fp64": profile.fp64,
        "tensor_cores": profile.ptx.map(|ptx| json!({ "f16": ptx.mma_f16, "bf16": ptx.mma_bf16, "tf32": ptx.mma_tf32, "warpgroups": ptx.wgmma })),
        "command_buffers": profile.command_buffers,
        "out_of_order": profile.out_of_order,
        "partitions": {
            "equally": profile.partitions.equally,
            "by_counts": profile.partitions.by_counts,
            "by_affinity": profile.partitions.by_affinity.iter().map(ToString::to_string).collect::<Vec<_>>(),
            "most": profile.partitions.most,
        },
        "quirks": quirks.collect::<Vec<_>>(),
    })
}
