//! Running one task.

use super::{numbers, operands};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::executor::{Call, Loaded};
use crate::tensor::Tensor;
use netcl_kernels::graph::{Graph, InputKind, Op};
use netcl_kernels::variant::Task;

/// The task's operands on that device.
pub(super) fn operand_tensors(device: &Device, task: &Task<u64>, graph: &Graph) -> Result<Vec<Tensor>> {
    let mut tensors = Vec::new();
    for (_, node) in graph.iter() {
        if let Op::Input(InputKind::Argument(position)) = node.op {
            let shape = node.shape.evaluate(&[]).ok_or_else(|| Error::Plan {
                function: task.to_string(),
                problem: format!("operand {position} of shape {} is larger than memory can be", node.shape),
            })?;
            let elements = crate::tensor::element_count("tune", &shape)?;
            let bytes = operands::operand(task, position, elements, node.dtype).ok_or_else(|| Error::Plan {
                function: task.to_string(),
                problem: format!("the host has no memory for operand {position} of shape {}", node.shape),
            })?;
            tensors.push(Tensor::from_bytes(device, &bytes, &shape, node.dtype)?);
        }
    }
    Ok(tensors)
}

/// What it computes of them.
pub(super) fn run(loaded: &Loaded, operands: &[Tensor]) -> Result<Tensor> {
    let args: Vec<&Tensor> = operands.iter().collect();
    let problem = || Error::Plan { function: "task".to_owned(), problem: "it has no operand or no result".to_owned() };
    let device = operands.first().ok_or_else(problem)?.device();
    let results = loaded.call(device, &Call { args: &args, ..Call::default() })?.results;
    results.into_iter().next().ok_or_else(problem)
}

pub(super) fn values(tensor: &Tensor) -> Result<Vec<f64>> {
    Ok(numbers::numbers(&tensor.to_bytes()?, tensor.dtype()))
}
