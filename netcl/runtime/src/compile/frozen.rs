//! A function as the list of what it does, for arguments of certain types and shapes.

use crate::autograd::known::KnownWork;
use crate::autograd::trace::{self, Place, StepValue, Trace, TraceInput, TraceResult, TraceStep, TracedWork};
use crate::autograd::tracer::Tracing;
use crate::autograd::work::{CompositeWork, TensorWork};
use crate::autograd::{cut, note};
use crate::error::{Error, Result};
use crate::memory::BufferHandle;
use crate::model::ModelCore;
use crate::model::core::parameter;
use crate::model::store::{Store, StoredTensor};
use crate::tensor::traced::{TracedSource, TracedStep, traced};
use crate::tensor::{Held, Tensor, carry_out_all};
use netcl_hal::device::scalar::Scalar;
use netcl_kernels::span::Diagnostic;
use smallvec::SmallVec;
use std::panic::Location;
use std::sync::Arc;

/// A function, compiled.
pub(super) struct Frozen {
    traced: Arc<dyn CompositeWork>,
    /// What it is of beside its arguments, in the order of the trace's inputs after them.
    own: Vec<OwnSource>,
    results: Vec<FrozenResult>,
    /// The numbers that it passes by value, in order.
    numbers: Vec<FrozenNumber>,
    /// The same, if none is drawn.
    scalars: Option<Arc<[Scalar]>>,
    /// By which model each call draws, in order.
    draws: Vec<usize>,
    /// Whether gradients through it are those of its operations.
    is_whole: bool,
    /// Whether it has parameters in which gradients are computed.
    trains: bool,
}

/// What a function is of that is no argument.
enum OwnSource {
    /// A parameter of a model among the arguments.
    Parameter { model: usize, index: usize, is_tracked: bool },
    /// Other elements of a model: a state, or a parameter as another shape.
    View { model: usize, is_parameter: bool, index: usize, like: Held },
    /// A tensor that the function made.
    Constant(Held),
}

enum FrozenResult {
    /// It is computed: what is known of it.
    Step(usize, Arc<KnownWork>),
    /// It is what the function is given or has.
    Input(usize),
}

enum FrozenNumber {
    Is(Scalar),
    /// The seed that this call of a model drew.
    Draw(usize),
}

impl Frozen {
    /// What the function did with `stand_ins` for these tensors, when it gave `results`.
    pub(super) fn new(
        args: &[&Tensor],
        models: &[&ModelCore],
        stand_ins: &[Tensor],
        results: &[Tensor],
        tracing: &Tracing,
    ) -> Result<Frozen> {
        let (steps, places) = traced(results);
        let stores: Vec<Arc<Store>> = models.iter().map(|model| model.store()).collect();
        let input = |tensor: &Tensor, may_be_batch| TraceInput {
            dtype: tensor.dtype(),
            shape: tensor.shape().into(),
            may_be_batch,
        };
        let mut found =
            FoundSources { stand_ins, stores: &stores, tracing, own: Vec::new(), held: Vec::new(), is_whole: true };
        let mut list = Vec::with_capacity(steps.len());
        let mut numbers = Vec::new();
        for TracedStep { work, draws, sources, dtype } in steps {
            match &work {
                TensorWork::Layer { seed, .. } if draws => numbers.push(FrozenNumber::Draw(*seed as usize)),
                work => numbers.extend(work.scalars(dtype).into_iter().map(FrozenNumber::Is)),
            }
            let sources = sources.iter().map(|source| found.place(source)).collect::<Result<_>>()?;
            list.push(TraceStep { work, sources, dtype, value: StepValue::Inner });
        }
        let places: Vec<Place> = places.iter().map(|place| found.place(place)).collect::<Result<_>>()?;
        let FoundSources { own, held, is_whole, .. } = found;
        let mut inputs: Vec<TraceInput> = args.iter().map(|arg| input(arg, true)).collect();
        inputs.extend(held.iter().cloned().map(|held| input(&Tensor::from_held(held), false)));
        let batch = trace::batch(inputs.iter());
        let mut trace = Trace { name: name(&list), gives: TraceResult::Values, inputs, steps: list, batch };
        let known_args: Vec<Tensor> = args.iter().map(|arg| arg.held()).chain(held).map(Tensor::from_held).collect();
        let known_args: Vec<&Tensor> = known_args.iter().collect();
        let mut known_results = Vec::with_capacity(places.len());
        for place in places {
            known_results.push(match place {
                Place::Input(position) => FrozenResult::Input(position),
                Place::Step(step) => {
                    trace.steps[step].value = StepValue::Result;
                    let graph = graph(&trace)?;
                    trace.steps[step].value = StepValue::Inner;
                    FrozenResult::Step(step, Arc::new(KnownWork::of_arguments(graph, &known_args)))
                }
            });
        }
        let traced = Arc::new(TracedWork::new(trace, args.len()));
        let draws = tracing.draws.iter().map(|core| {
            let position = models.iter().position(|model| model.id() == *core);
            position.ok_or_else(|| refused("a layer that draws random numbers".to_owned()))
        });
        let is_number =
            |number: &FrozenNumber| if let FrozenNumber::Is(scalar) = number { Some(*scalar) } else { None };
        let scalars: Option<Vec<Scalar>> = numbers.iter().map(is_number).collect();
        Ok(Frozen {
            traced,
            trains: own.iter().any(|own| matches!(own, OwnSource::Parameter { is_tracked: true, .. })),
            own,
            results: known_results,
            numbers,
            scalars: scalars.map(Arc::from),
            draws: draws.collect::<Result<_>>()?,
            is_whole: is_whole && !tracing.is_cut,
        })
    }

