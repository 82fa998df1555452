//! Operations and layers as a list, apart from the tensors that they are of: what is compiled as one plan, and what that is found by.

use crate::autograd::calls::{BuiltCalls, CallNumbers};
use crate::autograd::passed::PassedNumbers;
use crate::autograd::positions::PassedPositions;
use crate::autograd::work::{BATCH, CompositeWork, TensorWork, WorkKey, composite_number};
use netcl_kernels::autodiff::{HighestOrder, Sweep, derivatives_from_saved, gradients_from_saved};
use netcl_kernels::dim::{Dim, Shape};
use netcl_kernels::dtype::DType;
use netcl_kernels::graph::build::Builder;
use netcl_kernels::graph::{Graph, InputKind, NodeId, Op, OutputKind};
use netcl_kernels::span::Result;
use std::sync::Arc;

/// A relative graph: tensors are numbered.
pub(crate) struct Trace {
    /// What the plan is called.
    pub(crate) name: String,
    pub(crate) gives: TraceResult,
    pub(crate) inputs: Vec<TraceInput>,
    /// Operands first.
    pub(crate) steps: Vec<TraceStep>,
    /// The size of the batch, if some input begins with one.
    pub(crate) batch: Option<usize>,
}

/// What is called as one operation.
pub(crate) struct TracedWork {
    number: u64,
    trace: Trace,
    arguments: usize,
}

impl TracedWork {
    /// Of a trace whose first inputs are so many arguments.
    pub(crate) fn new(trace: Trace, arguments: usize) -> TracedWork {
        TracedWork { number: composite_number(), trace, arguments }
    }
}

impl CompositeWork for TracedWork {
    fn number(&self) -> u64 {
        self.number
    }

    fn name(&self) -> &str {
        "compile"
    }

    fn arguments(&self) -> usize {
        self.arguments
    }

    fn build(
        &self,
        builder: &mut Builder,
        tensors: &[NodeId],
        passed: &mut PassedNumbers,
        batch: Option<usize>,
    ) -> Result<Vec<NodeId>> {
        self.trace.steps_in(builder, tensors, passed, batch, &PassedPositions::default())
    }
}

/// What the plan of a trace gives.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum TraceResult {
    /// The values of steps.
    Values,
    /// Beside them the gradients of the last step in so many first inputs.
    Gradients { leaves: usize },
    /// Derivatives alone.
    Derivatives(Differentiated),
}

/// What there are derivatives of, and in what.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Differentiated {
    pub(crate) values: Vec<Place>,
    /// By position among the inputs.
    pub(crate) wrt: Vec<usize>,
    pub(crate) direction: Direction,
}

/// Which derivatives there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Direction {
    /// The gradients of one value, a number.
    Gradient,
    /// The gradients of all values, whose cotangents are the first inputs.
    Backward,
    /// The tangents of the values, of those of what they are differentiated in, which are the first inputs.
    Forward,
}

/// What becomes of a step's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum StepValue {
    /// It stays inside.
    Inner,
    /// The plan gives it.
    Result,
    /// The caller has it: gradients are computed from it, as an argument after the inputs, and derivatives as one before them.
    Supplied,
}

pub(crate) struct TraceInput {
    pub(crate) dtype: DType,
    pub(crate) shape: Arc<[usize]>,
    /// Whether its leading axis may be the batch's.
    pub(crate) may_be_batch: bool,
}

pub(crate) struct TraceStep {
    pub(crate) work: TensorWork,
    pub(crate) sources: Vec<Place>,
    /// The element type of the first source.
    pub(crate) dtype: Option<DType>,
    pub(crate) value: StepValue,
}

/// Which tensor a source is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Place {
    Input(usize),
    Step(usize),
}

impl Place {
    /// As a part of a signature.
    pub(crate) fn number(self) -> u64 {
        match self {
            Place::Input(position) => (position as u64) << 1,
            Place::Step(position) => (position as u64) << 1 | 1,
        }
    }
}

/// An axis of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Size {
    /// The batch's, which is a symbol.
    Batch,
    /// Another symbol's, by number.
    Symbol(usize),
    Is(usize),
}

