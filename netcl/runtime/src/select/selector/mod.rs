//! The selector of a device.

mod opinion;
mod together;

use super::force::Forced;
use super::reason::{Reason, Selection};
use super::records::{Record, bad_key};
use super::state::{Alteration, DeviceSelector, SelectorState};
use super::{shape, trial};
use crate::device::Device;
use crate::error::{Error, Result};
use netcl_hal::config::Autotune;
use netcl_kernels::plan::Target;
use netcl_kernels::template::Limits;
use netcl_kernels::variant::{KernelConfig, Task, candidates, default_config, legal, work_groups};
use std::collections::BTreeSet;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

/// How many characters of a reason are kept.
const WHY: usize = 200;

/// Says how tasks are computed on a device: [`Device::selector`] gives it. Cheap to clone; clones know the same.
///
/// Every answer is legal on the device: within its work-groups, its memory and its local memory, of which there is none
/// with [`crate::KernelStrategy::Portable`]. What a defect of the driver or an environment variable rules out is picked
/// only where a program asks for it by name ([`KernelSelector::set`], [`KernelSelector::force`]). Before a variant is used for
/// the first time on a device with a driver, it is tried on a small shape and its numbers are compared with the host's; a
/// variant that is wrong or cannot be built is left out from then on, with one warning, and the next answer is taken. (The
/// loops without barriers that the compiler takes by itself are not tried: `docs/selection.md` says why.)
#[derive(Clone)]
pub struct KernelSelector {
    device: Device,
    state: Arc<DeviceSelector>,
}

impl KernelSelector {
    pub(crate) fn new(device: Device, state: Arc<DeviceSelector>) -> KernelSelector {
        KernelSelector { device, state }
    }

    /// The bucket's own measurement, unless its configuration cannot be used: then there is as good as none.
    pub(super) fn record(&self, task: &Task<u64>) -> Option<Record> {
        let record = self.state.known().own.record(task).cloned()?;
        self.usable(task, &record.config).then_some(record)
    }

