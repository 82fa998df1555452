//! Values that are computed when they are needed: an operation and what it is of.
//!
//! What leads to a needed value is computed by one plan, which is found by the operations and by which tensor is which
//! (`evaluation.rs`). Values on the way that are dear to compute and still held by something else come
//! out of it, too; the others are computed again where they are needed.

use crate::autograd::known::KnownWork;
use crate::autograd::work::{ArgValue, TensorWork};
use crate::device::Device;
use crate::error::Error;
use crate::memory::{Reader, ReaderList};
use crate::tensor::{Computed, Held, Mistake, Operand, PendingValue, Tensor, TensorValue, shown};
use smallvec::SmallVec;
use std::any::Any;
use std::panic::Location;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

/// How many parts one kernel puts together.
pub(super) const FEW: usize = 16;

/// An operation that is computed when it is needed.
pub(super) struct PendingWork {
    /// Larger than those of what it is computed from.
    number: u64,
    me: Weak<PendingWork>,
    device: Device,
    work: TensorWork,
    known: Arc<KnownWork>,
    caller: &'static Location<'static>,
    /// `None` when it was computed.
    waiting: Mutex<Option<Waiting>>,
    value: OnceLock<Computed>,
    size: WaitingSize,
    is_kept: AtomicBool,
    /// Whether a plan has computed it on the way to something else.
    was_inside: AtomicBool,
    /// What is computed with it, as far as somebody wants it: what states become. Their numbers are smaller.
    changes: SmallVec<[Weak<PendingWork>; 2]>,
}

/// What there is of it until it is computed.
struct Waiting {
    /// What it is computed from, without histories.
    sources: Arc<[Held]>,
    /// What is computed from it: before its memory changes, that is.
    readers: ReaderList,
}

/// What waits with a value, itself included. There may be less: what leads to it in two ways counts twice.
#[derive(Clone, Copy, Debug)]
pub(super) struct WaitingSize {
    pub(super) operations: usize,
    /// What they keep.
    pub(super) bytes: usize,
    /// How many tensors are put together on the way.
    pub(super) parts: usize,
}

impl PendingWork {
    /// Of these sources.
    pub(super) fn new(
        work: TensorWork,
        known: Arc<KnownWork>,
        caller: &'static Location<'static>,
        device: Device,
        sources: Arc<[Held]>,
        size: WaitingSize,
        changes: SmallVec<[Weak<PendingWork>; 2]>,
    ) -> Arc<PendingWork> {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let waiting = Mutex::new(Some(Waiting { sources, readers: ReaderList::default() }));
        let value = OnceLock::new();
        Arc::new_cyclic(|me| {
            let me = me.clone();
            let (is_kept, was_inside) = (AtomicBool::new(false), AtomicBool::new(false));
            PendingWork { number, me, device, work, known, caller, waiting, value, size, is_kept, was_inside, changes }
        })
    }

    /// What is to be computed with it, and was not.
    pub(super) fn changes(&self) -> impl Iterator<Item = Arc<PendingWork>> {
        self.changes.iter().filter_map(Weak::upgrade).filter(|change| change.value.get().is_none())
    }

    /// Notes what is computed from it, unless that is to be noted of the memory, which is there in a moment: says whether it did.
    pub(super) fn add_reader(&self, reader: &Weak<dyn Reader>) -> bool {
        let mut waiting = self.lock();
        waiting.as_mut().map(|waiting| waiting.readers.add(reader.clone())).is_some()
    }

    /// What becomes of it.
    pub(super) fn value(&self) -> &OnceLock<Computed> {
        &self.value
    }

    pub(super) fn size(&self) -> WaitingSize {
        self.size
    }

    /// One more handle of it; none while it goes.
    pub(super) fn shared(&self) -> Option<Arc<PendingWork>> {
        self.me.upgrade()
    }

    fn lock(&self) -> MutexGuard<'_, Option<Waiting>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What it is computed from, unless that was done.
    pub(super) fn sources(&self) -> Option<Arc<[Held]>> {
        self.lock().as_ref().map(|waiting| waiting.sources.clone())
    }

