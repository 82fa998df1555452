//! Walks over statements.

use super::Stmt;

/// Calls `see` for every statement, outer before inner.
pub(crate) fn visit(body: &[Stmt], see: &mut dyn FnMut(&Stmt)) {
    for stmt in body {
        see(stmt);
        match stmt {
            Stmt::For { body, .. } | Stmt::While { body, .. } => visit(body, see),
            Stmt::If { then, otherwise, .. } => {
                visit(then, see);
                visit(otherwise, see);
            }
            Stmt::Comment(_)
            | Stmt::Let(..)
            | Stmt::Assign(..)
            | Stmt::Store { .. }
            | Stmt::StoreArray { .. }
            | Stmt::Break
            | Stmt::Continue
            | Stmt::Barrier { .. }
            | Stmt::Atomic { .. } => {}
        }
    }
}
