//! Linear algebra of small matrices, many at a time: systems of equations, and decompositions.
//!
//! Each is a kernel of `numeric` on matrices `[r, m, n]`, or composed of these, so that gradients are theirs.

mod matrices;
mod products;
mod spectral;
mod systems;

use super::args::{AXIS, Args, OTHER, X, arg, tensor_arg};
use super::{ArgKind, ArgSpec, Operation, Several};
use spectral::{Part, eigen, orthogonal, singular};

const A: ArgSpec = tensor_arg("a");
const RIGHT: ArgSpec = tensor_arg("b");

pub(super) const OPERATIONS: &[Operation] = &[
    Operation {
        name: "cholesky",
        doc: "the lower triangular `l` with `l . l^T = (a + a^T) / 2`, `a [.., n, n]`; of a matrix that is not positive definite all is NaN",
        args: &[A],
        build: |b, a| systems::cholesky(b, a.tensor(0)?),
    },
    Operation {
        name: "solve_triangular",
        doc: "`x` of `a . x = b`, of `a [.., n, n]` with the lower triangle alone or, if `upper`, the upper one, and `b [.., n, m]`; leading \
              axes broadcast. Zeros on the diagonal divide",
        args: &[A, RIGHT, arg("upper", ArgKind::Bool)],
        build: |b, a| systems::solve_triangular(b, [a.tensor(0)?, a.tensor(1)?], a.bool(2)?),
    },
    Operation {
        name: "solve",
        doc: "`x` of `a . x = b`, `a [.., n, n]`, `b [.., n, m]` or `[n]`; leading axes broadcast. Of a singular matrix it is NaN",
        args: &[A, RIGHT],
        build: |b, a| systems::solve(b, "solve", [a.tensor(0)?, a.tensor(1)?]),
    },
    Operation {
        name: "inv",
        doc: "the inverse of `a [.., n, n]`; of a singular matrix it is NaN",
        args: &[A],
        build: |b, a| systems::inverse(b, "inv", a.tensor(0)?),
    },
    Operation {
        name: "det",
        doc: "the determinant of `a [.., n, n]`; its gradient is NaN where it is 0",
        args: &[A],
        build: |b, a| systems::determinant(b, a.tensor(0)?),
    },
    Operation {
        name: "logabsdet",
        doc: "the logarithm of `|det|` of `a [.., n, n]`, without overflow: -inf of a singular matrix",
        args: &[A],
        build: |b, a| systems::log_determinant(b, a.tensor(0)?),
    },
    Operation {
        name: "det_sign",
        doc: "the sign of `det` of `a [.., n, n]`: -1, 0 or 1",
        args: &[A],
        build: |b, a| systems::determinant_sign(b, a.tensor(0)?),
    },
    Operation {
        name: "lstsq",
        doc: "the `x` with the least `|a . x - b|`, of `a [.., m, n]` that is no wider than high and has independent columns, and \
              `b [.., m, k]`; leading axes broadcast",
        args: &[A, RIGHT],
        build: |b, a| spectral::least_squares(b, [a.tensor(0)?, a.tensor(1)?]),
    },
    Operation {
        name: "qr_q",
        doc: "`q` of `qr`",
        args: &[A],
        build: |b, a| orthogonal(b, "qr_q", a.tensor(0)?, Part::First),
    },
    Operation {
        name: "qr_r",
        doc: "`r` of `qr`",
        args: &[A],
        build: |b, a| orthogonal(b, "qr_r", a.tensor(0)?, Part::Last),
    },
    Operation {
        name: "eigvalsh",
        doc: "the eigenvalues of `(a + a^T) / 2`, `a [.., n, n]`, the smallest first: `[.., n]`",
        args: &[A],
        build: |b, a| eigen(b, "eigvalsh", a.tensor(0)?, Part::First),
    },
    Operation {
        name: "eigh_vectors",
        doc: "the vectors of `eigh`",
        args: &[A],
        build: |b, a| eigen(b, "eigh_vectors", a.tensor(0)?, Part::Last),
    },
    Operation {
        name: "svd_u",
        doc: "`u` of `svd`",
        args: &[A],
        build: |b, a| singular(b, "svd_u", a.tensor(0)?, Part::First),
    },
    Operation {
        name: "svdvals",
        doc: "the singular values of `a [.., m, n]`, the largest first: `[.., min(m, n)]`",
        args: &[A],
        build: |b, a| singular(b, "svdvals", a.tensor(0)?, Part::Middle),
    },
    Operation {
        name: "svd_vh",
        doc: "`vh` of `svd`",
        args: &[A],
        build: |b, a| singular(b, "svd_vh", a.tensor(0)?, Part::Last),
    },
    Operation {
        name: "matrix_power",
        doc: "`a . a . ..`, `power` times, `a [.., n, n]`; of a negative `power` the same of the inverse, and of 0 the identity",
        args: &[A, arg("power", ArgKind::Axis)],
        build: |b, a| systems::power(b, a.tensor(0)?, a.integer(1)?),
    },
    Operation {
        name: "cross",
        doc: "the vector product of three elements along `axis`; other axes broadcast",
        args: &[X, OTHER, AXIS],
        build: |b, a| products::cross(b, [a.tensor(0)?, a.tensor(1)?], a.integer(2)?),
    },
    Operation {
        name: "kron",
        doc: "Kronecker's product: `other` times each element of `x`, side by side along every axis",
        args: &[X, OTHER],
        build: |b, a| products::kron(b, a.tensor(0)?, a.tensor(1)?),
    },
];

pub(super) const SEVERAL: &[Several] = &[
    Several {
        name: "slogdet",
        doc: "the sign of `det` of `a [.., n, n]`, and the logarithm of `|det|`",
        args: &[A],
        parts: &["det_sign", "logabsdet"],
    },
    Several {
        name: "qr",
        doc: "`q [.., m, k]` with orthonormal columns and the upper triangular `r [.., k, n]`, `k = min(m, n)`, whose product is `a [.., m, n]`. \
              It has a gradient where the first `k` columns are independent",
        args: &[A],
        parts: &["qr_q", "qr_r"],
    },
    Several {
        name: "eigh",
        doc: "the eigenvalues `[.., n]` of `(a + a^T) / 2`, `a [.., n, n]`, the smallest first, and vectors of length 1 as the columns of \
              `[.., n, n]`, of each of which the largest element is positive. The gradient of vectors is NaN or infinite where \
              eigenvalues are equal",
        args: &[A],
        parts: &["eigvalsh", "eigh_vectors"],
    },
    Several {
        name: "svd",
        doc: "`u [.., m, k]`, the singular values `[.., k]`, the largest first, and `vh [.., k, n]`, `k = min(m, n)`, with \
              `a = u . diag(s) . vh`; the largest element of each column of `u` is positive. The gradient of `u` and `vh` is NaN or \
              infinite where singular values are equal, or 0",
        args: &[A],
        parts: &["svd_u", "svdvals", "svd_vh"],
    },
];
