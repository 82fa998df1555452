//! Runs compiled code over one block of work-items in lockstep.
//!
//! A mask says which items are active. Arithmetic is done for all of them, since it cannot fail; memory is touched,
//! and variables are changed, by the active ones alone. As every statement is finished for all items before the next
//! begins, barriers order memory by themselves; what is left is to check that all items of a group reach them.

use super::memory::{Scalar, SliceMut};
use super::ops::{Operation, philox};
use super::program::{Extent, ForLoop, Guard, Info, Instr, Node, Reg};
use super::values::{Values, pair};
use super::{Fault, Launch, Value};
use crate::dtype::{DType, Literal};
use crate::graph::{BinaryOp, ReduceOp};
use crate::kir::{AtomicTarget, Space, SubGroupOp, WorkItem};
use half::{bf16, f16};

/// Work-items of one sub-group; the last one of a group may have fewer.
const SUB_GROUP: usize = 32;

/// Which items are active.
#[derive(Clone, Debug)]
pub(super) struct Mask {
    /// All of them; `bits` may be anything then.
    all: bool,
    /// At least one of them.
    any: bool,
    bits: Vec<bool>,
}

/// How a list of statements ended.
type Flow = Result<(), Fault>;

/// One thread's registers.
pub(super) struct State<'l, 'a> {
    pub(super) launch: &'l Launch<'a>,
    pub(super) registers: Vec<Values>,
    pub(super) masks: Vec<Mask>,
    /// Local and private arrays; private element `e` of item `i` is at `e * items + i`.
    pub(super) arrays: Vec<Values>,
    /// Of the current block.
    pub(super) items: usize,
    /// Of the current block: its first item's position in the index space, or its group.
    pub(super) start: usize,
    pub(super) indices: Vec<usize>,
    pub(super) halves: Vec<u16>,
    /// Masks from here up to the current one lose items that `break`, and from one further those that `continue`.
    loops: Vec<usize>,
}

impl<'l, 'a> State<'l, 'a> {
    pub(super) fn new(launch: &'l Launch<'a>) -> Self {
        let code = &launch.program.code;
        let items = launch.items;
        let mask = Mask { all: true, any: true, bits: vec![true; items] };
        let arrays = launch.program.kernel.arrays.iter().map(|array| {
            let copies = if array.space == Space::Private { items } else { 1 };
            Values::new(array.dtype.compute(), array.length as usize * copies)
        });
        let mut state = State {
            launch,
            registers: code.registers.iter().map(|info| Values::new(info.dtype, info.length(items))).collect(),
            masks: vec![mask; code.depth + 1],
            arrays: arrays.collect(),
            items,
            start: 0,
            indices: Vec::with_capacity(items),
            halves: Vec::new(),
            loops: Vec::new(),
        };
        for instr in &code.launch {
            // Only literals, parameters, sizes and arithmetic: nothing that can fail.
            let _ = state.instr(instr, 0);
        }
        state
    }

    /// Runs one block: `items` work-items from `start` on, or the group of that number.
    pub(super) fn block(&mut self, start: usize, items: usize) -> Flow {
        let code = &self.launch.program.code;
        (self.start, self.items) = (start, items);
        self.masks[0].all = true;
        self.masks[0].any = true;
        self.loops.clear();
        for instr in &code.block {
            self.instr(instr, 0)?;
        }
        self.nodes(&code.body, 0)
    }

    pub(super) fn info(&self, reg: Reg) -> Info {
        self.launch.program.code.registers[reg as usize]
    }

    pub(super) fn length(&self, reg: Reg) -> usize {
        self.info(reg).length(self.items)
    }

    // ---- control flow ----

    fn nodes(&mut self, nodes: &[Node], depth: usize) -> Flow {
        for node in nodes {
            self.node(node, depth)?;
            if !self.masks[depth].any {
                break;
            }
        }
        Ok(())
    }

    fn code(&mut self, code: &[Instr], depth: usize) -> Flow {
        for instr in code {
            self.instr(instr, depth)?;
        }
        Ok(())
    }

