//! Names that are not the user's.

use crate::diag::Diag;
use crate::messages as m;
use proc_macro2::Ident;

/// Rule: `__netcl…` are the names of what is generated. Wrong: `fn forward(&self, __netcl_value: &Tensor<f32, N>)`.
pub(crate) fn own_name(diag: &Diag, name: &Ident) {
    if super::name(name).starts_with(crate::words::OWN) {
        diag.report(name.span(), &m::RESERVED_NAME, &[&name]);
    }
}
