//! A loop over a symbolic number of rounds as one kernel, which is launched once for many rounds.

use super::buffers::Buffers;
use super::decide::{CompileOptions, Decider};
use super::left;
use super::plan_builder::{Collected, PlanBuilder};
use crate::dim::{Dim, INDEX_LIMIT, Symbol};
use crate::dtype::DType;
use crate::fuse::{self, ClusterKind, Constraints, cost};
use crate::graph::{Graph, NodeId, Scan};
use crate::identifier::{distinct, sanitized};
use crate::plan::requirement::Requirement;
use crate::plan::{BufferId, ROUNDS_OF_LAUNCH};
use crate::rewrite::as_sums;
use crate::schedule::batch::{BatchAxis, batch_axis};
use crate::schedule::rounds::{RoundKernel, RoundState};
use crate::span::Result;
use crate::target::Target;
use crate::variant::{Recurrence, Task, Variant};
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

/// What becomes of a loop in one kernel.
pub(super) struct InOneKernel {
    pub made: Collected,
    /// How many launches there are, and the symbol that is the number of the launch, from 1 on.
    pub launches: (Dim, Symbol),
    /// Which of the buffers are what carried values start as.
    pub initial: BTreeMap<BufferId, usize>,
}

/// A body that one kernel may run.
struct Candidate {
    /// With the body whose nodes are loops.
    scan: Scan,
    division: fuse::Division,
    batch: Option<BatchAxis>,
    /// The number of the launch, and which place a round reads.
    piece: Symbol,
    turn: Symbol,
}

impl PlanBuilder<'_> {
    /// The loop as one kernel, if that is what is chosen for it. `body` is its body, made legal.
    pub(super) fn in_one_kernel(
        &mut self,
        scan: &Scan,
        body: &Graph,
        length: &Dim,
        options: &CompileOptions<'_>,
        too_long: &Cell<bool>,
    ) -> Result<Option<InOneKernel>> {
        if self.target == Target::Host || scan.carried == 0 {
            return Ok(None);
        }
        let Some(candidate) = Candidate::of(scan, body, length, self.target)? else { return Ok(None) };
        let mut decider = Decider::new(options, self.target);
        let config = decider.decide(Task::Recurrence(candidate.task(length)));
        self.add_decisions(decider.finish());
        match config.variant {
            Variant::RecurrenceOneKernel => self.one_kernel(candidate, length, too_long).map(Some),
            _ => Ok(None),
        }
    }

    fn one_kernel(&mut self, mut candidate: Candidate, length: &Dim, too_long: &Cell<bool>) -> Result<InOneKernel> {
        candidate.place();
        let Candidate { scan, division, batch, piece, turn } = &candidate;
        let graph = &scan.body;
        let mut buffers = Buffers::new(graph, division, false, None);
        let mut initial = BTreeMap::new();
        let mut states = Vec::new();
        let mut names: BTreeMap<NodeId, String> = BTreeMap::new();
        for (argument, result, position) in passed_on(scan) {
            let Some(argument) = argument else { continue };
            let node = &graph[argument];
            let own = buffers.name(argument);
            let start = buffers.add(&format!("{own}_start"), node.shape.clone(), node.dtype);
            initial.extend(buffers.named(&start).map(|id| (id, position)));
            states.push(RoundState { argument, initial: start, last: buffers.name(result) });
            names.insert(result, own);
            buffers.double(argument);
        }
        let mut builder = PlanBuilder::new(graph, division, &buffers, (self.target, self.limits), self.width);
        builder.go_on(self.lend_kernels());
        let buffer_name = |id: NodeId| names.get(&id).cloned().unwrap_or_else(|| buffers.name(id));
        let rounds = RoundKernel {
            graph,
            division,
            batch: batch.as_ref(),
            states: &states,
            length,
            step: &scan.step,
            piece,
            turn,
            reverse: scan.reverse,
            buffer_name: &buffer_name,
            width: self.width,
            target: self.target,
        };
        let mut kernel = rounds.kernel(&builder.kernel_name("rounds"));
        kernel.doc(format!("The rounds of the loop over {}, {ROUNDS_OF_LAUNCH} in a launch. In each:", scan.step));
        let clusters = division.order();
        clusters.iter().flat_map(|&cluster| builder.describe(cluster)).for_each(|line| kernel.doc(line));
        let flops = (0..clusters.len()).map(|cluster| cost::flops(graph, division, cluster));
        let flops = flops.fold(Dim::default(), |sum, flops| sum + flops) * length.clone();
        let labels: Vec<String> = clusters.iter().flat_map(|&cluster| builder.labels(cluster)).collect();
        builder.add_part(format!("all rounds of {}: {}", scan.step, labels.join("; ")), flops, kernel)?;
        let countable = builder.countable();
        if builder.uncountable().is_some() || buffers.exceed(INDEX_LIMIT) {
            too_long.set(true);
        }
        let requirements = countable?;
        let mut made = builder.finish(buffers.list.clone());
        self.take_kernels(std::mem::take(&mut made.kernels));
        let larger = |size: Dim| size.substitute(&|symbol| (symbol == turn).then(|| Dim::constant(2)));
        made.requirements.extend(requirements.into_iter().map(|requirement| match requirement {
            Requirement::Countable(size) => Requirement::Countable(larger(size)),
            other => other,
        }));
        let launches = (length.ceil_div(ROUNDS_OF_LAUNCH), piece.clone());
        Ok(InOneKernel { made, launches, initial })
    }
}