    fn node(&mut self, node: &Node, depth: usize) -> Flow {
        match node {
            Node::Code(code) => self.code(code, depth)?,
            Node::Set { variable, value, swap, masked } => self.set(*variable, *value, *swap, *masked, depth),
            Node::Store { buffer, index, value, lanes } => self.store(*buffer, *index, *value, *lanes, depth)?,
            Node::StoreArray { array, index, value } => self.store_array(*array, *index, *value, depth)?,
            Node::For(node) => self.for_loop(node, depth)?,
            Node::While { code, condition, body } => self.while_loop(code, *condition, body, depth)?,
            Node::If { condition, then, otherwise } => {
                if self.info(*condition).extent == Extent::One {
                    let taken = self.registers[*condition as usize].bools(1) == [true];
                    return self.nodes(if taken { then } else { otherwise }, depth);
                }
                self.narrow(depth, *condition, false);
                if self.masks[depth + 1].any {
                    self.nodes(then, depth + 1)?;
                }
                if !otherwise.is_empty() {
                    self.narrow(depth, *condition, true);
                    if self.masks[depth + 1].any {
                        self.nodes(otherwise, depth + 1)?;
                    }
                }
            }
            Node::Break => self.leave(depth, 0),
            Node::Continue => self.leave(depth, 1),
            Node::Barrier => {
                let mask = &self.masks[depth];
                if !mask.all && mask.bits[..self.items].iter().any(|active| !active) {
                    let active = mask.bits[..self.items].iter().filter(|active| **active).count();
                    return Err(self.launch.fault_barrier(active, self.items));
                }
            }
            Node::Atomic { op, target, index, value, old } => {
                for item in 0..self.items {
                    if !self.active(Guard::Active, item, depth) {
                        continue;
                    }
                    let position = self.registers[*index as usize].integer(item);
                    let operand = scalar(&self.registers[*value as usize], item);
                    let before = match target {
                        AtomicTarget::Buffer(buffer) => self.atomic_buffer(*op, buffer.0, position, operand, item)?,
                        AtomicTarget::Local(array) => self.atomic_array(*op, array.0, position, operand, item)?,
                    };
                    if let Some(old) = old {
                        put_scalar(&mut self.registers[*old as usize], item, before);
                    }
                }
            }
        }
        Ok(())
    }

    /// Makes the mask above `depth` the items of it for which `condition` holds (or does not).
    fn narrow(&mut self, depth: usize, condition: Reg, negate: bool) {
        let condition = self.registers[condition as usize].bools(self.items);
        let (below, above) = self.masks.split_at_mut(depth + 1);
        let (outer, inner) = (&below[depth], &mut above[0]);
        let (mut all, mut any) = (true, false);
        for (position, (bit, &condition)) in inner.bits.iter_mut().zip(condition).enumerate() {
            *bit = (condition != negate) & (outer.all | outer.bits[position]);
            all &= *bit;
            any |= *bit;
        }
        (inner.all, inner.any) = (all, any);
    }

    /// The active items leave the innermost loop (`skip` 0), or its round (1).
    fn leave(&mut self, depth: usize, skip: usize) {
        let Some(&base) = self.loops.last() else { return };
        let first = (base + skip).min(depth);
        let (below, current) = self.masks.split_at_mut(depth);
        let current = &mut current[0];
        for mask in &mut below[first..] {
            if mask.all {
                mask.bits[..self.items].fill(true);
                mask.all = false;
            }
            mask.any = false;
            for (position, bit) in mask.bits[..self.items].iter_mut().enumerate() {
                *bit &= !(current.all | current.bits[position]);
                mask.any |= *bit;
            }
        }
        (current.all, current.any) = (false, false);
        current.bits[..self.items].fill(false);
    }

    /// Copies the mask at `depth` one further.
    fn enter(&mut self, depth: usize) {
        let (below, above) = self.masks.split_at_mut(depth + 1);
        let (outer, inner) = (&below[depth], &mut above[0]);
        (inner.all, inner.any) = (outer.all, outer.any);
        if !outer.all {
            inner.bits[..self.items].copy_from_slice(&outer.bits[..self.items]);
        }
    }

