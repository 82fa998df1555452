//! What tensors hold: memory, or what becomes it.

use crate::device::Device;
use crate::error::Result;
use crate::memory::BufferHandle;
use crate::tensor::mistake::Mistake;
use netcl_kernels::dtype::DType;
use std::any::Any;
use std::sync::Arc;

/// The value of a tensor.
#[derive(Clone)]
pub(crate) enum TensorValue {
    Memory(BufferHandle),
    /// It is computed when it is needed.
    Pending(Arc<dyn PendingValue>),
    /// It could not be computed.
    Mistake(Arc<Mistake>),
}

/// Memory, or what went wrong.
pub(crate) type Computed = Result<BufferHandle, Arc<Mistake>>;

/// A value that is computed when it is needed. Tensors do not know how.
pub(crate) trait PendingValue: Any + Send + Sync {
    /// It, if it was computed.
    fn computed(&self) -> Option<&Computed>;

    /// It. Computes it.
    fn compute(&self) -> &Computed;

    /// Its value is that, unless there is one.
    fn supply(&self, memory: BufferHandle);

    /// Its value is not to be computed again, as what is cheap to compute is.
    fn keep(&self);

    /// Computes these, by one plan.
    fn compute_together(&self, all: &[&dyn PendingValue]);
}

/// A tensor's value, without its history.
#[derive(Clone)]
pub(crate) struct Held {
    pub(crate) value: TensorValue,
    pub(crate) shape: Arc<[usize]>,
    pub(crate) dtype: DType,
    pub(crate) device: Device,
}

impl TensorValue {
    /// Its memory. What is pending is computed.
    pub(crate) fn region(&self) -> Result<&BufferHandle> {
        match self {
            TensorValue::Memory(region) => Ok(region),
            TensorValue::Pending(pending) => pending.compute().as_ref().map_err(|mistake| mistake.error()),
            TensorValue::Mistake(mistake) => Err(mistake.error()),
        }
    }

    /// Its memory, if there is any yet.
    pub(crate) fn in_memory(&self) -> Option<&BufferHandle> {
        match self {
            TensorValue::Memory(region) => Some(region),
            TensorValue::Pending(pending) => pending.computed()?.as_ref().ok(),
            TensorValue::Mistake(_) => None,
        }
    }

    /// What went wrong on the way to it, as far as that is known.
    pub(crate) fn mistake(&self) -> Option<&Arc<Mistake>> {
        match self {
            TensorValue::Memory(_) => None,
            TensorValue::Pending(pending) => pending.computed()?.as_ref().err(),
            TensorValue::Mistake(mistake) => Some(mistake),
        }
    }

    /// Whether it was not computed so far.
    pub(crate) fn waiting(&self) -> Option<&dyn PendingValue> {
        match self {
            TensorValue::Pending(pending) => Some(&**pending).filter(|pending| pending.computed().is_none()),
            TensorValue::Memory(_) | TensorValue::Mistake(_) => None,
        }
    }

    /// Whether both are one value that is or was pending.
    pub(crate) fn is_same(&self, other: &TensorValue) -> bool {
        matches!((self, other), (TensorValue::Pending(one), TensorValue::Pending(other)) if Arc::ptr_eq(one, other))
    }

    /// What is equal for the same memory, and for the same value as long as it has none.
    pub(crate) fn identity(&self) -> (bool, u64) {
        match (self.in_memory(), self) {
            (Some(memory), _) => (true, memory.id()),
            (None, TensorValue::Pending(pending)) => (false, Arc::as_ptr(pending).cast::<()>() as u64),
            (None, TensorValue::Mistake(mistake)) => (false, Arc::as_ptr(mistake) as u64),
            (None, TensorValue::Memory(memory)) => (true, memory.id()),
        }
    }

    /// Gives it its value, which something else has computed, if it still waits.
    pub(crate) fn supply(&self, memory: BufferHandle) {
        if let TensorValue::Pending(pending) = self {
            pending.supply(memory);
        }
    }

    /// Has its value kept where something else is computed from it first, as long as it is held.
    pub(crate) fn keep(&self) {
        if let Some(pending) = self.waiting() {
            pending.keep();
        }
    }

    /// Whether no clone of the tensor has the same pending value, and so the same handle of its memory.
    pub(crate) fn is_sole(&self) -> bool {
        !matches!(self, TensorValue::Pending(pending) if Arc::strong_count(pending) > 1)
    }
}

/// Computes those that are pending, by one plan.
///
/// # Errors
///
/// The first of what went wrong.
pub(crate) fn compute_all<'a>(mut values: impl Iterator<Item = &'a TensorValue> + Clone) -> Result<()> {
    let mut waiting = values.clone().filter_map(TensorValue::waiting);
    if let (Some(first), Some(second)) = (waiting.next(), waiting.next()) {
        let all: Vec<&dyn PendingValue> = [first, second].into_iter().chain(waiting).collect();
        first.compute_together(&all);
    }
    values.try_for_each(|value| value.region().map(drop))
}