    pub(super) fn number(&self) -> u64 {
        self.number
    }

    /// Of its value.
    pub(super) fn shape(&self) -> &[usize] {
        self.known.result.as_ref().map_or(&[], |(shape, _)| shape)
    }

    /// Whether it takes more than a few operations an element, or was said to be kept.
    pub(super) fn is_worth_keeping(&self) -> bool {
        self.known.flow.is_dear || self.is_kept.load(Ordering::Relaxed)
    }

    /// See [`PendingWork::is_worth_keeping`].
    pub(super) fn note_kept(&self) {
        self.is_kept.store(true, Ordering::Relaxed);
    }

    /// Whether a plan has computed it on the way to something else.
    pub(super) fn was_inside(&self) -> bool {
        self.was_inside.load(Ordering::Relaxed)
    }

    /// See [`PendingWork::was_inside`].
    pub(super) fn note_inside(&self) {
        self.was_inside.store(true, Ordering::Relaxed);
    }

    pub(super) fn device(&self) -> &Device {
        &self.device
    }

    pub(super) fn work(&self) -> &TensorWork {
        &self.work
    }

    pub(super) fn known(&self) -> &KnownWork {
        &self.known
    }

    /// The value, unless there is one: then that. What it was computed from is given up, and its memory knows by whom it is read
    /// before anybody has it.
    pub(super) fn get_or_set(&self, value: impl FnOnce() -> Computed) -> &Computed {
        self.value.get_or_init(|| {
            let value = value();
            let waiting = self.lock().take();
            if let (Some(waiting), Ok(memory)) = (waiting, &value) {
                memory.add_readers(waiting.readers);
            }
            value
        })
    }

    /// What it is when that is wrong.
    pub(super) fn mistaken(&self, error: Error) -> Arc<Mistake> {
        let operands = self.operands(self.sources().as_deref().unwrap_or_default());
        Arc::new(Mistake::new(self.work.name(), operands, self.caller, error))
    }

    /// What it was given, as text.
    fn operands(&self, sources: &[Held]) -> String {
        let sources: Vec<Tensor> = sources.iter().cloned().map(Tensor::from_held).collect();
        let all: Vec<&Tensor> = sources.iter().take(self.work.inputs(sources.len())).collect();
        let TensorWork::Operation { given, .. } = &self.work else {
            return shown(&all.into_iter().map(Operand::Tensor).collect::<Vec<_>>());
        };
        let mut rest = &all[..];
        let mut take = |count: usize| {
            let (taken, left) = rest.split_at(count.min(rest.len()));
            rest = left;
            taken
        };
        let operands = given.iter().map(|given| match given {
            ArgValue::Tensor => take(1).first().map_or(Operand::Tensors(&[]), |tensor| Operand::Tensor(tensor)),
            ArgValue::Tensors(count) => Operand::Tensors(take(*count)),
            ArgValue::Number(number) => Operand::Number(*number),
            ArgValue::Integer(value) => Operand::Integer(*value),
            ArgValue::Integers(list) => Operand::Integers(list),
            ArgValue::Bool(truth) => Operand::Bool(*truth),
            ArgValue::Text(text) => Operand::Text(text),
            ArgValue::DType(dtype) => Operand::DType(*dtype),
        });
        shown(&operands.collect::<Vec<_>>())
    }
}

/// The work behind a value, if that waits or has waited.
pub(super) fn work_of(value: &TensorValue) -> Option<&PendingWork> {
    match value {
        TensorValue::Pending(pending) => work_behind(&**pending),
        TensorValue::Memory(_) | TensorValue::Mistake(_) => None,
    }
}

/// The work behind a value, if that waits.
pub(super) fn waiting_of(value: &TensorValue) -> Option<&PendingWork> {
    value.waiting().and_then(work_behind)
}

pub(super) fn work_behind(pending: &dyn PendingValue) -> Option<&PendingWork> {
    (pending as &dyn Any).downcast_ref()
}
