//! Plans on the host: each step's code made once, its buffers looked up at each launch.

use crate::device::backend::{BindRequest, Bound, Memory, Native, Place, Program as BuiltProgram};
use crate::device::host::engine;
use crate::device::host::memory::HostBuffer;
use crate::device::host::native::{Args, Entry, Faults, Passed};
use crate::device::host::product::Product;
use crate::error::{Error, Result};
use crate::executor::geometry;
use crate::executor::scalar::Scalar;
use crate::memory::Region;
use netcl_kernels::dim::Symbol;
use netcl_kernels::dtype::{DType, Literal};
use netcl_kernels::kir::interp::{self, Value};
use netcl_kernels::kir::{Kernel, ParamKind, verify};
use netcl_kernels::plan::{Arg, Plan, Step, Work};
use rayon::prelude::*;
use std::ops::Range;
use std::sync::Arc;

/// Work (operations and bytes) that native code does in about the time it takes to wake another thread.
const NATIVE_SHARE: i64 = 1 << 16;
/// The same of the interpreter.
const INTERPRETED_SHARE: i64 = 1 << 13;

/// A plan whose loop steps have code.
pub(crate) struct HostProgram {
    plan: Arc<Plan>,
    loops: Vec<Option<Loop>>,
}

/// The code of a loop step.
#[derive(Clone)]
enum Loop {
    Native(Entry),
    Interpreted(Arc<interp::Program>),
}

impl HostProgram {
    pub(crate) fn new(plan: &Arc<Plan>, native: Native) -> Result<HostProgram> {
        let entry = |position: usize| native.get(position).copied().flatten().and_then(|entry| entry.code());
        let steps = plan.steps.iter().enumerate();
        let loops = steps.map(|(position, step)| code(plan, step, entry(position))).collect::<Result<_>>()?;
        Ok(HostProgram { plan: plan.clone(), loops })
    }
}

/// What runs a loop step; `None` for library steps.
fn code(plan: &Plan, step: &Step, native: Option<Entry>) -> Result<Option<Loop>> {
    match &step.work {
        Work::Loop(kernel) => {
            if let Some(entry) = native {
                return Ok(Some(Loop::Native(entry)));
            }
            let verified = verify::verify(kernel, &verify::Limits::unlimited()).map_err(|diagnostics| {
                let messages: Vec<String> = diagnostics.iter().map(ToString::to_string).collect();
                unusable(&plan.name, &step.label, &messages.join("; "))
            })?;
            Ok(Some(Loop::Interpreted(Arc::new(interp::Program::new(&verified)))))
        }
        Work::MatMul { .. } | Work::Conv2d { .. } => Ok(None),
        Work::Kernel { .. } => Err(unusable(&plan.name, &step.label, "it is OpenCL C")),
    }
}

/// Where what is passed for one parameter comes from.
enum Source {
    Buffer(HostBuffer),
    External(usize),
    Constant(Literal),
    Scalar(usize),
}

/// A step whose sizes are known.
struct Ready {
    position: usize,
    work: ReadyWork,
    sources: Vec<Source>,
}

enum ReadyWork {
    Native { entry: Entry, global: [usize; 3], local: [usize; 3], shares: usize },
    Interpreted { program: Arc<interp::Program>, shares: usize },
    Product(Product),
}

struct HostBound {
    plan: Arc<Plan>,
    bindings: Vec<(Symbol, u64)>,
    steps: Vec<Ready>,
}

impl BuiltProgram for HostProgram {
    fn bind(&self, request: &BindRequest<'_>) -> Result<Box<dyn Bound>> {
        let mut steps = Vec::with_capacity(self.plan.steps.len());
        for (position, (step, code)) in self.plan.steps.iter().zip(&self.loops).enumerate() {
            if let Some(work) = self.ready(step, code.as_ref(), request)? {
                steps.push(Ready { position, work, sources: self.sources(step, request)? });
            }
        }
        Ok(Box::new(HostBound { plan: self.plan.clone(), bindings: request.bindings.to_vec(), steps }))
    }
}

impl HostProgram {
    /// The step's work; `None` if it has no work-items.
    fn ready(&self, step: &Step, code: Option<&Loop>, request: &BindRequest<'_>) -> Result<Option<ReadyWork>> {
        let wrong = |problem: &str| unusable(&self.plan.name, &step.label, problem);
        let amount = [&step.flops, &step.bytes[0], &step.bytes[1]]
            .into_iter()
            .try_fold(0i64, |sum, dim| sum.checked_add(dim.evaluate(request.bindings)?))
            .unwrap_or(i64::MAX);
        let shares = |least: i64| {
            // Some for each thread, so that one that is late does not hold up all; none too small to be worth it.
            let most = 4 * rayon::current_num_threads() as i64;
            (amount / least).clamp(1, most) as usize
        };
        match (&step.work, code) {
            (Work::Loop(kernel), Some(code)) => {
                let Some(geometry) = geometry::of(&self.plan.name, &step.label, &kernel.launch, request.bindings)?
                else {
                    return Ok(None);
                };
                Ok(Some(match code {
                    Loop::Native(entry) => ReadyWork::Native {
                        entry: *entry,
                        global: geometry.global,
                        local: geometry.local.unwrap_or([1; 3]),
                        shares: shares(NATIVE_SHARE),
                    },
                    Loop::Interpreted(program) => {
                        ReadyWork::Interpreted { program: program.clone(), shares: shares(INTERPRETED_SHARE) }
                    }
                }))
            }
            (work, _) => match Product::new(work, request.bindings) {
                Some(product) => Ok(Some(ReadyWork::Product(product.map_err(|problem| wrong(&problem))?))),
                None => Err(wrong("it is no work for the host")),
            },
        }
    }

