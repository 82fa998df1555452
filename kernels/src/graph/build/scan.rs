//! Loops over a symbolic number of rounds. The nodes of a body are appended like all others; what depends on the round or on what
//! is carried moves into the body when that ends, and the rest stays in front of the loop, where it is computed once.

use super::*;
use crate::dim::{Factor, Symbol};
use crate::trend::Trend;
use std::collections::BTreeMap;

/// A loop whose body is being built.
#[derive(Clone, Debug)]
pub struct ScanDraft {
    step: Symbol,
    length: Dim,
    initial: Vec<NodeId>,
    carried: Vec<NodeId>,
    /// How many nodes there were before.
    first: usize,
}

impl ScanDraft {
    /// The number of the round, from 0 on.
    pub fn round(&self) -> Dim {
        round(&self.step)
    }

    /// The values that a round finds, in the order of the initial ones.
    pub fn carried(&self) -> &[NodeId] {
        &self.carried
    }
}

impl Builder {
    /// Begins a loop of `length` rounds, which carries values that start as `initial`. Until [`Builder::end_scan`] nodes are those of
    /// its body. The rounds are called `name`, or that with a number if something else is.
    pub fn begin_scan(&mut self, name: &str, length: Dim, initial: &[NodeId]) -> ScanDraft {
        let mut taken: Vec<Symbol> = self.graph.symbols();
        length.visit_symbols(&mut |symbol| taken.push(symbol.clone()));
        taken.extend(self.steps.iter().map(|(step, _)| step.clone()));
        let names = std::iter::once(name.to_string()).chain((2..).map(|number| format!("{name}_{number}")));
        let step = names
            .map(|name| Symbol::new(&name))
            .find(|step| !taken.contains(step))
            .unwrap_or_else(|| Symbol::new(name));
        self.steps.push((step.clone(), length.clone()));
        let first = self.graph.nodes.len();
        let mut carried = Vec::with_capacity(initial.len());
        for value in initial {
            let (shape, dtype) = (self.shape(*value).clone(), self.dtype(*value));
            let id = self.push(Op::Input(InputKind::Carried(self.graph.nodes.len())), shape, dtype);
            self.graph.nodes[id.index()].origins = self.graph[*value].origins.clone();
            carried.push(id);
        }
        ScanDraft { step, length, initial: initial.to_vec(), carried, first }
    }

    /// Ends the loop: `next` are the carried values for the next round, and `left` is what each round leaves behind. Gives the
    /// carried values after the last round, and what was left with a new first axis.
    ///
    /// A carried value whose shape or type is not what it started as; sizes that depend on the round.
    pub fn end_scan(&mut self, draft: &ScanDraft, next: &[NodeId], left: &[NodeId]) -> Result<Vec<NodeId>> {
        for (start, next) in draft.initial.iter().zip(next) {
            let [before, after] = [start, next].map(|id| format!("{}{}", self.dtype(*id), self.shape(*id)));
            if before != after {
                return self
                    .fail(format!("a value that a loop carries starts as {before} and is {after} after a round"));
            }
        }
        self.sizes_stay(draft)?;
        // What every round passes on as it is, is as it was.
        let changes: Vec<bool> = draft.carried.iter().zip(next).map(|(before, after)| before != after).collect();
        let changed = |list: &[NodeId]| -> Vec<NodeId> {
            list.iter().zip(&changes).filter(|(_, changes)| **changes).map(|(id, _)| *id).collect()
        };
        let own = ScanDraft { initial: changed(&draft.initial), carried: changed(&draft.carried), ..draft.clone() };
        let same = draft.carried.iter().zip(&draft.initial).zip(&changes).filter(|(_, changes)| !**changes);
        let same: BTreeMap<NodeId, NodeId> = same.map(|((placeholder, start), _)| (*placeholder, *start)).collect();
        let next = changed(next);
        let mut results = Vec::new();
        if !next.is_empty() || !left.is_empty() {
            let (body, operands) = Body::new(self, &own).finish(&next, left, &same)?;
            let scan = Scan { body, step: draft.step.clone(), carried: next.len(), reverse: false };
            results = self.scan(scan, draft.length.clone(), operands);
        }
        let stacked = results.split_off(next.len());
        let mut results = results.into_iter();
        let of = |(start, changes): (&NodeId, &bool)| if *changes { results.next() } else { Some(*start) };
        let carried: Vec<NodeId> = draft.initial.iter().zip(&changes).filter_map(of).collect();
        Ok(carried.into_iter().chain(stacked).collect())
    }

