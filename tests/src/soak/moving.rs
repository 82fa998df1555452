//! Operations across devices: the host, and the parts of the device.

use super::worker::{TrackedTensor, Worker};
use netcl::Result;

pub(super) fn host(worker: &mut Worker<'_>, TrackedTensor { tensor, values, made }: TrackedTensor) -> Result<()> {
    let moved = tensor.to_device(&worker.common.host)?;
    worker.totals.compare(made, &moved.to_vec::<u32>()?, &values);
    worker.hold("from the host", moved.to_device(worker.device)?, values);
    Ok(())
}

/// To one part, which computes, from there to the other, and back. The parts have a context of their own.
pub(super) fn parts(worker: &mut Worker<'_>, TrackedTensor { tensor, values, .. }: TrackedTensor) -> Result<()> {
    let [first, second, ..] = worker.common.parts.as_slice() else { return Ok(()) };
    let there = tensor.to_device(first)?;
    let sum = there.add(&there);
    let beyond = sum.to_device(second)?;
    drop(sum);
    let quadruple = beyond.add(&beyond);
    let wanted: Vec<u32> = values.iter().map(|value| value.wrapping_mul(4)).collect();
    worker.totals.compare("computed by parts of the device", &quadruple.to_vec::<u32>()?, &wanted);
    worker.hold("from a part of the device", quadruple.to_device(worker.device)?, wanted);
    Ok(())
}
