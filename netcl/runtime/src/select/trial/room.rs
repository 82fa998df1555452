//! Whether there is room for a task's operands and its result, before any of them is made.

use crate::device::Device;
use crate::error::{Error, Result};
use netcl_kernels::dim::INDEX_LIMIT;
use netcl_kernels::graph::{Graph, InputKind, Node, Op};
use netcl_kernels::variant::Task;

/// How many elements the operands and the result have, if the device can hold and count them all.
///
/// # Errors
///
/// [`Error::Unsupported`] with what is too large and how much may be had.
pub(super) fn elements(device: &Device, task: &Task<u64>, graph: &Graph) -> Result<u64> {
    let profile = device.profile();
    let fail = |problem: String| {
        let (function, device) = (task.to_string(), device.to_string());
        Error::Unsupported { function, device, problem: format!("{problem}; use smaller sizes") }
    };
    let limited = |limit: u64| if limit == 0 { u64::MAX } else { limit };
    let (mut elements, mut bytes, mut largest) = (0, 0u64, 0);
    for node in tensors(graph) {
        let shape = &node.shape;
        let count = shape.evaluate(&[]).and_then(|sizes| sizes.into_iter().try_fold(1usize, usize::checked_mul));
        let count = count.and_then(|count| u64::try_from(count).ok()).filter(|count| *count <= INDEX_LIMIT);
        let count = count.ok_or_else(|| {
            fail(format!("a tensor of shape {shape} has more elements than kernels count up to, {INDEX_LIMIT}"))
        })?;
        let own = count * node.dtype.size() as u64;
        if own > limited(profile.max_allocation) {
            let most = profile.max_allocation;
            return Err(fail(format!("a tensor of shape {shape} has {own} bytes, and a buffer there at most {most}")));
        }
        elements += count;
        bytes = bytes.saturating_add(own);
        largest = own.max(largest);
    }
    // On its way to the device an operand is in the host's memory as well.
    let copy = if profile.unified_memory { largest } else { 0 };
    let needed = bytes.saturating_add(copy);
    if needed > limited(profile.memory) {
        let memory = profile.memory;
        return Err(fail(format!("its operands and its result take {needed} bytes, and there are {memory}")));
    }
    Ok(elements)
}

fn tensors(graph: &Graph) -> impl Iterator<Item = &Node> {
    let operands = graph.nodes.iter().filter(|node| matches!(node.op, Op::Input(InputKind::Argument(_))));
    operands.chain(graph.outputs.iter().map(|(_, result)| &graph[*result]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::select::testing::{conv, product};
    use netcl_kernels::plan::Target;
    use netcl_kernels::variant;

    fn checked(memory: u64, task: &Task<u64>) -> Result<u64, String> {
        elements(&Device::null(Target::Gpu, memory), task, &variant::graph(task)).map_err(|error| error.to_string())
    }

    #[test]
    fn what_a_device_cannot_hold_or_kernels_cannot_count_is_refused() {
        assert_eq!(checked(1 << 20, &product(64, 32, 16)), Ok(64 * 16 + 16 * 32 + 64 * 32));
        for (memory, task, problem) in [
            (1 << 40, product(1_000_000, 1_000_000, 1_000_000), "kernels count up to"),
            (1 << 40, product(u64::MAX, u64::MAX, u64::MAX), "kernels count up to"),
            (1 << 40, conv(u64::MAX, u64::MAX, 1 << 60, 3), "kernels count up to"),
            (1 << 20, product(1024, 16, 1024), "[1, 1024, 1024] has 4194304 bytes, and a buffer there at most 1048576"),
            (1 << 20, product(500, 500, 500), "take 3000000 bytes, and there are 1048576"),
        ] {
            let error = checked(memory, &task).unwrap_err();
            assert!(error.contains(problem) && error.ends_with("; use smaller sizes"), "{error}");
        }
    }
}
