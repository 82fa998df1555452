//! Gradients of loops: a loop that runs the other way.
//!
//! Its rounds carry the cotangents of what the rounds of the forward loop carry. What they need of the forward round is computed
//! again from what the forward loop leaves behind for that: the carried values and the results of reductions and products, so that
//! memory grows with the number of rounds as that of the same rounds one by one would. A tensor of which each round reads its own part
//! has the parts' cotangents as its own. Of one that each round reads whole, such as a weight, the cotangent is the sum over all rounds:
//! of products and sums it is one product or sum behind the loop ([`Later`]), and what is neither is carried along.

use super::behind::{Behind, Later, Stack};
use super::maths::zeros;
use super::rules::RequestedGradients;
use super::view::view_adjoint;
use crate::dim::{Dim, Shape};
use crate::graph::build::Builder;
use crate::graph::{
    AxisIndex, BinaryOp, Graph, InputKind, NodeId, Op, OutputKind, ReduceOp, Scan, lifted, part_of_round, stacked,
};
use crate::span::Result;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The reverse sweep: the gradients of outputs with a seed each in each of some nodes, none where the outputs do not depend on it.
pub(super) type Sweep<'s> = &'s dyn Fn(&mut Builder, &[(NodeId, NodeId)], &[NodeId]) -> Result<Vec<Option<NodeId>>>;

/// The cotangents of those operands of the loop `id` that are wanted, `given` those of its results.
pub(super) fn contributions(
    builder: &mut Builder,
    id: NodeId,
    given: &[Option<NodeId>],
    wanted: &RequestedGradients<'_>,
    sweep: Sweep<'_>,
) -> Result<Vec<(NodeId, NodeId)>> {
    let Op::Scan { scan, length, operands } = builder.node(id).op.clone() else { return Ok(Vec::new()) };
    if given.iter().all(Option::is_none) || !operands.iter().any(|operand| wanted.has(*operand)) {
        return Ok(Vec::new());
    }
    let wants: Vec<bool> = operands.iter().map(|operand| wanted.has(*operand)).collect();
    let backward = Backward::of(&scan, &length, given, &wants, sweep)?;
    backward.append(builder, id, (&length, &operands), given)
}

/// Who gets the cotangent of an operand that rounds read, and how it comes about.
enum Share {
    /// The parts that rounds read through that view.
    Parts { cotangent: NodeId, index: Vec<AxisIndex> },
    /// What the rounds give is summed behind the loop.
    Later(Later),
    /// It is the loop's carried value at that position.
    Carried(usize),
}

/// The body of the backward loop while it is one with that of the forward loop.
struct Backward<'a> {
    scan: &'a Arc<Scan>,
    body: Builder,
    /// The first node that is no node of the forward body.
    first: usize,
    /// Cotangents of what is carried, and sums: the inputs, and their values for the next round.
    carried: Vec<(NodeId, NodeId)>,
    /// By position of the forward loop's carried values, where in `carried` its cotangent is.
    cotangents: BTreeMap<usize, usize>,
    /// The stacks of the results' cotangents: input and result.
    stacks: Vec<(NodeId, usize)>,
    /// By operand.
    shares: Vec<(usize, Share)>,
    /// What rounds leave behind.
    left: Vec<NodeId>,
}

impl<'a> Backward<'a> {
    fn of(
        scan: &'a Arc<Scan>,
        length: &Dim,
        given: &[Option<NodeId>],
        wants: &[bool],
        sweep: Sweep<'_>,
    ) -> Result<Self> {
        let graph = Graph { name: format!("{}.backward", scan.body.name), outputs: Vec::new(), ..scan.body.clone() };
        let (first, body) = (graph.nodes.len(), Builder::extend(graph));
        let mut own = Backward {
            scan,
            body,
            first,
            carried: Vec::new(),
            cotangents: BTreeMap::new(),
            stacks: Vec::new(),
            shares: Vec::new(),
            left: Vec::new(),
        };
        own.differentiate(length, given, wants, sweep)?;
        Ok(own)
    }

    /// A new input of the body.
    fn input(&mut self, name: &str, shape: Shape, dtype: crate::dtype::DType) -> NodeId {
        let number = self.body.graph().nodes.len();
        self.body.input(InputKind::Carried(number), name, shape, dtype)
    }

