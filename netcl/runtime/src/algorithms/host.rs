//! The algorithms on the host: loops of kernel IR, which it runs as it runs those of a plan.

use super::combine::Combining;
use crate::device::Device;
use crate::error::{Error, Result};
use crate::expression::{Expression, computed_in};
use crate::memory::BufferHandle;
use netcl_hal::device::backend::Program;
use netcl_hal::device::dispatch::{BindRequest, BufferBinding, Dispatch, Passed, ProgramSource, Work};
use netcl_hal::device::memory::Region;
use netcl_kernels::dim::{Dim, Symbol};
use netcl_kernels::dtype::{DType, Literal};
use netcl_kernels::graph::{BinaryOp, CompareOp};
use netcl_kernels::kir::Geometry;
use netcl_kernels::kir::build::KernelBuilder;
use netcl_kernels::kir::{Access, Expr, ExprId, Launch, ParamId, ParamKind, ValueType, WorkItem};

/// The symbol of how many work-items run.
const ITEMS: &str = "items";
/// How many values one work-item of a reduction combines.
const FOLDED: usize = 8;
/// A scan has at most so many work-items, so that their registers stay in the cache; the next scan is of what they make.
const PIECES: usize = 1 << 16;
/// The fewest elements of a work-item of a scan.
const PIECE: usize = 64;

/// A loop that is ready to run. It takes buffers first, those that it reads before the one that it writes, and then sizes.
struct HostLoop(Box<dyn Program>);

impl HostLoop {
    fn new(device: &Device, builder: KernelBuilder) -> Result<HostLoop> {
        let kernel = builder.finish();
        let source = ProgramSource {
            name: &kernel.name,
            text: "",
            optimized: true,
            loops: std::slice::from_ref(&kernel),
            native: &[],
        };
        Ok(HostLoop(device.backend().load_once(&source)?))
    }

    /// Runs `items` work-items, which move about `bytes`.
    fn run(
        &self,
        items: usize,
        bytes: usize,
        reads: &[&BufferHandle],
        writes: &BufferHandle,
        sizes: &[usize],
    ) -> Result<()> {
        let slots = reads.len() + 1;
        let sizes = sizes.iter().map(|&size| Passed::Size(size as u32));
        let memory = (0..slots).map(|slot| Passed::Memory(BufferBinding::External(slot)));
        let geometry = Geometry { dimensions: 1, global: [items, 1, 1], local: None };
        let dispatch = Dispatch {
            label: "algorithms".to_owned(),
            work: Work::Loop { kernel: 0, geometry, bytes: bytes as u64 },
            passed: memory.chain(sizes).collect(),
            touches: (0..slots).map(|slot| (BufferBinding::External(slot), slot == reads.len())).collect(),
        };
        let bindings = [(Symbol::new(ITEMS), items as u64)];
        let request = BindRequest { bindings: &bindings, dispatches: vec![dispatch], externals: slots, scalars: 0 };
        let regions: Vec<&Region> = reads.iter().map(|read| read.region()).chain([writes.region()]).collect();
        self.0.bind(request)?.launch(&regions, &[])?;
        Ok(())
    }
}

/// How many elements the loops take: they count in 32 bits, a little beyond the last element.
fn countable(operation: &'static str, elements: usize) -> Result<usize> {
    if elements <= u32::MAX as usize - PIECES {
        return Ok(elements);
    }
    let message = format!("expects fewer than 2^32 elements on the host, found {elements}");
    Err(Error::Shape { operation, message })
}

/// What loops read: elements of buffers of one type, and what an expression makes of them.
#[derive(Clone, Copy)]
pub(super) struct MappedElements<'a> {
    pub(super) dtype: DType,
    pub(super) inputs: usize,
    pub(super) expression: Option<&'a Expression>,
}

impl MappedElements<'_> {
    /// What was made of such elements before, in a buffer.
    fn made(self) -> MappedElements<'static> {
        MappedElements { dtype: computed_in(self.dtype), inputs: 1, expression: None }
    }

    fn computed(self) -> DType {
        computed_in(self.dtype)
    }
}

