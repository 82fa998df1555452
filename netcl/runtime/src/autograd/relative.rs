//! Plans of traces that differ in sizes and positions: the first sets of these have plans of their own, in which they are numbers, and
//! all further ones share a plan in which the sizes that change are symbols, and the positions that change are passed by value.
//!
//! What changes, and which sizes change together, is seen from the sets that were met: sizes of images become symbols, and channels stay
//! numbers; where the gates of a cell begin is always the same, and where a batch begins is not. What a kernel wants to know stays a
//! number though it changes.

use crate::autograd::positions::{PassedPositions, WorkPlan};
use crate::autograd::trace::{self, RelativeTrace, Trace};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::executor::Loaded;
use crate::hash::hash;
use crate::jit;
use netcl_hal::recent::Recent;
use netcl_kernels::compile::symbols_of_widths;
use netcl_kernels::graph::Graph;
use std::sync::{Arc, Mutex, PoisonError};

/// How many relative traces stay known for a device.
const KEPT: usize = 256;

/// How many sets of sizes and positions have plans of their own.
const OWN: usize = 2;

/// How many plans with symbols there are of a relative trace: images may be square for a while.
const SHARED: usize = 4;

/// What is known of traces that differ in sizes and positions alone.
struct RelativePlan {
    hash: u64,
    trace: RelativeTrace,
    /// The first sets.
    own: Vec<Numbers>,
    shared: Vec<SharedPlan>,
}

/// The sizes and positions of a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Numbers {
    sizes: Vec<usize>,
    positions: Vec<u32>,
}

/// A plan of many sets.
struct SharedPlan {
    axes: Axes,
    /// `None`: it is passed by value.
    positions: Vec<Option<u32>>,
    /// The batch that it is for; `None`: of any size.
    batch: Option<usize>,
    /// `None`: there is no such plan.
    loaded: Option<Arc<Loaded>>,
}

/// Of each axis its size.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Axes(Vec<AxisSize>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AxisSize {
    Is(usize),
    Symbol(usize),
}

/// The plan for a trace of these sizes and positions that serves others as well; `None` where they are to be numbers.
pub(super) fn find_or_make(trace: &Trace, device: &Device) -> Result<Option<WorkPlan>> {
    let known: &Mutex<Recent<RelativePlan>> = device.slot(|| Mutex::new(Recent::new(KEPT)));
    let lock = || known.lock().unwrap_or_else(PoisonError::into_inner);
    let (relative, sizes) = trace.without_sizes();
    let numbers = Numbers { sizes, positions: trace.positions().collect() };
    let hash = hash(&relative);
    let is_it = |plan: &RelativePlan| plan.hash == hash && plan.trace == relative;
    let mut shared = {
        let mut known = lock();
        let Some(plan) = known.find(is_it) else {
            let surplus = known.add(RelativePlan { hash, trace: relative, own: vec![numbers], shared: Vec::new() });
            drop((known, surplus));
            return Ok(None);
        };
        if plan.own.contains(&numbers) {
            return Ok(None);
        }
        if let Some(shared) = plan.shared.iter().find(|shared| shared.serves(&numbers, trace.batch)) {
            return Ok(shared.plan());
        }
        if plan.own.len() < OWN {
            plan.own.push(numbers);
            return Ok(None);
        }
        match SharedPlan::of(&plan.own, &numbers).filter(|_| plan.shared.len() < SHARED) {
            Some(shared) => shared,
            None => return Ok(None),
        }
    };
    let mut graph = shared.graph(trace);
    let wanted = graph.as_ref().map_or(Vec::new(), |graph| symbols_of_widths(graph, device.profile().target));
    if !wanted.is_empty() {
        shared
            .axes
            .keep(&numbers.sizes, |number| wanted.iter().any(|symbol| symbol.name() == trace::symbol_name(number)));
        graph = shared.graph(trace);
    }
    shared.loaded = match graph.map(|graph| jit::load(&graph, device)).transpose() {
        // With numbers it may be possible.
        Err(Error::Graph { .. }) => None,
        loaded => loaded?,
    };
    let found = shared.plan();
    if let Some(plan) = lock().find(is_it) {
        plan.shared.push(shared);
    }
    Ok(found)
}

impl SharedPlan {
    /// For what differs between these numbers and those that were met; without a plan yet. `None` where nothing can be shared.
    fn of(met: &[Numbers], numbers: &Numbers) -> Option<SharedPlan> {
        let sizes: Vec<&Vec<usize>> = met.iter().map(|own| &own.sizes).collect();
        let axes = Axes::that_change(&sizes, &numbers.sizes);
        let position = |(number, position): (usize, &u32)| {
            met.iter().all(|own| own.positions[number] == *position).then_some(*position)
        };
        let positions: Vec<Option<u32>> = numbers.positions.iter().enumerate().map(position).collect();
        let is_shared = axes.have_symbols() || positions.contains(&None);
        is_shared.then_some(SharedPlan { axes, positions, batch: None, loaded: None })
    }

    fn serves(&self, numbers: &Numbers, batch: Option<usize>) -> bool {
        let has = |(own, position): (&Option<u32>, &u32)| own.is_none_or(|own| own == *position);
        let has_batch = self.batch.is_none() || self.batch == batch;
        has_batch && self.axes.have(&numbers.sizes) && self.positions.iter().zip(&numbers.positions).all(has)
    }

