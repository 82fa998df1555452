//! One layer at run time.

use crate::autograd::autocast;
use crate::autograd::cut;
use crate::autograd::known::{self, DerivativeFlow, KnownWork};
use crate::autograd::note::{self, Noted};
use crate::autograd::record::{Behind, CutKind, History, LeafKey, RecordSource};
use crate::autograd::tracer;
use crate::autograd::work::{BATCH, ConfiguredLayer, LayerValue, TensorWork, in_precision};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::executor::Call;
use crate::memory::before_late_writes;
use crate::model::core::{parameter, view};
use crate::model::store::Store;
use crate::model::{Model, ModelCore, Schema, Seed};
use crate::tensor::{Mistake, Operand, Tensor, carry_out, carry_out_with_changes, shown};
use netcl_hal::device::scalar::Scalar;
use netcl_kernels::dim::{Dim, Shape};
use netcl_kernels::dtype::DType;
use netcl_kernels::graph::build::Builder;
use netcl_kernels::graph::{Graph, InputKind, NodeId, Op, OutputKind};
use netcl_kernels::layers::{self, Config, ConfigValue, Mode, TensorSpec};
use netcl_kernels::span::{Diagnostic, Span};
use smallvec::SmallVec;
use std::cell::Cell;
use std::panic::Location;
use std::sync::{Arc, PoisonError};

/// A layer: its declaration, its configuration, and its tensors in a [`ModelCore`].
///
/// ```
/// use netcl::{Device, Seed, nn::{ConfigValue, Layer}};
/// let device = Device::null(netcl::Target::Gpu, u64::MAX);
/// let settings = [("inputs", ConfigValue::Size(4)), ("outputs", ConfigValue::Size(3))];
/// let layer = Layer::new(&device, Seed(1), "Linear", &settings)?;
/// assert_eq!(layer.core().parameters().len(), 2);
/// # Ok::<(), netcl::Error>(())
/// ```
///
/// It is a model of its own, which optimizers step, or a part of one.
#[derive(Clone)]
pub struct Layer {
    layer: Arc<ConfiguredLayer>,
    core: ModelCore,
    /// Empty, or with a trailing dot.
    prefix: String,
    /// Where its tensors are in the memory, in their order.
    places: Arc<[TensorPlace]>,
    /// What it computes with in place of its parameters, by their positions among all of the memory.
    replaced: Arc<[(usize, Tensor)]>,
}

/// What is said of a layer at other parameters whose states cannot wait.
const AT_ONCE: &str = "layers of `with_parameters` compute where what is called waits; call those that change states in `Mode::Inference` \
                       in a recording and with `NETCL_EAGER`, or on tensors of the network's device";

/// Which of a model's tensors it is.
#[derive(Clone, Copy)]
enum TensorPlace {
    Parameter(usize),
    State(usize),
}

impl Layer {
    /// A layer of that type with memory of its own; settings left out take their defaults.
    ///
    /// # Errors
    ///
    /// If there is no such layer, or the settings are not what it takes: all mistakes at once.
    pub fn new(device: &Device, seed: Seed, name: &str, settings: &[(&str, ConfigValue)]) -> Result<Layer> {
        let (declaration, config) = configure(name, settings)?;
        let mut schema = Schema::new();
        for spec in (declaration.tensors)(&config) {
            schema.add(spec.name, spec.fixed().map_err(|diagnostic| Error::graph(name, diagnostic))?);
        }
        Layer::with(ModelCore::new(device, seed, &schema)?, String::new(), declaration, config)
    }

    /// The layer of that type whose tensors a model has under `prefix` (see [`Schema::add_layer`]).
    ///
    /// # Errors
    ///
    /// As [`Layer::new`]; also if the model does not have its tensors.
    pub fn of(core: &ModelCore, prefix: &str, name: &str, settings: &[(&str, ConfigValue)]) -> Result<Layer> {
        let (declaration, config) = configure(name, settings)?;
        Layer::with(core.clone(), format!("{prefix}."), declaration, config)
    }

    pub(super) fn with(
        core: ModelCore,
        prefix: String,
        declaration: &'static layers::Layer,
        config: Config,
    ) -> Result<Layer> {
        Layer::configured(core, prefix, Arc::new(ConfiguredLayer::new(declaration, config)))
    }

