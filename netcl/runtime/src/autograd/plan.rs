//! The plan of a trace: compiled once for all traces of the same work, types and shapes.
//!
//! Where nothing is new it is found by numbers alone: those of the works, and which tensor is which.

use crate::autograd::positions::{PassedPositions, WorkPlan};
use crate::autograd::relative;
use crate::autograd::trace::{self, Place, StepValue, Trace, TraceInput, TraceKey, TraceResult, TraceStep};
use crate::autograd::work::TensorWork;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::executor::Loaded;
use crate::hash::hash;
use crate::jit;
use netcl_hal::recent::Recent;
use netcl_kernels::dtype::DType;
use netcl_kernels::span::Diagnostic;
use smallvec::SmallVec;
use std::sync::{Arc, Mutex, PoisonError};

/// How many plans stay found by their traces.
const KEPT: usize = 256;

/// The plans of a device, each with the hash of its key; `None` where the batch cannot be a symbol.
type Plans = Mutex<Recent<(u64, Arc<KnownPlan>)>>;

struct KnownPlan {
    key: TraceKey,
    loaded: Option<Arc<Loaded>>,
}

/// What the plan of known works is found by: their numbers ([`super::known::KnownWork`]), and which tensor is which.
pub(crate) type Signature = SmallVec<[u64; 32]>;

/// The plans of a device by signature: for sizes that were met before, nothing else is compared.
struct SignedPlans(Mutex<Recent<SignedPlan>>);

struct SignedPlan {
    hash: u64,
    signature: Signature,
    plan: WorkPlan,
}

/// The plan of known works, on that device; `trace` makes their trace, where it was not met.
pub(crate) fn of_signature(signature: Signature, device: &Device, trace: impl FnOnce() -> Trace) -> Result<WorkPlan> {
    let hash = hash(&signature[..]);
    let SignedPlans(plans) = device.slot(|| SignedPlans(Mutex::new(Recent::new(KEPT))));
    let lock = || plans.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = lock().find(|known| known.hash == hash && known.signature == signature) {
        return Ok(known.plan.clone());
    }
    let plan = of(&trace(), device)?;
    let surplus = lock().add(SignedPlan { hash, signature, plan: plan.clone() });
    drop(surplus);
    Ok(plan)
}

/// The plan of that trace, on that device.
fn of(trace: &Trace, device: &Device) -> Result<WorkPlan> {
    if let Some(plan) = relative::find_or_make(trace, device)? {
        return Ok(plan);
    }
    let found = if trace.batch.is_some() { find_or_make(trace, true, device)? } else { None };
    let found = match found {
        Some(loaded) => Some(loaded),
        None => find_or_make(trace, false, device)?,
    };
    let found = found.ok_or_else(|| Error::graph(&trace.name, Diagnostic::new("it has no graph")))?;
    Ok(WorkPlan::new(found, PassedPositions::default()))
}

/// The plan with symbols of one work by itself, of tensors of these types and shapes; `None` where its sizes are to be numbers.
pub(crate) fn of_one(
    work: &TensorWork,
    tensors: impl Iterator<Item = (DType, Arc<[usize]>)>,
    device: &Device,
) -> Result<Option<WorkPlan>> {
    let mut inputs: Vec<TraceInput> =
        tensors.map(|(dtype, shape)| TraceInput { dtype, shape, may_be_batch: true }).collect();
    let given = work.inputs(inputs.len());
    inputs[given..].iter_mut().for_each(|own| own.may_be_batch = false);
    let step = TraceStep {
        work: work.clone(),
        sources: (0..inputs.len()).map(Place::Input).collect(),
        dtype: inputs.first().map(|first| first.dtype),
        value: StepValue::Result,
    };
    let batch = trace::batch(inputs.iter());
    let trace = Trace { name: work.name().to_owned(), gives: TraceResult::Values, inputs, steps: vec![step], batch };
    relative::find_or_make(&trace, device)
}

fn find_or_make(trace: &Trace, symbolic: bool, device: &Device) -> Result<Option<Arc<Loaded>>> {
    let plans: &Plans = device.slot(|| Mutex::new(Recent::new(KEPT)));
    let key = trace.key(symbolic);
    let hash = hash(&key);
    let lock = || plans.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, known)) = lock().find(|(known, own)| *known == hash && own.key == key) {
        return Ok(known.loaded.clone());
    }
    let graph = trace.graph(symbolic).map_err(|diagnostic| Error::graph(&trace.name, diagnostic))?;
    let loaded = match graph.map(|graph| jit::load(&graph, device)).transpose() {
        // With numbers for all sizes it may be possible.
        Err(Error::Graph { .. }) if symbolic => None,
        loaded => loaded?,
    };
    let surplus = lock().add((hash, Arc::new(KnownPlan { key, loaded: loaded.clone() })));
    drop(surplus);
    Ok(loaded)
}
