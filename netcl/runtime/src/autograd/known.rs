//! What is known of single operations and layers: their plan, and what their derivative needs.
//!
//! It is found by the work and by the types and shapes of its tensors. Only what is new has a graph built, which is compared with
//! the graphs that were compiled: other sizes of a batch have an entry of their own here, and the same plan.

use crate::autograd::positions::{PassedPositions, WorkPlan};
use crate::autograd::work::{ArgValue, WorkKey};
use crate::device::Device;
use crate::error::Result;
use crate::hash::hash;
use crate::jit;
use crate::tensor::Tensor;
use netcl_hal::recent::Recent;
use netcl_kernels::autodiff::leading_to;
use netcl_kernels::dim::{Dim, Symbol};
use netcl_kernels::dtype::DType;
use netcl_kernels::graph::build::prune;
use netcl_kernels::graph::{Graph, InputKind, NodeId, Op, OutputKind};
use smallvec::SmallVec;
use std::hash::{Hash, Hasher};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// How many stay known for a device: the least recently used go.
const KEPT: usize = 1024;

/// One operation or layer, of tensors of certain types and shapes.
pub(crate) struct KnownWork {
    /// No other has it.
    pub(crate) number: u64,
    /// With which arguments an operation became known: most calls have the same.
    given: Arc<[ArgValue]>,
    graph: Arc<Graph>,
    /// Which of the graph's outputs it is, where it is not all of them.
    output: Option<usize>,
    /// Compiled when it is first run by itself.
    loaded: OnceLock<WorkPlan>,
    pub(crate) flow: DerivativeFlow,
    /// Whether it is computed from its first number: a layer's random numbers are.
    pub(crate) reads_number: bool,
    /// Shape and type of the result, where the shapes of the arguments say that.
    pub(crate) result: Option<(Arc<[usize]>, DType)>,
}

/// What the derivative of a work needs of its tensors, by position, and of its result.
#[derive(Clone)]
pub(crate) struct DerivativeFlow {
    /// Whether the result has a derivative in it.
    pub(super) flows: SmallVec<[bool; 4]>,
    /// Whether the result is computed from its elements.
    pub(super) reads: SmallVec<[bool; 4]>,
    /// Whether the result is kept rather than computed again.
    pub(crate) is_dear: bool,
}

struct KnownEntry {
    hash: u64,
    work: WorkKey,
    tensors: Vec<(DType, Arc<[usize]>)>,
    known: Arc<KnownWork>,
}

impl KnownEntry {
    fn is(&self, hash: u64, work: &WorkKey, tensors: &[&Tensor]) -> bool {
        let same = |((dtype, shape), tensor): (&(DType, Arc<[usize]>), &&Tensor)| {
            *dtype == tensor.dtype() && **shape == *tensor.shape()
        };
        self.hash == hash
            && self.work == *work
            && self.tensors.len() == tensors.len()
            && self.tensors.iter().zip(tensors).all(same)
    }
}

/// What is known of that work with these tensors on that device; what `make` gives where it is new. An error is not kept.
pub(crate) fn find_or_make(
    device: &Device,
    work: WorkKey,
    tensors: &[&Tensor],
    make: impl FnOnce() -> Result<KnownWork>,
) -> Result<Arc<KnownWork>> {
    let entries: &Mutex<Recent<KnownEntry>> = device.slot(|| Mutex::new(Recent::new(KEPT)));
    let lock = || entries.lock().unwrap_or_else(PoisonError::into_inner);
    let hash = hash(&(&work, Described(tensors)));
    if let Some(entry) = lock().find(|entry| entry.is(hash, &work, tensors)) {
        return Ok(entry.known.clone());
    }
    let known = Arc::new(make()?);
    let own = tensors.iter().map(|tensor| (tensor.dtype(), tensor.shared_shape().clone())).collect();
    let entry = KnownEntry { hash, work, tensors: own, known: known.clone() };
    // Another thread may have been first: then there are two of it, which does no harm. What goes does so without the lock.
    let surplus = lock().add(entry);
    drop(surplus);
    Ok(known)
}

/// Types and shapes of tensors.
struct Described<'a>(&'a [&'a Tensor]);

impl Hash for Described<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.iter().for_each(|tensor| (tensor.dtype(), tensor.shape()).hash(state));
    }
}

impl KnownWork {
    /// What this graph computes of these tensors, its arguments.
    pub(crate) fn new(graph: Graph, flow: DerivativeFlow, tensors: &[&Tensor]) -> KnownWork {
        let place = graph.outputs.iter().position(|(kind, _)| *kind == OutputKind::Result(0));
        let result = place.and_then(|place| result(&graph, place, tensors));
        KnownWork::of((Arc::new(graph), None), flow, result)
    }

    /// What this graph, of arguments alone, gives of these tensors as that output.
    pub(crate) fn of_output(
        (graph, output): (&Arc<Graph>, usize),
        flow: DerivativeFlow,
        tensors: &[&Tensor],
    ) -> KnownWork {
        let result = result(graph, output, tensors);
        KnownWork::of((graph.clone(), Some(output)), flow, result)
    }

    fn of(
        (graph, output): (Arc<Graph>, Option<usize>),
        flow: DerivativeFlow,
        result: Option<(Arc<[usize]>, DType)>,
    ) -> KnownWork {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let reads_number = reads_number(&graph);
        KnownWork { number, given: Arc::default(), graph, output, loaded: OnceLock::new(), flow, reads_number, result }
    }

