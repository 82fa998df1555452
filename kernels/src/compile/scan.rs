//! Loops over a symbolic number of rounds: the steps of the body, which the executor repeats.
//!
//! The body is compiled as a graph of its own, whose buffers and steps come behind those of the graph around it. What a round
//! leaves behind it writes to its place in a buffer of all rounds.

use super::decide::CompileOptions;
use super::made::{Around, made};
use super::plan_builder::{Collected, PlanBuilder};
use super::rounds::InOneKernel;
use crate::dim::Dim;
use crate::fuse::legalize::legalize;
use crate::graph::build::Builder;
use crate::graph::{Graph, InputKind, NodeId, Op, OutputKind, Scan};
use crate::plan::requirement::Requirement;
use crate::plan::{Arg, Buffer, BufferId, Carried, Repeat, Role, Step, Work};
use crate::span::Result;
use std::cell::Cell;
use std::collections::BTreeMap;

impl PlanBuilder<'_> {
    /// The steps of the loop `id`.
    pub(super) fn scan(
        &mut self,
        cluster: usize,
        id: NodeId,
        options: &CompileOptions<'_>,
        too_long: &Cell<bool>,
    ) -> Result<()> {
        let Op::Scan { scan, length, operands } = self.graph[id].op.clone() else { unreachable!("a loop") };
        let mut unread = self.buffers.between(id).iter().copied();
        let results: Vec<BufferId> = (0..scan.results())
            .map(|position| match self.result(cluster, id, position) {
                Some(node) => self.buffers.of(node),
                None => unread.next().unwrap_or_else(|| unreachable!("result {position} has a buffer")),
            })
            .collect();
        let operands: Vec<BufferId> =
            operands.iter().map(|&operand| Ok(self.buffers.of(self.operand(id, operand)?.0))).collect::<Result<_>>()?;
        let body = legalize(&scan.body, self.target)?;
        let (made, launches, initial) = match self.in_one_kernel(&scan, &body, &length, options, too_long)? {
            Some(InOneKernel { made, launches, initial }) => (made, Some(launches), initial),
            None => (self.inside(body, &scan, options, too_long)?, None, BTreeMap::new()),
        };
        // The body's buffers, as they are called here.
        let mut places: Vec<BufferId> = Vec::with_capacity(made.buffers.len());
        let mut current: BTreeMap<usize, BufferId> = BTreeMap::new();
        for (position, buffer) in made.buffers.into_iter().enumerate() {
            if let Some(position) = initial.get(&BufferId(position as u32)) {
                places.push(operands[*position]);
                continue;
            }
            places.push(match &buffer.role {
                Role::Argument(position) if *position >= scan.carried => operands[*position],
                Role::Output(OutputKind::Result(position)) => results[*position],
                role => {
                    let own = BufferId((self.buffers.list.len() + self.loops.buffers.len()) as u32);
                    if let Role::Argument(position) = role {
                        current.insert(*position, own);
                    }
                    self.loops.buffers.push(Buffer { role: Role::Scratch, ..buffer });
                    own
                }
            });
        }
        let first = self.count();
        let inner = made.repeats.into_iter().map(|repeat| moved_repeat(repeat, first, &places));
        self.loops.repeats.extend(inner);
        for step in made.steps {
            self.push(moved_step(step, &places));
        }
        let count = self.count() - first;
        // A size that has the round in it is the largest in the last one.
        let last = |size: Dim| size.substitute(&|symbol| (*symbol == scan.step).then(|| length.clone()));
        self.loops.requirements.extend(made.requirements.into_iter().map(|requirement| match requirement {
            Requirement::Countable(size) => Requirement::Countable(last(size)),
            other => other,
        }));
        self.add_decisions(made.decisions);
        let mut carried = Vec::with_capacity(scan.carried);
        for position in 0..scan.carried {
            let next = results[position];
            let current = current.get(&position).copied().unwrap_or(next);
            carried.push(Carried { initial: operands[position], current, next });
        }
        let otherwise = if (length.clone() - Dim::constant(1)).never_negative() {
            0
        } else {
            self.copies(&scan, &carried, options, too_long)?
        };
        self.note_not_in_place(&[cluster]);
        self.loops.repeats.push(match launches {
            Some((launches, step)) => {
                let (inside, length, carried) = (Some(length), launches, Vec::new());
                Repeat { first, count, otherwise, length, step, reverse: false, carried, inside }
            }
            None => {
                let (step, reverse) = (scan.step.clone(), scan.reverse);
                Repeat { first, count, otherwise, length, step, reverse, carried, inside: None }
            }
        });
        Ok(())
    }

    /// What a body becomes, with the kernels so far and its own.
    fn inside(
        &mut self,
        body: Graph,
        scan: &Scan,
        options: &CompileOptions<'_>,
        too_long: &Cell<bool>,
    ) -> Result<Collected> {
        let around = Around::Loop(scan, self.lend_kernels());
        let mut made = made(body, self.target, options, around, too_long)?;
        self.take_kernels(std::mem::take(&mut made.kernels));
        Ok(made)
    }

    /// Steps that copy what is carried to where it is after the last round; how many.
    fn copies(
        &mut self,
        scan: &Scan,
        carried: &[Carried],
        options: &CompileOptions<'_>,
        too_long: &Cell<bool>,
    ) -> Result<usize> {
        if scan.carried == 0 {
            return Ok(0);
        }
        let mut builder = Builder::new(&format!("{}.none", scan.body.name));
        for position in 0..scan.carried {
            let Some((_, node)) = scan.argument(position) else { continue };
            let input = builder.input(InputKind::Argument(position), &node.name, node.shape.clone(), node.dtype);
            builder.output(OutputKind::Result(position), input);
        }
        let graph = legalize(&builder.finish(), self.target)?;
        let alone = Scan { body: Graph::default(), step: scan.step.clone(), carried: scan.carried, reverse: false };
        let made = self.inside(graph, &alone, options, too_long)?;
        let place = |buffer: &Buffer| match &buffer.role {
            Role::Argument(position) => carried[*position].initial,
            Role::Output(OutputKind::Result(position)) => carried[*position].next,
            other => unreachable!("a copy has no {other}"),
        };
        let places: Vec<BufferId> = made.buffers.iter().map(place).collect();
        let count = made.steps.len();
        for step in made.steps {
            self.push(moved_step(step, &places));
        }
        Ok(count)
    }
}

/// The step with its buffers elsewhere.
fn moved_step(mut step: Step, places: &[BufferId]) -> Step {
    let place = |id: &mut BufferId| *id = places[id.0 as usize];
    for arg in &mut step.args {
        if let Arg::Buffer(id) = arg {
            place(id);
        }
    }
    if let Work::MatMul { a, b, c, .. } = &mut step.work {
        [a, b, c].into_iter().for_each(|operand| place(&mut operand.buffer));
    }
    for list in [&mut step.reads, &mut step.writes] {
        list.iter_mut().for_each(place);
        list.sort();
        list.dedup();
    }
    step
}

/// The loop with its steps and buffers elsewhere.
fn moved_repeat(mut repeat: Repeat, first: usize, places: &[BufferId]) -> Repeat {
    repeat.first += first;
    for Carried { initial, current, next } in &mut repeat.carried {
        [initial, current, next].into_iter().for_each(|id| *id = places[id.0 as usize]);
    }
    repeat
}
