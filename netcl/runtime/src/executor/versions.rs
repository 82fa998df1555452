//! Which plan computes a function for given sizes: its own, or one that the device's selector asks for.

use crate::device::Device;
use crate::error::{Error, Result};
use crate::executor::policy::{Generation, KernelPolicy};
use crate::executor::tiers::Tier;
use crate::executor::version::{Answer, Version, verified};
use crate::geometry;
use netcl_hal::config;
use netcl_hal::recent::Recent;
use netcl_kernels::compile::{CompileOptions, compile_with};
use netcl_kernels::dim::{Bindings, Dim, IndexWidth, Shape, Symbol, saturating_product};
use netcl_kernels::graph::{Graph, text};
use netcl_kernels::plan::Plan;
use netcl_kernels::plan::requirement::Requirement;
use netcl_kernels::variant::{Defaults, KernelConfig, Select, Task, default_config};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// How many plans of one function are kept, besides its own.
const KEPT: usize = 16;

/// The graph that a plan was made from.
pub(crate) enum GraphSource {
    /// Its text form, as the macros embed it.
    Text(&'static str),
    /// Itself.
    Graph(Arc<Graph>),
}

impl GraphSource {
    /// The graph.
    pub(crate) fn graph(&self, function: &str) -> Result<Arc<Graph>> {
        match self {
            GraphSource::Graph(graph) => Ok(graph.clone()),
            GraphSource::Text(source) => {
                let graph = text::parse(source).map_err(|problem| Error::graph(function, problem))?;
                Ok(Arc::new(graph))
            }
        }
    }
}

/// How a function is compiled again with other kernels.
pub(crate) struct Recompile {
    pub(crate) graph: GraphSource,
    /// Says which.
    pub(crate) policy: Arc<dyn KernelPolicy>,
}

/// The plans of one function on one device. They do not keep the device, which keeps them.
pub(super) struct Versions {
    policy: Arc<dyn KernelPolicy>,
    graph: GraphSource,
    others: Mutex<Others>,
}

struct Others {
    versions: Recent<Arc<Version>>,
    /// What was asked for in vain while the selector knew as much, so that it is not compiled again for each set of sizes.
    vain: Vec<(Generation, Vec<Option<KernelConfig>>)>,
}

impl Versions {
    pub(super) fn new(Recompile { graph, policy }: Recompile) -> Versions {
        Versions { policy, graph, others: Mutex::new(Others { versions: Recent::new(KEPT), vain: Vec::new() }) }
    }

    /// What they are compiled from.
    pub(super) fn graph(&self, function: &str) -> Result<Arc<Graph>> {
        self.graph.graph(function)
    }

    /// While it is the same, so is the version for given sizes.
    pub(super) fn generation(&self) -> Generation {
        self.policy.generation()
    }

    /// The version for these values of the symbols: `base` unless something is known that speaks for another, which is built for
    /// that tier.
    ///
    /// # Errors
    ///
    /// [`Error::Unsupported`] if every kernel of a task is known to be wrong; what building another version than `base`
    /// meets, if `base` is known to be wrong.
    pub(super) fn version(
        &self,
        device: &Device,
        base: &Arc<Version>,
        sizes: &[u64],
        tier: Option<Tier>,
    ) -> Result<Arc<Version>> {
        let bindings: Vec<(Symbol, u64)> = base.plan.symbols.iter().cloned().zip(sizes.iter().copied()).collect();
        let width = width(&base.plan, &bindings);
        if width != base.plan.width {
            return self.of_width(device, base, width, &bindings, tier);
        }
        let to_test = base.answers.iter().filter_map(|answer| self.to_test(device, answer, &bindings));
        self.policy.test_together(device, to_test.collect());
        if self.fits(device, base, &bindings) {
            return Ok(base.clone());
        }
        // Without the lock: to ask may take a test, or wait for one.
        if let Some(version) = self.kept(device, width, &bindings) {
            return Ok(version);
        }
        let function = &base.plan.name;
        let wanted = base.answers.iter().map(|answer| self.wanted(device, function, &answer.task, &bindings));
        let asked = (self.generation(), wanted.collect::<Result<Vec<_>>>()?);
        if self.lock().vain.contains(&asked) && self.is_right(device, base) {
            return Ok(base.clone());
        }
        match self.compile(device, &base.plan, width, &bindings, tier) {
            Ok(version) => Ok(self.keep(version)),
            Err(error) if !self.is_right(device, base) => Err(error),
            Err(error) => {
                let device = &device.profile().name;
                let sizes = geometry::show(&bindings);
                tracing::warn!(function, device, sizes, %error, "kernels that were picked cannot be used; the default is");
                // Memory may be there next time.
                if !matches!(error, Error::OutOfMemory { .. }) {
                    let mut others = self.lock();
                    others.vain.retain(|(generation, _)| *generation == asked.0);
                    others.vain.push(asked);
                }
                Ok(base.clone())
            }
        }
    }

