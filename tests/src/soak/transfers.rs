//! Operations on memory: where tensors come from, how they are read, pools.

use super::worker::{TrackedTensor, Worker};
use netcl::{DType, Error, Result, Tensor};

/// Elements of the seldom tensors that are larger than what may be on its way to a device at once (64 MiB).
const HUGE: usize = 18 << 20;

pub(super) fn from_pinned(worker: &mut Worker<'_>, TrackedTensor { values, .. }: TrackedTensor) -> Result<()> {
    let bytes = 4 * values.len();
    let mut pinned = match worker.draw.below(2) {
        0 => worker.device.pinned_pool().allocate(bytes)?,
        _ => worker.device.create_pinned_buffer(bytes)?,
    };
    pinned.as_mut_slice::<u32>()?.copy_from_slice(&values);
    let tensor = Tensor::from_pinned(worker.device, pinned, &[values.len()], DType::U32)?;
    worker.hold("from page-locked memory", tensor, values);
    Ok(())
}

pub(super) fn from_vector(worker: &mut Worker<'_>, TrackedTensor { values, .. }: TrackedTensor) -> Result<()> {
    let buffer = worker.device.create_zero_copy_buffer(values.clone())?;
    let tensor = Tensor::from_buffer(worker.device, buffer, &[values.len()], DType::U32)?;
    worker.hold("the memory of a vector", tensor, values);
    Ok(())
}

pub(super) fn read(worker: &mut Worker<'_>, TrackedTensor { tensor, values, made }: TrackedTensor) -> Result<()> {
    worker.totals.compare(made, &tensor.to_vec::<u32>()?, &values);
    Ok(())
}

pub(super) fn read_later(worker: &mut Worker<'_>, TrackedTensor { tensor, values, made }: TrackedTensor) -> Result<()> {
    worker.pending.push((tensor.to_host_async::<u32>()?, values, made));
    if worker.draw.below(2) == 0 { worker.copies_arrive() } else { Ok(()) }
}

pub(super) fn read_in_place(
    worker: &mut Worker<'_>,
    TrackedTensor { tensor, values, .. }: TrackedTensor,
) -> Result<()> {
    let doubled: Vec<u32> = values.iter().map(|value| value.wrapping_add(*value)).collect();
    // Sole owner of its memory, and not.
    worker.totals.compare("a sum in host memory", tensor.add(&tensor).into_host()?.as_slice::<u32>()?, &doubled);
    worker.totals.compare("a copy in host memory", tensor.into_host()?.as_slice::<u32>()?, &values);
    Ok(())
}

/// In a pool that keeps little: buffers longer than what is written and read, and copied into longer ones.
pub(super) fn parts_of_buffers(worker: &mut Worker<'_>, TrackedTensor { values, .. }: TrackedTensor) -> Result<()> {
    let length = 4 * values.len();
    let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_ne_bytes()).collect();
    let (from, to) = (worker.common.small.allocate(length)?, worker.common.small.allocate(length + 64)?);
    from.zero()?;
    to.zero()?;
    // A beginning of any length, the rest stays zero.
    let written = worker.draw.below(length as u64 + 1) as usize;
    from.write(&bytes[..written])?;
    from.copy_into(&to)?;
    let mut wanted = bytes.clone();
    wanted[written..].fill(0);
    let mut found = vec![1; length];
    to.read(&mut found)?;
    worker.totals.compare("the beginning of a buffer", &numbers(&found), &numbers(&wanted));
    let read = worker.draw.below(length as u64 + 1) as usize;
    let mut beginning = vec![1; read];
    from.read(&mut beginning)?;
    worker.totals.compare("a part of a beginning", &numbers(&beginning), &numbers(&wanted[..read]));
    from.write(&bytes)?;
    let tensor = Tensor::from_buffer(worker.device, from, &[values.len()], DType::U32)?;
    worker.hold("of a small pool", tensor, values);
    Ok(())
}

/// Bytes as numbers, the last ones of fewer bytes.
fn numbers(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks(4).map(|chunk| chunk.iter().fold(0, |number, &byte| number << 8 | u32::from(byte))).collect()
}

/// More than the device has, whatever its driver promises, and more than there can be. What a driver calls its largest
/// allocation says less: some give more.
pub(super) fn too_much(worker: &mut Worker<'_>, _: TrackedTensor) -> Result<()> {
    let beyond = usize::try_from(worker.device.profile().memory.saturating_mul(2)).unwrap_or(usize::MAX);
    for bytes in [beyond, usize::MAX].into_iter().filter(|&bytes| bytes > 0) {
        if !matches!(worker.device.buffer_pool().allocate(bytes), Err(Error::OutOfMemory { .. })) {
            worker.totals.mistake(format!("{bytes} bytes were allocated"));
        }
    }
    Ok(())
}

/// Seldom, and by one thread at a time: it takes long.
pub(super) fn huge(worker: &mut Worker<'_>, _: TrackedTensor) -> Result<()> {
    let common = worker.common;
    let Ok(_alone) = common.alone.try_lock() else { return Ok(()) };
    match worker.draw.below(24) {
        0 => {
            let values = worker.values(HUGE);
            let tensor = Tensor::from_slice(worker.device, &values, &[HUGE])?;
            worker.totals.compare("larger than what may be on its way", &tensor.to_vec::<u32>()?, &values);
        }
        1 => {
            worker.device.buffer_pool().release_idle();
            worker.device.pinned_pool().release_idle();
            common.small.release_idle();
        }
        _ => {}
    }
    Ok(())
}
