//! What stands at the end of a block or a branch, whose value it is.

use crate::parse;
use syn::{Block, Expr, Pat, Stmt};

/// The expression whose value a statement has: of an `if` or a `match` that of its first way that gives one.
pub(super) fn given_by(expr: &Expr) -> &Expr {
    match expr {
        Expr::Paren(inner) => given_by(&inner.expr),
        Expr::Block(block) => last_of(&block.block).map_or(expr, given_by),
        Expr::If(branch) => match (last_of(&branch.then_branch), &branch.else_branch) {
            (Some(last), _) => given_by(last),
            (None, Some((_, otherwise))) => given_by(otherwise),
            (None, None) => expr,
        },
        Expr::Match(given) => {
            let gives = |arm: &&syn::Arm| !matches!(*arm.body, Expr::Assign(_) | Expr::Tuple(_));
            given.arms.iter().find(gives).map_or(expr, |arm| given_by(&arm.body))
        }
        _ => expr,
    }
}

/// The expression at a block's end.
fn last_of(block: &Block) -> Option<&Expr> {
    match block.stmts.last() {
        Some(Stmt::Expr(last, None)) => Some(last),
        _ => None,
    }
}

/// Which of its statements is the `let` of the name that the block ends with, if that has no type of its own.
pub(super) fn names_value(block: &Block) -> Option<usize> {
    let Expr::Path(path) = last_of(block)? else { return None };
    let name = path.path.get_ident()?;
    block.stmts.iter().rposition(|statement| match statement {
        Stmt::Local(local) => matches!(&local.pat, Pat::Ident(own) if own.ident == *name && own.subpat.is_none()),
        _ => false,
    })
}

/// Whether it is an `if` of which one way has no value because nothing stands there.
pub(super) fn without_else(expr: &Expr) -> bool {
    match parse::unparenthesized(expr) {
        Expr::If(branch) => branch.else_branch.as_ref().is_none_or(|(_, otherwise)| without_else(otherwise)),
        _ => false,
    }
}
