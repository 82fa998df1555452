//! What states of a model become by calls that wait: it is written when somebody reads their memory.

use crate::error::Result;
use crate::memory::{BufferHandle, Writer, before_late_writes};
use crate::recording;
use crate::tensor::{Held, compute_all};
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The states that wait. Calls that go on from them hold the lock until it is noted what they become.
#[derive(Default)]
pub(crate) struct LateStates(Mutex<BTreeMap<usize, LateState>>);

struct LateState {
    value: Held,
    region: BufferHandle,
}

/// While it is held, no state changes, and none is read by what does not wait.
pub(crate) struct HeldStates<'a>(MutexGuard<'a, BTreeMap<usize, LateState>>);

impl LateStates {
    pub(crate) fn hold(&self) -> HeldStates<'_> {
        HeldStates(self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl HeldStates<'_> {
    /// What the state at that position has become, if that was not written.
    pub(crate) fn value(&self, position: usize) -> Option<&Held> {
        self.0.get(&position).map(|state| &state.value).filter(|value| value.value.mistake().is_none())
    }

    /// Notes what the state at that position, which lies in `region`, becomes.
    pub(crate) fn note(&mut self, position: usize, region: &BufferHandle, value: Held) {
        region.note_late_write(true);
        self.0.insert(position, LateState { value, region: region.clone() });
    }

    fn write(&mut self) -> Result<()> {
        let states = std::mem::take(&mut *self.0);
        // What waits was called for before a recording.
        let written = recording::suspended(|| {
            before_late_writes(|| {
                compute_all(states.values().map(|state| &state.value.value))?;
                states.values().try_for_each(|LateState { value, region }| {
                    let bytes = value.shape.iter().product::<usize>() * value.dtype.size();
                    value.value.region()?.copy_unrecorded(region, bytes)
                })
            })
        });
        states.values().for_each(|state| state.region.note_late_write(false));
        written
    }
}

impl Writer for LateStates {
    fn write(&self) -> Result<()> {
        self.hold().write()
    }
}

/// A view of a state outlives the model.
impl Drop for LateStates {
    fn drop(&mut self) {
        let mut states = self.hold();
        if states.0.values().any(|state| state.region.is_shared())
            && let Err(error) = states.write()
        {
            tracing::warn!(%error, "states of a model are not written, which is gone");
        }
    }
}
