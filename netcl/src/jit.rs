//! Graphs made at run time: compiled by the same passes as at compile time, kept in memory by graph and device.

use crate::device::Device;
use crate::error::{Error, Result};
use crate::executor::{Call, Loaded};
use crate::tensor::Tensor;
use netcl_kernels::compile::compile;
use netcl_kernels::graph::Graph;
use netcl_kernels::span::Diagnostic;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, LazyLock, PoisonError, RwLock};

/// Compiled graphs by a hash of device and graph; those with equal hashes in one list.
type Cache = HashMap<u64, Vec<(u32, Graph, Arc<Loaded>)>>;

static CACHE: LazyLock<RwLock<Cache>> = LazyLock::new(RwLock::default);

/// Compiles `graph` for the device of its arguments, unless that was done before, and runs it: the results by position.
pub fn run(graph: &Graph, args: &[&Tensor]) -> Result<Vec<Tensor>> {
    let Some(first) = args.first() else {
        return Err(Error::ArgumentCount { function: graph.name.clone(), expected: 1, found: 0 });
    };
    let loaded = load(graph, first.device())?;
    Ok(loaded.call(&Call { args, ..Call::default() })?.results)
}

/// The compiled graph on that device.
pub(crate) fn load(graph: &Graph, device: &Device) -> Result<Arc<Loaded>> {
    let key = hash(graph, device);
    let find = |cache: &Cache| {
        let same = |(id, known, _): &&(u32, Graph, Arc<Loaded>)| *id == device.id() && known == graph;
        cache.get(&key)?.iter().find(same).map(|(_, _, loaded)| loaded.clone())
    };
    if let Some(loaded) = find(&CACHE.read().unwrap_or_else(PoisonError::into_inner)) {
        return Ok(loaded);
    }
    let plan = compile(graph, device.profile().target).map_err(|diagnostic| failed(&graph.name, diagnostic))?;
    let loaded = Arc::new(Loaded::new(device, Arc::new(plan), &[])?);
    let mut cache = CACHE.write().unwrap_or_else(PoisonError::into_inner);
    // Another thread may have been first.
    if let Some(loaded) = find(&cache) {
        return Ok(loaded);
    }
    cache.entry(key).or_default().push((device.id(), graph.clone(), loaded.clone()));
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