    /// The loop's items are in the mask at `depth + 1`, those of the round in the next one.
    fn for_loop(&mut self, node: &ForLoop, depth: usize) -> Flow {
        let one = |state: &Self, reg: Reg| state.registers[reg as usize].integer(0);
        self.enter(depth);
        self.loops.push(depth + 1);
        let uniform = [node.counter, node.end, node.step].iter().all(|&reg| self.info(reg).extent == Extent::One);
        let result = loop {
            if uniform {
                if one(self, node.counter) >= one(self, node.end) {
                    break Ok(());
                }
            } else {
                self.keep_below(depth + 1, node.counter, node.end);
            }
            if !self.masks[depth + 1].any {
                break Ok(());
            }
            self.enter(depth + 1);
            if let Err(fault) = self.nodes(&node.body, depth + 2) {
                break Err(fault);
            }
            if let Err(fault) = self.advance(node.counter, node.end, node.step, depth + 1) {
                break Err(fault);
            }
        };
        self.loops.pop();
        result
    }

    /// Takes items out of the mask at `depth` whose counter is not below its end.
    fn keep_below(&mut self, depth: usize, counter: Reg, end: Reg) {
        let mask = &mut self.masks[depth];
        if mask.all {
            mask.bits[..self.items].fill(true);
        }
        let (one_counter, one_end) = (is_one(self.launch, counter), is_one(self.launch, end));
        let (counter, end) = (&self.registers[counter as usize], &self.registers[end as usize]);
        let (mut all, mut any) = (true, false);
        for (item, bit) in mask.bits[..self.items].iter_mut().enumerate() {
            *bit &= counter.integer(if one_counter { 0 } else { item }) < end.integer(if one_end { 0 } else { item });
            all &= *bit;
            any |= *bit;
        }
        (mask.all, mask.any) = (all, any);
    }

    /// `counter += step`. A counter that would wrap ends its loop: it is set to the end.
    fn advance(&mut self, counter: Reg, end: Reg, step: Reg, depth: usize) -> Flow {
        let count = self.length(counter);
        for item in 0..count {
            let (one_end, one_step) = (is_one(self.launch, end), is_one(self.launch, step));
            let step = self.registers[step as usize].integer(if one_step { 0 } else { item });
            let end = self.registers[end as usize].integer(if one_end { 0 } else { item });
            let active = count == 1 || self.masks[depth].all || self.masks[depth].bits[item];
            if step < 1 && active {
                return Err(self.launch.fault_step(step));
            }
            let now = self.registers[counter as usize].integer(item);
            // Past the end of an end that differs from item to item a shared counter may not stop early.
            let next = if one_end || count > 1 { now.saturating_add(step).min(end) } else { now.saturating_add(step) };
            self.registers[counter as usize].set_integer(item, next);
        }
        Ok(())
    }

    fn while_loop(&mut self, code: &[Instr], condition: Reg, body: &[Node], depth: usize) -> Flow {
        self.enter(depth);
        self.loops.push(depth + 1);
        let result = loop {
            if let Err(fault) = self.code(code, depth + 1) {
                break Err(fault);
            }
            if self.info(condition).extent == Extent::One {
                if self.registers[condition as usize].bools(1) != [true] {
                    break Ok(());
                }
                self.enter(depth + 1);
            } else {
                self.narrow(depth + 1, condition, false);
                // Who leaves stays out.
                let (below, above) = self.masks.split_at_mut(depth + 2);
                let (alive, round) = (&mut below[depth + 1], &above[0]);
                (alive.all, alive.any) = (round.all, round.any);
                alive.bits[..self.items].copy_from_slice(&round.bits[..self.items]);
            }
            if !self.masks[depth + 1].any {
                break Ok(());
            }
            if let Err(fault) = self.nodes(body, depth + 2) {
                break Err(fault);
            }
            if !self.masks[depth + 1].any {
                break Ok(());
            }
        };
        self.loops.pop();
        result
    }

    fn set(&mut self, variable: Reg, value: Reg, swap: bool, masked: bool, depth: usize) {
        let mask = &self.masks[depth];
        if swap && (!masked || mask.all) {
            self.registers.swap(variable as usize, value as usize);
            return;
        }
        if variable == value {
            return;
        }
        let mut to = std::mem::replace(&mut self.registers[variable as usize], Values::taken());
        let (info, from) = (self.info(variable), self.info(value));
        if masked && !mask.all {
            let lanes = usize::from(info.lanes);
            pair!(&mut to, &self.registers[value as usize], to, values => {
                for (item, to) in to[..self.items * lanes].chunks_exact_mut(lanes).enumerate() {
                    if mask.bits[item] {
                        for (lane, to) in to.iter_mut().enumerate() {
                            *to = values[position(from, item, lane)];
                        }
                    }
                }
            });
        } else {
            spread(&mut to, info, &self.registers[value as usize], from, self.items);
        }
        self.registers[variable as usize] = to;
    }