    fn configured(core: ModelCore, prefix: String, layer: Arc<ConfiguredLayer>) -> Result<Layer> {
        let store = core.store();
        let place = |spec: &TensorSpec<Dim>| {
            core.tensor_of(&prefix, spec.name)?;
            Ok(match spec.trainable {
                true => TensorPlace::Parameter(store.parameter_index(&prefix, spec.name)?),
                false => TensorPlace::State(store.state_index(&prefix, spec.name)?),
            })
        };
        let places = layer.specs.iter().map(place).collect::<Result<_>>()?;
        Ok(Layer { layer, core, prefix, places, replaced: Arc::default() })
    }

    /// The same layer with its tensors, which are as many in the same order, in other memory.
    pub(super) fn in_memory(&self, core: &ModelCore) -> Layer {
        Layer { core: core.clone(), replaced: Arc::default(), ..self.clone() }
    }

    /// The same layer, which computes with other tensors in place of parameters, by their positions among all of the memory.
    pub(super) fn with_parameters(&self, all: &[(usize, Tensor)]) -> Layer {
        let is_own = |index: usize| {
            self.places.iter().any(|place| matches!(place, TensorPlace::Parameter(own) if *own == index))
        };
        let replaced = all.iter().filter(|(index, _)| is_own(*index)).cloned().collect();
        Layer { replaced, ..self.clone() }
    }

    /// The memory its tensors are in.
    pub fn core(&self) -> &ModelCore {
        &self.core
    }

    /// What it computes of as many tensors as it takes: when that is needed, as of an operation. States such as running statistics are
    /// updated with it, or when somebody reads them. In training what is computed is recorded for [`Tensor::backward`]; in
    /// inference it is where an input is tracked. What is compiled for one batch size serves all of them.
    ///
    /// Where the shapes do not fit, that is the result's value ([`Tensor::check`]): the message says both sides.
    #[track_caller]
    pub fn forward(&self, inputs: &[&Tensor], mode: Mode) -> Tensor {
        let caller = Location::caller();
        if let Some(mistake) = inputs.iter().find_map(|input| input.mistake()) {
            return mistake;
        }
        self.run(inputs, mode, caller)
            .unwrap_or_else(|error| not_computed(&self.core, &self.said(), inputs, caller, error))
    }

    /// What an error calls it: which one of a network's layers, as their declaration has it, `encoder.hidden: Linear`.
    fn said(&self) -> String {
        let name = self.layer.declaration.name;
        match self.prefix.strip_suffix('.') {
            Some(path) => format!("{path}: {name}"),
            None => name.to_owned(),
        }
    }

    fn run(&self, inputs: &[&Tensor], mode: Mode, caller: &'static Location<'static>) -> Result<Tensor> {
        let store = self.core.store();
        // Of other devices' tensors and of none the call says what is wrong.
        let fits = !inputs.is_empty() && inputs.iter().all(|input| input.device() == store.device());
        if !fits {
            return self.run_now(&store, inputs, mode, caller);
        }
        if tracer::is_active() {
            return self.traced(&store, inputs, mode, caller);
        }
        if self.layer.changes_states(mode) {
            return match self.note_changes(&store, inputs, mode, caller)? {
                Some(result) => Ok(result),
                None => self.run_now(&store, inputs, mode, caller),
            };
        }
        let is_tracked = self.is_tracked(inputs, mode);
        let own = self.own(&store, is_tracked);
        let tensors: SmallVec<[&Tensor; 6]> = inputs.iter().copied().chain(&own).collect();
        let known = self.known_value(inputs, &tensors, mode, LayerValue::Result)?;
        // What draws nothing does not move the stream on: evaluating between steps changes no dropout.
        let seed = match known.reads_number.then(|| self.core.next_seed()) {
            Some(Scalar::U32(drawn)) => drawn,
            _ => 0,
        };
        let result = carry_out(self.work(mode, seed, LayerValue::Result), &known, &tensors, caller)?;
        Ok(self.cut_where_paused(result, inputs))
    }

    /// What is noted of a function that is compiled.
    fn traced(
        &self,
        store: &Arc<Store>,
        inputs: &[&Tensor],
        mode: Mode,
        caller: &'static Location<'static>,
    ) -> Result<Tensor> {
        let trains = mode == Mode::Training;
        tracer::note(|tracing| {
            // Other tensors in place of parameters may be others at the next call.
            tracing.as_it_stands |= self.layer.changes_states(mode) || !self.replaced.is_empty();
            // There are gradients in its parameters where there are some in its input.
            tracing.is_cut |= !trains && self.layer.specs.iter().any(|spec| spec.trainable);
        });
        let own = self.own(store, trains);
        let tensors: Vec<&Tensor> = inputs.iter().copied().chain(&own).collect();
        let known = self.known_value(inputs, &tensors, mode, LayerValue::Result)?;
        // Its number among those that draw.
        let draw = known.reads_number.then(|| {
            tracer::note(|tracing| {
                tracing.draws.push(self.core.id());
                tracing.draws.len() - 1
            })
        });
        let draw = draw.flatten().unwrap_or_default() as u32;
        carry_out(self.work(mode, draw, LayerValue::Result), &known, &tensors, caller)
    }

