//! Asks how tasks are computed, and keeps the answers.

use crate::dim::Dim;
use crate::plan::Target;
use crate::template::Limits;
use crate::variant::{Decision, Defaults, KernelConfig, Select, Task, default_config, legal, typical};
use std::collections::BTreeMap;

/// What a graph is compiled for, besides the kind of device.
#[derive(Clone, Copy)]
pub struct Options<'a> {
    /// The device's limits: what is chosen keeps to them.
    pub limits: Limits,
    /// Who chooses.
    pub select: &'a dyn Select,
}

impl Options<'static> {
    /// For any device of that kind, by the compiler's own rule.
    pub fn typical(target: Target) -> Self {
        Options { limits: typical(target), select: &Defaults }
    }
}

impl std::fmt::Debug for Options<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Options").field("limits", &self.limits).finish_non_exhaustive()
    }
}

/// The decisions of one compilation.
pub(super) struct Decider<'a> {
    options: &'a Options<'a>,
    target: Target,
    known: BTreeMap<Task<Dim>, KernelConfig>,
    /// In the order asked.
    pub list: Vec<Decision>,
}

impl<'a> Decider<'a> {
    pub(super) fn new(options: &'a Options<'a>, target: Target) -> Self {
        Decider { options, target, known: BTreeMap::new(), list: Vec::new() }
    }

    /// How `task` is computed: the selector's answer where that is legal for the sizes that are known or likely, or else
    /// the rule's.
    pub(super) fn decide(&mut self, task: Task<Dim>) -> KernelConfig {
        if let Some(config) = self.known.get(&task) {
            return config.clone();
        }
        let likely = task.estimate();
        let Options { limits, select } = self.options;
        let answer = select.select(&task).filter(|config| legal(config, &likely, self.target, limits).is_ok());
        let config = answer.unwrap_or_else(|| default_config(&likely, self.target, limits));
        self.known.insert(task.clone(), config.clone());
        self.list.push(Decision { task, config: config.clone() });
        config
    }
}
