//! What is written of emitted Rust so far: its lines, its names, and what is known of its expressions.

use crate::kir::verify::VerifiedKernel;
use crate::kir::*;
use std::collections::BTreeMap;

/// Names of the expressions that are bound in a stretch of code.
pub(super) type Region = BTreeMap<ExprId, String>;

/// Writes one kernel or helper function.
pub(super) struct Writer<'a> {
    pub(super) verified: &'a VerifiedKernel<'a>,
    pub(super) exprs: &'a [Expr],
    pub(super) types: &'a [ValueType],
    pub(super) vars: &'a [Var],
    /// Variables that some statement assigns to.
    pub(super) assigned: Vec<bool>,
    /// Whether an expression reads memory or calls: then it is computed only where it is wanted.
    pub(super) reads: Vec<bool>,
    /// Names of expressions that are bound already, innermost region last.
    pub(super) regions: Vec<Region>,
    pub(super) out: String,
    pub(super) level: usize,
    /// Numbers of the loops that are open, innermost last.
    pub(super) loops: Vec<usize>,
    pub(super) next_loop: usize,
}

impl<'a> Writer<'a> {
    /// To write `body`, whose expressions and variables these are.
    pub(super) fn new(
        verified: &'a VerifiedKernel<'a>,
        body: &[Stmt],
        exprs: &'a [Expr],
        vars: &'a [Var],
        types: &'a [ValueType],
        level: usize,
    ) -> Self {
        let mut reads: Vec<bool> = Vec::with_capacity(exprs.len());
        for expr in exprs {
            let mut own = matches!(expr, Expr::Load { .. } | Expr::LoadArray { .. } | Expr::Call(..));
            expr.visit_operands(&mut |id| own |= reads[id.0 as usize]);
            reads.push(own);
        }
        let mut writer = Writer {
            verified,
            exprs,
            types,
            vars,
            assigned: vec![false; vars.len()],
            reads,
            regions: Vec::new(),
            out: String::new(),
            level,
            loops: Vec::new(),
            next_loop: 0,
        };
        writer.note_assigned(body);
        writer
    }

    fn note_assigned(&mut self, stmts: &[Stmt]) {
        for stmt in stmts {
            match stmt {
                Stmt::Assign(var, _) => self.assigned[var.0 as usize] = true,
                Stmt::For { body, .. } | Stmt::While { body, .. } => self.note_assigned(body),
                Stmt::If { then, otherwise, .. } => {
                    self.note_assigned(then);
                    self.note_assigned(otherwise);
                }
                _ => {}
            }
        }
    }

    pub(super) fn var(&self, var: VarId) -> String {
        format!("{}_{}", plain(&self.vars[var.0 as usize].name), var.0)
    }

    pub(super) fn param(&self, param: ParamId) -> String {
        format!("{}_p{}", plain(&self.verified.kernel().params[param.0 as usize].name), param.0)
    }

    pub(super) fn array(&self, array: ArrayId) -> String {
        format!("{}_a{}", plain(&self.verified.kernel().arrays[array.0 as usize].name), array.0)
    }

    /// How faults name an array: behind the parameters.
    pub(super) fn array_number(&self, array: ArrayId) -> usize {
        self.verified.kernel().params.len() + array.0 as usize
    }

    pub(super) fn line(&mut self, code: &str) {
        self.out.push_str(&"    ".repeat(self.level));
        self.out.push_str(code);
        self.out.push('\n');
    }
}

/// The type of a value.
pub(super) fn type_name(ty: ValueType) -> String {
    match ty.lanes {
        1 => ty.dtype.compute().name().to_string(),
        lanes => format!("h::V<{}, {lanes}>", ty.dtype.compute().name()),
    }
}

/// The Rust name of a helper function.
pub(super) fn function_name(kernel: &Kernel, position: u32) -> String {
    format!("{}_f{position}", plain(&kernel.functions[position as usize].name))
}

/// The letters of a name that every Rust identifier may have.
fn plain(name: &str) -> String {
    let name: String =
        name.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' }).collect();
    let name = name.trim_start_matches(|c: char| c.is_ascii_digit()).to_string();
    if name.is_empty() { "v".to_string() } else { name }
}
