//! Devices: what there is, and which one to use.

mod active;
mod division;
mod manager;
mod open;
mod opencl;
mod pool;

pub use active::ActiveDevice;
pub use manager::DeviceManager;
pub use netcl_hal::device::backend::LaunchRecord;
pub use netcl_hal::device::{
    AffinityDomain, Architecture, Atomics, Avoid, DeviceKind, DeviceProfile, FloatAtomics, KernelStrategy, LocalMemory,
    Partition, Partitions, Ptx, QueueOrder, Quirk, SharedVirtualMemory, SubGroups, Vendor,
};
pub use netcl_hal::opencl::handles::OpenClHandles;

use crate::error::{Error, Result};
use crate::event::{Event, Interrupt};
use crate::memory::{BufferHandle, BufferPool, PinnedBuffer, PinnedBufferPool, PoolStats, Reserve};
use netcl_hal::device::backend::Backend;
use netcl_hal::device::slots::Slots;
use netcl_hal::process;
use netcl_hal::program::ProgramStats;
use std::any::Any;
use std::fmt;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

/// A device: its driver's queue and its memory. Cheap to clone; clones are the same device.
#[derive(Clone)]
#[doc(alias("DeviceHandle", "OpenCLBackend"))]
pub struct Device(Arc<OpenDevice>);

struct OpenDevice {
    id: u32,
    backend: Arc<dyn Backend>,
    pool: BufferPool,
    pinned: PinnedBufferPool,
    launches: AtomicU64,
    /// What the layers above keep for it. Nothing in them holds the device.
    slots: Slots,
}

impl Device {
    pub(crate) fn of(backend: Arc<dyn Backend>) -> Device {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        process::watch();
        let mut max_cached = netcl_hal::config::DEFAULT_MAX_CACHED;
        if let Ok(config) = netcl_hal::config::get() {
            netcl_hal::config::warn_of_unknown();
            netcl_hal::profile::install(config);
            max_cached = config.max_cached_bytes;
        }
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        let pool = BufferPool::of_device(backend.clone(), usize::try_from(max_cached).unwrap_or(usize::MAX));
        let pinned = PinnedBufferPool::of(backend.pinned_pool());
        Device(Arc::new(OpenDevice { id, pool, pinned, backend, launches: AtomicU64::new(0), slots: Slots::default() }))
    }

    /// What it is and what it can do.
    #[doc(alias("device_profile", "device_type"))]
    pub fn profile(&self) -> &DeviceProfile {
        self.0.backend.profile()
    }

    /// Which kernels it is given: what `NETCL_KERNEL_STRATEGY` says, else [`DeviceProfile::kernel_strategy`].
    ///
    /// # Errors
    ///
    /// [`crate::Error::Config`] if an environment variable has a bad value.
    pub fn kernel_strategy(&self) -> Result<KernelStrategy> {
        Ok(netcl_hal::config::get()?.kernel_strategy.unwrap_or_else(|| self.profile().kernel_strategy()))
    }

    /// Whether tensors move between it and `other` without the host: both are of one
    /// [`DeviceManager::shared_context`], parts of one [`Device::partition`], or the same device.
    pub fn shares_context_with(&self, other: &Device) -> bool {
        self == other || self.backend().shares_context_with(other.backend())
    }

    /// Waits until everything that was started on it is done; reports what went wrong meanwhile. Ctrl-C ends the process;
    /// to do something else instead, wait with [`Device::finish_or`] or [`Device::finish_timeout`].
    ///
    /// # Errors
    ///
    /// What was started before and has failed, which is told once: [`crate::Error::Driver`],
    /// [`crate::Error::OutOfMemory`] of drivers that find memory only at its first use, [`crate::Error::Event`] if a
    /// [`crate::UserEvent`] failed that it was to wait for; [those of every
    /// device](crate::Error#errors-of-every-device).
    #[doc(alias = "clFinish")]
    pub fn finish(&self) -> Result<()> {
        process::check()?;
        Ok(self.0.backend.finish()?)
    }

    /// As [`Device::finish`], for at most `limit`; says whether everything is done. A program that handles Ctrl-C itself, or
    /// has other work, waits in steps:
    ///
    /// ```
    /// use netcl::{Device, Tensor};
    /// use std::time::Duration;
    ///
    /// let device = Device::auto()?;
    /// let x = Tensor::from_slice(&device, &[1.0f32, 2.0], &[2])?;
    /// let y = x.add(&x);
    /// while !device.finish_timeout(Duration::from_millis(100))? {
    ///     println!("still computing"); // or: return, if the user wants to stop
    /// }
    /// assert_eq!(y.to_vec::<f32>()?, [2.0, 4.0]);
    /// # Ok::<(), netcl::Error>(())
    /// ```
    ///
    /// A limit of zero does not wait. Devices without a queue (the host) are always done.
    ///
    /// # Errors
    ///
    /// As [`Device::finish`].
    #[doc(alias = "interruptible_finish")]
    pub fn finish_timeout(&self, limit: Duration) -> Result<bool> {
        process::check()?;
        Ok(self.0.backend.finish_timeout(limit)?)
    }

