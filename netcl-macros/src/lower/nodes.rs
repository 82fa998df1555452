//! Values as nodes of the graph.

use super::calls_made::Calls;
use super::identity::NewTensors;
use super::marks::Marks;
use super::{Lowering, Val};
use crate::ast::PlainType;
use crate::literal::{one_of, wider};
use crate::messages as m;
use netcl_kernels::dim::Shape;
use netcl_kernels::dtype::DType;
use netcl_kernels::graph::build::Builder;
use netcl_kernels::graph::{InputKind, NodeId};
use netcl_kernels::span::{Diagnostic, Result};
use proc_macro2::Span;

/// The graph at one moment, and all that is known of its nodes: where something is built anew, their numbers stand for others.
pub(super) struct Snapshot<'a> {
    builder: Builder,
    marks: Marks,
    new_tensors: NewTensors,
    seed: Option<NodeId>,
    calls: Calls<'a>,
}

impl<'a> Lowering<'a> {
    pub(super) fn snapshot(&self) -> Snapshot<'a> {
        Snapshot {
            builder: self.builder.clone(),
            marks: self.marks.clone(),
            new_tensors: self.new_tensors.clone(),
            seed: self.seed,
            calls: self.calls.clone(),
        }
    }

    pub(super) fn restore(&mut self, before: Snapshot<'a>) {
        let Snapshot { builder, marks, new_tensors, seed, calls } = before;
        (self.builder, self.marks, self.new_tensors, self.seed, self.calls) =
            (builder, marks, new_tensors, seed, calls);
    }

    /// What an operation gives, or the error reported.
    pub(super) fn check(&mut self, result: Result<NodeId>, span: Span) -> Val<'a> {
        match result {
            Ok(id) => Val::Tensor(self.new_tensor(id)),
            Err(Diagnostic { size: Some(size), .. }) if self.is_open(&size) => {
                self.advice = None;
                self.open()
            }
            Err(mut diagnostic) => {
                if let Some(advice) = self.advice.take() {
                    diagnostic.hint = Some(advice.with(diagnostic.hint));
                }
                self.diagnostic(diagnostic, span);
                Val::Unknown
            }
        }
    }

    pub(super) fn report(&self, span: Span, message: &m::Message, values: &[&dyn std::fmt::Display]) -> Val<'a> {
        self.diag.report(span, message, values);
        Val::Unknown
    }

    /// The value as a tensor; numbers become scalars of `dtype` (`F32` where nobody says).
    pub(super) fn tensor(&mut self, value: Val<'a>, dtype: Option<DType>, span: Span) -> Option<NodeId> {
        let dtype = dtype.unwrap_or(DType::F32);
        if dtype == DType::Bool && matches!(value, Val::Number(_) | Val::Dim(_) | Val::Index(_)) {
            self.report(span, &m::NO_TRUTH, &[&value.kind()]);
            return None;
        }
        match value {
            Val::Tensor(id) => Some(id),
            Val::Number(number) if dtype.is_float() || number.ty.is_some() => {
                let dtype = number.beside(dtype);
                self.large
                    .fits(self.diag, number.value, dtype)
                    .then(|| self.builder.constant(number.meeting(dtype), dtype))
            }
            Val::Bool(value) => Some(self.builder.constant(f64::from(u8::from(value)), DType::Bool)),
            Val::Dim(dim) if dim.as_constant().is_some_and(|value| !dtype.holds(value)) => {
                self.no_whole(dim.as_constant().unwrap_or_default(), dtype, span)
            }
            Val::Dim(dim) => match self.builder.dim(&dim, dtype) {
                Ok(id) => Some(id),
                Err(diagnostic) => {
                    self.diag.diagnostic(&diagnostic, span);
                    None
                }
            },
            Val::Index(index) => self.index_tensor(&index, dtype, span),
            Val::Unknown => None,
            // What a model is stands beside a number that only a call has: `(Act::Relu, 0.0) => ..` of `(self, s)`.
            Val::Plain(tokens, _) if crate::variants::is_question(&tokens) => {
                self.report(span, &m::MATCH_TENSOR, &[&"this value"]);
                None
            }
            Val::Plain(tokens, ty) => {
                drop(self.plain_in_tensor(&crate::parse::text(&tokens), ty, span));
                None
            }
            Val::Number(number) => {
                let number = format!("{:?}", number.value);
                self.report(span, &m::NUMBER_TYPE, &[&number, &dtype, &"a whole number", &DType::F32]);
                None
            }
            Val::Unit => {
                self.report(span, &m::NO_VALUE, &[]);
                None
            }
            other => {
                self.report(span, &m::SIMT_VALUE, &[&other.kind()]);
                None
            }
        }
    }

    /// Says that `dtype` has no such whole number.
    pub(super) fn no_whole(&mut self, number: i64, dtype: DType, span: Span) -> Option<NodeId> {
        self.report(span, &m::NUMBER_TYPE, &[&number, &dtype, &one_of(dtype), &wider(number)]);
        None
    }

    /// Rule: a plain argument decides what is compiled, and is no number of the call. Wrong: `x * steps` of `steps: usize`.
    pub(super) fn plain_in_tensor(&mut self, given: &str, ty: PlainType, span: Span) -> Val<'a> {
        let instead = match ty {
            PlainType::Bool => format!("ask it in an `if` of its own around this: `if {given} {{ .. }} else {{ .. }}`"),
            _ => "make it an `f32` argument to compute with it".to_string(),
        };
        self.report(span, &m::PLAIN_IN_TENSOR, &[&given, &ty.name(), &instead])
    }

    /// The seed of this call's random numbers, which the runtime supplies as scalar 0.
    pub(super) fn seed(&mut self) -> NodeId {
        if let Some(seed) = self.seed {
            return seed;
        }
        let seed = self.builder.input(InputKind::Scalar(0), "seed", Shape::scalar(), DType::U32);
        self.seed = Some(seed);
        seed
    }
}
