//! From a loss back to what is tracked: one plan, or several with what the program computes between them.
//!
//! A plan ends at leaves. Some are results of something through which the gradient goes on in a way of its own ([`Stop`]): a region that
//! is computed again, a function with a derivative of the program's, a hook. They are gone through from the latest to the first, which
//! is an order in which all that a gradient consists of is known before it goes on.

use crate::autograd::again;
use crate::autograd::cut::{self, Pause};
use crate::autograd::note::keeping_nothing;
use crate::autograd::plan;
use crate::autograd::record::{Cut, History, Leaf, LeafKey, Owner, Record, Stop};
use crate::autograd::records::{self, BehindLeaf, Records, Wanted};
use crate::autograd::tape::{ComputedWhen, Tape};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::executor::Call;
use crate::memory::{BufferHandle, before_late_writes};
use crate::model::Gradients;
use crate::model::gradient_buffer::GradientBuffer;
use crate::model::store::Store;
use crate::recording;
use crate::tensor::Tensor;
use netcl_kernels::dtype::DType;
use smallvec::SmallVec;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What was found.
pub(super) struct Swept {
    pub(super) models: Vec<Gradients>,
    /// The gradients in tensors, by their leaves.
    pub(super) variables: BTreeMap<LeafKey, Tensor>,
    /// What ended histories on the way.
    pub(super) cuts: Vec<Arc<Cut>>,
}

struct GradientSweep<'a> {
    device: &'a Device,
    wanted: &'a Wanted,
    models: Vec<PendingGradients>,
    variables: BTreeMap<LeafKey, Tensor>,
    /// What goes on in a way of its own, by number, with its gradient as far as that is known.
    stops: BTreeMap<u64, (Arc<Leaf>, Tensor)>,
    /// Records by number, with the gradients in their values.
    seeds: BTreeMap<u64, (Arc<Record>, Tensor)>,
    cuts: Vec<Arc<Cut>>,
    /// Whether more than one plan writes gradients.
    has_several: bool,
}

/// The gradients in one model's parameters, before all are computed.
struct PendingGradients {
    store: Arc<Store>,
    buffer: GradientBuffer,
    covered: Vec<bool>,
}

/// The gradients of `loss` in what is wanted and leads to it by that history.
pub(super) fn gradients(history: &History, loss: &Tensor, wanted: &Wanted) -> Result<Swept> {
    let mut sweep = GradientSweep {
        device: loss.device(),
        wanted,
        models: Vec::new(),
        variables: BTreeMap::new(),
        stops: BTreeMap::new(),
        seeds: BTreeMap::new(),
        cuts: Vec::new(),
        has_several: false,
    };
    match history {
        History::Record(record) => sweep.plan(record, records::first_of_part([record].into_iter(), wanted))?,
        history => {
            let one = Tensor::full(loss.device(), 1.0f32, &[])?.cast(loss.dtype());
            sweep.go_on(history, one)?;
        }
    }
    sweep.go_through_stops()?;
    sweep.finish()
}

