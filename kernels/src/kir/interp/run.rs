//! Runs compiled code over one block of work-items in lockstep.
//!
//! A mask says which items are active. Arithmetic is done for all of them, since it cannot fail; memory is touched,
//! and variables are changed, by the active ones alone. As every statement is finished for all items before the next
//! begins, barriers order memory by themselves; what is left is to check that all items of a group reach them.

use super::fault::Fault;
use super::launch::Launch;
use super::ops::Operation;
use super::program::{ExecMask, Extent, ForLoop, Instr, Node, Reg, WideLoop};
use super::scope::BlockKind;
use super::state::{Flow, ThreadState};
use super::values::{Values, pair};
use crate::graph::BinaryOp;
use crate::kir::AtomicTarget;
use std::ops::Range;

/// Runs `$body` with two registers of one integer type.
macro_rules! integers {
    ($a:expr, $b:expr, $x:ident, $y:ident => $body:expr) => {
        match ($a, $b) {
            (Values::I32($x), Values::I32($y)) => $body,
            (Values::U32($x), Values::U32($y)) => $body,
            (Values::I64($x), Values::I64($y)) => $body,
            (Values::U8($x), Values::U8($y)) => $body,
            // The verifier lets no other loops pass.
            _ => {}
        }
    };
}

impl Launch<'_> {
    /// Runs these blocks, one after another.
    ///
    /// # Errors
    ///
    /// The first access outside of a buffer or array.
    pub fn run_groups(&self, groups: Range<usize>) -> Result<(), Fault> {
        let mut state = ThreadState::ready(self);
        for group in groups {
            match self.compiled.code.kind {
                BlockKind::Items => {
                    let start = group * self.items;
                    state.block(start, self.items.min(self.total - start))?;
                }
                BlockKind::Group => state.block(group, self.items)?,
                BlockKind::Rounds => state.block(group, 1)?,
            }
        }
        Ok(())
    }

    /// Runs all blocks on this thread.
    ///
    /// # Errors
    ///
    /// Those of [`Launch::run_groups`].
    pub fn run(&self) -> Result<(), Fault> {
        self.run_groups(0..self.groups())
    }
}

impl<'l, 'a> ThreadState<'l, 'a> {
    /// Ready for blocks: what is the same for all of a launch is computed.
    pub(super) fn ready(launch: &'l Launch<'a>) -> Self {
        let mut state = ThreadState::new(launch);
        for instr in &launch.compiled.code.launch {
            // Only literals, parameters, sizes and arithmetic: nothing that can fail.
            let _ = state.instr(instr, 0);
        }
        state
    }

    /// Runs one block: `items` work-items from `start` on, or the group of that number.
    pub(super) fn block(&mut self, start: usize, items: usize) -> Flow {
        let code = &self.launch.compiled.code;
        (self.start, self.items) = (start, items);
        self.masks[0].all = true;
        self.masks[0].any = true;
        self.loops.clear();
        for instr in &code.block {
            self.instr(instr, 0)?;
        }
        self.nodes(&code.body, 0)
    }