    /// A loop that has been checked, and its results.
    pub(crate) fn scan(&mut self, scan: Scan, length: Dim, operands: Vec<NodeId>) -> Vec<NodeId> {
        let scan = Arc::new(scan);
        let gives: Vec<_> = (0..scan.results()).filter_map(|position| scan.gives(&length, position)).collect();
        // A number of the caller's lies in no memory until it is stored.
        let store = |this: &mut Self, id: NodeId| match this.graph[id].op {
            Op::Input(InputKind::Scalar(_)) => this.push(Op::Reshape(id), this.shape(id).clone(), this.dtype(id)),
            _ => id,
        };
        let operands: Vec<NodeId> = operands.into_iter().map(|id| store(self, id)).collect();
        let mut results: Vec<NodeId> = Vec::with_capacity(gives.len());
        for (position, (shape, dtype)) in gives.into_iter().enumerate() {
            let op = match results.first() {
                None => Op::Scan { scan: scan.clone(), length: length.clone(), operands: operands.clone() },
                Some(call) => Op::CustomResult { call: *call, result: position },
            };
            results.push(self.push(op, shape, dtype));
        }
        results
    }

    /// Gives the loop `id` more to leave behind.
    pub(crate) fn leave_more(&mut self, id: NodeId, scan: Scan) {
        let node = &mut self.graph.nodes[id.index()];
        let Op::Scan { length, operands, .. } = node.op.clone() else { return };
        let new = Op::Scan { scan: Arc::new(scan), length, operands };
        let (shape, dtype) = (node.shape.clone(), node.dtype);
        let old = std::mem::replace(&mut node.op, new.clone());
        self.known.remove(&(old, shape.clone(), dtype));
        self.known.insert((new, shape, dtype), id);
    }

    /// An error if a shape, or what an operation asks of sizes, depends on the round.
    fn sizes_stay(&self, draft: &ScanDraft) -> Result<()> {
        let steps = |size: &Dim| size.mentions(&draft.step);
        for node in &self.graph.nodes[draft.first..] {
            if let Op::Scan { length, .. } = &node.op
                && steps(length)
            {
                let length = self.in_rounds(length);
                return Err(Diagnostic::new(format!(
                    "the inner loop has {length} rounds, others in each round of the outer one"
                ))
                .hint("let the inner loop run over the whole axis, and choose zero for what a round does not use")
                .at(node.span));
            }
            if let Some(size) = node.shape.0.iter().find(|size| steps(size)) {
                let size = self.in_rounds(size);
                return Err(Diagnostic::new(format!("an axis of {size} elements has another size in each round of the loop"))
                    .hint("sizes are the same in all rounds: compute with the whole axis, and choose zero for what a round does not use")
                    .at(node.span));
            }
        }
        Ok(())
    }

    /// The size, or one that is negative at most where it is: there are at least as many rounds as the one that it names.
    pub(crate) fn in_loops(&self, size: &Dim) -> Dim {
        let mut size = size.clone();
        for (step, length) in self.steps.iter().rev() {
            if !size.mentions(step) {
                continue;
            }
            // With `N + rest` rounds, `N` is at least `step - rest`, and more by what a symbol, which is at least 1, has above that.
            let Some((axis, rest)) = plus_one_symbol(length) else { continue };
            let spare = Dim::symbol(&format!("{axis}'")) - Dim::constant(1);
            let least = Dim::symbol(step.name()) - rest + spare;
            size = size.substitute(&|symbol| (*symbol == axis).then(|| least.clone()));
        }
        size
    }

    /// Whether the size is at least 0 in the first round, where it grows with the rounds of a loop, in the last, where it gets
    /// less, or in both, where it does one of them.
    pub(crate) fn is_never_negative_at_ends(&self, size: &Dim) -> bool {
        let Some((step, length)) = self.steps.iter().rev().find(|(step, _)| size.mentions(step)) else { return false };
        let at = |end: &Dim| {
            let there = size.substitute(&|symbol| (symbol == step).then(|| end.clone()));
            self.is_never_negative(&there)
        };
        let first = Dim::constant(1);
        match size.trend(step) {
            Some(Trend::Grows) => at(&first),
            Some(Trend::Shrinks) => at(length),
            Some(Trend::Straight) => at(&first) && at(length),
            None => false,
        }
    }

    /// The size in terms of the user's rounds, which count from 0.
    pub fn in_rounds(&self, size: &Dim) -> Dim {
        size.substitute(&|symbol| {
            let known = self.steps.iter().any(|(step, _)| step == symbol);
            known.then(|| Dim::symbol(symbol.name()) + Dim::constant(1))
        })
    }

    /// The loop whose round, counted from 0, is the size but for what is the same in all rounds: its name, how many rounds it has,
    /// and that rest.
    pub(crate) fn round_of(&self, size: &Dim) -> Option<(String, Dim, Dim)> {
        let (step, rounds) = self.steps.iter().rev().find(|(step, _)| size.mentions(step))?;
        let rest = size.clone() - Dim::symbol(step.name()) + Dim::constant(1);
        (!self.is_in_loop(&rest)).then(|| (step.name().to_string(), rounds.clone(), rest))
    }