    fn sources(&self, step: &Step, request: &BindRequest<'_>) -> Result<Vec<Source>> {
        let mut sources = Vec::with_capacity(step.args.len());
        for (position, arg) in step.args.iter().enumerate() {
            sources.push(match arg {
                Arg::Buffer(id) => match request.place(*id) {
                    Place::Internal(region) => Source::Buffer(own(region)?.clone()),
                    Place::External(slot) => Source::External(*slot),
                    Place::Unused => {
                        return Err(unusable(&self.plan.name, &step.label, "it uses a buffer without a place"));
                    }
                },
                Arg::Dim(dim) => {
                    let value = geometry::value_u32(&self.plan.name, &step.label, dim, request.bindings)?;
                    // Sizes are the same bits as either type; the interpreter wants the parameter's.
                    Source::Constant(Literal::Int(i64::from(value), size_type(step, position)))
                }
                Arg::Literal(literal) => Source::Constant(*literal),
                Arg::Scalar(position, _) => Source::Scalar(*position),
            });
        }
        Ok(sources)
    }
}

/// The type of the size at that position of a loop kernel's parameters.
fn size_type(step: &Step, position: usize) -> DType {
    match &step.work {
        Work::Loop(kernel) => match kernel.params.get(position).map(|param| &param.kind) {
            Some(ParamKind::Scalar(dtype)) => *dtype,
            _ => DType::U32,
        },
        Work::Kernel { .. } | Work::MatMul { .. } | Work::Conv2d { .. } => DType::U32,
    }
}

impl Bound for HostBound {
    fn launch(&mut self, externals: &[Region], scalars: &[Scalar]) -> Result<u64> {
        for ready in &self.steps {
            let step = &self.plan.steps[ready.position];
            let mut passed = Vec::with_capacity(ready.sources.len());
            for source in &ready.sources {
                passed.push(match source {
                    Source::Buffer(buffer) => Passed::Buffer(buffer),
                    Source::External(slot) => Passed::Buffer(own(&externals[*slot])?),
                    Source::Constant(literal) => Passed::Scalar(*literal),
                    Source::Scalar(position) => Passed::Scalar(scalars[*position].literal()),
                });
            }
            self.run(&ready.work, &step.work, &passed)
                .map_err(|problem| unusable(&self.plan.name, &step.label, &problem))?;
        }
        Ok(self.steps.len() as u64)
    }
}

impl HostBound {
    fn run(&self, ready: &ReadyWork, work: &Work, passed: &[Passed<'_>]) -> Result<(), String> {
        match ready {
            ReadyWork::Native { entry, global, local, shares } => {
                let Work::Loop(kernel) = work else { return Ok(()) };
                native(*entry, kernel, *global, *local, *shares, passed)
            }
            ReadyWork::Interpreted { program, shares } => {
                let values: Vec<Value<'_>> = passed.iter().map(value).collect();
                let launch = program.launch(&values, &self.bindings, engine()).map_err(|fault| fault.to_string())?;
                shared(launch.groups(), *shares, |groups| launch.run_groups(groups)).map_err(|fault| fault.to_string())
            }
            ReadyWork::Product(product) => {
                let buffers = passed.iter().filter_map(|passed| match passed {
                    Passed::Buffer(buffer) => Some(*buffer),
                    Passed::Scalar(_) => None,
                });
                let buffers = <[&HostBuffer; 3]>::try_from(buffers.collect::<Vec<_>>())
                    .map_err(|found| format!("it names {} buffers, expected 3", found.len()))?;
                product.run(buffers)
            }
        }
    }
}

fn value<'a>(passed: &Passed<'a>) -> Value<'a> {
    match *passed {
        Passed::Buffer(buffer) => Value::Buffer(buffer),
        Passed::Scalar(literal) => Value::Scalar(literal),
    }
}

/// Runs native code on all work-items.
fn native(
    entry: Entry,
    kernel: &Kernel,
    global: [usize; 3],
    local: [usize; 3],
    shares: usize,
    passed: &[Passed<'_>],
) -> Result<(), String> {
    let faults = Faults::default();
    let args = Args::new(passed, global, local, &faults);
    shared(args.items(), shares, |items| {
        entry(&args, items);
        Ok::<(), String>(())
    })?;
    args.result(kernel).map_err(|fault| fault.to_string())
}

/// Runs `0..count` in at most `shares` parts, on as many threads as there are.
fn shared<E: Send>(count: usize, shares: usize, run: impl Fn(Range<usize>) -> Result<(), E> + Sync) -> Result<(), E> {
    let share = count.div_ceil(shares).max(1);
    if count <= share {
        return run(0..count);
    }
    (0..count.div_ceil(share)).into_par_iter().try_for_each(|part| run(part * share..((part + 1) * share).min(count)))
}

fn own(region: &Region) -> Result<&HostBuffer> {
    match region.memory() {
        Memory::Host(buffer) => Ok(buffer),
        Memory::OpenCl(_) | Memory::Null(_) => {
            Err(unusable("host", "memory", "it is memory of another kind of device"))
        }
    }
}

fn unusable(function: &str, label: &str, problem: &str) -> Error {
    Error::Plan { function: function.to_owned(), problem: format!("step `{label}`: {problem}") }
}
