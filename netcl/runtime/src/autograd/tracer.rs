//! What is noted while a function is compiled: it runs once, on tensors without values.

use crate::error::Error;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How many threads compile a function: whoever computes looks here first, and nowhere else in most programs.
static TRACERS: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    static CURRENT: RefCell<Option<Tracing>> = const { RefCell::new(None) };
}

/// What a function did while it was compiled, beside its operations.
#[derive(Default)]
pub(crate) struct Tracing {
    /// Parameters by the number of their memory and their position in it, each with whether gradients are computed in it.
    parameters: BTreeMap<(u64, usize), bool>,
    /// The models that drew random numbers, by number, in the order of the calls.
    pub(crate) draws: Vec<u64>,
    /// Something ends gradients inside that the operations do not tell.
    pub(crate) is_cut: bool,
    /// The function of a macro that was called last: of arguments without values if one was asked for.
    pub(crate) called: Option<String>,
    /// Something was called that is to be done at each call: a state changes, or gradients go where no argument is.
    pub(crate) as_it_stands: bool,
}

impl Tracing {
    pub(crate) fn note_parameter(&mut self, memory: u64, position: usize, is_tracked: bool) {
        let known = *self.parameters.entry((memory, position)).or_insert(is_tracked);
        // Two ways to one parameter, of which one has gradients.
        self.is_cut |= known != is_tracked;
    }

    pub(crate) fn is_tracked(&self, memory: u64, position: usize) -> bool {
        self.parameters.get(&(memory, position)).copied().unwrap_or(false)
    }
}

/// Whether this thread compiles a function.
#[inline]
pub(crate) fn is_active() -> bool {
    TRACERS.load(Ordering::Relaxed) > 0 && CURRENT.try_with(|current| current.borrow().is_some()).unwrap_or(false)
}

/// Notes something, if this thread compiles a function.
#[inline]
pub(crate) fn note<R>(what: impl FnOnce(&mut Tracing) -> R) -> Option<R> {
    if TRACERS.load(Ordering::Relaxed) == 0 {
        return None;
    }
    CURRENT.try_with(|current| current.borrow_mut().as_mut().map(what)).ok().flatten()
}

/// Does `work`, and gives what was noted.
pub(crate) fn trace<R>(work: impl FnOnce() -> R) -> (R, Tracing) {
    /// Ends it, also where the work panics.
    struct TracerScope;
    impl Drop for TracerScope {
        fn drop(&mut self) {
            TRACERS.fetch_sub(1, Ordering::Relaxed);
            let _ = CURRENT.try_with(|current| current.borrow_mut().take());
        }
    }
    TRACERS.fetch_add(1, Ordering::Relaxed);
    let _ = CURRENT.try_with(|current| *current.borrow_mut() = Some(Tracing::default()));
    let _scope = TracerScope;
    let result = work();
    let noted = CURRENT.try_with(|current| current.borrow_mut().take()).ok().flatten();
    (result, noted.unwrap_or_default())
}

/// What a compiled function asks for that its arguments, which have no values while it is traced, cannot give.
#[derive(Clone, Copy)]
pub(crate) enum Untraceable {
    Value,
    Gradient,
}

/// The error of a function that asks for that while it is traced.
pub(crate) fn needed(asked: Untraceable) -> Error {
    let problem = match asked {
        Untraceable::Value => {
            "a value is asked for while the function is compiled, when its arguments have none; choose with `select` instead, or \
             read the value outside of the function, of what it gives"
        }
        Untraceable::Gradient => {
            "a gradient is asked for while the function is compiled, when its arguments have no values; call `backward` on what the \
             function gives, outside of it"
        }
    }
    .to_owned();
    Error::Mismatch { operation: "compile".to_owned(), problem }
}

/// The error of a function that calls `name`, which a macro has compiled, while it is traced.
pub(crate) fn compiled_already(name: &str) -> Error {
    let problem = format!(
        "`{name}` is compiled already, and needs the values of its arguments, which have none while the function around it is compiled; \
         call it outside of that function"
    );
    Error::Mismatch { operation: "compile".to_owned(), problem }
}
