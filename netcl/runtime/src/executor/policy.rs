//! What the executor asks of whoever chooses a device's kernels.

use crate::device::Device;
use netcl_kernels::plan::Plan;
use netcl_kernels::template::Limits;
use netcl_kernels::variant::{KernelConfig, Task};

/// What a policy's answers depend on, by number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Generation {
    /// What is known about the device.
    pub(crate) known: u64,
    /// What is asked for on this thread.
    pub(crate) forced: u64,
}

/// Chooses the kernels of one device, which it is told at each question: the device keeps the policy, and not the policy the
/// device.
pub(crate) trait KernelPolicy: Send + Sync {
    /// While it is the same on a thread, so are the answers there.
    fn generation(&self) -> Generation;

    /// What the device has, as far as configurations are limited by it.
    fn limits(&self) -> Limits;

    /// How `task` is to be computed, if something is known about it; `None` leaves it to the compiler's own rule.
    fn opinion(&self, device: &Device, task: &Task<u64>) -> Option<KernelConfig>;

    /// What [`KernelPolicy::opinion`] says if the configuration passes its test, which is not taken here.
    fn first_choice(&self, device: &Device, task: &Task<u64>) -> Option<KernelConfig>;

    /// What is taken instead of a default that cannot be used, if there is anything.
    fn substitute(&self, device: &Device, task: &Task<u64>) -> Option<KernelConfig>;

    /// Every configuration that is legal for `task` and allowed, right or not.
    fn possible(&self, device: &Device, task: &Task<u64>) -> Vec<KernelConfig>;

    /// Whether the configuration is legal for `task` and allowed, right or not.
    fn is_possible(&self, device: &Device, task: &Task<u64>, config: &KernelConfig) -> bool;

    /// Whether nothing is known to be wrong with the configuration; tests its variant if that was never done.
    fn is_right(&self, device: &Device, task: &Task<u64>, config: &KernelConfig) -> bool;

    /// Tests those of the variants that want it and were never tested, in one program.
    fn test_together(&self, device: &Device, asked: Vec<(Task<u64>, KernelConfig)>);

    /// Changes a kernel of that configuration before it is built: how tests make candidates that are wrong.
    fn alter(&self, config: &KernelConfig, plan: &mut Plan);
}
