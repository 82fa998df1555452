//! The reference semantics of graphs: a plain evaluator, node by node.
//!
//! By hand, and not on `ndarray`: the meaning of a node is its defining sum, to be read beside it.
//!
//! Floats are `f64`, integers `i64`, whatever their type in the graph; integers wrap to their type after every node.
//! With [`Precision::Typed`] floats are rounded to their type after every node too (`f16` and `bf16` by way of `f32`,
//! as a kernel's store does), while sums and products accumulate in `f64`: the closest there is to what a device should
//! give. Nothing here is fast, and nothing here is clever.

mod attention;
mod custom;
mod movement;
mod products;
mod scan;
mod tensor;

pub use tensor::{HostTensor, Precision, TensorData};

use super::verify::verify;
use super::*;
use crate::dim::Bindings;
use crate::fold;
use crate::philox;
use crate::scalar::{self, Baseline};
use crate::span::{Diagnostic, Result};
use std::collections::BTreeMap;

/// The most elements one tensor may have here; beyond it evaluation is refused, not attempted.
const LARGEST: usize = 1 << 28;

/// The values of the graph's outputs, in order.
///
/// `inputs` gives each input by kind and name; it is asked only for those that an output needs.
///
/// # Errors
///
/// A graph that [`verify()`] rejects (its first error), an input that is missing or has another shape or type, a symbol
/// that `bindings` leaves out, a size that is negative or absurd.
pub fn evaluate(
    graph: &Graph,
    bindings: Bindings<'_>,
    inputs: &dyn Fn(&InputKind, &str) -> Option<HostTensor>,
    precision: Precision,
) -> Result<Vec<(OutputKind, HostTensor)>> {
    let graph = verify(graph).map_err(|errors| errors.into_iter().next().unwrap_or_else(|| Diagnostic::new("")))?;
    let mut needed = vec![false; graph.nodes.len()];
    graph.outputs.iter().for_each(|(_, id)| needed[id.index()] = true);
    for (id, node) in graph.iter().rev() {
        if needed[id.index()] {
            node.op.visit_operands(|operand| needed[operand.index()] = true);
        }
    }
    let mut run = Run { bindings, values: Vec::with_capacity(graph.nodes.len()), results: BTreeMap::new() };
    for (id, node) in graph.iter() {
        let value = if needed[id.index()] {
            let value = run.node(id, node, (inputs, precision)).map_err(|diagnostic| diagnostic.at(node.span))?;
            Some(value.rounded(precision))
        } else {
            None
        };
        run.values.push(value);
    }
    graph.outputs.iter().map(|(kind, id)| Ok((kind.clone(), run.value(*id).clone()))).collect()
}

/// Gives the inputs, by kind and name.
type Inputs<'i> = &'i dyn Fn(&InputKind, &str) -> Option<HostTensor>;

/// The values so far.
struct Run<'a> {
    bindings: Bindings<'a>,
    values: Vec<Option<HostTensor>>,
    /// The results of calls of users' kernels and of loops, the first apart.
    results: BTreeMap<(NodeId, usize), HostTensor>,
}

