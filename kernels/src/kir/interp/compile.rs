//! From kernel IR to instructions on registers.
//!
//! - A value that is the same for all work-items lives in a register of one value.
//! - Expressions without variables and memory are computed once: per launch where they are made of parameters alone,
//!   per block where they also contain ids.
//! - Within a statement equal expressions are computed once; its temporary registers are used again by the next one.

use super::extent::{Extents, analyse};
use super::program::{ExecMask, Extent, Info, Instr, Node, Reg};
use super::scope::{BlockKind, Scope};
use super::wide;
use crate::dtype::DType;
use crate::graph::ReduceOp;
use crate::kir::verify::VerifiedKernel;
use crate::kir::{Expr, ExprId, Kernel, SubGroupOp, ValueType, VarId, WorkItem};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// Registers from here on are temporaries of the statement being compiled, not yet placed.
pub(super) const TEMPORARY: Reg = 1 << 31;

/// A compiled kernel's code.
#[derive(Debug)]
pub(super) struct Bytecode {
    pub(super) registers: Vec<Info>,
    /// Runs once per launch.
    pub(super) launch: Vec<Instr>,
    /// Runs once per block of work-items.
    pub(super) block: Vec<Instr>,
    pub(super) body: Box<[Node]>,
    /// What the items of its blocks are.
    pub(super) kind: BlockKind,
    /// The most masks that are in use at once.
    pub(super) depth: usize,
}

/// Compiles for blocks of that kind; blocks of work-items become blocks of rounds where that pays.
pub(super) fn compile(verified: &VerifiedKernel<'_>, block: BlockKind) -> Bytecode {
    let kernel = verified.kernel();
    let mut scope = Scope {
        exprs: &kernel.exprs,
        types: verified.types(),
        vars: &kernel.vars,
        arrays: &kernel.arrays,
        body: &kernel.body,
        block,
    };
    if block == BlockKind::Items && wide::pays(kernel, scope) {
        scope.block = BlockKind::Rounds;
    }
    let mut shared = LoweredKernel { verified, kernel, code: Bytecode::new() };
    shared.code.kind = scope.block;
    let mut compiler = Compiler::new(&mut shared, scope, &[]);
    compiler.hoist = true;
    let body = compiler.block(scope.body);
    let LoweredKernel { mut code, .. } = shared;
    code.body = body;
    code.depth = depth(&code.body) + 1;
    code
}

impl Bytecode {
    fn new() -> Self {
        Bytecode {
            registers: Vec::new(),
            launch: Vec::new(),
            block: Vec::new(),
            body: Box::default(),
            kind: BlockKind::Items,
            depth: 0,
        }
    }
}

/// How many masks nested control flow needs.
fn depth(nodes: &[Node]) -> usize {
    nodes
        .iter()
        .map(|node| match node {
            Node::Code(code) => code.iter().map(call_depth).max().unwrap_or(0),
            Node::For(node) => 2 + depth(&node.body),
            Node::Wide(node) => depth(&node.body),
            Node::While { code, body, .. } => 2 + depth(body).max(code.iter().map(call_depth).max().unwrap_or(0)),
            Node::If { then, otherwise, .. } => 1 + depth(then).max(depth(otherwise)),
            _ => 0,
        })
        .max()
        .unwrap_or(0)
}

fn call_depth(instr: &Instr) -> usize {
    match instr {
        Instr::Call { body, .. } => 1 + depth(body),
        _ => 0,
    }
}

pub(super) struct LoweredKernel<'a> {
    pub(super) verified: &'a VerifiedKernel<'a>,
    pub(super) kernel: &'a Kernel,
    pub(super) code: Bytecode,
}

/// When an expression is computed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum HoistLevel {
    Launch,
    Block,
    Statement,
}

