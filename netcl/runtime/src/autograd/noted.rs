//! Derivatives that are noted, not computed: functions of all that is tracked, which are differentiated as others are.

use crate::autograd::cut::{self, refuse_lost};
use crate::autograd::derivative::Derivative;
use crate::autograd::plan::Signature;
use crate::autograd::record::{Cut, History, Leaf, LeafKey};
use crate::autograd::records::{Records, Wanted};
use crate::autograd::tape::{self, ComputedWhen, Tape, TapePlace};
use crate::autograd::trace::{self, Differentiated, Direction, Place, StepValue, Trace, TraceInput, TraceResult};
use crate::device::Device;
use crate::error::Result;
use crate::tensor::{Held, Tensor, carry_out_all};
use netcl_hal::device::scalar::Scalar;
use std::panic::Location;
use std::sync::Arc;

/// The derivatives of some values in some leaves, before they are noted.
pub(super) struct NotedDerivative {
    tape: Tape,
    /// Where the values are; nowhere if no leaf leads to one.
    values: Vec<Option<TapePlace>>,
    /// By position among the leaves, what they were made from.
    leaves: Vec<Option<History>>,
    /// What ended histories that lead to the values.
    cuts: Vec<Arc<Cut>>,
    /// The numbers that all results pass.
    scalars: Arc<[Scalar]>,
    device: Device,
}

/// What is asked for.
pub(super) struct AskedDerivative<'a> {
    /// What errors call it.
    pub(super) name: &'static str,
    pub(super) direction: Direction,
    /// The cotangents of the values, or the tangents of the leaves.
    pub(super) given: &'a [Tensor],
    pub(super) caller: &'static Location<'static>,
}

impl NotedDerivative {
    /// Of these values, of the device that they are on, in those leaves that are wanted. Nothing is computed. An error if something leads
    /// from them to the values of which no derivative is recorded.
    pub(super) fn of(
        values: &[&History],
        records: Records,
        wanted: &Wanted,
        device: &Device,
    ) -> Result<NotedDerivative> {
        if let Some(stop) = records.stop_on_the_way() {
            refuse_lost(&[cut::stopped(stop, Vec::new())])?;
        }
        let cuts = records.cuts.clone();
        let records = records.without_surroundings(wanted);
        refuse_lost(&records.cuts)?;
        let (tape, values) = Tape::of(&records, values, wanted, ComputedWhen::Later)?;
        let origin = |leaf: &Arc<Leaf>| match wanted {
            Wanted::Leaves(_) => leaf.of.clone(),
            Wanted::All | Wanted::Model(_) => Some(History::Leaf(leaf.clone())),
        };
        let leaves = tape.leaves.iter().map(origin).collect();
        let scalars = tape.works().flat_map(|(work, dtype)| work.scalars(dtype)).collect();
        Ok(NotedDerivative { tape, values, leaves, cuts, scalars, device: device.clone() })
    }

    /// Where that leaf is among those that lead to the values.
    pub(super) fn position(&self, key: LeafKey) -> Option<usize> {
        self.tape.leaves.iter().position(|leaf| leaf.key() == key)
    }

    /// The first value to which none leads.
    pub(super) fn first_without(&self) -> Option<usize> {
        self.values.iter().position(Option::is_none)
    }

    pub(super) fn cuts(&self) -> &[Arc<Cut>] {
        &self.cuts
    }

    /// The gradients in the leaves with those positions; of tangents instead the derivatives of the values with them.
    pub(super) fn results(&self, asked: &AskedDerivative<'_>, positions: &[usize]) -> Result<Vec<Tensor>> {
        let AskedDerivative { name, given, caller, .. } = *asked;
        let order = self.order();
        let all: Vec<usize> = (0..self.tape.leaves.len()).collect();
        let (wrt, results): (&[usize], Vec<usize>) = match asked.direction {
            Direction::Forward => (&all, positions.to_vec()),
            Direction::Gradient | Direction::Backward => (positions, (0..positions.len()).collect()),
        };
        let signature = self.signature(asked, &order, wrt);
        let derivative = Derivative::find_or_make(name, signature, &self.device, || {
            (self.trace(asked, &order, wrt), self.arguments(asked))
        })?;
        let tensors = derivative.read(self.tensors(given, &order))?;
        let tensors: Vec<&Tensor> = tensors.iter().collect();
        let works = results.iter().map(|result| derivative.work(*result, &tensors, &self.scalars, &self.device));
        let works = works.collect::<Result<Vec<_>>>()?;
        let works: Vec<_> = works.iter().map(|(work, known)| (work.clone(), known)).collect();
        carry_out_all(&works, &tensors, caller)
    }

