//! Optimizers: one launch over the whole parameter buffer, or, with [`ParameterGroup`]s, one for each stretch of parameters that follow
//! each other and have the same settings.
//!
//! The formulas are PyTorch's. Parameters that the loss does not depend on, or only by way of `detach`, stay as they are, and
//! so do their moments, as PyTorch leaves out parameters whose gradient is `None`. (The number of steps by which Adam corrects
//! its moments is the optimizer's, not each parameter's.)

mod adam;
mod scaler;
mod sgd;

pub use adam::{Adam, AdamW};
#[doc(inline)]
pub use netcl_runtime::optim::{Optimizer, OptimizerState, ParameterGroup, ScalerState, Scaling};
pub use scaler::GradScaler;
pub use sgd::Sgd;

/// Rules see the parameters as rows of this many: tensors start at multiples of 512 bytes, so there are whole rows only,
/// and a constant row length lets kernels use vectors whatever the model's size.
#[netcl::constant]
const ROW: usize = 128;

/// What becomes of a number in a step by gradients of a scaled loss: `old` where one of them was `found` that is not finite.
#[netcl::function]
fn kept(found: f32, old: f32, new: f32) -> f32 {
    if found > 0.0 { old } else { new }
}

#[cfg(test)]
mod tests {
    use super::{adam, scaler, sgd};
    use crate::__private::kernels::plan::{Target, Work};

    #[test]
    fn every_rule_is_one_step_with_native_code() {
        let plain = [sgd::sgd, sgd::sgd_momentum, sgd::sgd_nesterov, adam::adam, adam::adamw];
        let scaled = [sgd::sgd_scaled, sgd::sgd_momentum_scaled, sgd::sgd_nesterov_scaled];
        let counting = [adam::adam_scaled, adam::adamw_scaled, scaler::advance];
        for rule in plain.into_iter().chain(scaled).chain(counting) {
            let function = rule();
            for target in Target::ALL {
                assert_eq!(function.plan(target).unwrap().launches(), 1, "{} on {target:?}", function.name());
            }
            let plan = function.plan(Target::Host).unwrap();
            assert!(matches!(plan.steps[0].work, Work::Loop { kernel: 0 }));
            let native = function.native(Target::Host);
            assert!(matches!(native, [Some(_)]), "{} has no native code", function.name());
        }
    }
    /// What `found` is computed of is read before the numbers that are written in place.
    #[test]
    fn gradients_are_checked_in_two_steps_of_which_the_last_has_the_numbers() {
        let function = scaler::check();
        for target in Target::ALL {
            let plan = function.plan(target).unwrap();
            let [rows, all] = &plan.steps[..] else { panic!("{} steps on {target:?}", plan.steps.len()) };
            assert_eq!((rows.reads.len(), rows.writes.len(), all.writes.len()), (1, 1, 3), "{target:?}");
        }
        assert!(matches!(function.native(Target::Host), [Some(_), Some(_)]));
    }
}
