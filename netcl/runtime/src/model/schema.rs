//! The list of a model's tensors.

use crate::error::{Error, Result};
use netcl_kernels::layers::{Config, Layer, TensorSpec};

/// The tensors of a model: path and declaration, in the order of the fields.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Schema {
    entries: Vec<(String, TensorSpec)>,
}

impl Schema {
    /// No tensors.
    pub fn new() -> Schema {
        Schema::default()
    }

    /// Adds one tensor.
    pub fn add(&mut self, path: impl Into<String>, spec: TensorSpec) {
        self.entries.push((path.into(), spec));
    }

    /// Adds the tensors of the layer in the field `name`, as its declaration has them. The configuration is checked by
    /// the same function that the macro calls.
    ///
    /// # Errors
    ///
    /// [`Error::Graph`] if the configuration is not one of the layer, or leaves the size of a tensor open.
    pub fn add_layer(&mut self, name: &str, layer: &Layer, config: &Config) -> Result<()> {
        let failed = |diagnostic| Error::Graph { operation: format!("{} `{name}`", layer.name), diagnostic };
        (layer.check)(config).map_err(failed)?;
        for spec in (layer.tensors)(config) {
            self.add(format!("{name}.{}", spec.name), spec.fixed().map_err(failed)?);
        }
        Ok(())
    }

    /// Adds the tensors of the model in the field `name`.
    pub fn add_model(&mut self, name: &str, model: Schema) {
        for (path, spec) in model.entries {
            self.add(format!("{name}.{path}"), spec);
        }
    }

    /// Path and declaration of each tensor.
    pub fn entries(&self) -> &[(String, TensorSpec)] {
        &self.entries
    }
}
