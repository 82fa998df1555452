//! Functions of elements, comparisons and reductions by their names, and the types that they take.

use crate::dtype::{DType, Literal};
use serde::{Deserialize, Serialize};

/// Elementwise functions of one operand. The result has the operand's type unless said otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the names are the field's standard terms")]
pub enum UnaryOp {
    Neg,
    Abs,
    Sign,
    Exp,
    Exp2,
    Log,
    Log2,
    Log1p,
    Expm1,
    Sqrt,
    Rsqrt,
    Sin,
    Cos,
    Tan,
    Tanh,
    Erf,
    Floor,
    Ceil,
    Round,
    Recip,
    Not,
}

impl UnaryOp {
    /// Whether the function is defined for operands of `dtype`.
    pub const fn takes(self, dtype: DType) -> bool {
        match self {
            UnaryOp::Not => matches!(dtype, DType::Bool) || dtype.is_integer(),
            UnaryOp::Neg | UnaryOp::Abs | UnaryOp::Sign => !matches!(dtype, DType::Bool),
            _ => dtype.is_float(),
        }
    }

    /// Every function.
    pub const ALL: [UnaryOp; 21] = {
        use UnaryOp::*;
        [
            Neg, Abs, Sign, Exp, Exp2, Log, Log2, Log1p, Expm1, Sqrt, Rsqrt, Sin, Cos, Tan, Tanh, Erf, Floor, Ceil,
            Round, Recip, Not,
        ]
    };

    /// Roughly how many additions it costs, for choosing between recomputing and reading.
    pub const fn cost(self) -> u32 {
        use UnaryOp::*;
        match self {
            Neg | Abs | Not | Sign | Floor | Ceil | Round => 1,
            Sqrt | Rsqrt | Recip => 4,
            Exp | Exp2 | Log | Log2 => 8,
            Log1p | Expm1 | Sin | Cos | Tan | Tanh | Erf => 16,
        }
    }

    /// The name in text forms and in users' code.
    pub const fn name(self) -> &'static str {
        use UnaryOp::*;
        match self {
            Neg => "neg",
            Abs => "abs",
            Sign => "sign",
            Exp => "exp",
            Exp2 => "exp2",
            Log => "log",
            Log2 => "log2",
            Log1p => "log1p",
            Expm1 => "expm1",
            Sqrt => "sqrt",
            Rsqrt => "rsqrt",
            Sin => "sin",
            Cos => "cos",
            Tan => "tan",
            Tanh => "tanh",
            Erf => "erf",
            Floor => "floor",
            Ceil => "ceil",
            Round => "round",
            Recip => "recip",
            Not => "not",
        }
    }
}

/// Elementwise functions of two operands of one type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the names are the field's standard terms")]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Pow,
    Max,
    Min,
    Atan2,
    And,
    Or,
    Xor,
    Shl,
    Shr,
}

impl BinaryOp {
    /// Whether the function is defined for operands of `dtype`.
    pub const fn takes(self, dtype: DType) -> bool {
        match self {
            BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => matches!(dtype, DType::Bool) || dtype.is_integer(),
            BinaryOp::Shl | BinaryOp::Shr => dtype.is_integer(),
            BinaryOp::Atan2 | BinaryOp::Pow => dtype.is_float(),
            _ => !matches!(dtype, DType::Bool),
        }
    }

    /// Every function.
    pub const ALL: [BinaryOp; 14] = {
        use BinaryOp::*;
        [Add, Sub, Mul, Div, Rem, Pow, Max, Min, Atan2, And, Or, Xor, Shl, Shr]
    };

    /// The name in text forms and in users' code.
    pub const fn name(self) -> &'static str {
        use BinaryOp::*;
        match self {
            Add => "add",
            Sub => "sub",
            Mul => "mul",
            Div => "div",
            Rem => "rem",
            Pow => "pow",
            Max => "max",
            Min => "min",
            Atan2 => "atan2",
            And => "and",
            Or => "or",
            Xor => "xor",
            Shl => "shl",
            Shr => "shr",
        }
    }
}

/// Comparisons; the result is `Bool`. Comparisons with NaN are false, `Ne` is true.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the names are the field's standard terms")]
pub enum CompareOp {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

impl CompareOp {
    /// Every comparison.
    pub const ALL: [CompareOp; 6] =
        [CompareOp::Eq, CompareOp::Ne, CompareOp::Lt, CompareOp::Le, CompareOp::Gt, CompareOp::Ge];

    /// The name in text forms and in users' code.
    pub const fn name(self) -> &'static str {
        match self {
            CompareOp::Eq => "eq",
            CompareOp::Ne => "ne",
            CompareOp::Lt => "lt",
            CompareOp::Le => "le",
            CompareOp::Gt => "gt",
            CompareOp::Ge => "ge",
        }
    }

    /// Whether elements of `dtype` can be compared so: truth values have no order.
    pub fn takes(self, dtype: DType) -> bool {
        dtype != DType::Bool || matches!(self, CompareOp::Eq | CompareOp::Ne)
    }
}

/// Reductions. `ArgMax` and `ArgMin` have an `I32` result: the row-major position within the reduced axes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the names are the field's standard terms")]
pub enum ReduceOp {
    Sum,
    Prod,
    Max,
    Min,
    ArgMax,
    ArgMin,
}

impl ReduceOp {
    /// What a reduction of no elements is: it changes no other.
    pub fn neutral(self, dtype: DType) -> Literal {
        let lowest = |least: bool| match dtype {
            _ if dtype.is_float() => Literal::float(if least { f64::NEG_INFINITY } else { f64::INFINITY }, dtype),
            _ => {
                let (lowest, greatest) = dtype.whole_range().unwrap_or((i32::MIN.into(), i32::MAX.into()));
                Literal::Int(if least { lowest } else { greatest }, dtype)
            }
        };
        match self {
            ReduceOp::Sum => Literal::of(0.0, dtype),
            ReduceOp::Prod => Literal::of(1.0, dtype),
            ReduceOp::Max | ReduceOp::ArgMax => lowest(true),
            ReduceOp::Min | ReduceOp::ArgMin => lowest(false),
        }
    }

    /// Whether the result is a position (`ArgMax`, `ArgMin`), not a value.
    pub const fn is_position(self) -> bool {
        matches!(self, ReduceOp::ArgMax | ReduceOp::ArgMin)
    }

    /// Every reduction.
    pub const ALL: [ReduceOp; 6] =
        [ReduceOp::Sum, ReduceOp::Prod, ReduceOp::Max, ReduceOp::Min, ReduceOp::ArgMax, ReduceOp::ArgMin];

    /// The name in text forms and in users' code.
    pub const fn name(self) -> &'static str {
        match self {
            ReduceOp::Sum => "sum",
            ReduceOp::Prod => "prod",
            ReduceOp::Max => "max",
            ReduceOp::Min => "min",
            ReduceOp::ArgMax => "argmax",
            ReduceOp::ArgMin => "argmin",
        }
    }
}
