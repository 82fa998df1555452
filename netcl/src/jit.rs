//! Graphs made at run time: compiled by the same passes as at compile time, kept in memory by graph and device.

use crate::device::Device;
use crate::error::{Error, Result};
use crate::executor::scalar::Scalar;
use crate::executor::{Call, GraphSource, Loaded};
use crate::tensor::Tensor;
use netcl_kernels::compile::compile;
use netcl_kernels::graph::Graph;
use netcl_kernels::span::Diagnostic;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, PoisonError, RwLock};

/// How many graphs stay compiled.
const KEPT: usize = 1024;

/// Compiled graphs by a hash of device and graph; those with equal hashes in one list.
#[derive(Default)]
struct Cache {
    lists: HashMap<u64, Vec<Compiled>>,
    count: usize,
}

struct Compiled {
    device: u32,
    graph: Graph,
    loaded: Arc<Loaded>,
    /// When it was last looked up, in [`CLOCK`]'s ticks.
    used: AtomicU64,
}

static CACHE: LazyLock<RwLock<Cache>> = LazyLock::new(RwLock::default);
static CLOCK: AtomicU64 = AtomicU64::new(0);

impl Cache {
    fn find(&self, key: u64, device: &Device, graph: &Graph) -> Option<Arc<Loaded>> {
        let found = self.lists.get(&key)?.iter().find(|own| own.device == device.id() && own.graph == *graph)?;
        found.used.store(CLOCK.fetch_add(1, Ordering::Relaxed), Ordering::Relaxed);
        Some(found.loaded.clone())
    }

    /// Adds one; returns the one that was used least lately, if there are now more than `kept`.
    fn add(&mut self, key: u64, compiled: Compiled, kept: usize) -> Option<Compiled> {
        self.lists.entry(key).or_default().push(compiled);
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

/// Compiles `graph` for the device of its arguments, unless that was done before, and runs it: the results by position.
///
/// # Errors
///
/// [`Error::Graph`] if the graph cannot be compiled; [`Error::ArgumentCount`], [`Error::Argument`], [`Error::Size`] and
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
    Ok(loaded.call(&Call { args, scalars, ..Call::default() })?.results)
}

/// The compiled graph on that device.
pub(crate) fn load(graph: &Graph, device: &Device) -> Result<Arc<Loaded>> {
    let key = hash(graph, device);
    if let Some(loaded) = CACHE.read().unwrap_or_else(PoisonError::into_inner).find(key, device, graph) {
        return Ok(loaded);
    }
    let plan = compile(graph, device.profile().target).map_err(|diagnostic| failed(&graph.name, diagnostic))?;
    let source = GraphSource::Graph(Arc::new(graph.clone()));
    let loaded = Arc::new(Loaded::new(device, Arc::new(plan), &[], Some(source))?);
    let mut cache = CACHE.write().unwrap_or_else(PoisonError::into_inner);
    // Another thread may have been first.
    if let Some(loaded) = cache.find(key, device, graph) {
        return Ok(loaded);
    }
    let used = AtomicU64::new(CLOCK.fetch_add(1, Ordering::Relaxed));
    let compiled = Compiled { device: device.id(), graph: graph.clone(), loaded: loaded.clone(), used };
    let surplus = cache.add(key, compiled, KEPT);
    // Its memory goes back without the lock.
    drop(cache);
    drop(surplus);
    Ok(loaded)
}

/// A diagnostic of the compiler as an error of `operation`.
pub(crate) fn failed(operation: &str, diagnostic: Diagnostic) -> Error {
    Error::Graph { operation: operation.to_owned(), diagnostic }
}

fn hash(graph: &Graph, device: &Device) -> u64 {
    let mut hasher = DefaultHasher::new();
    device.id().hash(&mut hasher);
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

    #[test]
    fn numbers_share_a_program_and_what_is_not_used_goes() {
        let device = Device::host();
        let x = Tensor::from_slice(&device, &[1.0f32, -2.0, 3.0], &[3]).unwrap();
        let count = || CACHE.read().unwrap().count;
        (&x * 0.3).unwrap();
        let before = count();
        for step in 3..40 {
            let factor = 1.0 / f64::from(step);
            let product = (&x * factor).unwrap().to_vec::<f32>().unwrap();
            assert_eq!(product, [1.0f32, -2.0, 3.0].map(|x| x * factor as f32));
        }
        // Other tests of this process may add theirs meanwhile, but not so many.
        assert!(count() < before + 30, "one program serves all numbers");
    }

    #[test]
    fn the_one_used_least_lately_goes() {
        let device = Device::host();
        let x = Tensor::from_slice(&device, &[1.0f32], &[1]).unwrap();
        x.exp().unwrap();
        let global = CACHE.read().unwrap();
        let some = global.lists.values().flatten().next().unwrap().loaded.clone();
        drop(global);
        let graph = |name: &str| Graph { name: name.to_owned(), ..Graph::default() };
        let mut cache = Cache::default();
        let add = |cache: &mut Cache, name: &str| {
            let used = AtomicU64::new(CLOCK.fetch_add(1, Ordering::Relaxed));
            let compiled = Compiled { device: device.id(), graph: graph(name), loaded: some.clone(), used };
            cache.add(hash(&graph(name), &device), compiled, 2).map(|gone| gone.graph.name)
        };
        assert_eq!(add(&mut cache, "a"), None);
        assert_eq!(add(&mut cache, "b"), None);
        assert!(cache.find(hash(&graph("a"), &device), &device, &graph("a")).is_some());
        assert_eq!(add(&mut cache, "c"), Some("b".to_owned()));
        assert_eq!((cache.count, cache.lists.len()), (2, 2));
    }
}
