//! What is computed, apart from what of: an operation with its arguments, or a layer with its configuration.

use crate::autograd::passed::PassedNumbers;
use crate::hash::hash;
use netcl_hal::device::scalar::Scalar;
use netcl_kernels::dim::Dim;
use netcl_kernels::dtype::{DType, Literal};
use netcl_kernels::graph::NodeId;
use netcl_kernels::graph::build::Builder;
use netcl_kernels::layers::{self, Config, Context, Mode, TensorSpec};
use netcl_kernels::ops::{self, ArgKind, Operation, Value};
use netcl_kernels::precision::Precision;
use netcl_kernels::span::{Diagnostic, Result};
use smallvec::SmallVec;
use std::hash::{Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The size that a batch has while it is a symbol of the graph.
pub(crate) const BATCH: &str = "N";

/// Operations in which a number is as good an operand as a tensor. The others want theirs known: `pow` of 2 is a square.
const ARITHMETIC: [&str; 6] = ["add", "sub", "mul", "div", "maximum", "minimum"];

/// Operations that take a position along an axis, and which of their arguments it is.
const POSITIONED: [&str; 2] = ["narrow", "get"];
const POSITION: usize = 2;

/// An argument of an operation. Tensors are those that the operation is given, in order.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ArgValue {
    /// The next tensor.
    Tensor,
    /// So many next tensors.
    Tensors(usize),
    Number(f64),
    Integer(i64),
    Integers(Arc<[i64]>),
    Bool(bool),
    Text(Arc<str>),
    DType(DType),
}

/// What is computed.
#[derive(Clone)]
pub(crate) enum TensorWork {
    Operation {
        operation: &'static Operation,
        given: Arc<[ArgValue]>,
        precision: Precision,
    },
    /// Its tensors follow its inputs.
    Layer {
        layer: Arc<ConfiguredLayer>,
        mode: Mode,
        /// What its random numbers began with.
        seed: u32,
        gives: LayerValue,
        precision: Precision,
    },
    /// A value of what was compiled as one.
    Traced {
        traced: Arc<dyn CompositeWork>,
        /// The step whose value it is.
        step: usize,
        scalars: Arc<[Scalar]>,
    },
}

/// The number of a [`CompositeWork`].
pub(crate) fn composite_number() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// What is called as one operation, and consists of others.
pub(crate) trait CompositeWork: Send + Sync {
    /// No other has it but what is built alike: [`composite_number`].
    fn number(&self) -> u64;

    /// What an error calls it.
    fn name(&self) -> &str;

    /// How many of the tensors that it is of are arguments: they come first.
    fn arguments(&self) -> usize;

    /// Builds the values of its steps of these tensors.
    fn build(
        &self,
        builder: &mut Builder,
        tensors: &[NodeId],
        passed: &mut PassedNumbers,
        batch: Option<usize>,
    ) -> Result<Vec<NodeId>>;
}

/// Which of the values that a layer computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum LayerValue {
    Result,
    /// What the state at that position among its tensors becomes.
    State(usize),
}

/// What tells works apart that are computed by different graphs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum WorkKey {
    Operation(&'static str, SmallVec<[ArgKey; 3]>, Precision),
    Layer(LayerText, Mode, LayerValue, Precision),
    /// By number.
    Traced(u64, usize),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum ArgKey {
    Tensors(usize),
    /// A number that is passed by value.
    Passed,
    /// One that is part of the graph: its bits.
    Number(u64),
    Integer(i64),
    /// A position, whichever it is.
    Position,
    Integers(Arc<[i64]>),
    /// Sizes that begin with that of the batch.
    Sizes(Arc<[i64]>),
    Bool(bool),
    Text(Arc<str>),
    DType(DType),
}

/// A layer's declaration with a value for each of its settings.
pub(crate) struct ConfiguredLayer {
    pub(crate) declaration: &'static layers::Layer,
    pub(crate) config: Config,
    /// Its own tensors.
    pub(crate) specs: Vec<TensorSpec<Dim>>,
    text: LayerText,
}

/// A layer's name and configuration: equal for equal ones. It is compared at every call.
#[derive(Clone, Debug)]
pub(crate) struct LayerText {
    text: Arc<str>,
    hash: u64,
}

impl PartialEq for LayerText {
    fn eq(&self, other: &Self) -> bool {
        self.hash == other.hash && (Arc::ptr_eq(&self.text, &other.text) || self.text == other.text)
    }
}

impl Eq for LayerText {}

impl Hash for LayerText {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.hash.hash(state);
    }
}

