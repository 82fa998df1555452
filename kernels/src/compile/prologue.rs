//! What happens to each element of a product's or convolution's operand: a device function that the template calls where
//! it would load, so that fused work never passes through memory.

use super::formula::operand_formula;
use super::plan_builder::PlanBuilder;
use crate::dim::Dim;
use crate::fuse::access::{Trace, is_anchor, trace, vectorizes};
use crate::graph::NodeId;
use crate::index::Index;
use crate::kir::build::KernelBuilder;
use crate::kir::{Kernel, Launch};
use crate::schedule::values::{Coordinates, Values, bind_shared};
use rustc_hash::FxHashMap;

/// An operand that is computed where it is loaded.
pub(super) struct Prologue<'a> {
    pub operand: NodeId,
    /// What the template calls the function with, in order: `batch`, `m`, `k`.
    pub words: &'a [&'a str],
    /// How far each of them counts.
    pub extents: &'a [Dim],
    /// The operand's axes over them.
    pub axes: &'a [Index],
}

/// How a template loads several elements at a time.
#[derive(Clone, Copy)]
pub(super) struct Vectors {
    pub lanes: u8,
    /// The position of the word along which they are neighbours, and of how much it is a multiple.
    pub along: usize,
    pub step: u8,
}

impl PlanBuilder<'_> {
    fn is_stored(&self, id: NodeId) -> bool {
        self.division.home.contains_key(&id) || is_anchor(&self.graph[id].op)
    }

    fn prologue_trace(&self, prologue: &Prologue<'_>) -> Trace {
        let stops = |id| self.is_stored(id);
        trace(self.graph, prologue.operand, prologue.axes, prologue.extents, &stops, false)
    }

    /// Whether neighbours along the word at position `along` can be computed as lanes of a vector.
    pub(super) fn loads_in_vectors(&self, prologue: &Prologue<'_>, along: usize) -> bool {
        vectorizes(self.graph, &self.prologue_trace(prologue), along)
    }

    /// The buffers that a prologue reads.
    pub(super) fn prologue_reads(&self, prologue: &Prologue<'_>) -> Vec<NodeId> {
        let leaves = self.prologue_trace(prologue).leaves.into_iter().map(|leaf| leaf.node);
        leaves.filter(|id| self.buffers.holds(*id)).collect()
    }

    /// `ACC name(.., int batch, int m, int k)`; with `vectors`, a vector of neighbours.
    pub(super) fn load_function(&self, prologue: &Prologue<'_>, name: &str, vectors: Option<Vectors>) -> Kernel {
        let mut b = KernelBuilder::new(name, Launch::function()).indexed(self.width);
        operand_formula(self.graph, self.buffers, prologue.operand).into_iter().for_each(|line| b.doc(line));
        let step = |word| vectors.filter(|vectors| vectors.along == word).map_or(1, |vectors| vectors.step);
        let words = prologue.words.iter().enumerate();
        let values = words.map(|(place, word)| b.position(word, step(place))).collect();
        let (lanes, vector) = vectors.map_or((1, None), |vectors| (vectors.lanes, Some(vectors.along)));
        let at = Coordinates { values, vector, lanes };
        let stops = |id| self.is_stored(id);
        let buffers = self.buffers;
        let buffer_name = move |id| buffers.name(id);
        let mut translate = Values::new(self.graph, prologue.extents.to_vec(), &stops, &buffer_name);
        let value = translate.value(&mut b, prologue.operand, prologue.axes, &at, false);
        let value = b.splat(value, lanes);
        let value = bind_shared(&mut b, &[value], &FxHashMap::default())[0];
        b.set_result(value);
        self.finished(b)
    }
}
