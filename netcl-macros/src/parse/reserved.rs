//! Names that are not the user's.

use crate::diag::Diag;
use crate::messages as m;
use netcl_kernels::layers;
use proc_macro2::Ident;

/// Rule: `__netcl…` are the names of what is generated. Wrong: `fn forward(&self, __netcl_value: &Tensor<f32, N>)`.
pub(crate) fn own_name(diag: &Diag, name: &Ident) {
    if super::name(name).starts_with(crate::words::OWN) {
        diag.report(name.span(), &m::RESERVED_NAME, &[&name]);
    }
}

/// Rule: a layer's name is the layer's wherever a field's type has it, since no macro is told whose a name is. Wrong:
/// `struct Sigmoid { .. }`, in whose place each field `l: Sigmoid` would be netcl's.
pub(crate) fn layer_name(diag: &Diag, name: &Ident) {
    if layers::find(&super::name(name)).is_some() {
        diag.report(name.span(), &m::LAYER_NAME, &[&name, &name]);
    }
}

/// Types that every program knows, netcl's and Rust's, which have no functions of scalars.
const KNOWN_TYPES: [&str; 12] =
    ["Self", "Tensor", "DType", "Device", "Vec", "Box", "Rc", "Arc", "String", "Option", "Result", "Default"];

/// Whether a type of that name has no function of scalars wherever it is.
pub(crate) fn is_known_type(name: &Ident) -> bool {
    KNOWN_TYPES.iter().any(|known| name == known) || layers::find(&super::name(name)).is_some()
}
