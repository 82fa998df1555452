//! The list of a model's tensors.

use crate::error::{Error, Result};
use crate::model::choice::Choice;
use netcl_kernels::layers::{self, Config, ConfigValue, Init, Layer, TensorSpec};
use netcl_kernels::span::{Diagnostic, Span};

/// The tensors of a model: path and declaration, in the order of the fields.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Schema {
    entries: Vec<(String, TensorSpec)>,
    /// The parts that are one of several.
    choices: Vec<Choice>,
    /// Fields and the groups that optimizers step them in, by name.
    groups: Vec<(String, String)>,
    /// Tensors of fields that are another field's, and these.
    shared: Vec<(String, String)>,
    /// Fields in which losses compute no gradient.
    frozen: Vec<String>,
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
        for choice in model.choices {
            let path = if choice.path.is_empty() { name.to_owned() } else { format!("{name}.{}", choice.path) };
            self.choices.push(Choice { path, ..choice });
        }
        self.groups.extend(model.groups.into_iter().map(|(path, group)| (format!("{name}.{path}"), group)));
        let within = |path: String| format!("{name}.{path}");
        self.shared.extend(model.shared.into_iter().map(|(path, other)| (within(path), within(other))));
        self.frozen.extend(model.frozen.into_iter().map(|path| format!("{name}.{path}")));
        self.refused = self.refused.take().or(model.refused);
    }

    /// Says that optimizers step the field `name` in a group, whose name stands for the paths of all fields that are in it.
    pub fn add_group(&mut self, name: &str, group: &str) {
        self.groups.push((name.to_owned(), group.to_owned()));
    }

    /// Says that the tensor of a field at `path` is the one at `other`, which has the memory.
    pub fn add_shared(&mut self, path: &str, other: &str) {
        self.shared.push((path.to_owned(), other.to_owned()));
    }

    /// Says that losses compute no gradient in the field `name`.
    pub fn add_frozen(&mut self, name: &str) {
        self.frozen.push(name.to_owned());
    }

    /// Says that the model is an enum of layers: its variants, each with the fields that it alone has, and which of them it
    /// is where nobody says otherwise.
    pub fn add_variants(&mut self, variants: &[(&'static str, &'static [&'static str])], first: usize) {
        self.choices.push(Choice { path: String::new(), variants: variants.to_vec(), chosen: first, fixed: false });
    }

    /// Says which variant the enum of layers in the field `name` is in each model. Where it has none of that name there is no
    /// such model, and [`Schema::check`] says why.
    pub fn fix(&mut self, name: &str, variant: &str) {
        if let Err(error) = self.choose("Model::new", name, variant, true) {
            self.refused.get_or_insert(error.to_string());
        }
    }

    /// The same with these variants, each by the path of its part.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] where no enum of layers has that path, or it has no such variant, or its field says which it is.
    pub fn with_variants(mut self, variants: &[(&str, &str)]) -> Result<Schema> {
        for (path, variant) in variants {
            self.choose("with_variants", path, variant, false)?;
        }
        Ok(self)
    }

    fn choose(&mut self, function: &str, path: &str, variant: &str, fixed: bool) -> Result<()> {
        let wrong = |expected: String, found: String| {
            let (function, argument) = (function.to_owned(), "variants".to_owned());
            Err(Error::Argument { function, argument, expected, found })
        };
        let Some(position) = self.choices.iter().position(|choice| choice.path == path) else {
            let all = self.choices.iter().map(|choice| format!("`{}`", choice.path)).collect::<Vec<_>>();
            let all = if all.is_empty() { "this model has none".to_owned() } else { all.join(", ") };
            return wrong(format!("paths of enums of layers: {all}"), format!("`{path}`"));
        };
        let choice = &mut self.choices[position];
        let Some(chosen) = choice.variants.iter().position(|(name, _)| *name == variant) else {
            return wrong(format!("for `{path}` one of {}", choice.names()), format!("`{variant}`"));
        };
        if choice.fixed && choice.chosen != chosen {
            return wrong(format!("for `{path}` `{}`, as its field says", choice.name()), format!("`{variant}`"));
        }
        choice.chosen = chosen;
        choice.fixed |= fixed;
        Ok(())
    }

    /// The tensors that there are with the variants that are chosen.
    pub(crate) fn present(&self) -> impl Iterator<Item = &(String, TensorSpec)> + Clone {
        self.entries.iter().filter(|(path, _)| !self.choices.iter().any(|choice| choice.leaves_out(path)))
    }

    /// The variants that are chosen, by the paths of parts that are there.
    pub(crate) fn chosen(&self) -> impl Iterator<Item = (&str, &'static str)> {
        let there = |choice: &&Choice| !self.choices.iter().any(|other| other.leaves_out(&choice.path));
        self.choices.iter().filter(there).map(|choice| (choice.path.as_str(), choice.name()))
    }

    /// The paths of fields and the groups that optimizers step them in.
    pub(crate) fn groups(&self) -> &[(String, String)] {
        &self.groups
    }

    /// The paths of tensors that are another's, and those of these.
    pub(crate) fn shared(&self) -> &[(String, String)] {
        &self.shared
    }

    /// The paths of fields in which losses compute no gradient.
    pub(crate) fn frozen(&self) -> &[String] {
        &self.frozen
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

    /// Path and declaration of each tensor; of enums of layers those of all variants.
    pub fn entries(&self) -> &[(String, TensorSpec)] {
        &self.entries
    }
}
