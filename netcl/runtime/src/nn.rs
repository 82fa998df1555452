//! Layers at run time, by the same declarations as in `#[netcl::model]`.

use crate::device::Device;
use crate::error::{Error, Result};
use crate::executor::{Call, Loaded};
use crate::jit;
use crate::model::{ModelCore, Schema, Seed};
use crate::tensor::Tensor;
use netcl_kernels::dim::{Dim, Shape};
use netcl_kernels::dtype::DType;
use netcl_kernels::graph::build::Builder;
use netcl_kernels::graph::{Graph, InputKind, NodeId, OutputKind};
use netcl_kernels::layers::{self, Config, Context};
use netcl_kernels::span::{Diagnostic, Span};
use std::sync::Arc;

pub use netcl_kernels::layers::{ConfigValue, Mode};

/// A layer: its declaration, its configuration, and its tensors in a [`ModelCore`].
///
/// ```
/// use netcl::{Device, Seed, nn::{ConfigValue, Layer}};
/// let device = Device::null(netcl::Target::Gpu, u64::MAX);
/// let settings = [("inputs", ConfigValue::Size(4)), ("outputs", ConfigValue::Size(3))];
/// let layer = Layer::new(&device, Seed(1), "Linear", &settings)?;
/// assert_eq!(layer.core().parameters().len(), 2);
/// # Ok::<(), netcl::Error>(())
/// ```
#[derive(Clone)]
pub struct Layer {
    declaration: &'static layers::Layer,
    config: Config,
    core: ModelCore,
    prefix: String,
}

impl Layer {
    /// A layer of that type with memory of its own; settings left out take their defaults.
    ///
    /// # Errors
    ///
    /// If there is no such layer, or the settings are not what it takes: all mistakes at once.
    pub fn new(device: &Device, seed: Seed, name: &str, settings: &[(&str, ConfigValue)]) -> Result<Layer> {
        let (declaration, config) = configure(name, settings)?;
        let mut schema = Schema::new();
        for spec in (declaration.tensors)(&config) {
            schema.add(spec.name, spec.fixed().map_err(|diagnostic| Error::graph(name, diagnostic))?);
        }
        Ok(Layer { declaration, config, core: ModelCore::new(device, seed, &schema)?, prefix: String::new() })
    }

    /// The layer of that type whose tensors a model has under `prefix` (see [`Schema::add_layer`]).
    ///
    /// # Errors
    ///
    /// As [`Layer::new`]; also if the model does not have its tensors.
    pub fn of(core: &ModelCore, prefix: &str, name: &str, settings: &[(&str, ConfigValue)]) -> Result<Layer> {
        let (declaration, config) = configure(name, settings)?;
        for spec in (declaration.tensors)(&config) {
            core.tensor(&format!("{prefix}.{}", spec.name))?;
        }
        Ok(Layer { declaration, config, core: core.clone(), prefix: prefix.to_owned() })
    }

    /// The memory its tensors are in.
    pub fn core(&self) -> &ModelCore {
        &self.core
    }

    /// Runs it on as many tensors as it takes. In training, states such as running statistics are updated. What is compiled
    /// for one batch size serves all of them.
    ///
    /// # Errors
    ///
    /// If the shapes do not fit: the message says both sides.
    pub fn forward(&self, inputs: &[&Tensor], mode: Mode) -> Result<Tensor> {
        let name = self.declaration.name;
        // One kernel for every batch size: the leading axis is a symbol, where the layer takes one.
        let batch = inputs.first().and_then(|input| input.shape().first().copied()).filter(|&size| size > 1);
        let symbolic = batch.and_then(|size| self.graph(inputs, mode, Some(size)).ok());
        let graph = symbolic
            .map_or_else(|| self.graph(inputs, mode, None), Ok)
            .map_err(|diagnostic| Error::graph(name, diagnostic))?;
        let store = self.core.store();
        let loaded: Arc<Loaded> = jit::load(&graph, store.device())?;
        let call = Call {
            args: inputs,
            model: Some((&store, self.prefix.as_str())),
            seed: Some(&|| self.core.next_seed()),
            ..Call::default()
        };
        let mut results = loaded.call(store.device(), &call)?.results;
        results.pop().ok_or_else(|| Error::graph(name, Diagnostic::new("it has no result")))
    }

    /// Of inputs of these shapes; leading axes of the size `batch` are the symbol `N`.
    fn graph(&self, inputs: &[&Tensor], mode: Mode, batch: Option<usize>) -> Result<Graph, Diagnostic> {
        let mut builder = Builder::new(self.declaration.name);
        let mut nodes = Vec::with_capacity(inputs.len());
        for (position, tensor) in inputs.iter().enumerate() {
            let name = if inputs.len() == 1 { "x".to_owned() } else { format!("x{position}") };
            let mut shape = Shape::of(tensor.shape());
            if let (Some(batch), Some(first)) = (batch, shape.0.first_mut())
                && first.is(batch as i64)
            {
                *first = Dim::symbol("N");
            }
            nodes.push(builder.input(InputKind::Argument(position), &name, shape, tensor.dtype()));
        }
        let specs = (self.declaration.tensors)(&self.config);
        let tensors: Vec<NodeId> = specs
            .iter()
            .map(|spec| {
                let kind = if spec.trainable { InputKind::Parameter } else { InputKind::State };
                builder.input(kind, spec.name, Shape(spec.shape.clone()), spec.dtype)
            })
            .collect();
        let seed = builder.input(InputKind::Scalar(0), "seed", Shape::scalar(), DType::U32);
        let mut updates = Vec::new();
        let mut context = Context {
            builder: &mut builder,
            config: &self.config,
            name: self.declaration.name,
            tensors: &tensors,
            mode,
            seed,
            updates: &mut updates,
        };
        let result = layers::forward(self.declaration, &mut context, &nodes)?;
        builder.output(OutputKind::Result(0), result);
        for (position, value) in updates {
            builder.output(OutputKind::State(specs[position].name.to_owned()), value);
        }
        Ok(builder.finish())
    }
}

impl std::fmt::Debug for Layer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut shown = f.debug_struct(self.declaration.name);
        shown.field("config", &self.config).field("prefix", &self.prefix).field("core", &self.core).finish()
    }
}

fn configure(name: &str, settings: &[(&str, ConfigValue)]) -> Result<(&'static layers::Layer, Config)> {
    let declaration = layers::find(name).ok_or_else(|| {
        let known: Vec<&str> = layers::all().iter().map(|layer| layer.name).collect();
        let diagnostic =
            Diagnostic::new(format!("there is no layer `{name}`")).hint(format!("layers: {}", known.join(", ")));
        Error::Graph { operation: "Layer::new".to_owned(), diagnostic }
    })?;
    let pairs: Vec<(&str, ConfigValue, Span)> =
        settings.iter().map(|(key, value)| (*key, value.clone(), Span::NONE)).collect();
    let config = Config::from_pairs(declaration, &pairs).map_err(|diagnostics| {
        let messages: Vec<String> = diagnostics.iter().map(ToString::to_string).collect();
        Error::graph(name, Diagnostic::new(messages.join("\n")))
    })?;
    Ok((declaration, config))
}
