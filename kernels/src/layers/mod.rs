//! Layers: configuration, parameters, initialisation and the graph they build, declared once each, one file each.
//!
//! The macro and run-time `netcl::nn` use the same declarations, so a layer cannot differ between them. Formulas and
//! defaults are PyTorch's (2.x) unless a layer says otherwise.

mod attention;
mod avg_pool2d;
mod batch_norm;
mod config;
mod conv2d;
mod dropout;
mod embedding;
mod flatten;
mod layer_norm;
mod linear;
mod max_pool2d;
mod rms_norm;

pub use config::{Config, ConfigKey, ConfigKind, ConfigValue, nearest};

use crate::dim::{Dim, Shape};
use crate::dtype::DType;
use crate::graph::NodeId;
use crate::graph::build::Builder;
use crate::span::{Diagnostic, Result};

/// Whether a function is compiled for training or for inference (dropout, batch norm).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Mode {
    /// Dropout drops, batch norm uses and updates batch statistics.
    Training,
    /// Dropout passes, batch norm uses running statistics.
    Inference,
}

/// How a parameter or state starts. Sizes are `S`: numbers, or [`Dim`]s while they have names.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Init<S = usize> {
    /// The same number everywhere.
    Constant(f64),
    /// Uniform in `[-bound, bound)`.
    Uniform {
        /// Half the width.
        bound: f64,
    },
    /// Uniform within `1 / sqrt(inputs)`.
    FanIn {
        /// How many elements meet in one element of the result.
        inputs: S,
    },
    /// Normal with mean 0.
    Normal {
        /// Standard deviation.
        std: f64,
    },
}

/// A tensor that a layer owns. Sizes are `S`: numbers, or [`Dim`]s while they have names.
#[derive(Clone, Debug, PartialEq)]
pub struct TensorSpec<S = usize> {
    /// Its name within the layer (`weight`).
    pub name: &'static str,
    /// Its shape.
    pub shape: Vec<S>,
    /// Its type.
    pub dtype: DType,
    /// How it starts.
    pub init: Init<S>,
    /// Trained by the optimizer (a parameter), or not (state such as running statistics).
    pub trainable: bool,
}

impl TensorSpec<Dim> {
    fn parameter(name: &'static str, shape: &[Dim], init: Init<Dim>) -> Self {
        TensorSpec { name, shape: shape.to_vec(), dtype: DType::F32, init, trainable: true }
    }

    fn state(name: &'static str, shape: &[Dim], value: f64) -> Self {
        TensorSpec { trainable: false, ..Self::parameter(name, shape, Init::Constant(value)) }
    }

    /// With numbers for sizes.
    ///
    /// # Errors
    ///
    /// If a size has no value: a name, or an overflow.
    pub fn fixed(&self) -> Result<TensorSpec> {
        let number = |dim: &Dim| {
            let value = dim.as_constant().and_then(|value| usize::try_from(value).ok());
            value.ok_or_else(|| Diagnostic::new(format!("`{}` expects a number for a size, found {dim}", self.name)))
        };
        let init = match &self.init {
            Init::Constant(value) => Init::Constant(*value),
            Init::Uniform { bound } => Init::Uniform { bound: *bound },
            Init::FanIn { inputs } => Init::FanIn { inputs: number(inputs)? },
            Init::Normal { std } => Init::Normal { std: *std },
        };
        let shape = self.shape.iter().map(number).collect::<Result<_>>()?;
        Ok(TensorSpec { name: self.name, shape, dtype: self.dtype, init, trainable: self.trainable })
    }
}

/// What a layer's `forward` works with.
pub struct Context<'a> {
    /// Where nodes go.
    pub builder: &'a mut Builder,
    /// The layer's configuration.
    pub config: &'a Config,
    /// The user's name for the layer (a field), for messages.
    pub name: &'a str,
    /// The layer's tensors, in the order of [`Layer::tensors`].
    pub tensors: &'a [NodeId],
    /// Training or inference.
    pub mode: Mode,
    /// A `U32` scalar that changes from step to step, for layers that draw random numbers.
    pub seed: NodeId,
    /// New values of state tensors: (position in `tensors`, node). Filled by the layer.
    pub updates: &'a mut Vec<(usize, NodeId)>,
}

