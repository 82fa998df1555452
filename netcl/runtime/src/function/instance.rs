//! Models of given numbers that a macro has compiled where their types are named.

use super::Function;
use crate::error::Result;
use crate::model::Variants;

/// A plain argument, by which a function's path is chosen.
#[derive(Clone, Copy, Debug)]
pub enum PlainArgument {
    /// A `bool`.
    Bool(bool),
    /// A `usize`.
    Usize(usize),
}

/// What `#[netcl::model] type Small = Block<64>;` implements: the functions of a generic model that are written out for its
/// numbers, as those that loop over so many layers.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not compiled for use on its own",
    label = "its functions need these numbers and types while the crate is built",
    note = "name it once in the crate that has the model: `#[netcl::model] type Name = {Self};`; as a field of another model it is \
            compiled with that"
)]
pub trait NamedInstance {
    /// The function of that name for these plain arguments, and for what the enums of layers in the model are.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Condition`] if a condition over them has no value.
    fn function(name: &'static str, plain: &[PlainArgument], variants: Variants<'_>) -> Result<&'static Function>;

    /// All of them.
    fn functions() -> Vec<&'static [Function]>;
}
