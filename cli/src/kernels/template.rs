//! A template with given tunables, for a given product.

use super::Args;
use crate::failure::{Failure, Result};
use crate::output::Output;
use netcl_kernels::template::{self, Axis, Choice, Limits, Problem, Template};
use serde_json::json;

/// What devices of the full profile have at least, and GPUs and processors have mostly.
const GPU: Limits = Limits { local_bytes: 48 << 10, work_group: 1024, units: 64, lanes: 1, between_bytes: 1 << 30 };
const CPU: Limits = Limits { local_bytes: 1 << 20, work_group: 4096, units: 8, lanes: 8, between_bytes: 1 << 30 };

pub(super) fn run(name: &str, args: &Args, output: &Output) -> Result<()> {
    let template = template::ALL.iter().find(|template| template.name == name).ok_or_else(|| {
        let names: Vec<&str> = template::ALL.iter().map(|template| template.name).collect();
        Failure::Other(format!("no template `{name}`; there are: {}", names.join(", ")))
    })?;
    let limits = if name.ends_with("_cpu") { CPU } else { GPU };
    let problem = problem(&args.problem)?;
    let mut choice = (template.initial)(&problem, &limits);
    if args.list {
        return list(template, &choice, output);
    }
    for assignment in &args.set {
        set(template, &mut choice, assignment)?;
    }
    (template.legal)(&choice, &problem, &limits).map_err(|rule| {
        let values: Vec<String> = choice.iter().map(|(name, value)| format!("{name}={value}")).collect();
        Failure::Other(format!("`{name}` with {} is not legal for {}: {rule}", values.join(" "), args.problem))
    })?;
    let source = template.source(&format!("{}{}", problem.defines(), choice.defines()));
    let [x, y, z] = (template.grid)(&choice).global(problem.m, problem.n, problem.batch);
    let local = (template.grid)(&choice).local;
    if output.is_json() {
        let tunables: serde_json::Map<_, _> =
            choice.iter().map(|(name, value)| (name.to_owned(), json!(value))).collect();
        output.value(&json!({
            "template": name,
            "tunables": tunables,
            "problem": [problem.m, problem.n, problem.k],
            "work_items": [x, y, z],
            "work_group": local,
            "source": source,
        }))
    } else {
        let [lx, ly, lz] = local;
        let launch = format!("{x} x {y} x {z} work-items in groups of {lx} x {ly} x {lz}");
        output.text(&format!("// {name} for {}: {launch}\n{source}", args.problem))
    }
}

/// The tunables, what they may be, and what the problem begins with.
fn list(template: &Template, choice: &Choice, output: &Output) -> Result<()> {
    if output.is_json() {
        let tunables = template.tunables.iter().map(
            |tunable| json!({ "name": tunable.name, "values": tunable.values, "initial": choice.get(tunable.name) }),
        );
        return output.value(&json!({ "template": template.name, "tunables": tunables.collect::<Vec<_>>() }));
    }
    let rows = template.tunables.iter().map(|tunable| {
        let values: Vec<String> = tunable.values.iter().map(u32::to_string).collect();
        vec![tunable.name.to_owned(), choice.get(tunable.name).to_string(), values.join(", ")]
    });
    output.text(&output.table(&["tunable", ">initial", "values"], &rows.collect::<Vec<_>>()))
}

fn set(template: &Template, choice: &mut Choice, assignment: &str) -> Result<()> {
    let (name, value) = assignment.split_once('=').ok_or_else(|| {
        Failure::Other(format!("`--set {assignment}`: expected TUNABLE=VALUE, such as {}", example(template)))
    })?;
    let Some(tunable) = template.tunables.iter().find(|tunable| tunable.name == name) else {
        let names: Vec<&str> = template.tunables.iter().map(|tunable| tunable.name).collect();
        let names = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        return Err(Failure::Other(format!("`{}` has no tunable `{name}`; it has: {names}", template.name)));
    };
    match value.parse() {
        Ok(number) if tunable.values.contains(&number) => {
            choice.set(tunable.name, number);
            Ok(())
        }
        _ => {
            let values: Vec<String> = tunable.values.iter().map(u32::to_string).collect();
            Err(Failure::Other(format!("`{name}` may be {}, found `{value}`", values.join(", "))))
        }
    }
}

fn example(template: &Template) -> String {
    template.tunables.first().map_or_else(|| "TILE=16".to_owned(), |first| format!("{}={}", first.name, first.default))
}

/// Row-major operands, aligned where their sizes are.
fn problem(text: &str) -> Result<Problem> {
    let [m, n, k] = crate::select::sizes(text)
        .ok_or_else(|| Failure::Other(format!("`--problem {text}`: expected MxNxK, such as 512x512x512")))?;
    let aligned = n.is_multiple_of(4) && k.is_multiple_of(4);
    Ok(Problem { aligned, ..Problem::new(m, n, k).contiguous(Axis::K, Axis::Outer) })
}