impl ConfiguredLayer {
    pub(crate) fn new(declaration: &'static layers::Layer, config: Config) -> ConfiguredLayer {
        let text: Arc<str> = format!("{} {config:?}", declaration.name).into();
        let text = LayerText { hash: hash(&*text), text };
        let specs = (declaration.tensors)(&config);
        ConfiguredLayer { declaration, config, specs, text }
    }

    /// Whether it changes tensors of its own, as running statistics are in training.
    pub(crate) fn changes_states(&self, mode: Mode) -> bool {
        mode == Mode::Training && self.states().next().is_some()
    }

    /// Builds it of inputs and its tensors: the result, and new values of states by position among the tensors.
    pub(crate) fn build(
        &self,
        builder: &mut Builder,
        mode: Mode,
        inputs: &[NodeId],
        tensors: &[NodeId],
        seed: NodeId,
    ) -> Result<(NodeId, Vec<(usize, NodeId)>)> {
        let mut updates = Vec::new();
        let name = self.declaration.name;
        let mut context = Context { builder, config: &self.config, name, tensors, mode, seed, updates: &mut updates };
        let result = layers::forward(self.declaration, &mut context, inputs)?;
        Ok((result, updates))
    }

    /// Builds one of its values of inputs and its tensors.
    pub(crate) fn value(
        &self,
        builder: &mut Builder,
        mode: Mode,
        (inputs, tensors): (&[NodeId], &[NodeId]),
        seed: NodeId,
        value: LayerValue,
    ) -> Result<NodeId> {
        let (result, updates) = self.build(builder, mode, inputs, tensors, seed)?;
        match value {
            LayerValue::Result => Ok(result),
            // What it does not change stays.
            LayerValue::State(position) => {
                let new = updates.into_iter().find(|(changed, _)| *changed == position);
                Ok(new.map_or(tensors[position], |(_, new)| new))
            }
        }
    }

    /// Those of its tensors that it changes, by position.
    pub(crate) fn states(&self) -> impl Iterator<Item = (usize, &TensorSpec<Dim>)> {
        self.specs.iter().enumerate().filter(|(_, spec)| !spec.trainable)
    }
}

impl TensorWork {
    /// What an error calls it.
    pub(crate) fn name(&self) -> &str {
        match self {
            TensorWork::Operation { operation, .. } => operation.name,
            TensorWork::Layer { layer, .. } => layer.declaration.name,
            TensorWork::Traced { traced, .. } => traced.name(),
        }
    }

    /// How many of so many tensors are no layer's own, but what it is given: they come first.
    pub(crate) fn inputs(&self, tensors: usize) -> usize {
        match self {
            TensorWork::Operation { .. } => tensors,
            TensorWork::Layer { layer, .. } => layer.declaration.inputs.min(tensors),
            TensorWork::Traced { traced, .. } => traced.arguments().min(tensors),
        }
    }

    /// How many tensors it is given as lists.
    pub(crate) fn listed(&self) -> usize {
        let TensorWork::Operation { given, .. } = self else { return 0 };
        let listed = |given: &ArgValue| if let ArgValue::Tensors(count) = given { *count } else { 0 };
        given.iter().map(listed).sum()
    }