impl GradientSweep<'_> {
    /// What leads to a number by records from that number on, up to leaves, as one plan.
    fn plan(&mut self, record: &Arc<Record>, first: u64) -> Result<()> {
        // A recording does again what is called in it: what waits was called for before.
        let is_apart = recording::is_active(self.device.backend());
        let tape = self.tape(record, first, is_apart)?;
        match self.run(&tape) {
            Err(error) if tape.waiting().next().is_some() => {
                // Each alone may need less; if not, it says what was called where.
                tracing::debug!(%error, "a loss is computed before its gradients");
                let tape = self.tape(record, first, true)?;
                self.run(&tape)
            }
            result => result,
        }
    }

    fn tape(&mut self, record: &Arc<Record>, first: u64, is_apart: bool) -> Result<Tape> {
        let history = History::Record(record.clone());
        let at_hand = |before: &[&Arc<Record>]| again::compute(before, self.wanted, self.device);
        let records = Records::of_part(&history, self.wanted, first, at_hand)?;
        cut::refuse_lost(&records.cuts)?;
        let waiting = if is_apart { ComputedWhen::Before } else { ComputedWhen::Together };
        let (tape, _) = Tape::of(&records, &[], self.wanted, waiting)?;
        for cut in &records.cuts {
            if !self.cuts.iter().any(|known| Arc::ptr_eq(known, cut)) {
                self.cuts.push(cut.clone());
            }
        }
        Ok(tape)
    }

    fn run(&mut self, tape: &Tape) -> Result<()> {
        if tape.leaves.is_empty() {
            return Ok(());
        }
        self.has_several |= tape.leaves.iter().any(|leaf| leaf.stop.is_some());
        let loaded = plan::of_signature(tape.signature(), self.device, || tape.trace())?;
        let mut into: Vec<Option<BufferHandle>> = Vec::with_capacity(tape.leaves.len());
        let mut written: Vec<(usize, usize)> = Vec::new();
        for leaf in &tape.leaves {
            let Some(owner) = &leaf.owner else {
                into.push(None);
                continue;
            };
            let position = self.model(owner)?;
            let pending = &self.models[position];
            let is_first = !pending.covered[owner.index];
            into.push(is_first.then(|| pending.buffer.part(owner.index)));
            if is_first {
                written.push((position, owner.index));
            }
        }
        if !self.has_several {
            for (position, PendingGradients { store, buffer, covered }) in self.models.iter().enumerate() {
                let mut covered = covered.clone();
                let own = written.iter().filter(|(model, _)| *model == position);
                own.for_each(|(_, index)| covered[*index] = true);
                let (writer, covered) = store.writer(covered);
                buffer.prepare(writer, &covered)?;
            }
        }
        let args: SmallVec<[Tensor; 16]> = tape.arguments().cloned().map(Tensor::from_held).collect();
        let args: SmallVec<[&Tensor; 16]> = args.iter().collect();
        let scalars = loaded.scalars(tape.works());
        let call = Call { args: &args, scalars: &scalars, gradients_into: &into, ..Call::default() };
        // What waits of it was called for before what is to be written.
        let outputs = before_late_writes(|| loaded.call(self.device, &call))?;
        for (held, result) in tape.waiting().zip(outputs.results) {
            held.value.supply(result.into_region()?);
        }
        for (position, index) in written {
            self.models[position].covered[index] = true;
        }
        for ((leaf, gradient), into) in tape.leaves.iter().zip(outputs.argument_gradients).zip(&into) {
            if let (Some(gradient), None) = (gradient, into) {
                self.add(leaf, gradient)?;
            }
        }
        Ok(())
    }

    /// Where the gradients in a model's parameters are.
    fn model(&mut self, owner: &Owner) -> Result<usize> {
        let store = &owner.store;
        if let Some(position) = self.models.iter().position(|known| known.store.id() == store.id()) {
            return Ok(position);
        }
        let buffer = store.gradient_buffer()?;
        if self.has_several {
            buffer.whole().zero()?;
        }
        let covered = vec![false; store.parameters().len()];
        self.models.push(PendingGradients { store: store.clone(), buffer, covered });
        Ok(self.models.len() - 1)
    }

    /// Adds to the gradient in a leaf.
    fn add(&mut self, leaf: &Arc<Leaf>, gradient: Tensor) -> Result<()> {
        if leaf.stop.is_some() {
            let known = self.stops.remove(&leaf.id).map(|(_, known)| known);
            self.stops.insert(leaf.id, (leaf.clone(), sum(known, gradient)));
            return Ok(());
        }
        let Some(owner) = &leaf.owner else {
            let known = self.variables.remove(&leaf.key());
            self.variables.insert(leaf.key(), sum(known, gradient));
            return Ok(());
        };
        owner.unchanged()?;
        let position = self.model(owner)?;
        let pending = &mut self.models[position];
        let part = pending.buffer.part(owner.index);
        let own = Tensor::from_region(part.clone(), leaf.held.shape.clone(), leaf.held.dtype, self.device.clone());
        let known = std::mem::replace(&mut pending.covered[owner.index], true).then_some(own);
        let bytes = gradient.byte_count();
        sum(known, gradient).region()?.copy_to(&part, bytes)
    }

    /// A gradient goes on to what its tensor was computed from.
    fn go_on(&mut self, history: &History, gradient: Tensor) -> Result<()> {
        let behind = match history {
            History::Record(record) => BehindLeaf::Record(record),
            History::Leaf(leaf) => self.wanted.behind(leaf),
            History::Cut(_) => return Ok(()),
        };
        match behind {
            BehindLeaf::Record(record) => {
                let known = self.seeds.remove(&record.number).map(|(_, known)| known);
                self.seeds.insert(record.number, (record.clone(), sum(known, gradient)));
                Ok(())
            }
            BehindLeaf::Leaf(leaf) if leaf.stop.is_some() || self.wanted.has(leaf) => self.add(leaf, gradient),
            BehindLeaf::Leaf(_) => Ok(()),
        }
    }

    fn go_through_stops(&mut self) -> Result<()> {
        loop {
            let latest = self.stops.last_key_value().map(|(number, _)| *number);
            // All that leads from what comes after it to it.
            let mut after = self.seeds.split_off(&latest.unwrap_or(0));
            if !after.is_empty() {
                self.has_several = true;
                let first = records::first_of_part(after.values().map(|(record, _)| record), self.wanted);
                // What is before the part waits for what else leads from it.
                let part = after.split_off(&first);
                self.seeds.append(&mut after);
                if let Some(record) = seeded(part.into_values()) {
                    self.plan(&record, first)?;
                }
            } else if let Some((_, (leaf, gradient))) = self.stops.pop_last() {
                self.has_several = true;
                if let Some(stop) = &leaf.stop {
                    self.stop(stop, gradient)?;
                }
            } else {
                return Ok(());
            }
        }
    }

    fn stop(&mut self, stop: &Stop, gradient: Tensor) -> Result<()> {
        let gradients = match &stop.pullback {
            None => vec![gradient.held()],
            Some(pullback) => {
                let _pause = Pause::of_pullback(stop);
                pullback(gradient.held())?
            }
        };
        for (source, gradient) in stop.sources.iter().zip(gradients) {
            let Some(history) = &source.history else { continue };
            let gradient = Tensor::from_held(gradient);
            gradient.checked()?;
            let (shape, dtype, device) = (gradient.shape(), gradient.dtype(), gradient.device());
            if *shape != *source.shape || dtype != source.dtype || device != self.device {
                return refused(format!(
                    "what `{}` at {}:{} gave for the gradient in {} {:?} is {dtype} {shape:?} on {device}; it must have the tensor's \
                     type and shape, and be on its device",
                    stop.by,
                    stop.caller.file(),
                    stop.caller.line(),
                    source.dtype,
                    source.shape,
                ));
            }
            self.go_on(history, gradient)?;
        }
        Ok(())
    }

    fn finish(self) -> Result<Swept> {
        let mut models = Vec::with_capacity(self.models.len());
        for PendingGradients { store, buffer, covered } in self.models {
            if self.has_several {
                let (writer, covered) = store.writer(covered);
                buffer.note_written(writer, &covered);
            }
            models.push(Gradients::new(store, buffer));
        }
        let recorded = |(key, gradient): (LeafKey, Tensor)| (key, gradient.with_history(Some(cut::gradient())));
        Ok(Swept { models, variables: self.variables.into_iter().map(recorded).collect(), cuts: self.cuts })
    }
}

fn sum(known: Option<Tensor>, gradient: Tensor) -> Tensor {
    match known {
        Some(known) => known.add(&gradient),
        None => gradient,
    }
}

/// A number whose gradients in these records are those that are given. Its own value, and theirs, are never computed.
fn seeded(seeds: impl Iterator<Item = (Arc<Record>, Tensor)>) -> Option<Arc<Record>> {
    let number = |(record, gradient): (Arc<Record>, Tensor)| {
        let like = Tensor::from_held(gradient.held()).with_history(Some(History::Record(record)));
        like.mul(&gradient).sum_all().cast(DType::F32)
    };
    let all = || seeds.map(number).reduce(|one, other| one.add(&other));
    match cut::resumed(|| keeping_nothing(all))?.history() {
        Some(History::Record(record)) => Some(record.clone()),
        _ => None,
    }
}

fn refused<T>(problem: String) -> Result<T> {
    Err(Error::Backward { operation: "backward", problem })
}
