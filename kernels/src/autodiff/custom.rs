//! Gradients of users' kernels, by the kernels that they give for that, of loops and of attention: of all results together.

use super::attention;
use super::rules::RequestedGradients;
use super::scan::{self, Sweep};
use crate::graph::build::Builder;
use crate::graph::{NodeId, Op};
use crate::numeric::{self, call::Reverse};
use crate::span::{Diagnostic, Result};
use std::collections::BTreeMap;

/// The cotangents of the results of calls, until the call is reached: each of its results comes behind it.
#[derive(Default)]
pub(super) struct Results(BTreeMap<(NodeId, usize), NodeId>);

impl Results {
    /// Notes the cotangent `g` of the node `id`, if that is a result of a call, or one itself.
    pub(super) fn note(&mut self, builder: &Builder, id: NodeId, g: NodeId) {
        match builder.node(id).op {
            Op::CustomResult { call, result } => self.0.insert((call, result), g),
            Op::Attention(_) | Op::Custom { .. } | Op::Scan { .. } => self.0.insert((id, 0), g),
            _ => None,
        };
    }

    /// The cotangents of those operands of the call `id` that are wanted.
    pub(super) fn contributions(
        &self,
        builder: &mut Builder,
        id: NodeId,
        wanted: &RequestedGradients<'_>,
        sweep: Sweep<'_>,
    ) -> Result<Vec<(NodeId, NodeId)>> {
        let node = builder.node(id).clone();
        if let Op::Scan { scan, .. } = &node.op {
            let given: Vec<_> = (0..scan.results()).map(|result| self.0.get(&(id, result)).copied()).collect();
            let pairs = scan::contributions(builder, id, &given, wanted, sweep)?;
            return Ok(pairs.into_iter().filter(|(operand, _)| wanted.has(*operand)).collect());
        }
        if let Op::Attention(own) = &node.op {
            let given: Vec<_> = (0..2).map(|result| self.0.get(&(id, result)).copied()).collect();
            return attention::contributions(builder, id, own, &given, wanted, sweep);
        }
        let Op::Custom { kernel, sizes, operands } = node.op else { return Ok(Vec::new()) };
        let given: Vec<Option<NodeId>> =
            (0..kernel.results.len()).map(|result| self.0.get(&(id, result)).copied()).collect();
        let differentiable: Vec<usize> = kernel.differentiable().collect();
        if given.iter().all(Option::is_none) || !differentiable.iter().any(|&position| wanted.has(operands[position])) {
            return Ok(Vec::new());
        }
        if let Some(derivative) = kernel.derivative {
            let results = builder.results_of(id);
            let reverse = Reverse { operands: &operands, results: &results, cotangents: &given };
            let found = numeric::cotangents(builder, derivative, &reverse)?;
            let pairs = found.into_iter().map(|(position, cotangent)| (operands[position], cotangent));
            return Ok(pairs.filter(|(operand, _)| wanted.has(*operand)).collect());
        }
        let Some(gradient) = &kernel.gradient else {
            let name = &kernel.name;
            return Err(Diagnostic::new(format!("`{name}` has no gradient, and a gradient through it is asked for"))
                .hint(format!(
                    "give it one above the kernel, `#[gradient({name}_gradient)]`, or pass what needs none: `x.detach()`"
                ))
                .at(node.span));
        };
        let mut passed = operands.clone();
        for (result, cotangent) in kernel.results.iter().zip(given).filter(|(result, _)| result.dtype.is_float()) {
            let shape = kernel.shape(&sizes, &result.shape);
            passed.push(cotangent.unwrap_or_else(|| builder.full(0.0, &shape, result.dtype)));
        }
        let shapes: Vec<_> = passed.iter().map(|id| builder.shape(*id).clone()).collect();
        let gradients = match gradient.bind(shapes.iter()) {
            Some(own) => builder.custom(gradient, &own, &passed)?,
            None => {
                return Err(Diagnostic::new(format!("the sizes of `{}` are not told by what it takes", gradient.name)));
            }
        };
        let pairs = differentiable.into_iter().map(|position| operands[position]).zip(gradients);
        Ok(pairs.filter(|(operand, _)| wanted.has(*operand)).collect())
    }
}
