//! Where gradients end, and how that is said.

use crate::autograd::record::{Behind, Cut, CutKind, History, Leaf, LeafKey, Record, RecordSource, Stop};
use crate::autograd::tracer;
use crate::error::{Error, Result};
use netcl_kernels::dtype::DType;
use std::cell::Cell;
use std::collections::BTreeSet;
use std::panic::Location;
use std::sync::Arc;

/// What is said of a tensor between what is tracked and a loss, where the gradient in it is asked for.
pub(super) const ON_THE_WAY: &str = "the tensor was computed from what is tracked, and no gradient is kept in it; \
                                     `netcl::grad(&x, |x| loss(x))?` gives that of what a function makes of it, and stays connected \
                                     with what it was computed from; where it need not, go on from `x.detach().requires_grad()?`";

/// Why a thread records nothing.
#[derive(Clone, Copy)]
enum Paused {
    /// It is in a call of `no_grad`.
    NoGrad,
    /// It computes what becomes of a gradient where that was called.
    Pullback(&'static str, &'static Location<'static>),
}

thread_local! {
    /// Why this thread records nothing, if it does not.
    static PAUSED: Cell<Option<Paused>> = const { Cell::new(None) };
}

/// While it lives, this thread records nothing.
pub(super) struct Pause(Option<Paused>);

impl Pause {
    pub(super) fn new() -> Pause {
        Pause::because(Paused::NoGrad)
    }

    /// Of what becomes of a gradient where it comes to that.
    pub(super) fn of_pullback(stop: &Stop) -> Pause {
        Pause::because(Paused::Pullback(stop.by, stop.caller))
    }

    fn because(reason: Paused) -> Pause {
        tracer::note(|tracing| tracing.is_cut = true);
        Pause(PAUSED.replace(Some(reason)))
    }
}

impl Drop for Pause {
    fn drop(&mut self) {
        // A thread that is ending records nothing.
        let _ = PAUSED.try_with(|paused| paused.set(self.0));
    }
}

/// Does `work`, of which something is recorded, wherever it is done.
pub(super) fn resumed<R>(work: impl FnOnce() -> R) -> R {
    /// Ends it, also where the work panics.
    struct Resumed(Option<Paused>);
    impl Drop for Resumed {
        fn drop(&mut self) {
            PAUSED.set(self.0);
        }
    }
    let _scope = Resumed(PAUSED.replace(None));
    work()
}

/// Whether this thread records nothing.
pub(crate) fn is_paused() -> bool {
    // A thread that is ending records nothing.
    PAUSED.try_with(Cell::get).map_or(true, |paused| paused.is_some())
}

/// What becomes of histories where `by` computes something through which no gradient goes.
pub(crate) fn passed<'a>(
    histories: impl Iterator<Item = Option<&'a History>>,
    (by, kind): (&str, CutKind),
    caller: Option<&'static Location<'static>>,
) -> Option<History> {
    let mut found = histories.flatten().peekable();
    found.peek()?;
    let (mut behind, mut before) = (Vec::new(), None);
    for history in found {
        match history {
            History::Cut(cut) if before.is_none() || cut.kind.is_loss() => before = Some(cut),
            history => behind.extend(history.behind()),
        }
    }
    match before {
        Some(cut) if behind.is_empty() && !cut.kind.is_loss() => Some(History::Cut(cut.clone())),
        // What is lost before is lost in what was made of it.
        Some(cut) if kind.is_loss() && cut.kind.is_loss() => Some(History::Cut(cut.clone())),
        _ => Some(History::Cut(new((by, kind), caller, behind))),
    }
}

/// Of functions and algorithms of which no derivative is recorded; of what is no float there is none.
pub(crate) fn unrecorded<'a>(
    histories: impl Iterator<Item = Option<&'a History>>,
    by: &str,
    result: DType,
) -> Option<History> {
    let kind = if result.is_float() { CutKind::Unrecorded } else { CutKind::Flat };
    passed(histories, (by, kind), None)
}

pub(crate) fn new(
    (by, kind): (&str, CutKind),
    caller: Option<&'static Location<'static>>,
    behind: Vec<Behind>,
) -> Arc<Cut> {
    let (by, kind, caller) = match PAUSED.try_with(Cell::get).unwrap_or(Some(Paused::NoGrad)) {
        None => (by, kind, caller),
        Some(Paused::NoGrad) => ("no_grad", CutKind::Meant, caller),
        Some(Paused::Pullback(by, caller)) => (by, CutKind::InPullback, Some(caller)),
    };
    Arc::new(Cut { by: by.to_owned(), caller, behind, kind })
}

/// What is said of a gradient that was computed.
pub(crate) fn gradient() -> History {
    let (by, behind) = ("backward".to_owned(), Vec::new());
    History::Cut(Arc::new(Cut { by, caller: None, behind, kind: CutKind::Gradient }))
}

/// What is said of gradients that went through such a stop.
pub(super) fn stopped(stop: &Stop, behind: Vec<Behind>) -> Arc<Cut> {
    let (by, caller) = (stop.by.to_owned(), Some(stop.caller));
    Arc::new(Cut { by, caller, behind, kind: CutKind::Stopped })
}

