//! Types of expressions: rules K08 to K26 of [`super`].

use super::capabilities::Capabilities;
use super::code::BodyContext;
use super::report::DiagnosticSink;
use crate::dtype::{DType, Literal};
use crate::graph::{BinaryOp, CompareOp, ReduceOp, UnaryOp};
use crate::kir::*;

/// Widths a vector may have, and 1.
pub(super) const fn lanes_are_legal(lanes: u8) -> bool {
    matches!(lanes, 1 | 2 | 4 | 8 | 16)
}

/// The type of every expression; `None` where it is wrong or depends on something wrong (reported once).
pub(super) fn infer(
    code: &BodyContext<'_>,
    capabilities: &Capabilities,
    report: &mut DiagnosticSink,
) -> Vec<Option<ValueType>> {
    let mut types: Vec<Option<ValueType>> = Vec::with_capacity(code.exprs.len());
    for (position, expr) in code.exprs.iter().enumerate() {
        let mut complete = true;
        let mut forward = None;
        expr.visit_operands(&mut |id| match types.get(id.0 as usize) {
            Some(ty) => complete &= ty.is_some(),
            None => forward = Some(id),
        });
        report.locate(code.function, position);
        if let Some(id) = forward {
            report
                .error("K08", format!("expression {position} uses expression {}, which does not come before it", id.0));
            types.push(None);
            continue;
        }
        let ty = if complete { expression(code, expr, &types, capabilities, report) } else { None };
        if ty.is_some_and(|ty| ty.dtype == DType::F64) && !capabilities.fp64 {
            report.fp64();
        }
        types.push(ty);
    }
    types
}

/// The type of one expression whose operands are well typed.
fn expression(
    code: &BodyContext<'_>,
    expr: &Expr,
    types: &[Option<ValueType>],
    capabilities: &Capabilities,
    report: &mut DiagnosticSink,
) -> Option<ValueType> {
    let of = |id: ExprId| types[id.0 as usize].unwrap_or(ValueType::scalar(DType::F32));
    if let Some(what) = forbidden_in_function(expr).filter(|_| code.function.is_some()) {
        return report.fail("K37", format!("a helper function cannot use {what}; pass the value as an argument"));
    }
    match expr {
        Expr::Literal(literal) => literal_type(*literal, report),
        Expr::Var(var) => match code.vars.get(var.0 as usize) {
            Some(var) => Some(var.ty),
            None => report.fail("K08", format!("there is no variable {}", var.0)),
        },
        Expr::Param(param) => value_parameter(code, *param, report),
        Expr::WorkItem(item, dimension) => work_item(*item, *dimension, capabilities, report),
        Expr::Unary(op, a) => unary(*op, of(*a), report),
        Expr::Binary(op, a, b) => binary(*op, of(*a), of(*b), report),
        Expr::MulAdd(a, b, c) => mul_add(of(*a), of(*b), of(*c), report),
        Expr::Compare(op, a, b) => compare(*op, of(*a), of(*b), report),
        Expr::Select(condition, a, b) => select(of(*condition), of(*a), of(*b), report),
        Expr::Cast(dtype, a) => Some(ValueType { dtype: dtype.compute(), lanes: of(*a).lanes }),
        Expr::Bitcast(dtype, a) => bitcast(*dtype, of(*a), report),
        Expr::Load { buffer, index, lanes } => {
            index_type(of(*index), report)?;
            load(code, *buffer, *lanes, report)
        }
        Expr::LoadArray { array, index } => {
            index_type(of(*index), report)?;
            load_array(code, *array, *index, report)
        }
        Expr::Splat(a, lanes) => splat(of(*a), *lanes, report),
        Expr::LaneIds(dtype, lanes) => lane_ids(*dtype, *lanes, report),
        Expr::Lane(a, lane) => one_lane(of(*a), *lane, report),
        Expr::Horizontal(op, a) => horizontal(*op, of(*a), report),
        Expr::Philox { counter, seed, .. } => philox(of(*counter), of(*seed), report),
        Expr::SubGroup(op, a, other) => sub_group(*op, of(*a), other.map(of), capabilities, report),
        Expr::Call(position, arguments) => {
            let given: Vec<ValueType> = arguments.iter().map(|&argument| of(argument)).collect();
            call(code, *position, &given, report)
        }
    }
}