    fn differentiate(
        &mut self,
        length: &Dim,
        given: &[Option<NodeId>],
        wants: &[bool],
        sweep: Sweep<'_>,
    ) -> Result<()> {
        let scan = self.scan.clone();
        let (mut seeds, mut sources, mut targets) = (Vec::new(), Vec::new(), Vec::new());
        for (position, cotangent) in given.iter().enumerate() {
            let Some(id) = scan.result(position) else { continue };
            let (shape, dtype) = (scan.body[id].shape.clone(), scan.body[id].dtype);
            if !dtype.is_float() {
                continue;
            }
            let name = if scan.body[id].name.is_empty() { String::new() } else { format!("d_{}", scan.body[id].name) };
            if position < scan.carried {
                let input = self.input(&name, shape, dtype);
                self.cotangents.insert(position, self.carried.len());
                self.carried.push((input, input));
                seeds.push((id, input));
                if let Some((argument, _)) = scan.argument(position) {
                    targets.push(argument);
                    sources.push(position);
                }
            } else if cotangent.is_some() {
                let (index, input) =
                    (part_of_round(scan.round(), shape.rank()), self.input(&name, stacked(length, &shape), dtype));
                self.stacks.push((input, position));
                seeds.push((id, self.body.view(input, shape, index)?));
            }
        }
        let mut parts = Vec::new();
        for (position, wanted) in wants.iter().enumerate().skip(scan.carried) {
            let Some((argument, node)) = scan.argument(position).filter(|_| *wanted) else { continue };
            if !node.dtype.is_float() {
                continue;
            }
            let views = self.parts(argument);
            for (view, index) in views.iter().flatten() {
                targets.push(*view);
                sources.push(position);
                parts.push((*view, index.clone()));
            }
            if views.is_none() {
                targets.push(argument);
                sources.push(position);
            }
        }
        let gradients = sweep(&mut self.body, &seeds, &targets)?;
        for ((target, position), gradient) in targets.into_iter().zip(sources).zip(gradients) {
            if position < scan.carried {
                let gradient = gradient.unwrap_or_else(|| zeros(&mut self.body, target));
                let at = self.cotangents[&position];
                self.carried[at].1 = gradient;
                continue;
            }
            let Some(gradient) = gradient else { continue };
            if let Some((_, index)) = parts.iter().find(|(view, _)| *view == target) {
                self.leave(gradient);
                self.shares.push((position, Share::Parts { cotangent: gradient, index: index.clone() }));
            } else if let Some(later) = self.later(gradient) {
                self.shares.push((position, Share::Later(later)));
            } else {
                let (shape, dtype) = (self.body.shape(target).clone(), self.body.dtype(target));
                let sum = self.input("", shape, dtype);
                let next = self.body.binary(BinaryOp::Add, sum, gradient)?;
                self.shares.push((position, Share::Carried(self.carried.len())));
                self.carried.push((sum, next));
            }
        }
        Ok(())
    }

    /// The views by which rounds read parts of `argument`, with all rounds' coordinates; none if it is read otherwise as well.
    fn parts(&self, argument: NodeId) -> Option<Vec<(NodeId, Vec<AxisIndex>)>> {
        let mut parts = Vec::new();
        for (id, node) in self.scan.body.iter().filter(|(_, node)| node.op.operands().contains(&argument)) {
            let Op::View { index, .. } = &node.op else { return None };
            if !index.iter().any(|axis| axis.offset.mentions(&self.scan.step)) {
                return None;
            }
            parts.push((id, lifted(index, &self.scan.step)?));
        }
        let given = self.scan.body.outputs.iter().any(|(_, id)| *id == argument);
        (!given).then_some(parts)
    }

    fn leave(&mut self, id: NodeId) {
        if !self.left.contains(&id) {
            self.left.push(id);
        }
    }

    /// The sum of `id` over all rounds, if it is better taken behind the loop.
    fn later(&mut self, id: NodeId) -> Option<Later> {
        let node = self.body.node(id).clone();
        match node.op {
            Op::Binary(BinaryOp::Add, a, b) => Some(Later::Plus(Box::new([self.later(a)?, self.later(b)?]))),
            Op::Reduce { op: ReduceOp::Sum, source, axes } => Some(Later::Reduced(self.stack(source)?, axes)),
            Op::MatMul(a, b) if node.shape.rank() == 2 && self.body.dtype(a) == node.dtype => {
                Some(Later::Product([self.stack(a)?, self.stack(b)?]))
            }
            Op::ScatterAdd { indices, updates } => {
                Some(Later::Scattered([self.stack(indices)?, self.stack(updates)?], node.shape))
            }
            Op::Reshape(source) => Some(Later::Reshape(Box::new(self.later(source)?), node.shape)),
            Op::View { source, index } if !self.depends(&index) => {
                Some(Later::View(Box::new(self.later(source)?), node.shape, index))
            }
            _ => None,
        }
    }