    // ---- instructions ----

    fn instr(&mut self, instr: &Instr, depth: usize) -> Flow {
        match instr {
            Instr::Unary(op, to, a) => self.compute(*to, |s, out| Operation::Unary(*op, out, s.slice(*a))),
            Instr::Binary(op, to, a, b) => {
                self.compute(*to, |s, out| Operation::Binary(*op, out, s.slice(*a), s.slice(*b)));
            }
            Instr::MulAdd(to, a, b, c) => {
                self.compute(*to, |s, out| Operation::MulAdd(out, s.slice(*a), s.slice(*b), s.slice(*c)));
            }
            Instr::Shift(left, to, a, b) => {
                self.compute(*to, |s, out| Operation::Shift(*left, out, s.slice(*a), s.slice(*b)));
            }
            Instr::Compare(op, to, a, b) => {
                let mut out = std::mem::replace(&mut self.registers[*to as usize], Values::taken());
                let truths = out.bools_mut(self.length(*to));
                (self.launch.engine)(Operation::Compare(*op, truths, self.slice(*a), self.slice(*b)));
                self.registers[*to as usize] = out;
            }
            Instr::Select(to, condition, a, b) => self.compute(*to, |s, out| {
                let condition = s.registers[*condition as usize].bools(s.length(*condition));
                Operation::Select(out, condition, s.slice(*a), s.slice(*b))
            }),
            Instr::Cast(to, a) => self.compute(*to, |s, out| Operation::Cast(out, s.slice(*a))),
            Instr::Bitcast(to, a) => self.compute(*to, |s, out| Operation::Bitcast(out, s.slice(*a))),
            Instr::Round(dtype, to, a) => self.round(*dtype, *to, *a),
            Instr::Philox { to, counter, seed, stream } => self.philox(*to, *counter, *seed, *stream),
            Instr::Spread(to, a) => {
                let (info, from) = (self.info(*to), self.info(*a));
                let mut out = std::mem::replace(&mut self.registers[*to as usize], Values::taken());
                spread(&mut out, info, &self.registers[*a as usize], from, self.items);
                self.registers[*to as usize] = out;
            }
            Instr::Lane(to, a, lane) => {
                let (lanes, count) = (usize::from(self.info(*a).lanes), self.length(*to));
                let mut out = std::mem::replace(&mut self.registers[*to as usize], Values::taken());
                pair!(&mut out, &self.registers[*a as usize], out, a => {
                    for (out, a) in out[..count].iter_mut().zip(a.chunks_exact(lanes)) {
                        *out = a[usize::from(*lane)];
                    }
                });
                self.registers[*to as usize] = out;
            }
            Instr::Horizontal(op, to, a) => self.horizontal(*op, *to, *a),
            Instr::Load { to, buffer, index, guard } => self.load(*to, *buffer, *index, *guard, depth)?,
            Instr::LoadArray { to, array, index, guard } => self.load_array(*to, *array, *index, *guard, depth)?,
            Instr::Narrow { to, guard, condition, negate } => {
                self.narrow_guard(*to, *guard, *condition, *negate, depth)
            }
            Instr::SubGroup { op, to, value, operand, guard } => {
                self.sub_group(*op, *to, *value, *operand, *guard, depth);
            }
            Instr::Call { to, body, result, guard } => {
                match guard {
                    Guard::Active => self.enter(depth),
                    Guard::Mask(mask) => self.narrow(depth, *mask, false),
                }
                let loops = std::mem::take(&mut self.loops);
                let flow = if self.masks[depth + 1].any { self.nodes(body, depth + 1) } else { Ok(()) };
                self.loops = loops;
                flow?;
                self.compute(*to, |s, out| Operation::Cast(out, s.slice(*result)));
            }
            Instr::Literal(to, literal) => self.registers[*to as usize] = constant(*literal),
            Instr::Param(to, param) => {
                if let Value::Scalar(literal) = self.launch.args[*param as usize] {
                    let dtype = self.info(*to).dtype;
                    self.registers[*to as usize] = constant(crate::fold::cast(literal, dtype));
                }
            }
            Instr::WorkItem(to, item, dimension) => self.work_item(*to, *item, usize::from(*dimension)),
            Instr::LaneIds(to) => {
                for lane in 0..self.length(*to) {
                    match &mut self.registers[*to as usize] {
                        Values::F32(out) => out[lane] = lane as f32,
                        Values::F64(out) => out[lane] = lane as f64,
                        out => out.set_integer(lane, lane as i64),
                    }
                }
            }
        }
        Ok(())
    }

