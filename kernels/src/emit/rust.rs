//! Rust out of verified kernels: native code of the host device, embedded in the user's crate by the macros.
//!
//! The text is one expression of type `netcl::__private::host::NativeEntry`. It is safe code: buffers are views that
//! check every access (once per vector), vectors are arrays whose operations the compiler turns into vector
//! instructions. Where the crate is built without optimisation, the expression says that the interpreter is to run.
//!
//! ```text
//! {
//!     #[cfg(not(debug_assertions))]
//!     {
//!         use ::netcl::__private::host as h;
//!         struct Kernel;
//!         impl h::NativeKernel for Kernel {
//!             fn run<I: h::Isa>(args: &h::Args<'_>, items: ::core::ops::Range<usize>) {
//!                 let x_p0 = args.view::<f32>(0);
//!                 let y_p1 = args.view::<f32>(1);
//!                 for item in items {
//!                     let id = args.id(item);
//!                     y_p1.put(id[0], h::exp::<I, _>(x_p0.at(id[0])));
//!                 }
//!             }
//!         }
//!         h::entry::<Kernel>()
//!     }
//!     #[cfg(debug_assertions)]
//!     {
//!         ::netcl::__private::host::interpreted()
//!     }
//! }
//! ```

use super::rust_writer::{Writer, function_name, type_name};
use crate::dtype::DType;
use crate::graph::{BinaryOp, UnaryOp};
use crate::kir::verify::VerifiedKernel;
use crate::kir::*;

/// The kernel as Rust; `None` if it needs what native code does not have: barriers, local arrays, sub-groups.
pub fn native(verified: &VerifiedKernel<'_>) -> Option<String> {
    let code = native_code(verified, 2)?;
    Some(format!(
        "{{\n    #[cfg(not(debug_assertions))]\n    {{\n{code}    }}\n    #[cfg(debug_assertions)]\n    {{\n        \
         ::netcl::__private::host::interpreted()\n    }}\n}}\n"
    ))
}

/// The inner part of [`native`]: statements and a value, indented by `level`, whatever the crate is built for.
pub fn native_code(verified: &VerifiedKernel<'_>, level: usize) -> Option<String> {
    let kernel = verified.kernel();
    if !has_native_code(kernel) {
        return None;
    }
    let mut writer = Writer::new(verified, &kernel.body, &kernel.exprs, &kernel.vars, verified.types(), level);
    for line in &kernel.doc {
        writer.line(&format!("// {}", one_line(line)));
    }
    writer.line("use ::netcl::__private::host as h;");
    for position in 0..kernel.functions.len() {
        writer.out.push_str(&function(verified, position, level));
    }
    writer.line("struct Kernel;");
    writer.line("#[allow(unused, clippy::all)]");
    writer.line("impl h::NativeKernel for Kernel {");
    writer.level += 1;
    writer.line("#[inline(always)]");
    writer.line("fn run<I: h::Isa>(args: &h::Args<'_>, items: ::core::ops::Range<usize>) {");
    writer.level += 1;
    for (position, param) in kernel.params.iter().enumerate() {
        let name = writer.param(ParamId(position as u32));
        match &param.kind {
            ParamKind::Buffer(dtype, access) => {
                // What nobody writes is read as it is.
                let view = if kernel.may_race && *access != Access::Read { "shared" } else { "view" };
                writer.line(&format!("let {name} = args.{view}::<{}>({position});", element(*dtype)));
            }
            ParamKind::Scalar(dtype) => {
                writer.line(&format!("let {name} = args.number::<{}>({position});", dtype.compute().name()));
            }
            ParamKind::Symbol => writer.line(&format!("let {name} = args.number::<u32>({position});")),
            ParamKind::Size => writer.line(&format!("let {name} = args.number::<i32>({position});")),
            ParamKind::WideSize => writer.line(&format!("let {name} = args.number::<i64>({position});")),
            ParamKind::Value(_) | ParamKind::Position(_) => {}
        }
    }
    writer.line("for item in items {");
    writer.level += 1;
    writer.line("let id = args.id(item);");
    for (position, array) in kernel.arrays.iter().enumerate() {
        let name = writer.array(ArrayId(position as u32));
        let zero = match array.dtype {
            DType::Bool => "false".to_string(),
            dtype => format!("0 as {}", dtype.compute().name()),
        };
        writer.line(&format!("let mut {name} = [{zero}; {}];", array.length));
    }
    writer.statements(&kernel.body);
    for _ in 0..3 {
        writer.level -= 1;
        writer.line("}");
    }
    let entry = if is_wide(verified) { "wide_entry" } else { "entry" };
    writer.line(&format!("h::{entry}::<Kernel>()"));
    Some(writer.out)
}

