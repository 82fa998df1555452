//! Tuning whole functions: every task of their plans, for given sizes.

use super::tuner::{self, TuneOptions, Tuning};
use super::{Task, shape};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::executor::{bind, check};
use crate::function::Function;
use crate::geometry;
use netcl_kernels::dim::{INDEX_LIMIT, Symbol};
use std::collections::BTreeSet;

/// Tunes every task of these functions on `device` for those sizes of their symbols, each bucket of tasks once.
pub(crate) fn tune(
    functions: &[&[Function]],
    device: &Device,
    sizes: &[(&str, u64)],
    options: &TuneOptions<'_>,
) -> Result<Vec<Tuning>> {
    let tasks = tasks(functions, device, sizes)?;
    let selector = device.selector();
    let count = tasks.len();
    tasks.iter().enumerate().map(|(number, task)| tuner::tune(&selector, task, options, (number, count))).collect()
}

/// Rule: a symbol has one size. Wrong: `[("N", 2), ("N", 3)]`.
fn one_size_each(sizes: &[(&str, u64)]) -> Result<()> {
    for (at, (name, size)) in sizes.iter().enumerate() {
        if let Some((_, other)) = sizes[..at].iter().find(|(own, other)| own == name && other != size) {
            return Err(Error::Setting {
                operation: "tune".to_owned(),
                setting: "sizes",
                given: format!("`{name}` as {other} and as {size}"),
                accepted: "one size for each symbol",
            });
        }
    }
    Ok(())
}

/// The tasks, in the order of the plans' steps.
fn tasks(functions: &[&[Function]], device: &Device, sizes: &[(&str, u64)]) -> Result<Vec<Task<u64>>> {
    one_size_each(sizes)?;
    let (mut tasks, mut buckets) = (Vec::new(), BTreeSet::default());
    let mut unused: Vec<&str> = sizes.iter().map(|(name, _)| *name).collect();
    for function in functions.iter().copied().flatten() {
        let plan = function.plan(device.profile().target)?;
        let mut bindings: Vec<(Symbol, u64)> = Vec::with_capacity(plan.symbols.len());
        for symbol in &plan.symbols {
            let given = sizes.iter().find(|(name, _)| *name == symbol.name());
            let fits = |size: u64| (1..=INDEX_LIMIT).contains(&size);
            let (name, size) = given.filter(|(_, size)| fits(*size)).ok_or_else(|| Error::Sizes {
                function: plan.name.clone(),
                bindings: geometry::show(&bindings),
                problem: match given {
                    Some((_, size)) if *size > 0 => {
                        format!("`{symbol}` is {size}, and kernels count up to {INDEX_LIMIT}; pass a smaller size")
                    }
                    Some(_) => format!("`{symbol}` is 0; pass a size of at least 1"),
                    None => format!("`{symbol}` has no size; pass `(\"{symbol}\", size)` with a size of at least 1"),
                },
            })?;
            unused.retain(|other| other != name);
            bindings.push((symbol.clone(), *size));
        }
        check::requirements(&plan, &bindings)?;
        // Sizes that no call could have.
        bind::lay_out(&plan, &bindings)?;
        // What has no value for sizes that are possible is never computed.
        for task in plan.decisions.iter().filter_map(|decision| decision.task.evaluate(&bindings).ok()) {
            if buckets.insert(shape::bucket(&task)) {
                tasks.push(task);
            }
        }
    }
    match unused.into_iter().min() {
        Some(name) => Err(Error::Setting {
            operation: "tune".to_owned(),
            setting: "sizes",
            given: format!("`{name}`, which is no size of the functions"),
            accepted: "the names of symbols in their signatures, such as `N`",
        }),
        None => Ok(tasks),
    }
}