impl Candidate {
    /// The body, divided into phases, if one kernel may run it: each is a loop, and work-groups need not wait for each other.
    fn of(scan: &Scan, body: &Graph, length: &Dim, target: Target) -> Result<Option<Candidate>> {
        let (graph, stored) = as_sums(body)?;
        let division = fuse::divide(&graph, target, &Constraints { stored, ..Constraints::default() });
        if division.clusters.iter().any(|cluster| !matches!(cluster.kind, ClusterKind::Loop { .. })) {
            return Ok(None);
        }
        let scan = Scan { body: graph, ..scan.clone() };
        let graph = &scan.body;
        let carried: Vec<_> = passed_on(&scan).map(|(argument, result, _)| (argument, result)).collect();
        let batch = batch_axis(graph, &division, &carried);
        let mut taken: BTreeSet<String> = graph.nodes.iter().map(|node| sanitized(&node.name)).collect();
        taken.extend(graph.symbols().iter().map(|symbol| symbol.name().to_owned()));
        length.visit_symbols(&mut |symbol| taken.extend([symbol.name().to_owned()]));
        let mut fresh = |what: &str| {
            let name = distinct(&mut taken, format!("{}_{what}", scan.step));
            Symbol::new(&name)
        };
        let (piece, turn) = (fresh("launch"), fresh("turn"));
        Ok(Some(Candidate { scan, division, batch, piece, turn }))
    }

    /// Says where in their buffers lie what is carried, in turns, and what rounds leave behind.
    fn place(&mut self) {
        let scan = &self.scan;
        self.division.starts = left::starts(scan, &scan.body);
        let turn = Dim::symbol(self.turn.name());
        for (argument, result, _) in passed_on(scan) {
            let Some(argument) = argument else { continue };
            let elements = scan.body[argument].shape.elements();
            self.division.starts.insert(argument, (turn.clone() - Dim::constant(1)) * elements.clone());
            self.division.starts.insert(result, (Dim::constant(2) - turn.clone()) * elements);
        }
    }

    fn task(&self, length: &Dim) -> Recurrence<Dim> {
        let rows = self.batch.as_ref().map_or(Dim::constant(1), |batch| batch.size.clone());
        // Of all elements of the batch; what is symbolic besides is estimated.
        let visits = |cluster: usize| {
            let ClusterKind::Loop { space, .. } = &self.division.clusters[cluster].kind else { unreachable!("a loop") };
            let own = self.batch.as_ref().map(|batch| batch.clusters[cluster]);
            let axes = (0..space.rank()).filter(|axis| Some(*axis) != own);
            axes.fold(Dim::constant(1), |product, axis| product * space[axis].clone())
        };
        let work = (0..self.division.clusters.len()).map(visits).fold(Dim::default(), |sum, own| sum + own);
        let width = Dim::from(work.estimate().isqrt() as usize);
        let mut dtypes = passed_on(&self.scan).map(|(_, result, _)| self.scan.body[result].dtype);
        let dtype = dtypes.find(|dtype| dtype.is_float()).unwrap_or(DType::F32);
        Recurrence { rows, width, rounds: length.clone(), dtype }
    }
}

/// What rounds pass on: the argument, if the body reads it, the result, and their position.
fn passed_on(scan: &Scan) -> impl Iterator<Item = (Option<NodeId>, NodeId, usize)> + '_ {
    (0..scan.carried).filter_map(|position| {
        Some((scan.argument(position).map(|(argument, _)| argument), scan.result(position)?, position))
    })
}