/// Whether the kernel has functions of vectors that are long polynomials: those take as long as their instructions do, where
/// others wait for memory. (Those of `f64` are calls.)
fn is_wide(verified: &VerifiedKernel<'_>) -> bool {
    let is_long = |expr: &Expr| match expr {
        Expr::Unary(op, _) => matches!(
            op,
            UnaryOp::Exp
                | UnaryOp::Exp2
                | UnaryOp::Expm1
                | UnaryOp::Log
                | UnaryOp::Log2
                | UnaryOp::Log1p
                | UnaryOp::Sin
                | UnaryOp::Cos
                | UnaryOp::Tan
                | UnaryOp::Tanh
                | UnaryOp::Erf
        ),
        Expr::Binary(op, ..) => *op == BinaryOp::Pow,
        Expr::Philox { .. } => true,
        _ => false,
    };
    verified
        .kernel()
        .exprs
        .iter()
        .zip(verified.types())
        .any(|(expr, ty)| ty.lanes > 1 && ty.dtype == DType::F32 && is_long(expr))
}

/// Whether native code has all that the kernel needs: no barriers, local arrays, sub-groups.
pub fn has_native_code(kernel: &Kernel) -> bool {
    let shared = kernel.arrays.iter().any(|array| array.space == Space::Local);
    let foreign = kernel.params.iter().any(|param| matches!(param.kind, ParamKind::Value(_) | ParamKind::Position(_)));
    let sub_groups = expressions(kernel).any(|expr| match expr {
        Expr::SubGroup(..) => true,
        Expr::WorkItem(item, _) => {
            matches!(item, WorkItem::SubGroupLane | WorkItem::SubGroupSize | WorkItem::SubGroupId)
        }
        _ => false,
    });
    !(shared || foreign || sub_groups || kernel.launch.is_function() || kernel.has_barrier())
}

/// Every expression of a kernel and its functions.
fn expressions(kernel: &Kernel) -> impl Iterator<Item = &Expr> {
    kernel.exprs.iter().chain(kernel.functions.iter().flat_map(|function| &function.exprs))
}

/// A user's text in a comment: on one line.
fn one_line(text: &str) -> String {
    text.replace(['\n', '\r'], " ")
}

/// A helper function.
fn function(verified: &VerifiedKernel<'_>, position: usize, level: usize) -> String {
    let function = &verified.kernel().functions[position];
    let types = verified.function_types(position);
    let mut writer = Writer::new(verified, &function.body, &function.exprs, &function.vars, types, level);
    let params: Vec<String> = function
        .params
        .iter()
        .map(|&param| {
            let mutable = if writer.assigned[param.0 as usize] { "mut " } else { "" };
            format!("{mutable}{}: {}", writer.var(param), type_name(function.vars[param.0 as usize].ty))
        })
        .collect();
    let name = function_name(verified.kernel(), position as u32);
    let result = type_name(types[function.result.0 as usize]);
    writer.line("#[allow(unused, clippy::all)]");
    writer.line("#[inline(always)]");
    writer.line(&format!("fn {name}<I: h::Isa>({}) -> {result} {{", params.join(", ")));
    writer.level += 1;
    writer.statements(&function.body);
    let value = writer.values(&[function.result]).remove(0);
    writer.line(&value);
    writer.level -= 1;
    writer.line("}");
    writer.out
}

/// The type of a buffer's elements.
fn element(dtype: DType) -> &'static str {
    match dtype {
        DType::F16 => "h::F16",
        DType::BF16 => "h::Bf16",
        other => other.name(),
    }
}