    fn slice(&self, reg: Reg) -> super::Slice<'_> {
        self.registers[reg as usize].slice(self.length(reg))
    }

    /// Runs an operation that writes `to`.
    fn compute(&mut self, to: Reg, operation: impl for<'s> FnOnce(&'s Self, SliceMut<'s>) -> Operation<'s>) {
        let mut out = std::mem::replace(&mut self.registers[to as usize], Values::taken());
        (self.launch.engine)(operation(self, out.slice_mut(self.length(to))));
        self.registers[to as usize] = out;
    }

    fn round(&mut self, dtype: DType, to: Reg, a: Reg) {
        let count = self.length(to);
        let mut out = std::mem::replace(&mut self.registers[to as usize], Values::taken());
        if let (Values::F32(out), Values::F32(a)) = (&mut out, &self.registers[a as usize]) {
            for (out, &a) in out[..count].iter_mut().zip(a) {
                *out = match dtype {
                    DType::F16 => f16::from_f32(a).to_f32(),
                    DType::BF16 => bf16::from_f32(a).to_f32(),
                    _ => a,
                };
            }
        }
        self.registers[to as usize] = out;
    }

    fn philox(&mut self, to: Reg, counter: Reg, seed: Reg, stream: u32) {
        let (info, counter_info, seed_info) = (self.info(to), self.info(counter), self.info(seed));
        let mut out = std::mem::replace(&mut self.registers[to as usize], Values::taken());
        if let (Values::F32(out), Values::U32(counter), Values::U32(seed)) =
            (&mut out, &self.registers[counter as usize], &self.registers[seed as usize])
        {
            let count = info.length(self.items);
            if seed_info.extent == Extent::One {
                let counter = &counter[..counter_info.length(self.items)];
                (self.launch.engine)(Operation::Philox(&mut out[..count], counter, seed[0], stream));
            } else {
                let lanes = usize::from(info.lanes);
                for (place, out) in out[..count].iter_mut().enumerate() {
                    let (item, lane) = (place / lanes, place % lanes);
                    *out = philox(counter[position(counter_info, item, lane)], seed[item], stream);
                }
            }
        }
        self.registers[to as usize] = out;
    }

    /// Lanes combined by halves: lane `l` with lane `l + half`, until one is left.
    fn horizontal(&mut self, op: ReduceOp, to: Reg, a: Reg) {
        let binary = match op {
            ReduceOp::Sum => BinaryOp::Add,
            ReduceOp::Prod => BinaryOp::Mul,
            ReduceOp::Max | ReduceOp::ArgMax => BinaryOp::Max,
            ReduceOp::Min | ReduceOp::ArgMin => BinaryOp::Min,
        };
        let (lanes, count) = (usize::from(self.info(a).lanes), self.length(to));
        let engine = self.launch.engine;
        let mut out = std::mem::replace(&mut self.registers[to as usize], Values::taken());
        macro_rules! reduce {
            ($kind:ident, $slice:ident) => {
                if let (Values::$kind(out), Values::$kind(a)) = (&mut out, &self.registers[a as usize]) {
                    for (out, a) in out[..count].iter_mut().zip(a.chunks_exact(lanes)) {
                        let (mut from, mut into) = ([a[0]; 16], [a[0]; 16]);
                        from[..lanes].copy_from_slice(a);
                        let mut half = lanes / 2;
                        while half > 0 {
                            let (low, high) = from[..2 * half].split_at(half);
                            engine(Operation::Binary(
                                binary,
                                SliceMut::$slice(&mut into[..half]),
                                super::Slice::$slice(low),
                                super::Slice::$slice(high),
                            ));
                            from[..half].copy_from_slice(&into[..half]);
                            half /= 2;
                        }
                        *out = from[0];
                    }
                }
            };
        }
        reduce!(F32, F32);
        reduce!(F64, F64);
        reduce!(I32, I32);
        reduce!(U32, U32);
        reduce!(I64, I64);
        reduce!(U8, U8);
        self.registers[to as usize] = out;
    }

    fn work_item(&mut self, to: Reg, item: WorkItem, dimension: usize) {
        let launch = self.launch;
        let local = |i: usize| launch.local_id(i)[dimension];
        let grouped = launch.program.grouped;
        let value = |i: usize| match item {
            WorkItem::GlobalSize => launch.global[dimension],
            WorkItem::LocalSize => launch.local[dimension],
            WorkItem::NumGroups => launch.group_counts[dimension],
            WorkItem::GlobalId if grouped => {
                launch.group_id(self.start)[dimension] * launch.local[dimension] + local(i)
            }
            WorkItem::GlobalId => launch.global_id(self.start + i)[dimension],
            WorkItem::LocalId if grouped => local(i),
            WorkItem::LocalId => launch.global_id(self.start + i)[dimension] % launch.local[dimension],
            WorkItem::GroupId if grouped => launch.group_id(self.start)[dimension],
            WorkItem::GroupId => launch.global_id(self.start + i)[dimension] / launch.local[dimension],
            WorkItem::SubGroupLane => i % SUB_GROUP,
            WorkItem::SubGroupSize => SUB_GROUP.min(self.items - i / SUB_GROUP * SUB_GROUP),
            WorkItem::SubGroupId => i / SUB_GROUP,
        };
        let count = self.length(to);
        let mut out = std::mem::replace(&mut self.registers[to as usize], Values::taken());
        if let Values::U32(out) = &mut out {
            if item == WorkItem::GlobalId && !grouped && launch.flat {
                // One dimension: consecutive numbers.
                let start = self.start as u32;
                for (i, out) in out[..count].iter_mut().enumerate() {
                    *out = start.wrapping_add(i as u32);
                }
            } else {
                for (i, out) in out[..count].iter_mut().enumerate() {
                    *out = value(i) as u32;
                }
            }
        }
        self.registers[to as usize] = out;
    }

    /// Whether an item may touch memory.
    pub(super) fn active(&self, guard: Guard, item: usize, depth: usize) -> bool {
        match guard {
            Guard::Active => self.masks[depth].all || self.masks[depth].bits[item],
            Guard::Mask(mask) => self.registers[mask as usize].bools(self.items)[item],
        }
    }

    /// The items that may touch memory; `None` means all.
    pub(super) fn guard_bits(&self, guard: Guard, depth: usize) -> Option<&[bool]> {
        match guard {
            Guard::Active if self.masks[depth].all => None,
            Guard::Active => Some(&self.masks[depth].bits[..self.items]),
            Guard::Mask(mask) => Some(self.registers[mask as usize].bools(self.items)),
        }
    }

    fn narrow_guard(&mut self, to: Reg, guard: Guard, condition: Reg, negate: bool, depth: usize) {
        let info = self.info(condition);
        let mut out = std::mem::replace(&mut self.registers[to as usize], Values::taken());
        let truths = out.bools_mut(self.items);
        let condition = self.registers[condition as usize].bools(info.length(self.items));
        match info.extent {
            Extent::One => truths.fill(condition[0] != negate),
            Extent::Lanes => truths.fill(condition.iter().any(|&condition| condition != negate)),
            Extent::Items => {
                for (truth, lanes) in truths.iter_mut().zip(condition.chunks_exact(usize::from(info.lanes))) {
                    *truth = lanes.iter().any(|&condition| condition != negate);
                }
            }
        }
        if let Some(bits) = self.guard_bits(guard, depth) {
            for (truth, &bit) in truths.iter_mut().zip(bits) {
                *truth &= bit;
            }
        }
        self.registers[to as usize] = out;
    }

    /// Sub-groups are runs of [`SUB_GROUP`] items; items that are not active take no part.
    fn sub_group(&mut self, op: SubGroupOp, to: Reg, value: Reg, operand: Option<Reg>, guard: Guard, depth: usize) {
        let mut out = std::mem::replace(&mut self.registers[to as usize], Values::taken());
        for start in (0..self.items).step_by(SUB_GROUP) {
            let end = (start + SUB_GROUP).min(self.items);
            for item in start..end {
                if !self.active(guard, item, depth) {
                    continue;
                }
                let of = |item: usize| scalar(&self.registers[value as usize], item);
                let chosen = operand.map_or(0, |operand| self.registers[operand as usize].integer(item)) as usize;
                let result = match op {
                    SubGroupOp::Broadcast => of((start + chosen).min(end - 1)),
                    SubGroupOp::ShuffleXor => of((start + ((item - start) ^ chosen)).min(end - 1)),
                    SubGroupOp::ReduceAdd | SubGroupOp::ReduceMax | SubGroupOp::ReduceMin => {
                        let combine = match op {
                            SubGroupOp::ReduceAdd => crate::kir::AtomicOp::Add,
                            SubGroupOp::ReduceMax => crate::kir::AtomicOp::Max,
                            _ => crate::kir::AtomicOp::Min,
                        };
                        let members = (start..end).filter(|&item| self.active(guard, item, depth));
                        members.map(of).reduce(|a, b| a.updated(combine, b)).unwrap_or_else(|| of(item))
                    }
                };
                put_scalar(&mut out, item, result);
            }
        }
        self.registers[to as usize] = out;
    }
}

