//! What a tensor at run time was computed from.

use crate::autograd::work::TensorWork;
use crate::error::{Error, Result};
use crate::model::store::Store;
use crate::tensor::Held;
use netcl_kernels::dtype::DType;
use smallvec::SmallVec;
use std::panic::Location;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, Weak};

/// What a tensor has to do with gradients.
#[derive(Clone)]
pub(crate) enum History {
    /// It was computed from what is tracked.
    Record(Arc<Record>),
    /// It is tracked itself.
    Leaf(Arc<Leaf>),
    /// It was computed from what is tracked in a way that has no derivative, or of which none is recorded.
    Cut(Arc<Cut>),
}

/// One operation or layer that was computed of tracked tensors, in a way that has a derivative.
pub(crate) struct Record {
    /// Larger than that of what it was computed from.
    pub(crate) number: u64,
    pub(crate) work: TensorWork,
    /// The number of what is known of the work.
    pub(crate) known: u64,
    pub(crate) sources: RecordSources,
    /// Its value, unless that is cheaper to compute again than to keep, and no gradient started from it so far.
    saved: OnceLock<Held>,
    /// Of how many in a row that lead to it no value is kept, itself included.
    pub(crate) unsaved: u32,
    /// Of its value.
    pub(crate) dtype: DType,
    /// What is computed of the same sources and waits: a layer's states.
    pub(crate) changes: Vec<Change>,
}

/// What a state of a layer becomes by a call.
#[derive(Clone)]
pub(crate) struct Change {
    pub(crate) work: TensorWork,
    /// The number of what is known of the work.
    pub(crate) known: u64,
    pub(crate) held: Held,
}

/// What a record is of.
pub(crate) type RecordSources = SmallVec<[RecordSource; 3]>;

/// A tensor that something was computed from.
#[derive(Clone)]
pub(crate) enum RecordSource {
    /// The result has a derivative in it.
    Record(Arc<Record>),
    /// The result has a derivative in it.
    Leaf(Arc<Leaf>),
    /// It has none.
    Given(Untracked),
}

/// A tensor in which a result has no derivative, because of what ended its history or because nothing is tracked.
#[derive(Clone)]
pub(crate) struct Untracked {
    pub(crate) held: Held,
    pub(crate) cut: Option<Arc<Cut>>,
    /// It is a layer's own, whose sizes do not change from batch to batch.
    pub(crate) is_own: bool,
}

/// What gradients are computed in.
pub(crate) struct Leaf {
    pub(crate) id: u64,
    pub(crate) held: Held,
    /// The model whose parameter it is.
    pub(crate) owner: Option<Owner>,
    /// It is computed from others, to which its gradient goes on in a way of its own.
    pub(crate) stop: Option<Arc<Stop>>,
    /// The history of what it is in the place of: a record or a leaf.
    pub(crate) of: Option<History>,
}

/// Where one plan of a gradient ends: what leads on from there is asked of the program, or computed by a plan of its own.
pub(crate) struct Stop {
    /// What was called, and where.
    pub(crate) by: &'static str,
    pub(crate) caller: &'static Location<'static>,
    pub(crate) sources: SmallVec<[StopSource; 1]>,
    /// Makes of the gradient those in the sources. Without one it goes to the only source as it is.
    pub(crate) pullback: Option<StopPullback>,
}

/// Gives a gradient for each source.
pub(crate) type StopPullback = Box<dyn Fn(Held) -> Result<Vec<Held>> + Send + Sync>;

/// What a gradient goes on to.
pub(crate) struct StopSource {
    pub(crate) history: Option<History>,
    pub(crate) shape: Arc<[usize]>,
    pub(crate) dtype: DType,
}

/// Whose parameter a leaf is.
#[derive(Clone)]
pub(crate) struct Owner {
    pub(crate) store: Arc<Store>,
    pub(crate) index: usize,
    /// How often the model's parameters had changed.
    pub(crate) version: u64,
}

/// Which leaf it is, whatever became of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum LeafKey {
    /// That parameter of the memory with that number.
    Parameter(u64, usize),
    Variable(u64),
}

/// What ended a history.
pub(crate) struct Cut {
    /// The operation or function.
    pub(crate) by: String,
    pub(crate) caller: Option<&'static Location<'static>>,
    pub(crate) behind: Vec<Behind>,
    pub(crate) kind: CutKind,
}

/// Why a history ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CutKind {
    /// It is what the program says.
    Meant,
    /// There is no derivative.
    Flat,
    /// There is one, and it is not recorded: of a compiled function or an algorithm, or between devices.
    Unrecorded,
    /// It is a gradient, of which no derivative is recorded.
    Gradient,
    /// It was computed by the pullback or hook of the cut's name.
    InPullback,
    /// It is a gradient that went through a [`Stop`] of the cut's name, which gives numbers.
    Stopped,
}

impl CutKind {
    /// Whether a loss without what is lost there would be differentiated wrongly.
    pub(crate) fn is_loss(self) -> bool {
        matches!(self, CutKind::Unrecorded | CutKind::Gradient | CutKind::Stopped)
    }
}

/// What is behind a cut. It is not kept for that.
pub(crate) enum Behind {
    Record(Weak<Record>),
    /// That leaf, and what it is in the place of.
    Leaf(LeafKey, Option<Box<Behind>>),
}

impl History {
    /// What a cut of it has behind itself; of another cut nothing.
    pub(crate) fn behind(&self) -> Option<Behind> {
        match self {
            History::Record(record) => Some(Behind::Record(Arc::downgrade(record))),
            History::Leaf(leaf) => Some(leaf.behind()),
            History::Cut(_) => None,
        }
    }
}

