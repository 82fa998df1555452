//! The machinery that all optimizers share.

use crate::device::scalar::Scalar;
use crate::error::{Error, Result};
use crate::executor::function::Function;
use crate::memory::BufferHandle;
use crate::model::{Gradients, Model};
use crate::tensor::Tensor;
use netcl_kernels::dtype::DType;
use std::sync::Arc;

/// Rules see the parameters as rows of this many: tensors start at multiples of 512 bytes, so there are whole rows only,
/// and a constant row length lets kernels use vectors whatever the model's size.
#[netcl::constant]
pub(super) const ROW: usize = 128;

/// An update rule, compiled with this crate: from `(parameters, gradients, moments ..)`, each `[R, ROW]`, and numbers to
/// the new parameters and moments.
pub(super) type Rule = fn() -> &'static Function;

/// An update rule and its moments for one model.
pub(super) struct Update {
    name: &'static str,
    rule: Rule,
    moments: usize,
    state: Option<State>,
}

struct State {
    /// Of the model.
    core: u64,
    /// Where in the model the part starts that is stepped; empty for all of it.
    prefix: String,
    /// Of its memory when last stepped: another one means that the model has moved.
    store: u64,
    /// The parameters in one piece.
    parameters: BufferHandle,
    moments: Vec<BufferHandle>,
    shape: Arc<[usize]>,
}

impl Update {
    pub(super) fn new(name: &'static str, moments: usize, rule: Rule) -> Update {
        Update { name, rule, moments, state: None }
    }

    /// Goes on with another rule, over this many moments: what there are of them stay as they are, others begin at zero.
    pub(super) fn change(&mut self, moments: usize, rule: Rule) {
        (self.moments, self.rule) = (moments, rule);
    }

    /// Of the optimizer, as errors have it.
    pub(super) fn name(&self) -> &'static str {
        self.name
    }

    /// Makes a step with these numbers.
    pub(super) fn step(&mut self, model: &mut dyn Model, gradients: &Gradients, scalars: &[f64]) -> Result<()> {
        let (core, prefix) = (model.core(), model.prefix());
        let store = core.store();
        let Some(range) = store.parameter_range(prefix, self.name)? else {
            return Ok(());
        };
        let gradients = store.gradient_region(gradients.region_for(&store, self.name)?, &range)?;
        let bytes = range.len();
        let device = store.device();
        if let Some(state) = &self.state
            && (state.core != core.id() || state.prefix != prefix)
        {
            return Err(Error::Mismatch {
                operation: self.name.to_owned(),
                problem: "this optimizer has stepped another model before; make one for each model".to_owned(),
            });
        }
        if self.state.as_ref().is_none_or(|state| state.store != store.id()) {
            let Some(parameters) = store.parameter_region(&range)? else {
                return Ok(());
            };
            let mut moments = Vec::with_capacity(self.moments);
            // The model has moved to another device: its moments follow.
            for before in self.state.iter().flat_map(|state| &state.moments) {
                let moment = device.allocate(bytes)?;
                let mut data = vec![0; bytes];
                before.read(&mut data)?;
                moment.write(&data)?;
                moments.push(moment);
            }
            let shape = Arc::from([bytes / (4 * ROW), ROW]);
            let prefix = prefix.to_owned();
            self.state = Some(State { core: core.id(), prefix, store: store.id(), parameters, moments, shape });
        }
        let Some(state) = &mut self.state else {
            return Ok(());
        };
        while state.moments.len() < self.moments {
            let moment = device.allocate(bytes)?;
            moment.zero()?;
            state.moments.push(moment);
        }
        let moments = &state.moments[..self.moments];
        let view = |region: &BufferHandle| {
            Tensor::from_region(region.clone(), state.shape.clone(), DType::F32, device.clone())
        };
        let mut args = vec![view(&state.parameters), view(&gradients)];
        args.extend(moments.iter().map(view));
        // In place: every element is read before it is written, by the work-item that writes it.
        let into: Vec<BufferHandle> = std::iter::once(&state.parameters).chain(moments).cloned().collect();
        let scalars: Vec<Scalar> = scalars.iter().map(|&value| Scalar::F32(value as f32)).collect();
        let args: Vec<&Tensor> = args.iter().collect();
        (self.rule)().call_into(device, &args, &scalars, &into)
    }
}

impl std::fmt::Debug for Update {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let started = self.state.is_some();
        f.debug_struct("Update").field("rule", &self.name).field("started", &started).finish_non_exhaustive()
    }
}

/// Refuses what is no number from 0 on.
pub(super) fn not_negative(optimizer: &str, setting: &'static str, value: f64) -> Result<()> {
    accept(optimizer, setting, value, value >= 0.0 && value.is_finite(), "a number of at least 0")
}

/// Refuses a setting unless it `fits`.
pub(super) fn accept(
    optimizer: &str,
    setting: &'static str,
    value: impl std::fmt::Display,
    fits: bool,
    accepted: &'static str,
) -> Result<()> {
    if fits {
        return Ok(());
    }
    Err(Error::Setting { operation: optimizer.to_owned(), setting, given: value.to_string(), accepted })
}

#[cfg(test)]
mod tests {
    use crate::optim::{adam, sgd};
    use netcl_kernels::plan::{Target, Work};

    #[test]
    fn every_rule_is_one_step_with_native_code() {
        for rule in [sgd::sgd, sgd::sgd_momentum, sgd::sgd_nesterov, adam::adam, adam::adamw] {
            let function = rule();
            for target in Target::ALL {
                assert_eq!(function.plan(target).unwrap().launches(), 1, "{} on {target:?}", function.name());
            }
            let plan = function.plan(Target::Host).unwrap();
            assert!(matches!(plan.steps[0].work, Work::Loop { kernel: 0 }));
            let native = function.native(Target::Host).unwrap();
            assert!(matches!(native, [Some(_)]), "{} has no native code", function.name());
        }
    }
}
