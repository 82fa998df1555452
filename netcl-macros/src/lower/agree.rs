//! Sizes that types declare, and those that values have: equal, different, or for each call to tell.

use super::Lowering;
use netcl_kernels::dim::Dim;
use netcl_kernels::graph::{Agreement, NodeId};

impl Lowering<'_> {
    /// Whether the axis of `id` has the size that a type declares. Where symbols decide that, each call is checked, and says
    /// who `declares` it and who `has` another.
    pub(super) fn has_size(&mut self, (id, axis): (NodeId, usize), declared: &Dim, declares: &str, has: &str) -> bool {
        let size = self.builder.shape(id)[axis].clone();
        *declared == size || {
            let note = self.builder.origin_note(id, axis);
            self.builder.agree(Agreement {
                what: declares.to_string(),
                sizes: [declared.clone(), size],
                notes: [format!(" along axis {axis},"), note],
                joint: has.to_string(),
            })
        }
    }
}
