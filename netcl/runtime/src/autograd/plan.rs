//! The plan of a tape's gradients: compiled once for all tapes of the same work, types and shapes.

use crate::autograd::tape::{Key, Tape};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::executor::Loaded;
use crate::jit;
use netcl_hal::recent::Recent;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, PoisonError};

/// How many plans stay found by their tapes.
const KEPT: usize = 256;

/// The plans of a device, each with the hash of its key; `None` where the batch cannot be a symbol.
type Plans = Mutex<Recent<(u64, Arc<KnownPlan>)>>;

struct KnownPlan {
    key: Key,
    loaded: Option<Arc<Loaded>>,
}

/// The plan that gives the gradients of that tape's loss, on that device.
pub(super) fn of(tape: &Tape, device: &Device) -> Result<Arc<Loaded>> {
    let found = if tape.has_batch() { find_or_make(tape, true, device)? } else { None };
    let found = match found {
        Some(loaded) => Some(loaded),
        None => find_or_make(tape, false, device)?,
    };
    found.ok_or_else(|| Error::Backward { operation: "backward", problem: "the loss has no gradient".to_owned() })
}

fn find_or_make(tape: &Tape, symbolic: bool, device: &Device) -> Result<Option<Arc<Loaded>>> {
    let plans: &Plans = device.slot(|| Mutex::new(Recent::new(KEPT)));
    let key = tape.key(symbolic);
    let hash = hash(&key);
    let lock = || plans.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, known)) = lock().find(|(known, own)| *known == hash && own.key == key) {
        return Ok(known.loaded.clone());
    }
    let graph = tape.graph(symbolic).map_err(|diagnostic| Error::graph("backward", diagnostic))?;
    let loaded = match graph.map(|graph| jit::load(&graph, device)).transpose() {
        // With numbers for all sizes it may be possible.
        Err(Error::Graph { .. }) if symbolic => None,
        loaded => loaded?,
    };
    let surplus = lock().add((hash, Arc::new(KnownPlan { key, loaded: loaded.clone() })));
    drop(surplus);
    Ok(loaded)
}

fn hash(key: &Key) -> u64 {
    let mut hasher = DefaultHasher::new();
    key.hash(&mut hasher);
    hasher.finish()
}
