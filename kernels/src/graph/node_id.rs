//! The names of nodes.

/// A node of a [`Graph`](super::Graph); ids order nodes topologically.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub u32);

impl NodeId {
    /// The position in [`Graph::nodes`](super::Graph::nodes).
    pub fn index(self) -> usize {
        self.0 as usize
    }
}