pub(super) struct Compiler<'s, 'a> {
    pub(super) shared: &'s mut LoweredKernel<'a>,
    pub(super) scope: Scope<'a>,
    pub(super) extents: Extents,
    pub(super) vars: Vec<Reg>,
    pub(super) levels: Vec<HoistLevel>,
    /// Whether an expression reads memory: then it is computed under a guard.
    reads: Vec<bool>,
    /// Whether expressions may be computed before the body.
    pub(super) hoist: bool,
    hoisted: FxHashMap<ExprId, Reg>,
    /// Variables that the rounds of the loop being compiled are folded into.
    pub(super) folding: BTreeSet<VarId>,
    /// Free registers, by type.
    pub(super) free: BTreeMap<Info, Vec<Reg>>,
    // Of the statement being compiled:
    sink: HoistLevel,
    pub(super) instrs: Vec<Instr>,
    pub(super) temporaries: Vec<Info>,
    pub(super) known: FxHashMap<(ExprId, Option<ExecMask>), Reg>,
}

impl<'s, 'a> Compiler<'s, 'a> {
    fn new(shared: &'s mut LoweredKernel<'a>, scope: Scope<'a>, params: &[VarId]) -> Self {
        let extents = analyse(scope, params);
        let mut compiler = Compiler {
            shared,
            scope,
            vars: Vec::new(),
            levels: Vec::new(),
            reads: Vec::new(),
            extents,
            hoist: false,
            hoisted: FxHashMap::default(),
            folding: BTreeSet::new(),
            free: BTreeMap::new(),
            sink: HoistLevel::Statement,
            instrs: Vec::new(),
            temporaries: Vec::new(),
            known: FxHashMap::default(),
        };
        for (position, var) in scope.vars.iter().enumerate() {
            let info = info(var.ty, compiler.extents.vars[position]);
            let reg = compiler.permanent(info);
            compiler.vars.push(reg);
        }
        compiler.classify();
        compiler
    }

    /// Fills `levels` and `reads`.
    fn classify(&mut self) {
        for expr in self.scope.exprs {
            let mut reads =
                matches!(expr, Expr::Load { .. } | Expr::LoadArray { .. } | Expr::Call(..) | Expr::SubGroup(..));
            let mut level = match expr {
                Expr::WorkItem(WorkItem::GlobalSize | WorkItem::LocalSize | WorkItem::NumGroups, _) => {
                    HoistLevel::Launch
                }
                Expr::WorkItem(..) => HoistLevel::Block,
                Expr::Var(_) => HoistLevel::Statement,
                _ if reads => HoistLevel::Statement,
                _ => HoistLevel::Launch,
            };
            expr.clone().map_operands(|id| {
                reads |= self.reads[id.0 as usize];
                level = level.max(self.levels[id.0 as usize]);
                id
            });
            self.reads.push(reads);
            self.levels.push(level);
        }
    }

    // ---- registers ----

    pub(super) fn permanent(&mut self, info: Info) -> Reg {
        self.shared.code.registers.push(info);
        self.shared.code.registers.len() as Reg - 1
    }

    pub(super) fn info(&self, reg: Reg) -> Info {
        match reg.checked_sub(TEMPORARY) {
            Some(temporary) => self.temporaries[temporary as usize],
            None => self.shared.code.registers[reg as usize],
        }
    }

    /// Appends an instruction that writes a new register.
    pub(super) fn push(&mut self, info: Info, instr: impl FnOnce(Reg) -> Instr) -> Reg {
        if self.sink == HoistLevel::Statement {
            self.temporaries.push(info);
            let reg = TEMPORARY + self.temporaries.len() as Reg - 1;
            self.instrs.push(instr(reg));
            reg
        } else {
            let reg = self.permanent(info);
            let list = if self.sink == HoistLevel::Launch {
                &mut self.shared.code.launch
            } else {
                &mut self.shared.code.block
            };
            list.push(instr(reg));
            reg
        }
    }