    /// What is supplied, what is asked with, and the inputs of which the leading axis may be the batch's, come first.
    fn arguments(&self, asked: &AskedDerivative<'_>) -> usize {
        let batches = self.tape.inputs().filter(|(_, may_be_batch)| *may_be_batch).count();
        self.supplied().count() + asked.given.len() + batches
    }

    /// The positions of the tape's inputs in the order of the trace's, which has other tensors before them: those whose leading axis
    /// may be the batch's first.
    fn order(&self) -> Vec<usize> {
        let may_be: Vec<bool> = self.tape.inputs().map(|(_, may_be_batch)| may_be_batch).collect();
        let mut order: Vec<usize> = (0..may_be.len()).collect();
        order.sort_by_key(|position| !may_be[*position]);
        order
    }

    fn supplied(&self) -> impl Iterator<Item = (&Held, Option<History>)> {
        let supplied = self.tape.steps.iter().filter(|step| step.value == StepValue::Supplied);
        supplied.filter_map(|step| Some((step.saved.as_ref()?, step.record.clone().map(History::Record))))
    }

    /// What it is computed from, with histories.
    fn tensors(&self, given: &[Tensor], order: &[usize]) -> Vec<Tensor> {
        let tensor = |(held, history): (&Held, Option<History>)| Tensor::from_held(held.clone()).with_history(history);
        let inputs: Vec<Tensor> = self.inputs().map(tensor).collect();
        let inputs = order.iter().map(|position| inputs[*position].clone());
        self.supplied().map(tensor).chain(given.iter().cloned()).chain(inputs).collect()
    }

    fn inputs(&self) -> impl Iterator<Item = (&Held, Option<History>)> {
        let leaves = self.tape.leaves.iter().zip(&self.leaves).map(|(leaf, history)| (&leaf.held, history.clone()));
        leaves.chain(self.tape.given.iter().map(|input| (&input.held, input.history.clone())))
    }

    fn place(&self, before: usize, order: &[usize]) -> impl Fn(TapePlace) -> Place {
        let mut to = vec![0; order.len()];
        order.iter().enumerate().for_each(|(new, old)| to[*old] = before + new);
        let leaves = self.tape.leaves.len();
        move |place| match place {
            TapePlace::Leaf(position) => Place::Input(to[position]),
            TapePlace::Given(position) => Place::Input(to[leaves + position]),
            TapePlace::Step(position) => Place::Step(position),
        }
    }

    fn trace(&self, asked: &AskedDerivative<'_>, order: &[usize], wrt: &[usize]) -> Trace {
        let before = asked.given.len();
        let place = self.place(before, order);
        let own: Vec<(&Held, bool)> = self.tape.inputs().collect();
        let given: Vec<Held> = asked.given.iter().map(Tensor::held).collect();
        let inputs: Vec<TraceInput> = given
            .iter()
            .map(|held| (held, true))
            .chain(order.iter().map(|position| own[*position]))
            .map(tape::input)
            .collect();
        let wrt = wrt.iter().filter_map(|position| match place(TapePlace::Leaf(*position)) {
            Place::Input(position) => Some(position),
            Place::Step(_) => None,
        });
        let differentiated = Differentiated {
            values: self.values.iter().flatten().map(|value| place(*value)).collect(),
            wrt: wrt.collect(),
            direction: asked.direction,
        };
        let steps = self.tape.trace_steps(&place);
        // Of what is no leaf first, and of what is asked with last.
        let leaves = self.tape.leaves.len();
        let first = order.iter().enumerate().filter(|(_, position)| **position >= leaves);
        let then = order.iter().enumerate().filter(|(_, position)| **position < leaves);
        let batch = first.chain(then).map(|(position, _)| &inputs[before + position]).chain(&inputs[..before]);
        let batch = trace::batch(batch);
        Trace { name: asked.name.to_owned(), gives: TraceResult::Derivatives(differentiated), inputs, steps, batch }
    }

    /// What it is found by, if it was met before: types and shapes are those of the works, and of the leaves, which may be in none.
    fn signature(&self, asked: &AskedDerivative<'_>, order: &[usize], wrt: &[usize]) -> Signature {
        let mut signature = self.tape.signature();
        signature.push(asked.direction as u64);
        signature.push(wrt.len() as u64);
        signature.extend(wrt.iter().map(|position| *position as u64));
        signature.extend(order.iter().map(|position| *position as u64));
        for leaf in &self.tape.leaves {
            signature.push(leaf.held.dtype as u64);
            signature.push(leaf.held.shape.len() as u64);
            signature.extend(leaf.held.shape.iter().map(|size| *size as u64));
        }
        let place = self.place(asked.given.len(), order);
        signature.extend(self.values.iter().flatten().map(|value| place(*value).number()));
        signature
    }
}
