//! What is to be tuned, from the command line's words.

use super::Args;
use crate::failure::{Failure, Result};
use crate::kernels::binary;
use crate::select;
use netcl::select::{Conv2dTask, ConvKind, Product, Task};
use netcl::{Axis, DType, Device};
use netcl_kernels::dim::Symbol;
use netcl_kernels::plan::Plan;
use std::collections::BTreeSet;

/// The tasks, each once, in the order in which they were named.
pub(super) fn all(args: &Args, device: &Device) -> Result<Vec<Task<u64>>> {
    let mut tasks = Vec::new();
    for text in &args.matmul {
        tasks.push(product(text)?);
    }
    for text in &args.conv2d {
        tasks.push(convolution(text)?);
    }
    if let Some(path) = &args.binary {
        let sizes = Sizes::parse(&args.size)?;
        let plans = binary::chosen(path, args.name.as_deref())?;
        let of_target = plans.into_iter().map(|embedded| embedded.plan);
        for plan in of_target.filter(|plan| plan.target == device.profile().target) {
            tasks.extend(of_plan(&plan, &sizes)?);
        }
    }
    let mut seen = BTreeSet::new();
    tasks.retain(|task| seen.insert(task.clone()));
    Ok(tasks)
}

fn product(text: &str) -> Result<Task<u64>> {
    let [m, n, k] = select::sizes(text)
        .ok_or_else(|| Failure::Other(format!("`--matmul {text}`: expected MxNxK, such as 512x512x512")))?;
    let aligned = n.is_multiple_of(4) && k.is_multiple_of(4);
    Ok(Task::Product(Product { m, n, k, batch: 1, a: Axis::K, b: Axis::Outer, aligned, dtype: DType::F32 }))
}

fn convolution(text: &str) -> Result<Task<u64>> {
    let wrong = || {
        Failure::Other(format!(
            "`--conv2d {text}`: expected NxCxHxW,OxHxW with `,stride=S` and `,padding=P` as needed, such as \
             32x16x28x28,32x3x3,padding=1"
        ))
    };
    let mut parts = text.split(',');
    let [images, channels, height, width] = parts.next().and_then(select::sizes).ok_or_else(wrong)?;
    let [out_channels, filter_height, filter_width] = parts.next().and_then(select::sizes).ok_or_else(wrong)?;
    let (mut stride, mut padding) = (1, 0);
    for part in parts {
        let (name, value) = part.split_once('=').ok_or_else(wrong)?;
        let value: u64 = value.parse().map_err(|_| wrong())?;
        match name {
            "stride" if value > 0 => stride = value,
            "padding" => padding = value,
            _ => return Err(wrong()),
        }
    }
    for (size, filter) in [(height, filter_height), (width, filter_width)] {
        if size.saturating_add(padding.saturating_mul(2)) < filter {
            return Err(Failure::Other(format!("`--conv2d {text}`: the filter is larger than the padded image")));
        }
    }
    Ok(Task::Conv2d(Conv2dTask {
        kind: ConvKind::Forward,
        images,
        channels,
        size: [height, width],
        filter: [filter_height, filter_width],
        out_channels,
        stride: [stride; 2],
        padding: [padding; 2],
        dilation: [1; 2],
        groups: 1,
        dtype: DType::F32,
    }))
}

/// Values of symbols.
struct Sizes {
    named: Vec<(String, u64)>,
    /// Of all others.
    rest: Option<u64>,
}

impl Sizes {
    fn parse(texts: &[String]) -> Result<Sizes> {
        let mut sizes = Sizes { named: Vec::new(), rest: None };
        for text in texts {
            let (name, value) = text.split_once('=').map_or((None, text.as_str()), |(name, value)| (Some(name), value));
            let value = value.parse().ok().filter(|value| *value > 0).ok_or_else(|| {
                Failure::Other(format!("`--size {text}`: expected SYMBOL=SIZE or SIZE, such as N=64, at least 1"))
            })?;
            match name {
                Some(name) => sizes.named.push((name.to_owned(), value)),
                None => sizes.rest = Some(value),
            }
        }
        Ok(sizes)
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

fn of_plan(plan: &Plan, sizes: &Sizes) -> Result<Vec<Task<u64>>> {
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
    // What has no value for possible sizes is never computed.
    Ok(plan.decisions.iter().filter_map(|decision| decision.task.evaluate(&bindings).ok()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_become_tasks() {
        let text = |task: Result<Task<u64>>| task.map(|task| task.to_string()).map_err(|error| error.to_string());
        assert_eq!(text(product("8x4x12")).unwrap(), "matmul f32 m=8 n=4 k=12 batch=1 a=k b=outer aligned");
        assert!(!text(product("8x3x12")).unwrap().contains("aligned"));
        let task = text(convolution("2x3x8x9,4x3x5,stride=2,padding=1")).unwrap();
        for word in ["2", "3", "8", "9", "4", "5"] {
            assert!(task.contains(word), "{task}");
        }
        for bad in ["8x4", "8x4x0", "8,4,2"] {
            assert!(text(product(bad)).unwrap_err().contains("MxNxK"), "{bad}");
        }
        for bad in ["2x3x8x8", "2x3x8x8,4x3", "2x3x8x8,4x3x3,stride=0", "2x3x8x8,4x3x3,pad=1", "2x3x8x8,4x3x3,padding"]
        {
            assert!(text(convolution(bad)).unwrap_err().contains("NxCxHxW"), "{bad}");
        }
        assert!(text(convolution("2x3x8x8,4x9x3")).unwrap_err().contains("larger"));
        assert!(text(convolution("2x3x8x8,4x9x3,padding=1")).is_ok(), "padding makes room for it");
    }

    #[test]
    fn sizes_have_names_or_stand_for_the_rest() {
        let parsed = Sizes::parse(&["N=64".to_owned(), "7".to_owned()]).unwrap();
        assert_eq!((parsed.named, parsed.rest), (vec![("N".to_owned(), 64)], Some(7)));
        for bad in ["N=0", "N=", "x", "N=-1"] {
            assert!(Sizes::parse(&[bad.to_owned()]).is_err(), "{bad}");
        }
    }
}