    /// Builds it of these tensors; what [`TensorWork::scalars`] gives becomes inputs. Where the first tensor begins with the symbol of a
    /// batch of the size `batch`, sizes that begin with that number are meant to begin with it.
    pub(crate) fn build(
        &self,
        builder: &mut Builder,
        tensors: &[NodeId],
        passed: &mut PassedNumbers,
        batch: Option<usize>,
    ) -> Result<NodeId> {
        match self {
            TensorWork::Operation { operation, given, precision } => {
                let dtype = tensors.first().map(|first| builder.dtype(*first));
                let leads = tensors.first().and_then(|first| builder.shape(*first).0.first());
                let leads = leads == Some(&Dim::symbol(BATCH));
                let mut tensors = tensors.iter().copied();
                let mut values = Vec::with_capacity(given.len());
                for (position, given) in given.iter().enumerate() {
                    let sizes = is_sizes(operation, position);
                    values.push(match given {
                        ArgValue::Tensor => Value::Tensor(tensors.next().ok_or_else(too_few)?),
                        ArgValue::Tensors(count) => {
                            Value::List(tensors.by_ref().take(*count).map(Value::Tensor).collect())
                        }
                        ArgValue::Number(number) => match by_value(operation, *number, dtype) {
                            Some(dtype) => Value::Tensor(passed.next(builder, dtype)),
                            None => Value::Number(*number),
                        },
                        ArgValue::Integer(value) => integer(*value),
                        ArgValue::Integers(list) => {
                            let mut list: Vec<Value> = list.iter().copied().map(integer).collect();
                            if let (true, Some(batch), Some(first)) = (sizes, batch, list.first_mut())
                                && *first == integer(batch as i64)
                            {
                                // The number may be the batch or not: one graph would have to know.
                                if !leads {
                                    return Err(Diagnostic::new("a size is that of the batch in a tensor without one"));
                                }
                                *first = Value::Dim(Dim::symbol(BATCH));
                            }
                            Value::List(list)
                        }
                        ArgValue::Bool(truth) => Value::Bool(*truth),
                        ArgValue::Text(text) => Value::Text(text.to_string()),
                        ArgValue::DType(dtype) => {
                            let position = DType::ALL.iter().position(|other| other == dtype);
                            integer(position.unwrap_or_default() as i64)
                        }
                    });
                }
                in_precision(builder, *precision, |builder| ops::call(builder, operation, &values))
            }
            TensorWork::Layer { layer, mode, gives, precision, .. } => {
                // It draws what it drew in a graph of its own.
                builder.restart_streams();
                let seed = passed.next(builder, DType::U32);
                let inputs = self.inputs(tensors.len());
                let tensors = (&tensors[..inputs], &tensors[inputs..]);
                in_precision(builder, *precision, |builder| layer.value(builder, *mode, tensors, seed, *gives))
            }
            TensorWork::Traced { traced, step, .. } => Ok(traced.build(builder, tensors, passed, batch)?[*step]),
        }
    }

    /// As [`TensorWork::build`] of what takes a [position](TensorWork::position), which becomes an input.
    pub(super) fn build_from_any(
        &self,
        builder: &mut Builder,
        tensors: &[NodeId],
        passed: &mut PassedNumbers,
    ) -> Result<NodeId> {
        let (TensorWork::Operation { operation, given, precision }, [x]) = (self, tensors) else {
            return Err(too_few());
        };
        let at = passed.next(builder, DType::U32);
        in_precision(builder, *precision, |builder| match (operation.name, &**given) {
            ("narrow", [_, ArgValue::Integer(axis), _, ArgValue::Integer(length)]) => {
                ops::narrow_numbered(builder, *x, *axis, at, &Dim::constant(*length))
            }
            ("get", [_, ArgValue::Integer(axis), _]) => ops::get_numbered(builder, *x, *axis, at),
            _ => Err(too_few()),
        })
    }

    /// The numbers that its graph takes by value, of a first tensor of that type.
    pub(crate) fn scalars(&self, dtype: Option<DType>) -> Vec<Scalar> {
        match self {
            TensorWork::Operation { operation, given, .. } => {
                let number = |given: &ArgValue| match given {
                    // Rounded as a constant of that type would be: with halves, to the f32 that they are computed in.
                    ArgValue::Number(number) => {
                        let dtype = by_value(operation, *number, dtype)?;
                        Some(Scalar::from_literal(Literal::of(*number, dtype)))
                    }
                    _ => None,
                };
                given.iter().filter_map(number).collect()
            }
            TensorWork::Layer { seed, .. } => vec![Scalar::U32(*seed)],
            TensorWork::Traced { scalars, .. } => scalars.to_vec(),
        }
    }

