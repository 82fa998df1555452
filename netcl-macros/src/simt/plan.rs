//! SIMT-form kernels as plans: one launch, and one before it for each result that starts as zeros.

use super::signature::Signature;
use super::size::size_of;
use super::state::Lowered;
use crate::ast::ArgType;
use crate::compile::CompiledPlan;
use crate::diag::Diag;
use crate::messages as m;
use netcl_kernels::dim::{Dim, Shape};
use netcl_kernels::dtype::{DType, Literal};
use netcl_kernels::emit::opencl;
use netcl_kernels::graph::{CompareOp, OutputKind};
use netcl_kernels::identifier::{ascii, is_reserved};
use netcl_kernels::kir::build::KernelBuilder;
use netcl_kernels::kir::flops::flops;
use netcl_kernels::kir::verify::{Capabilities, VerifiedKernel, verify};
use netcl_kernels::kir::{Access, Expr, Kernel, Launch, Param, ParamKind, ValueType, WorkItem};
use netcl_kernels::plan::requirement::Requirement;
use netcl_kernels::plan::source::ProgramText;
use netcl_kernels::plan::{Arg, Buffer, BufferId, Plan, Role, Step, Target, Work};
use netcl_kernels::span::Diagnostic;
use proc_macro2::Span;

/// Results that are only written say so.
pub(super) fn restrict(kernel: &mut Kernel, signature: &Signature, zeroed: &[bool]) {
    for arg in &signature.args {
        if let (Some(result), ArgType::Tensor(ty)) = (arg.result, &arg.ty)
            && !zeroed[result]
            && !arg.in_place
            && let Some(param) = kernel.params.iter_mut().find(|param| crate::parse::name(&arg.name) == param.name)
        {
            param.kind = ParamKind::Buffer(ty.dtype, Access::Write);
        }
    }
}

/// Whether the verifier passes the kernel; what it finds is reported, at a barrier where it speaks of one.
pub(super) fn verified(
    diag: &Diag,
    signature: &Signature,
    kernel: &Kernel,
    (barriers, across, returns): (&[Span], &[Span], &[(Span, String)]),
) -> bool {
    let Err(errors) = verify(kernel, &Capabilities::unlimited()) else { return true };
    for error in &errors {
        if let Some((place, go_on)) = returns.first().filter(|_| error.message.contains("barrier")) {
            diag.report(*place, &m::SIMT_RETURN_BARRIER, &[go_on]);
            continue;
        }
        // The rule's number is for those who read the verifier.
        let message = error.message.rsplit_once(" [K").map_or(error.message.as_str(), |(message, _)| message);
        let error = Diagnostic { message: message.to_string(), ..error.clone() };
        let barrier = barriers.first().copied().filter(|_| error.message.contains("barrier"));
        let barrier = barrier.or_else(|| across.first().copied().filter(|_| error.message.contains("sub-group")));
        diag.diagnostic(&error, barrier.unwrap_or_else(|| signature.name.span()));
    }
    false
}

/// The plans of a kernel, one for each kind of device.
pub(crate) fn compile(signature: &Signature, lowered: &Lowered) -> Result<Vec<CompiledPlan>, Diagnostic> {
    Target::ALL.into_iter().map(|target| crate::compile::embed(plan(signature, lowered, target)?)).collect()
}

fn plan(signature: &Signature, lowered: &Lowered, target: Target) -> Result<Plan, Diagnostic> {
    let buffers = buffers(signature);
    let fills =
        signature.args.iter().filter(|arg| !arg.in_place && arg.result.is_some_and(|result| lowered.zeroed[result]));
    let fills = fills.filter_map(|arg| match &arg.ty {
        ArgType::Tensor(ty) => Some(fill(signature, &crate::parse::name(&arg.name), ty)),
        _ => None,
    });
    let kernels: Vec<Kernel> = fills.chain([lowered.kernel.clone()]).collect();
    let mut verified = Vec::new();
    for kernel in &kernels {
        verified.push(verify(kernel, &Capabilities::unlimited()).map_err(|mut errors| errors.remove(0))?);
    }
    let work = |position: usize, kernel: &Kernel| match target {
        Target::Host => Work::Loop { kernel: position },
        Target::Cpu | Target::Gpu => Work::Kernel { entry: kernel.name.clone(), launch: kernel.launch.clone() },
    };
    let launched = verified.iter().enumerate();
    let steps = launched.map(|(position, kernel)| step(signature, &buffers, kernel, work(position, kernel.kernel())));
    let steps = steps.collect();
    let source = match target {
        Target::Host => ProgramText::default(),
        Target::Cpu | Target::Gpu => opencl::program(&verified, &opencl::Options::default()).into(),
    };
    let loops = if target == Target::Host { kernels.clone() } else { Vec::new() };
    let scalars = std::iter::once(DType::U32).chain(signature.scalars().map(|(_, dtype)| dtype)).collect();
    let (name, symbols) = (crate::parse::name(&signature.name), signature.symbols());
    Ok(Plan {
        name,
        target,
        symbols,
        buffers,
        scalars,
        requirements: counted(signature).chain(runs(signature, lowered)).collect(),
        width: netcl_kernels::dim::IndexWidth::Narrow,
        not_in_place: Vec::new(),
        decisions: Vec::new(),
        steps,
        repeats: Vec::new(),
        loops,
        source,
    })
}