fn is_one(launch: &Launch<'_>, reg: Reg) -> bool {
    launch.program.code.registers[reg as usize].extent == Extent::One
}

/// Where a register has the value of an item's lane.
fn position(info: Info, item: usize, lane: usize) -> usize {
    match info.extent {
        Extent::One => 0,
        Extent::Lanes => lane,
        Extent::Items if info.lanes == 1 => item,
        Extent::Items => item * usize::from(info.lanes) + lane,
    }
}

/// `to[item, lane] = from[item, lane]`, whatever both have values for.
fn spread(to: &mut Values, info: Info, from: &Values, from_info: Info, items: usize) {
    let count = info.length(items);
    let lanes = usize::from(info.lanes);
    pair!(to, from, to, from => {
        let to = &mut to[..count];
        match (info.extent, from_info.extent) {
            (_, Extent::One) => to.fill(from[0]),
            (Extent::Items, Extent::Lanes) => to.chunks_exact_mut(lanes).for_each(|to| to.copy_from_slice(&from[..lanes])),
            (Extent::Items, Extent::Items) if from_info.lanes == 1 && lanes > 1 => {
                for (to, &from) in to.chunks_exact_mut(lanes).zip(from) {
                    to.fill(from);
                }
            }
            _ => to.copy_from_slice(&from[..count]),
        }
    });
}