/// The axes of a trace's inputs whose sizes are symbols besides the batch's: of all axes, in order, which symbol it is.
pub(crate) type SymbolicAxes = [Option<usize>];

/// What graphs call one of these symbols.
pub(super) fn symbol_name(number: usize) -> String {
    format!("S{number}")
}

/// What is computed, the call that its numbers are of, of what, and what becomes of it.
type StepKey = (WorkKey, Option<u64>, Vec<Place>, StepValue);

/// What the plan of a trace is found by.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) struct TraceKey {
    gives: TraceResult,
    inputs: Vec<(DType, Vec<Size>)>,
    steps: Vec<StepKey>,
}

/// What traces have in common that differ in sizes and positions.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) struct RelativeTrace {
    gives: TraceResult,
    /// Types and axes, with the sizes of those that are the same at each call.
    inputs: Vec<(DType, Vec<Option<usize>>)>,
    has_batch: bool,
    steps: Vec<StepKey>,
}

impl Trace {
    fn sizes(&self, batch: Option<usize>, symbols: &SymbolicAxes) -> Vec<(DType, Vec<Size>)> {
        let mut symbols = symbols.iter();
        let mut input = |input: &TraceInput| {
            let size = |(axis, &size): (usize, &usize)| match (symbols.next().copied().flatten(), batch) {
                (_, Some(batch)) if input.may_be_batch && axis == 0 && size == batch => Size::Batch,
                (Some(symbol), _) => Size::Symbol(symbol),
                _ => Size::Is(size),
            };
            (input.dtype, input.shape.iter().enumerate().map(size).collect())
        };
        self.inputs.iter().map(&mut input).collect()
    }

    /// What is the same of traces that differ in sizes of what is computed from and in positions, and their sizes, 0 for those of the
    /// batch.
    pub(crate) fn without_sizes(&self) -> (RelativeTrace, Vec<usize>) {
        let number = |size: &Size| if let Size::Is(size) = size { *size } else { 0 };
        let TraceKey { gives, inputs, steps } = self.key(true);
        let sizes = inputs.iter().flat_map(|(_, sizes)| sizes.iter().map(number)).collect();
        let input = |((dtype, sizes), input): (&(DType, Vec<Size>), &TraceInput)| {
            (
                *dtype,
                if input.may_be_batch { vec![None; sizes.len()] } else { sizes.iter().map(number).map(Some).collect() },
            )
        };
        let inputs = inputs.iter().zip(&self.inputs).map(input).collect();
        let step = |((key, call, sources, value), step): (StepKey, &TraceStep)| match step.work.position() {
            Some(_) => (key.of_any_position(), call, sources, value),
            None => (key, call, sources, value),
        };
        let steps = steps.into_iter().zip(&self.steps).map(step).collect();
        (RelativeTrace { gives, inputs, has_batch: self.batch.is_some(), steps }, sizes)
    }

    /// The positions of its steps.
    pub(crate) fn positions(&self) -> impl Iterator<Item = u32> {
        self.steps.iter().filter_map(|step| step.work.position())
    }

    /// What the plan is found by; where the batch is a symbol, those of all sizes are found.
    pub(crate) fn key(&self, symbolic: bool) -> TraceKey {
        let batch = self.batch.filter(|_| symbolic);
        let mut calls = CallNumbers::default();
        let step = |step: &TraceStep| {
            (step.work.key(step.dtype, batch), calls.of(&step.work), step.sources.clone(), step.value)
        };
        TraceKey {
            gives: self.gives.clone(),
            inputs: self.sizes(batch, &[]),
            steps: self.steps.iter().map(step).collect(),
        }
    }

    /// The graph that is compiled. `None` where it cannot be had with a symbol: a size is needed, or what is read does not say what
    /// the symbol is.
    pub(crate) fn graph(&self, symbolic: bool) -> Result<Option<Graph>> {
        self.graph_of_order(symbolic, HighestOrder::First)
    }

