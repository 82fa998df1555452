//! How much a kernel computes, where its text tells.

use super::verify::VerifiedKernel;
use super::{Expr, ExprId, Kernel, ParamKind, Stmt, ValueType, VarId, WorkItem};
use crate::dim::Dim;
use crate::dtype::Literal;
use crate::graph::{BinaryOp, UnaryOp};

/// Floating-point operations of a launch: one for each operation on each lane, two for a fused multiply-add, wherever a
/// statement evaluates it.
///
/// Loops are taken to start where the first work-item's do and to go round to their end, and of an `if` the costlier branch
/// counts. `None` where operations stand in a loop whose rounds are known only when it runs: a `while`, or an end that is no
/// size.
pub fn flops(kernel: &VerifiedKernel<'_>) -> Option<Dim> {
    let items = kernel.kernel().launch.global.iter().cloned().fold(Dim::constant(1), |items, axis| items * axis);
    let counter = Counter::new(kernel);
    Some(counter.block(&kernel.kernel().body)? * items)
}

struct Counter<'a> {
    kernel: &'a Kernel,
    /// The operations of each expression with all that it is made of; `None` where a function is called.
    each: Vec<Option<i64>>,
    /// What variables are that never change.
    values: Vec<Option<ExprId>>,
}

impl<'a> Counter<'a> {
    fn new(verified: &'a VerifiedKernel<'_>) -> Self {
        let kernel = verified.kernel();
        let mut each: Vec<Option<i64>> = Vec::with_capacity(kernel.exprs.len());
        for (expr, ty) in kernel.exprs.iter().zip(verified.types()) {
            let of = |id: &ExprId| each[id.0 as usize];
            let count = match expr {
                Expr::Call(..) => None,
                // One of the two is evaluated.
                Expr::Select(condition, a, b) => sum(of(condition), larger(of(a), of(b))),
                other => {
                    let own = own(other, *ty, verified.types());
                    other.operands().iter().try_fold(own, |all, id| sum(Some(all), of(id)))
                }
            };
            each.push(count);
        }
        let mut values = vec![None; kernel.vars.len()];
        let mut bound = vec![0; kernel.vars.len()];
        bindings(&kernel.body, &mut |var, value| {
            bound[var.0 as usize] += 1;
            values[var.0 as usize] = value.filter(|_| bound[var.0 as usize] == 1);
        });
        Counter { kernel, each, values }
    }

    fn expr(&self, id: ExprId) -> Option<Dim> {
        self.each[id.0 as usize].map(Dim::constant)
    }

    fn block(&self, statements: &[Stmt]) -> Option<Dim> {
        statements.iter().try_fold(Dim::default(), |all, statement| Some(all + self.statement(statement)?))
    }

    fn statement(&self, statement: &Stmt) -> Option<Dim> {
        let each = |ids: &[ExprId]| ids.iter().try_fold(Dim::default(), |all, id| Some(all + self.expr(*id)?));
        match statement {
            Stmt::Comment(_) | Stmt::Break | Stmt::Continue | Stmt::Barrier { .. } => Some(Dim::default()),
            Stmt::Let(_, value) | Stmt::Assign(_, value) => self.expr(*value),
            Stmt::Store { index, value, .. }
            | Stmt::StoreArray { index, value, .. }
            | Stmt::Atomic { index, value, .. } => each(&[*index, *value]),
            Stmt::For { start, end, step, body, .. } => {
                let inside = self.block(body)?;
                let before = each(&[*start, *end, *step])?;
                if inside.is(0) {
                    return Some(before);
                }
                Some(before + inside * self.rounds(*start, *end, *step)?)
            }
            Stmt::While { condition, body } => (self.expr(*condition)? + self.block(body)?).is(0).then(Dim::default),
            Stmt::If { condition, then, otherwise } => {
                let (then, otherwise) = (self.block(then)?, self.block(otherwise)?);
                let more = [(&then, &otherwise), (&otherwise, &then)]
                    .into_iter()
                    .find(|(more, less)| ((*more).clone() - (*less).clone()).never_negative());
                Some(self.expr(*condition)? + more?.0.clone())
            }
        }
    }

