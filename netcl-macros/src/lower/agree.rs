//! Sizes that types declare, and those that values have: equal, different, or for each call to tell.

use super::{Lowering, Val};
use crate::ast::{ArgType, FunctionItem};
use netcl_kernels::dim::{Dim, Symbol};
use netcl_kernels::graph::{Agreement, NodeId};
use std::collections::BTreeMap;

impl<'a> Lowering<'a> {
    /// Adds the sizes that all arguments tell together: `{ S + K }` of one where `K` is an axis of a later one.
    pub(super) fn solve(&self, function: &FunctionItem, args: &[Val<'a>], symbols: &mut BTreeMap<String, Dim>) {
        let pairs = function.args.iter().zip(args).filter_map(|(arg, value)| match (&arg.ty, value) {
            (ArgType::Tensor(ty), Val::Tensor(id)) => Some((ty, self.builder.shape(*id))),
            _ => None,
        });
        let same_rank: Vec<_> = pairs.filter(|(ty, shape)| ty.dims.len() == shape.rank()).collect();
        let sizes = same_rank.iter().flat_map(|(ty, shape)| ty.dims.iter().map(|own| &own.dim).zip(&shape.0));
        let mut known = symbols.iter().map(|(name, dim)| (Symbol::new(name), dim.clone())).collect();
        Dim::solve(sizes, &mut known);
        symbols.extend(known.into_iter().map(|(symbol, dim)| (symbol.name().to_string(), dim)));
    }

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
