//! The list of a model's tensors.

use crate::error::{Error, Result};
use netcl_kernels::layers::{self, Config, ConfigValue, Init, Layer, TensorSpec};
use netcl_kernels::span::{Diagnostic, Span};

/// The tensors of a model: path and declaration, in the order of the fields.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Schema {
    entries: Vec<(String, TensorSpec)>,
    /// Why there is no such model.
    refused: Option<String>,
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
        if let Some(open) = config.open().next() {
            return Err(failed(Diagnostic::new(format!("`{open}` is a name, of which there is no number here"))));
        }
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
        self.refused = self.refused.take().or(model.refused);
    }

    /// Adds the tensors of the layer called `layer` in the field `name` of a generic model, for the numbers of its parameters.
    /// Where the layer cannot have these, there is no such model, and [`Schema::check`] says why.
    pub fn add_given(&mut self, model: &str, name: &str, layer: &str, settings: &[(&str, ConfigValue)]) {
        let Some(layer) = layers::find(layer) else { return };
        let settings: Vec<_> = settings.iter().map(|(key, value)| (*key, value.clone(), Span::NONE)).collect();
        let config = Config::from_pairs(layer, &settings)
            .map_err(|errors| errors.iter().map(|error| error.message.clone()).collect::<Vec<_>>().join("; "));
        let added = config.and_then(|config| self.add_layer(name, layer, &config).map_err(|error| error.to_string()));
        if let Err(problem) = added {
            self.refused.get_or_insert(format!("`{name}` of `{model}`: {problem}"));
        }
    }

    /// The same of a layer whose weights and biases start otherwise than its declaration has them, and of which the tensors of
    /// the names `shared` are another layer's.
    pub fn add_given_as(
        &mut self,
        model: &str,
        name: &str,
        layer: &str,
        settings: &[(&str, ConfigValue)],
        [weights, biases]: [Option<Init>; 2],
        shared: &[&str],
    ) {
        let first = self.entries.len();
        self.add_given(model, name, layer, settings);
        let own = self.entries.split_off(first);
        for (path, mut spec) in own.into_iter().filter(|(_, spec)| !shared.contains(&spec.name)) {
            let start = if spec.name.ends_with("bias") { &biases } else { &weights };
            if let Some(start) = start.filter(|_| spec.trainable) {
                spec.init = start;
            }
            self.entries.push((path, spec));
        }
    }

    /// That there is such a model.
    ///
    /// # Errors
    ///
    /// [`Error::Shape`] if a layer cannot have the numbers that it is given by the model's.
    pub fn check(&self) -> Result<()> {
        match &self.refused {
            None => Ok(()),
            Some(message) => Err(Error::Shape { operation: "Model::new", message: message.clone() }),
        }
    }

    /// Path and declaration of each tensor.
    pub fn entries(&self) -> &[(String, TensorSpec)] {
        &self.entries
    }
}
