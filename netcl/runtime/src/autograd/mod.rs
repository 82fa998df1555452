//! Gradients of what is computed at run time.
//!
//! An operation one of whose tensors is tracked runs at once, like any other, and leaves a [`record::Record`] in its result: what
//! was computed, of which tensors, and, where computing it again would be dear, its value. `backward` puts the records that
//! lead to a loss together into one graph, which the compiler's passes differentiate, as they do for macros, and runs what comes
//! out as one plan. Plans are found by the records themselves: what they do, their types, their shapes.
//!
//! `work` is what a record does, and `passed` the numbers that it takes by value; `known` what was found out about a work before; `record`
//! the records and what they hang on; `note` makes them; `tape` is the list of those that lead to a loss, by way of the `records`; `trace` is
//! what is compiled of it, apart from the tensors; `plan` finds or compiles that, and `relative` once for all sizes and `positions`; `cut`
//! says what ended one; `autocast` what activations are stored in; `trained` which models are differentiated in; `sweep` goes back from a
//! loss by such plans and by what the program says between them; `again` computes what they start from and nobody kept. `calls` are values of what consists of operations, `derivative` is a
//! derivative as such an operation, and `noted` how it is noted, where it is differentiated again. `backward`, `functional`, `products` and
//! `custom` are what users call.

mod again;
pub(crate) mod autocast;
mod backward;
pub(crate) mod calls;
mod custom;
pub(crate) mod cut;
mod derivative;
mod functional;
pub(crate) mod known;
pub(crate) mod note;
mod noted;
pub(crate) mod passed;
pub(crate) mod plan;
pub(crate) mod positions;
mod products;
pub(crate) mod record;
mod records;
mod relative;
mod sweep;
mod tape;
pub(crate) mod trace;
pub(crate) mod tracer;
pub(crate) mod trained;
pub(crate) mod work;

pub use autocast::autocast;
pub use backward::Backward;
pub use custom::{checkpoint, custom_vjp};
pub use functional::{Differentiable, grad, no_grad, value_and_grad};
pub use products::{jvp, vjp};
