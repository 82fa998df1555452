//! OpenCL C 1.2 out of verified kernels, to be read by people.
//!
//! - Names are the user's; the `doc` of a kernel stands above it and its comments stay where they are.
//! - Expressions are written as trees with the parentheses that they need. Long lines are broken.
//! - Helper functions (`netcl_…`) and extension pragmas are written once and only where they are used.
//!
//! How values are represented:
//!
//! | kernel IR | value in OpenCL C | in a buffer or array |
//! |---|---|---|
//! | `bool` | `bool`; a vector is an `intN` mask of 0 and -1 | `uchar`, 0 or 1 |
//! | `u8`, `i32`, `u32`, `i64` | `uchar`, `int`, `uint`, `long` | the same |
//! | `f32`, `f64` | `float`, `double` | the same |
//! | `f16` | `float` | `half`, through `vload_half` and `vstore_half_rte`; no extension needed |
//! | `bf16` | `float` | `ushort`, the upper half of the `float` |
//!
//! Signed arithmetic wraps: it is written in the unsigned type, except index arithmetic, which must not overflow. Vector
//! operations on signed integers wrap on every compiler known.
//!
//! A product and a sum are rounded one by one, as on the host: programs of floats turn contraction off. Else `x * s - m`,
//! where `m` is the largest `x * s`, is not zero at that element, and a softmax of large scores is NaN. Only `MulAdd` is
//! `mad`, which full-profile devices compute as a fused or as two rounded operations.
//!
//! Elementary functions are OpenCL's own. On CPU drivers they are fast for `float16` and slow for scalars (PoCL on two
//! cores, ns an element and core as `float`, `float8`, `float16`: `log` 29, 2.2, 0.8; `erf` 45, 3.6, 2.1; `exp` 1.5, 0.9,
//! 0.5), so loop nests for CPUs should give each work-item one `float16` and a work-group 64 of them: then
//! `tanh(a*b+c)*sigmoid(a)+relu(b)` over 2^24 elements runs at the speed of memory.

use super::opencl_layout::{WIDTH, comment};
use super::opencl_program::Program;
use super::opencl_stmt::Body;
use super::opencl_types::{c_type, storage_type};
use crate::dtype::DType;
use crate::kir::verify::VerifiedKernel;
use crate::kir::visit::visit;
use crate::kir::{Access, Array, Param, ParamKind, Space, Stmt, ValueType};
use std::collections::BTreeSet;
use std::sync::Arc;

/// How a program is written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Comment lines at the top.
    pub header: Vec<String>,
    /// Names of buffers that may lie where another one of the program lies (a state and its new value): pointers to them
    /// are not `restrict`.
    pub shared: BTreeSet<String>,
}

