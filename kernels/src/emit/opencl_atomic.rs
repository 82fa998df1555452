//! Stores and atomic updates.

use super::opencl_expr::at_least;
use super::opencl_stmt::{Body, space_name};
use crate::dtype::DType;
use crate::kir::*;

impl Body<'_, '_> {
    /// A store to a buffer, converted to its type.
    pub(super) fn store(&mut self, buffer: ParamId, index: ExprId, id: ExprId) -> String {
        let dtype = self.buffer_type(buffer);
        let lanes = self.ty(id).lanes;
        let name = self.params[buffer.0 as usize].clone();
        let value = self.stored(id, dtype);
        match (dtype, lanes) {
            (DType::F16, 1) => format!("vstore_half_rte({value}, {}, {name});", self.index(index)),
            (DType::F16, _) => {
                let place = format!("{name} + {}", self.offset(index));
                match self.aligned_vector(buffer, index, &format!("({place})"), lanes) {
                    Some(bits) => format!("{bits} = {}({value});", self.program.halves_from_float(lanes)),
                    None => format!("{}({value}, {place});", self.program.store_halves(lanes)),
                }
            }
            (_, 1) if self.ty(id).dtype == dtype => {
                let update = self.update(id, |own, a| match *own.expr(a) {
                    Expr::Load { buffer: from, index: at, lanes: 1 } => from == buffer && own.same(at, index),
                    _ => false,
                });
                format!("{name}[{}] {update};", self.index(index))
            }
            (_, 1) => format!("{name}[{}] = {value};", self.index(index)),
            (_, _) => {
                let place = format!("&{name}[{}]", self.index(index));
                match self.aligned_vector(buffer, index, &place, lanes) {
                    Some(vector) => format!("{vector} = {value};"),
                    None => format!("vstore{lanes}({value}, 0, {place});"),
                }
            }
        }
    }

    /// A store to a local or private array.
    pub(super) fn store_array(&mut self, array: ArrayId, index: ExprId, id: ExprId) -> String {
        let Array { dtype, space, .. } = self.verified.kernel().arrays[array.0 as usize];
        let name = self.arrays[array.0 as usize].clone();
        if self.ty(id).dtype == dtype {
            let update = self.update(id, |own, a| match *own.expr(a) {
                Expr::LoadArray { array: from, index: at } => from == array && own.same(at, index),
                _ => false,
            });
            return format!("{name}[{}] {update};", self.index(index));
        }
        let (value, index) = (self.stored(id, dtype), self.index(index));
        match dtype {
            DType::F16 => format!("vstore_half_rte({value}, {index}, ({} half*){name});", space_name(space)),
            _ => format!("{name}[{index}] = {value};"),
        }
    }

    /// A value as memory of that type holds it.
    fn stored(&mut self, value: ExprId, dtype: DType) -> String {
        let ty = self.ty(value);
        if ty.dtype == dtype && !(dtype == DType::Bool && ty.lanes > 1) {
            return self.initialiser(value);
        }
        let wanted = ValueType { dtype: dtype.compute(), lanes: ty.lanes };
        let text = self.text(value);
        let text = self.converted(text, ty, wanted.dtype);
        match dtype {
            DType::BF16 => {
                let helper = self.program.bf16_from_float(ty.lanes);
                format!("{helper}({})", text.code)
            }
            DType::Bool if ty.lanes > 1 => format!("convert_uchar{}({} & 1)", ty.lanes, at_least(text, 14)),
            _ => text.code,
        }
    }

    /// An atomic update, as an expression whose value is the old element.
    pub(super) fn atomic(&mut self, op: AtomicOp, target: AtomicTarget, index: ExprId, value: ExprId) -> String {
        let (name, space) = match target {
            AtomicTarget::Buffer(buffer) => (self.params[buffer.0 as usize].clone(), "__global"),
            AtomicTarget::Local(array) => (self.arrays[array.0 as usize].clone(), "__local"),
        };
        let dtype = self.ty(value).dtype;
        let (index, value) = (self.index(index), self.value(value));
        let word = if op == AtomicOp::Exchange { "xchg" } else { op.name() };
        let function = match dtype {
            DType::F64 => self.program.atomic_float(op, DType::F64, space),
            DType::F32 if op != AtomicOp::Exchange => self.program.atomic_float(op, DType::F32, space),
            DType::I64 => {
                let extended = !matches!(op, AtomicOp::Add | AtomicOp::Exchange);
                let family = if extended { "extended" } else { "base" };
                self.program.extension(&format!("cl_khr_int64_{family}_atomics"));
                format!("atom_{word}")
            }
            _ => format!("atomic_{word}"),
        };
        format!("{function}(&{name}[{index}], {value})")
    }
}
