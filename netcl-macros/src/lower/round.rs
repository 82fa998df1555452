//! Where the evaluation of a loop's body stands.

use super::affine::Affine;
use super::identity::Query;
use crate::messages::Message;
use netcl_kernels::dim::{Dim, Symbol};
use netcl_kernels::graph::NodeId;
use proc_macro2::Span;

/// A loop whose body is being evaluated.
#[derive(Clone)]
pub(super) struct SymbolicLoop {
    /// How many calls and scopes there are around the body.
    pub(super) around: (usize, usize),
    /// What it carries, as a round finds it and as it was before the loop.
    pub(super) carried: Vec<(NodeId, NodeId)>,
    /// Derivatives that its body asks.
    pub(super) asked: Vec<AskedInRound>,
    /// What has been pushed into lists around the body: name, value, where.
    pub(super) pushed: Vec<(String, NodeId, Span)>,
    /// What has changed a state in it: where, what, and what to write instead.
    pub(super) state: Option<(Span, String, String)>,
}

/// A derivative that a loop's body asks.
#[derive(Clone)]
pub(super) struct AskedInRound {
    /// In a loop around it of what that may have been there.
    pub(super) query: Query,
    /// What is said where other rounds have computed of that tensor what the value reads.
    pub(super) message: &'static Message,
    pub(super) place: Span,
    /// The value, and what it is asked in, as they are written.
    pub(super) words: [String; 2],
}

/// A fold of a kernel whose closure is being evaluated.
#[derive(Clone)]
pub(super) struct Round {
    /// The number of the round, which counts from 1.
    pub(super) step: Symbol,
    /// The last one in which elements are read.
    pub(super) last: Dim,
    /// The number of the last round before those that change something, where indices say that; 0 where there is none.
    pub(super) from: Option<Affine>,
    /// The number of the last round that changes something, where indices say that.
    pub(super) to: Option<Affine>,
}
