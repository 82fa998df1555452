//! A device that records launches and computes nothing: for tests of plans, pools and launch counts.

use crate::device::backend::{AllocateError, Backend, BindRequest, Bound, Memory, Native, Program};
use crate::device::host_backend::ordinary_memory;
use crate::device::profile::{DeviceKind, DeviceProfile, LocalMemory};
use crate::error::Result;
use crate::executor::geometry;
use crate::executor::scalar::Scalar;
use crate::memory::{BufferHandle, PinnedBufferPool};
use netcl_kernels::plan::{Plan, Target, Work};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// One launch on the null device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaunchRecord {
    /// The plan's function.
    pub function: Arc<str>,
    /// The step's label.
    pub label: Arc<str>,
    /// The kernel's name, or the kind of library call.
    pub entry: Arc<str>,
    /// Work-items, rounded up to whole work-groups; empty for library calls.
    pub global: Vec<usize>,
    /// Work-group size; empty where it is left to the driver.
    pub local: Vec<usize>,
}

/// Accounted for, not allocated.
#[derive(Debug)]
pub(crate) struct NullMemory {
    bytes: u64,
    /// Given back when dropped; `None` for a part.
    used: Option<Arc<AtomicU64>>,
}

impl Drop for NullMemory {
    fn drop(&mut self) {
        if let Some(used) = &self.used {
            used.fetch_sub(self.bytes, Ordering::Relaxed);
        }
    }
}

/// The null device's state.
pub(crate) struct Null {
    profile: DeviceProfile,
    used: Arc<AtomicU64>,
    records: Arc<Mutex<Vec<LaunchRecord>>>,
    pinned: PinnedBufferPool,
}

impl Null {
    /// A device that takes plans for `target` and pretends to have `memory` bytes, and the limits of a small GPU.
    pub(crate) fn new(target: Target, memory: u64) -> Null {
        Null::with_profile(DeviceProfile {
            memory,
            max_allocation: memory,
            max_work_group: 1024,
            max_work_items: [1024; 3],
            local_memory: LocalMemory { reported: 48 << 10, usable: 48 << 10, dedicated: true },
            fp64: true,
            fp16: true,
            ..DeviceProfile::unknown("null", DeviceKind::Null, target)
        })
    }

    /// A device that says this about itself.
    pub(crate) fn with_profile(profile: DeviceProfile) -> Null {
        Null { pinned: ordinary_memory(&profile.name), profile, used: Arc::default(), records: Arc::default() }
    }
}

#[cfg(test)]
impl Null {
    /// How many bytes are allocated.
    pub(crate) fn used(&self) -> u64 {
        self.used.load(Ordering::Relaxed)
    }
}

impl Backend for Null {
    fn profile(&self) -> &DeviceProfile {
        &self.profile
    }

    fn allocate(&self, bytes: usize) -> Result<Memory, AllocateError> {
        let bytes = bytes as u64;
        let limit = self.profile.memory;
        let fits = |used: u64| used.checked_add(bytes).filter(|&sum| sum <= limit);
        match self.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, fits) {
            Ok(_) => Ok(Memory::Null(NullMemory { bytes, used: Some(self.used.clone()) })),
            Err(_) => Err(AllocateError::OutOfMemory),
        }
    }

    fn part(&self, _: &Memory, _: usize, bytes: usize) -> Result<Memory> {
        Ok(Memory::Null(NullMemory { bytes: bytes as u64, used: None }))
    }

    fn write(&self, _: &Memory, _: &[u8]) -> Result<()> {
        Ok(())
    }

    fn read(&self, _: &Memory, into: &mut [u8]) -> Result<()> {
        into.fill(0);
        Ok(())
    }

    fn copy(&self, _: &Memory, _: &Memory, _: usize) -> Result<()> {
        Ok(())
    }

    fn zero(&self, _: &Memory, _: usize) -> Result<()> {
        Ok(())
    }

    fn load(&self, plan: &Arc<Plan>, _: Native) -> Result<Box<dyn Program>> {
        Ok(Box::new(NullProgram { plan: plan.clone(), records: self.records.clone() }))
    }

    fn pinned_pool(&self) -> &PinnedBufferPool {
        &self.pinned
    }

    fn finish(&self) -> Result<()> {
        Ok(())
    }

    fn twin(&self) -> Result<Option<Arc<dyn Backend>>> {
        Ok(Some(Arc::new(Null::with_profile(self.profile.clone()))))
    }

    fn records(&self) -> Option<Vec<LaunchRecord>> {
        Some(std::mem::take(&mut *self.records.lock().unwrap_or_else(PoisonError::into_inner)))
    }
}

struct NullProgram {
    plan: Arc<Plan>,
    records: Arc<Mutex<Vec<LaunchRecord>>>,
}

impl Program for NullProgram {
    fn bind(&self, request: &BindRequest<'_>) -> Result<Box<dyn Bound>> {
        let mut steps = Vec::with_capacity(self.plan.steps.len());
        for step in &self.plan.steps {
            let (entry, launch) = match &step.work {
                Work::Kernel { entry, launch } => (entry.as_str(), Some(launch)),
                Work::Loop(kernel) => (kernel.name.as_str(), Some(&kernel.launch)),
                Work::MatMul { .. } => ("matmul", None),
                Work::Conv2d { .. } => ("conv2d", None),
            };
            let (global, local) = match launch {
                None => (Vec::new(), Vec::new()),
                Some(launch) => match geometry::of(&self.plan.name, &step.label, launch, request.bindings)? {
                    None => continue,
                    Some(geometry) => (
                        geometry.global[..geometry.dimensions].to_vec(),
                        geometry.local.map(|local| local[..geometry.dimensions].to_vec()).unwrap_or_default(),
                    ),
                },
            };
            steps.push(LaunchRecord {
                function: self.plan.name.as_str().into(),
                label: step.label.as_str().into(),
                entry: entry.into(),
                global,
                local,
            });
        }
        Ok(Box::new(NullBound { steps, records: self.records.clone() }))
    }
}

struct NullBound {
    steps: Vec<LaunchRecord>,
    records: Arc<Mutex<Vec<LaunchRecord>>>,
}

impl Bound for NullBound {
    fn launch(&mut self, _: &[BufferHandle], _: &[Scalar]) -> Result<u64> {
        self.records.lock().unwrap_or_else(PoisonError::into_inner).extend(self.steps.iter().cloned());
        Ok(self.steps.len() as u64)
    }
}
