//! Runs one group of a launch, as far as ids, numbers and large sizes tell what happens: [`super::local_race`].

use super::lanes::{self, LaneValue, Lanes};
use super::meetings::{Meeting, SharedElements, Touched};
use super::visit::visit;
use netcl_kernels::dim::Dim;
use netcl_kernels::dtype::Literal;
use netcl_kernels::graph::{BinaryOp, CompareOp};
use netcl_kernels::kir::{AtomicTarget, Expr, ExprId, Kernel, ParamKind, Space, Stmt, WorkItem};
use std::collections::HashMap;
use std::rc::Rc;

/// How many values of single work-items are computed at most: what is behind them is not judged.
const BUDGET: usize = 1 << 19;

/// How many rounds of another loop are run, behind which nothing is known of what its body changes.
const MOST_ROUNDS: usize = 128;

/// How many rounds of a loop over a size are tried: the end of one meets the beginning of the next.
const ROUNDS: usize = 2;

/// Whether a work-item comes to a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Here {
    Yes,
    No,
    Maybe,
}

type Mask = Rc<[Here]>;

/// The budget is spent.
struct Spent;

/// The group, and what has happened in it.
pub(super) struct Group<'a> {
    kernel: &'a Kernel,
    /// Where the text writes to local arrays.
    places: HashMap<*const Stmt, usize>,
    items: usize,
    vars: Vec<Lanes>,
    /// The local ones.
    arrays: Vec<Option<SharedElements>>,
    /// Of the loops around: who has left, the innermost last.
    left: Vec<Vec<Here>>,
    /// Whether sub-groups do anything together.
    lockstep: bool,
    budget: usize,
    meetings: Vec<Meeting>,
}

impl<'a> Group<'a> {
    pub(super) fn new(kernel: &'a Kernel, items: usize, places: HashMap<*const Stmt, usize>) -> Self {
        let arrays = kernel.arrays.iter().map(|array| {
            (array.space == Space::Local).then(|| SharedElements::zeros(Literal::of(0.0, array.dtype.compute())))
        });
        Group {
            kernel,
            places,
            items,
            vars: vec![Lanes::All(LaneValue::Any); kernel.vars.len()],
            arrays: arrays.collect(),
            left: Vec::new(),
            lockstep: kernel.exprs.iter().any(|expr| matches!(expr, Expr::SubGroup(..))),
            budget: BUDGET,
            meetings: Vec::new(),
        }
    }

    /// What meets where the group runs these statements.
    pub(super) fn meetings(mut self, body: &[Stmt]) -> Vec<Meeting> {
        let all: Mask = vec![Here::Yes; self.items].into();
        // What has been found before the budget was spent is sure.
        let _ = self.block(body, &all);
        self.meetings
    }

    fn spend(&mut self, cost: usize) -> Result<(), Spent> {
        self.budget = self.budget.checked_sub(cost).ok_or(Spent)?;
        Ok(())
    }

    /// All work-items wait for each other.
    fn meet(&mut self) {
        self.arrays.iter_mut().flatten().for_each(SharedElements::meet);
    }

    /// Runs the statements for these work-items; gives those that come to their end.
    fn block(&mut self, stmts: &[Stmt], mask: &Mask) -> Result<Mask, Spent> {
        let mut mask = mask.clone();
        for stmt in stmts {
            if mask.iter().all(|here| *here == Here::No) {
                break;
            }
            self.spend(1)?;
            mask = self.statement(stmt, mask)?;
        }
        Ok(mask)
    }

