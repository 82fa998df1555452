//! What a device's selector says to the executor.

use super::{DeviceSelector, KernelSelector};
use crate::device::Device;
use crate::executor::{Generation, KernelPolicy};
use netcl_kernels::plan::Plan;
use netcl_kernels::template::Limits;
use netcl_kernels::variant::{KernelConfig, Task};
use std::sync::Arc;

/// Chooses by what is known about the device.
pub(crate) struct SelectorPolicy(pub(super) Arc<DeviceSelector>);

impl SelectorPolicy {
    fn selector(&self, device: &Device) -> KernelSelector {
        KernelSelector::new(device.clone(), self.0.clone())
    }
}

impl KernelPolicy for SelectorPolicy {
    fn generation(&self) -> Generation {
        self.0.generation()
    }

    fn limits(&self) -> Limits {
        self.0.limits()
    }

    fn opinion(&self, device: &Device, task: &Task<u64>) -> Option<KernelConfig> {
        self.selector(device).opinion(task).map(|selection| selection.config)
    }

    fn first_choice(&self, device: &Device, task: &Task<u64>) -> Option<KernelConfig> {
        self.selector(device).first_choice(task)
    }

    fn substitute(&self, device: &Device, task: &Task<u64>) -> Option<KernelConfig> {
        self.selector(device).substitute(task).map(|selection| selection.config)
    }

    fn possible(&self, device: &Device, task: &Task<u64>) -> Vec<KernelConfig> {
        self.selector(device).possible(task)
    }

    fn is_possible(&self, device: &Device, task: &Task<u64>, config: &KernelConfig) -> bool {
        self.selector(device).is_possible(task, config)
    }

    fn is_right(&self, device: &Device, task: &Task<u64>, config: &KernelConfig) -> bool {
        self.selector(device).is_right(task, config)
    }

    fn test_together(&self, device: &Device, asked: Vec<(Task<u64>, KernelConfig)>) {
        self.selector(device).test_together(asked);
    }

    fn alter(&self, config: &KernelConfig, plan: &mut Plan) {
        self.0.altered(config, plan);
    }
}
