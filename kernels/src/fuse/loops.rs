//! The loops that nodes of a graph can be computed in, numbered: two are compared as numbers.

use super::member::Membership;
use crate::dim::{Dim, Shape};
use crate::graph::{Graph, NodeId, Op};
use crate::index::Index;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
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
    /// The coordinates of a row.
    row: Rc<[Index]>,
}

/// The loops of a graph.
pub(super) struct Loops {
    shapes: Vec<Shape>,
    /// The coordinates of an element of each shape: along an axis of one element 0, else the axis as a variable.
    elements: Vec<Rc<[Index]>>,
    /// By shape, all that have the same axes but for those of one element.
    alike: Vec<Rc<[ShapeId]>>,
    /// The coordinates at which a loop computes tensors of a shape, for each shape that it can.
    members: FxHashMap<(LoopId, ShapeId), Rc<[Index]>>,
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
        let elements = numbers.shapes.iter().map(|shape| coordinates(shape, 0..shape.rank()));
        let mut loops = Loops {
            elements: elements.collect(),
            alike: alike(&numbers.shapes),
            members: FxHashMap::default(),
            shapes: numbers.shapes,
            loops: numbers.loops,
            shape_of,
            loop_of,
        };
        (0..loops.count()).for_each(|number| loops.find_members(number));
        loops
    }

    /// Notes where the loop computes tensors that have its axes, or those of its rows.
    fn find_members(&mut self, number: LoopId) {
        let Loop { space, reduced, rows, .. } = &self.loops[number];
        for shape in self.alike[*space].iter().chain(&*self.alike[*rows]) {
            if let Some(member) = Membership::of(&self.shapes[*shape], false, &self.shapes[*space], reduced) {
                let place = member.axes.into_iter().map(|axis| axis.map_or_else(Index::default, Index::var)).collect();
                self.members.insert((number, *shape), place);
            }
        }
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

    /// Whether both have the same space, but for axes of one element.
    pub(super) fn same_space(&self, a: LoopId, b: LoopId) -> bool {
        self.alike[self.loops[a].space].contains(&self.loops[b].space)
    }

    /// Whether `id`, which is no reduction of this loop, has an element for each place, or for each row, of it. Axes of one element do not
    /// matter.
    pub(super) fn holds(&self, of: LoopId, id: NodeId) -> bool {
        self.members.contains_key(&(of, self.shape_of[id.index()]))
    }

    /// The coordinates of the loop.
    pub(super) fn element(&self, of: LoopId) -> &Rc<[Index]> {
        &self.elements[self.loops[of].space]
    }

    /// The coordinates at which the loop computes its member `id`: always the same ones, so that two can be told to be
    /// equal without a look at them.
    pub(super) fn coordinates(&self, graph: &Graph, of: LoopId, id: NodeId) -> &Rc<[Index]> {
        let row = &self.loops[of].row;
        match &graph[id].op {
            Op::Reduce { .. } => row,
            // What is read and is no member is at no place of the loop's.
            _ => self.members.get(&(of, self.shape_of[id.index()])).unwrap_or(row),
        }
    }
}

/// The coordinates along these axes of `shape`: along one of a single element 0, else the axis as a variable.
fn coordinates(shape: &Shape, axes: impl Iterator<Item = usize>) -> Rc<[Index]> {
    axes.map(|axis| if shape[axis].is(1) { Index::default() } else { Index::var(axis) }).collect()
}

/// Shapes by what they have besides axes of one element.
fn alike(shapes: &[Shape]) -> Vec<Rc<[ShapeId]>> {
    let mut groups: BTreeMap<Vec<&Dim>, Vec<ShapeId>> = BTreeMap::new();
    for (number, shape) in shapes.iter().enumerate() {
        groups.entry(shape.0.iter().filter(|size| !size.is(1)).collect()).or_default().push(number);
    }
    let mut alike = vec![Rc::from([]); shapes.len()];
    for group in groups.values() {
        let all: Rc<[ShapeId]> = group.as_slice().into();
        group.iter().for_each(|shape| alike[*shape] = all.clone());
    }
    alike
}

/// Gives numbers.
#[derive(Default)]
struct Numbers {
    shapes: Vec<Shape>,
    known_shapes: FxHashMap<Shape, ShapeId>,
    loops: Vec<Loop>,
    known_loops: FxHashMap<(ShapeId, Vec<usize>), LoopId>,
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
        let row = coordinates(&self.shapes[space], kept());
        let rows = self.shape(&rows);
        self.loops.push(Loop { space, reduced: reduced.to_vec(), rows, row });
        self.known_loops.insert(key, self.loops.len() - 1);
        self.loops.len() - 1
    }
}
