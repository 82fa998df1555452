//! Functions compiled by the macros: plans as text, one for each kind of device, loaded on first use.

mod compiled;
mod composed;
mod instance;
mod open;
pub(crate) mod prepare;
mod pullback;

use crate::autograd::{autocast, cut, note, tracer, trained};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::executor::{Call, GraphSource, Loaded, Recompile, verified};
use crate::memory::BufferHandle;
use crate::model::core::{ModelCore, call_seed};
use crate::model::gradients::Gradients;
use crate::tensor::Tensor;
use compiled::FunctionTable;
use composed::{ComposedCall, ComposedFunction, WhenRecorded};
pub use instance::{NamedInstance, PlainArgument};
use netcl_hal::device::dispatch::Native;
use netcl_hal::device::scalar::Scalar;
use netcl_kernels::compile::compile;
use netcl_kernels::dtype::DType;
use netcl_kernels::graph::Graph;
use netcl_kernels::plan::verify::VerifiedPlan;
use netcl_kernels::plan::{Plan, Target, embed};
use netcl_kernels::precision::Precision;
pub use open::OpenFunction;
pub use pullback::{DifferentiableTwice, Pullback};
use smallvec::SmallVec;
use std::panic::Location;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

/// One plan, as the macro embeds it.
pub struct PlanSource {
    /// `host`, `cpu` or `gpu`: [`Target::name`].
    pub target: &'static str,
    /// The [`Plan`] as JSON, which a mark may precede: [`embed::json`].
    pub json: &'static str,
}

/// A function, as the macro embeds it.
pub struct FunctionSource {
    /// As the user wrote it: `Mlp::forward`.
    pub name: &'static str,
    /// The text form of the graph that the plans were made from, so that it can be compiled again with other kernels.
    /// Empty where it is not known: the plans are run as they are.
    pub graph: &'static str,
    /// One for each target.
    pub plans: &'static [PlanSource],
}

/// A compiled function.
///
/// Scalar 0 of its plans is the random seed (`U32`), which the function supplies itself; the caller's follow.
pub struct Function {
    source: FunctionOrigin,
    plans: [OnceLock<VerifiedPlan>; 3],
    /// Of the host's plan, from [`Function::with_native`] on.
    native: OnceLock<Native>,
    /// Under which devices keep it, from its first use on.
    number: OnceLock<usize>,
    /// Calls without a model that drew random numbers.
    calls: AtomicU64,
    /// As an operation; `None` where it cannot be one.
    composed: OnceLock<Option<Arc<ComposedFunction>>>,
}

/// What a function is made from.
enum FunctionOrigin {
    /// Plans that a macro has embedded.
    Embedded(&'static FunctionSource),
    /// A graph whose sizes have become numbers at run time, and the function's name.
    Graph(String, Arc<Graph>),
}

impl Function {
    /// Of that source; nothing is parsed yet.
    pub const fn new(source: &'static FunctionSource) -> Function {
        Function::of(FunctionOrigin::Embedded(source))
    }

