//! Derivatives as operations: what is computed once, noted like an operation of several results, and differentiated again.

use crate::autograd::known::{self, DerivativeFlow, KnownWork};
use crate::autograd::passed::PassedNumbers;
use crate::autograd::plan::Signature;
use crate::autograd::trace::{Trace, TraceKey, tells_symbols};
use crate::autograd::work::{CompositeWork, TensorWork, composite_number};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::hash::hash;
use crate::tensor::Tensor;
use netcl_hal::device::scalar::Scalar;
use netcl_hal::recent::Recent;
use netcl_kernels::autodiff::HighestOrder;
use netcl_kernels::graph::build::{Builder, renumbered};
use netcl_kernels::graph::{Graph, InputKind, NodeId, Op};
use netcl_kernels::span::{self, Diagnostic};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// How many stay found for a device: the least recently used go.
const KEPT: usize = 256;

/// The derivatives that a trace gives, in the order of its results.
pub(super) struct Derivative {
    name: &'static str,
    /// Of the sizes that it was made for.
    trace: Trace,
    /// How many of its tensors come first whose leading axis may be the batch's.
    arguments: usize,
    common: Arc<Common>,
    /// Its graphs with numbers for all sizes, where they were needed.
    fixed: OnceLock<span::Result<Graphs>>,
}

/// What derivatives of batches of all sizes have in common.
struct Common {
    number: u64,
    /// Its graphs with a symbol for the batch; `None` where that cannot be.
    graphs: Option<Graphs>,
}

/// Its tensors are those of the trace that are read.
struct Graphs {
    /// What is computed.
    once: Arc<Graph>,
    /// What is differentiated again.
    again: Arc<Graph>,
    /// Of each of the trace's tensors whether it is read; one is, in any case.
    reads: Vec<bool>,
}

/// The derivatives of a device: by what they are found by where nothing is new, and by their traces.
struct Derivatives {
    signed: Mutex<Recent<(u64, Signature, Arc<Derivative>)>>,
    common: Mutex<Recent<(u64, TraceKey, Arc<Common>)>>,
}

impl Derivative {
    /// That with this signature; `trace` makes its trace where it was not met, and says how many of its tensors come first whose
    /// leading axis may be the batch's.
    pub(super) fn find_or_make(
        name: &'static str,
        signature: Signature,
        device: &Device,
        trace: impl FnOnce() -> (Trace, usize),
    ) -> Result<Arc<Derivative>> {
        let known: &Derivatives = device
            .slot(|| Derivatives { signed: Mutex::new(Recent::new(KEPT)), common: Mutex::new(Recent::new(KEPT)) });
        let own = hash(&(name, &signature[..]));
        let lock = || known.signed.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((.., found)) =
            lock().find(|(hash, signed, found)| *hash == own && *signed == signature && found.name == name)
        {
            return Ok(found.clone());
        }
        let (trace, arguments) = trace();
        let wrong = |diagnostic| Error::graph(name, diagnostic);
        let symbolic =
            if trace.batch.is_some() { Common::of(&known.common, &trace, true).map_err(wrong)? } else { None };
        let common = match symbolic {
            Some(common) => common,
            None => Common::of(&known.common, &trace, false)
                .map_err(wrong)?
                .ok_or_else(|| wrong(Diagnostic::new("it has no graph")))?,
        };
        let mut derivative = Derivative { name, trace, arguments, common, fixed: OnceLock::new() };
        let reads = &derivative.graphs().map_err(wrong)?.reads;
        derivative.arguments = reads.iter().take(arguments).filter(|reads| **reads).count();
        let derivative = Arc::new(derivative);
        let surplus = lock().add((own, signature, derivative.clone()));
        drop(surplus);
        Ok(derivative)
    }

    /// Those of the trace's tensors that it is computed from.
    pub(super) fn read(&self, tensors: Vec<Tensor>) -> Result<Vec<Tensor>> {
        let graphs = self.graphs().map_err(|diagnostic| Error::graph(self.name, diagnostic))?;
        Ok(tensors.into_iter().zip(&graphs.reads).filter(|(_, reads)| **reads).map(|(tensor, _)| tensor).collect())
    }

    /// The work that gives one of its results, and what is known of that with these tensors, which are those that are read.
    pub(super) fn work(
        self: &Arc<Self>,
        result: usize,
        tensors: &[&Tensor],
        scalars: &Arc<[Scalar]>,
        device: &Device,
    ) -> Result<(TensorWork, Arc<KnownWork>)> {
        let work = TensorWork::Traced { traced: self.clone(), step: result, scalars: scalars.clone() };
        let known = known::find_or_make(device, work.key(None, None), tensors, || {
            let wrong = |diagnostic| Error::graph(self.name, diagnostic);
            let mut graphs = self.graphs().map_err(wrong)?;
            // Alone it may read nothing that says how large the batch is.
            if !tells_symbols(&known::part(&graphs.once, result)) {
                graphs = self.fixed().map_err(wrong)?;
            }
            let flow = DerivativeFlow::of_output(&graphs.again, result, tensors.len())
                .with_reads_of(&DerivativeFlow::of_output(&graphs.once, result, tensors.len()));
            Ok(KnownWork::of_output((&graphs.once, result), flow, tensors))
        })?;
        Ok((work, known))
    }

