//! Names, launch, arrays, parameters: rules K01 to K07 of [`super`].

use super::capabilities::Capabilities;
use super::report::DiagnosticSink;
use crate::dtype::DType;
use crate::identifier;
use crate::kir::visit::visit;
use crate::kir::*;

pub(super) fn check(kernel: &Kernel, capabilities: &Capabilities, report: &mut DiagnosticSink) {
    check_names(kernel, report);
    check_launch(kernel, capabilities, report);
    check_storage(kernel, capabilities, report);
    let all_vars = kernel.vars.iter().chain(kernel.functions.iter().flat_map(|function| &function.vars));
    for var in all_vars {
        if var.ty.dtype.compute() != var.ty.dtype || !super::types::lanes_are_legal(var.ty.lanes) {
            report.error("K06", format!("a variable (`{}`) cannot be of type {}", var.name, var.ty));
        }
        if var.ty.dtype == DType::F64 && !capabilities.fp64 {
            report.fp64();
        }
    }
}

fn check_names(kernel: &Kernel, report: &mut DiagnosticSink) {
    if !identifier::is_identifier(&kernel.name) || !kernel.name.is_ascii() {
        report.error("K01", format!("`{}` cannot be the name of a kernel", kernel.name));
    } else if identifier::is_reserved(&kernel.name) {
        report.error("K01", format!("`{}` cannot be the name of a kernel: OpenCL C has taken the word", kernel.name));
    }
    let declared: Vec<&String> =
        kernel.params.iter().map(|p| &p.name).chain(kernel.arrays.iter().map(|a| &a.name)).collect();
    let functions: Vec<&String> = kernel.functions.iter().map(|f| &f.name).collect();
    for names in [declared, functions] {
        for (position, name) in names.iter().enumerate() {
            if !identifier::is_identifier(name) {
                report.error("K01", format!("`{name}` is not an identifier"));
            }
            if names[..position].contains(name) {
                report.error("K02", format!("`{name}` is declared twice"));
            }
        }
    }
}

fn check_launch(kernel: &Kernel, capabilities: &Capabilities, report: &mut DiagnosticSink) {
    let Launch { global, local } = &kernel.launch;
    if kernel.launch.is_function() {
        for param in &kernel.params {
            if let ParamKind::Position(step) = param.kind
                && !step.is_power_of_two()
            {
                report.error("K03", format!("`{}` is a multiple of {step}, which is no power of two", param.name));
            }
        }
        if needs_group(kernel) {
            report.error(
                "K03",
                "a device function has no work-group of its own: no local arrays, no barriers".to_string(),
            );
        }
        return;
    }
    for param in &kernel.params {
        if matches!(param.kind, ParamKind::Value(_) | ParamKind::Position(_)) {
            report.error("K03", format!("`{}` is passed by other code, but a kernel is launched", param.name));
        }
    }
    if kernel.result.is_some() {
        report.error("K03", "a kernel returns nothing: only a device function has a result");
    }
    if global.is_empty() || global.len() > 3 {
        report.error("K03", format!("a launch has 1 to 3 dimensions, not {}", global.len()));
    }
    if !local.is_empty() {
        if local.len() != global.len() || local.contains(&0) {
            report.error("K03", format!("the work-group size {local:?} does not suit {} dimensions", global.len()));
        }
        let items = local.iter().fold(1u64, |product, &size| product.saturating_mul(u64::from(size)));
        if items > capabilities.max_work_group {
            let most = capabilities.max_work_group;
            report.error("K03", format!("a work-group of {items} items is more than the device's {most}"));
        }
    } else if needs_group(kernel) {
        report.error("K04", "barriers, local arrays and sub-groups need a work-group size");
        report.hint("give the launch a `local` size");
    }
}

/// Whether work-items of a group work together.
fn needs_group(kernel: &Kernel) -> bool {
    let local = kernel.arrays.iter().any(|array| array.space == Space::Local);
    let sub_group = kernel.exprs.iter().any(|expr| {
        use WorkItem::{SubGroupId, SubGroupLane, SubGroupSize};
        matches!(expr, Expr::SubGroup(..) | Expr::WorkItem(SubGroupLane | SubGroupSize | SubGroupId, _))
    });
    let mut barrier = false;
    visit(&kernel.body, &mut |stmt| barrier |= matches!(stmt, Stmt::Barrier { .. }));
    local || sub_group || barrier
}

fn check_storage(kernel: &Kernel, capabilities: &Capabilities, report: &mut DiagnosticSink) {
    let (mut bytes, mut private) = (0u64, 0u64);
    for array in &kernel.arrays {
        if array.length == 0 {
            report.error("K05", format!("`{}` has no elements", array.name));
        }
        let own = match array.space {
            Space::Local => &mut bytes,
            Space::Private => &mut private,
        };
        *own = own.saturating_add(array.bytes());
    }
    if private > Space::Private.most_bytes() {
        let most = Space::Private.most_bytes();
        report.error("K05", format!("private arrays take {private} bytes, of {most} that a work-item has"));
        report.hint("use a local array, or a tensor");
    }
    let most = capabilities.local_memory.min(Space::Local.most_bytes());
    if bytes > most {
        report.error("K05", format!("local arrays take {bytes} bytes; the device has {most} for a work-group"));
        report.hint("use smaller tiles");
    }
    for param in &kernel.params {
        if let ParamKind::Scalar(dtype @ (DType::F16 | DType::BF16)) = param.kind {
            report.error("K06", format!("`{}` cannot be passed as {dtype}, a storage type: pass f32", param.name));
        }
    }
    let declared = kernel.params.iter().filter_map(|param| match param.kind {
        ParamKind::Buffer(dtype, _) | ParamKind::Scalar(dtype) => Some(dtype),
        ParamKind::Value(ty) => Some(ty.dtype),
        ParamKind::Symbol | ParamKind::Size | ParamKind::WideSize | ParamKind::Position(_) => None,
    });
    if !capabilities.fp64 && declared.chain(kernel.arrays.iter().map(|array| array.dtype)).any(|d| d == DType::F64) {
        report.fp64();
    }
}