    fn statement(&mut self, stmt: &Stmt, mask: Mask) -> Result<Mask, Spent> {
        match stmt {
            Stmt::Comment(_) => {}
            Stmt::Barrier { .. } => self.meet(),
            Stmt::Let(var, value) => self.vars[var.0 as usize] = self.value(*value, &mask)?,
            Stmt::Assign(var, value) => {
                let value = self.value(*value, &mask)?;
                self.spend(self.items)?;
                self.assign(var.0 as usize, value, &mask);
            }
            Stmt::Store { index, value, .. } => {
                self.value(*index, &mask)?;
                self.value(*value, &mask)?;
            }
            Stmt::StoreArray { array, index, value } => {
                let index = self.value(*index, &mask)?;
                let value = self.value(*value, &mask)?;
                self.spend(self.items)?;
                let place = self.places.get(&std::ptr::from_ref(stmt)).copied();
                if let Some(place) = place {
                    self.store(array.0 as usize, place, [&index, &value], &mask);
                }
            }
            Stmt::Atomic { target, index, value, old, .. } => {
                self.value(*index, &mask)?;
                self.value(*value, &mask)?;
                if let AtomicTarget::Local(array) = target
                    && let Some(elements) = &mut self.arrays[array.0 as usize]
                {
                    elements.forget_content();
                }
                if let Some(old) = old {
                    self.vars[old.0 as usize] = Lanes::All(LaneValue::Any);
                }
            }
            Stmt::If { condition, then, otherwise } => return self.branches(*condition, [then, otherwise], mask),
            Stmt::For { var, start, end, step, body } => {
                let mut bounds = Vec::new();
                for bound in [start, end, step] {
                    bounds.push(self.value(*bound, &mask)?);
                }
                self.counted(var.0 as usize, &bounds, body, &mask)?;
            }
            Stmt::While { condition, body } => self.repeated(*condition, body, &mask)?,
            Stmt::Break => {
                let left = self.left.last_mut().into_iter().flatten();
                left.zip(mask.iter()).for_each(|(left, here)| match here {
                    Here::Yes => *left = Here::Yes,
                    Here::Maybe if *left == Here::No => *left = Here::Maybe,
                    _ => {}
                });
                return Ok(vec![Here::No; self.items].into());
            }
            Stmt::Continue => return Ok(vec![Here::No; self.items].into()),
        }
        Ok(mask)
    }

    fn assign(&mut self, var: usize, value: Lanes, mask: &Mask) {
        if mask.iter().all(|here| *here == Here::Yes) {
            self.vars[var] = value;
            return;
        }
        let before = &self.vars[var];
        let after = mask.iter().enumerate().map(|(item, here)| match (here, before.of(item), value.of(item)) {
            (Here::Yes, _, new) => new,
            (Here::No, old, _) => old,
            (Here::Maybe, old, new) => either(old, new),
        });
        self.vars[var] = Lanes::each(after);
    }

    fn store(&mut self, array: usize, place: usize, [index, value]: [&Lanes; 2], mask: &Mask) {
        let length = i64::from(self.kernel.arrays[array].length);
        let Some(elements) = &mut self.arrays[array] else { return };
        let (mut touched, mut unknown) = (Vec::new(), Vec::new());
        for (item, here) in mask.iter().enumerate().filter(|(_, here)| **here != Here::No) {
            match index.of(item).whole() {
                Some(element) if !(0..length).contains(&element) => {}
                Some(element) if *here == Here::Yes => touched.push((item, element, value.of(item))),
                element => unknown.push(element),
            }
        }
        self.meetings.extend(elements.writes(place, &touched));
        for element in unknown {
            match element {
                Some(element) => elements.forget_element(element),
                None => elements.forget_content(),
            }
        }
    }

    fn branches(&mut self, condition: ExprId, branches: [&[Stmt]; 2], mask: Mask) -> Result<Mask, Spent> {
        let condition = self.value(condition, &mask)?;
        self.spend(3 * self.items)?;
        let taken = [true, false].map(|wanted| narrowed(&mask, &condition, wanted));
        let after = [self.block(branches[0], &taken[0])?, self.block(branches[1], &taken[1])?];
        let joined = (0..self.items).map(|item| match condition.of(item).truth() {
            Some(truth) => after[usize::from(!truth)][item],
            // Whichever it is, the item comes out as it went in.
            None if !branches.iter().any(|branch| leaves(branch)) => mask[item],
            None if after[0][item] == Here::No && after[1][item] == Here::No => Here::No,
            None => Here::Maybe,
        });
        Ok(joined.collect())
    }

    /// A `for` loop of that start, end and step.
    fn counted(&mut self, var: usize, bounds: &[Lanes], body: &[Stmt], mask: &Mask) -> Result<(), Spent> {
        let [start, end, step] = bounds else { return Ok(()) };
        let mut ends = (0..self.items).filter(|item| mask[*item] != Here::No).map(|item| end.of(item));
        let large = ends.clone().all(|end| end == LaneValue::Large);
        let known =
            |lanes: &Lanes| (0..self.items).all(|item| mask[item] == Here::No || lanes.of(item).whole().is_some());
        if !known(start) || !known(step) || !large && ends.any(|end| end.whole().is_none()) {
            self.forget(body);
            return Ok(());
        }
        let (mut counter, mut mask, mut round) = (start.clone(), mask.clone(), 0);
        self.left.push(vec![Here::No; self.items]);
        let most = if large { ROUNDS } else { MOST_ROUNDS };
        while round < most {
            self.spend(3 * self.items)?;
            let inside = counter.zip(end, |counter, end| lanes::compare(CompareOp::Lt, counter, end));
            mask = narrowed(&mask, &inside, true);
            if mask.iter().all(|here| *here == Here::No) {
                break;
            }
            self.vars[var] = counter.clone();
            mask = self.round(body, mask)?;
            counter = counter.zip(step, |counter, step| lanes::binary(BinaryOp::Add, counter, step));
            round += 1;
        }
        self.left.pop();
        if round == most {
            self.forget(body);
        }
        Ok(())
    }

