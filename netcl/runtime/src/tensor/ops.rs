//! Operations on tensors, by name and as methods: the table of `netcl_kernels::ops`, compiled at run time.

use crate::autograd::autocast;
use crate::autograd::known::{self, DerivativeFlow, KnownWork};
use crate::autograd::note::{self, Noted};
use crate::autograd::passed::PassedNumbers;
use crate::autograd::trace;
use crate::autograd::tracer;
use crate::autograd::work::{ArgValue, BATCH, TensorWork, WorkKey};
use crate::error::{Error, Result};
use crate::tensor::{AsIntegers, Mistake, Operand, Tensor, concat, element_count, run, shown, too_large};
use netcl_kernels::dim::{Dim, Shape, Symbol};
use netcl_kernels::graph::build::Builder;
use netcl_kernels::graph::{Graph, InputKind, NodeId, OutputKind};
use netcl_kernels::ops::{self, Operation};
use netcl_kernels::precision::Precision;
use netcl_kernels::span::Diagnostic;
use smallvec::SmallVec;
use std::panic::Location;
use std::sync::Arc;

impl Tensor {
    /// Applies the operation called `name` of netcl's table, the receiver first among the arguments.
    ///
    /// ```
    /// # use netcl::{Device, Tensor};
    /// # let device = Device::null(netcl::Target::Gpu, u64::MAX);
    /// let x = Tensor::from_slice(&device, &[1.0f32, -2.0], &[2])?;
    /// let y = x.apply("leaky_relu", &[0.1.into()]);
    /// # Ok::<(), netcl::Error>(())
    /// ```
    ///
    /// Where there is no such operation, or its arguments do not fit, that is the result's value ([`Tensor::check`]): the message
    /// names what was expected.
    #[doc(alias = "conv2d")]
    #[track_caller]
    pub fn apply(&self, name: &str, others: &[Operand<'_>]) -> Tensor {
        self.called(name, ops::find(name), others, Location::caller())
    }

    /// Applies the operation that was found by that name.
    pub(super) fn called(
        &self,
        name: &str,
        found: Option<&'static Operation>,
        others: &[Operand<'_>],
        caller: &'static Location<'static>,
    ) -> Tensor {
        let result = match found {
            Some(operation) => self.computed(operation, others, caller),
            None => Err(unknown(name)),
        };
        result.unwrap_or_else(|error| {
            // Of one of several results, by the name of all.
            let error = match (error, found) {
                (Error::Graph { operation, diagnostic }, Some(part)) if part.name != name => {
                    Error::Graph { operation, diagnostic: diagnostic.renamed(part.name, name) }
                }
                (error, _) => error,
            };
            let operands: Vec<Operand<'_>> = [Operand::Tensor(self)].iter().chain(others).copied().collect();
            mistaken(self, name, &operands, caller, error)
        })
    }

    fn computed(
        &self,
        operation: &'static Operation,
        others: &[Operand<'_>],
        caller: &'static Location<'static>,
    ) -> Result<Tensor> {
        if let Some(mistake) = first_mistake(self, others) {
            return Ok(mistake);
        }
        if !tracer::is_active()
            && let Some(result) = concat::of_many(operation, self, others, caller)?
        {
            return Ok(result);
        }
        let mut given: SmallVec<[ArgValue; 4]> = SmallVec::new();
        let mut tensors: SmallVec<[&Tensor; 4]> = SmallVec::new();
        given.push(ArgValue::Tensor);
        tensors.push(self);
        for operand in others {
            given.push(match *operand {
                Operand::Tensor(tensor) => {
                    tensors.push(tensor);
                    ArgValue::Tensor
                }
                Operand::Tensors(list) => {
                    tensors.extend_from_slice(list);
                    ArgValue::Tensors(list.len())
                }
                Operand::Number(number) => ArgValue::Number(number),
                Operand::Integer(value) => ArgValue::Integer(value),
                Operand::Integers(list) => ArgValue::Integers(list.into()),
                Operand::Bool(truth) => ArgValue::Bool(truth),
                Operand::Text(text) => ArgValue::Text(text.into()),
                Operand::DType(dtype) => ArgValue::DType(dtype),
            });
        }
        operation_of(operation, &given, &tensors, caller)
    }

    /// An arithmetic operation whose first operand is a number.
    pub(super) fn after_number(&self, number: f64, name: &str, caller: &'static Location<'static>) -> Tensor {
        if let Some(mistake) = self.mistake() {
            return mistake;
        }
        let given = [ArgValue::Number(number), ArgValue::Tensor];
        let result =
            ops::find(name).ok_or_else(|| unknown(name)).and_then(|found| operation_of(found, &given, &[self], caller));
        result.unwrap_or_else(|error| mistaken(self, name, &[number.into(), self.into()], caller, error))
    }

    fn leading(&self) -> Option<usize> {
        self.shape().first().copied().filter(|&size| size > 1)
    }

    /// The same elements in row-major order under another shape, of as many elements; shares memory. One size may be -1 and is
    /// worked out.
    #[track_caller]
    pub fn reshape(&self, sizes: impl AsIntegers) -> Tensor {
        let (caller, sizes) = (Location::caller(), sizes.as_integers());
        self.reshaped(&sizes, caller)
            .unwrap_or_else(|error| mistaken(self, "reshape", &[self.into(), Operand::Integers(&sizes)], caller, error))
    }

    fn reshaped(&self, sizes: &[i64], caller: &'static Location<'static>) -> Result<Tensor> {
        if let Some(mistake) = self.mistake() {
            return Ok(mistake);
        }
        let shape = &self.completed(sizes)?[..];
        let wanted = element_count("reshape", shape)?;
        if wanted != self.elements() {
            return Err(Error::Shape {
                operation: "reshape",
                message: format!(
                    "the shape {:?} has {} elements, {shape:?} has {wanted}; both must have as many",
                    self.shape(),
                    self.elements()
                ),
            });
        }
        let operation = ops::find("reshape").ok_or_else(|| unknown("reshape"))?;
        let sizes: Vec<i64> = shape.iter().map(|size| *size as i64).collect();
        let given = [ArgValue::Tensor, ArgValue::Integers(sizes.into())];
        // Memory that is there is shared.
        let Some(result) = self.shaped(shape) else { return operation_of(operation, &given, &[self], caller) };
        if tracer::is_active() {
            // It is known by its memory.
            return Ok(result);
        }
        if !note::is_tracked([self.history()].into_iter()) {
            return Ok(result.computed_by("reshape", &[self]));
        }
        let precision = autocast::current();
        let known = known_operation((operation, precision), &given, &[self])?;
        let work = TensorWork::Operation { operation, given: known.shared(&given), precision };
        let noted = Noted::of("reshape", &DerivativeFlow::view(self.dtype()), &[self], 1, caller)?;
        Ok(match noted {
            Some(noted) => noted.result((work, known.number), result),
            None => result,
        })
    }

    /// The shape that `sizes` stand for: -1 is what the others leave.
    fn completed(&self, sizes: &[i64]) -> Result<Vec<usize>> {
        let wrong = |message: String| Error::Shape { operation: "reshape", message };
        let (unknown, written): (Vec<i64>, Vec<i64>) = sizes.iter().partition(|&&size| size == -1);
        let shape: Option<Vec<usize>> = written.into_iter().map(|size| usize::try_from(size).ok()).collect();
        let mut shape = shape.ok_or_else(|| wrong(format!("{sizes:?} has a negative size that is not -1")))?;
        // What stands for every larger size, too, which is none beside an axis of 0 either.
        if shape.contains(&(i64::MAX as usize)) {
            return Err(too_large("reshape", &shape));
        }
        match unknown.len() {
            0 => Ok(shape),
            1 => {
                let (elements, rest) = (self.elements(), element_count("reshape", &shape)?);
                let left = elements.checked_div(rest).filter(|left| left * rest == elements).ok_or_else(|| {
                    let own = self.shape();
                    wrong(format!(
                        "the {elements} elements of {own:?} cannot be divided by {rest}, the other sizes of {sizes:?}"
                    ))
                })?;
                shape.insert(sizes.iter().take_while(|&&size| size != -1).count(), left);
                Ok(shape)
            }
            _ => Err(wrong(format!("it can work out one size, found -1 more than once in {sizes:?}"))),
        }
    }
}

/// What cannot be computed of these operands, with the shape and type of the tensor among them.
fn mistaken(
    like: &Tensor,
    operation: &str,
    operands: &[Operand<'_>],
    caller: &'static Location<'static>,
    error: Error,
) -> Tensor {
    let mistake = Mistake::new(operation, shown(operands), caller, error);
    Tensor::of_mistake(like.shape(), like.dtype(), like.device(), mistake)
}

/// The first of these that could not be computed.
fn first_mistake(first: &Tensor, others: &[Operand<'_>]) -> Option<Tensor> {
    first.mistake().or_else(|| {
        others.iter().find_map(|operand| match operand {
            Operand::Tensor(tensor) => tensor.mistake(),
            Operand::Tensors(list) => list.iter().find_map(|tensor| tensor.mistake()),
            _ => None,
        })
    })
}

/// An operation of these tensors.
fn operation_of(
    operation: &'static Operation,
    given: &[ArgValue],
    tensors: &[&Tensor],
    caller: &'static Location<'static>,
) -> Result<Tensor> {
    let precision = autocast::current();
    let known = known_operation((operation, precision), given, tensors)?;
    let work = TensorWork::Operation { operation, given: known.shared(given), precision };
    run::carry_out(work, &known, tensors, caller)
}

/// What is known of it.
fn known_operation(
    (operation, precision): (&'static Operation, Precision),
    given: &[ArgValue],
    tensors: &[&Tensor],
) -> Result<Arc<KnownWork>> {
    let name = operation.name;
    let Some(first) = tensors.first() else { return Err(Error::graph(name, Diagnostic::new("it has no tensor"))) };
    let key = WorkKey::of_operation((operation, precision), given, Some(first.dtype()), None);
    known::find_or_make(first.device(), key, tensors, || {
        let given: Arc<[ArgValue]> = given.into();
        let work = TensorWork::Operation { operation, given: given.clone(), precision };
        let graph = portable(&work, tensors).map_err(|diagnostic| Error::graph(name, diagnostic))?;
        Ok(KnownWork::of_operation(given, graph, tensors))
    })
}

/// The graph of one operation: one for every batch size where the operation allows it, with the leading axis as a symbol, of the
/// first tensor alone (an axis of a weight that happens to have the same size is no batch), else of all that have that size.
/// Where a size must be known (a reshape to given sizes), or a symbol makes much more of it, every size is a constant.
fn portable(work: &TensorWork, tensors: &[&Tensor]) -> Result<Graph, Diagnostic> {
    let known = || build(work, tensors, Batch::None);
    let Some(size) = tensors.first().and_then(|first| first.leading()) else { return known() };
    let symbolic = build(work, tensors, Batch::First(size)).or_else(|_| build(work, tensors, Batch::All(size)));
    match symbolic {
        // What is wrong with this batch is said of its own sizes, unless only the call can tell.
        Ok(symbolic) if !takes(&symbolic, size) => known().map(|_| symbolic),
        Ok(symbolic) if !trace::is_much_longer(&symbolic, || known().ok()) => Ok(symbolic),
        _ => known(),
    }
}

/// Whether what a graph checks at each call holds for a batch of that size.
fn takes(graph: &Graph, batch: usize) -> bool {
    let batch = [(Symbol::new(BATCH), batch as u64)];
    let value = |dim: &Dim| dim.evaluate(&batch);
    graph.limits.iter().all(|limit| value(&limit.end).zip(value(&limit.size)).is_none_or(|(end, size)| end <= size))
}

/// Which axes become the symbol of a batch: outermost ones of that size.
#[derive(Clone, Copy)]
enum Batch {
    None,
    First(usize),
    All(usize),
}

/// The graph of one operation.
fn build(work: &TensorWork, tensors: &[&Tensor], batch: Batch) -> Result<Graph, Diagnostic> {
    let mut builder = Builder::new(work.name());
    let input = |(position, tensor): (usize, &&Tensor)| -> NodeId {
        let mut shape = Shape::of(tensor.shape());
        let leading = match batch {
            Batch::First(size) if position == 0 => Some(size),
            Batch::All(size) => Some(size),
            Batch::First(_) | Batch::None => None,
        };
        if let (Some(leading), Some(first)) = (leading, shape.0.first_mut())
            && first.is(leading as i64)
        {
            *first = Dim::symbol(BATCH);
        }
        let name = ["x", "y", "z"].get(position).map_or_else(|| format!("x{position}"), |name| (*name).to_owned());
        builder.input(InputKind::Argument(position), &name, shape, tensor.dtype())
    };
    let inputs: Vec<NodeId> = tensors.iter().enumerate().map(input).collect();
    let result = work.build(&mut builder, &inputs, &mut PassedNumbers::default(), None)?;
    builder.output(OutputKind::Result(0), result);
    Ok(builder.finish())
}

fn unknown(name: &str) -> Error {
    // The nearest names first: those that share the most leading characters.
    let shared = |other: &str| other.bytes().zip(name.bytes()).take_while(|(a, b)| a == b).count();
    if let Some(several) = ops::several(name) {
        let parts: Vec<String> = several.parts.iter().map(|part| format!("`{part}`")).collect();
        let diagnostic = Diagnostic::new(format!("`{name}` has several results"))
            .hint(format!("each is an operation: {}", parts.join(", ")));
        return Error::Graph { operation: "apply".to_owned(), diagnostic };
    }
    let mut names: Vec<&str> = ops::all().map(|operation| operation.name).collect();
    names.sort_by_key(|other| (std::cmp::Reverse(shared(other)), *other));
    names.truncate(5);
    let diagnostic =
        Diagnostic::new(format!("there is no operation `{name}`")).hint(format!("near: {}", names.join(", ")));
    Error::Graph { operation: "apply".to_owned(), diagnostic }
}
