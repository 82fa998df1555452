//! At which places the loops over a space read the nodes of a graph, numbered: where a place leads is found out once, and each walk
//! after that goes from number to number.

use super::access::{OperandAccess, operands};
use crate::dim::Dim;
use crate::graph::{Graph, NodeId};
use crate::index::Index;
use rustc_hash::FxHashMap;
use std::collections::hash_map::Entry;
use std::rc::Rc;

/// The places of one space.
#[derive(Default)]
pub(super) struct ReadPlaces {
    all: Vec<ReadPlace>,
    /// Many may be of one node: the gradients of what was concatenated each read a piece of one tensor.
    numbers: FxHashMap<OperandAccess, usize>,
    walks: usize,
}

struct ReadPlace {
    access: OperandAccess,
    /// The places that it is computed from; none yet where nobody asked.
    from: Option<Rc<[usize]>>,
    /// The last walk that came by.
    walk: usize,
}

/// What a walk met, each place once.
pub(super) struct MetPlaces<'p> {
    /// Where it ended.
    pub leaves: Vec<&'p OperandAccess>,
    /// What is computed in place, once for each place.
    pub inlined: Vec<NodeId>,
}

impl ReadPlaces {
    /// As [`super::access::trace`].
    pub(super) fn walk(
        &mut self,
        (graph, extents): (&Graph, &[Dim]),
        (root, coordinates): (NodeId, &Rc<[Index]>),
        stops: &[bool],
        through_root: bool,
    ) -> MetPlaces<'_> {
        self.walks += 1;
        let mut left = vec![self.number(OperandAccess::plain(root, coordinates.clone()))];
        let (mut ends, mut inlined, mut through) = (Vec::new(), Vec::new(), through_root);
        // Not by recursion: a chain of operations may be longer than the stack.
        while let Some(at) = left.pop() {
            let through = std::mem::take(&mut through);
            let place = &mut self.all[at];
            if std::mem::replace(&mut place.walk, self.walks) == self.walks {
                continue;
            }
            if place.access.indirect || (stops[place.access.node.index()] && !through) {
                ends.push(at);
                continue;
            }
            inlined.push(place.access.node);
            left.extend_from_slice(&self.from(at, graph, extents));
        }
        MetPlaces { leaves: ends.into_iter().map(|at| &self.all[at].access).collect(), inlined }
    }

    /// How many there are.
    #[cfg(test)]
    pub(super) fn count(&self) -> usize {
        self.all.len()
    }

    fn from(&mut self, at: usize, graph: &Graph, extents: &[Dim]) -> Rc<[usize]> {
        if let Some(known) = &self.all[at].from {
            return known.clone();
        }
        let access = &self.all[at].access;
        let read = operands(graph, access.node, &access.coordinates, extents);
        let from: Rc<[usize]> = read.into_iter().map(|access| self.number(access)).collect();
        self.all[at].from = Some(from.clone());
        from
    }

    fn number(&mut self, access: OperandAccess) -> usize {
        match self.numbers.entry(access) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(new) => {
                self.all.push(ReadPlace { access: new.key().clone(), from: None, walk: 0 });
                *new.insert(self.all.len() - 1)
            }
        }
    }
}