    fn depends(&self, index: &[AxisIndex]) -> bool {
        index.iter().any(|axis| axis.offset.mentions(&self.scan.step))
    }

    /// `id` of all rounds.
    fn stack(&mut self, id: NodeId) -> Option<Stack> {
        let node = self.body.node(id).clone();
        if let Op::View { source, index } = &node.op {
            if let Op::Input(InputKind::Argument(position)) = self.body.node(*source).op
                && position >= self.scan.carried
            {
                return Some(Stack::Operand(position, node.shape, lifted(index, &self.scan.step)?));
            }
            // Not more is left behind than the view shows.
            let smaller = self.body.shape(*source).elements() == node.shape.elements();
            if smaller && !self.depends(index) {
                return Some(Stack::View(Box::new(self.stack(*source)?), node.shape, lifted(index, &self.scan.step)?));
            }
        }
        self.leave(id);
        Some(Stack::Left(id))
    }

    /// Appends the backward loop, and what is done with what it gives.
    fn append(
        self,
        builder: &mut Builder,
        id: NodeId,
        (length, operands): (&Dim, &[NodeId]),
        given: &[Option<NodeId>],
    ) -> Result<Vec<(NodeId, NodeId)>> {
        let saved = self.saved();
        let stacks = save(builder, id, self.scan, self.body.graph(), &saved);
        // What was saved is there, and need not be left behind again.
        let left: Vec<NodeId> = self.left.iter().copied().filter(|id| !stacks.contains_key(id)).collect();
        let mut made = BackwardBody {
            own: &self,
            body: Builder::new(&self.body.graph().name),
            moved: BTreeMap::new(),
            operands: Vec::new(),
        };
        for (position, (input, _)) in self.carried.iter().enumerate() {
            let node = self.body.node(*input).clone();
            let new = made.body.input(InputKind::Argument(position), &node.name, node.shape.clone(), node.dtype);
            made.moved.insert(*input, new);
            let of = self.cotangents.iter().find(|(_, at)| **at == position).and_then(|(result, _)| given[*result]);
            let start = match of {
                Some(cotangent) => cotangent,
                None => builder.full(0.0, &node.shape, node.dtype),
            };
            made.operands.push(start);
        }
        let next: Vec<NodeId> = self.carried.iter().map(|(_, next)| *next).collect();
        let (body, all) = made.finish(&next, &left, (&stacks, operands, given), builder)?;
        let scan = Scan { body, step: self.scan.step.clone(), carried: next.len(), reverse: !self.scan.reverse };
        let results =
            if next.is_empty() && left.is_empty() { Vec::new() } else { builder.scan(scan, length.clone(), all) };
        let mut known = stacks;
        known.extend(left.iter().copied().zip(results[next.len()..].iter().copied()));
        let mut pairs = Vec::new();
        for (position, at) in &self.cotangents {
            pairs.push((operands[*position], results[*at]));
        }
        let behind = Behind { known: &known, operands, length };
        for (position, share) in &self.shares {
            let shape = builder.shape(operands[*position]).clone();
            let value = match share {
                Share::Carried(at) => results[*at],
                Share::Parts { cotangent, index } => view_adjoint(builder, known[cotangent], &shape, index)?,
                Share::Later(later) => behind.sum(builder, later)?,
            };
            pairs.push((operands[*position], value));
        }
        Ok(pairs)
    }

    /// What of the forward rounds the backward ones read, and do not compute again.
    fn saved(&self) -> Vec<NodeId> {
        let graph = self.body.graph();
        let mut needed = vec![false; graph.nodes.len()];
        let next = self.carried.iter().map(|(_, next)| *next);
        next.chain(self.left.iter().copied()).for_each(|id| needed[id.index()] = true);
        let mut saved = Vec::new();
        for position in (0..needed.len()).rev() {
            let id = NodeId(position as u32);
            if !needed[position] {
                continue;
            }
            if self.is_saved(id) {
                saved.push(id);
            } else {
                graph[id].op.visit_operands(|operand| needed[operand.index()] = true);
            }
        }
        saved.reverse();
        saved
    }

