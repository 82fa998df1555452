//! Judges kernels. Only what passes becomes a [`VerifiedKernel`], and only that is emitted or interpreted.
//!
//! Verified IR never panics an emitter. The rules are numbered ([`RULES`]), and each has a test that breaks it alone; an
//! error ends with the number of the one that is broken.

mod capabilities;
mod code;
mod declarations;
mod flow;
mod report;
mod types;
mod uniform;

pub use capabilities::Capabilities;

use super::{Kernel, ValueType};
use crate::dtype::DType;
use crate::span::Diagnostic;
use report::DiagnosticSink;

/// The rules: number and what it says.
pub const RULES: [(&str, &str); 37] = [
    // Declarations.
    ("K01", "names are identifiers; a kernel's is ASCII and not a word of OpenCL C, since the host looks it up"),
    ("K02", "parameters and arrays have distinct names, and so have functions"),
    (
        "K03",
        "the launch has 1 to 3 dimensions; a work-group size has one entry for each, none zero, and its product is within the device's limit; a device function has none of it, no local arrays and no barriers; only it has values as parameters and may have a result",
    ),
    ("K04", "the work-group size is given where barriers, local arrays or sub-groups are used"),
    ("K05", "arrays have elements; local arrays fit the device's local memory and 1 MiB, private ones 64 KiB"),
    ("K06", "values have 1, 2, 4, 8 or 16 lanes; variables and scalar parameters are not of a storage type"),
    ("K07", "`f64` appears only where the device has it"),
    // Expressions.
    ("K08", "ids exist, and an expression's operands come before it"),
    ("K09", "literals are representable in their type"),
    ("K10", "an elementwise function gets a type it has a meaning for"),
    ("K11", "an elementwise function of two values gets two of one type, which it has a meaning for"),
    ("K12", "shifts are of integers"),
    ("K13", "`a * b + c` takes three numbers of one type"),
    ("K14", "comparisons take two values of one type; truth values have only `eq` and `ne`"),
    ("K15", "a selection takes a truth value (scalar, or with the branches' lanes) and two values of one type"),
    ("K16", "a bit cast keeps the size and concerns no truth values or storage types"),
    ("K17", "loads read buffers that are readable"),
    ("K18", "scalars are repeated, and lanes numbered, 2, 4, 8 or 16 times"),
    ("K19", "lanes exist; lanes are combined by `sum`, `prod`, `max` or `min`"),
    ("K20", "random numbers take a `u32` counter and a scalar `u32` seed"),
    ("K21", "indices are scalar integers; literal ones are inside their array"),
    ("K22", "index-space dimensions are 0, 1, 2; sub-groups appear only where the device has them"),
    ("K23", "sub-group operations take one number, and a lane or mask where they need one"),
    ("K24", "functions call earlier functions only (so there is no recursion)"),
    ("K25", "calls pass what the function takes"),
    ("K26", "the tree under a statement has at most 65536 nodes and a depth of 200: share values with `Let`"),
    // Statements.
    ("K27", "a variable is bound once, before its uses, and used only inside the block that binds it"),
    ("K28", "a variable gets values of its own type"),
    ("K29", "loop counters are not assigned to"),
    ("K30", "stores write buffers that are writable"),
    ("K31", "a loop's bounds and step have the counter's integer type; a literal step is at least 1"),
    ("K32", "conditions of `if` and `while` are scalar truth values"),
    ("K33", "`break` and `continue` stand inside a loop"),
    (
        "K34",
        "barriers stand where all work-items of a group agree to be, sub-group operations where all of a sub-group do",
    ),
    (
        "K35",
        "atomics update one element of a `ReadWrite` buffer or a local array, of a type that the device can update",
    ),
    ("K36", "blocks nest at most 48 deep"),
    // Helper functions.
    ("K37", "a helper function is pure, over scalars, and its parameters are the first of its variables"),
];

/// A kernel that obeys every rule, with the types of its expressions. Only [`verify`] makes one.
#[derive(Clone, Debug)]
pub struct VerifiedKernel<'a> {
    kernel: &'a Kernel,
    types: Vec<ValueType>,
    function_types: Vec<Vec<ValueType>>,
}

impl<'a> VerifiedKernel<'a> {
    /// The kernel.
    pub fn kernel(&self) -> &'a Kernel {
        self.kernel
    }

    /// The type of each of the kernel's expressions.
    pub fn types(&self) -> &[ValueType] {
        &self.types
    }

    /// The type of each expression of the helper function at `position`.
    pub fn function_types(&self, position: usize) -> &[ValueType] {
        &self.function_types[position]
    }
}

/// The types of a kernel's expressions, as far as they are right; an expression that breaks a rule counts as `f32`.
pub fn types(kernel: &Kernel) -> Vec<ValueType> {
    let mut report = DiagnosticSink::new(kernel);
    let results = function_types(kernel, &Capabilities::unlimited(), &mut report).1;
    known(types::infer(&kernel_code(kernel, &results), &Capabilities::unlimited(), &mut report))
}

/// Checks every rule; all errors are reported at once, in the order of the text.
///
/// # Errors
///
/// All that break a rule; each ends with its number.
pub fn verify<'a>(kernel: &'a Kernel, capabilities: &Capabilities) -> Result<VerifiedKernel<'a>, Vec<Diagnostic>> {
    let mut report = DiagnosticSink::new(kernel);
    declarations::check(kernel, capabilities, &mut report);
    let (function_types, results) = function_types(kernel, capabilities, &mut report);
    let code = kernel_code(kernel, &results);
    let types = types::infer(&code, capabilities, &mut report);
    flow::check(&code, &types, &kernel.body, None, capabilities, &mut report);
    // Uniformity is judged only where ids, scopes and types are known to be right.
    if report.errors.is_empty() {
        uniform::check(kernel, &types, &mut report);
    }
    if report.errors.is_empty() {
        let function_types = function_types.into_iter().map(known).collect();
        Ok(VerifiedKernel { kernel, types: known(types), function_types })
    } else {
        Err(report.errors)
    }
}

fn kernel_code<'a>(kernel: &'a Kernel, results: &'a [Option<ValueType>]) -> code::BodyContext<'a> {
    code::BodyContext { kernel, exprs: &kernel.exprs, vars: &kernel.vars, function: None, results }
}

fn known(types: Vec<Option<ValueType>>) -> Vec<ValueType> {
    types.into_iter().map(|ty| ty.unwrap_or(ValueType::scalar(DType::F32))).collect()
}

/// Checks the helper functions in order: the types of their expressions, and their results' types.
#[allow(clippy::type_complexity, reason = "two parallel tables, taken apart at once")]
fn function_types(
    kernel: &Kernel,
    capabilities: &Capabilities,
    report: &mut DiagnosticSink,
) -> (Vec<Vec<Option<ValueType>>>, Vec<Option<ValueType>>) {
    let (mut all, mut results) = (Vec::new(), Vec::new());
    for (position, function) in kernel.functions.iter().enumerate() {
        let code = code::BodyContext {
            kernel,
            exprs: &function.exprs,
            vars: &function.vars,
            function: Some(position),
            results: &results,
        };
        let types = types::infer(&code, capabilities, report);
        flow::check(&code, &types, &function.body, Some(function), capabilities, report);
        let result = types.get(function.result.0 as usize).copied().flatten();
        all.push(types);
        results.push(result);
    }
    (all, results)
}
