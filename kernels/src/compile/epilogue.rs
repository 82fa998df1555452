//! What happens to each element of a product or convolution: a device function that the template calls where it would
//! store, so that fused work never passes through memory.

use super::instance::Instance;
use super::plan_builder::PlanBuilder;
use crate::dim::{Dim, Shape};
use crate::fuse::access::{is_anchor, trace, vectorizes};
use crate::fuse::product::epilogue_coordinates;
use crate::graph::NodeId;
use crate::index::{self, Index};
use crate::kir::build::KernelBuilder;
use crate::kir::{Access, ExprId, Kernel, Launch, ParamKind, ValueType};
use crate::schedule::values::{Coordinates, Values, bind_shared};
use crate::template::{Choice, Template};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// The device functions of a product's results.
pub(super) struct Epilogue {
    /// `void name(.., int batch, int m, int n, ACC value)`.
    scalar: Kernel,
    /// The same for `lanes` neighbours along n, where these are neighbours in memory too.
    vector: Option<Kernel>,
    /// How many results the template has in one vector.
    lanes: u8,
}

impl Epilogue {
    /// Declares what it needs as parameters of the instance, whose store hooks call it.
    pub(super) fn hook_into(&self, instance: &mut Instance, shared: &BTreeSet<String>) {
        instance.hook("STORE", &self.scalar, shared);
        match &self.vector {
            Some(vector) => instance.hook("STORE_VECTOR", vector, shared),
            None if self.lanes > 1 => instance.store_lanes_apart(self.lanes),
            None => {}
        }
    }

    /// Both, in the order in which a program defines them.
    pub(super) fn functions(self) -> Vec<Kernel> {
        [Some(self.scalar), self.vector].into_iter().flatten().collect()
    }
}

/// The results of a product or convolution.
pub(super) struct Results<'a> {
    /// The cluster that goes on with them.
    pub cluster: usize,
    pub product: NodeId,
    /// How many products, rows and columns there are.
    pub extents: &'a [Dim; 3],
    /// The product's own axes over (batch, row, column).
    pub axes: &'a [Index],
}

/// Loop variables of an epilogue: batch (flat), row, column.
const COLUMN: usize = 2;

impl PlanBuilder<'_> {
    /// The functions that go on with `results`, one for vectors too if the template has such and they can be stored.
    pub(super) fn epilogue(&self, results: &Results<'_>, name: &str, template: &Template, choice: &Choice) -> Epilogue {
        let lanes = (template.lanes)(choice);
        let step = template.vectors_begin_at(choice);
        let has_vector = lanes > 1 && self.stores_in_vectors(results);
        Epilogue {
            scalar: self.device_function(results, name, 1, 1),
            vector: has_vector.then(|| self.device_function(results, &format!("{name}_vector"), lanes, step)),
            lanes,
        }
    }

    /// One of them, for `lanes` neighbours whose first column is a multiple of `step`.
    fn device_function(&self, results: &Results<'_>, name: &str, lanes: u8, step: u8) -> Kernel {
        let mut b = KernelBuilder::new(name, Launch::function()).indexed(self.width);
        let acc = self.graph[results.product].dtype.compute();
        let mut values = Vec::new();
        for (word, step) in [("batch", 1), ("m", 1), ("n", step)] {
            values.push(b.position(word, step));
        }
        let value = b.passed("value", ValueType { dtype: acc, lanes });
        self.element(&mut b, results, value, &Coordinates { values, vector: Some(COLUMN), lanes });
        self.finished(b)
    }

    /// Stored members of the cluster with their coordinates over (batch, row, column).
    fn stored(&self, results: &Results<'_>) -> Vec<(NodeId, Vec<Index>)> {
        let members = self.division.clusters[results.cluster].members.iter();
        members
            .filter(|id| self.division.stored.contains(id))
            .map(|&id| {
                let own = epilogue_coordinates(self.graph, results.product, id)
                    .unwrap_or_else(|| unreachable!("joined as an epilogue"));
                (id, own.iter().map(|index| index.substitute(results.axes, results.extents)).collect())
            })
            .collect()
    }

    fn stops(&self, results: &Results<'_>, id: NodeId) -> bool {
        match self.division.home.get(&id) {
            Some(home) => *home != results.cluster || id == results.product,
            None => is_anchor(&self.graph[id].op),
        }
    }

    fn stores_in_vectors(&self, results: &Results<'_>) -> bool {
        let product = results.product;
        self.stored(results).iter().all(|(id, coordinates)| {
            let address = index::flatten(coordinates, &self.graph[*id].shape);
            let stops = |id| self.stops(results, id);
            let mut trace = trace(self.graph, *id, coordinates, results.extents, &stops, *id != product);
            trace.leaves.retain(|leaf| leaf.node != product);
            address.coefficient(COLUMN).is_some_and(|c| c.is(1)) && vectorizes(self.graph, &trace, COLUMN)
        })
    }

    /// Stores everything that follows from the result `value` at the place `at`.
    fn element(&self, b: &mut KernelBuilder, results: &Results<'_>, value: ExprId, at: &Coordinates) {
        let product = results.product;
        let stops = |id| self.stops(results, id);
        let buffers = self.buffers;
        let buffer_name = move |id| buffers.name(id);
        let mut translate = Values::new(self.graph, results.extents.to_vec(), &stops, &buffer_name);
        translate.result = Some((product, value));
        let stored = self.stored(results);
        let roots: Vec<ExprId> = stored
            .iter()
            .map(|(id, coordinates)| match *id == product {
                true => value,
                false => translate.value(b, *id, coordinates, at, true),
            })
            .collect();
        let roots = bind_shared(b, &roots, &FxHashMap::default());
        for ((id, coordinates), root) in stored.iter().zip(roots) {
            let address = index::flatten(coordinates, &self.graph[*id].shape).plus(&self.division.start(*id));
            let index = translate.index(b, &address, at);
            let buffer = b.param(&buffers.name(*id), ParamKind::Buffer(self.graph[*id].dtype, Access::Write));
            let root = b.splat(root, at.lanes);
            b.store(buffer, index, root);
        }
    }
}

/// Coordinates of a product's axes over (batch, row, column): batch axes from the flat batch number.
pub(super) fn product_axes(shape: &Shape, extents: &[Dim; 3]) -> Vec<Index> {
    let rank = shape.rank();
    let mut axes = index::unflatten(&Index::var(0), &Shape(shape.0[..rank - 2].to_vec()), extents);
    axes.push(Index::var(1));
    axes.push(Index::var(2));
    axes
}