    fn graphs(&self) -> span::Result<&Graphs> {
        self.common.graphs.as_ref().map_or_else(|| self.fixed(), Ok)
    }

    fn fixed(&self) -> span::Result<&Graphs> {
        let reads = self.common.graphs.as_ref().map(|graphs| &graphs.reads[..]);
        let made = self
            .fixed
            .get_or_init(|| Graphs::of(&self.trace, false, reads)?.ok_or_else(|| Diagnostic::new("it has no graph")));
        made.as_ref().map_err(Clone::clone)
    }
}

impl Common {
    /// What was found of such a trace; `None` where the batch cannot be a symbol.
    fn of(
        known: &Mutex<Recent<(u64, TraceKey, Arc<Common>)>>,
        trace: &Trace,
        symbolic: bool,
    ) -> span::Result<Option<Arc<Common>>> {
        let key = trace.key(symbolic);
        let own = hash(&key);
        let lock = || known.lock().unwrap_or_else(PoisonError::into_inner);
        let found = lock().find(|(hash, known, _)| *hash == own && *known == key).map(|(.., found)| found.clone());
        let found = match found {
            Some(found) => found,
            None => {
                let graphs = if symbolic { Graphs::of(trace, true, None)? } else { None };
                let made = Arc::new(Common { number: composite_number(), graphs });
                let surplus = lock().add((own, key, made.clone()));
                drop(surplus);
                made
            }
        };
        Ok((!symbolic || found.graphs.is_some()).then_some(found))
    }
}

impl Graphs {
    /// Those of a trace, of all tensors that they read, or of these.
    fn of(trace: &Trace, symbolic: bool, reads: Option<&[bool]>) -> span::Result<Option<Graphs>> {
        let graph = |order| trace.graph_of_order(symbolic, order);
        let (Some(once), Some(again)) = (graph(HighestOrder::First)?, graph(HighestOrder::Any)?) else {
            return Ok(None);
        };
        let reads = reads.map_or_else(
            || {
                let mut reads = vec![false; trace.supplied_before() + trace.inputs.len()];
                note_read(&once, &mut reads);
                note_read(&again, &mut reads);
                if !reads.contains(&true) {
                    reads[0] = true;
                }
                reads
            },
            <[bool]>::to_vec,
        );
        let place = |number: usize| reads[number].then(|| reads[..number].iter().filter(|reads| **reads).count());
        let [once, again] = [once, again].map(|graph| Arc::new(renumbered(graph, place)));
        Ok(Some(Graphs { once, again, reads }))
    }

    /// Whether its inputs have the shapes of these tensors.
    fn fit(&self, builder: &Builder, tensors: &[NodeId]) -> bool {
        self.once.nodes.iter().all(|node| match node.op {
            Op::Input(InputKind::Argument(position)) => {
                tensors.get(position).is_some_and(|tensor| *builder.shape(*tensor) == node.shape)
            }
            _ => true,
        })
    }
}

/// Notes which arguments a graph reads.
fn note_read(graph: &Graph, reads: &mut [bool]) {
    for (node, is_read) in graph.nodes.iter().zip(graph.read()) {
        if let (Op::Input(InputKind::Argument(position)), true) = (&node.op, is_read) {
            reads[*position] = true;
        }
    }
}

impl CompositeWork for Derivative {
    fn name(&self) -> &str {
        self.name
    }

    fn number(&self) -> u64 {
        self.common.number
    }

    fn arguments(&self) -> usize {
        self.arguments
    }

    fn build(
        &self,
        builder: &mut Builder,
        tensors: &[NodeId],
        passed: &mut PassedNumbers,
        _: Option<usize>,
    ) -> span::Result<Vec<NodeId>> {
        let symbolic = self.common.graphs.as_ref().filter(|graphs| graphs.fit(builder, tensors));
        let graphs = match symbolic {
            Some(graphs) => graphs,
            // Of a batch that is no symbol there.
            None => self
                .fixed()
                .ok()
                .filter(|graphs| graphs.fit(builder, tensors))
                .ok_or_else(|| Diagnostic::new("a derivative has other sizes than what it is computed of"))?,
        };
        let graph = if passed.is_differentiated { &graphs.again } else { &graphs.once };
        builder.splice_of(graph, |builder, kind, dtype| match kind {
            InputKind::Argument(position) => Ok(tensors[*position]),
            InputKind::Scalar(_) => Ok(passed.next(builder, dtype)),
            _ => Err(Diagnostic::new("a derivative is of tensors and numbers alone")),
        })
    }
}
