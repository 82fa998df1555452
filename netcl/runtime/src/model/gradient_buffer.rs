//! The memory of gradients: buffers with the parameters' layout, which a model uses again.

use crate::device::Device;
use crate::error::Result;
use crate::memory::{BufferHandle, Reserve};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// The free gradient buffers of one model.
#[derive(Default)]
pub(crate) struct Spare(Mutex<Vec<Parts>>);

/// How many are kept: of the last step, of the one before, and of two more that accumulate.
const SPARE: usize = 4;

impl Reserve for Spare {
    fn release(&self) -> bool {
        let dropped = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        !dropped.is_empty()
    }
}

/// Of what writes gradients into buffers: distinct among all.
pub(crate) fn writer_id() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// A buffer and its parts. Goes back to its model when dropped, with its parts, because making those anew for every
/// step costs a driver call each.
pub(crate) struct GradientBuffer {
    /// Taken out only by drop.
    parts: Option<Parts>,
    spare: Arc<Spare>,
    /// For each parameter whether there is a gradient in it; empty where there is none at all.
    covered: OnceLock<Arc<[bool]>>,
}

struct Parts {
    whole: BufferHandle,
    /// One for each parameter.
    each: Vec<BufferHandle>,
    /// How many handles of the whole there are while nobody uses it.
    handles: usize,
    /// Which gradients may be other than zero: those of the plan with that id, or none.
    written: AtomicU64,
}

impl GradientBuffer {
    /// A free one of `spare`, or a new one of `bytes` with these `parts` of it: where each starts and how many bytes it has.
    pub(super) fn take(
        spare: &Arc<Spare>,
        device: &Device,
        bytes: usize,
        parts: impl Iterator<Item = (usize, usize)>,
    ) -> Result<GradientBuffer> {
        let found = {
            let mut list = spare.0.lock().unwrap_or_else(PoisonError::into_inner);
            // Views of a gradient may outlive it: such a buffer is not free yet.
            let free = list.iter().position(Parts::is_free);
            free.map(|position| list.swap_remove(position))
        };
        let parts = match found {
            Some(parts) => parts,
            None => {
                let whole = device.allocate(bytes.max(1))?;
                whole.zero()?;
                Parts::of(device, whole, parts)?
            }
        };
        Ok(GradientBuffer { parts: Some(parts), spare: spare.clone(), covered: OnceLock::new() })
    }

    /// One in memory that has other uses before and after: no model uses it again.
    pub(super) fn of(
        device: &Device,
        whole: BufferHandle,
        parts: impl Iterator<Item = (usize, usize)>,
        covered: Arc<[bool]>,
    ) -> Result<GradientBuffer> {
        let parts = Parts::of(device, whole, parts)?;
        Ok(GradientBuffer { parts: Some(parts), spare: Arc::default(), covered: OnceLock::from(covered) })
    }

    /// Makes every gradient zero that the plan `id` does not write; `covered` says which it writes.
    pub(crate) fn prepare(&self, id: u64, covered: &Arc<[bool]>) -> Result<()> {
        self.covered.get_or_init(|| covered.clone());
        let written = &self.parts().written;
        let before = written.load(Ordering::Relaxed);
        let covers_all = !covered.is_empty() && covered.iter().all(|covered| *covered);
        if before != 0 && before != id && !covers_all {
            self.whole().zero()?;
        }
        written.store(id, Ordering::Relaxed);
        Ok(())
    }

    /// Says that no gradient is other than zero but those of the plans `id`, which `covered` has.
    pub(crate) fn note_written(&self, id: u64, covered: &Arc<[bool]>) {
        self.covered.get_or_init(|| covered.clone());
        self.parts().written.store(id, Ordering::Relaxed);
    }

    /// Whether there is a gradient in that parameter: the function depends on it.
    pub(crate) fn covers(&self, parameter: usize) -> bool {
        self.covered.get().is_some_and(|covered| covered.get(parameter).copied().unwrap_or(false))
    }

    pub(crate) fn part(&self, parameter: usize) -> BufferHandle {
        self.parts().each[parameter].clone()
    }

    pub(crate) fn whole(&self) -> &BufferHandle {
        &self.parts().whole
    }

    fn parts(&self) -> &Parts {
        self.parts.as_ref().expect("taken out only by drop")
    }
}

impl Parts {
    fn of(device: &Device, whole: BufferHandle, parts: impl Iterator<Item = (usize, usize)>) -> Result<Parts> {
        whole.note_changes();
        let part = |(offset, bytes)| match bytes {
            0 => device.allocate(1),
            bytes => whole.part(offset, bytes),
        };
        let each = parts.map(part).collect::<Result<_>>()?;
        let handles = whole.handles();
        Ok(Parts { whole, each, handles, written: AtomicU64::new(0) })
    }

    fn is_free(&self) -> bool {
        self.whole.handles() == self.handles && self.each.iter().all(|part| !part.is_shared())
    }
}

impl Drop for GradientBuffer {
    fn drop(&mut self) {
        if let Some(parts) = self.parts.take() {
            let mut list = self.spare.0.lock().unwrap_or_else(PoisonError::into_inner);
            list.push(parts);
            // Views of the one that goes keep what they need.
            let surplus = (list.len() > SPARE).then(|| list.remove(0));
            drop(list);
            drop(surplus);
        }
    }
}