    /// `all` with the native code of the loop kernels of each one's plan for the host, by their positions there.
    ///
    /// Not part of their sources: rustc compiles what a static names, whether or not anybody uses it, and the code of a function
    /// that nobody calls would take as long as that of others.
    pub fn with_native(all: &'static [Function], native: &[Native]) -> &'static [Function] {
        // The first one last: who finds it there finds all.
        if all.first().is_some_and(|function| function.native.get().is_none()) {
            for (function, native) in all.iter().zip(native).rev() {
                function.native.get_or_init(|| native);
            }
        }
        all
    }

    /// Of a graph, which is compiled for each kind of device that it is called on.
    fn from_graph(name: String, graph: Graph) -> Function {
        Function::of(FunctionOrigin::Graph(name, Arc::new(graph)))
    }

    const fn of(source: FunctionOrigin) -> Function {
        Function {
            source,
            plans: [const { OnceLock::new() }; 3],
            native: OnceLock::new(),
            number: OnceLock::new(),
            calls: AtomicU64::new(0),
            composed: OnceLock::new(),
        }
    }

    /// Runs it: the results by position. Where arguments are tracked, or the model's parameters are, it is recorded.
    ///
    /// `core` is the model's memory and `prefix` where in it the function's paths start; both are left out for
    /// functions without a model.
    ///
    /// # Errors
    ///
    /// [`Error::ArgumentCount`], [`Error::Argument`], [`Error::Size`], [`Error::Sizes`] and [`Error::DeviceMismatch`] if the arguments are
    /// not those of the function; [`Error::OutOfMemory`]; [`Error::Build`] and [`Error::Driver`] if the driver fails.
    #[track_caller]
    pub fn call(
        &self,
        core: Option<&ModelCore>,
        prefix: &str,
        args: &[&Tensor],
        scalars: &[Scalar],
    ) -> Result<Vec<Tensor>> {
        self.note();
        let trains = core.is_some_and(trained::is_trained);
        let is_tracked = trains || note::is_tracked(args.iter().map(|arg| arg.history()));
        self.call_in(
            (core, prefix),
            args,
            scalars,
            (is_tracked && !tracer::is_active()).then_some(WhenRecorded::Tracked { trains }),
        )
    }

    /// The same of a gradient, whose derivative is another one than that of its graph: it is not recorded.
    ///
    /// # Errors
    ///
    /// Those of [`Function::call`].
    pub fn call_unrecorded(&self, args: &[&Tensor], scalars: &[Scalar]) -> Result<Vec<Tensor>> {
        self.note();
        self.call_in((None, ""), args, scalars, None)
    }

    /// The same of a function that trains, by `#[mode(training)]`: it is recorded for the model's parameters.
    ///
    /// # Errors
    ///
    /// Those of [`Function::call`].
    #[track_caller]
    pub fn call_in_training(
        &self,
        core: &ModelCore,
        prefix: &str,
        args: &[&Tensor],
        scalars: &[Scalar],
    ) -> Result<Vec<Tensor>> {
        self.note();
        let is_recorded = !cut::is_paused() && !tracer::is_active();
        self.call_in((Some(core), prefix), args, scalars, is_recorded.then_some(WhenRecorded::Tracked { trains: true }))
    }

    /// The same of a function with `#[netcl::dynamic]`, which waits for what needs it, as operations do, and of one that also
    /// `trains`.
    ///
    /// # Errors
    ///
    /// Those of [`Function::call`]; what running it meets is told where a result is needed.
    #[track_caller]
    pub fn call_recorded(
        &self,
        trains: bool,
        core: Option<&ModelCore>,
        prefix: &str,
        args: &[&Tensor],
        scalars: &[Scalar],
    ) -> Result<Vec<Tensor>> {
        let trains = (trains && !cut::is_paused()) || core.is_some_and(trained::is_trained);
        self.call_in((core, prefix), args, scalars, Some(WhenRecorded::Always { trains }))
    }

    /// Runs it, or has it recorded.
    #[track_caller]
    fn call_in(
        &self,
        (core, prefix): (Option<&ModelCore>, &str),
        args: &[&Tensor],
        scalars: &[Scalar],
        recorded: Option<WhenRecorded>,
    ) -> Result<Vec<Tensor>> {
        let device = self.device(core, args)?;
        let converted = self.converted(&device, args)?;
        let args = &*lent(&converted, args);
        let store = core.map(ModelCore::store);
        let load = || self.loaded(&device);
        if let Some(recorded) = recorded
            && let Some(composed) = self.composed()?
        {
            let draw = || self.seed(core);
            let call = ComposedCall {
                load: &load,
                device: &device,
                args,
                model: store.as_ref().map(|store| (store, prefix)),
                scalars,
                draw: &draw,
                recorded,
            };
            if let Some(results) = composed.call(&call, Location::caller())? {
                return Ok(results);
            }
        }
        let model = store.as_deref().map(|store| (store, prefix));
        let seed = || self.seed(core);
        Ok(load()?.call(&device, &Call { args, model, scalars, seed: Some(&seed), ..Call::default() })?.results)
    }

    /// Runs it, a function compiled with its gradients: the results by position, the gradients in the parameters, and
    /// the gradients in those arguments that have one, in order.
    ///
    /// # Errors
    ///
    /// Those of [`Function::call`].
    pub fn call_with_gradients(
        &self,
        core: &ModelCore,
        prefix: &str,
        args: &[&Tensor],
        scalars: &[Scalar],
    ) -> Result<(Vec<Tensor>, Gradients, Vec<Tensor>)> {
        self.note();
        let device = core.device();
        let loaded = self.loaded(&device)?;
        let converted = self.converted(&device, args)?;
        let args = &*lent(&converted, args);
        let store = core.store();
        let buffer = store.gradient_buffer()?;
        // Untouched buffers may come from an earlier call with another function.
        if !loaded.needs_model() {
            buffer.prepare(0, &Arc::from([]))?;
        }
        let call = Call {
            args,
            model: Some((&*store, prefix)),
            scalars,
            seed: Some(&|| core.next_seed()),
            gradients: Some(&buffer),
            ..Call::default()
        };
        let outputs = loaded.call(&device, &call)?;
        let argument_gradients = outputs.argument_gradients.into_iter().flatten().collect();
        Ok((outputs.results, Gradients::new(store, buffer), argument_gradients))
    }

    /// Runs it: result `i` takes the memory of the argument `taken[i]`, which it has been changed in, or new memory. No other tensor
    /// has the memory of such an argument: see [`crate::__private::taken`].
    ///
    /// # Errors
    ///
    /// Those of [`Function::call`].
    pub fn call_in_place(&self, args: &[&Tensor], scalars: &[Scalar], taken: &[Option<usize>]) -> Result<Vec<Tensor>> {
        self.note();
        let device = self.device(None, args)?;
        let loaded = self.loaded(&device)?;
        let seed = || self.seed(None);
        let call = Call { args, scalars, seed: Some(&seed), in_place: taken, ..Call::default() };
        Ok(loaded.call(&device, &call)?.results)
    }

    /// Runs it in place: result `i` overwrites the memory of `into[i]`, which may be an argument's.
    ///
    /// Right only for functions of one step in which each work-item reads what it is about to write: elementwise ones.
    pub(crate) fn call_into(
        &self,
        device: &Device,
        args: &[&Tensor],
        scalars: &[Scalar],
        into: &[BufferHandle],
    ) -> Result<()> {
        let loaded = self.loaded(device)?;
        let seed = || self.seed(None);
        loaded.call(device, &Call { args, scalars, seed: Some(&seed), into, ..Call::default() })?;
        Ok(())
    }

    /// Tells the function that is compiled around the call, if one is.
    fn note(&self) {
        tracer::note(|tracing| tracing.called = Some(self.name().to_owned()));
    }

    /// Builds its kernels for the device, unless that was done.
    pub(crate) fn prepare(&self, device: &Device) -> Result<()> {
        self.loaded(device)?.build(device)
    }

    /// The function's name.
    pub fn name(&self) -> &str {
        match &self.source {
            FunctionOrigin::Embedded(source) => source.name,
            FunctionOrigin::Graph(name, _) => name,
        }
    }

    /// The plan for a kind of device.
    ///
    /// # Errors
    ///
    /// [`Error::Plan`] if there is none for that kind of device, its text cannot be read, or it breaks a rule.
    pub fn plan(&self, target: Target) -> Result<VerifiedPlan> {
        let cell = &self.plans[target as usize];
        if let Some(plan) = cell.get() {
            return Ok(plan.clone());
        }
        let plan = match &self.source {
            FunctionOrigin::Embedded(source) => self.embedded(source, target)?,
            FunctionOrigin::Graph(name, graph) => {
                let mut plan = compile(graph, target).map_err(|diagnostic| Error::graph(name, diagnostic))?;
                plan.name.clone_from(name);
                plan
            }
        };
        let plan = verified(plan)?;
        Ok(cell.get_or_init(|| plan).clone())
    }

    /// The plan that the macro has embedded.
    fn embedded(&self, source: &FunctionSource, target: Target) -> Result<Plan> {
        let source = source.plans.iter().find(|plan| plan.target == target.name()).ok_or_else(|| Error::Plan {
            function: self.name().to_owned(),
            problem: format!("it has no plan for {} devices", target.name()),
        })?;
        let mut plan = Plan::from_json(embed::json(source.json)).map_err(|error| Error::Plan {
            function: self.name().to_owned(),
            problem: format!("its text for {} devices cannot be read: {error}", target.name()),
        })?;
        self.name().clone_into(&mut plan.name);
        if plan.target != target {
            return Err(Error::Plan {
                function: self.name().to_owned(),
                problem: format!("the plan given for {} devices is for {}", target.name(), plan.target.name()),
            });
        }
        Ok(plan)
    }

    /// The native code of the plan's loop kernels, by their positions there. Empty where there is none.
    pub fn native(&self, target: Target) -> Native {
        match target {
            Target::Host => self.native.get().copied().unwrap_or_default(),
            Target::Cpu | Target::Gpu => &[],
        }
    }

    /// As one operation; `None` where its graph is not known, or its results are gradients.
    fn composed(&self) -> Result<Option<&Arc<ComposedFunction>>> {
        if let Some(composed) = self.composed.get() {
            return Ok(composed.as_ref());
        }
        let graph = self.graph().map(|graph| graph.graph(self.name())).transpose()?;
        let composed = graph.and_then(|graph| ComposedFunction::new(self.name(), graph));
        Ok(self.composed.get_or_init(|| composed.map(Arc::new)).as_ref())
    }

    /// What its plans are made from, so that other ones can be made.
    fn graph(&self) -> Option<GraphSource> {
        match &self.source {
            FunctionOrigin::Embedded(source) => {
                Some(source.graph).filter(|text| !text.is_empty()).map(GraphSource::Text)
            }
            FunctionOrigin::Graph(_, graph) => Some(GraphSource::Graph(graph.clone())),
        }
    }

    fn device(&self, core: Option<&ModelCore>, args: &[&Tensor]) -> Result<Device> {
        let device = core.map(ModelCore::device).or_else(|| args.first().map(|arg| arg.device().clone()));
        device.ok_or_else(|| Error::ArgumentCount { function: self.name().to_owned(), expected: 1, found: 0 })
    }

    fn loaded(&self, device: &Device) -> Result<Arc<Loaded>> {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let number = *self.number.get_or_init(|| NEXT.fetch_add(1, Ordering::Relaxed));
        device.slot(FunctionTable::default).function(number, || {
            let target = device.profile().target;
            let again = self.graph().map(|graph| Recompile { graph, policy: device.kernel_policy() });
            Loaded::new(device, self.plan(target)?, self.native(target), again)
        })
    }

    /// The arguments as the types that the function declares, where they are others by the precision that is computed in here: activations
    /// are of the types that operations give them.
    #[track_caller]
    fn converted(&self, device: &Device, args: &[&Tensor]) -> Result<Vec<Tensor>> {
        let precision = autocast::current();
        if precision == Precision::F32 {
            return Ok(Vec::new());
        }
        let types: Vec<Option<DType>> = match self.composed()? {
            Some(composed) => (0..args.len()).map(|position| composed.argument(position)).collect(),
            None => {
                let loaded = self.loaded(device)?;
                (0..args.len()).map(|position| loaded.argument(position)).collect()
            }
        };
        let of_type = |(arg, declared): (&&Tensor, Option<DType>)| {
            declared.map_or_else(|| (*arg).clone(), |declared| autocast::of_type(arg, declared, precision))
        };
        Ok(args.iter().zip(types).map(of_type).collect())
    }

    /// The random seed of the next call.
    fn seed(&self, core: Option<&ModelCore>) -> Scalar {
        match core {
            Some(core) => core.next_seed(),
            None => call_seed(0, self.calls.fetch_add(1, Ordering::Relaxed)),
        }
    }
}

/// Those of which there are others, else those that were given.
fn lent<'a>(converted: &'a [Tensor], args: &'a [&'a Tensor]) -> SmallVec<[&'a Tensor; 4]> {
    if converted.is_empty() { args.iter().copied().collect() } else { converted.iter().collect() }
}