/// What a pure function over scalars has no access to.
fn forbidden_in_function(expr: &Expr) -> Option<&'static str> {
    match expr {
        Expr::Param(_) => Some("the kernel's parameters"),
        Expr::Load { .. } => Some("buffers"),
        Expr::LoadArray { .. } => Some("the kernel's arrays"),
        Expr::WorkItem(..) => Some("work-item ids"),
        Expr::SubGroup(..) => Some("sub-group operations"),
        Expr::Splat(..) | Expr::LaneIds(..) | Expr::Lane(..) | Expr::Horizontal(..) => Some("vectors"),
        Expr::Literal(_)
        | Expr::Var(_)
        | Expr::Unary(..)
        | Expr::Binary(..)
        | Expr::MulAdd(..)
        | Expr::Compare(..)
        | Expr::Select(..)
        | Expr::Cast(..)
        | Expr::Bitcast(..)
        | Expr::Philox { .. }
        | Expr::Call(..) => None,
    }
}

fn literal_type(literal: Literal, report: &mut DiagnosticSink) -> Option<ValueType> {
    let fits = match literal {
        Literal::Bool(_) => true,
        Literal::Int(value, dtype) => dtype.is_integer() && crate::fold::wrap(value, dtype) == literal,
        Literal::Float(_, dtype) => matches!(dtype, DType::F32 | DType::F64),
    };
    if !fits {
        return report.fail("K09", format!("{literal} is not a number of type {}", literal.dtype()));
    }
    Some(ValueType::scalar(literal.dtype()))
}

/// A parameter that is a number: a buffer has a value only at an index.
fn value_parameter(code: &BodyContext<'_>, param: ParamId, report: &mut DiagnosticSink) -> Option<ValueType> {
    match code.kernel.params.get(param.0 as usize) {
        Some(Param { kind: ParamKind::Scalar(dtype), .. }) => Some(ValueType::scalar(*dtype)),
        Some(Param { kind: ParamKind::Symbol, .. }) => Some(ValueType::scalar(DType::U32)),
        Some(Param { kind: ParamKind::Size | ParamKind::Position(_), .. }) => Some(ValueType::scalar(DType::I32)),
        Some(Param { kind: ParamKind::WideSize, .. }) => Some(ValueType::scalar(DType::I64)),
        Some(Param { kind: ParamKind::Value(ty), .. }) => Some(*ty),
        Some(Param { name, .. }) => report.fail("K08", format!("`{name}` is a buffer: index it")),
        None => report.fail("K08", format!("there is no parameter {}", param.0)),
    }
}

fn work_item(
    item: WorkItem,
    dimension: u8,
    capabilities: &Capabilities,
    report: &mut DiagnosticSink,
) -> Option<ValueType> {
    let sub_group = matches!(item, WorkItem::SubGroupLane | WorkItem::SubGroupSize | WorkItem::SubGroupId);
    if sub_group && !capabilities.subgroups {
        return report.fail("K22", "the device has no sub-groups".to_string());
    }
    if dimension > 2 {
        return report.fail("K22", format!("there is no dimension {dimension}: the index space has 0, 1 and 2"));
    }
    Some(ValueType::scalar(DType::U32))
}

fn index_type(index: ValueType, report: &mut DiagnosticSink) -> Option<()> {
    if index.lanes == 1 && matches!(index.dtype, DType::U32 | DType::I32 | DType::I64) {
        return Some(());
    }
    report.error("K21", format!("an index is one u32, i32 or i64, found {index}"));
    None
}

fn unary(op: UnaryOp, a: ValueType, report: &mut DiagnosticSink) -> Option<ValueType> {
    use UnaryOp::*;
    let legal = match op {
        Neg | Abs | Sign => a.dtype != DType::Bool,
        Not => !a.dtype.is_float(),
        Exp | Exp2 | Log | Log2 | Log1p | Expm1 | Sqrt | Rsqrt | Sin | Cos | Tan | Tanh | Erf | Floor | Ceil
        | Round | Recip => a.dtype.is_float(),
    };
    if legal { Some(a) } else { report.fail("K10", format!("`{}` has no meaning for {a}", op.name())) }
}

