//! Statements of OpenCL C.

use super::opencl_layout::{comment, wrap};
use super::opencl_program::Program;
use super::opencl_types::c_type;
use crate::dtype::Literal;
use crate::identifier::Namer;
use crate::kir::verify::VerifiedKernel;
use crate::kir::visit::visit;
use crate::kir::*;

/// Writes the statements of one kernel or helper function.
pub(super) struct Body<'a, 'p> {
    pub(super) program: &'p mut Program,
    pub(super) verified: &'a VerifiedKernel<'a>,
    pub(super) exprs: &'a [Expr],
    pub(super) vars: &'a [Var],
    pub(super) types: &'a [ValueType],
    /// Names of the kernel's parameters.
    pub(super) params: Vec<String>,
    /// Names of the kernel's arrays.
    pub(super) arrays: Vec<String>,
    names: Namer,
    var_names: Vec<String>,
    /// Variables that some statement assigns to.
    assigned: Vec<bool>,
    /// Variables that some statement reads.
    read: Vec<bool>,
    /// Variables that hold index arithmetic alone, as far as they are bound.
    pub(super) index_vars: Vec<bool>,
    /// The smallest values of variables that hold sizes, as far as they are bound.
    pub(super) least_vars: Vec<Option<i64>>,
    /// How many of the lowest bits of variables are 0, as far as they are bound.
    pub(super) zeros_of_vars: Vec<u32>,
    text: String,
    level: usize,
}

impl<'a, 'p> Body<'a, 'p> {
    pub(super) fn kernel(program: &'p mut Program, verified: &'a VerifiedKernel<'a>) -> Self {
        let kernel = verified.kernel();
        let mut body = Body::new(program, verified, &kernel.exprs, &kernel.vars, verified.types());
        body.params = kernel.params.iter().map(|param| body.names.name(&param.name)).collect();
        body.arrays = kernel.arrays.iter().map(|array| body.names.name(&array.name)).collect();
        body.note_uses(&kernel.body, kernel.result);
        body
    }

    fn function(program: &'p mut Program, verified: &'a VerifiedKernel<'a>, position: usize) -> Self {
        let function = &verified.kernel().functions[position];
        let types = verified.function_types(position);
        let mut body = Body::new(program, verified, &function.exprs, &function.vars, types);
        body.note_uses(&function.body, Some(function.result));
        body
    }

    fn new(
        program: &'p mut Program,
        verified: &'a VerifiedKernel<'a>,
        exprs: &'a [Expr],
        vars: &'a [Var],
        types: &'a [ValueType],
    ) -> Self {
        let names = Namer::within(&program.globals);
        Body {
            program,
            verified,
            exprs,
            vars,
            types,
            params: Vec::new(),
            arrays: Vec::new(),
            names,
            var_names: vec![String::new(); vars.len()],
            assigned: vec![false; vars.len()],
            read: vec![false; vars.len()],
            index_vars: vec![false; vars.len()],
            least_vars: vec![None; vars.len()],
            zeros_of_vars: vec![0; vars.len()],
            text: String::new(),
            level: 1,
        }
    }

    /// Notes which variables are assigned to and which are read.
    fn note_uses(&mut self, body: &[Stmt], result: Option<ExprId>) {
        let mut roots: Vec<ExprId> = result.into_iter().collect();
        let assigned = &mut self.assigned;
        visit(body, &mut |stmt| {
            if let Stmt::Assign(var, _) = stmt {
                assigned[var.0 as usize] = true;
            }
            roots.extend(operands(stmt));
        });
        let mut seen = vec![false; self.exprs.len()];
        while let Some(id) = roots.pop() {
            if std::mem::replace(&mut seen[id.0 as usize], true) {
                continue;
            }
            if let Expr::Var(var) = self.exprs[id.0 as usize] {
                self.read[var.0 as usize] = true;
            }
            self.exprs[id.0 as usize].visit_operands(&mut |operand| roots.push(operand));
        }
    }

