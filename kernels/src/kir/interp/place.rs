//! Places for a statement's temporaries: registers that are free while the temporary is needed.

use super::compile::{Compiler, TEMPORARY};
use super::program::{ExecMask, Instr, Node, Reg};
use std::collections::BTreeMap;

impl Compiler<'_, '_> {
    /// Starts a statement.
    pub(super) fn begin(&mut self) {
        debug_assert!(self.instrs.is_empty());
        self.temporaries.clear();
        self.known.clear();
    }

    /// Places the temporaries of a statement; `live` are read after its instructions.
    pub(super) fn finish<const N: usize>(&mut self, live: [Reg; N]) -> (Option<Node>, [Reg; N]) {
        let mut instrs = std::mem::take(&mut self.instrs);
        let mut last: Vec<usize> = vec![0; self.temporaries.len()];
        for (position, instr) in instrs.iter_mut().enumerate() {
            visit(instr, &mut |reg| {
                if let Some(temporary) = reg.checked_sub(TEMPORARY) {
                    last[temporary as usize] = position;
                }
            });
        }
        for reg in live {
            if let Some(temporary) = reg.checked_sub(TEMPORARY) {
                last[temporary as usize] = usize::MAX;
            }
        }
        let mut ending: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (temporary, &position) in last.iter().enumerate() {
            ending.entry(position).or_default().push(temporary);
        }
        let mut places: Vec<Option<Reg>> = vec![None; self.temporaries.len()];
        for (position, instr) in instrs.iter_mut().enumerate() {
            let (temporaries, free, registers) = (&self.temporaries, &mut self.free, &mut self.shared.code.registers);
            visit(instr, &mut |reg| {
                if let Some(temporary) = reg.checked_sub(TEMPORARY) {
                    *reg = *places[temporary as usize].get_or_insert_with(|| {
                        let info = temporaries[temporary as usize];
                        free.get_mut(&info).and_then(Vec::pop).unwrap_or_else(|| {
                            registers.push(info);
                            registers.len() as Reg - 1
                        })
                    });
                }
            });
            for &temporary in ending.get(&position).into_iter().flatten() {
                if let Some(place) = places[temporary] {
                    self.free.entry(self.temporaries[temporary]).or_default().push(place);
                }
            }
        }
        let mut freed = Vec::new();
        let live = live.map(|reg| match reg.checked_sub(TEMPORARY) {
            // Read by the statement's node, which runs before anything else can write it.
            Some(temporary) => places[temporary as usize].inspect(|&place| freed.push((temporary, place))).unwrap_or(0),
            None => reg,
        });
        freed.dedup();
        for (temporary, place) in freed {
            self.free.entry(self.temporaries[temporary as usize]).or_default().push(place);
        }
        let code = (!instrs.is_empty()).then(|| Node::Code(instrs.into_boxed_slice()));
        (code, live)
    }
}

/// Calls `with` for every register of an instruction, operands before the result.
fn visit(instr: &mut Instr, with: &mut dyn FnMut(&mut Reg)) {
    fn guard(guard: &mut ExecMask, with: &mut dyn FnMut(&mut Reg)) {
        if let ExecMask::Mask(mask) = guard {
            with(mask);
        }
    }
    match instr {
        Instr::Literal(to, _) | Instr::Param(to, _) | Instr::WorkItem(to, ..) | Instr::LaneIds(to) => with(to),
        Instr::Unary(_, to, a)
        | Instr::Cast(to, a)
        | Instr::Round(_, to, a)
        | Instr::Bitcast(to, a)
        | Instr::Spread(to, a)
        | Instr::Lane(to, a, _)
        | Instr::Horizontal(_, to, a) => {
            with(a);
            with(to);
        }
        Instr::Binary(_, to, a, b) | Instr::Compare(_, to, a, b) => {
            with(a);
            with(b);
            with(to);
        }
        Instr::MulAdd(to, a, b, c) | Instr::Select(to, a, b, c) => {
            with(a);
            with(b);
            with(c);
            with(to);
        }
        Instr::Philox { to, counter, seed, .. } => {
            with(counter);
            with(seed);
            with(to);
        }
        Instr::Load { to, index, guard: by, .. } | Instr::LoadArray { to, index, guard: by, .. } => {
            with(index);
            guard(by, with);
            with(to);
        }
        Instr::Narrow { to, guard: by, condition, .. } => {
            with(condition);
            guard(by, with);
            with(to);
        }
        Instr::SubGroup { to, value, operand, guard: by, .. } => {
            with(value);
            if let Some(operand) = operand {
                with(operand);
            }
            guard(by, with);
            with(to);
        }
        // The body's registers are placed already.
        Instr::Call { to, guard: by, .. } => {
            guard(by, with);
            with(to);
        }
    }
}
