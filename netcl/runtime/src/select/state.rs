//! What a device's selector knows, shared by all its handles.

use super::force::{self, new_generation};
use super::reason::Selection;
use super::records::{Content, Folder, Identity, WorkGroup, now};
use super::rules::Circumstances;
use super::shape;
use crate::device::{Device, DeviceKind, DeviceProfile};
use crate::executor::Generation;
use netcl_hal::config::{self, Autotune};
use netcl_hal::files::again;
use netcl_hal::memory::Reserve;
use netcl_kernels::plan::Plan;
use netcl_kernels::template::Limits;
use netcl_kernels::variant::{KernelConfig, Task};
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// How many answers are kept at hand.
const KEPT: usize = 4096;

/// Changes kernels that have a configuration, before they are built: how tests make candidates that are wrong.
pub(crate) type Alteration = Arc<dyn Fn(&KernelConfig, &mut Plan) + Send + Sync>;

/// Something that was learnt.
pub(super) type Change = Box<dyn Fn(&mut Content) + Send>;

/// What was learnt and is not on disk.
struct Unkept {
    /// In order.
    changes: Vec<Change>,
    /// Why, as it was the last time.
    why: io::Error,
}

/// One device's.
pub(crate) struct DeviceSelector {
    /// The device's number.
    pub(super) device: u32,
    pub(super) circumstances: Circumstances,
    pub(super) autotune: Autotune,
    /// Where records are kept; `None`: in memory alone.
    folder: Option<Folder>,
    identity: Identity,
    generation: AtomicU64,
    /// While it is the same, so are the sizes of raw kernels' work-groups.
    work_groups: AtomicU64,
    known: Mutex<SelectorState>,
    /// Held while something is tested or tuned.
    turn: Mutex<()>,
    trial_queue: OnceLock<Option<TrialQueue>>,
    alteration: Mutex<Option<Alteration>>,
    /// Held while the file is written.
    unkept: Mutex<Option<Unkept>>,
}

/// What changes.
#[derive(Default)]
pub(super) struct SelectorState {
    loaded: bool,
    pub(super) own: Content,
    /// Of other devices of the same architecture.
    pub(super) relatives: Vec<Content>,
    /// What tasks were set to, by bucket.
    pub(super) set: BTreeMap<Task<u64>, KernelConfig>,
    /// Buckets that were measured of themselves in this process: what gave no record is not tried again and again.
    attempted: BTreeSet<Task<u64>>,
    /// Self-tests of what the device would not launch in this process.
    pub(super) refused: BTreeSet<String>,
    /// Answers that were given; `None`: the compiler's own rule.
    pub(super) answers: BTreeMap<Task<u64>, Option<Selection>>,
}

/// A queue of its own for trying candidates.
struct TrialQueue(Arc<TrialMemory>);

/// What its pool keeps, the device can do without.
struct TrialMemory(Device);

impl TrialQueue {
    fn of(own: Device, device: &Device) -> TrialQueue {
        let memory = Arc::new(TrialMemory(own));
        device.add_reserve(Arc::<TrialMemory>::downgrade(&memory));
        TrialQueue(memory)
    }
}

impl Reserve for TrialMemory {
    fn release(&self) -> bool {
        self.0.buffer_pool().release_idle() > 0
    }
}

impl DeviceSelector {
    pub(crate) fn of(device: u32, profile: &DeviceProfile) -> DeviceSelector {
        // What is no driver's is the same in every run, or nothing at all.
        let lasting = !matches!(profile.kind, DeviceKind::Host | DeviceKind::Null);
        DeviceSelector::with(device, profile, Folder::of_process().filter(|_| lasting))
    }

    pub(super) fn with(device: u32, profile: &DeviceProfile, folder: Option<Folder>) -> DeviceSelector {
        DeviceSelector {
            device,
            circumstances: Circumstances::of(profile),
            autotune: config::get().map_or(Autotune::Records, |config| config.autotune),
            folder,
            identity: Identity::of(profile),
            generation: AtomicU64::new(new_generation()),
            work_groups: AtomicU64::new(0),
            known: Mutex::default(),
            turn: Mutex::default(),
            trial_queue: OnceLock::new(),
            alteration: Mutex::default(),
            unkept: Mutex::default(),
        }
    }

    /// While it is the same on a thread, so are the answers there.
    pub(crate) fn generation(&self) -> Generation {
        Generation { known: self.knowledge(), forced: force::generation() }
    }

    /// What the device has.
    pub(crate) fn limits(&self) -> Limits {
        self.circumstances.limits
    }

    /// Whether answers mean anything: the host and the null device have no driver that could be wrong.
    pub(super) fn computes(&self) -> bool {
        !matches!(self.circumstances.profile.kind, DeviceKind::Host | DeviceKind::Null)
    }

