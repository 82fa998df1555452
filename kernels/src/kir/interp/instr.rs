//! Instructions of the interpreter on a block's registers.

use super::launch::LaunchArg;
use super::memory::{Slice, SliceMut};
use super::ops::{Operation, philox};
use super::program::{ExecMask, Extent, Instr, Reg};
use super::scope::BlockKind;
use super::state::{Flow, ThreadState};
use super::values::{Values, pair};
use crate::dtype::{DType, Literal};
use crate::graph::{BinaryOp, ReduceOp};
use crate::kir::{AtomicOp, SubGroupOp, WorkItem};
use crate::scalar::rounded;

/// Work-items of one sub-group; the last one of a group may have fewer.
const SUB_GROUP: usize = 32;

impl ThreadState<'_, '_> {
    pub(super) fn instr(&mut self, instr: &Instr, depth: usize) -> Flow {
        match instr {
            Instr::Unary(op, to, a) => self.compute(*to, |s, out| Operation::Unary(*op, out, s.slice(*a))),
            Instr::Binary(op, to, a, b) => {
                self.compute(*to, |s, out| Operation::Binary(*op, out, s.slice(*a), s.slice(*b)));
            }
            Instr::MulAdd(to, a, b, c) => {
                self.compute(*to, |s, out| Operation::MulAdd(out, s.slice(*a), s.slice(*b), s.slice(*c)));
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
                out.spread(info, &self.registers[*a as usize], from, self.items);
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
                    ExecMask::Active => self.enter(depth),
                    ExecMask::Mask(mask) => self.narrow(depth, *mask, false),
                }
                let loops = std::mem::take(&mut self.loops);
                let flow = if self.masks[depth + 1].any { self.nodes(body, depth + 1) } else { Ok(()) };
                self.loops = loops;
                flow?;
                self.compute(*to, |s, out| Operation::Cast(out, s.slice(*result)));
            }
            Instr::Literal(to, literal) => self.registers[*to as usize] = constant(*literal),
            Instr::Param(to, param) => {
                if let LaunchArg::Scalar(literal) = self.launch.args[*param as usize] {
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

    fn slice(&self, reg: Reg) -> Slice<'_> {
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
                *out = rounded(a, dtype);
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
                    *out = philox(counter[counter_info.position(item, lane)], seed[item], stream);
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
                                Slice::$slice(low),
                                Slice::$slice(high),
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
        let grouped = launch.compiled.code.kind == BlockKind::Group;
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
            if item == WorkItem::GlobalId && dimension == 0 && !grouped && launch.flat {
                // The only dimension that is longer than 1: consecutive numbers.
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

    fn narrow_guard(&mut self, to: Reg, guard: ExecMask, condition: Reg, negate: bool, depth: usize) {
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
    fn sub_group(&mut self, op: SubGroupOp, to: Reg, value: Reg, operand: Option<Reg>, guard: ExecMask, depth: usize) {
        let mut out = std::mem::replace(&mut self.registers[to as usize], Values::taken());
        for start in (0..self.items).step_by(SUB_GROUP) {
            let end = (start + SUB_GROUP).min(self.items);
            for item in start..end {
                if !self.active(guard, item, depth) {
                    continue;
                }
                let of = |item: usize| self.registers[value as usize].scalar(item);
                let chosen = operand.map_or(0, |operand| self.registers[operand as usize].integer(item)) as usize;
                let result = match op {
                    SubGroupOp::Broadcast => of((start + chosen).min(end - 1)),
                    SubGroupOp::ShuffleXor => of((start + ((item - start) ^ chosen)).min(end - 1)),
                    SubGroupOp::ReduceAdd | SubGroupOp::ReduceMax | SubGroupOp::ReduceMin => {
                        let combine = match op {
                            SubGroupOp::ReduceAdd => AtomicOp::Add,
                            SubGroupOp::ReduceMax => AtomicOp::Max,
                            _ => AtomicOp::Min,
                        };
                        let members = (start..end).filter(|&item| self.active(guard, item, depth));
                        members.map(of).reduce(|a, b| a.updated(combine, b)).unwrap_or_else(|| of(item))
                    }
                };
                out.set_scalar(item, result);
            }
        }
        self.registers[to as usize] = out;
    }
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