    fn work(&self, mode: Mode, seed: u32, gives: LayerValue) -> TensorWork {
        TensorWork::Layer { layer: self.layer.clone(), mode, seed, gives, precision: autocast::current() }
    }

    /// One of its values, of these tensors: its inputs and its own.
    fn known_value(
        &self,
        inputs: &[&Tensor],
        tensors: &[&Tensor],
        mode: Mode,
        gives: LayerValue,
    ) -> Result<Arc<KnownWork>> {
        let key = self.work(mode, 0, gives).key(None, None);
        known::find_or_make(tensors[0].device(), key, tensors, || {
            Ok(KnownWork::of_arguments(self.portable(inputs, mode, Own::Arguments(gives))?, tensors))
        })
    }

    /// Notes what it computes and what its states become; `None` where that cannot wait.
    fn note_changes(
        &self,
        store: &Arc<Store>,
        inputs: &[&Tensor],
        mode: Mode,
        caller: &'static Location<'static>,
    ) -> Result<Option<Tensor>> {
        // An input may be a state.
        inputs.iter().try_for_each(|input| input.settled())?;
        let is_tracked = self.is_tracked(inputs, mode);
        // From reading the states to noting what they become no other call does the same.
        let _turn = store.turn().lock().unwrap_or_else(PoisonError::into_inner);
        let mut states = store.late_states().hold();
        let mut own = self.own(store, is_tracked);
        let mut places = Vec::new();
        for (position, place) in self.places.iter().enumerate() {
            let &TensorPlace::State(place) = place else { continue };
            if let Some(value) = states.value(place) {
                own[position] = Tensor::from_held(value.clone());
            }
            places.push((position, place));
        }
        let tensors: Vec<&Tensor> = inputs.iter().copied().chain(&own).collect();
        let known = self.known_value(inputs, &tensors, mode, LayerValue::Result)?;
        let change = |&(position, _): &(usize, usize)| {
            let gives = LayerValue::State(position);
            Ok((self.work(mode, 0, gives), self.known_value(inputs, &tensors, mode, gives)?))
        };
        let changes: Vec<(TensorWork, Arc<KnownWork>)> = places.iter().map(change).collect::<Result<_>>()?;
        let work = self.work(mode, 0, LayerValue::Result);
        let noted = before_late_writes(|| carry_out_with_changes((work, &known), &changes, &tensors, caller))?;
        let Some((result, changes)) = noted else { return Ok(None) };
        for ((_, place), change) in places.into_iter().zip(changes) {
            states.note(place, &store.states()[place].region, change.held);
        }
        Ok(Some(self.cut_where_paused(result, inputs)))
    }

    /// Computes it now, on the model's memory: what changes states and cannot wait.
    fn run_now(
        &self,
        store: &Arc<Store>,
        inputs: &[&Tensor],
        mode: Mode,
        caller: &'static Location<'static>,
    ) -> Result<Tensor> {
        let name = self.layer.declaration.name;
        if !self.replaced.is_empty() {
            return Err(Error::Mismatch { operation: name.to_owned(), problem: AT_ONCE.to_owned() });
        }
        let work = self.work(mode, 0, LayerValue::Result);
        let known = known::find_or_make(store.device(), work.key(None, None), inputs, || self.known(inputs, mode))?;
        let noted = self.noted(store, inputs, mode, &known.flow, caller)?;
        let seed = Cell::new(0);
        let draw = || {
            let scalar = self.core.next_seed();
            if let Scalar::U32(drawn) = scalar {
                seed.set(drawn);
            }
            scalar
        };
        let call =
            Call { args: inputs, model: Some((store, self.prefix.as_str())), seed: Some(&draw), ..Call::default() };
        let mut results = known.loaded(store.device(), || Ok(None))?.call(store.device(), &call)?.results;
        let result = results.pop().ok_or_else(|| Error::graph(name, Diagnostic::new("it has no result")))?;
        match noted {
            Some(noted) => Ok(noted.result((self.work(mode, seed.get(), LayerValue::Result), known.number), result)),
            None => Ok(self.cut_where_paused(result, inputs)),
        }
    }

