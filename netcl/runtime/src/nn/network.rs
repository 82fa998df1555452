//! Models that are put together at run time.

use super::layer::{configure, not_computed};
use super::{ConfigValue, Layer, Mode};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::model::core::parameter;
use crate::model::{Model, ModelCore, Schema, Seed};
use crate::tensor::Tensor;
use netcl_kernels::dim::Shape;
use netcl_kernels::dtype::DType;
use netcl_kernels::layers::{self, Config, Init, TensorSpec};
use std::collections::BTreeMap;
use std::panic::Location;
use std::sync::Arc;

/// The layers and parameters of a [`Network`] to be: which there are, by their paths.
///
/// ```
/// use netcl::nn::{Layers, Mode};
/// use netcl::{Device, Model, Seed, Tensor};
/// let device = Device::host();
/// let sizes = [4usize, 8, 3]; // known only now
/// let mut layers = Layers::new();
/// for (number, pair) in sizes.windows(2).enumerate() {
///     layers.add(&format!("layers.{number}"), "Linear", &[("inputs", pair[0].into()), ("outputs", pair[1].into())])?;
/// }
/// let net = layers.build(&device, Seed(1))?;
/// assert_eq!(net.tensor("layers.1.bias")?.shape(), [3]);
/// let x = Tensor::zeros(&device, &[2, 4], netcl::DType::F32)?;
/// let hidden = net.forward("layers.0", &[&x], Mode::Inference).relu();
/// assert_eq!(net.forward("layers.1", &[&hidden], Mode::Inference).shape(), [2, 3]);
/// # Ok::<(), netcl::Error>(())
/// ```
#[derive(Default)]
pub struct Layers {
    schema: Schema,
    layers: Vec<(String, &'static layers::Layer, Config)>,
}

/// A model put together at run time: layers and parameters in one memory, which an optimizer steps with one launch.
///
/// [`Model::deep_copy`] gives the model as it was a step ago, or the best so far:
///
/// ```
/// use netcl::{Device, Model, Seed, nn::Layers};
/// let device = Device::host();
/// let mut layers = Layers::new();
/// layers.add("line", "Linear", &[("inputs", 2.into()), ("outputs", 2.into())])?;
/// let mut net = layers.build(&device, Seed(1))?;
/// let bias = net.tensor("line.bias")?.to_vec::<f32>()?;
/// let before = net.deep_copy()?;
/// net.set_tensor("line.bias", &net.tensor("line.bias")?.add(1.0))?;
/// assert_eq!(before.tensor("line.bias")?.to_vec::<f32>()?, bias);
/// assert_eq!(net.tensor("line.bias")?.to_vec::<f32>()?, [bias[0] + 1.0, bias[1] + 1.0]);
/// # Ok::<(), netcl::Error>(())
/// ```
#[derive(Clone)]
pub struct Network {
    core: ModelCore,
    layers: Vec<(String, Layer)>,
    /// What it computes with in place of parameters, by their positions.
    replaced: Arc<[(usize, Tensor)]>,
}

impl Layers {
    /// None.
    pub fn new() -> Layers {
        Layers::default()
    }

    /// Adds the layer of that type under a path. Paths are names with dots between them, as those of fields in fields.
    ///
    /// # Errors
    ///
    /// If there is no such layer, the settings are not what it takes, or there is a layer at that path.
    pub fn add(&mut self, path: &str, layer: &str, settings: &[(&str, ConfigValue)]) -> Result<&mut Layers> {
        self.check(path)?;
        let (declaration, config) = configure(layer, settings)?;
        self.schema.add_layer(path, declaration, &config)?;
        self.layers.push((path.to_owned(), declaration, config));
        Ok(self)
    }

    /// Adds a parameter that no layer has, every element `value`.
    ///
    /// # Errors
    ///
    /// If there is a layer or parameter at that path.
    pub fn add_parameter(&mut self, path: &str, shape: &[usize], value: f64) -> Result<&mut Layers> {
        self.check(path)?;
        let init = Init::Constant(value);
        let spec = TensorSpec { name: "parameter", shape: shape.to_vec(), dtype: DType::F32, init, trainable: true };
        self.schema.add(path, spec);
        Ok(self)
    }