    /// A `while` loop.
    fn repeated(&mut self, condition: ExprId, body: &[Stmt], mask: &Mask) -> Result<(), Spent> {
        let (mut mask, mut round) = (mask.clone(), 0);
        self.left.push(vec![Here::No; self.items]);
        loop {
            self.spend(3 * self.items)?;
            let condition = self.value(condition, &mask)?;
            round += 1;
            if round > MOST_ROUNDS
                || (0..self.items).any(|item| mask[item] != Here::No && condition.of(item).truth().is_none())
            {
                self.forget(body);
                break;
            }
            mask = narrowed(&mask, &condition, true);
            if mask.iter().all(|here| *here == Here::No) {
                break;
            }
            mask = self.round(body, mask)?;
        }
        self.left.pop();
        Ok(())
    }

    /// One round of a loop; gives who may be in the next.
    fn round(&mut self, body: &[Stmt], mask: Mask) -> Result<Mask, Spent> {
        self.block(body, &mask)?;
        let left = self.left.last().into_iter().flatten();
        let next = mask.iter().zip(left).map(|(here, left)| match left {
            Here::Yes => Here::No,
            Here::Maybe if *here == Here::Yes => Here::Maybe,
            _ => *here,
        });
        Ok(next.collect())
    }

    /// What the rounds of a loop do of which nothing is known.
    fn forget(&mut self, body: &[Stmt]) {
        let mut orders = self.lockstep;
        visit(body, &mut |stmt| match stmt {
            Stmt::Let(var, _) | Stmt::Assign(var, _) => self.vars[var.0 as usize] = Lanes::All(LaneValue::Any),
            Stmt::For { var, .. } => self.vars[var.0 as usize] = Lanes::All(LaneValue::Any),
            Stmt::StoreArray { array, .. } => {
                self.arrays[array.0 as usize].iter_mut().for_each(SharedElements::forget_content);
            }
            Stmt::Atomic { target, old, .. } => {
                orders = true;
                if let AtomicTarget::Local(array) = target {
                    self.arrays[array.0 as usize].iter_mut().for_each(SharedElements::forget_content);
                }
                if let Some(old) = old {
                    self.vars[old.0 as usize] = Lanes::All(LaneValue::Any);
                }
            }
            Stmt::Barrier { .. } | Stmt::While { .. } => orders = true,
            _ => {}
        });
        if orders {
            self.meet();
        }
    }

    /// The value, for these work-items; what it reads of local arrays is noted.
    fn value(&mut self, id: ExprId, mask: &Mask) -> Result<Lanes, Spent> {
        let value = match self.kernel.expr(id) {
            Expr::Literal(value) => Lanes::All(LaneValue::Is(*value)),
            Expr::Var(var) => return Ok(self.vars[var.0 as usize].clone()),
            Expr::Param(param) => Lanes::All(match self.kernel.params[param.0 as usize].kind {
                ParamKind::Symbol | ParamKind::Size | ParamKind::WideSize => LaneValue::Large,
                _ => LaneValue::Any,
            }),
            Expr::WorkItem(item, dimension) => self.of_item(*item, usize::from(*dimension)),
            Expr::Unary(op, a) => self.value(*a, mask)?.map(|a| lanes::unary(*op, a)),
            Expr::Binary(op, a, b) => {
                let a = self.value(*a, mask)?;
                a.zip(&self.value(*b, mask)?, |a, b| lanes::binary(*op, a, b))
            }
            Expr::Compare(op, a, b) => {
                let a = self.value(*a, mask)?;
                a.zip(&self.value(*b, mask)?, |a, b| lanes::compare(*op, a, b))
            }
            Expr::Cast(to, a) => self.value(*a, mask)?.map(|a| lanes::cast(*to, a)),
            Expr::Select(condition, then, otherwise) => {
                let condition = self.value(*condition, mask)?;
                let then = self.value(*then, &narrowed(mask, &condition, true))?;
                let otherwise = self.value(*otherwise, &narrowed(mask, &condition, false))?;
                let chosen = |item: usize| match condition.of(item).truth() {
                    Some(true) => then.of(item),
                    Some(false) => otherwise.of(item),
                    None => either(then.of(item), otherwise.of(item)),
                };
                match (&condition, &then, &otherwise) {
                    (Lanes::All(_), Lanes::All(_), Lanes::All(_)) => Lanes::All(chosen(0)),
                    _ => Lanes::each((0..self.items).map(chosen)),
                }
            }
            Expr::Load { index, .. } => Lanes::All(self.value(*index, mask)?.loaded_at()),
            Expr::LoadArray { array, index } => {
                let index = self.value(*index, mask)?;
                self.spend(self.items)?;
                self.load(array.0 as usize, id, &index, mask);
                Lanes::All(LaneValue::Any)
            }
            other => {
                for operand in other.operands() {
                    self.value(operand, mask)?;
                }
                if matches!(other, Expr::SubGroup(..)) {
                    self.meet();
                }
                Lanes::All(LaneValue::Any)
            }
        };
        self.spend(if matches!(value, Lanes::All(_)) { 1 } else { self.items })?;
        Ok(value)
    }

