//! What a type parameter of a model stands for: layers, models, and types with functions of scalars.

use super::{Gradients, ModelCore, Part, Schema, Whole};
use crate::error::Result;
use netcl_kernels::layers::{ConfigValue, Init, find};

/// What the parameter `L` of a model `Block<L>` may be: a [layer](crate::layers), a model, or a type of your own whose
/// functions stand in a block with `#[netcl::function]`.
///
/// `#[netcl::model]` gives this bound to the parameters of structs and blocks; ordinary Rust that is generic over the same
/// writes it: `fn count<L: Module>(block: &Block<L>) -> usize`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no layer and no model",
    label = "neither a layer nor a model",
    note = "write `#[netcl::model]` above its struct, or, where it has functions of scalars alone, `#[netcl::function]` above their \
            `impl` block"
)]
pub trait Module {
    /// What the field holds: a model itself, nothing of what has no fields.
    #[doc(hidden)]
    type Held;

    /// The gradients in its parameters.
    #[doc(hidden)]
    type Gradients;

    /// What [`Part::WRONG_SIZE`] says, of a model.
    #[doc(hidden)]
    const WRONG_SIZE: Option<&'static str> = None;

    /// What [`Part::check_sizes`] does, of a model.
    #[doc(hidden)]
    fn check_sizes() {}

    /// Adds the tensors of the field to those of its model.
    #[doc(hidden)]
    fn add_to(schema: &mut Schema, field: &ModuleField<'_>);

    /// The part of `core` whose paths start with `prefix`.
    #[doc(hidden)]
    fn hold(core: &ModelCore, prefix: &str) -> Self::Held;

    /// What [`Part::check_in`] does, of a model.
    #[doc(hidden)]
    fn check_in(_: &Self::Held, _: &Whole<'_>, _: &str, _: Option<usize>) -> Result<()> {
        Ok(())
    }

    /// The gradients of that part.
    #[doc(hidden)]
    fn gradients_of(all: &Gradients, prefix: &str) -> Self::Gradients;
}

/// A field whose type is a parameter of its model.
#[doc(hidden)]
pub struct ModuleField<'a> {
    /// The model's name.
    pub model: &'a str,
    /// The field's path.
    pub path: &'a str,
    /// What its attribute says for layers, of which each takes the keys that it has.
    pub settings: &'a [(&'a str, ConfigValue)],
    /// How weights and biases start, where that is said.
    pub starts: [Option<Init>; 2],
}

// Whoever is none of the three is told of all of them.
#[diagnostic::do_not_recommend]
impl<M: Part> Module for M {
    type Held = M;
    type Gradients = <M as Part>::Gradients;

    const WRONG_SIZE: Option<&'static str> = M::WRONG_SIZE;

    fn check_sizes() {
        M::check_sizes();
    }

    fn add_to(schema: &mut Schema, field: &ModuleField<'_>) {
        schema.add_model(field.path, M::part_schema());
    }

    fn hold(core: &ModelCore, prefix: &str) -> M {
        M::attach(core, prefix)
    }

    fn check_in(held: &M, whole: &Whole<'_>, field: &str, position: Option<usize>) -> Result<()> {
        held.check_in(whole, field, position)
    }

    fn gradients_of(all: &Gradients, prefix: &str) -> Self::Gradients {
        M::gradients(all, prefix)
    }
}

/// Adds the tensors of a layer that stands for a parameter.
pub(crate) fn add_layer(schema: &mut Schema, layer: &str, field: &ModuleField<'_>) {
    let keys = find(layer).map(|layer| layer.config).unwrap_or_default();
    let own = field.settings.iter().filter(|(name, _)| keys.iter().any(|key| key.name == *name));
    let own: Vec<_> = own.cloned().collect();
    schema.add_given_as(field.model, field.path, layer, &own, field.starts, &[]);
}
