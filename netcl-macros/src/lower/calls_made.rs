//! The calls of other functions that have been made along one path.

use super::Val;
use crate::ast::Helper;
use netcl_kernels::graph::NodeId;
use std::collections::HashMap;

/// The calls along one path.
#[derive(Clone, Default)]
pub(super) struct Calls<'a> {
    /// How many there have been.
    pub(super) made: usize,
    /// What functions of scalars gave, by their place in memory and the arguments.
    pub(super) known: HashMap<(*const Helper, Vec<NodeId>), Val<'a>>,
}
