//! Scatter-adds: on the host by its library, on CPUs as one kernel, on GPUs as a sort and sums of what is sorted.

use super::formula::label;
use super::plan_builder::PlanBuilder;
use crate::dim::Dim;
use crate::graph::{NodeId, Op};
use crate::kir::build::KernelBuilder;
use crate::plan::{Arg, Work};
use crate::schedule::scatter::{ScatterAdd, ScatterShape, owners};
use crate::schedule::scatter_sorted::{self as sorted, Intermediates};
use crate::span::Result;
use crate::target::Target;
use crate::template::Limits;

/// Whether scatter-adds sort, for which work-groups need local memory.
pub(super) fn sorts(target: Target, limits: &Limits) -> bool {
    target == Target::Gpu && limits.local_bytes >= sorted::LOCAL_BYTES
}

impl PlanBuilder<'_> {
    /// The launches that compute the scatter-add `id`.
    pub(super) fn scatter(&mut self, cluster: usize, id: NodeId) -> Result<()> {
        let sizes = ScatterShape::of(self.graph, id);
        let Op::ScatterAdd { indices, updates } = self.graph[id].op else { unreachable!("a scatter-add") };
        let (indices, updates) = (self.operand(id, indices)?.0, self.operand(id, updates)?.0);
        if self.target == Target::Host {
            let ScatterShape { rows, count, features, dtype, .. } = sizes;
            let args = [indices, updates, id].map(|id| Arg::Buffer(self.buffers.of(id))).to_vec();
            self.add_step(&[cluster], Work::ScatterAdd { rows, count, features, dtype }, args, 0);
            return Ok(());
        }
        let [indices, updates, result] = [indices, updates, id].map(|id| self.buffers.name(id));
        let scatter = ScatterAdd { sizes, indices, updates, result };
        let between = self.buffers.between(id).iter().map(|id| self.buffers.list[id.0 as usize].name.clone());
        let Some(between) = Intermediates::of(between) else {
            let mut builder = owners(&scatter, &self.kernel_name("scatter_add"), self.width);
            self.describe(cluster).into_iter().for_each(|line| builder.doc(line));
            return self.add_kernel(&[cluster], builder);
        };
        self.note_not_in_place(&[cluster]);
        for pass in 0..scatter.sizes.passes() {
            let builder = sorted::count(&scatter, &between, pass, &self.kernel_name("scatter_add_count"));
            self.part(cluster, id, "digits of the rows are counted", Dim::default(), builder)?;
            let builder = sorted::place(&scatter, &between, pass, &self.kernel_name("scatter_add_place"));
            self.part(cluster, id, "updates are put in the order of these", Dim::default(), builder)?;
        }
        let additions = scatter.sizes.count.clone() * scatter.sizes.features.clone();
        let builder = sorted::sum(&scatter, &between, &self.kernel_name("scatter_add_sum"));
        self.part(cluster, id, "rows are summed, block by block", additions, builder)?;
        let builder = sorted::join(&scatter, &between, &self.kernel_name("scatter_add_join"));
        let additions = scatter.sizes.blocks() * scatter.sizes.features.clone();
        self.part(cluster, id, "rows of several blocks are joined", additions, builder)
    }

    /// Adds one of the kernels of a scatter-add.
    fn part(&mut self, cluster: usize, id: NodeId, what: &str, flops: Dim, mut builder: KernelBuilder) -> Result<()> {
        self.describe(cluster).into_iter().for_each(|line| builder.doc(line));
        builder.doc(format!("of that: {what}"));
        self.add_part(format!("{}: {what}", label(self.graph, self.buffers, id)), flops, builder)
    }
}
