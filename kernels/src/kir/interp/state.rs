//! What changes while a thread runs blocks: registers, arrays, and which work-items are active.

use super::fault::Fault;
use super::launch::Launch;
use super::program::{ExecMask, Info, Reg};
use super::values::Values;
use crate::kir::Space;

/// Which items are active.
#[derive(Clone, Debug)]
pub(super) struct Mask {
    /// All of them; `bits` may be anything then.
    pub(super) all: bool,
    /// At least one of them.
    pub(super) any: bool,
    pub(super) bits: Vec<bool>,
}

/// How a list of statements ended.
pub(super) type Flow = Result<(), Fault>;

/// What one thread runs blocks with.
pub(super) struct ThreadState<'l, 'a> {
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
    pub(super) loops: Vec<usize>,
}

impl<'l, 'a> ThreadState<'l, 'a> {
    pub(super) fn new(launch: &'l Launch<'a>) -> Self {
        let code = &launch.compiled.code;
        let items = launch.items;
        let mask = Mask { all: true, any: true, bits: vec![true; items] };
        let arrays = launch.compiled.kernel.arrays.iter().map(|array| {
            let copies = if array.space == Space::Private { items } else { 1 };
            Values::new(array.dtype.compute(), array.length as usize * copies)
        });
        ThreadState {
            launch,
            registers: code.registers.iter().map(|info| Values::new(info.dtype, info.length(items))).collect(),
            masks: vec![mask; code.depth + 1],
            arrays: arrays.collect(),
            items,
            start: 0,
            indices: Vec::with_capacity(items),
            halves: Vec::new(),
            loops: Vec::new(),
        }
    }

    pub(super) fn info(&self, reg: Reg) -> Info {
        self.launch.compiled.code.registers[reg as usize]
    }

    pub(super) fn length(&self, reg: Reg) -> usize {
        self.info(reg).length(self.items)
    }

    /// Whether an item may touch memory.
    pub(super) fn active(&self, guard: ExecMask, item: usize, depth: usize) -> bool {
        match guard {
            ExecMask::Active => self.masks[depth].all || self.masks[depth].bits[item],
            ExecMask::Mask(mask) => self.registers[mask as usize].bools(self.items)[item],
        }
    }

    /// The items that may touch memory; `None` means all.
    pub(super) fn guard_bits(&self, guard: ExecMask, depth: usize) -> Option<&[bool]> {
        match guard {
            ExecMask::Active if self.masks[depth].all => None,
            ExecMask::Active => Some(&self.masks[depth].bits[..self.items]),
            ExecMask::Mask(mask) => Some(self.registers[mask as usize].bools(self.items)),
        }
    }

    /// Makes the mask above `depth` the items of it for which `condition` holds (or does not).
    pub(super) fn narrow(&mut self, depth: usize, condition: Reg, negate: bool) {
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

    /// Copies the mask at `depth` one further.
    pub(super) fn enter(&mut self, depth: usize) {
        let (below, above) = self.masks.split_at_mut(depth + 1);
        let (outer, inner) = (&below[depth], &mut above[0]);
        (inner.all, inner.any) = (outer.all, outer.any);
        if !outer.all {
            inner.bits[..self.items].copy_from_slice(&outer.bits[..self.items]);
        }
    }
}
