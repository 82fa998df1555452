//! Kernels of netcl's own that compute what no chain of nodes does in as few steps, with their derivatives as graphs.
//!
//! Each is a call of a kernel as users write them: verified, interpreted and run on every device as those are. Its text stands for
//! every float type, and its [`Derivative`] says which of the rules here gives the cotangents of its operands, by nodes that have
//! derivatives themselves.

pub(crate) mod call;
pub(crate) mod cholesky;
pub(crate) mod eigh;
pub(crate) mod fourier;
pub(crate) mod lu;
pub(crate) mod matrix;
pub(crate) mod qr;
pub(crate) mod svd;
pub(crate) mod triangular;

use crate::graph::Derivative;
use crate::graph::build::Builder;
use crate::span::Result;
use call::{Cotangents, Reverse, reversed};

/// The cotangents of a call's operands, by position.
pub(crate) fn cotangents(b: &mut Builder, derivative: Derivative, of: &Reverse<'_>) -> Result<Cotangents> {
    match derivative {
        Derivative::Fourier => fourier::cotangents(b, of, fourier::adjoint),
        Derivative::FourierAdjoint => fourier::cotangents(b, of, fourier::step),
        Derivative::Triangular => triangular::cotangents(b, of),
        Derivative::Cholesky => reversed(b, of, cholesky::cotangents),
        Derivative::Lu => reversed(b, of, lu::cotangents),
        Derivative::Qr => reversed(b, of, qr::cotangents),
        Derivative::Eigh => reversed(b, of, eigh::cotangents),
        Derivative::Svd => reversed(b, of, svd::cotangents),
    }
}