    /// The position that it takes along an axis, a number that may be passed by value.
    pub(crate) fn position(&self) -> Option<u32> {
        match self {
            TensorWork::Operation { operation, given, .. } if POSITIONED.contains(&operation.name) => {
                match given.get(POSITION)? {
                    // Positions are compared in 32 bits, signed or not.
                    ArgValue::Integer(position) => i32::try_from(*position).ok()?.try_into().ok(),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// What a graph of it is found by, with a first tensor of that type and a batch of that size.
    pub(crate) fn key(&self, dtype: Option<DType>, batch: Option<usize>) -> WorkKey {
        match self {
            TensorWork::Operation { operation, given, precision } => {
                WorkKey::of_operation((operation, *precision), given, dtype, batch)
            }
            TensorWork::Layer { layer, mode, gives, precision, .. } => {
                WorkKey::Layer(layer.text.clone(), *mode, *gives, *precision)
            }
            TensorWork::Traced { traced, step, .. } => WorkKey::Traced(traced.number(), *step),
        }
    }
}

impl WorkKey {
    /// The same for every position.
    pub(crate) fn of_any_position(mut self) -> WorkKey {
        if let WorkKey::Operation(_, given, _) = &mut self
            && let Some(position) = given.get_mut(POSITION)
        {
            *position = ArgKey::Position;
        }
        self
    }

    /// Of an operation with these arguments, as [`TensorWork::key`].
    pub(crate) fn of_operation(
        (operation, precision): (&Operation, Precision),
        given: &[ArgValue],
        dtype: Option<DType>,
        batch: Option<usize>,
    ) -> WorkKey {
        let key = |(position, given): (usize, &ArgValue)| match given {
            ArgValue::Tensor => ArgKey::Tensors(1),
            ArgValue::Tensors(count) => ArgKey::Tensors(*count),
            ArgValue::Number(number) if by_value(operation, *number, dtype).is_some() => ArgKey::Passed,
            ArgValue::Number(number) => ArgKey::Number(number.to_bits()),
            ArgValue::Integer(value) => ArgKey::Integer(*value),
            ArgValue::Integers(list) => match (list.split_first(), batch) {
                (Some((&first, rest)), Some(batch)) if is_sizes(operation, position) && first == batch as i64 => {
                    ArgKey::Sizes(rest.into())
                }
                _ => ArgKey::Integers(list.clone()),
            },
            ArgValue::Bool(truth) => ArgKey::Bool(*truth),
            ArgValue::Text(text) => ArgKey::Text(text.clone()),
            ArgValue::DType(dtype) => ArgKey::DType(*dtype),
        };
        WorkKey::Operation(operation.name, given.iter().enumerate().map(key).collect(), precision)
    }
}

/// What `build` builds, with activations in that precision.
pub(crate) fn in_precision<R>(builder: &mut Builder, precision: Precision, build: impl FnOnce(&mut Builder) -> R) -> R {
    let outer = builder.set_precision(precision);
    let result = build(builder);
    builder.set_precision(outer);
    result
}

fn integer(value: i64) -> Value {
    Value::Dim(Dim::constant(value))
}

fn too_few() -> Diagnostic {
    Diagnostic::new("it has fewer tensors than arguments that are tensors")
}

/// Whether the argument is the shape of the result. Strides and windows are lists of sizes too.
fn is_sizes(operation: &Operation, position: usize) -> bool {
    let shapes = matches!(operation.name, "reshape" | "broadcast_to");
    shapes && operation.args.get(position).is_some_and(|arg| arg.kind == ArgKind::Sizes)
}

/// The type in which a number is passed by value, which is that of the first tensor: one graph serves all such numbers. Those of
/// integers stay in the graph, where their range is checked.
fn by_value(operation: &Operation, number: f64, dtype: Option<DType>) -> Option<DType> {
    dtype.filter(|dtype| dtype.is_float() && ARITHMETIC.contains(&operation.name) && !is_informative(number))
}

/// Whether the compiler makes something better of arithmetic with that number than with an unknown one.
fn is_informative(number: f64) -> bool {
    [0.0, 0.5, 1.0, 2.0].contains(&number.abs())
}
