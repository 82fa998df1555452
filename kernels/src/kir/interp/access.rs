//! Loads, stores and atomics of the interpreter: every index is checked, runs of consecutive elements are copied whole.

use super::fault::Fault;
use super::launch::LaunchArg;
use super::memory::{AtomicValue, Memory, Slice, SliceMut};
use super::program::{ExecMask, Extent, Reg};
use super::scope::BlockKind;
use super::state::ThreadState;
use super::values::{Values, pair};
use crate::dtype::DType;
use crate::kir::{AtomicOp, ParamKind, Space};
use crate::scalar;

/// Whether element `i` of the indices is the first plus `i * lanes`: then memory is read and written in one piece.
fn consecutive(indices: &Values, count: usize, lanes: usize) -> bool {
    macro_rules! check {
        ($indices:expr, $type:ty) => {{
            let first = $indices[0];
            let step = lanes as $type;
            // Without a way out of the loop, so that it becomes vector instructions.
            let mut expected = first;
            let mut off = false;
            for &index in &$indices[..count] {
                off |= index != expected;
                expected = expected.wrapping_add(step);
            }
            !off
        }};
    }
    match indices {
        Values::I32(indices) => check!(indices, i32),
        Values::U32(indices) => check!(indices, u32),
        Values::I64(indices) => check!(indices, i64),
        Values::U8(_) | Values::Bool(_) | Values::F32(_) | Values::F64(_) => false,
    }
}

/// Fills `list` with the indices of the items that take part, `usize::MAX` for the others; gives the first index that is
/// outside of `size` elements, and its item.
fn positions(
    indices: &Values,
    items: usize,
    bits: Option<&[bool]>,
    lanes: usize,
    size: usize,
    list: &mut Vec<usize>,
) -> Option<(i64, usize)> {
    macro_rules! collect {
        ($indices:expr) => {{
            list.clear();
            let Some(last) = size.checked_sub(lanes) else {
                let item = (0..items).find(|&item| bits.is_none_or(|bits| bits[item]))?;
                return Some((i64::from($indices[item]), item));
            };
            // A negative index becomes one that is too large.
            list.extend($indices[..items].iter().map(|&index| index as usize));
            if let Some(bits) = bits {
                for (place, &bit) in list.iter_mut().zip(bits) {
                    *place = if bit { *place } else { usize::MAX };
                }
            }
            let outside = |place: usize, item: usize| place > last && bits.is_none_or(|bits| bits[item]);
            if list.iter().all(|&place| place <= last) {
                return None;
            }
            let item = list.iter().enumerate().position(|(item, &place)| outside(place, item))?;
            Some((i64::from($indices[item]), item))
        }};
    }
    match indices {
        Values::I32(indices) => collect!(indices),
        Values::U32(indices) => collect!(indices),
        Values::I64(indices) => collect!(indices),
        // The verifier lets no other indices pass.
        Values::U8(_) | Values::Bool(_) | Values::F32(_) | Values::F64(_) => Some((0, 0)),
    }
}

/// Where a block's elements lie.
enum Plan {
    /// From this element on, one after another.
    Run(usize),
    /// At `ThreadState::indices`.
    Scattered,
    /// No active item wants any.
    Nothing,
}

impl ThreadState<'_, '_> {
    fn buffer(&self, buffer: u32) -> (DType, Option<&dyn Memory>) {
        let ParamKind::Buffer(dtype, _) = self.launch.compiled.kernel.params[buffer as usize].kind else {
            return (DType::F32, None);
        };
        match self.launch.args[buffer as usize] {
            LaunchArg::Buffer(memory) => (dtype, Some(memory)),
            LaunchArg::Scalar(_) => (dtype, None),
        }
    }

    /// Checks a block's indices against a buffer of `size` elements.
    fn plan(
        &mut self,
        index: Reg,
        lanes: usize,
        size: usize,
        guard: ExecMask,
        depth: usize,
        buffer: u32,
    ) -> Result<Plan, Fault> {
        let items = self.items;
        if self.info(index).extent == Extent::One {
            let Some(item) = (0..items).find(|&item| self.active(guard, item, depth)) else { return Ok(Plan::Nothing) };
            let first = self.registers[index as usize].integer(0);
            return match usize::try_from(first) {
                Ok(start) if start.checked_add(lanes).is_some_and(|end| end <= size) => Ok(Plan::Run(start)),
                _ => Err(self.outside(buffer, first, lanes, size, item)),
            };
        }
        let all = self.guard_bits(guard, depth).is_none();
        let indices = &self.registers[index as usize];
        if all && consecutive(indices, items, lanes) {
            let first = indices.integer(0);
            if let Ok(start) = usize::try_from(first)
                && start.checked_add(items * lanes).is_some_and(|end| end <= size)
            {
                return Ok(Plan::Run(start));
            }
        }
        let mut list = std::mem::take(&mut self.indices);
        let bits = self.guard_bits(guard, depth);
        let wrong = positions(&self.registers[index as usize], items, bits, lanes, size, &mut list);
        self.indices = list;
        match wrong {
            Some((position, item)) => Err(self.outside(buffer, position, lanes, size, item)),
            None => Ok(Plan::Scattered),
        }
    }

