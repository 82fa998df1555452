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

    /// [`Grid::groups`] of sizes that may be symbols.
    pub fn tiles(&self, m: &Dim, n: &Dim, batch: &Dim) -> [Dim; 3] {
        [n.ceil_div(self.per_group_n.into()), m.ceil_div(self.per_group_m.into()), batch.clone()]
    }

    /// The launch of so many work-groups.
    pub fn launch(&self, m: &Dim, n: &Dim, batch: &Dim) -> Launch {
        let groups = self.tiles(m, n, batch);
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

/// Work-groups that stay on their units and share out what there is to compute, tile after tile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Resident {
    /// As many as the device holds at a time.
    pub groups: u32,
    /// Work-items of one.
    pub local: u32,
}

impl Resident {
    /// The launch of all of them, or of as many as there are tiles where that is known.
    pub fn launch(&self, tiles: &[Dim; 3]) -> Launch {
        let known = tiles.iter().map(Dim::as_constant).try_fold(1i64, |product, size| product.checked_mul(size?));
        let groups = known.map_or(i64::from(self.groups), |tiles| tiles.clamp(1, self.groups.max(1).into()));
        Launch { global: vec![Dim::constant(groups * i64::from(self.local))], local: vec![self.local] }
    }
}
