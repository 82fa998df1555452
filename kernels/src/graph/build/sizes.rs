//! Sizes that symbols may make negative, or too large to be counted: whatever is appended is looked at, and what is not sure is
//! noted for each call.

use super::*;
use crate::dim::{Dim, WIDE_LIMIT};
use crate::trend::Trend;

impl Builder {
    /// Says which operation appends from now on; returns the one before.
    pub(crate) fn set_operation(&mut self, operation: Option<&'static str>) -> Option<&'static str> {
        std::mem::replace(&mut self.bounds.operation, operation)
    }

    /// What the graph so far says of sizes.
    pub(super) fn know_bounds(&mut self) {
        for limit in &self.graph.limits {
            self.bounds.sizes.insert(limit.size.clone() - limit.end.clone());
            if limit.size.is(WIDE_LIMIT as i64) {
                self.bounds.elements.insert(limit.end.clone());
            }
        }
        for node in &self.graph.nodes {
            if matches!(node.op, Op::Input(_)) {
                self.bounds.supplied(&node.shape);
            }
        }
    }

    /// Notes of a node's shape what each call must be looked at for.
    pub(super) fn bound_sizes(&mut self, op: &Op, shape: &Shape) {
        if shape.0.iter().all(|size| size.as_constant().is_some()) {
            return;
        }
        if matches!(op, Op::Input(_)) {
            return self.bounds.supplied(shape);
        }
        let by = self.bounds.operation.map(|name| format!("`{name}` would give ")).unwrap_or_default();
        for size in shape.0.iter().filter(|size| size.as_constant().is_none()) {
            if self.bounds.sizes.contains(size) {
                continue;
            }
            if size.never_negative() {
                self.bounds.sizes.insert(size.clone());
            } else if !self.is_in_loop(size) {
                // Those that are others in each round are refused when the loop ends.
                let words = [format!("{by}{shape}, where sizes are at least "), ", found".to_string()];
                self.note_at_least_zero(size.clone(), words);
            }
        }
        let elements = shape.elements();
        if !self.bounds.can_count(&elements) {
            let words = [format!("{by}{shape} of "), " elements, and what can be counted is up to".to_string()];
            self.bounds.elements.insert(elements.clone());
            self.limit(Limit { end: elements, size: Dim::constant(WIDE_LIMIT as i64), words });
        }
    }

    /// Notes that a size must be at least 0, where symbols decide that: `words` stand around the 0.
    ///
    /// # Errors
    ///
    /// If it is another one in each round of a loop, and it is not seen in which it is least.
    pub(crate) fn at_least_zero(&mut self, size: &Dim, words: [String; 2]) -> Result<()> {
        if self.is_sure(size) {
            return Ok(());
        }
        let Some(least) = self.least_in_loops(size) else {
            let [before, between] = words;
            let size = self.in_rounds(size);
            return self.fail(format!("{before}0{between} {size}, which may be negative in some round of the loop"));
        };
        for size in least {
            if size.as_constant().is_some_and(|size| size < 0) {
                return self.fail(format!("{}0{} {size}", words[0], words[1]));
            }
            if !self.is_sure(&size) {
                self.note_at_least_zero(size, words.clone());
            }
        }
        Ok(())
    }

    /// The sizes that the number `id` is computed from, as their product, where it is computed from sizes and constants alone: once
    /// they are numbers, it is one.
    pub(crate) fn size_behind(&self, id: NodeId) -> Option<Dim> {
        let (mut seen, mut left, mut sizes) = (BTreeSet::new(), vec![id], BTreeSet::new());
        while let Some(id) = left.pop() {
            if !seen.insert(id) {
                continue;
            }
            match &self.node(id).op {
                Op::Size(size) => drop(sizes.insert(size.clone())),
                Op::Constant(_) => {}
                op @ (Op::Unary(..) | Op::Cast(_) | Op::Binary(..)) => left.extend(op.operands()),
                _ => return None,
            }
        }
        sizes.into_iter().reduce(|all, size| all * size)
    }

    fn note_at_least_zero(&mut self, size: Dim, words: [String; 2]) {
        self.limit(Limit { end: Dim::constant(0), size, words });
    }

    /// Whether the size is not negative in any call that is not refused.
    pub(crate) fn is_sure(&self, size: &Dim) -> bool {
        size.as_constant().is_some_and(|size| size >= 0)
            || self.bounds.sizes.contains(size)
            || self.is_never_negative(size)
            || self.bounds.sizes.iter().any(|known| (size.clone() - known.clone()).never_negative())
    }

    /// The size in the rounds of loops where it may be least, if that is seen.
    fn least_in_loops(&self, size: &Dim) -> Option<Vec<Dim>> {
        let Some((step, length)) = self.steps.iter().rev().find(|(step, _)| size.mentions(step)) else {
            return Some(vec![size.clone()]);
        };
        let at = |round: &Dim| {
            let there = size.substitute(&|symbol| (symbol == step).then(|| round.clone()));
            self.least_in_loops(&there)
        };
        let first = Dim::constant(1);
        match size.trend(step)? {
            Trend::Grows => at(&first),
            Trend::Shrinks => at(length),
            Trend::Straight => Some([at(&first)?, at(length)?].concat()),
        }
    }
}
