//! Plans of traces that differ in sizes: the first sets of sizes have plans of their own, in which they are numbers, and all further
//! ones share a plan in which the sizes that change are symbols.
//!
//! Which sizes change, and which of them together, is seen from the sets that were met: sizes of images become symbols, and channels stay
//! numbers.

use crate::autograd::trace::{RelativeTrace, Trace};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::executor::Loaded;
use crate::hash::hash;
use crate::jit;
use netcl_hal::recent::Recent;
use std::sync::{Arc, Mutex, PoisonError};

/// How many relative traces stay known for a device.
const KEPT: usize = 256;

/// How many sets of sizes have plans of their own.
const OWN: usize = 2;

/// How many plans with symbols there are of a relative trace: images may be square for a while.
const SHARED: usize = 4;

/// What is known of traces that differ in sizes alone.
struct RelativePlan {
    hash: u64,
    trace: RelativeTrace,
    /// The first sets of sizes.
    own: Vec<Vec<usize>>,
    /// `None`: there is no such plan.
    shared: Vec<(Axes, Option<Arc<Loaded>>)>,
}

/// Of each axis its size.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Axes(Vec<AxisSize>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AxisSize {
    Is(usize),
    Symbol(usize),
}

/// The plan with symbols for a trace of these sizes; `None` where its sizes are to be numbers.
pub(super) fn find_or_make(trace: &Trace, device: &Device) -> Result<Option<Arc<Loaded>>> {
    let known: &Mutex<Recent<RelativePlan>> = device.slot(|| Mutex::new(Recent::new(KEPT)));
    let lock = || known.lock().unwrap_or_else(PoisonError::into_inner);
    let (relative, sizes) = trace.without_sizes();
    let hash = hash(&relative);
    let is_it = |plan: &RelativePlan| plan.hash == hash && plan.trace == relative;
    let axes = {
        let mut known = lock();
        let Some(plan) = known.find(is_it) else {
            let surplus = known.add(RelativePlan { hash, trace: relative, own: vec![sizes], shared: Vec::new() });
            drop((known, surplus));
            return Ok(None);
        };
        if plan.own.contains(&sizes) {
            return Ok(None);
        }
        if let Some((_, loaded)) = plan.shared.iter().find(|(axes, _)| axes.have(&sizes)) {
            return Ok(loaded.clone());
        }
        if plan.own.len() < OWN {
            plan.own.push(sizes);
            return Ok(None);
        }
        match Axes::that_change(&plan.own, &sizes).filter(|_| plan.shared.len() < SHARED) {
            Some(axes) => axes,
            None => return Ok(None),
        }
    };
    let loaded = match trace.graph_of_sizes(&axes.symbols()).map(|graph| jit::load(&graph, device)).transpose() {
        // With numbers it may be possible.
        Err(Error::Graph { .. }) => None,
        loaded => loaded?,
    };
    if let Some(plan) = lock().find(is_it) {
        plan.shared.push((axes, loaded.clone()));
    }
    Ok(loaded)
}

impl Axes {
    /// Symbols for what differs between `sizes` and those that were met: one for axes that have always had the same size. `None` where
    /// that cannot be said, because a size was 0 or 1, which broadcasts.
    fn that_change(met: &[Vec<usize>], sizes: &[usize]) -> Option<Axes> {
        let alike = |own: &&Vec<usize>| own.iter().zip(sizes).all(|(own, size)| own == size || (*own > 1 && *size > 1));
        let met: Vec<&Vec<usize>> = met.iter().filter(alike).collect();
        let mut symbols: Vec<Vec<usize>> = Vec::new();
        let axis = |(axis, &size): (usize, &usize)| {
            let all: Vec<usize> = met.iter().map(|own| own[axis]).chain([size]).collect();
            if all.iter().all(|own| *own == size) {
                return AxisSize::Is(size);
            }
            AxisSize::Symbol(symbols.iter().position(|own| *own == all).unwrap_or_else(|| {
                symbols.push(all);
                symbols.len() - 1
            }))
        };
        let axes = Axes(sizes.iter().enumerate().map(axis).collect());
        (!symbols.is_empty()).then_some(axes)
    }

    /// Whether these are sizes that they may have.
    fn have(&self, sizes: &[usize]) -> bool {
        let mut symbols: Vec<Option<usize>> = vec![None; self.0.len()];
        self.0.iter().zip(sizes).all(|(axis, &size)| match *axis {
            AxisSize::Is(own) => own == size,
            AxisSize::Symbol(number) => size > 1 && *symbols[number].get_or_insert(size) == size,
        })
    }

    fn symbols(&self) -> Vec<Option<usize>> {
        let symbol = |axis: &AxisSize| if let AxisSize::Symbol(number) = axis { Some(*number) } else { None };
        self.0.iter().map(symbol).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_that_change_together_are_one_symbol() {
        use AxisSize::{Is, Symbol};
        // Batch, channels, height, width of two tensors.
        let met = [vec![0, 3, 8, 8, 0, 8, 4], vec![0, 3, 6, 6, 0, 6, 4]];
        let square = Axes::that_change(&met, &[0, 3, 5, 5, 0, 5, 4]).unwrap();
        assert_eq!(square.0, [Is(0), Is(3), Symbol(0), Symbol(0), Is(0), Symbol(0), Is(4)]);
        assert!(square.have(&[0, 3, 9, 9, 0, 9, 4]) && square.have(&[0, 3, 8, 8, 0, 8, 4]));
        for other in [[0, 3, 9, 7, 0, 9, 4], [0, 3, 1, 1, 0, 1, 4], [0, 2, 9, 9, 0, 9, 4], [2, 3, 9, 9, 0, 9, 4]] {
            assert!(!square.have(&other), "{other:?}");
        }
        let any = Axes::that_change(&met, &[0, 3, 5, 7, 0, 5, 4]).unwrap();
        assert_eq!(any.0, [Is(0), Is(3), Symbol(0), Symbol(1), Is(0), Symbol(0), Is(4)]);
        assert_eq!(any.symbols(), [None, None, Some(0), Some(1), None, Some(0), None]);
        // What was 1 broadcast, and may not have been of the others' size.
        assert_eq!(Axes::that_change(&[vec![0, 1]], &[0, 5]), None);
        assert_eq!(Axes::that_change(&[vec![0, 1], vec![0, 4]], &[0, 5]), Some(Axes(vec![Is(0), Symbol(0)])));
    }
}
