//! Notes what is called, or computes it where it cannot wait.

use crate::autograd::known::KnownWork;
use crate::autograd::note::Noted;
use crate::autograd::plan;
use crate::autograd::record::{Change, History};
use crate::autograd::tracer;
use crate::autograd::work::TensorWork;
use crate::error::{Error, Result};
use crate::executor::Call;
use crate::memory::{BufferHandle, Reader};
use crate::recording;
use crate::tensor::pending::{self, FEW, PendingWork, WaitingSize};
use crate::tensor::{Held, Tensor, TensorValue, byte_count};
use netcl_hal::config;
use netcl_kernels::dtype::DType;
use netcl_kernels::span::Diagnostic;
use smallvec::SmallVec;
use std::collections::BTreeMap;
use std::panic::Location;
use std::sync::{Arc, Weak};

/// How many operations wait at most for one value.
const MOST_OPERATIONS: usize = 128;

/// How many bytes are kept at most for what waits alone.
const MOST_BYTES: usize = 256 << 20;

/// Notes what is known, to be computed when it is needed, or computes it now where it cannot wait.
pub(crate) fn carry_out(
    work: TensorWork,
    known: &Arc<KnownWork>,
    tensors: &[&Tensor],
    caller: &'static Location<'static>,
) -> Result<Tensor> {
    carried_out(work, known, tensors, caller, &[])
}

/// As [`carry_out`], of what others are computed with.
fn carried_out(
    work: TensorWork,
    known: &Arc<KnownWork>,
    tensors: &[&Tensor],
    caller: &'static Location<'static>,
    with: &[Change],
) -> Result<Tensor> {
    let name = work.name();
    if let Some(result) = traced(&work, known, tensors, caller) {
        return Ok(result);
    }
    // Of what is to be written to them before.
    tensors.iter().try_for_each(|tensor| tensor.settled())?;
    let noted = Noted::of(name, &known.flow, tensors, work.inputs(tensors.len()), caller)?;
    let result = match record(&work, known, tensors, caller, with) {
        Some(result) => result,
        None => alone(&work, known, tensors)?,
    };
    Ok(match noted {
        Some(noted) => noted.result((work, known.number), result),
        None => result.computed_by(name, tensors),
    })
}

/// What a work is of these tensors, by a plan of its own.
pub(super) fn alone(work: &TensorWork, known: &KnownWork, tensors: &[&Tensor]) -> Result<Tensor> {
    let first = tensors[0];
    let given = tensors.iter().map(|tensor| (tensor.dtype(), tensor.shared_shape().clone()));
    let plan = known.loaded(first.device(), || plan::of_one(work, given, first.device()))?;
    let scalars = plan.scalars(std::iter::once((work, Some(first.dtype()))));
    let call = Call { args: tensors, scalars: &scalars, ..Call::default() };
    let mut results = plan.call(first.device(), &call)?.results;
    results.pop().ok_or_else(|| Error::graph(work.name(), Diagnostic::new("it has no result")))
}

/// Notes several values of these tensors, which are computed together.
pub(crate) fn carry_out_all(
    works: &[(TensorWork, &Arc<KnownWork>)],
    tensors: &[&Tensor],
    caller: &'static Location<'static>,
) -> Result<Vec<Tensor>> {
    let [(first, known), others @ ..] = works else { return Ok(Vec::new()) };
    let mut results = vec![];
    let mut with = Vec::with_capacity(others.len());
    for (work, known) in others {
        let result = carry_out(work.clone(), known, tensors, caller)?;
        with.push(Change { work: work.clone(), known: known.number, held: result.held() });
        results.push(result);
    }
    results.insert(0, carried_out(first.clone(), known, tensors, caller, &with)?);
    Ok(results)
}

/// What is noted of a function that is compiled: its operations are given no values, and have no histories.
fn traced(
    work: &TensorWork,
    known: &Arc<KnownWork>,
    tensors: &[&Tensor],
    caller: &'static Location<'static>,
) -> Option<Tensor> {
    let (shape, dtype) = known.result.as_ref().filter(|_| tracer::is_active())?;
    // Arguments have no history, and parameters are theirs.
    let is_other = |history: &History| !matches!(history, History::Leaf(leaf) if leaf.owner.is_some());
    if tensors.iter().filter_map(|tensor| tensor.history()).any(is_other) {
        tracer::note(|tracing| tracing.as_it_stands = true);
    }
    let device = tensors.first()?.device();
    let size = WaitingSize { operations: 0, bytes: 0, parts: 0 };
    let sources: Arc<[Held]> = tensors.iter().map(|tensor| tensor.held()).collect();
    let pending = PendingWork::new(work.clone(), known.clone(), caller, device.clone(), sources, size, SmallVec::new());
    let value = TensorValue::Pending(pending);
    Some(Tensor::from_held(Held { value, shape: shape.clone(), dtype: *dtype, device: device.clone() }))
}

/// Notes what a layer computes, and what its states become, which is computed with it. `None` where that cannot wait. The caller has
/// settled the tensors, and holds what nobody may change meanwhile.
pub(crate) fn carry_out_with_changes(
    (work, known): (TensorWork, &Arc<KnownWork>),
    changes: &[(TensorWork, Arc<KnownWork>)],
    tensors: &[&Tensor],
    caller: &'static Location<'static>,
) -> Result<Option<(Tensor, Vec<Change>)>> {
    let name = work.name();
    let noted = Noted::of(name, &known.flow, tensors, work.inputs(tensors.len()), caller)?;
    // They come before it, as all that is computed with something.
    let mut noted_changes = Vec::with_capacity(changes.len());
    for (work, known) in changes {
        let Some(tensor) = record(work, known, tensors, caller, &[]) else { return Ok(None) };
        noted_changes.push(Change { work: work.clone(), known: known.number, held: tensor.held() });
    }
    let Some(result) = record(&work, known, tensors, caller, &noted_changes) else { return Ok(None) };
    let result = match noted {
        Some(noted) => noted.result_with((work, known.number), result, &noted_changes),
        None => result.computed_by(name, tensors),
    };
    Ok(Some((result, noted_changes)))
}

