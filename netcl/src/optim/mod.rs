//! Optimizers: one launch over the whole parameter buffer.
//!
//! The formulas are PyTorch's. Parameters that the loss does not depend on, or only by way of `detach`, stay as they are, and
//! so do their moments, as PyTorch leaves out parameters whose gradient is `None`. (The number of steps by which Adam corrects
//! its moments is the optimizer's, not each parameter's.)

mod adam;
mod sgd;

pub use adam::{Adam, AdamW};
#[doc(inline)]
pub use netcl_runtime::optim::{Optimizer, OptimizerState, ParameterGroup};
pub use sgd::Sgd;

/// Rules see the parameters as rows of this many: tensors start at multiples of 512 bytes, so there are whole rows only,
/// and a constant row length lets kernels use vectors whatever the model's size.
#[netcl::constant]
const ROW: usize = 128;

#[cfg(test)]
mod tests {
    use super::{adam, sgd};
    use crate::__private::kernels::plan::{Target, Work};

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