    /// The version whose kernels count as far as these sizes need, which those of `base` do not.
    fn of_width(
        &self,
        device: &Device,
        base: &Arc<Version>,
        width: IndexWidth,
        bindings: Bindings<'_>,
        tier: Option<Tier>,
    ) -> Result<Arc<Version>> {
        match self.kept(device, width, bindings) {
            Some(version) => Ok(version),
            None => Ok(self.keep(self.compile(device, &base.plan, width, bindings, tier)?)),
        }
    }

    /// One of the other versions that fits.
    fn kept(&self, device: &Device, width: IndexWidth, bindings: Bindings<'_>) -> Option<Arc<Version>> {
        let mut versions = self.lock().versions.values().to_vec();
        versions.retain(|version| version.plan.width == width);
        let version = versions.into_iter().find(|version| self.fits(device, version, bindings))?;
        self.lock().versions.find(|other| Arc::ptr_eq(other, &version));
        Some(version)
    }

    /// The version to build before any sizes are known: `base`, or, where the device cannot run that or is not to, what the
    /// compiler makes for the limits of the device. Nothing is tested or measured for it.
    ///
    /// # Errors
    ///
    /// [`Error::Graph`] and [`Error::Plan`] if the graph cannot be compiled again.
    pub(super) fn likely(&self, device: &Device, base: &Arc<Version>) -> Result<Arc<Version>> {
        let is_possible = |version: &Arc<Version>| {
            version.answers.iter().all(|answer| self.policy.is_possible(device, &answer.task.estimate(), &answer.taken))
        };
        if is_possible(base) {
            return Ok(base.clone());
        }
        if let Some(version) = self.lock().versions.values().iter().find(|version| is_possible(version)) {
            return Ok(version.clone());
        }
        let plan = self.compile_again(&base.plan, base.plan.width, &Defaults)?;
        let answers = Answer::by_rule(&plan);
        Ok(self.keep(Version::new(verified(plan)?, answers, &[])?))
    }

    /// Whether nothing is known to be wrong with the kernels of a version.
    pub(super) fn is_right(&self, device: &Device, version: &Version) -> bool {
        version.answers.iter().all(|answer| self.policy.is_right(device, &answer.task.estimate(), &answer.taken))
    }

    /// Whether a version computes every task as the selector wants it.
    fn fits(&self, device: &Device, version: &Version, bindings: Bindings<'_>) -> bool {
        version.answers.iter().all(|Answer { task, wanted, taken }| {
            match self.wanted(device, &version.plan.name, task, bindings) {
                Ok(Some(config)) => wanted.as_ref() == Some(&config) || *taken == config,
                // What the compiler decides is right for all sizes: it must be possible for those that it had in mind.
                Ok(None) => {
                    let known = task.evaluate(bindings).is_ok();
                    !known || (wanted.is_none() && self.usable(device, &task.estimate(), taken))
                }
                Err(_) => false,
            }
        })
    }

    /// What computes the answer's task if it passes its self-test, which is not taken here; `None` if the sizes do not say.
    fn to_test(
        &self,
        device: &Device,
        Answer { task, taken, .. }: &Answer,
        bindings: Bindings<'_>,
    ) -> Option<(Task<u64>, KernelConfig)> {
        let known = task.evaluate(bindings).ok()?;
        if let Some(config) = self.policy.first_choice(device, &known) {
            return Some((known, config));
        }
        let likely = task.estimate();
        let config = if self.policy.is_possible(device, &likely, taken) {
            taken.clone()
        } else {
            default_config(&likely, device.profile().target, &self.policy.limits())
        };
        Some((likely, config))
    }

    /// What is wanted for a task of a function; `None` leaves it to the compiler.
    fn wanted(
        &self,
        device: &Device,
        function: &str,
        task: &Task<Dim>,
        bindings: Bindings<'_>,
    ) -> Result<Option<KernelConfig>> {
        let Ok(known) = task.evaluate(bindings) else { return Ok(None) };
        if let Some(config) = self.policy.opinion(device, &known) {
            return Ok(Some(config));
        }
        let (likely, limits) = (task.estimate(), &self.policy.limits());
        if self.usable(device, &likely, &default_config(&likely, device.profile().target, limits)) {
            return Ok(None);
        }
        match self.policy.substitute(device, &likely) {
            Some(config) => Ok(Some(config)),
            // Where none is even possible, building the compiler's own choice says why.
            None if self.policy.possible(device, &likely).is_empty() => Ok(None),
            None => Err(no_kernel(device, function, &known)),
        }
    }

