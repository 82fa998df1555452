//! What is known of single operations and layers: their plan, and what their derivative needs.
//!
//! It is found by the work and by the types and shapes of its tensors. Only what is new has a graph built, which is compared with
//! the graphs that were compiled: other sizes of a batch have an entry of their own here, and the same plan.

use crate::autograd::work::WorkKey;
use crate::device::Device;
use crate::error::Result;
use crate::executor::Loaded;
use crate::jit;
use crate::tensor::Tensor;
use netcl_hal::recent::Recent;
use netcl_kernels::autodiff::leading_to;
use netcl_kernels::dtype::DType;
use netcl_kernels::graph::{Graph, InputKind, NodeId, Op, OutputKind};
use smallvec::SmallVec;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, PoisonError};

/// How many stay known for a device: the least recently used go.
const KEPT: usize = 1024;

/// One operation or layer, of tensors of certain types and shapes.
pub(crate) struct KnownWork {
    pub(crate) loaded: Arc<Loaded>,
    pub(crate) flow: DerivativeFlow,
}

/// What the derivative of a work needs of its tensors, by position, and of its result.
#[derive(Clone)]
pub(crate) struct DerivativeFlow {
    /// Whether the result has a derivative in it.
    pub(super) flows: SmallVec<[bool; 4]>,
    /// Whether the result is computed from its elements.
    pub(super) reads: SmallVec<[bool; 4]>,
    /// Whether the result is kept rather than computed again.
    pub(super) is_dear: bool,
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
    let hash = hash(&work, tensors);
    if let Some(entry) = lock().find(|entry| entry.is(hash, &work, tensors)) {
        return Ok(entry.known.clone());
    }
    let known = Arc::new(make()?);
    let own = tensors.iter().map(|tensor| (tensor.dtype(), tensor.shape().into())).collect();
    let entry = KnownEntry { hash, work, tensors: own, known: known.clone() };
    // Another thread may have been first: then there are two of it, which does no harm. What goes does so without the lock.
    let surplus = lock().add(entry);
    drop(surplus);
    Ok(known)
}

fn hash(work: &WorkKey, tensors: &[&Tensor]) -> u64 {
    let mut hasher = DefaultHasher::new();
    work.hash(&mut hasher);
    for tensor in tensors {
        (tensor.dtype(), tensor.shape()).hash(&mut hasher);
    }
    hasher.finish()
}

impl KnownWork {
    /// An operation that this graph computes of so many tensors, its arguments.
    pub(crate) fn of_operation(graph: &Graph, device: &Device, tensors: usize) -> Result<KnownWork> {
        let place = |op: &Op, _: &str| match op {
            Op::Input(InputKind::Argument(position)) => Some(*position),
            _ => None,
        };
        Ok(KnownWork { flow: DerivativeFlow::of(graph, tensors, place), loaded: jit::load(graph, device)? })
    }
}

impl DerivativeFlow {
    /// Of a view of a tensor.
    pub(crate) fn view(dtype: DType) -> DerivativeFlow {
        let (flows, reads) = (SmallVec::from_slice(&[dtype.is_float()]), SmallVec::from_slice(&[true]));
        DerivativeFlow { flows, reads, is_dear: false }
    }

    /// Of what the graph computes of `sources` tensors, which `place` has by position.
    pub(crate) fn of(graph: &Graph, sources: usize, place: impl Fn(&Op, &str) -> Option<usize>) -> DerivativeFlow {
        let mut flow = DerivativeFlow {
            flows: SmallVec::from_elem(false, sources),
            reads: SmallVec::from_elem(false, sources),
            is_dear: is_dear(graph),
        };
        let result = graph.outputs.iter().find(|(kind, _)| *kind == OutputKind::Result(0)).map(|(_, id)| *id);
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
