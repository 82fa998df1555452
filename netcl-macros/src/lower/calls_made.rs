//! The calls of other functions that have been made along one path.

use super::Val;
use crate::ast::{Helper, Launched};
use crate::simt::CustomInstance;
use netcl_kernels::graph::NodeId;
use std::collections::HashMap;
use std::rc::Rc;

/// The calls along one path.
#[derive(Default)]
pub(super) struct Calls<'a> {
    /// How many there have been.
    pub(super) made: usize,
    /// What functions of scalars gave, by their place in memory and the arguments.
    pub(super) known: HashMap<(*const Helper, Vec<NodeId>), Val<'a>>,
    /// What kernels in SIMT form became, by their place in memory.
    pub(super) launched: HashMap<*const Launched, Rc<[CustomInstance]>>,
}