    /// Its graph, of inputs of these types and shapes. One for every batch size: the leading axis is a symbol, where the layer takes one.
    fn portable(&self, inputs: &[&Tensor], mode: Mode, own: Own) -> Result<Graph> {
        let batch = inputs.first().and_then(|input| input.shape().first().copied()).filter(|&size| size > 1);
        let symbolic = batch.and_then(|size| self.graph(inputs, mode, own, Some(size)).ok());
        symbolic
            .map_or_else(|| self.graph(inputs, mode, own, None), Ok)
            .map_err(|diagnostic| Error::graph(self.layer.declaration.name, diagnostic))
    }

    /// It, of inputs of these types and shapes, on the model's memory.
    fn known(&self, inputs: &[&Tensor], mode: Mode) -> Result<KnownWork> {
        let graph = self.portable(inputs, mode, Own::Model)?;
        let specs = &self.layer.specs;
        let place = |op: &Op, name: &str| match op {
            Op::Input(InputKind::Argument(position)) => Some(*position),
            Op::Input(InputKind::Parameter | InputKind::State) => {
                specs.iter().position(|spec| spec.name == name).map(|position| inputs.len() + position)
            }
            _ => None,
        };
        let flow = DerivativeFlow::of(&graph, inputs.len() + specs.len(), place);
        Ok(KnownWork::new(graph, flow, inputs))
    }

    /// Whether a call is to be recorded for gradients.
    fn is_tracked(&self, inputs: &[&Tensor], mode: Mode) -> bool {
        let trains = mode == Mode::Training && self.layer.specs.iter().any(|spec| spec.trainable) && !cut::is_paused();
        let replaced = self.replaced.iter().map(|(_, tensor)| tensor);
        trains || note::is_tracked(inputs.iter().copied().chain(replaced).map(Tensor::history))
    }

    /// Its tensors, in which there are gradients if that is said, as far as they are trained.
    fn own(&self, store: &Arc<Store>, is_tracked: bool) -> SmallVec<[Tensor; 4]> {
        let tensor = |place: &TensorPlace| match *place {
            TensorPlace::Parameter(index) => match self.replaced.iter().find(|(replaced, _)| *replaced == index) {
                Some((_, tensor)) => tensor.clone(),
                None => parameter(store, index, is_tracked),
            },
            TensorPlace::State(index) => view(store, &store.states()[index]),
        };
        self.places.iter().map(tensor).collect()
    }

    /// What is noted of a call, if it is to be recorded.
    fn noted(
        &self,
        store: &Arc<Store>,
        inputs: &[&Tensor],
        mode: Mode,
        flow: &DerivativeFlow,
        caller: &'static Location<'static>,
    ) -> Result<Option<Noted>> {
        if !self.is_tracked(inputs, mode) {
            return Ok(None);
        }
        let own = self.own(store, true);
        let tensors: Vec<&Tensor> = inputs.iter().copied().chain(&own).collect();
        let sources = tensors.iter().map(|tensor| RecordSource::of(tensor)).collect();
        Noted::new(self.layer.declaration.name, flow, sources, &tensors, inputs.len(), caller).map(Some)
    }

    /// The result, in `no_grad` with what it would have been recorded of.
    fn cut_where_paused(&self, result: Tensor, inputs: &[&Tensor]) -> Tensor {
        if cut::is_paused() { result.with_history(self.paused(inputs)) } else { result }
    }

    /// What is said of a result inside of `no_grad`.
    fn paused(&self, inputs: &[&Tensor]) -> Option<History> {
        let store = self.core.store();
        let own = &self.layer.specs;
        let index = |name: &str| store.parameter_index(&self.prefix, name).ok();
        let keys = own.iter().filter_map(|spec| Some(LeafKey::Parameter(store.id(), index(spec.name)?)));
        let mut behind: Vec<Behind> = keys.map(|key| Behind::Leaf(key, None)).collect();
        let replaced = self.replaced.iter().map(|(_, tensor)| tensor);
        behind.extend(inputs.iter().copied().chain(replaced).filter_map(|tensor| tensor.history()?.behind()));
        (!behind.is_empty()).then(|| History::Cut(cut::new(("no_grad", CutKind::Meant), None, behind)))
    }