    fn outside(&self, buffer: u32, index: i64, lanes: usize, size: usize, item: usize) -> Fault {
        let name = &self.launch.compiled.kernel.params[buffer as usize].name;
        self.launch.fault_outside(name, index, lanes, size, self.item_id(item))
    }

    fn outside_array(&self, array: u32, index: i64, item: usize) -> Fault {
        let array = &self.launch.compiled.kernel.arrays[array as usize];
        self.launch.fault_outside(&array.name, index, 1, array.length as usize, self.item_id(item))
    }

    fn item_id(&self, item: usize) -> [usize; 3] {
        match self.launch.compiled.code.kind {
            BlockKind::Items => self.launch.global_id(self.start + item),
            BlockKind::Rounds => self.launch.global_id(self.start),
            BlockKind::Group => {
                let (group, local) = (self.launch.group_id(self.start), self.launch.local_id(item));
                std::array::from_fn(|d| group[d] * self.launch.local[d] + local[d])
            }
        }
    }

    pub(super) fn load(
        &mut self,
        to: Reg,
        buffer: u32,
        index: Reg,
        guard: ExecMask,
        depth: usize,
    ) -> Result<(), Fault> {
        let (dtype, Some(memory)) = self.buffer(buffer) else { return Ok(()) };
        let size = memory.bytes() / dtype.size();
        let lanes = usize::from(self.info(to).lanes);
        let plan = self.plan(index, lanes, size, guard, depth, buffer)?;
        let count = self.length(to);
        let mut out = std::mem::replace(&mut self.registers[to as usize], Values::taken());
        let mut halves = std::mem::take(&mut self.halves);
        if let (_, Some(memory)) = self.buffer(buffer) {
            if dtype == dtype.compute() {
                read(memory, &plan, &self.indices, lanes, out.slice_mut(count));
            } else {
                halves.resize(halves.len().max(count), 0);
                read(memory, &plan, &self.indices, lanes, SliceMut::U16(&mut halves[..count]));
                if let Values::F32(out) = &mut out {
                    for (out, &bits) in out[..count].iter_mut().zip(&halves) {
                        *out = match dtype {
                            DType::F16 => scalar::from_f16_bits(bits),
                            _ => scalar::from_bf16_bits(bits),
                        };
                    }
                }
            }
        }
        self.halves = halves;
        self.registers[to as usize] = out;
        Ok(())
    }

    pub(super) fn store(&mut self, buffer: u32, index: Reg, value: Reg, lanes: u8, depth: usize) -> Result<(), Fault> {
        let (dtype, Some(memory)) = self.buffer(buffer) else { return Ok(()) };
        let size = memory.bytes() / dtype.size();
        let lanes = usize::from(lanes);
        let plan = self.plan(index, lanes, size, ExecMask::Active, depth, buffer)?;
        let count = self.length(value);
        // All items write one place: the last one's value stays, as if they ran one after another.
        if let (Plan::Run(start), Extent::One, Extent::Items) =
            (&plan, self.info(index).extent, self.info(value).extent)
        {
            let start = *start;
            let bits = self.guard_bits(ExecMask::Active, depth);
            let list = (0..self.items).map(|i| if bits.is_none_or(|bits| bits[i]) { start } else { usize::MAX });
            let list: Vec<usize> = list.collect();
            self.indices = list;
            return self.write(buffer, dtype, &Plan::Scattered, lanes, value, count);
        }
        self.write(buffer, dtype, &plan, lanes, value, count)
    }

    fn write(
        &mut self,
        buffer: u32,
        dtype: DType,
        plan: &Plan,
        lanes: usize,
        value: Reg,
        count: usize,
    ) -> Result<(), Fault> {
        let mut halves = std::mem::take(&mut self.halves);
        if let (_, Some(memory)) = self.buffer(buffer) {
            let values = &self.registers[value as usize];
            if dtype == dtype.compute() {
                write(memory, plan, &self.indices, lanes, values.slice(count));
            } else if let Values::F32(values) = values {
                halves.clear();
                halves.extend(values[..count].iter().map(|&value| match dtype {
                    DType::F16 => scalar::f16_bits(value),
                    _ => scalar::bf16_bits(value),
                }));
                write(memory, plan, &self.indices, lanes, Slice::U16(&halves));
            }
        }
        self.halves = halves;
        Ok(())
    }