impl Run<'_> {
    /// An operand's value: computed, because needed nodes are visited in order.
    fn value(&self, id: NodeId) -> &HostTensor {
        self.values[id.index()].as_ref().expect("operands are needed nodes before their users")
    }

    fn dim(&self, dim: &Dim) -> Result<i64> {
        dim.evaluate(self.bindings).ok_or_else(|| unbound(&dim.to_string()))
    }

    fn shape(&self, shape: &Shape) -> Result<Vec<usize>> {
        let sizes = shape.evaluate(self.bindings).ok_or_else(|| unbound(&shape.to_string()))?;
        let elements = sizes.iter().try_fold(1usize, |product, &size| product.checked_mul(size));
        match elements {
            Some(elements) if elements <= LARGEST => Ok(sizes),
            _ => Err(Diagnostic::new(format!("a tensor of shape {sizes:?} is too large to evaluate"))),
        }
    }

    fn node(&mut self, id: NodeId, node: &Node, (inputs, precision): (Inputs<'_>, Precision)) -> Result<HostTensor> {
        let shape = self.shape(&node.shape)?;
        let count = shape.iter().product::<usize>();
        let dtype = node.dtype;
        let data = match &node.op {
            Op::Input(kind) => {
                let given = inputs(kind, &node.name)
                    .ok_or_else(|| Diagnostic::new(format!("the input `{}` ({kind:?}) is missing", node.name)))?;
                if given.shape() != shape || given.dtype() != dtype {
                    return Err(Diagnostic::new(format!(
                        "the input `{}` is {dtype}{shape:?}, found {}{:?}",
                        node.name,
                        given.dtype(),
                        given.shape()
                    )));
                }
                return Ok(given);
            }
            Op::Constant(literal) => match literal {
                Literal::Bool(value) => TensorData::Bool(vec![*value; count]),
                Literal::Int(value, _) => TensorData::Int(vec![*value; count]),
                Literal::Float(bits, _) => TensorData::Float(vec![f64::from_bits(*bits); count]),
            },
            Op::Iota { axis } => {
                let inner: usize = shape[axis + 1..].iter().product();
                let coordinate = |position: usize| position / inner % shape[*axis];
                if dtype.is_float() {
                    TensorData::Float((0..count).map(|position| coordinate(position) as f64).collect())
                } else {
                    TensorData::Int((0..count).map(|position| dtype.wrap(coordinate(position) as i64)).collect())
                }
            }
            Op::Size(dim) => {
                let size = self.dim(dim)?;
                if dtype.is_float() {
                    TensorData::Float(vec![size as f64])
                } else {
                    TensorData::Int(vec![dtype.wrap(size)])
                }
            }
            Op::Unary(op, a) => unary(*op, self.value(*a)),
            Op::Binary(op, a, b) => binary(*op, self.value(*a), self.value(*b)),
            Op::Compare(op, a, b) => compare(*op, self.value(*a), self.value(*b)),
            Op::Select(condition, a, b) => {
                let (condition, a, b) = (self.value(*condition).bools(), self.value(*a), self.value(*b));
                match (a.data(), b.data()) {
                    (TensorData::Float(a), TensorData::Float(b)) => TensorData::Float(choose(condition, a, b)),
                    (TensorData::Int(a), TensorData::Int(b)) => TensorData::Int(choose(condition, a, b)),
                    (TensorData::Bool(a), TensorData::Bool(b)) => TensorData::Bool(choose(condition, a, b)),
                    _ => unreachable!("rule G07"),
                }
            }
            Op::Cast(a) => cast(self.value(*a), dtype),
            Op::Random { seed, stream } => {
                let seed = self.value(*seed).ints()[0] as u32;
                let draw = |position| f64::from(philox::uniform(seed, *stream, position as u64));
                TensorData::Float((0..count).map(draw).collect())
            }
            Op::View { source, index } => {
                let offsets = index.iter().map(|axis| self.dim(&axis.offset)).collect::<Result<Vec<_>>>()?;
                movement::view(self.value(*source), &shape, index, &offsets)
            }
            Op::Reshape(a) => {
                let data = self.value(*a).data().clone();
                if data.len() != count {
                    return Err(Diagnostic::new(format!("{} elements do not fill {shape:?}", data.len())));
                }
                data
            }
            Op::Reduce { op, source, axes } => movement::reduce(*op, self.value(*source), axes),
            Op::MatMul(a, b) => products::matmul(self.value(*a), self.value(*b)),
            Op::Conv2d { input, weight, geometry } => {
                products::conv2d(self.value(*input), self.value(*weight), &shape, geometry)
            }
            Op::Conv2dInputGrad { grad, weight, geometry } => {
                products::conv2d_input_grad(self.value(*grad), self.value(*weight), &shape, geometry)
            }
            Op::Conv2dWeightGrad { input, grad, geometry } => {
                products::conv2d_weight_grad(self.value(*input), self.value(*grad), &shape, geometry)
            }
            Op::Gather { source, indices } => movement::gather(self.value(*source), self.value(*indices)),
            Op::ScatterAdd { indices, updates } => {
                movement::scatter_add(&shape, dtype, self.value(*indices), self.value(*updates))
            }
            Op::Custom { kernel, sizes, operands } => {
                let mut results = self.custom(kernel, sizes, operands, precision)?.into_iter().enumerate();
                let (_, first) = results.next().ok_or_else(|| Diagnostic::new("a kernel has a result"))?;
                self.results.extend(results.map(|(position, value)| ((id, position), value)));
                return Ok(first);
            }
            Op::Attention(attention) => return self.attention(id, node, attention),
            Op::Scan { .. } => return self.run_scan(id, &node.op, inputs, precision),
            Op::CustomResult { call, result } => {
                let value = self.results.get(&(*call, *result)).cloned();
                return value.ok_or_else(|| Diagnostic::new("a call is computed before its results are read"));
            }
        };
        HostTensor::new(dtype, shape, data)
    }
}

