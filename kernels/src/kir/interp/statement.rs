//! Statements of kernels as nodes of structured control flow.

use super::compile::{Compiler, HoistLevel, TEMPORARY, info};
use super::program::{ExecMask, Extent, ForLoop, Info, Instr, Node, Reg, WideLoop};
use super::scope::BlockKind;
use super::wide::{Fold, carried, fold};
use crate::kir::{ArrayId, ExprId, ParamId, ParamKind, Stmt, ValueType, VarId};

impl Compiler<'_, '_> {
    pub(super) fn block(&mut self, stmts: &[Stmt]) -> Box<[Node]> {
        let mut nodes = Vec::new();
        for stmt in stmts {
            self.stmt(stmt, &mut nodes);
        }
        nodes.into_boxed_slice()
    }

    /// The value in a register that nothing else writes while a loop runs.
    fn kept(&mut self, id: ExprId, nodes: &mut Vec<Node>) -> Reg {
        self.begin();
        let value = self.expr(id, ExecMask::Active);
        if self.hoist && self.levels[id.0 as usize] < HoistLevel::Statement {
            return value;
        }
        let kept = self.info(value);
        let swap = value >= TEMPORARY;
        let (code, [value]) = self.finish([value]);
        nodes.extend(code);
        let register = self.permanent(kept);
        nodes.push(Node::Set { variable: register, value, swap, masked: false });
        register
    }

    /// `variable = value`, `masked` where items that are not active hold a value that they still need.
    fn set(&mut self, variable: Reg, value: ExprId, masked: bool, nodes: &mut Vec<Node>) {
        self.begin();
        let value = self.expr(value, ExecMask::Active);
        let swap = value >= TEMPORARY && self.info(value) == self.info(variable);
        let (code, [value]) = self.finish([value]);
        nodes.extend(code);
        nodes.push(Node::Set { variable, value, swap, masked });
    }

    /// Folds the rounds of a widened loop into a variable.
    fn fold(&mut self, var: VarId, value: ExprId, nodes: &mut Vec<Node>) {
        let Some(kind) = fold(self.scope, var, value) else { return };
        let variable = self.vars[var.0 as usize];
        self.begin();
        match kind {
            Fold::Binary { op, value, first } => {
                let value = self.expr(value, ExecMask::Active);
                let (code, [value]) = self.finish([value]);
                nodes.extend(code);
                nodes.push(Node::Fold { variable, op, value, first });
            }
            Fold::Product(a, b) => {
                let (a, b) = (self.expr(a, ExecMask::Active), self.expr(b, ExecMask::Active));
                let (code, [a, b]) = self.finish([a, b]);
                nodes.extend(code);
                nodes.push(Node::FoldProduct { variable, a, b });
            }
        }
    }

    fn stmt(&mut self, stmt: &Stmt, nodes: &mut Vec<Node>) {
        match stmt {
            Stmt::Comment(_) => {}
            Stmt::Let(var, value) => self.set(self.vars[var.0 as usize], *value, false, nodes),
            Stmt::Assign(var, value) if self.folding.contains(var) => self.fold(*var, *value, nodes),
            Stmt::Assign(var, value) => {
                let variable = self.vars[var.0 as usize];
                let masked = self.info(variable).extent == Extent::Items;
                self.set(variable, *value, masked, nodes);
            }
            Stmt::Store { buffer, index, value } => self.store(*buffer, *index, *value, nodes),
            Stmt::StoreArray { array, index, value } => self.store_array(*array, *index, *value, nodes),
            Stmt::For { var, start, end, step, body } => self.for_loop(*var, [*start, *end, *step], body, nodes),
            Stmt::While { condition, body } => {
                self.begin();
                let condition = self.expr(*condition, ExecMask::Active);
                let (code, [condition]) = self.finish([condition]);
                let code = match code {
                    Some(Node::Code(code)) => code,
                    _ => Box::default(),
                };
                let body = self.block(body);
                nodes.push(Node::While { code, condition, body });
            }
            Stmt::If { condition, then, otherwise } => {
                // The condition is read again for the second branch, so the first must leave it alone.
                let condition = self.kept(*condition, nodes);
                let then = self.block(then);
                let otherwise = self.block(otherwise);
                nodes.push(Node::If { condition, then, otherwise });
            }
            Stmt::Break => nodes.push(Node::Break),
            Stmt::Continue => nodes.push(Node::Continue),
            Stmt::Barrier { .. } => nodes.push(Node::Barrier),
            Stmt::Atomic { op, target, index, value, old } => {
                let old = old.map(|var| self.vars[var.0 as usize]);
                let [index, value] = self.atomic_operands(*index, *value, nodes);
                nodes.push(Node::Atomic { op: *op, target: *target, index, value, old });
            }
        }
    }

