//! Programs on the host: each dispatch's code made once, its buffers looked up at each launch.

use super::access::Access;
use super::loops::{BoundLoop, Loop};
use super::memory::HostBuffer;
use super::native::Passed as Argument;
use super::product::Product;
use super::tracks::host_tracks;
use crate::device::backend::{Bound, Program as BuiltProgram};
use crate::device::dispatch::{BindRequest, BufferBinding, Dispatch, Passed, ProgramSource, ScatterAdd, Work};
use crate::device::memory::{Region, downcast};
use crate::device::scalar::Scalar;
use crate::error::{Error, Result};
use crate::profile::{self, Command};
use netcl_kernels::dtype::{DType, Literal};
use netcl_kernels::kir::ParamKind;
use std::sync::Arc;

/// A program whose loop kernels have code.
pub(crate) struct HostProgram {
    name: Arc<str>,
    /// As the program has them.
    loops: Vec<Arc<Loop>>,
}

impl HostProgram {
    pub(crate) fn new(source: &ProgramSource<'_>) -> Result<HostProgram> {
        let mut loops = Vec::with_capacity(source.loops.len());
        for (position, kernel) in source.loops.iter().enumerate() {
            let code = Loop::new(kernel, source.native.get(position).copied().flatten()).map_err(|diagnostics| {
                let messages: Vec<String> = diagnostics.iter().map(ToString::to_string).collect();
                let problem = format!("kernel `{}`: {}", kernel.name, messages.join("; "));
                Error::Program { program: source.name.to_owned(), problem }
            })?;
            loops.push(Arc::new(code));
        }
        Ok(HostProgram { name: source.name.into(), loops })
    }
}

/// Where what is passed for one parameter comes from.
enum ParameterBinding {
    Buffer(HostBuffer),
    External(usize),
    Constant(Literal),
    Scalar(usize),
}

/// A dispatch whose memory is looked up at each launch.
struct Ready {
    label: String,
    work: ReadyWork,
    sources: Vec<ParameterBinding>,
}

enum ReadyWork {
    Loop(BoundLoop),
    Product(Product),
    ScatterAdd(ScatterAdd),
}

struct HostBound {
    name: Arc<str>,
    dispatches: Vec<Ready>,
    /// By slot: whether a dispatch writes the memory given there.
    written: Vec<bool>,
}

impl BuiltProgram for HostProgram {
    fn bind(&self, request: BindRequest<'_>) -> Result<Box<dyn Bound>> {
        let mut dispatches = Vec::with_capacity(request.dispatches.len());
        let mut written = vec![false; request.externals];
        for Dispatch { label, work, passed, touches } in request.dispatches {
            for (place, writes) in touches {
                if let BufferBinding::External(slot) = place {
                    written[slot] |= writes;
                }
            }
            let wrong = |problem: &str| unusable(&self.name, &label, problem);
            let work = match work {
                Work::Loop { kernel, geometry, bytes } => {
                    let code = self.loops.get(kernel).ok_or_else(|| wrong("the program has no kernel for it"))?;
                    let bound = code.bind(request.bindings, &geometry, bytes);
                    ReadyWork::Loop(bound.map_err(|fault| wrong(&fault.to_string()))?)
                }
                Work::MatMul(matmul) => ReadyWork::Product(Product::MatMul(matmul)),
                Work::Conv2d(conv) => ReadyWork::Product(Product::Conv(conv)),
                Work::ScatterAdd(scatter_add) => ReadyWork::ScatterAdd(scatter_add),
                Work::Kernel { .. } => return Err(wrong("it is no work for the host")),
            };
            let sources = passed.into_iter().enumerate().map(|(position, passed)| source(&work, position, passed));
            let sources = sources.collect::<Result<_>>()?;
            dispatches.push(Ready { label, work, sources });
        }
        Ok(Box::new(HostBound { name: self.name.clone(), dispatches, written }))
    }
}

fn source(work: &ReadyWork, position: usize, passed: Passed) -> Result<ParameterBinding> {
    Ok(match passed {
        Passed::Memory(BufferBinding::Internal(region)) => ParameterBinding::Buffer(own(&region)?.clone()),
        Passed::Memory(BufferBinding::External(slot)) => ParameterBinding::External(slot),
        // Sizes are the same bits as either type; the interpreter wants the parameter's.
        Passed::Size(value) => ParameterBinding::Constant(Literal::Int(i64::from(value), size_type(work, position))),
        Passed::Literal(literal) => ParameterBinding::Constant(literal),
        Passed::Scalar(position) => ParameterBinding::Scalar(position),
    })
}

/// The type of the size at that position of a loop kernel's parameters.
fn size_type(work: &ReadyWork, position: usize) -> DType {
    let ReadyWork::Loop(code) = work else { return DType::U32 };
    match code.kernel().params.get(position).map(|param| &param.kind) {
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
        for Ready { label, work, sources } in &self.dispatches {
            let mut passed = Vec::with_capacity(sources.len());
            for source in sources {
                passed.push(match source {
                    ParameterBinding::Buffer(buffer) => Argument::Buffer(buffer),
                    ParameterBinding::External(slot) => Argument::Buffer(given[*slot]),
                    ParameterBinding::Constant(literal) => Argument::Scalar(*literal),
                    ParameterBinding::Scalar(position) => Argument::Scalar(scalars[*position].literal()),
                });
            }
            let marked = profile::mark();
            run(work, &passed).map_err(|problem| unusable(&self.name, label, &problem))?;
            if let Some(marked) = marked {
                profile::computed(host_tracks(), command(work, label), marked);
            }
        }
        Ok(self.dispatches.len() as u64)
    }
}

/// A dispatch as it is recorded.
fn command(work: &ReadyWork, label: &str) -> Command {
    let kernel = match work {
        ReadyWork::Loop(code) => code.kernel().name.as_str(),
        ReadyWork::Product(Product::MatMul(_)) => "matmul",
        ReadyWork::Product(Product::Conv(_)) => "conv2d",
        ReadyWork::ScatterAdd(_) => "scatter_add",
    };
    Command { name: label.into(), kernel: Some(kernel.into()), ..Command::default() }
}

fn run(work: &ReadyWork, passed: &[Argument<'_>]) -> Result<(), String> {
    match work {
        ReadyWork::Loop(code) => code.run(passed).map_err(|fault| fault.to_string()),
        ReadyWork::Product(product) => product.run(three(passed)?),
        ReadyWork::ScatterAdd(scatter_add) => scatter_add.run(three(passed)?),
    }
}

/// What is passed to a step of the library: two operands and the result.
fn three<'a>(passed: &[Argument<'a>]) -> Result<[&'a HostBuffer; 3], String> {
    let buffers = passed.iter().filter_map(|passed| match passed {
        Argument::Buffer(buffer) => Some(*buffer),
        Argument::Scalar(_) => None,
    });
    let buffers: Vec<&HostBuffer> = buffers.collect();
    <[&HostBuffer; 3]>::try_from(buffers).map_err(|found| format!("it names {} buffers, expected 3", found.len()))
}

fn own(region: &Region) -> Result<&HostBuffer> {
    downcast(region.memory()).ok_or_else(|| unusable("host", "memory", "it is memory of another kind of device"))
}

fn unusable(function: &str, label: &str, problem: &str) -> Error {
    Error::Program { program: function.to_owned(), problem: format!("step `{label}`: {problem}") }
}