    /// What it gives of these, to be computed when it is needed. `None` where the function is to be called instead, whose gradients
    /// are not those of its operations.
    pub(super) fn call(
        &self,
        args: &[&Tensor],
        models: &[&ModelCore],
        caller: &'static Location<'static>,
    ) -> Result<Option<Vec<Tensor>>> {
        let is_tracked = (self.trains && !cut::is_paused()) || note::is_tracked(args.iter().map(|arg| arg.history()));
        if is_tracked && !self.is_whole {
            return Ok(None);
        }
        let stores: SmallVec<[Arc<Store>; 2]> = models.iter().map(|model| model.store()).collect();
        let own = |own: &OwnSource| match own {
            OwnSource::Parameter { model, index, is_tracked } => parameter(&stores[*model], *index, *is_tracked),
            OwnSource::View { model, is_parameter, index, like } => {
                let store = &stores[*model];
                let entry = &if *is_parameter { store.parameters() } else { store.states() }[*index];
                Tensor::from_region(entry.region.clone(), like.shape.clone(), like.dtype, like.device.clone())
            }
            OwnSource::Constant(held) => Tensor::from_held(held.clone()),
        };
        let own: SmallVec<[Tensor; 8]> = self.own.iter().map(own).collect();
        let tensors: SmallVec<[&Tensor; 8]> = args.iter().copied().chain(&own).collect();
        let seeds: SmallVec<[Scalar; 4]> = self.draws.iter().map(|model| models[*model].next_seed()).collect();
        let scalars = self.scalars.clone().unwrap_or_else(|| {
            let number = |number: &FrozenNumber| match number {
                FrozenNumber::Is(scalar) => *scalar,
                FrozenNumber::Draw(draw) => seeds[*draw],
            };
            self.numbers.iter().map(number).collect()
        });
        let mut works: SmallVec<[(TensorWork, &Arc<KnownWork>); 2]> = SmallVec::new();
        for result in &self.results {
            if let FrozenResult::Step(step, known) = result {
                let (traced, scalars) = (self.traced.clone(), scalars.clone());
                works.push((TensorWork::Traced { traced, step: *step, scalars }, known));
            }
        }
        let mut computed = carry_out_all(&works, &tensors, caller)?.into_iter();
        let result = |result: &FrozenResult| match result {
            FrozenResult::Step(..) => computed.next(),
            FrozenResult::Input(position) => Some(tensors[*position].clone()),
        };
        Ok(self.results.iter().map(result).collect())
    }
}

/// Where what steps are of is, while it is looked for.
struct FoundSources<'a> {
    stand_ins: &'a [Tensor],
    stores: &'a [Arc<Store>],
    tracing: &'a Tracing,
    own: Vec<OwnSource>,
    /// As the function had them.
    held: Vec<Held>,
    is_whole: bool,
}

impl FoundSources<'_> {
    fn place(&mut self, source: &TracedSource) -> Result<Place> {
        let held = match source {
            TracedSource::Step(step) => return Ok(Place::Step(*step)),
            TracedSource::Held(held) => held,
        };
        if let Some(position) = self.stand_ins.iter().position(|own| own.value().is_same(&held.value)) {
            return Ok(Place::Input(position));
        }
        let region = held.value.region()?;
        let same = |known: &Held| {
            known.value.in_memory().is_some_and(|known| known.id() == region.id())
                && known.shape == held.shape
                && known.dtype == held.dtype
        };
        let position = match self.held.iter().position(same) {
            Some(position) => position,
            None => {
                self.own.push(self.own(held, region)?);
                self.held.push(held.clone());
                self.held.len() - 1
            }
        };
        if let OwnSource::View { is_parameter: true, model, index, .. } = &self.own[position] {
            // Its gradient would have to find the way back.
            self.is_whole &= !self.tracing.is_tracked(self.stores[*model].id(), *index);
        }
        Ok(Place::Input(self.stand_ins.len() + position))
    }

    fn own(&self, held: &Held, region: &BufferHandle) -> Result<OwnSource> {
        for (model, store) in self.stores.iter().enumerate() {
            let find = |entries: &[StoredTensor]| entries.iter().position(|entry| entry.region.id() == region.id());
            if let Some(index) = find(store.parameters()) {
                if store.parameters()[index].shape == held.shape {
                    let is_tracked = self.tracing.is_tracked(store.id(), index);
                    return Ok(OwnSource::Parameter { model, index, is_tracked });
                }
                return Ok(OwnSource::View { model, is_parameter: true, index, like: held.clone() });
            }
            if let Some(index) = find(store.states()) {
                return Ok(OwnSource::View { model, is_parameter: false, index, like: held.clone() });
            }
        }
        if region.changes() {
            return Err(refused(format!("a tensor of a model, {} {:?},", held.dtype, held.shape)));
        }
        Ok(OwnSource::Constant(held.clone()))
    }
}

/// The graph of the step whose value is asked for: one for every batch, where it has one.
fn graph(trace: &Trace) -> Result<netcl_kernels::graph::Graph> {
    let wrong = |diagnostic| Error::graph(&trace.name, diagnostic);
    let found = if trace.batch.is_some() { trace.graph(true).map_err(wrong)? } else { None };
    let found = found.map_or_else(|| trace.graph(false).map_err(wrong), |graph| Ok(Some(graph)))?;
    found.ok_or_else(|| wrong(Diagnostic::new("it has no graph")))
}

/// After its operations.
fn name(steps: &[TraceStep]) -> String {
    trace::name(steps.iter().map(|step| step.work.name()))
}

fn refused(what: String) -> Error {
    let problem =
        format!("{what} is used by the function and is none of its arguments; give it the model as an argument");
    Error::Mismatch { operation: "compile".to_owned(), problem }
}