    fn is_saved(&self, id: NodeId) -> bool {
        match &self.body.node(id).op {
            // Also what a loop in the body leaves behind for its own gradient.
            Op::CustomResult { call, .. } => call.index() < self.first,
            _ if id.index() >= self.first => false,
            Op::Input(InputKind::Argument(position)) => *position < self.scan.carried,
            // The rest costs less to compute again than to read.
            op => matches!(
                op,
                Op::Reduce { .. }
                    | Op::MatMul(..)
                    | Op::Conv2d { .. }
                    | Op::Conv2dInputGrad { .. }
                    | Op::Conv2dWeightGrad { .. }
                    | Op::ScatterAdd { .. }
                    | Op::Attention(_)
                    | Op::Custom { .. }
                    | Op::Scan { .. }
            ),
        }
    }
}

/// Makes the loop `id` leave `saved` behind; the stack of each.
fn save(
    builder: &mut Builder,
    id: NodeId,
    scan: &Scan,
    differentiated: &Graph,
    saved: &[NodeId],
) -> BTreeMap<NodeId, NodeId> {
    let mut body = scan.body.clone();
    // Loops in the body have been given more to leave behind, too.
    for (node, new) in body.nodes.iter_mut().zip(&differentiated.nodes) {
        if let Op::Scan { .. } = new.op {
            node.op = new.op.clone();
        }
    }
    let known = |body: &Graph, wanted: NodeId| {
        body.outputs.iter().find_map(|(kind, id)| match kind {
            OutputKind::Result(position) if *id == wanted && *position >= scan.carried => Some(*position),
            _ => None,
        })
    };
    let mut positions = Vec::new();
    for wanted in saved {
        let wanted = &if wanted.index() < scan.body.nodes.len() {
            *wanted
        } else {
            body.nodes.push(differentiated[*wanted].clone());
            NodeId(body.nodes.len() as u32 - 1)
        };
        let position = known(&body, *wanted).unwrap_or_else(|| {
            body.outputs.push((OutputKind::Result(body.outputs.len()), *wanted));
            body.outputs.len() - 1
        });
        positions.push(position);
    }
    let more = body.outputs.len() > scan.results();
    let whole = Scan { body, ..scan.clone() };
    if more {
        builder.leave_more(id, whole);
    }
    let results = builder.results_of(id);
    saved.iter().copied().zip(positions.into_iter().map(|position| results[position])).collect()
}

/// The backward body on its way out of the one in which it was built.
struct BackwardBody<'m, 'a> {
    own: &'m Backward<'a>,
    body: Builder,
    moved: BTreeMap<NodeId, NodeId>,
    operands: Vec<NodeId>,
}

impl BackwardBody<'_, '_> {
    fn finish(
        mut self,
        next: &[NodeId],
        left: &[NodeId],
        (stacks, operands, given): (&BTreeMap<NodeId, NodeId>, &[NodeId], &[Option<NodeId>]),
        outer: &Builder,
    ) -> Result<(Graph, Vec<NodeId>)> {
        let graph = self.own.body.graph();
        let mut needed = vec![false; graph.nodes.len()];
        next.iter().chain(left).for_each(|id| needed[id.index()] = true);
        for position in (0..needed.len()).rev() {
            if needed[position] && !stacks.contains_key(&NodeId(position as u32)) {
                graph.nodes[position].op.visit_operands(|operand| needed[operand.index()] = true);
            }
        }
        for (id, node) in graph.iter().filter(|(id, _)| needed[id.index()]) {
            if self.moved.contains_key(&id) {
                continue;
            }
            self.body.set_span(node.span);
            let new = if let Some(stack) = stacks.get(&id) {
                let whole = self.operand(*stack, outer);
                let index = part_of_round(self.own.scan.round(), node.shape.rank());
                self.body.view(whole, node.shape.clone(), index)?
            } else if let Op::Input(InputKind::Argument(position)) = node.op {
                self.operand(operands[position], outer)
            } else if let Some(cotangent) =
                self.own.stacks.iter().find(|(input, _)| *input == id).and_then(|(_, result)| given[*result])
            {
                self.operand(cotangent, outer)
            } else {
                let op = node.op.clone().map_operands(|operand| self.moved[&operand]);
                self.body.push(op, node.shape.clone(), node.dtype)
            };
            self.body.name(new, &node.name);
            self.moved.insert(id, new);
        }
        for (position, id) in next.iter().chain(left).enumerate() {
            self.body.output(OutputKind::Result(position), self.moved[id]);
        }
        Ok((self.body.finish(), self.operands))
    }

    /// An argument of the body that is `id`, which a round reads whole.
    fn operand(&mut self, id: NodeId, outer: &Builder) -> NodeId {
        let node = outer.node(id);
        let position = self.operands.len();
        self.operands.push(id);
        self.body.input(InputKind::Argument(position), &node.name, node.shape.clone(), node.dtype)
    }
}
