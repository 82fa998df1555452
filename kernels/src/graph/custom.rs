//! Kernels that users have written, as nodes call them: what they take and give, and what is launched.

use crate::dim::{Dim, Shape, Symbol};
use crate::dtype::DType;
use crate::kir::Kernel;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A kernel that a user has written. Sizes are in its own symbols; each call says what these are.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Custom {
    /// As the user calls it.
    pub name: String,
    /// The names of its sizes, each of which an axis of an input tells.
    pub symbols: Vec<Symbol>,
    /// What it takes, in order.
    pub inputs: Vec<CustomInput>,
    /// What it gives, in order; at least one.
    pub results: Vec<CustomResult>,
    /// What is launched, one after the other: what fills results with zeros, and last the kernel itself. Their parameters are
    /// named as inputs and results are, or as symbols.
    pub kernels: Vec<Kernel>,
    /// What gives the gradients: it takes the inputs and a cotangent for each float result, and gives a gradient for each
    /// float tensor among the inputs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gradient: Option<Arc<Custom>>,
    /// Of kernels of netcl's own, which are written for every float type: what their derivative is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub derivative: Option<Derivative>,
}

/// Derivatives that are graphs of their own, by what has them: see `numeric`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Derivative {
    /// A step of a discrete Fourier transform.
    Fourier,
    /// The adjoint of one.
    FourierAdjoint,
    /// A triangular system.
    Triangular,
    /// Cholesky's decomposition.
    Cholesky,
    /// A decomposition into triangular factors.
    Lu,
    /// One into an orthogonal and a triangular factor.
    Qr,
    /// Eigenvalues and eigenvectors.
    Eigh,
    /// Singular values and vectors.
    Svd,
}

/// An input of a [`Custom`].
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct CustomInput {
    /// The parameter's name.
    pub name: String,
    /// Of its elements.
    pub dtype: DType,
    /// Of a tensor; none of a number, which the launch passes by value.
    pub shape: Option<Shape>,
}

impl CustomInput {
    /// A tensor.
    pub fn tensor(name: &str, dtype: DType, shape: Shape) -> CustomInput {
        CustomInput { name: name.to_owned(), dtype, shape: Some(shape) }
    }

    /// A number.
    pub fn number(name: &str, dtype: DType) -> CustomInput {
        CustomInput { name: name.to_owned(), dtype, shape: None }
    }
}

/// A result of a [`Custom`].
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct CustomResult {
    /// The parameter's name.
    pub name: String,
    /// Of its elements.
    pub dtype: DType,
    /// Its sizes.
    pub shape: Shape,
}

impl CustomResult {
    /// A result.
    pub fn new(name: &str, dtype: DType, shape: Shape) -> CustomResult {
        CustomResult { name: name.to_owned(), dtype, shape }
    }
}

impl Custom {
    /// A size of its own for a call whose symbols are `sizes`.
    pub fn size(&self, sizes: &[Dim], own: &Dim) -> Dim {
        own.substitute(&|symbol| {
            let position = self.symbols.iter().position(|known| known == symbol)?;
            sizes.get(position).cloned()
        })
    }

    /// A shape of its own for such a call.
    pub fn shape(&self, sizes: &[Dim], own: &Shape) -> Shape {
        Shape(own.0.iter().map(|dim| self.size(sizes, dim)).collect())
    }

    /// What its symbols are for inputs of those shapes, in their order; none where the shapes do not tell all of them.
    pub fn bind<'a>(&self, given: impl Iterator<Item = &'a Shape>) -> Option<Vec<Dim>> {
        let mut known = BTreeMap::new();
        let shapes = self.inputs.iter().map(|input| input.shape.as_ref()).zip(given);
        let axes = shapes.filter_map(|(own, given)| Some(own?.0.iter().zip(&given.0))).flatten();
        Dim::solve(axes, &mut known);
        self.symbols.iter().map(|symbol| known.get(symbol).cloned()).collect()
    }

    /// The inputs that have gradients, by position.
    pub fn differentiable(&self) -> impl Iterator<Item = usize> {
        let float = |input: &CustomInput| input.shape.is_some() && input.dtype.is_float();
        self.inputs.iter().enumerate().filter(move |(_, input)| float(input)).map(|(position, _)| position)
    }

    /// Whether what is launched begins with zeros in the result of that name.
    pub fn is_zeroed(&self, result: &str) -> bool {
        let fills = self.kernels.split_last().map_or(&[][..], |(_, fills)| fills);
        fills.iter().any(|kernel| kernel.params.iter().any(|param| param.name == result))
    }
}
