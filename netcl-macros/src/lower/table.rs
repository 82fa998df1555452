//! Operations of the table: their operands as tensors and numbers of one type.

use super::{Lowering, Val};
use crate::ast::PlainType;
use crate::messages as m;
use netcl_kernels::dtype::DType;
use netcl_kernels::graph::NodeId;
use netcl_kernels::ops;
use netcl_kernels::span::{Diagnostic, Span as SourceSpan};
use proc_macro2::Span;

impl<'a> Lowering<'a> {
    /// What has several results, of one tensor.
    pub(super) fn several(
        &mut self,
        several: &'static ops::Several,
        receiver: Val<'a>,
        others: &[Val<'a>],
        span: Span,
    ) -> Val<'a> {
        let Some(x) = self.tensor(receiver, None, span) else { return Val::Unknown };
        // It takes no others: how many there are is said.
        let args: Vec<ops::Value> =
            std::iter::once(ops::Value::Tensor(x)).chain(others.iter().map(|_| ops::Value::Bool(false))).collect();
        self.at(span);
        match ops::call_several(&mut self.builder, several, &args) {
            Ok(results) => Val::Tuple(results.into_iter().map(|id| Val::Tensor(self.new_tensor(id))).collect()),
            Err(problem) => self.check(Err(problem), span),
        }
    }

