//! Statements: scopes, types of what is stored, loops (rules K21 and K26 to K37 of [`super`]).

use super::capabilities::Capabilities;
use super::code::BodyContext;
use super::report::DiagnosticSink;
use crate::dtype::{DType, Literal};
use crate::kir::*;

/// Nodes of the tree under one statement.
const MOST_NODES: u64 = 65536;
/// Levels of that tree.
const MOST_LEVELS: u32 = 200;
/// Levels of blocks.
const MOST_BLOCKS: usize = 48;

/// Checks the statements of a kernel, or of a helper function with its parameters and result.
pub(super) fn check(
    code: &BodyContext<'_>,
    types: &[Option<ValueType>],
    body: &[Stmt],
    function: Option<&Function>,
    capabilities: &Capabilities,
    report: &mut DiagnosticSink,
) {
    let (nodes, levels) = tree_sizes(code.exprs);
    let mut checker = Checker {
        code,
        types,
        capabilities,
        nodes,
        levels,
        scope: vec![false; code.vars.len()],
        bound: vec![false; code.vars.len()],
        counters: vec![false; code.vars.len()],
        seen: vec![0; code.exprs.len()],
        round: 0,
        loops: 0,
        depth: 0,
        report,
    };
    checker.report.nowhere();
    checker.report.inside = function.map(|function| function.name.clone());
    if let Some(function) = function {
        checker.parameters(function);
    }
    let bound_inside = checker.statements(body);
    if let Some(function) = function {
        match checker.operand(function.result) {
            Some(ty) if ty.lanes != 1 => checker.report.error("K37", "a helper function returns a scalar"),
            Some(_) | None => {}
        }
    } else if let Some(result) = code.kernel.result {
        checker.operand(result);
    }
    checker.leave(bound_inside);
    checker.report.nowhere();
}

/// Nodes and levels of the tree under each expression, where shared nodes count at each use.
fn tree_sizes(exprs: &[Expr]) -> (Vec<u64>, Vec<u32>) {
    let (mut nodes, mut levels) = (Vec::<u64>::new(), Vec::<u32>::new());
    for expr in exprs {
        let (mut count, mut height) = (1u64, 0u32);
        expr.visit_operands(&mut |id| {
            count = count.saturating_add(nodes.get(id.0 as usize).copied().unwrap_or(0));
            height = height.max(levels.get(id.0 as usize).copied().unwrap_or(0));
        });
        nodes.push(count);
        levels.push(height.saturating_add(1));
    }
    (nodes, levels)
}

struct Checker<'a, 'r> {
    code: &'a BodyContext<'a>,
    types: &'a [Option<ValueType>],
    capabilities: &'a Capabilities,
    nodes: Vec<u64>,
    levels: Vec<u32>,
    /// Bound here.
    scope: Vec<bool>,
    /// Bound anywhere so far.
    bound: Vec<bool>,
    /// Counts an open loop.
    counters: Vec<bool>,
    /// The last round in which an expression was walked.
    seen: Vec<u32>,
    round: u32,
    loops: usize,
    depth: usize,
    report: &'r mut DiagnosticSink,
}

impl Checker<'_, '_> {
    fn parameters(&mut self, function: &Function) {
        for (position, var) in function.params.iter().enumerate() {
            if var.0 as usize != position || position >= function.vars.len() {
                self.report.error("K37", "the parameters of a helper function are the first of its variables");
                continue;
            }
            self.bind(*var);
        }
        if function.vars.iter().any(|var| var.ty.lanes != 1) {
            self.report.error("K37", "a helper function works on scalars");
        }
    }

    /// A list of statements in a scope of its own; gives the variables that it bound, still in scope.
    fn statements(&mut self, body: &[Stmt]) -> Vec<VarId> {
        let mut mine = Vec::new();
        for stmt in body {
            self.report.at = crate::span::Span::NONE;
            mine.extend(self.statement(stmt));
        }
        mine
    }

    fn block(&mut self, body: &[Stmt]) {
        self.depth += 1;
        if self.depth > MOST_BLOCKS {
            self.report.error("K36", format!("blocks nest more than {MOST_BLOCKS} deep"));
        } else {
            let mine = self.statements(body);
            self.leave(mine);
        }
        self.depth -= 1;
    }

    fn leave(&mut self, vars: Vec<VarId>) {
        for var in vars {
            self.scope[var.0 as usize] = false;
        }
    }