    /// The register, with values of its own for `extent` where it has fewer.
    pub(super) fn spread(&mut self, reg: Reg, ty: ValueType, extent: Extent) -> Reg {
        let own = self.info(reg);
        let wanted = info(ty, extent);
        if own.extent == wanted.extent && own.lanes == wanted.lanes {
            return reg;
        }
        self.push(wanted, |to| Instr::Spread(to, reg))
    }

    /// Operands of one elementwise instruction: each of one value, or of the result's length.
    fn level_operands(&mut self, regs: &[Reg], lanes: u8) -> (Vec<Reg>, Extent) {
        let extent = regs.iter().map(|&reg| self.info(reg).extent).max().unwrap_or(Extent::One);
        let regs = regs
            .iter()
            .map(|&reg| {
                let own = self.info(reg);
                if own.extent == Extent::One {
                    return reg;
                }
                self.spread(reg, ValueType { dtype: own.dtype, lanes }, extent)
            })
            .collect();
        (regs, extent)
    }

    // ---- expressions ----

    pub(super) fn expr(&mut self, id: ExprId, guard: ExecMask) -> Reg {
        let level = if self.hoist { self.levels[id.0 as usize] } else { HoistLevel::Statement };
        if level < HoistLevel::Statement {
            if let Some(&reg) = self.hoisted.get(&id) {
                return reg;
            }
            let outer = std::mem::replace(&mut self.sink, level);
            let reg = self.compute(id, ExecMask::Active);
            self.sink = outer;
            self.hoisted.insert(id, reg);
            return reg;
        }
        let key = (id, self.reads[id.0 as usize].then_some(guard));
        if let Some(&reg) = self.known.get(&key) {
            return reg;
        }
        let reg = self.compute(id, guard);
        self.known.insert(key, reg);
        reg
    }

    /// An elementwise instruction of one, two or three operands.
    fn elementwise(
        &mut self,
        ty: ValueType,
        operands: &[ExprId],
        guard: ExecMask,
        instr: impl FnOnce(Reg, &[Reg]) -> Instr,
    ) -> Reg {
        let regs: Vec<Reg> = operands.iter().map(|&id| self.expr(id, guard)).collect();
        let (regs, extent) = self.level_operands(&regs, ty.lanes);
        self.push(info(ty, extent), |to| instr(to, &regs))
    }