    pub(super) fn expr(&self, id: ExprId) -> &'a Expr {
        &self.exprs[id.0 as usize]
    }

    pub(super) fn ty(&self, id: ExprId) -> ValueType {
        self.types[id.0 as usize]
    }

    /// Gives a variable its name.
    pub(super) fn declare(&mut self, var: VarId) -> String {
        let name = self.names.name(&self.vars[var.0 as usize].name);
        self.var_names[var.0 as usize].clone_from(&name);
        name
    }

    pub(super) fn var_name(&self, var: VarId) -> &str {
        &self.var_names[var.0 as usize]
    }

    pub(super) fn kernel_body(mut self) -> String {
        let kernel = self.verified.kernel();
        self.statements(&kernel.body);
        self.return_value(kernel.result);
        self.text
    }

    fn function_body(mut self, function: &Function) -> String {
        self.statements(&function.body);
        self.return_value(Some(function.result));
        self.text
    }

    /// The name of a user's function that is called, whose definition is then in the program.
    pub(super) fn function_name(&mut self, position: usize) -> String {
        let kernel = self.verified.kernel();
        let (name, undefined) = self.program.called(kernel, position);
        if undefined {
            let (function, types) = (&kernel.functions[position], self.verified.function_types(position));
            let mut body = Body::function(self.program, self.verified, position);
            let declare = |&var: &VarId| format!("{} {}", c_type(function.vars[var.0 as usize].ty), body.declare(var));
            let params: Vec<String> = function.params.iter().map(declare).collect();
            let params = if params.is_empty() { "void".to_string() } else { params.join(", ") };
            let result = c_type(types[function.result.0 as usize]);
            let head = wrap(&format!("static inline {result} {name}({params}) {{"), "");
            let text = format!("{head}{}}}\n", body.function_body(function));
            self.program.definitions.push(text);
        }
        name
    }

    fn return_value(&mut self, result: Option<ExprId>) {
        if let Some(result) = result {
            let result = self.value(result);
            self.line(&format!("return {result};"));
        }
    }

    fn line(&mut self, code: &str) {
        let indent = "    ".repeat(self.level);
        self.text.push_str(&wrap(code, &indent));
    }

    /// Statements between braces: names that they bind are free again behind them.
    fn block(&mut self, body: &[Stmt]) {
        let names = self.names.clone();
        self.level += 1;
        self.statements(body);
        self.level -= 1;
        self.names = names;
    }

    fn statements(&mut self, body: &[Stmt]) {
        for stmt in body {
            self.statement(stmt);
        }
    }

    fn statement(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Comment(text) => {
                let lines = comment(text, &"    ".repeat(self.level));
                self.text.push_str(&lines);
            }
            Stmt::Let(var, value) => {
                let position = var.0 as usize;
                // What nobody reads has no effect.
                if !self.read[position] && !self.assigned[position] {
                    return;
                }
                self.index_vars[position] = !self.assigned[position] && self.is_index(*value);
                self.least_vars[position] = self.smallest(*value).filter(|_| !self.assigned[position]);
                self.zeros_of_vars[position] = if self.assigned[position] { 0 } else { self.low_zeros(*value) };
                let value = self.initialiser(*value);
                let constant = if self.assigned[position] { "" } else { "const " };
                let (ty, name) = (c_type(self.vars[position].ty), self.declare(*var));
                self.line(&format!("{constant}{ty} {name} = {value};"));
            }
            Stmt::Assign(var, value) => {
                let update = self.update(*value, |own, a| *own.expr(a) == Expr::Var(*var));
                let line = format!("{} {update};", self.var_name(*var));
                self.line(&line);
            }
            Stmt::Store { buffer, index, value } => {
                let line = self.store(*buffer, *index, *value);
                self.line(&line);
            }
            Stmt::StoreArray { array, index, value } => {
                let line = self.store_array(*array, *index, *value);
                self.line(&line);
            }
            Stmt::For { var, start, end, step, body } => self.for_loop(*var, [*start, *end, *step], body),
            Stmt::While { condition, body } => {
                let condition = self.value(*condition);
                self.line(&format!("while ({condition}) {{"));
                self.block(body);
                self.line("}");
            }
            Stmt::If { condition, then, otherwise } => self.if_else("", *condition, then, otherwise),
            Stmt::Break => self.line("break;"),
            Stmt::Continue => self.line("continue;"),
            Stmt::Barrier { global: false } => self.line("barrier(CLK_LOCAL_MEM_FENCE);"),
            Stmt::Barrier { global: true } => self.line("barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);"),
            Stmt::Atomic { op, target, index, value, old } => {
                let update = self.atomic(*op, *target, *index, *value);
                match old {
                    Some(var) if self.read[var.0 as usize] || self.assigned[var.0 as usize] => {
                        let (ty, name) = (c_type(self.vars[var.0 as usize].ty), self.declare(*var));
                        let constant = if self.assigned[var.0 as usize] { "" } else { "const " };
                        self.line(&format!("{constant}{ty} {name} = {update};"));
                    }
                    _ => self.line(&format!("{update};")),
                }
            }
        }
    }

    fn if_else(&mut self, prefix: &str, condition: ExprId, then: &[Stmt], otherwise: &[Stmt]) {
        if then.is_empty() && otherwise.is_empty() && prefix.is_empty() {
            return;
        }
        if then.is_empty() && !otherwise.is_empty() {
            let condition = self.negated(condition).code;
            self.line(&format!("{prefix}if ({condition}) {{"));
            self.block(otherwise);
            return self.line("}");
        }
        let condition = self.value(condition);
        self.line(&format!("{prefix}if ({condition}) {{"));
        self.block(then);
        match otherwise {
            [] => self.line("}"),
            [Stmt::If { condition, then, otherwise }] => self.if_else("} else ", *condition, then, otherwise),
            _ => {
                self.line("} else {");
                self.block(otherwise);
                self.line("}");
            }
        }
    }

    fn for_loop(&mut self, var: VarId, [start, end, step]: [ExprId; 3], body: &[Stmt]) {
        let outside = self.names.clone();
        let ty = self.vars[var.0 as usize].ty;
        self.index_vars[var.0 as usize] = self.is_index(start);
        self.zeros_of_vars[var.0 as usize] = self.low_zeros(start).min(self.low_zeros(step));
        let start = self.initialiser(start);
        // Bounds are evaluated once.
        let hint = self.vars[var.0 as usize].name.clone();
        let once = |own: &mut Self, id: ExprId, what: &str| {
            if own.is_stable(id) {
                return None;
            }
            let (name, value) = (own.names.name(&format!("{hint}_{what}")), own.initialiser(id));
            own.line(&format!("const {} {name} = {value};", c_type(ty)));
            Some(name)
        };
        let (end_name, step_name) = (once(self, end, "end"), once(self, step, "step"));
        let end = end_name.clone().unwrap_or_else(|| self.bound(end));
        let advance = match self.expr(step) {
            Expr::Literal(Literal::Int(1, _)) => None,
            _ => Some(step_name.clone().unwrap_or_else(|| self.initialiser(step))),
        };
        let name = self.declare(var);
        let advance = advance.map_or(format!("++{name}"), |step| format!("{name} += {step}"));
        self.line(&format!("for ({} {name} = {start}; {name} < {end}; {advance}) {{", c_type(ty)));
        self.block(body);
        self.line("}");
        self.names = outside;
        // The bounds' names stay declared behind the loop.
        for name in [end_name, step_name].into_iter().flatten() {
            self.names.reserve(&name);
        }
    }

    /// Whether an expression has the same value throughout: made of literals, parameters, ids and constants.
    fn is_stable(&self, id: ExprId) -> bool {
        let stable = match self.expr(id) {
            Expr::Load { .. } | Expr::LoadArray { .. } | Expr::Call(..) | Expr::SubGroup(..) => false,
            Expr::Var(var) => !self.assigned[var.0 as usize],
            _ => true,
        };
        let mut operands = true;
        if stable {
            self.expr(id).visit_operands(&mut |operand| operands = operands && self.is_stable(operand));
        }
        stable && operands
    }
}

/// The expressions that a statement uses itself.
fn operands(stmt: &Stmt) -> Vec<ExprId> {
    match stmt {
        Stmt::Comment(_) | Stmt::Break | Stmt::Continue | Stmt::Barrier { .. } => Vec::new(),
        Stmt::Let(_, value) | Stmt::Assign(_, value) => vec![*value],
        Stmt::Store { index, value, .. } | Stmt::StoreArray { index, value, .. } => vec![*index, *value],
        Stmt::For { start, end, step, .. } => vec![*start, *end, *step],
        Stmt::While { condition, .. } | Stmt::If { condition, .. } => vec![*condition],
        Stmt::Atomic { index, value, .. } => vec![*index, *value],
    }
}

/// The address space of an array.
pub(super) fn space_name(space: Space) -> &'static str {
    match space {
        Space::Local => "__local",
        Space::Private => "__private",
    }
}
