//! The block interpreter: the reference semantics of kernels, and what runs them on the host where no native code was
//! made for them.
//!
//! A work-group at a time (or, where groups do not matter, a block of `BLOCK` values), every expression is evaluated
//! for all work-items at once as a typed vector. Work-items that take different ways are told apart by masks. As
//! statements run in lockstep, barriers need no threads.
//!
//! ```text
//! Verified ─▶ CompiledKernel (made once) ─▶ Launch (arguments and sizes) ─▶ run_groups(range), from any thread
//! ```
//!
//! Errors are values: an access outside of a buffer, a barrier that not all items reach.

mod access;
mod compile;
mod extent;
mod instr;
mod loops;
pub mod math;
mod memory;
mod operation;
pub mod ops;
mod place;
mod program;
mod rare;
mod real;
mod run;
mod scope;
mod state;
mod statement;
mod values;
mod wide;

pub use memory::{Bytes, Memory, Scalar, Slice, SliceMut};
pub use ops::Engine;

use scope::Block;
use state::State;

use super::verify::Verified;
use super::{Expr, Kernel, ParamKind, Space, WorkItem};
use crate::dim::Bindings;
use crate::dtype::Literal;
use std::ops::Range;

/// How many values a register of a block has, where the block is not a work-group: enough to make the cost of an
/// instruction small, few enough that a dozen registers stay in the first-level cache.
const BLOCK: usize = 1024;

/// Why a launch did not finish.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// An access outside of a buffer or array.
    #[error(
        "kernel `{kernel}`: {} accesses `{buffer}[{index}]`{}, but `{buffer}` has {length} elements",
        .item.map_or("a work-item".to_string(), |id| format!("work-item {id:?}")),
        if *.lanes > 1 { format!(" ({lanes} elements from there on)") } else { String::new() }
    )]
    OutOfBounds {
        /// The kernel.
        kernel: String,
        /// The parameter or array.
        buffer: String,
        /// The first element.
        index: i64,
        /// How many elements.
        lanes: usize,
        /// How many there are.
        length: usize,
        /// The work-item's global id, where it is known.
        item: Option<[usize; 3]>,
    },
    /// A barrier under control flow that work-items take differently.
    #[error("kernel `{kernel}`: a barrier is reached by {active} of {items} work-items of a group; all must reach it")]
    DivergentBarrier {
        /// The kernel.
        kernel: String,
        /// How many reach it.
        active: usize,
        /// How many there are.
        items: usize,
    },
    /// A loop that does not go forward.
    #[error("kernel `{kernel}`: a loop has the step {step}; steps are at least 1")]
    Step {
        /// The kernel.
        kernel: String,
        /// The step.
        step: i64,
    },
    /// The arguments do not fit the parameters.
    #[error("kernel `{kernel}`: {problem}")]
    Arguments {
        /// The kernel.
        kernel: String,
        /// What was expected and found.
        problem: String,
    },
}

/// What is passed for one parameter.
#[derive(Clone, Copy)]
pub enum Value<'a> {
    /// A buffer.
    Buffer(&'a dyn Memory),
    /// A number of the parameter's type; symbols are `U32`.
    Scalar(Literal),
}

/// A kernel compiled for the interpreter; launched any number of times, from any thread.
#[derive(Debug)]
pub struct CompiledKernel {
    kernel: Kernel,
    code: compile::Code,
    /// The most lanes of a register.
    lanes: usize,
}

impl CompiledKernel {
    /// Compiles a kernel.
    pub fn new(verified: &Verified<'_>) -> Self {
        let kernel = verified.kernel();
        let grouped = !kernel.launch.local.is_empty() && sees_groups(kernel);
        let code = compile::compile(verified, if grouped { Block::Group } else { Block::Items });
        let lanes = code.registers.iter().map(|info| usize::from(info.lanes)).max().unwrap_or(1);
        CompiledKernel { kernel: kernel.clone(), code, lanes }
    }

    /// The kernel.
    pub fn kernel(&self) -> &Kernel {
        &self.kernel
    }