    /// Checks one statement; gives the variable that it binds for those after it.
    fn statement(&mut self, stmt: &Stmt) -> Option<VarId> {
        match stmt {
            Stmt::Comment(_) => None,
            Stmt::Let(var, value) => {
                let ty = self.operand(*value);
                self.has_type(*var, ty);
                self.bind(*var)
            }
            Stmt::Assign(var, value) => {
                let ty = self.operand(*value);
                self.has_type(*var, ty);
                self.in_scope(*var);
                if self.counters.get(var.0 as usize) == Some(&true) {
                    self.report.error("K29", format!("`{}` counts a loop: it cannot be assigned to", self.name(*var)));
                }
                None
            }
            Stmt::Store { buffer, index, value } => {
                self.effect();
                self.index(*index);
                self.operand(*value);
                match self.code.kernel.params.get(buffer.0 as usize) {
                    Some(Param { kind: ParamKind::Buffer(_, Access::Write | Access::ReadWrite), .. }) => {}
                    Some(Param { kind: ParamKind::Buffer(_, Access::Read), name }) => {
                        self.report.error("K30", format!("`{name}` is an input: it cannot be written to"));
                    }
                    Some(Param { name, .. }) => self.report.error("K30", format!("`{name}` is not a buffer")),
                    None => self.report.error("K08", format!("there is no parameter {}", buffer.0)),
                }
                None
            }
            Stmt::StoreArray { array, index, value } => {
                self.effect();
                self.index(*index);
                if self.operand(*value).is_some_and(|ty| ty.lanes != 1) {
                    self.report.error("K28", "an element of an array is a scalar");
                }
                match self.code.kernel.arrays.get(array.0 as usize) {
                    Some(array) => self.code.index_in_range(array, *index, self.report),
                    None => self.report.error("K08", format!("there is no array {}", array.0)),
                }
                None
            }
            Stmt::For { var, start, end, step, body } => {
                self.for_loop(*var, [*start, *end, *step], body);
                None
            }
            Stmt::While { condition, body } => {
                self.condition(*condition);
                self.loops += 1;
                self.block(body);
                self.loops -= 1;
                None
            }
            Stmt::If { condition, then, otherwise } => {
                self.condition(*condition);
                self.block(then);
                self.block(otherwise);
                None
            }
            Stmt::Break | Stmt::Continue => {
                if self.loops == 0 {
                    self.report.error("K33", "`break` and `continue` stand inside a loop");
                }
                None
            }
            Stmt::Barrier { .. } => {
                self.effect();
                None
            }
            Stmt::Atomic { op, target, index, value, old } => {
                self.effect();
                self.index(*index);
                let ty = self.operand(*value);
                let element = self.atomic_element(*op, *target, *index);
                if let (Some(ty), Some(element)) = (ty, element)
                    && ty != ValueType::scalar(element)
                {
                    self.report.error("K35", format!("an atomic update of {element} takes {element}, found {ty}"));
                }
                old.and_then(|old| {
                    self.has_type(old, element.map(ValueType::scalar));
                    self.bind(old)
                })
            }
        }
    }

    fn for_loop(&mut self, var: VarId, bounds: [ExprId; 3], body: &[Stmt]) {
        let counter = self.code.vars.get(var.0 as usize).map(|var| var.ty);
        if let Some(ty) = counter
            && (ty.lanes != 1 || !ty.dtype.is_integer())
        {
            self.report.error("K31", format!("`{}` counts a loop and must be an integer, not {ty}", self.name(var)));
        }
        for bound in bounds {
            if let (Some(ty), Some(counter)) = (self.operand(bound), counter)
                && ty != counter
            {
                let name = self.name(var);
                self.report.error("K31", format!("`{name}` is {counter}, a bound or the step of its loop is {ty}"));
            }
        }
        if let Some(Expr::Literal(Literal::Int(step, _))) = self.code.exprs.get(bounds[2].0 as usize)
            && *step < 1
        {
            self.report.error("K31", format!("a loop's step is at least 1, not {step}"));
        }
        let bound = self.bind(var);
        if let Some(counter) = self.counters.get_mut(var.0 as usize) {
            *counter = true;
        }
        self.loops += 1;
        self.block(body);
        self.loops -= 1;
        self.leave(bound.into_iter().collect());
    }

