//! What states of a model become by calls that wait: it is written when somebody reads their memory. Where it cannot be computed, all who
//! read the state are told, until it is written by somebody, or a call goes on from what it was.

use crate::error::{Error, Result};
use crate::memory::{BufferHandle, UsedBytes, Writer, before_late_writes};
use crate::recording;
use crate::tensor::{Held, compute_all};
use std::collections::BTreeMap;
use std::ops::Range;
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

    /// Writes what can be written. The rest stays, so that everybody who reads it is told, with where it is to lie and what is wrong.
    fn write(&mut self) -> Vec<(Range<usize>, Error)> {
        let mut failed = Vec::new();
        // What waits was called for before a recording.
        recording::suspended(|| {
            before_late_writes(|| {
                // Each says below what is wrong with it.
                let _ = compute_all(self.0.values().map(|state| &state.value.value));
                self.keep(|state| {
                    let wrong = state.write().err();
                    let stays = wrong.is_some();
                    failed.extend(wrong.map(|error| (state.range(), error)));
                    stays
                });
            })
        });
        failed
    }

    fn keep(&mut self, mut keeps: impl FnMut(&LateState) -> bool) {
        // They lie in one piece of memory, which is noted to wait as long as one of them does.
        let memory = self.0.values().next().map(|state| state.region.clone());
        self.0.retain(|_, state| keeps(state));
        memory.into_iter().for_each(|memory| memory.note_late_write(!self.0.is_empty()));
    }
}

impl LateState {
    fn bytes(&self) -> usize {
        self.value.shape.iter().product::<usize>() * self.value.dtype.size()
    }

    fn write(&self) -> Result<()> {
        self.value.value.region()?.copy_unrecorded(&self.region, self.bytes())
    }

    /// Where it lies in the memory of all states.
    fn range(&self) -> Range<usize> {
        let start = self.region.region().range().1.start;
        start..start + self.bytes()
    }
}

impl Writer for LateStates {
    fn write(&self, used: &UsedBytes) -> Result<()> {
        let mut states = self.hold();
        let failed = states.write();
        let (read, overwritten) = match used {
            UsedBytes::Read(bytes) => (bytes, 0..0),
            UsedBytes::Overwritten(bytes) => (bytes, bytes.clone()),
        };
        let is_gone = |own: &Range<usize>| overwritten.start <= own.start && own.end <= overwritten.end;
        states.keep(|state| !is_gone(&state.range()));
        let meets = |own: &Range<usize>| own.start < read.end && read.start < own.end;
        failed.into_iter().find(|(own, _)| meets(own) && !is_gone(own)).map_or(Ok(()), |(_, error)| Err(error))
    }
}

/// A view of a state outlives the model.
impl Drop for LateStates {
    fn drop(&mut self) {
        let mut states = self.hold();
        if states.0.values().any(|state| state.region.is_shared())
            && let Some((_, error)) = states.write().pop()
        {
            tracing::warn!(%error, "states of a model are not written, which is gone");
        }
    }
}
