//! Models: parameters and states in one buffer each, found by path.

mod choice;
pub(crate) mod core;
pub(crate) mod gradient_buffer;
pub(crate) mod gradients;
mod init;
mod late_states;
pub(crate) mod module;
mod part;
pub(crate) mod paths;
mod schema;
mod seed;
pub(crate) mod store;
mod variants;
mod whole;

pub use core::ModelCore;
pub use gradients::Gradients;
pub use module::{Module, ModuleField};
pub use part::Part;
pub use schema::Schema;
pub use seed::Seed;
pub use variants::Variants;
pub use whole::Whole;

use crate::device::Device;
use crate::error::{Error, Result};
use crate::tensor::Tensor;

/// What `#[netcl::model]` implements: a struct whose tensors live in a [`ModelCore`].
///
/// A model in a field of another is a part of it: it shares the whole model's memory, and everything here works on the
/// part alone, by paths that start at the part (`net.encoder.tensor("weight")` is `net.tensor("encoder.weight")`).
///
/// `Clone` of a model makes another handle of the same memory: stepping one steps the other. [`Model::deep_copy`] makes
/// a model with memory of its own.
///
/// A part is not replaced by assigning its field: the whole model computes with the part that it was made with, and what is called
/// of it fails with [`Error::Assigned`] from then on, where it can fail. The part's tensors are replaced, with [`Model::set_tensor`] or
/// [`crate::io::load`]: `io::load(&mut net.head, file)?`.
pub trait Model {
    /// Every tensor the model has, in the order of its fields. It is empty for models that are put together at run time
    /// ([`crate::nn::Network`]), of which only each itself knows.
    fn schema() -> Schema
    where
        Self: Sized,
    {
        Schema::new()
    }

    /// Its memory; of a part, the whole model's.
    fn core(&self) -> &ModelCore;

    /// Its memory; of a part, the whole model's.
    fn core_mut(&mut self) -> &mut ModelCore;

    /// Where in the memory its paths start: empty for a whole model, else a path with a trailing dot (`encoder.`).
    fn prefix(&self) -> &str {
        ""
    }

    /// That the parts in its fields are those that it was made with, which its functions compute with. Allocates nothing.
    ///
    /// # Errors
    ///
    /// [`Error::Assigned`] where one was assigned, swapped or taken out.
    #[doc(hidden)]
    fn check_fields(&self) -> Result<()> {
        Ok(())
    }

    /// Whether it computes with other tensors in place of its parameters.
    #[doc(hidden)]
    fn is_at_other_parameters(&self) -> bool {
        false
    }

    /// A model as `new` makes it, in which parts that are enums of layers are these variants, each by the part's path:
    /// `[("act", "Gelu")]`, of an enum itself `[("", "Gelu")]`. Others are the variants that their fields say, or the first.
    ///
    /// # Errors
    ///
    /// Those of `new`, and where a part is no enum of layers, has no such variant, or has a field that says another one.
    fn with_variants(device: &Device, seed: Seed, variants: &[(&str, &str)]) -> Result<Self>
    where
        Self: Sized,
    {
        Self::attached("with_variants", ModelCore::new(device, seed, &Self::schema().with_variants(variants)?)?)
    }

    /// The variant that the part at that path is, an enum of layers; of an enum itself the path is empty.
    ///
    /// # Errors
    ///
    /// If no enum of layers has that path; the error lists those that there are.
    fn variant(&self, path: &str) -> Result<&'static str> {
        self.check_fields()?;
        self.core().variant_of(self.prefix(), path).ok_or_else(|| Error::Argument {
            function: "variant".to_owned(),
            argument: "path".to_owned(),
            expected: match self.core().variants_of(self.prefix()).as_slice() {
                [] => "the path of an enum of layers, of which this model has none".to_owned(),
                all => format!("the path of an enum of layers: {}", all.join(", ")),
            },
            found: format!("`{path}`"),
        })
    }

    /// The device it is on.
    fn device(&self) -> Device {
        self.core().device()
    }

    /// Path and value of every parameter, in the order of the fields. The tensors are views: they change when an
    /// optimizer steps. They are those that the model computes with, also where a field was assigned.
    fn parameters(&self) -> Vec<(String, Tensor)> {
        self.core().parameters_of(self.prefix())
    }

    /// Path and value of every state that is not trained (running statistics). The tensors are views.
    fn states(&self) -> Vec<(String, Tensor)> {
        self.core().states_of(self.prefix())
    }

    /// The parameter or state of that path, as a view.
    ///
    /// # Errors
    ///
    /// If there is none; the error lists those there are. [`Error::Assigned`] where a field was assigned.
    fn tensor(&self, path: &str) -> Result<Tensor> {
        self.check_fields()?;
        self.core().tensor_of(self.prefix(), path)
    }

    /// Overwrites the parameter or state of that path; shape and type must be its own.
    ///
    /// # Errors
    ///
    /// If there is none of that path, or it has another shape or type. [`Error::Assigned`] where a field was assigned.
    fn set_tensor(&mut self, path: &str, value: &Tensor) -> Result<()> {
        self.check_fields()?;
        self.core().set_tensor_of(self.prefix(), path, value)
    }

    /// Moves all tensors to another device. Everything that belongs to the model (its nested models too, and of a part
    /// the whole model) moves along; views taken before keep the old memory.
    ///
    /// # Errors
    ///
    /// If the other device has no memory left, or a driver fails; the model stays where it was. [`Error::Assigned`] where a field was
    /// assigned.
    fn to_device(&mut self, device: &Device) -> Result<()> {
        self.check_fields()?;
        self.core().to_device(device)
    }

    /// A model with memory of its own, on the same device, with the same parameters and states. The copy of a part is a
    /// whole model.
    ///
    /// # Errors
    ///
    /// If the device has no memory left. [`Error::Assigned`] where a field was assigned.
    fn deep_copy(&self) -> Result<Self>
    where
        Self: Sized,
    {
        self.check_fields()?;
        self.with_memory(self.core().copy_of(self.prefix())?)
    }

    /// The same model as a whole one, with its tensors, which are at the same paths from it on, in that memory.
    #[doc(hidden)]
    fn with_memory(&self, memory: ModelCore) -> Result<Self>
    where
        Self: Sized,
    {
        Self::attached("deep_copy", memory)
    }

    /// The model whose tensors are in that memory, for that function.
    ///
    /// # Errors
    ///
    /// [`Error::Unsupported`] where a model's type does not say what it is.
    #[doc(hidden)]
    fn attached(function: &str, memory: ModelCore) -> Result<Self>
    where
        Self: Sized,
    {
        Err(Error::Unsupported {
            function: function.to_owned(),
            device: memory.device().to_string(),
            problem: format!(
                "nothing says how a `{}` is made, which is no struct or enum with `#[netcl::model]`",
                std::any::type_name::<Self>()
            ),
        })
    }
}