    fn check(&self, path: &str) -> Result<()> {
        let refused = |problem: String| Err(Error::Mismatch { operation: "Layers::add".to_owned(), problem });
        if path.is_empty() || path.split('.').any(str::is_empty) {
            return refused(format!("`{path}` is no path; expected names with dots between them, as `encoder.norm`"));
        }
        let layers = self.layers.iter().map(|(path, ..)| path.as_str());
        if layers.chain(self.schema.entries().iter().map(|(path, _)| path.as_str())).any(|known| known == path) {
            return refused(format!("there is something at the path `{path}` already; give it another"));
        }
        Ok(())
    }

    /// The network with memory of its own, filled from the seed as an annotated model's.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`] if the device has no memory left.
    pub fn build(&self, device: &Device, seed: Seed) -> Result<Network> {
        Network::of(ModelCore::new(device, seed, &self.schema)?, &self.layers)
    }
}

impl Network {
    fn of(core: ModelCore, layers: &[(String, &'static layers::Layer, Config)]) -> Result<Network> {
        let layer = |(path, declaration, config): &(String, &'static layers::Layer, Config)| {
            Ok((path.clone(), Layer::with(core.clone(), format!("{path}."), declaration, config.clone())?))
        };
        let layers = layers.iter().map(layer).collect::<Result<_>>()?;
        Ok(Network { core, layers, replaced: Arc::default() })
    }

    /// The layer at a path, which shares the network's memory.
    ///
    /// # Errors
    ///
    /// [`Error::Mismatch`] if there is none, with the paths there are.
    pub fn layer(&self, path: &str) -> Result<&Layer> {
        let found = self.layers.iter().find(|(known, _)| known == path);
        found.map(|(_, layer)| layer).ok_or_else(|| {
            let known: Vec<&str> = self.layers.iter().map(|(path, _)| path.as_str()).collect();
            let problem = format!("the network has no layer `{path}`; it has: {}", known.join(", "));
            Error::Mismatch { operation: "Network::layer".to_owned(), problem }
        })
    }

    /// Runs the layer at a path: [`Layer::forward`]. Where there is none, that is the result's value ([`Tensor::check`]).
    #[track_caller]
    pub fn forward(&self, path: &str, inputs: &[&Tensor], mode: Mode) -> Tensor {
        match self.layer(path) {
            Ok(layer) => layer.forward(inputs, mode),
            Err(error) => not_computed(&self.core, path, inputs, Location::caller(), error),
        }
    }

    /// The parameter at a path to compute with, as layers do with theirs: there are gradients in it. (What [`Model::tensor`] gives is
    /// its elements alone.)
    ///
    /// # Errors
    ///
    /// [`Error::UnknownParameter`] and [`Error::NoGradient`] if there is no such parameter.
    pub fn parameter(&self, path: &str) -> Result<Tensor> {
        if !self.replaced.is_empty() {
            let index = self.core.store().parameter_index("", path)?;
            if let Some((_, tensor)) = self.replaced.iter().find(|(replaced, _)| *replaced == index) {
                return Ok(tensor.clone());
            }
        }
        self.core.tracked_of("", path)
    }

    /// All parameters with their paths, in the order of [`Model::parameters`], to compute with and to differentiate in: see
    /// [`Network::with_parameters`].
    pub fn tracked_parameters(&self) -> Vec<(String, Tensor)> {
        let store = self.core.store();
        let tensor = |index: usize| match self.replaced.iter().find(|(replaced, _)| *replaced == index) {
            Some((_, tensor)) => tensor.clone(),
            None => parameter(&store, index, true),
        };
        store.parameters().iter().enumerate().map(|(index, entry)| (entry.path.clone(), tensor(index))).collect()
    }

    /// The same network at other parameters: it computes with these tensors in place of the parameters at their paths, of the same
    /// shapes, and gradients are in what these were computed from. Parameters that are not among them, and states, are the network's
    /// own; optimizers, files and [`Model::tensor`] know nothing of the others, and [`Network::deep_copy`] has them in its memory.
    /// PyTorch's `functional_call`.
    ///
    /// ```
    /// use netcl::nn::{Layers, Mode, Network};
    /// use netcl::{Device, Result, Seed, Tensor};
    /// let device = Device::host();
    /// let mut layers = Layers::new();
    /// layers.add("line", "Linear", &[("inputs", 1.into()), ("outputs", 1.into())])?;
    /// let net = layers.build(&device, Seed(1))?;
    /// let x = Tensor::from_slice(&device, &[1.0f32, 2.0], &[2, 1])?;
    /// let loss = |net: &Network| (net.forward("line", &[&x], Mode::Training) - 1.0).square().mean_all();
    /// // A step of descent, that is differentiated with what comes after it.
    /// let start = net.tracked_parameters();
    /// let slopes = netcl::grad(&start, |at| Ok::<_, netcl::Error>(loss(&net.with_parameters(at)?)))?;
    /// let stepped: Vec<(String, Tensor)> =
    ///     start.iter().zip(&slopes).map(|((path, old), (_, slope))| (path.clone(), old - slope * 0.1)).collect();
    /// let gradients = loss(&net.with_parameters(&stepped)?).backward()?.of(&net)?;
    /// assert_eq!(gradients.tensor("line.weight")?.shape(), [1, 1]);
    /// # Ok::<(), netcl::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::UnknownParameter`] and [`Error::NoGradient`] if there is no such parameter; [`Error::Argument`] if a tensor has not its
    /// shape and type; [`Error::DeviceMismatch`] if it is on another device.
    pub fn with_parameters(&self, parameters: &[(String, Tensor)]) -> Result<Network> {
        let store = self.core.store();
        let mut replaced: BTreeMap<usize, Tensor> = self.replaced.iter().cloned().collect();
        for (path, tensor) in parameters {
            tensor.check()?;
            let index = store.parameter_index("", path)?;
            let entry = &store.parameters()[index];
            let text = |dtype: DType, shape: &[usize]| format!("{dtype}{}", Shape::of(shape));
            if (tensor.dtype(), tensor.shape()) != (entry.dtype, &*entry.shape) {
                return Err(Error::Argument {
                    function: "with_parameters".to_owned(),
                    argument: path.clone(),
                    expected: text(entry.dtype, &entry.shape),
                    found: text(tensor.dtype(), tensor.shape()),
                });
            }
            if tensor.device() != store.device() {
                return Err(store.device().mismatch("with_parameters", format!("`{path}`"), tensor.device()));
            }
            replaced.insert(index, tensor.clone());
        }
        let replaced: Arc<[(usize, Tensor)]> = replaced.into_iter().collect();
        let layers = self.layers.iter().map(|(path, layer)| (path.clone(), layer.with_parameters(&replaced))).collect();
        Ok(Network { core: self.core.clone(), layers, replaced })
    }
}

impl Model for Network {
    fn core(&self) -> &ModelCore {
        &self.core
    }

    fn core_mut(&mut self) -> &mut ModelCore {
        &mut self.core
    }

    fn is_at_other_parameters(&self) -> bool {
        !self.replaced.is_empty()
    }

    fn with_memory(&self, memory: ModelCore) -> Result<Network> {
        for (index, tensor) in self.replaced.iter() {
            memory.set_tensor(&memory.store().parameters()[*index].path.clone(), tensor)?;
        }
        let layers = self.layers.iter().map(|(path, layer)| (path.clone(), layer.in_memory(&memory))).collect();
        Ok(Network { core: memory, layers, replaced: Arc::default() })
    }
}

impl std::fmt::Debug for Network {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Network").field("core", &self.core).finish_non_exhaustive()
    }
}