fn binary(op: BinaryOp, a: ValueType, b: ValueType, report: &mut DiagnosticSink) -> Option<ValueType> {
    use BinaryOp::*;
    if a != b {
        return report.fail("K11", format!("`{}` takes two values of one type, found {a} and {b}", op.name()));
    }
    let legal = match op {
        Add | Sub | Mul | Div | Rem | Max | Min => a.dtype != DType::Bool,
        Pow | Atan2 => a.dtype.is_float(),
        And | Or | Xor => !a.dtype.is_float(),
        Shl | Shr if !a.dtype.is_integer() => {
            return report.fail("K12", format!("a shift moves the bits of integers, found {a}"));
        }
        Shl | Shr => true,
    };
    if legal { Some(a) } else { report.fail("K11", format!("`{}` has no meaning for {a}", op.name())) }
}

fn mul_add(a: ValueType, b: ValueType, c: ValueType, report: &mut DiagnosticSink) -> Option<ValueType> {
    if a != b || a != c || a.dtype == DType::Bool {
        return report.fail("K13", format!("`a * b + c` takes three numbers of one type, found {a}, {b} and {c}"));
    }
    Some(a)
}

fn compare(op: CompareOp, a: ValueType, b: ValueType, report: &mut DiagnosticSink) -> Option<ValueType> {
    if a != b {
        return report.fail("K14", format!("`{}` compares values of one type, found {a} and {b}", op.name()));
    }
    if a.dtype == DType::Bool && !matches!(op, CompareOp::Eq | CompareOp::Ne) {
        return report.fail("K14", format!("`{}` has no meaning for truth values", op.name()));
    }
    Some(ValueType { dtype: DType::Bool, lanes: a.lanes })
}

fn select(condition: ValueType, a: ValueType, b: ValueType, report: &mut DiagnosticSink) -> Option<ValueType> {
    if condition.dtype != DType::Bool || (condition.lanes != 1 && condition.lanes != a.lanes) || a != b {
        let message =
            format!("a selection takes a truth value and two values of one type, found {condition}, {a} and {b}");
        return report.fail("K15", message);
    }
    Some(a)
}

fn bitcast(dtype: DType, a: ValueType, report: &mut DiagnosticSink) -> Option<ValueType> {
    let plain = |dtype: DType| dtype != DType::Bool && dtype.compute() == dtype;
    if !plain(dtype) || !plain(a.dtype) || dtype.size() != a.dtype.size() {
        return report.fail("K16", format!("the bits of {a} cannot be read as {dtype}"));
    }
    Some(ValueType { dtype, lanes: a.lanes })
}

fn load(code: &BodyContext<'_>, buffer: ParamId, lanes: u8, report: &mut DiagnosticSink) -> Option<ValueType> {
    if !lanes_are_legal(lanes) {
        return report.fail("K06", format!("a load has 1, 2, 4, 8 or 16 lanes, not {lanes}"));
    }
    match code.kernel.params.get(buffer.0 as usize) {
        Some(Param { kind: ParamKind::Buffer(_, Access::Write), name }) => {
            report.fail("K17", format!("`{name}` is only written: it cannot be read"))
        }
        Some(Param { kind: ParamKind::Buffer(dtype, _), .. }) => Some(ValueType { dtype: dtype.compute(), lanes }),
        Some(Param { name, .. }) => report.fail("K17", format!("`{name}` is not a buffer")),
        None => report.fail("K08", format!("there is no parameter {}", buffer.0)),
    }
}

fn load_array(code: &BodyContext<'_>, array: ArrayId, index: ExprId, report: &mut DiagnosticSink) -> Option<ValueType> {
    let Some(declared) = code.kernel.arrays.get(array.0 as usize) else {
        return report.fail("K08", format!("there is no array {}", array.0));
    };
    code.index_in_range(declared, index, report);
    Some(ValueType::scalar(declared.dtype.compute()))
}

