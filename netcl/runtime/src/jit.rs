//! Graphs made at run time: compiled by the same passes as at compile time, kept by the device that they are for.

use crate::device::Device;
use crate::error::{Error, Result};
use crate::executor::{Call, GraphSource, Loaded, Recompile, verified};
use crate::tensor::Tensor;
use netcl_hal::device::scalar::Scalar;
use netcl_hal::recent::Recent;
use netcl_kernels::compile::compile;
use netcl_kernels::graph::Graph;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, PoisonError};

/// How many graphs stay compiled for a device.
const KEPT: usize = 1024;

/// The compiled graphs of a device, each with a hash of the graph.
type Graphs = Mutex<Recent<(u64, Arc<Compiled>)>>;

struct Compiled {
    graph: Graph,
    loaded: Arc<Loaded>,
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
fn graphs(device: &Device) -> &Graphs {
    device.slot(|| Mutex::new(Recent::new(KEPT)))
}

fn find(graphs: &mut Recent<(u64, Arc<Compiled>)>, key: u64, graph: &Graph) -> Option<Arc<Loaded>> {
    graphs.find(|(known, own)| *known == key && own.graph == *graph).map(|(_, own)| own.loaded.clone())
}

/// The compiled graph on that device.
pub(crate) fn load(graph: &Graph, device: &Device) -> Result<Arc<Loaded>> {
    let (key, graphs) = (key(graph), graphs(device));
    if let Some(loaded) = find(&mut graphs.lock().unwrap_or_else(PoisonError::into_inner), key, graph) {
        return Ok(loaded);
    }
    let plan = compile(graph, device.profile().target).map_err(|diagnostic| Error::graph(&graph.name, diagnostic))?;
    let again = Recompile { graph: GraphSource::Graph(Arc::new(graph.clone())), policy: device.kernel_policy() };
    let loaded = Arc::new(Loaded::new(device, verified(plan)?, &[], Some(again))?);
    let mut known = graphs.lock().unwrap_or_else(PoisonError::into_inner);
    // Another thread may have been first.
    if let Some(loaded) = find(&mut known, key, graph) {
        return Ok(loaded);
    }
    let surplus = known.add((key, Arc::new(Compiled { graph: graph.clone(), loaded: loaded.clone() })));
    // Its memory goes back without the lock.
    drop(known);
    drop(surplus);
    Ok(loaded)
}

/// What a graph is found by, among those that were compiled for a device.
pub(crate) fn key(graph: &Graph) -> u64 {
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
        let count = || graphs(&device).lock().unwrap().values().len();
        (&x * 0.3).eval().unwrap();
        assert_eq!(count(), 1);
        for step in 3..40 {
            let factor = 1.0 / f64::from(step);
            (&x * factor).eval().unwrap();
        }
        assert_eq!(count(), 1, "one program serves all numbers");
        let host = Tensor::from_slice(&Device::host(), &[1.0f32, -2.0, 3.0], &[3]).unwrap();
        for factor in [0.3, 0.7] {
            let product = (&host * factor).to_vec::<f32>().unwrap();
            assert_eq!(product, [1.0f32, -2.0, 3.0].map(|x| x * factor as f32));
        }
    }
}