    /// What is computed for all of its sizes; `None` where there is no such graph.
    fn graph(&mut self, trace: &Trace) -> Option<Graph> {
        let (symbols, passed) = (self.axes.symbols(), self.passed());
        let graph = trace.graph_of_sizes(true, &symbols, &passed);
        if graph.is_some() || trace.batch.is_none() {
            return graph;
        }
        // What was taken for the batch may be an axis of a weight, where batches are of one.
        self.batch = trace.batch;
        trace.graph_of_sizes(false, &symbols, &passed)
    }

    fn passed(&self) -> PassedPositions {
        PassedPositions::new(self.positions.iter().map(Option::is_none))
    }

    fn plan(&self) -> Option<WorkPlan> {
        self.loaded.clone().map(|loaded| WorkPlan::new(loaded, self.passed()))
    }
}

impl Axes {
    /// Symbols for what differs between `sizes` and those that were met: one for axes that have always had the same size. None of what
    /// was 0 or 1, which broadcasts.
    fn that_change(met: &[&Vec<usize>], sizes: &[usize]) -> Axes {
        let alike =
            |own: &&&Vec<usize>| own.iter().zip(sizes).all(|(own, size)| own == size || (*own > 1 && *size > 1));
        let met: Vec<&&Vec<usize>> = met.iter().filter(alike).collect();
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
        Axes(sizes.iter().enumerate().map(axis).collect())
    }

    /// The axes of those symbols have the numbers that they have in `sizes`.
    fn keep(&mut self, sizes: &[usize], is_number: impl Fn(usize) -> bool) {
        for (axis, size) in self.0.iter_mut().zip(sizes) {
            if matches!(axis, AxisSize::Symbol(number) if is_number(*number)) {
                *axis = AxisSize::Is(*size);
            }
        }
    }

    fn have_symbols(&self) -> bool {
        self.0.iter().any(|axis| matches!(axis, AxisSize::Symbol(_)))
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
    use super::AxisSize::{Is, Symbol};
    use super::*;

    #[test]
    fn sizes_that_change_together_are_one_symbol() {
        // Batch, channels, height, width of two tensors.
        let met = [vec![0, 3, 8, 8, 0, 8, 4], vec![0, 3, 6, 6, 0, 6, 4]];
        let met: Vec<&Vec<usize>> = met.iter().collect();
        let square = Axes::that_change(&met, &[0, 3, 5, 5, 0, 5, 4]);
        assert_eq!(square.0, [Is(0), Is(3), Symbol(0), Symbol(0), Is(0), Symbol(0), Is(4)]);
        assert!(square.have(&[0, 3, 9, 9, 0, 9, 4]) && square.have(&[0, 3, 8, 8, 0, 8, 4]));
        for other in [[0, 3, 9, 7, 0, 9, 4], [0, 3, 1, 1, 0, 1, 4], [0, 2, 9, 9, 0, 9, 4], [2, 3, 9, 9, 0, 9, 4]] {
            assert!(!square.have(&other), "{other:?}");
        }
        let any = Axes::that_change(&met, &[0, 3, 5, 7, 0, 5, 4]);
        assert_eq!(any.0, [Is(0), Is(3), Symbol(0), Symbol(1), Is(0), Symbol(0), Is(4)]);
        assert_eq!(any.symbols(), [None, None, Some(0), Some(1), None, Some(0), None]);
        let mut wide = any.clone();
        wide.keep(&[0, 3, 5, 7, 0, 5, 4], |number| number == 0);
        assert_eq!(wide.0, [Is(0), Is(3), Is(5), Symbol(1), Is(0), Is(5), Is(4)]);
        assert!(wide.have(&[0, 3, 5, 9, 0, 5, 4]) && !wide.have(&[0, 3, 6, 9, 0, 6, 4]));
        // What was 1 broadcast, and may not have been of the others' size.
        assert!(!Axes::that_change(&[&vec![0, 1]], &[0, 5]).have_symbols());
        assert_eq!(Axes::that_change(&[&vec![0, 1], &vec![0, 4]], &[0, 5]), Axes(vec![Is(0), Symbol(0)]));
    }

    #[test]
    fn positions_that_change_are_passed() {
        let numbers = |size, positions: [u32; 2]| Numbers { sizes: vec![size], positions: positions.to_vec() };
        let met = [numbers(8, [0, 4]), numbers(8, [32, 4])];
        let moved = SharedPlan::of(&met, &numbers(8, [64, 4])).unwrap();
        assert_eq!((moved.positions.as_slice(), moved.axes.have_symbols()), ([None, Some(4)].as_slice(), false));
        assert!(moved.serves(&numbers(8, [0, 4]), None) && moved.serves(&numbers(8, [1, 4]), None));
        assert!(!moved.serves(&numbers(8, [0, 5]), None) && !moved.serves(&numbers(9, [0, 4]), None));
        // Beside a size, as the last of a sequence that grows.
        let grown = SharedPlan::of(&[numbers(8, [7, 4]), numbers(9, [8, 4])], &numbers(10, [9, 4])).unwrap();
        assert!(grown.serves(&numbers(30, [29, 4]), None) && !grown.serves(&numbers(30, [29, 3]), None));
        assert!(SharedPlan::of(&[numbers(1, [0, 4])], &numbers(8, [0, 4])).is_none());
    }
}