impl Owner {
    /// An error unless the parameters are those that a loss was computed of.
    pub(super) fn unchanged(&self) -> Result<()> {
        let Owner { store, index, version } = self;
        if *version == store.version() {
            return Ok(());
        }
        let path = &store.parameters()[*index].path;
        let problem = format!(
            "the parameters have changed since the loss was computed of `{path}`; call `backward` before the step, \
             and compute the loss anew after it"
        );
        Err(Error::Backward { operation: "backward", problem })
    }
}

impl Leaf {
    pub(crate) fn new(held: Held, owner: Option<Owner>) -> Arc<Leaf> {
        Arc::new(Leaf { id: next(), held, owner, stop: None, of: None })
    }

    /// What goes on there.
    pub(crate) fn stopped(held: Held, stop: Stop) -> Arc<Leaf> {
        // Plans of gradients start from its value.
        held.value.keep();
        Arc::new(Leaf { id: next(), held, owner: None, stop: Some(Arc::new(stop)), of: None })
    }

    /// One in the place of what has that history, so that gradients in it are of what is made of it alone; those in other leaves go on
    /// through it.
    pub(crate) fn in_place_of(held: Held, of: Option<History>) -> Arc<Leaf> {
        let of = of.filter(|of| matches!(of, History::Record(_) | History::Leaf(_)));
        Arc::new(Leaf { id: next(), held, owner: None, stop: None, of })
    }

    /// One in the place of a record whose value is kept, to which its gradient goes on as it is.
    #[track_caller]
    pub(crate) fn in_place_of_record(record: &Arc<Record>) -> Option<Arc<Leaf>> {
        let held = record.saved()?.clone();
        let (shape, dtype) = (held.shape.clone(), held.dtype);
        let source = StopSource { history: Some(History::Record(record.clone())), shape, dtype };
        let sources = SmallVec::from_iter([source]);
        let stop = Stop { by: "backward", caller: Location::caller(), sources, pullback: None };
        Some(Leaf::stopped(held, stop))
    }

    /// Whose parameter it is, or is in the place of.
    pub(crate) fn parameter_of(&self) -> Option<&Owner> {
        match &self.of {
            Some(History::Leaf(leaf)) => leaf.parameter_of(),
            _ => self.owner.as_ref(),
        }
    }

    pub(crate) fn behind(&self) -> Behind {
        Behind::Leaf(self.key(), self.of.as_ref().and_then(History::behind).map(Box::new))
    }

    pub(crate) fn key(&self) -> LeafKey {
        match &self.owner {
            Some(owner) => LeafKey::Parameter(owner.store.id(), owner.index),
            None => LeafKey::Variable(self.id),
        }
    }
}

impl Record {
    pub(crate) fn new(
        (work, known): (TensorWork, u64),
        sources: RecordSources,
        saved: Option<Held>,
        dtype: DType,
        changes: Vec<Change>,
    ) -> Arc<Record> {
        let unsaved = if saved.is_some() { 0 } else { 1 + unsaved(&sources) };
        let saved = saved.map_or_else(OnceLock::new, OnceLock::from);
        Arc::new(Record { number: next(), work, known, sources, saved, unsaved, dtype, changes })
    }

    /// Its value, if that is kept.
    pub(crate) fn saved(&self) -> Option<&Held> {
        self.saved.get()
    }

    /// Keeps its value, which was computed again.
    pub(crate) fn save(&self, value: Held) {
        // Another thread may have been first, with the same.
        let _ = self.saved.set(value);
    }

    /// What ended the histories of what it is computed from.
    pub(crate) fn cuts(&self) -> impl Iterator<Item = &Arc<Cut>> {
        self.sources.iter().filter_map(|source| match source {
            RecordSource::Given(given) => given.cut.as_ref(),
            RecordSource::Record(_) | RecordSource::Leaf(_) => None,
        })
    }

    /// The values that it is computed from, as far as they are no record's.
    pub(crate) fn values(&self) -> impl Iterator<Item = &Held> {
        self.sources.iter().filter_map(|source| match source {
            RecordSource::Record(_) => None,
            RecordSource::Leaf(leaf) => Some(&leaf.held),
            RecordSource::Given(given) => Some(&given.held),
        })
    }
}

impl RecordSource {
    /// What the result has a derivative in, if that is so.
    pub(crate) fn of_history(history: History) -> Option<RecordSource> {
        match history {
            History::Record(record) => Some(RecordSource::Record(record)),
            History::Leaf(leaf) => Some(RecordSource::Leaf(leaf)),
            History::Cut(_) => None,
        }
    }
}

/// Long chains go one after the other, and not each inside the one before.
impl Drop for Record {
    fn drop(&mut self) {
        let mut sources = std::mem::take(&mut self.sources);
        while let Some(source) = sources.pop() {
            match source {
                RecordSource::Record(record) => {
                    if let Some(mut record) = Arc::into_inner(record) {
                        sources.append(&mut record.sources);
                    }
                }
                RecordSource::Leaf(leaf) => {
                    let Some(Leaf { stop, of, .. }) = Arc::into_inner(leaf) else { continue };
                    let stop = stop.and_then(Arc::into_inner);
                    let behind = stop.into_iter().flat_map(|stop| stop.sources).filter_map(|source| source.history);
                    sources.extend(behind.chain(of).filter_map(RecordSource::of_history));
                }
                RecordSource::Given(_) => {}
            }
        }
    }
}

/// Of how many in a row that lead to one of these no value is kept.
pub(crate) fn unsaved(sources: &[RecordSource]) -> u32 {
    let of = |source: &RecordSource| match source {
        RecordSource::Record(record) => record.unsaved,
        RecordSource::Leaf(_) | RecordSource::Given(_) => 0,
    };
    sources.iter().map(of).max().unwrap_or(0)
}

fn next() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}
