//! Recorded launches: a sequence of work with everything bound, done again with one call.

mod copies;

use crate::device::Device;
use crate::error::{Error, Result};
use crate::memory::BufferHandle;
use netcl_hal::device::backend::Backend;
use netcl_hal::device::commands::CommandBuffer;
use netcl_hal::device::scalar::Scalar;
use netcl_hal::process;
use std::cell::RefCell;
use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// How many threads record: whoever launches looks here first, and nowhere else in most programs.
static RECORDERS: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    static RECORDER: RefCell<Option<Recorder>> = const { RefCell::new(None) };
}

struct Recorder {
    /// What is launched elsewhere is not recorded.
    device: Device,
    steps: Vec<Box<dyn Step>>,
}

/// Work that can be done again. It holds all memory that it uses.
pub(crate) trait Step: Send {
    /// Does it. Does not wait for the device.
    fn repeat(&mut self) -> Result<()>;

    /// How many launches that is.
    fn launches(&self) -> u64;

    /// Adds its commands to a driver's recording; says whether they could be.
    fn encode(&self, into: &mut dyn CommandBuffer) -> Result<bool> {
        let _ = into;
        Ok(false)
    }

    /// Changes the numbers that a call passes by value, from the next repetition on. What has none stays as it is.
    fn set_scalars(&mut self, scalars: &[Scalar]) {
        let _ = scalars;
    }

    /// Calls `visit` with all memory that it uses.
    fn visit_memory(&self, visit: &mut dyn FnMut(&BufferHandle));

    /// What it holds while it starts its commands, if none of another thread's may come between them: a model whose states it
    /// changes.
    fn turn(&self) -> Option<&Arc<Mutex<()>>> {
        None
    }
}

/// The driver's own recording of all steps.
struct ByDriver {
    buffer: Box<dyn CommandBuffer>,
    /// What the steps use.
    memory: Vec<BufferHandle>,
    /// Those of all steps, each once, in an order that every recording has: no two wait for each other.
    turns: Vec<Arc<Mutex<()>>>,
}

impl ByDriver {
    fn replay(&self) -> Result<()> {
        self.memory.iter().for_each(BufferHandle::before_write);
        self.memory.iter().try_for_each(BufferHandle::settle)?;
        in_turn(&self.turns, &mut || Ok(self.buffer.enqueue()?))
    }
}

/// Does `work` while all turns are held. Nothing is allocated.
fn in_turn(turns: &[Arc<Mutex<()>>], work: &mut dyn FnMut() -> Result<()>) -> Result<()> {
    let Some((first, rest)) = turns.split_first() else { return work() };
    // It guards nothing of its own: after a panic there is nothing to be mended.
    let _turn = first.lock().unwrap_or_else(PoisonError::into_inner);
    in_turn(rest, work)
}

/// Whether this thread records what is done on the device of that backend.
#[inline]
pub(crate) fn is_active(backend: &dyn Backend) -> bool {
    RECORDERS.load(Ordering::Relaxed) > 0 && is_recorded(backend)
}

#[cold]
fn is_recorded(backend: &dyn Backend) -> bool {
    // A thread that is ending records nothing.
    let recorded = RECORDER.try_with(|recorder| {
        recorder.borrow().as_ref().is_some_and(|recorder| std::ptr::addr_eq(recorder.device.backend(), backend))
    });
    recorded.unwrap_or(false)
}

/// Does `work` without recording what it starts: what belongs to before the recording.
pub(crate) fn suspended<R>(work: impl FnOnce() -> R) -> R {
    /// Goes on with the recording, also where the work panics.
    struct Suspension(Option<Recorder>);
    impl Drop for Suspension {
        fn drop(&mut self) {
            let recorder = self.0.take();
            let _ = RECORDER.try_with(|current| *current.borrow_mut() = recorder);
        }
    }
    if RECORDERS.load(Ordering::Relaxed) == 0 {
        return work();
    }
    let _suspension = taken().map(|recorder| Suspension(Some(recorder)));
    work()
}

