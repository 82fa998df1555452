//! Kernels that users have written: launched as they are, by steps of their own.

use super::plan_builder::PlanBuilder;
use crate::dim::{Dim, Symbol};
use crate::graph::{Graph, InputKind, NodeId, Op};
use crate::kir::flops::flops;
use crate::kir::verify::{Capabilities, verify};
use crate::kir::{Kernel, Param, ParamKind};
use crate::plan::Arg;
use crate::plan::requirement::Requirement;
use crate::span::Result;
use std::collections::BTreeMap;

impl PlanBuilder<'_> {
    /// The launches of the user's kernel that `id` calls.
    pub(super) fn custom(&mut self, cluster: usize, id: NodeId) -> Result<()> {
        let Op::Custom { kernel: custom, sizes, operands } = &self.graph[id].op else { unreachable!("a call") };
        let (custom, sizes) = (custom.clone(), sizes.clone());
        let mut args: BTreeMap<&str, Arg> = BTreeMap::new();
        for (input, &operand) in custom.inputs.iter().zip(operands) {
            let arg = match (&input.shape, &self.graph[operand].op) {
                (Some(_), _) => Arg::Buffer(self.buffers.of(self.operand(id, operand)?.0)),
                (None, Op::Input(InputKind::Scalar(position))) => Arg::Scalar(*position, input.dtype),
                (None, Op::Constant(literal)) => Arg::Literal(*literal),
                (None, Op::Size(dim)) => Arg::DimAs(dim.clone(), input.dtype),
                (None, _) => unreachable!("rule G29"),
            };
            args.insert(&input.name, arg);
        }
        let mut unread = self.buffers.between(id).iter();
        for (position, result) in custom.results.iter().enumerate() {
            let buffer = match self.result(cluster, id, position) {
                Some(node) => Some(self.buffers.of(node)),
                None => unread.next().copied(),
            };
            let buffer = buffer.unwrap_or_else(|| unreachable!("result {position} has a buffer"));
            args.insert(&result.name, Arg::Buffer(buffer));
        }
        let arg = |param: &Param| match param.kind {
            ParamKind::Symbol | ParamKind::Size => Arg::Dim(custom.size(&sizes, &Dim::symbol(&param.name))),
            _ => args.get(param.name.as_str()).cloned().unwrap_or_else(|| unreachable!("{}", param.name)),
        };
        for kernel in &custom.kernels {
            let passed: Vec<Arg> = kernel.params.iter().map(arg).collect();
            let arithmetic = counted(kernel)?.map(|flops| custom.size(&sizes, &flops));
            let mut own =
                Kernel { name: self.kernel_name(&crate::identifier::sanitized(&custom.name)), ..kernel.clone() };
            own.launch.global.iter_mut().for_each(|size| *size = custom.size(&sizes, size));
            self.add_custom(format!("{}: {}", custom.name, kernel.name), own, passed, arithmetic)?;
        }
        self.note_not_in_place(&[cluster]);
        Ok(())
    }

    /// The node that is the result of the call `id` at that position.
    pub(super) fn result(&self, cluster: usize, id: NodeId, position: usize) -> Option<NodeId> {
        let is = |node: &NodeId| match self.graph[*node].op {
            Op::CustomResult { result, .. } => result == position,
            _ => position == 0 && *node == id,
        };
        self.division.clusters[cluster].members.iter().copied().find(is)
    }
}

/// What a kernel computes, in its own sizes; none where only the running kernel knows.
fn counted(kernel: &Kernel) -> Result<Option<Dim>> {
    let verified = verify(kernel, &Capabilities::unlimited()).map_err(|mut errors| errors.remove(0))?;
    Ok(flops(&verified))
}

/// What calls of users' kernels require of symbols: work-items are countable, and there are some where results that start as
/// anything are written.
pub(super) fn requirements(graph: &Graph) -> Vec<Requirement> {
    let mut all = Vec::new();
    for node in &graph.nodes {
        let Op::Custom { kernel, sizes, .. } = &node.op else { continue };
        let Some(launched) = kernel.kernels.last() else { continue };
        let global: Vec<Dim> = launched.launch.global.iter().map(|size| kernel.size(sizes, size)).collect();
        all.extend(global.iter().filter(|axis| !is_plain(axis)).cloned().map(Requirement::Countable));
        let unset = kernel.results.iter().filter(|result| !kernel.is_zeroed(&result.name));
        let written = unset.fold(Dim::default(), |all, own| all + kernel.shape(sizes, &own.shape).elements());
        let always = global.iter().all(|axis| (axis.clone() - Dim::constant(1)).never_negative());
        if !always && !written.is(0) {
            all.push(Requirement::Items { global, written });
        }
    }
    all
}

/// Whether the size is a number or an axis of a tensor, which is counted anyway.
fn is_plain(size: &Dim) -> bool {
    let mut symbol: Option<Symbol> = None;
    size.visit_symbols(&mut |found| symbol = Some(found.clone()));
    symbol.is_none_or(|symbol| *size == Dim::symbol(symbol.name()))
}
