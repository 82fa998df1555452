//! How often gradients are differentiated.

/// What becomes of the gradients.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HighestOrder {
    /// They are results: rules keep all digits and cost as little as can be, and need not have a derivative everywhere.
    First,
    /// They are differentiated again, how often nobody knows: rules have the function's own higher derivatives.
    Any,
}
