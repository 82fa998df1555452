//! Expressions on the host, a block of elements at a time, so that an operator is looked at once for many.

use super::node::Node;
use super::{Expression, Number};

/// Elements of a block: its scratch stays in the first-level cache for expressions of usual size.
const BLOCK: usize = 512;

/// Runs an expression; one for each thread.
pub(crate) struct Evaluator<'a, T> {
    expression: &'a Expression,
    /// A block of values for each node.
    values: Vec<Vec<T>>,
}

impl<'a, T: Number> Evaluator<'a, T> {
    /// For an expression of elements that are computed as `T`.
    pub(crate) fn new(expression: &'a Expression) -> Evaluator<'a, T> {
        debug_assert_eq!(expression.dtype(), T::DTYPE);
        Evaluator { expression, values: vec![Vec::with_capacity(BLOCK); expression.nodes.len()] }
    }

    /// Calls `put` with the results in order, block by block; `inputs` are the variables, all of one length.
    pub(crate) fn run(&mut self, inputs: &[&[T]], length: usize, mut put: impl FnMut(&[T])) {
        for start in (0..length).step_by(BLOCK) {
            let end = length.min(start + BLOCK);
            put(self.block(inputs, start, end));
        }
    }

    /// The value for one element.
    pub(crate) fn one(&mut self, inputs: &[T]) -> T {
        // The operators of reductions and scans, without a look at the nodes.
        if let [Node::Variable(0), Node::Variable(1), Node::Binary(operator, 0, 1)] = *self.expression.nodes {
            return T::binary(operator, inputs[0], inputs[1]);
        }
        let slices: Vec<&[T]> = inputs.iter().map(std::slice::from_ref).collect();
        self.block(&slices, 0, 1)[0]
    }

    fn block(&mut self, inputs: &[&[T]], start: usize, end: usize) -> &[T] {
        let count = end - start;
        for (id, node) in self.expression.nodes.iter().enumerate() {
            let (before, rest) = self.values.split_at_mut(id);
            let values = &mut rest[0];
            values.clear();
            match *node {
                Node::Variable(position) => values.extend_from_slice(&inputs[position][start..end]),
                Node::Integer(value) => values.resize(count, T::of_integer(value)),
                Node::Float(value) => values.resize(count, T::of_float(value)),
                Node::Largest => values.resize(count, T::LARGEST),
                Node::Smallest => values.resize(count, T::SMALLEST),
                Node::Unary(operator, x) => values.extend(before[x].iter().map(|&x| T::unary(operator, x))),
                Node::Binary(operator, x, y) => {
                    values.extend(before[x].iter().zip(&before[y]).map(|(&x, &y)| T::binary(operator, x, y)));
                }
                Node::Select(condition, yes, no) => {
                    let choices = before[yes].iter().zip(&before[no]);
                    let choose = |(&condition, (&yes, &no)): (&T, (&T, &T))| if condition.holds() { yes } else { no };
                    values.extend(before[condition].iter().zip(choices).map(choose));
                }
            }
        }
        &self.values[self.values.len() - 1]
    }
}