    /// Whether the configuration may be used: it is possible, and right.
    fn usable(&self, device: &Device, task: &Task<u64>, config: &KernelConfig) -> bool {
        self.policy.is_possible(device, task, config) && self.policy.is_right(device, task, config)
    }

    fn keep(&self, version: Version) -> Arc<Version> {
        let version = Arc::new(version);
        self.lock().versions.add(version.clone());
        version
    }

    /// Compiles the plan's graph for this device.
    fn compile_again(&self, base: &Plan, width: IndexWidth, select: &dyn Select) -> Result<Plan> {
        let graph = self.graph.graph(&base.name)?;
        let options = CompileOptions { limits: self.policy.limits(), select, width };
        let mut plan =
            compile_with(&graph, base.target, &options).map_err(|diagnostic| Error::graph(&base.name, diagnostic))?;
        base.name.clone_into(&mut plan.name);
        if plan.symbols != base.symbols || plan.scalars != base.scalars {
            let problem = "compiled again, it takes other sizes or scalars".to_owned();
            return Err(Error::Plan { function: base.name.clone(), problem });
        }
        // A graph's text form does not have all of them.
        for requirement in &base.requirements {
            let counted = plan.width != base.width && matches!(requirement, Requirement::Countable(_));
            if !counted && !plan.requirements.contains(requirement) {
                plan.requirements.push(requirement.clone());
            }
        }
        Ok(plan)
    }

