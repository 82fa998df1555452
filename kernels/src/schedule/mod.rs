//! Clusters as kernels: how a cluster's loops are laid out on a kind of device.
//!
//! [`cpu`] gives each work-item whole rows or chunks and writes explicit vectors: no local memory, no barriers.
//! [`gpu`] gives each work-item an element, or each work-group a row whose reductions meet in local memory.
//! [`rounds`] puts the kernels of a loop's body into one, whose work-items meet between them; [`batch`] says whether they may stay apart.
//! [`scatter`] and [`scatter_sorted`] are scatter-adds, which no layout of loops suits.
//! [`scalars`] puts a function of numbers where a hand-written kernel calls it.

mod accumulator;
pub(crate) mod batch;
pub(crate) mod cpu;
pub(crate) mod gpu;
mod nest;
pub(crate) mod rounds;
pub mod scalars;
pub(crate) mod scatter;
pub(crate) mod scatter_sorted;
pub(crate) mod sizes;
#[cfg(test)]
mod tests_scatter;
pub(crate) mod values;
mod wrapping;

use crate::dim::IndexWidth;
use crate::dtype::DType;
use crate::graph::{Graph, NodeId, Op};
use crate::identifier::sanitized;
use crate::index::{self, Index};
use crate::kir::build::KernelBuilder;
use crate::kir::{Access, ExprId, Stmt};
use crate::variant::Variant;
use accumulator::{Accumulator, combining};
use nest::Domain;
pub(crate) use nest::Nest;
use rustc_hash::FxHashMap;
use values::{Coordinates, Values, bind_shared};

/// A loop cluster that is to become (part of) a kernel.
pub(crate) struct Job<'a> {
    /// The cluster.
    pub nest: Nest<'a>,
    /// How it is computed.
    pub variant: Variant,
    /// The parameter name of the buffer that holds a node.
    pub buffer_name: &'a dyn Fn(NodeId) -> String,
    /// Of its index arithmetic.
    pub width: IndexWidth,
}

/// Names for values that the user named, for readable kernels.
fn value_names(graph: &Graph, values: &[(NodeId, ExprId)]) -> FxHashMap<ExprId, String> {
    let mut names = FxHashMap::default();
    for (id, value) in values {
        let name = graph[*id].name.as_str();
        if !name.is_empty() && !matches!(graph[*id].op, Op::Input(_)) {
            names.entry(*value).or_insert_with(|| sanitized(name));
        }
    }
    names
}

/// What one visit of a loop body does: reductions that take in a value, roots that are stored.
struct Visit<'v> {
    reduces: &'v [Accumulator],
    stores: &'v [NodeId],
    /// The stores happen where this holds.
    only_if: Option<ExprId>,
}

impl Job<'_> {
    fn store(
        &self,
        b: &mut KernelBuilder,
        values: &Values<'_>,
        id: NodeId,
        value: ExprId,
        at: &Coordinates,
        domain: &Domain,
    ) {
        let address = index::flatten(&self.nest.coordinates_of(id, domain), &self.nest.graph[id].shape);
        let address = address.plus(&self.nest.division.start(id));
        let index = values.index(b, &address, at);
        let buffer = values.buffer(b, id, Access::Write);
        let wide = at.vector.is_some_and(|vector| address.mentions(vector));
        let value = if wide { b.splat(value, at.lanes) } else { value };
        b.store(buffer, index, value);
    }

    /// Emits one visit at `at`; `position` is the place among the reduced elements.
    fn visit(
        &self,
        b: &mut KernelBuilder,
        values: &mut Values<'_>,
        visit: &Visit<'_>,
        at: &Coordinates,
        domain: &Domain,
        position: &Index,
    ) {
        values.enter_loop();
        let mut roots = Vec::new();
        for accumulator in visit.reduces {
            let Op::Reduce { source, .. } = self.nest.graph[accumulator.node].op else { unreachable!("a reduction") };
            let coordinates = domain.axes.clone();
            roots.push((source, values.value(b, source, &coordinates, at, !self.nest.stops(source))));
        }
        for &store in visit.stores {
            let coordinates = self.nest.coordinates_of(store, domain);
            roots.push((store, values.value(b, store, &coordinates, at, true)));
        }
        let names = value_names(self.nest.graph, &roots);
        let exprs: Vec<ExprId> = roots.iter().map(|(_, value)| *value).collect();
        let bound = bind_shared(b, &exprs, &names);
        let (reduced, stored) = bound.split_at(visit.reduces.len());
        for (accumulator, value) in visit.reduces.iter().zip(reduced) {
            if accumulator.position.is_some()
                && let Some(reach) = values.reach(position)
            {
                b.note_number(&reach);
            }
            let position = values.index(b, position, at);
            let position = b.cast(DType::I32, position);
            accumulator.add(b, *value, position);
        }
        if visit.stores.is_empty() {
            return;
        }
        b.open();
        for (store, value) in visit.stores.iter().zip(stored) {
            self.store(b, values, *store, *value, at, domain);
        }
        let stores = b.close();
        match visit.only_if {
            Some(condition) => b.stmt(Stmt::If { condition, then: stores, otherwise: Vec::new() }),
            None => stores.into_iter().for_each(|stmt| b.stmt(stmt)),
        }
    }

    /// Emits the stores of values per row, once all reductions are known.
    fn finish_row(&self, b: &mut KernelBuilder, values: &mut Values<'_>, at: &Coordinates, domain: &Domain) {
        let stores = self.nest.row_stores();
        if stores.is_empty() {
            return;
        }
        values.enter_loop();
        let roots: Vec<(NodeId, ExprId)> = stores
            .iter()
            .map(|&id| {
                let coordinates = self.nest.coordinates_of(id, domain);
                (id, values.value(b, id, &coordinates, at, true))
            })
            .collect();
        let names = value_names(self.nest.graph, &roots);
        let exprs: Vec<ExprId> = roots.iter().map(|(_, value)| *value).collect();
        let bound = bind_shared(b, &exprs, &names);
        for (id, value) in stores.iter().zip(bound) {
            self.store(b, values, *id, value, at, domain);
        }
    }
}
