//! The records that lead to a loss, as a list: what is compiled, and what that is found by.

use crate::autograd::record::{Cut, Held, Leaf, LeafKey, Owner, Record, RecordSource, Untracked};
use crate::autograd::work::{BATCH, PassedNumbers, WorkKey};
use netcl_hal::device::scalar::Scalar;
use netcl_kernels::autodiff::gradients_from_saved;
use netcl_kernels::dim::{Dim, Shape};
use netcl_kernels::dtype::DType;
use netcl_kernels::graph::build::Builder;
use netcl_kernels::graph::{Graph, InputKind, NodeId, Op};
use netcl_kernels::span::Result;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What a loss was computed from: the relative graph, in which tensors are numbered.
#[derive(Default)]
pub(super) struct Tape {
    /// What gradients are computed in.
    pub(super) leaves: Vec<Arc<Leaf>>,
    /// The other inputs, and whether their leading axis may be the batch's.
    given: Vec<(Held, bool)>,
    /// The models that parameters are of, each with the version that they were read in.
    pub(super) owners: Vec<Owner>,
    /// Operands first; the last is the loss.
    steps: Vec<TapeStep>,
    /// What ended histories on the way.
    pub(super) cuts: Vec<Arc<Cut>>,
    /// The size of the batch, if some input begins with one.
    batch: Option<usize>,
}

struct TapeStep {
    record: Arc<Record>,
    sources: Vec<Place>,
    /// The element type of the first source.
    dtype: Option<DType>,
}

/// Which tensor a source is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Place {
    Leaf(usize),
    Given(usize),
    Step(usize),
}

/// Which gradients are asked for.
pub(super) enum Wanted {
    All,
    /// Those in the parameters of the memory with that number.
    Model(u64),
    Leaves(Vec<LeafKey>),
}

impl Wanted {
    fn has(&self, leaf: &Leaf) -> bool {
        match (self, &leaf.owner) {
            (Wanted::All, _) => true,
            (Wanted::Model(store), Some(owner)) => owner.store.id() == *store,
            (Wanted::Model(_), None) => false,
            (Wanted::Leaves(keys), _) => keys.contains(&leaf.key()),
        }
    }
}

/// An axis of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Size {
    /// The batch's, which is a symbol.
    Batch,
    Is(usize),
}

/// What the plan of a tape's gradients is found by.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct Key {
    /// How many of the inputs are leaves.
    leaves: usize,
    inputs: Vec<(DType, Vec<Size>)>,
    /// The work, its sources, and whether its value is saved.
    steps: Vec<(WorkKey, Vec<Place>, bool)>,
}

/// Where what was met before is.
#[derive(Default)]
struct KnownPlaces {
    leaves: BTreeMap<LeafKey, usize>,
    given: BTreeMap<(u64, Arc<[usize]>, DType), usize>,
    /// By a record's number.
    steps: BTreeMap<u64, usize>,
}

impl Tape {
    /// The records that lead to `loss`, in the order in which they were made, for gradients in those leaves that are wanted.
    pub(super) fn of(loss: &Arc<Record>, wanted: &Wanted) -> Tape {
        let mut records: BTreeMap<u64, Arc<Record>> = BTreeMap::new();
        let mut open = vec![loss.clone()];
        while let Some(record) = open.pop() {
            if records.contains_key(&record.number) {
                continue;
            }
            open.extend(record.sources.iter().filter_map(|source| match source {
                RecordSource::Record(record) => Some(record.clone()),
                RecordSource::Leaf(_) | RecordSource::Given(_) => None,
            }));
            records.insert(record.number, record);
        }
        let mut tape = Tape::default();
        let mut known = KnownPlaces::default();
        for (number, record) in records {
            let sources: Vec<Place> =
                record.sources.iter().filter_map(|source| tape.place(source, &mut known, wanted)).collect();
            let dtype = sources.first().map(|place| tape.dtype(*place));
            known.steps.insert(number, tape.steps.len());
            tape.steps.push(TapeStep { record, sources, dtype });
        }
        let variables = tape.leaves.iter().filter(|leaf| leaf.owner.is_none()).map(|leaf| &leaf.held);
        let given = tape.given.iter().filter(|(_, may_be)| *may_be).map(|(held, _)| held);
        let mut sizes = given.chain(variables).filter_map(|held| held.shape.first().copied());
        tape.batch = sizes.find(|size| *size > 1);
        tape
    }

    fn place(&mut self, source: &RecordSource, known: &mut KnownPlaces, wanted: &Wanted) -> Option<Place> {
        match source {
            RecordSource::Record(record) => known.steps.get(&record.number).copied().map(Place::Step),
            RecordSource::Leaf(leaf) => {
                if let Some(owner) = &leaf.owner {
                    let same = |own: &Owner| own.store.id() == owner.store.id() && own.version == owner.version;
                    if !self.owners.iter().any(same) {
                        self.owners.push(owner.clone());
                    }
                }
                if !wanted.has(leaf) {
                    return Some(self.given(&leaf.held, leaf.owner.is_none(), known));
                }
                let position = *known.leaves.entry(leaf.key()).or_insert(self.leaves.len());
                if position == self.leaves.len() {
                    self.leaves.push(leaf.clone());
                }
                Some(Place::Leaf(position))
            }
            RecordSource::Given(Untracked { held, cut, is_own }) => {
                if let Some(cut) = cut.as_ref().filter(|cut| !self.cuts.iter().any(|known| Arc::ptr_eq(known, cut))) {
                    self.cuts.push(cut.clone());
                }
                Some(self.given(held, !is_own, known))
            }
        }
    }

