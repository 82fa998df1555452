//! What a division has to compute, as tasks, and how each is computed.

use super::configs::ClusterConfigs;
use super::decide::Decider;
use super::plan_builder::PlanBuilder;
use crate::dim::{Dim, Shape};
use crate::dtype::DType;
use crate::fuse::ClusterKind;
use crate::fuse::member::Membership;
use crate::graph::{InputKind, NodeId, Op, ReduceOp};
use crate::rewrite::Marks;
use crate::span::Result;
use crate::target::Target;
use crate::variant::{BatchNorm, Elementwise, KernelConfig, Reduction, Task, Variant};

impl PlanBuilder<'_> {
    /// Asks about every cluster, in the order in which they run. The host has no choice.
    pub(super) fn survey(&self, marks: &Marks, decider: &mut Decider<'_>) -> Result<ClusterConfigs> {
        let mut configs = ClusterConfigs::default();
        if self.target == Target::Host {
            return Ok(configs);
        }
        for cluster in self.division.order() {
            match self.division.clusters[cluster].kind.clone() {
                ClusterKind::MatMul(id) | ClusterKind::Conv(id) => {
                    let task = match self.graph[id].op {
                        Op::MatMul(..) => Task::Product(self.product_task(id)),
                        _ => Task::Conv2d(self.conv_task(id)),
                    };
                    let config = match marks.preferred.get(&id) {
                        Some(preferred) => decider.part(task, preferred.as_ref()),
                        None => decider.decide(task),
                    };
                    configs.nodes.insert(id, config);
                }
                ClusterKind::Attention(id) => {
                    let config = decider.decide(Task::Attention(self.attention_task(id)?));
                    configs.nodes.insert(id, config);
                }
                // One way to each kind of device.
                ClusterKind::Scatter(_) | ClusterKind::Custom(_) | ClusterKind::Scan(_) => {}
                ClusterKind::Loop { space, reduced } => {
                    let config = if reduced.is_empty() {
                        decider.decide(Task::Elementwise(self.elementwise_task(cluster, &space)))
                    } else {
                        self.survey_reduction(cluster, &space, &reduced, marks, decider, &mut configs)
                    };
                    configs.loops.insert(cluster, config);
                }
            }
        }
        Ok(configs)
    }

    fn survey_reduction(
        &self,
        cluster: usize,
        space: &Shape,
        reduced: &[usize],
        marks: &Marks,
        decider: &mut Decider<'_>,
        configs: &mut ClusterConfigs,
    ) -> KernelConfig {
        let members = &self.division.clusters[cluster].members;
        let is_reduce = |id: &NodeId| matches!(self.graph[*id].op, Op::Reduce { .. });
        let is_map = |id: &NodeId| {
            let membership = Membership::of(&self.graph[*id].shape, is_reduce(id), space, reduced);
            membership.is_some_and(|membership| !membership.per_row)
        };
        let maps = || members.iter().copied().filter(is_map);
        let statistics = self.batch_norm_task(cluster, space, reduced).filter(|_| maps().next().is_some());
        let fused = match statistics.map(|task| decider.decide(Task::BatchNorm(task)).variant) {
            Some(Variant::BatchNormNaive) => {
                configs.apart.extend(maps());
                false
            }
            other => other.is_some(),
        };
        let task = Task::Reduction(self.reduction_task(cluster, space, reduced));
        if members.iter().any(|id| marks.preferred.contains_key(id)) {
            return decider.decide_in_one(task);
        }
        if fused {
            // Parts are no rows of a channel: cutting would take the maps out of the kernel again.
            return decider.decide_in_one(task);
        }
        let config = decider.decide(task);
        if config.variant == Variant::ReductionParallel {
            let reductions = members.iter().copied().filter(is_reduce);
            configs.in_parts.extend(reductions.map(|id| (id, config.clone())));
        }
        config
    }

    fn elementwise_task(&self, cluster: usize, space: &Shape) -> Elementwise<Dim> {
        let reads = &self.division.clusters[cluster].operands;
        let scalar = |id: &NodeId| matches!(self.graph[*id].op, Op::Input(InputKind::Scalar(_)));
        Elementwise {
            elements: space.elements(),
            reads: reads.iter().filter(|id| !scalar(id)).count().max(1) as u32,
            dtype: self.widest(cluster),
        }
    }

    fn reduction_task(&self, cluster: usize, space: &Shape, reduced: &[usize]) -> Reduction<Dim> {
        let size = |inside: bool| {
            let axes = (0..space.rank()).filter(|axis| reduced.contains(axis) == inside);
            axes.fold(Dim::constant(1), |product, axis| product * space[axis].clone())
        };
        let reductions = || {
            self.division.clusters[cluster].members.iter().filter_map(|id| match self.graph[*id].op {
                Op::Reduce { op, source, .. } => Some((op, self.graph[source].dtype)),
                _ => None,
            })
        };
        // What is chosen is for all of them: the one that not everything can compute, a place among many, speaks for the others.
        let (op, dtype) = reductions()
            .find(|(op, _)| op.is_position())
            .or_else(|| reductions().next())
            .unwrap_or((ReduceOp::Sum, DType::F32));
        let contiguous = reduced.last() == Some(&(space.rank() - 1));
        Reduction { rows: size(false), columns: size(true), contiguous, op, dtype }
    }

    /// The statistics of a batch: sums over all axes but one in the middle.
    fn batch_norm_task(&self, cluster: usize, space: &Shape, reduced: &[usize]) -> Option<BatchNorm<Dim>> {
        let mut kept = (0..space.rank()).filter(|axis| !reduced.contains(axis));
        let channel = kept.next().filter(|channel| *channel > 0)?;
        let product = |dims: &[Dim]| dims.iter().cloned().fold(Dim::constant(1), |product, dim| product * dim);
        kept.next().is_none().then(|| BatchNorm {
            images: product(&space.0[..channel]),
            channels: space[channel].clone(),
            pixels: product(&space.0[channel + 1..]),
            dtype: self.widest(cluster),
        })
    }

    fn widest(&self, cluster: usize) -> DType {
        let members = &self.division.clusters[cluster].members;
        members.iter().map(|id| self.graph[*id].dtype).max_by_key(|dtype| dtype.size()).unwrap_or(DType::F32)
    }
}