    /// As [`Trace::graph`], of derivatives that are differentiated as often as that.
    pub(crate) fn graph_of_order(&self, symbolic: bool, order: HighestOrder) -> Result<Option<Graph>> {
        let built = |batch: Option<usize>| self.built(batch, (&[], &PassedPositions::default()), order);
        if !symbolic {
            return built(None).map(Some);
        }
        Ok(built(self.batch).ok().filter(|graph| self.is_of_any_batch(graph, || built(None).ok())))
    }

    /// The graph with symbols for those axes, and for the batch if that is to be one, and with those positions as numbers of each call.
    /// `None` where it cannot be had.
    pub(crate) fn graph_of_sizes(
        &self,
        any_batch: bool,
        symbols: &SymbolicAxes,
        positions: &PassedPositions,
    ) -> Option<Graph> {
        let built = |batch: Option<usize>| self.built(batch, (symbols, positions), HighestOrder::First).ok();
        match any_batch {
            true => built(self.batch).filter(|graph| self.is_of_any_batch(graph, || built(None))),
            false => built(None).filter(tells_symbols),
        }
    }

    /// Whether a graph with a symbol for the batch is to be had: what is read says what it is, and it is not much longer than that of
    /// one batch.
    fn is_of_any_batch(&self, graph: &Graph, of_one: impl FnOnce() -> Option<Graph>) -> bool {
        tells_symbols(graph) && !(self.batch.is_some() && is_much_longer(graph, of_one))
    }

    /// Builds it of these inputs: the value of every step.
    fn steps_in(
        &self,
        builder: &mut Builder,
        inputs: &[NodeId],
        passed: &mut PassedNumbers,
        batch: Option<usize>,
        positions: &PassedPositions,
    ) -> Result<Vec<NodeId>> {
        let mut position = positions.of_works();
        let mut results: Vec<NodeId> = Vec::with_capacity(self.steps.len());
        let mut calls = BuiltCalls::default();
        for step in &self.steps {
            let node = |place: &Place| match *place {
                Place::Input(position) => inputs[position],
                Place::Step(position) => results[position],
            };
            let sources: Vec<NodeId> = step.sources.iter().map(node).collect();
            results.push(match position(&step.work) {
                Some(_) => step.work.build_from_any(builder, &sources, passed)?,
                None => calls.build(builder, &step.work, &sources, passed, batch)?,
            });
        }
        Ok(results)
    }

    fn built(
        &self,
        batch: Option<usize>,
        (symbols, positions): (&SymbolicAxes, &PassedPositions),
        order: HighestOrder,
    ) -> Result<Graph> {
        let mut builder = Builder::new(&self.name);
        let leaves = match self.gives {
            TraceResult::Gradients { leaves } => leaves,
            TraceResult::Values | TraceResult::Derivatives(_) => 0,
        };
        let before = self.supplied_before();
        let mut inputs = Vec::with_capacity(self.inputs.len());
        for (position, (dtype, sizes)) in self.sizes(batch, symbols).into_iter().enumerate() {
            let size = |size: Size| match size {
                Size::Batch => Dim::symbol(BATCH),
                Size::Symbol(number) => Dim::symbol(&symbol_name(number)),
                Size::Is(size) => Dim::constant(size as i64),
            };
            let shape = Shape(sizes.into_iter().map(size).collect());
            let name = match position.checked_sub(leaves) {
                None => format!("p{position}"),
                Some(position) => format!("x{position}"),
            };
            inputs.push(builder.input(InputKind::Argument(before + position), &name, shape, dtype));
        }
        let mut numbers = PassedNumbers::new(self.gives != TraceResult::Values);
        let results = self.steps_in(&mut builder, &inputs, &mut numbers, batch, positions)?;
        let of = |value: StepValue| {
            let steps = self.steps.iter().zip(&results).filter(move |(step, _)| step.value == value);
            steps.map(|(_, result)| *result).enumerate()
        };
        of(StepValue::Result).for_each(|(number, result)| builder.output(OutputKind::Result(number), result));
        match (&self.gives, results.last()) {
            (TraceResult::Gradients { .. }, Some(&loss)) => {
                let supplied = of(StepValue::Supplied).map(|(number, result)| (inputs.len() + number, result));
                let supplied: Vec<(usize, NodeId)> = supplied.collect();
                gradients_from_saved(builder, loss, &inputs[..leaves], &supplied)
            }
            (TraceResult::Derivatives(differentiated), _) => {
                let supplied: Vec<(usize, NodeId)> = of(StepValue::Supplied).collect();
                differentiated.built(builder, &inputs, &results, &supplied, order)
            }
            _ => Ok(builder.finish()),
        }
    }

