//! What users can call on tensors, by name: one table for the macro and for run time.
//!
//! An [`Operation`] is composed from graph nodes by its `build` function; the macro finds it by method name, `Tensor`
//! methods call the same function. A file per family, each with its part of the table (`OPERATIONS`) and the functions
//! themselves, which layers call directly.
//!
//! Nothing here writes derivatives: they follow from the nodes. The formulas are chosen so that they follow well:
//! no branch that is not taken may overflow, because its gradient would be `0 * inf`, and the value at a kink is taken
//! from the side that PyTorch takes.
//!
//! # Errors
//!
//! All functions check their operands, and return a diagnostic that names the operation, what was given (shapes, types,
//! values of configuration) and what was expected.
#![allow(clippy::missing_errors_doc, reason = "all have the same, which is written once: above")]

pub mod activation;
mod args;
pub mod arithmetic;
pub mod attention;
mod call;
pub mod convolution;
pub(crate) mod convolution1d;
mod convolution3d;
mod cumulative;
mod einsum;
mod elementary;
mod fourier;
mod image;
pub mod index;
mod inside;
mod linalg;
pub mod linear;
pub mod loss;
mod norm;
mod numbered;
mod operation;
mod ordering;
mod position;
mod rearrange;
pub mod reduction;
mod sampling;
mod scatter;
pub mod shape;
pub mod softmax;
pub(crate) mod transposed;
pub mod upsample;

pub(crate) use args::along;
pub use call::{call, call_several};
pub use elementary::Formula;
pub use numbered::{get_numbered, narrow_numbered, roll_numbered};
pub use operation::{ArgKind, ArgSpec, Family, Operation, Several, Value};
pub use position::{Position, get_at};
pub(crate) use reduction::Moments;

/// Every operation, family by family.
pub fn all() -> impl Iterator<Item = &'static Operation> {
    families().iter().flat_map(|family| family.operations.iter())
}

/// The operation of that method name.
pub fn find(name: &str) -> Option<&'static Operation> {
    all().find(|operation| operation.name == name)
}

/// The names of all that can be called, of what has several results too.
pub fn names() -> impl Iterator<Item = &'static str> {
    let several = families().iter().flat_map(|family| family.several).map(|several| several.name);
    all().map(|operation| operation.name).chain(several)
}

/// What has several results, of that method name.
pub fn several(name: &str) -> Option<&'static Several> {
    families().iter().flat_map(|family| family.several).find(|several| several.name == name)
}

/// Whether there is an operation of that name and its family is [elementwise](Family::elementwise).
pub fn is_elementwise(name: &str) -> bool {
    let mut families = families().iter().filter(|family| family.elementwise);
    families.any(|family| family.operations.iter().any(|operation| operation.name == name))
}

/// The families in the order of the documentation.
pub fn families() -> &'static [Family] {
    const fn family(title: &'static str, elementwise: bool, operations: &'static [Operation]) -> Family {
        Family { title, elementwise, operations, several: &[] }
    }
    const FAMILIES: &[Family] = &[
        family("Arithmetic", true, arithmetic::OPERATIONS),
        family("Elementary functions", true, elementary::OPERATIONS),
        family("Activations", true, activation::OPERATIONS),
        family("Reductions", false, reduction::OPERATIONS),
        family("Norms", false, norm::OPERATIONS),
        family("Running totals", false, cumulative::OPERATIONS),
        family("Softmax", false, softmax::OPERATIONS),
        family("Shapes", false, shape::OPERATIONS),
        family("Rearranging", false, rearrange::OPERATIONS),
        family("Indexing", false, index::OPERATIONS),
        family("Positions along an axis", false, scatter::OPERATIONS),
        family("Order and search", false, ordering::OPERATIONS),
        family("Products", false, linear::OPERATIONS),
        family("Sums of products", false, einsum::OPERATIONS),
        Family {
            title: "Linear algebra",
            elementwise: false,
            operations: linalg::OPERATIONS,
            several: linalg::SEVERAL,
        },
        family("Fourier transforms", false, fourier::OPERATIONS),
        family("Convolution and pooling", false, convolution::OPERATIONS),
        family("Convolution and pooling along one axis", false, convolution1d::OPERATIONS),
        family("Convolution over volumes", false, convolution3d::OPERATIONS),
        family("Transposed convolution", false, transposed::OPERATIONS),
        family("Images in other sizes", false, image::OPERATIONS),
        family("Upsampling", false, upsample::OPERATIONS),
        family("Images at places", false, sampling::OPERATIONS),
        family("Attention", false, attention::OPERATIONS),
        family("Losses", false, loss::OPERATIONS),
    ];
    FAMILIES
}
