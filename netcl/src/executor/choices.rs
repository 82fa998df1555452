//! Which plan computes a function for given sizes: its own, or one that the device's selector asks for.

use crate::device::Device;
use crate::device::geometry;
use crate::error::{Error, Result};
use crate::executor::version::Version;
use crate::select::KernelSelector;
use netcl_kernels::compile::{Options, compile_with};
use netcl_kernels::dim::{Bindings, Dim, Symbol};
use netcl_kernels::graph::{Graph, text};
use netcl_kernels::plan::Plan;
use netcl_kernels::variant::{Decision, KernelConfig, Select, Task, default_config};
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
    fn graph(&self, function: &str) -> Result<Arc<Graph>> {
        match self {
            GraphSource::Graph(graph) => Ok(graph.clone()),
            GraphSource::Text(source) => {
                let graph = text::parse(source).map_err(|problem| Error::graph(function, problem))?;
                Ok(Arc::new(graph))
            }
        }
    }
}

/// How one task of a plan is computed.
pub(super) struct Answer {
    pub(super) task: Task<Dim>,
    /// What was asked for; `None`: the compiler decided.
    pub(super) wanted: Option<KernelConfig>,
    pub(super) taken: KernelConfig,
}

impl Answer {
    /// Those of a plan that the compiler made by itself.
    pub(super) fn by_rule(plan: &Plan) -> Vec<Answer> {
        let answer =
            |Decision { task, config }: &Decision| Answer { task: task.clone(), wanted: None, taken: config.clone() };
        plan.decisions.iter().map(answer).collect()
    }
}

/// The plans of one function on one device.
pub(super) struct Choices {
    device: Device,
    selector: KernelSelector,
    graph: GraphSource,
    others: Mutex<Others>,
}

#[derive(Default)]
struct Others {
    /// Used latest first.
    versions: Vec<Arc<Version>>,
    /// What was asked for in vain while the selector knew as much, so that it is not compiled again for each set of sizes.
    vain: Vec<(u64, Vec<Option<KernelConfig>>)>,
}

impl Choices {
    pub(super) fn new(device: &Device, graph: GraphSource) -> Choices {
        Choices { device: device.clone(), selector: device.selector(), graph, others: Mutex::default() }
    }

    /// While it is the same, so is the version for given sizes.
    pub(super) fn generation(&self) -> u64 {
        self.selector.state().generation()
    }

    /// The version for these values of the symbols: `base` unless something is known that speaks for another.
    pub(super) fn version(&self, base: &Arc<Version>, sizes: &[u64]) -> Arc<Version> {
        let bindings: Vec<(Symbol, u64)> = base.plan.symbols.iter().cloned().zip(sizes.iter().copied()).collect();
        if self.fits(base, &bindings) {
            return base.clone();
        }
        // Without the lock: to ask may take a test, or wait for one.
        let versions = self.lock().versions.clone();
        if let Some(version) = versions.into_iter().find(|version| self.fits(version, &bindings)) {
            let mut others = self.lock();
            others.versions.retain(|other| !Arc::ptr_eq(other, &version));
            others.versions.insert(0, version.clone());
            return version;
        }
        let wanted: Vec<Option<KernelConfig>> =
            base.answers.iter().map(|answer| self.wanted(&answer.task, &bindings)).collect();
        let asked = (self.generation(), wanted);
        if self.lock().vain.contains(&asked) {
            return base.clone();
        }
        match self.compile(&base.plan, &bindings) {
            Ok(version) => {
                let version = Arc::new(version);
                let mut others = self.lock();
                others.versions.insert(0, version.clone());
                others.versions.truncate(KEPT);
                version
            }
            Err(error) => {
                let (function, device) = (&base.plan.name, &self.device.profile().name);
                let sizes = geometry::show(&bindings);
                tracing::warn!(function, device, sizes, %error, "kernels that were picked cannot be used; the default is");
                // Memory may be there next time.
                if !matches!(error, Error::OutOfMemory { .. }) {
                    let mut others = self.lock();
                    others.vain.retain(|(generation, _)| *generation == asked.0);
                    others.vain.push(asked);
                }
                base.clone()
            }
        }
    }

    /// Whether a version computes every task as the selector wants it.
    fn fits(&self, version: &Version, bindings: Bindings<'_>) -> bool {
        version.answers.iter().all(|Answer { task, wanted, taken }| {
            let Ok(known) = task.evaluate(bindings) else { return true };
            match self.selector.opinion(&known) {
                Some(selection) => wanted.as_ref() == Some(&selection.config) || *taken == selection.config,
                // What the compiler decides is right for all sizes: it must be possible for those that it had in mind.
                None => wanted.is_none() && self.selector.usable(&task.estimate(), taken),
            }
        })
    }

    /// What is wanted for a task; `None` leaves it to the compiler.
    fn wanted(&self, task: &Task<Dim>, bindings: Bindings<'_>) -> Option<KernelConfig> {
        let known = task.evaluate(bindings).ok()?;
        if let Some(selection) = self.selector.opinion(&known) {
            return Some(selection.config);
        }
        let (likely, limits) = (task.estimate(), &self.selector.state().limits());
        if self.selector.usable(&likely, &default_config(&likely, self.selector.target(), limits)) {
            return None;
        }
        self.selector.substitute(&likely).map(|selection| selection.config)
    }

    fn compile(&self, base: &Plan, bindings: Bindings<'_>) -> Result<Version> {
        let graph = self.graph.graph(&base.name)?;
        let asked = Asked { choices: self, bindings, answers: RefCell::default() };
        let options = Options { limits: self.selector.state().limits(), select: &asked };
        let mut plan =
            compile_with(&graph, base.target, &options).map_err(|diagnostic| Error::graph(&base.name, diagnostic))?;
        base.name.clone_into(&mut plan.name);
        if plan.symbols != base.symbols || plan.scalars != base.scalars {
            let problem = "compiled again, it takes other sizes or scalars".to_owned();
            return Err(Error::Plan { function: base.name.clone(), problem });
        }
        // A graph's text form does not have all of them.
        for requirement in &base.requirements {
            if !plan.requirements.contains(requirement) {
                plan.requirements.push(requirement.clone());
            }
        }
        let mut answers = asked.answers.into_inner();
        let mut taken = Vec::with_capacity(plan.decisions.len());
        for decision in plan.decisions.clone() {
            self.selector.state().altered(&decision.config, &mut plan);
            let wanted = answers.remove(&decision.task).flatten();
            taken.push(Answer { task: decision.task, wanted, taken: decision.config });
        }
        tracing::debug!(
            function = plan.name,
            sizes = geometry::show(bindings),
            device = self.device.profile().name,
            "compiled with other kernels"
        );
        let version = Version::new(Arc::new(plan), taken, &[])?;
        version.program(&self.device)?;
        Ok(version)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Others> {
        self.others.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Answers the compiler for given sizes.
struct Asked<'a> {
    choices: &'a Choices,
    bindings: Bindings<'a>,
    answers: RefCell<BTreeMap<Task<Dim>, Option<KernelConfig>>>,
}

impl Select for Asked<'_> {
    fn select(&self, task: &Task<Dim>) -> Option<KernelConfig> {
        let wanted = self.choices.wanted(task, self.bindings);
        self.answers.borrow_mut().insert(task.clone(), wanted.clone());
        wanted
    }

    fn sizes(&self) -> Bindings<'_> {
        self.bindings
    }
}
