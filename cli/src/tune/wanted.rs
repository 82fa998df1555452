//! What is to be tuned, from the command line's words.

use super::args::TuneArgs;
use crate::failure::{Failure, Result};
use crate::kernels::binary;
use crate::tasks::{convolution, product};
use netcl::Device;
use netcl::select::Task;
use netcl_kernels::dim::Symbol;
use netcl_kernels::plan::Plan;
use netcl_kernels::plan::memory::layout;
use std::collections::BTreeSet;

/// The tasks, each once, in the order in which they were named.
pub(super) fn all(args: &TuneArgs, device: &Device) -> Result<Vec<Task<u64>>> {
    let mut tasks = Vec::new();
    for text in &args.matmul {
        tasks.push(product("--matmul", text)?);
    }
    for text in &args.conv2d {
        tasks.push(convolution("--conv2d", text)?);
    }
    if let Some(path) = &args.binary {
        let sizes = SymbolValues::parse(&args.size)?;
        let plans = binary::chosen(path, args.name.as_deref())?;
        let of_target = plans.into_iter().map(|embedded| embedded.plan);
        let plans: Vec<Plan> = of_target.filter(|plan| plan.target == device.profile().target).collect();
        sizes.check(&plans)?;
        for plan in &plans {
            tasks.extend(of_plan(plan, &sizes)?);
        }
    }
    let mut seen = BTreeSet::new();
    tasks.retain(|task| seen.insert(task.clone()));
    Ok(tasks)
}

/// Values of symbols.
struct SymbolValues {
    named: Vec<(String, u64)>,
    /// Of all others.
    rest: Option<u64>,
}

impl SymbolValues {
    fn parse(texts: &[String]) -> Result<SymbolValues> {
        let mut sizes = SymbolValues { named: Vec::new(), rest: None };
        for text in texts {
            let (name, value) = text.split_once('=').map_or((None, text.as_str()), |(name, value)| (Some(name), value));
            let value = value.parse().ok().filter(|value| *value > 0).ok_or_else(|| {
                Failure::Other(format!("`--size {text}`: expected SYMBOL=SIZE or SIZE, such as N=64, at least 1"))
            })?;
            match name {
                Some(name) => sizes.named.push((name.to_owned(), value)),
                None if sizes.rest.is_some() => {
                    return Err(Failure::Other(format!("`--size {text}`: all other symbols have a size already")));
                }
                None => sizes.rest = Some(value),
            }
        }
        Ok(sizes)
    }

    /// A name that none of the functions has is a mistake, and so is a second value for one.
    fn check(&self, plans: &[Plan]) -> Result<()> {
        let symbols: BTreeSet<&str> = plans.iter().flat_map(|plan| &plan.symbols).map(Symbol::name).collect();
        for (position, (name, value)) in self.named.iter().enumerate() {
            let problem = if !symbols.contains(name.as_str()) {
                let symbols: Vec<&str> = symbols.iter().copied().collect();
                let symbols = if symbols.is_empty() { "none".to_owned() } else { symbols.join(", ") };
                format!("these functions have no such symbol; they have: {symbols}")
            } else if self.named[..position].iter().any(|(other, _)| other == name) {
                format!("`{name}` has two sizes")
            } else {
                continue;
            };
            return Err(Failure::Other(format!("`--size {name}={value}`: {problem}")));
        }
        Ok(())
    }

    fn of(&self, symbol: &Symbol, plan: &Plan) -> Result<u64> {
        let named = self.named.iter().find(|(name, _)| name == symbol.name()).map(|(_, value)| *value);
        named.or(self.rest).ok_or_else(|| {
            let symbols: Vec<&str> = plan.symbols.iter().map(Symbol::name).collect();
            Failure::Other(format!(
                "`{}` has sizes that its calls bind ({}); say which to tune for: --size {symbol}=64",
                plan.name,
                symbols.join(", ")
            ))
        })
    }
}

fn of_plan(plan: &Plan, sizes: &SymbolValues) -> Result<Vec<Task<u64>>> {
    if plan.decisions.is_empty() {
        return Ok(Vec::new());
    }
    let mut bindings = Vec::with_capacity(plan.symbols.len());
    for symbol in &plan.symbols {
        bindings.push((symbol.clone(), sizes.of(symbol, plan)?));
    }
    for requirement in &plan.requirements {
        let check = requirement.check(&bindings);
        check.map_err(|problem| Failure::Other(format!("`{}` with these sizes: {problem}", plan.name)))?;
    }
    if let Err(error) = layout(plan, &bindings, 64) {
        let sizes: Vec<String> = bindings.iter().map(|(symbol, size)| format!("{symbol}={size}")).collect();
        let sizes = sizes.join(", ");
        return Err(Failure::Other(format!("`{}` with {sizes}: {error}; no call has such sizes", plan.name)));
    }
    // What has no value for possible sizes is never computed.
    Ok(plan.decisions.iter().filter_map(|decision| decision.task.evaluate(&bindings).ok()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_names_or_stand_for_the_rest() {
        let parsed = SymbolValues::parse(&["N=64".to_owned(), "7".to_owned()]).unwrap();
        assert_eq!((parsed.named, parsed.rest), (vec![("N".to_owned(), 64)], Some(7)));
        for bad in ["N=0", "N=", "x", "N=-1"] {
            assert!(SymbolValues::parse(&[bad.to_owned()]).is_err(), "{bad}");
        }
        assert!(SymbolValues::parse(&["7".to_owned(), "8".to_owned()]).is_err(), "which of the two?");
    }
}