impl Context<'_> {
    /// An error if `x` is no float tensor.
    fn float(&self, x: NodeId) -> Result<DType> {
        let dtype = self.builder.dtype(x);
        if dtype.is_float() {
            return Ok(dtype);
        }
        Err(Diagnostic::new(format!("`{}` expects a float tensor, found {dtype}", self.name))
            .hint("convert it with `.cast(..)`"))
    }

    /// `x` as the type that it is computed in: what is normalised is rounded to half precision once, at the end, for sums of
    /// squares are beyond it.
    fn computed(&mut self, x: NodeId) -> Result<NodeId> {
        self.builder.cast(x, self.builder.dtype(x).compute())
    }

    /// An error if `x` has not the axes that `form` (such as `[n, c, h, w]`) shows.
    fn rank(&self, x: NodeId, fits: impl Fn(usize) -> bool, form: &str) -> Result<()> {
        let shape = self.builder.shape(x);
        if fits(shape.rank()) {
            return Ok(());
        }
        let problem = Diagnostic::new(format!("`{}` expects a tensor {form}, found {shape}", self.name));
        let rank = shape.rank();
        Err(if fits(rank + 1) {
            problem
                .hint(format!("`.unsqueeze({rank})` adds an axis of one element, which `.squeeze({rank})` takes away"))
        } else if rank > 1 && fits(rank - 1) {
            problem.hint(format!("`.flatten({})` joins the last two axes", rank - 2))
        } else {
            problem
        })
    }

    /// An error if `axis` of `x` is not as long as the key `key` says: `` `output` expects 32 features, found 64 ``.
    fn expect(&self, x: NodeId, axis: usize, key: &str, what: &str) -> Result<()> {
        let (expected, found) = (self.config.size(key), &self.builder.shape(x)[axis]);
        if *found == expected {
            return Ok(());
        }
        let note = self.builder.origin_note(x, axis);
        let problem = Diagnostic::new(format!("`{}` expects {expected} {what}, found {found}{note}", self.name));
        Err(match self.rearranged(x, axis, &expected) {
            Some(instead) => problem.hint(instead),
            None => problem,
        })
    }

    /// How `axis` of `x` would be as long as `expected`: with axes joined, or in another order.
    fn rearranged(&self, x: NodeId, axis: usize, expected: &Dim) -> Option<String> {
        let shape = self.builder.shape(x);
        if axis + 1 == shape.rank() && axis > 1 && Shape(shape.0[1..].to_vec()).elements() == *expected {
            return Some("join the axes after the first with `.flatten(1)`".to_string());
        }
        let mut others = (1..shape.rank()).filter(|other| shape[*other] == *expected);
        let (Some(from), None) = (others.next(), others.next()) else {
            let all = Shape(shape.0[1..].to_vec()).elements();
            // Images have four axes; of sequences the last is meant.
            return (axis == 3 && shape.rank() == 4)
                .then(|| format!("`.flatten(1)` joins the axes after the first: {all} features"));
        };
        let mut order: Vec<usize> = (0..shape.rank()).filter(|other| *other != from).collect();
        order.insert(axis, from);
        Some(format!("axis {from} of {shape} has that size: put it there with `.permute({order:?})`"))
    }

    /// Notes that the size of `axis` of `y` is what the key `key` says: `` `hidden`, `outputs = 64` ``.
    fn origin(&mut self, y: NodeId, axis: usize, key: &str) {
        let origin = format!("`{}`, `{key} = {}`", self.name, self.config.size(key));
        self.builder.set_origin(y, axis, &origin);
    }

    /// `x` as `dtype`, for tensors of the layer that meet an input of another float type.
    fn tensor(&mut self, position: usize, dtype: DType) -> Result<NodeId> {
        self.builder.cast(self.tensors[position], dtype)
    }
}

/// The largest number up to `wanted` that divides all of `numbers`.
fn divisor(wanted: u64, numbers: &[u64]) -> u64 {
    let largest = numbers.iter().copied().min().unwrap_or(1).min(wanted);
    let fits = |candidate: &u64| numbers.iter().all(|number| number.is_multiple_of(*candidate));
    // A number of heads or groups is small, and so are those below it; what is absurd is answered by one.
    (1..=largest.min(1 << 16)).rev().find(fits).unwrap_or(1)
}

