//! Calls that change a model's states: one at a time.

use crate::error::Result;
use crate::executor::call::Call;
use crate::executor::interface::Interface;
use crate::executor::resolve::Resolved;
use crate::memory::BufferHandle;
use crate::model::store::Store;
use std::sync::{Arc, Mutex, PoisonError};

/// What a call changes in a model beside the gradients, whose memory is its own.
pub(super) struct Changes<'a> {
    /// `None` if it changes nothing.
    store: Option<&'a Store>,
    /// New values that could not be written in place.
    late: &'a [(usize, usize)],
    /// Shape and bytes of the memory in each slot.
    sizes: &'a [(Arc<[usize]>, usize)],
}

/// The same, without borrowing the call.
pub(super) struct KeptChanges {
    turn: Option<Arc<Mutex<()>>>,
    /// Slot of the new value, where it goes, how many bytes it has.
    late: Vec<(usize, BufferHandle, usize)>,
}

impl<'a> Changes<'a> {
    pub(super) fn of(
        call: &Call<'a>,
        resolved: Option<&'a Resolved>,
        interface: &Interface,
        sizes: &'a [(Arc<[usize]>, usize)],
    ) -> Changes<'a> {
        let store = call.model.map(|(store, _)| store).filter(|_| interface.writes_states);
        Changes { store, late: resolved.map_or(&[][..], |resolved| &resolved.late), sizes }
    }

    /// Does `launch` and copies the late values from the memory `given`. Calls on other threads that change the same model
    /// wait: their launches would read the old values between this one's reading and writing them.
    pub(super) fn make<R>(&self, given: &[BufferHandle], launch: impl FnOnce() -> Result<R>) -> Result<R> {
        let Some(store) = self.store else { return launch() };
        // It guards nothing of its own: after a panic there is nothing to be mended.
        let _turn = store.turn().lock().unwrap_or_else(PoisonError::into_inner);
        let launched = launch()?;
        for (slot, state) in self.late {
            given[*slot].copy_unrecorded(&store.states()[*state].region, self.sizes[*slot].1)?;
        }
        Ok(launched)
    }

    /// To be made again.
    pub(super) fn kept(&self) -> KeptChanges {
        let late = self.store.iter().flat_map(|store| {
            let kept =
                |(slot, state): &(usize, usize)| (*slot, store.states()[*state].region.clone(), self.sizes[*slot].1);
            self.late.iter().map(kept)
        });
        KeptChanges { turn: self.store.map(|store| store.turn().clone()), late: late.collect() }
    }
}

impl KeptChanges {
    /// As [`Changes::make`].
    pub(super) fn make<R>(&self, given: &[BufferHandle], launch: impl FnOnce() -> Result<R>) -> Result<R> {
        let _turn = self.turn.as_ref().map(|turn| turn.lock().unwrap_or_else(PoisonError::into_inner));
        let launched = launch()?;
        for (slot, state, bytes) in &self.late {
            given[*slot].copy_unrecorded(state, *bytes)?;
        }
        Ok(launched)
    }

    /// What is held while it is made, if it changes a model.
    pub(super) fn turn(&self) -> Option<&Arc<Mutex<()>>> {
        self.turn.as_ref()
    }

    /// The copies: slot, where to, how many bytes.
    pub(super) fn late(&self) -> &[(usize, BufferHandle, usize)] {
        &self.late
    }
}