fn splat(a: ValueType, lanes: u8, report: &mut DiagnosticSink) -> Option<ValueType> {
    if a.lanes != 1 || lanes == 1 || !lanes_are_legal(lanes) {
        return report.fail("K18", format!("a scalar is repeated 2, 4, 8 or 16 times, not {a} {lanes} times"));
    }
    Some(ValueType { dtype: a.dtype, lanes })
}

fn lane_ids(dtype: DType, lanes: u8, report: &mut DiagnosticSink) -> Option<ValueType> {
    if dtype == DType::Bool || dtype.compute() != dtype || lanes == 1 || !lanes_are_legal(lanes) {
        return report.fail("K18", format!("there are no lane numbers of type {dtype} in {lanes} lanes"));
    }
    Some(ValueType { dtype, lanes })
}

fn one_lane(a: ValueType, lane: u8, report: &mut DiagnosticSink) -> Option<ValueType> {
    if a.lanes == 1 || lane >= a.lanes {
        return report.fail("K19", format!("{a} has no lane {lane}"));
    }
    Some(ValueType::scalar(a.dtype))
}

fn horizontal(op: ReduceOp, a: ValueType, report: &mut DiagnosticSink) -> Option<ValueType> {
    let known = matches!(op, ReduceOp::Sum | ReduceOp::Prod | ReduceOp::Max | ReduceOp::Min);
    if !known || a.lanes == 1 || a.dtype == DType::Bool {
        return report.fail("K19", format!("`{}` does not combine the lanes of {a}", op.name()));
    }
    Some(ValueType::scalar(a.dtype))
}

fn philox(counter: ValueType, seed: ValueType, report: &mut DiagnosticSink) -> Option<ValueType> {
    if counter.dtype != DType::U32 || seed != ValueType::scalar(DType::U32) {
        return report.fail("K20", format!("a random number takes a u32 counter and seed, found {counter} and {seed}"));
    }
    Some(ValueType { dtype: DType::F32, lanes: counter.lanes })
}

/// `other` is the lane or the mask, where the operation has one.
fn sub_group(
    op: SubGroupOp,
    a: ValueType,
    other: Option<ValueType>,
    capabilities: &Capabilities,
    report: &mut DiagnosticSink,
) -> Option<ValueType> {
    if !capabilities.subgroups {
        return report.fail("K22", "the device has no sub-groups".to_string());
    }
    let numeric = matches!(a.dtype, DType::I32 | DType::U32 | DType::I64 | DType::F32 | DType::F64);
    if a.lanes != 1 || !numeric {
        return report.fail("K23", format!("a sub-group operation takes one 32- or 64-bit number, found {a}"));
    }
    let wants = matches!(op, SubGroupOp::Broadcast | SubGroupOp::ShuffleXor);
    let lane = |ty: ValueType| ty.lanes == 1 && matches!(ty.dtype, DType::U32 | DType::I32);
    if other.is_some() != wants || other.is_some_and(|ty| !lane(ty)) {
        let expected = if wants { "a u32 or i32 lane or mask" } else { "no second operand" };
        return report.fail("K23", format!("this sub-group operation takes {expected}"));
    }
    Some(a)
}

fn call(code: &BodyContext<'_>, position: u32, given: &[ValueType], report: &mut DiagnosticSink) -> Option<ValueType> {
    let index = position as usize;
    let (Some(function), Some(result)) = (code.kernel.functions.get(index), code.results.get(index)) else {
        return report.fail(
            "K24",
            format!("function {position} is not there to be called: functions call earlier ones, never themselves"),
        );
    };
    let wanted: Vec<ValueType> =
        function.params.iter().filter_map(|var| Some(function.vars.get(var.0 as usize)?.ty)).collect();
    if given != wanted {
        let list = |types: &[ValueType]| types.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        let message = format!("`{}` takes ({}), found ({})", function.name, list(&wanted), list(given));
        return report.fail("K25", message);
    }
    *result
}