/// The result of an operation or layer of these tensors, to be computed when it is needed, and `changes` with it. `None` where it
/// cannot wait: then it is computed now, or what is wrong is found.
fn record(
    work: &TensorWork,
    known: &Arc<KnownWork>,
    tensors: &[&Tensor],
    caller: &'static Location<'static>,
    changes: &[Change],
) -> Option<Tensor> {
    let (first, (shape, dtype)) = (tensors.first()?, known.result.as_ref()?);
    let device = first.device();
    let can_compute = |dtype: DType| dtype != DType::F64 || device.profile().fp64;
    if is_eager()
        || recording::is_active(device.backend())
        || byte_count("Tensor", shape, *dtype).is_err()
        || !can_compute(*dtype)
        || !tensors.iter().all(|tensor| tensor.device() == device && can_compute(tensor.dtype()))
        || tensors.iter().any(|tensor| tensor.value().in_memory().is_some_and(BufferHandle::is_shown))
    {
        return None;
    }
    let mut size = size_of(work, tensors);
    let has_many = |size: &WaitingSize| work.listed() > 0 && size.parts > FEW;
    let is_large = |size: &WaitingSize| size.operations > MOST_OPERATIONS || size.bytes > MOST_BYTES;
    let sources: Arc<[Held]> = tensors.iter().map(|tensor| tensor.held()).collect();
    if has_many(&size) || is_large(&size) {
        size = counted(work, &sources);
    }
    if has_many(&size) {
        // One kernel would ask for each element which part of which part it is of.
        for tensor in tensors {
            tensor.region().ok()?;
        }
        size = size_of(work, tensors);
    }
    let changes = changes.iter().filter_map(|change| pending::waiting_of(&change.held.value)?.shared());
    let changes = changes.map(|change| Arc::downgrade(&change)).collect();
    let pending = PendingWork::new(work.clone(), known.clone(), caller, device.clone(), sources.clone(), size, changes);
    let reader: Weak<dyn Reader> = Arc::<PendingWork>::downgrade(&pending);
    for source in sources.iter() {
        add_reader(&source.value, reader.clone());
    }
    let held =
        Held { value: TensorValue::Pending(pending), shape: shape.clone(), dtype: *dtype, device: device.clone() };
    if is_large(&size) {
        // Its value says what goes wrong.
        let _ = held.value.region();
    }
    Some(Tensor::from_held(held))
}

/// Notes what is computed of a value.
fn add_reader(value: &TensorValue, reader: Weak<dyn Reader>) {
    if pending::waiting_of(value).is_some_and(|pending| pending.add_reader(&reader)) {
        return;
    }
    // Another thread may be about to have it computed.
    if let Ok(memory) = value.region() {
        memory.add_reader(reader);
    }
}

/// What waits with a value of these tensors, at most.
fn size_of(work: &TensorWork, tensors: &[&Tensor]) -> WaitingSize {
    let mut size = WaitingSize { operations: 1, bytes: 0, parts: work.listed() };
    for tensor in tensors {
        match pending::waiting_of(tensor.value()) {
            Some(pending) => {
                let more = pending.size();
                size.operations = size.operations.saturating_add(more.operations);
                size.bytes = size.bytes.saturating_add(more.bytes);
                size.parts = size.parts.saturating_add(more.parts);
            }
            None => size.bytes = size.bytes.saturating_add(tensor.byte_count()),
        }
    }
    size
}

/// Whether each operation is computed at once.
pub(crate) fn is_eager() -> bool {
    config::get().is_ok_and(|config| config.eager)
}

/// What waits with a value of these sources, each operation once and without what was computed meanwhile, and how many bytes of memory
/// nothing else holds.
fn counted(work: &TensorWork, sources: &[Held]) -> WaitingSize {
    let mut seen: BTreeMap<u64, Arc<[Held]>> = BTreeMap::new();
    let mut parts = work.listed();
    let mut memory: BTreeMap<u64, (&BufferHandle, usize)> = BTreeMap::new();
    let waiting = |sources: &[Held]| -> Vec<Arc<PendingWork>> {
        sources.iter().filter_map(|source| pending::waiting_of(&source.value)?.shared()).collect()
    };
    let mut open = waiting(sources);
    while let Some(pending) = open.pop() {
        if let (false, Some(sources)) = (seen.contains_key(&pending.number()), pending.sources()) {
            open.extend(waiting(&sources));
            parts += pending.work().listed();
            seen.insert(pending.number(), sources);
        }
    }
    for source in seen.values().flat_map(|sources| sources.iter()).chain(sources) {
        if let Some(region) = source.value.in_memory().filter(|region| !region.is_part()) {
            memory.entry(region.id()).or_insert((region, 0)).1 += 1;
        }
    }
    let alone = memory.values().filter(|(region, holders)| region.handles() <= *holders);
    WaitingSize { operations: 1 + seen.len(), bytes: alone.map(|(region, _)| region.bytes()).sum(), parts }
}
