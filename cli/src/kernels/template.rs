//! A template with given tunables, as it is launched for a given product, convolution or attention.

use super::args::KernelsArgs;
use crate::failure::{Failure, Result};
use crate::output::Output;
use crate::{select, tasks};
use netcl::Target;
use netcl::select::{KernelConfig, Task, Variant};
use netcl_kernels::compile::{CompileOptions, compile_with};
use netcl_kernels::dim::IndexWidth;
use netcl_kernels::graph::AttentionKind;
use netcl_kernels::plan::{Plan, Step, Work};
use netcl_kernels::template::{self, Choice, Limits, Template};
use netcl_kernels::variant::{self, Always, AttentionTask, Family, Product, SPLIT_K, SPLIT_K_VALUES, typical};
use serde_json::{Value, json};

/// What a template computes where nothing else is asked for.
const PRODUCT: &str = "1024x1024x1024";
const PRODUCT_OF_HALVES: &str = "1024x1024x1024,dtype=f16";
/// Queries, keys, and elements of a row of each.
const ATTENTION: &str = "1024x1024x64,batch=12,dtype=f16";
const CONVOLUTION: &str = "32x64x56x56,64x3x3,padding=1";

pub(super) fn run(name: &str, args: &KernelsArgs, output: &Output) -> Result<()> {
    let template = template::ALL.iter().find(|template| template.name == name).ok_or_else(|| {
        let names: Vec<&str> = template::ALL.iter().map(|template| template.name).collect();
        Failure::Other(format!("no template `{name}`; there are: {}", names.join(", ")))
    })?;
    let (target, limits) = device(args)?;
    let (variant, target) = of(template, target)?;
    let limits = limits.unwrap_or_else(|| typical(target));
    let task = match variant.family() {
        Family::Conv2d => tasks::convolution("--problem", args.problem.as_deref().unwrap_or(CONVOLUTION))?,
        Family::Attention => attention(args.problem.as_deref().unwrap_or(ATTENTION))?,
        _ => {
            let product = if variant == Variant::MatMulMma { PRODUCT_OF_HALVES } else { PRODUCT };
            tasks::product("--problem", args.problem.as_deref().unwrap_or(product))?
        }
    };
    let mut choice = initial(template, &task, &limits);
    if args.list {
        return list(template, variant, &choice, output);
    }
    for assignment in &args.set {
        set(template, variant, &mut choice, assignment)?;
    }
    let plan = plan(&task, KernelConfig::new(variant, choice.clone()), target, &limits)?;
    if output.is_json() {
        let tunables: serde_json::Map<_, _> =
            choice.iter().map(|(name, value)| (name.to_owned(), json!(value))).collect();
        output.value(&json!({
            "template": name,
            "tunables": tunables,
            "task": task.to_string(),
            "target": target.name(),
            "launches": plan.steps.iter().map(launch_value).collect::<Vec<_>>(),
            "source": plan.source.to_string(),
        }))
    } else {
        let launches: String = plan.steps.iter().map(|step| format!("//  {}\n", launch_text(step))).collect();
        output.text(&format!("// {name} for {} devices: {task}\n{launches}\n{}", target.name(), plan.source))
    }
}

/// Attention of as many queries and keys as the product of its scores has rows and columns.
fn attention(problem: &str) -> Result<Task<u64>> {
    match tasks::product("--problem", problem)? {
        Task::Product(Product { m: queries, n: keys, k: width, batch, dtype, .. }) => {
            Ok(Task::Attention(AttentionTask {
                kind: AttentionKind::Forward,
                batch,
                queries,
                keys,
                width,
                value_width: width,
                causal: false,
                dtype,
            }))
        }
        task => Err(Failure::Other(format!("`--problem` of attention is `QUERIESxKEYSxWIDTH`, found `{task}`"))),
    }
}

/// For which kind of device, and what it has, if one was named.
fn device(args: &KernelsArgs) -> Result<(Option<Target>, Option<Limits>)> {
    let Some(selector) = &args.device else { return Ok((None, None)) };
    let device = select::open(selector)?;
    let target = device.profile().target;
    if target == Target::Host {
        return Err(Failure::Other(
            "the host has no templates: a library computes its products and convolutions".into(),
        ));
    }
    Ok((Some(target), Some(device.selector().limits())))
}

/// The variant that a template is, and for which kind of device: the one wanted, else the one that it was written for.
fn of(template: &Template, wanted: Option<Target>) -> Result<(Variant, Target)> {
    let written_for = if template.for_processors { Target::Cpu } else { Target::Gpu };
    let target = wanted.unwrap_or(written_for);
    let is = |variant: &Variant| variant.template(target).is_some_and(|own| own.name == template.name);
    match Variant::ALL.into_iter().find(is) {
        Some(variant) => Ok((variant, target)),
        None => Err(Failure::Other(format!("`{}` is not for {} devices", template.name, target.name()))),
    }
}

