//! Kernels compiled for the interpreter, and their launches: arguments and sizes.

use super::compile::{Bytecode, compile};
use super::fault::Fault;
use super::memory::Memory;
use super::ops::Engine;
use super::scope::BlockKind;
use crate::dim::Bindings;
use crate::dtype::{DType, Literal};
use crate::kir::verify::VerifiedKernel;
use crate::kir::{Expr, Kernel, ParamKind, Space, WorkItem};

/// How many values a register of a block has, where the block is not a work-group: enough to make the cost of an
/// instruction small, few enough that a dozen registers stay in the first-level cache.
pub(super) const BLOCK: usize = 1024;

/// What is passed for one parameter.
#[derive(Clone, Copy)]
pub enum LaunchArg<'a> {
    /// A buffer.
    Buffer(&'a dyn Memory),
    /// A number of the parameter's type; symbols are `U32`.
    Scalar(Literal),
}

/// A kernel compiled for the interpreter; launched any number of times, from any thread.
#[derive(Debug)]
pub struct CompiledKernel {
    pub(super) kernel: Kernel,
    pub(super) code: Bytecode,
    /// The most lanes of a register.
    pub(super) lanes: usize,
}

impl CompiledKernel {
    /// Compiles a kernel.
    pub fn new(verified: &VerifiedKernel<'_>) -> Self {
        let kernel = verified.kernel();
        let grouped = !kernel.launch.local.is_empty() && sees_groups(kernel);
        let code = compile(verified, if grouped { BlockKind::Group } else { BlockKind::Items });
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
        args: &'a [LaunchArg<'a>],
        bindings: Bindings<'_>,
        engine: Engine,
    ) -> Result<Launch<'a>, Fault> {
        let wrong = |problem: String| Fault::Arguments { kernel: self.kernel.name.clone(), problem };
        self.check(args).map_err(&wrong)?;
        let geometry = self.kernel.launch.geometry(bindings).map_err(|error| wrong(format!("its launch {error}")))?;
        let (global, local) = geometry.map_or(([0; 3], [1; 3]), |own| (own.global, own.local.unwrap_or([1; 3])));
        let total: usize = global.iter().product();
        if global.iter().any(|&size| u32::try_from(size).is_err()) {
            return Err(wrong(format!("the launch size {global:?} exceeds 32 bits")));
        }
        let room = (BLOCK / self.lanes).max(1);
        let items = match self.code.kind {
            BlockKind::Items => room.min(total).max(1),
            BlockKind::Group => local.iter().product(),
            BlockKind::Rounds => room,
        };
        let flat = global[1..] == [1, 1];
        let group_counts = std::array::from_fn(|axis| global[axis] / local[axis]);
        Ok(Launch { compiled: self, args, engine, global, local, group_counts, total, items, flat })
    }

    fn check(&self, args: &[LaunchArg<'_>]) -> Result<(), String> {
        let params = &self.kernel.params;
        if args.len() != params.len() {
            return Err(format!("expects {} arguments, found {}", params.len(), args.len()));
        }
        for (param, arg) in params.iter().zip(args) {
            let expected = match (&param.kind, arg) {
                (ParamKind::Buffer(..), LaunchArg::Buffer(_)) => continue,
                // Sizes are the same bits as `i32` and as `u32`.
                (ParamKind::Scalar(dtype), LaunchArg::Scalar(Literal::Int(_, found)))
                    if dtype.is_integer() && dtype.size() == found.size() =>
                {
                    continue;
                }
                (ParamKind::Scalar(dtype), LaunchArg::Scalar(literal))
                    if literal.dtype().compute() == dtype.compute() =>
                {
                    continue;
                }
                (ParamKind::Symbol | ParamKind::Size, LaunchArg::Scalar(Literal::Int(..)))
                | (ParamKind::WideSize, LaunchArg::Scalar(Literal::Int(_, DType::I64))) => continue,
                (ParamKind::Buffer(dtype, _), _) => format!("a buffer of {dtype}"),
                (ParamKind::Scalar(dtype), _) => format!("a number of type {dtype}"),
                (ParamKind::Symbol, _) => "a number of type u32".to_string(),
                (ParamKind::Size, _) => "a number of type i32".to_string(),
                (ParamKind::WideSize, _) => "a number of type i64".to_string(),
                (ParamKind::Position(_), _) => {
                    "a coordinate from other code of its program: it is no kernel".to_string()
                }
                (ParamKind::Value(ty), _) => format!("a {ty} from other code of its program: it is no kernel"),
            };
            let found = match arg {
                LaunchArg::Buffer(_) => "a buffer".to_string(),
                LaunchArg::Scalar(literal) => format!("{literal}"),
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
    pub(super) compiled: &'a CompiledKernel,
    pub(super) args: &'a [LaunchArg<'a>],
    pub(super) engine: Engine,
    pub(super) global: [usize; 3],
    pub(super) local: [usize; 3],
    pub(super) group_counts: [usize; 3],
    pub(super) total: usize,
    /// Work-items of a block, or rounds.
    pub(super) items: usize,
    /// One dimension only.
    pub(super) flat: bool,
}

impl Launch<'_> {
    /// How many blocks there are; each can run on any thread.
    pub fn groups(&self) -> usize {
        match self.compiled.code.kind {
            BlockKind::Items | BlockKind::Group => self.total.div_ceil(self.items),
            BlockKind::Rounds => self.total,
        }
    }

    /// The coordinates of an item; the first dimension runs fastest.
    pub(super) fn global_id(&self, item: usize) -> [usize; 3] {
        split(item, self.global)
    }

    pub(super) fn local_id(&self, item: usize) -> [usize; 3] {
        split(item, self.local)
    }

    pub(super) fn group_id(&self, group: usize) -> [usize; 3] {
        split(group, self.group_counts)
    }

    pub(super) fn fault_outside(
        &self,
        buffer: &str,
        index: i64,
        lanes: usize,
        length: usize,
        item: [usize; 3],
    ) -> Fault {
        let kernel = self.compiled.kernel.name.clone();
        Fault::OutOfBounds { kernel, buffer: buffer.to_string(), index, lanes, length, item: Some(item) }
    }

    pub(super) fn fault_barrier(&self, active: usize, items: usize) -> Fault {
        Fault::DivergentBarrier { kernel: self.compiled.kernel.name.clone(), active, items }
    }

    pub(super) fn fault_step(&self, step: i64) -> Fault {
        Fault::Step { kernel: self.compiled.kernel.name.clone(), step }
    }
}

fn split(position: usize, sizes: [usize; 3]) -> [usize; 3] {
    [position % sizes[0], position / sizes[0] % sizes[1], position / sizes[0] / sizes[1]]
}