    /// Whether the size depends on the round of a loop.
    pub fn is_in_loop(&self, size: &Dim) -> bool {
        self.steps.iter().any(|(step, _)| size.mentions(step))
    }
}

/// A symbol that stands alone in a sum, and the rest of the sum.
fn plus_one_symbol(size: &Dim) -> Option<(Symbol, Dim)> {
    let mut symbols = size.terms().filter_map(|(factors, coefficient)| match factors {
        [Factor::Symbol(symbol)] if coefficient == 1 => Some(symbol.clone()),
        _ => None,
    });
    let symbol = symbols.next()?;
    let rest = size.clone() - Dim::symbol(symbol.name());
    (!rest.mentions(&symbol)).then_some((symbol, rest))
}

/// The body on its way out of the graph in which it was built.
struct Body<'a> {
    outer: &'a mut Builder,
    draft: &'a ScanDraft,
    inner: Builder,
    /// Where nodes of the graph are in the body.
    moved: BTreeMap<NodeId, NodeId>,
    operands: Vec<NodeId>,
    /// Which nodes of the graph depend on the round or on what is carried.
    inside: Vec<bool>,
    /// What of the graph was computed of a value that every round passes on as it is, computed of what that starts as.
    outside: BTreeMap<NodeId, NodeId>,
}

impl<'a> Body<'a> {
    fn new(outer: &'a mut Builder, draft: &'a ScanDraft) -> Self {
        let mut inner = Builder::new(&format!("{}.{}", outer.graph.name, draft.step));
        let mut moved = BTreeMap::new();
        for (position, id) in draft.carried.iter().enumerate() {
            let node = outer.graph[*id].clone();
            let input = inner.input(InputKind::Argument(position), &node.name, node.shape, node.dtype);
            moved.insert(*id, input);
        }
        let inside = inside(&outer.graph, draft);
        Body { outer, draft, inner, moved, operands: draft.initial.clone(), inside, outside: BTreeMap::new() }
    }

    /// Computes in front of the loop what depends on nothing but values that every round passes on as they are, whose placeholders and
    /// starts `same` has.
    fn compute_outside(&mut self, same: &BTreeMap<NodeId, NodeId>) {
        self.outside = same.clone();
        for position in self.draft.first..self.inside.len() {
            let id = NodeId(position as u32);
            let node = self.outer.graph[id].clone();
            let placed = |operand: NodeId| self.outside.get(&operand).copied().unwrap_or(operand);
            if self.inside[position] || node.op.operands().into_iter().all(|operand| placed(operand) == operand) {
                continue;
            }
            let op = node.op.map_operands(placed);
            let new = self.outer.push(op, node.shape, node.dtype);
            self.outside.insert(id, new);
        }
    }

    /// The node as it is computed in front of the loop.
    fn outer_node(&self, id: NodeId) -> NodeId {
        self.outside.get(&id).copied().unwrap_or(id)
    }

    /// The body, and the operands of the loop.
    fn finish(
        mut self,
        next: &[NodeId],
        left: &[NodeId],
        same: &BTreeMap<NodeId, NodeId>,
    ) -> Result<(Graph, Vec<NodeId>)> {
        self.compute_outside(same);
        let wanted: Vec<NodeId> = next.iter().chain(left).copied().collect();
        let mut needed = vec![false; self.inside.len()];
        wanted.iter().for_each(|id| needed[id.index()] = true);
        for position in (0..needed.len()).rev() {
            let id = NodeId(position as u32);
            let here = self.inside[position] && !is_drawn(&self.outer.graph[id].op) || self.is_cheap(id);
            if needed[position] && here && self.of_part(id).is_none() {
                self.outer.graph[id].op.visit_operands(|operand| needed[operand.index()] = true);
            }
        }
        for (position, _) in needed.iter().enumerate().filter(|(_, needed)| **needed) {
            let id = NodeId(position as u32);
            if let Some(start) = same.get(&id) {
                let new = self.operand(*start);
                self.moved.insert(id, new);
            } else if !self.moved.contains_key(&id) {
                let new = self.copy(id)?;
                self.moved.insert(id, new);
            }
        }
        for (position, id) in wanted.iter().enumerate() {
            self.inner.output(OutputKind::Result(position), self.moved[id]);
        }
        Ok((self.inner.finish(), self.operands))
    }

