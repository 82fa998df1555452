//! The models in which something is differentiated while it is computed: functions that macros have compiled are recorded for them.

use crate::autograd::cut;
use crate::model::ModelCore;
use std::cell::RefCell;

thread_local! {
    /// The numbers of their memory, innermost last.
    static TRAINED: RefCell<Vec<u64>> = const { RefCell::new(Vec::new()) };
}

/// While it lives, functions of that model are recorded on this thread.
pub(super) struct Trained(());

impl Trained {
    pub(super) fn new(core: &ModelCore) -> Trained {
        TRAINED.with(|all| all.borrow_mut().push(core.store().id()));
        Trained(())
    }
}

impl Drop for Trained {
    fn drop(&mut self) {
        let _ = TRAINED.try_with(|all| all.borrow_mut().pop());
    }
}

/// Whether this thread computes what is to be differentiated in the model's parameters.
pub(crate) fn is_trained(core: &ModelCore) -> bool {
    let contains = |all: &RefCell<Vec<u64>>| {
        let all = all.borrow();
        !all.is_empty() && all.contains(&core.store().id())
    };
    TRAINED.try_with(contains).unwrap_or(false) && !cut::is_paused()
}
