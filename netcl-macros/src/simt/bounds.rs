//! Indices that stay inside what they index. A kernel is called from safe code and its launch is rounded up to whole
//! groups, so any index may be outside: such a read gives zero, and such a write is left out. Of a vector that is partly outside
//! each element is read or written by itself.

use super::size::size_of;
use super::state::Simt;
use crate::ast::Constant;
use netcl_kernels::dim::Dim;
use netcl_kernels::dtype::DType;
use netcl_kernels::graph::{BinaryOp, CompareOp};
use netcl_kernels::kir::{ExprId, Stmt, ValueType, VarId};

/// A position, and what has to hold where it is used: `None` if it always does.
#[derive(Clone, Copy)]
pub(super) struct GuardedIndex {
    pub(super) index: ExprId,
    pub(super) inside: Option<ExprId>,
}

impl Simt<'_> {
    /// That `index` is below `size`, unless the text tells that it is.
    pub(super) fn below(&mut self, index: ExprId, size: &Dim) -> Option<ExprId> {
        if self.unchecked || size.as_constant().is_some_and(|size| self.range(index).1 < size) {
            return None;
        }
        let size = size_of(&mut self.builder, size);
        // A size is at least 1.
        if self.facts.contains(&(index, size)) || self.range(index).1 < self.range(size).0 {
            return None;
        }
        Some(self.builder.compare(CompareOp::Lt, index, size))
    }

    /// That both hold.
    pub(super) fn both(&mut self, a: Option<ExprId>, b: Option<ExprId>) -> Option<ExprId> {
        match (a, b) {
            (Some(a), Some(b)) => Some(self.builder.binary(BinaryOp::And, a, b)),
            (a, b) => a.or(b),
        }
    }

    /// A position from which `lanes` elements of a buffer of those dimensions are taken.
    pub(super) fn lanes_at(&mut self, buffer: usize, index: ExprId, lanes: u8) -> GuardedIndex {
        if self.unchecked {
            return GuardedIndex { index, inside: None };
        }
        let index = self.position_once(index);
        let elements = self.elements(buffer);
        let lanes = self.literal(Constant::Integer(i64::from(lanes)), DType::U32);
        // Without sums: the position is any number.
        let enough = self.builder.compare(CompareOp::Le, lanes, elements);
        let last = self.builder.binary(BinaryOp::Sub, elements, lanes);
        let before = self.builder.compare(CompareOp::Le, index, last);
        GuardedIndex { index, inside: self.both(Some(enough), Some(before)) }
    }

    /// What `read` gives inside, zero outside.
    pub(super) fn read(
        &mut self,
        name: &str,
        place: GuardedIndex,
        ty: ValueType,
        read: impl FnOnce(&mut Self, ExprId) -> ExprId,
    ) -> ExprId {
        self.read_or(name, place, ty, read, |_, _| Vec::new())
    }

    /// What `read` gives inside; where it is not, zero and what `otherwise` puts into the variable.
    fn read_or(
        &mut self,
        name: &str,
        place: GuardedIndex,
        ty: ValueType,
        read: impl FnOnce(&mut Self, ExprId) -> ExprId,
        otherwise: impl FnOnce(&mut Self, VarId) -> Vec<Stmt>,
    ) -> ExprId {
        let Some(condition) = place.inside else { return read(self, place.index) };
        let zero = if ty.dtype == DType::Bool { Constant::Bool(false) } else { Constant::Integer(0) };
        let zero = self.literal(zero, ty.dtype);
        let zero = self.builder.splat(zero, ty.lanes);
        let var = self.builder.bind(name, zero);
        self.builder.open();
        let value = read(self, place.index);
        self.builder.assign(var, value);
        let then = self.builder.close();
        let otherwise = otherwise(self, var);
        self.builder.stmt(Stmt::If { condition, then, otherwise });
        self.builder.get(var)
    }

    /// What `write` adds, inside only.
    pub(super) fn write(&mut self, place: GuardedIndex, write: impl FnOnce(&mut Self, ExprId)) {
        let Some(condition) = place.inside else { return write(self, place.index) };
        self.builder.open();
        write(self, place.index);
        let then = self.builder.close();
        self.builder.stmt(Stmt::If { condition, then, otherwise: Vec::new() });
    }

    /// How many elements a buffer has.
    fn elements(&mut self, buffer: usize) -> ExprId {
        let elements = self.buffers[buffer].dims.iter().fold(Dim::constant(1), |product, dim| product * dim.clone());
        size_of(&mut self.builder, &elements)
    }

    /// Several neighbours, zero where they are outside.
    pub(super) fn read_lanes(&mut self, name: &str, buffer: usize, place: GuardedIndex, ty: ValueType) -> ExprId {
        let param = self.buffers[buffer].param;
        let read = |this: &mut Self, index| this.builder.load(param, index, ty.lanes);
        self.read_or(name, place, ty, read, |this, var| {
            this.each_inside(buffer, place.index, ty.lanes, |this, index, lane| {
                let one = this.builder.load(param, index, 1);
                let ids = this.builder.lane_ids(DType::U32, ty.lanes);
                let wanted = this.literal(Constant::Integer(i64::from(lane)), DType::U32);
                let wanted = this.builder.splat(wanted, ty.lanes);
                let (is_it, one) =
                    (this.builder.compare(CompareOp::Eq, ids, wanted), this.builder.splat(one, ty.lanes));
                let before = this.builder.get(var);
                let value = this.builder.select(is_it, one, before);
                this.builder.assign(var, value);
            })
        })
    }

    /// Writes neighbours, those that are inside; gives how many statements write.
    pub(super) fn write_lanes(&mut self, buffer: usize, place: GuardedIndex, value: ExprId) -> usize {
        let param = self.buffers[buffer].param;
        let Some(condition) = place.inside else {
            self.builder.store(param, place.index, value);
            return 1;
        };
        let (lanes, value) = (self.ty(value).lanes, self.once("values", value));
        self.builder.open();
        self.builder.store(param, place.index, value);
        let then = self.builder.close();
        let mut statements = 1;
        let otherwise = self.each_inside(buffer, place.index, lanes, |this, index, lane| {
            let one = this.builder.lane(value, lane);
            this.builder.store(param, index, one);
            statements += 1;
        });
        self.builder.stmt(Stmt::If { condition, then, otherwise });
        statements
    }

    /// What is done with each of `lanes` neighbours from `index` on that is inside, where one is not.
    fn each_inside(
        &mut self,
        buffer: usize,
        index: ExprId,
        lanes: u8,
        mut each: impl FnMut(&mut Self, ExprId, u8),
    ) -> Vec<Stmt> {
        // Of a position of another type it is said what is wrong.
        if self.ty(index).dtype != DType::U32 {
            return Vec::new();
        }
        self.builder.open();
        let elements = self.elements(buffer);
        let condition = self.builder.compare(CompareOp::Lt, index, elements);
        self.builder.open();
        let rest = self.builder.binary(BinaryOp::Sub, elements, index);
        let rest = self.once("rest", rest);
        each(self, index, 0);
        for lane in 1..lanes - 1 {
            let number = self.literal(Constant::Integer(i64::from(lane)), DType::U32);
            let condition = self.builder.compare(CompareOp::Lt, number, rest);
            self.builder.open();
            let index = self.builder.binary(BinaryOp::Add, index, number);
            each(self, index, lane);
            let then = self.builder.close();
            self.builder.stmt(Stmt::If { condition, then, otherwise: Vec::new() });
        }
        let then = self.builder.close();
        self.builder.stmt(Stmt::If { condition, then, otherwise: Vec::new() });
        self.builder.close()
    }
}