/// One program of many kernels; what they share is written once. Kernels that are equal are written once, others must
/// have distinct names.
pub fn program(kernels: &[VerifiedKernel<'_>], options: &Options) -> String {
    let mut program = Program::default();
    for kernel in kernels {
        Arc::make_mut(&mut program.globals).reserve(&kernel.kernel().name);
    }
    let mut texts: Vec<String> = Vec::new();
    for (position, verified) in kernels.iter().enumerate() {
        if kernels[..position].iter().all(|earlier| earlier.kernel() != verified.kernel()) {
            texts.push(kernel_text(&mut program, verified, &options.shared));
        }
    }
    let mut parts: Vec<String> = Vec::new();
    if !options.header.is_empty() {
        parts.push(options.header.iter().map(|line| comment(line, "")).collect());
    }
    if !program.extensions.is_empty() {
        let pragma = |name: &String| match name.as_str() {
            // Where the version of the language brings them, compilers warn at the pragma.
            "cl_khr_subgroups" => {
                format!("#ifdef {name}\n#pragma OPENCL EXTENSION {name} : enable\n#endif\n")
            }
            _ => format!("#pragma OPENCL EXTENSION {name} : enable\n"),
        };
        parts.push(program.extensions.iter().map(pragma).collect());
    }
    if kernels.iter().any(|kernel| uses(kernel, DType::is_float)) {
        parts.push("#pragma OPENCL FP_CONTRACT OFF\n".to_string());
    }
    parts.extend(program.helpers);
    parts.extend(program.definitions);
    parts.extend(texts);
    parts.join("\n")
}

/// The definition of `netcl_bf16_from_float`, which gives the bits of the nearest bf16: for text that is written by hand.
pub fn bf16_from_float() -> String {
    let mut program = Program::default();
    program.bf16_from_float(1);
    program.helpers.concat()
}

/// A program of one kernel.
pub fn kernel(kernel: &VerifiedKernel<'_>) -> String {
    program(std::slice::from_ref(kernel), &Options::default())
}

/// One kernel or device function. Pointers to what is `shared`, or what work-items exchange, are not `restrict`.
fn kernel_text(program: &mut Program, verified: &VerifiedKernel<'_>, shared: &BTreeSet<String>) -> String {
    let kernel = verified.kernel();
    if uses(verified, |dtype| dtype == DType::F64) {
        program.extension("cl_khr_fp64");
    }
    program.name_functions(kernel);
    let body = Body::kernel(program, verified);
    let function = kernel.launch.is_function();
    let mut met = false;
    visit(&kernel.body, &mut |stmt| met |= matches!(stmt, Stmt::Barrier { global: true }));
    let params: Vec<String> = kernel
        .params
        .iter()
        .enumerate()
        .map(|(i, param)| {
            // What other work-items have written is read behind a barrier: compilers may take it that nobody else writes through
            // a `restrict` pointer, and keep what they have read before.
            let met = met && !matches!(param.kind, ParamKind::Buffer(_, Access::Read));
            declare_param(param, &body.params[i], !function && !met && !shared.contains(&param.name))
        })
        .collect();
    let mut text: String = kernel.doc.iter().map(|line| comment(line, "")).collect();
    let mut head = if function { "static inline " } else { "__kernel " }.to_string();
    if let [x, rest @ ..] = kernel.launch.local.as_slice() {
        let (y, z) = (rest.first().unwrap_or(&1), rest.get(1).unwrap_or(&1));
        head.push_str(&format!("__attribute__((reqd_work_group_size({x}, {y}, {z})))\n"));
    }
    text.push_str(&head);
    let result = kernel.result.map_or("void".to_string(), |result| c_type(verified.types()[result.0 as usize]));
    let line = format!("{result} {}({}) {{\n", kernel.name, params.join(", "));
    if params.is_empty() {
        text.push_str(&format!("{result} {}(void) {{\n", kernel.name));
    } else if line.len() + if head.ends_with('\n') { 0 } else { head.len() } <= WIDTH {
        text.push_str(&line);
    } else {
        text.push_str(&format!("{result} {}(\n    {}\n) {{\n", kernel.name, params.join(",\n    ")));
    }
    match &kernel.opencl {
        // As its user has written it, names and all.
        Some(own) => own.lines().for_each(|line| text.push_str(&format!("{line}\n"))),
        None => {
            for (position, array) in kernel.arrays.iter().enumerate() {
                text.push_str(&format!("    {}\n", declare_array(array, &body.arrays[position])));
            }
            text.push_str(&body.kernel_body());
        }
    }
    text.push_str("}\n");
    text
}

/// Whether a value of a kernel, or what it stores, is of such a type.
fn uses(verified: &VerifiedKernel<'_>, wanted: impl Fn(DType) -> bool) -> bool {
    let kernel = verified.kernel();
    let value = |ty: &ValueType| wanted(ty.dtype);
    let param = kernel.params.iter().any(|param| match param.kind {
        ParamKind::Buffer(dtype, _) | ParamKind::Scalar(dtype) => wanted(dtype),
        ParamKind::Value(ty) => wanted(ty.dtype),
        ParamKind::Symbol | ParamKind::Size | ParamKind::WideSize | ParamKind::Position(_) => false,
    });
    let mut functions = 0..kernel.functions.len();
    param
        || kernel.arrays.iter().any(|array| wanted(array.dtype))
        || kernel.vars.iter().any(|var| value(&var.ty))
        || verified.types().iter().any(value)
        || functions.any(|position| verified.function_types(position).iter().any(value))
}

/// Pointers of a device function are not `restrict`: the kernel that calls it has said so already, and once inlined it
/// would tell compilers nothing but scopes that not all of them know.
fn declare_param(param: &Param, name: &str, restrict: bool) -> String {
    let restrict = if restrict { " restrict" } else { "" };
    match param.kind {
        ParamKind::Buffer(dtype, Access::Read) => format!("__global const {}*{restrict} {name}", storage_type(dtype)),
        ParamKind::Buffer(dtype, Access::Write | Access::ReadWrite) => {
            format!("__global {}*{restrict} {name}", storage_type(dtype))
        }
        ParamKind::Scalar(DType::Bool) => format!("const uchar {name}"),
        ParamKind::Scalar(dtype) => format!("const {} {name}", c_type(ValueType::scalar(dtype))),
        ParamKind::Symbol => format!("const uint {name}"),
        ParamKind::Size | ParamKind::Position(_) => format!("const int {name}"),
        ParamKind::WideSize => format!("const long {name}"),
        ParamKind::Value(ty) => format!("const {} {name}", c_type(ty)),
    }
}

fn declare_array(array: &Array, name: &str) -> String {
    let space = match array.space {
        Space::Local => "__local ",
        Space::Private => "",
    };
    // `half` cannot be declared without an extension, only pointed to.
    let element = if array.dtype == DType::F16 { "ushort" } else { storage_type(array.dtype) };
    format!("{space}{element} {name}[{}];", array.length)
}