    /// What is known; read from disk at the first call.
    pub(super) fn known(&self) -> MutexGuard<'_, SelectorState> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if !known.loaded {
            known.loaded = true;
            if let Some(folder) = &self.folder {
                let on_disk = folder.load(&self.identity);
                known.own.merge(on_disk);
                known.relatives = folder.relatives(&self.identity);
            }
        }
        known
    }

    /// Changes what is known, in memory and on disk. Answers are found anew. `change` is made to both: other processes
    /// have added to the disk's.
    pub(super) fn learn(&self, change: impl Fn(&mut Content) + Send + 'static) {
        self.change(|known| change(&mut known.own));
        self.write(Box::new(change));
    }

    /// As [`DeviceSelector::learn`], of what changes no answer.
    pub(super) fn confirm(&self, change: impl Fn(&mut Content) + Send + 'static) {
        change(&mut self.known().own);
        self.write(Box::new(change));
    }

    /// Without the lock of what is known: another process may hold the file for a while, and that must be at hand meanwhile.
    fn write(&self, change: Change) {
        let Some(folder) = &self.folder else { return };
        let mut unkept = self.unkept.lock().unwrap_or_else(PoisonError::into_inner);
        // What could not be written before comes with it.
        let mut changes = unkept.take().map_or_else(Vec::new, |unkept| unkept.changes);
        changes.push(change);
        let on_disk = match folder.update(&self.identity, &|content| changes.iter().for_each(|change| change(content)))
        {
            Ok(on_disk) => on_disk,
            Err(why) => {
                *unkept = Some(Unkept { changes, why });
                return;
            }
        };
        drop(unkept);
        let mut known = self.known();
        if on_disk.work_groups != known.own.work_groups {
            self.renew_work_groups();
        }
        if known.own.merge(on_disk) {
            self.renew(&mut known);
        }
    }

    fn renew_work_groups(&self) {
        self.work_groups.fetch_add(1, Ordering::AcqRel);
    }

    /// Changes what is known in memory. Answers are found anew.
    pub(super) fn change(&self, change: impl FnOnce(&mut SelectorState)) {
        let mut known = self.known();
        change(&mut known);
        self.renew(&mut known);
    }

    fn renew(&self, known: &mut SelectorState) {
        known.answers.clear();
        // Under the lock: an answer that was found before is not kept after.
        self.generation.store(new_generation(), Ordering::Release);
    }

    /// What is known, by number, whatever the thread.
    pub(super) fn knowledge(&self) -> u64 {
        self.generation.load(Ordering::Acquire)
    }

    /// Whether no task like this was to be measured of itself in this process before; from now on one was.
    pub(super) fn attempt(&self, task: &Task<u64>) -> bool {
        self.known().attempted.insert(shape::bucket(task))
    }

    /// Keeps an answer at hand that was found while `knowledge` was that; says whether it still is.
    pub(super) fn answered(&self, task: &Task<u64>, answer: Option<Selection>, knowledge: u64) -> bool {
        let mut known = self.known();
        if self.knowledge() != knowledge {
            return false;
        }
        if known.answers.len() >= KEPT {
            known.answers.clear();
        }
        known.answers.insert(task.clone(), answer);
        true
    }

    /// Forgets what is also on disk, which is read again.
    pub(super) fn forget(&self) {
        self.change(|known| {
            if self.folder.is_some() {
                (known.loaded, known.own) = (false, Content::default());
                self.renew_work_groups();
            }
        });
    }

    /// Forgets everything, on disk too.
    pub(super) fn erase(&self) -> io::Result<()> {
        *self.unkept.lock().unwrap_or_else(PoisonError::into_inner) = None;
        let result = self.folder.as_ref().map_or(Ok(()), |folder| folder.remove(&self.identity));
        self.change(|known| {
            (known.loaded, known.own) = (false, Content::default());
            known.attempted.clear();
            known.refused.clear();
            self.renew_work_groups();
        });
        result
    }

    /// Where the records are kept; `None`: in memory alone.
    pub(super) fn path(&self) -> Option<PathBuf> {
        self.folder.as_ref().map(|folder| folder.path(&self.identity))
    }

    /// Why something that was learnt is not on disk, if that is so.
    pub(super) fn unkept(&self) -> Option<io::Error> {
        let unkept = self.unkept.lock().unwrap_or_else(PoisonError::into_inner);
        unkept.as_ref().map(|unkept| again(&unkept.why))
    }

    /// The tuned size of a raw kernel's work-groups; `None` where none was measured, or measurements are not to be used.
    pub(crate) fn work_group(&self, kernel: &str) -> Option<usize> {
        if self.autotune == Autotune::Off {
            return None;
        }
        self.known().own.work_groups.get(kernel).map(|group| group.size)
    }

    /// While this number is the same, [`DeviceSelector::work_group`] answers the same.
    pub(crate) fn work_groups(&self) -> u64 {
        self.work_groups.load(Ordering::Acquire)
    }

    /// Keeps the tuned size of a raw kernel's work-groups.
    pub(crate) fn keep_work_group(&self, kernel: String, size: usize) {
        let group = WorkGroup { size, measured: now() };
        self.confirm(move |content| {
            content.work_groups.insert(kernel.clone(), group.clone());
        });
        self.renew_work_groups();
    }

    /// This thread's turn to test or tune.
    pub(super) fn turn(&self) -> MutexGuard<'_, ()> {
        self.turn.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A queue of its own on the device, with memory, programs and counters of its own, on which candidates are tried:
    /// nothing that a user counts or times sees them.
    pub(super) fn trial_queue(&self, device: &Device) -> Device {
        let open = || match device.backend().twin() {
            Ok(twin) => twin.map(|backend| TrialQueue::of(Device::of(backend), device)),
            Err(error) => {
                tracing::debug!(%error, "no queue with a clock: kernels are timed in the device's own");
                None
            }
        };
        self.trial_queue
            .get_or_init(open)
            .as_ref()
            .map_or_else(|| device.clone(), |trial_queue| trial_queue.0.0.clone())
    }

    pub(super) fn alter(&self, alteration: Option<Alteration>) {
        *self.alteration.lock().unwrap_or_else(PoisonError::into_inner) = alteration;
        self.change(|_| {});
    }

    /// Applies what tests have asked for.
    pub(crate) fn altered(&self, config: &KernelConfig, plan: &mut Plan) {
        let alteration = self.alteration.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(alter) = alteration {
            alter(config, plan);
        }
    }
}