    fn compile(
        &self,
        device: &Device,
        base: &Plan,
        width: IndexWidth,
        bindings: Bindings<'_>,
        tier: Option<Tier>,
    ) -> Result<Version> {
        let (answers, failure) = (RefCell::default(), RefCell::default());
        let asked = Asked { versions: self, device, function: &base.name, bindings, answers, failure };
        let compiled = self.compile_again(base, width, &asked);
        if let Some(failure) = asked.failure.into_inner() {
            return Err(failure);
        }
        let mut plan = compiled?;
        let mut answers = asked.answers.into_inner();
        let mut taken = Vec::with_capacity(plan.decisions.len());
        for decision in plan.decisions.clone() {
            self.policy.alter(&decision.config, &mut plan);
            let wanted = answers.remove(&decision.task).flatten();
            // What is wanted may be several kernels where there is to be one: then the compiler has decided by itself.
            if wanted.as_ref() != Some(&decision.config)
                && !self.policy.is_right(device, &decision.task.estimate(), &decision.config)
                && let Ok(known) = decision.task.evaluate(bindings)
            {
                return Err(no_kernel(device, &base.name, &known));
            }
            taken.push(Answer { task: decision.task, wanted, taken: decision.config });
        }
        tracing::debug!(
            function = plan.name,
            sizes = geometry::show(bindings),
            device = device.profile().name,
            width = ?plan.width,
            "compiled with other kernels"
        );
        let version = Version::new(verified(plan)?, taken, &[])?;
        version.program(device, tier, bindings)?;
        Ok(version)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Others> {
        self.others.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How wide the index arithmetic of a plan's function must be for these sizes.
fn width(plan: &Plan, bindings: Bindings<'_>) -> IndexWidth {
    let most = plan.width.limit();
    let is_longer = |shape: &Shape| {
        let sizes = shape.evaluate(bindings).unwrap_or_default();
        saturating_product(sizes.into_iter().map(|size| size as u64)) > most && !shape.0.is_empty()
    };
    let counted = |requirement: &Requirement| {
        matches!(requirement, Requirement::Countable(_)) && requirement.check(bindings).is_err()
    };
    let asked = || config::get().is_ok_and(|config| config.wide_indices);
    let is_longer = plan.buffers.iter().any(|buffer| is_longer(&buffer.shape));
    if is_longer || plan.requirements.iter().any(counted) || asked() { IndexWidth::Wide } else { plan.width }
}

fn no_kernel(device: &Device, function: &str, task: &Task<u64>) -> Error {
    Error::Unsupported {
        function: function.to_owned(),
        device: device.to_string(),
        problem: format!(
            "with this driver every kernel for `{task}` computes wrong numbers or cannot be built \
             (`device.selector().rejected()` says which); use another device or driver, or, after a repair, \
             `device.selector().erase_records()`"
        ),
    }
}

/// Answers the compiler for given sizes.
struct Asked<'a> {
    versions: &'a Versions,
    device: &'a Device,
    function: &'a str,
    bindings: Bindings<'a>,
    answers: RefCell<BTreeMap<Task<Dim>, Option<KernelConfig>>>,
    /// Why there is no answer at all to a question.
    failure: RefCell<Option<Error>>,
}

impl Select for Asked<'_> {
    fn select(&self, task: &Task<Dim>) -> Option<KernelConfig> {
        let wanted = self.versions.wanted(self.device, self.function, task, self.bindings).unwrap_or_else(|error| {
            self.failure.replace(Some(error));
            None
        });
        self.answers.borrow_mut().insert(task.clone(), wanted.clone());
        wanted
    }

    fn sizes(&self) -> Bindings<'_> {
        self.bindings
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::{DeviceKind, DeviceProfile, LocalMemory};
    use netcl_hal::null::Null;
    use netcl_kernels::compile::compile;
    use netcl_kernels::dim::INDEX_LIMIT;
    use netcl_kernels::dtype::DType;
    use netcl_kernels::graph::build::Builder;
    use netcl_kernels::graph::{BinaryOp, InputKind, OutputKind, ReduceOp};
    use netcl_kernels::plan::Target;

    /// A GPU with that many bytes of local memory.
    fn gpu(local_bytes: u64) -> Device {
        let local_memory = LocalMemory { reported: local_bytes, usable: local_bytes, dedicated: true };
        let profile = DeviceProfile::unknown("null", DeviceKind::Null, Target::Gpu).with(|profile| {
            profile.memory = 1 << 30;
            profile.max_allocation = 1 << 30;
            profile.local_memory = local_memory;
            profile.fp16 = true;
        });
        Device::of(Arc::new(Null::with_profile(profile)))
    }

    #[test]
    fn what_is_built_before_any_call_is_what_calls_use() {
        let mut b = Builder::new("sums");
        let rows = Shape(vec![Dim::symbol("N"), Dim::constant(4096)]);
        let x = b.input(InputKind::Argument(0), "x", rows, DType::F32);
        let sums = b.reduce(ReduceOp::Sum, x, &[1], false).unwrap();
        b.output(OutputKind::Result(0), sums);
        let graph = Arc::new(b.finish());
        let plan = verified(compile(&graph, Target::Gpu).unwrap()).unwrap();
        let base = Arc::new(Version::new(plan.clone(), Answer::by_rule(&plan), &[]).unwrap());
        for local_bytes in [48 << 10, 0] {
            let device = gpu(local_bytes);
            let again = Recompile { graph: GraphSource::Graph(graph.clone()), policy: device.kernel_policy() };
            let versions = Versions::new(again);
            let likely = versions.likely(&device, &base).unwrap();
            // Its sums are computed by work-groups, in local memory.
            assert_eq!(Arc::ptr_eq(&likely, &base), device.selector().limits().local_bytes > 0);
            likely.build(&device).unwrap();
            for size in [1, 7, 1797] {
                let called = versions.version(&device, &base, &[size], None).unwrap();
                assert!(Arc::ptr_eq(&called, &likely), "N = {size}: {:?}", called.plan.decisions);
            }
        }
    }

    /// Nothing is there to hold so many elements, and nothing has to be.
    #[test]
    fn sizes_that_32_bits_do_not_count_have_a_version_of_their_own() {
        let mut b = Builder::new("doubled");
        let rows = Shape(vec![Dim::symbol("N"), Dim::constant(8)]);
        let x = b.input(InputKind::Argument(0), "x", rows, DType::F32);
        let doubled = b.binary(BinaryOp::Add, x, x).unwrap();
        b.output(OutputKind::Result(0), doubled);
        let graph = Arc::new(b.finish());
        let plan = verified(compile(&graph, Target::Gpu).unwrap()).unwrap();
        let base = Arc::new(Version::new(plan.clone(), Answer::by_rule(&plan), &[]).unwrap());
        let device = gpu(48 << 10);
        let again = Recompile { graph: GraphSource::Graph(graph.clone()), policy: device.kernel_policy() };
        let versions = Versions::new(again);
        let most = INDEX_LIMIT / 8;
        assert_eq!(versions.version(&device, &base, &[most], None).unwrap().plan.width, IndexWidth::Narrow);
        let wide = versions.version(&device, &base, &[most + 1], None).unwrap();
        assert_eq!(wide.plan.width, IndexWidth::Wide);
        assert!(wide.plan.source.to_string().contains("const long N"), "{}", wide.plan.source);
        assert!(Arc::ptr_eq(&wide, &versions.version(&device, &base, &[1 << 30], None).unwrap()));
        assert_eq!(versions.version(&device, &base, &[5], None).unwrap().plan.width, IndexWidth::Narrow);
    }
}
