//! Functions of numbers that are graphs: those with `#[netcl::function]`, and methods of Rust's numbers that netcl has as
//! operations. They mean here what they mean in index-form kernels and in models, because they are compiled as there.

use super::state::{Simt, Val};
use crate::ast::{Constant, Helper};
use crate::callee::Callee;
use crate::{messages as m, words};
use netcl_kernels::dim::{Dim, Shape};
use netcl_kernels::dtype::{DType, Literal};
use netcl_kernels::graph::build::Builder;
use netcl_kernels::graph::{BinaryOp, CompareOp, Graph, InputKind, OutputKind, UnaryOp};
use netcl_kernels::kir::{ExprId, ValueType};
use netcl_kernels::ops;
use netcl_kernels::scalars;
use proc_macro2::Span;
use std::rc::Rc;
use syn::ExprCall;

/// Methods of Rust's numbers that are operations, and which.
const METHODS: [(&str, &str); 4] =
    [("powi", "pow"), ("clamp", "clamp"), ("is_nan", "is_nan"), ("is_finite", "is_finite")];

impl Simt<'_> {
    /// A call of a `#[netcl::function]`.
    pub(super) fn helper(&mut self, helper: &Helper, call: &ExprCall, span: Span) -> Val {
        let given = self.operands(&call.args);
        let callee = Callee::new(self.diag, &helper.name, span);
        let bound = callee.bind(helper, given, &call.args, |value, dtype| {
            let id = self.value(value, Some(dtype), span)?;
            match self.ty(id) {
                found if found == ValueType::scalar(dtype) => Some(Ok(id)),
                // The kernel is looked at again, with other types of its variables.
                _ if self.changed => None,
                found => Some(Err(found.to_string())),
            }
        });
        let Some(bound) = bound else { return Val::Unknown };
        let bound: Vec<ExprId> = bound.into_iter().map(|(name, id)| self.builder.named(&name, id)).collect();
        let known = self.functions.get(&std::ptr::from_ref(helper)).cloned();
        let graph = known.unwrap_or_else(|| crate::lower::alone::function(self.diag, helper).map(Rc::new));
        self.functions.insert(helper, graph.clone());
        match graph {
            Some(graph) => {
                let before = self.inlined;
                self.inlined += graph.iter().count();
                if self.inlined > words::MAX_INLINED {
                    if before <= words::MAX_INLINED {
                        self.report(span, &m::TOO_MANY_OPERATIONS, &[&helper.name, &words::MAX_INLINED]);
                    }
                    return Val::Unknown;
                }
                self.inlined(&graph, &bound)
            }
            // One that it calls is wrong, which is said there.
            None => {
                self.partial = true;
                Val::Unknown
            }
        }
    }

    fn inlined(&mut self, graph: &Graph, arguments: &[ExprId]) -> Val {
        let value = scalars::inline(&mut self.builder, graph, arguments);
        value.map_or(Val::Unknown, |id| Val::Expr(id, None))
    }

    /// A method of Rust's numbers that is no function of the kernel IR; `None` of other methods.
    pub(super) fn method_of_number(&mut self, name: &str, receiver: &Val, args: &[Val], span: Span) -> Option<Val> {
        if let ("signum", []) = (name, args) {
            return self.signum(receiver, span);
        }
        // Bounds that the kernel learns when it runs.
        if let ("clamp", [low, high]) = (name, args)
            && args.iter().any(|bound| matches!(bound, Val::Expr(..)))
        {
            let raised = self.function_of_two(BinaryOp::Max, receiver.clone(), low.clone(), span);
            return Some(match raised {
                Val::Unknown => Val::Unknown,
                raised => self.function_of_two(BinaryOp::Min, raised, high.clone(), span),
            });
        }
        if let ("sin_cos", []) = (name, args) {
            let mut angle = receiver.clone();
            self.pin(&mut angle);
            let both = [UnaryOp::Sin, UnaryOp::Cos].map(|op| self.function_of_one(op, angle.clone(), span));
            return Some(Val::Tuple(both.into()));
        }
        match METHODS.into_iter().find(|(method, _)| *method == name) {
            Some((_, operation)) => Some(self.operation(operation, receiver.clone(), args, span)),
            None => self.composed(name, receiver, args, span),
        }
    }

    /// `a * b + c`, rounded once.
    pub(super) fn mul_add(&mut self, a: Val, b: Val, c: Val, span: Span) -> Val {
        let Some((a, b)) = self.pair(a, b, [span; 2]) else { return Val::Unknown };
        let ty = self.ty(a);
        let Some(c) = self.value(c, Some(ty.dtype), span) else { return Val::Unknown };
        if self.ty(b) != ty || self.ty(c) != ty {
            let other = if self.ty(b) == ty { self.ty(c) } else { self.ty(b) };
            return self.unlike_types("mul_add", ty, other, span);
        }
        Val::Expr(self.builder.mul_add(a, b, c), None)
    }

    /// A function of floats that netcl composes of its operations, as `x.hypot(y)`; `None` of other methods.
    fn composed(&mut self, name: &str, receiver: &Val, args: &[Val], span: Span) -> Option<Val> {
        let values = || std::iter::once(receiver).chain(args);
        let typed = values().find_map(|value| match value {
            Val::Expr(id, position) if !self.is_open(*position) => Some(self.ty(*id).dtype),
            Val::Number(Constant::Float(number)) => number.ty.map(DType::compute),
            _ => None,
        });
        let wanted = typed.unwrap_or(DType::F32);
        let graph = crate::lower::composed_graph(name, values().count(), wanted)?;
        let mut given = Vec::new();
        for value in values() {
            let Some(id) = self.value(value.clone(), Some(wanted), span) else { return Some(Val::Unknown) };
            let ty = self.ty(id);
            if !(ty.dtype.is_float() || name.ends_with("euclid")) || ty.lanes > 1 {
                return Some(self.report(span, &m::OPERAND, &[&name, &ty]));
            }
            if ty.dtype != wanted {
                return Some(self.unlike(name, &wanted, &ty, span));
            }
            given.push(self.builder.named("given", id));
        }
        Some(match graph {
            Ok(graph) => self.inlined(&graph, &given),
            Err(diagnostic) => {
                self.diag.diagnostic(&diagnostic, span);
                Val::Unknown
            }
        })
    }

    /// An operation on numbers: of the first, whose type it has, and of others that are known or of a type of their own.
    fn operation(&mut self, name: &str, first: Val, others: &[Val], span: Span) -> Val {
        let Some(operation) = ops::find(name) else { return Val::Unknown };
        let Some(first) = self.value(first, None, span) else { return Val::Unknown };
        let own = self.ty(first).dtype;
        let mut graph = Builder::new(name);
        let mut given = Vec::new();
        let mut input = |this: &mut Self, graph: &mut Builder, id: ExprId| {
            let dtype = this.ty(id).dtype;
            given.push(this.builder.named("given", id));
            ops::Value::Tensor(graph.input(InputKind::Argument(given.len() - 1), "", Shape::scalar(), dtype))
        };
        let mut operands = vec![input(self, &mut graph, first)];
        for other in others {
            operands.push(match other {
                Val::Number(Constant::Integer(value)) => ops::Value::Dim(Dim::constant(*value)),
                Val::Number(Constant::Float(number)) => ops::Value::Number(number.value),
                Val::Number(Constant::Bool(value)) => ops::Value::Bool(*value),
                other => {
                    // A whole exponent.
                    let wanted = if name == "pow" { DType::I32 } else { own };
                    let Some(mut id) = self.value(other.clone(), Some(wanted), span) else { return Val::Unknown };
                    if own.is_float() && self.ty(id) == ValueType::scalar(DType::I32) {
                        id = self.builder.cast(own, id);
                    }
                    input(self, &mut graph, id)
                }
            });
        }
        match ops::call(&mut graph, operation, &operands) {
            Ok(result) => {
                graph.output(OutputKind::Result(0), result);
                self.inlined(&graph.finish(), &given)
            }
            Err(diagnostic) => {
                self.diag.diagnostic(&diagnostic, span);
                Val::Unknown
            }
        }
    }

    /// 1 above zero, -1 below, and the zeros have the sign that is written before them; NaN of NaN. `None` of whole
    /// numbers, whose `signum` is netcl's `sign`.
    fn signum(&mut self, value: &Val, span: Span) -> Option<Val> {
        if matches!(value, Val::Number(Constant::Integer(_))) {
            return None;
        }
        let Some(id) = self.value(value.clone(), None, span) else { return Some(Val::Unknown) };
        let dtype = self.ty(id).dtype;
        if !dtype.is_float() {
            return None;
        }
        let x = self.builder.named("given", id);
        let [zero, one, minus, nothing] =
            [0.0, 1.0, -1.0, f64::NAN].map(|value| self.builder.literal(Literal::float(value, dtype)));
        let b = &mut self.builder;
        // Only its reciprocal tells -0 from 0; that of -inf is no smaller than 0.
        let inverse = b.unary(UnaryOp::Recip, x);
        let (turned, below) = (b.compare(CompareOp::Lt, inverse, zero), b.compare(CompareOp::Lt, x, zero));
        let negative = b.binary(BinaryOp::Or, below, turned);
        let sign = b.select(negative, minus, one);
        let number = b.compare(CompareOp::Eq, x, x);
        Some(Val::Expr(b.select(number, sign, nothing), None))
    }
}