impl Writer<'_> {
    fn statements(&mut self, stmts: &[Stmt]) {
        for stmt in stmts {
            self.statement(stmt);
        }
    }

    /// Statements between braces that are open already.
    fn block(&mut self, stmts: &[Stmt]) {
        self.level += 1;
        self.statements(stmts);
        self.level -= 1;
    }

    fn statement(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Comment(text) => {
                let text = one_line(text);
                self.line(&format!("// {text}"));
            }
            Stmt::Let(var, value) => {
                let value = self.values(&[*value]).remove(0);
                let mutable = if self.assigned[var.0 as usize] { "mut " } else { "" };
                let ty = type_name(self.vars[var.0 as usize].ty);
                let name = self.var(*var);
                self.line(&format!("let {mutable}{name}: {ty} = {value};"));
            }
            Stmt::Assign(var, value) => {
                let value = self.values(&[*value]).remove(0);
                let name = self.var(*var);
                self.line(&format!("{name} = {value};"));
            }
            Stmt::Store { buffer, index, value } => {
                let dtype = match self.verified.kernel().params[buffer.0 as usize].kind {
                    ParamKind::Buffer(dtype, _) => dtype.compute(),
                    _ => return,
                };
                let texts = self.values(&[*index, *value]);
                let ty = self.types[value.0 as usize];
                let value = self.cast(dtype, ty, &texts[1]);
                let (method, by) = if ty.lanes == 1 { ("put", "") } else { ("store", "&") };
                let name = self.param(*buffer);
                self.line(&format!("{name}.{method}({}, {by}{value});", texts[0]));
            }
            Stmt::StoreArray { array, index, value } => {
                let dtype = self.verified.kernel().arrays[array.0 as usize].dtype;
                let texts = self.values(&[*index, *value]);
                let value = self.cast(dtype, self.types[value.0 as usize], &texts[1]);
                let (name, number) = (self.array(*array), self.array_number(*array));
                self.line(&format!("let (index, value) = ({}, {value});", texts[0]));
                self.line(&format!("h::array_put(&mut {name}, index, value, {number}, args.faults());"));
            }
            Stmt::For { var, start, end, step, body } => self.for_loop(*var, [*start, *end, *step], body),
            Stmt::While { condition, body } => {
                let number = self.open_loop();
                self.line(&format!("'loop_{number}: loop {{"));
                self.level += 1;
                let condition = self.values(&[*condition]).remove(0);
                self.line(&format!("if !({condition}) {{ break 'loop_{number}; }}"));
                self.line(&format!("'round_{number}: {{"));
                self.block(body);
                self.line("}");
                self.level -= 1;
                self.line("}");
                self.loops.pop();
            }
            Stmt::If { condition, then, otherwise } => {
                let condition = self.values(&[*condition]).remove(0);
                self.line(&format!("if {condition} {{"));
                self.block(then);
                if !otherwise.is_empty() {
                    self.line("} else {");
                    self.block(otherwise);
                }
                self.line("}");
            }
            Stmt::Break => {
                let number = self.loops.last().copied().unwrap_or_default();
                self.line(&format!("break 'loop_{number};"));
            }
            Stmt::Continue => {
                let number = self.loops.last().copied().unwrap_or_default();
                self.line(&format!("break 'round_{number};"));
            }
            // Refused in `has_native_code`.
            Stmt::Barrier { .. } => {}
            Stmt::Atomic { op, target, index, value, old } => {
                let AtomicTarget::Buffer(buffer) = target else { return };
                let texts = self.values(&[*index, *value]);
                let name = self.param(*buffer);
                let call = format!("{name}.atomic(h::AtomicOp::{op:?}, {}, {})", texts[0], texts[1]);
                match old {
                    Some(old) => {
                        let mutable = if self.assigned[old.0 as usize] { "mut " } else { "" };
                        let old = self.var(*old);
                        self.line(&format!("let {mutable}{old} = {call};"));
                    }
                    None => self.line(&format!("{call};")),
                }
            }
        }
    }

    fn open_loop(&mut self) -> usize {
        let number = self.next_loop;
        self.next_loop += 1;
        self.loops.push(number);
        number
    }

    fn for_loop(&mut self, var: VarId, [start, end, step]: [ExprId; 3], body: &[Stmt]) {
        let texts = self.values(&[start, end, step]);
        let number = self.open_loop();
        let (name, ty) = (self.var(var), type_name(self.vars[var.0 as usize].ty));
        self.line(&format!("let mut {name}: {ty} = {};", texts[0]));
        self.line(&format!("let (loop{number}_end, loop{number}_step): ({ty}, {ty}) = ({}, {});", texts[1], texts[2]));
        self.line(&format!("'loop_{number}: while {name} < loop{number}_end {{"));
        self.level += 1;
        self.line(&format!("'round_{number}: {{"));
        self.block(body);
        self.line("}");
        let next = self.binary_text(BinaryOp::Add, self.vars[var.0 as usize].ty, &name, &format!("loop{number}_step"));
        self.line(&format!("{name} = {next};"));
        self.level -= 1;
        self.line("}");
        self.loops.pop();
    }
}