/// The declaration of a layer.
pub struct Layer {
    /// Its type name (`Linear`).
    pub name: &'static str,
    /// What it computes, with shapes and the source of the formula.
    pub doc: &'static str,
    /// Its configuration keys.
    pub config: &'static [ConfigKey],
    /// Checks what single keys cannot show (`groups` divides `inputs`).
    pub check: fn(&Config) -> Result<()>,
    /// The tensors it owns.
    pub tensors: fn(&Config) -> Vec<TensorSpec<Dim>>,
    /// How many tensors `forward` takes.
    pub inputs: usize,
    /// Builds its graph.
    pub forward: fn(&mut Context<'_>, &[NodeId]) -> Result<NodeId>,
}

static ALL: [&Layer; 11] = [
    &linear::LINEAR,
    &conv2d::CONV2D,
    &max_pool2d::MAX_POOL2D,
    &avg_pool2d::AVG_POOL2D,
    &batch_norm::BATCH_NORM,
    &layer_norm::LAYER_NORM,
    &rms_norm::RMS_NORM,
    &dropout::DROPOUT,
    &embedding::EMBEDDING,
    &flatten::FLATTEN,
    &attention::SELF_ATTENTION,
];

/// Every layer.
pub fn all() -> &'static [&'static Layer] {
    &ALL
}

/// The layer of that type name.
pub fn find(name: &str) -> Option<&'static Layer> {
    all().iter().copied().find(|layer| layer.name == name)
}

/// Builds `layer`'s graph: checks the number of inputs, names the result after the layer.
///
/// # Errors
///
/// Another number of inputs than the layer takes, or what its graph says of their shapes and types.
pub fn forward(layer: &Layer, context: &mut Context<'_>, inputs: &[NodeId]) -> Result<NodeId> {
    if inputs.len() != layer.inputs {
        return Err(Diagnostic::new(format!(
            "`{}` ({}) expects {} tensor{}, found {}",
            context.name,
            layer.name,
            layer.inputs,
            if layer.inputs == 1 { "" } else { "s" },
            inputs.len()
        )));
    }
    let result = (layer.forward)(context, inputs)?;
    if !inputs.contains(&result) {
        context.builder.name(result, context.name);
    }
    Ok(result)
}

/// For layers whose keys need no further checks.
fn unchecked(_: &Config) -> Result<()> {
    Ok(())
}

/// PyTorch's default for weights and biases of linear layers and convolutions: uniform within `1 / sqrt(fan_in)`
/// (`kaiming_uniform_` with `a = sqrt(5)`).
fn fan_in(inputs: Dim) -> Init<Dim> {
    Init::FanIn { inputs }
}

/// An error if a stride, dilation or window of `key` is zero.
fn positive_pair(layer: &str, config: &Config, key: &str) -> Result<()> {
    let [height, width] = config.pair(key);
    if height > 0 && width > 0 {
        return Ok(());
    }
    Err(Diagnostic::new(format!("`{key}` of `{layer}` must be at least 1, found ({height}, {width})")))
}

/// An error if `epsilon` is not above zero.
fn positive_epsilon(layer: &str, config: &Config) -> Result<()> {
    let epsilon = config.number("epsilon");
    if epsilon > 0.0 {
        return Ok(());
    }
    Err(Diagnostic::new(format!("`epsilon` of `{layer}` must be above 0, found {epsilon}")))
}

/// `(x - mean) * rsqrt(variance + epsilon)`, all of one shape.
fn normalised(b: &mut Builder, centred: NodeId, variance: NodeId, epsilon: f64, spread: &Spread<'_>) -> Result<NodeId> {
    use crate::graph::{BinaryOp, UnaryOp};
    let dtype = b.dtype(variance);
    let epsilon = b.constant(epsilon, dtype);
    let held = b.binary(BinaryOp::Add, variance, epsilon)?;
    // One root for each statistic, spread afterwards.
    let scale = b.unary(UnaryOp::Rsqrt, held)?;
    let scale = spread(b, scale)?;
    b.binary(BinaryOp::Mul, centred, scale)
}

/// Repeats a statistic to the shape of the tensor it belongs to.
type Spread<'a> = dyn Fn(&mut Builder, NodeId) -> Result<NodeId> + 'a;
