//! Bundles: independent loop clusters that share one launch.
//!
//! Where a launch costs more than a small kernel's work, several small kernels in one launch are worth a branch on the
//! work-group's number. Sums over the batch for every bias of a model, for instance, wait for nothing but each other.

use super::division::{ClusterKind, Division};
use crate::target::Target;
use std::collections::BTreeSet;

/// More than this many clusters in one kernel are hard to read and help no further.
const MOST: usize = 12;

/// Loops over more elements than this, where their number is known or likely, have a launch of their own: what it costs is little beside
/// them, and a kernel of many loops has as many registers as the one that needs most.
const LARGEST: u64 = 1 << 24;

/// Whether it shares a launch.
fn is_bundled(kind: &ClusterKind, target: Target) -> bool {
    match kind {
        ClusterKind::Loop { space, .. } => target != Target::Host && space.elements().estimate() <= LARGEST,
        _ => false,
    }
}

/// The clusters grouped into launches, in an order in which each launch comes after those it reads from.
pub(crate) fn bundle(division: &Division, target: Target) -> Vec<Vec<usize>> {
    let order = division.order();
    let mut readers = vec![Vec::new(); division.clusters.len()];
    for (cluster, reads) in division.clusters.iter().enumerate() {
        for &read in &reads.reads {
            readers[read].push(cluster);
        }
    }
    // From the end, each cluster as late as its readers allow: that is where most of them meet.
    let mut place = vec![usize::MAX; division.clusters.len()];
    let mut bundles: Vec<Vec<usize>> = Vec::new();
    // Bundles of loops that have room.
    let mut open: BTreeSet<usize> = BTreeSet::new();
    for &cluster in order.iter().rev() {
        let after = readers[cluster].iter().map(|&reader| place[reader] + 1).max().unwrap_or(0);
        let bundled = is_bundled(&division.clusters[cluster].kind, target);
        let found = open.range(after..).next().copied().filter(|_| bundled);
        let position = found.unwrap_or_else(|| {
            bundles.push(Vec::new());
            bundles.len() - 1
        });
        bundles[position].push(cluster);
        place[cluster] = position;
        if bundled && bundles[position].len() < MOST {
            open.insert(position);
        } else {
            open.remove(&position);
        }
    }
    bundles.reverse();
    for bundle in &mut bundles {
        bundle.reverse();
    }
    bundles
}