    /// Whether a node outside of the loop is computed in each round as well: it is a number, or another look at a tensor.
    fn is_cheap(&self, id: NodeId) -> bool {
        let op = &self.outer.graph[id].op;
        let number = matches!(op, Op::Constant(_) | Op::Iota { .. } | Op::Size(_) | Op::Input(InputKind::Scalar(_)));
        number || matches!(op, Op::View { .. } | Op::Reshape(_))
    }

    /// The node as the body has it; what it reads is there.
    fn copy(&mut self, id: NodeId) -> Result<NodeId> {
        let node = self.outer.graph[id].clone();
        self.inner.set_span(node.span);
        let new = if let Some(product) = self.in_front(id)? {
            // One product of all rounds instead of one in each.
            let whole = self.operand(product);
            self.round_of(whole, &node.shape)?
        } else if is_drawn(&node.op) && self.inside[id.index()] {
            // Each round has numbers of its own, all drawn in front of the loop.
            let op = node.op.map_operands(|operand| self.outer_node(operand));
            let all = self.outer.push(op, stacked(&self.draft.length, &node.shape), node.dtype);
            let whole = self.operand(all);
            self.round_of(whole, &node.shape)?
        } else if self.inside[id.index()] && self.outer.behind(id) != id {
            // No derivative can be asked in it any more.
            self.moved[&self.outer.behind(id)]
        } else if self.inside[id.index()] || self.is_cheap(id) {
            let op = node.op.map_operands(|operand| self.moved[&operand]);
            self.inner.push(op, node.shape, node.dtype)
        } else {
            return Ok(self.operand(id));
        };
        self.inner.name(new, &node.name);
        let origins = &mut self.inner.graph.nodes[new.index()].origins;
        if origins.iter().all(Option::is_none) {
            *origins = node.origins;
        }
        Ok(new)
    }

    /// The round's part of a stack.
    fn round_of(&mut self, whole: NodeId, shape: &Shape) -> Result<NodeId> {
        self.inner.view(whole, shape.clone(), part_of_round(self.draft.round(), shape.rank()))
    }

    /// Whether `id` is a product of the round's part of a matrix with one that is the same in all rounds: what the part is of, the
    /// other, and the coordinates of all rounds' parts.
    fn of_part(&self, id: NodeId) -> Option<(NodeId, NodeId, Vec<AxisIndex>)> {
        let graph = &self.outer.graph;
        let Op::MatMul(a, b) = graph[id].op else { return None };
        let Op::View { source, index } = &graph[a].op else { return None };
        let plain = graph[id].shape.rank() == 2 && graph[a].dtype == graph[id].dtype;
        let of_round = self.inside[a.index()] && !self.inside[source.index()] && !self.inside[b.index()];
        (plain && of_round).then_some(())?;
        Some((self.outer_node(*source), self.outer_node(b), lifted(index, &self.draft.step)?))
    }

    /// The products of all rounds, in front of the loop.
    fn in_front(&mut self, id: NodeId) -> Result<Option<NodeId>> {
        let Some((source, b, index)) = self.of_part(id) else { return Ok(None) };
        let graph = &self.outer.graph;
        let Op::MatMul(a, _) = graph[id].op else { return Ok(None) };
        let (rows, product) = (graph[a].shape.clone(), graph[id].shape.clone());
        let length = self.draft.length.clone();
        let all = Shape(vec![length.clone(), rows[0].clone(), rows[1].clone()]);
        let parts = self.outer.view(source, all, index)?;
        let flat = self.outer.reshape(parts, Shape(vec![length.clone() * rows[0].clone(), rows[1].clone()]))?;
        let flat = self.outer.matmul(flat, b)?;
        let all = Shape(vec![length, product[0].clone(), product[1].clone()]);
        self.outer.reshape(flat, all).map(Some)
    }

    /// An argument of the body that is `id`.
    fn operand(&mut self, id: NodeId) -> NodeId {
        let id = self.outer_node(id);
        let position = self.operands.len();
        self.operands.push(id);
        let node = self.outer.graph[id].clone();
        self.inner.input(InputKind::Argument(position), &node.name, node.shape, node.dtype)
    }
}

/// Whether the operation draws random numbers.
fn is_drawn(op: &Op) -> bool {
    matches!(op, Op::Random { .. })
}

/// Which nodes differ from round to round: they depend on the round or on what is carried, or are random.
fn inside(graph: &Graph, draft: &ScanDraft) -> Vec<bool> {
    let mut inside = vec![false; graph.nodes.len()];
    for (id, node) in graph.iter() {
        let mut own = draft.carried.contains(&id) || is_drawn(&node.op) && id.index() >= draft.first;
        node.op.visit_sizes(&mut |size| own |= size.mentions(&draft.step));
        node.op.visit_operands(|operand| own |= inside[operand.index()]);
        inside[id.index()] = own;
    }
    inside
}