    fn given(&mut self, held: &Held, may_be_batch: bool, known: &mut KnownPlaces) -> Place {
        let key = (held.region.id(), held.shape.clone(), held.dtype);
        let position = *known.given.entry(key).or_insert(self.given.len());
        if position == self.given.len() {
            self.given.push((held.clone(), may_be_batch));
        }
        Place::Given(position)
    }

    fn dtype(&self, place: Place) -> DType {
        match place {
            Place::Leaf(position) => self.leaves[position].held.dtype,
            Place::Given(position) => self.given[position].0.dtype,
            Place::Step(position) => self.steps[position].record.dtype,
        }
    }

    /// Leaves, other inputs, and what was saved, in the order of the arguments of [`Tape::graph`].
    pub(super) fn arguments(&self) -> Vec<&Held> {
        let saved = self.steps.iter().filter_map(|step| step.record.saved.as_ref());
        let given = self.given.iter().map(|(held, _)| held);
        self.leaves.iter().map(|leaf| &leaf.held).chain(given).chain(saved).collect()
    }

    /// The numbers that the graph takes by value.
    pub(super) fn scalars(&self) -> Vec<Scalar> {
        self.steps.iter().flat_map(|step| step.record.work.scalars(step.dtype)).collect()
    }

    /// Whether the batch may be a symbol.
    pub(super) fn has_batch(&self) -> bool {
        self.batch.is_some()
    }

    fn inputs(&self, batch: Option<usize>) -> Vec<(DType, Vec<Size>)> {
        let input = |held: &Held, may_be_batch: bool| {
            let size = |(axis, &size): (usize, &usize)| match batch {
                Some(batch) if may_be_batch && axis == 0 && size == batch => Size::Batch,
                _ => Size::Is(size),
            };
            (held.dtype, held.shape.iter().enumerate().map(size).collect())
        };
        let leaves = self.leaves.iter().map(|leaf| input(&leaf.held, leaf.owner.is_none()));
        leaves.chain(self.given.iter().map(|(held, may_be_batch)| input(held, *may_be_batch))).collect()
    }

    /// What the plan is found by; where the batch is a symbol, those of all sizes are found.
    pub(super) fn key(&self, symbolic: bool) -> Key {
        let batch = self.batch.filter(|_| symbolic);
        let step = |step: &TapeStep| {
            (step.record.work.key(step.dtype, batch), step.sources.clone(), step.record.saved.is_some())
        };
        Key { leaves: self.leaves.len(), inputs: self.inputs(batch), steps: self.steps.iter().map(step).collect() }
    }

    /// The gradients of the loss in all leaves. `None` where it cannot be had with a symbol: a size is needed, or what is read does
    /// not say what the symbol is.
    pub(super) fn graph(&self, symbolic: bool) -> Result<Option<Graph>> {
        let graph = match self.differentiated(self.batch.filter(|_| symbolic)) {
            Err(_) if symbolic => return Ok(None),
            graph => graph?,
        };
        let batch = Dim::symbol(BATCH);
        let is_told = !symbolic || graph.symbols().is_empty() || read(&graph).any(|shape| shape.0.contains(&batch));
        Ok(is_told.then_some(graph))
    }

    fn differentiated(&self, batch: Option<usize>) -> Result<Graph> {
        let mut builder = Builder::new("backward");
        let mut inputs = Vec::new();
        for (position, (dtype, sizes)) in self.inputs(batch).into_iter().enumerate() {
            let size = |size: Size| match size {
                Size::Batch => Dim::symbol(BATCH),
                Size::Is(size) => Dim::constant(size as i64),
            };
            let shape = Shape(sizes.into_iter().map(size).collect());
            let name = match position.checked_sub(self.leaves.len()) {
                None => format!("p{position}"),
                Some(position) => format!("x{position}"),
            };
            inputs.push(builder.input(InputKind::Argument(position), &name, shape, dtype));
        }
        let (leaves, given) = inputs.split_at(self.leaves.len());
        let mut results: Vec<NodeId> = Vec::with_capacity(self.steps.len());
        let mut passed = PassedNumbers::default();
        for step in &self.steps {
            let node = |place: &Place| match *place {
                Place::Leaf(position) => leaves[position],
                Place::Given(position) => given[position],
                Place::Step(position) => results[position],
            };
            let sources: Vec<NodeId> = step.sources.iter().map(node).collect();
            results.push(step.record.work.build(&mut builder, &sources, &mut passed, batch)?);
        }
        let Some(&loss) = results.last() else { return Ok(builder.finish()) };
        let kept = self.steps.iter().zip(&results).filter(|(step, _)| step.record.saved.is_some());
        let saved: Vec<(usize, NodeId)> =
            kept.enumerate().map(|(number, (_, result))| (inputs.len() + number, *result)).collect();
        gradients_from_saved(builder, loss, leaves, &saved)
    }
}

/// The shapes of the inputs that something is computed from.
fn read(graph: &Graph) -> impl Iterator<Item = &Shape> {
    let mut read = vec![false; graph.nodes.len()];
    for node in &graph.nodes {
        node.op.visit_operands(|operand| read[operand.index()] = true);
    }
    graph.outputs.iter().for_each(|(_, id)| read[id.index()] = true);
    let is_read = move |id: NodeId, op: &Op| read[id.index()] && matches!(op, Op::Input(_));
    graph.iter().filter(move |(id, node)| is_read(*id, &node.op)).map(|(_, node)| &node.shape)
}