    fn load(&mut self, array: usize, read: ExprId, index: &Lanes, mask: &Mask) {
        let length = i64::from(self.kernel.arrays[array].length);
        let Some(elements) = &mut self.arrays[array] else { return };
        let items = (0..self.items).filter(|item| mask[*item] == Here::Yes);
        let touched = items.filter_map(|item| index.of(item).whole().map(|element| (item, element)));
        let touched: Touched = touched.filter(|(_, element)| (0..length).contains(element)).collect();
        self.meetings.extend(elements.reads(read, &touched));
    }

    /// An id in the first group, or a size.
    fn of_item(&self, item: WorkItem, dimension: usize) -> Lanes {
        let local = &self.kernel.launch.local;
        let size = local.get(dimension).map_or(1, |size| i64::from(*size));
        let groups = match self.kernel.launch.global.get(dimension) {
            Some(global) => groups(global, size),
            None => LaneValue::number(1),
        };
        match item {
            WorkItem::GlobalId | WorkItem::LocalId => {
                let stride: usize = local.iter().take(dimension).map(|size| *size as usize).product();
                Lanes::each((0..self.items).map(|item| LaneValue::number((item / stride) as i64 % size)))
            }
            WorkItem::GroupId => Lanes::All(LaneValue::number(0)),
            WorkItem::LocalSize => Lanes::All(LaneValue::number(size)),
            WorkItem::NumGroups => Lanes::All(groups),
            WorkItem::GlobalSize => {
                let size = LaneValue::number(size);
                Lanes::All(lanes::binary(BinaryOp::Mul, groups, size))
            }
            WorkItem::SubGroupLane | WorkItem::SubGroupSize | WorkItem::SubGroupId => Lanes::All(LaneValue::Any),
        }
    }
}

/// How many groups of that size run along a dimension.
fn groups(global: &Dim, size: i64) -> LaneValue {
    let mut symbols = Vec::new();
    global.visit_symbols(&mut |symbol| symbols.push(symbol.clone()));
    match global.as_constant() {
        Some(items) => LaneValue::number((items + size - 1) / size),
        None if symbols.iter().any(|symbol| *global == Dim::symbol(symbol.name())) => LaneValue::Large,
        None => LaneValue::Any,
    }
}

/// Whether work-items may leave a round of the loop around in these statements.
fn leaves(stmts: &[Stmt]) -> bool {
    stmts.iter().any(|stmt| match stmt {
        Stmt::Break | Stmt::Continue => true,
        Stmt::If { then, otherwise, .. } => leaves(then) || leaves(otherwise),
        _ => false,
    })
}

/// The value where it is not known which of them it is.
fn either(a: LaneValue, b: LaneValue) -> LaneValue {
    if a == b && a != LaneValue::Own { a } else { LaneValue::Any }
}

/// Those of the work-items for which the condition is what is wanted.
fn narrowed(mask: &Mask, condition: &Lanes, wanted: bool) -> Mask {
    if let Lanes::All(value) = condition {
        match value.truth() {
            Some(truth) if truth == wanted => return mask.clone(),
            Some(_) => return vec![Here::No; mask.len()].into(),
            None => {}
        }
    }
    let narrow = |(item, here): (usize, &Here)| match (here, condition.of(item).truth()) {
        (Here::No, _) => Here::No,
        (here, Some(truth)) if truth == wanted => *here,
        (_, Some(_)) => Here::No,
        (_, None) => Here::Maybe,
    };
    mask.iter().enumerate().map(narrow).collect()
}