    pub(super) fn nodes(&mut self, nodes: &[Node], depth: usize) -> Flow {
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
            Node::Wide(node) => self.wide_loop(node, depth)?,
            Node::Fold { variable, op, value, first } => self.fold(*variable, *op, *value, *first),
            Node::FoldProduct { variable, a, b } => self.fold_product(*variable, *a, *b),
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
                    if !self.active(ExecMask::Active, item, depth) {
                        continue;
                    }
                    let position = self.registers[*index as usize].integer(item);
                    let operand = self.registers[*value as usize].scalar(item);
                    let before = match target {
                        AtomicTarget::Buffer(buffer) => self.atomic_buffer(*op, buffer.0, position, operand, item)?,
                        AtomicTarget::Local(array) => self.atomic_array(*op, array.0, position, operand, item)?,
                    };
                    if let Some(old) = old {
                        self.registers[*old as usize].set_scalar(item, before);
                    }
                }
            }
        }
        Ok(())
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

    /// Runs as many rounds at once as a block has room for. There is one work-item, so no mask is needed.
    fn wide_loop(&mut self, node: &WideLoop, depth: usize) -> Flow {
        let [start, end, step] = [node.start, node.end, node.step].map(|reg| self.registers[reg as usize].integer(0));
        if step < 1 {
            return Err(self.launch.fault_step(step));
        }
        let outer = self.items;
        let mut now = start;
        let mut flow = Ok(());
        while now < end && flow.is_ok() {
            let rounds = ((end - now - 1) / step + 1).min(self.launch.items as i64);
            self.items = rounds as usize;
            self.masks[depth].all = true;
            let counter = &mut self.registers[node.counter as usize];
            for round in 0..rounds {
                counter.set_integer(round as usize, now + round * step);
            }
            flow = self.nodes(&node.body, depth);
            now += rounds * step;
        }
        self.items = outer;
        flow
    }

    fn fold(&mut self, variable: Reg, op: BinaryOp, value: Reg, first: bool) {
        let mut out = std::mem::replace(&mut self.registers[variable as usize], Values::taken());
        let (all, x) = (out.slice_mut(self.length(variable)), self.registers[value as usize].slice(self.length(value)));
        (self.launch.engine)(Operation::Fold { op, out: all, x, first, times: self.items });
        self.registers[variable as usize] = out;
    }

    fn fold_product(&mut self, variable: Reg, a: Reg, b: Reg) {
        let mut out = std::mem::replace(&mut self.registers[variable as usize], Values::taken());
        let all = out.slice_mut(self.length(variable));
        let [a, b] = [a, b].map(|reg| self.registers[reg as usize].slice(self.length(reg)));
        (self.launch.engine)(Operation::FoldProduct { out: all, a, b, times: self.items });
        self.registers[variable as usize] = out;
    }

    /// Takes items out of the mask at `depth` whose counter is not below its end.
    fn keep_below(&mut self, depth: usize, counter: Reg, end: Reg) {
        let mask = &mut self.masks[depth];
        if mask.all {
            mask.bits[..self.items].fill(true);
        }
        let (one_counter, one_end) = (is_one(self.launch, counter), is_one(self.launch, end));
        let (mut all, mut any) = (true, false);
        integers!(&self.registers[counter as usize], &self.registers[end as usize], counter, end => {
            let bits = mask.bits[..self.items].iter_mut();
            if one_counter || one_end {
                for (item, bit) in bits.enumerate() {
                    let counter = counter[if one_counter { 0 } else { item }];
                    *bit &= counter < end[if one_end { 0 } else { item }];
                    all &= *bit;
                    any |= *bit;
                }
            } else {
                for ((bit, counter), end) in bits.zip(counter).zip(end) {
                    *bit &= counter < end;
                    all &= *bit;
                    any |= *bit;
                }
            }
        });
        (mask.all, mask.any) = (all, any);
    }

    /// `counter += step`. A counter that would wrap ends its loop: it is set to the end.
    fn advance(&mut self, counter: Reg, end: Reg, step: Reg, depth: usize) -> Flow {
        let (one_end, one_step) = (is_one(self.launch, end), is_one(self.launch, step));
        let items = self.items;
        let steps = &self.registers[step as usize];
        let mask = &self.masks[depth];
        for item in 0..if one_step { 1 } else { items } {
            if steps.integer(item) < 1 && (one_step || mask.all || mask.bits[item]) {
                return Err(self.launch.fault_step(steps.integer(item)));
            }
        }
        let mut values = std::mem::replace(&mut self.registers[counter as usize], Values::taken());
        let shared = is_one(self.launch, counter);
        let (steps, ends) = (&self.registers[step as usize], &self.registers[end as usize]);
        integers!(&mut values, steps, values, steps => {
            // An end that differs from item to item must not stop a counter that they share.
            if shared {
                values[0] = values[0].saturating_add(steps[0]);
            } else if one_step {
                values[..items].iter_mut().for_each(|value| *value = value.saturating_add(steps[0]));
            } else {
                for (value, step) in values[..items].iter_mut().zip(steps) {
                    *value = value.saturating_add(*step);
                }
            }
        });
        integers!(&mut values, ends, values, ends => {
            if one_end {
                let end = ends[0];
                values[..if shared { 1 } else { items }].iter_mut().for_each(|value| *value = (*value).min(end));
            } else if !shared {
                for (value, end) in values[..items].iter_mut().zip(ends) {
                    *value = (*value).min(*end);
                }
            }
        });
        self.registers[counter as usize] = values;
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
                            *to = values[from.position(item, lane)];
                        }
                    }
                }
            });
        } else {
            to.spread(info, &self.registers[value as usize], from, self.items);
        }
        self.registers[variable as usize] = to;
    }
}

fn is_one(launch: &Launch<'_>, reg: Reg) -> bool {
    launch.compiled.code.registers[reg as usize].extent == Extent::One
}
