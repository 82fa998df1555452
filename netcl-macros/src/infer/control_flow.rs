//! The types of blocks, branches and loops, and of what leaves them.

use super::Inference;
use super::types::Type;
use syn::{Block, Expr, Stmt};

impl Inference<'_> {
    /// The type of what a block ends with.
    pub(super) fn block(&mut self, block: &Block) -> Type {
        let outside = self.locals.len();
        let mut value = Type::UNIT;
        for statement in &block.stmts {
            value = match statement {
                Stmt::Local(local) => {
                    self.local(local);
                    Type::UNIT
                }
                Stmt::Expr(expr, end) => match (self.expr(expr, None), end) {
                    (value, None) => value,
                    (Type::Never, Some(_)) => Type::Never,
                    _ => Type::UNIT,
                },
                Stmt::Item(_) | Stmt::Macro(_) => Type::UNIT,
            };
        }
        self.locals.truncate(outside);
        value
    }

    fn local(&mut self, local: &syn::Local) {
        let ty = self.types.any();
        if let Some(init) = &local.init {
            let value = self.expr(&init.expr, None);
            if let Some((_, otherwise)) = &init.diverge {
                self.expr(otherwise, None);
            }
            match self.types.resolved(&value) {
                Type::Unknown => return self.bind(&local.pat, &Type::Unknown),
                _ => self.types.unify(&ty, &value),
            }
        }
        self.bind(&local.pat, &ty);
    }

    /// The type of a block, a branch, a loop, or of what leaves them.
    pub(super) fn control_flow(&mut self, expr: &Expr) -> Type {
        match expr {
            Expr::Block(block) => self.block(&block.block),
            Expr::If(branch) => {
                let outside = self.locals.len();
                self.expr(&branch.cond, None);
                let then = self.block(&branch.then_branch);
                self.locals.truncate(outside);
                match &branch.else_branch {
                    Some((_, otherwise)) => {
                        let otherwise = self.expr(otherwise, None);
                        self.types.joined(then, otherwise)
                    }
                    None => Type::UNIT,
                }
            }
            // A condition, whose names are seen until its branch ends.
            Expr::Let(given) => {
                let value = self.expr(&given.expr, None);
                self.bind(&given.pat, &value);
                Type::BOOL
            }
            Expr::Match(given) => {
                let value = self.expr(&given.expr, None);
                let outside = self.locals.len();
                let mut all = Type::Never;
                for arm in &given.arms {
                    self.bind(&arm.pat, &value);
                    let own = self.expr(&arm.body, None);
                    all = self.types.joined(all, own);
                    self.locals.truncate(outside);
                }
                all
            }
            Expr::ForLoop(each) => {
                let items = self.expr(&each.expr, None);
                let item = self.item(&items);
                let outside = self.locals.len();
                self.bind(&each.pat, &item);
                self.rounds(each.label.as_ref(), &each.body);
                self.locals.truncate(outside);
                Type::UNIT
            }
            Expr::While(each) => {
                let outside = self.locals.len();
                self.expr(&each.cond, None);
                self.rounds(each.label.as_ref(), &each.body);
                self.locals.truncate(outside);
                Type::UNIT
            }
            Expr::Loop(each) => self.rounds(each.label.as_ref(), &each.body),
            Expr::Break(given) => {
                let value = given.expr.as_ref().map_or(Type::UNIT, |value| self.expr(value, None));
                let label = given.label.as_ref().map(ToString::to_string);
                let left = self.loops.iter().rfind(|(own, _)| label.is_none() || *own == label).cloned();
                if let Some((_, left)) = left {
                    self.types.unify(&left, &value);
                }
                Type::Never
            }
            Expr::Continue(_) => Type::Never,
            Expr::Return(given) => {
                let value = given.expr.as_ref().map_or(Type::UNIT, |value| self.expr(value, None));
                if let Some(returned) = self.returned.last().cloned() {
                    self.types.unify(&returned, &value);
                }
                Type::Never
            }
            _ => Type::Unknown,
        }
    }

    /// The rounds of a loop, and what it is left with.
    fn rounds(&mut self, label: Option<&syn::Label>, body: &Block) -> Type {
        let left = self.types.any();
        self.loops.push((label.map(|label| label.name.to_string()), left.clone()));
        self.block(body);
        self.loops.pop();
        left
    }
}
