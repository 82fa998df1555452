//! The kernels in a built binary.

use super::args::KernelsArgs;
use super::plan;
use crate::failure::{Failure, Result};
use crate::output::{Output, bytes};
use netcl_kernels::plan::embed::{self, EmbeddedPlan};
use netcl_kernels::plan::{Plan, host_text};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;

/// An embedded plan with what it was found under.
pub(crate) struct Embedded {
    /// Of the module.
    pub(crate) module: String,
    /// As the user wrote it.
    pub(crate) function: String,
    /// Which of the paths through the function.
    pub(crate) path: usize,
    pub(crate) plan: Plan,
}

impl Embedded {
    fn read(found: &EmbeddedPlan<'_>) -> Result<Embedded> {
        let function = found.header.function.clone();
        let plan = Plan::from_json(found.json).map_err(|error| {
            Failure::Other(format!("the plan of `{function}` is of another version of netcl than this one: {error}"))
        })?;
        // A kernel's module is its own, of the same name.
        let own = format!("::{}", function.split(['.', ':']).next().unwrap_or_default());
        let module = found.module.strip_suffix(own.as_str()).unwrap_or(found.module);
        Ok(Embedded { module: module.to_owned(), function, path: found.header.path, plan })
    }

    /// With its module: `digits::Mlp::forward`.
    pub(crate) fn full_name(&self) -> String {
        format!("{}::{}", self.module, self.function)
    }

    fn is_named(&self, name: &str) -> bool {
        let covers = |own: &str| match own.strip_prefix(name) {
            Some(rest) => rest.is_empty() || rest.starts_with("::") || rest.starts_with('.'),
            None => false,
        };
        covers(&self.function) || covers(&self.full_name())
    }
}

/// Every plan in a binary.
///
/// # Errors
///
/// The file cannot be read, or nothing of netcl is in it.
fn plans(path: &Path) -> Result<Vec<Embedded>> {
    // What has no end, as a device or a pipe has none, is not read.
    if !std::fs::metadata(path).map_err(Failure::file(path))?.is_file() {
        return Err(Failure::Other(format!("{} is no file; name a program", path.display())));
    }
    let content = std::fs::read(path).map_err(Failure::file(path))?;
    let found = embed::find(&content);
    if found.is_empty() {
        return Err(Failure::Other(format!(
            "{} has no plans of netcl: it is no program built with netcl's macros, uses none of its functions, or was \
             packed afterwards",
            path.display()
        )));
    }
    found.iter().map(Embedded::read).collect()
}

/// Those of a model, function or kernel, or all.
///
/// # Errors
///
/// Those of [`plans`]; there is none of that name.
pub(crate) fn chosen(path: &Path, name: Option<&str>) -> Result<Vec<Embedded>> {
    let all = plans(path)?;
    let Some(name) = name else { return Ok(all) };
    let (chosen, others): (Vec<Embedded>, Vec<Embedded>) = all.into_iter().partition(|plan| plan.is_named(name));
    if chosen.is_empty() {
        let mut names: Vec<&str> = others.iter().map(|plan| plan.function.as_str()).collect();
        names.dedup();
        let (file, names) = (path.display(), names.join(", "));
        return Err(Failure::Other(format!("no model, function or kernel `{name}` in {file}; there are: {names}")));
    }
    Ok(chosen)
}

pub(super) fn run(path: &Path, args: &KernelsArgs, output: &Output) -> Result<()> {
    let chosen = chosen(path, args.name.as_deref())?;
    if args.list {
        return list(&chosen, output);
    }
    let wanted = chosen.iter().filter(|plan| args.target.0.contains(&plan.plan.target));
    if output.is_json() {
        output.value(&Value::Array(wanted.map(value).collect()))
    } else {
        output.text(&wanted.map(text).collect::<Vec<_>>().join("\n"))
    }
}

/// One line for each path through a function, with its launches by target.
fn list(plans: &[Embedded], output: &Output) -> Result<()> {
    let mut lines: BTreeMap<(&str, &str, usize), Vec<&Plan>> = BTreeMap::new();
    for plan in plans {
        lines.entry((&plan.module, &plan.function, plan.path)).or_default().push(&plan.plan);
    }
    if output.is_json() {
        let line = |((module, function, path), plans): (&(&str, &str, usize), &Vec<&Plan>)| {
            let launches: BTreeMap<&str, usize> =
                plans.iter().map(|plan| (plan.target.name(), plan.launches())).collect();
            json!({ "module": module, "function": function, "path": path, "launches": launches })
        };
        return output.value(&Value::Array(lines.iter().map(line).collect()));
    }
    let line = |((module, function, path), plans): (&(&str, &str, usize), &Vec<&Plan>)| {
        let launches: Vec<String> =
            plans.iter().map(|plan| format!("{} {}", plan.target.name(), plan.launches())).collect();
        let source: usize = plans.iter().map(|plan| plan.source.len()).sum();
        let path = if *path == 0 { String::new() } else { format!(" (path {path})") };
        vec![format!("{function}{path}"), (*module).to_owned(), launches.join(", "), bytes(source as u64)]
    };
    let rows: Vec<Vec<String>> = lines.iter().map(line).collect();
    output.text(&output.table(&["function", "module", "launches", ">OpenCL C"], &rows))
}

/// The plan as a source that begins with what is launched.
fn text(embedded: &Embedded) -> String {
    let plan = &embedded.plan;
    let path = if embedded.path == 0 { String::new() } else { format!(", path {}", embedded.path) };
    let launches = plan.launches();
    let mut text = format!("// {}{path}, for {} devices: ", embedded.full_name(), plan.target.name());
    text.push_str(&format!("{launches} launch{}\n", if launches == 1 { "" } else { "es" }));
    text.push_str(&plan::lines(plan));
    text.push('\n');
    text.push_str(&plan.source.to_string());
    for kernel in &plan.loops {
        text.push_str(&host_text(kernel));
        text.push('\n');
    }
    text
}

fn value(embedded: &Embedded) -> Value {
    let plan = &embedded.plan;
    json!({
        "module": embedded.module,
        "function": embedded.function,
        "path": embedded.path,
        "target": plan.target.name(),
        "symbols": plan.symbols.iter().map(|symbol| symbol.name().to_owned()).collect::<Vec<_>>(),
        "scalars": plan.scalars.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "buffers": plan::buffers(plan),
        "launches": plan::launches(plan),
        "decisions": plan::decisions(plan),
        "source": plan.source.to_string(),
    })
}
