//! Kernel objects that nobody uses now, kept by their text: making one costs driver calls, and the program that it is of
//! would be built or loaded again.

use super::kernel::KernelObject;
use crate::device::kernels::KernelSource;
use std::collections::BTreeMap;

/// At most so many are kept, the least recently used go first.
const KEPT: usize = 256;

/// Those of one device.
#[derive(Default)]
pub(super) struct IdleKernels {
    /// With the time at which one was last given back.
    by_origin: BTreeMap<KernelSource, (u64, Vec<KernelObject>)>,
    count: usize,
    clock: u64,
}

impl IdleKernels {
    pub(super) fn take(&mut self, origin: &KernelSource) -> Option<KernelObject> {
        let (_, list) = self.by_origin.get_mut(origin)?;
        let kernel = list.pop()?;
        self.count -= 1;
        Some(kernel)
    }

    /// Keeps one; gives those that are too many.
    pub(super) fn put(&mut self, origin: KernelSource, kernel: KernelObject) -> Vec<KernelObject> {
        self.clock += 1;
        let (used, list) = self.by_origin.entry(origin).or_default();
        *used = self.clock;
        list.push(kernel);
        self.count += 1;
        let mut surplus = Vec::new();
        while self.count > KEPT {
            let oldest = self.by_origin.iter().min_by_key(|(_, (used, _))| *used).map(|(origin, _)| origin.clone());
            let Some((_, gone)) = oldest.and_then(|origin| self.by_origin.remove(&origin)) else { break };
            self.count -= gone.len();
            surplus.extend(gone);
        }
        surplus
    }
}