/// The values to begin with.
fn initial(template: &Template, task: &Task<u64>, limits: &Limits) -> Choice {
    task.problem().map_or_else(|| template.defaults(), |problem| (template.initial)(&problem, limits))
}

/// The task alone, computed in this way.
fn plan(task: &Task<u64>, config: KernelConfig, target: Target, limits: &Limits) -> Result<Plan> {
    let illegal = |rule: String| Failure::Other(format!("`{config}` is not legal for `{task}`: {rule}"));
    variant::legal(&config, task, target, limits).map_err(illegal)?;
    let options = CompileOptions { limits: *limits, select: &Always(config.clone()), width: IndexWidth::Narrow };
    let plan = compile_with(&variant::graph(task), target, &options);
    let plan = plan.map_err(|problem| Failure::Other(format!("`{task}`: {problem}")))?;
    if plan.decisions.iter().any(|decision| decision.config == config) {
        return Ok(plan);
    }
    Err(Failure::Other(format!("the compiler computes `{task}` otherwise than by `{config}`")))
}

/// What a step launches: a kernel, its work-items and the size of its work-groups.
fn launched(step: &Step) -> (&str, Vec<usize>, &[u32]) {
    let Work::Kernel { entry, launch } = &step.work else { return (&step.label, Vec::new(), &[]) };
    let geometry = launch.geometry(&[]).ok().flatten();
    let items = geometry.map_or_else(Vec::new, |own| own.global[..own.dimensions].to_vec());
    (entry, items, &launch.local)
}

fn launch_text(step: &Step) -> String {
    fn by<T: ToString>(sizes: &[T]) -> String {
        sizes.iter().map(T::to_string).collect::<Vec<_>>().join(" x ")
    }
    let (kernel, items, group) = launched(step);
    let group = if group.is_empty() { String::new() } else { format!(" in groups of {}", by(group)) };
    format!("{kernel}: {} work-items{group}", by(&items))
}

fn launch_value(step: &Step) -> Value {
    let (kernel, items, group) = launched(step);
    json!({ "kernel": kernel, "work_items": items, "work_group": group })
}

/// The names of a template's tunables and what they may be; of those whose sums can be cut also into how many parts.
fn tunables(template: &Template, variant: Variant) -> Vec<(&'static str, &'static [u32])> {
    let own = template.tunables.iter().map(|tunable| (tunable.name, tunable.values));
    let parts = variant.splits().then_some((SPLIT_K, &SPLIT_K_VALUES[..]));
    own.chain(parts).collect()
}

/// The tunables, what they may be, and what the problem begins with.
fn list(template: &Template, variant: Variant, choice: &Choice, output: &Output) -> Result<()> {
    let tunables = tunables(template, variant).into_iter();
    if output.is_json() {
        let tunables =
            tunables.map(|(name, values)| json!({ "name": name, "values": values, "initial": choice.get(name) }));
        return output.value(&json!({ "template": template.name, "tunables": tunables.collect::<Vec<_>>() }));
    }
    let rows = tunables.map(|(name, values)| vec![name.to_owned(), choice.get(name).to_string(), listed(values)]);
    output.text(&output.table(&["tunable", ">initial", "values"], &rows.collect::<Vec<_>>()))
}

fn listed(values: &[u32]) -> String {
    values.iter().map(u32::to_string).collect::<Vec<_>>().join(", ")
}

fn set(template: &Template, variant: Variant, choice: &mut Choice, assignment: &str) -> Result<()> {
    let (name, value) = assignment.split_once('=').ok_or_else(|| {
        Failure::Other(format!("`--set {assignment}`: expected TUNABLE=VALUE, such as {}", example(template)))
    })?;
    let tunables = tunables(template, variant);
    let Some((name, values)) = tunables.iter().find(|(own, _)| *own == name) else {
        let names: Vec<&str> = tunables.iter().map(|(name, _)| *name).collect();
        let names = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        return Err(Failure::Other(format!("`{}` has no tunable `{name}`; it has: {names}", template.name)));
    };
    match value.parse() {
        Ok(number) if values.contains(&number) => {
            choice.set(*name, number);
            Ok(())
        }
        _ => Err(Failure::Other(format!("`{name}` may be {}, found `{value}`", listed(values)))),
    }
}

fn example(template: &Template) -> String {
    template.tunables.first().map_or_else(|| "TILE=16".to_owned(), |first| format!("{}={}", first.name, first.default))
}