    /// How many arguments of its graph come before the inputs: values of steps that the caller has.
    pub(crate) fn supplied_before(&self) -> usize {
        let is_supplied = |step: &&TraceStep| step.value == StepValue::Supplied;
        match self.gives {
            TraceResult::Derivatives(_) => self.steps.iter().filter(is_supplied).count(),
            TraceResult::Values | TraceResult::Gradients { .. } => 0,
        }
    }
}

impl Differentiated {
    fn built(
        &self,
        mut builder: Builder,
        inputs: &[NodeId],
        steps: &[NodeId],
        supplied: &[(usize, NodeId)],
        order: HighestOrder,
    ) -> Result<Graph> {
        let node = |place: &Place| match *place {
            Place::Input(position) => inputs[position],
            Place::Step(position) => steps[position],
        };
        let values: Vec<NodeId> = self.values.iter().map(node).collect();
        let wrt: Vec<NodeId> = self.wrt.iter().map(|position| inputs[*position]).collect();
        let ones = |value: &NodeId| {
            let (shape, dtype) = (builder.shape(*value).clone(), builder.dtype(*value));
            builder.full(1.0, &shape, dtype)
        };
        let sweep = match self.direction {
            Direction::Gradient => {
                Sweep::Backward { wrt: &wrt, cotangents: &values.iter().map(ones).collect::<Vec<_>>() }
            }
            Direction::Backward => Sweep::Backward { wrt: &wrt, cotangents: &inputs[..values.len()] },
            Direction::Forward => Sweep::Forward { wrt: &wrt, tangents: &inputs[..wrt.len()] },
        };
        derivatives_from_saved(builder, &values, sweep, supplied, order)
    }
}

/// What a plan is called, after its first operations.
pub(crate) fn name<'a>(works: impl Iterator<Item = &'a str>) -> String {
    const SHOWN: usize = 4;
    let mut names: Vec<&str> = Vec::new();
    for name in works {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let more = if names.len() > SHOWN { "_and_more" } else { "" };
    names.truncate(SHOWN);
    format!("{}{more}", names.join("_"))
}

/// The size of the batch: the first leading one, in this order, of an input that may begin with it.
pub(crate) fn batch<'a>(inputs: impl Iterator<Item = &'a TraceInput>) -> Option<usize> {
    inputs.filter(|input| input.may_be_batch).filter_map(|input| input.shape.first().copied()).find(|size| *size > 1)
}

/// Whether a symbol in the place of a size makes much more of a graph than of that with the number, as of a running total along an axis:
/// then it is no size of batches. Of few nodes it cannot, and the other graph is not built.
pub(crate) fn is_much_longer(symbolic: &Graph, known: impl FnOnce() -> Option<Graph>) -> bool {
    let longer_than = |nodes: usize| symbolic.nodes.len() > nodes + nodes / 2 + 4;
    longer_than(1) && known().is_some_and(|known| longer_than(known.nodes.len()))
}

/// Whether what is read says what each symbol is.
pub(super) fn tells_symbols(graph: &Graph) -> bool {
    graph.symbols().iter().all(|symbol| read(graph).any(|shape| shape.0.contains(&Dim::symbol(symbol.name()))))
}

/// The shapes of the inputs that something is computed from.
fn read(graph: &Graph) -> impl Iterator<Item = &Shape> {
    let read = graph.read();
    let is_read = move |id: NodeId, op: &Op| read[id.index()] && matches!(op, Op::Input(_));
    graph.iter().filter(move |(id, node)| is_read(*id, &node.op)).map(|(_, node)| &node.shape)
}
