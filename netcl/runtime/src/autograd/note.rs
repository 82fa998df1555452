//! Notes what is computed of tracked tensors.

use crate::autograd::cut;
use crate::autograd::record::{Cut, CutKind, Held, History, Record, RecordSource, Untracked};
use crate::autograd::work::TensorWork;
use crate::error::Result;
use crate::tensor::Tensor;
use netcl_kernels::autodiff::leading_to;
use netcl_kernels::graph::{Graph, InputKind, NodeId, Op, OutputKind};
use std::panic::Location;
use std::sync::Arc;

/// Something that is about to be computed of tracked tensors.
pub(crate) struct Noted {
    sources: Vec<RecordSource>,
    /// What there is to say if nothing has a derivative.
    cut: Option<History>,
    is_dear: bool,
}

/// Whether the histories are to go on.
pub(crate) fn is_tracked<'a>(mut histories: impl Iterator<Item = Option<&'a History>>) -> bool {
    histories.any(|history| matches!(history, Some(History::Record(_) | History::Leaf(_)))) && !cut::is_paused()
}

impl RecordSource {
    pub(crate) fn of(tensor: &Tensor) -> Result<RecordSource> {
        Ok(match tensor.history() {
            Some(History::Record(record)) => RecordSource::Record(record.clone()),
            Some(History::Leaf(leaf)) => RecordSource::Leaf(leaf.clone()),
            Some(History::Cut(cut)) => RecordSource::given(tensor.held()?, Some(cut.clone())),
            None => RecordSource::given(tensor.held()?, None),
        })
    }

    fn given(held: Held, cut: Option<Arc<Cut>>) -> RecordSource {
        RecordSource::Given(Untracked { held, cut, is_own: false })
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
    /// Of a work `by` which that graph computes, whose inputs `place` has by position among the sources. `tensors` are the
    /// sources' values, the first `inputs` of them those that are no layer's own.
    pub(crate) fn new(
        by: &str,
        graph: &Graph,
        sources: Vec<RecordSource>,
        tensors: &[&Tensor],
        inputs: usize,
        place: impl Fn(&Op, &str) -> Option<usize>,
        caller: &'static Location<'static>,
    ) -> Result<Noted> {
        let mut flows = vec![false; sources.len()];
        let mut reads = vec![false; sources.len()];
        let result = graph.outputs.iter().find(|(kind, _)| *kind == OutputKind::Result(0)).map(|(_, id)| *id);
        if let Some(result) = result {
            let (leads, needed) = (leading_to(graph, result), needed(graph, result));
            for (id, node) in graph.iter().take(result.index() + 1) {
                if let Some(position) = place(&node.op, &node.name).filter(|position| *position < flows.len()) {
                    flows[position] = leads[id.index()] && node.dtype.is_float();
                    reads[position] = needed[id.index()];
                }
            }
        }
        let histories: Vec<Option<History>> = sources.iter().map(RecordSource::history).collect();
        let is_tracked = |source: &RecordSource| matches!(source, RecordSource::Record(_) | RecordSource::Leaf(_));
        let goes_on = sources.iter().zip(&flows).any(|(source, flows)| *flows && is_tracked(source));
        if !goes_on {
            let cut = cut::passed(histories.iter().map(Option::as_ref), (by, CutKind::Flat), Some(caller));
            return Ok(Noted { sources: Vec::new(), cut, is_dear: false });
        }
        let mut kept = Vec::with_capacity(sources.len());
        for (position, source) in sources.into_iter().enumerate() {
            if is_tracked(&source) && flows[position] {
                kept.push(source);
                continue;
            }
            let cut = match source {
                RecordSource::Given(given) => given.cut,
                _ => match cut::passed([histories[position].as_ref()].into_iter(), (by, CutKind::Flat), Some(caller)) {
                    Some(History::Cut(cut)) => Some(cut),
                    _ => None,
                },
            };
            let held = as_it_is(tensors[position], reads[position])?;
            kept.push(RecordSource::Given(Untracked { held, cut, is_own: position >= inputs }));
        }
        Ok(Noted { sources: kept, cut: None, is_dear: is_dear(graph) })
    }

    /// Of an operation `name` that the graph computes of these tensors, if some are tracked.
    pub(crate) fn of_operation(
        name: &str,
        graph: &Graph,
        tensors: &[&Tensor],
        caller: &'static Location<'static>,
    ) -> Result<Option<Noted>> {
        if !is_tracked(tensors.iter().map(|tensor| tensor.history())) {
            return Ok(None);
        }
        let sources = tensors.iter().map(|tensor| RecordSource::of(tensor)).collect::<Result<_>>()?;
        let place = |op: &Op, _: &str| match op {
            Op::Input(InputKind::Argument(position)) => Some(*position),
            _ => None,
        };
        Noted::new(name, graph, sources, tensors, tensors.len(), place, caller).map(Some)
    }

    /// The result, which knows what it was computed from.
    pub(crate) fn result(self, work: TensorWork, result: Tensor) -> Result<Tensor> {
        if self.sources.is_empty() {
            return Ok(result.with_history(self.cut));
        }
        let saved = self.is_dear.then(|| result.held()).transpose()?;
        let record = Record::new(work, self.sources, saved, result.dtype());
        Ok(result.with_history(Some(History::Record(record))))
    }
}

/// The tensor's memory, or a copy where it is a model's, which the next step changes. What nobody reads is not copied.
fn as_it_is(tensor: &Tensor, is_read: bool) -> Result<Held> {
    if is_read { tensor.as_it_is()?.held() } else { tensor.held() }
}

/// Which nodes a result is computed from.
fn needed(graph: &Graph, result: NodeId) -> Vec<bool> {
    let mut needed = vec![false; result.index() + 1];
    needed[result.index()] = true;
    for position in (0..=result.index()).rev() {
        if needed[position] {
            graph.nodes[position].op.visit_operands(|operand| needed[operand.index()] = true);
        }
    }
    needed
}

/// Whether a result is kept rather than computed again: it takes more than a few operations an element.
fn is_dear(graph: &Graph) -> bool {
    graph.nodes.iter().any(|node| {
        let is_cheap = node.op.is_elementwise()
            || matches!(
                node.op,
                Op::Input(_)
                    | Op::Constant(_)
                    | Op::Iota { .. }
                    | Op::Size(_)
                    | Op::Unary(..)
                    | Op::View { .. }
                    | Op::Reshape(_)
            );
        !is_cheap
    })
}
