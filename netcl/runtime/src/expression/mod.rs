//! Expressions over elements, as text: `MUL(ADD(v0, v1), 2.0f)`, `a > b ? a : b`.
//!
//! Parsed by hand, and not with `winnow` or `pest`: a stack of its own, however deep a user's text nests.
//!
//! One text serves every device: it becomes kernel IR ([`Expression::lower`]), which is written as OpenCL C or interpreted here.
//! It is parsed, never pasted, so it can do nothing but compute a number from numbers.
//!
//! - Every value in it is of one type, that of the elements (`f32` for half precision, `i32` for `u8`: the result's low bits are
//!   stored). A comparison gives 1 or 0; a condition holds unless it is 0.
//! - Both sides of `&&`, `||` and `? :` are computed.
//! - A number that the type does not hold is an error; what is computed overflows as IEEE 754 says.
//! - Integers wrap; a division by zero and its remainder are 0; shift counts are taken modulo the width.
//! - `min` and `max` propagate NaN. Functions of floats are as exact as the device's.

mod lower;
mod node;
mod parse;
mod words;

pub(crate) use lower::opencl;

use crate::error::{Error, Result};
use netcl_kernels::dtype::DType;
use node::ExprNode;

/// A parsed expression that fits its element type.
#[derive(Clone, Debug)]
pub(crate) struct Expression {
    /// Ends with the result.
    nodes: Vec<ExprNode>,
    /// What values are computed in.
    dtype: DType,
    text: String,
}

/// The element types that expressions are for.
pub(crate) const TYPES: [DType; 8] =
    [DType::U8, DType::I32, DType::U32, DType::I64, DType::F16, DType::BF16, DType::F32, DType::F64];

/// What values are computed in that are stored as `dtype`: as C promotes what is smaller than its numbers.
pub(crate) const fn computed_in(dtype: DType) -> DType {
    match dtype {
        DType::U8 => DType::I32,
        other => other.compute(),
    }
}

impl Expression {
    /// Parses `text`, whose variables are `variables`, for elements of `dtype`.
    ///
    /// # Errors
    ///
    /// [`Error::Expression`] with the column of what is wrong.
    pub(crate) fn parse(text: &str, variables: &[String], dtype: DType) -> Result<Expression> {
        if !TYPES.contains(&dtype) {
            let list: Vec<&str> = TYPES.iter().map(|dtype| dtype.name()).collect();
            let problem =
                format!("elements of type {dtype} are not computed with; `cast` to one of {}", list.join(", "));
            return Err(Error::Expression { expression: text.to_owned(), column: 1, problem });
        }
        let dtype = computed_in(dtype);
        let nodes = parse::parse(text, variables, dtype).map_err(|(column, problem)| Error::Expression {
            expression: text.to_owned(),
            column,
            problem,
        })?;
        Ok(Expression { nodes, dtype, text: text.to_owned() })
    }

    /// How many of the variables `v0`, `v1`, … it takes: one more than the highest that it names.
    pub(crate) fn arity(text: &str) -> usize {
        let names = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        let numbers = names.filter_map(|name| name.strip_prefix('v')?.parse::<usize>().ok());
        numbers.max().map_or(0, |highest| highest.saturating_add(1))
    }

    /// The names `v0`, …
    pub(crate) fn variables(arity: usize) -> Vec<String> {
        (0..arity).map(|number| format!("v{number}")).collect()
    }

    /// As the user wrote it.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }
}

#[cfg(test)]
mod tests;