    /// Of inputs of these shapes; leading axes of the size `batch` are a symbol.
    fn graph(&self, inputs: &[&Tensor], mode: Mode, own: Own, batch: Option<usize>) -> Result<Graph, Diagnostic> {
        let ConfiguredLayer { declaration, specs, .. } = &*self.layer;
        let mut builder = Builder::new(declaration.name);
        let mut nodes = Vec::with_capacity(inputs.len());
        for (position, tensor) in inputs.iter().enumerate() {
            let name = if inputs.len() == 1 { "x".to_owned() } else { format!("x{position}") };
            let mut shape = Shape::of(tensor.shape());
            if let (Some(batch), Some(first)) = (batch, shape.0.first_mut())
                && first.is(batch as i64)
            {
                *first = Dim::symbol(BATCH);
            }
            nodes.push(builder.input(InputKind::Argument(position), &name, shape, tensor.dtype()));
        }
        let tensors: Vec<NodeId> = specs
            .iter()
            .enumerate()
            .map(|(position, spec)| {
                let kind = match own {
                    Own::Arguments(_) => InputKind::Argument(inputs.len() + position),
                    Own::Model if spec.trainable => InputKind::Parameter,
                    Own::Model => InputKind::State,
                };
                builder.input(kind, spec.name, Shape(spec.shape.clone()), spec.dtype)
            })
            .collect();
        let seed = builder.input(InputKind::Scalar(0), "seed", Shape::scalar(), DType::U32);
        if let Own::Arguments(gives) = own {
            let value = in_precision(&mut builder, autocast::current(), |builder| {
                self.layer.value(builder, mode, (&nodes, &tensors), seed, gives)
            })?;
            builder.output(OutputKind::Result(0), value);
            return Ok(builder.finish());
        }
        let (result, updates) = in_precision(&mut builder, autocast::current(), |builder| {
            self.layer.build(builder, mode, &nodes, &tensors, seed)
        })?;
        builder.output(OutputKind::Result(0), result);
        for (position, value) in updates {
            builder.output(OutputKind::State(specs[position].name.to_owned()), value);
        }
        Ok(builder.finish())
    }
}

/// What a layer's tensors are in its graph.
#[derive(Clone, Copy)]
enum Own {
    /// Arguments after its inputs; one of its values is computed.
    Arguments(LayerValue),
    /// Its model's parameters and states.
    Model,
}

impl Model for Layer {
    fn core(&self) -> &ModelCore {
        &self.core
    }

    fn core_mut(&mut self) -> &mut ModelCore {
        &mut self.core
    }

    fn prefix(&self) -> &str {
        &self.prefix
    }

    fn is_at_other_parameters(&self) -> bool {
        !self.replaced.is_empty()
    }

    fn with_memory(&self, memory: ModelCore) -> Result<Layer> {
        let copy = Layer::configured(memory, String::new(), self.layer.clone())?;
        for (index, tensor) in self.replaced.iter() {
            let store = self.core.store();
            let path = &store.parameters()[*index].path;
            copy.core.set_tensor(path.strip_prefix(&self.prefix).unwrap_or(path), tensor)?;
        }
        Ok(copy)
    }
}

impl std::fmt::Debug for Layer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut shown = f.debug_struct(self.layer.declaration.name);
        shown.field("config", &self.layer.config).field("prefix", &self.prefix).field("core", &self.core).finish()
    }
}

/// What a layer gives that cannot be computed of these inputs.
pub(super) fn not_computed(
    core: &ModelCore,
    layer: &str,
    inputs: &[&Tensor],
    caller: &'static Location<'static>,
    error: Error,
) -> Tensor {
    let operands: Vec<Operand<'_>> = inputs.iter().map(|input| Operand::Tensor(input)).collect();
    let mistake = Mistake::new(layer, shown(&operands), caller, error);
    match inputs.first() {
        Some(input) => Tensor::of_mistake(input.shape(), input.dtype(), input.device(), mistake),
        None => Tensor::of_mistake(&[], DType::F32, &core.device(), mistake),
    }
}

pub(super) fn configure(name: &str, settings: &[(&str, ConfigValue)]) -> Result<(&'static layers::Layer, Config)> {
    let declaration = layers::find(name).ok_or_else(|| {
        let known: Vec<&str> = layers::all().iter().map(|layer| layer.name).collect();
        let diagnostic =
            Diagnostic::new(format!("there is no layer `{name}`")).hint(format!("layers: {}", known.join(", ")));
        Error::Graph { operation: "Layer::new".to_owned(), diagnostic }
    })?;
    let pairs: Vec<(&str, ConfigValue, Span)> =
        settings.iter().map(|(key, value)| (*key, value.clone(), Span::NONE)).collect();
    let config = Config::from_pairs(declaration, &pairs).map_err(|diagnostics| {
        let messages: Vec<String> = diagnostics.iter().map(ToString::to_string).collect();
        Error::graph(name, Diagnostic::new(messages.join("\n")))
    })?;
    Ok((declaration, config))
}
