//! What kernels have in common that differ in names alone.

use super::{Kernel, ParamKind};

impl Kernel {
    /// The kernel without what does not change its code: comments, places, and names, but for those that tell what is passed
    /// (sizes by their symbols, the values that a template passes).
    pub fn nameless(&self) -> Kernel {
        let mut own = self.clone();
        own.name.clear();
        own.doc.clear();
        own.spans.clear();
        own.vars.iter_mut().for_each(|var| var.name.clear());
        own.arrays.iter_mut().for_each(|array| array.name.clear());
        for param in &mut own.params {
            if matches!(param.kind, ParamKind::Buffer(..) | ParamKind::Scalar(_)) {
                param.name.clear();
            }
        }
        own
    }
}
