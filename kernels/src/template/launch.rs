//! How a template is launched for a product.

use crate::dim::Dim;
use crate::kir::Launch;

/// A launch whose size follows the problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Grid {
    /// Rows of C that one work-group computes.
    pub per_group_m: u32,
    /// Columns of C that one work-group computes.
    pub per_group_n: u32,
    /// Work-items of a work-group along n, m and batch.
    pub local: [u32; 3],
}

impl Grid {
    /// Work-groups along n, m and batch.
    pub fn groups(&self, m: u64, n: u64, batch: u64) -> [u64; 3] {
        [n.div_ceil(self.per_group_n.into()), m.div_ceil(self.per_group_m.into()), batch]
    }

    /// The launch of so many work-groups.
    pub fn launch(&self, m: &Dim, n: &Dim, batch: &Dim) -> Launch {
        let groups = [n.ceil_div(self.per_group_n.into()), m.ceil_div(self.per_group_m.into()), batch.clone()];
        let items = groups.into_iter().zip(self.local).map(|(groups, local)| groups * Dim::constant(local.into()));
        Launch { global: items.collect(), local: self.local.to_vec() }
    }
}

/// Over which columns a template is launched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Columns {
    /// The product's own.
    OfProduct,
    /// Whole tiles, of so many rows and columns, of each image of a convolution's result; what lies outside the image gives
    /// nothing.
    Tiles([u32; 2]),
}
