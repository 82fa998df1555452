//! Notes what is computed of tracked tensors.

use crate::autograd::cut;
use crate::autograd::known::DerivativeFlow;
use crate::autograd::record::{Change, Cut, CutKind, History, Record, RecordSource, RecordSources, Untracked, unsaved};
use crate::autograd::work::TensorWork;
use crate::error::Result;
use crate::tensor::Tensor;
use std::cell::Cell;
use std::panic::Location;
use std::sync::Arc;

/// How many operations in a row are computed again for a gradient at most, so that a long chain of them can be differentiated in parts.
const AGAIN: u32 = 64;

thread_local! {
    /// Whether no value is kept for a gradient.
    static KEEPS_NOTHING: Cell<bool> = const { Cell::new(false) };
}

/// Does `work`, of whose records none keeps its value: it is computed again where a gradient needs it.
pub(super) fn keeping_nothing<R>(work: impl FnOnce() -> R) -> R {
    /// Ends it, also where the work panics.
    struct KeepingNothing(bool);
    impl Drop for KeepingNothing {
        fn drop(&mut self) {
            KEEPS_NOTHING.set(self.0);
        }
    }
    let _scope = KeepingNothing(KEEPS_NOTHING.replace(true));
    work()
}

/// Whether this thread does such work.
pub(super) fn keeps_nothing() -> bool {
    KEEPS_NOTHING.try_with(Cell::get).unwrap_or(false)
}

/// Something that is about to be computed of tracked tensors.
pub(crate) struct Noted {
    sources: RecordSources,
    /// What there is to say if nothing has a derivative.
    cut: Option<History>,
    is_dear: bool,
}

/// Whether the histories are to go on.
pub(crate) fn is_tracked<'a>(mut histories: impl Iterator<Item = Option<&'a History>>) -> bool {
    histories.any(|history| matches!(history, Some(History::Record(_) | History::Leaf(_)))) && !cut::is_paused()
}

impl RecordSource {
    pub(crate) fn of(tensor: &Tensor) -> RecordSource {
        match tensor.history() {
            Some(History::Record(record)) => RecordSource::Record(record.clone()),
            Some(History::Leaf(leaf)) => RecordSource::Leaf(leaf.clone()),
            Some(History::Cut(cut)) => RecordSource::given(tensor, Some(cut.clone())),
            None => RecordSource::given(tensor, None),
        }
    }

    fn given(tensor: &Tensor, cut: Option<Arc<Cut>>) -> RecordSource {
        RecordSource::Given(Untracked { held: tensor.held(), cut, is_own: false })
    }

    fn history(&self) -> Option<History> {
        match self {
            RecordSource::Record(record) => Some(History::Record(record.clone())),
            RecordSource::Leaf(leaf) => Some(History::Leaf(leaf.clone())),
            RecordSource::Given(given) => given.cut.clone().map(History::Cut),
        }
    }
}

impl Noted {
    /// Of a work `by`, whose derivative is known. `tensors` are the sources' values, the first `inputs` of them those that are no
    /// layer's own.
    pub(crate) fn new(
        by: &str,
        flow: &DerivativeFlow,
        sources: RecordSources,
        tensors: &[&Tensor],
        inputs: usize,
        caller: &'static Location<'static>,
    ) -> Result<Noted> {
        let DerivativeFlow { flows, reads, is_dear } = flow;
        let is_tracked = |source: &RecordSource| matches!(source, RecordSource::Record(_) | RecordSource::Leaf(_));
        let goes_on = sources.iter().zip(flows).any(|(source, flows)| *flows && is_tracked(source));
        if !goes_on {
            let histories: Vec<Option<History>> = sources.iter().map(RecordSource::history).collect();
            let cut = cut::passed(histories.iter().map(Option::as_ref), (by, CutKind::Flat), Some(caller));
            return Ok(Noted { sources: RecordSources::new(), cut, is_dear: false });
        }
        let mut kept = RecordSources::with_capacity(sources.len());
        for (position, source) in sources.into_iter().enumerate() {
            if is_tracked(&source) && flows[position] {
                kept.push(source);
                continue;
            }
            let cut = match source {
                RecordSource::Given(given) => given.cut,
                source => match cut::passed([source.history().as_ref()].into_iter(), (by, CutKind::Flat), Some(caller))
                {
                    Some(History::Cut(cut)) => Some(cut),
                    _ => None,
                },
            };
            // Memory of a model's, which the next step changes, is copied, unless nobody reads it.
            let tensor = tensors[position];
            let held = if reads[position] { tensor.as_it_is()?.held() } else { tensor.held() };
            kept.push(RecordSource::Given(Untracked { held, cut, is_own: position >= inputs }));
        }
        Ok(Noted { sources: kept, cut: None, is_dear: *is_dear })
    }

    /// As [`Noted::new`], if some of the tensors are tracked.
    pub(crate) fn of(
        by: &str,
        flow: &DerivativeFlow,
        tensors: &[&Tensor],
        inputs: usize,
        caller: &'static Location<'static>,
    ) -> Result<Option<Noted>> {
        if !is_tracked(tensors.iter().map(|tensor| tensor.history())) {
            return Ok(None);
        }
        let sources = tensors.iter().map(|tensor| RecordSource::of(tensor)).collect();
        Noted::new(by, flow, sources, tensors, inputs, caller).map(Some)
    }

    /// Whether the result is kept for gradients: it is dear, or much would be computed again for it.
    fn is_kept(&self) -> bool {
        !keeps_nothing() && (self.is_dear || unsaved(&self.sources) >= AGAIN)
    }

    /// The result, which knows what it was computed from: the work, with the number of what is known of it.
    pub(crate) fn result(self, work: (TensorWork, u64), result: Tensor) -> Tensor {
        self.result_with(work, result, &[])
    }

    /// As [`Noted::result`], of what changes states.
    pub(crate) fn result_with(self, work: (TensorWork, u64), result: Tensor, changes: &[Change]) -> Tensor {
        if self.sources.is_empty() {
            return result.with_history(self.cut);
        }
        let saved = self.is_kept().then(|| result.held());
        if let Some(held) = &saved {
            held.value.keep();
        }
        let record = Record::new(work, self.sources, saved, result.dtype(), changes.to_vec());
        result.with_history(Some(History::Record(record)))
    }
}
