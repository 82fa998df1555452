//! The loops that nodes of a graph can be computed in, numbered: two are compared as numbers.

use crate::dim::Shape;
use crate::graph::{Graph, NodeId, Op};
use crate::index::Index;
use std::collections::HashMap;
use std::rc::Rc;

/// A loop by its number.
pub(super) type LoopId = usize;

/// A shape by its number.
pub(super) type ShapeId = usize;

/// Loops over a space, of which some axes are reduced.
#[derive(Clone, Debug)]
struct Loop {
    space: ShapeId,
    /// Ascending.
    reduced: Vec<usize>,
    /// The shape of what is not reduced.
    rows: ShapeId,
    /// The coordinates of what is not reduced.
    row: Rc<[Index]>,
}

/// The loops of a graph.
pub(super) struct Loops {
    shapes: Vec<Shape>,
    /// The coordinates of an element of each shape.
    elements: Vec<Rc<[Index]>>,
    loops: Vec<Loop>,
    shape_of: Vec<ShapeId>,
    loop_of: Vec<LoopId>,
}

impl Loops {
    /// Those in which the nodes of `graph` would be computed alone.
    pub(super) fn new(graph: &Graph) -> Self {
        let mut numbers = Numbers::default();
        let shape_of: Vec<ShapeId> = graph.iter().map(|(_, node)| numbers.shape(&node.shape)).collect();
        let loop_of = graph.iter().map(|(id, node)| match &node.op {
            Op::Reduce { axes, source, .. } => numbers.nest(shape_of[source.index()], axes),
            _ => numbers.nest(shape_of[id.index()], &[]),
        });
        let loop_of = loop_of.collect();
        let elements = numbers.shapes.iter().map(|shape| (0..shape.rank()).map(Index::var).collect());
        Loops { elements: elements.collect(), shapes: numbers.shapes, loops: numbers.loops, shape_of, loop_of }
    }

    /// How many there are; their numbers are smaller.
    pub(super) fn count(&self) -> usize {
        self.loops.len()
    }

    /// That in which `id` would be computed alone: a reduction over its operand's space, anything else over its own.
    pub(super) fn of(&self, id: NodeId) -> LoopId {
        self.loop_of[id.index()]
    }

    /// Every axis.
    pub(super) fn space(&self, of: LoopId) -> &Shape {
        &self.shapes[self.loops[of].space]
    }

    /// The number of that space.
    pub(super) fn space_id(&self, of: LoopId) -> ShapeId {
        self.loops[of].space
    }

    /// The shape of each node, by its number, and all of them.
    pub(super) fn shapes(&self) -> (&[ShapeId], &[Shape]) {
        (&self.shape_of, &self.shapes)
    }

    /// The reduced axes, ascending.
    pub(super) fn reduced(&self, of: LoopId) -> &[usize] {
        &self.loops[of].reduced
    }

    /// Whether both have the same space.
    pub(super) fn same_space(&self, a: LoopId, b: LoopId) -> bool {
        self.loops[a].space == self.loops[b].space
    }

    /// Whether `id`, which is no reduction, has an element for each place, or for each row, of the loop.
    pub(super) fn holds(&self, of: LoopId, id: NodeId) -> bool {
        let shape = self.shape_of[id.index()];
        shape == self.loops[of].space || shape == self.loops[of].rows
    }

    /// The coordinates of the loop.
    pub(super) fn element(&self, of: LoopId) -> &Rc<[Index]> {
        &self.elements[self.loops[of].space]
    }

    /// The coordinates at which the loop computes its member `id`: always the same ones, so that two can be told to be
    /// equal without a look at them.
    pub(super) fn coordinates(&self, graph: &Graph, of: LoopId, id: NodeId) -> &Rc<[Index]> {
        let own = self.shape_of[id.index()] == self.loops[of].space && !matches!(graph[id].op, Op::Reduce { .. });
        if own { self.element(of) } else { &self.loops[of].row }
    }
}

/// Gives numbers.
#[derive(Default)]
struct Numbers {
    shapes: Vec<Shape>,
    known_shapes: HashMap<Shape, ShapeId>,
    loops: Vec<Loop>,
    known_loops: HashMap<(ShapeId, Vec<usize>), LoopId>,
}

impl Numbers {
    fn shape(&mut self, shape: &Shape) -> ShapeId {
        if let Some(&known) = self.known_shapes.get(shape) {
            return known;
        }
        self.shapes.push(shape.clone());
        self.known_shapes.insert(shape.clone(), self.shapes.len() - 1);
        self.shapes.len() - 1
    }

    fn nest(&mut self, space: ShapeId, reduced: &[usize]) -> LoopId {
        let key = (space, reduced.to_vec());
        if let Some(&known) = self.known_loops.get(&key) {
            return known;
        }
        let kept = || (0..self.shapes[space].rank()).filter(|axis| !reduced.contains(axis));
        let rows = Shape(kept().map(|axis| self.shapes[space][axis].clone()).collect());
        let row = kept().map(Index::var).collect();
        let rows = self.shape(&rows);
        self.loops.push(Loop { space, reduced: reduced.to_vec(), rows, row });
        self.known_loops.insert(key, self.loops.len() - 1);
        self.loops.len() - 1
    }
}