    /// An entry of the table, with its operands as tensors and numbers of one type.
    pub(super) fn table_operation(
        &mut self,
        operation: &'static ops::Operation,
        receiver: Val<'a>,
        args: Vec<Val<'a>>,
        span: Span,
    ) -> Val<'a> {
        let name = operation.name;
        let receiver = match receiver {
            Val::Tensor(_) => receiver,
            other => match self.tensor(other, None, span) {
                Some(id) => Val::Tensor(id),
                None => return Val::Unknown,
            },
        };
        // `x.get(0, (t + 1) % T)`.
        if let (Val::Tensor(x), "get", [Val::Dim(axis), at @ Val::Tensor(_)]) = (&receiver, name, args.as_slice())
            && let (Some(axis), Some(position)) = (axis.as_constant(), self.position(at))
            && !matches!(position, ops::Position::At(_))
        {
            self.at(span);
            let part = ops::get_at(&mut self.builder, *x, axis, &position);
            return self.check(part, span);
        }
        if let Val::Tensor(x) = receiver
            && let Some(part) = self.numbered(x, name, args.as_slice(), span)
        {
            return part;
        }
        let is_bool =
            |position: usize| operation.args.get(position).is_some_and(|spec| spec.kind == ops::ArgKind::Bool);
        let decided = |(position, arg)| if is_bool(position + 1) { self.decided(arg) } else { arg };
        let args: Vec<Val<'a>> = args.into_iter().enumerate().map(decided).collect();
        let args: Vec<Val<'a>> =
            args.into_iter().enumerate().map(|(position, arg)| self.sized(operation, position + 1, arg)).collect();
        let args = match (name, args.as_slice()) {
            ("select", [then, otherwise]) => match self.both_chosen(then.clone(), otherwise.clone(), span) {
                Some(both) => both.map(Val::Tensor).to_vec(),
                None => return Val::Unknown,
            },
            _ => args,
        };
        // Numbers are of the type of the floats beside them: those of `mask.select(0.1, x)` of `x`'s.
        let dtype = |value: &Val<'a>| match value {
            Val::Tensor(id) => Some(self.builder.dtype(*id)).filter(|dtype| dtype.is_float()),
            _ => None,
        };
        let float = std::iter::once(&receiver).chain(&args).find_map(dtype).unwrap_or(DType::F32);
        let mut operands = Vec::with_capacity(args.len() + 1);
        let given = args.clone();
        for value in std::iter::once(receiver).chain(args) {
            let value = match value {
                Val::Index(_) => match self.tensor(value, None, span) {
                    Some(id) => Val::Tensor(id),
                    None => return Val::Unknown,
                },
                Val::Number(number) => Val::Number(number.meeting(float).into()),
                value => value,
            };
            match value.operand() {
                Some(operand) => operands.push(operand),
                None if operands.is_empty() => return self.report(span, &m::OPERAND, &[&name, &value.kind()]),
                None => return self.no_argument(operation, operands.len(), &value, span),
            }
        }
        if let Some(ops::Value::Tensor(receiver)) = operands.first()
            && !self.numbers_beside(self.builder.dtype(*receiver), &given, (name, span))
        {
            return Val::Unknown;
        }
        self.at(span);
        let result = ops::call(&mut self.builder, operation, &operands);
        let result =
            result.map_err(|problem| Diagnostic { span: self.wrong_place(operation, &operands, &problem), ..problem });
        match (name, &operands[0], &result) {
            // To the type that it has: nothing is converted.
            ("cast", ops::Value::Tensor(same), Ok(id)) if id == same => Val::Tensor(*id),
            _ => self.check(result, span),
        }
    }

    /// Where the argument stands that is wrong, if it is one alone.
    fn wrong_place(&self, operation: &ops::Operation, given: &[ops::Value], problem: &Diagnostic) -> SourceSpan {
        let position = problem.argument.as_deref().and_then(|argument| operation.position(*argument, given));
        let place = position.and_then(|position| self.argument_places.get(position.checked_sub(1)?));
        place.map_or(problem.span, |place| self.diag.id(*place))
    }

    /// `x.get(0, k)`, `x.narrow(0, k, 2)`, `x.roll(k, 0)`, where `k: u32` is an argument.
    fn numbered(&mut self, x: NodeId, name: &str, args: &[Val<'a>], span: Span) -> Option<Val<'a>> {
        let number = |this: &Self, value: &Val<'a>| match value {
            Val::Tensor(at) if this.builder.shape(*at).rank() == 0 => Some(*at),
            _ => None,
        };
        let axis = |value: &Val<'a>| match value {
            Val::Dim(axis) => axis.as_constant(),
            _ => None,
        };
        let part = match (name, args) {
            ("get", [along, at]) => {
                let (axis, at) = (axis(along)?, number(self, at)?);
                // A `usize` that a loop carries.
                let at =
                    if self.builder.dtype(at) == DType::I64 { self.builder.cast(at, DType::I32).ok()? } else { at };
                self.at(span);
                ops::get_numbered(&mut self.builder, x, axis, at)
            }
            ("narrow", [along, start, length]) if self.size(start).is_none() => {
                let (axis, start, length) = (axis(along)?, number(self, start)?, self.size(length)?);
                self.at(span);
                ops::narrow_numbered(&mut self.builder, x, axis, start, &length)
            }
            ("roll", [shift, along]) => {
                let (shift, axis) = (number(self, shift)?, axis(along)?);
                self.at(span);
                ops::roll_numbered(&mut self.builder, x, shift, axis)
            }
            _ => return None,
        };
        Some(self.check(part, span))
    }

    /// A size where the operation at that place takes one: what is left of a size behind `%` is a number among numbers.
    fn sized(&self, operation: &ops::Operation, position: usize, arg: Val<'a>) -> Val<'a> {
        match (operation.args.get(position).map(|spec| spec.kind), arg) {
            (Some(ops::ArgKind::Size | ops::ArgKind::Sizes), arg @ Val::Tensor(_)) => {
                self.size(&arg).map_or(arg, Val::from)
            }
            (Some(ops::ArgKind::Sizes), Val::List(all)) => {
                Val::List(all.into_iter().map(|one| self.sized(operation, position, one)).collect())
            }
            (_, arg) => arg,
        }
    }

    /// Rule: operations take what is known while compiling, and tensors. Wrong: `x.get(0, k)` with a plain `k: usize`.
    fn no_argument(&self, operation: &ops::Operation, position: usize, value: &Val<'a>, span: Span) -> Val<'a> {
        let name = operation.name;
        let kind = operation.args.get(position).map(|spec| spec.kind);
        // One among those of a list.
        let value = match value {
            Val::List(items) | Val::Tuple(items) => items.iter().find(|item| item.operand().is_none()).unwrap_or(value),
            value => value,
        };
        let instead = match value {
            Val::Plain(given, PlainType::Usize) => {
                let given = crate::parse::text(given);
                match (name, kind) {
                    ("reshape", Some(ops::ArgKind::Sizes)) => format!(
                        "one size may be -1, which follows from the others; others are numbers, and names that the types of \
                         arguments bind; a plain `usize` chooses a branch: `if {given} == 1 {{ .. }} else {{ .. }}`"
                    ),
                    (_, Some(ops::ArgKind::Axis | ops::ArgKind::Axes)) => format!(
                        "axes are numbers; a plain `usize` chooses a branch: `if {given} == 0 {{ .. }} else {{ .. }}`"
                    ),
                    ("get", Some(ops::ArgKind::Size)) => format!(
                        "make it a `u32` argument, which is a position: `{given}: u32`; or choose a branch for each: \
                         `if {given} == 0 {{ .. }} else {{ .. }}`"
                    ),
                    (_, Some(ops::ArgKind::Tensor | ops::ArgKind::Scalar)) => {
                        format!("make it an `f32`, `i32` or `u32` argument to compute with it: `{given}: f32`")
                    }
                    _ => format!(
                        "sizes are numbers, and names that the types of arguments bind; a plain `usize` chooses a branch: `if {given} == 1 {{ .. }} else {{ .. }}`"
                    ),
                }
            }
            _ => format!("it is called as `{name}({})`", names(operation.args.get(1..).unwrap_or_default())),
        };
        self.report(span, &m::OPERATION_ARGUMENT, &[&name, &value.kind(), &instead])
    }

    /// The two sides of `condition.select(x, 0.0)`: a number, or a size or an index, is of the type of the other side. What is
    /// no such thing is left for the operation to judge, as it was given.
    fn both_chosen(&mut self, then: Val<'a>, otherwise: Val<'a>, span: Span) -> Option<[NodeId; 2]> {
        let dtype = self.common_dtype(&then, &otherwise);
        let mut side = |value: Val<'a>| match value {
            Val::Tensor(_) | Val::Number(_) | Val::Dim(_) | Val::Index(_) | Val::Bool(_) => {
                self.tensor(value, Some(dtype), span)
            }
            other => {
                let instead = "it is called as `select(then, otherwise)`";
                self.report(span, &m::OPERATION_ARGUMENT, &[&"select", &other.kind(), &instead]);
                None
            }
        };
        Some([side(then)?, side(otherwise)?])
    }

    /// Rule: the numbers among an operation's arguments are of the tensor's type. Wrong: `x.clamp(0f64, 1f64)`, where `x` is of
    /// `f32`.
    fn numbers_beside(&self, dtype: DType, args: &[Val<'a>], (name, span): (&str, Span)) -> bool {
        // What is added to whole numbers and to truths is judged by the operation.
        let dtype = if dtype.is_float() { dtype } else { DType::F32 };
        args.iter().all(|value| match value {
            Val::List(values) | Val::Tuple(values) => self.numbers_beside(dtype, values, (name, span)),
            Val::Number(number) if number.beside(dtype) != dtype => {
                self.report(span, &m::SIMT_TYPES, &[&name, &dtype, &number.beside(dtype), &crate::literal::ONE_TYPE]);
                false
            }
            Val::Number(number) => self.large.fits(self.diag, number.value, dtype),
            _ => true,
        })
    }
}

/// The names of an operation's arguments, separated by commas.
pub(super) fn names(args: &[ops::ArgSpec]) -> String {
    args.iter().map(|arg| arg.name).collect::<Vec<_>>().join(", ")
}