/// Adds a step; to be called only where [`is_active`].
pub(crate) fn push(step: Box<dyn Step>) {
    let _ = RECORDER.try_with(|recorder| {
        if let Some(recorder) = &mut *recorder.borrow_mut() {
            recorder.steps.push(step);
        }
    });
}

/// How many steps this thread has recorded so far; `None` unless it records the device of that backend.
pub(crate) fn length(backend: &dyn Backend) -> Option<usize> {
    if !is_active(backend) {
        return None;
    }
    RECORDER.with_borrow(|recorder| recorder.as_ref().map(|recorder| recorder.steps.len()))
}

/// Puts what `make` makes of the steps from `start` on in their place.
pub(crate) fn combine(start: usize, make: impl FnOnce(Vec<Box<dyn Step>>) -> Box<dyn Step>) {
    RECORDER.with_borrow_mut(|recorder| {
        if let Some(recorder) = recorder
            && start <= recorder.steps.len()
        {
            let steps = recorder.steps.split_off(start);
            recorder.steps.push(make(steps));
        }
    });
}

/// A sequence of launches with all arguments bound: [`Device::record`] makes it, [`Recording::replay`] does it again.
/// Where the driver has command buffers that are worth it (`cl_khr_command_buffer`), the sequence is handed to it in one
/// call; elsewhere netcl enqueues launch after launch, without looking anything up.
///
/// It keeps all memory that the launches use. Dropping it gives that back.
pub struct Recording {
    /// Dropped before the steps, whose kernels it has.
    driver: Option<ByDriver>,
    steps: Vec<Box<dyn Step>>,
    launches: u64,
    device: Device,
}

impl Recording {
    /// Does everything again, in order, after what the device was given before. Does not wait for the device.
    ///
    /// # Errors
    ///
    /// [Those of every device](crate::Error#errors-of-every-device).
    pub fn replay(&mut self) -> Result<()> {
        process::check()?;
        if is_active(self.device.backend()) {
            return Err(self
                .device
                .unrecordable("Recording::replay", "a replay cannot be recorded; end the recording first"));
        }
        self.device.backend().keep_pace()?;
        match &self.driver {
            Some(driver) => driver.replay()?,
            None => self.steps.iter_mut().try_for_each(|step| step.repeat())?,
        }
        self.device.count_launches(self.launches);
        Ok(())
    }

    /// How many kernels and library calls one replay launches.
    pub fn launches(&self) -> u64 {
        self.launches
    }

    /// The device that it was recorded on.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Whether the driver replays it (`cl_khr_command_buffer`), and not netcl.
    pub fn is_by_driver(&self) -> bool {
        self.driver.is_some()
    }

    fn new(device: &Device, steps: Vec<Box<dyn Step>>) -> Recording {
        let launches = steps.iter().map(|step| step.launches()).sum();
        let mut recording = Recording { device: device.clone(), steps, driver: None, launches };
        match recording.by_driver() {
            Ok(buffer) => recording.driver = buffer,
            Err(error) => tracing::debug!(%error, "the driver records nothing; netcl replays"),
        }
        recording
    }

    fn by_driver(&self) -> Result<Option<ByDriver>> {
        let Some(mut buffer) = self.device.backend().command_buffer()? else { return Ok(None) };
        let mut memory: Vec<BufferHandle> = Vec::new();
        for step in &self.steps {
            if !step.encode(&mut *buffer)? {
                return Ok(None);
            }
            step.visit_memory(&mut |region| {
                if memory.iter().all(|known| known.id() != region.id()) {
                    memory.push(region.clone());
                }
            });
        }
        buffer.finalize()?;
        let mut turns: Vec<Arc<Mutex<()>>> = self.steps.iter().filter_map(|step| step.turn().cloned()).collect();
        turns.sort_by_key(Arc::as_ptr);
        turns.dedup_by(|left, right| Arc::ptr_eq(left, right));
        Ok(Some(ByDriver { buffer, memory, turns }))
    }
}