    // ---- local and private arrays ----

    /// Where an item's element of an array lies.
    fn place(&self, array: u32, index: Reg, item: usize) -> Result<usize, Fault> {
        let declared = &self.launch.compiled.kernel.arrays[array as usize];
        let position = if self.info(index).extent == Extent::One { 0 } else { item };
        let index = self.registers[index as usize].integer(position);
        match usize::try_from(index) {
            Ok(element) if element < declared.length as usize => Ok(match declared.space {
                Space::Local => element,
                Space::Private => element * self.items + item,
            }),
            _ => Err(self.outside_array(array, index, item)),
        }
    }

    pub(super) fn load_array(
        &mut self,
        to: Reg,
        array: u32,
        index: Reg,
        guard: ExecMask,
        depth: usize,
    ) -> Result<(), Fault> {
        let Some(first) = (0..self.items).find(|&item| self.active(guard, item, depth)) else { return Ok(()) };
        let mut out = std::mem::replace(&mut self.registers[to as usize], Values::taken());
        let mut result = Ok(());
        if self.info(to).extent == Extent::One {
            result = self.place(array, index, first).map(|place| {
                pair!(&mut out, &self.arrays[array as usize], out, array => out[0] = array[place]);
            });
        } else if self.info(index).extent == Extent::One && self.is_private(array) {
            // One element of every item: they lie side by side.
            result = self.place(array, index, 0).map(|place| {
                let items = self.items;
                pair!(&mut out, &self.arrays[array as usize], out, array => {
                    out[..items].copy_from_slice(&array[place..place + items]);
                });
            });
        } else {
            for item in first..self.items {
                if self.active(guard, item, depth) {
                    match self.place(array, index, item) {
                        Ok(place) => {
                            pair!(&mut out, &self.arrays[array as usize], out, array => out[item] = array[place]);
                        }
                        Err(fault) => {
                            result = Err(fault);
                            break;
                        }
                    }
                }
            }
        }
        self.registers[to as usize] = out;
        result
    }

    fn is_private(&self, array: u32) -> bool {
        self.launch.compiled.kernel.arrays[array as usize].space == Space::Private
    }

    pub(super) fn store_array(&mut self, array: u32, index: Reg, value: Reg, depth: usize) -> Result<(), Fault> {
        let mut memory = std::mem::replace(&mut self.arrays[array as usize], Values::taken());
        let mut result = Ok(());
        for item in 0..self.items {
            if self.active(ExecMask::Active, item, depth) {
                match self.place(array, index, item) {
                    Ok(place) => {
                        pair!(&mut memory, &self.registers[value as usize], memory, value => memory[place] = value[item]);
                    }
                    Err(fault) => {
                        result = Err(fault);
                        break;
                    }
                }
            }
        }
        self.arrays[array as usize] = memory;
        result
    }

    // ---- atomics ----

    pub(super) fn atomic_buffer(
        &mut self,
        op: AtomicOp,
        buffer: u32,
        index: i64,
        operand: AtomicValue,
        item: usize,
    ) -> Result<AtomicValue, Fault> {
        let (dtype, Some(memory)) = self.buffer(buffer) else { return Ok(operand) };
        let size = memory.bytes() / dtype.size();
        match usize::try_from(index) {
            Ok(index) if index < size => Ok(memory.atomic(op, index, operand)),
            _ => Err(self.outside(buffer, index, 1, size, item)),
        }
    }

    pub(super) fn atomic_array(
        &mut self,
        op: AtomicOp,
        array: u32,
        index: i64,
        operand: AtomicValue,
        item: usize,
    ) -> Result<AtomicValue, Fault> {
        let length = self.launch.compiled.kernel.arrays[array as usize].length as usize;
        match usize::try_from(index) {
            Ok(place) if place < length => {
                let old = self.arrays[array as usize].scalar(place);
                self.arrays[array as usize].set_scalar(place, old.updated(op, operand));
                Ok(old)
            }
            _ => Err(self.outside_array(array, index, item)),
        }
    }
}

fn read(memory: &dyn Memory, plan: &Plan, indices: &[usize], lanes: usize, out: SliceMut<'_>) {
    match plan {
        Plan::Run(start) => memory.read(*start, out),
        Plan::Scattered => memory.gather(indices, lanes, out),
        Plan::Nothing => {}
    }
}

fn write(memory: &dyn Memory, plan: &Plan, indices: &[usize], lanes: usize, values: Slice<'_>) {
    match plan {
        Plan::Run(start) => memory.write(*start, values),
        Plan::Scattered => memory.scatter(indices, lanes, values),
        Plan::Nothing => {}
    }
}
