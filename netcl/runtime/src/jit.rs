//! Graphs made at run time: compiled by the same passes as at compile time, kept by the device that they are for.

use crate::device::Device;
use crate::error::{Error, Result};
use crate::executor::{Call, GraphSource, Loaded, Recompile, verified};
use crate::tensor::Tensor;
use netcl_hal::device::scalar::Scalar;
use netcl_kernels::compile::compile;
use netcl_kernels::graph::Graph;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

/// How many graphs stay compiled for a device.
const KEPT: usize = 1024;

/// The compiled graphs of a device by a hash of the graph; those with equal hashes in one list.
#[derive(Default)]
struct Graphs {
    lists: HashMap<u64, Vec<Compiled>>,
    count: usize,
    /// Counts what is looked up.
    clock: AtomicU64,
}

struct Compiled {
    graph: Graph,
    loaded: Arc<Loaded>,
    /// When it was last looked up, in the clock's ticks.
    used: AtomicU64,
}

impl Graphs {
    fn find(&self, key: u64, graph: &Graph) -> Option<Arc<Loaded>> {
        let found = self.lists.get(&key)?.iter().find(|own| own.graph == *graph)?;
        found.used.store(self.tick(), Ordering::Relaxed);
        Some(found.loaded.clone())
    }

    fn tick(&self) -> u64 {
        self.clock.fetch_add(1, Ordering::Relaxed)
    }

    /// Adds one; returns the one that was used least lately, if there are now more than `kept`.
    fn add(&mut self, key: u64, graph: &Graph, loaded: Arc<Loaded>, kept: usize) -> Option<Compiled> {
        let used = AtomicU64::new(self.tick());
        self.lists.entry(key).or_default().push(Compiled { graph: graph.clone(), loaded, used });
        self.count += 1;
        if self.count <= kept {
            return None;
        }
        let all = self.lists.iter().flat_map(|(key, list)| list.iter().enumerate().map(move |at| (*key, at)));
        let (key, (position, _)) = all.min_by_key(|(_, (_, own))| own.used.load(Ordering::Relaxed))?;
        let list = self.lists.get_mut(&key)?;
        let oldest = list.swap_remove(position);
        if list.is_empty() {
            self.lists.remove(&key);
        }
        self.count -= 1;
        Some(oldest)
    }
}

/// Compiles `graph` for the device of its arguments, unless that was done before, and runs it: the results by position. What is
/// compiled is verified first, so that any graph may be given.
///
/// # Errors
///
/// [`Error::Graph`] if the graph breaks a rule of [`netcl_kernels::graph::verify`]; [`Error::ArgumentCount`], [`Error::Argument`], [`Error::Size`] and
/// [`Error::DeviceMismatch`] if the arguments are not those of the graph; [`Error::OutOfMemory`]; [`Error::Build`] and
/// [`Error::Driver`] if the driver fails.
pub fn run(graph: &Graph, args: &[&Tensor]) -> Result<Vec<Tensor>> {
    run_with(graph, args, &[])
}

/// As [`run`], of a graph that takes numbers by value.
pub(crate) fn run_with(graph: &Graph, args: &[&Tensor], scalars: &[Scalar]) -> Result<Vec<Tensor>> {
    let Some(first) = args.first() else {
        return Err(Error::ArgumentCount { function: graph.name.clone(), expected: 1, found: 0 });
    };
    let loaded = load(graph, first.device())?;
    Ok(loaded.call(first.device(), &Call { args, scalars, ..Call::default() })?.results)
}

/// The graphs that were compiled for that device.
fn graphs(device: &Device) -> &RwLock<Graphs> {
    device.slot(RwLock::default)
}

/// The compiled graph on that device.
pub(crate) fn load(graph: &Graph, device: &Device) -> Result<Arc<Loaded>> {
    let (key, graphs) = (hash(graph), graphs(device));
    if let Some(loaded) = graphs.read().unwrap_or_else(PoisonError::into_inner).find(key, graph) {
        return Ok(loaded);
    }
    let plan = compile(graph, device.profile().target).map_err(|diagnostic| Error::graph(&graph.name, diagnostic))?;
    let again = Recompile { graph: GraphSource::Graph(Arc::new(graph.clone())), policy: device.kernel_policy() };
    let loaded = Arc::new(Loaded::new(device, verified(plan)?, &[], Some(again))?);
    let mut known = graphs.write().unwrap_or_else(PoisonError::into_inner);
    // Another thread may have been first.
    if let Some(loaded) = known.find(key, graph) {
        return Ok(loaded);
    }
    let surplus = known.add(key, graph, loaded.clone(), KEPT);
    // Its memory goes back without the lock.
    drop(known);
    drop(surplus);
    Ok(loaded)
}

fn hash(graph: &Graph) -> u64 {
    let mut hasher = DefaultHasher::new();
    graph.name.hash(&mut hasher);
    for node in &graph.nodes {
        (&node.op, &node.shape, node.dtype).hash(&mut hasher);
    }
    graph.outputs.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use netcl_kernels::plan::Target;

    #[test]
    fn numbers_share_a_program_and_what_is_not_used_goes() {
        let device = Device::null(Target::Gpu, u64::MAX);
        let x = Tensor::from_slice(&device, &[1.0f32, -2.0, 3.0], &[3]).unwrap();
        let count = || graphs(&device).read().unwrap().count;
        (&x * 0.3).unwrap();
        assert_eq!(count(), 1);
        for step in 3..40 {
            let factor = 1.0 / f64::from(step);
            (&x * factor).unwrap();
        }
        assert_eq!(count(), 1, "one program serves all numbers");
        let host = Tensor::from_slice(&Device::host(), &[1.0f32, -2.0, 3.0], &[3]).unwrap();
        for factor in [0.3, 0.7] {
            let product = (&host * factor).unwrap().to_vec::<f32>().unwrap();
            assert_eq!(product, [1.0f32, -2.0, 3.0].map(|x| x * factor as f32));
        }
    }

    #[test]
    fn the_one_used_least_lately_goes() {
        let device = Device::null(Target::Gpu, u64::MAX);
        let x = Tensor::from_slice(&device, &[1.0f32], &[1]).unwrap();
        x.exp().unwrap();
        let some = graphs(&device).read().unwrap().lists.values().flatten().next().unwrap().loaded.clone();
        let graph = |name: &str| Graph { name: name.to_owned(), ..Graph::default() };
        let mut graphs = Graphs::default();
        let add = |graphs: &mut Graphs, name: &str| {
            let graph = graph(name);
            graphs.add(hash(&graph), &graph, some.clone(), 2).map(|gone| gone.graph.name)
        };
        assert_eq!(add(&mut graphs, "a"), None);
        assert_eq!(add(&mut graphs, "b"), None);
        assert!(graphs.find(hash(&graph("a")), &graph("a")).is_some());
        assert_eq!(add(&mut graphs, "c"), Some("b".to_owned()));
        assert_eq!((graphs.count, graphs.lists.len()), (2, 2));
    }
}
