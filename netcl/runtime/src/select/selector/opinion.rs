//! What a selector answers: a measurement, a rule, or nothing.

use super::KernelSelector;
use crate::error::Result;
use crate::select::reason::{Reason, Selection};
use crate::select::records::Record;
use crate::select::tuner::{self, TuneOptions, Tuning};
use crate::select::{force, rules, shape};
use netcl_hal::config::Autotune;
use netcl_kernels::variant::{KernelConfig, Task};

/// How many times as fast as the compiler's own choice a neighbour's configuration must have been.
const DECIDED: f64 = 1.1;

/// How often an answer is looked for while others change what is known.
const ATTEMPTS: usize = 3;

impl KernelSelector {
    /// How `task` is computed, and why so. The same question gets the same answer until something new is known: a
    /// measurement, a failure, [`KernelSelector::set`], [`KernelSelector::force`].
    ///
    /// With `NETCL_AUTOTUNE=on` a task that was never measured is measured here.
    ///
    /// Where every kernel for the task is known to be wrong, the answer is the compiler's default still; to compute the task
    /// is then [`crate::Error::Unsupported`].
    ///
    /// On the host, where a library computes what there is to choose for, the answer is the compiler's default for
    /// processors; nothing heeds it there.
    #[doc(alias(
        "select_matmul_kernel",
        "select_conv2d_kernel",
        "select_elementwise_kernel",
        "select_reduction_kernel",
        "select_batchnorm_kernel",
        "select_matmul_config",
        "select_conv2d_config"
    ))]
    pub fn select(&self, task: &Task<u64>) -> Selection {
        if let Some(selection) = self.opinion(task) {
            return selection;
        }
        let config = self.default(task);
        if self.usable(task, &config) {
            return Selection { config, reason: Reason::Default };
        }
        self.substitute(task).unwrap_or(Selection { config, reason: Reason::Default })
    }

    /// What is known about `task`; `None` leaves it to the compiler's own rule.
    pub(crate) fn opinion(&self, task: &Task<u64>) -> Option<Selection> {
        if let Some(config) = self.forced(task).filter(|config| self.is_right(task, config)) {
            return Some(Selection { config, reason: Reason::Forced });
        }
        if let Some(answer) = self.state.known().answers.get(task) {
            return answer.clone();
        }
        for _ in 0..ATTEMPTS {
            let knowledge = self.state.knowledge();
            let answer = self.find(task);
            // Another thread may have found out meanwhile that it is wrong, or what is faster.
            if self.state.answered(task, answer.clone(), knowledge) {
                return answer;
            }
        }
        // So much is being learnt that no answer lasts; this one is asked for again next time.
        self.find(task)
    }

    fn find(&self, task: &Task<u64>) -> Option<Selection> {
        if let Some(config) = self.pinned(task).filter(|config| self.is_right(task, config)) {
            return Some(Selection { config, reason: Reason::Forced });
        }
        if self.state.autotune == Autotune::On && self.record(task).is_none() && self.state.attempt(task) {
            self.tune_quickly(task);
        }
        self.recommended(task).into_iter().find(|selection| self.usable(task, &selection.config))
    }

    /// What [`KernelSelector::opinion`] says if its configuration passes the self-test; takes no test and measures nothing.
    pub(crate) fn first_choice(&self, task: &Task<u64>) -> Option<KernelConfig> {
        let may_pass = |config: &KernelConfig| !self.is_known_wrong(task, config);
        if let Some(config) = self.forced(task).filter(may_pass) {
            return Some(config);
        }
        let answer = self.state.known().answers.get(task).cloned();
        if let Some(answer) = answer {
            return answer.map(|selection| selection.config);
        }
        self.pinned(task).filter(may_pass).or_else(|| {
            let mut recommended = self.recommended(task).into_iter().map(|selection| selection.config);
            recommended.find(|config| self.is_possible(task, config) && may_pass(config))
        })
    }

    /// What this thread forces.
    fn forced(&self, task: &Task<u64>) -> Option<KernelConfig> {
        force::forced(self.state.device, task.family()).filter(|config| self.is_legal(task, config))
    }

    /// What was set for the bucket.
    fn pinned(&self, task: &Task<u64>) -> Option<KernelConfig> {
        let set = self.state.known().set.get(&shape::bucket(task)).cloned();
        set.filter(|config| self.is_legal(task, config))
    }

    /// What measurements and the rule for the device speak for, in that order.
    fn recommended(&self, task: &Task<u64>) -> Vec<Selection> {
        let measured = if self.uses_measurements() { self.measured(task) } else { vec![] };
        let rule = rules::pick(task, &self.state.circumstances);
        let rule = rule.map(|(config, why)| Selection { config, reason: Reason::VendorRule { why } });
        measured.into_iter().chain(rule).collect()
    }

    /// What was measured: the bucket's own record, then what the others of the class say, nearest first.
    fn measured(&self, task: &Task<u64>) -> Vec<Selection> {
        let known = self.state.known();
        let own = known.own.record(task);
        let exact = own.map(|record| Selection { config: record.config.clone(), reason: Reason::Measured });
        let near = self.neighbours(task, &known).into_iter().map(|(octaves, record)| {
            let config = if is_decided(record) { record.config.clone() } else { self.default(task) };
            Selection { config, reason: Reason::Nearest { task: record.task.clone(), octaves } }
        });
        exact.into_iter().chain(near).collect()
    }

    /// Measures with little patience, for who did not ask for it.
    fn tune_quickly(&self, task: &Task<u64>) {
        if let Err(error) = tuner::tune(self, task, &TuneOptions::quick(), (0, 1)) {
            tracing::warn!(task = %task, %error, "a task could not be measured");
        }
    }

    /// Measures the configurations of `task`: see [`crate::Device::tune`].
    pub(crate) fn tune(&self, task: &Task<u64>, options: &TuneOptions<'_>) -> Result<Tuning> {
        tuner::tune(self, task, options, (0, 1))
    }
}

/// Whether the record's configuration was so much faster than the compiler's own choice that it is worth taking for other
/// sizes. Otherwise the record says that the compiler chooses well: between tiles that are about as fast, which is the fastest
/// of other sizes is a matter of their remainders, which the compiler's rule looks at.
fn is_decided(record: &Record) -> bool {
    record.default_nanoseconds.is_none_or(|default| default as f64 >= DECIDED * record.nanoseconds as f64)
}
