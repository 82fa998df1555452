//! Operations on tensors, by name and as methods: the table of `netcl_kernels::ops`, compiled at run time.

use crate::error::{Error, Result};
use crate::jit;
use crate::tensor::{Operand, Tensor, concat};
use netcl_hal::device::scalar::Scalar;
use netcl_kernels::dim::{Dim, Shape};
use netcl_kernels::dtype::{DType, Literal};
use netcl_kernels::graph::build::Builder;
use netcl_kernels::graph::{Graph, InputKind, NodeId, OutputKind};
use netcl_kernels::ops::{self, Operation, Value};
use netcl_kernels::span::Diagnostic;

impl Tensor {
    /// Applies the operation called `name` of netcl's table, the receiver first among the arguments.
    ///
    /// ```
    /// # use netcl::{Device, Tensor};
    /// # let device = Device::null(netcl::Target::Gpu, u64::MAX);
    /// let x = Tensor::from_slice(&device, &[1.0f32, -2.0], &[2])?;
    /// let y = x.apply("leaky_relu", &[0.1.into()])?;
    /// # Ok::<(), netcl::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If there is no such operation, or its arguments do not fit: the message names what was expected.
    #[doc(alias = "conv2d")]
    pub fn apply(&self, name: &str, others: &[Operand<'_>]) -> Result<Tensor> {
        let operation = ops::find(name).ok_or_else(|| unknown(name))?;
        let mut operands = vec![Operand::Tensor(self)];
        operands.extend_from_slice(others);
        if let Some(result) = concat::of_many(operation, &operands)? {
            return Ok(result);
        }
        let mut tensors: Vec<&Tensor> = Vec::new();
        for operand in &operands {
            match operand {
                Operand::Tensor(tensor) => tensors.push(tensor),
                Operand::Tensors(list) => tensors.extend_from_slice(list),
                _ => {}
            }
        }
        // One kernel for every batch size where the operation allows it: the leading axis as a symbol, of the receiver
        // alone (an axis of a weight that happens to have the same size is no batch), else of all that have that size.
        // Where a size must be known (a reshape to given sizes), every size is a constant.
        let graph = match self.leading() {
            Some(size) => build(operation, &operands, Batch::First(size))
                .or_else(|_| build(operation, &operands, Batch::All(size)))
                .or_else(|_| build(operation, &operands, Batch::None)),
            None => build(operation, &operands, Batch::None),
        };
        let (graph, numbers) = graph.map_err(|diagnostic| Error::graph(name, diagnostic))?;
        let mut results = jit::run_with(&graph, &tensors, &numbers)?;
        results.pop().ok_or_else(|| Error::graph(name, Diagnostic::new("it has no result")))
    }

    fn leading(&self) -> Option<usize> {
        self.shape().first().copied().filter(|&size| size > 1)
    }
}

/// Which axes become the symbol `N`: outermost ones of that size.
#[derive(Clone, Copy)]
enum Batch {
    None,
    First(usize),
    All(usize),
}

/// Operations in which a number is as good an operand as a tensor. The others want theirs known: `pow` of 2 is a square.
const ARITHMETIC: [&str; 6] = ["add", "sub", "mul", "div", "maximum", "minimum"];

/// Whether the compiler makes something better of arithmetic with that number than with an unknown one.
fn is_informative(number: f64) -> bool {
    [0.0, 0.5, 1.0, 2.0].contains(&number.abs())
}

/// The graph of one operation, and the numbers that it takes by value: one graph serves all of them.
fn build(operation: &Operation, operands: &[Operand<'_>], batch: Batch) -> Result<(Graph, Vec<Scalar>), Diagnostic> {
    let mut builder = Builder::new(operation.name);
    let mut count = 0;
    let mut input = |builder: &mut Builder, tensor: &Tensor| -> NodeId {
        let mut shape = Shape::of(tensor.shape());
        let leading = match batch {
            Batch::First(size) if count == 0 => Some(size),
            Batch::All(size) => Some(size),
            Batch::First(_) | Batch::None => None,
        };
        if let (Some(leading), Some(first)) = (leading, shape.0.first_mut())
            && first.is(leading as i64)
        {
            *first = Dim::symbol("N");
        }
        let name = ["x", "y", "z"].get(count).map_or_else(|| format!("x{count}"), |name| (*name).to_owned());
        count += 1;
        builder.input(InputKind::Argument(count - 1), &name, shape, tensor.dtype())
    };
    let mut numbers = Vec::new();
    // Numbers are of the type of the first tensor. Integers stay in the graph, where their range is checked.
    let of = operands.iter().find_map(|operand| match operand {
        Operand::Tensor(tensor) => Some(tensor.dtype()),
        _ => None,
    });
    let by_value = of.filter(|dtype| dtype.is_float() && ARITHMETIC.contains(&operation.name));
    let integer = |value: i64| Value::Dim(Dim::constant(value));
    let values: Vec<Value> = operands
        .iter()
        .map(|operand| match *operand {
            Operand::Tensor(tensor) => Value::Tensor(input(&mut builder, tensor)),
            Operand::Tensors(list) => {
                Value::List(list.iter().map(|tensor| Value::Tensor(input(&mut builder, tensor))).collect())
            }
            Operand::Number(number) => match by_value {
                Some(dtype) if !is_informative(number) => {
                    // Rounded as a constant of that type would be: with halves, to the f32 that they are computed in.
                    numbers.push(Scalar::from_literal(Literal::of(number, dtype)));
                    let position = numbers.len() - 1;
                    let name = format!("number{position}");
                    Value::Tensor(builder.input(InputKind::Scalar(position), &name, Shape::scalar(), dtype))
                }
                _ => Value::Number(number),
            },
            Operand::Integer(value) => integer(value),
            Operand::Integers(list) => Value::List(list.iter().copied().map(integer).collect()),
            Operand::Bool(truth) => Value::Bool(truth),
            Operand::DType(dtype) => {
                let position = DType::ALL.iter().position(|other| *other == dtype);
                integer(position.unwrap_or_default() as i64)
            }
        })
        .collect();
    let result = ops::call(&mut builder, operation, &values)?;
    builder.output(OutputKind::Result(0), result);
    Ok((builder.finish(), numbers))
}

fn unknown(name: &str) -> Error {
    // The nearest names first: those that share the most leading characters.
    let shared = |other: &str| other.bytes().zip(name.bytes()).take_while(|(a, b)| a == b).count();
    let mut names: Vec<&str> = ops::all().map(|operation| operation.name).collect();
    names.sort_by_key(|other| (std::cmp::Reverse(shared(other)), *other));
    names.truncate(5);
    let diagnostic =
        Diagnostic::new(format!("there is no operation `{name}`")).hint(format!("near: {}", names.join(", ")));
    Error::Graph { operation: "apply".to_owned(), diagnostic }
}

macro_rules! methods {
    ($($(#[$doc:meta])* $name:ident($($arg:ident: $type:ty),*);)*) => {
        impl Tensor {$(
            $(#[$doc])*
            ///
            /// # Errors
            ///
            /// If the operands do not fit: the message names what was expected.
            pub fn $name(&self $(, $arg: $type)*) -> Result<Tensor> {
                self.apply(stringify!($name), &[$($arg.into()),*])
            }
        )*}
    };
}

methods! {
    /// `self + other`, broadcast.
    #[doc(alias("elementwise_binary", "bias_add"))]
    add(other: &Tensor);
    /// `self - other`, broadcast.
    sub(other: &Tensor);
    /// `self * other`, elementwise, broadcast.
    mul(other: &Tensor);
    /// `self / other`, broadcast.
    div(other: &Tensor);
    /// The larger of the two, broadcast; NaN if either is NaN.
    maximum(other: &Tensor);
    /// The smaller of the two, broadcast; NaN if either is NaN.
    minimum(other: &Tensor);
    /// `self ^ exponent`, broadcast.
    pow(exponent: &Tensor);
    /// `-self`.
    neg();
    /// `|self|`.
    abs();
    /// `e^self`.
    exp();
    /// The natural logarithm.
    log();
    /// The square root.
    sqrt();
    /// The hyperbolic tangent.
    tanh();
    /// `1 / (1 + e^-self)`.
    sigmoid();
    /// `max(self, 0)`.
    relu();
    /// `x · Φ(x)`, exact.
    gelu();
    /// `x · sigmoid(x)`.
    silu();
    /// Where `self == other`, broadcast.
    eq(other: &Tensor);
    /// Where `self < other`, broadcast.
    lt(other: &Tensor);
    /// Where `self > other`, broadcast.
    gt(other: &Tensor);
    /// The matrix product over the last two axes.
    #[doc(alias = "build_matmul_kernel")]
    matmul(other: &Tensor);
    /// The sum over the given axes, which disappear.
    #[doc(alias = "reduce_sum")]
    sum(axes: &[i64]);
    /// The mean over the given axes, which disappear.
    mean(axes: &[i64]);
    /// The position of the largest element along an axis, which disappears; the first of equals.
    argmax(axis: i64);
    /// Softmax along an axis.
    softmax(axis: i64);
    /// Log-softmax along an axis.
    log_softmax(axis: i64);
    /// The last two axes swapped.
    t();
    /// Two axes swapped.
    transpose(first: i64, second: i64);
    /// The axes in another order.
    permute(order: &[i64]);
    /// Converted to another element type.
    cast(dtype: DType);
}

macro_rules! operators {
    ($($trait:ident $method:ident),*) => {$(
        /// The method of the same name.
        impl std::ops::$trait<&Tensor> for &Tensor {
            type Output = Result<Tensor>;

            fn $method(self, other: &Tensor) -> Result<Tensor> {
                Tensor::$method(self, other)
            }
        }

        /// With a number of the tensor's type.
        impl std::ops::$trait<f64> for &Tensor {
            type Output = Result<Tensor>;

            fn $method(self, other: f64) -> Result<Tensor> {
                self.apply(stringify!($method), &[other.into()])
            }
        }
    )*};
}

operators!(Add add, Sub sub, Mul mul, Div div);