impl fmt::Debug for Recording {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Recording({} launches on {})", self.launches, self.device)
    }
}

impl Device {
    /// Runs `work`, and records what it starts on this device from this thread: launches, copies between tensors, fills.
    /// The results are there as ever; [`Recording::replay`] computes them again, in the same memory, from what is in the
    /// inputs then.
    ///
    /// An optimizer's step ([`crate::optim::Optimizer::step`]) makes a step more in each replay, as a call of it would: the
    /// steps count, and the learning rate is the one that the optimizer has then. All other numbers that are passed by value
    /// (the random seed of a call, an optimizer's other settings) are those of the recording, and sizes are, too. Copies from
    /// and to the host are done once and not repeated: write new inputs to a buffer
    /// ([`crate::BufferHandle::write`]) before a replay, and read the results after it.
    ///
    /// ```
    /// use netcl::{DType, Device, Tensor};
    ///
    /// let device = Device::auto()?;
    /// let memory = device.buffer_pool().allocate(8)?;
    /// let bytes = |values: [f32; 2]| values.map(f32::to_ne_bytes).concat();
    /// memory.write(&bytes([1.0, 2.0]))?;
    /// let x = Tensor::from_buffer(&device, memory.clone(), &[2], DType::F32)?;
    /// let (mut recording, y) = device.record(|| x.add(&x).exp().check())?;
    /// assert_eq!(y.to_vec::<f32>()?[0], 2.0f32.exp());
    /// memory.write(&bytes([0.0, 0.5]))?;
    /// recording.replay()?;
    /// assert!((y.to_vec::<f32>()?[1] - 1.0f32.exp()).abs() < 1e-6);
    /// # Ok::<(), netcl::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// What `work` gives; [`Error::Unsupported`] if this thread is recording already or destroys its thread-local values, or `work` calls what cannot be done
    /// again so: [`crate::algorithms::compact`] and [`crate::algorithms::positions`], and all algorithms on the host.
    pub fn record<R>(&self, work: impl FnOnce() -> Result<R>) -> Result<(Recording, R)> {
        let recorder = Recorder { device: self.clone(), steps: Vec::new() };
        let begun = RECORDER.try_with(|current| {
            let mut current = current.borrow_mut();
            let is_free = current.is_none();
            if is_free {
                *current = Some(recorder);
            }
            is_free
        });
        let problem = match begun {
            Ok(true) => None,
            Ok(false) => Some("this thread records already; end that recording first"),
            Err(_) => Some("this thread is ending; record before its thread-local values are destroyed"),
        };
        if let Some(problem) = problem {
            return Err(self.unrecordable("Device::record", problem));
        }
        RECORDERS.fetch_add(1, Ordering::Relaxed);
        let guard = RecordingScope;
        let result = work();
        let steps = taken().map(|recorder| recorder.steps).unwrap_or_default();
        drop(guard);
        Ok((Recording::new(self, steps), result?))
    }

    /// The error of what cannot be done while the device is recorded.
    pub(crate) fn unrecordable(&self, function: &str, problem: &str) -> Error {
        Error::Unsupported { function: function.to_owned(), device: self.to_string(), problem: problem.to_owned() }
    }
}

/// What the thread records, which it no longer does.
fn taken() -> Option<Recorder> {
    RECORDER.try_with(|recorder| recorder.borrow_mut().take()).ok().flatten()
}

/// Ends the thread's recording, also where the work panics.
struct RecordingScope;

impl Drop for RecordingScope {
    fn drop(&mut self) {
        RECORDERS.fetch_sub(1, Ordering::Relaxed);
        drop(taken());
    }
}

#[cfg(test)]
mod tests;