    fn compute(&mut self, id: ExprId, guard: ExecMask) -> Reg {
        let ty = self.scope.ty(id);
        let scope = self.scope;
        let one = info(ty, Extent::One);
        match scope.expr(id) {
            Expr::Literal(literal) => {
                let literal = *literal;
                self.push(one, |to| Instr::Literal(to, literal))
            }
            Expr::Param(param) => self.push(one, |to| Instr::Param(to, param.0)),
            Expr::Var(var) => self.vars[var.0 as usize],
            Expr::WorkItem(item, dimension) => {
                let extent = self.extents.exprs[id.0 as usize];
                self.push(info(ty, extent), |to| Instr::WorkItem(to, *item, *dimension))
            }
            Expr::LaneIds(..) => self.push(info(ty, Extent::Lanes), Instr::LaneIds),
            Expr::Unary(op, a) => self.elementwise(ty, &[*a], guard, |to, r| Instr::Unary(*op, to, r[0])),
            Expr::Binary(op, a, b) => {
                self.elementwise(ty, &[*a, *b], guard, |to, r| Instr::Binary(*op, to, r[0], r[1]))
            }
            Expr::MulAdd(a, b, c) => {
                self.elementwise(ty, &[*a, *b, *c], guard, |to, r| Instr::MulAdd(to, r[0], r[1], r[2]))
            }
            Expr::Compare(op, a, b) => {
                self.elementwise(ty, &[*a, *b], guard, |to, r| Instr::Compare(*op, to, r[0], r[1]))
            }
            Expr::Cast(dtype @ (DType::F16 | DType::BF16), a) => self.rounded(ty.lanes, *dtype, *a, guard),
            Expr::Cast(_, a) => self.elementwise(ty, &[*a], guard, |to, r| Instr::Cast(to, r[0])),
            Expr::Bitcast(_, a) => self.elementwise(ty, &[*a], guard, |to, r| Instr::Bitcast(to, r[0])),
            Expr::Select(condition, then, otherwise) => self.select(ty, [*condition, *then, *otherwise], guard),
            Expr::Splat(a, lanes) => {
                let a = self.expr(*a, guard);
                match self.info(a).extent {
                    Extent::One => a,
                    extent => self.spread(a, ValueType { dtype: ty.dtype, lanes: *lanes }, extent),
                }
            }
            Expr::Lane(a, lane) => {
                let a = self.expr(*a, guard);
                match self.info(a).extent {
                    Extent::One => a,
                    Extent::Lanes => self.push(one, |to| Instr::Lane(to, a, *lane)),
                    Extent::Items => self.push(info(ty, Extent::Items), |to| Instr::Lane(to, a, *lane)),
                }
            }
            Expr::Horizontal(op, a) => self.horizontal(ty, *op, *a, guard),
            Expr::Philox { counter, seed, stream } => self.philox(ty, [*counter, *seed], *stream, guard),
            Expr::Load { buffer, index, .. } => {
                let index = self.expr(*index, guard);
                let extent = match self.info(index).extent {
                    Extent::One if ty.lanes > 1 => Extent::Lanes,
                    extent => extent,
                };
                self.push(info(ty, extent), |to| Instr::Load { to, buffer: buffer.0, index, guard })
            }
            Expr::LoadArray { array, index } => {
                let extent = self.extents.exprs[id.0 as usize];
                let index = self.expr(*index, guard);
                // A local array read at one place gives one value; the index may still have been spread.
                self.push(info(ty, extent), |to| Instr::LoadArray { to, array: array.0, index, guard })
            }
            Expr::SubGroup(op, value, operand) => self.sub_group(ty, *op, *value, *operand, guard),
            Expr::Call(function, arguments) => self.call(ty, *function as usize, arguments, guard),
        }
    }

    /// A conversion to a storage type: the value as `f32`, rounded to what that type holds.
    fn rounded(&mut self, lanes: u8, to: DType, value: ExprId, guard: ExecMask) -> Reg {
        let single = ValueType { dtype: DType::F32, lanes };
        let value = self.expr(value, guard);
        let extent = self.info(value).extent;
        let value = match self.info(value).dtype {
            DType::F32 => value,
            _ => self.push(info(single, extent), |reg| Instr::Cast(reg, value)),
        };
        self.push(info(single, extent), |reg| Instr::Round(to, reg, value))
    }

    /// The lanes of a vector combined to one number.
    fn horizontal(&mut self, ty: ValueType, op: ReduceOp, vector: ExprId, guard: ExecMask) -> Reg {
        let lanes = self.scope.ty(vector).lanes;
        let vector = self.expr(vector, guard);
        let extent = self.info(vector).extent;
        let vector = match extent {
            Extent::One => self.spread(vector, ValueType { dtype: ty.dtype, lanes }, Extent::Lanes),
            Extent::Lanes | Extent::Items => vector,
        };
        let extent = if extent == Extent::Items { Extent::Items } else { Extent::One };
        self.push(info(ty, extent), |to| Instr::Horizontal(op, to, vector))
    }

    fn philox(&mut self, ty: ValueType, [counter, seed]: [ExprId; 2], stream: u32, guard: ExecMask) -> Reg {
        let (counter, seed) = (self.expr(counter, guard), self.expr(seed, guard));
        // The key is one number for all items; where it is not, each item has its own.
        let extent = self.info(counter).extent.max(self.info(seed).extent);
        let counter = match self.info(counter).extent {
            Extent::One => counter,
            _ => self.spread(counter, ValueType { dtype: DType::U32, lanes: ty.lanes }, extent),
        };
        self.push(info(ty, extent), |to| Instr::Philox { to, counter, seed, stream })
    }

