//! How two values become one.

use crate::error::Result;
use crate::expression::Expression;
use netcl_kernels::dtype::DType;
use netcl_kernels::kir::build::KernelBuilder;
use netcl_kernels::kir::{ExprId, Kernel};

/// An operator that reductions and scans know.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operator {
    /// `a + b`; of nothing 0. Integers wrap.
    Sum,
    /// `a * b`; of nothing 1. Integers wrap.
    Product,
    /// The smaller, NaN if one is, of zeros of both signs either; of nothing infinity, or the largest integer.
    Min,
    /// The larger, NaN if one is, of zeros of both signs either; of nothing minus infinity, or the smallest integer.
    Max,
}

/// How two values `a` and `b` become one: an [`Operator`], or an expression with its neutral element.
///
/// ```
/// use netcl::algorithms::{self, Combine, Operator};
/// # let device = netcl::Device::host();
/// let x = netcl::Tensor::from_slice(&device, &[6u32, 12, 10], &[3])?;
/// let both = Combine::new("a & b", "LARGEST");
/// assert_eq!(algorithms::reduce(both, &x)?.item::<u32>()?, 6 & 12 & 10);
/// assert_eq!(algorithms::reduce(Operator::Max, &x)?.item::<u32>()?, 12);
/// # Ok::<(), netcl::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Combine(Kind);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    Operator(Operator),
    Text { expression: String, neutral: String },
}

impl Combine {
    /// By an expression over `a` and `b`, and the value that leaves the other one as it is.
    ///
    /// The expression must be associative, up to rounding: `(a ∘ b) ∘ c` is `a ∘ (b ∘ c)`. For a reduction it must be
    /// commutative too. That is not checked. Its syntax is, where it is used.
    pub fn new(expression: &str, neutral: &str) -> Combine {
        Combine(Kind::Text { expression: expression.to_owned(), neutral: neutral.to_owned() })
    }

    /// The two expressions for elements of this type.
    pub(super) fn parse(&self, dtype: DType) -> Result<Combining> {
        let float = dtype.is_float();
        let (expression, neutral) = match &self.0 {
            Kind::Operator(Operator::Sum) => ("a + b", "0"),
            Kind::Operator(Operator::Product) => ("a * b", "1"),
            Kind::Operator(Operator::Min) => ("min(a, b)", if float { "INFINITY" } else { "LARGEST" }),
            Kind::Operator(Operator::Max) => ("max(a, b)", if float { "-INFINITY" } else { "SMALLEST" }),
            Kind::Text { expression, neutral } => (expression.as_str(), neutral.as_str()),
        };
        Ok(Combining {
            both: Expression::parse(expression, &["a".to_owned(), "b".to_owned()], dtype)?,
            neutral: Expression::parse(neutral, &[], dtype)?,
        })
    }
}

impl From<Operator> for Combine {
    fn from(operator: Operator) -> Combine {
        Combine(Kind::Operator(operator))
    }
}

/// Ready to be computed.
pub(super) struct Combining {
    both: Expression,
    neutral: Expression,
}

impl Combining {
    /// `combine_two` and `neutral_value`, as device functions.
    pub(super) fn functions(&self) -> [Kernel; 2] {
        [
            self.both.function("combine_two", &["a".to_owned(), "b".to_owned()]),
            self.neutral.function("neutral_value", &[]),
        ]
    }

    /// What two values of a kernel become.
    pub(super) fn lower(&self, builder: &mut KernelBuilder, a: ExprId, b: ExprId) -> ExprId {
        self.both.lower(builder, &[a, b])
    }

    /// The neutral value in a kernel.
    pub(super) fn neutral(&self, builder: &mut KernelBuilder) -> ExprId {
        self.neutral.lower(builder, &[])
    }
}