    /// As [`Device::finish`], until the interrupt is raised, by another thread or a signal handler. The device is not stopped:
    /// it goes on with what it was given.
    ///
    /// ```
    /// use netcl::{Device, Error, Interrupt, Tensor};
    ///
    /// static STOP: Interrupt = Interrupt::new(); // a handler of SIGINT calls `STOP.interrupt()`
    ///
    /// let device = Device::auto()?;
    /// let x = Tensor::from_slice(&device, &[1.0f32, 2.0], &[2])?;
    /// let y = x.add(&x);
    /// match device.finish_or(&STOP) {
    ///     Err(Error::Interrupted) => println!("the user wants to stop"),
    ///     finished => finished?,
    /// }
    /// # Ok::<(), netcl::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`crate::Error::Interrupted`]; those of [`Device::finish`].
    #[doc(alias = "interruptible_finish")]
    pub fn finish_or(&self, interrupt: &Interrupt) -> Result<()> {
        process::check()?;
        Ok(self.0.backend.finish_or(interrupt)?)
    }

    /// The event of everything that was started on the device so far. A copy to the device that runs beside it belongs to
    /// what uses the copied tensor first; [`Device::finish`] waits for all.
    ///
    /// # Errors
    ///
    /// [Those of every device](crate::Error#errors-of-every-device).
    pub fn record_event(&self) -> Result<Event> {
        process::check()?;
        Ok(Event(self.0.backend.record()?))
    }

    /// Holds back what is started on the device from now on until `event` is over: one of this or another device, or a
    /// [`crate::UserEvent`]'s. The caller does not wait, except on devices without a queue (the host), where it does.
    ///
    /// A thread that completes the event itself must be able to get there: until then it must not wait for what is held back,
    /// as `finish`, `to_vec` and every other read do, nor have more than 64 MiB on its way to the device that waits with it.
    /// That is what [`BufferHandle::write`] copies, what is in new tensors of less than 256 KiB, and in larger ones that get
    /// the memory of dropped ones. What is beyond that waits until the device has read what came before, and so for the event.
    /// New tensors of 256 KiB and more in new memory wait for nothing where the device shares the host's memory
    /// ([`DeviceProfile::is_integrated`]); elsewhere they may, where copies that wait are on their way before them.
    ///
    /// ```
    /// use netcl::{Device, DeviceManager, Tensor};
    ///
    /// if let Ok(device) = Device::select("cpu") {
    ///     let both = DeviceManager::global().shared_context(&[device.clone(), device])?;
    ///     let x = Tensor::from_slice(&both[0], &[1.0f32], &[1])?;
    ///     let y = x.add(&x);
    ///     both[1].wait_for(&both[0].record_event()?)?;
    ///     // What is started on both[1] now comes after `y`.
    /// }
    /// # Ok::<(), netcl::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [Those of every device](crate::Error#errors-of-every-device); on devices without a queue, which wait themselves,
    /// those of [`Event::wait`].
    pub fn wait_for(&self, event: &Event) -> Result<()> {
        process::check()?;
        Ok(self.0.backend.wait_for(&event.0)?)
    }

    /// The pool that its tensors come from. With those of all other handles of the same physical device (queues, parts,
    /// shared contexts) it keeps at most `NETCL_MAX_CACHED_GB` of freed memory (4 GiB if that is not set); what was freed
    /// first goes first, whichever handle's it was.
    #[doc(alias("get_persistent_pool", "PersistentBufferPool"))]
    pub fn buffer_pool(&self) -> &BufferPool {
        &self.0.pool
    }

    /// Page-locked host memory that it copies from and to at full speed, kept for reuse.
    #[doc(alias = "get_pinned_pool")]
    pub fn pinned_pool(&self) -> &PinnedBufferPool {
        &self.0.pinned
    }

    /// Page-locked host memory of `bytes` bytes, zero, that no pool keeps: for buffers that live long.
    ///
    /// # Errors
    ///
    /// [`crate::Error::OutOfMemory`] if the system gives no more such memory; [those of every
    /// device](crate::Error#errors-of-every-device).
    pub fn create_pinned_buffer(&self, bytes: usize) -> Result<PinnedBuffer> {
        self.pinned_pool().allocate_direct(bytes)
    }