    fn sub_group(
        &mut self,
        ty: ValueType,
        op: SubGroupOp,
        value: ExprId,
        operand: Option<ExprId>,
        guard: ExecMask,
    ) -> Reg {
        let value = self.expr(value, guard);
        let value = self.spread(value, ty, Extent::Items);
        let operand = operand.map(|operand| {
            let ty = self.scope.ty(operand);
            let operand = self.expr(operand, guard);
            self.spread(operand, ty, Extent::Items)
        });
        self.push(info(ty, Extent::Items), |to| Instr::SubGroup { op, to, value, operand, guard })
    }

    /// A selection; branches that read memory do so only where they are taken.
    fn select(&mut self, ty: ValueType, [condition, then, otherwise]: [ExprId; 3], guard: ExecMask) -> Reg {
        let test = self.expr(condition, guard);
        let branch = |compiler: &mut Self, id: ExprId, negate: bool| {
            if !compiler.reads[id.0 as usize] {
                return compiler.expr(id, guard);
            }
            let mask = Info { dtype: DType::Bool, lanes: 1, extent: Extent::Items };
            let narrowed = compiler.push(mask, |to| Instr::Narrow { to, guard, condition: test, negate });
            compiler.expr(id, ExecMask::Mask(narrowed))
        };
        let then = branch(self, then, false);
        let otherwise = branch(self, otherwise, true);
        // A scalar condition decides for all lanes of its item.
        let test_lanes = self.scope.ty(condition).lanes;
        let test = if test_lanes != ty.lanes && self.info(test).extent == Extent::Items {
            self.spread(test, ValueType { dtype: DType::Bool, lanes: ty.lanes }, Extent::Items)
        } else {
            test
        };
        let (regs, extent) = self.level_operands(&[test, then, otherwise], ty.lanes);
        self.push(info(ty, extent), |to| Instr::Select(to, regs[0], regs[1], regs[2]))
    }

    /// A call: the function's code with registers of its own.
    fn call(&mut self, ty: ValueType, position: usize, arguments: &[ExprId], guard: ExecMask) -> Reg {
        let values: Vec<(Reg, ValueType)> =
            arguments.iter().map(|&id| (self.expr(id, guard), self.scope.ty(id))).collect();
        let values: Vec<Reg> = values.into_iter().map(|(reg, ty)| self.spread(reg, ty, Extent::Items)).collect();
        let kernel = self.shared.kernel;
        let verified = self.shared.verified;
        let function = &kernel.functions[position];
        let scope = Scope {
            exprs: &function.exprs,
            types: verified.function_types(position),
            vars: &function.vars,
            arrays: &[],
            body: &function.body,
            block: self.scope.block,
        };
        let mut inner = Compiler::new(self.shared, scope, &function.params);
        let params: Vec<Reg> = function.params.iter().map(|param| inner.vars[param.0 as usize]).collect();
        let mut body = inner.block(scope.body).into_vec();
        inner.begin();
        let value = inner.expr(function.result, ExecMask::Active);
        let value = inner.spread(value, ty, Extent::Items);
        let (code, [value]) = inner.finish([value]);
        body.extend(code);
        for (param, value) in params.into_iter().zip(values) {
            // The argument's register is written here and read by the body alone.
            self.instrs.push(Instr::Cast(param, value));
        }
        let body = body.into_boxed_slice();
        self.push(info(ty, Extent::Items), |to| Instr::Call { to, body, result: value, guard })
    }
}

/// A register's type for values of `ty`; one value for all lanes has one lane.
pub(super) fn info(ty: ValueType, extent: Extent) -> Info {
    let lanes = if extent == Extent::One { 1 } else { ty.lanes };
    let extent = if extent == Extent::Lanes && lanes == 1 { Extent::One } else { extent };
    Info { dtype: ty.dtype.compute(), lanes, extent }
}
