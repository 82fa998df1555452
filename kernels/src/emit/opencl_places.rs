//! Conversions, loads, ids and sub-groups.

use super::opencl_expr::*;
use super::opencl_stmt::{Body, space_name};
use super::opencl_types::{c_type, mask_type};
use crate::dtype::DType;
use crate::kir::*;

impl Body<'_, '_> {
    pub(super) fn cast(&mut self, dtype: DType, a: ExprId) -> ExprText {
        let from = self.ty(a);
        if let (Expr::WorkItem(item, dimension), DType::I32 | DType::U32 | DType::I64) = (self.expr(a), dtype) {
            let call = self.work_item(*item, *dimension);
            return text(UNARY, format!("({}){call}", c_type(ValueType::scalar(dtype))));
        }
        let value = self.text(a);
        let value = self.converted(value, from, dtype.compute());
        match dtype {
            DType::F16 => primary(format!("{}({})", self.program.round_f16(from.lanes), value.code)),
            DType::BF16 => {
                let (there, back) = (self.program.bf16_from_float(from.lanes), self.program.bf16_to_float(from.lanes));
                primary(format!("{back}({there}({}))", value.code))
            }
            _ => value,
        }
    }

    /// A value of one type as another, lane by lane.
    pub(super) fn converted(&mut self, value: ExprText, from: ValueType, dtype: DType) -> ExprText {
        let to = ValueType { dtype, lanes: from.lanes };
        let name = c_type(to);
        match (from.dtype, dtype) {
            (a, b) if a == b => value,
            (DType::Bool, DType::I32) if from.lanes > 1 => text(UNARY, format!("-{}", at_least(value, PRIMARY))),
            (DType::Bool, _) if from.lanes > 1 => primary(format!("convert_{name}({} & 1)", at_least(value, UNARY))),
            (_, DType::Bool) => {
                let zero = match from.dtype {
                    DType::F64 => "0.0",
                    _ if from.dtype.is_float() => "0.0f",
                    _ => "0",
                };
                let zero = if from.dtype == DType::U8 && from.lanes > 1 {
                    format!("(uchar{})(0)", from.lanes)
                } else {
                    zero.to_string()
                };
                let code = format!("{} != {zero}", at_least(value, SHIFT));
                if from.lanes > 1 && !mask_type(from).starts_with("int") {
                    primary(format!("convert_int{}({code})", from.lanes))
                } else {
                    text(EQUALITY, code)
                }
            }
            (from_type, to_type) if from_type.is_float() && to_type.is_integer() => {
                let helper = self.program.truncate(from, to);
                primary(format!("{helper}({})", value.code))
            }
            _ if from.lanes == 1 => text(UNARY, format!("({name}){}", at_least(value, UNARY))),
            _ => primary(format!("convert_{name}({})", value.code)),
        }
    }

    pub(super) fn load(&mut self, buffer: ParamId, index: ExprId, lanes: u8) -> ExprText {
        let dtype = self.buffer_type(buffer);
        let name = self.params[buffer.0 as usize].clone();
        match (dtype, lanes) {
            (DType::F16, 1) => primary(format!("vload_half({}, {name})", self.index(index))),
            (DType::F16, _) => {
                let place = format!("{name} + {}", self.offset(index));
                match self.aligned_vector(buffer, index, &format!("({place})"), lanes) {
                    Some(bits) => primary(format!("{}({bits})", self.program.halves_to_float(lanes))),
                    None => primary(format!("{}({place})", self.program.load_halves(lanes))),
                }
            }
            (DType::Bool, 1) => text(EQUALITY, format!("{name}[{}] != 0", self.index(index))),
            (_, 1) => {
                let element = format!("{name}[{}]", self.index(index));
                if dtype == DType::BF16 {
                    return primary(format!("{}({element})", self.program.bf16_to_float(1)));
                }
                primary(element)
            }
            _ => {
                let place = format!("&{name}[{}]", self.index(index));
                let vector = match self.aligned_vector(buffer, index, &place, lanes) {
                    Some(vector) => text(UNARY, vector),
                    None => primary(format!("vload{lanes}(0, {place})")),
                };
                match dtype {
                    DType::BF16 => primary(format!("{}({})", self.program.bf16_to_float(lanes), vector.code)),
                    DType::Bool => text(EQUALITY, format!("convert_int{lanes}({}) != 0", vector.code)),
                    _ => vector,
                }
            }
        }
    }

    pub(super) fn load_array(&mut self, array: ArrayId, index: ExprId) -> ExprText {
        let Array { dtype, space, .. } = self.verified.kernel().arrays[array.0 as usize];
        let name = self.arrays[array.0 as usize].clone();
        let index = self.index(index);
        match dtype {
            DType::F16 => primary(format!("vload_half({index}, (const {} half*){name})", space_name(space))),
            DType::BF16 => primary(format!("{}({name}[{index}])", self.program.bf16_to_float(1))),
            DType::Bool => text(EQUALITY, format!("{name}[{index}] != 0")),
            _ => primary(format!("{name}[{index}]")),
        }
    }

    pub(super) fn sub_group(&mut self, op: SubGroupOp, a: ExprId, other: Option<ExprId>) -> ExprText {
        self.program.extension("cl_khr_subgroups");
        let ty = self.ty(a);
        let name = match op {
            SubGroupOp::ReduceMax | SubGroupOp::ReduceMin if ty.dtype.is_float() => {
                self.program.sub_group_extremum(op, ty)
            }
            SubGroupOp::ReduceAdd => "sub_group_reduce_add".to_string(),
            SubGroupOp::ReduceMax => "sub_group_reduce_max".to_string(),
            SubGroupOp::ReduceMin => "sub_group_reduce_min".to_string(),
            SubGroupOp::Broadcast => "sub_group_broadcast".to_string(),
            SubGroupOp::ShuffleXor => "sub_group_shuffle_xor".to_string(),
        };
        let mut arguments = self.value(a);
        if let Some(other) = other {
            arguments.push_str(&format!(", {}", self.value(other)));
        }
        primary(format!("{name}({arguments})"))
    }

    pub(super) fn work_item(&mut self, item: WorkItem, dimension: u8) -> String {
        let name = match item {
            WorkItem::GlobalId => "get_global_id",
            WorkItem::LocalId => "get_local_id",
            WorkItem::GroupId => "get_group_id",
            WorkItem::GlobalSize => "get_global_size",
            WorkItem::LocalSize => "get_local_size",
            WorkItem::NumGroups => "get_num_groups",
            WorkItem::SubGroupLane => "get_sub_group_local_id",
            WorkItem::SubGroupSize => "get_sub_group_size",
            WorkItem::SubGroupId => "get_sub_group_id",
        };
        match item {
            WorkItem::SubGroupLane | WorkItem::SubGroupSize | WorkItem::SubGroupId => {
                self.program.extension("cl_khr_subgroups");
                format!("{name}()")
            }
            _ => format!("{name}({dimension})"),
        }
    }

    pub(super) fn buffer_type(&self, buffer: ParamId) -> DType {
        match self.verified.kernel().params[buffer.0 as usize].kind {
            ParamKind::Buffer(dtype, _) | ParamKind::Scalar(dtype) => dtype,
            ParamKind::Symbol => DType::U32,
            ParamKind::Size | ParamKind::Position(_) => DType::I32,
            ParamKind::WideSize => DType::I64,
            ParamKind::Value(ty) => ty.dtype,
        }
    }
}