/// A loop that is being written.
struct LoopWriter<'a> {
    builder: KernelBuilder,
    elements: MappedElements<'a>,
    inputs: Vec<ParamId>,
    out: (ParamId, DType),
}

impl<'a> LoopWriter<'a> {
    /// Of a loop that reads the elements, and what the work-items of another loop have written, and writes `out`.
    fn new(
        name: &str,
        elements: MappedElements<'a>,
        also: Option<&str>,
        out: DType,
    ) -> (LoopWriter<'a>, Option<ParamId>) {
        let mut builder = KernelBuilder::new(name, Launch { global: vec![Dim::symbol(ITEMS)], local: Vec::new() });
        let read = |dtype| ParamKind::Buffer(dtype, Access::Read);
        let names = Expression::variables(elements.inputs);
        let inputs = names.iter().map(|name| builder.param(name, read(elements.dtype))).collect();
        let also = also.map(|name| builder.param(name, read(elements.computed())));
        let out = (builder.param("out", ParamKind::Buffer(out, Access::Write)), out);
        (LoopWriter { builder, elements, inputs, out }, also)
    }

    fn size(&mut self, name: &str) -> ExprId {
        let param = self.builder.param(name, ParamKind::Symbol);
        self.builder.push(Expr::Param(param), ValueType::scalar(DType::U32))
    }

    fn item(&mut self) -> ExprId {
        self.builder.push(Expr::WorkItem(WorkItem::GlobalId, 0), ValueType::scalar(DType::U32))
    }

    fn number(&mut self, value: usize) -> ExprId {
        self.builder.literal(Literal::Int(value as i64, DType::U32))
    }

    /// What the elements at an index make.
    fn value(&mut self, index: ExprId) -> ExprId {
        let computed = self.elements.computed();
        let loads = self.inputs.iter().map(|&input| {
            let element = self.builder.load(input, index, 1);
            self.builder.cast(computed, element)
        });
        let loads: Vec<ExprId> = loads.collect();
        match self.elements.expression {
            Some(expression) => expression.lower(&mut self.builder, &loads),
            None => loads[0],
        }
    }

    fn store(&mut self, index: ExprId, value: ExprId) {
        let (out, dtype) = self.out;
        let value = match dtype {
            DType::Bool => {
                let zero = self.builder.literal(Literal::of(0.0, self.elements.computed()));
                self.builder.compare(CompareOp::Ne, value, zero)
            }
            DType::U8 => self.builder.cast(dtype, value),
            // A store rounds.
            _ => value,
        };
        self.builder.store(out, index, value);
    }

    /// A loop over `start..end`, whose body gets the counter.
    fn each(&mut self, start: usize, end: ExprId, body: impl FnOnce(&mut Self, ExprId)) {
        let (start, step) = (self.number(start), self.number(1));
        let var = self.builder.var("k", ValueType::scalar(DType::U32));
        let counter = self.builder.get(var);
        self.builder.open();
        body(self, counter);
        let body = self.builder.close();
        self.builder.stmt(netcl_kernels::kir::Stmt::For { var, start, end, step, body });
    }

    /// What is done where `index` is below `n`.
    fn below(&mut self, index: ExprId, n: ExprId, then: impl FnOnce(&mut Self)) {
        let condition = self.builder.compare(CompareOp::Lt, index, n);
        self.builder.open();
        then(self);
        let then = self.builder.close();
        self.builder.stmt(netcl_kernels::kir::Stmt::If { condition, then, otherwise: Vec::new() });
    }

    /// `first + k * step`, with a name.
    fn at(&mut self, first: ExprId, k: ExprId, step: Option<ExprId>) -> ExprId {
        let offset = step.map_or(k, |step| self.builder.binary(BinaryOp::Mul, k, step));
        let at = self.builder.add(first, offset);
        self.builder.named("at", at)
    }
}

/// A result for each element.
pub(super) struct Map(HostLoop);

impl Map {
    pub(super) fn new(device: &Device, elements: MappedElements<'_>, result: DType) -> Result<Map> {
        let (mut loops, _) = LoopWriter::new("map_elements", elements, None, result);
        let item = loops.item();
        let value = loops.value(item);
        loops.store(item, value);
        HostLoop::new(device, loops.builder).map(Map)
    }

