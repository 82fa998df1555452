//! Whether an `Option` field is there: `#[layer(.., present = STRIDE > 1)]`, known once the model's numbers are.

use netcl_kernels::dim::Dim;
use netcl_kernels::graph::CompareOp;

/// The condition.
#[derive(Clone)]
pub(crate) enum Presence {
    Known(bool),
    Compare(CompareOp, Dim, Dim),
    Not(Box<Presence>),
    /// Both, or either.
    Both(bool, Box<[Presence; 2]>),
    /// With the variant of that name, of a model that is an enum: known of each model where the program runs.
    Variant(String),
}

impl Presence {
    /// Whether it holds, where sizes are what `size` says; the size that is not known otherwise.
    pub(crate) fn holds(&self, size: &dyn Fn(&Dim) -> Dim) -> Result<bool, Dim> {
        match self {
            Presence::Known(truth) => Ok(*truth),
            // A pattern names what is there.
            Presence::Variant(_) => Ok(true),
            Presence::Not(inner) => inner.holds(size).map(|truth| !truth),
            Presence::Both(and, sides) => {
                let (a, b) = (sides[0].holds(size)?, sides[1].holds(size)?);
                Ok(if *and { a && b } else { a || b })
            }
            Presence::Compare(op, a, b) => {
                let [a, b] = [a, b].map(size);
                match (a.as_constant(), b.as_constant()) {
                    (Some(a), Some(b)) => Ok(netcl_kernels::scalar::compare(*op, a, b)),
                    (None, _) => Err(a),
                    _ => Err(b),
                }
            }
        }
    }
}