/// The launch of one kernel.
fn step(signature: &Signature, buffers: &[Buffer], verified: &VerifiedKernel<'_>, work: Work) -> Step {
    let kernel = verified.kernel();
    let find = |name: &str| {
        // What is changed in place is an argument and, behind that, a result.
        let position = buffers.iter().rposition(|buffer| buffer.name == name).unwrap_or_default();
        BufferId(position as u32)
    };
    let arg = |param: &Param| match param.kind {
        ParamKind::Scalar(dtype) => {
            let mut scalars = signature.scalars();
            let position = scalars.position(|(name, _)| crate::parse::name(name) == param.name).unwrap_or_default();
            // The runtime's own scalar, the seed, comes first.
            Arg::Scalar(position + 1, dtype)
        }
        ParamKind::Symbol | ParamKind::Size => Arg::Dim(Dim::symbol(&param.name)),
        ParamKind::WideSize => Arg::DimAs(Dim::symbol(&param.name), DType::I64),
        ParamKind::Buffer(..) | ParamKind::Value(_) | ParamKind::Position(_) => Arg::Buffer(find(&param.name)),
    };
    let touched = |wanted: fn(Access) -> bool| -> Vec<BufferId> {
        let of = |param: &Param| match param.kind {
            ParamKind::Buffer(_, access) if wanted(access) => Some(find(&param.name)),
            _ => None,
        };
        kernel.params.iter().filter_map(of).collect()
    };
    let (reads, writes) = (touched(|access| access != Access::Write), touched(|access| access != Access::Read));
    let bytes = |ids: &[BufferId]| {
        ids.iter().fold(Dim::default(), |sum, id| {
            let buffer = &buffers[id.0 as usize];
            sum + buffer.shape.elements() * Dim::from(buffer.dtype.size())
        })
    };
    Step {
        label: kernel.name.clone(),
        work,
        args: kernel.params.iter().map(arg).collect(),
        bytes: [bytes(&reads), bytes(&writes)],
        reads,
        writes,
        local_bytes: kernel.local_bytes(),
        flops: flops(verified),
    }
}

/// Rule: results that start as anything are written. Wrong: `global = [{ N / 64 }]` for 10 elements. Those that start as
/// zeros are complete where nothing runs.
fn runs(signature: &Signature, lowered: &Lowered) -> Option<Requirement> {
    let global = &signature.global;
    let always = global.iter().all(|axis| (axis.clone() - Dim::constant(1)).never_negative());
    let begins = lowered.zeroed.iter().zip(signature.taken()).map(|(zeroed, taken)| *zeroed || taken.is_some());
    let written = signature.results.iter().zip(begins).filter(|(_, begins)| !begins).map(|(ty, _)| elements(ty));
    let written = written.fold(Dim::default(), |all, elements| all + elements);
    (!always && !written.is(0)).then(|| Requirement::Items { global: global.clone(), written })
}

/// Rule: work-items are counted as elements are. Wrong: `global = [{ N * N * N }]` for 2,000 elements. An axis of a tensor is.
fn counted(signature: &Signature) -> impl Iterator<Item = Requirement> {
    let plain =
        |axis: &Dim| axis.as_constant().is_some() || signature.symbols().iter().any(|s| *axis == Dim::symbol(s.name()));
    signature.global.iter().filter(move |axis| !plain(axis)).cloned().map(Requirement::Countable)
}

fn elements(ty: &crate::ast::TensorType) -> Dim {
    ty.dims.iter().fold(Dim::constant(1), |product, dim| product * dim.dim.clone())
}

fn buffers(signature: &Signature) -> Vec<Buffer> {
    let mut inputs = 0;
    let mut buffers = Vec::new();
    for arg in &signature.args {
        let ArgType::Tensor(ty) = &arg.ty else { continue };
        let shape = Shape(ty.dims.iter().map(|dim| dim.dim.clone()).collect());
        let mut add = |role| {
            buffers.push(Buffer {
                name: crate::parse::name(&arg.name),
                shape: shape.clone(),
                dtype: ty.dtype,
                role,
                written: None,
            })
        };
        if arg.is_input() {
            add(Role::Argument(inputs));
            inputs += 1;
        }
        if let Some(result) = arg.result {
            add(Role::Output(OutputKind::Result(result)));
        }
    }
    buffers
}

/// A kernel that writes zeros to the result `name`.
pub(super) fn fill(signature: &Signature, name: &str, ty: &crate::ast::TensorType) -> Kernel {
    begin(signature, ("zero", name, None), ty)
}

/// A kernel that writes to the result `name` what `from` is.
pub(super) fn copy(signature: &Signature, (from, name): (&str, &str), ty: &crate::ast::TensorType) -> Kernel {
    begin(signature, ("copy", name, Some(from)), ty)
}

/// A kernel that writes what a result starts as.
fn begin(signature: &Signature, (what, name, from): (&str, &str, Option<&str>), ty: &crate::ast::TensorType) -> Kernel {
    let elements = elements(ty);
    let launch = Launch { global: vec![elements.clone()], local: Vec::new() };
    let own = format!("{}_{what}_{}", super::signature::entry(signature), ascii(name));
    let own = if is_reserved(&own) { format!("run_{own}") } else { own };
    let mut builder = KernelBuilder::new(&own, launch);
    builder.doc(format!("{name} = {}", from.unwrap_or("0")));
    let source = from.map(|from| builder.param(from, ParamKind::Buffer(ty.dtype, Access::Read)));
    let buffer = builder.param(name, ParamKind::Buffer(ty.dtype, Access::Write));
    let id = builder.push(Expr::WorkItem(WorkItem::GlobalId, 0), ValueType::scalar(DType::U32));
    let zero = source.is_none().then(|| builder.literal(Literal::of(0.0, ty.dtype.compute())));
    let size = size_of(&mut builder, &elements);
    let inside = builder.compare(CompareOp::Lt, id, size);
    builder.if_then(inside, |builder| {
        let value = zero.or_else(|| source.map(|source| builder.load(source, id, 1)));
        if let Some(value) = value {
            builder.store(buffer, id, value);
        }
    });
    builder.finish()
}
