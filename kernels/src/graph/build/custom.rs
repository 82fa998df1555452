//! Calls of kernels that users have written.

use super::{Builder, Custom, Dim, InputKind, NodeId, Op, Result};
use crate::graph::verify::is_passed_by_value;
use std::sync::Arc;

impl Builder {
    /// The results of `kernel`, whose symbols are `sizes`, on `operands`.
    pub fn custom(&mut self, kernel: &Arc<Custom>, sizes: &[Dim], operands: &[NodeId]) -> Result<Vec<NodeId>> {
        if kernel.inputs.len() != operands.len() || kernel.symbols.len() != sizes.len() {
            let (takes, given) = (kernel.inputs.len(), operands.len());
            return self.fail(format!("`{}` takes {takes} operands, found {given}", kernel.name));
        }
        let mut passed = Vec::with_capacity(operands.len());
        for (input, &operand) in kernel.inputs.iter().zip(operands) {
            let (shape, dtype) = (self.shape(operand).clone(), self.dtype(operand));
            let wanted = input.shape.as_ref().map(|own| kernel.shape(sizes, own)).unwrap_or_default();
            if shape != wanted || dtype != input.dtype {
                let expected = format!("{}{wanted}", input.dtype);
                return self
                    .fail(format!("`{}` expects {expected} as `{}`, found {dtype}{shape}", kernel.name, input.name));
            }
            let op = &self.node(operand).op;
            if input.shape.is_none() && !is_passed_by_value(op) {
                return self.fail(format!(
                    "`{}` expects a number as `{}` that is known when it is launched, found one that is computed",
                    kernel.name, input.name
                ));
            }
            // The caller's number lies in no memory until it is stored.
            let stored = input.shape.is_some() && matches!(op, Op::Input(InputKind::Scalar(_)));
            passed.push(if stored { self.push(Op::Reshape(operand), shape, dtype) } else { operand });
        }
        let first = &kernel.results[0];
        let (shape, dtype) = (kernel.shape(sizes, &first.shape), first.dtype);
        let call = Op::Custom { kernel: kernel.clone(), sizes: sizes.to_vec(), operands: passed };
        let call = self.push(call, shape, dtype);
        Ok(self.results_of(call))
    }

    /// The results of the call or loop `id`.
    pub(crate) fn results_of(&mut self, id: NodeId) -> Vec<NodeId> {
        let further: Vec<_> = match &self.graph[id].op {
            Op::Custom { kernel, sizes, .. } => {
                let own = kernel.results.iter().skip(1);
                own.map(|result| (kernel.shape(sizes, &result.shape), result.dtype)).collect()
            }
            Op::Scan { scan, length, .. } => {
                (1..scan.results()).map_while(|result| scan.gives(length, result)).collect()
            }
            _ => Vec::new(),
        };
        let push =
            |(before, (shape, dtype))| self.push(Op::CustomResult { call: id, result: before + 1 }, shape, dtype);
        std::iter::once(id).chain(further.into_iter().enumerate().map(push)).collect()
    }
}
