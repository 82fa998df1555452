//! Bundles: independent loop clusters that share one launch.
//!
//! Where a launch costs more than a small kernel's work, several small kernels in one launch are worth a branch on the
//! work-group's number. Sums over the batch for every bias of a model, for instance, wait for nothing but each other.

use super::{Division, Kind};
use crate::target::Target;

/// More than this many clusters in one kernel are hard to read and help no further.
const MOST: usize = 12;

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
    for &cluster in order.iter().rev() {
        let after = readers[cluster].iter().map(|&reader| place[reader] + 1).max().unwrap_or(0);
        let loops = |cluster: usize| matches!(division.clusters[cluster].kind, Kind::Loop { .. });
        let fits = |bundle: &[usize]| bundle.len() < MOST && bundle.iter().all(|&member| loops(member));
        let found = (after..bundles.len())
            .find(|&position| target != Target::Host && loops(cluster) && fits(&bundles[position]));
        match found {
            Some(position) => bundles[position].push(cluster),
            None => bundles.push(vec![cluster]),
        }
        place[cluster] = found.unwrap_or(bundles.len() - 1);
    }
    bundles.reverse();
    for bundle in &mut bundles {
        bundle.reverse();
    }
    bundles
}
