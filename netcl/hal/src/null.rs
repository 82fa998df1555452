//! A device that records launches and computes nothing: for tests of plans, pools and launch counts.

use crate::device::backend::{Backend, Bound, LaunchRecord, Program};
use crate::device::dispatch::{BindRequest, Dispatch, ProgramSource, Work};
use crate::device::memory::{AllocateError, Memory, Region, downcast};
use crate::device::profile::{DeviceKind, DeviceProfile, LocalMemory};
use crate::device::scalar::Scalar;
use crate::error::{Error, Result};
use crate::event::Event;
use crate::host::backend::ordinary_memory;
use crate::memory::{PinnedBufferPool, Reserves};
use crate::profile::{self, Command};
use netcl_kernels::plan::Target;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Accounted for, not allocated.
#[derive(Debug)]
pub(crate) struct NullMemory {
    bytes: u64,
    /// Given back when dropped; `None` for a part.
    used: Option<Arc<AtomicU64>>,
    /// Whether it is counted: at once, or where the device promises memory that it does not have, from its first use on.
    is_counted: AtomicBool,
}

impl Memory for NullMemory {}

impl Drop for NullMemory {
    fn drop(&mut self) {
        if let Some(used) = self.used.as_ref().filter(|_| *self.is_counted.get_mut()) {
            used.fetch_sub(self.bytes, Ordering::Relaxed);
        }
    }
}

/// The null device's state.
pub struct Null {
    profile: DeviceProfile,
    used: Arc<AtomicU64>,
    reserves: Arc<Reserves>,
    records: Arc<Mutex<Vec<LaunchRecord>>>,
    pinned: PinnedBufferPool,
    fault: Arc<Fault>,
    /// Whether it gives memory that it may not have, as drivers do that allocate at the first use.
    promises: bool,
    /// Where launches are recorded, as taking no time.
    tracks: Arc<profile::DeviceTracks>,
}

/// When the device is lost.
#[derive(Debug)]
struct Fault {
    /// How many launches until then; [`NEVER`] if it stays.
    left: AtomicU64,
    device: String,
}

const NEVER: u64 = u64::MAX;

impl Fault {
    /// An error if the device is lost.
    fn check(&self) -> Result<()> {
        if self.left.load(Ordering::Relaxed) > 0 {
            return Ok(());
        }
        let operation = "a launch that the test made fail".to_owned();
        Err(Error::Lost { device: self.device.clone(), operation, code: "CL_DEVICE_NOT_AVAILABLE".to_owned() })
    }

    /// Counts a launch. The one that the device is lost in is enqueued as ever, as drivers do it.
    fn launched(&self) {
        let next = |left: u64| (left != NEVER && left > 0).then(|| left - 1);
        let _ = self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, next);
    }
}

impl Null {
    /// A device that takes plans for `target` and pretends to have `memory` bytes, and the limits of a small GPU.
    pub fn new(target: Target, memory: u64) -> Null {
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
    pub fn with_profile(profile: DeviceProfile) -> Null {
        let tracks =
            Arc::new(profile::DeviceTracks::new(&profile.selector, &format!("plans for {}", profile.target.name())));
        let fault = Arc::new(Fault { left: AtomicU64::new(NEVER), device: profile.name.clone() });
        let (pinned, used, reserves) = (ordinary_memory(&profile.name), Arc::default(), Arc::default());
        Null { pinned, profile, tracks, used, reserves, records: Arc::default(), fault, promises: false }
    }

    /// Counts so much memory as used, if there is as much left.
    fn take(&self, bytes: u64) -> bool {
        let limit = self.profile.memory;
        let fits = |used: u64| used.checked_add(bytes).filter(|&sum| sum <= limit);
        self.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, fits).is_ok()
    }

    /// A copy or a fill uses the memory.
    fn touch(&self, memory: &dyn Memory) -> Result<()> {
        self.fault.check()?;
        let Some(memory) = downcast::<NullMemory>(memory) else { return Ok(()) };
        if memory.used.is_none() || memory.is_counted.load(Ordering::Relaxed) {
            return Ok(());
        }
        if !self.take(memory.bytes) {
            let (device, requested) = (self.profile.name.clone(), memory.bytes as usize);
            return Err(Error::OutOfMemory { device, requested, pool: Box::default() });
        }
        memory.is_counted.store(true, Ordering::Relaxed);
        Ok(())
    }
}

impl Null {
    /// The device, promising whatever is asked for.
    pub fn promising(self) -> Null {
        let profile = DeviceProfile { max_allocation: u64::MAX, ..self.profile.clone() };
        Null { profile, promises: true, ..self }
    }

    /// How many bytes are allocated.
    pub fn used(&self) -> u64 {
        self.used.load(Ordering::Relaxed)
    }

    /// Another handle of the same memory, as another queue would be.
    pub fn again(&self) -> Null {
        let again = Null::with_profile(self.profile.clone());
        Null { used: self.used.clone(), reserves: self.reserves.clone(), ..again }
    }
}

impl Backend for Null {
    fn profile(&self) -> &DeviceProfile {
        &self.profile
    }