fn constant(literal: Literal) -> Values {
    match literal {
        Literal::Bool(value) => Values::Bool(vec![value]),
        Literal::Int(value, dtype) => {
            let mut values = Values::new(dtype, 1);
            values.set_integer(0, value);
            values
        }
        Literal::Float(bits, DType::F64) => Values::F64(vec![f64::from_bits(bits)]),
        Literal::Float(bits, _) => Values::F32(vec![f64::from_bits(bits) as f32]),
    }
}

/// The value at `position` as an atomic operand; bytes and truth values are widened.
pub(super) fn scalar(values: &Values, position: usize) -> Scalar {
    match values {
        Values::Bool(values) => Scalar::U32(u32::from(values[position])),
        Values::U8(values) => Scalar::U32(u32::from(values[position])),
        Values::I32(values) => Scalar::I32(values[position]),
        Values::U32(values) => Scalar::U32(values[position]),
        Values::I64(values) => Scalar::I64(values[position]),
        Values::F32(values) => Scalar::F32(values[position]),
        Values::F64(values) => Scalar::F64(values[position]),
    }
}

pub(super) fn put_scalar(values: &mut Values, position: usize, scalar: Scalar) {
    match (values, scalar) {
        (Values::I32(values), Scalar::I32(value)) => values[position] = value,
        (Values::U32(values), Scalar::U32(value)) => values[position] = value,
        (Values::I64(values), Scalar::I64(value)) => values[position] = value,
        (Values::F32(values), Scalar::F32(value)) => values[position] = value,
        (Values::F64(values), Scalar::F64(value)) => values[position] = value,
        (Values::U8(values), Scalar::U32(value)) => values[position] = value as u8,
        (Values::Bool(values), Scalar::U32(value)) => values[position] = value != 0,
        _ => {}
    }
}
