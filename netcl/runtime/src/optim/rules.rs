//! The formulas of optimizers.

use crate::function::Function;

/// An update rule, compiled with the macros: from `(parameters, gradients, moments ..)`, each a matrix with rows of the
/// update's length, and numbers to the new parameters and moments.
pub(crate) type Rule = fn() -> &'static Function;

/// An update rule in both forms.
#[derive(Clone, Copy)]
pub struct Rules {
    /// By gradients as they are.
    pub plain: Rule,
    /// By gradients of a scaled loss: behind the moments it is given the scale, whether a gradient is not finite, and how many
    /// steps were skipped, each without axes.
    pub scaled: Rule,
}
