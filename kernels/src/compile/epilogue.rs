//! What happens to each element of a product or convolution: a device function that the template calls where it would
//! store, so that fused work never passes through memory.

use super::program::Program;
use crate::dim::{Dim, Shape};
use crate::dtype::DType;
use crate::fuse::access::{is_anchor, trace, vectorizes};
use crate::fuse::product::epilogue_coordinates;
use crate::graph::{BinaryOp, NodeId, Op};
use crate::index::{self, Index};
use crate::kir::build::KernelBuilder;
use crate::kir::{Access, ExprId, Kernel, Launch, ParamKind, ValueType};
use crate::schedule::values::{Coordinates, Values, bind_shared};
use std::collections::HashMap;

/// The device functions of a product's results.
pub(super) struct Epilogue {
    /// `void name(.., int batch, int m, int n, ACC value)`.
    pub scalar: Kernel,
    /// The same for `lanes` neighbours along n.
    pub vector: Option<Kernel>,
}

impl Epilogue {
    /// Both, in the order in which a program defines them.
    pub(super) fn functions(self) -> Vec<Kernel> {
        [Some(self.scalar), self.vector].into_iter().flatten().collect()
    }
}

/// Loop variables of an epilogue: batch (flat), row, column.
const COLUMN: usize = 2;

impl Program<'_> {
    /// The epilogue of `product`, whose last two axes (of `split` leading batch axes) are row and column.
    ///
    /// `axes` maps the product's own axes to (batch, row, column).
    pub(super) fn epilogue(
        &self,
        cluster: usize,
        product: NodeId,
        extents: &[Dim; 3],
        axes: &[Index],
        name: &str,
        lanes: u8,
    ) -> Epilogue {
        Epilogue {
            scalar: self.device_function(cluster, product, extents, axes, name, 1),
            vector: (lanes > 1)
                .then(|| self.device_function(cluster, product, extents, axes, &format!("{name}_vector"), lanes)),
        }
    }

    fn device_function(
        &self,
        cluster: usize,
        product: NodeId,
        extents: &[Dim; 3],
        axes: &[Index],
        name: &str,
        lanes: u8,
    ) -> Kernel {
        let mut b = KernelBuilder::new(name, Launch::function());
        let acc = self.graph[product].dtype.compute();
        let mut values = Vec::new();
        for word in ["batch", "m", "n"] {
            values.push(b.passed(word, ValueType::scalar(DType::I32)));
        }
        let value = b.passed("value", ValueType { dtype: acc, lanes });
        if lanes == 1 || self.stores_in_vectors(cluster, product, extents, axes) {
            let at = Coordinates { values, vector: Some(COLUMN), lanes };
            self.element(&mut b, cluster, product, extents, axes, value, &at);
        } else {
            for lane in 0..lanes {
                let offset = b.int(i64::from(lane));
                let column = b.binary(BinaryOp::Add, values[COLUMN], offset);
                let own = b.lane(value, lane);
                let at = Coordinates { values: vec![values[0], values[1], column], vector: None, lanes: 1 };
                self.element(&mut b, cluster, product, extents, axes, own, &at);
            }
        }
        self.finished(b)
    }

    /// Stored members of a product's cluster with their coordinates over (batch, row, column).
    fn stored(&self, cluster: usize, product: NodeId, extents: &[Dim; 3], axes: &[Index]) -> Vec<(NodeId, Vec<Index>)> {
        let members = self.division.clusters[cluster].members.iter();
        members
            .filter(|id| self.division.stored.contains(id))
            .map(|&id| {
                let own = epilogue_coordinates(self.graph, product, id)
                    .unwrap_or_else(|| unreachable!("joined as an epilogue"));
                (id, own.iter().map(|index| index.substitute(axes, extents)).collect())
            })
            .collect()
    }

    fn stops(&self, cluster: usize, product: NodeId, id: NodeId) -> bool {
        match self.division.home.get(&id) {
            Some(home) => *home != cluster || id == product,
            None => is_anchor(&self.graph[id].op),
        }
    }

    fn stores_in_vectors(&self, cluster: usize, product: NodeId, extents: &[Dim; 3], axes: &[Index]) -> bool {
        self.stored(cluster, product, extents, axes).iter().all(|(id, coordinates)| {
            let address = index::flatten(coordinates, &self.graph[*id].shape);
            let stops = |id| self.stops(cluster, product, id);
            let mut trace = trace(self.graph, *id, coordinates, extents, &stops, *id != product);
            trace.leaves.retain(|leaf| leaf.node != product);
            address.coefficient(COLUMN).is_some_and(|c| c.is(1)) && vectorizes(self.graph, &trace, COLUMN)
        })
    }

    #[allow(clippy::too_many_arguments, reason = "one call site each, all of different kinds")]
    fn element(
        &self,
        b: &mut KernelBuilder,
        cluster: usize,
        product: NodeId,
        extents: &[Dim; 3],
        axes: &[Index],
        value: ExprId,
        at: &Coordinates,
    ) {
        let stops = |id| self.stops(cluster, product, id);
        let buffers = self.buffers;
        let buffer_name = move |id| buffers.name(id);
        let mut translate = Values::new(self.graph, extents.to_vec(), &stops, &buffer_name);
        translate.known.insert(product, (axes.to_vec(), value));
        let stored = self.stored(cluster, product, extents, axes);
        let roots: Vec<ExprId> = stored
            .iter()
            .map(|(id, coordinates)| match *id == product {
                true => value,
                false => translate.value(b, *id, coordinates, at, true),
            })
            .collect();
        let roots = bind_shared(b, &roots, &HashMap::new());
        for ((id, coordinates), root) in stored.iter().zip(roots) {
            let address = index::flatten(coordinates, &self.graph[*id].shape);
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

/// The operands of a product.
pub(super) fn operands(op: &Op) -> (NodeId, NodeId) {
    match op {
        Op::MatMul(a, b) => (*a, *b),
        Op::Conv2d { input, weight, .. } => (*input, *weight),
        Op::Conv2dInputGrad { grad, weight, .. } => (*grad, *weight),
        Op::Conv2dWeightGrad { input, grad, .. } => (*input, *grad),
        other => unreachable!("{other:?} is no product"),
    }
}
