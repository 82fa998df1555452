//! Where sizes come from, for error messages.

use crate::dim::Dim;
use std::fmt;

/// Where the size of an axis came from: what the user declared, or the layer or the operation that made it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// An argument of a function: `x: &Tensor<f32, N, 8>`.
    Argument {
        /// `x`.
        name: String,
        /// `Tensor<f32, N, 8>`.
        ty: String,
    },
    /// A tensor that the model has, by its name or path: `hidden.weight`.
    Tensor(String),
    /// A key of a layer: `hidden`, `outputs = 64`.
    Key {
        /// `hidden`.
        layer: String,
        /// `outputs`.
        key: &'static str,
        /// 64.
        size: Dim,
    },
    /// Windows of a layer or an operation over an axis: `pool`, a window of 3 over 8, stride 2.
    Windows {
        /// `pool`.
        of: String,
        /// 3.
        window: u64,
        /// 8.
        over: Dim,
        /// How they lie, where that is not as usual: (stride, 2).
        placed: Vec<(&'static str, u64)>,
    },
    /// What else a layer or an operation makes of an axis: `up`, 2 times 8.
    Made {
        /// `up`.
        by: String,
        /// 2 times 8.
        how: String,
    },
    /// What an operation makes of several axes: `concat` of 3 and 4.
    Operation {
        /// `concat`.
        name: String,
        /// 3 and 4.
        of: String,
    },
}

impl Origin {
    /// What an operation makes of `of`.
    pub fn operation(name: &str, of: impl fmt::Display) -> Origin {
        Origin::Operation { name: name.to_string(), of: of.to_string() }
    }

    /// The name of the layer or the tensor of a model that it tells of.
    pub fn of_model(&mut self) -> Option<&mut String> {
        match self {
            Origin::Tensor(name)
            | Origin::Key { layer: name, .. }
            | Origin::Windows { of: name, .. }
            | Origin::Made { by: name, .. } => Some(name),
            Origin::Argument { .. } | Origin::Operation { .. } => None,
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::Argument { name, ty } => write!(f, "`{name}: &{ty}`"),
            Origin::Tensor(path) => write!(f, "`{path}`"),
            Origin::Key { layer, key, size } => write!(f, "`{layer}`, `{key} = {size}`"),
            Origin::Windows { of, window, over, placed } => {
                write!(f, "`{of}`, a window of {window} over {over}")?;
                placed.iter().try_for_each(|(word, value)| write!(f, ", {word} {value}"))
            }
            Origin::Made { by, how } => write!(f, "`{by}`, {how}"),
            Origin::Operation { name, of } => write!(f, "`{name}` of {of}"),
        }
    }
}