    /// The element type of what an atomic operation updates.
    fn atomic_element(&mut self, op: AtomicOp, target: AtomicTarget, index: ExprId) -> Option<DType> {
        let (name, dtype) = match target {
            AtomicTarget::Buffer(buffer) => match self.code.kernel.params.get(buffer.0 as usize) {
                Some(Param { name, kind: ParamKind::Buffer(dtype, Access::ReadWrite) }) => (name, *dtype),
                Some(Param { name, .. }) => {
                    return self.report.fail("K35", format!("`{name}` is not a buffer that is read and written"));
                }
                None => return self.report.fail("K08", format!("there is no parameter {}", buffer.0)),
            },
            AtomicTarget::Local(array) => match self.code.kernel.arrays.get(array.0 as usize) {
                Some(array @ Array { name, space: Space::Local, dtype, .. }) => {
                    self.code.index_in_range(array, index, self.report);
                    (name, *dtype)
                }
                Some(Array { name, .. }) => {
                    return self.report.fail("K35", format!("`{name}` is private: nothing else updates it"));
                }
                None => return self.report.fail("K08", format!("there is no array {}", array.0)),
            },
        };
        if !op.takes(dtype) {
            return self.report.fail("K35", format!("there is no such atomic operation on {dtype} (`{name}`)"));
        }
        if matches!(dtype, DType::I64 | DType::F64) && !self.capabilities.int64_atomics {
            return self.report.fail("K35", format!("the device has no 64-bit atomic operations (`{name}`)"));
        }
        Some(dtype)
    }

    fn name(&self, var: VarId) -> &str {
        self.code.vars.get(var.0 as usize).map_or("?", |var| &var.name)
    }

    /// Only a kernel has effects.
    fn effect(&mut self) {
        if self.code.function.is_some() {
            self.report.error("K37", "a helper function is pure: it stores nothing and meets nobody");
        }
    }

    fn bind(&mut self, var: VarId) -> Option<VarId> {
        let position = var.0 as usize;
        match self.bound.get_mut(position) {
            None => self.report.fail("K08", format!("there is no variable {}", var.0)),
            Some(bound) => {
                if std::mem::replace(bound, true) {
                    self.report.error("K27", format!("`{}` is bound twice", self.name(var)));
                }
                self.scope[position] = true;
                Some(var)
            }
        }
    }

    fn in_scope(&mut self, var: VarId) {
        if self.scope.get(var.0 as usize) == Some(&false) {
            self.report.error("K27", format!("`{}` is not bound here", self.name(var)));
        }
    }

    fn has_type(&mut self, var: VarId, ty: Option<ValueType>) {
        match (self.code.vars.get(var.0 as usize), ty) {
            (Some(var), Some(ty)) if var.ty != ty => {
                self.report.error("K28", format!("`{}` is {}, its value is {ty}", var.name, var.ty));
            }
            (None, _) => self.report.error("K08", format!("there is no variable {}", var.0)),
            (Some(_), _) => {}
        }
    }

    fn condition(&mut self, id: ExprId) {
        if let Some(ty) = self.operand(id)
            && ty != ValueType::scalar(DType::Bool)
        {
            self.report.error("K32", format!("a condition is one truth value, found {ty}"));
        }
    }

    fn index(&mut self, id: ExprId) {
        if let Some(ty) = self.operand(id)
            && (ty.lanes != 1 || !matches!(ty.dtype, DType::U32 | DType::I32 | DType::I64))
        {
            self.report.error("K21", format!("an index is one u32, i32 or i64, found {ty}"));
        }
    }

    /// An expression that a statement uses: its tree is small enough and its variables are in scope.
    fn operand(&mut self, id: ExprId) -> Option<ValueType> {
        let position = id.0 as usize;
        if position >= self.code.exprs.len() {
            return self.report.fail("K08", format!("there is no expression {}", id.0));
        }
        self.report.at = match self.code.function {
            None => self.report.spans.get(position).copied().unwrap_or_default(),
            Some(_) => crate::span::Span::NONE,
        };
        if self.nodes[position] > MOST_NODES || self.levels[position] > MOST_LEVELS {
            self.report.error("K26", "the expression is too large");
            self.report.hint("bind shared or deep parts to variables");
        }
        self.round += 1;
        let mut open = vec![id];
        while let Some(id) = open.pop() {
            let (code, position) = (self.code, id.0 as usize);
            if position >= code.exprs.len() || std::mem::replace(&mut self.seen[position], self.round) == self.round {
                continue;
            }
            if let Expr::Var(var) = code.exprs[position] {
                self.in_scope(var);
            }
            code.exprs[position].visit_operands(&mut |id| open.push(id));
        }
        self.types[position]
    }
}
