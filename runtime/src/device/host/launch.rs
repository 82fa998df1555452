//! Plans on the host: each step's code made once, its buffers looked up at each launch.

use super::access::Access;
use super::loops::{BoundLoop, Loop};
use super::memory::HostBuffer;
use super::native::Passed;
use super::product::Product;
use super::scatter::ScatterAdd;
use super::tracks::host_tracks;
use crate::device::backend::{BindRequest, Bound, Native, Place, Program as BuiltProgram};
use crate::device::geometry;
use crate::device::memory::{Region, downcast};
use crate::device::scalar::Scalar;
use crate::error::{Error, Result};
use crate::profile::{self, Command};
use netcl_kernels::dtype::{DType, Literal};
use netcl_kernels::kir::ParamKind;
use netcl_kernels::plan::{Arg, Plan, Step, Work};
use std::sync::Arc;

/// A plan whose loop kernels have code.
pub(crate) struct HostProgram {
    plan: Arc<Plan>,
    /// As the plan has them.
    loops: Vec<Arc<Loop>>,
}

impl HostProgram {
    pub(crate) fn new(plan: &Arc<Plan>, native: Native) -> Result<HostProgram> {
        let mut loops = Vec::with_capacity(plan.loops.len());
        for (position, kernel) in plan.loops.iter().enumerate() {
            let code = Loop::new(kernel, native.get(position).copied().flatten()).map_err(|diagnostics| {
                let messages: Vec<String> = diagnostics.iter().map(ToString::to_string).collect();
                let problem = format!("kernel `{}`: {}", kernel.name, messages.join("; "));
                Error::Plan { function: plan.name.clone(), problem }
            })?;
            loops.push(Arc::new(code));
        }
        Ok(HostProgram { plan: plan.clone(), loops })
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
    Loop(BoundLoop),
    Product(Product),
    ScatterAdd(ScatterAdd),
}

struct HostBound {
    plan: Arc<Plan>,
    steps: Vec<Ready>,
    /// By slot: whether a step writes the memory given there.
    written: Vec<bool>,
}

impl BuiltProgram for HostProgram {
    fn bind(&self, request: &BindRequest<'_>) -> Result<Box<dyn Bound>> {
        let mut steps = Vec::with_capacity(self.plan.steps.len());
        for (position, step) in self.plan.steps.iter().enumerate() {
            if let Some(work) = self.ready(step, request)? {
                steps.push(Ready { position, work, sources: self.sources(step, request)? });
            }
        }
        let mut written = vec![false; request.externals];
        for id in self.plan.steps.iter().flat_map(|step| &step.writes) {
            if let Place::External(slot) = request.place(*id) {
                written[*slot] = true;
            }
        }
        Ok(Box::new(HostBound { plan: self.plan.clone(), steps, written }))
    }
}

impl HostProgram {
    /// The step's work; `None` if it has no work-items.
    fn ready(&self, step: &Step, request: &BindRequest<'_>) -> Result<Option<ReadyWork>> {
        let wrong = |problem: &str| unusable(&self.plan.name, &step.label, problem);
        match &step.work {
            Work::Loop { kernel } => {
                let code = self.loops.get(*kernel).ok_or_else(|| wrong("the plan has no kernel for it"))?;
                if geometry::of(&self.plan.name, &step.label, code.launch(), request.bindings)?.is_none() {
                    return Ok(None);
                }
                let value = |dim: &netcl_kernels::dim::Dim| dim.evaluate(request.bindings).unwrap_or(i64::MAX);
                let bytes = value(&step.bytes[0]).saturating_add(value(&step.bytes[1])).max(0) as u64;
                let bound = code.bind(request.bindings, bytes).map_err(|fault| wrong(&fault.to_string()))?;
                Ok(Some(ReadyWork::Loop(bound)))
            }
            work => {
                let product = Product::new(work, request.bindings).map(|ready| ready.map(ReadyWork::Product));
                let scatter_add =
                    || ScatterAdd::new(work, request.bindings).map(|ready| ready.map(ReadyWork::ScatterAdd));
                let ready = product.or_else(scatter_add).ok_or_else(|| wrong("it is no work for the host"))?;
                ready.map(Some).map_err(|problem| wrong(&problem))
            }
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
                    Source::Constant(Literal::Int(i64::from(value), size_type(&self.plan, step, position)))
                }
                Arg::Literal(literal) => Source::Constant(*literal),
                Arg::Scalar(position, _) => Source::Scalar(*position),
            });
        }
        Ok(sources)
    }
}

