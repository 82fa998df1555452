//! Asks how tasks are computed, and keeps the answers.

use crate::dim::{Dim, IndexWidth};
use crate::target::Target;
use crate::template::Limits;
use crate::variant::{
    Decision, Defaults, KernelConfig, Select, Task, default_for_plan, default_in_one, legal, typical,
};
use std::collections::BTreeMap;

/// What a graph is compiled for, besides the kind of device.
#[derive(Clone, Copy)]
pub struct CompileOptions<'a> {
    /// The device's limits: what is chosen keeps to them.
    pub limits: Limits,
    /// Who chooses.
    pub select: &'a dyn Select,
    /// Of index arithmetic. Sizes that are too long for it whatever symbols are make it wide.
    pub width: IndexWidth,
}

impl CompileOptions<'static> {
    /// For any device of that kind, by the compiler's own rule.
    pub fn typical(target: Target) -> Self {
        CompileOptions { limits: typical(target), select: &Defaults, width: IndexWidth::Narrow }
    }
}

impl std::fmt::Debug for CompileOptions<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Options").field("limits", &self.limits).finish_non_exhaustive()
    }
}

/// The decisions of one compilation.
pub(super) struct Decider<'a> {
    options: &'a CompileOptions<'a>,
    target: Target,
    known: BTreeMap<Task<Dim>, KernelConfig>,
    /// Of what has to stay in one kernel.
    known_in_one: BTreeMap<Task<Dim>, KernelConfig>,
    list: Vec<Decision>,
}

impl<'a> Decider<'a> {
    pub(super) fn new(options: &'a CompileOptions<'a>, target: Target) -> Self {
        Decider { options, target, known: BTreeMap::new(), known_in_one: BTreeMap::new(), list: Vec::new() }
    }

    /// How `task` is computed: the selector's answer where that is legal for the sizes that are known or likely, or else
    /// the rule's.
    pub(super) fn decide(&mut self, task: Task<Dim>) -> KernelConfig {
        self.ask(task, false)
    }

    /// As [`Decider::decide`], of what has to stay in one kernel.
    pub(super) fn decide_in_one(&mut self, task: Task<Dim>) -> KernelConfig {
        self.ask(task, true)
    }

    fn ask(&mut self, task: Task<Dim>, in_one: bool) -> KernelConfig {
        let known = if in_one { &self.known_in_one } else { &self.known };
        let config = known.get(&task).cloned().unwrap_or_else(|| {
            let CompileOptions { limits, select, .. } = self.options;
            let usable = |config: &KernelConfig| !(in_one && config.rewrites()) && self.legal(config, &task);
            select.select(&task).filter(usable).unwrap_or_else(|| match in_one {
                true => default_in_one(&task.estimate(), self.target, limits),
                false => default_for_plan(&task, self.target, limits),
            })
        });
        let known = if in_one { &mut self.known_in_one } else { &mut self.known };
        known.insert(task.clone(), config.clone());
        self.note(task, &config);
        config
    }

    /// How a part of something that was decided is computed: as `preferred`, which was decided with the whole, or else in
    /// one kernel, as a task of its own.
    pub(super) fn part(&mut self, task: Task<Dim>, preferred: Option<&KernelConfig>) -> KernelConfig {
        match preferred.filter(|config| self.legal(config, &task)) {
            Some(preferred) => preferred.clone(),
            None => self.decide_in_one(task),
        }
    }

    fn note(&mut self, task: Task<Dim>, config: &KernelConfig) {
        let decision = Decision { task, config: config.clone() };
        if !self.list.contains(&decision) {
            self.list.push(decision);
        }
    }

    /// Whether `config` is legal for the sizes that the selector has in mind.
    fn legal(&self, config: &KernelConfig, task: &Task<Dim>) -> bool {
        let CompileOptions { limits, select, .. } = self.options;
        let known = !config.rewrites() || !matches!(task, Task::Conv2d(conv) if !conv.knows_channels());
        known && legal(config, &task.likely(select.sizes()), self.target, limits).is_ok()
    }

    /// Forgets what was decided about nodes that are asked about again, now that others have been rewritten.
    pub(super) fn next_round(&mut self) {
        let final_already = |config: &KernelConfig| config.rewrites() || config.variant.divides();
        self.list.retain(|decision| final_already(&decision.config));
    }

    /// What was decided, in the order asked.
    pub(super) fn finish(self) -> Vec<Decision> {
        self.list
    }
}
