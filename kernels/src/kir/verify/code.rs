//! What the expressions of a kernel or of one helper function may refer to.

use super::report::DiagnosticSink;
use crate::dtype::Literal;
use crate::kir::{Array, Expr, ExprId, Kernel, ValueType, Var};

pub(super) struct BodyContext<'a> {
    pub(super) kernel: &'a Kernel,
    pub(super) exprs: &'a [Expr],
    pub(super) vars: &'a [Var],
    /// `None` in the kernel itself, the position of the function in a helper function.
    pub(super) function: Option<usize>,
    /// Result types of the functions checked so far: those that may be called.
    pub(super) results: &'a [Option<ValueType>],
}

impl BodyContext<'_> {
    /// K21: a literal index is inside its array.
    pub(super) fn index_in_range(&self, array: &Array, index: ExprId, report: &mut DiagnosticSink) {
        if let Some(Expr::Literal(Literal::Int(value, _))) = self.exprs.get(index.0 as usize)
            && !(0..i64::from(array.length)).contains(value)
        {
            let (name, length) = (&array.name, array.length);
            report.error("K21", format!("`{name}[{value}]` is outside the array, which has {length} elements"));
        }
    }
}