    pub(super) fn run(
        &self,
        operation: &'static str,
        reads: &[&BufferHandle],
        out: &BufferHandle,
        n: usize,
    ) -> Result<()> {
        match countable(operation, n)? {
            0 => Ok(()),
            n => self.0.run(n, bytes(reads, out), reads, out, &[]),
        }
    }
}

/// About what a loop moves.
fn bytes(reads: &[&BufferHandle], out: &BufferHandle) -> usize {
    reads.iter().map(|read| read.bytes()).sum::<usize>() + out.bytes()
}

/// Elements, or what was made of them, combined to one.
pub(super) struct Reduce {
    /// Of elements first, then of what was made of them.
    folds: [HostLoop; 2],
    last: [HostLoop; 2],
    value: usize,
}

impl Reduce {
    pub(super) fn new(device: &Device, elements: MappedElements<'_>, combining: &Combining) -> Result<Reduce> {
        let made = elements.made();
        let fold = |elements| HostLoop::new(device, fold(elements, combining));
        let last = |from| HostLoop::new(device, last(from, combining, elements.dtype));
        Ok(Reduce {
            folds: [fold(elements)?, fold(made)?],
            last: [last(elements)?, last(made)?],
            value: made.dtype.size(),
        })
    }

    /// In rounds that each leave an eighth, so that rounding errors grow with the logarithm alone.
    pub(super) fn run(
        &self,
        operation: &'static str,
        device: &Device,
        reads: &[&BufferHandle],
        out: &BufferHandle,
        n: usize,
    ) -> Result<()> {
        let mut left = countable(operation, n)?;
        let mut parts: Option<BufferHandle> = None;
        loop {
            let kind = usize::from(parts.is_some());
            let made = parts.as_ref().map(|parts| [parts]);
            let reads = made.as_ref().map_or(reads, |made| made.as_slice());
            if left <= FOLDED {
                return self.last[kind].run(1, 0, reads, out, &[left]);
            }
            let items = left.div_ceil(FOLDED);
            let next = device.allocate(items * self.value)?;
            self.folds[kind].run(items, bytes(reads, &next), reads, &next, &[left, items])?;
            (left, parts) = (items, Some(next));
        }
    }
}

/// Work-item `i` combines the elements `i + k * items`.
fn fold(elements: MappedElements<'_>, combining: &Combining) -> KernelBuilder {
    let (mut loops, _) = LoopWriter::new("reduce_parts", elements, None, elements.computed());
    let (n, items, item) = (loops.size("n"), loops.size(ITEMS), loops.item());
    let first = loops.value(item);
    let sum = loops.builder.bind("sum", first);
    let end = loops.number(FOLDED);
    loops.each(1, end, |loops, k| {
        let at = loops.at(item, k, Some(items));
        loops.below(at, n, |loops| {
            let (so_far, value) = (loops.builder.get(sum), loops.value(at));
            let both = combining.lower(&mut loops.builder, so_far, value);
            loops.builder.assign(sum, both);
        });
    });
    let sum = loops.builder.get(sum);
    loops.store(item, sum);
    loops.builder
}

/// One work-item combines the neutral value with all elements.
fn last(elements: MappedElements<'_>, combining: &Combining, result: DType) -> KernelBuilder {
    let (mut loops, _) = LoopWriter::new("reduce_last", elements, None, result);
    let (n, item) = (loops.size("n"), loops.item());
    let neutral = combining.neutral(&mut loops.builder);
    let sum = loops.builder.bind("sum", neutral);
    loops.each(0, n, |loops, k| {
        let (so_far, value) = (loops.builder.get(sum), loops.value(k));
        let both = combining.lower(&mut loops.builder, so_far, value);
        loops.builder.assign(sum, both);
    });
    let sum = loops.builder.get(sum);
    loops.store(item, sum);
    loops.builder
}

/// Prefixes.
pub(super) struct Prefixes {
    /// What each piece makes: of elements, of what was made of them.
    totals: [HostLoop; 2],
    /// The prefixes in each piece: of elements with their own or without, of what was made of them without.
    writes: [HostLoop; 2],
    neutral: HostLoop,
    value: usize,
}

