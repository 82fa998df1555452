//! Walks over a kernel's statements.

use netcl_kernels::kir::Stmt;

/// Calls `see` for every statement, also those within others.
pub(super) fn visit<'k>(stmts: &'k [Stmt], see: &mut dyn FnMut(&'k Stmt)) {
    for stmt in stmts {
        see(stmt);
        match stmt {
            Stmt::For { body, .. } | Stmt::While { body, .. } => visit(body, see),
            Stmt::If { then, otherwise, .. } => [then, otherwise].into_iter().for_each(|branch| visit(branch, see)),
            _ => {}
        }
    }
}