/// The type of the size at that position of a loop kernel's parameters.
fn size_type(plan: &Plan, step: &Step, position: usize) -> DType {
    let param = plan.loop_kernel(step).and_then(|kernel| kernel.params.get(position));
    match param.map(|param| &param.kind) {
        Some(ParamKind::Scalar(dtype)) => *dtype,
        Some(ParamKind::Size) => DType::I32,
        _ => DType::U32,
    }
}

impl Bound for HostBound {
    fn launch(&mut self, externals: &[&Region], scalars: &[Scalar]) -> Result<u64> {
        let given = externals.iter().map(|region| own(region)).collect::<Result<Vec<_>>>()?;
        // The arena needs no lock: whoever launches has this object, whose own it is, to itself.
        let _access = Access::new(given.iter().copied().zip(self.written.iter().copied()));
        for ready in &self.steps {
            let step = &self.plan.steps[ready.position];
            let mut passed = Vec::with_capacity(ready.sources.len());
            for source in &ready.sources {
                passed.push(match source {
                    Source::Buffer(buffer) => Passed::Buffer(buffer),
                    Source::External(slot) => Passed::Buffer(given[*slot]),
                    Source::Constant(literal) => Passed::Scalar(*literal),
                    Source::Scalar(position) => Passed::Scalar(scalars[*position].literal()),
                });
            }
            let marked = profile::mark();
            run(&ready.work, &passed).map_err(|problem| unusable(&self.plan.name, &step.label, &problem))?;
            if let Some(marked) = marked {
                profile::computed(host_tracks(), command(&self.plan, step), marked);
            }
        }
        Ok(self.steps.len() as u64)
    }
}

/// A step as it is recorded.
fn command(plan: &Plan, step: &Step) -> Command {
    let kernel = match &step.work {
        Work::Loop { .. } => plan.loop_kernel(step).map_or("loop", |kernel| kernel.name.as_str()),
        Work::MatMul { .. } => "matmul",
        Work::Conv2d { .. } => "conv2d",
        Work::ScatterAdd { .. } => "scatter_add",
        Work::Kernel { entry, .. } => entry,
    };
    Command { name: step.label.as_str().into(), kernel: Some(kernel.into()), ..Command::default() }
}

fn run(work: &ReadyWork, passed: &[Passed<'_>]) -> Result<(), String> {
    match work {
        ReadyWork::Loop(code) => code.run(passed).map_err(|fault| fault.to_string()),
        ReadyWork::Product(product) => product.run(three(passed)?),
        ReadyWork::ScatterAdd(scatter_add) => scatter_add.run(three(passed)?),
    }
}

/// What is passed to a step of the library: two operands and the result.
fn three<'a>(passed: &[Passed<'a>]) -> Result<[&'a HostBuffer; 3], String> {
    let buffers = passed.iter().filter_map(|passed| match passed {
        Passed::Buffer(buffer) => Some(*buffer),
        Passed::Scalar(_) => None,
    });
    let buffers: Vec<&HostBuffer> = buffers.collect();
    <[&HostBuffer; 3]>::try_from(buffers).map_err(|found| format!("it names {} buffers, expected 3", found.len()))
}

fn own(region: &Region) -> Result<&HostBuffer> {
    downcast(region.memory()).ok_or_else(|| unusable("host", "memory", "it is memory of another kind of device"))
}

fn unusable(function: &str, label: &str, problem: &str) -> Error {
    Error::Plan { function: function.to_owned(), problem: format!("step `{label}`: {problem}") }
}