fn unbound(what: &str) -> Diagnostic {
    Diagnostic::new(format!("the size {what} is unknown or negative")).hint("bind each of its symbols to a size")
}

fn choose<T: Copy>(condition: &[bool], a: &[T], b: &[T]) -> Vec<T> {
    condition.iter().zip(a.iter().zip(b)).map(|(condition, (a, b))| if *condition { *a } else { *b }).collect()
}

/// The function on `f64`; `Not` has none.
pub fn unary_f64(op: UnaryOp, x: f64) -> f64 {
    scalar::unary_float::<Baseline, f64>(op, x).expect("rule G04: `not` takes no floats")
}

fn unary(op: UnaryOp, a: &HostTensor) -> TensorData {
    match a.data() {
        TensorData::Float(values) => TensorData::Float(values.iter().map(|x| unary_f64(op, *x)).collect()),
        TensorData::Bool(values) => TensorData::Bool(values.iter().map(|x| !x).collect()),
        TensorData::Int(values) => {
            let function = |x: &i64| a.dtype().wrap(scalar::unary_integer(op, *x).expect("rule G04"));
            TensorData::Int(values.iter().map(function).collect())
        }
    }
}

fn binary(op: BinaryOp, a: &HostTensor, b: &HostTensor) -> TensorData {
    match (a.data(), b.data()) {
        (TensorData::Float(x), TensorData::Float(y)) => {
            let function = |(x, y): (&f64, &f64)| fold::binary_f64(op, *x, *y).expect("rule G05");
            TensorData::Float(x.iter().zip(y).map(function).collect())
        }
        (TensorData::Int(x), TensorData::Int(y)) => {
            let literal = |value: &i64| Literal::Int(*value, a.dtype());
            let function = |(x, y): (&i64, &i64)| match fold::binary(op, literal(x), literal(y)) {
                Some(Literal::Int(value, _)) => value,
                _ => unreachable!("rule G05"),
            };
            TensorData::Int(x.iter().zip(y).map(function).collect())
        }
        (TensorData::Bool(x), TensorData::Bool(y)) => {
            let function = |(x, y): (&bool, &bool)| scalar::binary_bits(op, *x, *y).expect("rule G05");
            TensorData::Bool(x.iter().zip(y).map(function).collect())
        }
        _ => unreachable!("rule G05"),
    }
}

fn compare(op: CompareOp, a: &HostTensor, b: &HostTensor) -> TensorData {
    fn each<T: Copy + PartialOrd>(op: CompareOp, x: &[T], y: &[T]) -> Vec<bool> {
        x.iter().zip(y).map(|(x, y)| scalar::compare(op, *x, *y)).collect()
    }
    TensorData::Bool(match (a.data(), b.data()) {
        (TensorData::Float(x), TensorData::Float(y)) => each(op, x, y),
        (TensorData::Int(x), TensorData::Int(y)) => each(op, x, y),
        (TensorData::Bool(x), TensorData::Bool(y)) => each(op, x, y),
        _ => unreachable!("rule G06"),
    })
}

fn cast(a: &HostTensor, to: DType) -> TensorData {
    // Rounding to a type, the operand's or the result's, is the precision's business.
    let literals: Box<dyn Iterator<Item = Literal> + '_> = match a.data() {
        TensorData::Float(values) => Box::new(values.iter().map(|x| Literal::float(*x, DType::F64))),
        TensorData::Int(values) => Box::new(values.iter().map(|x| Literal::Int(*x, a.dtype()))),
        TensorData::Bool(values) => Box::new(values.iter().map(|x| Literal::Bool(*x))),
    };
    let mut result = TensorData::zeros(to, 0);
    let exact = if to.is_float() { DType::F64 } else { to };
    for literal in literals {
        match (fold::cast(literal, exact), &mut result) {
            (Literal::Float(bits, _), TensorData::Float(values)) => values.push(f64::from_bits(bits)),
            (Literal::Int(value, _), TensorData::Int(values)) => values.push(value),
            (Literal::Bool(value), TensorData::Bool(values)) => values.push(value),
            _ => unreachable!("a cast gives what it was asked for"),
        }
    }
    result
}
