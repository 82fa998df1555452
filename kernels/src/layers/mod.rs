//! Layers: configuration, parameters, initialisation and the graph they build, declared once each, one file each.
//!
//! The macro and run-time `netcl::nn` use the same declarations, so a layer cannot differ between them.

use crate::dtype::DType;
use crate::graph::NodeId;
use crate::graph::build::Builder;
use crate::span::Result;

/// Whether a function is compiled for training or for inference (dropout, batch norm).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Mode {
    /// Dropout drops, batch norm uses and updates batch statistics.
    Training,
    /// Dropout passes, batch norm uses running statistics.
    Inference,
}

/// What one configuration key takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ConfigKind {
    /// A positive integer constant.
    Size,
    /// An integer, zero allowed.
    Count,
    /// One integer or a pair `(height, width)`; stored as two.
    Pair,
    /// A float constant.
    Number,
    /// `true` or `false`.
    Bool,
}

/// A value of a configuration key.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ConfigValue {
    /// For `Size` and `Count`.
    Size(u64),
    /// For `Pair`.
    Pair([u64; 2]),
    /// For `Number`.
    Number(f64),
    /// For `Bool`.
    Bool(bool),
}

/// One key of `#[layer(key = value, ..)]`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConfigKey {
    /// The key.
    pub name: &'static str,
    /// What it takes.
    pub kind: ConfigKind,
    /// What it is when left out; `None`: it must be given.
    pub default: Option<ConfigValue>,
    /// One line, with units.
    pub doc: &'static str,
}

/// A layer's configuration: one value per key of its declaration, in that order.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// The keys' declaration.
    pub keys: &'static [ConfigKey],
    /// The values.
    pub values: Vec<ConfigValue>,
}

impl Config {
    fn value(&self, name: &str) -> ConfigValue {
        let position = self.keys.iter().position(|key| key.name == name);
        self.values[position.unwrap_or_else(|| panic!("layer declarations only ask for their own keys, not `{name}`"))]
    }

    /// The integer called `name`.
    pub fn size(&self, name: &str) -> u64 {
        match self.value(name) {
            ConfigValue::Size(value) => value,
            other => panic!("`{name}` is {other:?}, not a size"),
        }
    }

    /// The pair called `name`.
    pub fn pair(&self, name: &str) -> [u64; 2] {
        match self.value(name) {
            ConfigValue::Pair(value) => value,
            other => panic!("`{name}` is {other:?}, not a pair"),
        }
    }

    /// The float called `name`.
    pub fn number(&self, name: &str) -> f64 {
        match self.value(name) {
            ConfigValue::Number(value) => value,
            other => panic!("`{name}` is {other:?}, not a number"),
        }
    }

    /// The truth value called `name`.
    pub fn bool(&self, name: &str) -> bool {
        match self.value(name) {
            ConfigValue::Bool(value) => value,
            other => panic!("`{name}` is {other:?}, not a bool"),
        }
    }
}

/// How a parameter or state starts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Init {
    /// The same number everywhere.
    Constant(f64),
    /// Uniform in `[-bound, bound)`.
    Uniform {
        /// Half the width.
        bound: f64,
    },
    /// Normal with mean 0.
    Normal {
        /// Standard deviation.
        std: f64,
    },
}

/// A tensor that a layer owns.
#[derive(Clone, Debug, PartialEq)]
pub struct TensorSpec {
    /// Its name within the layer (`weight`).
    pub name: &'static str,
    /// Its shape.
    pub shape: Vec<usize>,
    /// Its type.
    pub dtype: DType,
    /// How it starts.
    pub init: Init,
    /// Trained by the optimizer (a parameter), or not (state such as running statistics).
    pub trainable: bool,
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
    pub tensors: fn(&Config) -> Vec<TensorSpec>,
    /// How many tensors `forward` takes.
    pub inputs: usize,
    /// Builds its graph.
    pub forward: fn(&mut Context<'_>, &[NodeId]) -> Result<NodeId>,
}