    /// What the memory pool of this handle and its clones holds ([`Device::buffer_pool`]).
    pub fn memory_stats(&self) -> PoolStats {
        self.0.pool.stats()
    }

    /// Gives what its pool keeps for reuse back to the driver; returns how many bytes that were.
    pub fn release_idle_memory(&self) -> usize {
        self.0.pool.release_idle()
    }

    /// How many kernels and library calls were launched since the process started, through this handle and its clones. Other
    /// queues ([`Device::with_queue`]), parts and members of shared contexts are handles of their own, also where they are the
    /// same physical device, and count their own launches. [`DeviceManager`] gives one handle for each selector.
    pub fn launches(&self) -> u64 {
        self.0.launches.load(Ordering::Relaxed)
    }

    /// How many programs this handle and its clones got, and from where: what was built, what came from the disk cache.
    pub fn program_stats(&self) -> ProgramStats {
        self.0.backend.program_stats()
    }

    /// The launches that a null device has recorded since the last call; `None` for other devices.
    pub fn take_records(&self) -> Option<Vec<LaunchRecord>> {
        self.0.backend.records()
    }

    /// For tests: a null device is lost while it runs the last of so many launches from now on (0: at once). That launch
    /// is started as ever; everything after it is [`crate::Error::Lost`], [`Device::finish`] and reads included.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Unsupported`] for all other devices.
    pub fn lose_after(&self, launches: u64) -> Result<()> {
        if self.0.backend.lose_after(launches) {
            return Ok(());
        }
        Err(crate::Error::Unsupported {
            function: "Device::lose_after".to_owned(),
            device: self.to_string(),
            problem: "only a null device can be lost on purpose; make one with `Device::null`".to_owned(),
        })
    }

    pub(crate) fn id(&self) -> u32 {
        self.0.id
    }

    /// What a layer above keeps for the device, by type; what `make` gives where there is nothing yet.
    pub(crate) fn slot<T: Any + Send + Sync>(&self, make: impl FnOnce() -> T) -> &T {
        self.0.slots.get(make)
    }

    pub(crate) fn backend(&self) -> &dyn Backend {
        &*self.0.backend
    }

    /// Uninitialised memory of at least `bytes`.
    pub(crate) fn allocate(&self, bytes: usize) -> Result<BufferHandle> {
        self.0.pool.allocate(bytes)
    }

    /// As [`Device::allocate`], for what is copied there next; see [`BufferPool::allocate_for_upload`].
    pub(crate) fn allocate_for_upload(&self, bytes: usize) -> Result<BufferHandle> {
        self.0.pool.allocate_for_upload(bytes)
    }

    /// Has `reserve` be asked to give memory up when there is none left.
    pub(crate) fn add_reserve(&self, reserve: Weak<dyn Reserve>) {
        self.0.backend.reserves().add_holder(reserve);
    }

    /// Says whether the device and what is behind it are there still.
    #[cfg(test)]
    pub(crate) fn alive(&self) -> impl Fn() -> [bool; 2] + use<> {
        let (device, backend) = (Arc::downgrade(&self.0), Arc::downgrade(&self.0.backend));
        move || [device.strong_count() > 0, backend.strong_count() > 0]
    }

    pub(crate) fn shared_backend(&self) -> Arc<dyn Backend> {
        self.0.backend.clone()
    }

    pub(crate) fn count_launches(&self, launches: u64) {
        self.0.launches.fetch_add(launches, Ordering::Relaxed);
    }
}

impl PartialEq for Device {
    fn eq(&self, other: &Device) -> bool {
        self.id() == other.id()
    }
}

impl Eq for Device {}

impl Device {
    /// The error where `what` should be on this device and is on `found`.
    pub(crate) fn mismatch(&self, operation: &str, what: String, found: &Device) -> Error {
        let (expected, found) = (self.to_string(), found.beside(self));
        Error::DeviceMismatch { operation: operation.to_owned(), what, expected, found }
    }

    /// What an error says of it where `expected` should be: two queues of one device are called alike.
    pub(crate) fn beside(&self, expected: &Device) -> String {
        let own = self.to_string();
        if own != expected.to_string() {
            return own;
        }
        match self.profile().kind {
            DeviceKind::Host | DeviceKind::Null => format!("another {own}"),
            _ => format!("another queue of {own}"),
        }
    }
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let profile = self.profile();
        match profile.kind {
            DeviceKind::Host => write!(f, "host ({})", profile.name),
            DeviceKind::Null => write!(f, "null (plans for {})", profile.target.name()),
            kind => write!(f, "{} ({kind}, {}, {})", profile.name, profile.platform, profile.selector),
        }
    }
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Device({self})")
    }
}