    /// Prepares a launch; `args` has one value per parameter, `bindings` the symbols of the launch sizes.
    ///
    /// # Errors
    ///
    /// Another number of arguments than the kernel has, or one of another kind; a size of the launch that has no value or is
    /// past 32 bits.
    pub fn launch<'a>(
        &'a self,
        args: &'a [Value<'a>],
        bindings: Bindings<'_>,
        engine: Engine,
    ) -> Result<Launch<'a>, Fault> {
        let wrong = |problem: String| Fault::Arguments { kernel: self.kernel.name.clone(), problem };
        self.check(args).map_err(&wrong)?;
        let (mut global, mut local) = ([1; 3], [1; 3]);
        for (axis, dim) in self.kernel.launch.global.iter().enumerate() {
            let size = dim.evaluate(bindings).and_then(|size| usize::try_from(size).ok());
            global[axis] = size.ok_or_else(|| wrong(format!("the launch size `{dim}` has no value")))?;
            if let Some(&size) = self.kernel.launch.local.get(axis) {
                local[axis] = size as usize;
                global[axis] = global[axis].next_multiple_of(size as usize);
            }
        }
        let total: usize = global.iter().product();
        if global.iter().any(|&size| u32::try_from(size).is_err()) {
            return Err(wrong(format!("the launch size {global:?} exceeds 32 bits")));
        }
        let room = (BLOCK / self.lanes).max(1);
        let items = match self.code.kind {
            Block::Items => room.min(total).max(1),
            Block::Group => local.iter().product(),
            Block::Rounds => room,
        };
        let flat = global[1..] == [1, 1];
        let group_counts = std::array::from_fn(|axis| global[axis] / local[axis]);
        Ok(Launch { compiled: self, args, engine, global, local, group_counts, total, items, flat })
    }

    fn check(&self, args: &[Value<'_>]) -> Result<(), String> {
        let params = &self.kernel.params;
        if args.len() != params.len() {
            return Err(format!("expects {} arguments, found {}", params.len(), args.len()));
        }
        for (param, arg) in params.iter().zip(args) {
            let expected = match (&param.kind, arg) {
                (ParamKind::Buffer(..), Value::Buffer(_)) => continue,
                // Sizes are the same bits as `i32` and as `u32`.
                (ParamKind::Scalar(dtype), Value::Scalar(Literal::Int(_, found)))
                    if dtype.is_integer() && dtype.size() == found.size() =>
                {
                    continue;
                }
                (ParamKind::Scalar(dtype), Value::Scalar(literal)) if literal.dtype().compute() == dtype.compute() => {
                    continue;
                }
                (ParamKind::Symbol | ParamKind::Size, Value::Scalar(Literal::Int(..))) => continue,
                (ParamKind::Buffer(dtype, _), _) => format!("a buffer of {dtype}"),
                (ParamKind::Scalar(dtype), _) => format!("a number of type {dtype}"),
                (ParamKind::Symbol, _) => "a number of type u32".to_string(),
                (ParamKind::Size, _) => "a number of type i32".to_string(),
                (ParamKind::Position, _) => "a coordinate from other code of its program: it is no kernel".to_string(),
                (ParamKind::Value(ty), _) => format!("a {ty} from other code of its program: it is no kernel"),
            };
            let found = match arg {
                Value::Buffer(_) => "a buffer".to_string(),
                Value::Scalar(literal) => format!("{literal}"),
            };
            return Err(format!("`{}` expects {expected}, found {found}", param.name));
        }
        Ok(())
    }
}

/// Whether a kernel can tell which work-items form a group.
fn sees_groups(kernel: &Kernel) -> bool {
    let sees = |expr: &Expr| match expr {
        Expr::WorkItem(item, _) => !matches!(item, WorkItem::GlobalId | WorkItem::GlobalSize),
        Expr::SubGroup(..) => true,
        _ => false,
    };
    kernel.exprs.iter().chain(kernel.functions.iter().flat_map(|function| &function.exprs)).any(sees)
        || kernel.arrays.iter().any(|array| array.space == Space::Local)
        || kernel.has_barrier()
}

/// A compiled kernel with its arguments.
pub struct Launch<'a> {
    compiled: &'a CompiledKernel,
    args: &'a [Value<'a>],
    engine: Engine,
    global: [usize; 3],
    local: [usize; 3],
    group_counts: [usize; 3],
    total: usize,
    /// Work-items of a block, or rounds.
    items: usize,
    /// One dimension only.
    flat: bool,
}

impl Launch<'_> {
    /// How many blocks there are; each can run on any thread.
    pub fn groups(&self) -> usize {
        match self.compiled.code.kind {
            Block::Items | Block::Group => self.total.div_ceil(self.items),
            Block::Rounds => self.total,
        }
    }

    /// Runs these blocks, one after another.
    ///
    /// # Errors
    ///
    /// The first access outside of a buffer or array.
    pub fn run_groups(&self, groups: Range<usize>) -> Result<(), Fault> {
        let mut state = State::ready(self);
        for group in groups {
            match self.compiled.code.kind {
                Block::Items => {
                    let start = group * self.items;
                    state.block(start, self.items.min(self.total - start))?;
                }
                Block::Group => state.block(group, self.items)?,
                Block::Rounds => state.block(group, 1)?,
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

    /// The coordinates of an item; the first dimension runs fastest.
    fn global_id(&self, item: usize) -> [usize; 3] {
        split(item, self.global)
    }

    fn local_id(&self, item: usize) -> [usize; 3] {
        split(item, self.local)
    }

    fn group_id(&self, group: usize) -> [usize; 3] {
        split(group, self.group_counts)
    }

    fn fault_outside(&self, buffer: &str, index: i64, lanes: usize, length: usize, item: [usize; 3]) -> Fault {
        let kernel = self.compiled.kernel.name.clone();
        Fault::OutOfBounds { kernel, buffer: buffer.to_string(), index, lanes, length, item: Some(item) }
    }

    fn fault_barrier(&self, active: usize, items: usize) -> Fault {
        Fault::DivergentBarrier { kernel: self.compiled.kernel.name.clone(), active, items }
    }

    fn fault_step(&self, step: i64) -> Fault {
        Fault::Step { kernel: self.compiled.kernel.name.clone(), step }
    }
}

fn split(position: usize, sizes: [usize; 3]) -> [usize; 3] {
    [position % sizes[0], position / sizes[0] % sizes[1], position / sizes[0] / sizes[1]]
}

#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_memory;