    fn store(&mut self, buffer: ParamId, at: ExprId, stored: ExprId, nodes: &mut Vec<Node>) {
        self.begin();
        let lanes = self.scope.ty(stored).lanes;
        let index = self.expr(at, ExecMask::Active);
        let value = self.expr(stored, ExecMask::Active);
        let dtype = match self.shared.kernel.params[buffer.0 as usize].kind {
            ParamKind::Buffer(dtype, _) => dtype.compute(),
            _ => self.info(value).dtype,
        };
        let ty = ValueType { dtype, lanes };
        let value = if self.info(value).dtype == dtype {
            value
        } else {
            let converted = Info { dtype, ..self.info(value) };
            self.push(converted, |to| Instr::Cast(to, value))
        };
        let extent = match self.info(index).extent {
            Extent::One => self.info(value).extent,
            extent => extent,
        };
        let extent = if lanes > 1 { extent.max(Extent::Lanes) } else { extent };
        let value = self.spread(value, ty, extent);
        let index = match extent {
            Extent::Items => self.spread(index, self.scope.ty(at), Extent::Items),
            Extent::One | Extent::Lanes => index,
        };
        let (code, [index, value]) = self.finish([index, value]);
        nodes.extend(code);
        nodes.push(Node::Store { buffer: buffer.0, index, value, lanes });
    }

    fn store_array(&mut self, array: ArrayId, at: ExprId, stored: ExprId, nodes: &mut Vec<Node>) {
        self.begin();
        let index = self.expr(at, ExecMask::Active);
        let ty = ValueType::scalar(self.shared.kernel.arrays[array.0 as usize].dtype);
        let value = self.expr(stored, ExecMask::Active);
        let mut value = self.spread(value, self.scope.ty(stored), Extent::Items);
        if self.info(value).dtype != ty.dtype.compute() {
            value = self.push(info(ty, Extent::Items), |to| Instr::Cast(to, value));
        }
        if ty.dtype != ty.dtype.compute() {
            value = self.push(info(ty, Extent::Items), |to| Instr::Round(ty.dtype, to, value));
        }
        let (code, [index, value]) = self.finish([index, value]);
        nodes.extend(code);
        nodes.push(Node::StoreArray { array: array.0, index, value });
    }

    /// A loop over `start`, `end` and `step`: one round after the other, or all rounds at once where they only add up.
    fn for_loop(&mut self, var: VarId, [start, end, step]: [ExprId; 3], body: &[Stmt], nodes: &mut Vec<Node>) {
        let widened = match self.scope.block {
            BlockKind::Rounds => carried(self.scope, var, step, body),
            BlockKind::Items | BlockKind::Group => None,
        };
        if let Some(carried) = widened {
            let (start, end) = (self.kept(start, nodes), self.kept(end, nodes));
            let step = self.kept(step, nodes);
            self.folding = carried;
            let body = self.block(body);
            self.folding.clear();
            let counter = self.vars[var.0 as usize];
            nodes.push(Node::Wide(Box::new(WideLoop { counter, start, end, step, body })));
            return;
        }
        let counter = self.vars[var.0 as usize];
        let end = self.kept(end, nodes);
        let step = self.kept(step, nodes);
        self.set(counter, start, false, nodes);
        let body = self.block(body);
        nodes.push(Node::For(Box::new(ForLoop { counter, end, step, body })));
    }

    /// Index and value of an atomic operation, which each work-item does for itself.
    fn atomic_operands(&mut self, at: ExprId, operand: ExprId, nodes: &mut Vec<Node>) -> [Reg; 2] {
        self.begin();
        let (index, index_ty) = (self.expr(at, ExecMask::Active), self.scope.ty(at));
        let (value, value_ty) = (self.expr(operand, ExecMask::Active), self.scope.ty(operand));
        let index = self.spread(index, index_ty, Extent::Items);
        let value = self.spread(value, value_ty, Extent::Items);
        let (code, operands) = self.finish([index, value]);
        nodes.extend(code);
        operands
    }
}
