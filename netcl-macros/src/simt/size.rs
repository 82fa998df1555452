//! Sizes in kernels.

use netcl_kernels::dim::{Dim, Factor};
use netcl_kernels::dtype::{DType, Literal};
use netcl_kernels::fold;
use netcl_kernels::graph::BinaryOp;
use netcl_kernels::kir::build::KernelBuilder;
use netcl_kernels::kir::{Expr, ExprId, ParamKind, ValueType};

/// A size as a `u32` expression.
pub(super) fn size_of(builder: &mut KernelBuilder, dim: &Dim) -> ExprId {
    let mut sum: Option<ExprId> = None;
    // Positive terms first: the intermediate sums stay above zero.
    let (plus, minus): (Vec<_>, Vec<_>) = dim.terms().partition(|(_, coefficient)| *coefficient > 0);
    for (factors, coefficient) in plus.into_iter().chain(minus) {
        let mut product = builder.literal(fold::wrap(coefficient.wrapping_abs(), DType::U32));
        for factor in factors {
            let factor = match factor {
                Factor::Symbol(symbol) => {
                    let param = builder.param(symbol.name(), ParamKind::Symbol);
                    builder.push(Expr::Param(param), ValueType::scalar(DType::U32))
                }
                Factor::FloorDiv(dividend, divisor) => {
                    let dividend = size_of(builder, dividend);
                    let divisor = builder.literal(Literal::Int((*divisor).min(u32::MAX.into()) as i64, DType::U32));
                    builder.binary(BinaryOp::Div, dividend, divisor)
                }
            };
            product = builder.binary(BinaryOp::Mul, product, factor);
        }
        let op = if coefficient < 0 { BinaryOp::Sub } else { BinaryOp::Add };
        sum = Some(match sum {
            None if coefficient > 0 => product,
            None => {
                let zero = builder.literal(Literal::Int(0, DType::U32));
                builder.binary(op, zero, product)
            }
            Some(sum) => builder.binary(op, sum, product),
        });
    }
    sum.unwrap_or_else(|| builder.literal(Literal::Int(0, DType::U32)))
}