    fn allocate(&self, bytes: usize) -> Result<Arc<dyn Memory>, AllocateError> {
        self.fault.check().map_err(AllocateError::Other)?;
        let bytes = bytes as u64;
        if bytes > self.profile.max_allocation {
            return Err(AllocateError::TooLarge);
        }
        if !self.promises && !self.take(bytes) {
            return Err(AllocateError::OutOfMemory);
        }
        let is_counted = AtomicBool::new(!self.promises);
        Ok(Arc::new(NullMemory { bytes, used: Some(self.used.clone()), is_counted }))
    }

    fn part(&self, _: &dyn Memory, _: usize, bytes: usize) -> Result<Arc<dyn Memory>> {
        self.fault.check()?;
        Ok(Arc::new(NullMemory { bytes: bytes as u64, used: None, is_counted: AtomicBool::new(false) }))
    }

    fn write(&self, memory: &dyn Memory, _: &[u8]) -> Result<()> {
        self.touch(memory)
    }

    fn read(&self, _: &dyn Memory, into: &mut [u8]) -> Result<()> {
        self.fault.check()?;
        into.fill(0);
        Ok(())
    }

    fn copy(&self, _: &dyn Memory, to: &dyn Memory, _: usize) -> Result<()> {
        self.touch(to)
    }

    fn zero(&self, memory: &dyn Memory, _: usize) -> Result<()> {
        self.touch(memory)
    }

    fn load(&self, source: &ProgramSource<'_>) -> Result<Box<dyn Program>> {
        self.fault.check()?;
        let loops = source.loops.iter().map(|kernel| kernel.name.as_str().into()).collect();
        let (name, records) = (source.name.into(), self.records.clone());
        Ok(Box::new(NullProgram { name, loops, records, fault: self.fault.clone(), tracks: self.tracks.clone() }))
    }

    fn reserves(&self) -> &Reserves {
        &self.reserves
    }

    fn pinned_pool(&self) -> &PinnedBufferPool {
        &self.pinned
    }

    fn record(&self) -> Result<Event> {
        self.fault.check()?;
        Ok(Event::complete())
    }

    fn finish(&self) -> Result<()> {
        self.fault.check()
    }

    fn reported(&self) -> Result<()> {
        self.fault.check()
    }

    fn lose_after(&self, launches: u64) -> bool {
        self.fault.left.store(launches.min(NEVER - 1), Ordering::Relaxed);
        true
    }

    fn twin(&self) -> Result<Option<Arc<dyn Backend>>> {
        Ok(Some(Arc::new(Null::with_profile(self.profile.clone()))))
    }

    fn records(&self) -> Option<Vec<LaunchRecord>> {
        Some(std::mem::take(&mut *self.records.lock().unwrap_or_else(PoisonError::into_inner)))
    }
}

struct NullProgram {
    name: Arc<str>,
    /// The names of its loop kernels.
    loops: Vec<Arc<str>>,
    records: Arc<Mutex<Vec<LaunchRecord>>>,
    fault: Arc<Fault>,
    tracks: Arc<profile::DeviceTracks>,
}

impl Program for NullProgram {
    fn bind(&self, request: BindRequest<'_>) -> Result<Box<dyn Bound>> {
        let record = |dispatch: &Dispatch| {
            let (entry, geometry): (Arc<str>, _) = match &dispatch.work {
                Work::Kernel { entry, geometry } => (entry.as_str().into(), Some(geometry)),
                Work::Loop { kernel, geometry, .. } => {
                    (self.loops.get(*kernel).cloned().unwrap_or_else(|| "loop".into()), Some(geometry))
                }
                Work::MatMul(_) => ("matmul".into(), None),
                Work::Conv2d(_) => ("conv2d".into(), None),
                Work::ScatterAdd(_) => ("scatter_add".into(), None),
            };
            let sizes = |sizes: [usize; 3], dimensions: usize| sizes[..dimensions].to_vec();
            LaunchRecord {
                function: self.name.clone(),
                label: dispatch.label.as_str().into(),
                entry,
                global: geometry.map_or_else(Vec::new, |own| sizes(own.global, own.dimensions)),
                local: geometry.and_then(|own| Some(sizes(own.local?, own.dimensions))).unwrap_or_default(),
            }
        };
        let steps = request.dispatches.iter().map(record).collect();
        let (records, fault, tracks) = (self.records.clone(), self.fault.clone(), self.tracks.clone());
        Ok(Box::new(NullBound { steps, records, fault, tracks }))
    }
}

/// A launch as it is recorded.
fn command(launch: &LaunchRecord) -> Command {
    Command {
        name: launch.label.clone(),
        kernel: Some(launch.entry.clone()),
        work_items: launch.global.clone(),
        work_group: launch.local.clone(),
        ..Command::default()
    }
}

struct NullBound {
    steps: Vec<LaunchRecord>,
    records: Arc<Mutex<Vec<LaunchRecord>>>,
    fault: Arc<Fault>,
    tracks: Arc<profile::DeviceTracks>,
}

impl Bound for NullBound {
    fn launch(&mut self, _: &[&Region], _: &[Scalar]) -> Result<u64> {
        let marked = profile::mark();
        for step in &self.steps {
            self.fault.check()?;
            if let Some(marked) = marked {
                profile::computed(&self.tracks, command(step), marked);
            }
            self.records.lock().unwrap_or_else(PoisonError::into_inner).push(step.clone());
            self.fault.launched();
        }
        Ok(self.steps.len() as u64)
    }
}