    /// How often a loop goes round.
    fn rounds(&self, start: ExprId, end: ExprId, step: ExprId) -> Option<Dim> {
        let distance = self.size(end, None)? - self.size(start, Some(0))?;
        let step =
            self.size(step, None)?.as_constant().and_then(|step| u64::try_from(step).ok()).filter(|step| *step > 0)?;
        Some(match distance.as_constant() {
            Some(distance) => Dim::constant(distance.max(0)).ceil_div(step),
            None => distance.ceil_div(step),
        })
    }

    /// An integer that is made of sizes and numbers, where a work-item's ids are `ids`.
    fn size(&self, id: ExprId, ids: Option<i64>) -> Option<Dim> {
        let launch = &self.kernel.launch;
        match self.kernel.expr(id) {
            Expr::Literal(Literal::Int(value, _)) => Some(Dim::constant(*value)),
            Expr::Param(param) => {
                let param = &self.kernel.params[param.0 as usize];
                matches!(param.kind, ParamKind::Symbol | ParamKind::Size | ParamKind::WideSize)
                    .then(|| Dim::symbol(&param.name))
            }
            Expr::Var(var) => self.size(self.values[var.0 as usize]?, ids),
            Expr::WorkItem(item, dimension) => match item {
                WorkItem::GlobalId
                | WorkItem::LocalId
                | WorkItem::GroupId
                | WorkItem::SubGroupLane
                | WorkItem::SubGroupId => ids.map(Dim::constant),
                WorkItem::LocalSize => {
                    launch.local.get(usize::from(*dimension)).map(|size| Dim::constant(i64::from(*size)))
                }
                WorkItem::GlobalSize | WorkItem::NumGroups | WorkItem::SubGroupSize => None,
            },
            Expr::Cast(to, a) if to.is_integer() => self.size(*a, ids),
            Expr::Binary(op, a, b) => {
                let (a, b) = (self.size(*a, ids)?, self.size(*b, ids)?);
                match op {
                    BinaryOp::Add => Some(a + b),
                    BinaryOp::Sub => Some(a - b),
                    BinaryOp::Mul => Some(a * b),
                    BinaryOp::Div => {
                        let divisor = b.as_constant().and_then(|value| u64::try_from(value).ok());
                        divisor.filter(|value| *value > 0 && a.never_negative()).map(|value| a.floor_div(value))
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }
}

/// Calls `each` for every statement that gives a variable a value; with `None` for what is no single expression.
fn bindings(statements: &[Stmt], each: &mut dyn FnMut(VarId, Option<ExprId>)) {
    for statement in statements {
        match statement {
            Stmt::Let(var, value) => each(*var, Some(*value)),
            Stmt::Assign(var, _) => each(*var, None),
            Stmt::Atomic { old, .. } => old.iter().for_each(|var| each(*var, None)),
            Stmt::For { var, body, .. } => {
                each(*var, None);
                bindings(body, each);
            }
            Stmt::While { body, .. } => bindings(body, each),
            Stmt::If { then, otherwise, .. } => {
                bindings(then, each);
                bindings(otherwise, each);
            }
            Stmt::Comment(_)
            | Stmt::Store { .. }
            | Stmt::StoreArray { .. }
            | Stmt::Break
            | Stmt::Continue
            | Stmt::Barrier { .. } => {}
        }
    }
}

/// The operations of an expression without its operands.
fn own(expr: &Expr, ty: ValueType, types: &[ValueType]) -> i64 {
    let lanes = |ty: ValueType| if ty.dtype.is_float() { i64::from(ty.lanes) } else { 0 };
    let of = |id: &ExprId| types[id.0 as usize];
    match expr {
        Expr::Unary(UnaryOp::Not, _) | Expr::Binary(BinaryOp::Shl | BinaryOp::Shr, ..) => 0,
        Expr::Unary(..) | Expr::Binary(..) => lanes(ty),
        Expr::MulAdd(..) => 2 * lanes(ty),
        Expr::Compare(_, a, _) => lanes(of(a)),
        Expr::Horizontal(_, a) => (lanes(of(a)) - 1).max(0),
        Expr::SubGroup(op, ..) => match op {
            super::SubGroupOp::ReduceAdd | super::SubGroupOp::ReduceMax | super::SubGroupOp::ReduceMin => lanes(ty),
            super::SubGroupOp::Broadcast | super::SubGroupOp::ShuffleXor => 0,
        },
        Expr::Literal(_)
        | Expr::Var(_)
        | Expr::Param(_)
        | Expr::WorkItem(..)
        | Expr::Select(..)
        | Expr::Cast(..)
        | Expr::Bitcast(..)
        | Expr::Load { .. }
        | Expr::LoadArray { .. }
        | Expr::Splat(..)
        | Expr::LaneIds(..)
        | Expr::Lane(..)
        | Expr::Philox { .. }
        | Expr::Call(..) => 0,
    }
}

fn sum(a: Option<i64>, b: Option<i64>) -> Option<i64> {
    // What is evaluated at each use grows with every level.
    a?.checked_add(b?)
}

fn larger(a: Option<i64>, b: Option<i64>) -> Option<i64> {
    Some(a?.max(b?))
}

#[cfg(test)]
mod tests {
    use crate::kir::text::parse;
    use crate::kir::verify::{Capabilities, verify};

    /// What is counted of a kernel over `N` work-items with these statements.
    fn counted(statements: &str) -> Option<String> {
        let text = format!(
            "kernel k\nlaunch [N] local [64]\nparam x: read f32\nparam y: write f32\nparam N: symbol\nparam C: symbol\n\
             var i: u32\nvar k: u32\nvar last: u32\nvar s: f32\nlet $i = global_id.0\nlet $s = 0.0f32\n{statements}\n"
        );
        let kernel = parse(&text).unwrap_or_else(|error| panic!("{error:?}\n{text}"));
        let verified =
            verify(&kernel, &Capabilities::unlimited()).unwrap_or_else(|errors| panic!("{errors:#?}\n{text}"));
        super::flops(&verified).map(|flops| flops.to_string())
    }

    #[test]
    fn operations_on_floats_count_where_they_are_evaluated() {
        assert_eq!(counted("store @y[$i] = exp(mul(load @x[mul($i, 2u32)], 3.0f32))").unwrap(), "N*2");
        assert_eq!(counted("if lt($i, @N) {\nstore @y[$i] = neg(load @x[$i])\n}").unwrap(), "N");
        assert_eq!(counted("store @y[$i] = select(lt(load @x[$i], 0.0f32), exp(exp($s)), sin($s))").unwrap(), "N*3");
        let sum = "set $s = add($s, mul(load @x[$k], load @x[$k]))\n}\nstore @y[$i] = $s";
        assert_eq!(counted(&format!("for $k in 0u32 .. @C step 1u32 {{\n{sum}")).unwrap(), "C*N*2");
        assert_eq!(
            counted(&format!("for $k in local_id.0 .. @C step 64u32 {{\n{sum}")).unwrap(),
            "N*((C + 63) / 64)*2"
        );
        let last = "let $last = div(@C, 4u32)\nfor $k in 2u32 .. add($last, 2u32) step local_size.0";
        assert_eq!(counted(&format!("{last} {{\n{sum}")).unwrap(), "N*((C + 252) / 256)*2");
    }

    #[test]
    fn what_the_text_does_not_tell_is_not_counted() {
        let body = "{\nset $s = add($s, 1.0f32)\n}\nstore @y[$i] = $s";
        assert_eq!(counted(&format!("while lt($s, 9.0f32) {body}")), None);
        assert_eq!(counted(&format!("for $k in 0u32 .. $i step 1u32 {body}")), None, "as many as the item's id");
        let changed = "let $last = 3u32\nset $last = add($last, $i)\n";
        assert_eq!(counted(&format!("{changed}for $k in 0u32 .. $last step 1u32 {body}")), None);
        // No operation on floats in it.
        assert_eq!(counted("let $k = 0u32\nwhile lt($k, 9u32) {\nset $k = add($k, 1u32)\n}").unwrap(), "0");
    }
}