    /// The records of tasks that differ in sizes alone, with the distance in octaves, nearest first: those whose
    /// configurations keep the device busy here, too.
    fn neighbours<'a>(&self, task: &Task<u64>, known: &'a SelectorState) -> Vec<(f64, &'a Record)> {
        let busy = self.busy_groups(task);
        let keeps_busy =
            |record: &Record| work_groups(&record.config, task, self.target()).is_none_or(|groups| groups >= busy);
        let distance = |record: &'a Record| shape::distance(task, &record.task).map(|octaves| (octaves, record));
        let mut near: Vec<_> = all_records(known).filter(|record| keeps_busy(record)).filter_map(distance).collect();
        near.sort_by(|(a, _), (b, _)| a.total_cmp(b));
        near
    }

    /// The compiler's own choice.
    fn default(&self, task: &Task<u64>) -> KernelConfig {
        default_config(task, self.target(), &self.state.circumstances.limits)
    }

    /// How many work-groups a neighbour's configuration must have here: one for each compute unit, or as many as the
    /// compiler's own choice. Tiles that suit a larger task may be so large that there are few of them.
    fn busy_groups(&self, task: &Task<u64>) -> u64 {
        let units = self.state.circumstances.limits.units.into();
        work_groups(&self.default(task), task, self.target()).map_or(0, |groups| groups.min(units))
    }

    /// What was the fastest for this task and those like it, nearest first.
    pub(super) fn nearby(&self, task: &Task<u64>) -> Vec<KernelConfig> {
        let known = self.state.known();
        let own = known.own.record(task);
        let near = self.neighbours(task, &known).into_iter().map(|(_, record)| record);
        own.into_iter().chain(near).map(|record| record.config.clone()).collect()
    }

    /// What is taken instead of a default that cannot be used: of another variant if there is one that can, else anything.
    pub(crate) fn substitute(&self, task: &Task<u64>) -> Option<Selection> {
        let all = self.possible(task);
        let mut seen = BTreeSet::default();
        let of_each = all.iter().filter(|config| seen.insert(config.variant));
        let found = of_each.chain(&all).find(|config| self.usable(task, config));
        found.map(|config| Selection { config: config.clone(), reason: Reason::Default })
    }

    /// Whether the configuration is legal here, allowed, and right as far as is known; tests its variant if that was never
    /// done.
    pub(crate) fn usable(&self, task: &Task<u64>, config: &KernelConfig) -> bool {
        self.is_possible(task, config) && self.is_right(task, config)
    }

    /// Whether the configuration is legal here and allowed, right or not.
    pub(crate) fn is_possible(&self, task: &Task<u64>, config: &KernelConfig) -> bool {
        self.is_legal(task, config) && self.state.circumstances.allows(config.variant)
    }

    /// Whether nothing is known to be wrong with the configuration; tests its variant if that was never done.
    pub(crate) fn is_right(&self, task: &Task<u64>, config: &KernelConfig) -> bool {
        self.state.known().own.why_bad(task, config).is_none() && self.is_tested(task, config)
    }

    fn is_legal(&self, task: &Task<u64>, config: &KernelConfig) -> bool {
        self.target() == Target::Host || legal(config, task, self.target(), &self.state.circumstances.limits).is_ok()
    }

    /// Whether the variant gave the right numbers on this device with this driver, in this run or an earlier one.
    fn is_tested(&self, task: &Task<u64>, config: &KernelConfig) -> bool {
        if !self.wants_test(task, config) {
            return true;
        }
        let what = trial::test_name(task, config, self.target());
        if let Some(passed) = self.test_result(&what) {
            return passed;
        }
        let _turn = self.state.turn();
        // Another thread may have been first.
        if let Some(passed) = self.test_result(&what) {
            return passed;
        }
        let verdict = trial::self_test(&self.state, &self.device, task, config);
        self.note_test(what, verdict, || *config == self.default(task))
    }

    /// How the self-test of that name ended, if it was taken.
    fn test_result(&self, name: &str) -> Option<bool> {
        let known = self.state.known();
        if known.refused.contains(name) { Some(false) } else { known.own.tested.get(name).copied() }
    }

    /// Whether something is known to be wrong with the configuration; takes no test.
    pub(crate) fn is_known_wrong(&self, task: &Task<u64>, config: &KernelConfig) -> bool {
        let failed = || self.test_result(&trial::test_name(task, config, self.target())) == Some(false);
        self.wants_test(task, config) && failed() || self.state.known().own.why_bad(task, config).is_some()
    }

    fn wants_test(&self, task: &Task<u64>, config: &KernelConfig) -> bool {
        self.state.computes() && trial::wants_test(task, config, self.target())
    }

    /// Keeps how a self-test ended; whether its variant may be used, which `is_default` says of one that could not be tested.
    fn note_test(&self, what: String, verdict: trial::Verdict, is_default: impl FnOnce() -> bool) -> bool {
        match verdict {
            trial::Verdict::Passed => {
                self.state.confirm(move |content| content.test(what.clone(), true));
                true
            }
            trial::Verdict::Failed(why) => {
                let device = self.device.profile().name.clone();
                tracing::warn!(device, variant = what, why, "a kernel fails its self-test and is not used");
                self.state.learn(move |content| content.test(what.clone(), false));
                false
            }
            trial::Verdict::Refused(why) => {
                let device = self.device.profile().name.clone();
                tracing::warn!(
                    device,
                    variant = what,
                    why,
                    "the device does not launch a kernel, which is not used now"
                );
                self.state.change(|known| _ = known.refused.insert(what.clone()));
                false
            }
            // It says nothing about the kernel: no memory, or a forked process. It is tried again next time. Without the
            // compiler's own choice nothing could be computed at all.
            trial::Verdict::Unknown(why) => {
                tracing::debug!(variant = what, why, "a self-test could not be made");
                is_default()
            }
        }
    }

    /// Notes that a configuration is not to be used for tasks like this, with a warning, once.
    pub(crate) fn reject(&self, task: &Task<u64>, config: &KernelConfig, why: &str) {
        if self.state.known().own.why_bad(task, config).is_some() {
            return;
        }
        let device = &self.device.profile().name;
        tracing::warn!(device, task = %task, config = %config, why, "a kernel is left out on this device");
        // A build's log can be long, and says more than will be read again.
        let why: String = why.lines().next().unwrap_or_default().chars().take(WHY).collect();
        let key = bad_key(task, config);
        self.state.learn(move |content| drop(content.bad.insert(key.clone(), why.clone())));
    }

    /// Takes back what speaks against a configuration that turned out to be right.
    pub(crate) fn readmit(&self, task: &Task<u64>, config: &KernelConfig) {
        let test = trial::test_name(task, config, self.target());
        {
            let own = &self.state.known().own;
            if own.why_bad(task, config).is_none() && own.tested.get(&test) != Some(&false) {
                return;
            }
        }
        tracing::info!(device = self.device.profile().name, task = %task, config = %config, "a kernel is right again");
        let (task, config) = (task.clone(), config.clone());
        self.state.learn(move |content| content.readmit(&task, &config, &test));
    }

    /// Pins the configuration for all tasks of `task`'s bucket on this device until the process ends, or until
    /// [`KernelSelector::unset`]: it comes before measurements and rules. What environment variables or a driver's defect rule
    /// out can be asked for here, too; what gives wrong numbers cannot.
    ///
    /// # Errors
    ///
    /// [`Error::Setting`] if it is not legal for the task on this device, with the reason, or fails its self-test there.
    pub fn set(&self, task: &Task<u64>, config: KernelConfig) -> Result<()> {
        let no = |why: String| Error::Setting {
            operation: "KernelSelector::set".to_owned(),
            setting: "config",
            given: format!("`{config}` for `{task}`: {why}"),
            accepted: "one of `KernelSelector::candidates`",
        };
        legal(&config, task, self.target(), &self.state.circumstances.limits).map_err(no)?;
        if !self.is_right(task, &config) {
            return Err(no("it is left out on this device, see `KernelSelector::rejected`".to_owned()));
        }
        self.state.change(|known| drop(known.set.insert(shape::bucket(task), config)));
        Ok(())
    }

    /// Undoes every [`KernelSelector::set`].
    pub fn unset(&self) {
        self.state.change(|known| known.set.clear());
    }

    /// Has every task of the configuration's family, for which it is legal, computed with it on this thread and device
    /// until the guard is dropped. For experiments: it comes before everything else. What environment variables or a driver's
    /// defect rule out can be asked for here, too; what gives wrong numbers ([`KernelSelector::rejected`]) is passed over.
    ///
    /// ```
    /// use netcl::select::KernelConfig;
    /// use netcl::{Device, Tensor};
    ///
    /// let device = Device::auto()?;
    /// let x = Tensor::full(&device, 1.0f32, &[64, 64])?;
    /// let naive = KernelConfig::parse("matmul_naive LOCAL_M=4 LOCAL_N=16").expect("a configuration");
    /// let forced = device.selector().force(naive);
    /// let y = x.matmul(&x);
    /// drop(forced);
    /// assert_eq!(y.to_vec::<f32>()?, x.matmul(&x).to_vec::<f32>()?);
    /// # Ok::<(), netcl::Error>(())
    /// ```
    pub fn force(&self, config: KernelConfig) -> Forced {
        Forced::new(self.state.device, config)
    }

    /// Every configuration that is legal for `task` here and not known to be wrong, the compiler's own first. None on the
    /// host.
    pub fn candidates(&self, task: &Task<u64>) -> Vec<KernelConfig> {
        let mut all = self.possible(task);
        let known = self.state.known();
        all.retain(|config| known.own.why_bad(task, config).is_none());
        all
    }

    /// As [`KernelSelector::candidates`], with what is known to be wrong.
    pub(crate) fn possible(&self, task: &Task<u64>) -> Vec<KernelConfig> {
        let circumstances = &self.state.circumstances;
        let mut all = candidates(task, self.target(), &circumstances.limits);
        all.retain(|config| circumstances.allows(config.variant));
        all
    }

    /// What the device has, as far as configurations are limited by it.
    pub fn limits(&self) -> Limits {
        self.state.limits()
    }

    /// Whether measurements count here: not with `NETCL_AUTOTUNE=off`.
    pub fn uses_measurements(&self) -> bool {
        self.state.autotune != Autotune::Off
    }

    /// What was measured on this device with this driver, ordered by the buckets' texts.
    pub fn records(&self) -> Vec<Record> {
        self.state.known().own.measured.values().cloned().collect()
    }

    /// What is left out on this device with this driver: configuration and tasks, or the variant whose self-test failed or that
    /// was not launched in this process, and why.
    pub fn rejected(&self) -> Vec<(String, String)> {
        let known = self.state.known();
        let bad = known.own.bad.iter().map(|(what, why)| (what.clone(), why.clone()));
        let failed = known.own.tested.iter().filter(|(_, passed)| !**passed);
        let failed = failed.map(|(what, _)| (what.clone(), "it failed its self-test".to_owned()));
        let refused = known.refused.iter().map(|what| (what.clone(), "the device did not launch it".to_owned()));
        bad.chain(failed).chain(refused).collect()
    }

    /// The file that keeps what is known about the device; `None` where nothing is kept between runs: on the host and the
    /// null device, and with `NETCL_CACHE_DIR=off`.
    pub fn path(&self) -> Option<PathBuf> {
        self.state.path()
    }

    /// Whether what was found out in this process is kept for later runs, as far as that is wanted ([`KernelSelector::path`]).
    /// Measurements that cannot be written hold in this process all the same.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] with the file, and why something could not be written to it: the folder is read-only, or the disk full.
    pub fn check_kept(&self) -> Result<()> {
        let (Some(why), Some(path)) = (self.state.unkept(), self.state.path()) else { return Ok(()) };
        Err(Error::Io { action: "keep measurements in", path, source: why })
    }

    /// Forgets the answers given so far and reads the records again: another process may have measured meanwhile.
    pub fn clear_cache(&self) {
        self.state.forget();
    }

    /// Deletes all that is known about the device with this driver: measurements, self-tests, what is left out.
    ///
    /// # Errors
    ///
    /// [`Error::Io`] if the file cannot be deleted.
    pub fn erase_records(&self) -> Result<()> {
        let path = self.state.path().unwrap_or_default();
        self.state.erase().map_err(|source| Error::Io { action: "delete", path, source })
    }

    pub(crate) fn state(&self) -> &Arc<DeviceSelector> {
        &self.state
    }

    pub(crate) fn device(&self) -> &Device {
        &self.device
    }

    pub(crate) fn target(&self) -> Target {
        self.state.circumstances.profile.target
    }

    /// Changes every kernel that has a configuration before it is built: for tests of what happens to wrong ones.
    #[doc(hidden)]
    pub fn alter(&self, alteration: Option<Alteration>) {
        self.state.alter(alteration);
    }
}

/// This device's records first: of two that are as near, its own counts.
fn all_records(known: &SelectorState) -> impl Iterator<Item = &Record> {
    std::iter::once(&known.own).chain(&known.relatives).flat_map(|content| content.measured.values())
}

impl fmt::Debug for KernelSelector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "KernelSelector({})", self.device)
    }
}

#[cfg(test)]
mod tests;
