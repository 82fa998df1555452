//! Loop clusters, one or a bundle of them, as one kernel.

use super::plan_builder::PlanBuilder;
use crate::dim::Dim;
use crate::fuse::{ClusterKind, Division};
use crate::graph::{CompareOp, Graph, Op};
use crate::kir::build::KernelBuilder;
use crate::kir::{Launch, Stmt, WorkItem};
use crate::schedule::sizes::dim_value;
use crate::schedule::{Job, Nest, cpu, gpu};
use crate::span::Result;
use crate::target::Target;
use crate::variant::{LOOP_GROUP, Variant};

impl PlanBuilder<'_> {
    /// One launch for all `clusters`, which are independent loops; two if they need both layouts.
    pub(super) fn loops(&mut self, clusters: &[usize]) -> Result<()> {
        let (groups, items): (Vec<usize>, Vec<usize>) = clusters.iter().partition(|&&cluster| self.in_groups(cluster));
        [groups, items].iter().filter(|clusters| !clusters.is_empty()).try_for_each(|clusters| self.kernel(clusters))
    }

    /// Whether a loop takes the layout with work-groups.
    fn in_groups(&self, cluster: usize) -> bool {
        match self.target {
            Target::Gpu => true,
            Target::Cpu => self.variant(cluster) == Variant::ReductionWorkGroup,
            Target::Host => false,
        }
    }

    /// How a loop is computed.
    fn variant(&self, cluster: usize) -> Variant {
        match (self.configs.loops.get(&cluster), &self.division.clusters[cluster].kind) {
            (Some(config), _) => config.variant,
            (None, ClusterKind::Loop { reduced, .. }) if !reduced.is_empty() => Variant::ReductionSequential,
            (None, _) => Variant::ElementwiseVector,
        }
    }

    fn kernel(&mut self, clusters: &[usize]) -> Result<()> {
        let buffers = self.buffers;
        let buffer_name = move |id| buffers.name(id);
        let jobs: Vec<Job<'_>> = clusters
            .iter()
            .map(|&cluster| Job {
                nest: Nest { graph: self.graph, division: self.division, cluster },
                variant: self.variant(cluster),
                buffer_name: &buffer_name,
                width: self.width,
            })
            .collect();
        let name = self.kernel_name(&what(self.graph, self.division, clusters));
        let mut builder = match (jobs.as_slice(), self.in_groups(clusters[0])) {
            ([job], true) => gpu::kernel(job, &name),
            ([job], false) => cpu::kernel(job, &name),
            (jobs, true) => bundle_gpu(jobs, &name),
            (jobs, false) => bundle_cpu(jobs, &name),
        };
        for &cluster in clusters {
            for line in self.describe(cluster) {
                builder.doc(line);
            }
        }
        self.add_kernel(clusters, builder)
    }
}

fn bundle_cpu(jobs: &[Job<'_>], name: &str) -> KernelBuilder {
    let layouts: Vec<cpu::Layout> = jobs.iter().map(cpu::Layout::new).collect();
    let items: Vec<Dim> = layouts.iter().map(cpu::Layout::items).collect();
    let total = items.iter().cloned().fold(Dim::default(), |sum, items| sum + items);
    let mut b = KernelBuilder::new(name, Launch { global: vec![total], local: vec![1] }).indexed(jobs[0].width);
    let item = b.work_item(WorkItem::GlobalId, 0);
    let item = b.named("item", item);
    share(&mut b, jobs, &items, item, |b, job, position, own| cpu::body(b, job, &layouts[position], own));
    b
}

fn bundle_gpu(jobs: &[Job<'_>], name: &str) -> KernelBuilder {
    let layouts: Vec<gpu::Layout> = jobs.iter().map(gpu::Layout::new).collect();
    let groups: Vec<Dim> = layouts.iter().map(gpu::Layout::groups).collect();
    let total = groups.iter().cloned().fold(Dim::default(), |sum, groups| sum + groups);
    let global = total * Dim::constant(i64::from(LOOP_GROUP));
    let mut b =
        KernelBuilder::new(name, Launch { global: vec![global], local: vec![LOOP_GROUP] }).indexed(jobs[0].width);
    let group = b.work_item(WorkItem::GroupId, 0);
    let group = b.named("group", group);
    share(&mut b, jobs, &groups, group, |b, job, position, own| gpu::body(b, job, &layouts[position], own));
    b
}

/// `if item < first's { first } else if item < first's + second's { second } ..`
fn share(
    b: &mut KernelBuilder,
    jobs: &[Job<'_>],
    counts: &[Dim],
    item: crate::kir::ExprId,
    mut body: impl FnMut(&mut KernelBuilder, &Job<'_>, usize, crate::kir::ExprId),
) {
    let mut start = Dim::default();
    let mut branches: Vec<(crate::kir::ExprId, Vec<Stmt>)> = Vec::new();
    for (position, (job, count)) in jobs.iter().zip(counts).enumerate() {
        let end = start.clone() + count.clone();
        let limit = dim_value(b, &end);
        let condition = b.compare(CompareOp::Lt, item, limit);
        b.open();
        let first = dim_value(b, &start);
        let own = b.binary(crate::graph::BinaryOp::Sub, item, first);
        let own = if start.is(0) { item } else { b.named("own", own) };
        body(b, job, position, own);
        branches.push((condition, b.close()));
        start = end;
    }
    let mut chain: Vec<Stmt> = Vec::new();
    for (position, (condition, then)) in branches.into_iter().enumerate().rev() {
        // Launches are exact: the last part needs no test.
        chain = if position + 1 == jobs.len() { then } else { vec![Stmt::If { condition, then, otherwise: chain }] };
    }
    chain.into_iter().for_each(|stmt| b.stmt(stmt));
}

/// A word or two for a kernel's name.
fn what(graph: &Graph, division: &Division, clusters: &[usize]) -> String {
    if clusters.len() > 1 {
        return "bundle".into();
    }
    let mut words: Vec<&str> = Vec::new();
    for &member in &division.clusters[clusters[0]].members {
        let word = match &graph[member].op {
            op @ Op::Reduce { .. } => super::buffers::operation(op),
            _ => "map",
        };
        if !words.contains(&word) {
            words.push(word);
        }
    }
    words.truncate(3);
    words.join("_")
}
