//! Random valid graphs with matching inputs, for property tests and for fuzzing fused kernels against the interpreter.
//!
//! The same seed and options give the same graph always. Values stay small (an estimate of each node's magnitude is
//! kept, and `tanh` tames what grows), so that `f32` results can be compared with `f64` ones. Functions with jumps
//! (`floor`, positions, casts to integers) come only if asked for: rounding may take the other side of a jump.

mod steps;

use super::build::Builder;
use super::interp::HostTensor;
use super::*;
use crate::dim::Symbol;
use crate::fold::stored;
use crate::philox;

/// What a random graph may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// How many steps are tried; a step appends one node or a short chain (softmax, say).
    pub steps: usize,
    /// Matrix products and convolutions.
    pub products: bool,
    /// Random numbers from a seed (a scalar input).
    pub random: bool,
    /// Functions with jumps.
    pub jumps: bool,
    /// Only what has derivatives everywhere: no `max`, `min`, `abs`, selects.
    pub smooth: bool,
    /// One scalar result (to differentiate) instead of several tensors.
    pub scalar: bool,
    /// The element type of arguments, parameters and results.
    pub float: DType,
    /// Let the builder simplify; without, the same graph is built node for node as drawn.
    pub simplify: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            steps: 12,
            products: true,
            random: true,
            jumps: false,
            smooth: false,
            scalar: false,
            float: DType::F32,
            simplify: true,
        }
    }
}

/// A graph and what it needs to be evaluated.
#[derive(Clone, Debug)]
pub struct RandomGraph {
    /// The graph; its outputs are results.
    pub graph: Graph,
    /// Sizes of its symbols.
    pub bindings: Vec<(Symbol, u64)>,
    /// A value for each input: kind, name, tensor. Floats are exact in their type, and in `f32`.
    pub inputs: Vec<(InputKind, String, HostTensor)>,
}

impl RandomGraph {
    /// The value of an input, as [`interp::evaluate`] asks for it.
    pub fn input(&self, kind: &InputKind, name: &str) -> Option<HostTensor> {
        self.inputs.iter().find(|(k, n, _)| k == kind && n == name).map(|(_, _, value)| value.clone())
    }
}

/// A graph for `seed`.
pub fn random_graph(seed: u64, options: &Options) -> RandomGraph {
    let name = format!("random_{seed}");
    let builder = if options.simplify { Builder::new(&name) } else { Builder::without_simplification(&name) };
    let mut draft = Draft {
        builder,
        options: *options,
        random: Random { seed, position: 0 },
        bindings: Vec::new(),
        inputs: Vec::new(),
        values: Vec::new(),
        arguments: 0,
    };
    draft.bindings.push((Symbol::new("N"), [1, 2, 3, 5][draft.random.below(4)]));
    for _ in 0..2 {
        let shape = draft.shape();
        draft.argument(shape);
    }
    for _ in 0..options.steps {
        // A step that does not fit what there is (a matrix product without a matrix, say) is left out.
        let _ = draft.step();
    }
    draft.finish()
}

/// A sequence of random numbers.
struct Random {
    seed: u64,
    position: u64,
}

impl Random {
    fn word(&mut self) -> u32 {
        self.position += 1;
        philox::word(self.seed as u32, (self.seed >> 32) as u32, self.position)
    }

    /// One of `0..count`.
    fn below(&mut self, count: usize) -> usize {
        (self.word() >> 8) as usize % count.max(1)
    }

    fn chance(&mut self, one_in: usize) -> bool {
        self.below(one_in) == 0
    }
}

/// A value that later steps may use, with a bound on its magnitude.
#[derive(Clone, Copy)]
struct Value {
    id: NodeId,
    bound: f64,
    /// Whether a step has looked at it; those that none has are the results.
    used: bool,
}

/// The graph so far.
struct Draft {
    builder: Builder,
    options: Options,
    random: Random,
    bindings: Vec<(Symbol, u64)>,
    inputs: Vec<(InputKind, String, HostTensor)>,
    values: Vec<Value>,
    arguments: usize,
}

impl Draft {
    /// One to three axes of small sizes, `N` among them.
    fn shape(&mut self) -> Shape {
        let rank = 1 + self.random.below(3);
        let sizes = [Dim::symbol("N"), Dim::from(1), Dim::from(2), Dim::from(3), Dim::from(4), Dim::from(6)];
        Shape((0..rank).map(|_| sizes[self.random.below(sizes.len())].clone()).collect())
    }

    fn argument(&mut self, shape: Shape) -> NodeId {
        let name = format!("x{}", self.arguments);
        self.arguments += 1;
        self.input(InputKind::Argument(self.arguments - 1), name, shape)
    }

    fn parameter(&mut self, shape: Shape) -> NodeId {
        let name = format!("p{}", self.inputs.len());
        self.input(InputKind::Parameter, name, shape)
    }

    /// A float input between -1.5 and 1.5, away from 0.
    fn input(&mut self, kind: InputKind, name: String, shape: Shape) -> NodeId {
        let sizes = self.sizes(&shape);
        let values: Vec<f64> = (0..sizes.iter().product::<usize>())
            .map(|_| {
                let magnitude = 0.05 + 1.45 * f64::from(self.random.word() >> 8) / f64::from(1 << 24);
                let value = if self.random.chance(2) { -magnitude } else { magnitude };
                stored(Literal::float(f64::from(value as f32), self.options.float)).as_f64()
            })
            .collect();
        self.supply(kind, name, shape, self.options.float, &values)
    }

    fn supply(&mut self, kind: InputKind, name: String, shape: Shape, dtype: DType, values: &[f64]) -> NodeId {
        let tensor = HostTensor::from_f64(dtype, &self.sizes(&shape), values).expect("one value per element");
        let id = self.builder.input(kind.clone(), &name, shape, dtype);
        self.inputs.push((kind, name, tensor));
        if dtype.is_float() {
            self.values.push(Value { id, bound: 1.5, used: false });
        }
        id
    }

    fn sizes(&self, shape: &Shape) -> Vec<usize> {
        shape.evaluate(&self.bindings).expect("the only symbol is N, and sizes are positive")
    }

    /// Keeps a value for later steps.
    fn keep(&mut self, id: NodeId, bound: f64) {
        self.values.push(Value { id, bound, used: false });
    }

    fn finish(mut self) -> RandomGraph {
        let mut results: Vec<Value> = self.values.iter().copied().filter(|value| !value.used).collect();
        if results.is_empty() {
            results.extend(self.values.last().copied());
        }
        if self.options.scalar {
            let loss = self.loss(&results).expect("sums of float tensors");
            self.builder.output(OutputKind::Result(0), loss);
        } else {
            for (position, value) in results.into_iter().rev().take(4).enumerate() {
                self.builder.output(OutputKind::Result(position), value.id);
            }
        }
        let graph = if self.options.simplify { self.builder.finish() } else { self.builder.graph().clone() };
        RandomGraph { graph, bindings: self.bindings, inputs: self.inputs }
    }

    /// The sum of the means of all results.
    fn loss(&mut self, results: &[Value]) -> crate::span::Result<NodeId> {
        let mut loss = self.builder.constant(0.0, self.options.float);
        for value in results {
            let axes: Vec<usize> = (0..self.builder.shape(value.id).rank()).collect();
            let mean = self.builder.mean(value.id, &axes, false)?;
            loss = self.builder.binary(BinaryOp::Add, loss, mean)?;
        }
        Ok(loss)
    }
}
