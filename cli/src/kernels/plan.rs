//! A plan for people and for programs: its buffers, and what each launch is given.

use netcl_kernels::dim::Dim;
use netcl_kernels::kir;
use netcl_kernels::plan::{Arg, BufferId, Operand, Plan, Step, Work};
use serde_json::{Value, json};

/// The steps, a line each: what is launched with which arguments, and what that is in the user's words.
pub(super) fn lines(plan: &Plan) -> String {
    let line = |(position, step): (usize, &Step)| {
        let label = step.label.replace('\n', " ");
        format!("//  {:>3}. {}({}): {label}\n", position + 1, entry(plan, step), arguments(plan, step).join(", "))
    };
    plan.steps.iter().enumerate().map(line).collect()
}

fn entry<'a>(plan: &'a Plan, step: &'a Step) -> &'a str {
    match &step.work {
        Work::Kernel { entry, .. } => entry,
        Work::Loop { .. } => plan.loop_kernel(step).map_or("loop", |kernel| &kernel.name),
        Work::MatMul { .. } => "matrix product, by the host's library",
        Work::Conv2d { .. } => "convolution, by the host's library",
        Work::ScatterAdd { .. } => "scatter-add, by the host's library",
    }
}

/// What a step is given, in words.
fn arguments(plan: &Plan, step: &Step) -> Vec<String> {
    let name = |id: &BufferId| plan.buffer(*id).name.clone();
    let argument = |arg: &Arg| match arg {
        Arg::Buffer(id) => name(id),
        Arg::Dim(dim) | Arg::DimAs(dim, _) => dim.to_string(),
        Arg::Scalar(position, _) => format!("scalar {position}"),
        Arg::Literal(literal) => literal.to_string(),
    };
    match &step.work {
        Work::MatMul { a, b, c, .. } => [a, b, c].map(|operand| name(&operand.buffer)).into(),
        Work::Kernel { .. } | Work::Loop { .. } | Work::Conv2d { .. } | Work::ScatterAdd { .. } => {
            step.args.iter().map(argument).collect()
        }
    }
}

/// The buffers, by position: what launches name.
pub(super) fn buffers(plan: &Plan) -> Vec<Value> {
    let value = |buffer: &netcl_kernels::plan::Buffer| {
        json!({
            "name": buffer.name,
            "dtype": buffer.dtype.to_string(),
            "shape": sizes(&buffer.shape.0),
            "role": buffer.role.to_string(),
        })
    };
    plan.buffers.iter().map(value).collect()
}

/// How products, convolutions and loops are computed.
pub(super) fn decisions(plan: &Plan) -> Vec<Value> {
    let value = |decision: &netcl_kernels::variant::Decision| json!({ "task": decision.task.to_string(), "config": decision.config.to_string() });
    plan.decisions.iter().map(value).collect()
}

/// The steps, in order.
pub(super) fn launches(plan: &Plan) -> Vec<Value> {
    plan.steps.iter().map(|step| launch(plan, step)).collect()
}

fn launch(plan: &Plan, step: &Step) -> Value {
    let mut value = json!({
        "kernel": entry(plan, step),
        "label": step.label,
        "arguments": step.args.iter().map(argument).collect::<Vec<_>>(),
        "reads": step.reads.iter().map(|id| id.0).collect::<Vec<_>>(),
        "writes": step.writes.iter().map(|id| id.0).collect::<Vec<_>>(),
        "text": plan.loop_kernel(step).map(kir::text::print),
    });
    match &step.work {
        Work::Kernel { launch, .. } => {
            value["work_items"] = sizes(&launch.global);
            value["work_group"] = json!(launch.local);
        }
        Work::Loop { .. } => {}
        Work::MatMul { batch, m, n, k, a, b, c, dtype } => {
            value["product"] = json!({
                "dtype": dtype.to_string(),
                "batch": sizes(batch),
                "m": size(m),
                "n": size(n),
                "k": size(k),
                "a": operand(a),
                "b": operand(b),
                "c": operand(c),
            });
        }
        Work::Conv2d { kind, input, weight, output, geometry, dtype } => {
            value["convolution"] = json!({
                "kind": kind.name(),
                "dtype": dtype.to_string(),
                "input": sizes(&input.0),
                "weight": sizes(&weight.0),
                "output": sizes(&output.0),
                "stride": geometry.stride,
                "padding": geometry.padding,
                "dilation": geometry.dilation,
                "groups": geometry.groups,
            });
        }
        Work::ScatterAdd { rows, count, features, dtype } => {
            value["scatter_add"] = json!({
                "dtype": dtype.to_string(),
                "rows": size(rows),
                "count": size(count),
                "features": size(features),
            });
        }
    }
    value
}

fn argument(arg: &Arg) -> Value {
    match arg {
        Arg::Buffer(id) => json!({ "buffer": id.0 }),
        Arg::Dim(dim) | Arg::DimAs(dim, _) => json!({ "size": size(dim) }),
        Arg::Scalar(position, dtype) => json!({ "scalar": position, "dtype": dtype.to_string() }),
        Arg::Literal(literal) => json!({ "literal": literal.to_string() }),
    }
}

fn operand(operand: &Operand) -> Value {
    json!({
        "buffer": operand.buffer.0,
        "offset": size(&operand.offset),
        "batch": sizes(&operand.batch),
        "row": size(&operand.row),
        "column": size(&operand.column),
    })
}

/// A number, or a text where it depends on symbols.
fn size(dim: &Dim) -> Value {
    dim.as_constant().map_or_else(|| json!(dim.to_string()), |size| json!(size))
}

fn sizes(dims: &[Dim]) -> Value {
    dims.iter().map(size).collect()
}