impl Prefixes {
    pub(super) fn new(
        device: &Device,
        elements: MappedElements<'_>,
        combining: &Combining,
        inclusive: bool,
    ) -> Result<Prefixes> {
        let made = elements.made();
        let (mut neutral, _) = LoopWriter::new("scan_neutral", MappedElements { inputs: 0, ..made }, None, made.dtype);
        let (item, value) = (neutral.item(), combining.neutral(&mut neutral.builder));
        neutral.store(item, value);
        let totals = |elements| HostLoop::new(device, totals(elements, combining));
        Ok(Prefixes {
            totals: [totals(elements)?, totals(made)?],
            writes: [
                HostLoop::new(device, write(elements, combining, inclusive, elements.dtype))?,
                HostLoop::new(device, write(made, combining, false, made.dtype))?,
            ],
            neutral: HostLoop::new(device, neutral.builder)?,
            value: made.dtype.size(),
        })
    }

    pub(super) fn run(
        &self,
        operation: &'static str,
        device: &Device,
        reads: &[&BufferHandle],
        out: &BufferHandle,
        n: usize,
    ) -> Result<()> {
        match countable(operation, n)? {
            0 => Ok(()),
            n => self.level(0, device, reads, out, n),
        }
    }

    /// `level` is 0 of elements, 1 of what was made of them.
    fn level(
        &self,
        level: usize,
        device: &Device,
        reads: &[&BufferHandle],
        out: &BufferHandle,
        n: usize,
    ) -> Result<()> {
        let piece = n.div_ceil(PIECES).max(PIECE);
        let pieces = n.div_ceil(piece);
        let before = device.allocate(pieces * self.value)?;
        if pieces == 1 {
            self.neutral.run(1, 0, &[], &before, &[])?;
        } else {
            let totals = device.allocate(pieces * self.value)?;
            self.totals[level].run(pieces, bytes(reads, &totals), reads, &totals, &[n, piece])?;
            self.level(1, device, &[&totals], &before, pieces)?;
        }
        let reads = [reads, &[&before]].concat();
        self.writes[level].run(pieces, bytes(&reads, out), &reads, out, &[n, piece])
    }
}

/// Work-item `i` combines the elements of piece `i`.
fn totals(elements: MappedElements<'_>, combining: &Combining) -> KernelBuilder {
    let (mut loops, _) = LoopWriter::new("scan_tiles", elements, None, elements.computed());
    let (n, piece, item) = (loops.size("n"), loops.size("piece"), loops.item());
    let first = loops.builder.mul(item, piece);
    let first = loops.builder.named("first", first);
    let value = loops.value(first);
    let sum = loops.builder.bind("sum", value);
    loops.each(1, piece, |loops, k| {
        let at = loops.at(first, k, None);
        loops.below(at, n, |loops| {
            let (so_far, value) = (loops.builder.get(sum), loops.value(at));
            let both = combining.lower(&mut loops.builder, so_far, value);
            loops.builder.assign(sum, both);
        });
    });
    let sum = loops.builder.get(sum);
    loops.store(item, sum);
    loops.builder
}

/// Work-item `i` writes the prefixes of the elements of piece `i`, of which it reads what the pieces before make.
fn write(elements: MappedElements<'_>, combining: &Combining, inclusive: bool, result: DType) -> KernelBuilder {
    let (mut loops, before) = LoopWriter::new("scan_write", elements, Some("before"), result);
    let (n, piece, item) = (loops.size("n"), loops.size("piece"), loops.item());
    let first = loops.builder.mul(item, piece);
    let first = loops.builder.named("first", first);
    let start = loops.builder.load(before.expect("asked for above"), item, 1);
    let sum = loops.builder.bind("sum", start);
    loops.each(0, piece, |loops, k| {
        let at = loops.at(first, k, None);
        loops.below(at, n, |loops| {
            let so_far = loops.builder.get(sum);
            if !inclusive {
                loops.store(at, so_far);
            }
            let value = loops.value(at);
            let both = combining.lower(&mut loops.builder, so_far, value);
            loops.builder.assign(sum, both);
            if inclusive {
                let sum = loops.builder.get(sum);
                loops.store(at, sum);
            }
        });
    });
    loops.builder
}