pub(super) fn refuse_lost(cuts: &[Arc<Cut>]) -> Result<()> {
    match cuts.iter().find(|cut| cut.kind.is_loss()) {
        Some(cut) => Err(Error::Backward { operation: "backward", problem: lost(cut) }),
        None => Ok(()),
    }
}

impl Cut {
    /// Whether it is what lies between a leaf and the loss.
    fn hides(self: &Arc<Cut>, leaf: LeafKey) -> bool {
        let (mut seen, mut seen_cuts) = (BTreeSet::new(), BTreeSet::new());
        let (mut cuts, mut records): (Vec<Arc<Cut>>, Vec<Arc<Record>>) = (vec![self.clone()], Vec::new());
        let mut leaves: Vec<Arc<Leaf>> = Vec::new();
        loop {
            if let Some(cut) = cuts.pop() {
                if !seen_cuts.insert(Arc::as_ptr(&cut)) {
                    continue;
                }
                for behind in cut.behind.iter().flat_map(Behind::each) {
                    match behind {
                        Behind::Leaf(key, _) if *key == leaf => return true,
                        Behind::Leaf(..) => {}
                        Behind::Record(record) => records.extend(record.upgrade()),
                    }
                }
            } else if let Some(own) = leaves.pop() {
                if own.key() == leaf {
                    return true;
                }
                let sources = own.stop.iter().flat_map(|stop| &stop.sources);
                for history in sources.filter_map(|source| source.history.as_ref()).chain(&own.of) {
                    match history {
                        History::Record(record) => records.push(record.clone()),
                        History::Leaf(of) => leaves.push(of.clone()),
                        History::Cut(cut) => cuts.push(cut.clone()),
                    }
                }
            } else if let Some(record) = records.pop() {
                if !seen.insert(record.number) {
                    continue;
                }
                for source in &record.sources {
                    match source {
                        RecordSource::Leaf(own) => leaves.push(own.clone()),
                        RecordSource::Record(record) => records.push(record.clone()),
                        RecordSource::Given(given) => cuts.extend(given.cut.clone()),
                    }
                }
            } else {
                return false;
            }
        }
    }

    /// Whether what was behind it is gone, so that nobody knows what it hides.
    fn forgot(&self) -> bool {
        let is_gone = |behind: &Behind| matches!(behind, Behind::Record(record) if record.strong_count() == 0);
        self.behind.iter().flat_map(Behind::each).any(is_gone)
    }

    pub(super) fn text(&self) -> String {
        let at = self.place();
        match self.kind {
            CutKind::InPullback => format!(
                "the pullback or hook of {at}, in which nothing is recorded (`netcl::grad`, `vjp` and `jvp` of a function \
                 differentiate there, too)"
            ),
            _ => at,
        }
    }

    fn place(&self) -> String {
        match self.caller {
            Some(caller) => format!("`{}` at {}:{}", self.by, caller.file(), caller.line()),
            None => format!("`{}`", self.by),
        }
    }
}

/// What is said of a loss that something leads to whose derivative is not recorded.
pub(super) fn lost(cut: &Cut) -> String {
    match cut.kind {
        CutKind::Gradient => "a gradient that `backward` gave leads to the loss, and its derivative is not recorded; take it from \
                              `loss.backward_recorded()?.wrt(&x)?` or `netcl::grad`, or `detach` it to take it for a number"
            .to_owned(),
        CutKind::Stopped => format!(
            "{} gives gradients as numbers, which have no derivative and are differentiated here; write it with operations of \
             tensors alone where there are gradients of gradients, `vjp` or `jvp`, or `detach` them to take them for numbers",
            cut.text()
        ),
        _ => format!(
            "{} leads to the loss, and its derivative is not recorded; write it with operations of tensors, or `detach` \
             what it is given to take it for numbers",
            cut.text()
        ),
    }
}

impl Behind {
    /// It, and what it is in the place of.
    fn each(&self) -> impl Iterator<Item = &Behind> {
        std::iter::successors(Some(self), |behind| match behind {
            Behind::Leaf(_, of) => of.as_deref(),
            Behind::Record(_) => None,
        })
    }
}

/// Why a loss that these cuts lead to does not reach a leaf.
pub(super) fn reason(cuts: &[Arc<Cut>], leaf: LeafKey) -> String {
    if let Some(cut) = cuts.iter().find(|cut| cut.hides(leaf)) {
        return format!("{} cuts it off, through which no gradient goes", cut.text());
    }
    let maybe: Vec<String> = cuts.iter().filter(|cut| cut.forgot()).map(|cut| cut.text()).collect();
    match maybe.as_slice() {
        [] => "nothing that leads to the loss uses it. Layers are recorded in `Mode::Training`, functions of annotated models \
               with `#[mode(training)]`, and all where an input is tracked"
            .to_owned(),
        some => format!("nothing that leads to the loss uses it, unless before {}, through which no gradient goes", some.join(", ")),
    }
}