    /// An operation with these arguments.
    pub(crate) fn of_operation(given: Arc<[ArgValue]>, graph: Graph, tensors: &[&Tensor]) -> KnownWork {
        KnownWork { given, ..KnownWork::of_arguments(graph, tensors) }
    }

    /// What this graph, of arguments alone, computes of these tensors.
    pub(crate) fn of_arguments(graph: Graph, tensors: &[&Tensor]) -> KnownWork {
        let flow = DerivativeFlow::of(&graph, tensors.len(), argument);
        KnownWork::new(graph, flow, tensors)
    }

    /// These arguments, shared if they are those of before.
    pub(crate) fn shared(&self, given: &[ArgValue]) -> Arc<[ArgValue]> {
        if *self.given == *given { self.given.clone() } else { given.into() }
    }

    /// Its plan, on the device that it is known of: what `of_any_size` gives where it has one.
    pub(crate) fn loaded(
        &self,
        device: &Device,
        of_any_size: impl FnOnce() -> Result<Option<WorkPlan>>,
    ) -> Result<&WorkPlan> {
        match self.loaded.get() {
            Some(loaded) => Ok(loaded),
            None => {
                let own = |graph: &Graph| -> Result<WorkPlan> {
                    Ok(WorkPlan::new(jit::load(graph, device)?, PassedPositions::default()))
                };
                let loaded = match self.output {
                    None => match of_any_size()? {
                        Some(loaded) => loaded,
                        None => own(&self.graph)?,
                    },
                    Some(output) => own(&part(&self.graph, output))?,
                };
                Ok(self.loaded.get_or_init(|| loaded))
            }
        }
    }
}

/// What gives that output alone.
pub(super) fn part(graph: &Graph, output: usize) -> Graph {
    let only = graph.outputs.get(output).map(|(_, id)| (OutputKind::Result(0), *id));
    prune(Graph { outputs: only.into_iter().collect(), ..graph.clone() })
}

/// Shape and type of what a graph gives as an output of these arguments, by the symbols that they bind.
fn result(graph: &Graph, output: usize, tensors: &[&Tensor]) -> Option<(Arc<[usize]>, DType)> {
    let (_, id) = graph.outputs.get(output)?;
    let mut bindings: Vec<(Symbol, u64)> = Vec::new();
    for node in &graph.nodes {
        let Op::Input(InputKind::Argument(position)) = node.op else { continue };
        for (dim, &size) in node.shape.0.iter().zip(tensors.get(position)?.shape()) {
            dim.visit_symbols(&mut |symbol| {
                // Only what is a symbol alone says its value.
                if *dim == Dim::symbol(symbol.name()) && bindings.iter().all(|(known, _)| known != symbol) {
                    bindings.push((symbol.clone(), size as u64));
                }
            });
        }
    }
    let node = &graph.nodes[id.index()];
    Some((node.shape.evaluate(&bindings)?.into(), node.dtype))
}

impl DerivativeFlow {
    /// Of a view of a tensor.
    pub(crate) fn view(dtype: DType) -> DerivativeFlow {
        let (flows, reads) = (SmallVec::from_slice(&[dtype.is_float()]), SmallVec::from_slice(&[true]));
        DerivativeFlow { flows, reads, is_dear: false }
    }

    /// Of what the graph computes of `sources` tensors, which `place` has by position.
    pub(crate) fn of(graph: &Graph, sources: usize, place: impl Fn(&Op, &str) -> Option<usize>) -> DerivativeFlow {
        let result = graph.outputs.iter().find(|(kind, _)| *kind == OutputKind::Result(0)).map(|(_, id)| *id);
        DerivativeFlow::to(graph, result, sources, place)
    }

    /// Of what the graph, of arguments alone, gives as that output.
    pub(super) fn of_output(graph: &Graph, output: usize, sources: usize) -> DerivativeFlow {
        DerivativeFlow::to(graph, graph.outputs.get(output).map(|(_, id)| *id), sources, argument)
    }

    /// It, where what another graph reads for the same result is read as well.
    pub(super) fn with_reads_of(mut self, other: &DerivativeFlow) -> DerivativeFlow {
        self.reads.iter_mut().zip(&other.reads).for_each(|(reads, also)| *reads |= also);
        self
    }

    fn to(
        graph: &Graph,
        result: Option<NodeId>,
        sources: usize,
        place: impl Fn(&Op, &str) -> Option<usize>,
    ) -> DerivativeFlow {
        let mut flow = DerivativeFlow {
            flows: SmallVec::from_elem(false, sources),
            reads: SmallVec::from_elem(false, sources),
            is_dear: is_dear(graph),
        };
        let Some(result) = result else { return flow };
        let (leads, needed) = (leading_to(graph, result), needed(graph, result));
        for (id, node) in graph.iter().take(result.index() + 1) {
            if let Some(position) = place(&node.op, &node.name).filter(|position| *position < sources) {
                flow.flows[position] = leads[id.index()] && node.dtype.is_float();
                flow.reads[position] = needed[id.index()];
            }
        }
        flow
    }
}

/// Which argument an input is.
fn argument(op: &Op, _: &str) -> Option<usize> {
    match op {
        Op::Input(InputKind::Argument(position)) => Some(*position),
        _ => None,
    }
}

fn reads_number(graph: &Graph) -> bool {
    let mut reads = false;
    for node in &graph.nodes {
        let is_number = |id: NodeId| matches!(graph.nodes[id.index()].op, Op::Input(InputKind::Scalar(0)));
        node.op.visit_operands(|operand| reads |= is_number(operand));
    }
    reads
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
